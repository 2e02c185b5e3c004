"""The search index of one root: `search.sqlite` in this user's cache folder, or one in memory.

It can be deleted at any time. It counts only while its file is the very one that was last
written here (`Seal`); a damaged, foreign or locked one, or a folder that cannot be written, means
that an index in memory answers instead, with the same result.
"""

from __future__ import annotations

import atexit
import os
import sqlite3
import sys
import time
from _thread import get_ident
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from hashlib import blake2b
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from llm_wiki import __version__
from llm_wiki.core.errors import WikiError
from llm_wiki.core.files import write_atomic
from llm_wiki.core.state import private_dir, root_cache, withdrawn_since_start

if TYPE_CHECKING:
    from llm_wiki.search import store
    from llm_wiki.wiki.resolve import Root
    from llm_wiki.wiki.snapshot import Snapshot

NAME = "search.sqlite"
SEAL = "search.seal"

TEMP = "search.tmp-"
ABANDONED = 3600
"""Seconds after which an unfinished index belongs to nobody."""

WAIT = 2.0
"""Seconds that a search waits for another process at the index before it does without."""

REBUILT = 3
"""An index is made anew when more than one page in this many has changed."""

_wanted: WeakKeyDictionary[Snapshot, store.Wanted] = WeakKeyDictionary()


class Seal:
    """What the index file looked like when it was last written here.

    Three times 16 bytes: the code that wrote it, the look of the file, and the listing of the root
    that it followed from (zeros: none that can be trusted).
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / SEAL
        self.database = folder / NAME

    def stamp(self) -> bytes:
        """Return the present look of the index file, empty when there is none."""
        try:
            status = os.stat(self.database)  # noqa: PTH116 - on the way of every search
        except OSError:
            return b""
        return _digest((status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino))

    def read(self) -> tuple[bytes, bytes, bytes]:
        """Return code, look and listing as noted last."""
        try:
            data = self.path.read_bytes()
        except OSError:
            return b"", b"", b""
        return (data[:16], data[16:32], data[32:]) if len(data) == 48 else (b"", b"", b"")

    def holds(self) -> bool:
        """Tell whether the index file is the one that was written last, by this code."""
        code, look, _ = self.read()
        return code == _code() and look == self.stamp()

    def waits(self) -> bool:
        """Tell whether an index that does not hold may do so soon: it was just written, not yet sealed."""
        return self.read()[0] == _code() and bool(self.stamp())

    def put(self) -> None:
        """Note the index file as it is now. A failure to write is no error."""
        self._write(self.stamp(), b"")

    def follow(self, listing: bytes) -> None:
        """Note the listing that the index follows from, if it is still the one that was written last."""
        code, look, known = self.read()
        if listing and known != listing and code == _code() and look == self.stamp():
            self._write(look, listing)

    def _write(self, look: bytes, listing: bytes) -> None:
        with suppress(OSError, WikiError):
            write_atomic(self.path, _code() + look + listing.ljust(16, b"\0")[:16], mode=0o600)


def _digest(facts: object) -> bytes:
    return blake2b(repr(facts).encode("utf-8", "surrogateescape"), digest_size=16).digest()


def wanted_of(snapshot: Snapshot, root: Root) -> store.Wanted:
    """Return what an index of a snapshot holds; remembered as long as the snapshot lives."""
    known = _wanted.get(snapshot)
    if known is not None:
        return known
    from llm_wiki.admit.visibility import labels
    from llm_wiki.search import store
    from llm_wiki.search.fields import SEARCHED, printable

    pages = snapshot.pages
    chosen = {
        printable(rel): (pages[rel], label)
        for rel, label in labels(snapshot, root._replace(status="active")).items()
        if label.plane in SEARCHED and not rel.endswith("/_index.md")
    }
    seen = blake2b(digest_size=16)
    for path, (page, label) in chosen.items():
        seen.update(f"{path}\0{page.sha256}\0{label.notes}\n".encode())
    _wanted[snapshot] = found = store.Wanted(chosen, seen.digest())
    return found


@contextmanager
def opened(
    snapshot: Snapshot, root: Root, listing: bytes = b"", *, stored: bool = True
) -> Iterator[sqlite3.Connection]:
    """Give an index that agrees with a snapshot: the stored one, brought up to date, or one in memory.

    `listing` is the key of the walk that the snapshot follows from, if a later change must show in it.
    Without `stored` the one in memory is taken.
    """
    wanted = wanted_of(snapshot, root)

    def read(rel: str) -> bytes | None:
        try:
            return snapshot.read(rel)
        except (WikiError, KeyError):
            return None

    db = _stored(root, wanted, read, listing) if stored else None
    if db is not None:
        with released(db):
            yield db
    else:
        with closing(in_memory(wanted, read)) as made:
            yield made


def in_memory(wanted: store.Wanted, read: store.Read) -> sqlite3.Connection:
    """Return an index that is stored nowhere."""
    from llm_wiki.search import store

    db = sqlite3.connect(":memory:")
    store.create(db)
    store.fill(db, wanted, read)
    return db


def unchanged(root: Root, listing: bytes) -> sqlite3.Connection | None:
    """Open the stored index, if it follows from the very listing of this key; else None."""
    with suppress(sqlite3.Error, OSError, WikiError, RuntimeError):
        seal = Seal(root_cache(root.path))
        if listing and seal.read()[2] == listing:
            return connect(seal)
    return None


_open: dict[tuple[str, int], tuple[bytes, sqlite3.Connection]] = {}
"""The last connection of a thread to each index file, with the look of the file it was opened on."""


@contextmanager
def released(db: sqlite3.Connection) -> Iterator[None]:
    """End the reading of a stored index when the block ends, so that writers need not wait."""
    try:
        yield
    finally:
        with suppress(sqlite3.Error):
            db.execute("ROLLBACK")


@atexit.register
def close_all() -> None:
    """Close the connections that are kept open for the next search."""
    while _open:
        _, (_, db) = _open.popitem()
        with suppress(sqlite3.Error):
            db.close()


def _stored(root: Root, wanted: store.Wanted, read: store.Read, listing: bytes) -> sqlite3.Connection | None:
    try:
        folder = private_dir(root_cache(root.path))
    except (OSError, WikiError, RuntimeError):
        return None
    seal = Seal(folder)
    try:
        for attempt in (_agreeing, _updated, _rebuilt):
            with suppress(sqlite3.Error, OSError, WikiError, ValueError, TypeError):
                db = attempt(seal, wanted, read)
                if db is not None:
                    seal.follow(listing)
                    return db
    finally:
        if withdrawn_since_start(folder):
            drop(root.path)
    return None


def connect(seal: Seal) -> sqlite3.Connection | None:
    """Open the stored index for reading, if it is the one that was written last."""
    pauses = [0.01, 0.05, 0.2]
    while not seal.holds():
        if not pauses or not seal.waits():
            return None
        time.sleep(pauses.pop(0))  # another process may be between writing and sealing
    look = seal.stamp()
    place = str(seal.database), get_ident()
    kept_look, kept = _open.pop(place, (b"", None))
    if kept is not None and kept_look != look:
        kept.close()
        kept = None
    db = kept or sqlite3.connect(f"{seal.database.as_uri()}?mode=ro", uri=True, timeout=WAIT)
    try:
        db.execute("PRAGMA query_only = ON")
        db.execute("PRAGMA cache_size = -32000")
        db.execute("BEGIN")
        db.execute("SELECT value FROM meta WHERE name = 'key'").fetchone()
        if seal.stamp() == look:
            _open[place] = look, db
            return db
    except BaseException:
        db.close()
        raise
    db.close()
    return None


def _agreeing(seal: Seal, wanted: store.Wanted, _: store.Read) -> sqlite3.Connection | None:
    db = connect(seal)
    if db is None:
        return None
    if key_of(db) == wanted.key:
        return db
    db.execute("ROLLBACK")
    return None


def key_of(db: sqlite3.Connection) -> bytes:
    """Return the key of the pages an index holds."""
    row = db.execute("SELECT value FROM meta WHERE name = 'key'").fetchone()
    return bytes(row[0]) if row else b""


def _updated(seal: Seal, wanted: store.Wanted, read: store.Read) -> sqlite3.Connection | None:
    """Change the stored index in one transaction, when it is sound and little has changed."""
    from llm_wiki.search import store

    if not seal.holds():
        return None
    with closing(sqlite3.connect(seal.database, timeout=WAIT, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = MEMORY")
        db.execute("BEGIN IMMEDIATE")
        if not seal.holds():
            db.execute("ROLLBACK")
            return None
        known = dict(db.execute("SELECT path, sha FROM pages"))
        same = sum(1 for path, (page, _) in wanted.pages.items() if known.get(path) == page.sha256)
        if (len(wanted.pages) - same) * REBUILT > len(wanted.pages) + REBUILT:
            db.execute("ROLLBACK")
            return None
        store.fill(db, wanted, read)
        db.execute("COMMIT")
    seal.put()
    return connect(seal)


def _rebuilt(seal: Seal, wanted: store.Wanted, read: store.Read) -> sqlite3.Connection | None:
    """Make the index beside the old one and put it in its place."""
    import secrets

    from llm_wiki.search import store

    _sweep(seal.path.parent)
    temp = seal.database.with_name(f"{TEMP}{secrets.token_hex(8)}")
    try:
        os.close(os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with closing(sqlite3.connect(temp, isolation_level=None)) as db:
            db.execute("PRAGMA journal_mode = OFF")
            db.execute("PRAGMA synchronous = OFF")
            db.execute("PRAGMA cache_size = -64000")
            store.create(db)
            db.execute("BEGIN")
            store.fill(db, wanted, read)
            db.execute("COMMIT")
        with temp.open("rb") as stream:
            os.fsync(stream.fileno())
        temp.replace(seal.database)
    finally:
        temp.unlink(missing_ok=True)
    seal.put()
    return connect(seal)


def _sweep(folder: Path) -> None:
    """Remove what a process left that was killed while it made an index."""
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            if entry.name.startswith(TEMP) and entry.stat().st_mtime + ABANDONED < time.time():
                Path(entry.path).unlink(missing_ok=True)


def drop(root: Path) -> None:
    """Remove the index of a root, and with it every text that was withdrawn from the root."""
    with suppress(OSError, WikiError, RuntimeError):
        for entry in list(os.scandir(root_cache(root))):
            if entry.name.startswith("search."):
                Path(entry.path).unlink(missing_ok=True)


_CODE: list[bytes] = []


def _code() -> bytes:
    """Return bytes that change with the code and the libraries an index follows from."""
    if not _CODE:
        package = Path(__file__).parent.parent
        facts: list[object] = [__version__, sys.implementation.cache_tag, sqlite3.sqlite_version]
        spec = PathFinder.find_spec("pyromark")
        origins = [spec.origin] if spec is not None and spec.origin else []
        for folder in (package / "search", package / "admit", package / "model"):
            origins += sorted(entry.path for entry in os.scandir(folder) if entry.name.endswith(".py"))
        for origin in origins:
            status = os.stat(origin)  # noqa: PTH116 - as above
            facts.append((origin, status.st_size, status.st_mtime_ns))
        _CODE.append(_digest(facts))
    return _CODE[0]
