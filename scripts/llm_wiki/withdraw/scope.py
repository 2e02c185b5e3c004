"""Everything below the roots of a withdrawal: each file once, links not followed, their ends named."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from llm_wiki.core.errors import WikiError
from llm_wiki.core.files import failure
from llm_wiki.core.stores import Needle
from llm_wiki.withdraw import containers
from llm_wiki.withdraw.match_text import WHOLE, Reading, look, look_at

VERSION_CONTROL: Final = frozenset({".git", ".hg", ".svn"})
OUTSIDE: Final = 10_000
"""Files looked at behind links that leave the scope."""

_HEAD: Final = 512
_OPEN: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_COPY: Final = re.compile(
    r"~$|\.(?:bak|orig|old|swp|swo|tmp)$|^\.#|^#.*#$|conflicted copy|sync-conflict"
    r"|(?:^|/)\.(?:trash|stversions)/",
    re.IGNORECASE,
)


class Place(NamedTuple):
    """One path of a root: `rel` relative to it, POSIX, as on disk."""

    root: Path
    rel: str

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.root / self.rel


@dataclass
class Found:
    """What a scan saw. `kept` are boundaries: kind → places, with `open_` those that hold the value."""

    files: int = 0
    skipped: int = 0
    texts: dict[Place, Reading] = field(default_factory=dict)
    binaries: dict[Place, Reading] = field(default_factory=dict)
    names: list[Place] = field(default_factory=list)
    links: list[Place] = field(default_factory=list)
    beyond: dict[str, list[str]] = field(default_factory=dict)
    unresolved: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    encodings: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        """Files, names and links that hold the value."""
        return len(self.texts) + len(self.binaries) + len(self.names) + len(self.links)

    @property
    def hits(self) -> int:
        """Single occurrences in files, and names."""
        return sum(self.encodings.values()) + len(self.names)

    def paths(self) -> list[Place]:
        """Every place that holds the value."""
        return sorted({*self.texts, *self.binaries, *self.names, *self.links})

    def note(self, kind: str, where: str, *, open_: bool = False) -> None:
        """Note a boundary; `open_` when the value stands behind it."""
        self.beyond.setdefault(kind, []).append(where)
        if open_:
            self.unresolved.append(f"{kind}: {where}")


class _Behind(NamedTuple):
    """What is looked at when all else has been: links, and files with more than one name."""

    links: list[Path]
    linked: dict[tuple[int, int], list[tuple[Place, int]]]


def scan(roots: Iterable[Path], matcher: Needle) -> Found:
    """Look at every file, name and link below the roots; changes nothing. Failures are noted as errors."""
    found = Found()
    roots = list(roots)
    behind = _Behind([], {})
    for root in roots:
        if not root.is_dir():
            found.note("missing root", str(root))
            continue
        if matcher.spans(os.fsencode(root.name)):
            found.errors.append("the name of a root holds the value; rename that folder yourself")
        seen: list[str] = []
        for rel, entry in _walk(root, "", found):
            seen.append(rel)
            _one(root, rel, entry, matcher, found, behind)
        if matcher.spans(os.fsencode("\0".join(seen)), words=True):
            found.names += [Place(root, rel) for rel in seen if _named(os.fsencode(rel), matcher)]
    _hard_links(found, behind.linked)
    _outside(roots, behind.links, matcher, found)
    return found


def _walk(root: Path, folder: str, found: Found) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield every entry below a folder with its relative path, a folder before what is in it."""
    try:
        with os.scandir(root / folder) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        found.errors.append(failure("read", root / folder, error).message)
        return
    for entry in listed:
        rel = f"{folder}/{entry.name}" if folder else entry.name
        if entry.name in VERSION_CONTROL:
            found.skipped += 1
            continue
        try:
            is_folder = entry.is_dir(follow_symlinks=False)
        except OSError as error:
            found.errors.append(failure("read", root / rel, error).message)
            continue
        yield rel, entry
        if is_folder:
            yield from _walk(root, rel, found)


def _one(
    root: Path, rel: str, entry: os.DirEntry[str], matcher: Needle, found: Found, behind: _Behind
) -> None:
    try:
        if entry.is_file(follow_symlinks=False):
            _file(root, rel, entry.path, matcher, found, behind)
        elif entry.is_symlink():
            path = root / rel
            if matcher.spans(os.fsencode(path.readlink())):
                found.links.append(Place(root, rel))
            behind.links.append(path)
        elif not entry.is_dir(follow_symlinks=False):
            found.note("special file", rel)
    except WikiError as error:
        found.errors.append(error.message)
    except OSError as error:
        found.errors.append(failure("read", root / rel, error).message)


def _named(raw: bytes, matcher: Needle) -> bool:
    """Tell whether the last name of a path holds the value, or its end when that began above."""
    above = raw.rfind(b"/")
    return any(span.end > above for span in matcher.spans(raw, words=True))


def _file(root: Path, rel: str, path: str, matcher: Needle, found: Found, behind: _Behind) -> None:
    handle = os.open(path, _OPEN)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            found.note("special file", rel)
            return
        found.files += 1
        if status.st_nlink > 1:
            names = behind.linked.setdefault((status.st_dev, status.st_ino), [])
            names.append((Place(root, rel), status.st_nlink))
        data = _read(handle, status.st_size) if status.st_size <= WHOLE else os.read(handle, _HEAD)
    finally:
        os.close(handle)
    reading = look(matcher, data) if status.st_size <= WHOLE else look_at(matcher, root / rel)
    kind = containers.kind_of(data)
    if kind or reading is not None:
        _note(Place(root, rel), kind, reading, matcher, found)


def _read(handle: int, size: int) -> bytes:
    """Return what a file holds, which may no longer be as much as it said."""
    data = os.read(handle, size + 1)
    if len(data) == size:
        return data
    parts = [data]
    while parts[-1]:
        parts.append(os.read(handle, 1 << 20))
    return b"".join(parts)


def _note(place: Place, kind: str, reading: Reading | None, matcher: Needle, found: Found) -> None:
    if kind:
        within = containers.holds(place.path, kind, matcher) if reading is None else None
        found.note(kind, place.rel, open_=bool(within))
    if reading is None:
        return
    (found.binaries if reading.binary else found.texts)[place] = reading._replace(text=b"")
    found.encodings.update(span.encoding for span in reading.spans)
    if _COPY.search(place.rel):
        found.note("copies elsewhere may exist", place.rel)


def _hard_links(found: Found, linked: dict[tuple[int, int], list[tuple[Place, int]]]) -> None:
    """Note files with a name outside the scope; what holds the value is left unresolved."""
    for places in linked.values():
        if len(places) < places[0][1]:
            for place, _ in places:
                found.note("hard link", place.rel, open_=place in found.texts or place in found.binaries)


def _outside(roots: list[Path], links: list[Path], matcher: Needle, found: Found) -> None:
    """Look behind links that leave the scope: what is there is beyond reach, and said when it matches."""
    inside = [os.path.realpath(root) for root in roots]
    left = OUTSIDE
    for link in links:
        real = os.path.realpath(link)
        if any(real == root or real.startswith(root + os.sep) for root in inside) or not os.path.exists(real):  # noqa: PTH110
            continue
        holds = False
        for path in _files_at(Path(real)):
            left -= 1
            try:
                holds = holds or left < 0 or look_at(matcher, path) is not None
            except WikiError:
                continue
        found.note(
            "symbolic link",
            os.path.relpath(link, next(r for r in roots if link.is_relative_to(r))),
            open_=holds,
        )


def _files_at(path: Path) -> Iterator[Path]:
    if path.is_dir():
        for top, _, names in os.walk(path):
            for name in sorted(names):
                if (Path(top) / name).is_file():
                    yield Path(top) / name
    elif path.is_file():
        yield path
