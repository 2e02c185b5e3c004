"""What is set up in which host, read from the hosts' own files: `setup --status`, `doctor`, `paths`."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from llm_wiki.core.errors import WikiError
from llm_wiki.core.files import sha256
from llm_wiki.hook import options, settings
from llm_wiki.hosts.setup import manifest, wanted
from llm_wiki.hosts.setup.jsonc import BadJson, Node, parse, walk
from llm_wiki.hosts.setup.manifest import Record
from llm_wiki.hosts.setup.plan import checked, current, decoded, mentions
from llm_wiki.hosts.setup.program import NAME, Program, command, locate, program_in
from llm_wiki.hosts.setup.table import HOSTS, Host, folder, present, target

PLUGIN = "wiki-sessions"


class Report(NamedTuple):
    """One host: `state` is `complete`, `partial`, `outdated`, `changed`, `none` or `broken`.

    `events` lists what is delivered by our entries. `found` says how one knows that the host is installed,
    `other` names what else delivers its events, `trusted` is how many entries Codex was told to trust, None
    elsewhere.
    """

    host: str
    title: str
    found: str
    path: Path
    state: str
    events: tuple[str, ...]
    program: str
    notes: tuple[str, ...]
    other: str
    trusted: int | None
    recorded: bool

    @property
    def twice(self) -> str:
        """Return what delivers the events that our entries deliver too, "" for nothing."""
        return self.other if self.state != "none" else ""


def reports() -> list[Report]:
    """Return the state of every host setup knows. Raises BadConfig for a damaged manifest."""
    records = manifest.load()
    try:
        program: Program | None = locate()
    except WikiError:
        program = None
    return [_report(host, records.get(host.name), program) for host in HOSTS.values()]


def _report(host: Host, record: Record | None, program: Program | None) -> Report:
    path = target(host)
    notes: list[str] = []
    events: tuple[str, ...] = ()
    runs = ""
    try:
        data = current(path)
        if data is None:
            state = "none"
        elif host.form in ("plugin", "extension"):
            state = _own(host, data, record, program)
            runs = _named(data)
        else:
            state, events, runs = _entries(host, path, data, program)
    except WikiError as error:
        state = "broken"
        notes.append(error.message)
    if runs and not os.access(runs, os.X_OK):
        notes.append(f"{runs} is gone: events go nowhere; run setup again")
    trusted = _trust(path, events) if host.name == "codex" and events else None
    if trusted is not None and trusted < len(events):
        known = f"{trusted} of {len(events)}"
        notes.append(f"Codex has been told to trust {known} hooks: type /hooks in Codex and trust the others")
    if host.name == "claude" and _settings().get("disableAllHooks") is True:
        notes.append(f"hooks are switched off in {path.name} (disableAllHooks)")
    if host.name == "codex" and _part(_config(), "features").get("hooks") is False:
        notes.append("hooks are switched off in config.toml ([features] hooks = false)")
    other = _other(host) if state != "broken" else ""
    recorded = record is not None
    return Report(
        host.name,
        host.title,
        present(host),
        path,
        state,
        events,
        runs,
        tuple(notes),
        other,
        trusted,
        recorded,
    )


def _own(host: Host, data: bytes, record: Record | None, program: Program | None) -> str:
    if NAME.encode() not in data:
        return "none"
    if program is not None and data == wanted.whole(host, program):
        return "complete"
    return "outdated" if record is not None and sha256(data) == record["after"] else "changed"


def _named(data: bytes) -> str:
    """Return the program a plugin or an extension of ours runs."""
    for line in data.decode("utf-8", "replace").splitlines():
        if line.startswith("const HOOK = "):
            try:
                return str(parse(line.removeprefix("const HOOK = ").rstrip(";")).value)
            except BadJson:
                return ""
    return ""


def _entries(
    host: Host, path: Path, data: bytes, program: Program | None
) -> tuple[str, tuple[str, ...], str]:
    text = decoded(path, data).removeprefix("\ufeff")
    if not text.strip():
        return "none", (), ""
    root = checked(path, text)
    lists = root.value.get("hooks") or {}
    runs = ""
    state = "complete"
    events = []
    for event in host.events:
        found = [item for item in lists.get(event.name, []) if mentions(item)]
        if not found:
            state = "partial" if state == "complete" else state
            continue
        events.append(event.name)
        runs = runs or _program_of(root)
        if program is None or wanted.entry(host, event, program) not in found:
            other = wanted.entry(host, event, Program(runs, "")) if runs else None
            state = "outdated" if other in found else "changed"
    return (state if events else "none"), tuple(events), runs


def _program_of(root: Node) -> str:
    for _, node in walk(root):
        if node.kind == "scalar" and isinstance(node.value, str) and NAME in node.value:
            found = program_in(node.value)
            if found:
                return found
    return ""


def _settings() -> dict[str, Any]:
    """Return the settings of Claude Code, {} where they cannot be read."""
    try:
        value = parse(decoded(Path(), current(target(HOSTS["claude"])) or b"{}").removeprefix("\ufeff")).value
    except (WikiError, BadJson):
        return {}
    return value if isinstance(value, dict) else {}


def _config() -> dict[str, Any]:
    """Return Codex' configuration, {} where it cannot be read: it is not ours to judge."""
    try:
        data = current(folder(HOSTS["codex"]) / "config.toml")
        return tomllib.loads((data or b"").decode("utf-8"))
    except (WikiError, ValueError):
        return {}


def trust_hash(event: str, group: Any) -> str:
    """Return the hash Codex 0.171 shows for an entry (`hooks/list` of its app-server) and asks trust for."""
    hooks = [{"async": False, **hook} for hook in group["hooks"]]
    given = {**group, "event_name": _snake(event), "hooks": hooks}
    text = json.dumps(given, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{sha256(text.encode())}"


def _snake(event: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in event).lstrip("_")


def _trust(path: Path, events: tuple[str, ...]) -> int:
    """Count the entries of ours that Codex has been told to trust, as they stand now.

    The record lies in its configuration under `FILE:event_name:group:hook`.
    """
    state = _part(_part(_config(), "hooks"), "state")
    places = {str(path), os.path.realpath(path)}
    counted = 0
    lists = parse(decoded(path, current(path)).removeprefix("\ufeff")).value["hooks"]
    for event in events:
        at = next(at for at, item in enumerate(lists[event]) if mentions(item))
        found = [state.get(f"{place}:{_snake(event)}:{at}:0") for place in places]
        known = [item.get("trusted_hash") for item in found if isinstance(item, dict)]
        try:
            counted += trust_hash(event, lists[event][at]) in known
        except (KeyError, TypeError):  # an entry somebody else has shaped
            continue
    return counted


def _other(host: Host) -> str:
    """Return what else delivers this host's events to us, "" for nothing."""
    if host.name == "claude":
        enabled = _part(_settings(), "enabledPlugins")
        on = [name for name, value in enabled.items() if value and name.partition("@")[0] == PLUGIN]
        return f"plugin {on[0]}" if on else ""
    if host.name == "codex":
        config = _config()
        if mentions({key: value for key, value in _part(config, "hooks").items() if key != "state"}):
            return "[hooks] in config.toml"
        for name, value in _part(config, "plugins").items():
            off = isinstance(value, dict) and value.get("enabled") is False
            if name.partition("@")[0] == PLUGIN and not off:
                return f"plugin {name}"
    return ""


def _part(value: dict[str, Any], key: str) -> dict[str, Any]:
    """Return an object inside an object, {} for anything else in its place."""
    found = value.get(key)
    return found if isinstance(found, dict) else {}


class Level(NamedTuple):
    """The capture level of the hub: `off`, `notes`, `words` or `unknown`, and why it is off."""

    level: str
    why: str


def level() -> Level:
    """Return the level the hook would find from here."""
    try:
        found = settings.read(options.sessions_folder(options.parse([]), str(Path.cwd())))
    except WikiError as error:
        return Level("unknown", error.message)
    return Level(found.level, found.why)


def touched() -> list[Record]:
    """Return the record of every file of a host that setup has changed."""
    return list(manifest.load().values())


def line(program: Program, host: Host) -> str:
    """Return the command a host runs, for people who write it into their files themselves."""
    return command(program.path, host.name)
