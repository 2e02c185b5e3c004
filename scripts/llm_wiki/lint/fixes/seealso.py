"""W508, only when named: the article that See Also names gets the line back, in the form of `links`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from llm_wiki.core.text import fold, nfc
from llm_wiki.lint.fixes.step import Stand, Step
from llm_wiki.lint.infer import editable
from llm_wiki.lint.rules.graph import graph
from llm_wiki.lint.rules.links import names_by_wikilink
from llm_wiki.model import cells, document, layout, links
from llm_wiki.model.page import Page

if TYPE_CHECKING:
    from llm_wiki.lint.view import View

RULES = ("W508",)

_SECTION = "see-also"
_BEFORE = "sources"
_ITEM = re.compile(rb"[ \t]*(?:[-*+]|[0-9]+[.)])[ \t]")
_FORBIDDEN = re.compile(r"[\[\]|#^]")


def stage(stand: Stand) -> Step:
    """Add the missing lines, one article after the other in path order."""
    step = Step()
    wanted: dict[str, list[str]] = {}
    for finding in stand.asked("W508"):
        other = stand.view.by_key.get(finding.target)
        if other is not None and finding.path:
            wanted.setdefault(other.rel, []).append(finding.path)
    for rel in sorted(wanted):
        backs = sorted(set(wanted[rel]))
        after = linking(stand.view, rel, backs)
        if after is not None:
            step.changes[rel] = after
            for back in backs:
                step.report("W508", "edit", rel, f"Linked {back} from See Also of {rel}")
    return step


def linking(view: View, rel: str, backs: list[str]) -> bytes | None:
    """Return an article with lines to others in See Also, None where that cannot be done for sure."""
    page = view.snapshot.pages.get(rel)
    if page is None or rel == layout.COVERAGE_PAGE or not editable(view.snapshot, page):
        return None
    lines = [_line(view, rel, view.snapshot.pages[back]) for back in backs]
    after = add_lines(page, view.snapshot.read(rel), lines)
    parsed = document.page(rel, after)
    linked = all(nfc(back) in parsed.keys or names_by_wikilink(parsed, back) for back in backs)
    grown = len(parsed.links) >= len(page.links) + len(backs)
    return after if parsed.meta == page.meta and linked and grown else None


def _line(view: View, owner: str, to: Page) -> str:
    """Return the list item that links one article from another."""
    stem = to.rel.rpartition("/")[2][:-3]
    name = " ".join((to.text("title") or to.title or stem).split())
    path = f"[{cells.escape_link_text(name)}]({cells.destination(links.relative(owner, to.rel))})"
    form = view.snapshot.config.links
    if form == "markdown" or _FORBIDDEN.search(stem):
        return f"- {path}"
    slug = stem if graph(view).named(fold(stem)) == (to.rel,) else to.rel[:-3].partition("/")[2]
    wiki = f"[[{slug}|{_FORBIDDEN.sub(' ', name).strip() or stem}]]"
    return f"- {wiki}" if form == "wikilink" else f"- {wiki} ({path})"


def add_lines(page: Page, data: bytes, items: list[str]) -> bytes:
    """Return the file with list items at the end of its See Also section, which is made if missing.

    A new section stands before Sources, else at the end.
    """
    lines = data.splitlines(keepends=True)
    eol = b"\r\n" if data.count(b"\r\n") * 2 > data.count(b"\n") else b"\n"
    added = [item.encode("utf-8", "surrogateescape") + eol for item in items]
    at = next((heading.line for heading in page.headings if heading.slug == _SECTION), 0)
    if at:
        end = next((heading.line - 1 for heading in page.headings if heading.line > at), len(lines))
        while end > at and not lines[end - 1].strip():
            end -= 1
        if end == at and end < len(lines) and not lines[end].strip():
            end += 1
        elif end == at or not _ITEM.match(lines[end - 1]):
            added = [eol, *added]
    else:
        found = (heading.line - 1 for heading in page.headings if heading.slug == _BEFORE)
        end = next(found, len(lines))
        added = [b"## See Also" + eol, eol, *added]
        if end < len(lines):
            added = [*added, eol]
        elif lines and lines[-1].strip():
            added = [eol, *added]
    if end and not lines[end - 1].endswith((b"\n", b"\r")):
        lines[end - 1] += eol
    return b"".join([*lines[:end], *added, *lines[end:]])
