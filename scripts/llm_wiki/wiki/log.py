"""The activity log `log.md`: what an entry looks like, and which entries are asked for (§7)."""

from __future__ import annotations

from llm_wiki.core.errors import BadUsage
from llm_wiki.core.text import as_date, one_line
from llm_wiki.model.activity import Entry, entries, last_dates

__all__ = ["OPERATIONS", "STARTER", "Entry", "entries", "entry", "last_dates", "tail"]

OPERATIONS = (
    "init",
    "ingest",
    "ingest-collection",
    "compile",
    "query",
    "lint",
    "research",
    "output",
    "refresh",
    "librarian",
    "audit",
    "plan",
    "idea",
    "project",
    "inventory",
    "dataset",
    "schema",
    "archive",
    "retract",
    "ll",
    "assess",
    "specialist",
    "collect",
    "thesis",
    "verify",
    "session",
    "feedback",
    "checkpoint",
    "adapter",
    "tombstone",
    "undo",
)
"""Operations that are written; readers accept any other word too."""

STARTER = "# Wiki Activity Log\n"
"""A new log, before its first entry."""


def entry(operation: str, text: str, date: str) -> str:
    """Return one whole entry, ready for one append: a blank line, then the heading line.

    An entry is always one line of clean text. Raises
    `BadUsage` for an operation that is not in `OPERATIONS`, an empty text, or no real date.
    """
    if operation not in OPERATIONS:
        raise BadUsage(f"unknown log operation {operation!r}", remedy=f"one of: {', '.join(OPERATIONS)}")
    line = one_line(text)
    if not line:
        raise BadUsage("a log entry needs a text")
    if as_date(date) is None:
        raise BadUsage(f"{date!r} is not a calendar date", remedy="write it as YYYY-MM-DD")
    return f"\n## [{date[:10]}] {operation} | {line}\n"


def tail(data: bytes, count: int, *, operation: str | None = None, since: str | None = None) -> list[Entry]:
    """Return the last `count` entries, oldest first, of one operation and not before `since`.

    Entries count by date, those of one day in the order of the file: a log merged from two clones
    is not in order. One without a real date belongs to the entry before it, and is left out when
    `since` is given. Raises `BadUsage` for a negative count or a `since` that is no date.
    """
    if count < 0:
        raise BadUsage("the number of log entries cannot be negative")
    if since is not None and as_date(since) is None:
        raise BadUsage(f"{since!r} is not a calendar date", remedy="write it as YYYY-MM-DD")
    dated: list[tuple[str, Entry]] = []
    last = ""
    for item in entries(data):
        real = as_date(item.date) is not None
        last = item.date[:10] if real else last
        if operation not in (None, item.operation) or (since and (not real or last < since[:10])):
            continue
        dated.append((last, item))
    dated.sort(key=lambda pair: pair[0])
    return [item for _, item in dated[len(dated) - min(count, len(dated)) :]]
