"""Tokens that are written otherwise than they are: broken over lines, percent-encoded, escaped.

The text is read a second time with breaks taken out and escapes undone; what shows only then is a finding.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cache

from llm_wiki.core.redact.shape import Found
from llm_wiki.core.redact.vendors import tokens


@cache
def _altered() -> re.Pattern[str]:
    return re.compile(
        r"""(?<=[A-Za-z0-9_+/=.~%:!$@-])                     # a token may be broken here
            (?P<sign>\\(?=\r?\n)|=(?=\r?\n)|%0D%0A)?
            (?:\r?\n|\\{1,3}r?\\{0,3}n|(?<=%0D%0A))
            (?:[+-][ \t]*(?=[A-Za-z0-9])|[ \t]*(?:[>|*\#]|//)?[ \t]*)
            (?P<next>[A-Za-z0-9_+/=.~%:!$@-]{1,300}+)
          | %(?P<hex>[2-7][0-9A-Fa-f])
          | \\{1,3}u00(?P<unicode>[2-7][0-9A-Fa-f])
          | \\{1,3}(?P<slash>/)
          | =(?P<soft>3D)""",
        re.VERBOSE,
    )


def views(text: str) -> Iterator[Found]:
    """Yield the vendors' tokens that only show when line breaks are taken out and escapes undone."""
    if "\n" not in text and "\\" not in text and "%" not in text:
        return
    parts: list[str] = []
    places: list[int] = []
    shift = [0]
    at = length = 0
    for gap in _altered().finditer(text):
        kept = _replacement(gap)
        if kept is None:
            continue
        end = gap.start("next") if gap["next"] else gap.end()
        parts += (text[at : gap.start()], kept)
        length += gap.start() - at
        places.append(length)
        shift.append(shift[-1] + end - gap.start() - len(kept))
        length += len(kept)
        at = end
    if not places:
        return
    parts.append(text[at:])
    for found in tokens("".join(parts)):
        first, last = bisect_right(places, found.start - 1), bisect_left(places, found.end)
        yield Found(found.kind, found.start + shift[first], found.end + shift[last])


def _replacement(gap: re.Match[str]) -> str | None:
    """Return what stands for an altered place: nothing for a break, a sign for an escape; None: leave it."""
    code = gap["hex"] or gap["unicode"]
    if code:
        return chr(int(code, 16))
    if gap["slash"]:
        return "/"
    if gap["soft"]:
        return "="
    return "" if gap["sign"] or not _word(gap["next"]) else None


def _word(piece: str) -> bool:
    """Say whether what begins a line is a word of its own, not the rest of a token."""
    piece = piece.rstrip(".:!=/-")
    if any(c.isdigit() for c in piece):
        return False
    return not piece or piece.islower() or piece.istitle() or (piece.isupper() and len(piece) <= 8)
