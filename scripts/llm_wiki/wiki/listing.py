"""One walk over a root: which files and folders there are, without opening any file.

What is entered (`wiki-format.md` §2, §3): everything below a topic root but hidden folders and
the folders inside `inbox/`; of a hub only its own level and the first level of each topic.
Symbolic links are listed, never followed.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from llm_wiki.core.errors import Unreadable
from llm_wiki.core.files import TEMP_PREFIX, printable

PARSED = frozenset({"raw", "wiki", "inventory", "datasets", "output"})
"""Folders of a topic whose Markdown is parsed, besides that of the root level."""

CONFIG = "config.md"
"""The one file of a hub's topics that is parsed: it holds the title."""

NEVER_PARSED = frozenset({"._", ".#"})
"""Beginnings of names that end in `.md` but hold no Markdown: macOS attributes, editor locks."""

_MARKDOWN = frozenset({".md", ".MD", ".Md", ".mD"})
_FORM = 0o170000
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)

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
    walker = Walker(root, hub=kind == "hub")
    walker.run()
    return walker.result()


def look(root: Path, kind: str) -> Listing:
    """List a root as `walk` does; raises Unreadable when the root itself cannot be listed."""
    try:
        return walk(str(root), kind)
    except OSError as error:
        raise Unreadable(f"cannot list {root}: {reason(error)}", path=root) from error


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
    if name[-3:] not in _MARKDOWN or name[:2] in NEVER_PARSED or not listed(folder, hub=hub):
        return False
    return _parsing(folder, hub=hub) or (hub and name == CONFIG)


def listed(folder: str, *, hub: bool) -> bool:
    """Tell whether the files directly in a folder belong to a snapshot."""
    parts = folder.split("/") if folder else []
    return all(way("/".join(parts[:end]), hub=hub) == "list" for end in range(1, len(parts) + 1))


def _parsing(folder: str, *, hub: bool) -> bool:
    return not folder or (not hub and folder.split("/", 1)[0] in PARSED)


class Walker:
    """State of one walk; `run` fills it folder by folder. A subclass may look at less (`wiki.names`)."""

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
        """Walk from the root down. Raises OSError when the root itself cannot be listed."""
        pending = self.folder("")
        while pending:
            rel = pending.pop()
            how = way(rel, hub=self.hub)
            if how != "list":
                self.closed.add(rel)
            try:
                if how == "list":
                    pending += self.folder(rel)
                else:
                    names = os.listdir(f"{self.root}/{rel}") if how == "names" else []  # noqa: PTH208
                    self.dirs[rel] = tuple(sorted(names))
            except OSError as error:
                self.dirs[rel] = ()
                self.problem(rel, "unreadable", reason(error))

    def folder(self, rel: str) -> list[str]:
        """Record the entries of one folder and return its subfolders."""
        handle = os.open(f"{self.root}/{rel}", os.O_RDONLY | (_NOFOLLOW if rel else 0))
        try:
            # relative to an open folder a stat needs no walk down the path: the cost of a warm run
            return self.entries(rel, handle, self.names_in(handle))
        finally:
            os.close(handle)

    def names_in(self, handle: int) -> list[str]:
        """Return the names in an open folder."""
        return os.listdir(handle)

    def entries(self, rel: str, handle: int, names: list[str]) -> list[str]:
        """Record the entries of one folder, given their names, and return its subfolders."""
        prefix = f"{rel}/" if rel else ""
        files, stamps, look, new = self.files, self.stamps, os.stat, tuple.__new__
        parse, config = _parsing(rel, hub=self.hub), CONFIG if self.hub else ""
        gone: list[str] = []
        below: list[str] = []
        for name in names:
            if name[0] == "." and name.startswith(TEMP_PREFIX):
                gone.append(name)
                continue
            path = prefix + name
            try:
                status = look(name, dir_fd=handle, follow_symlinks=False)
            except FileNotFoundError:
                gone.append(name)
                continue
            except OSError as error:
                files[path] = FileEntry(path, 0, 0, "", "unreadable")
                self.problem(path, "unreadable", reason(error))
                continue
            form = status.st_mode & _FORM
            if form == stat.S_IFREG:
                size, mtime = status.st_size, status.st_mtime_ns
                files[path] = new(FileEntry, (path, size, mtime, "", ""))
                if name[-3:] in _MARKDOWN and name[:2] not in NEVER_PARSED and (parse or name == config):
                    stamps[path] = (size, mtime, status.st_ctime_ns, status.st_ino)
            elif form == stat.S_IFDIR:
                below.append(path)
            elif form == stat.S_IFLNK:
                files[path] = self.link(path, status)
            else:
                self.odd(path)
        if gone:
            names = [name for name in names if name not in gone]
        self.dirs[rel] = tuple(sorted(names))
        return below

    def odd(self, path: str) -> None:
        """Record what is neither file, folder nor link: it is never opened."""
        self.files[path] = FileEntry(path, 0, 0, "", "unreadable")
        self.problem(path, "unreadable", "not a regular file")

    def link(self, path: str, status: os.stat_result) -> FileEntry:
        """Record a symbolic link: where it says it goes, and whether that is inside the root."""
        text, target, problem = "?", "", "dangling"
        with suppress(OSError, ValueError):
            text = os.readlink(f"{self.root}/{path}") or text  # noqa: PTH115 - the text as it is
            target = os.path.realpath(f"{self.root}/{path}")
            if not stat.S_ISLNK(os.lstat(target).st_mode):
                problem = ""
        if target and target != self.real and not target.startswith(self.real.rstrip("/") + "/"):
            problem = "outside"
            self.problem(path, problem, f"symbolic link to {printable(text)} leaves the wiki")
        return FileEntry(path, 0, status.st_mtime_ns, text, problem)

    def problem(self, path: str, code: str, text: str) -> None:
        """Note a problem of `Listing`."""
        self.problems.append((path, code, text))

    def result(self) -> Listing:
        """Return what was found, in order."""
        files, stamps = self.files, self.stamps
        return Listing(
            {path: files[path] for path in sorted(files)},
            dict(sorted(self.dirs.items())),
            {path: stamps[path] for path in sorted(stamps)},
            frozenset(self.closed),
            sorted(self.problems),
        )
