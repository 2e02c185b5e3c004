"""The last report on a root, kept as long as nothing it follows from has changed.

A report is a function of the files, the date, the options and the code of the rules. The key is
made of all of them, of the files as a walk sees them (names, sizes, times, inodes, links) and of
those in `.librarian/` that findings depend on, so that a run over an unchanged root need not load a
page. It is kept only when every time stamp was old enough that a later change cannot hide in the same
clock tick, and never where a rule looked at something else.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import time
from contextlib import suppress
from datetime import date
from typing import Any

from llm_wiki import __version__
from llm_wiki.core.errors import WikiError
from llm_wiki.core.files import write_atomic
from llm_wiki.core.state import private_dir, root_cache, withdrawn_since_start
from llm_wiki.lint.finding import Finding
from llm_wiki.lint.options import Options
from llm_wiki.lint.report import Report
from llm_wiki.wiki.cache import stamp_settled
from llm_wiki.wiki.listing import Listing
from llm_wiki.wiki.resolve import Root
from llm_wiki.wiki.statefiles import stamps

NAME = "rows.report"
"""Lies beside the parsed rows, so that whoever drops those drops this too."""

_SUM = 32


class Memo:
    """The place of one root's last report, and the key under which it would be right now."""

    def __init__(self, root: Root, options: Options, today: date, listing: Listing, code: str) -> None:
        self.root = root
        self.options = options
        self.listing = listing
        self.started = time.time_ns()
        self.path = root_cache(root.path) / NAME
        self.beside = stamps(root.path)
        asked = (__version__, code, root.kind, root.status, today.isoformat(), *options[:4], self.beside)
        self.key = hashlib.blake2b(
            marshal.dumps((asked, _plain(listing)), 2), digest_size=_SUM
        ).digest()  # version 2 writes no references, so that equal values are equal bytes

    def recall(self) -> Report | None:
        """Return the report of an earlier run, or None when it is not of this very state."""
        with suppress(OSError, ValueError, EOFError, TypeError):
            data = self.path.read_bytes()
            if data[:_SUM] != self.key:
                return None
            payload = data[2 * _SUM :]
            if hashlib.blake2b(payload, digest_size=_SUM).digest() != data[_SUM : 2 * _SUM]:
                return None
            # only bytes whose digest fits, from a folder of this user alone, get here
            findings = [Finding(*row) for row in marshal.loads(payload)]  # noqa: S302
            return Report(self.root.path, "topic", findings, self.options.fail_on)
        return None

    def keep(self, report: Report, *, asked_disk: bool) -> None:
        """Store a report, if what it follows from cannot change unseen. A failure to write is no error."""
        if asked_disk:
            return
        stamped = (*self.listing.stamps.values(), *self.beside)
        if not all(stamp_settled(stamp, self.started) for stamp in stamped if stamp[3]):
            return
        payload = marshal.dumps([tuple(finding) for finding in report.findings])
        digest = hashlib.blake2b(payload, digest_size=_SUM).digest()
        with suppress(OSError, WikiError):
            private_dir(self.path.parent)
            write_atomic(self.path, self.key + digest + payload, mode=0o600)
            if withdrawn_since_start(self.path.parent):
                self.path.unlink(missing_ok=True)


def _plain(listing: Listing) -> tuple[Any, ...]:
    """Reduce a listing to plain tuples in a fixed order."""
    return (
        [tuple(entry) for entry in listing.files.values()],
        list(listing.dirs.items()),
        list(listing.stamps.items()),
        sorted(listing.closed),
        list(listing.problems),
    )


def code_key() -> str:
    """Return a key that changes whenever the code does that a report follows from."""
    package = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120 - on the way of every run
    seen = hashlib.blake2b(digest_size=16)
    for room in ("core", "model", "wiki", "admit", "lint", "lint/rules"):
        with os.scandir(f"{package}/{room}") as entries:
            names = sorted(
                (entry.name, entry.stat().st_size, entry.stat().st_mtime_ns)
                for entry in entries
                if entry.name.endswith(".py")
            )
        seen.update(repr((room, names)).encode())
    return seen.hexdigest()
