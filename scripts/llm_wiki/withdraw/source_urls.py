"""Addresses in a tree that a tombstone holds: how a source is found whose address nobody knows any more."""

from __future__ import annotations

import re
from typing import Final

from llm_wiki.admit.tombstones import held_among, keys_of_urls, stones_of
from llm_wiki.wiki.resolve import Root
from llm_wiki.wiki.snapshot import Snapshot
from llm_wiki.withdraw.source_known import Reference

_URL: Final = re.compile(r"https?://[^\s<>\"'`|\\]+", re.IGNORECASE)
_TAIL: Final = ").,;:!?*_]}'"


def held_addresses(root: Root, snapshot: Snapshot) -> list[Reference]:
    """Return the places of pages that name an address which a tombstone of the root holds."""
    stones = [stone for stone in stones_of(root.path, root.hub) if stone.tombstone.root == root.path]
    if not stones:
        return []
    known: dict[str, bool] = {}

    def is_held(url: str) -> bool:
        if url not in known:
            known[url] = held_among(keys_of_urls(url), stones) is not None
        return known[url]

    found = []
    for rel in snapshot.pages:
        text = snapshot.read(rel).decode("utf-8", "replace")
        if "://" not in text:
            continue
        for one in _URL.finditer(text):
            ways = {one[0], one[0].rstrip(_TAIL), one[0].partition(")")[0], one[0].partition("]")[0]}
            if any(map(is_held, ways)):
                found.append(Reference("url", rel, text.count("\n", 0, one.start()) + 1))
    return found
