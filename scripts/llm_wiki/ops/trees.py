"""Snapshots as verbs take them: with the notes of the linter, so that one cache serves all."""

from __future__ import annotations

from collections.abc import Callable

from llm_wiki.core.errors import Unreadable
from llm_wiki.lint.engine import RULES_KEY, check_file
from llm_wiki.wiki.resolve import Root
from llm_wiki.wiki.snapshot import Snapshot

Progress = Callable[[int, int], None]


def load(root: Root, *, progress: Progress | None = None) -> Snapshot:
    """Return the snapshot of a root. Raises `Unreadable` when the root cannot be listed."""
    return Snapshot.load(root.path, root.kind, per_file=check_file, per_file_key=RULES_KEY, progress=progress)


def require_readable(snapshot: Snapshot) -> None:
    """Raise `Unreadable` when part of the root could not be read: what follows would be built on gaps."""
    for rel, code, text in snapshot.problems:
        if code == "unreadable":
            raise Unreadable(
                f"cannot read {rel}: {text}",
                path=snapshot.root / rel,
                remedy="make it readable and run again",
            )
