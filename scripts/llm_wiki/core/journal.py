"""The record of a transaction on disk: what makes it all or nothing, and what undo reads.

`state/roots/<key>/undo/<id>/` holds `manifest.json` (the steps, in order, with the hash of
what was there before and after) and `before` (the bytes that were there). The name of the
folder tells how far the transaction came; each change of name is one rename:

* `<id>.intent`   nothing in the wiki has changed yet; at most temporary files are there
* `<id>.apply`    every new file lies ready, the steps are under way
* `<id>.closing`  all steps and the log line are on the disk; only leftovers remain
* `<id>`          done; kept for undo

A step that puts bytes renames a temporary file onto its place, and taking it back renames a
created file to that temporary name again: while the temporary file exists, the step has not
been made. So a reader of the folder knows exactly where a killed process stopped.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from llm_wiki.core import files
from llm_wiki.core.errors import Conflict, Incomplete
from llm_wiki.core.state import private_dir, root_state

INTENT, APPLY, CLOSING = ".intent", ".apply", ".closing"
_BATCH = 64
"""Files staged between two rounds of fsync: few enough handles, enough for the disk to merge."""


@dataclass(frozen=True)
class Step:
    """One change of one path. Paths are relative to the root, hashes hex SHA-256, "" = nothing there.

    `kind`: `mkdir`, `rmdir` (only if empty), `put` (bytes at `path`), `remove` (of a file; `to`
    names its new place when the bytes changed on the way), `move` (file or folder), `append`.
    `source` is where the old bytes lie before the first step, `temp` and `backup` are names of
    temporary files, `span` is offset and length of the old bytes in `before`, `size` the length
    of a file before an `append`. `added` and `removed` are whole lines, for undo.
    """

    kind: str
    path: str
    to: str = ""
    before: str = ""
    after: str = ""
    mode: int | None = None
    source: str = ""
    temp: str = ""
    backup: str = ""
    span: tuple[int, int] | None = None
    size: int = 0
    text: str = ""
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def undo_folder(root: Path) -> Path:
    """Return the folder of all transactions of a root; it need not exist."""
    return root_state(root) / "undo"


@dataclass
class Journal:
    """One transaction on disk; `head` is its manifest without the steps."""

    root: Path
    folder: Path
    head: dict[str, Any]
    steps: list[Step]
    stamps: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    at: str = ""

    @property
    def id(self) -> str:
        """The transaction id."""
        return str(self.head["id"])

    @property
    def made(self) -> bool:
        """Whether every step and the log line are on the disk."""
        return self.folder.suffix not in (INTENT, APPLY)

    # -- the way forward ---------------------------------------------------------------

    @classmethod
    def begin(cls, root: Path, head: dict[str, Any], steps: list[Step], old: Iterable[bytes]) -> Journal:
        """Write the intent to disk: from here on a killed process leaves a trace to follow."""
        parent = private_dir(undo_folder(root))
        folder = parent / f"{head['id']}{INTENT}"
        folder.mkdir(mode=0o700)
        text = json.dumps(head | {"steps": [_lean(step) for step in steps]}, indent=1, sort_keys=True)
        _store(folder / "before", old)
        _store(folder / "manifest.json", [text.encode("ascii")])
        files.sync_folder(folder)
        files.sync_folder(parent)
        return cls(root, folder, head, steps)

    def stage(self, new: Mapping[str, bytes]) -> None:
        """Lay every new file ready beside its place and link every old one: all that needs space."""
        for folder in self.head["made"]:
            self.at = folder
            Path(folder).mkdir()
        puts = [step for step in self.steps if step.temp]
        folders = {self._abs(name).parent for step in self.steps for name in (step.temp, step.backup) if name}
        for start in range(0, len(puts), _BATCH):
            handles: list[int] = []
            try:
                for step in puts[start : start + _BATCH]:
                    self.at = step.path
                    handles.append(self._lay(step, new[step.temp]))
                for handle in handles:
                    os.fsync(handle)
            finally:
                for handle in handles:
                    os.close(handle)
        for step in self.steps:
            if step.backup:
                with suppress(OSError):  # without hard links `before` alone brings the old bytes back
                    os.link(self._abs(step.source), self._abs(step.backup), follow_symlinks=False)
        for folder_path in sorted(folders):
            files.sync_folder(folder_path)
        self._rename(APPLY)

    def apply(self) -> None:
        """Make every step in order, then the log line, then the mark that all is done."""
        for step in self.steps:
            self.at = step.path
            self._make(step)
        self.finish()

    def finish(self) -> None:
        """Make all steps durable, write the log line, and mark the transaction as done."""
        self._sync()
        self._finish_log()
        self._rename(CLOSING)

    def close(self) -> None:
        """Remove the leftovers of a transaction that is done, and the old bytes if none are to be kept."""
        if not self.head["keep"]:
            _unlink(self.folder / "before")
        self._sweep()
        self._rename("")

    def _finish_log(self) -> None:
        """Write the log line, or what is missing of it."""
        log = self.head["log"]
        if not log or not self._abs(log["path"]).is_file():
            return
        self.at = log["path"]
        entry = log["text"].encode("utf-8", "surrogateescape")
        handle = os.open(self._abs(log["path"]), os.O_RDWR | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0))
        try:
            end = os.fstat(handle).st_size
            have = _tail(handle, log["size"])
            if entry.startswith(have):
                entry = entry[len(have) :]
            elif entry in have:
                entry = b""
            if entry:
                files.append_at_end(handle, entry, end)
                os.fsync(handle)
        finally:
            os.close(handle)

    def _lay(self, step: Step, data: bytes) -> int:
        like = self._abs(step.source).lstat() if step.source else None
        return files.create(self._abs(step.temp), data, like=like, mode=step.mode)

    def _make(self, step: Step) -> None:
        path = self._abs(step.path)
        if step.kind == "mkdir":
            path.mkdir()
        elif step.kind == "rmdir":
            _rmdir(path)
        elif step.kind == "append":
            self._append(step, path)
        elif step.kind == "move":
            if os.path.lexists(self._abs(step.to)) and not _one_entry(path, self._abs(step.to)):
                raise Conflict(f"{step.to} appeared meanwhile", path=step.to)
            path.rename(self._abs(step.to))
        else:
            self._unchanged(step, path)
            if step.kind == "put":
                self._abs(step.temp).replace(path)
            else:
                path.unlink()

    def _unchanged(self, step: Step, path: Path) -> None:
        """Refuse when an editor wrote the file after it was checked."""
        checked = self.stamps.get(step.backup)
        if (not step.before and os.path.lexists(path)) or (checked and stamp(path) != checked):
            raise Conflict(f"{step.path} changed meanwhile", path=step.path, remedy="run the command again")

    def _append(self, step: Step, path: Path) -> None:
        handle = os.open(path, os.O_RDWR | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0))
        try:
            if os.fstat(handle).st_size != step.size:
                raise Conflict(
                    f"{step.path} changed meanwhile", path=step.path, remedy="run the command again"
                )
            files.append_at_end(handle, step.text.encode("utf-8", "surrogateescape"), step.size)
            os.fsync(handle)
        finally:
            os.close(handle)

    # -- the way back ------------------------------------------------------------------

    @classmethod
    def load(cls, root: Path, folder: Path) -> Journal | None:
        """Read a transaction from disk; None when it has no manifest: then it never touched the wiki."""
        try:
            head = json.loads((folder / "manifest.json").read_bytes())
            steps = [_full(step) for step in head.pop("steps")]
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            if folder.suffix == INTENT and isinstance(error, ValueError):
                return None  # killed while it was being written
            raise Incomplete(
                f"the record of an interrupted transaction cannot be read: {folder}", path=folder
            ) from error
        return cls(root, folder, head, steps)

    def complete(self) -> bool:
        """Tell whether every step has been made, so that only log line and mark are missing."""
        return self.folder.suffix == APPLY and self._progress() == len(self.steps)

    def roll_back(self) -> list[str]:
        """Put everything back as it was before the transaction and remove its record.

        Returns the paths that someone else changed since: those are left as they are, and the
        old bytes stay in the record. Raises `Incomplete` when the system refuses; the
        transaction then stays open and the next command tries again.
        """
        left: list[str] = []
        try:
            if self.folder.suffix == APPLY:
                self._forget_log()
                steps = self.steps[: self._progress()]
                doubtful = [step.path for step in reversed(steps) if not self._unmake(step)]
                left = self._changed(doubtful)
                self._sync()
            self._sweep()
            for folder in reversed(self.head["made"]):
                _rmdir(Path(folder))
        except OSError as error:
            cause = files.failure("restore", error.filename or self.root, error)
            raise Incomplete(
                f"transaction {self.id} is interrupted and could not be taken back: {cause.message}",
                path=cause.path,
                remedy="make the path writable, then run any writing command: it finishes the repair",
            ) from error
        if left and self.head["keep"]:
            self.head |= {"state": "undone", "left": sorted(left)}
            text = json.dumps(self.head | {"steps": [_lean(s) for s in self.steps]}, indent=1, sort_keys=True)
            files.write_atomic(self.folder / "manifest.json", text.encode("ascii"))
            self._rename("")
        else:
            discard(self.folder)
        return sorted(left)

    def old_bytes(self, step: Step) -> bytes:
        """Return the bytes a step replaced or removed. Raises `FileNotFoundError` when none are kept."""
        assert step.span is not None
        with (self.folder / "before").open("rb") as stream:
            stream.seek(step.span[0])
            return stream.read(step.span[1])

    def _changed(self, paths: list[str]) -> list[str]:
        """Return those of `paths` that are not as they were before the transaction."""
        first: dict[str, str] = {}
        for step in self.steps:
            first.setdefault(step.path, "" if step.kind == "append" else step.before)
            if step.kind == "move":
                first.setdefault(step.to, "")
        return [path for path in paths if _hash(self._abs(path)) != first[path]]

    def _progress(self) -> int:
        """Return how many steps have been made."""
        last = max((n for n, s in enumerate(self.steps, 1) if s.temp and not self._there(s.temp)), default=0)
        while last < len(self.steps) and self._seems_made(self.steps[last]):
            last += 1
        return last

    def _seems_made(self, step: Step) -> bool:
        """Tell whether the next step was made, all before it being made."""
        if step.kind == "mkdir":
            return self._abs(step.path).is_dir()
        if step.kind == "remove":
            return not self._there(step.path)
        if step.kind == "move":
            return self._there(step.to) and not self._there(step.path)
        if step.kind == "append":
            path = self._abs(step.path)
            return path.is_file() and path.stat().st_size != step.size
        return step.kind == "rmdir"  # taking it back makes the folder only if it is missing

    def _unmake(self, step: Step) -> bool:
        """Take one step back; False when someone else changed the path since."""
        path = self._abs(step.path)
        if step.kind == "mkdir":
            _rmdir(path)
        elif step.kind == "rmdir":
            if path.parent.is_dir():
                path.mkdir(exist_ok=True)
        elif step.kind == "append":
            return _take_out(path, step.size, step.text.encode("utf-8", "surrogateescape"))
        elif step.kind == "move":
            if self._there(step.to) and not self._there(step.path) and path.parent.is_dir():
                self._abs(step.to).rename(path)
        else:
            return self._unput(step, path)
        return True

    def _unput(self, step: Step, path: Path) -> bool:
        there = _hash(path)
        if there == step.before:
            return True
        if there != step.after or not path.parent.is_dir():
            return False
        if not step.before:
            path.rename(self._abs(step.temp))
        elif step.backup and self._there(step.backup):
            self._abs(step.backup).replace(path)
        else:
            files.write_atomic(path, self.old_bytes(step), mode=step.mode)
        return True

    def _forget_log(self) -> None:
        log = self.head["log"]
        if log:
            _take_out(self._abs(log["path"]), log["size"], log["text"].encode("utf-8", "surrogateescape"))

    # -- small things ------------------------------------------------------------------

    def _abs(self, rel: str) -> Path:
        return self.root / rel

    def _there(self, rel: str) -> bool:
        """Tell whether the very name exists, also where the file system ignores case."""
        path = self._abs(rel)
        if not os.path.lexists(path):
            return False
        with suppress(OSError):
            if _ignores_case(path):
                return path.name in os.listdir(path.parent)
        return True

    def _sweep(self) -> None:
        for step in self.steps:
            for name in (step.temp, step.backup):
                if name:
                    _unlink(self._abs(name))

    def _sync(self) -> None:
        names = {name for step in self.steps for name in (step.path, step.to) if name}
        for folder in sorted({self._abs(name).parent for name in names} | {self.root}):
            if folder.is_dir():
                files.sync_folder(folder)

    def _rename(self, state: str) -> None:
        target = self.folder.with_name(f"{self.id}{state}")
        self.folder.rename(target)
        self.folder = target
        if state:  # the last rename only tidies; if it is lost, closing is done again
            files.sync_folder(target.parent)


def discard(folder: Path) -> None:
    """Remove a record; without its manifest a half-removed one counts as never begun."""
    for name in ("manifest.json", "before"):
        _unlink(folder / name)
    for name in os.listdir(folder):
        _unlink(folder / name)
    folder.rmdir()


def _lean(step: Step) -> dict[str, Any]:
    return {key: value for key, value in asdict(step).items() if value not in ("", None, (), 0)} | {
        "kind": step.kind
    }


def _full(row: dict[str, Any]) -> Step:
    for key in ("span", "added", "removed"):
        if key in row:
            row[key] = tuple(row[key])
    return Step(**row)


def _store(path: Path, parts: Iterable[bytes]) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        for part in parts:
            files.write_all(handle, part)
        os.fsync(handle)
    finally:
        os.close(handle)


def stamp(path: Path) -> tuple[int, int, int]:
    """Return what changes when an editor writes a file: inode, size, time of change; zeros if it is gone."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return (0, 0, 0)
    return found.st_ino, found.st_size, found.st_mtime_ns


def _hash(path: Path) -> str:
    """Return the hash of a file, "" when nothing is there, "other" for anything else."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return "other"
        return files.sha256(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return ""


def _tail(handle: int, start: int) -> bytes:
    os.lseek(handle, start, os.SEEK_SET)
    parts = []
    while part := os.read(handle, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def _take_out(path: Path, start: int, data: bytes) -> bool:
    """Remove from an append-only file what a transaction added at `start`; False if it is not there whole."""
    if not path.is_file():
        return False
    handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    try:
        have = _tail(handle, start)
        if data.startswith(have):
            if have:
                os.ftruncate(handle, start)
                os.fsync(handle)
            return True
        if not have.startswith(data):
            return False
    finally:
        os.close(handle)
    files.write_atomic(path, path.read_bytes()[:start] + have[len(data) :])
    return True


def _ignores_case(path: Path) -> bool:
    other = path.with_name(path.name.swapcase())
    return other != path and other.exists() and path.samefile(other)


def _one_entry(path: Path, other: Path) -> bool:
    """Tell whether two names that differ in case mean one file: then a move only respells it."""
    return path.name.casefold() == other.name.casefold() and path.samefile(other)


def _unlink(path: Path) -> None:
    with suppress(FileNotFoundError, NotADirectoryError):
        path.unlink()


def _rmdir(path: Path) -> None:
    try:
        path.rmdir()
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR):
            raise
