"""What a fix could do, asked without doing it: which files may be edited, which fields can be filled.

Rules use it to tell the truth in `fixable`, fixes to act: one answer for both (`lint.md` §4.1, B39).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from llm_wiki.core.errors import BadUsage
from llm_wiki.core.files import check_relative
from llm_wiki.core.text import as_date, cut, nfc
from llm_wiki.lint.rules.text import demanded, has_unread_sources
from llm_wiki.model import kinds, layout
from llm_wiki.model.page import UNSURE, Page

if TYPE_CHECKING:
    from llm_wiki.lint.view import View
    from llm_wiki.wiki.snapshot import Snapshot

SUMMARY_LIMIT = 260
"""Longest derived summary in characters."""

SUMMARY_MINIMUM = 40
"""Shortest paragraph in characters that a summary is taken from."""

FILLED = ("category", "type", "summary", "tags", "created", "updated")
"""Required fields of articles and theses that can be derived (`lint.md` §4.1)."""

_DATES = {"created": ("updated", "verified"), "updated": ("created", "verified")}
_SUMMARY_LINE = re.compile(r"^(?:>\s*)?\*\*Summary:?\*\*:?[ \t]*(\S.*)$", re.MULTILINE)

_COMMENTED = re.compile(rb"[^:]*:[ \t]+#")

Resolver = Callable[[str, str], str]
"""Takes owner and reference of a source, returns the raw file's path or ""."""


def writable(snapshot: Snapshot, rel: str) -> bool:
    """Tell whether a path may be written: portable, no part of it a symbolic link, a file or unreadable."""
    try:
        check_relative(rel)
    except BadUsage:
        return False
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


def is_commented(snapshot: Snapshot, page: Page, field: str) -> bool:
    """Tell whether a comment stands where an empty field has its value: `tags: #tea`."""
    line = page.lines.get(field, 0)
    if not line:
        return False
    from llm_wiki.model.frontmatter import unix

    return _COMMENTED.match(unix(snapshot.read(page.rel)).split(b"\n", line)[line - 1]) is not None


def tags_of(page: Page) -> list[str]:
    """Return the words of a `tags` value that was written as text: `a, b` gives two (W204)."""
    return _items(page.text("tags"))


def sources_of(view: View, page: Page) -> list[str]:
    """Return the entries of a `sources` value that was written as text (W512).

    Lines are entries. Parts between commas are, if each means a file or a URL; else the text is one.
    """
    text = page.text("sources")
    if "\n" in text:
        return _items(text, at=r"\n")
    parts = _items(text)
    known = all(view.sources.resolve(page.rel, part).status in ("resolved", "url") for part in parts)
    return parts if known else [text]


def _items(text: str, at: str = r"[,\n]") -> list[str]:
    """Split text that should have been a list, each item once."""
    found = (re.sub(r"^\s*-\s+", "", item).strip() for item in re.split(at, text.strip().strip("[]")))
    return list(dict.fromkeys(item for item in found if item))


def summary(data: bytes) -> str:
    """Return the summary a page states or opens with, cut at a word, or ""."""
    from llm_wiki.model.prose import first_paragraph, plain

    text = plain(_stated(data)) or first_paragraph(data, SUMMARY_MINIMUM)
    return cut(" ".join(text.split()), SUMMARY_LIMIT)


def _stated(data: bytes) -> str:
    """Return the rest of the first `**Summary**:` line outside code, or ""."""
    from llm_wiki.model.document import body
    from llm_wiki.model.markdown import scan

    text = body(data)
    found = _SUMMARY_LINE.finditer(text) if "**Summary" in text else ()
    code = scan(text).code if found else []
    for match in found:
        at = len(text[: match.start()].encode())
        if not any(start <= at < end for start, end in code):
            return match[1]
    return ""


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


def is_partly_read(page: Page) -> bool:
    """Tell whether not all links of a page are known, which a move would break: too large, or UTF-16."""
    return any(problem.code == "oversize" or "UTF-16" in problem.detail for problem in page.problems)


class Holds:
    """What pages that may not be edited hold back: files they name cannot move, sources stay uncounted.

    `named` are the keys of files they lead to, `called` the folded names in their wikilinks.

    Where a page could not be read whole it may use any file, and none is put aside (`links_known`).
    """

    def __init__(self, view: View) -> None:
        self.snapshot = view.snapshot
        self.closed = view.closed
        captured = frozenset(page.rel for page in view.kind("raw"))
        pages = [page for rel, page in view.snapshot.pages.items() if rel not in captured]
        closed = [page for page in pages if not editable(view.snapshot, page)]
        self.called: frozenset[str] = frozenset().union(*(page.names for page in closed))
        self.named: frozenset[str] = frozenset().union(*(page.keys | page.assets for page in closed))
        self.named |= _by_path(view, self.called)
        self.citations_known = self._citations_known()
        self.links_known = not any(map(is_partly_read, pages)) and not any(
            code == "unreadable" and (layout.is_markdown(rel) or rel in view.snapshot.dirs)
            for rel, code, _ in view.snapshot.problems
        )

    def _citations_known(self) -> bool:
        """Tell whether what every article cites is known, and the coverage page can be written.

        One unreadable article may cite anything; a list made without it would be false (B4, B17).
        """
        snapshot = self.snapshot
        unseen = any(rel == "wiki" or rel.startswith("wiki/") for rel in self.closed)
        if unseen or not writable(snapshot, layout.COVERAGE_PAGE):
            return False
        for rel, entry in snapshot.files.items():
            if rel.startswith("wiki/") and layout.is_markdown(rel) and not layout.is_hidden(rel):
                page = snapshot.pages.get(rel)
                if entry.problem or (page is not None and not _is_legible(page)):
                    return False
        return True


def _by_path(view: View, names: frozenset[str]) -> frozenset[str]:
    """Return the keys of the files that wikilinks mean by a path."""
    from llm_wiki.lint.rules.graph import graph

    return frozenset(nfc(rel) for name in names if "/" in name for rel in graph(view).named(name))


def _is_legible(page: Page) -> bool:
    """Tell whether nothing hides what a page cites: text, front matter and sources are clear."""
    if page.rel.rpartition("/")[2] == layout.INDEX:
        return True
    if page.front != "ok" or has_unread_sources(page):
        return False
    return not any(problem.code in ("encoding", "conflict") for problem in page.problems)
