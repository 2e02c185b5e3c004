"""The table of vendors' shapes, and looking for them: needles first, patterns only where one occurs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from llm_wiki.core.redact.shape import Family, Found
from llm_wiki.core.redact.values import token_like
from llm_wiki.core.redact.vendors_ai import AI
from llm_wiki.core.redact.vendors_build import BUILD
from llm_wiki.core.redact.vendors_cloud import CLOUD
from llm_wiki.core.redact.vendors_work import WORK

FAMILIES: tuple[Family, ...] = (*CLOUD, *BUILD, *AI, *WORK)
"""Every family. Where two fit, the earlier or longer one names the kind."""

_SIGNS = "_-.:/~+$"


def _by_sign() -> tuple[tuple[str, tuple[Family, ...]], ...]:
    """Group the families by a sign that all their needles hold: without it none of them is looked for."""
    groups: dict[str, list[Family]] = {}
    for family in FAMILIES:
        sign = next((s for s in _SIGNS if all(s in needle for needle in family.needles)), "")
        groups.setdefault(sign, []).append(family)
    return tuple((sign, tuple(members)) for sign, members in groups.items())


@cache
def _groups() -> tuple[tuple[str, tuple[Family, ...]], ...]:
    return _by_sign()


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def tokens(text: str) -> Iterator[Found]:
    """Yield everything that has the shape of a vendor's secret, in no order, overlaps included."""
    for sign, families in _groups():
        if sign and sign not in text:
            continue
        for family in families:
            for needle in family.needles:
                if needle in text:
                    yield from _of(family, text)
                    break


def _of(family: Family, text: str) -> Iterator[Found]:
    for match in _compiled(family.pattern).finditer(text):
        start, end = match.span(match.re.groups and 1)
        start = max(0, start - family.back)
        if family.edge and not _edge(text, start):
            continue
        if token_like(text[start:end], digits=family.digits):
            yield Found(family.kind, start, _trimmed(text, start, end))


def _trimmed(text: str, start: int, end: int) -> int:
    while end > start + 8 and text[end - 1] in ".,-":
        end -= 1
    return end


def _edge(text: str, start: int) -> bool:
    """Say whether a token may begin here: after no letter or digit, but for those that end an escape."""
    if start == 0:
        return True
    before = text[start - 1]
    if not (before.isalnum() or before == "_"):
        return before != "-" or text[start - 2 : start - 1] in ("", " ", "\n", "-")
    tail = text[max(0, start - 6) : start]
    return (
        (tail[-2:-1] == "\\" and before in "nrtbf")
        or (tail[-3:-2] == "%" and all(c in "0123456789ABCDEFabcdef" for c in tail[-2:]))
        or (tail[:2] == "\\u" and len(tail) == 6)
        or (before == "m" and tail[-2:-1].isdigit() and ("[" in tail or ";" in tail))
    )
