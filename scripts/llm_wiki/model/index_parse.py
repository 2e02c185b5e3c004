"""The structure of an existing index: lines, headings, local links, tables, bullets.

Links, headings and code come from the Markdown model; what is added here is only which lines are
rows of which table and which are single-line list items, so that a merge can change one line and
leave every other byte alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from llm_wiki.model.cells import Cell, bars_of, has_bar, is_delimiter, plain_cell, split_row
from llm_wiki.model.faults import MAX_FILE, MAX_LINE
from llm_wiki.model.frontmatter import BOM, split, unix
from llm_wiki.model.links import is_local, join
from llm_wiki.model.markdown import LinkRow, Scan, scan

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")
_COMMENT = re.compile(rb"<!--.*?-->|^ {0,3}<!--.*\Z", re.DOTALL | re.MULTILINE)
_BULLET = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+(?=\S)")
_ENDS_ITEM = re.compile(r"[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]|$)|[<>]|```|~~~)")
_LABELLED = frozenset({"inline", "reference", "collapsed", "shortcut"})
_MARKUP = re.compile(r"[*_`]+")


class Reference(NamedTuple):
    """One local link of an index: `line` is 0-based, the other numbers are places in that line.

    `label` to `label_end` is the link text as written, `end` the end of the link; both ends are 0
    when the link runs on into the next line. `form` as in `page.Link`;
    a `definition` has no label.
    """

    key: str
    target: str
    form: str
    line: int
    start: int
    end: int
    label: int
    label_end: int


class Row:
    """One row of a table: its 0-based line, its text, and its cells, split when first asked for."""

    __slots__ = ("_bars", "_cells", "line", "text")

    def __init__(self, line: int, text: str) -> None:
        self.line = line
        self.text = text
        self._cells: list[Cell] | None = None
        self._bars: list[int] | None = None

    @property
    def cells(self) -> list[Cell]:
        """The cells, outer bars left out."""
        if self._cells is None:
            self._cells = split_row(self.text)
        return self._cells

    def column_at(self, place: int) -> int:
        """Return the number of the column that a place in the line belongs to."""
        if self._bars is None:
            self._bars = bars_of(self.text)
            if self._bars and not self.text[: self._bars[0]].strip():
                del self._bars[0]
        return bisect_left(self._bars, place)


class Table(NamedTuple):
    """One table: the line of its head, the headers as plain text, its rows, the line behind it."""

    head: int
    headers: list[str]
    rows: list[Row]
    end: int

    def row(self, line: int) -> Row:
        """Return the row at a line of the table."""
        return self.rows[line - self.rows[0].line]


class Heading(NamedTuple):
    """One heading: 0-based line, level, plain text."""

    line: int
    level: int
    text: str


class IndexDoc:
    """An index as lines that can be changed one by one.

    `lines` and `ends` are the text and the line end of each line, `references` the local links that
    are no images, in order. `masked` are the lines of front matter, code blocks and long comments, `raw`
    those of blocks of HTML. `body_line` is the first line behind front matter. `readable` is false
    for bytes that are not UTF-8 and for sizes beyond which links are not scanned (W117): such a file
    is never judged or changed.
    """

    def __init__(self, rel: str, data: bytes) -> None:
        self.rel = rel
        self.bom = data.startswith(BOM)
        self.lines: list[str] = []
        self.ends: list[str] = []
        self.headings: list[Heading] = []
        self.references: list[Reference] = []
        self.masked: set[int] = set()
        self.raw: set[int] = set()
        self._tables: dict[int, int] = {}
        self.body_line = 0
        self.readable = False
        try:
            text = data.removeprefix(BOM).decode()
        except UnicodeDecodeError:
            return
        for line in _LINES.findall(text):
            bare = line.rstrip("\r\n")
            self.lines.append(bare)
            self.ends.append(line[len(bare) :])
        self.readable = len(data) <= MAX_FILE and not any(map(_too_long, self.lines))
        if self.readable:
            self._read(text, max(split(unix(data)).body - len(BOM) * self.bom, 0))

    def _read(self, text: str, body: int) -> None:
        raw = text.encode()
        found = scan(raw[body:].decode() if body else text)
        sizes = (len((line + end).encode()) for line, end in zip(self.lines, self.ends, strict=True))
        starts = list(accumulate(sizes, initial=0))
        self._mask(found, raw, starts, body)
        for start, end in found.html:
            self.raw.update(range(*_lines_of(starts, body + start, body + end)))
        self._tables = dict(_lines_of(starts, body + start, body + end) for start, end in found.tables)
        for level, words, at in found.headings:
            self.headings.append(Heading(bisect_right(starts, body + at) - 1, level, words))
        places = _Offsets(self.lines, starts)
        for link in found.links:
            reference = self._reference(link, body, places)
            if reference is not None:
                self.references.append(reference)

    def _mask(self, found: Scan, raw: bytes, starts: list[int], body: int) -> None:
        """Note the lines of front matter, of code blocks and of comments of several lines."""
        if body:
            self.body_line = bisect_right(starts, body - 1)
            self.masked.update(range(self.body_line))
        inside: set[int] = set()
        for start, end in found.code:
            first = bisect_right(starts, body + start) - 1
            last = bisect_right(starts, body + end - 1) - 1
            inline = raw[body + start : body + start + 1] == b"`"
            if last > first or not inline:
                self.masked.update(range(first, last + 1))
            elif raw.find(b"<!--", body + start, body + end) >= 0:
                inside.add(first)
        if b"<!--" not in raw:
            return
        for match in _COMMENT.finditer(raw, body):
            first = bisect_right(starts, match.start()) - 1
            last = bisect_right(starts, match.end() - 1) - 1
            if last > first and first not in self.masked and first not in inside:
                self.masked.update(range(first, last + 1))

    def _reference(self, link: LinkRow, body: int, places: _Offsets) -> Reference | None:
        form, image, target, _, first, last, stop = link
        if image or form in ("wikilink", "autolink") or not is_local(target):
            return None
        line, start = places.at(body + first)
        end = label_end = 0
        if form in _LABELLED:
            label_line, label_end = places.at(body + stop)
            end_line, end = places.at(body + last)
            if label_line != line or end_line != line:
                end = label_end = 0
        key = join(self.rel, target)[0]
        return Reference(key, target, form, line, start, end, start + 1, label_end)

    @cached_property
    def tables(self) -> list[Table]:
        """Every table that a reader sees as one, in order."""
        found: list[Table] = []
        lines, masked = self.lines, self.masked
        number, count = 1, len(lines)
        while number < count:
            head = lines[number - 1]
            if (
                number - 1 not in self._tables
                or not has_bar(head)
                or number in masked
                or number - 1 in masked
                or not is_delimiter(lines[number])
                or len(split_row(head)) != len(split_row(lines[number]))
            ):
                number += 1
                continue
            end = number + 1
            while end < self._tables[number - 1] and has_bar(lines[end]) and end not in masked:
                end += 1
            headers = [plain_header(cell.text) for cell in split_row(head)]
            rows = [Row(line, lines[line]) for line in range(number + 1, end)]
            found.append(Table(number - 1, headers, rows, end))
            number = end + 1
        return found

    @cached_property
    def rows(self) -> dict[int, Table]:
        """Line of a row → its table."""
        return {row.line: table for table in self.tables for row in table.rows}

    @cached_property
    def by_line(self) -> dict[int, list[Reference]]:
        """Line → local links that start there, in order."""
        found: dict[int, list[Reference]] = {}
        for reference in self.references:
            found.setdefault(reference.line, []).append(reference)
        return found

    @cached_property
    def _heading_lines(self) -> list[int]:
        return [heading.line for heading in self.headings]

    def heading_of(self, line: int) -> Heading | None:
        """Return the heading a line stands below, of any level; None above the first."""
        place = bisect_right(self._heading_lines, line) - 1
        return self.headings[place] if place >= 0 else None

    def section_end(self, line: int) -> int:
        """Return the line of the next heading below `line`, or the number of lines."""
        place = bisect_right(self._heading_lines, line)
        return self._heading_lines[place] if place < len(self.headings) else len(self.lines)

    def is_item(self, line: int) -> bool:
        """Tell whether a line outside code and tables starts a list item."""
        return (
            line not in self.masked and line not in self.rows and _BULLET.match(self.lines[line]) is not None
        )

    def lead(self, line: int) -> str:
        """Return indent, marker and blanks that open a list item."""
        match = _BULLET.match(self.lines[line])
        return match.group() if match else "- "

    def item_end(self, line: int) -> int:
        """Return the line behind a list item and all that belongs to it."""
        indent = _indent(self.lines[line])
        after, end = line + 1, line + 1
        while after < len(self.lines):
            text = self.lines[after]
            if text.strip():
                deeper = _indent(text) > indent
                lazy = end == after and after not in self.masked and not _ENDS_ITEM.match(text)
                if after in self._heading_lines_set or not (deeper or lazy):
                    break
                end = after + 1
            after += 1
        return end

    def one_line_item(self, line: int) -> bool:
        """Tell whether a line is a whole list item, so that it can go without tearing text apart."""
        return self.is_item(line) and self.item_end(line) == line + 1

    @cached_property
    def _heading_lines_set(self) -> frozenset[int]:
        return frozenset(self._heading_lines)

    @property
    def end_of_line(self) -> str:
        """The line end that new lines get: that of the first line, else a line feed."""
        return next((end for end in self.ends if end), "\n")


class _Offsets:
    """Turns byte offsets into a line and a place in it; close ones on one line cost little."""

    def __init__(self, lines: list[str], starts: list[int]) -> None:
        self.lines = lines
        self.starts = starts
        self.line = -1
        self.raw: bytes | None = None
        self.seen = (0, 0)

    def at(self, offset: int) -> tuple[int, int]:
        line = max(min(bisect_right(self.starts, offset) - 1, len(self.lines) - 1), 0)
        inside = offset - self.starts[line]
        if line != self.line:
            text = self.lines[line] if self.lines else ""
            self.line, self.seen = line, (0, 0)
            self.raw = None if text.isascii() else text.encode()
        if self.raw is None:
            return line, inside
        known, place = self.seen if self.seen[0] <= inside else (0, 0)
        place += len(self.raw[known:inside].decode(errors="replace"))
        self.seen = (inside, place)
        return line, place


def _lines_of(starts: list[int], start: int, end: int) -> tuple[int, int]:
    """Return the first line of a range of bytes and the line behind its last."""
    return bisect_right(starts, start) - 1, bisect_right(starts, end - 1)


def plain_header(text: str) -> str:
    """Return a column's header without emphasis and escapes."""
    return plain_cell(_MARKUP.sub("", text))


def _indent(line: str) -> int:
    wide = line.expandtabs(4)
    return len(wide) - len(wide.lstrip())


def _too_long(line: str) -> bool:
    return len(line) * 4 > MAX_LINE and len(line.encode()) > MAX_LINE
