"""Sentences that answer a question, for people without an agent: word overlap, no model, no guess."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import NamedTuple

from llm_wiki.admit.visibility import MASKED
from llm_wiki.core.sentences import sentences
from llm_wiki.search.syntax import Term
from llm_wiki.search.words import stems, words

MOST = 5
"""Sentences handed over at most."""

PER_SIDE = 2
"""Sentences for each side of a question that joins several."""

FLOOR = 0.5
"""Share of what the question says that a sentence with its headings must hold."""

OWN = 0.34
"""Share that the sentence itself must hold."""

LEAD = 0.75
"""The same for the first sentence of a page's summary, which speaks of the page by its name alone."""

CONTEXT = 0.5
"""What a word counts that stands only in the title or the heading above a sentence."""

_SKIPPED = frozenset({"see also", "sources", "references", "external links"})
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#*)?$")
_SENTENCE = f"[{MASKED[1:-2].capitalize()}.]"
"""What is masked, as a sentence of the same length: the one before it ends there, the next begins behind."""

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_MARKER = re.compile(r"[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,9}[.)][ \t]+)?")
_ITEM = re.compile(r"[ \t]*(?:>[ \t]?)*(?:[-*+]|\d{1,9}[.)])[ \t]")
_RULE = re.compile(r"[ \t]*\|?[ \t:|-]*")


class Document(NamedTuple):
    """One file to look through.

    `path` is how it is cited, `names` its title and whatever else it is called, `body_line` the line
    its body starts at, `summary` the line and text of its summary.
    """

    path: str
    names: str
    text: str
    body_line: int
    labels: Mapping[str, str]
    summary: tuple[int, str] = (0, "")


class Sentence(NamedTuple):
    """One sentence that answers: where it stands, what it says, how much of the question it holds."""

    path: str
    line: int
    text: str
    score: float
    labels: Mapping[str, str]


class _Piece(NamedTuple):
    document: Document
    line: int
    text: str
    above: str
    leads: bool = False


def extract_sides(documents: Sequence[Document], sides: Sequence[Sequence[Term]]) -> list[Sentence]:
    """Return sentences for each side of a question that joins several; none unless each has one."""
    found = [extract(documents, terms, PER_SIDE) for terms in sides]
    if len(found) < 2 or not all(found):
        return []
    return list({(one.path, one.line, one.text): one for part in found for one in part}.values())


def extract(documents: Sequence[Document], terms: Sequence[Term], most: int = MOST) -> list[Sentence]:
    """Return the sentences that hold most of a question, best first; none when none holds enough.

    A term counts the more the fewer sentences hold it: one that none holds weighs most, so that a
    question about something the files do not say gets no answer about something else.
    """
    pieces = [piece for document in documents for piece in _pieces(document)]
    if not pieces or not terms:
        return []
    own = [frozenset(words(piece.text)) for piece in pieces]
    above = {piece.above: frozenset(words(piece.above)) for piece in pieces}
    stem = stems({word for group in (*own, *above.values()) for word in group})
    wanted = {term.stem for term in terms}
    held = [frozenset(stem[word] for word in group) & wanted for group in own]
    around = {text: frozenset(stem[word] for word in group) & wanted for text, group in above.items()}
    both = [mine | around[piece.above] for piece, mine in zip(pieces, held, strict=True)]
    weight = {
        term.stem: term.weight * log(2 + len(pieces) / (1 + sum(term.stem in one for one in both)))
        for term in terms
    }
    total = sum(weight.values())
    scored = []
    for number, (piece, mine) in enumerate(zip(pieces, held, strict=True)):
        said = sum(weight[name] for name in mine)
        near = sum(weight[name] for name in around[piece.above] - mine)
        score = (said + (1 if piece.leads else CONTEXT) * near) / total
        enough = LEAD if piece.leads else FLOOR
        if (piece.leads or (mine and said / total >= OWN)) and (said + near) / total >= enough:
            scored.append((-round(score, 4), len(piece.text), number, piece))
    return [
        Sentence(piece.document.path, piece.line, piece.text, -score, piece.document.labels)
        for score, _, _, piece in sorted(scored)[:most]
    ]


def _pieces(document: Document) -> Iterator[_Piece]:
    """Yield the sentences, list items and table rows of a file, each with its line and headings."""
    heading = ""
    columns: list[str] = []
    lines = document.text.split("\n")
    if document.summary[1] and MASKED not in document.summary[1]:
        text = document.summary[1]
        for start, end in sentences(text):
            yield _Piece(document, document.summary[0], text[start:end], document.names, start == 0)
    for line, block in _blocks(document):
        found = _HEADING.match(block)
        if found is not None:
            heading = found[2]
            continue
        if heading.strip().casefold() in _SKIPPED:
            continue
        above = f"{document.names} {heading}"
        if block.lstrip().startswith("|"):
            cells = [cell.strip() for cell in block.strip().strip("|").split("|")]
            following = lines[line] if line < len(lines) else ""
            if "-" in following and _RULE.fullmatch(following):
                columns = cells
                continue
            text = _row(columns, cells)
            spans = [(0, len(text))]
        else:
            columns, text = [], block
            spans = list(sentences(text.replace(MASKED, _SENTENCE)))
        for start, end in spans:
            said = " ".join(text[start:end].split())
            if said and MASKED not in said:
                yield _Piece(document, line + text.count("\n", 0, start), said, above)


def _row(columns: Sequence[str], cells: Sequence[str]) -> str:
    """Return a table row as text, each cell behind the name of its column where that is known."""
    if len(columns) != len(cells):
        return " | ".join(cells)
    named = zip(columns, cells, strict=True)
    return " | ".join(f"{name}: {cell}" if name else cell for name, cell in named)


def _blocks(document: Document) -> Iterator[tuple[int, str]]:
    """Yield headings, paragraphs, list items and table rows with their first line; code is left out."""
    held: list[str] = []
    first = 0
    fence = ""
    for number, line in enumerate(document.text.split("\n"), 1):
        if number < document.body_line:
            continue
        mark = _FENCE.match(line)
        row = line.lstrip().startswith("|")
        starts = bool(_HEADING.match(line) or _ITEM.match(line) or row or mark or fence)
        if held and (starts or not line.strip()):
            yield first, "\n".join(held)
            held = []
        if fence:
            fence = "" if mark and line.strip().startswith(fence) and not line.strip(" `~") else fence
        elif mark:
            fence = mark[1]
        elif _HEADING.match(line) or (row and not _RULE.fullmatch(line)):
            yield number, line
        elif line.strip() and not row:
            if not held:
                first = number
            held.append(_MARKER.sub("", line, count=1))
    if held:
        yield first, "\n".join(held)
