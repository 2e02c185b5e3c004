"""Indexes as the files say they must be: the contract of a folder or hub, rendered or merged at a date."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from llm_wiki.lint.fixes.step import Stand
from llm_wiki.model import indexes, layout
from llm_wiki.model.indexes import Contract
from llm_wiki.wiki.hub import hub_topics

if TYPE_CHECKING:
    from llm_wiki.wiki.snapshot import Snapshot


def contract_of(snapshot: Snapshot, rel: str) -> Contract | None:
    """Return what an index must hold, None for a file that is no index of the format."""
    folder, _, name = rel.rpartition("/")
    if name != layout.INDEX:
        return None
    if snapshot.kind == "hub":
        return None if folder else hub_contract(snapshot)
    return indexes.contract(folder, snapshot)


def without(contract: Contract, paths: Collection[str]) -> Contract:
    """Return a contract that asks for no row of these files; a row that is there may stay."""
    if not paths:
        return contract
    sections = tuple(
        section._replace(entries=tuple(entry for entry in section.entries if entry.rel not in paths))
        for section in contract.sections
    )
    return replace(contract, sections=sections)


def hub_contract(snapshot: Snapshot) -> Contract:
    """Return what the index of a hub must hold, from its registry."""
    return indexes.hub(hub_topics(snapshot), snapshot.keys)


def rendered(stand: Stand, contract: Contract) -> bytes:
    """Return a whole new index."""
    return indexes.render(contract, stand.today.isoformat())
