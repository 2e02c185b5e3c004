"""What follows a write: indexes brought in line, and a look at the files that were touched."""

from __future__ import annotations

from collections.abc import Iterable

from llm_wiki.core import clock
from llm_wiki.core.transaction import Change, Transaction, open_root
from llm_wiki.lint.engine import evaluate
from llm_wiki.lint.finding import Finding
from llm_wiki.ops import navigation
from llm_wiki.ops.trees import Progress, load, require_readable
from llm_wiki.wiki.resolve import Root


def rebuild_indexes(
    root: Root, *, force: bool = False, dry_run: bool = False, progress: Progress | None = None
) -> tuple[tuple[Change, ...], str | None]:
    """Bring every index of a root in line with its files; return the plan and the transaction's id.

    The id is None when nothing had to change or with `dry_run`. Nothing is logged: a derived view
    holds no knowledge of its own.
    """
    with open_root(root.path):
        snapshot = load(root, progress=progress)
        require_readable(snapshot)
        tx = Transaction(root.path, "index", summary="rebuild indexes")
        navigation.plan_rebuild(snapshot, tx, clock.today(), force=force)
        return tx.changes, None if dry_run else tx.commit()


def findings_of(root: Root, paths: Iterable[str]) -> list[Finding]:
    """Lint the root and return what concerns the files just written (reported, never repaired)."""
    wanted = set(paths)
    return [f for f in evaluate(load(root), clock.today()) if f.path in wanted and f.severity != "info"]
