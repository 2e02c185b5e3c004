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
_BEGIN = re.compile(r"\s+[\"'“‘«(\[*_`>#|!-]*(.?)", re.DOTALL)


def sentence_end(text: str, start: int = 0, stop: int | None = None) -> int:
    """Return the offset behind the sentence that begins at `start`, at most `stop`.

    An abbreviation, an initial, or a mark before a small letter or a digit ends nothing.
    """
    stop = len(text) if stop is None else stop
    for found in _END.finditer(text, start, stop):
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
