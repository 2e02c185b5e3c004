"""Where an existing index keeps the entries of each contract section, and its counted lines.

Layouts vary, so places are recognised by what they hold: the table or list that links most of a
section's files is that section's, wherever it stands and whatever its columns are called. Tables
of recent changes never are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from llm_wiki.core.text import fold
from llm_wiki.model.index_contract import Contract, Section
from llm_wiki.model.index_parse import IndexDoc, Reference, Row, Table
from llm_wiki.model.index_render import LINK_HEADERS

STATISTIC_HEADINGS = frozenset({"statistics", "stats", "quick stats", "overview", "at a glance", "status"})
"""Sections whose `- Name: value` lines are counted, whatever the contract calls its own."""

HISTORY_HEADINGS = frozenset(
    {"recent changes", "recent", "recently updated", "recent activity", "changelog", "history", "latest"}
)
"""Sections that list files again, by time: never the main table, never doubled."""

FILES = "Contents"
"""The heading of the one table in the index of a folder."""

Meaning = Callable[[str], str]
"""The key of a link → the key of the entry it stands for, or the same key."""

LAST_UPDATED = "last updated"

_VALUE_LINE = re.compile(
    r"(?P<lead>[ \t]*(?:[-*+>][ \t]+)?[*_]{0,3})(?P<name>[^\s:*_|\[][^:*_|\[]*?)"
    r"(?P<colon>[*_]{0,3}[ \t]*:[*_]{0,3}[ \t]*)(?P<value>.*?)(?P<tail>[*_]{0,3}[ \t]*)"
)


class Place(NamedTuple):
    """One row or list item that stands for an entry: its line, the entry's number, its link.

    `row` is None in a list. `link` is None where a hub's table names a topic without linking it.
    """

    line: int
    number: int
    link: Reference | None
    row: Row | None


class Block(NamedTuple):
    """The table or list that holds a section's entries.

    `table` is None for a list. `column` is the one with the links, `places` the entries in order of
    lines, `end` the line before which an entry is added that belongs behind all others.
    """

    section: Section
    table: Table | None
    column: int
    places: list[Place]
    end: int


class ValueLine(NamedTuple):
    """One `Name: value` line: 0-based line, folded name, value, where the value starts and ends."""

    line: int
    name: str
    value: str
    start: int
    end: int


def find_block(doc: IndexDoc, meaning: Meaning, section: Section, *, by_name: bool) -> Block | None:
    """Return where an index keeps the entries of a section, or None when it has no such place.

    `by_name` as in `Contract`.
    """
    numbers = {item.key: number for number, item in enumerate(section.entries)}
    if section.form == "table":
        table = _main_table(doc, meaning, section, numbers)
        if table is not None:
            return _table_block(doc, meaning, section, table, numbers, by_name=by_name)
    if section.form in ("table", "bullets"):
        return _list_block(doc, meaning, section, numbers)
    return None


def _main_table(
    doc: IndexDoc, meaning: Meaning, section: Section, numbers: Mapping[str, int]
) -> Table | None:
    wanted, header = fold(section.heading), fold(section.columns[0].header)
    likely: Table | None = None
    best: Table | None = None
    fitting: list[Table] = []
    most = 0
    for table in doc.tables:
        under = doc.heading_of(table.head)
        name = fold(under.text) if under else ""
        headers = [fold(text) for text in table.headers]
        if name == wanted and header in headers:
            return table
        if name in HISTORY_HEADINGS:
            continue
        held = sum(
            any(meaning(link.key) in numbers for link in doc.by_line.get(row.line, ())) for row in table.rows
        )
        if held > most:
            best, most = table, held
        if any(text in LINK_HEADERS for text in headers):
            if _laid_out(doc, table):
                fitting.append(table)
            if likely is None and name == wanted:
                likely = table
    # an empty table that somebody laid out for the files of a folder, under a heading of their own
    only = fitting[0] if len(fitting) == 1 and wanted == fold(FILES) else None
    return best or likely or only


def _laid_out(doc: IndexDoc, table: Table) -> bool:
    """Tell whether a table stands apart and lists only files of this folder, gone as they may be, or none."""
    folder = doc.rel.rpartition("/")[0]
    above = doc.lines[table.head - 1].strip() if table.head else ""
    return not above and all(
        any(link.key.rpartition("/")[0] == folder for link in doc.by_line.get(row.line, ()))
        for row in table.rows
    )


def _table_block(
    doc: IndexDoc,
    meaning: Meaning,
    section: Section,
    table: Table,
    numbers: Mapping[str, int],
    *,
    by_name: bool,
) -> Block:
    column = _link_column(doc, meaning, section, table, numbers)
    texts = {item.text: number for number, item in enumerate(section.entries)} if by_name else {}
    places: list[Place] = []
    for row in table.rows:
        links = doc.by_line.get(row.line, ())
        link = next((link for link in links if row.column_at(link.start) == column), None)
        if link is not None:
            number = numbers.get(meaning(link.key))
        else:
            number = texts.get(row.cells[column].text) if texts and column < len(row.cells) else None
        if number is not None:
            places.append(Place(row.line, number, link, row))
    return Block(section, table, column, places, table.end)


def _link_column(
    doc: IndexDoc, meaning: Meaning, section: Section, table: Table, numbers: Mapping[str, int]
) -> int:
    """Return the column that links most different entries, else one with a fitting header, else the first."""
    seen: dict[int, set[str]] = {}
    for row in table.rows:
        for link in doc.by_line.get(row.line, ()):
            key, column = meaning(link.key), row.column_at(link.start)
            if key in numbers and column < len(table.headers):
                seen.setdefault(column, set()).add(key)
    if seen:
        return max(seen, key=lambda column: (len(seen[column]), -column))
    headers = [fold(text) for text in table.headers]
    for name in (fold(section.columns[0].header), *LINK_HEADERS):
        if name in headers:
            return headers.index(name)
    return 0


def _list_block(
    doc: IndexDoc, meaning: Meaning, section: Section, numbers: Mapping[str, int]
) -> Block | None:
    found: dict[int, list[Place]] = {}
    for line, links in doc.by_line.items():
        if line in doc.rows or line in doc.raw or not doc.is_item(line):
            continue
        number = numbers.get(meaning(links[0].key))
        under = doc.heading_of(line)
        if number is None or (under is not None and fold(under.text) in HISTORY_HEADINGS):
            continue
        found.setdefault(under.line if under else -1, []).append(Place(line, number, links[0], None))
    if not found:
        return None
    places = max(found.values(), key=len)
    return Block(section, None, 0, places, doc.item_end(places[-1].line))


def value_lines(doc: IndexDoc) -> Iterator[ValueLine]:
    """Yield every `Name: value` line outside tables and code."""
    for line, text in enumerate(doc.lines):
        if ":" not in text or len(text) > 200 or line in doc.masked or line in doc.rows:
            continue
        match = _VALUE_LINE.fullmatch(text)
        if match is not None:
            name = fold(" ".join(match["name"].split()))
            yield ValueLine(line, name, match["value"], match.start("value"), match.end("value"))


def counted_section(doc: IndexDoc, contract: Contract, line: int) -> tuple[int, Section | None, bool]:
    """Return the heading line above a line, the statistics section there, and whether it is a known place.

    Above the first `##` and under any usual heading the contract's first statistics section holds.
    """
    heading = doc.heading_of(line)
    sections = [section for section in contract.sections if section.form == "statistics"]
    first = sections[0] if sections else None
    if heading is None or heading.level == 1:
        return (-1 if heading is None else heading.line), first, True
    name = fold(heading.text)
    own = next((section for section in sections if fold(section.heading) == name), None)
    if own is not None:
        return heading.line, own, True
    known = name in STATISTIC_HEADINGS
    return heading.line, first if known else None, known
