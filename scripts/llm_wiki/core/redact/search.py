"""All detectors over one text, their answers merged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from llm_wiki.core.redact.assign import assignments
from llm_wiki.core.redact.blocks import blocks
from llm_wiki.core.redact.shape import Found
from llm_wiki.core.redact.structure import places
from llm_wiki.core.redact.vendors import tokens
from llm_wiki.core.redact.views import views


def search(text: str, *, strict: bool = False, homes: bool = False) -> list[Found]:
    """Return the secrets of a text in its order; where answers overlap, the widest names the kind."""
    low = text.encode("ascii", "replace").lower()
    found = [*blocks(text), *tokens(text), *views(text), *places(text, low), *assignments(text)]
    if strict:
        from llm_wiki.core.redact.personal import personal

        found += personal(text)
    elif homes:
        from llm_wiki.core.redact.personal import users

        found += users(text)
    if not found:
        return []
    return list(_merged(_outside(found, text)))


@cache
def _mark() -> re.Pattern[str]:
    return re.compile(r"\[(?:REDACTED(?::[a-z0-9-]{1,40})?|OMITTED[^\]\n]{0,120})\]")


def _outside(found: list[Found], text: str) -> list[Found]:
    """Drop what lies in a mark that an earlier redaction left, and cut what begins or ends in one."""
    marks = [m.span() for m in _mark().finditer(text)] if "[" in text else []
    if not marks:
        return found
    return [
        Found(kind, *piece)
        for kind, start, end in found
        for piece in _pieces(start, end, marks)
        if any(c.isalnum() for c in text[slice(*piece)])
    ]


def _pieces(start: int, end: int, marks: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    from bisect import bisect_right

    at = bisect_right(marks, (start, start))
    if at and marks[at - 1][1] > start:
        start = marks[at - 1][1]
    while at < len(marks) and marks[at][0] < end:
        if marks[at][0] > start:
            yield start, marks[at][0]
        start = max(start, marks[at][1])
        at += 1
    if start < end:
        yield start, end


def _merged(found: list[Found]) -> Iterator[Found]:
    """Join what overlaps; the widest answer of a group gives the kind, of equals the first detector's."""
    order = sorted(range(len(found)), key=lambda n: (found[n].start, n))
    group: Found | None = None
    width = 0
    for number in order:
        item = found[number]
        if group is None or item.start >= group.end:
            if group:
                yield group
            group, width = item, item.end - item.start
            continue
        kind = group.kind
        if item.end - item.start > width:
            kind, width = item.kind, item.end - item.start
        group = Found(kind, group.start, max(group.end, item.end))
    if group:
        yield group
