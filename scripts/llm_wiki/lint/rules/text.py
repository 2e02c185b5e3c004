"""Small questions that several file rules ask of one page."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from llm_wiki.core.text import is_date
from llm_wiki.model.kinds import FOLDER_OF, KINDS, THESIS_FOLDER, Kind, canonical, kind_of
from llm_wiki.model.layout import COVERAGE_PAGE, place_of
from llm_wiki.model.page import Page, Problem

_NOTHING: dict[str, Problem] = {}

BLANK = frozenset({"", "~", "null"})
"""Texts that YAML writers use for no value."""


def faults(page: Page) -> dict[str, Problem]:
    """Return the first problem of each code."""
    if not page.row[12]:
        return _NOTHING
    result: dict[str, Problem] = {}
    for problem in page.problems:
        result.setdefault(problem.code, problem)
    return result


@lru_cache(maxsize=16)
def contract(page: Page) -> Kind | None:
    """Return the kind whose front matter contract holds for the page, or None for none.

    Below `wiki/` the front matter has a say: `type: thesis` makes a thesis wherever it lies, a
    category makes an article even among the theses, so that a misplaced file is one finding. A
    file outside the leaf folders that no field places is stray (W305, W306) and has no contract;
    one whose front matter cannot be read keeps it, for nobody knows where it belongs.
    """
    name = kind_of(page.rel)
    if name is None or not KINDS[name].front_matter:
        return None
    place = place_of(page.rel.rpartition("/")[0])
    if place != "leaf" and name != "manifest" and page.front in ("ok", "missing") and not demanded(page):
        return None
    if page.rel.startswith("wiki/"):
        folder = demanded(page)
        if folder == THESIS_FOLDER:
            name = "thesis"
        elif folder:
            name = "article"
    return KINDS[name]


def demanded(page: Page) -> str:
    """Return the folder the front matter demands, a difference in case forgiven, or ""."""
    plane = page.rel.partition("/")[0]
    meta = page.meta
    if plane == "wiki":
        if canonical(("thesis",), page.text("type")):
            return THESIS_FOLDER
        return _folder("category", meta.get("category"))
    if plane == "raw":
        folder = _folder("type", meta.get("type"))
        return "" if folder == THESIS_FOLDER else folder
    return _folder("kind", meta.get("kind")) if kind_of(page.rel) == "inventory" else ""


def _folder(field: str, value: Any) -> str:
    folders = FOLDER_OF[field]
    if value.__class__ is not str:
        return ""
    return folders.get(value) or folders.get(canonical(tuple(folders), value), "")


def is_undated(page: Page) -> bool:
    """Tell whether an article's `updated` is written but no date and `verified` is none either (W702)."""
    updated = page.meta.get("updated")
    if updated.__class__ is not str or is_blank(updated) or is_date(page.text("updated")):
        return False
    if kind_of(page.rel) not in ("article", "thesis") or page.rel == COVERAGE_PAGE:
        return False
    return not is_date(page.text("verified"))


@lru_cache(maxsize=16)
def fields_of(page: Page) -> Kind | None:
    """Return the contract if the front matter can be judged field by field, else None.

    A file with bytes that are not UTF-8 has that one finding.
    """
    if page.front != "ok" or (page.row[12] and "encoding" in faults(page)):
        return None
    return contract(page)


def has_unread_sources(page: Page) -> bool:
    """Tell whether an article may cite what nobody can make out: `sources` is a map or holds one (W512)."""
    value = page.meta.get("sources")
    if value.__class__ is str or not value:
        return False
    if value.__class__ is list and all(item.__class__ is str for item in value):
        return False
    return page.rel != COVERAGE_PAGE and contract(page) is not None


def is_blank(value: Any) -> bool:
    """Tell whether a value counts as not given: nothing, blanks, `~` or `null`."""
    return value is None or (isinstance(value, str) and value.strip() in BLANK)


def entries(page: Page, key: str) -> list[tuple[int, str]]:
    """Return the texts of a list field, each with its place from 0; a single text is one, at place -1."""
    value = page.meta.get(key)
    if isinstance(value, list):
        return [(place, item.strip()) for place, item in enumerate(value) if isinstance(item, str)]
    return [] if is_blank(value) or not isinstance(value, str) else [(-1, value.strip())]


def listed(words: tuple[str, ...]) -> str:
    """Return words as a phrase: `a, b or c`."""
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else "".join(words)
