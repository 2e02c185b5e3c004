"""Rules W511-W520: what an article rests on, and references in front matter that lead nowhere.

A `sources` entry gets one verdict. Entries that are exact paths into `raw/`, as `--fix` writes
them, are accepted by one set test a page; the rest goes through the resolver of
`wiki-format.md` §10.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from llm_wiki.core.errors import WikiError
from llm_wiki.core.text import nfc
from llm_wiki.lint.finding import Hit
from llm_wiki.lint.rules.archived import archived_source, archived_topic
from llm_wiki.lint.rules.graph import Broken, graph, is_index, once, plane_of, spread
from llm_wiki.lint.rules.text import entries, fields_of, is_blank
from llm_wiki.model import layout, links
from llm_wiki.model.fields import item_lines
from llm_wiki.model.kinds import kind_of
from llm_wiki.model.links import Resolution
from llm_wiki.model.page import Page

if TYPE_CHECKING:
    from llm_wiki.lint.view import View

_SOURCED = ("article", "thesis")

_OWN_RULE = {"wiki": "W513", "inventory": "W515", "output": "W502"}
"""Plane → rule for a source entry of its pages that leads nowhere."""


class Reference(NamedTuple):
    """A `sources` entry with a defect: its rule, and the real path, the candidates or a hint in `detail`.

    `place` is its place in the list from 0, -1 for one that is written as plain text.
    """

    rule: str
    page: Page
    item: str
    detail: str
    place: int


@once
def judged(view: View) -> dict[str, list[Reference]]:
    """Judge every `sources` entry of the wiki: rule id → entries, in the order of pages and entries.

    The coverage page is not asked: it lists what nobody uses, and `--fix` rebuilds it. Of an output,
    where no rule wants a list, a single text is one entry.
    """
    verdicts: dict[str, list[Reference]] = {}
    canonical = view.raw
    for page in [*view.articles, *view.kind("inventory", "output")]:
        value = page.meta.get("sources")
        if value.__class__ is list:
            if canonical.issuperset(page.items("sources")):
                continue
        elif value.__class__ is not str or plane_of(page.rel) != "output":
            continue
        for place, item in entries(page, "sources"):
            rule, detail = ("", "") if item in canonical else _judge(view, page, item)
            if rule:
                verdicts.setdefault(rule, []).append(Reference(rule, page, item, detail, place))
    return verdicts


def _judge(view: View, page: Page, item: str) -> tuple[str, str]:
    """Return the rule an entry offends and what it says beyond that; "" when nothing is wrong with it."""
    if archived_source(view.snapshot, page.rel, item):
        return "W520", ""
    found = view.sources.resolve(page.rel, item)
    plane = plane_of(page.rel)
    article = plane == "wiki"
    hidden = found.status == "dangling" and graph(view).out_of_sight(_key(page.rel, item))
    if is_blank(item) or hidden or (found.status == "url" and not article):
        return "", ""
    if found.status == "resolved":
        return _resolved(found, article=article), found.path
    if found.status == "outside":
        return "W507", ""
    if found.status == "ambiguous" and article:
        return "W514", spread(found.candidates)
    return _OWN_RULE[plane], graph(view).hint(item) if found.status == "dangling" else ""


def _resolved(found: Resolution, *, article: bool) -> str:
    """Judge an entry that means a file: spelling, place, canonical form."""
    if found.how == "folded":
        return "W506"
    if not article:
        return ""
    if not found.path.startswith("raw/") or is_index(found.path):
        return "W518"
    return "" if found.exact else "W517"


@once
def _lines(_view: View) -> dict[tuple[str, str], list[int]]:
    """(page, field) → lines of its items, of the fields that have a finding."""
    return {}


def line_of(view: View, found: Reference, key: str = "sources") -> int:
    """Return the line on which an entry stands; only pages with a finding are read for it."""
    return _line(view, found.page, key, found.place)


def _line(view: View, page: Page, key: str, place: int) -> int:
    whole = page.lines.get(key, 0)
    if place < 0:
        return whole
    known = _lines(view)
    if (page.rel, key) not in known:
        try:
            known[page.rel, key] = item_lines(view.snapshot.read(page.rel), page.lines, key)
        except (WikiError, KeyError):
            known[page.rel, key] = []
    lines = known[page.rel, key]
    return lines[place] if place < len(lines) else whole


def _key(owner: str, item: str) -> str:
    """Return the path a reference spells, in NFC; one that starts with a dot is seen from its owner."""
    folder = owner.rpartition("/")[0] if item.startswith(("./", "../")) else ""
    return nfc(links.normal(folder, item))


def _hits(view: View, rule: str, text: str) -> Iterator[Hit]:
    """Yield one hit for each entry with that verdict; `text` may name `item` and `detail`."""
    for found in judged(view).get(rule, ()):
        message = text.format(item=found.item, detail=found.detail)
        yield Hit(found.page.rel, message, line_of(view, found), target=found.item)


# --- file rules ----------------------------------------------------------------------------


def sources_missing(page: Page) -> Iterator[Hit]:
    """W511: an article names no source, so nothing in it can be checked.

    Only `compiled-from: conversation` exempts (`doctrine.md` §2); `mixed` does not.
    """
    kind = fields_of(page)
    if kind is None or kind.name not in _SOURCED or page.rel == layout.COVERAGE_PAGE:
        return
    value = page.meta.get("sources")
    if (value in ([], {}) or is_blank(value)) and page.text("compiled-from").casefold() != "conversation":
        message = "Article has no sources; list the raw files it rests on, or set compiled-from: conversation"
        yield Hit(page.rel, message, page.lines.get("sources", 0))


def sources_not_list(page: Page) -> Iterator[Hit]:
    """W512: `sources` is written so that its entries cannot be told apart."""
    kind = fields_of(page)
    value = page.meta.get("sources")
    if kind is None or "sources" not in kind.fields or not value or is_blank(value):
        return
    line = page.lines.get("sources", 0)
    if isinstance(value, str):
        yield Hit(page.rel, "sources is not a list", line, target=value.strip())
    elif isinstance(value, dict):
        yield Hit(page.rel, "sources is not a list", line, fixable=False)
    elif not all(isinstance(item, str) for item in value):
        yield Hit(page.rel, "sources holds an entry that is not plain text; quote it", line, fixable=False)


def marker_left(page: Page) -> Iterator[Hit]:
    """W516: a sentence still carries the mark of a retracted source, so somebody must decide about it."""
    if is_index(page.rel):
        return
    for problem in page.problems:
        if problem.code == "retracted":
            message = "RETRACTED-SOURCE marker left: reword or remove the sentence it stands before"
            yield Hit(page.rel, message, problem.line)


# --- tree rules ----------------------------------------------------------------------------


def source_dangling(view: View) -> Iterator[Hit]:
    """W513: an article cites something that is not in the wiki; a URL is no file either."""
    for found in judged(view).get("W513", ()):
        if links.is_local(found.item):
            message = f"Source does not exist: {found.item}{_suggest(found.detail)}"
        else:
            message = f"Source is a URL, not a file in raw/: {found.item}"
        yield Hit(found.page.rel, message, line_of(view, found), target=found.item)


def source_ambiguous(view: View) -> Iterator[Hit]:
    """W514: a short source reference fits several raw files."""
    return _hits(view, "W514", "Source is ambiguous: {item} fits {detail}")


def record_source_dangling(view: View) -> Iterator[Hit]:
    """W515: an inventory record names a local source that is not there."""
    for found in judged(view).get("W515", ()):
        message = f"Inventory source does not exist: {found.item}{_suggest(found.detail)}"
        yield Hit(found.page.rel, message, line_of(view, found), target=found.item)


def source_not_canonical(view: View) -> Iterator[Hit]:
    """W517: a source is found, but not written as the path `raw/<type>/<file>`."""
    return _hits(view, "W517", "Source should be written as {detail}: {item}")


def source_not_evidence(view: View) -> Iterator[Hit]:
    """W518: an article cites itself, or something that is no evidence (`doctrine.md` §1)."""
    for found in judged(view).get("W518", ()):
        line = line_of(view, found)
        if found.detail == found.page.rel:
            yield Hit(found.page.rel, "Article cites itself", line, target=found.item)
        elif is_index(found.detail):
            message = f"Article cites an index, which is no source: {found.item}"
            yield Hit(found.page.rel, message, line, target=found.item)
        else:
            derived = kind_of(found.detail) in (*_SOURCED, "output", "project")
            message = f"Article cites a file outside raw/: {found.item}"
            yield Hit(found.page.rel, message, line, target=found.item, severity="info" if derived else None)


def reference_dangling(view: View) -> Iterator[Hit]:
    """W519: a data set or an idea refers to something that is not in the wiki."""
    web = graph(view)
    for page, key, place, item in _referred(view):
        path = _key(page.rel, item).rstrip("/")
        if path in web.known or (web.out_of_sight(path) and not path.startswith("../")):
            continue
        if not archived_source(view.snapshot, page.rel, item):
            message = f"{key} does not exist: {item}{_suggest(web.real_name(path))}"
            yield Hit(page.rel, message, _line(view, page, key, place), target=item)


def _referred(view: View) -> Iterator[tuple[Page, str, int, str]]:
    """Yield the references of manifests and ideas to files: page, field, place in the list, text."""
    for page in view.kind("manifest"):
        for key in ("origin", "inventory", "raw_sources"):
            for place, item in entries(page, key):
                well_shaped = (place < 0) == (key == "origin")  # else W209 comes first
                if well_shaped and not is_blank(item) and links.is_local(item):
                    yield page, key, place, item
    for page in view.kind("inventory"):
        if "project" in page.meta and page.text("kind") == "idea":
            item = page.text("project")
            if not is_blank(item) and links.is_local(item):
                yield page, "project", -1, item


def archived_dependency(view: View) -> Iterator[Hit]:
    """W520: something in an active topic leads into an archived one of its hub, which is out of use."""
    web = graph(view)
    lost = [found for found in web.lost_names if named_archive(view, found)]
    for found in (*web.broken.get("W520", ()), *lost):
        link = found.link
        message = f"Link leads into an archived topic: {link.target}"
        yield Hit(found.page.rel, message, link.line, link.column, link.target)
    for one in judged(view).get("W520", ()):
        message = f"Source lies in an archived topic: {one.item}"
        yield Hit(one.page.rel, message, line_of(view, one), target=one.item)
    for page, key, place, item in _referred(view):
        if archived_source(view.snapshot, page.rel, item):
            message = f"{key} lies in an archived topic: {item}"
            yield Hit(page.rel, message, _line(view, page, key, place), target=item)


def named_archive(view: View, found: Broken) -> bool:
    """Tell whether a wikilink that means no file of the wiki is a path into an archived topic."""
    path = found.link.target.partition("#")[0]
    folder = found.page.rel.rpartition("/")[0] if path.startswith(".") else ""
    return "/" in path and bool(archived_topic(view.snapshot, links.normal(folder, path)))


def _suggest(path: str) -> str:
    """Say where the file of that name is, when there is just one."""
    return f" (there is {path})" if path else ""
