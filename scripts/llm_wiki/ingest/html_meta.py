"""What a page declares about itself: title, authors, description. Only declared things, never guesses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urljoin, urlsplit

from llm_wiki.core.text import as_date

_AUTHOR_METAS = frozenset(
    {"author", "article:author", "dc.creator", "dcterms.creator", "citation_author", "parsely-author"}
)
_DESCRIPTION_METAS = ("description", "og:description", "twitter:description", "dc.description")
_DATE_METAS = (
    *(
        "article:published_time",
        "citation_publication_date",
        "citation_date",
        "datepublished",
        "dc.date.issued",
    ),
    *("dcterms.issued", "dcterms.created", "dc.date", "dcterms.date", "date", "pubdate", "parsely-pub-date"),
)
_DATE = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?!\d)")
_ADDRESS_DATE = re.compile(r"/((?:19|20)\d{2})/(\d{1,2})/(\d{1,2})(?:/|$)")
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


def addresses(root: Any, base: str) -> tuple[str, ...]:
    """Return the web addresses that a page declares as its own, made absolute."""
    links = (
        each.get("href")
        for each in root.iter("link")
        if "canonical" in (each.get("rel") or "").lower().split()
    )
    found = []
    for address in (*links, *_metas(root, ("og:url",))):
        with suppress(ValueError):
            found.append(urljoin(base, (address or "").strip()))
    return tuple(each for each in dict.fromkeys(found) if each.startswith(("http://", "https://")))


def without_site(title: str, headings: list[str]) -> str:
    """Return the heading of a page to which the title only adds the name of the site, else the title."""
    for heading in headings:
        if heading and title.startswith(heading) and re.match(_SEPARATORS, title[len(heading) :]):
            return heading
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
        names = list(_linked_data(root, "author"))
    if not names:
        marked = root.xpath(".//*[@rel='author' or @itemprop='author']")
        names = [found.text_content() for found in marked[:3]]
    kept = dict.fromkeys(name for name in map(_line, names) if _is_name(name))
    return tuple(kept)[:_MOST_AUTHORS]


def published(root: Any, url: str) -> str:
    """Return the day of publication as `YYYY-MM-DD`, "" when the page does not declare one.

    Asked in this order: metadata, JSON-LD, microdata, a date that is part of the address.
    """
    declared = [*_metas(root, _DATE_METAS), *_linked_data(root, "datePublished")]
    marked = root.xpath(".//*[@itemprop='datePublished'] | .//time[@pubdate]")
    declared += [str(found.get("datetime") or found.get("content") or "") for found in marked[:1]]
    for written in declared:
        day = _day(_DATE.match(written.strip()))
        if day:
            return day
    return _day(_ADDRESS_DATE.search(urlsplit(url).path)) if url else ""


def _day(found: re.Match[str] | None) -> str:
    if found is None:
        return ""
    day = as_date(f"{found[1]}-{int(found[2]):02}-{int(found[3]):02}")
    return day.isoformat() if day else ""


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


def _linked_data(root: Any, key: str) -> Iterator[str]:
    """Yield the texts that linked data gives for a key, of records their names."""
    for script in root.iter("script"):
        if "ld+json" not in str(script.get("type") or "").casefold():
            continue
        try:
            data = json.loads(script.text or "", strict=False)
        except (ValueError, RecursionError):
            continue
        for record in _records(data):
            value = record.get(key)
            for one in value if isinstance(value, list) else [value]:
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
