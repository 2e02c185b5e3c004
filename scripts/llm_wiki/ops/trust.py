"""What a reader must be told about a page: its plane, how sure and how fresh it is, who confirmed it.

Labels are facts of the snapshot on one day (`doctrine.md` §2, §3); none of them is a judgement.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import cached_property

from llm_wiki.admit.visibility import Label
from llm_wiki.core.text import as_date, nfc
from llm_wiki.model.document import body_hash
from llm_wiki.model.kinds import CONFIDENCE, canonical, kind_of
from llm_wiki.model.links import SourceIndex
from llm_wiki.model.page import Page
from llm_wiki.wiki import attestations
from llm_wiki.wiki.freshness import Cited, Freshness, Standing, score, standing
from llm_wiki.wiki.snapshot import Snapshot

TRUST: dict[Standing, str] = {
    "attested": "verified",
    "unattested": "unattested",
    "lapsed": "lapsed",
    "never": "unverified",
}
"""How the worth of a `verified` date is called. Only `verified` may be described as human-checked."""

_STATE = ("status", "priority", "maturity", "storage", "schema_status")


class Trust:
    """Labels for pages of one snapshot at one date; facts they share are computed once."""

    def __init__(self, snapshot: Snapshot, today: date) -> None:
        self.snapshot = snapshot
        self.today = today

    @cached_property
    def _attested(self) -> Mapping[str, str]:
        return attestations.load(self.snapshot.root)

    @cached_property
    def _raw(self) -> frozenset[str]:
        return frozenset([rel for rel in self.snapshot.pages if kind_of(rel) == "raw"])

    @cached_property
    def _sources(self) -> SourceIndex:
        files = [rel for rel, entry in self.snapshot.files.items() if entry.problem != "dangling"]
        return SourceIndex(files, self._raw, str(self.snapshot.root))

    def sources(self, page: Page) -> list[str]:
        """Return for each entry of `sources` the raw file it resolves to, or ""."""
        found = []
        for item in page.items("sources"):
            rel = item if item in self._raw else self._sources.resolve(page.rel, item).path
            found.append(rel if rel in self._raw else "")
        return found

    def freshness(self, page: Page) -> Freshness:
        """Score an article on the day of this run."""
        cited = []
        for rel in self.sources(page):
            source = self.snapshot.pages.get(rel)
            cited.append(Cited(bool(rel), as_date(source.text("ingested")) if source else None))
        return score(page, cited, self.today, verified=self.standing(page))

    def standing(self, page: Page) -> Standing:
        """Tell what the `verified` date of an article is worth."""
        attested = self._attested.get(nfc(page.rel))
        digest = body_hash(self.snapshot.read(page.rel)) if attested and page.text("verified") else ""
        return standing(page, digest, attested)

    def rebuildable(self, page: Page) -> bool:
        """Tell whether an article rests on sources: one of a conversation alone needs its note."""
        if page.text("compiled-from") != "conversation":
            return True
        return any(rel.startswith("raw/notes/") for rel in self.sources(page))

    def labels(self, page: Page, label: Label) -> dict[str, str]:
        """Return the labels of a page by name, in the order they are shown; `label` is its visibility."""
        found = {"plane": label.plane}
        notes = list(label.notes)
        kind = kind_of(page.rel)
        if kind in ("article", "thesis"):
            found |= self._article(page, notes)
        elif kind == "raw":
            found |= {
                "ingested": page.text("ingested"),
                "credibility": page.text("credibility"),
                "confidence": canonical(CONFIDENCE, page.text("confidence")),
            }
        elif label.plane in ("tracking", "data", "product"):
            found |= {name: page.text(name) for name in _STATE}
            notes.append("not a fact")
        found["note"] = ", ".join(notes)
        return {name: value for name, value in found.items() if value}

    def _article(self, page: Page, notes: list[str]) -> dict[str, str]:
        fresh = self.freshness(page)
        if fresh.stale(self.snapshot.config.freshness_threshold):
            notes.append("stale")
        if not self.rebuildable(page):
            notes.append("not rebuildable")
        return {
            "confidence": canonical(CONFIDENCE, page.text("confidence")) or "unknown",
            "freshness": fresh.shown,
            "trust": TRUST[fresh.standing],
            "updated": page.text("updated"),
            "status": page.text("status"),
            "verdict": page.text("verdict"),
        }
