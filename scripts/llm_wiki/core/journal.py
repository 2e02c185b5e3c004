"""The record of a transaction on disk: what makes it all or nothing, and what undo reads.

`state/roots/<key>/undo/<id>/` holds `manifest.json` (the steps, in order, with the hash of
what was there before and after), `before` (the bytes that were there) and `reached` (the number
of the last announced step, see `steps.py`). The name of the folder tells how far the transaction
came; each change of name is one rename:

* `<id>.intent`   nothing in the wiki has changed yet; at most temporary files are there
* `<id>.apply`    every new file lies ready, the steps are under way
* `<id>.closing`  all steps and the log line are on the disk; only leftovers remain
* `<id>`          done; kept for undo
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from llm_wiki.core import carry, files, steps
from llm_wiki.core.errors import Incomplete
from llm_wiki.core.state import private_dir, root_state
from llm_wiki.core.steps import Stamp, Step

INTENT, APPLY, CLOSING = ".intent", ".apply", ".closing"
_NUMBER = b"%8d"
"""A number of fixed width: written in place it needs no space, so it also fits a full disk."""

_MANY = 32
"""From so many files on, one sync of the whole system first makes their own ones cheap."""


def undo_folder(root: Path) -> Path:
    """Return the folder of all transactions of a root; it need not exist."""
    return root_state(root) / "undo"


class Journal:
    """One transaction on disk. `head` is its manifest without the steps; `at` the path in hand.

    `stamps` holds, by name of the backup, what each old file looked like when it was checked.
    """

    def __init__(self, root: Path, folder: Path, head: dict[str, Any], plan: list[Step]) -> None:
        self.root = root
        self.folder = folder
        self.head = head
        self.steps = plan
        self.stamps: dict[str, Stamp] = {}
        self.at = ""

    @property
    def id(self) -> str:
        """The transaction id."""
        return str(self.head["id"])

    @property
    def done(self) -> bool:
        """Whether every step and the log line are on the disk."""
        return self.folder.suffix not in (INTENT, APPLY)

    @classmethod
    def begin(cls, root: Path, head: dict[str, Any], plan: list[Step], old: Iterable[bytes]) -> Journal:
        """Write the intent to disk: from here on a killed process leaves a trace to follow."""
        parent = private_dir(undo_folder(root))
        journal = cls(root, parent / f"{head['id']}{INTENT}", head, plan)
        try:
            journal.folder.mkdir(mode=0o700)
            _store(journal.folder / "before", old)
            _store(journal.folder / "reached", [_NUMBER % -1])
            _store(journal.folder / "manifest.json", [journal._manifest()])
            files.sync(journal.folder)
            files.sync(parent)
        except BaseException:
            with suppress(OSError):
                discard(journal.folder)
            raise
        return journal

    @classmethod
    def load(cls, root: Path, folder: Path) -> Journal | None:
        """Read a record from disk; None when there is no manifest: then it never touched the wiki."""
        import json

        try:
            head = json.loads((folder / "manifest.json").read_bytes())
            plan = [Step.of(row) for row in head.pop("steps")]
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            if folder.suffix == INTENT and isinstance(error, ValueError):
                return None  # killed while it was being written
            raise Incomplete(
                f"the record of a transaction cannot be read: {files.printable(folder)}",
                path=folder,
                remedy="move that folder away; the wiki may hold half of the change",
            ) from error
        return cls(root, folder, head, plan)

    def look_again(self) -> None:
        """Take the state from the disk: an interrupt may have come between a rename and its note here."""
        for state in (CLOSING, APPLY):
            folder = self.folder.with_name(f"{self.id}{state}")
            if folder.is_dir():
                self.folder = folder

    def stage(self, new: Mapping[str, bytes]) -> None:
        """Lay every new file ready beside its place and link every old one: all that needs space."""
        for folder in self.head["made"]:
            self.at = folder
            Path(folder).mkdir(exist_ok=True)
        self._lay([step for step in self.steps if step.kind == "put"], new)
        for step in self.steps:
            if step.kind == "put" and step.source:
                with suppress(OSError):  # without hard links the record alone brings the old bytes back
                    os.link(self.root / step.source, self.root / step.backup)
        names = [name for step in self.steps for name in (step.temp, step.backup) if name]
        for parent in sorted({(self.root / name).parent for name in names}):
            files.sync(parent)
        self._rename(APPLY)

    def apply(self) -> None:
        """Make every step in order, then the log line, then the mark that all is done."""
        for number, step in enumerate(self.steps):
            self.at = step.path
            self._announce(number)
            steps.make(self.root, step, self.stamps)
            if step.kind == "move" and step.backup:
                self._copied(number)
        self.finish()

    def finish(self) -> None:
        """Make all steps durable, write the log line, and mark the transaction as done."""
        self._sync()
        for log in self.head["logs"]:
            path = self.root / log["path"]
            if path.is_file():
                self.at = log["path"]
                steps.complete_entry(path, log["size"], _bytes(log["text"]))
        self._rename(CLOSING)

    def close(self) -> None:
        """Remove the leftovers of a transaction that is done, and the old bytes if none are to be kept."""
        steps.remove_file(self.folder / "reached")
        if not self.head["keep"]:
            steps.remove_file(self.folder / "before")
        self._sweep(done=True)
        self._rename("")

    def complete(self) -> bool:
        """Tell whether every step was made, so that only log line and mark are missing."""
        return self.folder.suffix == APPLY and steps.whole(self.root, self.steps, self._reached())

    def roll_back(self) -> list[str]:
        """Put everything back as it was before the transaction and remove its record.

        Returns the paths that someone else changed since: those are left as they are, and the
        old bytes stay in the record. Raises `Incomplete` when the system refuses; the
        transaction then stays open and the next command tries again.
        """
        try:
            if self.folder.suffix == APPLY:
                self._take_back()
            self._sweep()
            for folder in reversed(self.head["made"]):
                steps.remove_folder(Path(folder))
            left: list[str] = self.head.get("left", [])
            if left and self.head["keep"]:
                self._rename("")
            else:
                discard(self.folder)
        except OSError as error:
            cause = files.failure("restore", error.filename or self.root, error)
            raise Incomplete(
                f"transaction {self.id} is interrupted and could not be taken back: {cause.message}",
                path=cause.path,
                remedy="make the path writable, then run any writing command: it finishes the repair",
            ) from error
        return left

    def old_bytes(self, step: Step) -> bytes:
        """Return the bytes a step replaced or removed.

        Raises `FileNotFoundError` when none are kept, `Incomplete` when they are not those.
        """
        assert step.span is not None
        with (self.folder / "before").open("rb") as stream:
            stream.seek(step.span[0])
            data = stream.read(step.span[1])
        if files.sha256(data) != step.before:
            raise Incomplete(f"the old bytes of {step.path} in {self.id} are damaged", path=self.folder)
        return data

    def _lay(self, puts: list[Step], new: Mapping[str, bytes]) -> None:
        for step in puts:
            self.at = step.path
            like = (self.root / step.source).lstat() if step.source else None
            os.close(files.create(self.root / step.temp, new[step.temp], like=like, mode=step.mode))
        if len(puts) >= _MANY and sys.platform == "linux":  # elsewhere the call does not wait
            os.sync()
        for step in puts:
            self.at = step.path
            files.sync(self.root / step.temp)

    def _copied(self, number: int) -> None:
        """Check in the old folder what was to be checked: files that were copied have other stamps."""
        moved = self.steps[number]
        if not steps.there(self.root / moved.backup):
            return
        for step in self.steps[number + 1 :]:
            if step.backup in self.stamps and step.source.startswith(f"{moved.source}/"):
                old = self.root / (moved.backup + step.source[len(moved.source) :])
                if steps.stamp(old) != self.stamps.pop(step.backup):
                    raise steps.meanwhile(step)

    def _take_back(self) -> None:
        """Take back what was made; then the record says again that nothing has changed yet."""
        for log in self.head["logs"]:
            steps.take_out(self.root / log["path"], log["size"], _bytes(log["text"]))
        doubtful = []
        reached = self._reached()
        if 0 <= reached < len(self.steps):
            carry.settle(self.root, self.steps[reached])
        for number in range(steps.progress(self.root, self.steps, reached) - 1, -1, -1):
            step = self.steps[number]
            if steps.was_made(self.root, step, number, reached):
                self._announce(number)
                if not steps.take_back(self.root, step, self.old_bytes):
                    doubtful.append(step.path)
        self._sync()
        left = steps.changed_by_others(self.root, self.steps, doubtful)
        if left:
            self.head |= {"state": "undone", "left": left}
            files.write_atomic(self.folder / "manifest.json", self._manifest())
        self._rename(INTENT)

    def _announce(self, number: int) -> None:
        """Write down which step comes next, if it leaves no mark of its own."""
        if self.steps[number].kind not in steps.ANNOUNCED:
            return
        handle = os.open(self.folder / "reached", os.O_WRONLY | getattr(os, "O_BINARY", 0))
        try:
            os.pwrite(handle, _NUMBER % number, 0)
            os.fsync(handle)
        finally:
            os.close(handle)

    def _reached(self) -> int:
        return int((self.folder / "reached").read_bytes())

    def _manifest(self) -> bytes:
        import json

        rows = [step.row() for step in self.steps]
        return json.dumps(self.head | {"steps": rows}, indent=1, sort_keys=True).encode("ascii")

    def _sweep(self, *, done: bool = False) -> None:
        for step in self.steps:
            if step.kind == "move":
                carry.clear(self.root, step, done=done)
                continue
            for name in (step.temp, step.backup, step.backup and f"{step.backup}w"):
                if name:
                    steps.remove_file(self.root / name)

    def _sync(self) -> None:
        names = {name for step in self.steps for name in (step.path, step.to) if name}
        for folder in sorted({(self.root / name).parent for name in names} | {self.root}):
            if folder.is_dir():
                files.sync(folder)

    def _rename(self, state: str) -> None:
        self.folder = self.folder.rename(self.folder.with_name(f"{self.id}{state}"))
        if state:  # the last rename only tidies; if it is lost, closing is done again
            files.sync(self.folder.parent)


def discard(folder: Path) -> None:
    """Remove a record; the manifest first, as without it the rest counts as never begun."""
    steps.remove_file(folder / "manifest.json")
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


def _store(path: Path, parts: Iterable[bytes]) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        for part in parts:
            files.write_all(handle, part)
        os.fsync(handle)
    finally:
        os.close(handle)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
