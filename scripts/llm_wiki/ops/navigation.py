"""Indexes of a root as a whole: how they differ from the files, and bringing them in line."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from llm_wiki.core.errors import BadUsage
from llm_wiki.core.files import sha256
from llm_wiki.core.transaction import Transaction
from llm_wiki.model import indexes, layout
from llm_wiki.model.index_contract import Contract
from llm_wiki.model.index_differences import Differences
from llm_wiki.wiki.hub import hub_topics
from llm_wiki.wiki.snapshot import Snapshot


class Compared(NamedTuple):
    """One index beside its contract; `exists` tells a stale index from a missing one."""

    contract: Contract
    exists: bool
    differences: Differences

    @property
    def stale(self) -> bool:
        """Whether the index has to be made or changed."""
        return not self.exists or bool(self.differences)


def contracts(snapshot: Snapshot) -> Iterator[Contract]:
    """Yield the contract of every index the root needs or has: leaves first, the master or hub index last."""
    if snapshot.kind == "hub":
        yield _hub(snapshot)
        return
    wanted = set(indexes.indexed_folders(snapshot))
    wanted |= set(layout.required_indexes(snapshot.dirs))
    for folder in sorted(wanted, key=lambda f: (-(f.count("/") + bool(f)), f)):
        contract = indexes.contract(folder, snapshot)
        if contract is not None:
            yield contract


def _hub(snapshot: Snapshot) -> Contract:
    """Return the contract of a hub's index. Raises NotAWiki when its registry cannot be used."""
    assert snapshot.registry is not None
    snapshot.registry.require_usable()
    return indexes.hub(hub_topics(snapshot), snapshot.keys)


def compare(snapshot: Snapshot) -> list[Compared]:
    """Compare every index of the root with its contract; a topic without differences gives no stale one."""
    found = []
    for contract in contracts(snapshot):
        exists = contract.index in snapshot.files
        differences = (
            indexes.check(snapshot.read(contract.index), contract)
            if exists
            else Differences(missing=contract.entries)
        )
        found.append(Compared(contract, exists, differences))
    return found


def stale(snapshot: Snapshot) -> list[str]:
    """Return the paths of indexes that do not agree with the files they describe."""
    return [one.contract.index for one in compare(snapshot) if one.stale]


def plan_rebuild(snapshot: Snapshot, tx: Transaction, today: date, *, force: bool = False) -> list[str]:
    """Plan every index into a transaction; return the paths that change.

    An existing index is merged, so that hand-written lines stay; with `force`, or where there is
    none, it is rendered from the files alone.
    """
    changed = []
    tree = snapshot
    for contract in list(contracts(snapshot)):
        exists = contract.index in snapshot.files
        old = snapshot.read(contract.index) if exists else None
        current = contract if snapshot.kind == "hub" else indexes.contract(contract.folder, tree)
        assert current is not None
        if old is None or force:
            new = indexes.render(current, today.isoformat())
        else:
            new = indexes.merge(old, current, today.isoformat())
        if new == old:
            continue
        tx.write(contract.index, new, expect=None if old is None else sha256(old))
        tree = tree.overlay({contract.index: new})
        changed.append(contract.index)
    return changed


def show(snapshot: Snapshot, folder: str, today: date) -> bytes:
    """Return the index of a folder as the files say now, without writing anything.

    An index on disk keeps its hand-written lines. Raises `BadUsage` for a folder that has none.
    """
    name = folder.strip("/").removesuffix(layout.INDEX).rstrip("/")
    name = "" if name == "." else name
    contract = _hub(snapshot) if snapshot.kind == "hub" and not name else indexes.contract(name, snapshot)
    if contract is None or (name and name not in snapshot.dirs):
        raise BadUsage(
            f"there is no index for the folder {folder!r}", remedy="`llm-wiki index check` lists the folders"
        )
    if contract.index in snapshot.files:
        return indexes.merge(snapshot.read(contract.index), contract, today.isoformat())
    return indexes.render(contract, today.isoformat())


def describe(one: Compared) -> list[str]:
    """Return the differences of one index as short sentences."""
    found = one.differences
    if not found.readable:
        return ["is not readable as text"]
    lines = [f"missing: {entry.rel}" for entry in found.missing]
    lines += [f"line {dead.line}: link to nothing: {dead.target}" for dead in found.dead]
    lines += [f"line {gone.line}: no longer active: {gone.target}" for gone in found.gone]
    lines += [f"line {twin.line}: said twice: {twin.name}" for twin in found.doubled]
    lines += [f"line {s.line}: {s.name} says {s.shown}, counted {s.expected}" for s in found.statistics]
    lines += [f"line {c.line}: {c.column} says {c.shown!r}, the page {c.expected!r}" for c in found.cells]
    lines += [f"line {r.line}: {r.target} is spelt {r.rel}" for r in found.respelt]
    return lines + [f"line {u.line}: {u.name} is no date: {u.shown}" for u in found.undated]
