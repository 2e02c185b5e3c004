"""The activity log of a root on disk: one line added, the last lines read."""

from __future__ import annotations

from pathlib import Path

from llm_wiki.core import clock
from llm_wiki.core.errors import NothingFound
from llm_wiki.core.files import append_entry, inside, read_bytes
from llm_wiki.core.transaction import open_root
from llm_wiki.wiki import log

NAME = "log.md"


def append_line(root: Path, operation: str, text: str) -> str:
    """Append one entry to the root's log and return its line.

    Raises `BadUsage` for an unknown operation or an empty text, `NothingFound` when the wiki has
    no log: readers of the format take its absence as a choice.
    """
    entry = log.entry(operation, text, clock.today().isoformat())
    path = inside(root, NAME)
    with open_root(root):
        if not path.is_file():
            raise NothingFound("this wiki keeps no log.md", path=path, remedy="create log.md to start one")
        append_entry(path, entry)
    return entry.strip()


def entries(
    root: Path, count: int, *, operation: str | None = None, since: str | None = None
) -> list[log.Entry]:
    """Return the last entries of the root's log, oldest first; none when there is no log."""
    path = root / NAME
    if not path.is_file():
        return []
    return log.tail(read_bytes(path), count, operation=operation, since=since)
