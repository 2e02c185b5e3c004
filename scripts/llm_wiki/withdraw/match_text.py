"""A file as the matcher sees it: its charset, the value in it, itself without the value.

Text in UTF-16 or UTF-32 is looked at as UTF-8 and written back in its own form. Files too large for
memory are looked at in windows that overlap by more than any match is long.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Final, NamedTuple

from llm_wiki.core.files import failure, read_bytes
from llm_wiki.core.stores import Needle, Span

MARKER: Final = b"[RETRACTED]"
"""What stands in place of the value."""

WHOLE: Final = 64 * 1024 * 1024
"""Bytes of the largest file that is looked at and rewritten as one piece."""

_WINDOW: Final = 8 * 1024 * 1024
_BOMS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BOM_STARTS: Final = frozenset(mark[:1] for mark, _ in _BOMS)
_BLANKS: Final = dict.fromkeys(map(ord, " \t\r\n\u3000\u3001\u3002"))
_CONTROLS: Final = bytes({*range(32)} - {*b"\t\n\r\f\x1b\b"})
Writer = Callable[[bytes, Span], bytes]
"""From a text and an occurrence in it to what is put in its place."""


class Reading(NamedTuple):
    """A file with the value in it: `charset` "" for no text; `text`, where spans lie, is UTF-8 if wide."""

    charset: str
    text: bytes
    spans: tuple[Span, ...]

    @property
    def binary(self) -> bool:
        """Whether the file is no text in any charset."""
        return not self.charset

    def without(self, put: Writer | None = None) -> bytes:
        """Return the file with the marker, or what `put` gives, in place of each occurrence."""
        return self.encoded(cut(self.text, self.spans, put))

    def encoded(self, text: bytes) -> bytes:
        """Return a text, such as that of this file changed, in the charset of the file."""
        wide = self.charset.startswith("utf-") and self.charset != "utf-8"
        return text.decode("utf-8", "surrogatepass").encode(self.charset, "surrogatepass") if wide else text


def cut(text: bytes, spans: Sequence[Span], put: Writer | None = None) -> bytes:
    """Return a text with the marker, or what `put` gives, in place of each span."""
    parts, at = [], 0
    for span in spans:
        parts += [text[at : span.start], put(text, span) if put else MARKER]
        at = span.end
    return b"".join([*parts, text[at:]])


def look(matcher: Needle, data: bytes) -> Reading | None:
    """Return where the value stands in the bytes of a file, None when it is not there."""
    holed = b"\0" in data
    wide = _wide(data) if holed or data[:1] in _BOM_STARTS else ""
    if wide:
        text = data.decode(wide, "surrogatepass").encode("utf-8", "surrogatepass")
        if found := matcher.spans(text):
            return Reading(wide, text, tuple(found))
        # else it may only look like text: sound, or a table of numbers, and the value in single bytes
    spans = matcher.spans(data)
    if holed:
        spans = sorted({*spans, *matcher.wide(data)})
        return Reading("", data, tuple(spans)) if spans else None
    if not spans and not matcher.beyond_ascii:
        return None
    if not _is_utf8(data):
        spans = matcher.spans(data, latin=True)
        charset = "" if data.translate(None, _CONTROLS) != data else "latin-1"
        return Reading(charset, data, tuple(spans)) if spans else None
    return Reading("utf-8", data, tuple(spans)) if spans else None


def look_at(matcher: Needle, path: Path) -> Reading | None:
    """Return where the value stands in a regular file; of one larger than `WHOLE` only that and the kind.

    Raises Unreadable. The text of such a large one is empty, its spans say where in the file.
    """
    try:
        size = path.stat().st_size
        if size <= WHOLE:
            return look(matcher, read_bytes(path))
        spans: list[Span] = []
        charset = None
        for offset, data in windows(path, matcher.reach):
            charset = _charset_of(data) if charset is None else charset
            seen = look(matcher, data)
            if seen is not None:
                spans += [one._replace(start=one.start + offset, end=one.end + offset) for one in seen.spans]
    except OSError as error:
        raise failure("read", path, error) from error
    unique = {span.start: span for span in spans}
    return Reading(charset or "", b"", tuple(unique.values())) if spans else None


def windows(path: Path, overlap: int) -> Iterator[tuple[int, bytes]]:
    """Yield (offset, bytes) of overlapping pieces of a file, one in memory at a time."""
    with path.open("rb") as stream:
        yield from windows_of(stream, overlap)


def windows_of(stream: IO[bytes], overlap: int) -> Iterator[tuple[int, bytes]]:
    """Yield (offset, bytes) of overlapping pieces of what a stream gives, one in memory at a time."""
    read, kept = 0, b""
    while data := stream.read(_WINDOW):
        yield read - len(kept), kept + data
        read += len(data)
        kept = (kept + data)[-overlap:]


def is_large(path: Path) -> bool:
    """Tell whether a file is only looked at in windows."""
    return os.stat(path).st_size > WHOLE  # noqa: PTH116


def _charset_of(data: bytes) -> str:
    if wide := _wide(data):
        return wide
    if b"\0" in data:
        return ""
    return "utf-8" if _is_utf8(data[: len(data) - 4]) else "latin-1"


def _wide(data: bytes) -> str:
    """Return the charset of text in units of two or four bytes, "" for anything else."""
    for mark, name in _BOMS:
        if data.startswith(mark) and _decodes(data, name):
            return name
    if b"\0" not in data or len(data) % 2:
        return ""
    sample = data[:4096]
    odd, even = sample[1::2].count(0), sample[0::2].count(0)
    name = "utf-16-le" if odd > even else "utf-16-be"
    few, many = sorted((odd, even))
    if many * 4 < len(sample) // 2 or few * 20 > many:
        name = _script_of(sample)
    return name if name and _decodes(data, name) else ""


def _script_of(sample: bytes) -> str:
    """Return the charset of text in a script whose letters leave no zeros: all of it letters, some blanks."""
    best, chosen = len(sample) // 100, ""
    for name in ("utf-16-le", "utf-16-be"):
        text = sample.decode(name, "replace")
        blanks = len(text) - len(text.translate(_BLANKS))
        if blanks > best and text[:-1].translate(_BLANKS).isprintable() and "\ufffd" not in text[:-1]:
            best, chosen = blanks, name
    return chosen


def _decodes(data: bytes, name: str) -> bool:
    """Tell whether data is text in a charset, and comes back the same."""
    try:
        return data.decode(name).encode(name) == data
    except UnicodeError:
        return False


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
