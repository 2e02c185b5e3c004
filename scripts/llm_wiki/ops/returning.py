"""Which root an undo is about, also when it would bring that root back."""

from __future__ import annotations

from typing import Any

from llm_wiki.core import undo
from llm_wiki.core.errors import NotAWiki
from llm_wiki.ops.status import of_hub
from llm_wiki.wiki.resolve import Root


def root_to_undo(target: Any) -> Root:
    """Return the root a target names; a place that is no wiki any more counts while it has a past.

    `target` is a `cli.mark.Target`. Raises what `wiki.resolve.resolve` raises.
    """
    root: Root
    try:
        root = target.resolve()
    except NotAWiki:
        root = target.resolve(need_wiki=False)
        if not undo.records(root.path):
            raise
    return root


def hub_hint(root: Root) -> str:
    """Say where the change that made a topic can be taken back: it is one of the hub's; "" if not so."""
    if root.hub is None or root.hub == root.path or not undo.records(root.hub):
        return ""
    return f"changes of the hub, such as init: llm-wiki undo --list {of_hub(root.hub)}".rstrip()
