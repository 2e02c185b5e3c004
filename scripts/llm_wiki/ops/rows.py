"""Index rows: what a reader learns of a page without opening it, of this wiki or of its siblings."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import NamedTuple

from llm_wiki.admit import visibility
from llm_wiki.admit.visibility import Scope
from llm_wiki.core.errors import WikiError
from llm_wiki.core.fence import one_line
from llm_wiki.ops.reading import Library, title_of
from llm_wiki.ops.trees import load
from llm_wiki.search.engine import search
from llm_wiki.search.words import stems, words
from llm_wiki.wiki.registry import Registry
from llm_wiki.wiki.resolve import Root, resolve

HINTS = 3
"""Rows of each sibling topic shown at most."""


class Row(NamedTuple):
    """One index row, made from the page itself, so that a stale index cannot lie."""

    path: str
    title: str
    summary: str
    tags: tuple[str, ...]
    updated: str
    labels: dict[str, str]


class Hint(NamedTuple):
    """The index hits of one other topic: rows only, never text."""

    topic: str
    rows: tuple[Row, ...]


def row_of(library: Library, rel: str, prefix: str = "") -> Row:
    """Return the index row of a visible page; text under a retraction marker is masked in it."""
    page = library.snapshot.pages[rel]
    summary = one_line(visibility.mask(page.text("summary")))
    return Row(
        prefix + rel,
        one_line(visibility.mask(title_of(page))),
        summary,
        tuple(one_line(visibility.mask(tag)) for tag in page.items("tags")),
        page.text("updated") or page.text("ingested"),
        library.labels(rel),
    )


def siblings(
    root: Root, text: str, *, include_archived: bool, besides: Collection[str] = ()
) -> tuple[tuple[Hint, ...], tuple[Hint, ...]]:
    """Return index hits of the hub's other topics: active ones, and archived ones if asked for."""
    active: list[Hint] = []
    archived: list[Hint] = []
    if root.hub is None:
        return (), ()
    skipped = {"hub", *besides, *([root.name] if root.kind != "hub" else ())}
    for slug, entry in sorted(Registry.load(root.hub).entries.items()):
        away = entry.status == "archived"
        if slug in skipped or (away and not include_archived):
            continue
        try:
            topic = resolve(wiki=slug, hub=str(root.hub), include_archived=away)
            rows = _hinted(topic, text)
        except WikiError:
            continue
        if rows:
            (archived if away or topic.status == "archived" else active).append(Hint(slug, rows))
    return tuple(active), tuple(archived)


def _hinted(topic: Root, text: str) -> tuple[Row, ...]:
    """Return rows of pages of another topic whose title, summary or tags hold a word of the question."""
    snapshot = load(topic)
    scope = Scope(include_archived=topic.status == "archived")
    kinds = {"article", "thesis"}
    results = search(snapshot, topic, text, limit=20, scope=scope, kinds=kinds)
    library = Library(snapshot, topic, scope, date.min, "")
    wanted = {term.stem for term in results.query.terms}
    rows = []
    for hit in results.hits:
        said = words(" ".join((hit.title, hit.summary, *hit.tags)))
        if hit.path in library.shown and wanted & set(stems(said).values()):
            row = row_of(library, hit.path, f"{topic.name}:")
            rows.append(row._replace(labels={"plane": "hint"}))
    return tuple(rows[:HINTS])
