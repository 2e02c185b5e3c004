"""What tree and hub rules see: one snapshot, the date, and facts several rules need.

Every fact is computed at most once a run and only when a rule asks. They are built so that a
clean wiki costs set operations and no walk over its links.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from datetime import date
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from llm_wiki.core.text import nfc
from llm_wiki.lint.rules.text import contract
from llm_wiki.model import layout
from llm_wiki.model.kinds import KINDS, kind_of
from llm_wiki.model.links import Resolution, SourceIndex
from llm_wiki.model.page import Page
from llm_wiki.wiki.names import PathSet, Unbounded
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


class _Careful(SourceIndex):
    """Resolves references where sources are known by name alone: those it would guess, it opens first."""

    def __init__(
        self, files: AbstractSet[str], raw: AbstractSet[str], root: str, pages: Mapping[str, Page]
    ) -> None:
        super().__init__(files, raw, root)
        self.sources = raw
        self.pages = pages

    def resolve(self, owner: str, reference: str) -> Resolution:
        """Resolve one reference; a source that cannot be read is none, and changes the answer."""
        found = super().resolve(owner, reference)
        guessed = found.candidates or ((found.path,) if found.how in ("slug", "prefix") else ())
        if any(rel in self.sources and rel not in self.pages for rel in guessed):
            raise Unbounded
        return found


def _kinds_in(folder: str) -> Callable[[Page], str]:
    """Return what tells the kind of a page that lies in a folder; see `View.by_kind`."""
    prefix = f"{folder}/" if folder else ""
    special = {prefix + name for name in _SPECIAL}
    usual = kind_of(f"{prefix}page.md") or "other"
    loose = KINDS[usual].front_matter and layout.place_of(folder) != "leaf"
    start = len(prefix)

    def kind(page: Page) -> str:
        rel = page.rel
        if not folder or rel in special or rel[start] == ".":
            return kind_of(rel) or "other"
        if loose and (page.front != "ok" or contract(page) is None):
            return "stray"
        return usual

    return kind


class View:
    """A snapshot at a date, with the facts that rules share. Immutable by convention.

    With `asked`, only the files at these paths are judged: what a rule goes through holds nothing
    else (`pages`, `by_folder`, `by_kind`, `judged_names`), what it looks things up in is whole.
    `chosen` are the ids of the rules that run: what one repairs may be in the way of another's repair.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        today: date,
        asked: frozenset[str] | None = None,
        chosen: AbstractSet[str] = frozenset(),
    ) -> None:
        self.snapshot = snapshot
        self.today = today
        self.asked = asked
        self.chosen = chosen
        self._shared: dict[Any, Any] = {}

    def shared(self, make: Callable[[View], Made]) -> Made:
        """Return what `make` makes of this view, made once."""
        if make not in self._shared:
            self._shared[make] = make(self)
        made: Made = self._shared[make]
        return made

    @cached_property
    def pages(self) -> Mapping[str, Page]:
        """The pages that are judged, by path."""
        every = self.snapshot.pages
        if self.asked is None:
            return every
        return {rel: page for rel in sorted(self.asked) if (page := every.get(rel)) is not None}

    def judged_names(self, folder: str) -> tuple[str, ...]:
        """Return the names in a folder that are judged, sorted."""
        names = self.snapshot.dirs.get(folder, ())
        if self.asked is None:
            return names
        return tuple(name for name in self._asked_in.get(folder, ()) if name in names)

    @cached_property
    def _asked_in(self) -> dict[str, list[str]]:
        result: dict[str, list[str]] = defaultdict(list)
        for rel in sorted(self.asked or ()):
            folder, _, name = rel.rpartition("/")
            result[folder].append(name)
        return dict(result)

    def in_folder(self, folder: str) -> list[Page]:
        """Return all pages directly in a folder but its index, in path order, judged or not."""
        if self.asked is not None:
            return self.snapshot.in_folder(folder)
        index = f"/{layout.INDEX}"
        return [page for page in self.by_folder.get(folder, ()) if not page.rel.endswith(index)]

    @cached_property
    def by_folder(self) -> dict[str, list[Page]]:
        """Pages directly in each folder, in path order; the root is ""."""
        result: dict[str, list[Page]] = defaultdict(list)
        pages = self.pages
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
            kind = _kinds_in(folder)
            for page in pages:
                result[kind(page)].append(page)
        return dict(result)

    def kind(self, *names: str) -> list[Page]:
        """Return the pages of these kinds, kind after kind."""
        return [page for name in names for page in self.by_kind.get(name, _NONE)]

    @cached_property
    def articles(self) -> list[Page]:
        """Articles and theses, without the coverage page that lint itself writes."""
        return [page for page in self.kind("article", "thesis") if page.rel != layout.COVERAGE_PAGE]

    def article_at(self, key: str) -> Page | None:
        """Return the article or thesis at an NFC path, judged or not."""
        page = self.at(key)
        if page is None or page.rel == layout.COVERAGE_PAGE:
            return None
        kind = _kinds_in(page.rel.rpartition("/")[0])
        return page if kind(page) in ("article", "thesis") else None

    def at(self, key: str) -> Page | None:
        """Return the page at an NFC path, judged or not."""
        if self.asked is None:
            return self.by_key.get(key)
        return self.snapshot.pages.get(key if key.isascii() else self._spelt.get(key, key))

    @cached_property
    def _spelt(self) -> dict[str, str]:
        """NFC path → path on disk, of files whose names are not plain ASCII."""
        links = self.snapshot.links
        return {nfc(rel): rel for rel in self.snapshot.files if not rel.isascii() and rel not in links}

    @cached_property
    def by_key(self) -> dict[str, Page]:
        """All pages by NFC path."""
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
    def raw(self) -> frozenset[str] | PathSet:
        """Paths, as on disk, of the sources: Markdown files below `raw/` that are no index."""
        if self.asked is None:
            return frozenset([page.rel for page in self.by_kind.get("raw", _NONE)])
        return PathSet(self._is_raw, lambda: filter(self._is_raw, self.snapshot.files))

    def _is_raw(self, rel: str) -> bool:
        """Tell whether a path is that of a source; its page is asked only where the folder leaves it open."""
        snapshot = self.snapshot
        if not rel.startswith("raw/") or rel not in snapshot.files or rel in snapshot.links:
            return False
        if layout.place_of(rel.rpartition("/")[0]) == "leaf":
            return kind_of(rel) == "raw"
        page = snapshot.pages.get(rel)
        return page is not None and _kinds_in(rel.rpartition("/")[0])(page) == "raw"

    @cached_property
    def sources(self) -> SourceIndex:
        """The index that resolves `sources` entries (`wiki-format.md` §10)."""
        snapshot = self.snapshot
        lost = {rel for rel, entry in snapshot.links.items() if entry.problem == "dangling"}
        root = str(snapshot.root)
        if self.asked is None:
            return SourceIndex([rel for rel in snapshot.files if rel not in lost], self.raw, root)
        files = snapshot.files
        present = PathSet(lambda rel: rel in files and rel not in lost, lambda: set(files) - lost)
        return _Careful(present, self.raw, root, snapshot.pages)

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
        from llm_wiki.lint.infer import sources_of

        every: set[str] = set()
        for page in self.articles:
            every.update(page.items("sources"))
            # sources written without a list (W512) are cited all the same
            if page.meta.get("sources").__class__ is str:
                every.update(self.raw_of(page.rel, item) for item in sources_of(self, page))
        every.update(self.resolved.values())
        return frozenset(self.raw & every)

    def raw_of(self, owner: str, reference: str) -> str:
        """Return the raw file that a reference of the article `owner` resolves to, or ""."""
        if reference in self.raw:
            return reference
        path = self.sources.resolve(owner, reference).path
        return path if path in self.raw else ""
