"""Where paths lead that leave a topic: into an archived topic of the same hub (W520), or just out (W507)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llm_wiki.model import layout
from llm_wiki.model.links import normal
from llm_wiki.wiki.siblings import is_active_topic

if TYPE_CHECKING:
    from llm_wiki.wiki.snapshot import Snapshot

_HUB = ("<HUB>/", "HUB/")
"""How a path may begin that is meant from the hub (`wiki-format.md` §8.1)."""


def archived_topic(snapshot: Snapshot, path: str) -> str:
    """Return the name of the archived topic a path from the root leads into, or "".

    Such a path goes up to the hub, or is written from the hub on. A topic is also archived if the
    path names the place where it was before.
    """
    if not is_active_topic(snapshot):
        return ""
    if path.startswith("../"):
        path = normal(f"{layout.TOPICS}/{snapshot.root.name}", path)
    parts = path.split("/")
    if parts[0] != layout.TOPICS or len(parts) < 2:
        return ""
    if parts[1] == ".archive":
        return parts[2] if len(parts) > 2 else ""
    beside = path.startswith(f"{layout.TOPICS}/") and parts[1] != snapshot.root.name
    return parts[1] if beside and parts[1] in snapshot.archived_siblings else ""


def archived_source(snapshot: Snapshot, owner: str, item: str) -> str:
    """Return the name of the archived topic that a reference in front matter leads into, or "".

    Besides what links may hold, it may begin with the token of the hub or with its path on this machine.
    """
    if not is_active_topic(snapshot):
        return ""
    hub = f"{snapshot.root.parent.parent}/"
    start = next((start for start in (*_HUB, hub) if item.startswith(start)), "")
    if start:
        return archived_topic(snapshot, normal("", item[len(start) :]))
    folder = owner.rpartition("/")[0] if item.startswith(("./", "../")) else ""
    return archived_topic(snapshot, normal(folder, item))
