"""The writer lock of a root: one writer at a time, readers never wait."""

from __future__ import annotations

import os
from _thread import get_ident
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from llm_wiki.core.errors import LockBusy
from llm_wiki.core.files import failure
from llm_wiki.core.flock import take, unlock
from llm_wiki.core.state import private_dir, root_state

WAIT_SECONDS = 10.0
"""How long a writer waits for another one (`commands.md` §1)."""

_held: dict[tuple[int, int, str], list[int]] = {}
"""(process, thread, lock file) -> [handle, depth]. The process is part of the key because a
forked child inherits this table but must not take itself for the holder."""


@contextmanager
def root_lock(root: Path, *, timeout: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the writer lock of `root` while the block runs.

    The lock is a file in the root's state folder; the system frees it when a process dies.
    The thread that holds it may enter again. Raises `LockBusy`, naming the other process where
    it is known, after `timeout` seconds, and `Unreadable` when the state folder refuses.
    """
    with state_lock(private_dir(root_state(root)), root, timeout=timeout):
        yield


@contextmanager
def state_lock(folder: Path, root: Path, *, timeout: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the writer lock of the root whose state folder is `folder`; `root` is what a message calls it.

    Same as `root_lock`, for who has found the folder and not the root.
    """
    path = folder / "lock"
    key = (os.getpid(), get_ident(), str(path))
    entry = _held.get(key)
    if entry is None:
        entry = _held[key] = [_acquire(root, path, timeout), 0]
    entry[1] += 1
    try:
        yield
    finally:
        entry[1] -= 1
        if not entry[1]:
            del _held[key]
            _release(entry[0])


def _acquire(root: Path, path: Path, timeout: float) -> int:
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError as error:
        raise failure("lock", path, error) from error
    try:
        if not take(handle, timeout):
            raise _busy(root, path, timeout)  # noqa: TRY301 - the file is closed below
        with suppress(OSError):  # the number only helps the message of who waits
            os.ftruncate(handle, 0)
            os.pwrite(handle, b"%d\n" % os.getpid(), 0)
    except BaseException:
        os.close(handle)
        raise
    return handle


def _busy(root: Path, path: Path, timeout: float) -> LockBusy:
    """Return the error that names who holds the lock, where that is known."""
    try:
        holder = path.read_text("ascii").strip()
    except (OSError, ValueError):
        holder = ""
    who = f"process {holder}" if holder.isdecimal() else "another process"
    return LockBusy(
        f"{who} is writing to {root} (waited {timeout:g} s)",
        path=root,
        remedy="let it finish, or end it, then run the command again",
    )


def _release(handle: int) -> None:
    with suppress(OSError):
        os.ftruncate(handle, 0)
    unlock(handle)
    os.close(handle)
