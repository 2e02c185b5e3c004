"""Index files: what each must hold, how an existing one differs, and how both become one.

One implementation for rules, fixes and the `index` verbs (`wiki-format.md` §6):

    required(folder, facts)        the files that the index of a folder must link
    contract(folder, facts)        what the index of a folder must hold ("" is the master index)
    hub(topics, keys)              the same for the index of a hub
    check(data, contract)          how existing bytes differ from it
    merge(data, contract, date)    existing bytes with those differences removed, nothing else changed
    render(contract, date)         a new index

`facts` is a snapshot or anything with its `dirs`, `pages`, `keys`, `exists` and `read`.
"""

from __future__ import annotations

from llm_wiki.model.index_contract import Column, Contract, Entry, Facts, Section, Statistic
from llm_wiki.model.index_differences import (
    Dead,
    Differences,
    Doubled,
    Respelt,
    Undated,
    WrongCell,
    WrongStatistic,
)
from llm_wiki.model.index_folders import (
    folder_contract,
    folder_title,
    indexed_folders,
    markdown_files,
    missing_message,
    required,
)
from llm_wiki.model.index_merge import PARTS, Part, check, merge
from llm_wiki.model.index_parse import IndexDoc
from llm_wiki.model.index_render import render
from llm_wiki.model.index_roots import HubTopic, hub, master

__all__ = [
    "PARTS",
    "Column",
    "Contract",
    "Dead",
    "Differences",
    "Doubled",
    "Entry",
    "Facts",
    "HubTopic",
    "IndexDoc",
    "Part",
    "Respelt",
    "Section",
    "Statistic",
    "Undated",
    "WrongCell",
    "WrongStatistic",
    "check",
    "contract",
    "folder_title",
    "hub",
    "indexed_folders",
    "markdown_files",
    "master",
    "merge",
    "missing_message",
    "render",
    "required",
]


def contract(folder: str, facts: Facts) -> Contract | None:
    """Return the contract of a folder of a topic wiki; the root ("") has that of the master index.

    None: a folder outside the five content folders, or with a component that starts with a dot.
    Whether the folder or its index exists does not matter.
    """
    return folder_contract(folder, facts) if folder else master(facts)
