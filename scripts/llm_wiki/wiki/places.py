"""Where the entries of a hub's registry lead, seen from one snapshot of the hub."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from llm_wiki.core.errors import WikiError
from llm_wiki.wiki.registry import RegistryEntry
from llm_wiki.wiki.resolve import classify

if TYPE_CHECKING:
    from llm_wiki.wiki.snapshot import Snapshot


class Place(NamedTuple):
    """One registered topic. `path` is absolute; `rel` relative to the hub, None outside it.

    `state` is a word of `resolve.classify`, or `unreadable`. `initialised` needs an `_index.md`.
    `title` is that of `config.md` for a topic inside the hub, else "".
    """

    entry: RegistryEntry
    path: Path
    rel: str | None
    state: str
    initialised: bool
    title: str


def places_of(snapshot: Snapshot) -> dict[str, Place]:
    """Look at the folder of every registry entry, by slug in the registry's order."""
    assert snapshot.registry is not None
    return {slug: _place(snapshot, entry) for slug, entry in snapshot.registry.entries.items()}


def _place(snapshot: Snapshot, entry: RegistryEntry) -> Place:
    rel = entry.inside(snapshot.root)
    path = entry.location(snapshot.root)
    if rel and rel in snapshot.dirs and rel not in snapshot.closed:
        names = snapshot.dirs[rel]
        page = snapshot.pages.get(f"{rel}/config.md")
        state = "topic" if {"_index.md", "config.md", "raw", "wiki"} & set(names) else "none"
        if {"wikis.json", "topics"} & set(names):
            state = "hub" if {"wikis.json", "topics"} <= set(names) else "half-hub"
        return Place(entry, path, rel, state, "_index.md" in names, page.text("title") if page else "")
    try:
        state = classify(path)
        found = state == "topic" and (path / "_index.md").is_file()
    except (WikiError, OSError):
        state, found = "unreadable", False
    return Place(entry, path, rel, state, found, "")
