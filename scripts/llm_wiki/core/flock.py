"""The lock of one open file, freed by the system when its process dies. No import that a hook would feel."""

from __future__ import annotations

import os
import time
from contextlib import suppress

if os.name == "nt":  # pragma: no cover - exercised on Windows only
    import msvcrt

    def attempt(handle: int) -> bool:
        """Take the lock of an open file if it is free; tell whether it was."""
        os.lseek(handle, 1 << 30, os.SEEK_SET)  # far behind the number, which others read
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True

    def unlock(handle: int) -> None:
        """Free the lock; the file is closed by the caller."""

else:
    import fcntl

    def attempt(handle: int) -> bool:
        """Take the lock of an open file if it is free; tell whether it was."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def unlock(handle: int) -> None:
        """Free the lock, also in a child that inherited the file; the file is closed by the caller."""
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_UN)


def take(handle: int, timeout: float) -> bool:
    """Wait for the lock of an open file for at most `timeout` seconds; tell whether it was had."""
    deadline = time.monotonic() + timeout
    pause = 0.002
    while not attempt(handle):
        if time.monotonic() >= deadline:
            return False
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)
    return True
