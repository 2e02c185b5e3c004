"""One walk over a root: which files and folders there are, without opening any file.

What is entered (`wiki-format.md` §2, §3): everything below a topic root but hidden folders and
the folders inside `inbox/`; of a hub only its own level and the first level of each topic.
Symbolic links are listed, never followed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from llm_wiki.core.files import TEMP_PREFIX

PARSED = frozenset({"raw", "wiki", "inventory", "datasets", "output"})
"""Folders of a topic whose Markdown is parsed, besides that of the root level."""

CONFIG = "config.md"
"""The one file of a hub's topics that is parsed: it holds the title."""

NEVER_PARSED = ("._", ".#")
"""Beginnings of names that end in `.md` but hold no Markdown: macOS attributes, editor locks."""

Stamp = tuple[int, int, int, int]
"""Size in bytes, mtime and ctime in nanoseconds, inode: what changes when a file changes."""


class FileEntry(NamedTuple):
    """One file, or one symbolic link to anything.

    `link` is the text of a symbolic link, else "". `problem` is "" or one of `unreadable` (the
    system refuses it, or it is no regular file), `outside` (a link that leaves the root) and
    `dangling` (a link to nothing). `size` is in bytes, 0 for a link.
    """

    rel: str
    size: int
    mtime_ns: int
    link: str
    problem: str


class Listing(NamedTuple):
    """What a walk found, sorted by path.

    `dirs` maps each folder ("" is the root) to the sorted names in it, folders that are not
    entered to (). Of a folder inside `inbox/` and of a topic in a hub only the names are known.
    `stamps` holds the Markdown files to parse. `closed` are the folders not entered.
    `problems` are (path, code, text) with the codes of `FileEntry.problem`.
    """

    files: dict[str, FileEntry]
    dirs: dict[str, tuple[str, ...]]
    stamps: dict[str, Stamp]
    closed: frozenset[str]
    problems: list[tuple[str, str, str]]


def reason(error: OSError) -> str:
    """Say why the system refuses a path, in words that help its owner."""
    if error.errno in (errno.EPERM, errno.EACCES):
        return "permission denied; on macOS give the terminal Full Disk Access in System Settings"
    return (error.strerror or str(error)).lower()


def stamp_of(status: os.stat_result) -> Stamp:
    """Reduce a stat result to what tells one state of a file from another."""
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def walk(root: str, kind: str) -> Listing:
    """List a root of the given kind (`hub`, `topic`, `local`).

    Nothing is raised for what lies below the root: it becomes a problem. The root itself must
    be a readable folder (OSError).
    """
    walker = _Walker(root, hub=kind == "hub")
    walker.run()
    return walker.result()


def way(rel: str, *, hub: bool) -> str:
    """Tell how a walk treats a folder below the root: `list`, `names` (no stat) or `skip`."""
    parts = rel.split("/")
    if hub:
        if parts[0] != "topics":
            return "skip"
        if len(parts) == 1 or parts[1:] == [".archive"]:
            return "list"
        depth = len(parts) - (1 if parts[1] == ".archive" else 0)
        return "list" if depth == 2 and not parts[-1].startswith(".") else "skip"
    if parts[0] == "inbox" and len(parts) > 1:
        return "names" if len(parts) == 2 else "skip"
    return "skip" if parts[-1].startswith(".") else "list"


def parsed(rel: str, *, hub: bool) -> bool:
    """Tell whether a file is one whose Markdown a snapshot parses, judged by its path alone."""
    folder, _, name = rel.rpartition("/")
    if name[-3:].lower() != ".md" or name.startswith(NEVER_PARSED) or not listed(folder, hub=hub):
        return False
    return _parsing(folder, hub=hub) or (hub and name == CONFIG)


def listed(folder: str, *, hub: bool) -> bool:
    """Tell whether the files directly in a folder belong to a snapshot."""
    parts = folder.split("/") if folder else []
    return all(way("/".join(parts[:end]), hub=hub) == "list" for end in range(1, len(parts) + 1))


def _parsing(folder: str, *, hub: bool) -> bool:
    return not folder or (not hub and folder.split("/", 1)[0] in PARSED)


class _Walker:
    """State of one walk; `run` fills it folder by folder."""

    def __init__(self, root: str, *, hub: bool) -> None:
        self.root = root
        self.hub = hub
        self.real = os.path.realpath(root)
        self.files: dict[str, FileEntry] = {}
        self.dirs: dict[str, tuple[str, ...]] = {}
        self.stamps: dict[str, Stamp] = {}
        self.closed: set[str] = set()
        self.problems: list[tuple[str, str, str]] = []

    def run(self) -> None:
        with os.scandir(self.root) as found:
            pending = self.folder("", found, parse=_parsing("", hub=self.hub))
        while pending:
            rel = pending.pop()
            how = way(rel, hub=self.hub)
            if how == "skip":
                self.dirs[rel] = ()
                self.closed.add(rel)
                continue
            try:
                if how == "names":
                    self.closed.add(rel)
                    self.dirs[rel] = tuple(sorted(os.listdir(f"{self.root}/{rel}")))  # noqa: PTH208 - names only
                    continue
                with os.scandir(f"{self.root}/{rel}") as found:
                    pending += self.folder(rel, found, parse=_parsing(rel, hub=self.hub))
            except OSError as error:
                self.dirs[rel] = ()
                self.problem(rel, "unreadable", reason(error))

    def folder(self, rel: str, found: Iterator[os.DirEntry[str]], *, parse: bool) -> list[str]:
        """Record the entries of one folder and return its subfolders."""
        prefix = f"{rel}/" if rel else ""
        names: list[str] = []
        below: list[str] = []
        files, stamps, hub = self.files, self.stamps, self.hub
        for entry in found:
            name = entry.name
            if name.startswith(TEMP_PREFIX):
                continue
            path = prefix + name
            try:
                if entry.is_file(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    files[path] = FileEntry(path, status.st_size, status.st_mtime_ns, "", "")
                    if name[-3:].lower() == ".md" and (parse or (hub and name == CONFIG)):
                        stamps[path] = stamp_of(status)
                elif entry.is_symlink():
                    files[path] = self.link(path, entry)
                elif entry.is_dir(follow_symlinks=False):
                    below.append(path)
                else:
                    files[path] = FileEntry(path, 0, 0, "", "unreadable")
                    self.problem(path, "unreadable", "not a regular file")
            except FileNotFoundError:
                continue
            except OSError as error:
                files[path] = FileEntry(path, 0, 0, "", "unreadable")
                self.problem(path, "unreadable", reason(error))
            names.append(name)
        names.sort()
        self.dirs[rel] = tuple(names)
        return below

    def link(self, path: str, entry: os.DirEntry[str]) -> FileEntry:
        """Record a symbolic link: where it says it goes, and whether that is inside the root."""
        text = os.readlink(f"{self.root}/{path}")  # noqa: PTH115 - the text as it is
        mtime = entry.stat(follow_symlinks=False).st_mtime_ns
        try:
            target = os.path.realpath(f"{self.root}/{path}")
            found = os.lstat(target).st_mode
            problem = "dangling" if stat.S_ISLNK(found) else ""
        except (OSError, ValueError):
            target, problem = "", "dangling"
        if target != self.real and not target.startswith(self.real.rstrip("/") + "/"):
            problem = "outside"
            self.problem(path, problem, f"symbolic link to {text} leaves the wiki")
        return FileEntry(path, 0, mtime, text, problem)

    def problem(self, path: str, code: str, text: str) -> None:
        self.problems.append((path, code, text))

    def result(self) -> Listing:
        stamps = {
            path: stamp
            for path, stamp in sorted(self.stamps.items())
            if not path.rpartition("/")[2].startswith(NEVER_PARSED)
        }
        return Listing(
            dict(sorted(self.files.items())),
            dict(sorted(self.dirs.items())),
            stamps,
            frozenset(self.closed),
            sorted(self.problems),
        )
