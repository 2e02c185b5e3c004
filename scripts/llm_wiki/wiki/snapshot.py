"""The reading door: one root, listed once, each Markdown file read at most once.

A `Snapshot` is immutable. Rules, indexes, coverage and ranking are pure functions of it and a
date; whoever needs bytes asks `read`, which refuses a file that has changed since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path

from llm_wiki.core.errors import Conflict, Unreadable
from llm_wiki.core.files import sha256
from llm_wiki.core.text import nfc
from llm_wiki.model.page import Page
from llm_wiki.wiki.listing import FileEntry, Listing, reason, walk
from llm_wiki.wiki.reading import Entry, PerFile, load_entry, page_of, read_stable
from llm_wiki.wiki.registry import Registry
from llm_wiki.wiki.topic import TopicConfig

__all__ = ["FileEntry", "Snapshot"]

Progress = Callable[[int, int], None]
"""Called with the number of files read so far and their total."""


class Snapshot:
    """What a root holds at one moment; see the module text.

    `kind` is `hub`, `topic` or `local`. `files` maps each path to its entry, `dirs` each folder
    ("" is the root) to the sorted names in it, `pages` each parsed Markdown file to its page; all
    are sorted by path. `config` is that of the topic, `registry` that of a hub, else None.
    `problems` are (path, code, text): `unreadable` or `outside`, see `FileEntry`.
    A symbolic link is in `files` with its text; what it points to is not read through it.
    """

    def __init__(
        self,
        root: Path,
        kind: str,
        listing: Listing,
        pages: dict[str, Page],
        *,
        per_file: PerFile | None = None,
        registry: Registry | None = None,
    ) -> None:
        self.root = root
        self.kind = kind
        self.files = listing.files
        self.dirs = listing.dirs
        self.pages = pages
        self.problems = tuple(listing.problems)
        self.registry = registry
        self.config = TopicConfig.of(pages.get("config.md") if kind != "hub" else None)
        self._listing = listing
        self._per_file = per_file
        self._bytes: dict[str, bytes] = {}
        self._origin: dict[str, str] = {}

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
    ) -> Snapshot:
        """Read a root of the given kind.

        `per_file` is run once on each page; its result becomes `page.notes` and is cached under
        `per_file_key`, which must change when the check does. `jobs` bounds the processes that
        parse (None: as many as pay). The result depends neither on the cache nor on `jobs`.
        Raises Unreadable when the root itself cannot be listed.
        """
        try:
            listing = walk(str(root), kind)
        except OSError as error:
            raise Unreadable(f"cannot list the folder: {reason(error)}", path=root) from error
        entries: dict[str, Entry] = {}
        for rel in listing.stamps:
            entry = load_entry(str(root), rel, per_file)
            if isinstance(entry, str):
                _unread(listing, rel, entry)
            else:
                entries[rel] = entry
        pages = {rel: page_of(rel, entry) for rel, entry in entries.items()}
        registry = Registry.load(root) if kind == "hub" else None
        return cls(root, kind, listing, pages, per_file=per_file, registry=registry)

    @cached_property
    def keys(self) -> frozenset[str]:
        """NFC paths of all files and of links that lead somewhere inside the root."""
        return frozenset([nfc(rel) for rel, entry in self.files.items() if entry.problem != "dangling"])

    @cached_property
    def dir_keys(self) -> frozenset[str]:
        """NFC paths of all folders, without the root itself."""
        return frozenset([nfc(rel) for rel in self.dirs if rel])

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

    def read(self, rel: str) -> bytes:
        """Return the bytes of a file as they were when the snapshot was taken.

        Raises Conflict when the file has changed or gone since, Unreadable when the system
        refuses it, KeyError for a path that is not in the snapshot.
        """
        if rel in self._bytes:
            return self._bytes[rel]
        entry = self.files[rel]
        path = f"{self.root}/{self._origin.get(rel, rel)}"
        try:
            data, stamp = read_stable(path)
        except FileNotFoundError as error:
            raise Conflict(f"{rel} has gone since it was read", path=path, remedy="run again") from error
        except OSError as error:
            raise Unreadable(f"cannot read {rel}: {reason(error)}", path=path) from error
        page = self.pages.get(rel)
        same = stamp[:2] == entry[1:3] if page is None else sha256(data) == page.sha256
        if not same:
            raise Conflict(f"{rel} has changed since it was read", path=path, remedy="run again")
        return data

    def overlay(
        self,
        changes: Mapping[str, bytes | None],
        moves: Mapping[str, str] | None = None,
        dirs: Iterable[str] = (),
    ) -> Snapshot:
        """Return what the tree would be after a plan; nothing is written."""
        raise NotImplementedError


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
