"""A snapshot for questions about a few files: all names, and just the pages somebody asks for.

It answers as a whole snapshot would, as long as the question is bounded. What would take a look at
every page raises `Unbounded`, and so does asking for more than `MOST` of them: a whole snapshot,
with its cache, is cheaper then. No page is taken from a store that has not the very stamp of the
file as it lies there now.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from pathlib import Path
from typing import NoReturn

from llm_wiki.core.text import nfc
from llm_wiki.model.layout import INDEX, is_markdown
from llm_wiki.model.page import Page
from llm_wiki.wiki.cache import RowCache, settled
from llm_wiki.wiki.listing import FileEntry, Listing, parsed, stamp_of
from llm_wiki.wiki.names import NamedFiles, Names, PathSet, Unbounded
from llm_wiki.wiki.reading import PerFile, Reader
from llm_wiki.wiki.rows import Entry, Home, page_of
from llm_wiki.wiki.snapshot import Snapshot

MOST = 400
"""Pages after which a whole snapshot costs less than one page after another."""

LARGE = 64_000
"""Bytes from which the row of a page is worth a file of its own in the cache: indexes of many files."""


class Glance(Snapshot):
    """A topic or local wiki seen by name; `rels` are the files that are asked about.

    Their pages are read at once, so that `problems` tells of those that cannot be. Raises
    Unbounded as the module says.
    """

    def __init__(
        self,
        root: Path,
        kind: str,
        names: Names,
        rels: Iterable[str],
        *,
        per_file: PerFile,
        per_file_key: str,
        use_cache: bool = True,
    ) -> None:
        self.names = names
        self.looked = NamedFiles(root, names)
        pages = _Pages(self.looked, Reader(Home(str(root)), per_file))
        pages.cache = RowCache(root, per_file_key) if use_cache else None
        for rel in rels:
            pages.get(rel)
        problems = sorted([*self.names.problems, *pages.problems])
        listing = Listing({}, self.names.dirs, {}, frozenset(self.names.closed), problems)
        super().__init__(root, kind, listing, pages, per_file=per_file)
        self.files = self.looked

    @cached_property
    def keys(self) -> AbstractSet[str]:
        """NFC paths of all files, and of links that do not lead to nothing."""
        lost = {rel for rel, entry in self.names.files.items() if entry.problem == "dangling"}
        if not self.names.plain:
            return frozenset(nfc(rel) for rel in self.names.paths if rel not in lost)
        files = self.looked
        return PathSet(lambda key: key in files and key not in lost, lambda: set(files) - lost)

    @cached_property
    def known(self) -> AbstractSet[str]:
        """Keys of every file and folder a link may name, the root itself among them."""
        keys, dirs = self.keys, self.dir_keys | {""}
        return PathSet(lambda key: key in keys or key in dirs, lambda: keys | dirs)

    @cached_property
    def links(self) -> dict[str, FileEntry]:
        """The symbolic links among the files."""
        return {rel: entry for rel, entry in self.names.files.items() if entry.link}

    def in_folder(self, folder: str) -> list[Page]:
        """Return the pages directly in a folder but `_index.md`, sorted by path."""
        names = self.dirs.get(folder, ())
        if len(names) > MOST:
            raise Unbounded
        prefix = f"{folder}/" if folder else ""
        rels = sorted(prefix + name for name in names if name != INDEX and is_markdown(name))
        return [page for rel in rels if (page := self.pages.get(rel)) is not None]


class _Pages(Mapping[str, Page]):
    """Pages by path, each read when it is first asked for."""

    def __init__(self, files: NamedFiles, reader: Reader) -> None:
        self.files = files
        self.reader = reader
        self.cache: RowCache | None = None
        self.known: dict[str, Page | None] = {}
        self.problems: list[tuple[str, str, str]] = []

    def __getitem__(self, rel: str) -> Page:
        if rel not in self.known:
            self.known[rel] = self._load(rel)
        page = self.known[rel]
        if page is None:
            raise KeyError(rel)
        return page

    def __contains__(self, rel: object) -> bool:
        return isinstance(rel, str) and self.get(rel) is not None

    def __iter__(self) -> Iterator[str]:
        self._all()

    def __len__(self) -> int:
        return self._all()

    @staticmethod
    def _all() -> NoReturn:
        raise Unbounded

    def _load(self, rel: str) -> Page | None:
        if not parsed(rel, hub=False) or not self.files.names.holds(rel):
            return None
        if len(self.known) >= MOST:
            raise Unbounded
        entry, home = self._entry(rel)
        if not isinstance(entry, str):
            return page_of(rel, entry, home, notes=True)
        if entry:
            self.files.known[rel] = self.files[rel]._replace(problem="unreadable")
            self.problems.append((rel, "unreadable", entry))
        return None

    def _entry(self, rel: str) -> tuple[Entry | str, Home]:
        """Return a page's entry, or why there is none; a large one may come from the cache."""
        home = self.reader.home
        if self.cache is None or self.files[rel].size < LARGE:
            return self.reader.load(rel), home
        old, tails = self.cache.load_one(rel)
        known = Home(home.root, tails)
        if old is not None and old[4] is not None and settled(old) and self._is_now(rel, old):
            return old, known
        entry = Reader(known, self.reader.per_file).load(rel, old)
        if not isinstance(entry, str):
            self.cache.save_one(rel, entry, tails)
        return entry, known

    def _is_now(self, rel: str, entry: Entry) -> bool:
        """Tell whether a file still has the stamp of an entry."""
        try:
            return entry[0] == stamp_of(os.lstat(f"{self.reader.home.root}/{rel}"))
        except OSError:
            return False
