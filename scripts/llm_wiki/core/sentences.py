"""Where a sentence ends, for what masks or quotes single sentences.

No language model: a mark that ends a sentence, then a blank, then something that can begin one.
In doubt a sentence goes on, because whoever hides one must not leave its end visible.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’»)\]*_`]*(?=\s|$)|[。！？]+[”’」』）]*|\.(?=\[\^)", re.MULTILINE)
_SHORT = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|approx|ca|resp|incl|etc|al|dr|mr|mrs|ms|prof|st|no|nos|fig|figs|eq|sec|ch|vol|pp?"
    r"|ed|eds|inc|ltd|dept|est|min|max|z\.b|bzw|nr|vgl)|(?<![^\W_])[^\W\d_])\.$",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"[(\[（【「『]|[)\]）】」』]")
_INSIDE = 2000
_BEGIN = re.compile(r"\s+[\"'“‘«(\[*_`>#|!-]*(.?)", re.DOTALL)


def sentence_end(text: str, start: int = 0, stop: int | None = None) -> int:
    """Return the offset behind the sentence that begins at `start`, at most `stop`.

    An abbreviation, an initial, a mark in brackets that close later, or one before a small letter or a
    digit ends nothing.
    """
    stop = len(text) if stop is None else stop
    at, depth = start, 0
    for found in _END.finditer(text, start, stop):
        depth, at = _depth(text, at, found.end(), depth), found.end()
        if depth and not _depth(text, at, min(at + _INSIDE, stop), depth, until=0):
            continue
        depth = 0
        if found[0][0] in "。！？":
            return found.end()
        after = _BEGIN.match(text, found.end(), stop)
        following = after[1] if after else ""
        if following and (following.islower() or following.isdigit()):
            continue
        if (
            found[0][0] == "."
            and following
            and _SHORT.search(text, max(start, found.start() - 12), found.start() + 1)
        ):
            continue
        return found.end()
    return stop


def _depth(text: str, start: int, end: int, depth: int, *, until: int = -1) -> int:
    """Return how many brackets are open behind a piece of text, or `until` as soon as so many are."""
    for found in _BRACKET.finditer(text, start, end):
        depth = depth + 1 if found[0] in "([（【「『" else max(depth - 1, 0)
        if depth == until:
            break
    return depth


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each sentence of a paragraph, without the blanks between them."""
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        end = sentence_end(text, at)
        yield at, at + len(text[at:end].rstrip())
        at = end
