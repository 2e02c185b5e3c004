"""The contracts of the two top indexes: a topic's master index and a hub's (`wiki-format.md` §6.1, §6.8)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from llm_wiki.core.errors import WikiError
from llm_wiki.core.text import nfc
from llm_wiki.model import layout
from llm_wiki.model.activity import last_dates
from llm_wiki.model.index_contract import NEVER, Column, Contract, Entry, Facts, Section, Statistic
from llm_wiki.model.index_folders import (
    alive_in,
    count_files,
    manifests,
    markdown_files,
    navigation,
    near_in,
    records,
)
from llm_wiki.model.links import join

_MASTER_LINKS = (
    ("Raw Sources", "raw"),
    ("Inventory", "inventory"),
    ("Datasets", "datasets"),
    ("Concepts", "wiki/concepts"),
    ("Topics", "wiki/topics"),
    ("References", "wiki/references"),
    ("Theses", "wiki/theses"),
    ("Output", "output"),
)


def _log_dates(facts: Facts) -> dict[str, str]:
    if layout.LOG not in facts.dirs.get("", ()):
        return {}
    try:
        return last_dates(facts.read(layout.LOG))
    except (WikiError, KeyError):
        return {}


def master(facts: Facts, title: str = "", dates: dict[str, str] | None = None) -> Contract:
    """Return the contract of a topic's own `_index.md` (§6.1); nothing in it is required.

    `title` defaults to the one of `config.md`. `dates` (operation → date) overrides what `log.md`
    says, for a writer whose log line is not written yet.
    """
    page = facts.pages.get(layout.CONFIG)
    known = {**_log_dates(facts), **(dates or {})}
    counts = (
        ("Sources", count_files("raw", facts), ("Raw sources", "Total sources")),
        ("Articles", count_files("wiki", facts), ("Wiki articles", "Compiled articles", "Total articles")),
        ("Inventory records", len(records(facts)), ("Inventory", "Records")),
        ("Datasets", len(manifests(facts)), ("Total datasets",)),
        ("Outputs", sum(1 for _ in markdown_files("output", facts)), ("Output artifacts", "Total outputs")),
    )
    statistics = [Statistic(name, str(number), aliases) for name, number, aliases in counts]
    statistics.append(Statistic("Last compiled", known.get("compile", NEVER), stamp=True))
    statistics.append(Statistic("Last lint", known.get("lint", NEVER), ("Last linted",), stamp=True))
    sections = (
        Section("Statistics", "statistics", statistics=tuple(statistics)),
        navigation("", (pair for pair in _MASTER_LINKS if pair[1] in facts.dirs)),
    )
    alive = alive_in(facts, sections[1].entries)
    heading = title or (page.text("title") if page else "") or "Wiki Index"
    return Contract(
        folder="",
        label="master index",
        title=heading,
        sections=sections,
        alive=alive,
        dated=True,
        policy="advisory",
        near=near_in(facts),
    )


class HubTopic(NamedTuple):
    """One topic of the registry as the hub index shows it.

    `path` is the link target: relative to the hub where the topic lies inside it, else as
    registered. `title` comes from the topic's `config.md`, `description` from the registry. One that is
    `absent` (registered, not initialised) counts and keeps its row, and gets none.
    """

    slug: str
    path: str
    title: str = ""
    description: str = ""
    archived: bool = False
    absent: bool = False


def hub_key(key: str) -> str:
    """Return the folder a link of the hub index means: `topics/a/_index.md` is the topic `topics/a`."""
    return key.removesuffix(f"/{layout.INDEX}")


def hub(topics: Iterable[HubTopic], keys: Iterable[str] = ()) -> Contract:
    """Return the contract of a hub's `_index.md` (§6.8): active topics by slug, counts.

    `topics` are all registered ones, archived included. `keys` are the files at the hub's own level.
    """
    known = sorted(topics, key=lambda topic: topic.slug)
    active = {_topic_key(topic): topic for topic in known if not topic.archived}
    entries = tuple(
        Entry(topic.path, key, topic.path, topic.slug, also=topic.title)
        for key, topic in active.items()
        if not topic.absent
    )
    columns = (
        Column("Wiki"),
        Column("Title", lambda item: active[item.key].title),
        Column("Description", lambda item: active[item.key].description),
    )
    archived = str(sum(1 for topic in known if topic.archived))
    counts = (Statistic("Active topics", str(len(active))), Statistic("Archived topics", archived))
    sections = (
        Section("Statistics", "statistics", statistics=counts),
        Section("Topic Wikis", "table", entries, columns),
        Section("Archive", "statistics", statistics=(Statistic("Archived topics", archived),)),
    )
    registered = frozenset(map(_topic_key, known))
    files = frozenset(map(nfc, keys))

    def alive(key: str) -> bool:
        if not layout.is_markdown(key) or key in files or key.startswith((".", "/")):
            return True
        topic = "/".join(key.split("/")[: 3 if key.startswith(f"{layout.TOPIC_ARCHIVE}/") else 2])
        return topic in registered if key.startswith("topics/") else "/" in key

    def gone(key: str) -> bool:
        return key not in active and (key in registered or key.startswith("topics/"))

    return Contract(
        folder="",
        label="topic",
        title="Wiki Hub Index",
        sections=sections,
        alive=alive,
        dated=True,
        policy="table",
        gone=gone,
        meant=hub_key,
        by_name=True,
    )


def _topic_key(topic: HubTopic) -> str:
    return hub_key(join(layout.INDEX, topic.path)[0])
