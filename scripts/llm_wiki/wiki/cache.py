"""The parse cache of one root: rows of unchanged files, in this user's cache folder.

It can be deleted at any time. A file of it that is damaged, from another version or another
machine is as good as none; a folder that cannot be written means no cache. What it gives is
always what parsing would give: an entry counts only for the very stamp it was made from, and
only if the stamp was old enough when the bytes were read (`settled`).

A base file holds everything, small delta files what changed since; both are replaced by
rename, so that processes may share them without a lock.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, NamedTuple

import llm_wiki
from llm_wiki.core.errors import WikiError
from llm_wiki.core.state import private_dir, root_cache, withdrawn_since_start
from llm_wiki.wiki.listing import Stamp
from llm_wiki.wiki.parallel import join
from llm_wiki.wiki.rows import SETTLED, Entry, Tails

MAGIC = b"LWROWS02"
BASE = "rows.base"
DELTA = "rows.delta-"
ONE = "rows.one-"
"""Beginning of the files that hold one large page each, for whoever needs just that."""

MAX_ONES = 64
"""Files of single pages that are kept; the oldest go first."""

MAX_DELTAS = 16
"""Delta files after which everything is written anew."""

GRANULARITY_NS = 2_050_000_000
"""A stamp younger than this when the bytes were read may hide a later change in the same tick:
FAT keeps times in steps of two seconds."""

COARSE_NS = 3_600_000_000_000
"""The same where times are whole seconds: old or network file systems, whose clock may differ."""

_SECOND_NS = 1_000_000_000
_HEAD = len(MAGIC) + 16 + 32 + 8


def settled(entry: Entry) -> bool:
    """Tell whether a later change of the file cannot have left its stamp as it is.

    The change time cannot be set by programs, so it decides; the modification time counts too,
    unless it lies in the future, where only a program can have put it.
    """
    stamp, read_ns = entry[:2]
    return read_ns == SETTLED or stamp_settled(stamp, read_ns)


def stamp_settled(stamp: Stamp, read_ns: int) -> bool:
    """Tell whether a change after `read_ns` (ns) must show in a stamp; see `settled`."""
    _, mtime, ctime, _ = stamp
    newest = max(mtime, ctime) if mtime <= read_ns + _SECOND_NS else ctime
    margin = GRANULARITY_NS if ctime % _SECOND_NS else COARSE_NS
    return newest + margin <= read_ns


class _Part(NamedTuple):
    """One file of the cache: `base` ties deltas to their base, `key` names the per-file check."""

    base: str
    key: str
    entries: dict[str, Entry]


class RowCache:
    """Rows of one root for one per-file check; `key` is "" when none is run.

    `load` once, then `save` once.
    """

    def __init__(self, root: Path, key: str) -> None:
        self.key = key
        self.folder: Path | None = None
        with suppress(OSError, WikiError, RuntimeError):
            self.folder = root_cache(root)
        self.binding = _binding()
        self.base = ""
        self.size = 0
        self.tails: Tails | None = None
        self.deltas: list[tuple[str, int]] = []
        self.other_check = False

    def load(self) -> dict[str, Entry]:
        """Return all entries; those of another check come without notes."""
        part, self.tails = self._read(BASE)
        if part is None:
            return {}
        self.base = part.base
        self.key = self.key or part.key
        found = self._fit(part)
        for name in self._delta_names():
            delta, _ = self._read(name)
            if delta is not None and delta.base == self.base:
                found.update(self._fit(delta))
        return found

    def load_one(self, rel: str) -> tuple[Entry | None, Tails | None]:
        """Return the entry that `save_one` stored for a path, and what holds its tail."""
        part, tails = self._read(_name_of(rel))
        entry = None if part is None or part.key != self.key else part.entries.get(rel)
        return (None, None) if entry is None else (entry, tails)

    def save_one(self, rel: str, entry: Entry, tails: Tails | None) -> None:
        """Store one entry in a file of its own; `tails` holds its tail if it has only a place."""
        if self.folder is None:
            return
        with suppress(OSError, WikiError, ValueError):
            private_dir(self.folder)
            stored, packed = self._parted({rel: entry}, tails)
            self._write(_name_of(rel), _Part("", self.key, stored), packed)
            ones = [found for found in os.scandir(self.folder) if found.name.startswith(ONE)]
            ones.sort(key=lambda found: found.stat().st_mtime_ns)
            for found in ones[:-MAX_ONES]:
                Path(found.path).unlink(missing_ok=True)

    def save(self, entries: dict[str, Entry], changed: dict[str, Entry]) -> None:
        """Store what changed; `entries` is everything. A failure to write is no error."""
        if self.folder is None or not (changed or self.other_check):
            return
        with suppress(OSError, WikiError, ValueError):
            private_dir(self.folder)
            weight = sum(size for _, size in self.deltas)
            small = len(changed) * 8 < len(entries) and weight * 4 < self.size
            if self.base and small and not self.other_check and len(self.deltas) < MAX_DELTAS:
                name = f"{DELTA}{self.base}-{time.time_ns():020d}-{secrets.token_hex(4)}"
                self._write(name, _Part(self.base, self.key, changed), b"")
            else:
                stored, tails = self._parted(entries, self.tails)
                self._write(BASE, _Part(secrets.token_hex(8), self.key, stored), tails)
                for name, _ in self.deltas:
                    (self.folder / name).unlink(missing_ok=True)

    @staticmethod
    def _parted(entries: dict[str, Entry], known: Tails | None) -> tuple[dict[str, Entry], bytes]:
        """Part the tails from the entries; those that cannot be got any more are left out."""
        stored: dict[str, Entry] = {}
        tails: list[bytes] = []
        offset = 0
        for rel, entry in entries.items():
            tail = entry[3]
            if not isinstance(tail, bytes):
                kept = None if known is None else known.get(tail)
                if kept is None:
                    continue
                tail = kept
            read_ns = SETTLED if settled(entry) else entry[1]
            stored[rel] = (entry[0], read_ns, entry[2], (offset, len(tail)), entry[4])
            tails.append(tail)
            offset += len(tail)
        return stored, b"".join(tails)

    def _fit(self, part: _Part) -> dict[str, Entry]:
        if part.key == self.key:
            return part.entries
        self.other_check = True
        return {rel: (*entry[:4], None) for rel, entry in part.entries.items()}

    def _delta_names(self) -> Iterator[str]:
        """Yield this base's deltas, oldest first; others are remembered to be swept away."""
        assert self.folder is not None
        with suppress(OSError):
            for entry in sorted(os.scandir(self.folder), key=lambda entry: entry.name):
                if entry.name.startswith(DELTA):
                    self.deltas.append((entry.name, entry.stat().st_size))
                    if entry.name.startswith(f"{DELTA}{self.base}-"):
                        yield entry.name

    def _read(self, name: str) -> tuple[_Part | None, Tails | None]:
        """Read the hot payload of one file, and leave the file open for its tails."""
        if self.folder is None:
            return None, None
        try:
            handle = os.open(self.folder / name, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        except OSError:
            return None, None
        tails = Tails(handle, 0)
        with suppress(OSError, EOFError, ValueError, TypeError, OverflowError):
            head = os.read(handle, _HEAD)
            length = int.from_bytes(head[-8:], "little")
            size = os.fstat(handle).st_size
            if head[:24] != MAGIC + self.binding or len(head) + length > size:
                return None, None
            payload = os.pread(handle, length, _HEAD)
            if hashlib.blake2b(payload, digest_size=32).digest() != head[24:56]:
                return None, None
            # only bytes whose digest fits, from a folder of this user alone, get here
            part = _Part(*marshal.loads(payload))  # noqa: S302
            tails.start = _HEAD + length
            if name == BASE:
                self.size = size
            return part, tails
        return None, None

    def _write(self, name: str, part: _Part, tails: bytes) -> None:
        assert self.folder is not None
        payload = marshal.dumps(tuple(part))
        digest = hashlib.blake2b(payload, digest_size=32).digest()
        temp = self.folder / f"rows.tmp-{secrets.token_hex(8)}"
        try:
            handle = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as stream:
                stream.write(MAGIC + self.binding + digest + len(payload).to_bytes(8, "little"))
                stream.write(payload)
                stream.write(tails)
            temp.replace(self.folder / name)
            if withdrawn_since_start(self.folder):
                (self.folder / name).unlink(missing_ok=True)
        finally:
            temp.unlink(missing_ok=True)


def _name_of(rel: str) -> str:
    """Return the name of the file that holds one page."""
    return ONE + hashlib.blake2b(rel.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def drop(root: Path) -> None:
    """Remove the parse cache of a root, and with it every text that was withdrawn from the root."""
    join()
    with suppress(OSError, WikiError, RuntimeError):
        for entry in list(os.scandir(root_cache(root))):
            if entry.name.startswith("rows."):
                Path(entry.path).unlink(missing_ok=True)


def _binding() -> bytes:
    """Return 16 bytes that change with the package, its parsers and the interpreter."""
    package = str(Path(llm_wiki.__file__).parent)
    facts: list[Any] = [llm_wiki.__version__, package, sys.implementation.cache_tag, sys.hexversion]
    for name in ("yaml", "pyromark"):
        spec = PathFinder.find_spec(name)
        if spec is not None and spec.origin:
            facts.append(_state(spec.origin))
    for folder in sorted(_folders(package)):
        facts += sorted(_state(entry) for entry in os.scandir(folder) if entry.name.endswith(".py"))
    return hashlib.blake2b(repr(facts).encode("utf-8", "surrogateescape"), digest_size=16).digest()


def _state(path: str | os.DirEntry[str]) -> tuple[str, int, int]:
    status = os.stat(path)  # noqa: PTH116
    return os.fspath(path), status.st_size, status.st_mtime_ns


def _folders(package: str) -> Iterator[str]:
    """Yield the folders of the package whose code decides what a row holds."""
    for room in ("core", "model", "wiki"):
        yield f"{package}/{room}"
