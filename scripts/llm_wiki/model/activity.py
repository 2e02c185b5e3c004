"""Entries of `log.md`, read (`wiki-format.md` §7). Writing and filtering is `wiki/log.py`'s.

The log is plain lines, not Markdown structure: an entry starts with `## [YYYY-MM-DD] operation | text`
and ends before the next one. Two writers may have been merged by union, so order means nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from llm_wiki.core.text import as_date

_HEAD = re.compile(
    r"##[ \t]+\[(?P<date>[^\]\n]*)\][ \t]*(?P<operation>[^|\n]*?)[ \t]*(?:\|[ \t]*(?P<text>.*))?"
)


class Entry(NamedTuple):
    """One entry: its date and operation as written, the text after the bar, the lines below it.

    `line` is the 1-based line of the heading.
    """

    date: str
    operation: str
    text: str
    body: str
    line: int


def entries(data: bytes) -> list[Entry]:
    """Return the entries of a log in the order of the file; any bytes are accepted.

    What stands before the first entry is no entry. Undecodable bytes are replaced.
    """
    found: list[Entry] = []
    head: re.Match[str] | None = None
    start = 0
    below: list[str] = []
    for number, line in enumerate(data.decode("utf-8-sig", errors="replace").split("\n"), 1):
        match = _HEAD.fullmatch(line.rstrip())
        if match is None:
            below.append(line.rstrip("\r"))
            continue
        if head is not None:
            found.append(_entry(head, below, start))
        head, start, below = match, number, []
    if head is not None:
        found.append(_entry(head, below, start))
    return found


def _entry(head: re.Match[str], below: list[str], line: int) -> Entry:
    return Entry(
        head["date"].strip(), head["operation"], (head["text"] or "").strip(), "\n".join(below).strip(), line
    )


def last_dates(data: bytes) -> dict[str, str]:
    """Return the newest date of each operation in a log; entries without a real date do not count."""
    newest: dict[str, str] = {}
    for entry in entries(data):
        if as_date(entry.date) and entry.date[:10] > newest.get(entry.operation, ""):
            newest[entry.operation] = entry.date[:10]
    return newest
