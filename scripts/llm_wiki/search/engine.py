"""Search over one root: visibility, then candidates, then the one ranking."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection

from llm_wiki.admit.visibility import ARCHIVED, Scope
from llm_wiki.core.errors import WikiError
from llm_wiki.core.files import sha256
from llm_wiki.search.fields import PARTS, Facts
from llm_wiki.search.index import opened
from llm_wiki.search.rank import PLANES, Found, explained, rank
from llm_wiki.search.results import Hit, Results, Snippet
from llm_wiki.search.snippets import snippets_of
from llm_wiki.search.syntax import Query, parse
from llm_wiki.search.terms import Corpus, Group, groups_of
from llm_wiki.wiki.resolve import Root
from llm_wiki.wiki.snapshot import Snapshot

__all__ = ["FLOOR", "Hit", "Results", "Scope", "Snippet", "search"]

FLOOR = 0.45
"""Score below which a page is no answer; found by `benchmarks/search.py`."""

_COLUMNS = ", ".join(Facts._fields)
_ANSWERING = frozenset({"synthesis", "evidence"})

Read = Callable[[str], bytes]


def search(
    snapshot: Snapshot,
    root: Root,
    text: str,
    *,
    limit: int = 10,
    scope: Scope = Scope(),  # noqa: B008 - immutable
    explain: bool = False,
    kinds: Collection[str] | None = None,
) -> Results:
    """Return the pages of a root that fit a query, best first; see `Results`.

    Any text is a query. `kinds` limits to kinds of documents (`model.kinds`). The stored index is
    brought in line with the snapshot first; whatever state it is in, the result is the same.
    """
    query = parse(text)
    if root.status == "archived" and not scope.include_archived:
        return Results((), 0, query, {}, FLOOR, answered=False)
    with opened(snapshot, root) as db:
        return answer(db, root, query, snapshot.read, limit=limit, scope=scope, explain=explain, kinds=kinds)


def answer(
    db: sqlite3.Connection,
    root: Root,
    query: Query,
    read: Read,
    *,
    limit: int,
    scope: Scope,
    explain: bool = False,
    kinds: Collection[str] | None = None,
) -> Results:
    """Answer a query from an index that agrees with the files; `read` gives the bytes of a page."""
    parts = ["open"]
    parts += ["raw"] if scope.raw else []
    parts += ["archived"] if scope.include_archived else []
    parts += ["superseded"] if scope.superseded else []
    corpus = Corpus(db, [part for part in PARTS if part in parts])
    groups, corrected = groups_of(corpus, query.terms)
    found = rank(corpus, query, groups, None if kinds is None else frozenset(kinds))
    answered = any(one.plane in _ANSWERING and one.score >= FLOOR for one in found)
    found.sort(key=lambda one: not (one.plane in _ANSWERING and one.score >= FLOOR))
    hits = tuple(_hit(db, root, one, groups, read, explain=explain) for one in found[: max(limit, 0)])
    return Results(hits, len(found), query, corrected, FLOOR, answered)


def _hit(
    db: sqlite3.Connection, root: Root, one: Found, groups: list[Group], read: Read, *, explain: bool
) -> Hit:
    row = db.execute(f"SELECT {_COLUMNS} FROM pages WHERE id = ?", (one.number,)).fetchone()
    facts = Facts(*row)
    notes = facts.notes.split("\n") if facts.notes else []
    if root.status == "archived":
        notes.insert(0, ARCHIVED)
    labels = notes if facts.plane == "synthesis" else [facts.plane, *notes]
    return Hit(
        facts.path,
        facts.title,
        round(one.score * PLANES[one.plane], 4),
        facts.kind,
        facts.category or facts.type,
        tuple(facts.tags.split("\n")) if facts.tags else (),
        facts.updated,
        facts.summary,
        _snippets(facts, groups, read),
        tuple(dict.fromkeys(labels)),
        facts.plane in _ANSWERING,
        explained(one, groups) if explain else {},
    )


def _snippets(facts: Facts, groups: list[Group], read: Read) -> tuple[Snippet, ...]:
    try:
        data = read(facts.path)
    except (WikiError, KeyError, OSError):
        return ()
    return snippets_of(data, groups) if sha256(data) == facts.sha else ()
