"""Addresses and texts in a tree that a tombstone holds: how a source is found that nobody knows any more."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from llm_wiki.admit.tombstones import Keys, body_forms, held_among, keys_of_urls, stones_of
from llm_wiki.core.errors import Unreadable
from llm_wiki.core.files import read_bytes
from llm_wiki.model import document, layout
from llm_wiki.wiki.resolve import Root
from llm_wiki.wiki.snapshot import Snapshot
from llm_wiki.withdraw.source_known import Reference

_URL: Final = re.compile(r"https?://[^\s<>\"'`|\\]+", re.IGNORECASE)
_LARGE: Final = 64 * 1024 * 1024
_TAIL: Final = ").,;:!?*_]}'"


def texts_of_inbox(root: Path) -> Iterator[tuple[str, bytes, tuple[str, ...]]]:
    """Yield the regular files of the inbox, hidden folders too: path, bytes, and the hashes of their text."""
    inbox = root / layout.INBOX
    for top, folders, names in os.walk(inbox) if not inbox.is_symlink() else ():
        folders.sort()
        for path in (Path(top, name) for name in sorted(names)):
            if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGE:
                continue
            try:
                data = read_bytes(path)
            except Unreadable:
                continue
            texts = (document.body(data), data.decode("utf-8", "replace"))
            yield path.relative_to(root).as_posix(), data, body_forms(*texts)


def held_things(root: Root, snapshot: Snapshot) -> list[Reference]:
    """Return the places of pages with an address, and the texts in the inbox, that a tombstone holds."""
    stones = [stone for stone in stones_of(root.path, root.hub) if stone.tombstone.root == root.path]
    if not stones:
        return []
    known: dict[str, bool] = {}

    def is_held(url: str) -> bool:
        if url not in known:
            known[url] = held_among(keys_of_urls(url), stones) is not None
        return known[url]

    found = [
        Reference("copy", rel, 0)
        for rel, _, bodies in texts_of_inbox(root.path)
        if held_among(Keys(bodies=bodies), stones) is not None
    ]
    for rel in snapshot.pages:
        text = snapshot.read(rel).decode("utf-8", "replace")
        if "://" not in text:
            continue
        for one in _URL.finditer(text):
            ways = {one[0], one[0].rstrip(_TAIL), one[0].partition(")")[0], one[0].partition("]")[0]}
            if any(map(is_held, ways)):
                found.append(Reference("url", rel, text.count("\n", 0, one.start()) + 1))
    return found
