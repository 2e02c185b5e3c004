"""What a lint run is asked for, and which rules that selects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from posixpath import commonprefix
from typing import Literal, NamedTuple

from llm_wiki.core.errors import BadUsage
from llm_wiki.lint.finding import SEVERITIES

FailOn = Literal["critical", "warning", "suggestion", "info", "never"]

FAIL_ON: tuple[FailOn, ...] = (*SEVERITIES, "never")
"""Levels of `--fail-on`, most severe first; the run fails on a finding of that level or above it."""

NO_RULE = frozenset({"W100"})
"""Ids of the catalogue that are no rule of the table: they end the run instead."""

ARCHIVED_SKIP = ("W6", "W7")
"""What an archived topic is spared: coverage and freshness press for work nobody does there (B37)."""


class Options(NamedTuple):
    """Flags of one run: `only` and `skip` are rule ids or prefixes, `strict` takes documented severities."""

    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    strict: bool = False
    fail_on: FailOn = "suggestion"
    use_cache: bool = True
    jobs: int | None = None

    def for_status(self, status: str) -> Options:
        """Return the options for a root of this status: an archived topic is spared W6 and W7."""
        if status != "archived":
            return self
        return self._replace(skip=(*self.skip, *ARCHIVED_SKIP))


def select(only: Iterable[str] = (), skip: Iterable[str] = ()) -> frozenset[str]:
    """Return the ids of the rules to run.

    Each word is an id or the beginning of ids (`W5`), in any case; several may stand in one word,
    parted by commas. Without `only` all rules run but those that must be named. Raises BadUsage
    for a word that begins no id, and for an `only` that names none: it would select everything.
    """
    from llm_wiki.lint.rules.table import RULES

    only = tuple(only)
    wanted = words(only)
    if only and not wanted:
        raise BadUsage("--only names no rule", remedy="give ids or prefixes: --only W501,W6")
    chosen = _expand(wanted) if wanted else frozenset(rule.id for rule in RULES)
    named = frozenset(wanted)
    opt_in = frozenset(rule.id for rule in RULES if rule.opt_in and rule.id not in named)
    return chosen - opt_in - _expand(words(skip))


def words(given: Iterable[str]) -> Sequence[str]:
    """Split `W1,w2` and blanks into upper-case words, in order."""
    return [word.strip().upper() for text in given for word in text.split(",") if word.strip()]


def _expand(given: Sequence[str]) -> frozenset[str]:
    from llm_wiki.lint.rules.table import BY_ID

    found: set[str] = set()
    for word in given:
        hits = [rule_id for rule_id in BY_ID if rule_id.startswith(word)]
        if not hits and word not in NO_RULE:
            raise BadUsage(f"no lint rule is called {word}", remedy=_nearest(word, BY_ID))
        found.update(hits)
    return frozenset(found)


def _nearest(word: str, ids: Iterable[str]) -> str:
    """Name the id that begins most like the word, among equals the most similar one."""
    from difflib import SequenceMatcher

    def likeness(rule_id: str) -> tuple[int, float]:
        return len(commonprefix([rule_id, word])), SequenceMatcher(None, rule_id, word).ratio()

    return f"did you mean {max(ids, key=likeness)}?"
