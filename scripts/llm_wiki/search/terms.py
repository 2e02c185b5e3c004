"""What a query's words mean in this index: how rare they are, and what stands in for those it lacks.

Only a word that no visible page holds is replaced: by words that begin or end with it (German
compounds), by one spelt nearly the same, by those that share most of its beginning, or by the
parts it is made of; the first of these that finds something.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from llm_wiki.search.syntax import Term
from llm_wiki.search.words import paired

MOST = 8
"""Words that stand in for one."""

MANY = 4000
"""Pages up to which those that hold a word are counted: beyond, it is frequent, however frequent."""

_SHORTEST = 4
"""A word of fewer letters has too many neighbours to be replaced."""


_LONG = 10
"""Letters from which two slips are taken for slips; shorter words of that distance are other words."""


class Group(NamedTuple):
    """One word of the query as it is looked for.

    `stems` maps each stem that counts to how well it stands in (1 for the word itself), `words` each
    form of a word with such a stem to the stem; `asks` has one word of each stem. `pages` is how many
    pages hold one, `weight` its share of what the query says (all groups together 1). `how` is `""`,
    `compound`, `spelling`, `family` or `parts`.
    """

    term: Term
    stems: dict[str, float]
    words: dict[str, str]
    asks: tuple[str, ...]
    pages: int
    weight: float
    how: str


class Corpus:
    """The visible parts of an index."""

    def __init__(self, db: sqlite3.Connection, parts: Sequence[str]) -> None:
        self.db = db
        self.parts = tuple(parts)
        held = dict(db.execute("SELECT name, value FROM meta WHERE name <> 'key'"))
        self.pages = sum(int(held.get(part, 0)) for part in parts)

    def count(self, word: str) -> int:
        """Return how many visible pages hold a word of the stem of `word`, at most `MANY` of each part."""
        found = 0
        for part in self.parts:
            row = self.db.execute(
                f"SELECT count(*) FROM (SELECT 1 FROM {part} WHERE {part} MATCH ? LIMIT ?)",
                (quoted(word), MANY),
            ).fetchone()
            found += row[0]
        return found

    def forms(self, stem: str) -> list[str]:
        """Return the words of a stem."""
        return [word for (word,) in self.db.execute("SELECT word FROM words WHERE stem = ?", (stem,))] or [
            stem
        ]

    def live(self, word: str) -> bool:
        """Tell whether a visible page holds this very form of a word."""
        for part in self.parts:
            rows = self.db.execute(
                f"SELECT title, aliases, tags, summary, headings, body FROM {part} WHERE {part} MATCH ?",
                (quoted(word),),
            )
            if any(f" {word} " in f" {' '.join(row)} " for row in rows):
                return True
        return False

    def held(self, found: Sequence[tuple[str, str]]) -> dict[str, str]:
        """Return those of some words that visible pages hold, at most `MOST`: stem to word."""
        kept: dict[str, str] = {}
        for word, stem in found:
            if stem not in kept and len(kept) < MOST and self.count(word):
                kept[stem] = word
        return kept

    def starting(self, beginning: str) -> list[tuple[str, str]]:
        """Return words that start so, with their stems, shortest first."""
        rows = self.db.execute(
            "SELECT word, stem FROM words WHERE word >= ? AND word < ? ORDER BY length(word), word LIMIT 50",
            (beginning, beginning + "\U0010ffff"),
        )
        return rows.fetchall()

    def holding(self, piece: str) -> list[tuple[str, str]]:
        """Return words that hold a piece, with their stems, shortest first; `^` and `$` are their ends."""
        grams = dict.fromkeys(piece[i : i + 3] for i in range(len(piece) - 2))
        rows = self.db.execute(
            "SELECT substr(word, 2, length(word) - 2) FROM grams WHERE grams MATCH ? "
            "AND instr(word, ?) ORDER BY length(word), word LIMIT 50",
            (" AND ".join(quoted(gram) for gram in grams), piece),
        ).fetchall()
        return [(w, self.stem(w)) for (w,) in rows]

    def alike(self, word: str, most: int) -> list[tuple[int, str, str]]:
        """Return (slips, word, stem) of words at most so many slips away.

        Looked for where slips are likely: the first letter is right, or swapped, or alone is wrong.
        """
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        firsts = dict.fromkeys(word[:2])
        rows: list[tuple[str, str]] = []
        for first in firsts:
            rows += self.db.execute(
                "SELECT word, stem FROM words WHERE word >= ? AND word < ? AND length(word) BETWEEN ? AND ?",
                (first, first + "\U0010ffff", len(word) - most, len(word) + most),
            )
        rows += self.holding(word[1:] + "$")
        found = process.extract(
            word, [other for other, _ in rows], scorer=OSA.distance, score_cutoff=most, limit=MOST
        )
        return [(int(slips), other, rows[place][1]) for other, slips, place in found]

    def knows(self, word: str) -> bool:
        """Tell whether a word is or was in the index."""
        return self.db.execute("SELECT 1 FROM words WHERE word = ?", (word,)).fetchone() is not None

    def stem(self, word: str) -> str:
        """Return the stem of a word of the index."""
        row = self.db.execute("SELECT stem FROM words WHERE word = ?", (word,)).fetchone()
        return row[0] if row else word


def quoted(text: str) -> str:
    """Return a string of FTS5: nothing inside it is an operator."""
    return '"' + text.replace('"', '""') + '"'


def groups_of(corpus: Corpus, terms: Sequence[Term]) -> tuple[list[Group], dict[str, str]]:
    """Return the groups of a query's terms, and the corrections made, by word as typed."""
    found: list[Group] = []
    corrected: dict[str, str] = {}
    for term in terms:
        stand, worth, how = {term.stem: term.word}, 1.0, ""
        pages = corpus.count(term.word)
        if not pages and not paired(term.word):
            stand, worth, how = _instead(corpus, term.word)
            if how == "spelling":
                corrected[term.word] = next(iter(stand.values()))
            pages = min(sum(corpus.count(word) for word in stand.values()), corpus.pages)
        words = {word: stem for stem in stand for word in corpus.forms(stem)}
        stems = dict.fromkeys(stand, worth)
        found.append(Group(term, stems, words, tuple(stand.values()), pages, 0.0, how))
    shares = [
        _rarity(corpus.pages, group.pages) * group.term.weight * _bare(found, place)
        for place, group in enumerate(found)
    ]
    total = sum(shares) or 1.0
    return [
        group._replace(weight=share / total) for group, share in zip(found, shares, strict=True)
    ], corrected


def _bare(found: Sequence[Group], place: int) -> float:
    """Return how much of a pair that no page holds is not part of a neighbouring pair that one does."""
    group = found[place]
    word = group.term.word
    if group.pages or not paired(word):
        return 1.0
    before = place > 0 and found[place - 1].pages and found[place - 1].term.word[-1] == word[0]
    behind = place + 1 < len(found) and found[place + 1].pages and found[place + 1].term.word[0] == word[-1]
    return 1.0 - 0.5 * bool(before) - 0.5 * bool(behind)


def _rarity(pages: int, holding: int) -> float:
    """Return how much a word says that `holding` of `pages` pages hold; none counts as one."""
    return math.log(1 + (pages + 1) / (max(holding, 1) + 0.5))


def _instead(corpus: Corpus, word: str) -> tuple[dict[str, str], float, str]:
    """Return what stands in for a word no page holds (stem to word), how well, and how it was found."""
    if len(word) <= _SHORTEST or word.isdigit():
        return {}, 0.0, ""
    for how, worth, ways in _WAYS:
        if stand := ways(corpus, word):
            return stand, worth, how
    return {}, 0.0, ""


def _compounds(corpus: Corpus, word: str) -> dict[str, str]:
    """Return words that begin or end with a word."""
    return corpus.held(corpus.starting(word) + corpus.holding(f"{word}$"))


def _family(corpus: Corpus, word: str) -> dict[str, str]:
    """Return words that share most of the beginning of a long one: `aufbewahrt`, `aufbewahrungsfrist`."""
    shared = word[: max(6, -(-len(word) * 3 // 4))]
    return corpus.held(corpus.starting(shared)) if len(shared) < len(word) else {}


def _inside(corpus: Corpus, word: str) -> dict[str, str]:
    """Return words that hold a long one anywhere."""
    return corpus.held(corpus.holding(word)) if len(word) >= _LONG - 2 else {}


def _nearest(corpus: Corpus, word: str) -> dict[str, str]:
    """Return the visible word spelt most like `word`: one slip away, a long one two."""
    ranked = [
        (slips, other[0] != word[0], -corpus.count(other), other, stem)
        for slips, other, stem in corpus.alike(word, 1 if len(word) < _LONG else 2)
        if not other.isdigit()
    ]
    for _, _, count, other, stem in sorted(ranked):
        if count and corpus.live(other):
            return {stem: other}
    return {}


def _parts(corpus: Corpus, word: str) -> dict[str, str]:
    """Return the longest words at both ends of a compound, by stem, if they make up most of it."""
    chosen: dict[str, str] = {}
    covered = 0
    for pieces in (
        [word[:end] for end in range(len(word) - 1, _SHORTEST - 1, -1)],
        [word[start:] for start in range(1, len(word) - _SHORTEST + 1)],
    ):
        for piece in pieces:
            if covered + len(piece) <= len(word) and corpus.knows(piece) and corpus.count(piece):
                chosen[corpus.stem(piece)] = piece
                covered += len(piece)
                break
    return chosen if covered * 10 >= len(word) * 7 else {}


_WAYS = (
    ("compound", 0.8, _compounds),
    ("spelling", 0.9, _nearest),
    ("family", 0.7, _family),
    ("compound", 0.7, _inside),
    ("parts", 0.6, _parts),
)
"""How a word no page holds is replaced, how well that stands in, by what; the first that finds something."""
