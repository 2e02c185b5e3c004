"""Rows of sessions that name a retracted source: what they quote of it goes with its name."""

from __future__ import annotations

import json
from typing import Final

from llm_wiki.core.stores import Hits, Needle
from llm_wiki.hook.files import row_of
from llm_wiki.withdraw.share import Share

_QUOTES: Final = ("payload_preview",)


class SourceShare(Share):
    """The files of sessions below some roots, cleaned of a source.

    A row that names it loses what it shows of a tool's input or answer: that may be the text itself.
    """

    def hits(self, needle: Needle) -> Hits:
        """Return what is held, and why what is held still could not be changed."""
        hits = super().hits(needle)
        if hits.found:
            hits.left += [text for text in dict.fromkeys(self.scope.applied.errors) if text not in hits.left]
        return hits

    def clean(self, needle: Needle, data: bytes) -> bytes:
        """Return bytes without what is looked for, and of a row without its preview."""
        if data[:1] == b"{" and needle.holds(data):
            data = b"\n".join(map(_without_quote, data.split(b"\n")))
        return super().clean(needle, data)


def _without_quote(line: bytes) -> bytes:
    row = row_of(line)
    if row is None or not any(row.get(key) for key in _QUOTES):
        return line
    for key in _QUOTES:
        if key in row:
            row[key] = "{}"
    return json.dumps(row, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "replace"
    )
