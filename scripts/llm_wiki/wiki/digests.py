"""SHA-256 of files that no page is made from (media, data), kept as long as their stamps hold.

Computed only for those who ask. What is kept lies beside the parsed rows in this user's cache folder, so
that whoever drops those drops this too; it counts only for the very stamp it was made from, and only if
the stamp was old enough then (`cache.settled`).
"""

from __future__ import annotations

import hashlib
import marshal
import os
import stat
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from llm_wiki.core.errors import WikiError
from llm_wiki.core.files import write_atomic
from llm_wiki.core.state import private_dir, root_cache, withdrawn_since_start
from llm_wiki.wiki.cache import stamp_settled
from llm_wiki.wiki.listing import Stamp, stamp_of

NAME = "rows.digests"

_MAGIC = b"LWSUMS01"
_SUM = 32
_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
)


class Digests:
    """The digests of one root, by path; with `keep` also from run to run."""

    def __init__(self, root: Path, *, keep: bool = False) -> None:
        self.root = root
        self.keep = keep
        self.known: dict[str, tuple[Stamp, str]] | None = None
        self.certain = True
        """Whether a change of any file asked about must show in its stamp."""

    def of(self, paths: Mapping[str, str] | Iterable[str]) -> dict[str, str]:
        """Return the digests of regular files by name; what cannot be read is left out.

        A mapping gives for each name where the file lies; else the names are the paths.
        """
        places = paths if isinstance(paths, Mapping) else {rel: rel for rel in paths}
        if self.known is None:
            self.known = self._load() if self.keep else {}
        before = dict(self.known)
        found = {}
        for rel, place in places.items():
            with suppress(OSError, ValueError):
                found[rel] = self._one(place)
        if self.keep and self.known != before:
            self._save()
        return found

    def _one(self, rel: str) -> str:
        assert self.known is not None
        path = f"{self.root}/{rel}"
        now = time.time_ns()
        stamp = stamp_of(os.lstat(path))
        if not stamp_settled(stamp, now):
            self.certain = False
        old = self.known.get(rel)
        if old is not None and old[0] == stamp:
            return old[1]
        handle = os.open(path, _FLAGS)
        with os.fdopen(handle, "rb") as stream:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise OSError("not a regular file")
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            after = stamp_of(os.fstat(handle))
        if stamp_of(status) == after and stamp_settled(after, now):
            self.known[rel] = after, digest
        return digest

    def _load(self) -> dict[str, tuple[Stamp, str]]:
        with suppress(OSError, WikiError, EOFError, ValueError, TypeError):
            data = (root_cache(self.root) / NAME).read_bytes()
            head = len(_MAGIC) + _SUM
            fits = hashlib.blake2b(data[head:], digest_size=_SUM).digest() == data[len(_MAGIC) : head]
            if data.startswith(_MAGIC) and fits:
                # only bytes whose digest fits, from a folder of this user alone, get here
                return dict(marshal.loads(data[head:]))  # noqa: S302
        return {}

    def _save(self) -> None:
        payload = marshal.dumps(self.known)
        with suppress(OSError, WikiError, ValueError):
            path = root_cache(self.root) / NAME
            private_dir(path.parent)
            write_atomic(
                path, _MAGIC + hashlib.blake2b(payload, digest_size=_SUM).digest() + payload, mode=0o600
            )
            if withdrawn_since_start(path.parent):
                path.unlink(missing_ok=True)
