"""How fresh an article is, 0 to 100 (`doctrine.md` §3): pure arithmetic over dates.

decay(d) = 25 · 0.5^(max(d, 0) / H),  H = 30 days (hot), 90 (warm), 365 (cold)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from typing import Literal, NamedTuple

from llm_wiki.core.text import as_date
from llm_wiki.model.page import Page
from llm_wiki.wiki.topic import DEFAULT_THRESHOLD

HALF_LIFE: dict[str, int] = {"hot": 30, "warm": 90, "cold": 365}
"""Days after which a dimension has lost half; a missing or unknown volatility counts as `warm`."""

FULL = 25.0
"""Points of one dimension."""


Standing = Literal["attested", "unattested", "lapsed", "never"]


class Cited(NamedTuple):
    """One entry of `sources`: whether it resolves, and the day its raw file was ingested, if known."""

    resolved: bool
    ingested: date | None = None


class Freshness(NamedTuple):
    """The score and how it came about.

    The four dimensions are points of 25, None where they do not count: sources and integrity of a
    conversation article, verification of one never or no longer verified. `basis` is what the
    counted dimensions can reach together before the sum is scaled to 100. `standing` tells what
    `verified` is worth; `unverified` is true for `never` and `lapsed`.
    """

    score: float
    source: float | None
    verification: float | None
    compilation: float
    integrity: float | None
    basis: int
    volatility: str
    standing: Standing

    @property
    def unverified(self) -> bool:
        """Whether no human confirmation counts."""
        return self.standing in ("never", "lapsed")

    @property
    def shown(self) -> str:
        """The score to one decimal, as people see it."""
        return f"{self.score:.1f}"

    def stale(self, threshold: float = DEFAULT_THRESHOLD) -> bool:
        """Tell whether the unrounded score lies below the threshold."""
        return self.score < threshold

    @property
    def severity(self) -> Literal["warning", "info"]:
        """How much a stale article matters: `info` for cold ones."""
        return "info" if self.volatility == "cold" else "warning"


def decay(days: float, volatility: str) -> float:
    """Return the points, at most 25, left after so many days; a future date loses nothing."""
    return FULL * math.pow(0.5, max(days, 0.0) / HALF_LIFE[volatility])


def standing(page: Page, body_hash: str, attested: str | None) -> Standing:
    """Tell what the `verified` date of an article is worth (`doctrine.md` §2).

    `attested` is the body hash of the newest attestation of this article, None without one.
    """
    if as_date(page.text("verified")) is None:
        return "never"
    if attested is None:
        return "unattested"
    return "attested" if attested == body_hash else "lapsed"


def score(
    page: Page,
    cited: Sequence[Cited],
    today: date,
    *,
    verified: Standing | None = None,
    compat: bool = False,
) -> Freshness:
    """Score one article on one day.

    `cited` holds every entry of its `sources`. `verified` is what `standing` found; None takes a
    date as unattested, which counts. With `compat` a missing verification is 0 points of 25 instead
    of being left out, and a lapsed one counts by its date, as upstream has it.
    """
    volatility = page.text("volatility") if page.text("volatility") in HALF_LIFE else "warm"
    day = as_date(page.text("verified"))
    worth: Standing = "never" if day is None else (verified or "unattested")
    verification = None if day is None else decay((today - day).days, volatility)
    if compat:
        verification = verification or 0.0
    elif worth in ("never", "lapsed"):
        verification = None
    written = as_date(page.text("updated")) or as_date(page.text("created"))
    compilation = decay((today - written).days, volatility) if written else 0.0
    source = integrity = None
    if page.text("compiled-from") != "conversation":
        source = _source(cited, today, volatility)
        integrity = FULL * sum(item.resolved for item in cited) / len(cited) if cited else 0.0
    counted = [part for part in (source, verification, compilation, integrity) if part is not None]
    basis = int(FULL) * len(counted)
    total = sum(counted) * (100 / basis)
    return Freshness(total, source, verification, compilation, integrity, basis, volatility, worth)


def _source(cited: Sequence[Cited], today: date, volatility: str) -> float:
    ages = [(today - item.ingested).days for item in cited if item.resolved and item.ingested]
    return decay(sum(ages) / len(ages), volatility) if ages else 0.0
