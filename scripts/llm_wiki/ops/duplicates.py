"""Duplicates among the sources of a root."""

from __future__ import annotations

from llm_wiki.admit.admission import known_body, raw_pages
from llm_wiki.admit.compare import Group, Item, find_duplicates, upstream_key
from llm_wiki.model.document import body
from llm_wiki.wiki.snapshot import Snapshot


def duplicates(snapshot: Snapshot) -> list[Group]:
    """Return groups of sources that are one, versions of one another left out.

    A source that another one `supersedes` stays as evidence of what was once said there.
    """
    pages = raw_pages(snapshot)
    old = {page.text("supersedes") for page in pages} - {""}
    items = [
        Item(
            page.rel,
            page.text("source"),
            upstream_key(page.text),
            known_body(snapshot, page),
            body(snapshot.read(page.rel)),
        )
        for page in pages
        if page.rel not in old
    ]
    return find_duplicates(items)
