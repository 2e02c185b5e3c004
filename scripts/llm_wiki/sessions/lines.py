"""Files of whole lines that others append to while a line in them is taken out.

Hooks append without waiting for anybody, and states remember how far into a file they have counted. So a
line is never moved: it is overwritten where it stands, by blanks or by a shorter line filled up with blanks.
No row of another writer can be lost, no offset shifts, and a process killed half-way leaves whole lines.
Readers of JSON lines pass blank ones over. Files whose offsets nobody keeps can be closed up afterwards.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from llm_wiki.core.files import failure, write_atomic
from llm_wiki.hook import files

Edit = Callable[[bytes], bytes | None]
"""From a line without its end to what it becomes: None keeps it, b"" blanks it; never longer than it was."""

_LATE_ROUNDS = 5
_LATE_SECONDS = 0.02


def edit(path: str, change: Edit) -> int:
    """Overwrite lines of a file in place; return how many. What is appended meanwhile is not looked at.

    Raises Unreadable when the system refuses; without a file nothing is done.
    """
    try:
        handle = os.open(path, os.O_RDWR | files.CLOEXEC | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise failure("write", path, error) from error
    changed = 0
    try:
        at = 0
        for line in _settled(handle).split(b"\n"):
            new = change(line) if line.strip() else None
            if new is not None and new != line:
                assert len(new) <= len(line), "a line is never moved"
                _put(handle, new.ljust(len(line)), at)
                changed += 1
            at += len(line) + 1
        if changed:
            os.fsync(handle)
    except OSError as error:
        raise failure("write", path, error) from error
    finally:
        os.close(handle)
    return changed


def count(path: str, wanted: Callable[[bytes], bool], upto: int = -1) -> int:
    """Return how many of a file's lines are wanted, of its first `upto` bytes; 0 without a file."""
    try:
        with open(path, "rb") as handle:
            return sum(1 for line in handle.read(upto).split(b"\n") if line.strip() and wanted(line))
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise failure("read", path, error) from error


def close_up(path: str) -> bool:
    """Take the blank lines out of a file whose offsets nobody keeps; a file of blanks alone goes.

    What is appended to the old file before its writer sees the new one is carried over. Tells whether the
    file was replaced.
    """
    return replace(path, lambda data: b"".join(line + b"\n" for line in data.split(b"\n") if line.strip()))


def replace(path: str, change: Callable[[bytes], bytes]) -> bool:
    """Replace the whole lines of a file by rename; rows that come to the old one are carried over.

    The old file stays open: a writer that had it open before the rename may still append to it, which is
    looked for several times. Tells whether anything changed.
    """
    try:
        old = os.open(path, os.O_RDONLY | files.CLOEXEC | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return False
    except OSError as error:
        raise failure("read", path, error) from error
    try:
        data = _settled(old)
        new = change(data)
        if new == data:
            return False
        if new:
            write_atomic(Path(path), new)
        else:
            os.unlink(path)
        seen = len(data)
        for _ in range(_LATE_ROUNDS):
            time.sleep(_LATE_SECONDS)
            late = _settled(old, seen)
            if late:
                files.append_text(path, late.decode("utf-8", "replace"))
                seen += len(late)
    except OSError as error:
        raise failure("write", path, error) from error
    finally:
        os.close(old)
    return True


def remove_if_blank(path: str) -> bool:
    """Remove a file that holds blank lines alone and that nobody appends to any more; tell whether."""
    try:
        with open(path, "rb") as handle:
            if handle.read().strip():
                return False
        os.unlink(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise failure("remove", path, error) from error
    return True


def _settled(handle: int, start: int = 0) -> bytes:
    """Return the bytes from a place on; a row that is just being written is waited for.

    A last line without an end that stays so was torn by a writer that died: it is returned as it is.
    """
    for _ in range(_LATE_ROUNDS):
        data = _whole(handle, start)
        if not data or data.endswith(b"\n"):
            break
        time.sleep(_LATE_SECONDS)
    return data


def _whole(handle: int, start: int = 0) -> bytes:
    parts = []
    at = start
    while part := os.pread(handle, 1 << 20, at):
        parts.append(part)
        at += len(part)
    return b"".join(parts)


def _put(handle: int, data: bytes, at: int) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(handle, view, at)
        view, at = view[written:], at + written


def unlink(path: str) -> bool:
    """Remove a file; tell whether it was there. Raises Unreadable when the system refuses."""
    with suppress(FileNotFoundError):
        try:
            os.unlink(path)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise failure("remove", path, error) from error
        return True
    return False
