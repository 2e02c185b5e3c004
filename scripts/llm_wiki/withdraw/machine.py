"""What this machine keeps beside the wikis: undo bytes, records of transactions, caches, other state."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from llm_wiki.core.errors import WikiError
from llm_wiki.core.files import failure, printable, write_atomic
from llm_wiki.core.state import cache_dir, config_dir, state_dir
from llm_wiki.core.stores import Needle
from llm_wiki.core.withdrawn import forget_where
from llm_wiki.withdraw.match_text import look_at
from llm_wiki.withdraw.rewriting import clean, masked_text
from llm_wiki.withdraw.store import Hits


class _Folder:
    """A folder of this machine, looked at file by file; of the roots with these keys, or of all."""

    name = ""

    def __init__(self, keys: Collection[str] | None = None) -> None:
        self.keys = keys

    def files(self) -> Iterator[Path]:
        """Yield every regular file of the store."""
        for top, folders, names in os.walk(self.top):
            folders.sort()
            for name in sorted(names):
                path = Path(top) / name
                if path.is_file() and not path.is_symlink() and self.covers(path):
                    yield path

    @property
    def top(self) -> Path:
        """The folder."""
        raise NotImplementedError

    def covers(self, path: Path) -> bool:
        """Tell whether a file lies below the folder, and belongs to one of the roots."""
        if not path.is_relative_to(self.top):
            return False
        return self.keys is None or bool({*path.relative_to(self.top).parts[:2]} & {*self.keys})

    def find(self, matcher: Needle) -> Hits:
        """Return the files that hold the value."""
        hits = Hits()
        for path in self.files():
            try:
                reading = look_at(matcher, path)
            except WikiError as error:
                hits.left.append(masked_text(matcher, error.message))
                continue
            named = matcher.spans(os.fsencode(path.name))
            if reading is not None or named:
                hits.found += 1
                hits.paths.append(masked_text(matcher, printable(path.relative_to(self.top))))
                hits.encodings.update(span.encoding for span in (reading.spans if reading else ()))
        return hits

    def prove(self, matcher: Needle) -> Hits:
        """Look again."""
        return self.find(matcher)

    def _matching(self, matcher: Needle) -> Iterator[Path]:
        for path in list(self.files()):
            with suppress(FileNotFoundError):
                if look_at(matcher, path) is not None or matcher.spans(os.fsencode(path.name)):
                    yield path


class Undo(_Folder):
    """Records of transactions and the old bytes they keep, of every root of this machine."""

    name = "undo"

    @property
    def top(self) -> Path:
        """The folder of all roots' state."""
        return state_dir() / "roots"

    def remove(self, matcher: Needle) -> int:
        """Take the value out of every record; a record that held it keeps nothing to undo any more."""
        return forget_where(matcher.holds, lambda data: clean(matcher, data), self.keys)


class Caches(_Folder):
    """Derived data: it goes whole, as an index of words does not hold a value in one piece."""

    name = "caches"

    @property
    def top(self) -> Path:
        """The cache folder."""
        return cache_dir()

    def remove(self, matcher: Needle) -> int:
        """Remove every cache of the roots: none may hold a word of what was withdrawn."""
        del matcher
        gone = 0
        for path in list(self.files()):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise failure("remove", path, error) from None
            gone += 1
        return gone


class State(_Folder):
    """Everything else in the state and configuration folders: text is rewritten, anything else goes."""

    name = "state"

    @property
    def top(self) -> Path:
        """The state folder."""
        return state_dir()

    def covers(self, path: Path) -> bool:
        """Tell whether a file is of the state folder, undo apart, or of the configuration folder."""
        undo = path.is_relative_to(self.top / "roots")
        return (path.is_relative_to(self.top) and not undo) or path.is_relative_to(config_dir())

    def files(self) -> Iterator[Path]:
        """Yield the files of both folders."""
        yield from super().files()
        for top, folders, names in os.walk(config_dir()):
            folders.sort()
            yield from (Path(top) / name for name in sorted(names) if (Path(top) / name).is_file())

    def find(self, matcher: Needle) -> Hits:
        """Return the files that hold the value."""
        hits = Hits()
        for path in self._matching(matcher):
            hits.found += 1
            hits.paths.append(masked_text(matcher, path.name))
        return hits

    def remove(self, matcher: Needle) -> int:
        """Rewrite text, remove anything else; a name that holds the value goes with its file."""
        done = 0
        for path in self._matching(matcher):
            reading = look_at(matcher, path)
            try:
                if (reading is not None and reading.binary) or matcher.spans(os.fsencode(path.name)):
                    path.unlink()
                else:
                    write_atomic(path, clean(matcher, path.read_bytes()))
            except OSError as error:
                raise failure("rewrite", path, error) from None
            done += 1
        return done
