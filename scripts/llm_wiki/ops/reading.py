"""Files of a wiki as a reader may have them: in scope, masked, within a budget, inside a fence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import NamedTuple

from llm_wiki.admit import visibility
from llm_wiki.admit.visibility import Label, Scope
from llm_wiki.core import fence as fences
from llm_wiki.core.errors import NothingFound, Refused, Unreadable, WikiError
from llm_wiki.core.files import printable
from llm_wiki.core.text import nfc
from llm_wiki.model import layout
from llm_wiki.model.kinds import kind_of
from llm_wiki.model.page import Page
from llm_wiki.ops import navigation
from llm_wiki.ops.trust import Trust
from llm_wiki.wiki.resolve import Root
from llm_wiki.wiki.snapshot import Snapshot

MAX_FILES = 12
MAX_CHARACTERS = 60_000
"""What one question or one read hands over at most, at every depth (`doctrine.md` §9 row 28)."""

LONG = 1_000
"""Characters kept for the fence when a single line is longer than the budget and has to be cut."""

LINE_CUT = "… [line cut]"
"""Stands at the end of a line that is longer than the budget."""

_RANGE = re.compile(r"(?P<path>.+?):(?P<first>\d{1,9})(?P<dash>-(?P<last>\d{1,9})?)?")


class Lines(NamedTuple):
    """A range of lines, both ends included, 1-based; `last` None reads to the end."""

    first: int = 1
    last: int | None = None


class Quoted(NamedTuple):
    """One file as it is handed over.

    `text` is the fenced quotation, `labels` what it says about the file, `lines` the range quoted, of
    `total` lines; `cut` tells that the budget ended before the range did. `plain` is the quoted text,
    masked and clean but without the fence.
    """

    path: str
    labels: Mapping[str, str]
    text: str
    lines: Lines
    total: int
    cut: bool
    plain: str


class Budget:
    """What is left of a budget of files and characters; `reserve` characters are kept from files."""

    def __init__(self, files: int = MAX_FILES, characters: int = MAX_CHARACTERS, reserve: int = 0) -> None:
        self.max_files = files
        self.max_characters = characters
        self.reserve = reserve
        self.files = 0
        self.characters = 0
        self.left_out: list[str] = []

    @property
    def room(self) -> int:
        """Characters that may still be spent."""
        return self.max_characters - self.reserve - self.characters

    @property
    def hit(self) -> bool:
        """Whether something was left out or cut."""
        return bool(self.left_out)

    def spend(self, text: str) -> bool:
        """Take the characters of `text` if there is room for all of them; tell whether there was."""
        if len(text) > self.room:
            return False
        self.characters += len(text)
        return True

    def data(self) -> dict[str, object]:
        """Return the budget as a verb reports it."""
        return {
            "files": self.files,
            "files_max": self.max_files,
            "characters": self.characters,
            "characters_max": self.max_characters,
            "hit": self.hit,
            "left_out": list(self.left_out),
        }

    def line(self) -> str:
        """Return the budget as one line for a reader."""
        said = (
            f"Budget: {self.files} of {self.max_files} files, "
            f"{self.characters:,} of {self.max_characters:,} characters"
        )
        return (
            f"{said}; hit, left out or cut: {', '.join(map(fences.one_line, self.left_out))}"
            if self.hit
            else f"{said}."
        )


class Library:
    """One root as a reader sees it: every file is asked for here, by path below the root."""

    def __init__(self, snapshot: Snapshot, root: Root, scope: Scope, today: date, nonce: str) -> None:
        self.snapshot = snapshot
        self.root = root
        self.scope = scope
        self.nonce = nonce
        self.trust = Trust(snapshot, today)

    @cached_property
    def shown(self) -> Mapping[str, Label]:
        """Pages that the scope allows, with their labels."""
        return visibility.visible(self.snapshot, self.root, self.scope)

    @cached_property
    def _by_key(self) -> Mapping[str, str]:
        return {nfc(rel): rel for rel in self.snapshot.files}

    def find(self, written: str) -> str:
        """Return the path, as on disk, of a file that a reader names.

        Raises Refused for what lies outside the root, behind a symbolic link, in another topic, in the
        inbox or a hidden folder, or outside the scope; NothingFound for what is not there.
        """
        name = self._relative(written)
        shown = printable(name)
        rel = self._by_key.get(nfc(name), name)
        if self.snapshot.behind_link(rel):
            raise Refused(f"{shown} passes through a symbolic link", path=shown)
        self._check_place(rel, shown)
        entry = self.snapshot.files.get(rel)
        if entry is None:
            what = "is a folder" if rel in self.snapshot.dirs else "does not exist"
            raise NothingFound(
                f"{shown} {what} in {self.root.name}", path=shown, remedy="`llm-wiki search` finds files"
            )
        if entry.problem:
            raise Unreadable(f"cannot read {shown}: {entry.problem}", path=shown)
        if rel in self.snapshot.pages and rel not in self.shown:
            raise self._hidden(rel, shown)
        return rel

    def _relative(self, written: str) -> str:
        """Return a written path as one below the root; raises Refused when it leads elsewhere."""
        base = str(self.root.path)
        name = written.removeprefix(base + "/") if written.startswith(base + "/") else written
        name = name.removeprefix("./")
        parts = name.split("/")
        drive = len(parts[0]) == 2 and parts[0][1] == ":"
        if drive or "\\" in name or "\0" in name or any(part in ("", ".", "..") for part in parts):
            shown = printable(written.replace("\0", "\\0"))
            raise Refused(
                f"{shown} does not lie in {self.root.name}",
                path=shown,
                remedy="give paths below the wiki's root, such as wiki/concepts/NAME.md",
            )
        return name

    def _check_place(self, rel: str, shown: str) -> None:
        first = rel.split("/", 1)[0]
        if self.snapshot.kind == "hub" and first == layout.TOPICS and "/" in rel:
            raise Refused(
                f"{shown} belongs to a topic, not to the hub",
                path=shown,
                remedy="name the topic with --wiki and the path below it",
            )
        if layout.is_hidden(rel):
            raise Refused(f"{shown} is no knowledge: it lies in a hidden folder", path=shown)
        if first == layout.INBOX:
            raise Refused(
                f"{shown} has not been admitted", path=shown, remedy="`llm-wiki ingest FILE` takes it in"
            )

    def _hidden(self, rel: str, shown: str) -> Refused:
        notes = visibility.labels(self.snapshot, self.root)[rel].notes
        if visibility.SUPERSEDED in notes:
            return Refused(
                f"{shown} is an old version that a later one supersedes",
                path=shown,
                remedy="--superseded reads it as history",
            )
        return Refused(f"{shown} is archived", path=shown, remedy="pass --include-archived to read it")

    def plain(self, rel: str) -> str:
        """Return the text of a file, with every sentence under an open retraction marker masked.

        An index is given as the pages say now. Raises Unreadable for a file that is no text, and what
        `Snapshot.read` raises.
        """
        page = self.snapshot.pages.get(rel)
        data = self._index(rel) if kind_of(rel) == "index" else self.snapshot.read(rel)
        if page is None and b"\0" in data:
            name = printable(rel)
            raise Unreadable(f"{name} is no text", path=name, remedy="open it with a program of its own")
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
        return visibility.mask(text.replace("\r\n", "\n").replace("\r", "\n"))

    def _index(self, rel: str) -> bytes:
        """Return an index as the pages say now: a stale row must not be believed (`doctrine.md` §9 row 3)."""
        try:
            return navigation.show(self.snapshot, rel.rpartition("/")[0], self.trust.today)
        except WikiError:
            return self.snapshot.read(rel)

    def labels(self, rel: str) -> dict[str, str]:
        """Return the labels of a visible file by name."""
        page = self.snapshot.pages.get(rel)
        label = self.shown.get(rel)
        if page is not None and label is not None:
            if any(problem.code == "retracted" for problem in page.problems):
                label = label._replace(notes=(*label.notes, visibility.PENDING))
            return self.trust.labels(page, label)
        plane = {"raw": "evidence", "output": "product", "inventory": "tracking", "datasets": "data"}
        return {"plane": plane.get(rel.split("/", 1)[0], "other")}

    def quote(
        self, rel: str, budget: Budget, lines: Lines | None = None, *, numbers: bool = False, name: str = ""
    ) -> Quoted | None:
        """Return a file fenced, as much of it as the budget allows; None when there is no room for any.

        `rel` must come from `find` or `shown`; `name` is how the file is called, by default its path.
        """
        lines = lines or Lines()
        name = name or printable(rel)
        text = self.plain(rel)
        rows = text.removesuffix("\n").split("\n")
        last = min(lines.last or len(rows), len(rows))
        if lines.first > last:
            raise NothingFound(f"{name} has {len(rows)} lines", path=name)
        chosen = rows[lines.first - 1 : last]
        labels = self.labels(rel)
        first = lines.first if numbers else None
        if budget.files >= budget.max_files:
            budget.left_out.append(name)
            return None
        whole = self._fenced(chosen, name, labels, first, (lines.first, last, len(rows)))
        fits = len(chosen)
        if len(whole) > budget.room:
            fits = self._fit(chosen, budget.room, name, labels, first)
            budget.left_out.append(name)
            if not fits:
                if budget.room < LONG:
                    return None
                chosen = [chosen[0][: budget.room - LONG] + LINE_CUT, *chosen[1:]]
                fits = self._fit(chosen, budget.room, name, labels, first)
                if not fits:
                    return None
            last = lines.first + fits - 1
            whole = self._fenced(chosen[:fits], name, labels, first, (lines.first, last, len(rows)))
        budget.files += 1
        budget.spend(whole)
        said = Lines(lines.first, last)
        cut = fits < len(chosen)
        return Quoted(name, labels, whole, said, len(rows), cut, fences.clean("\n".join(chosen[:fits])).text)

    def _fenced(
        self, rows: Sequence[str], name: str, labels: Mapping[str, str], first: int | None,
        span: tuple[int, int, int],
    ) -> str:  # fmt: skip
        start, end, total = span
        said = dict(labels)
        if (start, end) != (1, total):
            said["lines"] = f"{start}-{end} of {total}"
        return fences.fence("\n".join(rows), path=name, labels=said, nonce=self.nonce, first_line=first)

    def _fit(
        self, rows: Sequence[str], room: int, name: str, labels: Mapping[str, str], first: int | None
    ) -> int:
        """Return how many of the rows fit into so many characters together with their fence."""
        low, high = 0, len(rows)
        total = 10**9  # the widest way to write the range
        while low < high:
            middle = (low + high + 1) // 2
            text = self._fenced(rows[:middle], name, labels, first, (total, total, total))
            low, high = (middle, high) if len(text) <= room else (low, middle - 1)
        return low


def with_range(written: str, library: Library) -> tuple[str, Lines]:
    """Split `PATH:12`, `PATH:12-40` or `PATH:12-` into path and lines; a file of that very name wins."""
    found = _RANGE.fullmatch(written)
    if found is None or nfc(written) in library.snapshot.keys:
        return written, Lines()
    first = max(int(found["first"]), 1)
    if found["dash"] is None:
        return found["path"], Lines(first, first)
    return found["path"], Lines(first, int(found["last"]) if found["last"] else None)


def read(library: Library, written: Sequence[str], budget: Budget, *, numbers: bool = False) -> list[Quoted]:
    """Return several files as one reader's text; what does not fit is named by the budget.

    Every path is checked before any file is opened. Raises what `Library.find` raises.
    """
    asked = [with_range(one, library) for one in written]
    wanted = [(library.find(path), lines) for path, lines in asked]
    found = [library.quote(rel, budget, lines, numbers=numbers) for rel, lines in wanted]
    return [one for one in found if one is not None]


def title_of(page: Page) -> str:
    """Return how a page is called: the title of its front matter, else its first heading, else its name."""
    return page.text("title") or page.title or page.rel.rpartition("/")[2]
