"""Links between a topic that moves and what stays: listed before the move, rewritten with it.

A topic moves between `topics/SLUG` and `topics/.archive/SLUG`, so every relative path that crosses
its border gains or loses one level. The text of a target is kept as it was written but for that
level, so that moving back restores it byte for byte. Raw bodies and logs are never rewritten.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from llm_wiki.core.errors import WikiError
from llm_wiki.core.files import read_bytes, sha256
from llm_wiki.core.text import nfc
from llm_wiki.core.transaction import Transaction
from llm_wiki.model import document, edit, layout, links
from llm_wiki.model.page import UNSURE, Page
from llm_wiki.wiki.resolve import classify
from llm_wiki.wiki.snapshot import Snapshot

REFERENCES = ("sources", "raw_sources", "inventory", "origin", "project", "supersedes")
"""Front matter keys whose values may be paths."""

_ARCHIVE = ".archive"


class Crossing(NamedTuple):
    """One link or reference over the border of the topic. `path` is relative to the hub, before the move.

    `after` is the target from now on, "" where the link is left as it is; `why` then says the reason.
    `line` is 0 for front matter.
    """

    path: str
    line: int
    before: str
    after: str
    why: str = ""


class Crossings(NamedTuple):
    """What the move means for links: `rewritten` and `left`, and the new bytes of each file by path."""

    rewritten: tuple[Crossing, ...]
    left: tuple[Crossing, ...]
    edits: dict[str, tuple[bytes, str]]

    @property
    def topics(self) -> tuple[str, ...]:
        """The folders of the other topics whose files change, relative to the hub."""
        found = {topic_of(rel) for rel in self.edits}
        return tuple(sorted(found - {""}))

    @property
    def hub_index(self) -> bytes | None:
        """The hub's own index with its links rewritten; None when it has none that cross."""
        found = self.edits.get(layout.INDEX)
        return None if found is None else found[0]

    def plan(self, tx: Transaction) -> None:
        """Add the edits but that of the hub's index, at the paths before the move."""
        for rel, (data, digest) in sorted(self.edits.items()):
            if rel != layout.INDEX:
                tx.write(rel, data, expect=digest)


def topic_of(rel: str) -> str:
    """Return the folder of the topic a path of a hub lies in, "" for the hub's own level."""
    parts = rel.split("/")
    if parts[0] != layout.TOPICS or len(parts) < 3:
        return ""
    return "/".join(parts[: 3 if parts[1] == _ARCHIVE else 2])


def crossings(hub: Path, old: str, new: str) -> Crossings:
    """Find every link that crosses the border of the topic at `old`, seen as if it were at `new`.

    Hub-owned topics, archived ones included, and the hub's own pages are looked at. Changes nothing.
    """
    walk = _Walk(old, new)
    for folder, page, read in _pages(hub):
        walk.look(folder, page, read)
    return Crossings(tuple(walk.rewritten), tuple(walk.left), walk.edits)


def _pages(hub: Path) -> Iterator[tuple[str, Page, Any]]:
    """Yield (folder of its root relative to the hub, page, reader) of every page that may be edited."""
    for folder in _topics(hub):
        try:
            snapshot = Snapshot.load(hub / folder, "topic")
        except WikiError:
            continue
        for page in snapshot.pages.values():
            yield folder, page, snapshot.read
    for name in sorted(os.listdir(hub)):  # noqa: PTH208
        path = hub / name
        if name == layout.LOG or not layout.is_markdown(name) or path.is_symlink() or not path.is_file():
            continue
        data = read_bytes(path)
        yield "", document.page(name, data), lambda _, data=data: data


def _topics(hub: Path) -> Iterator[str]:
    for parent in (layout.TOPICS, layout.TOPIC_ARCHIVE):
        try:
            names = sorted(os.listdir(hub / parent))  # noqa: PTH208
        except OSError:
            continue
        for name in names:
            path = hub / parent / name
            if not name.startswith(".") and not path.is_symlink() and _is_topic(path):
                yield f"{parent}/{name}"


def _is_topic(path: Path) -> bool:
    try:
        return classify(path) == "topic"
    except WikiError:
        return False


class _Walk:
    """Collects crossings page by page."""

    def __init__(self, old: str, new: str, *, faithful: bool = True) -> None:
        self.old, self.new = old, new
        self.faithful = faithful
        self.rewritten: list[Crossing] = []
        self.left: list[Crossing] = []
        self.edits: dict[str, tuple[bytes, str]] = {}

    def look(self, folder: str, page: Page, read: Any) -> None:
        """Look at one page of the root at `folder`."""
        rel = f"{folder}/{page.rel}" if folder else page.rel
        leaves = not folder or any(key.startswith("../") for key in page.keys | page.assets)
        found = [
            (link, after)
            for link in (page.links if leaves else ())
            if link.kind == "path" and (after := self.target(rel, link.target))
        ]
        fields = list(self._fields(rel, page))
        if not found and not fields:
            return
        seen = [Crossing(rel, link.line, link.target, after) for link, after in found]
        seen += [Crossing(rel, 0, before, after) for _, _, before, after in fields]
        why = _why_not(page)
        if not why:
            try:
                data = read(page.rel)
                edited = _edited(data, found, fields)
                why = self._lasting(folder, page.rel, data, edited)
            except WikiError as error:
                why = error.message
            else:
                if not why:
                    self.edits[rel] = (edited, sha256(data))
        if why:
            self.left += [one._replace(after="", why=why) for one in seen]
        else:
            self.rewritten += seen

    def _lasting(self, folder: str, rel: str, data: bytes, after: bytes) -> str:
        """Say why an edit could not be taken back byte for byte by a restore, "" when it can."""
        if f"/{_ARCHIVE}/" not in self.new or not self.faithful:
            return ""
        back = _Walk(self.new, self.old, faithful=False)
        there = self.moved(folder)
        back.look(there, document.page(rel, after), lambda _: after)
        found = next((new for new, _ in back.edits.values()), b"")
        return "" if found == data else "a restore could not put it back byte for byte"

    def _fields(self, rel: str, page: Page) -> Iterator[tuple[str, int, str, str]]:
        for key in REFERENCES:
            value = page.meta.get(key)
            for at, item in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(item, str) and item.startswith(("./", "../")):
                    after = self.target(rel, item)
                    if after:
                        yield key, at if isinstance(value, list) else -1, item, after

    def target(self, rel: str, written: str) -> str:
        """Return what a target has to say once the topic has moved, "" where it may stay."""
        if not links.is_local(written) or written.startswith("/"):
            return ""
        path, end = _parted(written)
        if not path:
            return ""
        means = nfc(links.normal(rel.rpartition("/")[0], _decoded(path)))
        owner, wanted = self.moved(rel), self.moved(means)
        if _leads(owner, path) == wanted:
            return ""
        for candidate in (*self._kept(rel, path), links.relative(owner, wanted)):
            if _leads(owner, candidate) == wanted:
                return candidate + end
        return ""

    def _kept(self, rel: str, path: str) -> Iterator[str]:
        """Yield the path as it was written with one level more or less."""
        inside = rel.startswith(f"{self.old}/")
        away = f"/{_ARCHIVE}/" in self.new
        if inside and away:
            yield f"../{path}"
        elif inside and path.startswith("../"):
            yield path[3:]
        elif not inside:
            yield from self._through(rel, path, away=away)

    def _through(self, rel: str, path: str, *, away: bool) -> Iterator[str]:
        """Yield the path with `.archive/` put in front of the topic's name, or taken out there."""
        here = rel.rpartition("/")[0]
        parts = path.split("/")
        for at in range(1, len(parts) + 1):
            if nfc(links.normal(here, _decoded("/".join(parts[:at])))) == nfc(self.old):
                if away:
                    yield "/".join([*parts[: at - 1], _ARCHIVE, *parts[at - 1 :]])
                elif at > 1 and parts[at - 2] == _ARCHIVE:
                    yield "/".join([*parts[: at - 2], *parts[at - 1 :]])
                return

    def moved(self, rel: str) -> str:
        """Return where a path of the hub is after the move."""
        old, new = nfc(self.old), nfc(self.new)
        return new + rel[len(old) :] if rel == old or rel.startswith(f"{old}/") else rel


def _edited(data: bytes, found: Iterable[Any], fields: Iterable[tuple[str, int, str, str]]) -> bytes:
    data = edit.retarget_all(data, list(found)) if found else data
    for key, at, before, after in fields:
        data = _field_set(data, key, at, before, after)
    return data


def _field_set(data: bytes, key: str, at: int, before: str, after: str) -> bytes:
    """Set a field, or the item `at` of a list; in the quotes it has, where the text stands just once."""
    wanted = edit.set_field(data, key, after) if at < 0 else edit.set_item(data, key, at, after)
    old = before.encode("utf-8", "surrogateescape")
    place = data.find(old)
    if data.find(old, place + 1) < 0:
        spliced = data[:place] + after.encode("utf-8", "surrogateescape") + data[place + len(old) :]
        if document.page("x.md", spliced).meta == document.page("x.md", wanted).meta:
            return spliced
    return wanted


def _why_not(page: Page) -> str:
    """Say why a page is not to be edited, "" when it may be."""
    if page.rel.startswith("raw/") and page.rel.rpartition("/")[2] != layout.INDEX:
        return "a source is never rewritten"
    if page.rel == layout.LOG:
        return "a log is never rewritten"
    if any(problem.code in UNSURE for problem in page.problems):
        return "the file has faults that leave open what it means"
    return ""


def _parted(written: str) -> tuple[str, str]:
    """Part a target into its path and what follows from `?` or `#` on."""
    ends = [place for mark in "#?" if (place := written.find(mark)) >= 0]
    at = min(ends, default=len(written))
    return written[:at], written[at:]


def _decoded(path: str) -> str:
    return unquote(path, errors="surrogateescape") if "%" in path else path


def _leads(owner: str, path: str) -> str:
    return nfc(links.normal(owner.rpartition("/")[0], _decoded(path)))
