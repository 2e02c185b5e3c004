"""What lies beside a topic in its hub: the one look a rule may take beyond its own root."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from llm_wiki.model import layout

if TYPE_CHECKING:
    from llm_wiki.wiki.snapshot import Snapshot


def is_active_topic(snapshot: Snapshot) -> bool:
    """Tell by its place whether a root is an active topic of a hub: a folder directly in `topics/`."""
    root = snapshot.root
    return snapshot.kind != "hub" and root.parent.name == layout.TOPICS and root.name != ".archive"


def archived_siblings(snapshot: Snapshot) -> frozenset[str]:
    """Return the names of the archived topics beside an active one that exist nowhere else.

    The disk is asked, beyond what the snapshot's walk has seen. What cannot be listed is not there.
    """
    if not is_active_topic(snapshot):
        return frozenset()
    snapshot.asked_disk = True
    topics = snapshot.root.parent
    archived: set[str] = set()
    active: set[str] = set()
    with suppress(OSError):
        active = set(os.listdir(topics))  # noqa: PTH208
        archived = set(os.listdir(topics / ".archive"))  # noqa: PTH208
    return frozenset(name for name in archived - active if not name.startswith("."))
