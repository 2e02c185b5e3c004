"""7xx: how old the knowledge of an article is (`doctrine.md` §3).

The coverage page, which lint writes itself, has no age.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from math import log2

from llm_wiki.core.errors import WikiError
from llm_wiki.core.text import as_date, nfc
from llm_wiki.lint.finding import Hit
from llm_wiki.lint.rules.fields import misspelt
from llm_wiki.lint.rules.graph import once
from llm_wiki.lint.rules.text import fields_of, is_blank, is_undated
from llm_wiki.lint.view import View
from llm_wiki.model.document import body_hash
from llm_wiki.model.layout import COVERAGE_PAGE
from llm_wiki.model.page import Page
from llm_wiki.wiki import attestations
from llm_wiki.wiki.freshness import FULL, HALF_LIFE, Cited, Freshness, Standing, score, standing
from llm_wiki.wiki.statefiles import read_state


def volatility_missing(page: Page) -> Iterator[Hit]:
    """W701: an article without `volatility` ages as if it were warm; better to say so."""
    kind = fields_of(page)
    if kind is None or kind.name not in ("article", "thesis") or page.rel == COVERAGE_PAGE:
        return
    if is_blank(page.meta.get("volatility")):
        near = misspelt("volatility", page, kind) if "volatility" not in page.meta else ""
        text = "volatility is missing" + (f" (is {near} meant?)" if near else "; it counts as warm")
        line = page.lines.get("volatility", 0)
        yield Hit(page.rel, text, line, target="volatility", fixable=False if near else None)


def undated(page: Page) -> Iterator[Hit]:
    """W702: without a date of its own nothing can be said about an article's age."""
    if fields_of(page) and is_undated(page):
        text = f"Neither verified nor updated is a date: {page.text('updated')}"
        yield Hit(page.rel, text, page.lines.get("updated", 1), target="updated")


def stale(view: View) -> Iterator[Hit]:
    """W703: the composite freshness of an article lies below `freshness_threshold`.

    An article is stale only by age: where sources are missing or unresolved, which has findings of
    its own (W511-W514), what is left must be too old as well. The reported score is the full one. A
    verification that the body has outlived is left out, as one that never was.
    """
    threshold = view.snapshot.config.freshness_threshold
    recent = _Recent(view, threshold)
    for page in view.articles:
        if recent.vouches_for(page) or page.front != "ok" or is_undated(page):
            continue
        cited = [_cited(view, page, item) for item in page.items("sources")]
        result = score(page, cited, view.today, verified=_standing(view, page))
        written = as_date(page.text("updated")) or as_date(page.text("created"))
        if written and result.stale(threshold) and _is_old(result, cited, threshold):
            text = f"Stale: freshness {result.shown} is below {threshold} ({result.volatility})"
            yield Hit(page.rel, text, page.lines.get("updated", 1), severity=result.severity)


@once
def _attested(view: View) -> dict[str, str]:
    """NFC path of each article a person confirmed → the hash of the body that was confirmed."""
    return attestations.read(read_state(view.snapshot.root, attestations.ATTESTATIONS))


def _standing(view: View, page: Page) -> Standing | None:
    """Tell what an attested `verified` is worth; None lets the date count, as without an attestation."""
    attested = _attested(view).get(nfc(page.rel)) if "verified" in page.meta else None
    if attested is None:
        return None
    try:
        return standing(page, body_hash(view.snapshot.read(page.rel)), attested)
    except WikiError:
        return None


class _Recent:
    """Says of most articles that they cannot be stale, by comparing dates as text.

    If no age exceeds the days after which 4 · decay falls below the threshold, no score can: with
    x = decay / 25 every form of the score is at least 100 · x (`doctrine.md` §3). Texts that are no
    dates have their own findings.
    """

    def __init__(self, view: View, threshold: float) -> None:
        self.floors = {name: self.floor(view.today, threshold, half) for name, half in HALF_LIFE.items()}
        raw = [(page.rel, page.meta.get("ingested")) for page in view.kind("raw")]
        self.sources = {
            name: frozenset([rel for rel, day in raw if day.__class__ is str and day >= floor])
            for name, floor in self.floors.items()
        }

    @staticmethod
    def floor(today: date, threshold: float, half_life: int) -> str:
        """Return the oldest date, as text, that still is recent."""
        days = half_life * log2(100 / threshold) if threshold > 0 else today.toordinal()
        return date.fromordinal(max(1, today.toordinal() - int(days))).isoformat()

    def vouches_for(self, page: Page) -> bool:
        """Tell whether every date that counts for the article is recent and every source resolves."""
        meta = page.meta
        name = meta.get("volatility")
        if name.__class__ is not str or name not in self.floors:
            name = "warm"
        floor = self.floors[name]
        updated, verified = meta.get("updated"), meta.get("verified", floor)
        if updated.__class__ is not str or verified.__class__ is not str:
            return False
        if updated < floor or verified < floor:
            return False
        if meta.get("compiled-from") == "conversation":
            return True
        items = meta.get("sources")
        return items.__class__ is list and bool(items) and self.holds(name, items)

    def holds(self, name: str, items: list[str]) -> bool:
        """Tell whether all items are exact paths of recent sources."""
        try:
            return self.sources[name].issuperset(items)
        except TypeError:  # an item that is a list or a map
            return False


def _cited(view: View, page: Page, item: str) -> Cited:
    rel = item if item in view.raw else view.resolved.get((page.rel, item), "")
    source = view.snapshot.pages.get(rel)
    return Cited(bool(rel), as_date(source.text("ingested")) if source else None)


def _is_old(result: Freshness, cited: list[Cited], threshold: float) -> bool:
    """Tell whether ages alone bring the score below the threshold."""
    if result.integrity is None or (cited and all(item.ingested for item in cited)):
        return True
    dated = any(item.ingested for item in cited)
    parts = [result.source if dated else None, result.verification, result.compilation]
    counted = [part for part in parts if part is not None]
    return sum(counted) * 100 / (FULL * len(counted)) < threshold
