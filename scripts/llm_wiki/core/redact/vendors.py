"""The table of vendors' shapes, and looking for them: needles first, patterns only where one occurs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from llm_wiki.core.redact.shape import ALPHABETS, Family, Found
from llm_wiki.core.redact.values import token_like
from llm_wiki.core.redact.vendors_ai import AI
from llm_wiki.core.redact.vendors_build import BUILD
from llm_wiki.core.redact.vendors_cloud import CLOUD
from llm_wiki.core.redact.vendors_trade import TRADE
from llm_wiki.core.redact.vendors_work import WORK

FAMILIES: tuple[Family, ...] = (*CLOUD, *BUILD, *AI, *TRADE, *WORK)
"""Every family. Where two fit, the earlier or longer one names the kind."""

_LONG = 16384
"""Characters from which on an index of the text is cheaper than looking for each needle."""


@cache
def _letters() -> frozenset[str]:
    return frozenset().union(*(needle for family in FAMILIES for needle in family.needles))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def tokens(text: str) -> Iterator[Found]:
    """Yield everything that has the shape of a vendor's secret, in no order, overlaps included."""
    occurs = _index(text) if len(text) >= _LONG else text.__contains__
    for family in FAMILIES:
        for needle in family.needles:
            if occurs(needle):
                yield from _of(family, text)
                break


@cache
def _by_first() -> dict[str, list[str]]:
    """Return the needles without a sign behind three letters, by their first character."""
    groups: dict[str, list[str]] = {}
    for family in FAMILIES:
        for needle in family.needles:
            if not _key(needle):
                groups.setdefault(needle[0], []).append(needle)
    return groups


@cache
def _key(needle: str) -> str:
    """Return three letters or digits of a needle with the sign that follows them, "" when it has none."""
    for at in range(3, len(needle)):
        if needle[at] in "_-." and needle[at - 3 : at].isalnum():
            return needle[at - 3 : at + 1]
    return ""


def _index(text: str) -> Callable[[str], bool]:
    """Read a long text once for all needles; the answer says of one whether it occurs."""
    present = frozenset(letter for letter in _letters() if letter in text)
    keys = set(_compiled(r"[_.-](?<=([A-Za-z0-9]{3}[_.-]))").findall(text)) if present & set("_-.") else set()
    found: set[str] = set()
    for members in _by_first().values():
        likely = [needle for needle in members if present.issuperset(needle)]
        if len(likely) < 3:
            found.update(needle for needle in likely if needle in text)
            continue
        tails = "|".join(re.escape(needle[1:]) for needle in sorted(likely, key=len))
        hits = set(_compiled(f"{re.escape(likely[0][0])}(?:{tails})").findall(text))
        found.update(needle for needle in likely if any(needle.startswith(hit) for hit in hits))

    def occurs(needle: str) -> bool:
        key = _key(needle)
        return (key in keys and present.issuperset(needle) and needle in text) if key else needle in found

    return occurs


def _of(family: Family, text: str) -> Iterator[Found]:
    for match in _compiled(family.pattern).finditer(text):
        start, end = match.span(match.re.groups and 1)
        start = _stretched(text, max(0, start - family.back), family.stretch)
        if family.edge and not _edge(text, start):
            continue
        if token_like(text[start:end], digits=family.digits):
            yield Found(family.kind, start, _trimmed(text, start, end))


def _stretched(text: str, start: int, letters: str) -> int:
    """Return where a token begins whose first part has no fixed length."""
    if letters:
        alphabet, floor = ALPHABETS[letters], max(0, start - 64)
        while start > floor and text[start - 1] in alphabet:
            start -= 1
    return start


def _trimmed(text: str, start: int, end: int) -> int:
    while end > start + 8 and text[end - 1] in ".,-":
        end -= 1
    return end


def _edge(text: str, start: int) -> bool:
    """Say whether a token may begin here: after no letter or digit, but for those that end an escape.

    `-` and `_` join words of names, and a name may hold a token: `fix_` before one does not hide it.
    """
    if start == 0:
        return True
    before = text[start - 1]
    if not before.isalnum():
        return True
    tail = text[max(0, start - 6) : start]
    return (
        (tail[-2:-1] == "\\" and before in "nrtbf")
        or (tail[-3:-2] == "%" and all(c in "0123456789ABCDEFabcdef" for c in tail[-2:]))
        or (tail[:2] == "\\u" and len(tail) == 6)
        or (before == "m" and tail[-2:-1].isdigit() and ("[" in tail or ";" in tail))
    )
