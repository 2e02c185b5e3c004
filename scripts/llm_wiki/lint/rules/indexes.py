"""Rules W401-W408: what an index must list, and what it lists in vain.

What belongs into an index is decided by `model.indexes` alone, for these rules as for fixes and
the `index` verbs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from llm_wiki.core.text import fold, nfc
from llm_wiki.lint.finding import Hit
from llm_wiki.lint.rules.graph import graph, is_index, once
from llm_wiki.lint.rules.rows import removable
from llm_wiki.lint.rules.text import demanded, faults
from llm_wiki.model import indexes, layout

if TYPE_CHECKING:
    from llm_wiki.lint.view import View
    from llm_wiki.model.page import Page, Problem


@once
def _unreadable(view: View) -> dict[str, tuple[str, int]]:
    """Path of each index that cannot be read → reason and line."""
    found = {
        rel: (text, 0) for rel, code, text in view.snapshot.problems if code == "unreadable" and is_index(rel)
    }
    for rel, page in view.pages.items():
        problem = _encoding(page)
        if problem:
            found[rel] = (f"not UTF-8 ({problem.detail})", problem.line)
    return found


def _encoding(page: Page) -> Problem | None:
    """Return why an index is no text, None for text and for any other page."""
    if page.front == "invalid" and is_index(page.rel):
        return faults(page).get("encoding")
    return None


def index_unreadable(view: View) -> Iterator[Hit]:
    """W401: what an index lists cannot be seen, so it is neither checked nor repaired."""
    for rel, (text, line) in sorted(_unreadable(view).items()):
        yield Hit(rel, f"Index cannot be read: {text}", line)


def entry_missing(view: View) -> Iterator[Hit]:
    """W402: a file its index does not list is not found by those who read indexes first.

    The path is that of the entry. An entry that is linked under another spelling is W506, one
    that does not exist W105 or W106, one that lies where it does not belong W301 or W305.
    """
    snapshot = view.snapshot
    for folder, page in graph(view).above.items():
        if _encoding(page) or _is_complete(view, folder, page):
            continue
        missing = [rel for rel in indexes.required(folder, snapshot) if nfc(rel) not in page.keys]
        linked = frozenset(map(fold, page.keys)) if missing else frozenset()
        for rel in missing:
            known = nfc(rel) in snapshot.keys and fold(rel) not in linked
            if known and not _is_out_of_place(view, rel):
                text = f"{indexes.missing_message(folder)} from {page.rel}"
                yield Hit(rel, text, target=page.rel)


def _is_complete(view: View, folder: str, page: Page) -> bool:
    """Tell whether an index links what is judged and may belong into it; where it does not, more is asked."""
    if view.asked is not None:
        return page.keys.issuperset(nfc(rel) for rel in view.asked if rel.startswith(f"{folder}/"))
    return page.keys.issuperset(indexes.required(folder, view.snapshot))


def _is_out_of_place(view: View, rel: str) -> bool:
    """Tell whether a file has a finding about its place, which a row in this index would cement."""
    folder, _, name = rel.rpartition("/")
    ignore = view.snapshot.config.ignore
    if layout.judge(folder, name, is_folder=False, ignore=ignore) == "unexpected":
        return True
    page = view.snapshot.pages.get(rel)
    return page is not None and demanded(page) not in ("", folder)


def entry_dead(view: View) -> Iterator[Hit]:
    """W403: an index sends its readers to a page that is not there."""
    yield from _dead(view, "W403", "Index links a missing file")


def master_link_dead(view: View) -> Iterator[Hit]:
    """W408: the master index of a topic, or the index of a hub, links a file that is not there."""
    if view.snapshot.kind == "hub":
        from llm_wiki.lint.rules.hub import index_link_dead

        yield from index_link_dead(view)
        return
    yield from _dead(view, "W408", "Master index links a missing file")


def _dead(view: View, rule: str, text: str) -> Iterator[Hit]:
    for _, page, link, same_name in graph(view).broken.get(rule, ()):
        hint = f" (there is {same_name})" if same_name else ""
        fixable = removable(view, page.rel, link.line, link.target)
        yield Hit(
            page.rel, f"{text}: {link.target}{hint}", link.line, link.column, link.target, fixable=fixable
        )
