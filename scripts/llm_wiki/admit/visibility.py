"""What a read may see: the one place that hides, labels and masks (`doctrine.md` §1, §9 row 26).

Hidden unless asked for: an archived topic, a record that is archived, a raw version that a later
one supersedes, and all of `raw/`. Never shown, whatever is asked: another root, and a sentence
whose source was retracted, until somebody has decided about it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from llm_wiki.core.retracted import MASK, is_pending, mask_retracted
from llm_wiki.model.kinds import kind_of

if TYPE_CHECKING:
    from llm_wiki.model.page import Page
    from llm_wiki.wiki.resolve import Root
    from llm_wiki.wiki.snapshot import Snapshot

PLANES: dict[str, str] = {
    "raw": "evidence",
    "article": "synthesis",
    "thesis": "synthesis",
    "inventory": "tracking",
    "view": "tracking",
    "manifest": "data",
    "dataset-note": "data",
    "output": "product",
    "project": "product",
    "config": "guidance",
    "schema": "guidance",
    "index": "navigation",
    "log": "navigation",
    "other": "other",
}
"""Kind of document → plane (`doctrine.md` §1)."""

ARCHIVED, SUPERSEDED, PENDING = "archived", "superseded", "retraction-pending"

MASKED = MASK
"""Stands where a marked sentence stood."""


class Scope(NamedTuple):
    """What a read asks for beyond the default.

    `include_archived` for pages of an archived topic and archived records, `raw` for sources,
    `superseded` for raw versions that a later one replaces.
    """

    include_archived: bool = False
    raw: bool = False
    superseded: bool = False


class Label(NamedTuple):
    """How a visible page has to be called: its plane, and notes that its reader must be told.

    Notes are `archived` and `superseded`. Whoever opens the page adds `retraction-pending` where
    `pending` says so: only its text can tell.
    """

    plane: str
    notes: tuple[str, ...] = ()

    @property
    def answers(self) -> bool:
        """Whether a fact on the page may be an answer: not tracking, not a product, not guidance."""
        return self.plane in ("synthesis", "evidence")

    @property
    def words(self) -> tuple[str, ...]:
        """The label as words; a current article needs none."""
        return self.notes if self.plane == "synthesis" else (self.plane, *self.notes)


def visible(snapshot: Snapshot, root: Root, scope: Scope) -> dict[str, Label]:
    """Return the pages of a root that a read of this scope may see, by path, with their labels."""
    return {rel: label for rel, label in labels(snapshot, root).items() if allowed(label, scope)}


def allowed(label: Label, scope: Scope) -> bool:
    """Tell whether a page of this label lies in a scope."""
    if label.plane == "evidence" and not (scope.raw or (scope.superseded and SUPERSEDED in label.notes)):
        return False
    if ARCHIVED in label.notes and not scope.include_archived:
        return False
    return scope.superseded or SUPERSEDED not in label.notes


def labels(snapshot: Snapshot, root: Root) -> dict[str, Label]:
    """Return the label of every page of a root, hidden ones included, by path."""
    replaced = superseded(snapshot)
    everywhere = (ARCHIVED,) if root.status == "archived" else ()
    plain = {plane: Label(plane, everywhere) for plane in PLANES.values()}
    found: dict[str, Label] = {}
    for rel, page in snapshot.pages.items():
        plane = PLANES[kind_of(rel) or "other"]
        notes = [] if everywhere or plane == "synthesis" else _state(plane, page)
        if rel in replaced:
            notes.append(SUPERSEDED)
        found[rel] = Label(plane, (*everywhere, *notes)) if notes else plain[plane]
    return found


def _state(plane: str, page: Page) -> list[str]:
    """Return the note that a record's own status calls for."""
    if plane in ("tracking", "data", "product"):
        status = page.text("status").casefold()
        if status in (ARCHIVED, SUPERSEDED):
            return [status]
    return []


def superseded(snapshot: Snapshot) -> frozenset[str]:
    """Return the raw files that another raw file names in `supersedes`, by path."""
    named = [
        (rel, page.text("supersedes"))
        for rel, page in snapshot.pages.items()
        if rel.startswith("raw/") and page.text("supersedes")
    ]
    if not named:
        return frozenset()
    from llm_wiki.model.links import SourceIndex

    raw = [rel for rel in snapshot.pages if rel.startswith("raw/")]
    sources = SourceIndex(snapshot.files, raw)
    found = ((owner, sources.resolve(owner, reference)) for owner, reference in named)
    return frozenset(one.path for owner, one in found if one.status == "resolved" and one.path != owner)


def pending(text: str) -> bool:
    """Tell whether a text holds a marker of a retracted source that nobody has settled."""
    return is_pending(text)


def mask(text: str) -> str:
    """Return Markdown with every sentence, list item or table row behind a marker withheld.

    Lines keep their numbers (`core.retracted`).
    """
    return mask_retracted(text)[0]
