"""Rules W501-W509: links that lead nowhere, to the wrong place, or to a place that others cannot find."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

from llm_wiki.core.errors import WikiError
from llm_wiki.core.text import fold, nfc
from llm_wiki.lint.finding import Hit
from llm_wiki.lint.rules.graph import Broken, graph
from llm_wiki.lint.rules.provenance import judged, line_of, named_archive
from llm_wiki.lint.rules.text import faults
from llm_wiki.model import layout
from llm_wiki.model.markdown import anchor
from llm_wiki.model.page import Page

if TYPE_CHECKING:
    from llm_wiki.lint.view import View

_NO_HEADING = ("^", ":~:")
"""Beginnings of fragments that name no heading: Obsidian blocks, text highlights."""

_TOP = "top"
"""The fragment that means the beginning of any page (HTML Standard, "top of the document")."""

_CITATION = re.compile(rb"\d+(?:[,;]\s*\d+)*")
"""What stands in `[[1]]` or `[[1, 2]]` where texts copied from elsewhere have their references."""

_MATHEMATICS = re.compile(
    rb"(?<!\\)\$\$(?:.|\n(?!\s*\n))+?\$\$|(?<![\\$])\$(?![\s$])[^$\n]*(?<![\s\\])\$(?!\d)"
)
"""TeX in Markdown, as Pandoc tells it from prices: no blank behind the first `$` nor before the last."""

_ANCHOR = re.compile(
    r"""<[a-z][^<>]*?\s(?:id|name)\s*=\s*(?:"([^"]+)"|'([^']+)'|([^\s"'<>]+))|\{:?\s*\#([^\s{}]+)""",
    re.IGNORECASE,
)
_SHOWN = "Missing image or attachment"
"""What is said of a file that the page itself would show, not only link."""

_NUMBERED = re.compile(r"-\d+$")
_SEE_ALSO = "see-also"
_HALF_READ = frozenset({"encoding", "oversize"})
"""Problems of a text in which there may be links that nobody has seen."""


def _place(found: Broken, message: str) -> Hit:
    """Turn a judged link into a hit; the coverage page is rebuilt by `--fix`, so its dead links go."""
    link = found.link
    derived = True if found.page.rel == layout.COVERAGE_PAGE else None
    return Hit(found.page.rel, message, link.line, link.column, link.target, fixable=derived)


def _missing(view: View, rule: str, text: str) -> Iterator[Hit]:
    """Yield the dead links of a rule, each with the one file of that name when there is one."""
    for found in graph(view).broken.get(rule, ()):
        hint = f" (there is {found.detail})" if found.detail else ""
        what = _SHOWN if rule == "W504" and found.link.image else text
        yield _place(found, f"{what}: {found.link.target}{hint}")


# --- targets -------------------------------------------------------------------------------


def link_dead(view: View) -> Iterator[Hit]:
    """W501: a reader of `wiki/` or `inventory/` follows the link and finds nothing."""
    return _missing(view, "W501", "Link to a missing file")


def link_dead_elsewhere(view: View) -> Iterator[Hit]:
    """W502: the same in outputs, whose `sources` count too, and in data set pages."""
    yield from _missing(view, "W502", "Link to a missing file")
    for found in judged(view).get("W502", ()):
        message = f"Output source does not exist: {found.item}"
        yield Hit(found.page.rel, message, line_of(view, found), target=found.item)


def name_lost(view: View) -> Iterator[Hit]:
    """W503: a wikilink means no file, or more than one."""
    for rel, group in groupby(graph(view).lost_names, key=lambda found: found.page.rel):
        otherwise = _Otherwise(view, rel)
        for found in group:
            target = found.link.target
            if named_archive(view, found):
                continue
            if found.detail:
                yield _place(found, f"Wikilink is ambiguous: {target} is {found.detail}")
            elif not otherwise.reads(found):
                yield _place(found, f"Wikilink to nothing: {target}")


class _Otherwise:
    """What double brackets that name no file may be in one text: a citation, mathematics, a shell test."""

    def __init__(self, view: View, rel: str) -> None:
        try:
            self.data = view.snapshot.read(rel)
        except WikiError:
            self.data = b""

    def reads(self, found: Broken) -> bool:
        """Tell whether this pair of brackets was not written as a wikilink."""
        link = found.link
        inside = self.data[link.start : link.end].strip(b"![]")
        if _CITATION.fullmatch(inside) or (inside[:1].isspace() and inside[-1:].isspace()):
            return True
        return any(start < link.start < end for start, end in self.mathematics)

    @cached_property
    def mathematics(self) -> list[tuple[int, int]]:
        """Byte ranges between dollar signs."""
        return [found.span() for found in _MATHEMATICS.finditer(self.data)]


def asset_missing(view: View) -> Iterator[Hit]:
    """W504: an image or attachment that an article or record shows is not there."""
    return _missing(view, "W504", "Link to a missing file")


def name_respelt(view: View) -> Iterator[Hit]:
    """W506: a link or source works only where case or Unicode form of names does not matter."""
    web = graph(view)
    for found in sorted(
        [*web.broken.get("W506", ()), *web.misspelt], key=lambda one: (one.page.rel, one.link.start)
    ):
        message = f"Link differs in case or Unicode form from {found.detail}: {found.link.target}"
        yield _place(found, message)
    for one in judged(view).get("W506", ()):
        message = f"Source differs in case or Unicode form from {one.detail}: {one.item}"
        fixable = None if one.place >= 0 else False
        yield Hit(one.page.rel, message, line_of(view, one), target=one.item, fixable=fixable)


def leaves_root(view: View) -> Iterator[Hit]:
    """W507: a link or source outside the root is lost as soon as the wiki is moved, shared or archived."""
    for found in graph(view).broken.get("W507", ()):
        yield _place(found, f"Link leaves the wiki: {found.link.target}")
    for one in judged(view).get("W507", ()):
        message = f"Source lies outside the wiki: {one.item}"
        yield Hit(one.page.rel, message, line_of(view, one), target=one.item)


# --- headings ------------------------------------------------------------------------------


def heading_absent(view: View) -> Iterator[Hit]:
    """W505: the file is there, the heading the link names is not, nor an anchor written as HTML."""
    web = graph(view)
    slugs: dict[str, frozenset[str]] = {}
    marks: dict[str, frozenset[str]] = {}
    for page, link in web.fragments:
        if link.fragment.startswith(_NO_HEADING) or link.fragment.lower() == _TOP:
            continue
        target = page if link.kind == "fragment" else _target(view, link.kind, link.key)
        if target is None:
            continue
        if target.rel not in slugs:
            slugs[target.rel] = frozenset(heading.slug for heading in target.headings)
        if not _names_heading(link.fragment, slugs[target.rel]):
            if target.rel not in marks:
                marks[target.rel] = _written_anchors(view, target.rel)
            if link.fragment in marks[target.rel]:
                continue
            message = f"No heading #{link.fragment} in {target.rel}"
            yield Hit(page.rel, message, link.line, link.column, link.target)


def _target(view: View, kind: str, key: str) -> Page | None:
    """Return the one page a link with a fragment leads to, if it is parsed Markdown."""
    if kind == "path":
        return view.at(key)
    found = graph(view).named(key) if kind == "wiki" else ()
    return view.snapshot.pages.get(found[0]) if len(found) == 1 else None


def _names_heading(fragment: str, slugs: frozenset[str]) -> bool:
    """Tell whether a fragment is a heading's slug, its text, a numbered repeat, or a path of headings."""
    slug = anchor(fragment.rpartition("#")[2])
    known = {fragment, fragment.lower(), slug, _NUMBERED.sub("", slug), _NUMBERED.sub("", fragment)}
    return not slug or not known.isdisjoint(slugs)


def _written_anchors(view: View, rel: str) -> frozenset[str]:
    """Return the anchors a page writes itself: `<a id="x">`, `<a name="x">`, `# Heading {#x}`.

    Only pages that links with unknown fragments lead to are read for it.
    """
    try:
        text = view.snapshot.read(rel).decode("utf-8", "replace")
    except WikiError:
        return frozenset()
    return frozenset(next(filter(None, found.groups())) for found in _ANCHOR.finditer(text))


# --- cross-references ----------------------------------------------------------------------


def _section(page: Page) -> frozenset[str]:
    """Return the keys linked below the heading See Also."""
    start = end = 0
    for heading in page.headings:
        if not start and heading.slug == _SEE_ALSO:
            start, level = heading.line, heading.level
        elif start and not end and heading.level <= level:
            end = heading.line
    if not start:
        return frozenset()
    return frozenset(
        link.key
        for link in page.links
        if link.kind == "path" and start < link.line and (not end or link.line < end)
    )


def see_also_one_sided(view: View) -> Iterator[Hit]:
    """W508: an article names another under See Also, and that one does not name it anywhere."""
    own = {nfc(page.rel): page for page in view.articles}
    articles = _with_linked(view, own)
    every = frozenset(articles)
    linked = {key: page.keys for key, page in articles.items()}
    for key, page in own.items():
        silent = [other for other in page.keys & every if key not in linked[other] and other != key]
        section = _section(page) if silent else frozenset()
        for other in sorted(section.intersection(silent)):
            half_read = not _HALF_READ.isdisjoint(faults(articles[other]))
            if not half_read and not names_by_wikilink(articles[other], page.rel):
                message = f"See Also names {other}, which does not link back"
                yield Hit(page.rel, message, target=other)


def _with_linked(view: View, own: dict[str, Page]) -> dict[str, Page]:
    """Return the articles that are judged and those they link to, by key."""
    if view.asked is None:
        return own
    keys = frozenset().union(*(page.keys for page in own.values()))
    found = {key: view.article_at(key) for key in keys}
    return {**{key: page for key, page in found.items() if page is not None}, **own}


def names_by_wikilink(page: Page, rel: str) -> bool:
    """Tell whether a page names a file by wikilink."""
    path = fold(rel).removesuffix(".md")
    return not page.names.isdisjoint((path, path.partition("/")[2], path.rpartition("/")[2]))


def halves_differ(view: View) -> Iterator[Hit]:
    """W509: the two halves of a dual link name different files, so two readers go two ways."""
    if view.snapshot.config.links != "dual":
        return
    web = graph(view)
    for page, name, path in web.pairs:
        found = web.named(name.key)
        if len(found) == 1 and path.key in view.snapshot.keys and nfc(found[0]) != path.key:
            message = (
                f"Dual link names two files: [[{name.target}]] is {found[0]}, {path.target} is {path.key}"
            )
            yield Hit(page.rel, message, name.line, name.column, path.target)
