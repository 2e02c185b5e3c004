"""The store of wiki roots: one transaction a root takes a value out of its files and names."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from llm_wiki.admit.rawlock import RAW_LOCK
from llm_wiki.core import clock
from llm_wiki.core.errors import WikiError
from llm_wiki.core.files import is_relative, read_bytes, sha256, write_atomic
from llm_wiki.core.stores import Hits, Needle
from llm_wiki.core.text import one_line
from llm_wiki.core.transaction import Transaction
from llm_wiki.model import document, layout
from llm_wiki.wiki import log
from llm_wiki.wiki.statefiles import LEDGER
from llm_wiki.withdraw.match_text import look
from llm_wiki.withdraw.renaming import Names, followed, reference
from llm_wiki.withdraw.rewriting import clean, masked_text, rewritten
from llm_wiki.withdraw.scope import Place
from llm_wiki.withdraw.share import Applied, Scope, Share

VERB: Final = "retract"
LOG_TEXT: Final = "removed a literal value"


class Roots:
    """What lies below the roots of a scope, but for the folders of sessions."""

    name = "wiki"

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.share = Share(scope, self.name)

    def find(self, needle: Needle) -> Hits:
        """Look at everything below the roots; changes nothing."""
        return self.share.hits(needle)

    prove = find

    def covers(self, path: Path) -> bool:
        """Tell whether a file lies below one of the roots, and in no folder of sessions."""
        return self.share.covers(path)

    def remove(self, needle: Needle) -> int:
        """Take out what was found. A failure of one root is noted in the scope, not its end.

        The line of the log is also for what the folders of sessions below a root hold.
        """
        return sum(self.scope.note(self._root(root, needle)) for root in self.scope.paths)

    def _root(self, root: Path, needle: Needle) -> Applied:
        found = self.scope.seen(needle)
        gone = found.binaries if self.scope.delete_binaries else ()
        if not any(place.root == root for place in (*found.texts, *gone, *found.names)):
            return Applied()
        work = _Work(root, needle, self)
        try:
            return work.run()
        except WikiError as error:
            return Applied(errors=(masked_text(needle, error.message),), kept=tuple(work.kept))
        except OSError as error:
            return Applied(errors=(f"the system refuses: {type(error).__name__}",), kept=tuple(work.kept))


class _Work:
    """One root being changed."""

    def __init__(self, root: Path, matcher: Needle, store: Roots) -> None:
        self.root, self.matcher, self.store = root, matcher, store
        self.kept: list[str] = []
        self.hashes: dict[bytes, bytes] = {}
        self.tx = Transaction(
            root,
            VERB,
            summary=masked_text(matcher, LOG_TEXT),
            keep_before=False,
            also_lock=[inner for inner in store.scope.inner if inner.is_dir()],
        )

    def run(self) -> Applied:
        """Plan everything, then commit it."""
        share = self.store.share
        texts = share.texts(self.matcher, self.root)
        binaries = share.binaries(self.matcher, self.root)
        renames = self.store.scope.names(self.matcher, self.root)
        moves = share.moves(self.matcher, self.root)
        self.kept += share.kept(self.matcher, self.root)
        odd = self._odd([place for place in texts if not is_relative(place.rel)], moves)
        new = {}
        for place in [place for place in texts if is_relative(place.rel)]:
            data = read_bytes(place.path)
            after = self._rewritten(place.rel, data, renames)
            if after != data:
                new[place.rel] = (data, after)
        files = len(new) + odd[0]
        self._state_files(new)
        if (
            files or binaries or renames.moves or self._beside()
        ) and self.root not in self.store.scope.logged:
            self._log(new, layout.LOG)
        for rel, (data, after) in sorted(new.items()):
            self.tx.write(rel, after, expect=sha256(data))
        for place in binaries:
            self.tx.delete(place.rel, expect=sha256(read_bytes(place.path)))
        gone = {place.rel for place in binaries}
        moves = [(old, to) for old, to in moves if old not in gone and self._movable(old)]
        for old, to in moves:
            self.tx.move(old, to)
        self.tx.commit()
        self.store.scope.logged.add(self.root)
        return Applied(files, len(binaries), len(moves) + odd[1], tuple(self.kept))

    def _beside(self) -> bool:
        """Tell whether others change files of this root, which the one line of its log is for too."""
        scope = self.store.scope
        found = scope.seen(self.matcher)
        places = (*found.texts, *(found.binaries if scope.delete_binaries else ()))
        return any(place.root == self.root and not self.store.share.has(place) for place in places)

    def _odd(self, texts: list[Place], moves: list[tuple[str, str]]) -> tuple[int, int]:
        """Change what no transaction takes one by one; return how many.

        These are files with a backslash in their names, and the names of links, pipes and sockets.
        """
        for place in texts:
            write_atomic(place.path, clean(self.matcher, read_bytes(place.path)))
        moves = [(old, to) for old, to in moves if not self._movable(old)]
        for old, to in moves:
            (self.root / old).rename(self.root / to)
        return len(texts), len(moves)

    def _movable(self, rel: str) -> bool:
        """Tell whether a transaction gives a path another name: of a folder, or a file that is no link."""
        path = self.root / rel
        return is_relative(rel) and not path.is_symlink() and (path.is_file() or path.is_dir())

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
