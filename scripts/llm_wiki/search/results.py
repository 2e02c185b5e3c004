"""What a search hands back."""

from __future__ import annotations

from typing import Any, NamedTuple

from llm_wiki.search.syntax import Query


class Snippet(NamedTuple):
    """One line of a file that the query matches: its 1-based number and its text, cut to fit."""

    line: int
    text: str


class Hit(NamedTuple):
    """One page found.

    `score` orders the hits; `fit` is compared with the floor, which it `fits` or not. `labels` are
    words its reader must be told: the plane unless it is an article, `archived`, `superseded`,
    `retraction-pending`. `answers` tells whether its facts may be an answer: it is an article or a
    source, and fits. `explain` says why it ranks where it does (empty unless asked for).
    """

    path: str
    title: str
    score: float
    kind: str
    category: str
    tags: tuple[str, ...]
    updated: str
    summary: str
    snippets: tuple[Snippet, ...]
    labels: tuple[str, ...]
    answers: bool
    fit: float
    fits: bool
    explain: dict[str, Any]


class Results(NamedTuple):
    """The hits, best first, and how they came about.

    `total` counts the pages that were ranked. `corrected` maps words that
    occur nowhere to those taken instead. `answered` is False when no page that may answer reaches
    `floor`: then the honest reply is a gap.
    """

    hits: tuple[Hit, ...]
    total: int
    query: Query
    corrected: dict[str, str]
    floor: float
    answered: bool
