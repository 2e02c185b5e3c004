"""What a proposal is, and what a source of proposals can do (`review.md` §1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from llm_wiki.core.transaction import Change


class Evidence(NamedTuple):
    """Where a proposal comes from: a path below the hub, an event or line there, and its words."""

    path: str
    place: str
    quote: str


class Planned(NamedTuple):
    """What a yes would do: the changes of one transaction in a root, and what is said beside them.

    `root` is the path of the root the changes are in, "" where none is made. `complete` is False while a
    choice is missing, which `needs` names (`--topic SLUG`). `shown` is text that would be written or printed.
    """

    root: str
    changes: tuple[Change, ...]
    shown: str
    complete: bool
    needs: str = ""


class Proposal(NamedTuple):
    """One thing that waits for a person. `created` is a UTC stamp; `flags` are words of the source.

    `neighbours` are ids of proposals that resemble it.
    """

    id: str
    kind: str
    text: str
    evidence: tuple[Evidence, ...]
    neighbours: tuple[str, ...]
    flags: tuple[str, ...]
    source: str
    created: str
    expires: str = ""
    project: str = ""


class Choice(NamedTuple):
    """What goes with a decision: where a yes goes, as what, why a no, the words a person put in place.

    `via` is the face it came through: `terminal`, `verb`, `web`, an alias.
    """

    topic: str = ""
    kept_as: str = "note"
    reason: str = ""
    edited: str = ""
    force: bool = False
    dry_run: bool = False
    via: str = "verb"


class Decided(NamedTuple):
    """What became of one decision. `done` is False when it had been made before, or only shown."""

    id: str
    verdict: str
    done: bool
    plan: Planned
    path: str = ""
    transaction: str = ""


class Source(Protocol):
    """One source of proposals; it keeps its own storage, and only `decide` writes to it."""

    name: str

    def pending(self) -> list[Proposal]:
        """Return what waits, newest first: cheap, and without a write."""

    def find(self, name: str) -> list[Proposal]:
        """Return the proposals, decided ones too, that an id or a prefix of one means."""

    def details(self, name: str) -> Mapping[str, Any]:
        """Return everything that is known of one proposal."""

    def plan(self, name: str, choice: Choice) -> Planned:
        """Return what a yes would do, without a write."""

    def decide(self, name: str, verdict: str, actor: str, choice: Choice) -> Decided:
        """Apply a verdict of a person: `yes no edit undo`; the second time it changes nothing."""
