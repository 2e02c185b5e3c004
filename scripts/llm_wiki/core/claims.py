"""Where a claim begins that a citation supports, so that a marker can stand directly before it.

The other half of `core.retracted`: what is marked here is masked there. A claim is a sentence of a
paragraph, list item or quotation, or a row of a table. Offsets are those of characters.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from llm_wiki.core.retracted import BLOCK, ITEM, OPEN, line_end, paragraph_end, quote_end
from llm_wiki.core.sentences import sentences

_PREFIX = re.compile(r"[ \t]*(?:>[ \t]?)*")
_CALLOUT = re.compile(r"\[![\w-]+\][+-]?[ \t]*")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}(?:[ \t]|$)")
_LABEL = re.compile(r"!?\[+([^\]]*)")
_NO_WORDS = re.compile(r"\W*(?:(?:sources?|ref(?:erence)?s?)\b\W*)?", re.IGNORECASE)
_RULE = re.compile(r"[ \t]*(?:-{3,}|={3,}|\*{3,})[ \t]*$")


class Cite(NamedTuple):
    """One citation: its range, and whether it is of the source that goes."""

    start: int
    end: int
    ours: bool


def due(text: str, cites: Iterable[Cite], tables: Sequence[tuple[int, int]]) -> list[int]:
    """Return the offsets at which a marker is due: of claims that cite only the source that goes.

    `tables` are the ranges of tables. A claim that is marked already needs no second marker; a citation in
    a heading supports no claim, one in a paragraph of its own the paragraph above it.
    """
    claims: dict[int, list[bool]] = {}
    every = sorted(cites)
    for cite in every:
        row = _row(text, cite.start, tables)
        for place in _sentence(text, cite, every) if row is None else [row]:
            claims.setdefault(place, []).append(cite.ours)
    return [at for at, ours in sorted(claims.items()) if all(ours) and not _marked(text, at)]


def _marked(text: str, at: int) -> bool:
    end = at
    while end and text[end - 1].isspace():
        end -= 1
    return text.endswith(OPEN, 0, end) or text.startswith(OPEN, at)


def _row(text: str, at: int, tables: Sequence[tuple[int, int]]) -> int | None:
    """Return the place in the row of a table: inside its first cell, as before it the table would end."""
    if not any(start <= at < end for start, end in tables):
        return None
    head = text.rfind("\n", 0, at) + 1
    bar = text.find("|", head, line_end(text, head))
    if bar < 0:
        return head
    return bar + 1 + (text[bar + 1 : bar + 2] == " ")


def _sentence(text: str, cite: Cite, cites: Sequence[Cite]) -> list[int]:
    """Return where the sentence begins that a citation stands in, or behind; of a paragraph above, each."""
    head = _paragraph(text, cite.start)
    start = _words(text, head)
    if start is None or cite.start < start:
        return []
    before: int | None = None
    previous = start
    for first, last in _sentences(text, head, start):
        glued = cite.start == first == previous and first > start
        says = _says(text, first, last, cites)
        if first <= cite.start < last:
            if says and not (glued and before is not None):
                return [first]
            if before is not None:
                return [before]
            return [*_above(text, head, cites), *([first] if _claims(text[cite.start : cite.end]) else [])]
        if says:
            before = first
        previous = last
    return [] if before is None else [before]


def _sentences(text: str, head: int, start: int) -> Iterator[tuple[int, int]]:
    for one, two in sentences(text[start : _end(text, head, start)]):
        yield _behind_marks(text, start + one), start + two


def _claims(cite: str) -> bool:
    """Tell whether a link says something by its own text: that is more than a name."""
    label = _LABEL.match(cite)
    return label is not None and len(label[1].split()) >= 4


def _above(text: str, head: int, cites: Sequence[Cite]) -> list[int]:
    """Return the sentences of the paragraph above one that only cites; of a quotation its beginning."""
    quoted = text[head : line_end(text, head)].lstrip().startswith(">")
    at = head
    while at:
        at = text.rfind("\n", 0, at - 1) + 1
        line = text[at : line_end(text, at)]
        if line.strip("> \t\r" if quoted else " \t\r"):
            break
    else:
        return []
    if line.lstrip().startswith(">") is not quoted or _ends_block(line):
        return []
    upper = _paragraph(text, at)
    start = _words(text, upper)
    if start is None:
        return []
    found = [first for first, last in _sentences(text, upper, start) if _says(text, first, last, cites)]
    return found[:1] if quoted else found


def _behind_marks(text: str, at: int) -> int:
    """Return where a sentence that starts a line of a quotation has its first word."""
    prefix = _PREFIX.match(text, at) if text[at] == ">" else None
    return prefix.end() if prefix else at


def _says(text: str, start: int, end: int, cites: Sequence[Cite]) -> bool:
    """Tell whether a sentence has words beside its citations."""
    parts, at = [], start
    for cite in cites[bisect_left(cites, (start,)) : bisect_left(cites, (end,))]:
        parts.append(text[at : max(at, cite.start)])
        at = max(at, cite.end)
    return _NO_WORDS.fullmatch("".join([*parts, text[at:end]])) is None


def _paragraph(text: str, at: int) -> int:
    """Return the start of the first line of the paragraph, item or quotation around an offset."""
    head = text.rfind("\n", 0, at) + 1
    while head:
        above = text.rfind("\n", 0, head - 1) + 1
        line, upper = text[head : line_end(text, head)], text[above : head - 1]
        quoted, quoted_above = line.lstrip().startswith(">"), upper.lstrip().startswith(">")
        if quoted and quoted_above:
            inner = _PREFIX.sub("", line, count=1)
            inner_above = _PREFIX.sub("", upper)
            if not inner_above.strip() or BLOCK.match(inner):
                break
            if _HEADING.match(inner_above) or _CALLOUT.match(inner_above):
                break
        elif BLOCK.match(line) or _ends_block(upper):
            break
        head = above
    return head


def _ends_block(line: str) -> bool:
    """Tell whether no paragraph goes on behind a line; one that ends with a marker belongs to the next."""
    if not line.strip() or _HEADING.match(line) or _RULE.match(line):
        return True
    return line.lstrip().startswith(("```", "~~~", "|", "<!--")) and not line.rstrip().endswith(OPEN)


def _words(text: str, head: int) -> int | None:
    """Return where the words of a line begin, behind what marks its block; None for a heading."""
    prefix = _PREFIX.match(text, head)
    assert prefix is not None
    at = prefix.end()
    if _HEADING.match(text, at):
        return None
    item = ITEM.match(text, at)
    assert item is not None
    at = item.end() if item["bullet"] else at
    callout = _CALLOUT.match(text, at)
    if callout and text[head:at].lstrip().startswith(">"):
        at = callout.end()  # its kind stays first, or it is no callout any more
    while text.startswith(OPEN, at):
        at += len(OPEN)
    while at < len(text) and text[at] in " \t":
        at += 1
    return at


def _end(text: str, head: int, start: int) -> int:
    if text[head:start].lstrip().startswith(">"):
        return quote_end(text, start)
    return paragraph_end(text, start)


__all__ = ["OPEN", "Cite", "due"]
