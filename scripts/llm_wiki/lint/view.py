"""What tree and hub rules see: one snapshot, the date, and facts several rules need.

Every fact is computed at most once a run and only when a rule asks. They are built so that a
clean wiki costs set operations and no walk over its links.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from datetime import date
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from llm_wiki.core.text import nfc
from llm_wiki.lint.rules.text import contract
from llm_wiki.model import layout
from llm_wiki.model.kinds import KINDS, kind_of
from llm_wiki.model.links import Resolution, SourceIndex
from llm_wiki.model.page import Page
from llm_wiki.wiki.snapshot import Snapshot

_SPECIAL = (layout.INDEX, layout.CONFIG, layout.MANIFEST, layout.WHY)
Made = TypeVar("Made")
_NONE: tuple[Page, ...] = ()


class Citation(NamedTuple):
    """One item of an article's `sources` that is not the exact path of a source.

    `place` is its number among the scalar items, from 0, `found` what it resolves to.
    """

    page: Page
    place: int
    reference: str
    found: Resolution


class View:
    """A snapshot at a date, with the facts that rules share. Immutable by convention."""

    def __init__(self, snapshot: Snapshot, today: date) -> None:
        self.snapshot = snapshot
        self.today = today
        self._shared: dict[Any, Any] = {}

    def shared(self, make: Callable[[View], Made]) -> Made:
        """Return what `make` makes of this view, made once."""
        if make not in self._shared:
            self._shared[make] = make(self)
        made: Made = self._shared[make]
        return made

    @cached_property
    def by_folder(self) -> dict[str, list[Page]]:
        """Pages directly in each folder, in path order; the root is ""."""
        result: dict[str, list[Page]] = defaultdict(list)
        pages = self.snapshot.pages
        for rel in sorted(pages):
            result[rel.rpartition("/")[0]].append(pages[rel])
        return dict(result)

    @cached_property
    def by_kind(self) -> dict[str, list[Page]]:
        """Pages of each kind (`model.kinds.kind_of`), folder by folder in path order.

        Files outside the leaf folders that no readable front matter places are `stray`.
        """
        result: dict[str, list[Page]] = defaultdict(list)
        for folder, pages in self.by_folder.items():
            prefix = f"{folder}/" if folder else ""
            special = {prefix + name for name in _SPECIAL}
            usual = kind_of(f"{prefix}page.md") or "other"
            loose = KINDS[usual].front_matter and layout.place_of(folder) != "leaf"
            start = len(prefix)
            for page in pages:
                rel = page.rel
                if not folder or rel in special or rel[start] == ".":
                    result[kind_of(rel) or "other"].append(page)
                elif loose and (page.front != "ok" or contract(page) is None):
                    result["stray"].append(page)
                else:
                    result[usual].append(page)
        return dict(result)

    def kind(self, *names: str) -> list[Page]:
        """Return the pages of these kinds, kind after kind."""
        return [page for name in names for page in self.by_kind.get(name, _NONE)]

    @cached_property
    def articles(self) -> list[Page]:
        """Articles and theses, without the coverage page that lint itself writes."""
        return [page for page in self.kind("article", "thesis") if page.rel != layout.COVERAGE_PAGE]

    @cached_property
    def by_key(self) -> dict[str, Page]:
        """Pages by NFC path."""
        return {rel if rel.isascii() else nfc(rel): page for rel, page in self.snapshot.pages.items()}

    @cached_property
    def folders_in(self) -> dict[str, list[str]]:
        """Names of the folders directly in each folder."""
        result: dict[str, list[str]] = defaultdict(list)
        for rel in sorted(self.snapshot.dirs):
            if rel:
                parent, _, name = rel.rpartition("/")
                result[parent].append(name)
        return dict(result)

    @cached_property
    def closed(self) -> frozenset[str]:
        """Paths that could not be read or leave the root: nothing below them is judged."""
        return frozenset([rel for rel, _, _ in self.snapshot.problems])

    @cached_property
    def git_root(self) -> bool:
        """Whether the root itself contains `.git` (folder or file)."""
        return ".git" in self.snapshot.dirs.get("", ())

    @cached_property
    def raw(self) -> frozenset[str]:
        """Paths, as on disk, of the sources: Markdown files below `raw/` that are no index."""
        return frozenset([page.rel for page in self.by_kind.get("raw", _NONE)])

    @cached_property
    def sources(self) -> SourceIndex:
        """The index that resolves `sources` entries (`wiki-format.md` §10)."""
        files = [rel for rel, entry in self.snapshot.files.items() if entry.problem != "dangling"]
        return SourceIndex(files, self.raw, str(self.snapshot.root))

    @cached_property
    def citations(self) -> list[Citation]:
        """Items of articles' `sources` that are not the exact path of a source, in path order."""
        exact = self.raw
        return [
            Citation(page, place, reference, self.sources.resolve(page.rel, reference))
            for page in self.articles
            if not exact.issuperset(items := page.items("sources"))
            for place, reference in enumerate(items)
            if reference not in exact
        ]

    @cached_property
    def resolved(self) -> dict[tuple[str, str], str]:
        """(article, reference) → path of the file, for inexact references that resolve."""
        return {
            (page.rel, reference): found.path for page, _, reference, found in self.citations if found.path
        }

    @cached_property
    def cited(self) -> frozenset[str]:
        """Paths of raw files that some article cites (the coverage page does not count)."""
        every: set[str] = set()
        for page in self.articles:
            every.update(page.items("sources"))
        every.update(self.resolved.values())
        return self.raw & every

    def raw_of(self, owner: str, reference: str) -> str:
        """Return the raw file that a reference of the article `owner` resolves to, or ""."""
        if reference in self.raw:
            return reference
        path = self.sources.resolve(owner, reference).path
        return path if path in self.raw else ""
