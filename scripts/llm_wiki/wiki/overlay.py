"""What a tree would be after a plan: the working copy behind `Snapshot.overlay`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from llm_wiki.core.errors import Conflict
from llm_wiki.core.files import sha256
from llm_wiki.wiki.listing import FileEntry, listed, parsed, way
from llm_wiki.wiki.reading import entry_of
from llm_wiki.wiki.rows import NO_STAMP, page_of

if TYPE_CHECKING:
    from llm_wiki.wiki.snapshot import Snapshot


class Draft:
    """Mutable copies of a snapshot's tables, on which moves and changes are carried out.

    Folders appear with the files in them and stay when they are emptied. What lands where a
    snapshot does not look (quarantine) leaves the files and is known by name alone.
    `source` maps a path to the path of the base snapshot that its bytes come from.
    """

    def __init__(self, base: Snapshot) -> None:
        self.base = base
        self.hub = base.kind == "hub"
        self.files = dict(base.files)
        self.pages = dict(base.pages)
        self.names = {folder: set(names) for folder, names in base.dirs.items()}
        self.closed = set(base.closed)
        self.held = dict(base.held)
        self.source: dict[str, str] = {}

    def apply(
        self, changes: Mapping[str, bytes | None], moves: Mapping[str, str], dirs: Iterable[str]
    ) -> None:
        """Make folders, then carry out moves in their order, then changes (by their final paths)."""
        for folder in dirs:
            self.folder(folder)
        for old, new in moves.items():
            self.move(old, new, changes)
        for rel, data in changes.items():
            if data is None:
                self.drop(rel)
            else:
                self.put(rel, data)

    def folder(self, rel: str) -> None:
        """Add a folder and its parents, as far as a snapshot looks."""
        parent = ""
        for name in rel.split("/") if rel else ():
            path = f"{parent}/{name}" if parent else name
            self.names.setdefault(parent, set()).add(name)
            how = way(parent, hub=self.hub) if parent else "list"
            if how == "list":
                self.names.setdefault(path, set())
            if how != "list" or way(path, hub=self.hub) == "skip":
                self.closed.add(path if how == "list" else parent)
                break
            if way(path, hub=self.hub) == "names":
                self.closed.add(path)
            parent = path

    def enter(self, rel: str) -> bool:
        """Add a file's name to its folder; tell whether a snapshot lists files there."""
        folder, _, name = rel.rpartition("/")
        self.folder(folder)
        known = listed(folder, hub=self.hub)
        if known or (folder in self.names and way(folder, hub=self.hub) == "names"):
            self.names[folder].add(name)
        return known

    def drop(self, rel: str) -> None:
        """Take a file or an emptied folder away."""
        self.files.pop(rel, None)
        self.pages.pop(rel, None)
        self.held.pop(rel, None)
        self.source.pop(rel, None)
        self.names.pop(rel, None)
        self.closed.discard(rel)
        folder, _, name = rel.rpartition("/")
        self.names.get(folder, set()).discard(name)

    def put(self, rel: str, data: bytes) -> None:
        """Give a file new bytes, or create it."""
        old = self.files.get(rel)
        if not self.enter(rel):
            return
        page = self.pages.get(rel)
        self.files[rel] = FileEntry(rel, len(data), old.mtime_ns if old else 0, "", "")
        self.held[rel] = data
        if page is None or page.rel != rel or page.sha256 != sha256(data):
            self.parse(rel, data)

    def parse(self, rel: str, data: bytes) -> None:
        """Parse bytes as those of a file, if a snapshot parses it."""
        if parsed(rel, hub=self.hub):
            check = self.base.per_file
            entry = entry_of(rel, data, (NO_STAMP, 0), check)
            self.pages[rel] = page_of(rel, entry, None, notes=check is not None)

    def move(self, old: str, new: str, changes: Mapping[str, bytes | None]) -> None:
        """Move a file, or a folder with all it holds."""
        if old in self.files:
            self.move_file(old, new, changed=new in changes)
            return
        if old not in self.names:
            raise Conflict(f"{old} is not there to be moved", path=old)
        folders = [rel for rel in self.names if rel == old or rel.startswith(old + "/")]
        contents = {rel: self.names[rel] for rel in folders}
        for rel in [rel for rel in self.files if rel.startswith(old + "/")]:
            target = new + rel[len(old) :]
            self.move_file(rel, target, changed=target in changes)
        for rel in folders:
            self.drop(rel)
        for rel in folders:
            target = new + rel[len(old) :]
            self.folder(target)
            if target in self.names and way(target, hub=self.hub) != "skip":
                self.names[target] |= contents[rel]

    def move_file(self, old: str, new: str, *, changed: bool) -> None:
        """Move one file; it is parsed anew (its links are relative) unless it gets new bytes anyway."""
        entry, source = self.files[old], self.source.get(old, old)
        page, data = self.pages.get(old), self.held.get(old)
        wanted = parsed(new, hub=self.hub) and not changed and not entry.link
        if wanted and data is None and (page is not None or not entry.problem):
            data = self.base.read(source)
        held = old in self.held
        self.drop(old)
        if not self.enter(new):
            return
        self.files[new] = entry._replace(rel=new)
        self.source[new] = source
        if data is not None and held:
            self.held[new] = data
        if data is not None and wanted:
            self.parse(new, data)

    def origin(self) -> dict[str, str]:
        """Return where on disk the bytes of moved files lie."""
        found = {rel: path for rel, path in self.base.origin.items() if rel in self.files}
        for rel, source in self.source.items():
            found[rel] = self.base.origin.get(source, source)
        return found
