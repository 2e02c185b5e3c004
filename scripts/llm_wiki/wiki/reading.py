"""Reading and parsing one file of a root, in whatever process does it."""

from __future__ import annotations

import errno
import marshal
import os
import stat
import time
from collections.abc import Callable, Iterable
from typing import Any

from llm_wiki.core.files import sha256
from llm_wiki.model.page import Page
from llm_wiki.wiki.listing import Stamp, reason, stamp_of

PerFile = Callable[[Page], Iterable[tuple[Any, ...]]]
"""A check of one page alone; its plain tuples become `Page.notes` and are cached with the row."""

Notes = tuple[tuple[Any, ...], ...]

Entry = tuple[Stamp, int, tuple[Any, ...], bytes, Notes | None]
"""A parsed file as the cache keeps it: its stamp; the time (ns) just before its bytes were read;
the hot part of the row (`Page`'s first nine fields); the rest as marshal bytes, unpacked on first
use; the per-file notes, or None when no check has run."""

NO_STAMP: Stamp = (0, 0, 0, 0)
"""The stamp of bytes that are in no file yet."""

HOT = 9
"""How many leading fields of a row a `Page` takes at once."""

_TRIES = 3


class Row:
    """A row whose rarely used tail is unpacked on first use; indexed and sliced like the tuple."""

    __slots__ = ("_tail", "cold", "hot")

    def __init__(self, hot: tuple[Any, ...], cold: bytes) -> None:
        self.hot = hot
        self.cold = cold

    @property
    def tail(self) -> tuple[Any, ...]:
        """The fields after the hot ones."""
        if not hasattr(self, "_tail"):
            self._tail: tuple[Any, ...] = marshal.loads(self.cold)  # noqa: S302 - our own bytes
        return self._tail

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            if index.stop == HOT:
                return self.hot[index]
            return (self.hot + self.tail)[index]
        if 0 <= index < HOT:
            return self.hot[index]
        return (self.hot + self.tail)[index]

    def __len__(self) -> int:
        return HOT + len(self.tail)


def page_of(rel: str, entry: Entry, *, notes: bool) -> Page:
    """Make the page of a cache entry, with the notes of the check only if one was asked for."""
    row: Any = Row(entry[2], entry[3])
    return Page(rel, row, (entry[4] or ()) if notes else ())


def read_stable(path: str) -> tuple[bytes, Stamp]:
    """Return the bytes of a regular file and the stamp that belongs to them.

    A link is not followed and a pipe does not block. A file that changes while it is read is
    read again; if it never rests, the stamp is that from before the last read, so that the next
    look sees a difference. Raises OSError.
    """
    for _ in range(_TRIES):
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        try:
            before = os.fstat(handle)
            if not stat.S_ISREG(before.st_mode):
                raise OSError(errno.EINVAL, "not a regular file")
            parts: list[bytes] = []
            while part := os.read(handle, before.st_size + 1 if not parts else 1 << 20):
                parts.append(part)
                if len(parts) == 1 and len(part) == before.st_size:
                    break
            after = os.fstat(handle)
        finally:
            os.close(handle)
        stamp = stamp_of(before)
        if stamp == stamp_of(after):
            break
    return b"".join(parts), stamp


def notes_of(page: Page, per_file: PerFile | None) -> Notes | None:
    """Run the per-file check; None without one."""
    return None if per_file is None else tuple([tuple(note) for note in per_file(page)])


def noted(rel: str, entry: Entry, per_file: PerFile | None) -> Entry:
    """Return the entry with its notes; they are computed if they are wanted and not there."""
    if per_file is None or entry[4] is not None:
        return entry
    return (*entry[:4], notes_of(page_of(rel, entry, notes=False), per_file))


def entry_of(
    rel: str, data: bytes, moment: tuple[Stamp, int], per_file: PerFile | None, old: Entry | None = None
) -> Entry:
    """Parse bytes into a cache entry; the same bytes as in `old` are not parsed again.

    `moment` is their stamp and the time (ns) just before they were read.
    """
    from llm_wiki.model.document import parse

    if old is not None and old[2][0] == sha256(data):
        return noted(rel, (*moment, *old[2:]), per_file)
    row = parse(rel, data)
    notes = notes_of(Page(rel, row), per_file)
    return *moment, tuple(row[:HOT]), marshal.dumps(tuple(row[HOT:])), notes


def load_entry(root: str, rel: str, per_file: PerFile | None, old: Entry | None = None) -> Entry | str:
    """Read and parse one file; a text says why it could not be done.

    A vanished file gives the empty text. A fault of the parser costs this file, not the run.
    """
    read_ns = time.time_ns()
    try:
        data, stamp = read_stable(f"{root}/{rel}")
    except FileNotFoundError:
        return ""
    except OSError as error:
        return reason(error)
    try:
        return entry_of(rel, data, (stamp, read_ns), per_file, old)
    except ImportError:
        raise  # a broken installation is no fault of the file
    except Exception as error:  # noqa: BLE001 - one file must not end the run
        return f"could not be parsed ({type(error).__name__}: {error})"
