"""What a fix could do, asked without doing it: which files may be edited, which fields can be filled.

Rules use it to tell the truth in `fixable`, fixes to act: one answer for both (`lint.md` §4.1, B39).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from llm_wiki.core.text import as_date, cut
from llm_wiki.lint.rules.text import demanded
from llm_wiki.model import kinds
from llm_wiki.model.page import Page

if TYPE_CHECKING:
    from llm_wiki.wiki.snapshot import Snapshot

UNSURE = frozenset({"encoding", "duplicate", "conflict", "oversize"})
"""Problems of a text that forbid to edit it: no text, a key twice, an unmerged file, not fully read."""

SUMMARY_LIMIT = 260
"""Longest derived summary in characters."""

FILLED = ("category", "type", "summary", "tags", "created", "updated")
"""Required fields of articles and theses that can be derived (`lint.md` §4.1)."""

_DATES = {"created": ("updated", "verified"), "updated": ("created", "verified")}
_SUMMARY_LINE = re.compile(r"^(?:>\s*)?\*\*Summary:?\*\*:?[ \t]*(\S.*)$", re.MULTILINE)

Resolver = Callable[[str, str], str]
"""Takes owner and reference of a source, returns the raw file's path or ""."""


def writable(snapshot: Snapshot, rel: str) -> bool:
    """Tell whether a path may be written: no part of it is a symbolic link, a file or unreadable."""
    files = snapshot.files
    parts = rel.split("/")
    for depth in range(1, len(parts) + 1):
        entry = files.get("/".join(parts[:depth]))
        if entry is not None and (entry.link or entry.problem or depth < len(parts)):
            return False
    return True


def editable(snapshot: Snapshot, page: Page) -> bool:
    """Tell whether a page can be edited in place without guessing what its bytes mean."""
    if page.front not in ("ok", "missing") or not writable(snapshot, page.rel):
        return False
    return not any(problem.code in UNSURE for problem in page.problems)


def field_value(snapshot: Snapshot, page: Page, field: str, resolve: Resolver) -> str | list[str]:
    """Derive a missing field of an article or thesis; "" or [] when nothing supports a value.

    Nothing is invented: a date comes from another date of the page or from the earliest of its
    sources, a summary from its own text, category and tags from the folder it lies in.
    """
    here = page.rel.rpartition("/")[0]
    folder = demanded(page) or here
    category = kinds.CATEGORY_OF.get(folder, "thesis" if folder == kinds.THESIS_FOLDER else "")
    if field in ("category", "type"):
        return category if folder == here and (category == "thesis") == (field == "type") else ""
    if field == "tags":
        return [category] if category else []
    if field == "summary":
        return summary(snapshot.read(page.rel)) if category else ""
    if field in _DATES and category:
        for other in _DATES[field]:
            if as_date(page.text(other)):
                return page.text(other)[:10]
        return _earliest(snapshot, page, resolve)
    return ""


def tags_of(page: Page) -> list[str]:
    """Return the words of a `tags` value that was written as text: `a, b` gives two (W204)."""
    words = page.text("tags").strip("[]").split(",")
    return list(dict.fromkeys(word for word in map(str.strip, words) if word))


def summary(data: bytes) -> str:
    """Return the summary a page states or opens with, cut at a word, or ""."""
    from llm_wiki.model import document, markdown

    stated = _SUMMARY_LINE.search(document.body(data))
    text = markdown.plain(stated[1]) if stated else markdown.first_paragraph(data, 40)
    return cut(" ".join(text.split()), SUMMARY_LIMIT)


def fillable(snapshot: Snapshot, page: Page, field: str, resolve: Resolver) -> bool:
    """Tell whether `--fix` can fill this field of this page."""
    if field not in FILLED or kinds.kind_of(page.rel) not in ("article", "thesis"):
        return False
    return (
        page.front == "ok" and editable(snapshot, page) and bool(field_value(snapshot, page, field, resolve))
    )


def _earliest(snapshot: Snapshot, page: Page, resolve: Resolver) -> str:
    """Return the earliest `ingested` of the sources of a page, or ""."""
    dates = []
    for reference in page.items("sources"):
        source = snapshot.pages.get(resolve(page.rel, reference))
        if source is not None and as_date(source.text("ingested")):
            dates.append(source.text("ingested")[:10])
    return min(dates, default="")
