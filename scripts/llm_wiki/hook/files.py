"""Files of `.sessions/`: private folders, whole rows, JSON by rename (`sessions.md` §2).

Rows are one `write()` on an `O_APPEND` descriptor, so that writers in parallel never mix them; a torn last
line of an earlier writer is closed first. Folders are 0700, files 0600.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import Any, Final

from llm_wiki.core.redact import redact

TEMP: Final = ".tmp"
ERROR_LOG: Final = "hook-errors.log"
ERROR_LOG_BYTES: Final = 256 << 10
CLOEXEC: Final = getattr(os, "O_CLOEXEC", 0)
_APPEND: Final = os.O_RDWR | os.O_APPEND | os.O_CREAT | CLOEXEC | getattr(os, "O_NOFOLLOW", 0)


def private_folder(path: str) -> None:
    """Make a folder and its missing parents for this user alone."""
    missing = []
    while not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    for folder in reversed(missing):
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)


def append_rows(path: str, rows: list[dict[str, Any]]) -> tuple[int, int]:
    """Append whole JSON lines in one write; return (start, end) of these bytes in the file.

    When the system takes only a part (full disk), that part is taken back and OSError raised.
    """
    lines = "".join(json.dumps(row, sort_keys=True, ensure_ascii=False) + "\n" for row in rows)
    return append_text(path, lines)


def append_text(path: str, text: str) -> tuple[int, int]:
    """Append whole lines as `append_rows` does."""
    data = text.encode("utf-8", "replace")
    try:
        handle = os.open(path, _APPEND, 0o600)
    except FileNotFoundError:
        private_folder(os.path.dirname(path))
        handle = os.open(path, _APPEND, 0o600)
    try:
        size = os.fstat(handle).st_size
        if size:
            os.lseek(handle, size - 1, os.SEEK_SET)
            if os.read(handle, 1) != b"\n":
                data = b"\n" + data
        written = os.write(handle, data)
        end = os.lseek(handle, 0, os.SEEK_CUR)
        if written < len(data):
            if os.fstat(handle).st_size == end:  # nobody has written behind it
                os.ftruncate(handle, end - written)
            raise OSError(28, "the disk took only a part of a row")
    finally:
        os.close(handle)
    return end - written, end


def read_json(path: str) -> Any:
    """Return the value of a JSON file; None when it is missing, unreadable or not JSON."""
    try:
        with open(path, "rb") as handle:
            return json.loads(handle.read().decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return None


def row_of(line: bytes) -> dict[str, Any] | None:
    """Return the object that one line of a JSON lines file is; None for a torn, empty or foreign one."""
    try:
        row = json.loads(line.decode("utf-8", "replace")) if line else None
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def read_rows(path: str) -> list[dict[str, Any]]:
    """Return the objects among the lines of a JSON lines file; torn and foreign lines are passed over."""
    try:
        with open(path, "rb") as handle:
            lines = handle.read().split(b"\n")
    except OSError:
        return []
    return [row for row in map(row_of, lines) if row is not None]


def write_json(path: str, value: Any, *, shared: bool = False) -> None:
    """Replace a JSON file as `write_text` does: two blanks of indent, sorted keys, final newline."""
    write_text(path, json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n", shared=shared)


def write_text(path: str, text: str, *, shared: bool = False) -> None:
    """Replace a file by rename, after its bytes reached the disk; made 0600, its folder where missing.

    Writers of one file hold one lock, so the temporary name is fixed: what a killed writer left is
    overwritten by the next. Where no lock is held, `shared` gives each writer a name of its own.
    """
    temp = f"{path}.{os.getpid():x}{TEMP}" if shared else f"{path}{TEMP}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | CLOEXEC
    try:
        handle = os.open(temp, flags, 0o600)
    except FileNotFoundError:
        private_folder(os.path.dirname(path))
        handle = os.open(temp, flags, 0o600)
    try:
        try:
            view = memoryview(text.encode("utf-8", "replace"))
            while view:
                view = view[os.write(handle, view) :]
            os.fsync(handle)
        finally:
            os.close(handle)
        os.replace(temp, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temp)
        raise


def log_error(sessions: str, text: str) -> None:
    """Add one redacted line to the error log, kept below ERROR_LOG_BYTES; fails in silence.

    Nothing is written where there is no `.sessions/` folder: an error never creates one.
    """
    if not os.path.isdir(sessions):
        return
    path = os.path.join(sessions, ERROR_LOG)
    with suppress(OSError):
        if os.path.getsize(path) > ERROR_LOG_BYTES - 2_000:
            with open(path, "rb") as handle:
                kept = handle.read()[-ERROR_LOG_BYTES // 2 :]
            write_text(path, kept.partition(b"\n")[2].decode("utf-8", "replace"), shared=True)
    with suppress(OSError):
        append_text(path, redact(" ".join(text.split()))[:1_500] + "\n")
