"""Reading and parsing one file of a root, in whatever process does it."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterable
from typing import Any

from llm_wiki.core.files import sha256
from llm_wiki.model.page import Page
from llm_wiki.wiki.listing import Stamp, reason, stamp_of
from llm_wiki.wiki.rows import HOT, Entry, Home, Notes, pack, page_of

PerFile = Callable[[Page], Iterable[tuple[Any, ...]]]
"""A check of one page alone; its plain tuples become `Page.notes` and are cached with the row."""

_TRIES = 3
_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
)


class Reader:
    """What is needed to turn a path into an entry: the root and its cached tails, and the check."""

    def __init__(self, home: Home, per_file: PerFile | None) -> None:
        self.home = home
        self.per_file = per_file

    def load(self, rel: str, old: Entry | None = None) -> Entry | str:
        """Read and parse one file; a text says why it could not be done.

        The row of `old` is kept if the bytes are still the same. A vanished file gives the empty
        text. A fault of the parser costs this file, not the run.
        """
        read_ns = time.time_ns()
        try:
            data, stamp = read_stable(f"{self.home.root}/{rel}")
        except FileNotFoundError:
            return ""
        except OSError as error:
            return reason(error)
        try:
            if old is not None and old[2][0] == sha256(data):
                return self.noted(rel, (stamp, read_ns, *old[2:]))
            return entry_of(rel, data, (stamp, read_ns), self.per_file)
        except ImportError:
            raise  # a broken installation is no fault of the file
        except Exception as error:  # noqa: BLE001 - one file must not end the run
            return f"could not be parsed ({type(error).__name__}: {error})"

    def noted(self, rel: str, entry: Entry) -> Entry:
        """Return the entry with its notes; they are computed if they are wanted and not there."""
        if self.per_file is None or entry[4] is not None:
            return entry
        page = page_of(rel, entry, self.home, notes=False)
        return (*entry[:4], notes_of(page, self.per_file))


def entry_of(rel: str, data: bytes, moment: tuple[Stamp, int], per_file: PerFile | None) -> Entry:
    """Parse bytes into an entry. `moment` is their stamp and the time (ns) just before they were read."""
    from llm_wiki.model.document import parse

    row = parse(rel, data)
    notes = notes_of(Page(rel, row), per_file)
    return *moment, tuple(row[:HOT]), pack(tuple(row[HOT:])), notes


def notes_of(page: Page, per_file: PerFile | None) -> Notes | None:
    """Run the per-file check; None without one."""
    return None if per_file is None else tuple([tuple(note) for note in per_file(page)])


def read_stable(path: str) -> tuple[bytes, Stamp]:
    """Return the bytes of a regular file and the stamp that belongs to them.

    A link is not followed and a pipe does not block. A file that changes while it is read is
    read again; if it never rests, the stamp is that from before the last read, so that the next
    look sees a difference. Raises OSError.
    """
    for _ in range(_TRIES):
        handle = os.open(path, _FLAGS)
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
