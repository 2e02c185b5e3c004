"""What decisions wrote in a topic, also where the run that decided was killed before it had noted it."""

from __future__ import annotations

from pathlib import Path

from llm_wiki.core.transaction import Change, open_root
from llm_wiki.ops.returning import allowed


def settle(root: Path) -> None:
    """Finish or take back what a killed run left half-done in a root."""
    with open_root(root):
        return


def transaction_of(root: Path, path: str) -> str:
    """Return the id of the transaction that made a file and can still be undone, "" without one."""
    from llm_wiki.core import undo

    for record in undo.records(root):
        if record.state == "done" and any(each.path == path and not each.to for each in record.changes):
            return record.id
    return ""


def taken_back(root: Path, transaction: str, hub: Path | None = None) -> tuple[Change, ...]:
    """Undo a transaction and return what it had changed; one that is undone already stays so.

    Raises what `core.undo.undo` and `ops.returning.allowed` raise.
    """
    from llm_wiki.core import undo

    settle(root)
    for record in undo.records(root):
        if record.id == transaction and record.state == "undone":
            return record.changes
    return undo.undo(root, transaction, allow=allowed(hub)).changes
