"""What this machine keeps beside the wikis: undo bytes, records of transactions, caches, other state."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from llm_wiki.core.errors import WikiError
from llm_wiki.core.files import TEMP_PREFIX, failure, printable, write_atomic
from llm_wiki.core.locks import state_lock
from llm_wiki.core.state import WITHDRAWN, cache_dir, config_dir, mark_withdrawn, state_dir
from llm_wiki.core.stores import Hits, Needle
from llm_wiki.core.withdrawn import forget_where
from llm_wiki.wiki.parallel import join
from llm_wiki.withdraw.match_text import look_at
from llm_wiki.withdraw.rewriting import clean_own, masked_text

HOSTS: Final = "a host's own file"
"""What is told of a value there: it stays, as it may be in use."""


class _Folder:
    """A folder of this machine, looked at file by file; of the roots with these keys, or of all."""

    name = ""

    def __init__(self, keys: Collection[str] | None = None) -> None:
        self.keys = keys

    def files(self) -> Iterator[Path]:
        """Yield every regular file of the store."""
        yield from (path for path in _below(self.top) if not path.is_symlink() and self.covers(path))

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
                if not path.exists():
                    continue  # it went while it was looked for
                hits.left.append(masked_text(matcher, error.message))
                continue
            named = matcher.spans(os.fsencode(path.name))
            if reading is not None or named:
                hits.found += 1
                shown = path.relative_to(self.top) if path.is_relative_to(self.top) else path
                hits.paths.append(masked_text(matcher, printable(shown)))
                hits.encodings.update(span.encoding for span in (reading.spans if reading else ()))
        return hits

    def prove(self, matcher: Needle) -> Hits:
        """Look again."""
        return self.find(matcher)

    def _matching(self, matcher: Needle) -> Iterator[Path]:
        for path in list(self.files()):
            reading = None
            with suppress(WikiError):  # it has gone, or the proof says why it cannot be read
                reading = look_at(matcher, path)
            if reading is not None or matcher.spans(os.fsencode(path.name)):
                yield path


def _below(folder: Path, *, but: str = "") -> Iterator[Path]:
    """Yield every file below a folder, in order; `but` names a folder in it that is passed over."""
    for top, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if Path(top) != folder or name != but)
        yield from (path for name in sorted(names) if (path := Path(top) / name).is_file())


class Undo(_Folder):
    """Records of transactions and the old bytes they keep, of every root of this machine."""

    name = "undo"

    def __init__(self, keys: Collection[str] | None = None, but: Collection[str] = ()) -> None:
        super().__init__(keys)
        self.but = but

    @property
    def top(self) -> Path:
        """The folder of all roots' state."""
        return state_dir() / "roots"

    def files(self) -> Iterator[Path]:
        """Yield every regular file but those whose names are left out: what a withdrawal works by."""
        yield from (path for path in super().files() if path.name not in self.but)

    def remove(self, matcher: Needle) -> int:
        """Take the value out of every record; a record that held it keeps nothing to undo any more."""
        done = forget_where(matcher.holds, lambda data: clean_own(matcher, data), self.keys)
        for path in self._matching(matcher):
            if path.parent.parent == self.top:  # beside the records: what was noted of a withdrawal
                done += _noted(path, matcher)
        return done


def _noted(path: Path, matcher: Needle) -> int:
    with state_lock(path.parent, path.parent):
        try:
            if path.name.startswith(TEMP_PREFIX):
                path.unlink()
            else:
                write_atomic(path, clean_own(matcher, path.read_bytes()))
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise failure("rewrite", path, error) from None
    return 1


class Caches(_Folder):
    """Derived data: it goes whole, as an index of words does not hold a value in one piece."""

    name = "caches"

    @property
    def top(self) -> Path:
        """The cache folder."""
        return cache_dir()

    def remove(self, matcher: Needle) -> int:
        """Remove every cache of the roots: none may hold a word of what was withdrawn.

        A mark stays, by which whoever has read the root before takes back what it writes after this.
        """
        del matcher
        join()
        gone = 0
        refused: WikiError | None = None
        for folder in self._folders():
            try:
                mark_withdrawn(folder)
            except WikiError as error:
                refused = error  # what can be removed is removed nevertheless
        for path in list(self.files()):
            if path.name == WITHDRAWN:
                continue
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise failure("remove", path, error) from None
            gone += 1
        if refused is not None:
            raise refused
        return gone

    def _folders(self) -> list[Path]:
        """Return the folders of the roots that are meant, those too in which nothing lies yet."""
        roots = self.top / "roots"
        if self.keys is not None:
            return [roots / key for key in sorted(self.keys)]
        return sorted(path for path in roots.iterdir() if path.is_dir()) if roots.is_dir() else []


class State(_Folder):
    """Everything else in the state and configuration folders: text is rewritten, anything else goes.

    What `setup` copied of a host's file before it changed it is of this store, wherever it lies.
    """

    name = "state"

    @property
    def top(self) -> Path:
        """The state folder."""
        return state_dir()

    def covers(self, path: Path) -> bool:
        """Tell whether a file is of the state folder, undo apart, of the configuration folder, or a copy."""
        undo = path.is_relative_to(self.top / "roots")
        kept = path.is_relative_to(self.top) and not undo
        return kept or path.is_relative_to(config_dir()) or path in self._copies()

    def files(self) -> Iterator[Path]:
        """Yield the files of both folders, and the copies."""
        yield from (path for path in _below(self.top, but="roots") if not path.is_symlink())
        yield from _below(config_dir())
        yield from (path for path in self._copies() if path.is_file())

    def remove(self, matcher: Needle) -> int:
        """Rewrite text, remove anything else; a name that holds the value goes with its file."""
        done = 0
        for path in self._matching(matcher):
            reading = look_at(matcher, path)
            try:
                if (reading is not None and reading.binary) or matcher.spans(os.fsencode(path.name)):
                    path.unlink()
                else:
                    write_atomic(path.resolve(), clean_own(matcher, path.read_bytes()))
            except OSError as error:
                raise failure("rewrite", path, error) from None
            done += 1
        return done

    def find(self, matcher: Needle) -> Hits:
        """Return the files that hold the value. A host's own file that does is named: it stays."""
        hits = super().find(matcher)
        for path in (Path(row["path"]) for row in self._hosts()):
            with suppress(WikiError):
                if path.is_file() and look_at(matcher, path) is not None:
                    hits.beyond.setdefault(HOSTS, []).append(masked_text(matcher, printable(path)))
        return hits

    def _copies(self) -> list[Path]:
        """Return the copies of hosts' files that `setup` made."""
        return [Path(name) for row in self._hosts() for name in row["backups"]]

    def _hosts(self) -> list[dict[str, Any]]:
        """Return what the record of `setup` says of each host (`hosts.md` §1)."""
        try:
            rows = json.loads((self.top / "setup" / "manifest.json").read_bytes())["files"]
            return [{"path": str(row["path"]), "backups": [*map(str, row["backups"])]} for row in rows]
        except (OSError, ValueError, KeyError, TypeError):
            return []
