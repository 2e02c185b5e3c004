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


def scan(roots: Iterable[Path], matcher: Needle) -> Found:
    """Look at every file, name and link below the roots; changes nothing. Failures are noted as errors."""
    found = Found()
    roots = list(roots)
    linked: dict[tuple[int, int], list[tuple[Place, int]]] = {}
    outside: list[Path] = []
    for root in roots:
        if not root.is_dir():
            found.note("missing root", str(root))
            continue
        if matcher.spans(os.fsencode(root.name)):
            found.errors.append("the name of a root holds the value; rename that folder yourself")
        seen: list[bytes] = []
        places: list[Place] = []
        for place, status in _walk(root, "", found):
            seen.append(os.fsencode(place.rel))
            places.append(place)
            _one(place, status, matcher, found, linked, outside)
        if matcher.spans(b"\0".join(seen), words=True):
            found.names += [place for place, raw in zip(places, seen, strict=True) if _named(raw, matcher)]
    _hard_links(found, linked)
    _outside(roots, outside, matcher, found)
    return found


def _walk(root: Path, folder: str, found: Found) -> Iterator[tuple[Place, os.stat_result]]:
    """Yield every entry below a folder, a folder before what is in it."""
    try:
        with os.scandir(root / folder) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        found.errors.append(failure("read", root / folder, error).message)
        return
    for entry in listed:
        place = Place(root, f"{folder}/{entry.name}" if folder else entry.name)
        if entry.name in VERSION_CONTROL:
            found.skipped += 1
            continue
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError as error:
            found.errors.append(failure("read", place.path, error).message)
            continue
        yield place, status
        if stat.S_ISDIR(status.st_mode):
            yield from _walk(root, place.rel, found)


def _one(
    place: Place,
    status: os.stat_result,
    matcher: Needle,
    found: Found,
    linked: dict[tuple[int, int], list[tuple[Place, int]]],
    outside: list[Path],
) -> None:
    if stat.S_ISLNK(status.st_mode):
        target = str(place.path.readlink())
        if matcher.spans(os.fsencode(target)):
            found.links.append(place)
        outside.append(place.path)
    elif stat.S_ISREG(status.st_mode):
        _file(place, status.st_size, matcher, found)
        if status.st_nlink > 1:
            linked.setdefault((status.st_dev, status.st_ino), []).append((place, status.st_nlink))
    elif not stat.S_ISDIR(status.st_mode):
        found.note("special file", place.rel)


def _named(raw: bytes, matcher: Needle) -> bool:
    """Tell whether the last name of a path holds the value, or its end when that began above."""
    above = raw.rfind(b"/")
    return any(span.end > above for span in matcher.spans(raw, words=True))


def _file(place: Place, size: int, matcher: Needle, found: Found) -> None:
    found.files += 1
    try:
        if size <= WHOLE:
            with open(f"{place.root}/{place.rel}", "rb", buffering=0) as stream:  # noqa: PTH123 - of every file
                data = stream.read()
            reading = look(matcher, data)
            head = data[:512]
        else:
            reading = look_at(matcher, place.path)
            with place.path.open("rb") as stream:
                head = stream.read(512)
    except WikiError as error:
        found.errors.append(error.message)
        return
    except OSError as error:
        found.errors.append(failure("read", place.path, error).message)
        return
    kind = containers.kind_of(head)
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
