"""Changes to single lines of an index, and where missing entries go (`wiki-format.md` §6.9)."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

from llm_wiki.core.text import fold
from llm_wiki.model import cells
from llm_wiki.model.frontmatter import BOM
from llm_wiki.model.index_blocks import Block, Place
from llm_wiki.model.index_parse import IndexDoc, Reference
from llm_wiki.model.index_render import bullet_line, section_lines, table_row
from llm_wiki.model.index_study import Study


class Edit:
    """Changes to single lines, collected first and applied together.

    Where two changes of one line overlap, the wider one holds, of equal ones the last.
    """

    def __init__(self, doc: IndexDoc) -> None:
        self.doc = doc
        self.dropped: set[int] = set()
        self.spans: dict[int, list[tuple[int, int, str]]] = {}
        self.columns: dict[int, dict[int, str]] = {}
        self.before: dict[int, list[str]] = {}

    @property
    def changed(self) -> bool:
        """Whether anything is to be changed."""
        return bool(self.dropped or self.spans or self.columns or self.before)

    def drop(self, line: int) -> None:
        """Remove a line; between two blank ones also one of these, unless it is a row or an item."""
        self.dropped.add(line)
        lines = self.doc.lines
        if line in self.doc.rows or self.doc.is_item(line) or not 0 < line < len(lines) - 1:
            return
        if not lines[line - 1].strip() and not lines[line + 1].strip():
            self.dropped.add(line + 1)

    def put(self, line: int, start: int, end: int, text: str) -> None:
        """Replace one part of a line."""
        if self.doc.lines[line][start:end] != text:
            self.spans.setdefault(line, []).append((start, end, text))

    def put_cell(self, place: Place, number: int, text: str) -> None:
        """Replace one cell of a row by escaped text; a cell the row does not reach is added."""
        row = place.row
        if row is None:
            return
        if number >= len(row.cells):
            self.columns.setdefault(place.line, {})[number] = text
            return
        cell, line = row.cells[number], self.doc.lines[place.line]
        self.put(place.line, cell.start, cell.end, cells.padded(line, cell, text))

    def insert(self, line: int, texts: list[str]) -> None:
        """Add lines in front of a line; what is given first stands first."""
        self.before.setdefault(line, []).extend(texts)

    def leaving(self) -> set[Reference]:
        """Return the links that go with their line or with the text around them."""
        by_line = self.doc.by_line
        gone = {link for line in self.dropped for link in by_line.get(line, ())}
        for line, spans in self.spans.items():
            waiting = sorted(spans, reverse=True)
            reach = 0
            for link in by_line.get(line, ()):
                while waiting and waiting[-1][0] <= link.start:
                    reach = max(reach, waiting.pop()[1])
                if link.start < reach:
                    gone.add(link)
        return gone

    def result(self) -> bytes:
        """Return the bytes of the changed index."""
        doc = self.doc
        end_of_line = doc.end_of_line
        out: list[str] = []
        for line, text in enumerate(doc.lines):
            for added in self.before.get(line, ()):
                out += (added, end_of_line)
            if line not in self.dropped:
                out += (self._line(line, text), doc.ends[line])
        last = self.before.get(len(doc.lines), ())
        if last and out and not out[-1]:
            out[-1] = end_of_line
        for added in last:
            out += (added, end_of_line)
        if out and not last and doc.ends and not doc.ends[-1]:
            out[-1] = ""  # as the file had no line end after its last line
        data = "".join(out).encode()
        return BOM + data if doc.bom else data

    def _line(self, line: int, text: str) -> str:
        kept = len(text)
        spans = reversed(self.spans.get(line, []))
        for start, end, new in sorted(spans, key=lambda span: (-span[1], span[0])):
            if end <= kept:
                text = text[:start] + new + text[end:]
                kept = start
        columns = self.columns.get(line)
        return cells.put_cells(text, columns) if columns else text


def add_missing(edit: Edit, study: Study, date: str, *, top: bool) -> None:
    """Add what the contract requires and the index does not link.

    Into the table or list of the section if there is one, at the place of the order if that is
    kept there, else behind; otherwise under the section's heading, or as a new section in front of
    the next section the contract knows. `top` puts them right below the heading instead, new sections
    below the title: text at the end may lie inside an unclosed block.
    """
    linked = study.linked(edit.leaving())
    for number, section in enumerate(study.contract.sections):
        missing = study.missing(number, section, linked)
        block = study.blocks.get(number)
        if not missing:
            continue
        if block is not None:
            _into_block(edit, block, missing)
            continue
        filled = section._replace(entries=tuple(section.entries[place] for place in missing))
        lines = section_lines(filled, date)
        heading = study.heading_line(section)
        if heading is not None:
            end = edit.doc.section_end(heading)
            at = _below(edit.doc, heading) if top else _tail(edit.doc, heading + 1, end)
            lines = lines[2:]
        elif top:
            first = edit.doc.headings[0].line if edit.doc.headings else None
            at = edit.doc.body_line if first is None else _below(edit.doc, first)
        else:
            at = _section_place(edit.doc, study, number)
        _insert_apart(edit, at, lines)


def _into_block(edit: Edit, block: Block, missing: list[int]) -> None:
    numbers = [place.number for place in block.places]
    in_order = all(first <= second for first, second in pairwise(numbers))
    for number in missing:
        before = bisect_left(numbers, number) if in_order else len(numbers)
        if not numbers or (before == len(numbers) and block.table is None):
            at = block.end
        elif before == 0:
            at = block.places[0].line
        else:
            last = block.places[before - 1].line
            at = last + 1 if block.table else edit.doc.item_end(last)
        edit.insert(at, [_written(edit.doc, block, number)])


def _written(doc: IndexDoc, block: Block, number: int) -> str:
    item = block.section.entries[number]
    if block.table is not None:
        head = doc.lines[block.table.head]
        indent = head[: len(head) - len(head.lstrip())]
        return indent + table_row(block.section, block.table.headers, block.column, item)
    lead = doc.lead(block.places[0].line)
    return lead + bullet_line(item, block.section).removeprefix("- ")


def _section_place(doc: IndexDoc, study: Study, number: int) -> int:
    """Return the line in front of which a new section goes: the next known one, else the end."""
    later = {fold(section.heading) for section in study.contract.sections[number + 1 :]}
    for heading in doc.headings:
        if heading.level > 1 and fold(heading.text) in later:
            return heading.line
    return _tail(doc, doc.body_line, len(doc.lines))


def _tail(doc: IndexDoc, start: int, end: int) -> int:
    """Return the line behind the last text of a part; in front of code and comments that close it."""
    while end > start and (not doc.lines[end - 1].strip() or end - 1 in doc.masked):
        end -= 1
    return end


def _below(doc: IndexDoc, heading: int) -> int:
    """Return the line below a heading, its underline included."""
    below = heading + 1
    underline = doc.lines[below].strip() if below < len(doc.lines) else ""
    return below + 1 if underline and not underline.strip("=-") else below


def _insert_apart(edit: Edit, at: int, lines: list[str]) -> None:
    """Insert lines with a blank line on either side where text is next."""
    doc = edit.doc
    already = edit.before.get(at)
    above = already[-1] if already else (doc.lines[at - 1] if at else "")
    below = doc.lines[at] if at < len(doc.lines) else ""
    edit.insert(at, [*([""] if above.strip() else []), *lines, *([""] if below.strip() else [])])
