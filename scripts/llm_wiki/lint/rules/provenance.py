"""Rules W511-W520: what an article rests on, and references in front matter that lead nowhere.

A `sources` entry gets one verdict. Entries that are exact paths into `raw/`, as `--fix` writes
them, are accepted by one set test a page; the rest goes through the resolver of
`wiki-format.md` §10.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from llm_wiki.core.text import nfc
from llm_wiki.lint.finding import Hit
from llm_wiki.lint.rules.graph import Graph, graph, is_index, once, plane_of, spread
from llm_wiki.lint.rules.text import fields_of, is_blank
from llm_wiki.model import layout, links
from llm_wiki.model.kinds import kind_of
from llm_wiki.model.links import Resolution
from llm_wiki.model.page import Page

if TYPE_CHECKING:
    from llm_wiki.lint.view import View

_SOURCED = ("article", "thesis")

_OWN_RULE = {"wiki": "W513", "inventory": "W515", "output": "W502"}
"""Plane → rule for a source entry of its pages that leads nowhere."""


class Reference(NamedTuple):
    """A `sources` entry with a defect: its rule, and the real path, the candidates or a hint in `detail`."""

    rule: str
    page: Page
    item: str
    detail: str


@once
def judged(view: View) -> dict[str, list[Reference]]:
    """Judge every `sources` entry of the wiki: rule id → entries, in the order of pages and entries.

    The coverage page is not asked: it lists what nobody uses, and `--fix` rebuilds it.
    """
    verdicts: dict[str, list[Reference]] = {}
    canonical = view.raw
    for page in [*view.articles, *view.kind("inventory", "output")]:
        value = page.meta.get("sources")
        if value.__class__ is list and not canonical.issuperset(items := page.items("sources")):
            for item in items:
                found = None if item in canonical else _judge(view, page, item.strip())
                if found:
                    verdicts.setdefault(found.rule, []).append(found)
    return verdicts


def _judge(view: View, page: Page, item: str) -> Reference | None:
    """Return the verdict on one entry, None when nothing is wrong with it."""
    found = view.sources.resolve(page.rel, item)
    plane = plane_of(page.rel)
    article = plane == "wiki"
    hidden = found.status == "dangling" and graph(view).out_of_sight(_key(page.rel, item))
    if not item or hidden or (found.status == "url" and not article):
        return None
    if found.status == "resolved":
        return _resolved(page, item, found, article=article)
    if found.status == "outside":
        return Reference("W507", page, item, "")
    if found.status == "ambiguous" and article:
        return Reference("W514", page, item, spread(found.candidates))
    hint = graph(view).hint(item) if found.status == "dangling" else ""
    return Reference(_OWN_RULE[plane], page, item, hint)


def _resolved(page: Page, item: str, found: Resolution, *, article: bool) -> Reference | None:
    """Judge an entry that means a file: spelling, place, canonical form."""
    if found.how == "folded":
        return Reference("W506", page, item, found.path)
    if not article:
        return None
    if not found.path.startswith("raw/") or is_index(found.path):
        return Reference("W518", page, item, found.path)
    return None if found.exact else Reference("W517", page, item, found.path)


def _key(owner: str, item: str) -> str:
    """Return the path a reference spells, in NFC; one that starts with a dot is seen from its owner."""
    folder = owner.rpartition("/")[0] if item.startswith(("./", "../")) else ""
    return nfc(links.normal(folder, item))


def _hits(view: View, rule: str, text: str) -> Iterator[Hit]:
    """Yield one hit for each entry with that verdict; `text` may name `item` and `detail`."""
    for found in judged(view).get(rule, ()):
        message = text.format(item=found.item, detail=found.detail)
        yield Hit(found.page.rel, message, found.page.lines.get("sources", 0), target=found.item)


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
        yield Hit(found.page.rel, message, found.page.lines.get("sources", 0), target=found.item)


def source_ambiguous(view: View) -> Iterator[Hit]:
    """W514: a short source reference fits several raw files."""
    return _hits(view, "W514", "Source is ambiguous: {item} fits {detail}")


def record_source_dangling(view: View) -> Iterator[Hit]:
    """W515: an inventory record names a local source that is not there."""
    for found in judged(view).get("W515", ()):
        message = f"Inventory source does not exist: {found.item}{_suggest(found.detail)}"
        yield Hit(found.page.rel, message, found.page.lines.get("sources", 0), target=found.item)


def source_not_canonical(view: View) -> Iterator[Hit]:
    """W517: a source is found, but not written as the path `raw/<type>/<file>`."""
    return _hits(view, "W517", "Source should be written as {detail}: {item}")


def source_not_evidence(view: View) -> Iterator[Hit]:
    """W518: an article cites itself, or something that is no evidence (`doctrine.md` §1)."""
    for found in judged(view).get("W518", ()):
        line = found.page.lines.get("sources", 0)
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
    for page in view.kind("manifest"):
        for key in ("origin", "inventory", "raw_sources"):
            for item in page.items(key) or [page.text(key)]:
                yield from _dangling(web, page, key, item.strip())
    for page in view.kind("inventory"):
        if "project" in page.meta and page.text("kind") == "idea":
            yield from _dangling(web, page, "project", page.text("project"))


def _dangling(web: Graph, page: Page, key: str, item: str) -> Iterator[Hit]:
    if is_blank(item) or not links.is_local(item):
        return
    path = _key(page.rel, item).rstrip("/")
    if path in web.known or (web.out_of_sight(path) and not path.startswith("../")):
        return
    message = f"{key} does not exist: {item}{_suggest(web.real_name(path))}"
    yield Hit(page.rel, message, page.lines.get(key, 0), target=item)


def archived_dependency(view: View) -> Iterator[Hit]:
    """W520: a link leads from an active topic into an archived one, which is out of use."""
    for found in graph(view).broken.get("W520", ()):
        link = found.link
        message = f"Link leads into an archived topic: {link.target}"
        yield Hit(found.page.rel, message, link.line, link.column, link.target)


def _suggest(path: str) -> str:
    """Say where the file of that name is, when there is just one."""
    return f" (there is {path})" if path else ""
