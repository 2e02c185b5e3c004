"""The way back: what was done to a root in the last 30 days, and reversing one of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from llm_wiki.core import files
from llm_wiki.core.errors import Conflict, NothingFound, WikiError
from llm_wiki.core.journal import Journal, undo_folder
from llm_wiki.core.locks import root_lock
from llm_wiki.core.plan import Changed, Op
from llm_wiki.core.steps import Step, remove_folder
from llm_wiki.core.transaction import KEEP_DAYS, Change, Transaction, _names, _prune, open_root

_EDITED = (
    "nothing was undone; give the files the content they had after that change and undo again, "
    "or keep them and reverse the change by hand (undo --list shows it)"
)


class Record(NamedTuple):
    """One transaction. `state`: `done`, `undone`, or `withdrawn` (done, and nothing is kept to undo it).

    `person` tells that a person decided it. `left` tells, of one just undone, what in other roots could
    not be undone with it.
    """

    id: str
    verb: str
    date: str
    summary: str
    changes: tuple[Change, ...]
    state: str
    left: tuple[str, ...] = ()
    person: bool = False


Allow = Callable[[Path, Record, Transaction], None]
"""Asked before a transaction of a root is reversed by another, which it may look at; raises to forbid it."""


def records(root: Path) -> list[Record]:
    """Return every transaction of `root` that is kept, newest first. Changes nothing."""
    return [_record(head, state) for head, state in _heads(root)]


def undo(
    root: Path,
    txid: str | None = None,
    *,
    verb: str | None = None,
    log: bool = True,
    allow: Allow | None = None,
) -> Record:
    """Reverse one transaction as a new one with its own log line; return the reversed one.

    Without `txid` the last one that is neither undone nor itself an undo (of `verb`, if given).
    Undoing an undo does the first again. Of append-only files only the transaction's own lines go;
    `log.md` keeps its lines, and gets one of its own unless `log` is False (a root that is no wiki).
    Folders that were made to hold the root go when nothing is left in them. `allow` is asked first, of
    what goes along in other roots too. Raises what that raises, `NothingFound` when there is nothing
    to reverse, and `Conflict`, naming the later transactions, when a file changed since; then
    nothing is done.
    """
    with open_root(root):
        head, reverse = _plan(root, txid, verb, log=log)
        if allow is not None:
            allow(root, _record(head, "done"), reverse)
        try:
            done = reverse.commit()
        except Changed as error:
            raise _conflict(root, head, error) from error
        if done is None:
            raise NothingFound(f"nothing of {head['verb']} {head['id']} is left that could be undone")
        for folder in reversed(head["made"]):
            with suppress(OSError):
                remove_folder(Path(folder))
    left = tuple(
        text for place, id_ in head.get("companions", ()) if (text := _follow(Path(place), id_, allow))
    )
    return _record(head, "undone")._replace(left=left)


def _follow(root: Path, txid: str, allow: Allow | None) -> str:
    """Undo, or do again, a transaction that belongs to one of another root; return why that failed."""
    try:
        latest = txid
        for head, state in reversed(_heads(root)):
            if state == "done" and head["undoes"] == latest:
                latest = head["id"]
        undo(root, latest, log=False, allow=allow)
    except WikiError as error:
        return error.message
    return ""


def preview(root: Path, txid: str | None = None, *, verb: str | None = None) -> tuple[Change, ...]:
    """Return what `undo` would do, in order. Changes nothing; raises `NothingFound` as `undo` does."""
    return _plan(root, txid, verb)[1].changes


def prune(root: Path, *, days: int = KEEP_DAYS) -> int:
    """Remove the records older than `days` days; return how many. They cannot be undone any more."""
    with root_lock(root):
        return _prune(root, days)


def _plan(
    root: Path, txid: str | None, verb: str | None, *, log: bool = True
) -> tuple[dict[str, Any], Transaction]:
    """Return the manifest of the transaction to reverse and the one that reverses it."""
    head, state = _choose(_heads(root), txid, verb)
    name = f"{head['verb']} {head['id']}"
    if state == "withdrawn":
        raise NothingFound(
            f"{name} was a withdrawal: nothing is kept that could come back",
            remedy="undo --list shows what can be undone; name its id",
        )
    if state == "undone":
        raise NothingFound(f"{name} is undone already", remedy="undo --list shows what can be undone")
    journal = Journal.load(root, undo_folder(root) / str(head["id"]))
    reverse = Transaction(root, "undo", summary=name, person=_decided(head))
    reverse.undoes = str(head["id"])
    reverse.companions = [tuple(pair) for pair in head.get("companions", ())]
    try:
        reverse.plan_exactly(_reversed(journal) if journal else [])
    except FileNotFoundError as error:
        raise NothingFound(f"the old bytes of {name} are no longer kept") from error
    if log:
        reverse.log("undo", name)
    return head, reverse


def _heads(root: Path) -> list[tuple[dict[str, Any], str]]:
    """Return (manifest, state) of every finished transaction, newest first."""
    import json

    heads = []
    for name in reversed(_names(root)):
        try:
            if "." not in name or name.endswith(".closing"):
                heads.append(json.loads((undo_folder(root) / name / "manifest.json").read_bytes()))
        except (OSError, ValueError):
            continue  # removed or being removed by another process
    undone: set[str] = set()
    found = []
    for head in heads:  # newest first: whether an undo holds is known before what it undoes
        state = "undone" if head["id"] in undone else head.get("state", "done")
        if state == "done" and head["undoes"]:
            undone.add(head["undoes"])
        found.append((head, "withdrawn" if state == "done" and not head["keep"] else state))
    return found


def _record(head: dict[str, Any], state: str) -> Record:
    changes = tuple(Change(*change) for change in head["changes"])
    return Record(
        head["id"], head["verb"], head["date"], head["summary"], changes, state, person=_decided(head)
    )


def _decided(head: dict[str, Any]) -> bool:
    """Tell whether a person decided a transaction; a record from before this was noted does not say so."""
    return head.get("person") is True


def _choose(
    heads: list[tuple[dict[str, Any], str]], txid: str | None, verb: str | None
) -> tuple[dict[str, Any], str]:
    if txid is not None:
        named = [entry for entry in heads if entry[0]["id"] == txid]
        if not named:
            raise NothingFound(f"no transaction {txid} in this wiki", remedy="undo --list shows the ids")
        return named[0]
    for head, state in heads:
        if state != "undone" and (head["verb"] == verb if verb else not head["undoes"]):
            return head, state
    what = f"{verb} transaction" if verb else "transaction"
    raise NothingFound(f"nothing to undo: no {what} of the last {KEEP_DAYS} days is left")


def _reversed(journal: Journal) -> list[Op]:
    """Return the operations that take the steps of a transaction back, last step first."""
    ops: list[Op] = []
    skip: Step | None = None
    for at in range(len(journal.steps) - 1, -1, -1):
        step = journal.steps[at]
        if step is skip:
            continue
        if step.kind == "remove" and step.to:  # a move with new bytes: its other half is the step before
            skip = journal.steps[at - 1]
            ops.append(Op("move", step.to, step.path, journal.old_bytes(step), skip.after))
        else:
            ops.append(_opposite(journal, step))
    return ops


def _opposite(journal: Journal, step: Step) -> Op:
    if step.kind in ("mkdir", "rmdir"):
        return Op("rmdir" if step.kind == "mkdir" else "mkdir", step.path)
    if step.kind == "move":
        return Op("move", step.to, step.path, expect=step.before or None)
    if step.added:
        created = step.kind == "put" and not step.before
        ended = b"\n" if step.text.startswith("\n") else None
        return Op("cut", step.path, lines=step.added, expect="" if created else None, data=ended)
    if step.removed:
        return Op("append", step.path, lines=step.removed)
    if step.kind == "put" and not step.before:
        return Op("delete", step.path, expect=_grown(journal, step))
    return Op("write", step.path, data=journal.old_bytes(step), expect=step.after or None, mode=step.mode)


def _grown(journal: Journal, step: Step) -> str:
    """Return the hash by which a file that a transaction made may go.

    The log of a wiki that the same transaction made may have grown: it goes with its wiki, and comes
    back with it. Any other log keeps the entries of others.
    """
    path = journal.root / step.path
    made = {other.path for other in journal.steps if other.kind == "put" and not other.before}
    beside = step.path.removesuffix("log.md")
    if path.name != "log.md" or made.isdisjoint({f"{beside}config.md", f"{beside}wikis.json"}):
        return step.after
    if path.is_symlink() or not path.is_file():
        return step.after
    import hashlib
    import re

    data, start, digest = files.read_bytes(path), 0, hashlib.sha256()
    for entry in re.finditer(rb"\r?\n## \[", data):
        digest.update(data[start : entry.start()])
        start = entry.start()
        if digest.hexdigest() == step.after:
            return files.sha256(data)
    return step.after


def _conflict(root: Path, head: dict[str, Any], error: Changed) -> Conflict:
    """Return the refusal to undo, with the later transactions that touched the same paths."""
    later = []
    for other, state in _heads(root):
        if other["id"] == head["id"]:
            break
        if state != "undone" and _touches(other, error.paths):
            later.append(f"{other['id']} ({other['verb']})")
    later += _inner(root, head, error.paths)
    by = f"; later transactions: {', '.join(later)}" if later else "; not by a transaction of this wiki"
    return Conflict(
        f"cannot undo {head['id']} ({head['verb']}): {error.message}{by}",
        path=error.path,
        remedy="undo the later ones first, or restore the files by hand" if later else _EDITED,
    )


def _touches(head: dict[str, Any], paths: Iterable[str]) -> bool:
    names = {name for _, path, to in head["changes"] for name in (path, to) if name}
    names |= {log["path"] for log in head["logs"]}
    return any(_meet(path, name) for path in paths for name in names)


def _inner(root: Path, head: dict[str, Any], paths: Iterable[str]) -> list[str]:
    """Name the later transactions of roots inside this one, as the topics of a hub are."""
    found = []
    for folder in sorted({str(above) for path in paths for above in PurePosixPath(path).parents} - {"."}):
        inner = [path[len(folder) + 1 :] for path in paths if path.startswith(f"{folder}/")]
        for other, state in _heads(root / folder):
            if state != "undone" and other["id"][:16] >= head["id"][:16] and _touches(other, inner):
                found.append(f"{other['id']} ({other['verb']} in {folder})")
    return found


def _meet(path: str, name: str) -> bool:
    return path == name or path.startswith(f"{name}/") or name.startswith(f"{path}/")
