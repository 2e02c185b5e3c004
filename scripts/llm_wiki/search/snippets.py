"""The lines of a page that a query matches, with their numbers in the file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from llm_wiki.admit.visibility import MASKED, mask, pending
from llm_wiki.search.results import Snippet
from llm_wiki.search.terms import Group
from llm_wiki.search.words import folded, words

MOST = 2
WIDTH = 240

_TAIL = re.compile(r"(?im)^## (?:see also|sources)[ \t]*$")


def snippets_of(data: bytes, body_line: int, groups: Sequence[Group]) -> tuple[Snippet, ...]:
    """Return the lines that hold most of the query, from `body_line` (1-based) on, in their order."""
    text = data.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    start = body_line - 1
    if pending(text):
        text = mask(text)
    tail = _TAIL.search(text)
    text = text[: tail.start()] if tail else text
    wanted = {word: place for place, group in enumerate(groups) for word in group.words}
    if not wanted:
        return ()
    lines = text.split("\n")
    flat = folded(text).split("\n")
    scored = []
    for number in range(start, min(len(lines), len(flat))):
        if not any(word in flat[number] for word in wanted):
            continue
        found = {wanted[word] for word in words(flat[number]) if word in wanted}
        if found:
            worth = sum(groups[place].weight for place in found)
            scored.append(
                (-worth / 2 if lines[number].startswith("#") else -worth, number + 1, lines[number])
            )
    best = sorted(sorted(scored)[:MOST], key=lambda one: one[1])
    return tuple(Snippet(number, _cut(line, wanted)) for _, number, line in best)


def _cut(line: str, wanted: Mapping[str, int]) -> str:
    """Return a line in at most `WIDTH` characters around its first matching word."""
    line = " ".join(line.split())
    if len(line) <= WIDTH:
        return line
    pieces = line.split(" ")
    first = next((i for i, piece in enumerate(pieces) if any(w in wanted for w in words(piece))), 0)
    before = max(0, len(" ".join(pieces[:first])) - WIDTH // 3)
    cut = line[before : before + WIDTH]
    return ("…" if before else "") + cut.strip() + ("…" if before + WIDTH < len(line) else "")


__all__ = ["MASKED", "snippets_of"]
