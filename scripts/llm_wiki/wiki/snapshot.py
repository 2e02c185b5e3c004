"""The reading door: one root, listed once, each Markdown file read at most once.

A `Snapshot` is immutable. Rules, indexes, coverage and ranking are pure functions of it and a
date; whoever needs bytes asks `read`, which refuses a file that has changed since.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from llm_wiki.core.errors import Conflict, Unreadable
from llm_wiki.core.files import printable, sha256
from llm_wiki.core.text import nfc
from llm_wiki.model.page import Page
from llm_wiki.wiki.cache import RowCache, settled
from llm_wiki.wiki.digests import Digests
from llm_wiki.wiki.listing import FileEntry, Listing, look, reason
from llm_wiki.wiki.parallel import MIN_FILES, Progress, Task, aside, join, parse_all
from llm_wiki.wiki.reading import PerFile, Reader, read_stable
from llm_wiki.wiki.registry import NAME, Registry
from llm_wiki.wiki.rows import SETTLED, Entry, Home, page_of
from llm_wiki.wiki.topic import TopicConfig

if TYPE_CHECKING:
    from llm_wiki.wiki.places import Place

__all__ = ["FileEntry", "Progress", "Snapshot"]


class Snapshot:
    """What a root holds at one moment; see the module text.

    `kind` is `hub`, `topic` or `local`. `files` maps each path to its entry, `dirs` each folder
    ("" is the root) to the sorted names in it, `pages` each parsed Markdown file to its page; all
    are sorted by path. `config` is that of the topic, `registry` that of a hub, else None.
    `problems` are (path, code, text) with the codes `unreadable` and `outside` of `FileEntry`.
    `closed` are the folders that are not entered: their names are in `dirs` at most.
    A symbolic link is a file entry with its text, whatever it leads to; nothing is read through it.
    """

    def __init__(
        self,
        root: Path,
        kind: str,
        listing: Listing,
        pages: Mapping[str, Page],
        *,
        per_file: PerFile | None = None,
        registry: Registry | None = None,
        held: dict[str, bytes] | None = None,
        origin: dict[str, str] | None = None,
    ) -> None:
        self.root = root
        self.kind = kind
        self.files: Mapping[str, FileEntry] = listing.files
        self.dirs = listing.dirs
        self.pages = pages
        self.problems = tuple(listing.problems)
        self.closed = listing.closed
        self.registry = registry
        self.asked_disk = False
        self.config = TopicConfig.of(pages.get("config.md") if kind != "hub" else None)
        self.per_file = per_file
        self.held = held or {}
        self.hashed = Digests(root)
        self.origin = origin or {}

    @classmethod
    def load(
        cls,
        root: Path,
        kind: str,
        *,
        per_file: PerFile | None = None,
        per_file_key: str = "",
        use_cache: bool = True,
        jobs: int | None = None,
        progress: Progress | None = None,
        listing: Listing | None = None,
    ) -> Snapshot:
        """Read a root of the given kind; `listing` is a walk over it that was made just now.

        `per_file` is run once on each page; its result becomes `page.notes` and is cached under
        `per_file_key`, which must change when the check does. `jobs` bounds the processes that
        parse (None: as many as pay). The result depends neither on the cache nor on `jobs`.
        Raises Unreadable when the root itself cannot be listed.
        """
        with uncollected():
            listing = listing or look(root, kind)
            join()
            cache = RowCache(root, per_file_key) if use_cache else None
            known = {} if cache is None else cache.load()
            home = Home(str(root), None if cache is None else cache.tails)
            loading = _Loading(listing, Reader(home, per_file))
            loading.sort_out(known)
            loading.parse(jobs, progress)
            if cache is not None:
                loading.keep(cache, jobs)
            wanted = per_file is not None
            pages = {rel: page_of(rel, entry, home, notes=wanted) for rel, entry in loading.entries.items()}
        registry = Registry.load(root) if kind == "hub" else None
        made = cls(root, kind, listing, pages, per_file=per_file, registry=registry)
        made.hashed.keep = use_cache
        return made

    @classmethod
    def empty(cls, kind: str = "topic") -> Snapshot:
        """Return a snapshot of nothing, on which an overlay builds a tree that is not there yet."""
        return cls(Path(), kind, Listing({}, {"": ()}, {}, frozenset(), []), {})

    @cached_property
    def keys(self) -> AbstractSet[str]:
        """NFC paths of all files, and of links that do not lead to nothing."""
        return frozenset([nfc(rel) for rel, entry in self.files.items() if entry.problem != "dangling"])

    @cached_property
    def dir_keys(self) -> frozenset[str]:
        """NFC paths of all folders, without the root itself."""
        return frozenset([nfc(rel) for rel in self.dirs if rel])

    @cached_property
    def known(self) -> AbstractSet[str]:
        """Keys of every file and folder a link may name, the root itself among them."""
        return self.keys | self.dir_keys | {""}

    @cached_property
    def links(self) -> dict[str, FileEntry]:
        """The symbolic links among the files."""
        return {rel: entry for rel, entry in self.files.items() if entry.link}

    @cached_property
    def places(self) -> dict[str, Place]:
        """Where each entry of a hub's registry leads, and what is there; {} for a topic."""
        if self.registry is None:
            return {}
        from llm_wiki.wiki.places import places_of

        return places_of(self)

    @cached_property
    def archived_siblings(self) -> frozenset[str]:
        """Names of the archived topics beside this active topic of a hub; the disk is asked."""
        from llm_wiki.wiki.siblings import archived_siblings

        return archived_siblings(self)

    @cached_property
    def _folders(self) -> dict[str, list[Page]]:
        found: dict[str, list[Page]] = {}
        for rel, page in self.pages.items():
            folder, _, name = rel.rpartition("/")
            if name != "_index.md":
                found.setdefault(folder, []).append(page)
        return found

    def in_folder(self, folder: str) -> list[Page]:
        """Return the pages directly in a folder but `_index.md`, sorted by path."""
        return list(self._folders.get(folder, ()))

    def exists(self, key: str) -> bool:
        """Tell whether an NFC path is a file or folder of the root.

        Also inside folders that are not entered and behind links that stay inside the root:
        there the disk is asked.
        """
        if not key or key in self.keys or key in self.dir_keys:
            return True
        folder, _, name = key.rpartition("/")
        if name in self.dirs.get(folder, ()):
            return True
        while folder:
            entry = self.files.get(folder)
            if folder in self.closed or (entry is not None and entry.link and not entry.problem):
                self.asked_disk = True
                return os.path.exists(f"{self.root}/{key}")  # noqa: PTH110 - never raises
            folder = folder.rpartition("/")[0]
        return False

    def behind_link(self, rel: str) -> bool:
        """Tell whether a path is a symbolic link or lies behind one: it must not be written."""
        while rel:
            if rel in self.links:
                return True
            rel = rel.rpartition("/")[0]
        return False

    def read(self, rel: str) -> bytes:
        """Return the bytes of a file as they were when the snapshot was taken.

        Raises Conflict when the file has changed or gone since, Unreadable when the system
        refuses it, KeyError for a path that is not in the snapshot.
        """
        if rel in self.held:
            return self.held[rel]
        entry = self.files[rel]
        path = f"{self.root}/{self.origin.get(rel, rel)}"
        name = printable(rel)
        try:
            data, stamp = read_stable(path)
        except FileNotFoundError as error:
            raise Conflict(f"{name} has gone since it was read", path=name, remedy="run it again") from error
        except OSError as error:
            raise Unreadable(f"cannot read {name}: {reason(error)}", path=name) from error
        page = self.pages.get(rel)
        same = stamp[:2] == entry[1:3] if page is None else sha256(data) == page.sha256
        if not same:
            raise Conflict(f"{name} has changed since it was read", path=name, remedy="run it again")
        return data

    def digests(self, rels: Iterable[str]) -> dict[str, str]:
        """Return the hex SHA-256 of files by path, however large; what cannot be read is left out.

        The files are read, unless what is known of them still holds. Of a file that is no page this is
        the only way to its content.
        """
        wanted = [rel for rel in rels if rel in self.files]
        places = {rel: self.origin.get(rel, rel) for rel in wanted if rel not in self.held}
        found = self.hashed.of(places)
        self.asked_disk = self.asked_disk or not self.hashed.certain
        return found | {rel: sha256(self.held[rel]) for rel in wanted if rel in self.held}

    def overlay(
        self,
        changes: Mapping[str, bytes | None],
        moves: Mapping[str, str] | None = None,
        dirs: Iterable[str] = (),
    ) -> Snapshot:
        """Return what the tree would be after a plan; nothing is written.

        First folders are made, then files and folders move, then `changes` (by final path) are
        written, None deleting. Only changed and moved files are parsed; `per_file` runs on them.
        Raises what `read` raises for a moved file, Conflict when there is nothing to move.
        """
        from llm_wiki.wiki.overlay import Draft

        draft = Draft(self)
        draft.apply(changes, moves or {}, dirs)
        problems = [found for found in self.problems if found[0] in draft.files or found[0] in draft.names]
        listing = Listing(
            dict(sorted(draft.files.items())),
            {folder: tuple(sorted(names)) for folder, names in sorted(draft.names.items())},
            {},
            frozenset(draft.closed),
            problems,
        )
        registry = self.registry
        if self.kind == "hub" and NAME in changes:
            registry = Registry(self.root, changes[NAME])
        made = Snapshot(
            self.root,
            self.kind,
            listing,
            dict(sorted(draft.pages.items())),
            per_file=self.per_file,
            registry=registry,
            held=draft.held,
            origin=draft.origin(),
        )
        made.hashed = self.hashed
        return made


@cache
def _set_aside() -> None:
    """Freeze once a process; to ask the collector whether it was done would walk all that is frozen."""
    gc.freeze()


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the garbage collector away from thousands of rows that are no garbage.

    The first time in a process they are also set aside for good: a later collection would
    walk them all to find nothing. They are freed as usual when nothing refers to them.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
        _set_aside()
    finally:
        if collecting:
            gc.enable()


class _Loading:
    """Entries of the Markdown files of a listing: from the cache where that is safe, else parsed."""

    def __init__(self, listing: Listing, reader: Reader) -> None:
        self.listing = listing
        self.reader = reader
        self.entries: dict[str, Entry] = {}
        self.changed: dict[str, Entry] = {}
        self.tasks: list[Task] = []

    def sort_out(self, known: dict[str, Entry]) -> None:
        """Take what the cache knows for sure; the rest becomes tasks."""
        checking = self.reader.per_file is not None
        for rel, stamp in self.listing.stamps.items():
            entry = known.get(rel)
            if entry is None or entry[0] != stamp or (entry[1] != SETTLED and not settled(entry)):
                self.tasks.append((rel, stamp[0], entry))
            elif checking and entry[4] is None:
                self.changed[rel] = self.entries[rel] = self.reader.noted(rel, entry)
            else:
                self.entries[rel] = entry

    def keep(self, cache: RowCache, jobs: int | None) -> None:
        """Store what is new; much of it is stored aside, while this process goes on."""
        if jobs == 1 or len(self.changed) < MIN_FILES:
            cache.save(self.entries, self.changed)
        else:
            aside(lambda: cache.save(self.entries, self.changed))

    def parse(self, jobs: int | None, progress: Progress | None) -> None:
        """Do the tasks; what cannot be read becomes a problem of the listing."""
        if not self.tasks:
            return
        found = parse_all(self.reader, self.tasks, jobs=jobs, progress=progress)
        for rel, _, old in self.tasks:
            entry = found[rel]
            if isinstance(entry, str):
                _unread(self.listing, rel, entry)
                continue
            self.entries[rel] = entry
            if entry[0] != self.listing.stamps[rel]:
                self.listing.files[rel] = FileEntry(rel, entry[0][0], entry[0][1], "", "")
            if old is None or old[0] != entry[0] or old[2:] != entry[2:] or settled(entry):
                self.changed[rel] = entry
        self.entries = {rel: self.entries[rel] for rel in self.listing.stamps if rel in self.entries}


def _unread(listing: Listing, rel: str, text: str) -> None:
    """Note that a listed file could not be read; a vanished one (no text) was never there."""
    if text:
        listing.files[rel] = listing.files[rel]._replace(problem="unreadable")
        listing.problems.append((rel, "unreadable", text))
        listing.problems.sort()
        return
    del listing.files[rel]
    folder, _, name = rel.rpartition("/")
    listing.dirs[folder] = tuple(n for n in listing.dirs[folder] if n != name)
