"""Which files the pages of a wiki use, in whatever spelling: those are never put aside (`lint.md` §4.3)."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import normpath
from typing import TYPE_CHECKING

from llm_wiki.core.text import fold
from llm_wiki.lint.rules.graph import graph, once
from llm_wiki.model.links import normal

if TYPE_CHECKING:
    from llm_wiki.lint.view import View
    from llm_wiki.model.page import Page

REFERENCES = ("sources", "origin", "inventory", "raw_sources", "project", "supersedes")
"""Front matter keys that hold paths of files in the wiki (`wiki-format.md` §5)."""


def is_used(view: View, rel: str) -> bool:
    """Tell whether some page links to a file, shows it, cites it or calls it by name."""
    paths, names = _wanted(view)
    path = fold(rel)
    parts = path.split("/")
    tails = ["/".join(parts[start:]) for start in range(len(parts))]
    tails += [tail.removesuffix(".md") for tail in tails]
    return path in paths or not names.isdisjoint(tails)


@once
def _wanted(view: View) -> tuple[frozenset[str], frozenset[str]]:
    """Return the folded paths pages lead to, and the folded names they call files by.

    A path to nothing may well mean a file of its name that lies elsewhere.
    """
    paths: set[str] = set()
    names: set[str] = set()
    for page in view.snapshot.pages.values():
        paths |= page.keys | page.assets
        paths.update(_cited(page))
        names |= page.names
    names.update(fold(path.rpartition("/")[2]) for path in paths - graph(view).known)
    called = (normpath(name.strip().lstrip("/")) for name in names if name)
    return frozenset(map(fold, paths)), frozenset(name.rpartition("../")[2] for name in called)


def _cited(page: Page) -> Iterator[str]:
    """Yield the paths that references in front matter may mean: from the root, and from the page."""
    folder = page.rel.rpartition("/")[0]
    for key in REFERENCES:
        if key in page.meta:
            for item in page.items(key) or [page.text(key)]:
                yield from (normal("", item.strip()), normal(folder, item.strip()))
