"""What a query says: words, phrases, exclusions and filters. Nothing in it is an error.

`"a phrase"`, `-word`, `-"a phrase"`, `tag:x`, `category:x`, `type:x`, `after:YYYY[-MM[-DD]]`,
`before:…`; everything else is words.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from llm_wiki.core.text import as_date
from llm_wiki.search.stop import ASKING, FILLERS, SOFT, STOP
from llm_wiki.search.words import asked, folded, paired, stems

MOST = 40
"""Different words of a query that are looked at; a pasted page is a query by its first words."""

LONGEST = 4000
"""Characters of a query that are looked at."""

_PART = re.compile(r'(-?)"([^"]*)"|(\S+)')
_FILTER = re.compile(r"(-?)(tag|category|type|after|before):(.+)", re.IGNORECASE | re.DOTALL)
_NAME = re.compile(r"[A-Z][^\W\d_]*[A-Z]|\d")


@lru_cache(maxsize=1)
def _asking() -> re.Pattern[str]:
    return re.compile("|".join(re.escape(form) for form in sorted(ASKING, key=len, reverse=True)))


class Term(NamedTuple):
    """One word that is looked for: as typed (folded), its stem, and how much it can say (0 to 1)."""

    word: str
    stem: str
    weight: float = 1.0


class Query(NamedTuple):
    """A parsed query.

    `typed` is the text as given, cut to `LONGEST`. `terms` are its telling words in order, each
    once; `phrases` and `without` are runs of words; filters are folded.
    """

    typed: str
    terms: tuple[Term, ...]
    phrases: tuple[tuple[str, ...], ...]
    without: tuple[tuple[str, ...], ...]
    tags: tuple[str, ...]
    categories: tuple[str, ...]
    types: tuple[str, ...]
    after: str
    before: str

    @property
    def filtered(self) -> bool:
        """Whether a filter is set."""
        return bool(self.tags or self.categories or self.types or self.after or self.before)


class _Parts:
    """Gathers what the pieces of a query say."""

    def __init__(self) -> None:
        self.plain: list[str] = []
        self.phrases: list[list[str]] = []
        self.without: list[list[str]] = []
        self.filters: dict[str, list[str]] = {}
        self.names: set[str] = set()

    def take(self, minus: str, quoted: str | None, bare: str) -> None:
        if quoted is not None:
            run = asked(quoted)
            if run:
                (self.without if minus else self.phrases).append(run)
            return
        named = _FILTER.fullmatch(bare)
        if named is not None and not named[1] and self.filter(named[2].casefold(), named[3]):
            return
        if bare.startswith("-") and len(bare) > 1 and asked(bare[1:]) and not bare.startswith("--"):
            self.without.append(asked(bare[1:]))
            return
        run = asked(bare if bare.isascii() else _asking().sub(" ", bare))
        if _NAME.search(bare):
            self.names.update(run)
        self.plain += run

    def filter(self, name: str, value: str) -> bool:
        """Take a filter; a date that is none is plain text."""
        value = folded(value.strip("\"'"))
        if name in ("after", "before"):
            value = _date(value)
        if value:
            self.filters.setdefault(name, []).append(value)
        return bool(value)


def _date(text: str) -> str:
    """Return the day of a date that may lack day and month, "" for anything else."""
    whole = text + "-01-01"[len(text) - 4 :] if re.fullmatch(r"\d{4}(-\d\d)?", text) else text
    found = as_date(whole)
    return found.isoformat() if found else ""


def parse(text: str) -> Query:
    """Read a query; text of any kind gives one."""
    typed = " ".join(text[:LONGEST].replace("\0", " ").split())
    parts = _Parts()
    for piece in _PART.finditer(typed):
        parts.take(piece[1] or "", piece[2], piece[3] or "")
    plain = parts.plain + [word for phrase in parts.phrases for word in phrase]
    distinct = list(dict.fromkeys(plain))
    telling = [word for word in distinct if word not in STOP] or distinct
    telling = telling[:MOST]
    cut = stems(telling)
    terms: dict[str, Term] = {}
    for word in telling:
        terms.setdefault(cut[word], Term(word, cut[word], _weight(word, named=word in parts.names)))
    filters = parts.filters
    return Query(
        typed,
        tuple(terms.values()),
        tuple(map(tuple, parts.phrases)),
        tuple(map(tuple, parts.without)),
        tuple(filters.get("tag", ())),
        tuple(filters.get("category", ())),
        tuple(filters.get("type", ())),
        max(filters.get("after", ("",))),
        min(filters.get("before", ("",))),
    )


def _weight(word: str, *, named: bool) -> float:
    """Return how much a word can say by its looks alone; `named`: typed like a name (`YAML`, `v2`)."""
    if paired(word):
        return 0.25 if any(char in FILLERS for char in word) else 0.6
    if len(word) == 1:
        return 0.4
    if word in SOFT:
        return 0.3
    return 1.5 if named else 1.0
