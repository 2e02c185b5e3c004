"""The columns of an index: light, since every search needs them."""

from __future__ import annotations

from typing import NamedTuple

FIELDS = ("title", "aliases", "tags", "summary", "headings", "body")

PARTS = ("open", "raw", "archived", "superseded")
"""Pages that a scope admits or not stand in an index of their own each, so that what must not be
seen cannot be counted either."""


class Facts(NamedTuple):
    """What a hit shows of its page, and what filters test.

    `tags` and `notes` are joined by newlines; `body_line` is the 1-based line where the body starts.
    """

    path: str
    sha: str
    part: int
    kind: str
    plane: str
    notes: str
    title: str
    category: str
    type: str
    tags: str
    updated: str
    summary: str
    filters: str
    body_line: int
