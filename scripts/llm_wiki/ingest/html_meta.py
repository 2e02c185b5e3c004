"""What a page declares about itself: title, authors, description. Only declared things, never guesses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_AUTHOR_METAS = frozenset(
    {"author", "article:author", "dc.creator", "dcterms.creator", "citation_author", "parsely-author"}
)
_DESCRIPTION_METAS = ("description", "og:description", "twitter:description", "dc.description")
_SEPARATORS = r"\s+(?:[|\-–—·•:»«<>/]|::)+\s+"
_PLACEHOLDERS = frozenset(
    {"admin", "administrator", "author", "unknown", "anonymous", "editor", "webmaster", "root"}
)
_MOST_AUTHORS = 50
_LONGEST_NAME = 80


def head_title(root: Any) -> str:
    """Return the title of a page as its head says, without the name of the site; "" when it says none."""
    declared = _metas(root, ("og:title", "citation_title", "dc.title", "twitter:title"))
    found = root.find(".//title")
    title = next(declared, "") or ("" if found is None else _line(found.text_content()))
    site = next(_metas(root, ("og:site_name", "application-name")), "")
    if site and len(title) > len(site):
        shorter = re.sub(rf"{_SEPARATORS}{re.escape(site)}$|^{re.escape(site)}{_SEPARATORS}", "", title)
        title = shorter or title
    return title


def authors(root: Any) -> tuple[str, ...]:
    """Return the authors that the page's metadata, JSON-LD or `rel=author` links name, in their order."""
    names: list[str] = []
    for meta in root.iter("meta"):
        if _name(meta) in _AUTHOR_METAS:
            written = str(meta.get("content") or "")
            # A scholarly page has one tag for each author, written `Last, First`.
            names += [written] if _name(meta) == "citation_author" else re.split(r";|,| and ", written)
    if not names:
        names = list(_linked_data_authors(root))
    if not names:
        marked = root.xpath(".//*[@rel='author' or @itemprop='author']")
        names = [found.text_content() for found in marked[:3]]
    kept = dict.fromkeys(name for name in map(_line, names) if _is_name(name))
    return tuple(kept)[:_MOST_AUTHORS]


def description(root: Any) -> str:
    """Return the page's own summary on one line, "" when it declares none."""
    return next(_metas(root, _DESCRIPTION_METAS), "")


def _metas(root: Any, wanted: tuple[str, ...]) -> Iterator[str]:
    """Yield the contents of metadata tags, in the order of the wanted names."""
    found: dict[str, str] = {}
    for meta in root.iter("meta"):
        text = _line(str(meta.get("content") or ""))
        if text:
            found.setdefault(_name(meta), text)
    yield from (found[name] for name in wanted if name in found)


def _name(meta: Any) -> str:
    return str(meta.get("name") or meta.get("property") or "").strip().casefold()


def _linked_data_authors(root: Any) -> Iterator[str]:
    for script in root.iter("script"):
        if "ld+json" not in str(script.get("type") or "").casefold():
            continue
        try:
            data = json.loads(script.text or "", strict=False)
        except (ValueError, RecursionError):
            continue
        for record in _records(data):
            author = record.get("author")
            for one in author if isinstance(author, list) else [author]:
                name = one.get("name") if isinstance(one, dict) else one
                yield from ([name] if isinstance(name, str) else [])


def _records(data: Any) -> list[dict[str, Any]]:
    """Return the top records of linked data: itself, its items, its `@graph`."""
    items = data if isinstance(data, list) else [data]
    found = [item for item in items if isinstance(item, dict)]
    for item in list(found):
        graph = item.get("@graph")
        found += [inner for inner in graph if isinstance(inner, dict)] if isinstance(graph, list) else []
    return found


def _is_name(name: str) -> bool:
    """Say whether a text can be the name of an author: no address, no placeholder, no sentence."""
    return (
        0 < len(name) <= _LONGEST_NAME
        and "://" not in name
        and "@" not in name
        and name.casefold() not in _PLACEHOLDERS
        and any(char.isalpha() for char in name)
    )


def _line(text: str) -> str:
    return " ".join(text.split())
