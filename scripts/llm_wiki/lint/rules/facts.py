"""What the links of one page are, as far as a page alone can tell: noted when it is parsed."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import unquote

from llm_wiki.core.text import fold, slugify
from llm_wiki.model import layout
from llm_wiki.model.page import Link, Page

FACTS = "+links"
"""First item of the note that holds what `link_facts` found on a page."""

DEAD = {"wiki": "W501", "inventory": "W501", "output": "W502", "datasets": "W502"}
"""Plane of a page → rule for its Markdown links to a missing file."""


def link_facts(page: Page) -> Iterator[tuple[Any, ...]]:
    """Yield one note with the links of a page that need a look at other files, or nothing.

    Its items are plain link tuples: those with a heading fragment; those spelt with other letters
    than ASCII or with escapes; pairs of halves of dual links whose names differ.
    """
    plane = plane_of(page.rel)
    if plane not in DEAD and page.rel != layout.INDEX and not (plane == "raw" and is_index(page.rel)):
        return
    fragments, spelt, pairs = [], [], []
    before: tuple[Any, ...] | None = None
    for row in page.row[9]:
        form, kind, image, key, target, fragment = row[:6]
        if fragment and form != "definition":
            fragments.append(row)
        if kind == "path":
            if ("%" in target or not target.isascii()) and form != "definition":
                spelt.append(row)
            if before and not _same_name(before[3], key) and are_halves(before, row):
                pairs.append((before, row))
            before = None
        else:
            before = row if kind == "wiki" and not image else None
    if fragments or spelt or pairs:
        yield FACTS, tuple(fragments), tuple(spelt), tuple(pairs)


def are_halves(name: tuple[Any, ...], path: tuple[Any, ...]) -> bool:
    """Tell whether two link tuples stand as `[[name|Text]] ([Text](path))` on one line."""
    one, two = Link._make(name), Link._make(path)
    beside = one.line == two.line and 0 < two.start - one.end <= 3 and not two.image
    return beside and slugify(one.text) == slugify(two.text)


def _same_name(name: str, key: str) -> bool:
    """Tell whether a folded wikilink name is just the stem of a path."""
    return name.removesuffix(".md") == fold(key.rpartition("/")[2]).removesuffix(".md")


def plane_of(rel: str) -> str:
    """Return the first component of a path."""
    return rel.partition("/")[0]


def is_index(rel: str) -> bool:
    """Tell whether a path is that of an index file."""
    return rel == layout.INDEX or rel.endswith("/" + layout.INDEX)


def spelt_path(owner: str, target: str) -> str:
    """Return the path a link target spells, percent-decoded but in the Unicode form it was written in."""
    path = unquote(target.partition("#")[0].partition("?")[0])
    return normpath(path.lstrip("/") if path.startswith("/") else join(dirname(owner), path))
