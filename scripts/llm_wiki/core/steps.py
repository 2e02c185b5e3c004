"""Single steps of a transaction on the disk: making one, seeing whether it was made, taking it back.

Everything here works on what is on the disk alone, so that a new process can go on where a
killed one stopped. A step that changes a file leaves a mark that nothing else leaves: of a `put`
the temporary file is gone, of a `remove` the old file lies under its backup name, an `append` made
the file longer. Contents would prove nothing, as a step may put at a place what another took from
there. Steps on folders and moves leave no such mark: the record names each before it is made, or
taken back. All of them before the named one are made, all after it are not, and whether it is
itself can then be seen.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from llm_wiki.core import carry, files
from llm_wiki.core.errors import Conflict

Stamp = tuple[int, int, int]
ANNOUNCED = frozenset({"mkdir", "rmdir", "move"})
"""Kinds of steps that the record names before they are made or taken back."""

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)


class Step(NamedTuple):
    """One change of one path. Paths are relative to the root, hashes hex SHA-256, "" = nothing there.

    `kind`: `mkdir`, `rmdir` (only if empty), `put` (bytes at `path`), `remove` (of a file; `to`
    names its new place when the bytes changed on the way), `move` (file or folder), `append`.
    `source` is where the thing lies before the first step, `temp` and `backup` are names of
    temporary files (of a folder that moves to another file system: its copy, and the old one),
    `span` is offset and length of the old bytes in the record, `size` the length of a file before
    an `append`. `added` and `removed` are whole lines, for undo.
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

    @property
    def data(self) -> bytes:
        """The bytes an `append` adds."""
        return self.text.encode("utf-8", "surrogateescape")

    def row(self) -> dict[str, Any]:
        """Return the step as a JSON object without what is empty."""
        return {key: value for key, value in self._asdict().items() if value not in ("", None, (), 0)}

    @classmethod
    def of(cls, row: dict[str, Any]) -> Step:
        """Return the step that `row` was made from."""
        lists: dict[str, Any] = {key: tuple(row[key]) for key in ("span", "added", "removed") if key in row}
        return cls(**(row | lists))


def make(root: Path, step: Step, stamps: dict[str, Stamp]) -> None:
    """Make one step. Raises `Conflict` when an editor wrote there after the plan was checked."""
    path = root / step.path
    if step.kind == "mkdir":
        path.mkdir()
    elif step.kind == "rmdir":
        remove_folder(path)
    elif step.kind == "append":
        _append(path, step)
    elif step.kind == "move":
        target = root / step.to
        if os.path.lexists(target) and not _one_entry(path, target):
            raise Conflict(f"{step.to} appeared meanwhile; nothing was changed", path=step.to)
        _move(root, step)
    else:
        checked = stamps.get(step.backup)
        if (not step.before and os.path.lexists(path)) or (checked and stamp(path) != checked):
            raise meanwhile(step)
        if step.kind == "put":
            (root / step.temp).replace(path)
        else:
            path.rename(root / step.backup)


def progress(root: Path, steps: Sequence[Step], reached: int) -> int:
    """Return how many steps were made; `reached` is the last announced one."""
    return max((n for n, step in enumerate(steps) if was_made(root, step, n, reached)), default=-1) + 1


def was_made(root: Path, step: Step, number: int, reached: int) -> bool:
    """Tell whether step `number` was made and not taken back: see the top of this module."""
    path = root / step.path
    if step.kind in ANNOUNCED:
        return number < reached or (number == reached and _looks_made(root, step))
    if step.kind == "put":
        return not there(root / step.temp)
    if step.kind == "remove":
        return there(root / step.backup)
    return path.is_file() and path.stat().st_size != step.size


def whole(root: Path, steps: Sequence[Step], reached: int) -> bool:
    """Tell whether every step was made to its end; an append that was the last of them may be torn."""
    if progress(root, steps, reached) < len(steps):
        return False
    last = steps[-1]
    return last.kind != "append" or _ends_with(root / last.path, last.size, last.data)


def take_back(root: Path, step: Step, old: Callable[[Step], bytes]) -> bool:
    """Take back a step that was made, `old` giving the bytes it replaced.

    False when the path is not as the step left it: then it stays as it is. The mark of the step
    goes last of all, so that a killed way back can be gone again.
    """
    path = root / step.path
    if step.kind == "mkdir":
        remove_folder(path)
    elif step.kind == "append":
        return take_out(path, step.size, step.data)
    elif step.kind == "put":
        return _take_back_put(root, step, old)
    elif not path.parent.is_dir():
        return False
    elif step.kind == "rmdir":
        path.mkdir(exist_ok=True)
    else:
        place = root / (step.to if step.kind == "move" else step.backup)
        if os.path.lexists(path) and not (step.kind == "move" and _one_entry(path, place)):
            return False
        if step.kind == "move" and step.backup:
            _move_back(root, step)
        else:
            place.rename(path)
    return True


def changed_by_others(root: Path, steps: Sequence[Step], paths: Sequence[str]) -> list[str]:
    """Return those of `paths` that do not hold what they held before the first step."""
    first: dict[str, str] = {}
    for step in steps:
        first.setdefault(step.path, step.before)
        if step.kind == "move":
            first.setdefault(step.to, "")
    return sorted({path for path in paths if _hash(root / path) != first[path]})


def take_out(path: Path, start: int, data: bytes) -> bool:
    """Remove what was appended to a file at or after `start`, also half of it; False when it is not there."""
    if not path.is_file():
        return False
    handle = os.open(path, os.O_RDWR | _NOFOLLOW)
    try:
        have = tail(handle, start)
        if data.startswith(have):
            if have:
                os.ftruncate(handle, start)
                os.fsync(handle)
            return True
    finally:
        os.close(handle)
    before, found, after = have.partition(data)
    if found:
        files.write_atomic(path, path.read_bytes()[:start] + before + after)
    return bool(found)


def complete_entry(path: Path, start: int, entry: bytes) -> None:
    """Append to a log what is missing of an entry that belongs at `start`."""
    handle = os.open(path, os.O_RDWR | os.O_APPEND | _NOFOLLOW)
    try:
        end = os.fstat(handle).st_size
        have = tail(handle, start)
        missing = entry[len(have) :] if entry.startswith(have) else b"" if entry in have else entry
        if missing:
            files.append_at_end(handle, missing, end)
            os.fsync(handle)
    finally:
        os.close(handle)


def stamp(path: Path) -> Stamp:
    """Return what changes when an editor writes a file: inode, size, time of change; zeros if it is gone."""
    try:
        return stamp_of(path.lstat())
    except FileNotFoundError:
        return (0, 0, 0)


def stamp_of(found: os.stat_result) -> Stamp:
    """Return the stamp of a file whose status is known."""
    return found.st_ino, found.st_size, found.st_mtime_ns


def there(path: Path) -> bool:
    """Tell whether the very name exists, also where the file system ignores case."""
    if not os.path.lexists(path):
        return False
    other = path.with_name(path.name.swapcase())
    if other != path and os.path.lexists(other) and path.samefile(other):
        return any(entry.name == path.name for entry in path.parent.iterdir())
    return True


def tail(handle: int, start: int) -> bytes:
    """Return the bytes of an open file from `start` on."""
    os.lseek(handle, start, os.SEEK_SET)
    parts = []
    while part := os.read(handle, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def remove_file(path: Path) -> None:
    """Remove a file that may be gone already."""
    with suppress(FileNotFoundError, NotADirectoryError):
        path.unlink()


def remove_folder(path: Path) -> None:
    """Remove a folder if it is there and empty."""
    try:
        path.rmdir()
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR):
            raise


def _looks_made(root: Path, step: Step) -> bool:
    """Tell whether a step was made, all before it being made and none after it."""
    path = root / step.path
    if step.kind == "move":
        return there(root / step.to) and not there(path)
    return path.is_dir() == (step.kind == "mkdir")


def _move(root: Path, step: Step) -> None:
    path, target = root / step.path, root / step.to
    try:
        path.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV or not step.backup:
            raise
        carry.carry(path, target, root / step.temp, root / step.backup)


def _move_back(root: Path, step: Step) -> None:
    path, target, backup = root / step.path, root / step.to, root / step.backup
    if not there(backup):
        try:
            target.rename(path)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
        else:
            return
    carry.bring_back(path, target, root / step.temp, backup)


def _append(path: Path, step: Step) -> None:
    handle = os.open(path, os.O_RDWR | os.O_APPEND | _NOFOLLOW)
    try:
        if os.fstat(handle).st_size != step.size:
            raise meanwhile(step)
        files.append_at_end(handle, step.data, step.size)
        os.fsync(handle)
    finally:
        os.close(handle)


def _take_back_put(root: Path, step: Step, old: Callable[[Step], bytes]) -> bool:
    path, temp = root / step.path, root / step.temp
    now = _hash(path)
    if not step.before and now == step.after:
        path.rename(temp)
        return True
    if now == step.after and path.parent.is_dir():
        if there(root / step.backup):
            (root / step.backup).replace(path)
        else:
            copy = root / f"{step.backup}w"
            remove_file(copy)
            files.stage(copy, old(step), like=path.lstat(), mode=step.mode)
            copy.replace(path)
    elif now != step.before:
        return False
    os.close(files.create(temp, b""))
    return True


def _ends_with(path: Path, start: int, data: bytes) -> bool:
    with path.open("rb") as stream:
        stream.seek(start)
        return stream.read(len(data)) == data


def meanwhile(step: Step) -> Conflict:
    """Return the error for a file that somebody wrote after the plan was checked."""
    return Conflict(
        f"{step.path} changed meanwhile; nothing was changed by this command",
        path=step.path,
        remedy="run the command again",
    )


def _hash(path: Path) -> str:
    """Return the hash of a file, "" when nothing is there, "other" for anything else."""
    try:
        return files.sha256(path.read_bytes()) if stat.S_ISREG(path.lstat().st_mode) else "other"
    except (FileNotFoundError, NotADirectoryError):
        return ""


def _one_entry(path: Path, other: Path) -> bool:
    """Tell whether two names that differ in case mean one file: then a move only respells it."""
    return path.name.casefold() == other.name.casefold() and path.samefile(other)
