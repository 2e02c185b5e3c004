"""The roots of a withdrawal, which several stores share, each with files of its own.

One look at the disk serves all of them, until one asks again or something was changed: a large wiki is
read once, and what is counted over all files is counted once.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, NamedTuple

from llm_wiki.core.errors import WikiError
from llm_wiki.core.stores import Hits, Needle, Work
from llm_wiki.core.transaction import open_root
from llm_wiki.model import layout
from llm_wiki.withdraw.match_text import Reading
from llm_wiki.withdraw.renaming import Names
from llm_wiki.withdraw.rewriting import clean_own, masked_text
from llm_wiki.withdraw.scope import Found, Place, scan

LARGEST: Final = 512 * 1024 * 1024
"""Bytes of the largest file that is rewritten."""


class Applied(NamedTuple):
    """What was done to the roots, in files and names; `kept` was left on purpose, `errors` by force."""

    files: int = 0
    deleted: int = 0
    renamed: int = 0
    kept: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


class Scope:
    """Folders, the outermost of them; `inner` are roots below or beside them that others may hold.

    `delete_binaries` lets files go that are no text.
    """

    def __init__(
        self, paths: Sequence[Path], inner: Sequence[Path] = (), *, delete_binaries: bool = False
    ) -> None:
        self.paths = outermost(paths)
        self.inner = [path for path in inner if any(path.is_relative_to(top) for top in self.paths)]
        self.delete_binaries = delete_binaries
        self.logged: set[Path] = set()
        self.applied = Applied()
        self.found = Found()
        self._needle: Needle | None = None
        self._asked: set[str] = set()
        self._stale = False
        self._names: dict[Path, Names] = {}

    def locks(self) -> ExitStack:
        """Hold every root, a hub before its topics, after repairing what was interrupted."""
        with ExitStack() as stack:
            reals = {os.path.realpath(path): path for path in (*self.paths, *self.inner) if path.is_dir()}
            for real in sorted(reals):
                stack.enter_context(open_root(reals[real]))
            return stack.pop_all()

    def look(self, needle: Needle, asker: str) -> Found:
        """Return what stands below the roots: a new look unless another has just asked the same."""
        if needle is not self._needle or asker in self._asked or self._stale:
            self.found = scan(self.paths, needle)
            self._needle = needle
            self._asked, self._names, self._stale = set(), {}, False
        self._asked.add(asker)
        return self.found

    def seen(self, needle: Needle) -> Found:
        """Return what the last look for this needle saw."""
        return self.found if needle is self._needle else self.look(needle, "")

    def names(self, needle: Needle, root: Path) -> Names:
        """Return how the names of a root change that hold the value."""
        if root not in self._names:
            rels = [place.rel for place in self.seen(needle).names if place.root == root]
            self._names[root] = Names(root, rels, needle)
        return self._names[root]

    def begin(self) -> None:
        """Begin a round: what the one before it could not do is tried again, and looked at again."""
        self.applied = self.applied._replace(kept=(), errors=())

    def note(self, done: Applied) -> int:
        """Add what a store did; return how many things that changed. The next look is a new one."""
        mine = self.applied
        self.applied = Applied(
            mine.files + done.files,
            mine.deleted + done.deleted,
            mine.renamed + done.renamed,
            (*mine.kept, *done.kept),
            (*mine.errors, *done.errors),
        )
        changed = done.files + done.deleted + done.renamed
        self._stale = self._stale or changed > 0
        return changed


class Share:
    """The files of one store below the roots of a scope: the `live` ones, of sessions, or all others."""

    def __init__(self, scope: Scope, name: str, *, live: bool = False) -> None:
        self.scope, self.name, self.live = scope, name, live

    def covers(self, path: Path) -> bool:
        """Tell whether a file lies below one of the roots and is of this share."""
        for root in self.scope.paths:
            if path.is_relative_to(root):
                return self.has(Place(root, path.relative_to(root).as_posix()))
        return False

    def has(self, place: Place) -> bool:
        """Tell whether a place is of this share."""
        return is_live(place) is self.live

    def hits(self, needle: Needle) -> Hits:
        """Return what this share holds."""
        found = self.scope.look(needle, self.name)
        readings = [*self._mine(found.texts).values(), *self._mine(found.binaries).values()]
        stuck = [*found.links, *([] if self.scope.delete_binaries else found.binaries)]
        left = [self.shown(needle, place) for place in stuck if self.has(place)]
        if not self.live:
            left += [masked_text(needle, text) for text in (*found.errors, *found.unresolved)]
        places = [place for place in found.paths() if self.has(place)]
        encodings = Counter(span.encoding for reading in readings for span in reading.spans)
        return Hits(len(places), left, [self.shown(needle, place) for place in places], encodings)

    def texts(self, needle: Needle, root: Path) -> list[Place]:
        """Return the files of a root that are to be rewritten; one too large for that is noted."""
        texts = [place for place in self._mine(self.scope.seen(needle).texts) if place.root == root]
        large = [place for place in texts if _size(place.path) > LARGEST]
        told = tuple(f"{masked_text(needle, place.rel)} is too large to be rewritten" for place in large)
        self.scope.note(Applied(errors=told))
        return [place for place in texts if place not in large]

    def binaries(self, needle: Needle, root: Path) -> list[Place]:
        """Return the files of a root that are to be deleted."""
        found = self._mine(self.scope.seen(needle).binaries) if self.scope.delete_binaries else {}
        return [place for place in found if place.root == root]

    def moves(self, needle: Needle, root: Path) -> list[tuple[str, str]]:
        """Return the new names in a root, in the order they are given."""
        return [pair for pair in self.scope.names(needle, root).moves if self.has(Place(root, pair[0]))]

    def kept(self, needle: Needle, root: Path) -> list[str]:
        """Return, to be shown, the names in a root that have to stay."""
        names = [rel for rel in self.scope.names(needle, root).kept if self.has(Place(root, rel))]
        return [f"{masked_text(needle, rel)}: a name of the format" for rel in names]

    def shown(self, needle: Needle, place: Place) -> str:
        """Return a place to be shown: with its root where there are several."""
        return masked_text(needle, str(place.path) if len(self.scope.paths) > 1 else place.rel)

    def work(self, needle: Needle) -> Work:
        """Return what is to be done in all roots. What cannot be done is noted."""
        roots = self.scope.paths
        self.scope.note(Applied(kept=tuple(text for root in roots for text in self.kept(needle, root))))
        return Work(
            [place.path for root in roots for place in self.texts(needle, root)],
            [place.path for root in roots for place in self.binaries(needle, root)],
            [(root / old, root / new) for root in roots for old, new in self.moves(needle, root)],
        )

    def clean(self, needle: Needle, data: bytes) -> bytes:
        """Return bytes without what is looked for."""
        return clean_own(needle, data)

    def done(self, *, files: int, deleted: int, renamed: int) -> int:
        """Note what was done; return how many things that changed."""
        return self.scope.note(Applied(files, deleted, renamed))

    def failed(self, needle: Needle, error: WikiError) -> None:
        """Note what could not be done."""
        self.scope.note(Applied(errors=(masked_text(needle, error.message),)))

    def _mine(self, found: dict[Place, Reading]) -> dict[Place, Reading]:
        return {place: reading for place, reading in found.items() if self.has(place)}


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # it has gone, or whoever reads it says why that cannot be


def is_live(place: Place) -> bool:
    """Tell whether a place lies in a folder of sessions, to which hooks write at any moment."""
    return layout.SESSIONS in place.root.parts or in_sessions(place.rel)


def in_sessions(rel: str) -> bool:
    """Tell whether a file of a root lies in a folder of sessions."""
    return layout.SESSIONS in rel.split("/")[:-1]


def outermost(paths: Iterable[Path]) -> list[Path]:
    """Return roots without those that lie below another one, in order; each once, by its real path."""
    reals: dict[str, Path] = {}
    for path in paths:
        reals.setdefault(os.path.realpath(path), path)
    found: list[str] = []
    for real in sorted(reals):
        if not any(real.startswith(f"{top}{os.sep}") for top in found):
            found.append(real)
    return [Path(real) for real in found]
