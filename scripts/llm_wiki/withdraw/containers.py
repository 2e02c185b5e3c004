"""Files that hold other files: looked into, never changed (`archive-retract.md` §2.1, row R12)."""

from __future__ import annotations

import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from llm_wiki.core.stores import Needle
from llm_wiki.withdraw.match_text import look, windows_of

MEMBERS: Final = 10_000
"""Files of one container that are looked at."""

BYTES: Final = 256 * 1024 * 1024
"""Bytes that are unpacked of one container."""

DEPTH: Final = 3
"""Containers inside one another that are opened below the outermost."""

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

    A zip, gzip or tar is unpacked piece by piece up to `BYTES` and `MEMBERS`, and what is one of them inside
    it up to `DEPTH`; of any other nothing is known.
    """
    if kind not in _READERS:
        return None
    try:
        with path.open("rb") as stream:
            pieces = _pieces(stream, kind, matcher.reach, _Left(BYTES, MEMBERS))
            return any(look(matcher, piece) is not None for piece in pieces)
    except _BROKEN:
        return None


@dataclass
class _Left:
    """What may still be unpacked of one container and what is inside it."""

    bytes: int
    members: int
    depth: int = DEPTH

    def take(self, size: int, members: int = 0) -> None:
        """Use some of it. Raises ValueError when there is no more."""
        self.bytes -= size
        self.members -= members
        if self.bytes < 0 or self.members < 0:
            raise ValueError(size)


def _pieces(source: IO[bytes], kind: str, overlap: int, left: _Left) -> Iterator[bytes]:
    """Yield names and contents of the members, piece by piece. Raises ValueError for too many."""
    for name, stream in _READERS[kind](source):
        left.take(0, 1)
        yield name.encode("utf-8", "surrogateescape")
        inside, within = "", io.BytesIO()
        for offset, piece in windows_of(stream, overlap) if stream else ():
            yield piece
            left.take(len(piece))
            if not offset:
                inside = kind_of(piece[:512]) if left.depth else ""
            if inside in _READERS:
                within.seek(offset)
                within.write(piece)
        if inside in _READERS:
            left.depth -= 1
            with suppress(zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, OSError):
                yield from _pieces(within, inside, overlap, left)
            left.depth += 1


def _zip(source: IO[bytes]) -> Iterator[tuple[str, IO[bytes] | None]]:
    with zipfile.ZipFile(source) as archive:
        for member in archive.infolist():
            if member.is_dir():
                yield member.filename, None
            else:
                with archive.open(member) as stream:
                    yield member.filename, stream


def _tar(source: IO[bytes]) -> Iterator[tuple[str, IO[bytes] | None]]:
    source.seek(0)
    with tarfile.open(fileobj=source) as archive:
        for member in archive:
            yield member.name, archive.extractfile(member) if member.isfile() else None


def _gzip(source: IO[bytes]) -> Iterator[tuple[str, IO[bytes] | None]]:
    try:
        yield from _tar(source)
    except tarfile.TarError:
        source.seek(0)
        with gzip.open(source) as stream:
            yield "", stream  # type: ignore[misc]


_READERS: Final = {"zip": _zip, "gzip": _gzip, "tar": _tar}
