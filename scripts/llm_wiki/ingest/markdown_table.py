"""HTML tables as Markdown tables: spans spread out, bars escaped, alignment kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

CELLS = frozenset({"td", "th"})
_MOST_COLUMNS = 200
_MOST_SPAN = 1000
_ALIGN = re.compile(r"text-align:\s*(left|center|right)", re.IGNORECASE)
_BLOCKS = ("pre", "table", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "hr", "dl")


class Grid(NamedTuple):
    """A table as rows of cell texts. `head` counts the leading rows of headings, `align` is per column."""

    rows: list[list[str]]
    head: int
    align: list[str]


def rows_of(table: Any) -> Iterator[Any]:
    """Yield the rows of a table itself, not of tables inside it."""
    for row in table.iter("tr"):
        if next(row.iterancestors("table"), None) is table:
            yield row


def is_data_table(table: Any) -> bool:
    """Tell a table of data from one that only lays out a page, or that holds what no cell can hold.

    Code blocks, headings, tables and lists of several levels in a cell make it a layout; so does a single
    row or column without headings.
    """
    if str(table.get("role") or "").casefold() in ("presentation", "none"):
        return False
    rows = [[cell for cell in row if cell.tag in CELLS] for row in rows_of(table)]
    rows = [row for row in rows if row]
    if not rows or any(next(table.iter(tag), None) is not None for tag in _BLOCKS if tag != "table"):
        return False
    if next(table.iterdescendants("table"), None) is not None or _has_stray_text(table):
        return False
    if any(next(inner.iterdescendants("ul", "ol"), None) is not None for inner in table.iter("ul", "ol")):
        return False
    headed = any(cell.tag == "th" for row in rows for cell in row)
    widest = max(sum(_span(cell, "colspan") for cell in row) for row in rows)
    if len(rows) == 1:
        return headed and widest > 1
    return widest > 1 or headed


def _has_stray_text(table: Any) -> bool:
    """Say whether there is text in a table but in no cell, which a grid would lose."""
    frames = [table, *table.iter("thead", "tbody", "tfoot", "tr")]
    texts = [frame.text for frame in frames] + [child.tail for frame in frames for child in frame]
    return any(text and text.strip() for text in texts)


def grid(table: Any, text_of: Callable[[Any], str]) -> Grid:
    """Return a data table with spans spread out: a row span repeats its text, a column span leaves blanks."""
    found: list[list[str]] = []
    align: list[str] = []
    head, in_head = 0, True
    pending: dict[int, tuple[int, str]] = {}
    for row in rows_of(table):
        cells = [cell for cell in row if cell.tag in CELLS]
        if not cells and not pending:
            continue
        line = _row(cells, pending, text_of, align)
        found.append(line)
        parent = row.getparent()
        is_head = bool(cells) and (
            (parent is not None and parent.tag == "thead") or all(cell.tag == "th" for cell in cells)
        )
        if is_head and in_head:
            head += 1
        else:
            in_head = False
    return _squared(found, head, align)


def _row(
    cells: list[Any], pending: dict[int, tuple[int, str]], text_of: Callable[[Any], str], align: list[str]
) -> list[str]:
    """Return one row; `pending` maps columns to the rows still covered from above and their text."""
    line: list[str] = []

    def fill() -> None:
        while len(line) in pending:
            left, text = pending[len(line)]
            if left > 1:
                pending[len(line)] = (left - 1, text)
            else:
                del pending[len(line)]
            line.append(text)

    fill()
    for cell in cells:
        if len(line) >= _MOST_COLUMNS:
            break
        text = text_of(cell)
        down = _span(cell, "rowspan")
        for offset in range(min(_span(cell, "colspan"), _MOST_COLUMNS - len(line))):
            column = len(line)
            content = text if offset == 0 else ""
            line.append(content)
            if down > 1:
                pending[column] = (down - 1, content)
            while len(align) <= column:
                align.append("")
            align[column] = align[column] or _alignment(cell)
        fill()
    return line


def _squared(rows: list[list[str]], head: int, align: list[str]) -> Grid:
    """Make all rows equally long and drop rows and columns without any text."""
    width = max((len(row) for row in rows), default=0)
    for row in rows:
        row.extend([""] * (width - len(row)))
    kept_rows = [(index < head, row) for index, row in enumerate(rows) if any(row)]
    columns = [column for column in range(width) if any(row[column] for _, row in kept_rows)]
    align = [*align, *[""] * (width - len(align))]
    return Grid(
        [[row[column] for column in columns] for _, row in kept_rows],
        sum(is_head for is_head, _ in kept_rows),
        [align[column] for column in columns],
    )


def table_text(found: Grid) -> str:
    """Return a grid as a GitHub table, "" for an empty one.

    Several rows of headings are joined column by column; without any the header stays blank, because the
    first row of data is no heading.
    """
    if not found.rows or not found.rows[0]:
        return ""
    heads, body = found.rows[: found.head], found.rows[found.head :]
    if not heads:
        header = [""] * len(found.rows[0])
    else:
        header = [
            " ".join(dict.fromkeys(part for part in parts if part)) for parts in zip(*heads, strict=True)
        ]
    marks = {"left": ":---", "center": ":---:", "right": "---:"}
    rule = [marks.get(align, "---") for align in found.align]
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, rule, *body))


def _span(cell: Any, name: str) -> int:
    written = str(cell.get(name) or "").strip()
    value = int(written[:6]) if written.isascii() and written.isdigit() else 1
    return max(1, min(value, _MOST_SPAN))


def _alignment(cell: Any) -> str:
    named = str(cell.get("align") or "").casefold()
    if named in ("left", "center", "right"):
        return named
    found = _ALIGN.search(str(cell.get("style") or ""))
    return found[1].casefold() if found else ""
