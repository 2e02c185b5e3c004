"""What a read may see: the one place that hides, labels and masks (`doctrine.md` §1, §9 row 26).

Hidden unless asked for: an archived topic, a record that is archived, a raw version that a later
one supersedes, and all of `raw/`. Never shown, whatever is asked: another root, and a sentence
whose source was retracted, until somebody has decided about it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from llm_wiki.model.kinds import kind_of
from llm_wiki.model.links import SourceIndex
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

MASKED = "[withheld: its source was retracted]"
"""Stands where a marked sentence stood."""

_MARKER = re.compile(r"<!--\s*RETRACTED-SOURCE\b.*?-->", re.IGNORECASE | re.DOTALL)
_ITEM = re.compile(r"([ \t>]*)(?:[-*+]|\d{1,9}[.)])[ \t]")
_SENTENCE_END = re.compile(r"[.!?][\"')\]»”*_]*(?=\s+[^\sa-z])|[。！？][」』）”]*")
_SHORT = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|etc|approx|no|nr|fig|dr|mr|mrs|prof|st|ca|bzw|z\.\s?b|d\.\s?h|u\.\s?a|al)"
    r"|(?<![\w.])\w)$",
    re.IGNORECASE,
)


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
    raw = [rel for rel in snapshot.pages if rel.startswith("raw/")]
    sources = SourceIndex(snapshot.files, raw)
    found = ((owner, sources.resolve(owner, reference)) for owner, reference in named)
    return frozenset(one.path for owner, one in found if one.status == "resolved" and one.path != owner)


def pending(text: str) -> bool:
    """Tell whether a text holds a marker of a retracted source that nobody has settled."""
    return _MARKER.search(text) is not None


def mask(text: str) -> str:
    """Return Markdown with every sentence, list item or table row behind a marker withheld.

    Lines keep their numbers. Where the end of a sentence is in doubt, more is withheld, never less.
    """
    pieces: list[str] = []
    done = 0
    for marker in _MARKER.finditer(text):
        if marker.start() < done:
            continue
        start, end = _covered(text, marker.start(), marker.end())
        start = max(start, done)
        pieces += (text[done:start], MASKED, "\n" * text.count("\n", start, end))
        done = end
    return "".join(pieces) + text[done:] if pieces else text


def _covered(text: str, marker: int, behind: int) -> tuple[int, int]:
    """Return the range that a marker withholds, the marker included."""
    start = behind
    while start < len(text) and text[start].isspace():
        start += 1
    line = text.rfind("\n", 0, start) + 1
    inside = line <= marker
    head = text[line:start] if not inside else text[line:marker]
    rest = text[start : _line_end(text, start)]
    row = (head + rest).lstrip(" >")
    if row.startswith("|") or rest.startswith("|"):
        return min(marker, start), _line_end(text, start)
    if rest.startswith("#"):
        return marker, _line_end(text, start)
    item = _ITEM.match(rest) or (_ITEM.fullmatch(head) if inside else None)
    if item is not None:
        return marker, _item_end(text, start, len(head) if not inside else len(item[1]))
    return marker, _sentence_end(text, start)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _item_end(text: str, at: int, indent: int) -> int:
    """Return the end of a list item: the next item of its depth or above, or a less indented paragraph."""
    end = _line_end(text, at)
    blank = False
    while end < len(text):
        stop = _line_end(text, end + 1)
        line = text[end + 1 : stop]
        depth = len(line) - len(line.lstrip())
        if line.strip():
            if depth <= indent and (blank or _ITEM.match(line) or line.lstrip().startswith("#")):
                break
            blank = False
        else:
            blank = True
        end = stop
    return end


def _sentence_end(text: str, at: int) -> int:
    """Return the end of the sentence that begins at `at`, at the latest that of its paragraph."""
    gap = re.compile(r"\n[ \t>]*(?:\n|$)|\n[ \t>]*(?:#|[-*+] |\d{1,9}[.)] |\|)").search(text, at)
    stop = gap.start() if gap else len(text)
    for end in _SENTENCE_END.finditer(text, at, stop):
        if not (end[0][0] == "." and _SHORT.search(text, max(at, end.start() - 12), end.start())):
            return end.end()
    return stop
