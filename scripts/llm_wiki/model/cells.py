r"""Cells of Markdown tables: written safely, split, compared and replaced (`wiki-format.md` §6.9).

Only single lines are handled; whether a line is a row of a table is decided elsewhere.
"""

from __future__ import annotations

import re
from collections import deque
from typing import NamedTuple
from urllib.parse import quote

_BLANKS = re.compile(r"[\s\x00-\x1f\x7f]+")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_TICKS = re.compile(r"(?<!\\)`+")
_LIVE = re.compile(r"\](?=[(\[])|\[(?=\[)|<(?=[A-Za-z/!?])")
_BACKSLASHES = re.compile(r"\\+(?=[|\[\]<`]|\Z)")
"""Backslashes in front of what gets one of its own, or of the bar or bracket that ends the text."""
_PIECE = re.compile(r"\\[\s\S]|`+|\|")
_SPECIAL = re.compile(
    r"[|\\`<\[\]\x00-\x1f\x7f\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]|  |\A | \Z"
)
_PLAIN_TARGET = re.compile(r"[\w./%#?=:~+,-]+")
_BAR = re.compile(r"\|")
_ANGLED = re.compile(r"[\s()<>|]")
_DELIMITER_CELL = re.compile(r"[ \t]*:?-+:?[ \t]*")


class Cell(NamedTuple):
    """One cell of a row: `start` to `end` is its text in the line, outer blanks left out."""

    text: str
    start: int
    end: int


def collapse(text: str) -> str:
    """Return `text` on one line, each run of blanks and control bytes as one blank, trimmed."""
    return _BLANKS.sub(" ", text).strip()


def escape_cell(text: str) -> str:
    r"""Return plain text as a table cell: blanks collapsed, `|` as `\|`.

    What would make a link, an embed or a tag is escaped too, so that a summary can never bring
    a link into an index; so are backticks without a partner.
    """
    if not _SPECIAL.search(text):
        return text
    text = _BACKSLASHES.sub(lambda run: run.group() * 2, collapse(text))
    return _LIVE.sub(r"\\\g<0>", _balance(text)).replace("|", r"\|")


def escape_link_text(text: str) -> str:
    r"""Return plain text as the text of a link in a cell: as a cell, also `[` and `]` escaped."""
    if not _SPECIAL.search(text):
        return text
    text = _BACKSLASHES.sub(lambda run: run.group() * 2, collapse(text))
    return re.sub(r"[\[\]]|<(?=[A-Za-z/!?])", r"\\\g<0>", _balance(text)).replace("|", r"\|")


def destination(target: str) -> str:
    """Return a link target as it is written between the brackets of a link.

    With blanks, `(`, `)`, `<`, `>` or `|` it becomes `<…>`, those three last percent-encoded.
    A backslash, a backtick and a line end are percent-encoded: they would end or change the link.
    """
    if _PLAIN_TARGET.fullmatch(target):
        return target
    written = re.sub(r"[<>|\\`\r\n]", lambda match: quote(match.group(), safe=""), target)
    written = re.sub(r"&(?=#?\w+;)", "%26", written)
    return f"<{written}>" if _ANGLED.search(target) else written


def plain_cell(text: str) -> str:
    """Return what a cell says: escapes undone, blanks collapsed; the form in which cells compare."""
    return collapse(_ESCAPED.sub(r"\1", text)) if "\\" in text else collapse(text)


def split_row(line: str) -> list[Cell]:
    r"""Return the cells of one table row, without its line end.

    `\|` does not end a cell, nor does a `|` inside a code span of this row. The outer bars are
    optional, as in GitHub's tables.
    """
    bars = bars_of(line)
    if bars and not line[: bars[0]].strip():
        start, bars = bars[0] + 1, bars[1:]
    else:
        start = 0
    cells: list[Cell] = []
    for bar in bars:
        cells.append(_trimmed(line, start, bar))
        start = bar + 1
    if line[start:].strip():
        cells.append(_trimmed(line, start, len(line)))
    return cells


def has_bar(line: str) -> bool:
    """Tell whether a line has a `|` that parts cells, as every row of a table must for us."""
    return "|" in line and bool(bars_of(line))


def is_delimiter(line: str) -> bool:
    """Tell whether a line is the `|---|---|` below the head of a table."""
    if "-" not in line or "|" not in line or len(line) - len(line.lstrip(" ")) > 3:
        return False
    inner = line.strip()
    inner = inner.removeprefix("|").removesuffix("|")
    return all(_DELIMITER_CELL.fullmatch(cell) for cell in inner.split("|"))


def put_cells(line: str, values: dict[int, str]) -> str:
    """Return the row with some cells replaced by already escaped text, by column number.

    Only those cells change; columns the row does not reach are added in front of its end.
    """
    cells = split_row(line)
    out = line
    for column in sorted(values, reverse=True):
        if column < len(cells):
            cell = cells[column]
            out = out[: cell.start] + padded(line, cell, values[column]) + out[cell.end :]
    missing = max(values, default=-1) + 1 - len(cells)
    if missing > 0:
        added = [values.get(len(cells) + number, "") for number in range(missing)]
        base = out.rstrip()
        base = base if base.endswith("|") and not base.endswith(r"\|") else f"{base} |"
        out = base + "".join(f" {text} |" for text in added)
    return out


def padded(line: str, cell: Cell, text: str) -> str:
    """Return the text that replaces a cell's own, with blanks to the bars where the cell is empty."""
    if cell.start < cell.end:
        return text
    left = "" if line[: cell.start].endswith(" ") else " "
    return f"{left}{text}" if line[cell.end :].startswith(" ") else f"{left}{text} "


def row(cells: list[str]) -> str:
    """Return a table row of already escaped cells."""
    return "| " + " | ".join(cells) + " |"


def delimiter(headers: list[str]) -> str:
    """Return the line below a table head, dashes as wide as the padded headers."""
    return "|" + "|".join("-" * (len(header) + 2) for header in headers) + "|"


def _trimmed(line: str, start: int, end: int) -> Cell:
    text = line[start:end]
    stripped = text.strip()
    if not stripped:
        middle = start + (end - start) // 2
        return Cell("", middle, middle)
    begin = start + len(text) - len(text.lstrip())
    return Cell(stripped, begin, begin + len(stripped))


def bars_of(line: str) -> list[int]:
    """Return the places of the bars that part the cells of a line."""
    if "`" not in line and "\\" not in line:
        return [match.start() for match in _BAR.finditer(line)]
    runs: dict[int, deque[int]] = {}
    for run in _TICKS.finditer(line):
        runs.setdefault(len(run.group()), deque()).append(run.start())
    bars: list[int] = []
    position = 0
    while match := _PIECE.search(line, position):
        position = match.end()
        piece = match.group()
        if piece == "|":
            bars.append(match.start())
        elif piece[0] == "`":
            position = _code_end(runs.get(len(piece), deque()), match.start(), position, len(piece))
    return bars


def _code_end(starts: deque[int], start: int, after: int, width: int) -> int:
    """Return the place behind the code span that opens at `start`, or `after` when none closes it."""
    while starts and starts[0] <= start:
        starts.popleft()
    return starts[0] + width if starts else after


def _balance(text: str) -> str:
    """Escape every backtick unless each run of them has a partner of its length."""
    if "`" not in text:
        return text
    open_runs: dict[int, bool] = {}
    for run in re.findall(r"`+", text):
        open_runs[len(run)] = not open_runs.get(len(run), False)
    return text.replace("`", r"\`") if any(open_runs.values()) or "\\`" in text else text
