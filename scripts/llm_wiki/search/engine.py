"""Search over one root: visibility, then candidates, then the one ranking."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, NamedTuple

from llm_wiki.admit.visibility import ARCHIVED, Scope
from llm_wiki.core.errors import Conflict, WikiError
from llm_wiki.core.files import sha256
from llm_wiki.search.facts import PARTS, Facts
from llm_wiki.search.index import drop, opened
from llm_wiki.search.rank import FLOOR, PLANES, Found, explained, rank
from llm_wiki.search.results import Hit, Results, Snippet
from llm_wiki.search.snippets import snippets_of
from llm_wiki.search.syntax import Query, parse
from llm_wiki.search.terms import Corpus, Group, groups_of

if TYPE_CHECKING:
    from llm_wiki.wiki.resolve import Root
    from llm_wiki.wiki.snapshot import Snapshot

__all__ = ["Ask", "Hit", "Results", "Scope", "Snippet", "answer", "closed", "find", "search"]

_COLUMNS = ", ".join(Facts._fields)

Read = Callable[[str], bytes]
"""Gives the bytes of a page by its path; raises what `Snapshot.read` raises."""


class Ask(NamedTuple):
    """What is asked of an index: how many hits, within a scope, of which `kinds` (None: all)."""

    query: Query
    limit: int = 10
    scope: Scope = Scope()
    kinds: frozenset[str] | None = None
    explain: bool = False


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
    ask = Ask(parse(text), limit, scope, None if kinds is None else frozenset(kinds), explain)
    return find(snapshot, root, ask)


def find(snapshot: Snapshot, root: Root, ask: Ask, listing: bytes = b"") -> Results:
    """Answer from an index that agrees with a snapshot; `listing` as in `index.opened`."""
    if closed(root, ask.scope):
        return nothing(ask.query)
    try:
        with opened(snapshot, root, listing) as db:
            return answer(db, root, ask, snapshot.read)
    except sqlite3.Error:  # damage that opening did not meet: forget the file, and do without it once
        drop(root.path)
        with opened(snapshot, root, stored=False) as db:
            return answer(db, root, ask, snapshot.read)


def closed(root: Root, scope: Scope) -> bool:
    """Tell whether a root is silent: archived, and not asked for."""
    return root.status == ARCHIVED and not scope.include_archived


def nothing(query: Query) -> Results:
    """Return the result of a search that may see no page."""
    return Results((), 0, query, {}, FLOOR, answered=False)


def answer(db: sqlite3.Connection, root: Root, ask: Ask, read: Read, *, exact: bool = False) -> Results:
    """Answer from an index; with `exact`, Conflict when a page found is no longer the one indexed."""
    allowed = {
        "open": True,
        "raw": ask.scope.raw,
        "archived": ask.scope.include_archived,
        "superseded": ask.scope.superseded,
    }
    corpus = Corpus(db, [part for part in PARTS if allowed[part]])
    groups, corrected = groups_of(corpus, ask.query.terms)
    found = rank(corpus, ask.query, groups, ask.kinds, ask.limit)
    shown = [
        _hit(db, root, one, groups, read, explain=ask.explain, exact=exact)
        for one in found[: max(ask.limit, 0)]
    ]
    answered = any(one.answers for one in found)
    return Results(tuple(shown), len(found), ask.query, corrected, FLOOR, answered)


def _hit(
    db: sqlite3.Connection,
    root: Root,
    one: Found,
    groups: list[Group],
    read: Read,
    *,
    explain: bool,
    exact: bool,
) -> Hit:
    row = db.execute(f"SELECT {_COLUMNS} FROM pages WHERE id = ?", (one.number,)).fetchone()
    facts = Facts(*row)
    notes = facts.notes.split("\n") if facts.notes else []
    if root.status == ARCHIVED:
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
        _snippets(facts, groups, read, exact=exact),
        tuple(dict.fromkeys(labels)),
        one.answers,
        round(one.fit, 4),
        one.fit >= FLOOR,
        explained(one, groups) if explain else {},
    )


def _snippets(facts: Facts, groups: list[Group], read: Read, *, exact: bool) -> tuple[Snippet, ...]:
    try:
        data = read(facts.path)
        if sha256(data) != facts.sha:
            raise Conflict(f"{facts.path} has changed since it was read", path=facts.path)
    except (WikiError, KeyError, OSError) as error:
        if exact:
            raise Conflict(f"{facts.path} has changed since it was read", path=facts.path) from error
        return ()
    return snippets_of(data, facts.body_line, groups)
