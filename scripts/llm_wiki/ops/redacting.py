"""Files and texts without their secrets, or where in them secrets stand."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from llm_wiki.core.errors import BadUsage, Unreadable
from llm_wiki.core.files import printable, read_bytes
from llm_wiki.core.redact import find, redact
from llm_wiki.ingest.charset import CODECS, decode_text
from llm_wiki.ingest.detect import detect

LIMIT = 64 * 1024 * 1024
"""Bytes of the largest file that is read."""

STDIN = "-"


class Place(NamedTuple):
    """Where a secret begins: 1-based line and column in characters, and its kind."""

    line: int
    column: int
    kind: str


class Redacted(NamedTuple):
    """One text: its name as given, itself without secrets, where they stood."""

    path: str
    text: str
    places: tuple[Place, ...]


def redacted(name: str, data: bytes, *, strict: bool = False, charset: str = "") -> Redacted:
    """Return a text without secrets and without user names in paths of homes; line ends stay as they are.

    `strict` takes out mail addresses, IP addresses and phone numbers too. Raises BadUsage for what is no
    text, is not in its encoding, or is larger than 64 MB.
    """
    _check(name, len(data))
    _require_text(name, data)
    codec = CODECS[decode_text(data, charset, name).charset]
    text = data.decode(codec)
    places, line, start, at = [], 1, 0, 0
    for found in find(text, strict=strict, homes=True):
        line += text.count("\n", at, found.start)
        start = max(start, text.rfind("\n", at, found.start) + 1)
        at = found.start
        places.append(Place(line, found.start - start + 1, found.kind))
    return Redacted(name, redact(text, strict=strict, homes=True, limit=0), tuple(places))


def read(name: str) -> bytes:
    """Return the bytes of a file. Raises BadUsage for a folder or a file over 64 MB, Unreadable otherwise."""
    path = Path(name)
    shown = printable(path)
    try:
        if path.is_dir():
            raise BadUsage(f"{shown} is a folder", path=shown, remedy="name its files")
        _check(shown, path.stat().st_size)
    except (OSError, ValueError) as error:
        raise Unreadable(
            f"cannot read {shown}: {getattr(error, 'strerror', None) or error}", path=shown
        ) from error
    return read_bytes(path)


def _require_text(name: str, data: bytes) -> None:
    try:
        detect(data, name=name if name != STDIN else "", path=name)
    except BadUsage:
        shown = "standard input" if name == STDIN else name
        raise BadUsage(f"{shown} is no text", path=name, remedy="name a text file") from None


def _check(name: str, size: int) -> None:
    if size > LIMIT:
        raise BadUsage(
            f"{'standard input' if name == STDIN else name} is larger than {LIMIT // (1024 * 1024)} MB",
            path=name,
            remedy="split it first: split -C 60m FILE",
        )
