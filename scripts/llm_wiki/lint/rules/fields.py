"""2xx: front matter fields, judged by the contract of the document's kind (`wiki-format.md` §5).

One defect is one finding: an empty field is missing (W201) and nothing else, a list in the place
of a word is a wrong shape (W209) and not also a bad word, `tags` belongs to W204 and `sources` to
W512 alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from llm_wiki.core.text import as_date
from llm_wiki.lint.finding import Finding, Hit
from llm_wiki.lint.rules.text import BLANK, fields_of, is_blank, is_undated, listed
from llm_wiki.lint.view import View
from llm_wiki.model.kinds import KINDS, OUTPUT_TYPES, Field, Kind, canonical, kind_of
from llm_wiki.model.page import Page

PLACING: Final = ("type", "category", "kind", "status", "priority", "storage", "schema_status")
"""Enums that decide where a document lies or what it counts as (W202)."""

MARKS: Final = ("confidence", "volatility")
"""Enums that weigh a document (W203)."""

PROVENANCE: Final = ("adapter", "upstream_type", "content_format")
"""Enums of a collection's children (W210)."""

ALIASES: Final[dict[tuple[str, str], dict[str, str]]] = {}
"""(kind, field) → old value → current value; (kind, "") → old key → current key. Append-only (W207)."""

_NEVER_SHAPED: Final = frozenset({"tags", "sources", "key_variables", "filters"})
_DATED: Final = ("raw", "article", "thesis", "inventory", "view", "manifest")
_SHORT = 4
_MISSING: Final = object()
_SILENT = Hit(None, "")


def required_missing(page: Page) -> Iterator[Hit]:
    """W201: a field that indexes, search or scoring rely on is absent or empty."""
    kind = fields_of(page)
    if kind is None:
        return
    meta = page.meta
    for name in kind.required:
        value = meta.get(name, _MISSING)
        if value.__class__ is str and value[:1].isalnum() and value not in BLANK:
            continue
        if value is _MISSING:
            near = misspelt(name, page, kind)
            text = f"Required field is missing: {name}" + (f" (is {near} meant?)" if near else "")
            yield Hit(page.rel, text, 1, target=name, fixable=False if near else None)
        elif _is_empty(value, kind.fields[name]):
            yield Hit(page.rel, f"Required field is empty: {name}", page.lines.get(name, 1), target=name)


def fill_known(view: View, finding: Finding) -> Finding:
    """Second look at W201 and W701: fixable only if the value follows from what is there.

    A comment in the place of the value is what somebody wrote for one; it is for them to quote.
    """
    from llm_wiki.lint import infer

    page = view.snapshot.pages.get(finding.path or "")
    if not finding.fixable or page is None:
        return finding._replace(fixable=False)
    if infer.is_commented(view.snapshot, page, finding.target):
        text = f"{finding.message} (to YAML a # begins a comment: quote the value)"
        return finding._replace(message=text, fixable=False)
    if finding.rule != "W201":
        return finding
    return finding._replace(fixable=infer.fillable(view.snapshot, page, finding.target, view.raw_of))


def enum_invalid(page: Page) -> Iterator[Hit]:
    """W202: a word the format does not know puts the document nowhere."""
    yield from _enums(page, PLACING)


def mark_invalid(page: Page) -> Iterator[Hit]:
    """W203: an unknown mark is read as the default; an idea's stage is derived, never stored."""
    kind = fields_of(page)
    if kind is None:
        yield from _output_type(page)
        return
    yield from _enums(page, MARKS)
    if kind.name == "inventory" and "stage" in page.meta and page.text("kind") == "idea":
        text = "Field stage: the stage of an idea is derived from its links, never stored"
        yield Hit(page.rel, text, page.lines.get("stage", 1), target="stage", fixable=False)


def tags_invalid(page: Page) -> Iterator[Hit]:
    """W204: tags are a list of words; anything else is not found by them."""
    kind = fields_of(page)
    if kind is None or "tags" not in kind.lists or "tags" not in page.meta:
        return
    value = page.meta["tags"]
    line = page.lines.get("tags", 1)
    if isinstance(value, list):
        if not value:
            if "tags" in kind.required:
                yield Hit(page.rel, "tags is an empty list", line, target="tags", fixable=False)
        elif not all(isinstance(item, str) and item.strip() for item in value):
            yield Hit(page.rel, "tags holds an item that is no word", line, target="tags", fixable=False)
    elif not is_blank(value):
        fixable = isinstance(value, str)
        yield Hit(page.rel, "tags is not a list", line, target="tags", fixable=fixable)


def compiled_from_invalid(page: Page) -> Iterator[Hit]:
    """W205: an unknown origin is read as `sources`."""
    yield from (hit._replace(fixable=False) for hit in _enums(page, ("compiled-from",)))


def date_invalid(view: View) -> Iterator[Hit]:
    """W206: what is not a date cannot age; a date in the future never does.

    Of a valid date only the order and the future are noted (info). An `updated` that leaves an
    article without any usable date is W702.
    """
    today = view.today.isoformat()
    good: set[Any] = {None, *BLANK}
    for name in _DATED:
        dates = tuple(KINDS[name].dates)
        for page in view.by_kind.get(name, ()):
            meta = page.meta
            for key in dates:
                value = meta.get(key)
                if value.__class__ is list or value.__class__ is dict or value in good:
                    continue
                hit = _date_hit(page, key, str(value).strip(), today)
                if hit is None:
                    good.add(value)
                elif hit.message:
                    yield hit
            updated, created = meta.get("updated"), meta.get("created")
            if updated.__class__ is created.__class__ is str and updated < created:
                yield from _out_of_order(page)


def alias_used(page: Page) -> Iterator[Hit]:
    """W207: an old name still works, and is renamed to the current one."""
    kind = fields_of(page)
    if kind is None or not ALIASES:
        return
    for key, value in page.meta.items():
        line = page.lines.get(key, 1)
        new = ALIASES.get((kind.name, ""), {}).get(key)
        if new and new not in page.meta:
            yield Hit(page.rel, f"Key {key} is now called {new}", line, target=key)
        word = ALIASES.get((kind.name, key), {}).get(value) if isinstance(value, str) else None
        if word:
            yield Hit(page.rel, f"Value {value} of {key} is now called {word}", line, target=key)


def key_misspelt(page: Page) -> Iterator[Hit]:
    """W208: a misspelt key is kept and never read; beside a missing field W201 and W701 name it."""
    kind = fields_of(page)
    if kind is None or not kind.fields or page.meta.keys() <= kind.fields.keys():
        return
    for key in page.meta:
        near = resembled(key, kind)
        if near and not _is_named_elsewhere(key, near, page, kind):
            text = f"Unknown key {key}: is {near} meant?"
            yield Hit(page.rel, text, page.lines.get(key, 1), target=near)


def shape_wrong(page: Page) -> Iterator[Hit]:
    """W209: a list where one value belongs, or one value where a list belongs, is read as empty."""
    kind = fields_of(page)
    if kind is None:
        return
    fields, lists = kind.fields, kind.lists
    for key, value in page.meta.items():
        is_list = key in lists
        if value.__class__ is (list if is_list else str):
            continue
        if key not in fields or key in _NEVER_SHAPED:
            continue
        line = page.lines.get(key, 1)
        if not is_list:
            shape = "list" if isinstance(value, list) else "map"
            yield Hit(page.rel, f"{key} is a {shape}; one value belongs there", line, target=key)
        elif not is_blank(value):
            yield Hit(page.rel, f"{key} is not a list", line, target=key)


def provenance_invalid(page: Page) -> Iterator[Hit]:
    """W210: an unknown origin of a collection's child is not recognised when it is fetched again."""
    yield from (hit._replace(fixable=False) for hit in _enums(page, PROVENANCE))


def resembled(key: str, kind: Kind) -> str:
    """Return the known key that an unknown one probably means, or "".

    Distance counts letters added, dropped, changed or swapped with their neighbour: at most two,
    among keys of four letters or fewer one.
    """
    return "" if key in kind.fields else _nearest(key, kind.name)


@lru_cache(maxsize=512)
def _nearest(key: str, kind: str) -> str:
    from rapidfuzz.distance import OSA

    best, least = "", 3
    for known in KINDS[kind].fields:
        limit = 1 if min(len(key), len(known)) <= _SHORT else 2
        distance = OSA.distance(key.casefold(), known, score_cutoff=2)
        if distance <= limit and distance < least:
            best, least = known, distance
    return best


def misspelt(name: str, page: Page, kind: Kind) -> str:
    """Return the unknown key of a page that probably means the absent key `name`, or ""."""
    if page.meta.keys() <= kind.fields.keys():
        return ""
    return next((key for key in page.meta if resembled(key, kind) == name), "")


def _is_named_elsewhere(key: str, near: str, page: Page, kind: Kind) -> bool:
    """Tell whether another finding already names this key: W201, W203, W207 or W701."""
    if near not in page.meta and (near in kind.required or (near == "volatility" and kind.name != "raw")):
        return True
    stage = key == "stage" and kind.name == "inventory" and page.text("kind") == "idea"
    return stage or key in ALIASES.get((kind.name, ""), {})


def _is_empty(value: Any, field: Field) -> bool:
    """Tell whether a required field counts as not given; a shape that is wrong is W209, `[]` of tags W204."""
    if field.shape == "list":
        return is_blank(value) or (value == [] and field.name != "tags")
    return value is None or (
        isinstance(value, str) and value.strip() in (BLANK if field.shape != "text" else ("",))
    )


def _enums(page: Page, names: tuple[str, ...]) -> Iterator[Hit]:
    kind = fields_of(page)
    if kind is None:
        return
    meta = page.meta
    for name in names:
        value = meta.get(name)
        if (
            value.__class__ is str
            and name in kind.enums
            and value not in kind.enums[name]
            and not is_blank(value)
        ):
            yield _bad_word(page, name, str(value), kind.enums[name])


def _bad_word(page: Page, name: str, value: str, words: tuple[str, ...]) -> Hit:
    text = f'Invalid {name}: "{value}" (use {listed(words)})'
    return Hit(page.rel, text, page.lines.get(name, 1), target=value, fixable=bool(canonical(words, value)))


def _output_type(page: Page) -> Iterator[Hit]:
    if page.front != "ok" or page.rel.count("/") != 1 or kind_of(page.rel) != "output":
        return
    value = page.text("type")
    if not is_blank(value) and value not in OUTPUT_TYPES:
        yield _bad_word(page, "type", value, OUTPUT_TYPES)._replace(severity="info")


def _date_hit(page: Page, key: str, value: str, today: str) -> Hit | None:
    """Return what is wrong with a date: None for nothing, an empty message for what W702 says."""
    if as_date(value) is None:
        if key in ("updated", "verified") and is_undated(page):
            return _SILENT
        text = f"{key} is not a calendar date: {value}"
        return Hit(page.rel, text, page.lines.get(key, 1), target=value)
    if value[:10] > today:
        text = f"{key} lies in the future: {value[:10]}"
        return Hit(page.rel, text, page.lines.get(key, 1), target=value, severity="info")
    return None


def _out_of_order(page: Page) -> Iterator[Hit]:
    updated, created = as_date(page.text("updated")), as_date(page.text("created"))
    if updated and created and updated < created:
        text = f"updated ({updated}) lies before created ({created})"
        yield Hit(page.rel, text, page.lines.get("updated", 1), target="updated", severity="info")
