"""Index files: what each must hold, how an existing one differs, and how both become one.

One implementation for rules, fixes and the `index` verbs (`wiki-format.md` §6):

    contract(folder, facts)        what the index of a folder must hold ("" is the master index)
    hub(topics, keys)              the same for the index of a hub
    check(data, contract)          how existing bytes differ from it
    merge(data, contract, date)    existing bytes with those differences removed, nothing else changed
    render(contract, date)         a new index

`facts` is a snapshot or anything with its `dirs`, `pages`, `keys` and `read`.
"""

from __future__ import annotations

from llm_wiki.model.index_contract import (
    Column,
    Contract,
    Entry,
    Facts,
    Section,
    Statistic,
)
from llm_wiki.model.index_folders import (
    HubTopic,
    contract,
    folder_title,
    hub,
    indexed_folders,
    markdown_files,
    master,
)
from llm_wiki.model.index_render import render

__all__ = [
    "Column",
    "Contract",
    "Entry",
    "Facts",
    "HubTopic",
    "Section",
    "Statistic",
    "contract",
    "folder_title",
    "hub",
    "indexed_folders",
    "markdown_files",
    "master",
    "render",
]
