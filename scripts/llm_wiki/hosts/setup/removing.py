"""Takes out again what setup put in: to the byte where nobody else changed the file, else only its own."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from llm_wiki.core.errors import WikiError
from llm_wiki.core.files import sha256
from llm_wiki.hosts.setup import apply, jsonedit, manifest
from llm_wiki.hosts.setup.manifest import Record
from llm_wiki.hosts.setup.plan import Step, checked, current, decoded, event_of, mentions


class Removal(NamedTuple):
    """What taking out one host comes to: `after` None deletes the file; `edits` stay in the record."""

    host: str
    path: Path
    before: bytes | None
    after: bytes | None
    steps: tuple[Step, ...]
    backups: tuple[str, ...]
    """Backups that have served and go."""
    kept: tuple[str, ...]
    """Backups that stay, because the file has changes that are not ours."""

    @property
    def left(self) -> tuple[Step, ...]:
        """Return what is not ours any more."""
        return tuple(step for step in self.steps if step.action == "left")


def plan(record: Record) -> Removal:
    """Plan to take one host's edits out."""
    path = Path(record["path"])
    host = record["host"]
    backups = tuple(record["backups"])
    try:
        before = current(path)
        if before is None:
            return Removal(host, path, None, None, (Step("keep", "", "the file is gone"),), (), backups)
        return _whole(record, path, before, backups) or _structural(record, path, before, backups)
    except WikiError as error:  # a broken file is its owner's to repair
        return Removal(host, path, b"", b"", (Step("left", "", error.message),), (), backups)


def _whole(record: Record, path: Path, before: bytes, backups: tuple[str, ...]) -> Removal | None:
    """Plan for the whole file where all of it is known; None where somebody else has a hand in it."""
    host, now = record["host"], sha256(before)
    if (
        now == record["before"] != record["after"]
    ):  # put back by its owner, or setup was stopped before the edit
        return Removal(host, path, before, before, (Step("keep", "", "it is as it was"),), backups, ())
    if now == record["after"]:
        if record["before"] is None and record["chain"]:
            return Removal(host, path, before, None, (Step("delete", ""),), backups, ())
        origin = _origin(record)
        if origin is not None:
            return Removal(host, path, before, origin, (Step("restore", ""),), backups, ())
    if record["form"] != "entries":
        note = "the file was changed since; delete it if you do not need it"
        return Removal(host, path, before, before, (Step("left", "", note),), (), backups)
    return None


def _origin(record: Record) -> bytes | None:
    """Return the bytes of before the first edit, from the backup that holds them."""
    if not record["chain"]:
        return None
    for name in record["backups"]:
        try:
            data = current(Path(name))
        except WikiError:
            continue
        if data is not None and sha256(data) == record["before"]:
            return data
    return None


def _structural(record: Record, path: Path, before: bytes, backups: tuple[str, ...]) -> Removal:
    text = decoded(path, before)
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text[len(mark) :]
    steps = []
    for edit in record["edits"]:
        text, step = _take(path, text, event_of(edit["pointer"]), edit["value"])
        steps.append(step)
    text = _prune(path, text, record["containers"])
    after: bytes | None = (mark + text).encode()
    if record["before"] is None and "" in record["containers"] and not checked(path, text).value:
        after = None
    return Removal(record["host"], path, before, after, tuple(steps), (), backups)


def _take(path: Path, text: str, event: str, value: object) -> tuple[str, Step]:
    hooks = checked(path, text).member("hooks")
    items = hooks.member(event) if hooks else None
    found = items.value if items else []
    if value in found:
        at = found.index(value)
        return jsonedit.remove(text, ("hooks", event, str(at))), Step("remove", f"/hooks/{event}/{at}")
    for at, item in enumerate(found):
        if mentions(item):
            note = "it was changed since; take it out by hand if you do not need it"
            return text, Step("left", f"/hooks/{event}/{at}", note)
    return text, Step("keep", f"/hooks/{event}", "it is gone already")


def _prune(path: Path, text: str, containers: list[str]) -> str:
    """Take out the lists and objects that were made for our entries and are empty now."""
    for pointer in sorted(containers, key=lambda name: -name.count("/")):
        parts = tuple(pointer.split("/")[1:])
        node = checked(path, text)
        for name in parts:
            found = node.member(name) if node.kind == "object" else None
            if found is None:
                break
            node = found
        else:
            if parts and not node.parts and not text[node.start + 1 : node.end - 1].strip():
                text = jsonedit.remove(text, parts)
    return text


def write(removal: Removal, records: dict[str, Record]) -> None:
    """Carry a removal out under `apply.locked`; what is left stays recorded."""
    record = records[removal.host]
    if removal.after != removal.before:
        if removal.after is None:
            apply.delete(removal.path)
        else:
            apply.put(removal.path, removal.after)
    for name in removal.backups:
        apply.delete(Path(name))
    apply.tidy(record["made"])
    if not removal.left:
        del records[removal.host]
        manifest.save(records)
        return
    events = {event_of(step.pointer) for step in removal.left}
    if "" not in events:
        record["edits"] = [edit for edit in record["edits"] if event_of(edit["pointer"]) in events]
    if removal.after is not None and removal.after != removal.before:
        record["after"], record["chain"] = sha256(removal.after), False
    manifest.save(records)
