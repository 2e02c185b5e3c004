"""Plans what setup writes into one host's file, without writing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from llm_wiki.core.errors import BadConfig, Refused
from llm_wiki.core.files import read_bytes, sha256
from llm_wiki.hosts.setup import jsonedit, wanted
from llm_wiki.hosts.setup.jsonc import BadJson, Node, parse
from llm_wiki.hosts.setup.manifest import Edit, Record, new
from llm_wiki.hosts.setup.program import NAME, Program
from llm_wiki.hosts.setup.table import Host, target

_BOM = "\ufeff"


class Step(NamedTuple):
    """One thing done to a file: `add`, `replace`, `create`, `rewrite`, `remove`, `delete`, `restore`.

    `keep` is what is right already, `left` what is not ours to touch; `note` says why.
    """

    action: str
    pointer: str
    note: str = ""


class Plan(NamedTuple):
    """What is to be done to one file: its bytes now and then (None = no file), the steps, the new record."""

    host: Host
    path: Path
    before: bytes | None
    after: bytes | None
    steps: tuple[Step, ...]
    record: Record

    @property
    def changes(self) -> bool:
        """Tell whether the file's bytes change."""
        return self.before != self.after

    @property
    def left(self) -> tuple[Step, ...]:
        """Return what could not be done because somebody else has a hand in it."""
        return tuple(step for step in self.steps if step.action == "left")


def current(path: Path) -> bytes | None:
    """Return a file's bytes, None where there is none; a symbolic link is followed."""
    real = Path(os.path.realpath(path))
    return read_bytes(real) if os.path.lexists(real) else None


def install(host: Host, program: Program, record: Record | None) -> Plan:
    """Plan a host's file. Raises BadConfig for a file that is not what the host reads, with its line."""
    path = target(host)
    if record is not None and record["path"] != str(path):
        raise Refused(
            f"{host.title} was set up in {record['path']}, and its folder is {path.parent} now",
            path=record["path"],
            remedy=f"llm-wiki setup --remove {host.name}, then set it up again",
        )
    before = current(path)
    if before is None:
        record = None  # whoever deleted the file wanted nothing of it back
    done = _copy(record) if record is not None else new(host.name, path, host.form)
    if record is None:
        done["before"] = None if before is None else sha256(before)
    elif before is not None and sha256(before) not in (record["after"], record["before"]):
        done["chain"] = False
    if host.form != "entries":
        return _whole(host, path, program, before, done, known=record is not None)
    return _entries(host, path, program, before, done)


def _copy(record: Record) -> Record:
    copied: Record = json.loads(json.dumps(record))
    return copied


def _whole(
    host: Host, path: Path, program: Program, before: bytes | None, done: Record, *, known: bool
) -> Plan:
    data = wanted.whole(host, program)
    if before is None:
        step = Step("create", "")
    elif before == data:
        step = Step("keep", "")
        if not known:
            done["before"] = None  # what is already ours to the byte may go like what was made now
    elif known and sha256(before) == done["after"]:
        step = Step("rewrite", "", "it is ours and unchanged, of another version")
    else:
        note = "it was changed since" if known else "it is there already and not ours"
        return Plan(host, path, before, before, (Step("left", "", note),), done)
    done["after"] = sha256(data)
    return Plan(host, path, before, data, (step,), done)


def _entries(host: Host, path: Path, program: Program, before: bytes | None, done: Record) -> Plan:
    text = decoded(path, before)
    mark = _BOM if text.startswith(_BOM) else ""
    text = text[len(mark) :]
    steps: list[Step] = []
    if not text.strip():
        text = jsonedit.fresh({"hooks": wanted.entries(host, program)})
        steps = [Step("add", f"/hooks/{event.name}/0") for event in host.events]
        done["containers"] = ["", "/hooks", *(f"/hooks/{event.name}" for event in host.events)]
    else:
        for event in host.events:
            value = wanted.entry(host, event, program)
            text, step = _one(path, text, event.name, value, done)
            steps.append(step)
    root = checked(path, text)
    lists = root.value["hooks"]
    edits = []
    for event in host.events:
        value = wanted.entry(host, event, program)
        if value in lists.get(event.name, []):
            pointer = f"/hooks/{event.name}/{lists[event.name].index(value)}"
            edits.append(Edit(pointer=pointer, value=value, sha256=value_hash(value)))
    found = {event_of(edit["pointer"]) for edit in edits}
    done["edits"] = edits + [edit for edit in done["edits"] if event_of(edit["pointer"]) not in found]
    after = (mark + text).encode()
    done["after"] = sha256(after)
    return Plan(host, path, before, after, tuple(steps), done)


def event_of(pointer: str) -> str:
    """Return the event an entry's pointer (`/hooks/EVENT/N`) names, "" for that of a whole file."""
    return pointer.split("/")[2] if pointer else ""


def _one(path: Path, text: str, event: str, value: Any, done: Record) -> tuple[str, Step]:
    """Return the text with one event's entry in its place, and the step that took."""
    root = checked(path, text)
    hooks = root.member("hooks")
    if hooks is None:
        done["containers"] += ["/hooks", f"/hooks/{event}"]
        return jsonedit.add(text, ("hooks",), {event: [value]}), Step("add", f"/hooks/{event}/0")
    items = hooks.member(event)
    if items is None:
        done["containers"].append(f"/hooks/{event}")
        return jsonedit.add(text, ("hooks", event), [value]), Step("add", f"/hooks/{event}/0")
    for at, item in enumerate(items.value):
        if item == value:
            return text, Step("keep", f"/hooks/{event}/{at}")
    ours = [edit["value"] for edit in done["edits"]]
    for at, item in enumerate(items.value):
        if item in ours:
            place = ("hooks", event, str(at))
            return jsonedit.replace(text, place, value), Step("replace", f"/hooks/{event}/{at}")
    for at, item in enumerate(items.value):
        if mentions(item):
            return text, Step("left", f"/hooks/{event}/{at}", f"another entry there calls {NAME}")
    place = ("hooks", event, "-")
    return jsonedit.add(text, place, value), Step("add", f"/hooks/{event}/{len(items.value)}")


def mentions(value: Any) -> bool:
    """Tell whether an entry calls our program, in whatever form."""
    return NAME in json.dumps(value)


def value_hash(value: Any) -> str:
    """Return the hash of a JSON value, whatever the order of its keys."""
    return sha256(json.dumps(value, sort_keys=True).encode())


def decoded(path: Path, data: bytes | None) -> str:
    """Return a file's text. Raises BadConfig when it is not UTF-8."""
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        line = (data or b"").count(b"\n", 0, error.start) + 1
        raise BadConfig(f"{path} is not UTF-8 text", path=path, line=line, remedy=_REMEDY) from None


_REMEDY = "correct the file, then run setup again; nothing was written"


def checked(path: Path, text: str) -> Node:
    """Return a file's object whose `hooks`, where there is one, is an object of lists. Raises BadConfig."""

    def line(node: Node) -> int:
        return text.count("\n", 0, node.start) + 1

    try:
        root = parse(text)
    except BadJson as error:
        raise BadConfig(
            f"{path} is not valid JSON, line {error.line}: {error}",
            path=path,
            line=error.line,
            remedy=_REMEDY,
        ) from None
    if root.kind != "object":
        raise BadConfig(f"{path} does not hold an object", path=path, line=line(root), remedy=_REMEDY)
    hooks = root.member("hooks")
    if hooks is not None and hooks.kind != "object":
        raise BadConfig(f"{path}: hooks is not an object", path=path, line=line(hooks), remedy=_REMEDY)
    for name, part in zip(hooks.keys, hooks.parts, strict=True) if hooks else ():
        if part.kind != "array":
            raise BadConfig(f"{path}: hooks.{name} is not a list", path=path, line=line(part), remedy=_REMEDY)
    return root
