"""One search over a root on disk: from the stored index if nothing has changed, else through a snapshot.

Kept apart from the engine, so that a search over an unchanged root parses no page.
"""

from __future__ import annotations

import marshal
import sqlite3
import time
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING

from llm_wiki.core.errors import Conflict
from llm_wiki.search import index
from llm_wiki.search.engine import Ask, answer, closed, find, nothing
from llm_wiki.search.results import Results
from llm_wiki.wiki.listing import Listing, look
from llm_wiki.wiki.resolve import Root

if TYPE_CHECKING:
    from llm_wiki.wiki.parallel import Progress


def run(root: Root, ask: Ask, *, progress: Progress | None = None) -> Results:
    """Search a topic or local wiki; the same result as `engine.find` on a fresh snapshot.

    Raises Unreadable when the root cannot be listed.
    """
    if closed(root, ask.scope):
        return nothing(ask.query)
    started = time.time_ns()
    listing = look(root.path, root.kind)
    db = index.unchanged(root, _key(listing))
    if db is not None:
        from llm_wiki.wiki.reading import read_stable

        with index.released(db), suppress(Conflict, sqlite3.Error):
            return answer(db, root, ask, lambda rel: read_stable(f"{root.path}/{rel}")[0], exact=True)
        started = time.time_ns()
        listing = look(root.path, root.kind)
    from llm_wiki.wiki.cache import stamp_settled
    from llm_wiki.wiki.snapshot import Snapshot

    key = _key(listing)
    settled = all(stamp_settled(stamp, started) for stamp in listing.stamps.values())
    snapshot = Snapshot.load(root.path, root.kind, listing=listing, progress=progress)
    return find(snapshot, root, ask, key if settled else b"")


def _key(listing: Listing) -> bytes:
    """Return what changes with every change of a page that a walk can see."""
    return blake2b(marshal.dumps(list(listing.stamps.items()), 2), digest_size=16).digest()
