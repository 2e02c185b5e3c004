"""When two sources are one: same address, same upstream item, same body, or one text inside the other.

Everything here is a pure function of texts and fields. Word shingles follow `doctrine.md` §6: 5 words,
two texts are duplicates when 80 % of the shorter one's shingles are in the other.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from llm_wiki.admit.urls import is_web, normalise_url, without_tracking

__all__ = [
    "CONTAINED",
    "SHINGLE",
    "Group",
    "Item",
    "containment",
    "find_duplicates",
    "is_web",
    "normalise_url",
    "shingles",
    "similar",
    "upstream_key",
    "without_tracking",
    "words",
]

SHINGLE = 5
"""Words in a shingle."""

CONTAINED = 0.8
"""Share of the shorter text's shingles from which two texts count as duplicates."""

_SKETCH = 24
"""Shingles that stand for a text while candidates are looked for."""

_LONG_WORDS = 12
"""Longest words of a text that another one is asked for before both are cut into shingles."""

_WORD = re.compile(
    # Scripts written without blanks have no word borders to split at: each character is a word there.
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
    r"|(?:(?![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])\w)+"
)


def words(text: str) -> list[str]:
    """Return the words of a text, compatibility forms and letter case removed."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def shingles(text: str) -> frozenset[str]:
    """Return the set of runs of five words; a shorter text is one run of all its words."""
    found = words(text)
    if len(found) <= SHINGLE:
        return frozenset([" ".join(found)] if found else [])
    return frozenset(" ".join(found[start : start + SHINGLE]) for start in range(len(found) - SHINGLE + 1))


def containment(one: str, other: str) -> float:
    """Return the share of the shorter text's shingles that the other has too: 0.0 to 1.0.

    A text without words is contained in nothing.
    """
    return _share(shingles(one), shingles(other))


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0


def similar(text: str, others: Iterable[tuple[str, str]]) -> list[tuple[str, float]]:
    """Return (name, share) of the other texts that hold 80 % of this one or the reverse, closest first.

    Texts that lack most of this one's long words are passed over without a look at their shingles.
    """
    mine = shingles(text)
    long_words = sorted(set(words(text)), key=lambda word: (-len(word), word))[:_LONG_WORDS]
    found = []
    for name, other in others:
        folded = unicodedata.normalize("NFKC", other).casefold()
        known = sum(word in folded for word in long_words)
        # A text that is itself only a part of this one has few of its words: judge it by its length.
        if known * 2 < len(long_words) and len(other) * 2 > len(text):
            continue
        share = _share(mine, shingles(other))
        if share >= CONTAINED:
            found.append((name, share))
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))


def upstream_key(field: Callable[[str], str]) -> str:
    """Return the identity of a collection's child (`wiki-format.md` §5.1), or "" for any other source.

    `field` gives a front matter scalar by name, "" when it is absent.
    """
    collection, item = field("collection"), field("upstream_id")
    version = field("revision") or field("sha")
    return f"{collection}\n{item}\n{version}" if collection and item and version else ""


class Item(NamedTuple):
    """One source to compare.

    `name` identifies it in the answer, `url` is its address or "", `upstream` its `upstream_key` or "",
    `body_hash` its body hash or "", `text` its body or "" (then no shingles are compared).
    """

    name: str
    url: str = ""
    upstream: str = ""
    body_hash: str = ""
    text: str = ""


class Group(NamedTuple):
    """Sources that are one: `reason` is `url`, `upstream`, `body` or `text`; `names` are sorted.

    `share` is the least containment of a pair that joined the group, 1.0 for the exact reasons.
    """

    reason: str
    names: tuple[str, ...]
    share: float = 1.0


def find_duplicates(items: Sequence[Item]) -> list[Group]:
    """Return all groups of duplicates, exact reasons first, each group once per reason.

    A `text` group joins what overlaps by 80 % and is not already one by its body hash. Time grows
    with the number of words, not with the number of pairs.
    """
    groups: list[Group] = []
    by_reason: tuple[tuple[str, Callable[[Item], str]], ...] = (
        ("url", lambda item: normalise_url(item.url) if is_web(item.url) else ""),
        ("upstream", lambda item: item.upstream),
        ("body", lambda item: item.body_hash),
    )
    for reason, key in by_reason:
        groups += [Group(reason, names) for names in _equal((key(item), item.name) for item in items)]
    return groups + list(_overlapping(_first_of_each_body(items)))


def _equal(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, ...]]:
    found: dict[str, set[str]] = {}
    for key, name in pairs:
        if key:
            found.setdefault(key, set()).add(name)
    return sorted(tuple(sorted(names)) for names in found.values() if len(names) > 1)


def _first_of_each_body(items: Sequence[Item]) -> list[Item]:
    """Return the items with text, of those with one body hash only the first by name."""
    first: dict[str, Item] = {}
    for item in sorted(items):
        if item.text:
            first.setdefault(item.body_hash or f"name:{item.name}", item)
    return list(first.values())


def _overlapping(items: Sequence[Item]) -> Iterator[Group]:
    """Join items whose texts overlap: sketches name the candidates, all shingles decide."""
    owners: dict[int, list[int]] = {}
    sizes: list[int] = []
    hashed: list[array[int]] = []
    for number, item in enumerate(items):
        hashed.append(_hashes(item.text))
        sketch = sorted(set(hashed[number]))[:_SKETCH]
        sizes.append(len(sketch))
        for value in sketch:
            owners.setdefault(value, []).append(number)
    parent = list(range(len(items)))
    least: dict[int, float] = {}
    for number, item in enumerate(items):
        hits: dict[int, int] = {}
        for value in owners.keys() & set(hashed[number]):
            for owner in owners[value]:
                if owner != number:
                    hits[owner] = hits.get(owner, 0) + 1
        for owner in sorted(owner for owner, count in hits.items() if count * 2 >= sizes[owner]):
            if _top(parent, number) == _top(parent, owner):
                continue
            share = containment(item.text, items[owner].text)
            if share >= CONTAINED:
                _join(parent, least, number, owner, share)
    yield from _groups(items, parent, least)


def _hashes(text: str) -> array[int]:
    """Return stable numbers of a text's shingles: Python's own string hash differs from run to run."""
    return array("I", (zlib.crc32(shingle.encode("utf-8", "surrogatepass")) for shingle in shingles(text)))


def _top(parent: list[int], number: int) -> int:
    while parent[number] != number:
        parent[number] = parent[parent[number]]
        number = parent[number]
    return number


def _join(parent: list[int], least: dict[int, float], one: int, other: int, share: float) -> None:
    first, second = sorted((_top(parent, one), _top(parent, other)))
    parent[second] = first
    least[first] = min(share, least.get(first, 1.0), least.get(second, 1.0))


def _groups(items: Sequence[Item], parent: list[int], least: Mapping[int, float]) -> list[Group]:
    members: dict[int, list[str]] = {}
    for number, item in enumerate(items):
        members.setdefault(_top(parent, number), []).append(item.name)
    groups = [
        Group("text", tuple(sorted(names)), least.get(top, 1.0))
        for top, names in members.items()
        if len(names) > 1
    ]
    return sorted(groups, key=lambda group: group.names)
