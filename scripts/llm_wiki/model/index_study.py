"""How an existing index differs from its contract (`wiki-format.md` §6, `lint.md` W402-W408).

One reading serves both sides: `Study.differences` is what rules report, and a merge removes
exactly that. Lines in differences are 1-based, lines inside a study 0-based.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cached_property
from typing import NamedTuple

from llm_wiki.core.text import fold, is_date
from llm_wiki.model import cells
from llm_wiki.model.index_blocks import (
    LAST_UPDATED,
    Block,
    Place,
    ValueLine,
    counted_section,
    find_block,
    value_lines,
)
from llm_wiki.model.index_contract import NEVER, Contract, Entry, Section, Statistic, cell_text, known
from llm_wiki.model.index_differences import (
    Dead,
    Differences,
    Doubled,
    Respelt,
    Undated,
    WrongCell,
    WrongStatistic,
)
from llm_wiki.model.index_parse import IndexDoc, Reference
from llm_wiki.model.index_render import column_named, table_row
from llm_wiki.model.layout import is_markdown

_NUMBER = re.compile(r"[0-9][0-9,]*")
_WEB = re.compile(r"\bhttps?://\S|\]\(\s*<?mailto:", re.IGNORECASE)
_NO_NUMBER = frozenset({"", "-", "–", "?", "none", "unknown", "n/a", "tbd"})


class Counted(NamedTuple):
    """A statistics line of an index beside the statistic it shows."""

    place: ValueLine
    statistic: Statistic


class Cell(NamedTuple):
    """A cell to set: where, and what it should say as plain text."""

    block: Block
    place: Place
    number: int
    shown: str
    expected: str


class Study:
    """One index beside its contract. Everything is computed when first asked for."""

    def __init__(self, data: bytes, contract: Contract) -> None:
        self.contract = contract
        self.doc = IndexDoc(contract.index, data)
        self.keys = {item.key: item for item in contract.entries}

    @cached_property
    def _spellings(self) -> dict[str, str]:
        return {fold(key): key for key in self.keys}

    def meaning(self, key: str) -> str:
        """Return the key of the entry a link stands for, in whatever spelling; else the key itself."""
        meant = self.contract.meant(key)
        if meant in self.keys or self.contract.alive(key):
            return meant
        return self._spellings.get(fold(meant), meant)

    @cached_property
    def blocks(self) -> dict[int, Block]:
        """Number of a section in the contract → the table or list that holds its entries."""
        found = {}
        for number, section in enumerate(self.contract.sections):
            block = find_block(self.doc, self.meaning, section, by_name=self.contract.by_name)
            if block is not None:
                found[number] = block
        return found

    def linked(self, leaving: Collection[Reference] = ()) -> frozenset[str]:
        """Return the keys of the entries that are linked anywhere, in any spelling.

        `leaving` are the links a merge is about to take out; they do not count.
        """
        found = {self.meaning(link.key) for link in self.doc.references if link not in leaving}
        return frozenset(found & self.keys.keys())

    @cached_property
    def respelt(self) -> list[Reference]:
        """Links that mean an entry only in another spelling."""
        return [link for link in self._broken if self.meaning(link.key) in self.keys]

    @cached_property
    def _broken(self) -> list[Reference]:
        keys, alive, meant = self.keys, self.contract.alive, self.contract.meant
        return [
            link
            for link in self.doc.references
            if not (meant(link.key) in keys or alive(link.key) or link.form == "definition")
        ]

    @cached_property
    def dead(self) -> list[Reference]:
        """Links whose target does not exist. A definition is judged through the links that use it."""
        near = self.contract.near
        return [
            link for link in self._broken if self.meaning(link.key) not in self.keys and not near(link.key)
        ]

    @cached_property
    def _stands(self) -> dict[int, Reference]:
        """Line of a row with dead links → the link the row stands for, if it has one."""
        columns = {block.table.head: block.column for block in self.blocks.values() if block.table}
        found = {}
        for line in {link.line for link in self.dead} & self.doc.rows.keys():
            table = self.doc.rows[line]
            column, row = columns.get(table.head), table.row(line)
            for link in self.doc.by_line[line]:
                if column in (None, row.column_at(link.start)):
                    found[line] = link
                    break
        return found

    @cached_property
    def _only_dead(self) -> frozenset[int]:
        """Lines with dead links and no link to another page or to the web."""
        dead = frozenset(self.dead)
        lines = {link.line for link in self.dead}
        by_line, texts = self.doc.by_line, self.doc.lines
        lines = {line for line in lines if not _WEB.search(texts[line])}
        return frozenset(
            line for line in lines if all(link in dead or not is_markdown(link.key) for link in by_line[line])
        )

    def takes_line(self, link: Reference) -> bool:
        """Tell whether a dead link takes its whole line along.

        So does the link a table row stands for (the one in the column of links, else the first), the
        link of a pointer line, and that of a list item of one line that links no other page.
        """
        doc, line = self.doc, link.line
        if line in doc.rows:
            return self._stands.get(line) == link
        if is_pointer(doc, link):
            return True
        return line in self._only_dead and doc.one_line_item(line)

    def can_remove(self, link: Reference) -> bool:
        """Tell whether a dead link can go: with its line, or by leaving its text."""
        return link.end > 0 or self.takes_line(link)

    @cached_property
    def gone(self) -> list[Reference]:
        """Links of rows that must leave the main table although their target may exist."""
        test = self.contract.gone
        found = []
        for block in self.blocks.values() if test else ():
            for row in block.table.rows if block.table else ():
                for link in self.doc.by_line.get(row.line, ()):
                    if test and row.column_at(link.start) == block.column and test(self.meaning(link.key)):
                        found.append(link)
                        break
        return found

    def missing(self, number: int, section: Section, linked: frozenset[str]) -> list[int]:
        """Return the entries of a section, by number, that a merge has to add.

        `linked` are those that are. The master index gets entries only where it has a list of at
        least two of them, or the heading for one.
        """
        block = self.blocks.get(number)
        has_list = block is not None and len(block.places) > 1
        if self.contract.policy == "advisory" and not has_list and self.heading_line(section) is None:
            return []
        if self.contract.policy == "table" and section.form == "table":
            places = block.places if block else []
            linked = frozenset(section.entries[place.number].key for place in places)
        return [place for place, item in enumerate(section.entries) if item.key not in linked]

    def heading_line(self, section: Section) -> int | None:
        """Return the first line with the section's heading."""
        wanted = fold(section.heading)
        return next(
            (head.line for head in self.doc.headings if head.level > 1 and fold(head.text) == wanted), None
        )

    @cached_property
    def repeats(self) -> dict[int, list[list[Place]]]:
        """Per block the groups of lines for one entry: the line to keep first, then the others.

        In a table the row without wrong cells is kept, then the fullest, then the first. List items
        and pointer lines are only doubled where they are equal to the letter.
        """
        found: dict[int, list[list[Place]]] = {}
        for number, block in self.blocks.items():
            groups: dict[tuple[int, str], list[Place]] = {}
            for place in block.places:
                text = "" if block.table else self.doc.lines[place.line].strip()
                if block.table or self.doc.one_line_item(place.line):
                    groups.setdefault((place.number, text), []).append(place)
            found[number] = [self._ranked(block, group) for group in groups.values() if len(group) > 1]
        return found

    def _ranked(self, block: Block, group: list[Place]) -> list[Place]:
        def rank(place: Place) -> tuple[int, int, int]:
            filled = sum(bool(cell.text) for cell in place.row.cells) if place.row else 0
            return len(list(self._wrong(block, place))), -filled, place.line

        return sorted(group, key=rank)

    @cached_property
    def repeated_pointers(self) -> list[Reference]:
        """Links of pointer lines that stand there a second time, equal to the letter."""
        wanted = {
            item.key
            for section in self.contract.sections
            if section.form == "pointer"
            for item in section.entries
        }
        seen: set[tuple[str, str]] = set()
        found = []
        for line, links in self.doc.by_line.items():
            key = self.meaning(links[0].key)
            if key not in wanted or len(links) > 1 or not is_pointer(self.doc, links[0]):
                continue
            mark = (key, self.doc.lines[line].strip())
            found += [links[0]] if mark in seen else []
            seen.add(mark)
        return found

    @cached_property
    def wrong_cells(self) -> list[Cell]:
        """Cells that contradict front matter, in rows that stay."""
        dropped = {place.line for groups in self.repeats.values() for group in groups for place in group[1:]}
        return [
            cell
            for block in self.blocks.values()
            for place in block.places
            if place.line not in dropped
            for cell in self._wrong(block, place)
        ]

    def _wrong(self, block: Block, place: Place) -> Iterator[Cell]:
        """Yield the cells of a row that differ; a value the files do not give is never demanded."""
        table, row = block.table, place.row
        if table is None or row is None:
            return
        item = block.section.entries[place.number]
        if row.text == table_row(block.section, table.headers, block.column, item):
            return
        if len(row.cells) > len(table.headers) or not known(item):
            return
        for number, header in enumerate(table.headers):
            column = column_named(block.section, header)
            if column is None or (number == block.column) != (column.value is None):
                continue
            expected = cell_text(column, item)
            shown = row.cells[number].text if number < len(row.cells) else ""
            also = ""
            if number == block.column:
                link = place.link
                if link is None or link.form not in ("inline", "reference") or not link.end:
                    continue
                shown = self.doc.lines[place.line][link.label : link.label_end]
                also = cells.escape_link_text(item.also)
                expected = cells.escape_link_text(expected)
            else:
                expected = cells.escape_cell(expected)
            said = cells.plain_cell(shown)
            if expected and not column.says(said, filter(None, (expected, also))):
                yield Cell(block, place, number, said, expected)

    @cached_property
    def _values(self) -> list[tuple[ValueLine, int, Statistic | None]]:
        """Known value lines: the line, its heading's line, its statistic (None: `Last updated`)."""
        found: list[tuple[ValueLine, int, Statistic | None]] = []
        for value in value_lines(self.doc):
            heading, section, known = counted_section(self.doc, self.contract, value.line)
            if known and value.name == LAST_UPDATED:
                found.append((value, heading, None))
                continue
            for statistic in section.statistics if section else ():
                if value.name in (fold(statistic.name), *map(fold, statistic.aliases)):
                    found.append((value, heading, statistic))
                    break
        return found

    @cached_property
    def dates(self) -> list[list[ValueLine]]:
        """The `Last updated` lines, grouped by the section they stand in."""
        groups: dict[int, list[ValueLine]] = {}
        for value, heading, statistic in self._values:
            if statistic is None:
                groups.setdefault(heading, []).append(value)
        return list(groups.values())

    @cached_property
    def counted(self) -> list[list[Counted]]:
        """The statistics lines, grouped by section and name."""
        groups: dict[tuple[int, str], list[Counted]] = {}
        for value, heading, statistic in self._values:
            if statistic is not None:
                groups.setdefault((heading, statistic.name), []).append(Counted(value, statistic))
        return list(groups.values())

    @property
    def differences(self) -> Differences:
        """What rules report; a merge of the same bytes removes all of it that is fixable."""
        if not self.doc.readable:
            return Differences(readable=False)
        return Differences(
            missing=tuple(self._missing_entries()),
            dead=tuple(self._dead(link) for link in self.dead),
            gone=tuple(self._dead(link) for link in self.gone),
            doubled=tuple(sorted(self._doubled())),
            statistics=tuple(self._statistics()),
            cells=tuple(self._cell(cell) for cell in self.wrong_cells),
            respelt=tuple(
                Respelt(link.line + 1, link.target, self.keys[self.meaning(link.key)].rel)
                for link in self.respelt
            ),
            undated=tuple(self._undated()),
        )

    def _missing_entries(self) -> Iterator[Entry]:
        linked = self.linked()
        for number, section in enumerate(self.contract.sections):
            if self.contract.policy == "required" or (
                self.contract.policy == "table" and number in self.blocks
            ):
                yield from (section.entries[place] for place in self.missing(number, section, linked))

    def _dead(self, link: Reference) -> Dead:
        return Dead(link.line + 1, link.key, link.target, self.can_remove(link))

    def _doubled(self) -> Iterator[Doubled]:
        for number, groups in self.repeats.items():
            section = self.contract.sections[number]
            for group in groups:
                for place in group[1:]:
                    yield Doubled(place.line + 1, "entry", section.entries[place.number].rel)
        for link in self.repeated_pointers:
            yield Doubled(link.line + 1, "entry", self.keys[self.meaning(link.key)].rel)
        for dates in self.dates:
            yield from (Doubled(value.line + 1, "date", "Last updated") for value in dates[1:])
        for counts in self.counted:
            yield from (
                Doubled(count.place.line + 1, "statistic", count.statistic.name) for count in counts[1:]
            )

    def _statistics(self) -> Iterator[WrongStatistic]:
        for counts in self.counted:
            place, statistic = counts[0]
            if not statistic.stamp and new_value(place.value, statistic) != place.value:
                yield WrongStatistic(place.line + 1, statistic.name, place.value, statistic.value)

    def _undated(self) -> Iterator[Undated]:
        for counts in self.counted:
            place, statistic = counts[0]
            # `never` may stand: an undone repair leaves its line in the log
            if statistic.stamp and not is_date(place.value) and place.value.casefold() != NEVER:
                yield Undated(place.line + 1, statistic.name, place.value)

    def _cell(self, cell: Cell) -> WrongCell:
        item = cell.block.section.entries[cell.place.number]
        assert cell.block.table is not None
        column = cell.block.table.headers[cell.number]
        return WrongCell(cell.place.line + 1, item.rel, column, cell.shown, cells.plain_cell(cell.expected))


def new_value(shown: str, statistic: Statistic) -> str:
    """Return what a statistics line has to show: only the number changes, or a date to a newer one."""
    if statistic.stamp:
        newer = is_date(statistic.value) and statistic.value > (shown[:10] if is_date(shown) else "")
        return statistic.value if newer else shown
    if shown.casefold() in _NO_NUMBER:
        return statistic.value
    match = _NUMBER.match(shown)
    if match is None or match.group().replace(",", "") == statistic.value:
        return shown
    return statistic.value + shown[match.end() :]


def is_pointer(doc: IndexDoc, link: Reference) -> bool:
    """Tell whether a line is `See [x](x)` and nothing else."""
    if not link.end:
        return False
    text = doc.lines[link.line]
    return (text[: link.start] + text[link.end :]).strip(" \t.:").casefold() == "see"
