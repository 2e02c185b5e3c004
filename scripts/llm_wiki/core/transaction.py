"""Every change of knowledge goes through here: planned, checked, applied whole or not at all, undoable.

A `Transaction` only collects; nothing touches the wiki before `commit`. `commit` takes the
root's lock, repairs what a killed process left, checks every path and hash, and then makes all
changes or none: see `journal.py` for how, `undo.py` for the way back.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple, NoReturn

from llm_wiki.core import clock, files
from llm_wiki.core.errors import BadUsage, Conflict, Incomplete, Unreadable, WikiError
from llm_wiki.core.journal import APPLY, CLOSING, INTENT, Journal, discard, undo_folder
from llm_wiki.core.locks import WAIT_SECONDS, root_lock
from llm_wiki.core.plan import Op, Plan
from llm_wiki.core.preflight import check_writable
from llm_wiki.core.text import one_line

ABSENT = None
"""What `expect` is for a path that must not exist."""

KEEP_DAYS = 30
"""How long a transaction can be undone (`wiki-format.md` §8.4)."""

_ACTIONS = {
    "mkdir": "mkdir",
    "rmdir": "delete",
    "move": "move",
    "delete": "delete",
    "append": "append",
    "cut": "edit",
}


class Change(NamedTuple):
    """One line of a plan. `action`: `create edit move delete mkdir append`; `to`: where a move ends."""

    action: str
    path: str
    to: str = ""


class Transaction:
    """Changes below `root` that happen together or not at all.

    Paths are POSIX paths relative to the root. `expect` is the SHA-256 of the bytes a change
    replaces, so that nothing written meanwhile is lost. `verb` and `summary` name the
    transaction in `undo --list`. `keep_before=False` is for withdrawals: no old bytes stay
    once it has succeeded, and it cannot be undone. `person` marks what a person decided: undoing it
    needs one again. `also_lock` names other roots whose files
    lie below this one (a hub changing a topic). `companions` are
    (root, id) of transactions in other roots that are undone along with this one. After `commit`,
    `recovered` lists the interrupted transactions that were repaired first.
    """

    def __init__(
        self,
        root: Path,
        verb: str,
        *,
        summary: str = "",
        keep_before: bool = True,
        person: bool = False,
        also_lock: Sequence[Path] = (),
    ) -> None:
        self.root = Path(root).absolute()
        self._was_there = os.path.isdir(self.root)  # noqa: PTH112 - never raises
        self.verb = verb
        self.summary = summary
        self.keep_before = keep_before
        self.person = person
        self.also_lock = tuple(also_lock)
        self.undoes = ""
        self.companions: list[tuple[str, str]] = []
        self.recovered: list[str] = []
        self._ops: list[Op] = []
        self._latest: dict[str, Op] = {}
        self._folders: set[str] = set()
        self._log: list[tuple[str, str]] = []

    def mkdir(self, rel: str) -> None:
        """Make a folder, and those above it; one that exists is left alone."""
        last = self._latest.get(_path(rel))
        if last is None or last.kind != "mkdir":
            self._add(Op("mkdir", rel))

    def write(self, rel: str, data: bytes, *, expect: str | None) -> None:
        """Put `data` at `rel`, replacing bytes of hash `expect` (None: nothing may be there yet).

        Bytes that are there already are not written. A second write of one path replaces the
        first and must expect its bytes. Missing folders are made, the mode of the file stays.
        """
        last = self._latest.get(_path(rel))
        if last is not None and last.kind == "append":
            lines = "".join(f"{line}\n" for line in last.lines)
            self._drop(last)
            data += files.fitted(data[-2:], lines)
        elif last is not None and last.data is not None:
            self._follow(last, expect)
            if last.kind == "move":
                self._swap(last, last._replace(data=data))
                return
            self._drop(last)
            expect = last.expect
        if expect != files.sha256(data):
            self._add(Op("write", rel, data=data, expect=expect))

    def move(self, rel: str, to: str, *, expect: str | None = None, data: bytes | None = None) -> None:
        """Move a file or a folder to a free name; `data` gives a file new bytes there, its mode stays."""
        if _path(to) == _path(rel) or to.startswith(f"{rel}/"):
            raise BadUsage(f"cannot move {rel} to {to}", path=rel)
        last = self._latest.get(rel)
        if last is not None and last.kind == "write" and last.expect is None:
            self._follow(last, expect if expect is not None else files.sha256(last.data or b""))
            self._drop(last)  # what this transaction makes is made in its last place at once
            self._add(Op("write", to, data=last.data if data is None else data))
            return
        self._latest.pop(rel, None)
        if rel in self._folders:
            for path in [path for path in self._latest if path.startswith(f"{rel}/")]:
                del self._latest[path]
        self._add(Op("move", rel, to, expect=expect, data=data))

    def delete(self, rel: str, *, expect: str) -> None:
        """Remove a file whose bytes have the hash `expect`."""
        last = self._latest.get(_path(rel))
        if last is not None and last.kind == "write":
            self._follow(last, expect)
            self._drop(last)
            if last.expect is None:
                return
            expect = last.expect
        self._add(Op("delete", rel, expect=expect))

    def append(self, rel: str, lines: Sequence[str]) -> None:
        """Add whole lines to an append-only file, made if missing; undo removes just these lines."""
        if any("\n" in line or "\r" in line for line in lines):
            raise BadUsage(f"a line for {rel} holds a line end", path=rel)
        last = self._latest.get(_path(rel))
        if not lines:
            return
        if last is not None and last.kind == "append":
            self._swap(last, last._replace(lines=(*last.lines, *lines)))
        elif last is not None and last.data is not None:
            more = files.fitted(last.data[-2:], "".join(f"{line}\n" for line in lines))
            self._swap(last, last._replace(data=last.data + more))
        else:
            self._add(Op("append", rel, lines=tuple(lines)))

    def log(self, operation: str, text: str, *, log: str = "log.md") -> None:
        """Add one entry to a log (`wiki-format.md` §7), if there is that log and anything changes."""
        words = one_line(text)
        self._log.append((_path(log), f"\n## [{clock.today()}] {operation} | {words}\n"))

    def plan_exactly(self, ops: Sequence[Op]) -> None:
        """Take over a ready plan, operation by operation: how `undo` reverses another transaction."""
        self._ops = list(ops)
        self._latest = {}

    @property
    def changes(self) -> tuple[Change, ...]:
        """The plan, in order: what `--dry-run` prints and `commit` does. The log line is not part of it."""
        return tuple(_change(op) for op in self._ops if not self._idle(op))

    @property
    def ops(self) -> tuple[Op, ...]:
        """The plan as it stands, with the bytes it brings."""
        return tuple(self._ops)

    def commit(self) -> str | None:
        """Apply the plan and return the transaction's id, None when there is nothing to do.

        Raises `Conflict` (a path outside the root, through a symbolic link, or not as it was
        read), `Unreadable` (listing every path that may not be written; or a full disk),
        `LockBusy`; after any of them the wiki is as it was before.
        """
        if not self.changes:
            return None
        with _locked(self.root, self.also_lock) as self.recovered:
            if self._was_there and not self.root.is_dir():
                raise Conflict(f"{files.printable(self.root)} has gone since it was read", path=self.root)
            plan = Plan(self.root, os.urandom(6).hex(), restoring=bool(self.undoes))
            ops, entries = self._with_log()
            try:
                plan.build(ops)
                logs = [log for path in entries if (log := plan.log(path, entries[path]))]
                check_writable(self.root, plan.steps, [str(log["source"]) for log in logs])
            except OSError as error:
                raise files.failure("read", error.filename or self.root, error) from error
            if not plan.steps:
                return None
            journal = self._begin(plan, logs)
            _run(journal, plan.new)
            with suppress(WikiError):  # what could not be removed is removed next time
                _prune(self.root, KEEP_DAYS)
            return journal.id

    def _begin(self, plan: Plan, logs: list[dict[str, object]]) -> Journal:
        made = []
        folder = self.root
        while not os.path.lexists(folder):
            made.append(str(folder))
            folder = folder.parent
        head = {
            "version": 1,
            "id": _next_id(self.root),
            "verb": self.verb,
            "date": clock.today().isoformat(),
            "summary": self.summary,
            "keep": self.keep_before,
            "undoes": self.undoes,
            "companions": self.companions,
            "changes": [list(_change(op)) for op in plan.done],
            "logs": logs,
            "made": made[::-1],
        }
        if self.person:
            head["person"] = True
        try:
            journal = Journal.begin(self.root, head, plan.steps, plan.old)
        except OSError as error:
            raise files.failure("write", undo_folder(self.root), error) from error
        journal.stamps = plan.stamps
        return journal

    def _with_log(self) -> tuple[list[Op], dict[str, list[str]]]:
        """Return the plan with the entries for a log it writes itself, and those for logs that are there."""
        ops = list(self._ops)
        rest: dict[str, list[str]] = {}
        for path, text in self._log:
            at = next(
                (n for n, op in enumerate(ops) if op.data is not None and path == (op.to or op.path)), None
            )
            if at is None:
                rest.setdefault(path, []).append(text)
            else:
                data = ops[at].data or b""
                ops[at] = ops[at]._replace(data=data + files.fitted(data[-2:], text))
        return ops, rest

    def _add(self, op: Op) -> None:
        self._ops.append(op)
        self._latest[op.to or op.path] = op
        folder = (op.to or op.path).rpartition("/")[0]
        while folder and folder not in self._folders:
            self._folders.add(folder)
            folder = folder.rpartition("/")[0]

    def _drop(self, op: Op) -> None:
        self._ops = [other for other in self._ops if other is not op]
        self._latest.pop(op.path, None)

    def _swap(self, op: Op, other: Op) -> None:
        self._ops = [other if each is op else each for each in self._ops]
        self._latest[other.to or other.path] = other

    def _idle(self, op: Op) -> bool:
        return op.kind == "mkdir" and (self.root / op.path).is_dir()

    @staticmethod
    def _follow(earlier: Op, expect: str | None) -> None:
        if expect != files.sha256(earlier.data or b""):
            raise Conflict(f"{earlier.path} was planned before with other bytes", path=earlier.path)


def recover(root: Path) -> list[str]:
    """Finish or take back the interrupted transactions of `root`; return their ids.

    One whose steps were all made gets its missing log line and is done; any other is taken
    back. Raises `Incomplete` when the system does not let it.
    """
    if not interrupted(root):
        return []
    with root_lock(root):
        names = interrupted(root)
        for name in names:
            _repair(root, undo_folder(root) / name)
        return [name.partition(".")[0] for name in names]


def interrupted(root: Path) -> list[str]:
    """Return the record names of unfinished transactions (running, or left by a killed process)."""
    return [name for name in _names(root) if name.endswith((INTENT, APPLY, CLOSING))]


@contextmanager
def open_root(root: Path, *, timeout: float = WAIT_SECONDS) -> Iterator[list[str]]:
    """Hold the writer lock of `root` after repairing it; yields the ids that were repaired."""
    with root_lock(root, timeout=timeout):
        yield recover(root)


def _repair(root: Path, folder: Path) -> None:
    journal = Journal.load(root, folder)
    try:
        if journal is None or (folder.suffix == APPLY and not root.is_dir()):
            discard(folder)  # never begun, taken back already, or its wiki is gone
        elif folder.suffix == CLOSING:
            journal.close()
        elif journal.complete():
            journal.finish()
            journal.close()
        else:
            journal.roll_back()
    except OSError as error:
        raise Incomplete(
            f"transaction {folder.stem} is interrupted and could not be repaired",
            path=folder,
            remedy="see that the wiki and the state folder can be written, then run the command again",
        ) from error


@contextmanager
def _locked(root: Path, others: Sequence[Path]) -> Iterator[list[str]]:
    """Hold several roots in path order, the hub before its topics; yields what was repaired in them."""
    roots = {os.path.realpath(each): each for each in (*others, root)}
    with ExitStack() as stack:
        yield [id_ for real in sorted(roots) for id_ in stack.enter_context(open_root(roots[real]))]


def _run(journal: Journal, new: Mapping[str, bytes]) -> None:
    """Apply, or take back and raise: an interrupt by the user counts as a failure too."""
    try:
        journal.stage(new)
        journal.apply()
    except BaseException as error:
        journal.look_again()
        if journal.done:
            if not isinstance(error, OSError):
                raise
        else:
            _fail(journal, error)
    try:
        journal.close()
    except OSError as error:
        if not journal.head["keep"]:
            raise Incomplete(
                f"done, but the old bytes of {journal.id} could not be removed",
                path=journal.folder,
                remedy="run any writing command: it removes them",
            ) from error


def _fail(journal: Journal, error: BaseException) -> NoReturn:
    """Take the transaction back and raise what stopped it."""
    left = journal.roll_back()
    if not isinstance(error, OSError):
        raise error
    cause = files.failure("write", journal.at, error)
    rest = f"all but {', '.join(left)} is as it was" if left else "nothing was changed"
    raise Unreadable(f"{cause.message}; {rest}", path=cause.path, remedy=cause.remedy) from error


def _next_id(root: Path) -> str:
    """Return an id that sorts by time and, by its running number, also within one second."""
    used = max((int(name[17:].partition(".")[0]) for name in _names(root)), default=0)
    return f"{clock.now():%Y%m%dT%H%M%SZ}-{used + 1:04d}"


def _names(root: Path) -> list[str]:
    """Return the names of all transaction records, oldest first."""
    try:
        names = [path.name for path in undo_folder(root).iterdir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise files.failure("read", undo_folder(root), error) from error
    known = [name for name in names if name[8:9] == "T" and name[17:].partition(".")[0].isdecimal()]
    return sorted(known, key=lambda name: int(name[17:].partition(".")[0]))


def _prune(root: Path, days: int) -> int:
    limit = f"{clock.now() - timedelta(days=days):%Y%m%dT%H%M%SZ}"
    old = [name for name in _names(root) if name[:16] < limit and "." not in name]
    for name in old:
        try:
            discard(undo_folder(root) / name)
        except OSError as error:
            raise files.failure("remove", undo_folder(root) / name, error) from error
    return len(old)


def _change(op: Op) -> Change:
    action = _ACTIONS.get(op.kind) or ("create" if op.expect is None else "edit")
    return Change(action, op.path, op.to if op.kind == "move" else "")


def _path(rel: str) -> str:
    try:
        return files.check_relative(rel)
    except WikiError as error:
        raise Conflict(f"{error.message}: a transaction stays inside its root", path=error.path) from None
