"""Files that hold other files: looked into, never changed (`archive-retract.md` §2.1, row R12)."""

from __future__ import annotations

import gzip
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from llm_wiki.core.stores import Needle
from llm_wiki.withdraw.match_text import look, windows_of

MEMBERS: Final = 10_000
"""Files of one container that are looked at."""

BYTES: Final = 256 * 1024 * 1024
"""Bytes that are unpacked of one container."""

_MAGIC: Final = (
    (0, b"PK\x03\x04", "zip"),
    (0, b"PK\x05\x06", "zip"),
    (0, b"\x1f\x8b", "gzip"),
    (257, b"ustar", "tar"),
    (0, b"BZh", "compressed"),
    (0, b"\xfd7zXZ\x00", "compressed"),
    (0, b"7z\xbc\xaf\x27\x1c", "compressed"),
    (0, b"\x28\xb5\x2f\xfd", "compressed"),
    (0, b"Rar!", "compressed"),
    (0, b"%PDF-", "pdf"),
    (0, b"SQLite format 3\x00", "sqlite"),
    (0, b"PAR1", "parquet"),
)
_FIRST: Final = frozenset(magic[:1] for at, magic, _ in _MAGIC if not at)
_BROKEN: Final = (
    OSError,
    EOFError,
    ValueError,
    RuntimeError,
    NotImplementedError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    tarfile.TarError,
)


def kind_of(head: bytes) -> str:
    """Return what kind of container a file is by its first 512 bytes, "" for none."""
    if head[:1] not in _FIRST and head[257:262] != b"ustar":
        return ""
    return next((kind for at, magic, kind in _MAGIC if head.startswith(magic, at)), "")


def holds(path: Path, kind: str, matcher: Needle) -> bool | None:
    """Tell whether the value stands in a member of a container or in its name; None when that is not known.

    A zip, gzip or tar is unpacked piece by piece up to `BYTES` and `MEMBERS`; of any other nothing is known.
    """
    if kind not in _READERS:
        return None
    try:
        return any(look(matcher, piece) is not None for piece in _pieces(path, kind, matcher.reach))
    except _BROKEN:
        return None


def _pieces(path: Path, kind: str, overlap: int) -> Iterator[bytes]:
    """Yield names and contents of the members, piece by piece. Raises ValueError for too many."""
    left = BYTES
    for number, (name, stream) in enumerate(_READERS[kind](path)):
        if number >= MEMBERS:
            raise ValueError(number)
        yield name.encode("utf-8", "surrogateescape")
        for _, piece in windows_of(stream, overlap) if stream else ():
            yield piece
            left -= len(piece)
            if left < 0:
                raise ValueError(left)


def _zip(path: Path) -> Iterator[tuple[str, IO[bytes] | None]]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.is_dir():
                yield member.filename, None
            else:
                with archive.open(member) as stream:
                    yield member.filename, stream


def _tar(path: Path) -> Iterator[tuple[str, IO[bytes] | None]]:
    with tarfile.open(path) as archive:
        for member in archive:
            yield member.name, archive.extractfile(member) if member.isfile() else None


def _gzip(path: Path) -> Iterator[tuple[str, IO[bytes] | None]]:
    try:
        yield from _tar(path)
    except tarfile.TarError:
        with gzip.open(path) as stream:
            yield "", stream  # type: ignore[misc]


_READERS: Final = {"zip": _zip, "gzip": _gzip, "tar": _tar}
