"""What each index must list: the directory contracts (`wiki-format.md` §6).

A contract follows from the folder and the files alone, never from the text of the index. It is
built from `Facts`, which a snapshot satisfies as it is, and holds everything that checking,
merging and rendering need: entries in order, the cells each must show, statistics.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from llm_wiki.core.text import nfc
from llm_wiki.model import cells, links
from llm_wiki.model.page import UNSURE, Page

Form = Literal["table", "bullets", "pointer", "statistics"]
Policy = Literal["required", "table", "advisory"]

NEVER = "never"
"""What the master index says of an operation that the log does not know."""


class Facts(Protocol):
    """What a contract is built from; `wiki.snapshot.Snapshot` fits.

    `dirs` maps each folder ("" is the root) to the names in it, `pages` each parsed Markdown file
    to its page, `keys` holds the NFC path of every file. `exists` is asked for link targets that are
    not among them. `read` returns a file's bytes: of `WHY.md` of projects and of `log.md` only.
    """

    @property
    def dirs(self) -> Mapping[str, Iterable[str]]:
        """Folder → names in it."""

    @property
    def pages(self) -> Mapping[str, Page]:
        """Path → page."""

    @property
    def keys(self) -> Collection[str]:
        """NFC paths of all files."""

    def exists(self, key: str) -> bool:
        """Tell whether an NFC path is a file, also where the listing does not go."""

    def read(self, rel: str) -> bytes:
        """Return the bytes of one file."""


class Entry(NamedTuple):
    """One file an index must link.

    `rel` is the path as on disk, `key` its NFC form, `target` the link target seen from the index
    (not yet quoted), `text` the plain link text. `page` is the file's page, or None when it was
    not parsed; `note` is text that is not in the front matter (a project's goal). `also` is another
    link text that is just as right. `sure` is False where the file could not be asked for its title:
    what an index says of it then stands.
    """

    rel: str
    key: str
    target: str
    text: str
    page: Page | None = None
    note: str = ""
    also: str = ""
    sure: bool = True


class Column(NamedTuple):
    """One column of a table: its header, the value an entry has there, the word for no value.

    `value` is None for the column that holds the link. A value of "" means that the files say
    nothing: a cell that says more is then left alone. With `several` the value is words parted by
    commas, whose order says nothing.
    """

    header: str
    value: Callable[[Entry], str] | None = None
    empty: str = ""
    several: bool = False

    def says(self, shown: str, values: Iterable[str]) -> bool:
        """Tell whether a plain cell says one of these escaped values."""
        plain = [cells.plain_cell(value) for value in values]
        if self.several:
            return _words(shown) in map(_words, plain)
        return shown in plain


def _words(cell: str) -> frozenset[str]:
    return frozenset(word.strip() for word in cell.split(","))


class Statistic(NamedTuple):
    """One `- Name: value` line. `stamp` marks a date, which is refreshed but never compared."""

    name: str
    value: str
    aliases: tuple[str, ...] = ()
    stamp: bool = False


class Section(NamedTuple):
    """One part of an index under a heading, in one of four forms.

    `table` and `bullets` list entries, `pointer` is the line `See [x](x)` for one entry,
    `statistics` holds `- Name: value` lines, closed by `- Last updated: DATE` if `dated`.
    """

    heading: str
    form: Form
    entries: tuple[Entry, ...] = ()
    columns: tuple[Column, ...] = ()
    statistics: tuple[Statistic, ...] = ()
    dated: bool = False


@dataclass(frozen=True)
class Contract:
    """What the index of one folder must hold.

    `label` names it in messages (`Required <label> entry is missing`). `dated` puts
    `Last updated: DATE` below the title. `policy` says whether a missing entry is a defect:
    `required` always, `table` only where the index has such a table (hub), `advisory` never (master).
    `alive` tells whether a link may stay: its target exists, is no page, or cannot be judged; `near`
    whether it exists under another spelling, so that it is not dead either; `gone` whether a row of
    the main table has to leave although nothing is broken (a topic that was archived). `meant` turns
    the key of a link into the key of the entry it stands for, where several spellings of a target
    do; with `by_name` a row whose first cell is an entry's text stands for it without any link.
    """

    folder: str
    label: str
    title: str
    sections: tuple[Section, ...]
    alive: Callable[[str], bool]
    dated: bool = False
    policy: Policy = "required"
    near: Callable[[str], bool] = field(default=lambda _key: False)
    gone: Callable[[str], bool] | None = None
    meant: Callable[[str], str] = field(default=lambda key: key)
    by_name: bool = False

    @property
    def index(self) -> str:
        """Path of the index file."""
        return f"{self.folder}/_index.md" if self.folder else "_index.md"

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, in the order of the sections."""
        return tuple(entry for section in self.sections for entry in section.entries)


def entry(
    folder: str, rel: str, text: str, page: Page | None = None, *, note: str = "", also: str = ""
) -> Entry:
    """Return the entry for a file in the index of a folder."""
    index = f"{folder}/_index.md" if folder else "_index.md"
    return Entry(rel, nfc(rel), links.relative(index, rel), text, page, note, also)


def known(item: Entry) -> bool:
    """Tell whether a file could be asked what its row has to say, and its answer is beyond doubt."""
    page = item.page
    if page is None or not item.sure:
        return item.sure
    return page.front in ("ok", "missing") and not any(fault.code in UNSURE for fault in page.problems)


def cell_text(column: Column, item: Entry) -> str:
    """Return the plain text an entry shows in a column; the link column shows the link text."""
    return item.text if column.value is None else column.value(item)
