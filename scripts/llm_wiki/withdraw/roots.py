"""The store of wiki roots: one transaction a root takes a value out of its files and names."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, NamedTuple

from llm_wiki.admit.rawlock import RAW_LOCK
from llm_wiki.core import clock
from llm_wiki.core.errors import WikiError
from llm_wiki.core.files import check_relative, read_bytes, sha256, write_atomic
from llm_wiki.core.text import one_line
from llm_wiki.core.transaction import Transaction, open_root
from llm_wiki.model import document, layout
from llm_wiki.wiki import log
from llm_wiki.wiki.statefiles import LEDGER
from llm_wiki.withdraw.match import Matcher
from llm_wiki.withdraw.match_text import Reading, look
from llm_wiki.withdraw.renaming import Names, followed, reference
from llm_wiki.withdraw.rewriting import clean, masked_text, rewritten
from llm_wiki.withdraw.scope import Found, Place, scan

VERB: Final = "retract"
LOG_TEXT: Final = "removed a literal value"
LARGEST: Final = 512 * 1024 * 1024
"""Bytes of the largest file that is rewritten."""

Live = Callable[[Path, Callable[[bytes], bytes]], bool]
"""Rewrites a file that others append to at any moment; tells whether it changed."""


class Applied(NamedTuple):
    """What was done to the roots, in files and names; `kept` was left on purpose, `errors` by force."""

    files: int = 0
    deleted: int = 0
    renamed: int = 0
    kept: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


class Roots:
    """Wiki folders, the outermost of them; `inner` are roots below or beside them that others may hold.

    `live` rewrites what lies in a folder of sessions. `delete_binaries` lets files go that are no text.
    """

    name = "wiki"

    def __init__(
        self, paths: Sequence[Path], inner: Sequence[Path], live: Live, *, delete_binaries: bool = False
    ) -> None:
        self.paths = outermost(paths)
        self.inner = [path for path in inner if any(path.is_relative_to(top) for top in self.paths)]
        self.live = live
        self.delete_binaries = delete_binaries

    def locks(self) -> ExitStack:
        """Hold every root, a hub before its topics, after repairing what was interrupted."""
        with ExitStack() as stack:
            reals = {os.path.realpath(path): path for path in (*self.paths, *self.inner) if path.is_dir()}
            for real in sorted(reals):
                stack.enter_context(open_root(reals[real]))
            return stack.pop_all()

    def find(self, matcher: Matcher) -> Found:
        """Look at everything below the roots; changes nothing."""
        return scan(self.paths, matcher)

    prove = find

    def covers(self, path: Path) -> bool:
        """Tell whether a file lies below one of the roots."""
        return any(path.is_relative_to(root) for root in self.paths)

    def remove(self, matcher: Matcher, found: Found) -> Applied:
        """Take out what was found. A failure of one root is an error of the report, not its end."""
        done = [self._root(root, matcher, found) for root in self.paths]
        return Applied(
            sum(each.files for each in done),
            sum(each.deleted for each in done),
            sum(each.renamed for each in done),
            tuple(text for each in done for text in each.kept),
            tuple(text for each in done for text in each.errors),
        )

    def _root(self, root: Path, matcher: Matcher, found: Found) -> Applied:
        texts = [place for place in found.texts if place.root == root]
        binaries = [place for place in found.binaries if place.root == root and self.delete_binaries]
        names = [place.rel for place in found.names if place.root == root]
        if not texts and not binaries and not names:
            return Applied()
        work = _Work(root, matcher, self)
        try:
            return work.run(texts, binaries, names)
        except WikiError as error:
            return Applied(errors=(masked_text(matcher, error.message),), kept=tuple(work.kept))
        except OSError as error:
            return Applied(errors=(f"the system refuses: {type(error).__name__}",), kept=tuple(work.kept))


class _Work:
    """One root being changed."""

    def __init__(self, root: Path, matcher: Matcher, store: Roots) -> None:
        self.root, self.matcher, self.store = root, matcher, store
        self.kept: list[str] = []
        self.errors: list[str] = []
        self.hashes: dict[bytes, bytes] = {}
        self.files = self.deleted = 0
        self.tx = Transaction(
            root,
            VERB,
            summary=masked_text(matcher, LOG_TEXT),
            keep_before=False,
            also_lock=[inner for inner in store.inner if inner.is_dir()],
        )

    def run(self, texts: list[Place], binaries: list[Place], names: list[str]) -> Applied:
        """Plan everything, commit, then rewrite what hooks append to."""
        texts = [place for place in texts if self._writable(place)]
        renames = Names(self.root, names, self.matcher)
        odd = self._odd([place for place in texts if not _plain(place.rel)], renames)
        texts = [place for place in texts if _plain(place.rel)]
        self.kept += [f"{masked_text(self.matcher, rel)}: a name of the format" for rel in renames.kept]
        logged = layout.LOG
        new = {}
        for place in [place for place in texts if not is_live(place.rel)]:
            data = read_bytes(place.path)
            after = self._rewritten(place.rel, data, renames)
            if after != data:
                new[place.rel] = (data, after)
        self._state_files(new)
        if new or renames.moves or binaries:
            self._log(new, logged)
        for rel, (data, after) in sorted(new.items()):
            self.tx.write(rel, after, expect=sha256(data))
        for place in binaries:
            self.tx.delete(place.rel, expect=sha256(read_bytes(place.path)))
            self.deleted += 1
        gone = {place.rel for place in binaries}
        moves = [(old, to) for old, to in renames.moves if old not in gone and _plain(old)]
        for old, to in moves:
            self.tx.move(old, to)
        self.tx.commit()
        live = sum(self._live(place) for place in texts if is_live(place.rel))
        rewritten_files = len([rel for rel in new if rel in {place.rel for place in texts}])
        done = rewritten_files + live + odd[0]
        return Applied(done, self.deleted, len(moves) + odd[1], tuple(self.kept), tuple(self.errors))

    def _odd(self, texts: list[Place], renames: Names) -> tuple[int, int]:
        """Change files whose names no transaction takes, with a backslash, one by one; return how many."""
        for place in texts:
            write_atomic(place.path, clean(self.matcher, read_bytes(place.path)))
        moves = [(old, to) for old, to in renames.moves if not _plain(old)]
        for old, to in moves:
            (self.root / old).rename(self.root / to)
        return len(texts), len(moves)

    def _rewritten(self, rel: str, data: bytes, renames: Names) -> bytes:
        """Return the new bytes of one file; of a source its hash is noted, old and new."""
        after = data
        reading = look(self.matcher, data)
        if reading is None:
            return data
        if rel.lower().endswith(".md") and reading.charset == "utf-8":
            after = followed(self.matcher, renames, rel, data)
            reading = look(self.matcher, after)
        if reading is not None:
            done = rewritten(self.matcher, rel, reading, lambda text: reference(renames, rel, text))
            self.kept += [masked_text(self.matcher, text) for text in done.kept]
            after = done.data if done.kept else clean(self.matcher, done.data)
        if rel.lower().endswith(".md"):
            old, new = document.body_hash(data), document.body_hash(after)
            if old != new:
                self.hashes[old.encode()] = new.encode()
        return after

    def _state_files(self, new: dict[str, tuple[bytes, bytes]]) -> None:
        """Let the locks and ledgers of topics name the bodies as they are now, not by a hash of the old."""
        if not self.hashes:
            return
        tops = {rel[: rel.find("raw/")] for rel in new if "raw/" in rel} | {
            rel[: rel.find("wiki/")] for rel in new if "wiki/" in rel
        }
        for rel in sorted(f"{top}{name}" for top in tops for name in (RAW_LOCK, LEDGER)):
            path = self.root / rel
            if path.is_symlink() or not path.is_file():
                continue
            data = read_bytes(path)
            after = new.get(rel, (data, data))[1]
            for old, now in self.hashes.items():
                after = after.replace(old, now)
            if after != data:
                new[rel] = (data, after)

    def _log(self, new: dict[str, tuple[bytes, bytes]], rel: str) -> None:
        """Add the line of the log, without the value even where that is a word of the line."""
        path = self.root / rel
        if path.is_symlink() or not path.is_file():
            return
        data = read_bytes(path)
        before = new.get(rel, (data, data))[1]
        text = log.entry(VERB, one_line(LOG_TEXT), clock.today().isoformat())
        if b"\r\n" in before[-4:]:
            text = text.replace("\n", "\r\n")
        if before and not before.endswith(b"\n"):
            text = f"\n{text}"
        new[rel] = (data, before + clean(self.matcher, text.encode()))

    def _live(self, place: Place) -> int:
        try:
            return int(self.store.live(place.path, lambda data: clean(self.matcher, data)))
        except WikiError as error:
            self.errors.append(masked_text(self.matcher, error.message))
            return 0

    def _writable(self, place: Place) -> bool:
        if place.path.stat().st_size > LARGEST:
            self.errors.append(f"{masked_text(self.matcher, place.rel)} is too large to be rewritten")
            return False
        return True


def _plain(rel: str) -> bool:
    """Tell whether a transaction takes a path."""
    try:
        check_relative(rel)
    except WikiError:
        return False
    return True


def is_live(rel: str) -> bool:
    """Tell whether a path lies in a folder of sessions, to which hooks write."""
    return ".sessions" in rel.split("/")[:-1]


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


__all__ = ["Applied", "Reading", "Roots", "is_live", "outermost"]
