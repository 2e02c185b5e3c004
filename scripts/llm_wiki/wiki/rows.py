"""Rows of parsed files as the cache keeps them, and pages made from them.

A row has a hot part, which every run needs, and a tail (links, headings, footnotes, problems),
which a run over an unchanged wiki hardly touches: it stays marshal bytes, in memory or in the
cache file, until someone asks.
"""

from __future__ import annotations

import hashlib
import marshal
import os
from contextlib import suppress
from typing import Any

from llm_wiki.core.errors import Conflict, Unreadable
from llm_wiki.core.files import printable, sha256
from llm_wiki.model.page import Page
from llm_wiki.wiki.listing import Stamp, reason

Notes = tuple[tuple[Any, ...], ...]

Place = tuple[int, int]
"""Offset and length of a tail among the `Tails` of a cache file."""

Entry = tuple[Stamp, int, tuple[Any, ...], bytes | Place, Notes | None]
"""A parsed file: its stamp; the time (ns) just before its bytes were read, or `SETTLED`; the hot
part of its row (`Page`'s first nine fields); the packed tail or its place; the notes of the
per-file check, or None when none has run."""

SETTLED = 0
"""In place of a time: the stamp is known to tell this state of the file from any later one."""

NO_STAMP: Stamp = (0, 0, 0, 0)
"""The stamp of bytes that are in no file yet."""

HOT = 9
"""How many leading fields of a row a `Page` takes at once."""

_SUM = 8


def pack(tail: tuple[Any, ...]) -> bytes:
    """Return a tail as bytes after a checksum of their own."""
    data = marshal.dumps(tail)
    return hashlib.blake2b(data, digest_size=_SUM).digest() + data


def unpack(packed: bytes) -> tuple[Any, ...]:
    """Return the tail in packed bytes that are known to be whole."""
    return marshal.loads(memoryview(packed)[_SUM:])  # type: ignore[no-any-return]  # noqa: S302 - our own


class Tails:
    """The stored tails of one cache file, open so that its replacement does no harm."""

    def __init__(self, handle: int, start: int) -> None:
        self.handle = handle
        self.start = start

    def get(self, place: Place) -> bytes | None:
        """Return one packed tail, None when the file does not hold it whole."""
        offset, length = place
        with suppress(OSError):
            packed = os.pread(self.handle, length, self.start + offset)
            found = hashlib.blake2b(memoryview(packed)[_SUM:], digest_size=_SUM).digest()
            if len(packed) == length and packed.startswith(found):
                return packed
        return None

    def __del__(self) -> None:
        with suppress(OSError):
            os.close(self.handle)


class Home:
    """Where the rows of one snapshot come from: the root, and the tails of its cache."""

    def __init__(self, root: str, tails: Tails | None = None) -> None:
        self.root = root
        self.tails = tails

    def tail(self, rel: str, place: Place, digest: str) -> tuple[Any, ...]:
        """Return a stored tail; a damaged one is parsed again, if the file is still the same.

        Raises Conflict when it is not, Unreadable when the system refuses it.
        """
        stored = None if self.tails is None else self.tails.get(place)
        if stored is not None:
            return unpack(stored)
        from llm_wiki.model.document import parse
        from llm_wiki.wiki.reading import read_stable

        name = printable(rel)
        try:
            data, _ = read_stable(f"{self.root}/{rel}")
        except FileNotFoundError:
            data = b""
        except OSError as error:
            raise Unreadable(f"cannot read {name}: {reason(error)}", path=name) from error
        if sha256(data) != digest:
            raise Conflict(f"{name} has changed since it was read", path=name, remedy="run it again")
        return parse(rel, data)[HOT:]


class Row:
    """A row whose tail is unpacked on first use; indexed and sliced like the tuple."""

    __slots__ = ("_home", "_rel", "_tail", "hot")

    def __init__(self, rel: str, entry: Entry, home: Home | None) -> None:
        self.hot = entry[2]
        self._rel = rel
        self._tail: Any = entry[3]
        self._home = home

    @property
    def tail(self) -> tuple[Any, ...]:
        """The fields after the hot ones."""
        found = self._tail
        if isinstance(found, bytes):
            found = self._tail = unpack(found)
        elif self._home is not None:
            found = self._tail = self._home.tail(self._rel, found, self.hot[0])
        self._home = None
        return found  # type: ignore[no-any-return]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            if index.stop == HOT:
                return self.hot[index]
        elif 0 <= index < HOT:
            return self.hot[index]
        return (self.hot + self.tail)[index]

    def __len__(self) -> int:
        return HOT + len(self.tail)


def page_of(rel: str, entry: Entry, home: Home | None, *, notes: bool) -> Page:
    """Make the page of an entry, with the notes of the check only if one was asked for."""
    row: Any = Row(rel, entry, home)
    return Page(rel, row, (entry[4] or ()) if notes else ())
