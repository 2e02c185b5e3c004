"""Rules W404-W407 and W603: what the lines of an index say, against what they are derived from.

An index that says just what its files say is recognised by comparing whole lines. Any other is
compared with its contract by `model.indexes`, as fixes and the `index` verbs do.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from llm_wiki.core.errors import WikiError
from llm_wiki.core.text import is_date
from llm_wiki.lint.finding import Hit
from llm_wiki.lint.rules.copies import copies
from llm_wiki.lint.rules.facts import FACTS
from llm_wiki.lint.rules.graph import graph, once, plane_of
from llm_wiki.model import indexes, layout
from llm_wiki.model.indexes import Differences, WrongCell

if TYPE_CHECKING:
    from llm_wiki.lint.view import View
    from llm_wiki.model.page import Page

_TAG_HEADERS = ("tags", "keywords")
_DATES = ("updated", "ingested", "created")
_ROW = b"\n| ["


@once
def differences(view: View) -> dict[str, Differences]:
    """Path of an index → how it differs from its contract, for those that may differ.

    Indexes that cannot be read are left out; they have their own finding.
    """
    found = {}
    known = graph(view).known
    pages = dict(graph(view).indexes)
    if layout.INDEX in view.pages:
        pages[""] = view.pages[layout.INDEX]
    for folder, page in pages.items():
        if page.front == "invalid":
            continue
        try:
            data = view.snapshot.read(page.rel)
            if page.keys <= known and _is_as_written(view, folder, data):
                continue
            contract = indexes.contract(folder, view.snapshot)
        except WikiError:
            continue
        if contract is not None:
            found[page.rel] = indexes.check(data, contract)
    return found


@once
def _removable(view: View) -> frozenset[tuple[str, int, str]]:
    every = differences(view).items()
    return frozenset((rel, one.line, one.target) for rel, found in every for one in found.dead if one.fixable)


def removable(view: View, rel: str, line: int, target: str) -> bool:
    """Tell whether a merge can take a dead link out of an index without touching text around it."""
    return (rel, line, target) in _removable(view)


def _is_as_written(view: View, folder: str, data: bytes) -> bool:
    """Tell whether the index of a leaf folder has the rows its files give, each once, and one date."""
    plane, _, name = folder.partition("/")
    if plane not in ("raw", "wiki") or name not in layout.SUBFOLDERS[plane] or b"\r" in data:
        return False
    files = [file for file in view.snapshot.dirs[folder] if file[-3:].lower() == ".md"]
    pages = view.in_folder(folder)
    if not data.count(_ROW) == len(pages) == len(files) - 1 or data.count(b"Last updated") > 1:
        return False
    return set(map(_row, pages)).issubset(data.decode(errors="replace").split("\n"))


def _row(page: Page) -> str:
    """Return the row of a file table for a page whose fields hold nothing special, else anything."""
    get = page.meta.get
    name = page.rel.rpartition("/")[2]
    day = get("updated") or get("ingested") or get("created")
    try:
        return (
            f"| [{get('title') or name[:-3]}]({name}) | {get('summary', '')} | {', '.join(get('tags', ()))} "
            f"| {day if day.__class__ is str and _is_day(str(day)) else page.rel} |"
        )
    except TypeError:
        return ""


@lru_cache(maxsize=1024)
def _is_day(text: str) -> bool:
    return len(text) == len("YYYY-MM-DD") and is_date(text)


# --- rules ---------------------------------------------------------------------------------


def statistic_wrong(view: View) -> Iterator[Hit]:
    """W404: an index counts other files than there are.

    What is out of place, out of sight or a sync-conflict copy has its own finding and makes every count
    doubtful.
    """
    unseen = any(plane_of(rel) in layout.CONTENT_PLANES for rel in view.closed)
    if unseen or view.kind("stray") or copies(view):
        return
    for rel, found in differences(view).items():
        for line, name, shown, expected in found.statistics:
            yield Hit(rel, f"Statistic {name} is {shown or 'empty'}, not {expected}", line, target=expected)


def date_missing(view: View) -> Iterator[Hit]:
    """W405: `Last compiled` or `Last lint` says something that is no date."""
    for rel, found in differences(view).items():
        for line, name, shown in found.undated:
            yield Hit(rel, f"{name} is no date: {shown or 'empty'}", line, target=name)


def line_doubled(view: View) -> Iterator[Hit]:
    """W406: a line of the index stands there twice, as a merge by union leaves it."""
    for rel, found in differences(view).items():
        for line, _, name in found.doubled:
            yield Hit(rel, f"Listed twice: {name}", line, target=name)


def cell_wrong(view: View) -> Iterator[Hit]:
    """W407: a cell of the index differs from the front matter it was made from."""
    return _cells(view, tags=False)


def tags_wrong(view: View) -> Iterator[Hit]:
    """W603: the tags in the index differ from those of the file."""
    return _cells(view, tags=True)


def _cells(view: View, *, tags: bool) -> Iterator[Hit]:
    for rel, found in differences(view).items():
        for cell in found.cells:
            if (cell.column.casefold() in _TAG_HEADERS) == tags and not _is_doubtful(view, cell):
                said = f"the index says {_said(cell.shown)}, {cell.rel} says {_said(cell.expected)}"
                message = f"Column {cell.column} differs: {said}"
                yield Hit(rel, message, cell.line, target=cell.rel)


def _said(cell: str) -> str:
    return f'"{cell}"' if cell else "nothing"


def _is_doubtful(view: View, cell: WrongCell) -> bool:
    """Tell whether the front matter has a finding of its own, so that it proves nothing against the index."""
    page = view.snapshot.pages.get(cell.rel)
    if page is None:
        return cell.rel in view.snapshot.files
    dates = [page.text(key) for key in (*_DATES, "generated") if key in page.meta]
    scalar = isinstance(page.meta.get("title", ""), str)
    if page.front not in ("ok", "missing") or not scalar or not all(map(is_date, dates)):
        return True
    return any(note[0] != FACTS and note[0].startswith(("W1", "W2")) for note in page.notes)
