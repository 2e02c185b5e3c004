"""The topic guide on disk: created once, never rewritten (`archive-retract.md` §4)."""

from __future__ import annotations

from typing import NamedTuple

from llm_wiki.core import clock
from llm_wiki.core.errors import BadUsage, NothingFound
from llm_wiki.core.transaction import Transaction, open_root
from llm_wiki.model import layout
from llm_wiki.ops.trees import load
from llm_wiki.wiki import guide
from llm_wiki.wiki.resolve import Root
from llm_wiki.wiki.snapshot import Snapshot


class Adopted(NamedTuple):
    """`action` is `created`, `would-create` or `already-present`; `state` that of the guide there is then."""

    action: str
    state: str
    transaction: str | None


def topic(root: Root) -> Snapshot:
    """Return the snapshot of a root that can have a guide. Raises `BadUsage` for a hub."""
    if root.kind == "hub":
        raise BadUsage("a hub has no topic guide", path=root.path, remedy="name a topic with --wiki SLUG")
    return load(root)


def adopt(root: Root, state: str, *, dry_run: bool) -> Adopted:
    """Write the starter guide where there is none. An existing guide is never touched."""
    with open_root(root.path):
        snapshot = topic(root)
        known = guide.status(snapshot)
        if known.exists:
            return Adopted("already-present", known.state, None)
        if dry_run:
            return Adopted("would-create", state, None)
        tx = Transaction(root.path, "schema", summary=f"adopt {state} topic guide")
        tx.write(
            layout.SCHEMA,
            guide.starter(snapshot.config.title or root.name, clock.today(), state),
            expect=None,
        )
        tx.log("schema", f"adopted the default {state} topic guide")
        return Adopted("created", state, tx.commit())


def text_of(root: Root) -> bytes:
    """Return the bytes of the guide. Raises `NothingFound` when there is none."""
    snapshot = topic(root)
    if layout.SCHEMA not in snapshot.files:
        raise NothingFound(
            "this wiki has no topic guide",
            path=root.path / layout.SCHEMA,
            remedy="`llm-wiki schema adopt` writes one",
        )
    return snapshot.read(layout.SCHEMA)
