"""What a hub has active and archived; a look at archived indexes (`archive-retract.md` §1)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from llm_wiki.admit.visibility import mask
from llm_wiki.core.errors import WikiError
from llm_wiki.core.fence import one_line
from llm_wiki.core.files import TEMP_PREFIX, read_bytes
from llm_wiki.core.text import fold
from llm_wiki.model import document, layout
from llm_wiki.model.cells import plain_cell
from llm_wiki.model.index_parse import IndexDoc, Table
from llm_wiki.wiki.registry import Registry
from llm_wiki.wiki.resolve import initialised
from llm_wiki.wiki.topic import TopicConfig
from llm_wiki.withdraw.archive_places import load_hub

UNREGISTERED = "needs registry repair: llm-wiki archive repair"
"""Stands as the reason of an archived folder that the registry does not know."""

PEEKED = 5
"""Hits of one archived topic shown at most."""

SHORT = 3
"""Letters a word of a question needs, unless all are shorter."""

_FOLDERS = ("raw", "wiki", "inventory", "datasets", "output")


class Topic(NamedTuple):
    """One row of the list; all strings, "" where nothing is known."""

    slug: str
    path: str
    description: str
    archived: str
    reason: str


class Listed(NamedTuple):
    """Active and archived topics of a hub, by slug."""

    hub: Path
    active: tuple[Topic, ...]
    archived: tuple[Topic, ...]


class Found(NamedTuple):
    """One index entry of an archived topic: preserved, no evidence. `path` is relative to the topic."""

    topic: str
    path: str
    title: str
    summary: str
    tags: str


class Peeked(NamedTuple):
    """Hits by topic; `more` counts those not shown, `skipped` are (slug, reason) of unreadable topics."""

    hits: tuple[Found, ...]
    more: int
    skipped: tuple[tuple[str, str], ...]


def listed(hub: Path) -> Listed:
    """Return the topics of a hub; raises NotAWiki where there is none, or no usable registry."""
    registry = load_hub(hub)
    active: list[Topic] = []
    archived: list[Topic] = []
    for entry in registry.entries.values():
        row = Topic(entry.slug, entry.path, entry.description, entry.archived, entry.archive_reason)
        (archived if entry.status == "archived" else active).append(row)
    archived += [
        Topic(name, f"{layout.TOPIC_ARCHIVE}/{name}", "", "", UNREGISTERED)
        for name in unregistered(hub, registry)
    ]
    return Listed(hub, tuple(sorted(active)), tuple(sorted(archived)))


def unregistered(hub: Path, registry: Registry) -> list[str]:
    """Return the initialised folders in the archive that no entry means, sorted."""
    known = {os.path.realpath(entry.location(hub)) for entry in registry.entries.values() if entry.path}
    found = []
    for name in _names(hub / layout.TOPIC_ARCHIVE):
        path = hub / layout.TOPIC_ARCHIVE / name
        if os.path.realpath(path) in known or name.startswith((".", TEMP_PREFIX)):
            continue
        try:
            if initialised(path):
                found.append(name)
        except WikiError:
            continue
    return found


def peek(hub: Path, query: str) -> Peeked:
    """Look for words in titles, summaries and tags of the indexes of archived topics; no page is opened."""
    words = {fold(word) for word in query.split()}
    words = {word for word in words if len(word) >= SHORT} or words
    registry = load_hub(hub)
    hits: list[Found] = []
    skipped: list[tuple[str, str]] = []
    more = 0
    for row in listed(hub).archived:
        entry = registry.entries.get(row.slug)
        root = entry.location(hub) if entry is not None and entry.path else hub / row.path
        try:
            scored = [(_score(found, words), found) for found in _rows(root, row)]
        except (WikiError, OSError) as error:
            skipped.append((row.slug, str(error)))
            continue
        here = [found for score, found in sorted(scored, key=lambda one: (-one[0], one[1])) if score]
        hits += here[:PEEKED]
        more += len(here[PEEKED:])
    return Peeked(tuple(hits), more, tuple(skipped))


def _score(found: Found, words: set[str]) -> int:
    """Count the words of a question in a row; one in the title counts twice."""
    title, rest = fold(found.title), fold(f"{found.summary} {found.tags}")
    return sum(2 * (word in title) + (word in rest) for word in words)


def _rows(root: Path, row: Topic) -> Iterator[Found]:
    """Yield the topic itself, then the entries of its indexes."""
    config = root / layout.CONFIG
    title = row.slug
    if config.is_file() and not config.is_symlink():
        title = TopicConfig.of(document.page(layout.CONFIG, read_bytes(config))).title or title
    yield Found(row.slug, "", _clean(title), _clean(row.description), "")
    for folder in _FOLDERS:
        for rel in _indexes(root, folder):
            yield from _entries(row.slug, rel, read_bytes(root / rel))


def _indexes(root: Path, folder: str) -> Iterator[str]:
    names = _names(root / folder)
    if layout.INDEX in names and not (root / folder / layout.INDEX).is_symlink():
        yield f"{folder}/{layout.INDEX}"
    for name in names:
        path = root / folder / name
        if not name.startswith(".") and path.is_dir() and not path.is_symlink():
            yield from _indexes(root, f"{folder}/{name}")


def _entries(slug: str, rel: str, data: bytes) -> Iterator[Found]:
    doc = IndexDoc(rel, data)
    folder = rel.rpartition("/")[0]
    for reference in doc.references:
        key = reference.key
        if key.startswith("../") or key.rpartition("/")[2] == layout.INDEX or not layout.is_markdown(key):
            continue
        line = doc.lines[reference.line]
        title = line[reference.label : reference.label_end] if reference.label_end else key
        table = doc.rows.get(reference.line)
        summary = tags = ""
        if table is not None:
            summary = _cell(table, reference.line, ("summary", "description", "goal", "next action"))
            tags = _cell(table, reference.line, ("tags",))
        else:
            summary = line[reference.end :].strip(" -–—:\t") if reference.end else ""
        yield Found(slug, key or folder, _clean(plain_cell(title)), _clean(summary), _clean(tags))


def _cell(table: Table, line: int, names: tuple[str, ...]) -> str:
    cells = table.row(line).cells
    for name in names:
        for at, header in enumerate(table.headers):
            if header.casefold() == name and at < len(cells):
                return plain_cell(cells[at].text)
    return ""


def _clean(text: str) -> str:
    return one_line(mask(text))


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names only
    except (FileNotFoundError, NotADirectoryError):
        return []
