"""Arguments of the hook and the folder it works in. An unknown flag is passed over, never refused."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from llm_wiki.core.errors import BadConfig
from llm_wiki.hook.payload import PREVIEW_CHARS

FILE: Final = "config.json"
_VALUED: Final = frozenset(
    [
        "harness",
        "event-name",
        "session-id",
        "cwd",
        "topic",
        "summary",
        "trigger",
        "max-event-bytes",
        "emit",
        "hub",
    ]
)


class Options(NamedTuple):
    """The flags of `llm-wiki-hook`; texts that were not given are ""."""

    harness: str
    event_name: str
    session_id: str
    cwd: str
    topics: tuple[str, ...]
    summary: str
    trigger: str
    max_event_bytes: int
    plain: bool
    hub: str
    local: bool
    debug: bool


def parse(argv: Sequence[str]) -> Options:
    """Return the flags among the arguments; the last of a name counts, unknown ones do nothing."""
    values: dict[str, str] = {}
    topics: list[str] = []
    switches: set[str] = set()
    given = list(argv)
    at = 0
    while at < len(given):
        name, mark, value = given[at].partition("=")
        at += 1
        if not name.startswith("--"):
            continue
        name = name[2:]
        if name not in _VALUED:
            switches.add(name)
            continue
        if not mark:
            if at >= len(given) or given[at].startswith("--"):
                continue
            value = given[at]
            at += 1
        if name == "topic":
            topics.append(value)
        values[name] = value
    limit = values.get("max-event-bytes", "")
    return Options(
        values.get("harness", ""),
        values.get("event-name", ""),
        values.get("session-id", ""),
        values.get("cwd", ""),
        tuple(topics),
        values.get("summary", ""),
        values.get("trigger", ""),
        int(limit)
        if re.fullmatch("[1-9][0-9]{0,3}", limit) and int(limit) < PREVIEW_CHARS
        else PREVIEW_CHARS,
        values.get("emit", "") == "text",
        values.get("hub", ""),
        "local" in switches,
        "debug" in switches or bool(os.environ.get("LLM_WIKI_HOOK_DEBUG", "").strip("0 ")),
    )


def here() -> str:
    """Return the folder the process runs in, "" where it was removed meanwhile."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def sessions_folder(options: Options, cwd: str = "") -> str:
    """Return the `.sessions/` folder: the hub's, with `--local` that of `.wiki/` in `--cwd`, `cwd` or here.

    The hub is the one of `wiki-format.md` §8.2; the folder need not exist. Raises BadConfig.
    """
    if options.local:
        return os.path.join(options.cwd or cwd or here(), ".wiki", ".sessions")
    if options.hub:
        return os.path.join(_absolute(options.hub), ".sessions")
    values = _configuration()
    named, older = _path(values, "hub_path"), _path(values, "resolved_path")
    if named is None and older is None:
        named = "~/wiki"
    hub = _absolute(named if named is not None else older or "")
    if named is not None and older is not None and not os.path.exists(hub):
        other = _absolute(older)
        if os.path.isfile(os.path.join(other, "wikis.json")) and os.path.isdir(os.path.join(other, "topics")):
            hub = other
    return os.path.join(hub, ".sessions")


def _path(values: dict[str, Any], key: str) -> str | None:
    """Return the path under a key, `-` and `_` alike, None without it; raises BadConfig for what is none."""
    name = next((each for each in (key, key.replace("_", "-")) if each in values), None)
    if name is None:
        return None
    value = values[name]
    if not (isinstance(value, str) and os.path.isabs(_expanded(value))):
        raise BadConfig(f"{FILE}: {name} is not an absolute path")
    return value


def _configuration() -> dict[str, Any]:
    """Return the object in the configuration file, {} without one; raises BadConfig for anything else."""
    given = os.environ.get("LLM_WIKI_CONFIG_DIR", "").strip()
    folder = _absolute(given) if given else _absolute("~/.config/llm-wiki")
    path = os.path.join(folder, FILE)
    try:
        with open(path, "rb") as handle:
            values = json.loads(handle.read().decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise BadConfig(f"{FILE} cannot be read: {type(error).__name__}") from error
    if not isinstance(values, dict):
        raise BadConfig(f"{FILE} does not hold an object")
    return values


def _expanded(path: str) -> str:
    return os.path.expanduser("~") + path[1:] if path == "~" or path.startswith("~/") else path


def _absolute(path: str) -> str:
    return os.path.normpath(os.path.join(here(), _expanded(path)))
