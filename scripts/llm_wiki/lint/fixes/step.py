"""What stages are given, what they hand back, and how an edit is proved harmless."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from llm_wiki.core.errors import WikiError
from llm_wiki.lint.finding import Finding
from llm_wiki.lint.infer import editable
from llm_wiki.lint.report import Action
from llm_wiki.model import document, edit, layout
from llm_wiki.model.page import Link, Page

if TYPE_CHECKING:
    from llm_wiki.lint.view import View
    from llm_wiki.wiki.snapshot import Snapshot


class Fix(NamedTuple):
    """One repair as it is reported: the rule, what happens to which path (`to`: of a move), in words.

    An empty `text` is a change that another line already tells of (an index row after a move).
    """

    rule: str
    action: Action
    path: str
    to: str
    text: str


class Step:
    """What one stage wants: moves first, then new content by the path after the moves; None deletes.

    `dirs` are folders that must exist even when empty, `appends` whole lines for append-only files,
    `fixes` what is reported, in the order in which it is read.
    """

    def __init__(self) -> None:
        self.moves: dict[str, str] = {}
        self.changes: dict[str, bytes | None] = {}
        self.dirs: list[str] = []
        self.appends: dict[str, list[str]] = {}
        self.fixes: list[Fix] = []

    def __bool__(self) -> bool:
        return bool(self.moves or self.changes or self.dirs)

    def report(self, rule: str, action: Action, path: str, text: str = "", to: str = "") -> None:
        """Add one line to what is reported."""
        self.fixes.append(Fix(rule, action, path, to, text))


class Stand(NamedTuple):
    """Everything a stage may look at: one state of the wiki and what is wrong with it.

    `found` are the findings to repair, `chosen` the ids of the rules that may be repaired, `named` the
    words after `--only` (some repairs want to be named there), `now` the time of the run as ISO text.
    """

    snapshot: Snapshot
    today: date
    found: Sequence[Finding]
    view: View
    chosen: frozenset[str]
    named: frozenset[str]
    now: str

    def asked(self, rule: str) -> Iterator[Finding]:
        """Yield the findings of a rule whose fix has to be asked for by its id."""
        return (finding for finding in self.of(rule) if rule in self.named)

    def of(self, *rules: str) -> Iterator[Finding]:
        """Yield the findings of these rules that a fix exists for, in report order."""
        return (finding for finding in self.found if finding.rule in rules and finding.fixable)

    def paths(self, *rules: str) -> list[str]:
        """Return the sorted paths of the findings of these rules that a fix exists for."""
        return sorted({finding.path for finding in self.of(*rules) if finding.path is not None})

    def source(self, owner: str, reference: str) -> str:
        """Return the raw file that a reference of an article means, or ""."""
        return self.view.raw_of(owner, reference)

    def page(self, rel: str) -> Page | None:
        """Return a page that may be edited, or None; the coverage page is written anew instead."""
        page = self.snapshot.pages.get(rel)
        if page is None or rel == layout.COVERAGE_PAGE or not editable(self.snapshot, page):
            return None
        return page


class Draft:
    """One page while several repairs are applied to it; what cannot be proved harmless is not applied."""

    def __init__(self, stand: Stand, page: Page) -> None:
        self.page = page
        self.before = stand.snapshot.read(page.rel)
        self.data = self.before

    @property
    def changed(self) -> bool:
        """Tell whether any repair was applied."""
        return self.data != self.before

    def set(self, keys: Iterable[str], edit: Callable[[bytes], bytes]) -> bool:
        """Apply an edit of the front matter that may change these keys alone; tell whether it was.

        The result is parsed again: every other value and every byte of the body must be what they were.
        """
        try:
            data = edit(self.data)
        except (WikiError, ValueError, LookupError):
            return False
        if data == self.data:
            return False
        page = document.page(self.page.rel, data)
        if page.front != "ok" or document.body(data) != document.body(self.data):
            return False
        if _without(page, keys) != _without(self.page, keys):
            return False
        self.data, self.page = data, page
        return True

    def set_items(self, key: str, values: Mapping[int, str]) -> list[int]:
        """Replace items of a list by place; return the places where that was done.

        All at once, or one by one where that is not possible.
        """
        if self.set([key], partial(edit.set_items, key=key, values=values)):
            return list(values)
        return [
            place
            for place, value in values.items()
            if self.set([key], partial(edit.set_items, key=key, values={place: value}))
        ]

    def relink(self, pairs: Sequence[tuple[Link, str]]) -> bool:
        """Give links of the page new targets; tell whether that was done.

        The result is parsed again: there must be as many links as before, and the same front matter.
        """
        try:
            data = edit.retarget_all(self.data, list(pairs))
        except (WikiError, ValueError, LookupError):
            return False
        page = document.page(self.page.rel, data)
        if data == self.data or len(page.links) != len(self.page.links) or page.meta != self.page.meta:
            return False
        self.data, self.page = data, page
        return True


def _without(page: Page, keys: Iterable[str]) -> dict[str, object]:
    """Return the front matter but for some keys."""
    left: dict[str, object] = dict(page.meta)
    for key in keys:
        left.pop(key, None)
    return left
