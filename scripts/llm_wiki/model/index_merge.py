"""An existing index brought in line with its contract, every other byte kept (`wiki-format.md` §6.9)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Literal, get_args

from llm_wiki.core.text import fold
from llm_wiki.model import cells
from llm_wiki.model.frontmatter import BOM
from llm_wiki.model.index_blocks import Block, Place, ValueLine
from llm_wiki.model.index_contract import Contract
from llm_wiki.model.index_differences import Differences
from llm_wiki.model.index_edit import Edit, add_missing
from llm_wiki.model.index_parse import Reference
from llm_wiki.model.index_render import column_named, render
from llm_wiki.model.index_study import Study, is_pointer, new_value

Part = Literal["missing", "dead", "gone", "doubled", "statistics", "cells", "respelt"]
PARTS: frozenset[Part] = frozenset(get_args(Part))
"""What a merge can do, named like the fields of `Differences` it removes."""

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_LINK_TITLE = re.compile(r"[ \t]+(?:\"[^\"]*\"|'[^']*'|\([^()]*\))[ \t]*\)$")
_SUFFIX = re.compile(r"[?#].*")
_PASSES = 5
"""Most times a merge looks again; two are enough for all but contrived files."""

_SWALLOWS = re.compile(rb"(?:\A|[\r\n])(?:[ \t>]*(?:<|```|~~~)| {4}|\t)|<!--")
"""What may run to the end of a file and hide text appended there: it is then looked at again."""


def check(data: bytes, contract: Contract) -> Differences:
    """Return how an index differs from its contract; any bytes are accepted."""
    return Study(data, contract).differences


def merge(data: bytes, contract: Contract, date: str, *, parts: Collection[Part] = PARTS) -> bytes:
    """Return the index with its differences removed and nothing else changed.

    Missing entries are added, dead ones removed, doubled lines dropped, statistics and standard
    cells set; then `Last updated` becomes `date`. Without a difference the same bytes come back.
    `parts` limits what is done. An index that holds only blanks is rendered; one that is not UTF-8
    or too large to scan is returned as it is. Merging twice gives the same as merging once.
    """
    for _ in range(_PASSES):
        merged = _pass(data, contract, date, parts)
        if merged == data:
            break
        data = merged
    return data


def _pass(data: bytes, contract: Contract, date: str, parts: Collection[Part]) -> bytes:
    """Merge once. Taking a line out may change what the lines behind it are, so a merge looks again."""
    study = Study(data, contract)
    if not study.doc.readable:
        return data
    if not data.removeprefix(BOM).strip():
        return _anew(study, date) if "missing" in parts else data
    merged = _merged(data, study, date, parts, top=False)
    if "missing" not in parts or merged == data or not _SWALLOWS.search(data.removeprefix(BOM)):
        return merged
    if _adds_nothing_more(merged, contract):
        return merged
    merged = _merged(data, study, date, parts, top=True)
    if _adds_nothing_more(merged, contract):
        return merged
    return _merged(data, study, date, [part for part in parts if part != "missing"], top=False)


def _adds_nothing_more(data: bytes, contract: Contract) -> bool:
    study = Study(data, contract)
    linked = study.linked()
    return not any(study.missing(*part, linked) for part in enumerate(contract.sections))


def _merged(data: bytes, study: Study, date: str, parts: Collection[Part], *, top: bool) -> bytes:
    edit = Edit(study.doc)
    for part, step in _STEPS.items():
        if part in parts:
            step(edit, study)
    if "missing" in parts:
        add_missing(edit, study, date, top=top)
    if not edit.changed:
        return data
    for dates in study.dates:
        _set_date(edit, dates, date, keep_newest="doubled" in parts)
    result = edit.result()
    if "missing" in parts and not result.removeprefix(BOM).strip():
        return _anew(study, date)
    return result


def _anew(study: Study, date: str) -> bytes:
    """Render an index of which nothing is left, with the line ends and the mark that it had."""
    doc = study.doc
    data = render(study.contract, date).replace(b"\n", doc.end_of_line.encode())
    return BOM + data if doc.bom else data


def _drop_dead(edit: Edit, study: Study) -> None:
    doc = edit.doc
    taking = [link for link in study.dead if study.takes_line(link)]
    for link in taking:
        if is_pointer(doc, link):
            _drop_pointer(edit, link)
        else:
            edit.drop(link.line)
    for link in study.dead:
        if link.end and link.line not in edit.dropped:
            edit.put(link.line, link.start, link.end, doc.lines[link.line][link.label : link.label_end])


def _drop_gone(edit: Edit, study: Study) -> None:
    edit.dropped.update(link.line for link in study.gone)


def _drop_pointer(edit: Edit, link: Reference) -> None:
    """Remove a pointer line, with its heading if that then stands over nothing."""
    doc = edit.doc
    edit.drop(link.line)
    heading = doc.heading_of(link.line)
    folder = link.key.rpartition("/")[0].rpartition("/")[2]
    if heading is None or heading.level == 1 or fold(heading.text) != fold(folder.replace("-", " ")):
        return
    rest = range(heading.line + 1, doc.section_end(heading.line))
    if all(line in edit.dropped or not doc.lines[line].strip() for line in rest):
        edit.dropped.update((heading.line, *rest))


def _respell(edit: Edit, study: Study) -> None:
    """Write the real name into links that mean an entry only after case folding."""
    for link in study.respelt:
        if link.form != "inline" or not link.end:
            continue
        tail = edit.doc.lines[link.line][link.label_end : link.end]
        title = _LINK_TITLE.search(tail)
        suffix = _SUFFIX.search(link.target)
        target = study.keys[study.meaning(link.key)].target + (suffix.group() if suffix else "")
        written = cells.destination(target) + (title.group() if title else ")")
        edit.put(link.line, link.label_end + tail.find("(") + 1, link.end, written)


def _drop_doubled(edit: Edit, study: Study) -> None:
    for number, groups in study.repeats.items():
        for kept, *others in groups:
            edit.dropped.update(place.line for place in others)
            _fill_from_twins(edit, study.blocks[number], kept, others)
    for link in study.repeated_pointers:
        _drop_pointer(edit, link)
    for value in [value for dates in study.dates for value in dates[1:]]:
        edit.drop(value.line)
    for count in [count for counts in study.counted for count in counts[1:]]:
        edit.drop(count.place.line)


def _fill_from_twins(edit: Edit, block: Block, kept: Place, others: list[Place]) -> None:
    """Save what only a dropped row says, in a column of its own that the kept row leaves empty."""
    for number, header in enumerate(block.table.headers if block.table else ()):
        if column_named(block.section, header) is not None or number == block.column:
            continue
        texts = [
            place.row.cells[number].text if place.row and number < len(place.row.cells) else ""
            for place in (kept, *others)
        ]
        if not texts[0] and any(texts):
            edit.put_cell(kept, number, next(filter(None, texts)))


def _set_statistics(edit: Edit, study: Study) -> None:
    for counts in study.counted:
        place, statistic = counts[0]
        edit.put(place.line, place.start, place.end, new_value(place.value, statistic))


def _set_cells(edit: Edit, study: Study) -> None:
    for cell in study.wrong_cells:
        link = cell.place.link
        if cell.number == cell.block.column and link is not None:
            edit.put(link.line, link.label, link.label_end, cell.expected)
        else:
            edit.put_cell(cell.place, cell.number, cell.expected)


def _set_date(edit: Edit, dates: list[ValueLine], date: str, *, keep_newest: bool) -> None:
    """Refresh a `Last updated` line; of doubled ones the newest date counts too."""
    first = dates[0]
    if keep_newest and len(dates) > 1:
        date = max([date, *(found.group() for value in dates for found in _DATE.finditer(value.value))])
    found = _DATE.search(first.value)
    if found is not None:
        edit.put(first.line, first.start + found.start(), first.start + found.end(), date)
    elif not first.value:
        blank = "" if edit.doc.lines[first.line][: first.start].endswith((" ", "\t")) else " "
        edit.put(first.line, first.start, first.end, blank + date)
    elif first.value.casefold() in ("never", "unknown", "tbd", "-", "n/a"):
        edit.put(first.line, first.start, first.end, date)


_STEPS: dict[Part, Callable[[Edit, Study], None]] = {
    "dead": _drop_dead,
    "gone": _drop_gone,
    "respelt": _respell,
    "doubled": _drop_doubled,
    "statistics": _set_statistics,
    "cells": _set_cells,
}
"""What a merge does before it adds what is missing, in this order."""
