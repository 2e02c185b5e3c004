"""Tokens broken over lines: by a column limit, a continuation, a quotation, a diff."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cache

from llm_wiki.core.redact.shape import Found
from llm_wiki.core.redact.vendors import tokens


@cache
def _break() -> re.Pattern[str]:
    return re.compile(
        r"""(?<=[A-Za-z0-9_+/=.~%-])                # a token may end here
            (?:[\\=](?=\r?\n))? (?:\r?\n|\\{1,3}r?\\{0,3}n)
            (?:[ \t]*(?:[>|*\#]|//)?[ \t]*|[+-][ \t]*)?
            (?=[A-Za-z0-9_+/=.~%-])""",
        re.VERBOSE,
    )


def wrapped(text: str) -> Iterator[Found]:
    """Yield the vendors' tokens that only show when line breaks inside them are taken out."""
    breaks = list(_break().finditer(text))
    if not breaks:
        return
    parts, places, origins, at, length = [], [], [], 0, 0
    for gap in breaks:
        parts.append(text[at : gap.start()])
        length += gap.start() - at
        at = gap.end()
        places.append(length)
        origins.append(gap)
    parts.append(text[at:])
    joined = "".join(parts)
    shift = [0]
    for gap in breaks:
        shift.append(shift[-1] + gap.end() - gap.start())
    for found in tokens(joined):
        first, last = bisect_right(places, found.start), bisect_left(places, found.end)
        if first < last and all(
            _goes_on(joined, places, number, found, text, origins[number]) for number in range(first, last)
        ):
            yield Found(found.kind, found.start + shift[first], found.end + shift[last])


def _goes_on(
    joined: str, places: list[int], number: int, found: Found, text: str, gap: re.Match[str]
) -> bool:
    """Say whether a token goes on after a break: the line is continued by a sign, or what follows is no word."""
    if gap[0][0] in "\\=" and gap[0][1:2] in "\r\n":
        return True
    end = min(found.end, places[number + 1] if number + 1 < len(places) else found.end)
    piece = joined[places[number] : end]
    return any(c.isdigit() for c in piece) or not (piece.islower() or piece.istitle() or piece.isupper())
