"""The one ranking: which pages come into question, and how well each fits."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from llm_wiki.search.facts import FIELDS, PARTS
from llm_wiki.search.stop import STOP
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

_TEXTS = ", ".join(f"t.{name}" for name in FIELDS)
_BATCH = 500
_ALL = 1_000_000

Place = tuple[int, int, float]
"""A word of the query in a field: which word of the field, which group, how well it stands in."""

BM25 = "10.0, 8.0, 4.0, 4.0, 3.0, 1.0"
CANDIDATES = 60
CHOOSERS = 6
"""Words of a query that choose candidates, the rarest; all of them rank."""

WEIGHED = 20
"""Candidates that are weighed word by word: those that cover most of the query."""

SEED = 600
"""Pages that are looked at for one list of candidates: rare words choose, frequent ones only rank.

Of more the first by number are taken, which is any, but always the same.
"""


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


def rank(
    corpus: Corpus, query: Query, groups: Sequence[Group], kinds: frozenset[str] | None, limit: int = 10
) -> list[Found]:
    """Return every page that comes into question, best first; ties by path.

    The score lies between 0 and 1: the words found, each weighed by how rare it is and where it
    stands; the part of the query that is covered; names that the query spells out; words near each
    other and in the order asked.
    """
    known = [group for group in groups if group.pages]
    numbers = _candidates(corpus, query, known)
    wanted = [(word, place) for place, group in enumerate(groups) for word in group.words]
    drafts: list[tuple[float, str, int, str, list[str]]] = []
    for start in range(0, len(numbers), _BATCH):
        some = numbers[start : start + _BATCH]
        rows = corpus.db.execute(
            f"SELECT p.id, p.plane, p.path, p.kind, p.updated, p.filters, {_TEXTS} "
            f"FROM pages AS p JOIN texts AS t ON t.id = p.id WHERE p.id IN ({', '.join('?' * len(some))})",
            some,
        )
        for number, plane, path, kind, updated, filters, *texts in rows:
            if _passes(query, kinds, kind, updated, filters):
                drafts.append((-_promise(texts, wanted, groups), path, number, plane, texts))
    drafts.sort()
    found = []
    for _, path, number, plane, texts in drafts if query.filtered else drafts[: max(WEIGHED, 2 * limit)]:
        parts, places = _weigh(dict(zip(FIELDS, texts, strict=True)), groups, wanted)
        score = sum(SHARES[name] * value for name, value in parts.items())
        found.append(Found(number, round(score, 6), _fit(parts), plane, path, parts, places))
    found.sort(key=lambda one: (not one.answers, -one.score * PLANES[one.plane], one.path))
    return found


def _fit(parts: dict[str, float]) -> float:
    together = max(parts["near"], parts["name"])
    return round(0.6 * parts["coverage"] + 0.4 * together, 6)


def _promise(texts: Sequence[str], wanted: Sequence[tuple[str, int]], groups: Sequence[Group]) -> float:
    """Return a quick guess of a page's score: words in its names count twice those anywhere."""
    *names, body = texts
    head = " ".join(names)
    inside: dict[int, float] = {}
    for word, place in wanted:
        if word in head:
            inside[place] = 2.0
        elif place not in inside and word in body:
            inside[place] = 1.0
    return sum(groups[place].weight * value for place, value in inside.items())


def _passes(query: Query, kinds: frozenset[str] | None, kind: str, updated: str, filters: str) -> bool:
    """Tell whether a page passes the filters of a query."""
    if kinds is not None and kind not in kinds:
        return False
    if (query.after and updated < query.after) or (query.before and not "" < updated < query.before):
        return False
    named: list[tuple[str, ...]] = [(f"tag:{tag}",) for tag in query.tags]
    named += [tuple(f"category:{name}" for name in query.categories)] if query.categories else []
    named += [tuple(f"type:{name}" for name in query.types)] if query.types else []
    return all(any(f"\n{one}\n" in filters for one in some) for some in named)


def _candidates(corpus: Corpus, query: Query, known: Sequence[Group]) -> list[int]:
    """Return the numbers of pages to weigh, in a fixed order."""
    numbers: set[int] = set()
    must = "".join(f" AND {_phrase(phrase)}" for phrase in query.phrases)
    but = "".join(f" NOT {_phrase(phrase)}" for phrase in query.without)
    if not known:
        return [] if query.terms or not query.filtered else _all(corpus)
    rare = sorted(known, key=lambda group: (group.pages, group.term.stem))[:CHOOSERS]
    seeds, weighed = [rare[0]], rare[0].pages
    for group in rare[1:]:
        weighed += group.pages
        if weighed > SEED:
            break
        seeds.append(group)
    every = f"({' AND '.join(_any([group]) for group in rare)})"
    names = "_names" if not (must or but) else ""
    lists = [("", _any(seeds)), (names, "{title aliases tags summary headings} : " + _any(rare))]
    lists += [("", every), (names, "{title aliases} : " + every)] if len(seeds) < len(rare) else []
    for part in corpus.parts:
        for of, match in lists:
            table = part + of
            rows = corpus.db.execute(
                f"SELECT number FROM (SELECT rowid AS number, bm25({table}, {BM25}) AS worth "
                f"FROM {table} WHERE {table} MATCH ? LIMIT ?) ORDER BY worth, number LIMIT ?",
                (f"(({match}){must}){but}", *((_ALL, _ALL) if query.filtered else (SEED, CANDIDATES))),
            )
            numbers.update(number for (number,) in rows)
    return sorted(numbers)


def _all(corpus: Corpus) -> list[int]:
    """Return every visible page: a query of filters alone lists what passes them."""
    places = [str(PARTS.index(part)) for part in corpus.parts]
    return [n for (n,) in corpus.db.execute(f"SELECT id FROM pages WHERE part IN ({', '.join(places)})")]


def _any(groups: Sequence[Group]) -> str:
    return "(" + " OR ".join(quoted(word) for group in groups for word in group.asks) + ")"


def _phrase(run: Sequence[str]) -> str:
    return quoted(" ".join(run))


def _hits(text: str, wanted: Sequence[tuple[str, int]], groups: Sequence[Group]) -> list[Place]:
    """Return where the words of a query stand in a field, in order."""
    here = [(word, place) for word, place in wanted if word in text]
    if not here:
        return []
    table: dict[str, tuple[int, float]] = {}
    for word, place in here:
        group = groups[place]
        table.setdefault(word, (place, group.stems[group.words[word]]))
    return [(at, *table[word]) for at, word in enumerate(text.split(" ")) if word in table]


def _weigh(
    fields: dict[str, str], groups: Sequence[Group], wanted: Sequence[tuple[str, int]]
) -> tuple[dict[str, float], dict[str, dict[str, int]]]:
    """Return the parts of a page's score, each 0 to 1, and how often each word stands in each field."""
    hits = {name: _hits(text, wanted, groups) for name, text in fields.items()}
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


def _named(text: str, hits: list[Place], groups: Sequence[Group]) -> float:
    """Return how far query and name are the same: the geometric mean of the parts covered of each."""
    if not hits:
        return 0.0
    telling = sum(1 for word in text.split(" ") if word not in STOP) or 1
    of_name = min(1.0, len({at for at, _, _ in hits}) / telling)
    of_query = sum(groups[place].weight for place in {place for _, place, _ in hits})
    return float((of_name * of_query) ** 0.5)


def _near(hits: list[Place], groups: Sequence[Group]) -> float:
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


def _order(hits: dict[str, list[Place]], groups: Sequence[Group]) -> float:
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
