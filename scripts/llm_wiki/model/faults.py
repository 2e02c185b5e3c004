"""What can be wrong with the bytes of a text file, apart from its front matter (`lint.md` W110-W118, W516).

Each check first asks whether its byte occurs at all: most files pay one search for it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from llm_wiki.model.frontmatter import BOM

MAX_FILE = 8 * 1024 * 1024
"""Bytes above which a file is not scanned for links (W117)."""

MAX_LINE = 64 * 1024
"""Bytes above which a line is not scanned for links (W117)."""

MARKER = b"RETRACTED-SOURCE"
"""What a source retraction leaves in the text, inside `<!--…-->` (`archive-retract.md` §3)."""

_CONTROL = bytes(byte for byte in range(32) if byte not in b"\t\n\f\r") + b"\x7f"
_CONTROL_BYTE = re.compile(b"[" + re.escape(_CONTROL) + b"]")
_LINE_END = re.compile(rb"\r\n|\r|\n")
_CONFLICT = re.compile(rb"^(?:(<<<<<<< )|(=======[ \t]*$)|(>>>>>>> ))", re.MULTILINE)
_LEAD = re.compile(rb"[ \t>]*")

Fault = tuple[str, int, str]
"""A `page.Problem` as a plain tuple: code, line, detail."""


def encoding(data: bytes, error: UnicodeDecodeError) -> Fault:
    """Describe the first byte that is not UTF-8."""
    line = 1 + len(_LINE_END.findall(data, 0, error.start))
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "encoding", line, "the file is UTF-16"
    return "encoding", line, f"byte 0x{data[error.start]:02X}"


def scannable(data: bytes, flat: bytes, start: int, problems: list[Fault]) -> bytes:
    """Return the body of `data` from byte `start` with all that is too large for a link scan blotted out.

    Offsets stay true: a long line keeps its length and what it is indented or quoted by. Adds an
    `oversize` problem for the file or for each long line.
    """
    if len(data) > MAX_FILE:
        problems.append(("oversize", 1, f"the file has {len(data)} bytes, more than {MAX_FILE}"))
        return b""
    if len(data) <= MAX_LINE:
        return data[start:]
    kept = bytearray(data)
    at, number = 0, 0
    while at < len(flat):
        number += 1
        end = flat.find(b"\n", at)
        end = len(flat) if end < 0 else end
        if end - at > MAX_LINE:
            problems.append(("oversize", number, f"the line has {end - at} bytes, more than {MAX_LINE}"))
            lead = _LEAD.match(flat, at, end)
            first = lead.end() if lead else at
            kept[first:end] = b"x" * (end - first)
        at = end + 1
    return bytes(kept[start:])


def behind(text: str, data: bytes, at: int) -> str:
    """Return the rest of `text` (`data` decoded) from the byte offset `at`, without decoding it again."""
    head = data[:at]
    return text[at if head.isascii() else len(head.decode()) :]


def collect(
    data: bytes, flat: bytes, base: int, code: Sequence[tuple[int, int]], problems: list[Fault]
) -> None:
    """Add what is wrong with the bytes of a decodable file.

    `code` holds the ranges of code, as offsets from `base`. In a file that is not UTF-8 (its
    problem is there already) only markers are looked for.
    """
    if not (problems and problems[0][0] == "encoding"):
        if data.startswith(BOM):
            problems.append(("bom", 1, "byte order mark"))
        if b"\r" in data:
            _line_ends(data, problems)
        if len(data.translate(None, _CONTROL)) != len(data):
            found = _CONTROL_BYTE.search(data)
            assert found is not None
            name = "NUL byte" if found[0] == b"\0" else f"control byte 0x{found[0][0]:02X}"
            problems.append(("control", _line(flat, found.start()), name))
    if MARKER in flat:
        _markers(flat, base, code, problems)
    if b"<<<<<<< " in flat and b">>>>>>> " in flat:
        _conflicts(flat, base, code, problems)


def _line(flat: bytes, offset: int) -> int:
    """Return the 1-based line of a byte offset."""
    return 1 + flat.count(b"\n", 0, offset)


def _line_ends(data: bytes, problems: list[Fault]) -> None:
    """Report mixed line ends at the first line that ends in another way than the first one."""
    crlf = data.count(b"\r\n")
    counts = {"CRLF": crlf, "LF": data.count(b"\n") - crlf, "CR": data.count(b"\r") - crlf}
    used = [f"{count} {name}" for name, count in counts.items() if count]
    if len(used) > 1:
        first = b""
        for number, end in enumerate(_LINE_END.finditer(data), 1):
            first = first or end[0]
            if end[0] != first:
                problems.append(("mixed-eol", number, "line ends: " + ", ".join(used)))
                return


def _markers(flat: bytes, base: int, code: Sequence[tuple[int, int]], problems: list[Fault]) -> None:
    """Report each line that holds a retraction marker outside code."""
    line, last, at = 1, 0, flat.find(MARKER)
    reported = 0
    while at >= 0:
        line += flat.count(b"\n", last, at)
        last = at
        if line != reported and not _in_code(at - base, code):
            problems.append(("retracted", line, "a retracted source was cited here"))
            reported = line
        at = flat.find(MARKER, at + len(MARKER))


def _conflicts(flat: bytes, base: int, code: Sequence[tuple[int, int]], problems: list[Fault]) -> None:
    """Report each group of conflict markers: three lines outside code, in their order."""
    line, last, opened, halved = 1, 0, 0, False
    for found in _CONFLICT.finditer(flat):
        line += flat.count(b"\n", last, found.start())
        last = found.start()
        if _in_code(found.start() - base, code):
            continue
        if found[1]:
            opened, halved = line, False
        elif found[2]:
            halved = opened > 0
        elif opened and halved:
            problems.append(("conflict", opened, f"lines {opened} to {line}"))
            opened, halved = 0, False


def _in_code(offset: int, code: Sequence[tuple[int, int]]) -> bool:
    """Tell whether an offset lies in one of the ranges, which are in order."""
    place = bisect_right(code, (offset, len(code) and code[-1][1])) - 1
    return place >= 0 and code[place][0] <= offset < code[place][1]
