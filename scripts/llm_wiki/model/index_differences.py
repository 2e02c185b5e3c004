"""What an index and its contract can disagree about, one small record each.

Lines are 1-based. Which rule reports what is said in each docstring (`lint.md` §2).
"""

from __future__ import annotations

from typing import NamedTuple

from llm_wiki.model.index_contract import Entry


class Dead(NamedTuple):
    """A link to nothing (W403, W408), or a row of a hub whose topic is no longer active (W912).

    `fixable` is false where the link cannot be taken out without touching text around it.
    """

    line: int
    key: str
    target: str
    fixable: bool = True


class Doubled(NamedTuple):
    """A line that says again what an earlier one says (W406). `what`: `entry`, `date`, `statistic`."""

    line: int
    what: str
    name: str


class WrongStatistic(NamedTuple):
    """A counted line with another number than the files give (W404)."""

    line: int
    name: str
    shown: str
    expected: str


class WrongCell(NamedTuple):
    """A standard cell that says something else than the front matter (W407; `Tags`: W603)."""

    line: int
    rel: str
    column: str
    shown: str
    expected: str


class Respelt(NamedTuple):
    """A link that means an entry only after case folding; the entry counts as listed (W506)."""

    line: int
    target: str
    rel: str


class Undated(NamedTuple):
    """A `Last compiled` or `Last lint` whose value is no date (W405)."""

    line: int
    name: str
    shown: str


class Differences(NamedTuple):
    """All that an index and its contract disagree about; falsy when nothing.

    With `readable` false (not UTF-8, or too large to scan) nothing else is known.
    """

    readable: bool = True
    missing: tuple[Entry, ...] = ()
    dead: tuple[Dead, ...] = ()
    gone: tuple[Dead, ...] = ()
    doubled: tuple[Doubled, ...] = ()
    statistics: tuple[WrongStatistic, ...] = ()
    cells: tuple[WrongCell, ...] = ()
    respelt: tuple[Respelt, ...] = ()
    undated: tuple[Undated, ...] = ()

    def __bool__(self) -> bool:
        return not self.readable or any(self[1:])
