"""Index text written from scratch, and single lines of it for a merge (`wiki-format.md` §6)."""

from __future__ import annotations

from collections.abc import Sequence

from llm_wiki.core.text import fold
from llm_wiki.model import cells
from llm_wiki.model.index_contract import Column, Contract, Entry, Section, cell_text

LINK_HEADERS = (
    "file",
    "article",
    "title",
    "page",
    "name",
    "source",
    "paper",
    "thesis",
    "record",
    "entry",
    "item",
    "idea",
    "dataset",
    "output",
    "project",
    "wiki",
    "topic",
    "note",
    "link",
    "document",
)
"""Headers under which tables of other shapes keep their link, likeliest first."""

_SAME_COLUMN = {
    "date": "updated",
    "modified": "updated",
    "last updated": "updated",
    "description": "summary",
    "abstract": "summary",
    "about": "summary",
    "keywords": "tags",
}


def render(contract: Contract, date: str) -> bytes:
    """Return a whole new index; `date` (YYYY-MM-DD) becomes its `Last updated`."""
    lines = [f"# {cells.collapse(contract.title)}"]
    if contract.dated:
        lines += ["", f"Last updated: {date}"]
    for section in contract.sections:
        lines += ["", *section_lines(section, date)]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def section_lines(section: Section, date: str) -> list[str]:
    """Return one section from its heading to its last line."""
    lines = [f"## {section.heading}", ""]
    if section.form == "table":
        headers = [column.header for column in section.columns]
        lines += [cells.row(headers), cells.delimiter(headers)]
        lines += [table_row(section, headers, 0, item) for item in section.entries]
    elif section.form == "statistics":
        lines += [f"- {statistic.name}: {statistic.value}" for statistic in section.statistics]
        if section.dated:
            lines.append(f"- Last updated: {date}")
    else:
        write = pointer_line if section.form == "pointer" else bullet_line
        lines += [write(item) for item in section.entries]
    return lines


def link(item: Entry) -> str:
    """Return the Markdown link of an entry."""
    return f"[{cells.escape_link_text(item.text)}]({cells.destination(item.target)})"


def pointer_line(item: Entry) -> str:
    """Return the line of a pointer index."""
    return f"See {link(item)}"


def bullet_line(item: Entry, section: Section | None = None) -> str:
    """Return a list item for an entry; of a table's section with the text of its first column."""
    columns = section.columns[1:2] if section and section.form == "table" else ()
    words = [cells.escape_cell(cell_text(column, item)) for column in columns]
    return " - ".join(["- " + link(item), *filter(None, words)])


def table_row(section: Section, headers: Sequence[str], link_column: int, item: Entry) -> str:
    """Return the row of an entry for a table with these headers, known cells filled (§6.9)."""
    return cells.row(
        [
            link(item) if number == link_column else cells.escape_cell(value_for(section, header, item))
            for number, header in enumerate(headers)
        ]
    )


def value_for(section: Section, header: str, item: Entry) -> str:
    """Return the plain text an entry has under a header, or "" when the files do not say.

    A column of the section comes first, then one that is called otherwise elsewhere, then the
    front matter key of that name.
    """
    column = column_named(section, header) or column_named(section, _SAME_COLUMN.get(fold(header), ""))
    if column is not None:
        return cell_text(column, item) or column.empty
    if fold(header) in LINK_HEADERS:
        return item.text
    words = fold(header).split()
    for key in ("_".join(words), "-".join(words)):
        if item.page and key in item.page.meta:
            return item.page.text(key) or ", ".join(item.page.items(key))
    return ""


def column_named(section: Section, header: str) -> Column | None:
    """Return the section's own column with this header, in any case."""
    for column in section.columns:
        if column.header == header:
            return column
    folded = fold(header)
    return next((column for column in section.columns if fold(column.header) == folded), None)
