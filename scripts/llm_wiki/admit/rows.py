"""Index rows of sources: the indexes above a file, brought up to date in the same transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from llm_wiki.core.files import sha256
from llm_wiki.core.transaction import Transaction
from llm_wiki.model import indexes
from llm_wiki.wiki.snapshot import Snapshot


def plan_rows(
    tx: Transaction,
    snapshot: Snapshot,
    files: Mapping[str, bytes | None],
    today: date,
    *,
    missing: bool = True,
) -> dict[str, bytes]:
    """Merge the rows of files into every index above them; return by path what each then is.

    `files` are those that come, change, or (None) go; an index among them is merged from the bytes given.

    An index of a content folder that is missing is rendered unless `missing` is off, a missing master index
    is left to lint.
    Each index is merged against the tree as it will be, so that counts and rows agree.
    """
    changes: dict[str, bytes | None] = dict(files)
    written: dict[str, bytes] = {}
    for folder in _above(files):
        after = snapshot.overlay(changes)
        contract = indexes.contract(folder, after)
        if contract is None:
            continue
        index = contract.index
        if index in snapshot.files:
            old = snapshot.read(index)
            new = indexes.merge(changes.get(index) or old, contract, today.isoformat())
            if new != old:
                tx.write(index, new, expect=sha256(old))
        elif folder and missing:
            new = indexes.render(contract, today.isoformat())
            tx.write(index, new, expect=None)
        else:
            continue
        changes[index] = written[index] = new
    return written


def _above(files: Iterable[str]) -> list[str]:
    """Return the folders above files, deepest first, the root ("") last."""
    found: set[str] = set()
    for rel in files:
        folder = rel
        while folder:
            folder = folder.rpartition("/")[0]
            found.add(folder)
    return sorted(found, key=lambda folder: (-(folder.count("/") + bool(folder)), folder))
