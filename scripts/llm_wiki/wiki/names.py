"""A walk over a root that looks at no file: what there is by name, in a fraction of the time.

It lists what `wiki.listing.walk` lists; size, time and the rest are asked of a file when someone
wants them. Which names are folders and links the listing of a folder says itself.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from pathlib import Path

from llm_wiki.core.errors import Unreadable
from llm_wiki.core.files import TEMP_PREFIX
from llm_wiki.core.text import fold
from llm_wiki.wiki.listing import FileEntry, Walker, reason


class Unbounded(BaseException):
    """A question that takes a look at every file; whoever wanted to do without asks a whole snapshot.

    No `Exception`, so that it passes whoever keeps a run alive after a fault.
    """


class Names(Walker):
    """What a walk by name found: `dirs`, `closed` and `problems` as in a `Listing`.

    `files` holds links and what is no regular file alone. Raises Unreadable when the root itself
    cannot be listed, Unbounded where names do not tell enough.
    """

    def __init__(self, root: Path, kind: str) -> None:
        super().__init__(str(root), hub=kind == "hub")
        try:
            self.run()
        except OSError as error:
            raise Unreadable(f"cannot list {root}: {reason(error)}", path=root) from error
        self.dirs = dict(sorted(self.dirs.items()))

    def entries(self, rel: str, handle: int, names: list[str]) -> list[str]:
        """Record the entries of one folder by name and return its subfolders."""
        del names
        try:
            os.stat(".", dir_fd=handle)  # refused where names may be listed and files not looked at
            with os.scandir(handle) as found:
                return self._named(rel, f"{rel}/" if rel else "", found)
        except OSError as error:
            raise Unbounded from error

    def _named(self, rel: str, prefix: str, found: Iterator[os.DirEntry[str]]) -> list[str]:
        below: list[str] = []
        names = []
        for entry in found:
            name = entry.name
            if name[0] == "." and name.startswith(TEMP_PREFIX):
                continue
            names.append(name)
            if entry.is_file(follow_symlinks=False):
                continue
            if entry.is_dir(follow_symlinks=False):
                below.append(prefix + name)
            elif entry.is_symlink():
                self.files[prefix + name] = self.link(prefix + name, entry.stat(follow_symlinks=False))
            else:
                self.odd(prefix + name)
        names.sort()
        self.dirs[rel] = tuple(names)
        return below

    def names_in(self, handle: int) -> list[str]:
        """Return nothing: here the names come with their forms."""
        del handle
        return []

    def spelt(self, rel: str) -> str:
        """Return the path under which an existing file is listed: its case or composition may differ."""
        found = ""
        for name in rel.split("/"):
            names = self.dirs.get(found, ())
            if name not in names:
                alike = [other for other in names if fold(other) == fold(name)]
                if len(alike) != 1:
                    return rel
                name = alike[0]  # noqa: PLW2901 - the same name as it is written
            found = f"{found}/{name}" if found else name
        return found

    def holds(self, rel: str) -> bool:
        """Tell whether a path is that of a regular file."""
        folder, _, name = rel.rpartition("/")
        names = self.dirs.get(folder, ())
        at = bisect_left(names, name)
        if at == len(names) or names[at] != name:
            return False
        return folder not in self.closed and rel not in self.dirs and rel not in self.files

    @cached_property
    def plain(self) -> bool:
        """Whether all names of files and folders are ASCII, so that they are their own NFC."""
        return all("".join(names).isascii() for names in self.dirs.values())

    @cached_property
    def paths(self) -> list[str]:
        """The paths of all files and links, sorted."""
        found: list[str] = []
        for folder, names in self.dirs.items():
            if folder not in self.closed:
                prefix = f"{folder}/" if folder else ""
                found += [prefix + name for name in names]
        dirs = self.dirs
        return sorted([rel for rel in found if rel not in dirs])


class PathSet(AbstractSet[str]):
    """A set of paths known by a test; `every` lists them, for whoever insists."""

    def __init__(self, has: Callable[[str], bool], every: Callable[[], Iterable[str]]) -> None:
        self._has = has
        self._every = every

    @classmethod
    def _from_iterable(cls, it: Iterable[str]) -> frozenset[str]:  # type: ignore[override]
        return frozenset(it)

    @cached_property
    def _listed(self) -> frozenset[str]:
        return frozenset(self._every())

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self._has(path)

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)

    def __ge__(self, other: Iterable[object]) -> bool:
        return all(path in self for path in other)

    def issuperset(self, paths: Iterable[str]) -> bool:
        """Tell whether all these paths are in the set."""
        return self >= paths


class NamedFiles(Mapping[str, FileEntry]):
    """The files of a root by path, each looked at when it is asked for."""

    def __init__(self, root: Path, names: Names) -> None:
        self.root = root
        self.names = names
        self.known: dict[str, FileEntry] = dict(names.files)

    def __getitem__(self, rel: str) -> FileEntry:
        found = self.known.get(rel)
        if found is None:
            if not self.names.holds(rel):
                raise KeyError(rel)
            found = self.known[rel] = self._look(rel)
        return found

    def __contains__(self, rel: object) -> bool:
        return rel in self.known or (isinstance(rel, str) and self.names.holds(rel))

    def __iter__(self) -> Iterator[str]:
        return iter(self.names.paths)

    def __len__(self) -> int:
        return len(self.names.paths)

    def _look(self, rel: str) -> FileEntry:
        try:
            status = os.lstat(f"{self.root}/{rel}")
        except OSError:
            return FileEntry(rel, 0, 0, "", "unreadable")
        return FileEntry(rel, status.st_size, status.st_mtime_ns, "", "")
