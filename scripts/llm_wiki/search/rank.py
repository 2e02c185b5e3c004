"""The one ranking: which pages come into question, and how well each fits."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from llm_wiki.search.fields import FIELDS, PARTS
from llm_wiki.search.syntax import Query
from llm_wiki.search.terms import Corpus, Group, quoted

STRENGTH: dict[str, float] = {
    "title": 0.75,
    "aliases": 0.7,
    "tags": 0.45,
    "summary": 0.5,
    "headings": 0.4,
    "body": 0.5,
}
"""How far one word found in a field settles that the page is about it (0 to 1)."""

PLANES: dict[str, float] = {"synthesis": 1.0, "evidence": 0.85, "data": 0.6, "tracking": 0.5, "product": 0.5}
"""Articles first; records and deliverables are found, and say nothing about the world."""

SHARES: dict[str, float] = {"words": 0.5, "coverage": 0.2, "name": 0.15, "near": 0.1, "order": 0.05}
"""What a score is made of; together 1."""

FLOOR = 0.6
"""Fit below which a page is no answer; found by `benchmarks/search.py`."""

ANSWERING = frozenset({"synthesis", "evidence"})
"""Planes whose facts may be an answer (`doctrine.md` §1)."""

WINDOW = 40
"""Words of the body that stand near each other."""

BM25 = "10.0, 8.0, 4.0, 4.0, 3.0, 1.0"
CANDIDATES = 60
SEED = 2500
"""Pages that may be weighed for one list of candidates: rare words choose, frequent ones only rank."""


class Found(NamedTuple):
    """One page with its score and fit, both 0 to 1.

    The score orders pages; the fit tells whether a page may hold an answer: how much of the query it
    covers, and how much of that stands together. `parts` are what the score is made of, `fields`
    where each word stands.
    """

    number: int
    score: float
    fit: float
    plane: str
    path: str
    parts: dict[str, float]
    fields: dict[str, dict[str, int]]

    @property
    def answers(self) -> bool:
        """Whether the page fits well enough, and its plane allows its facts to be an answer."""
        return self.plane in ANSWERING and self.fit >= FLOOR


def rank(corpus: Corpus, query: Query, groups: Sequence[Group], kinds: frozenset[str] | None) -> list[Found]:
    """Return every page that comes into question, best first; ties by path.

    The score lies between 0 and 1: the words found, each weighed by how rare it is and where it
    stands; the part of the query that is covered; names that the query spells out; words near each
    other and in the order asked.
    """
    known = [group for group in groups if group.pages]
    found = []
    for number in _candidates(corpus, query, known):
        facts = _facts(corpus.db, number, query, kinds)
        if facts is None:
            continue
        texts = corpus.db.execute(f"SELECT {', '.join(FIELDS)} FROM texts WHERE id = ?", (number,)).fetchone()
        fields = {name: text.split(" ") for name, text in zip(FIELDS, texts, strict=True)}
        parts, places = _weigh(fields, groups)
        score = sum(SHARES[name] * value for name, value in parts.items())
        found.append(Found(number, round(score, 6), _fit(parts), facts[0], facts[1], parts, places))
    found.sort(key=lambda one: (not one.answers, -one.score * PLANES[one.plane], one.path))
    return found


def _fit(parts: dict[str, float]) -> float:
    together = max(parts["near"], parts["name"])
    return round(0.6 * parts["coverage"] + 0.4 * together, 6)


def _facts(
    db: sqlite3.Connection, number: int, query: Query, kinds: frozenset[str] | None
) -> tuple[str, str] | None:
    """Return plane and path of a page that passes the filters."""
    plane, path, kind, updated, filters = db.execute(
        "SELECT plane, path, kind, updated, filters FROM pages WHERE id = ?", (number,)
    ).fetchone()
    if kinds is not None and kind not in kinds:
        return None
    if (query.after and updated < query.after) or (query.before and not "" < updated < query.before):
        return None
    named: list[tuple[str, ...]] = [(f"tag:{tag}",) for tag in query.tags]
    named += [tuple(f"category:{name}" for name in query.categories)] if query.categories else []
    named += [tuple(f"type:{name}" for name in query.types)] if query.types else []
    ok = all(any(f"\n{one}\n" in filters for one in some) for some in named)
    return (plane, path) if ok else None


def _candidates(corpus: Corpus, query: Query, known: Sequence[Group]) -> list[int]:
    """Return the numbers of pages to weigh, in a fixed order."""
    numbers: set[int] = set()
    must = "".join(f" AND {_phrase(phrase)}" for phrase in query.phrases)
    but = "".join(f" NOT {_phrase(phrase)}" for phrase in query.without)
    if not known:
        return [] if query.terms or not query.filtered else _all(corpus)
    rare = sorted(known, key=lambda group: (group.pages, group.term.stem))
    seeds, weighed = [rare[0]], rare[0].pages
    for group in rare[1:]:
        weighed += group.pages
        if weighed > SEED:
            break
        seeds.append(group)
    names = "{title aliases tags summary headings} : "
    asked = {_any(seeds): BM25, names + _any([g for g in rare if g.pages <= 2 * SEED] or rare[:1]): BM25}
    if len(known) > 1:
        asked["(" + " AND ".join(_any([group]) for group in rare) + ")"] = BM25
    for part in corpus.parts:
        for match, weights in asked.items():
            rows = corpus.db.execute(
                f"SELECT rowid FROM {part} WHERE {part} MATCH ? "
                f"ORDER BY bm25({part}, {weights}), rowid LIMIT ?",
                (f"(({match}){must}){but}", 1_000_000 if query.filtered else CANDIDATES),
            )
            numbers.update(number for (number,) in rows)
    return sorted(numbers)


def _all(corpus: Corpus) -> list[int]:
    """Return every visible page: a query of filters alone lists what passes them."""
    places = [str(PARTS.index(part)) for part in corpus.parts]
    return [n for (n,) in corpus.db.execute(f"SELECT id FROM pages WHERE part IN ({', '.join(places)})")]


def _any(groups: Sequence[Group]) -> str:
    return "(" + " OR ".join(quoted(stem) for group in groups for stem in group.stems) + ")"


def _phrase(run: Sequence[str]) -> str:
    return quoted(" ".join(run))


def _weigh(
    fields: dict[str, list[str]], groups: Sequence[Group]
) -> tuple[dict[str, float], dict[str, dict[str, int]]]:
    """Return the parts of a page's score, each 0 to 1, and how often each word stands in each field."""
    wanted: dict[str, int] = {}
    factor: dict[str, float] = {}
    for place, group in enumerate(groups):
        for word, stem in group.words.items():
            wanted.setdefault(word, place)
            factor[word] = group.stems[stem]
    hits = {
        name: [(at, wanted[word], factor[word]) for at, word in enumerate(text) if word in wanted]
        for name, text in fields.items()
    }
    if not groups:
        return dict.fromkeys(SHARES, 1.0), {}  # filters alone: what passes them is what was asked for
    places: dict[str, dict[str, int]] = {}
    missing = [1.0] * len(groups)
    best = [0.0] * len(groups)
    for name, found in hits.items():
        counts: dict[int, int] = {}
        for _, place, value in found:
            counts[place] = counts.get(place, 0) + 1
            best[place] = max(best[place], value)
        for place, count in counts.items():
            strength = STRENGTH[name] if name != "body" else STRENGTH["body"] * count / (count + 1.2)
            missing[place] *= 1 - strength * best[place]
            places.setdefault(groups[place].term.word, {})[name] = count
    parts = {
        "words": sum(g.weight * (1 - miss) for g, miss in zip(groups, missing, strict=True)),
        "coverage": sum(g.weight * value for g, value in zip(groups, best, strict=True)),
        "name": max(
            _named(fields["title"], hits["title"], groups), _named(fields["aliases"], hits["aliases"], groups)
        ),
        "near": max(_near(hits["body"], groups), _near(hits["summary"], groups)),
        "order": _order(hits, groups),
    }
    return parts, places


def _named(text: list[str], hits: list[tuple[int, int, float]], groups: Sequence[Group]) -> float:
    """Return how far query and name are the same: the geometric mean of the parts covered of each."""
    if not hits:
        return 0.0
    from llm_wiki.search.stop import STOP

    telling = sum(1 for word in text if word not in STOP) or 1
    of_name = min(1.0, len({at for at, _, _ in hits}) / telling)
    of_query = sum(groups[place].weight for place in {place for _, place, _ in hits})
    return float((of_name * of_query) ** 0.5)


def _near(hits: list[tuple[int, int, float]], groups: Sequence[Group]) -> float:
    """Return the share of the query that the best window of `WINDOW` words holds."""
    inside: dict[int, int] = {}
    best = total = 0.0
    first = 0
    for at, place, _ in hits:
        inside[place] = inside.get(place, 0) + 1
        if inside[place] == 1:
            total += groups[place].weight
        while at - hits[first][0] >= WINDOW:
            out = hits[first][1]
            inside[out] -= 1
            if not inside[out]:
                total -= groups[out].weight
            first += 1
        best = max(best, total)
    return best


def _order(hits: dict[str, list[tuple[int, int, float]]], groups: Sequence[Group]) -> float:
    """Return the share of neighbouring query words that stand beside each other somewhere."""
    if len(groups) < 2:
        return 1.0 if any(hits.values()) else 0.0
    pairs: set[int] = set()
    for found in hits.values():
        for (at, place, _), (behind, other, _) in pairwise(found):
            if other == place + 1 and behind - at <= 2:
                pairs.add(place)
    return len(pairs) / (len(groups) - 1)


def explained(found: Found, groups: Sequence[Group]) -> dict[str, Any]:
    """Return why a page has its score, as plain data."""
    return {
        "parts": {name: round(value, 4) for name, value in found.parts.items()},
        "shares": dict(SHARES),
        "plane": {"name": found.plane, "factor": PLANES[found.plane]},
        "words": {
            group.term.word: {
                "weight": round(group.weight, 4),
                "pages": group.pages,
                "fields": found.fields.get(group.term.word, {}),
                **({"instead": sorted(group.stems), "how": group.how} if group.how else {}),
            }
            for group in groups
        },
    }
