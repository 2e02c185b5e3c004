"""Whose tombstones bind a root: all topics of its hub; of a local wiki its own (`doctrine.md` §2)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from llm_wiki.core.files import failure
from llm_wiki.model.layout import TOPICS
from llm_wiki.wiki.registry import Registry
from llm_wiki.wiki.resolve import find_hub

ARCHIVE = ".archive"


def roots_of(root: Path, hub: Path | None) -> list[tuple[Path, str]]:
    """Return the (folder, slug) of all roots whose tombstones bind a root: itself, and all of its hub.

    Of a hub those are the topics of its registry, archived and external ones included, and every folder in
    `topics/` and `topics/.archive/` that has no entry. `hub` is the one the caller knows; the one around
    the root, and the user's own where its registry lists the root, count in any case. A folder that is not
    there binds nothing. Raises NotAWiki for a registry that cannot be used, Unreadable for a folder that
    cannot be listed: what is not seen could hold.
    """
    found: dict[str, tuple[Path, str]] = {}
    for owner in _hubs(root, hub):
        for path, name in _topics(owner):
            found.setdefault(os.path.realpath(path), (path, name))
    if root != Path():
        found.setdefault(os.path.realpath(root), (root, _name(root)))
    return list(found.values())


def _hubs(root: Path, hub: Path | None) -> list[Path]:
    """Return the hubs a root belongs to, each once."""
    hubs = [] if hub is None else [hub]
    folder = root.parent.parent if root.parent.name == ARCHIVE else root.parent
    if root != Path() and folder.name == TOPICS:
        hubs.append(folder.parent)
    own = find_hub()
    if os.path.realpath(own) not in map(os.path.realpath, hubs) and _lists(own, root):
        hubs.append(own)
    return list({os.path.realpath(each): each for each in hubs}.values())


def _lists(hub: Path, root: Path) -> bool:
    """Tell whether a hub is the root or its registry lists it; raises NotAWiki where that cannot be told."""
    registry = Registry.load(hub)
    registry.require_usable()
    real = os.path.realpath(root)
    places = [entry.location(hub) for entry in registry.entries.values() if entry.path and not entry.foreign]
    return real in map(os.path.realpath, (hub, *places))


def _topics(hub: Path) -> Iterator[tuple[Path, str]]:
    registry = Registry.load(hub)
    registry.require_usable()
    for entry in registry.entries.values():
        if entry.path and not entry.foreign:
            yield entry.location(hub), entry.slug
    for place in (hub / TOPICS, hub / TOPICS / ARCHIVE):
        for name in _folders(place):
            if name != ARCHIVE:
                yield place / name, name


def _folders(place: Path) -> list[str]:
    try:
        with os.scandir(place) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise failure("list", place, error) from error


def _name(root: Path) -> str:
    return root.parent.name if root.name == ".wiki" else root.name
