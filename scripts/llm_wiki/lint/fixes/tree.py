"""The working copy of a plan: what the wiki would be after it, and every change that leads there."""

from __future__ import annotations

from llm_wiki.core.files import sha256
from llm_wiki.core.transaction import Transaction
from llm_wiki.lint.fixes.step import Step
from llm_wiki.wiki.snapshot import Snapshot


class Tree:
    """Steps carried out one after the other on a snapshot; the difference becomes one transaction.

    `first` is the wiki as it is, `now` as it would be. `hops` are the moves in their order, `origin`
    maps a path to the one its file had in `first`, `data` holds new content by path (None: removed).
    """

    def __init__(self, first: Snapshot) -> None:
        self.first = first
        self.now = first
        self.hops: list[tuple[str, str]] = []
        self._left: set[str] = set()
        self.origin: dict[str, str] = {}
        self.data: dict[str, bytes | None] = {}
        self.dirs: list[str] = []
        self.appends: dict[str, list[str]] = {}

    @property
    def empty(self) -> bool:
        """Tell whether nothing would change."""
        return not (self.hops or self.data or self.dirs)

    def apply(self, step: Step) -> None:
        """Carry out a step."""
        for old, new in step.moves.items():
            if old in self.data:
                self.data[new] = self.data.pop(old)
            if old in self.origin or (old in self.first.files and not self._vacated(old)):
                self.origin[new] = self.origin.pop(old, old)
                self.hops.append((old, new))
                self._left.add(old)
        self.data |= step.changes
        self.dirs += step.dirs
        for rel, lines in step.appends.items():
            self.appends.setdefault(rel, []).extend(lines)
        self.now = self.now.overlay(step.changes, step.moves, step.dirs)

    def transaction(self, summary: str) -> Transaction:
        """Return all changes as one transaction: moves, folders, contents, appended lines, log."""
        tx = Transaction(self.first.root, "lint", summary=summary)
        left = dict(self.data)
        departures = {old: place for place, (old, _) in enumerate(self.hops)}
        arrived: set[str] = set()
        for place, (old, new) in enumerate(self.hops):
            last = departures.get(new, -1) <= place
            whole = old in self.first.files and old not in arrived
            expect = self._hash(old) if whole else None
            tx.move(old, new, expect=expect, data=left.pop(new, None) if last else None)
            arrived.add(new)
        for rel in self.dirs:
            tx.mkdir(rel)
        for rel, data in left.items():
            known = rel in self.first.files and not self._vacated(rel)
            if data is not None:
                tx.write(rel, data, expect=self._hash(rel) if known else None)
            elif known:
                tx.delete(rel, expect=self._hash(rel))
        for rel, lines in self.appends.items():
            tx.append(rel, lines)
        tx.log("lint", summary)
        return tx

    def _vacated(self, rel: str) -> bool:
        """Tell whether the file that was at a path has been moved away."""
        return rel in self._left

    def _hash(self, rel: str) -> str:
        page = self.first.pages.get(rel)
        return page.sha256 if page is not None else sha256(self.first.read(rel))
