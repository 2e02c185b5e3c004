"""Registry and folders brought to agree again: what a killed program, a lost entry or a sync left behind.

Where a topic lies is the truth: in the archive it is archived, in `topics/` it is active. Nothing is
moved and nothing is guessed: a slug with two folders, or with none, is named and left.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from llm_wiki.core import clock
from llm_wiki.core.errors import WikiError
from llm_wiki.core.transaction import Transaction, open_root
from llm_wiki.model import document, layout
from llm_wiki.wiki.hub import hub_topics, plan_index
from llm_wiki.wiki.registry import NAME, Registry, RegistryEntry
from llm_wiki.wiki.resolve import initialised
from llm_wiki.wiki.snapshot import Snapshot
from llm_wiki.wiki.topic import TopicConfig
from llm_wiki.withdraw.archive_list import unregistered
from llm_wiki.withdraw.archive_places import load_hub

VERB = "archive"


class Repaired(NamedTuple):
    """`recovered` are ids of transactions, finished or undone; `fixed` and `left` are (slug, what)."""

    hub: Path
    recovered: tuple[str, ...]
    fixed: tuple[tuple[str, str], ...]
    left: tuple[tuple[str, str], ...]
    id: str | None


def repair(hub: Path) -> Repaired:
    """Finish or undo what was interrupted, then let the registry say where each topic of the hub lies.

    Raises NotAWiki for a hub without usable registry, Incomplete when an interrupted move cannot be
    finished or undone, Unreadable, LockBusy.
    """
    load_hub(hub)
    with open_root(hub) as recovered:
        registry = load_hub(hub)
        fixed, left = _compare(hub, registry)
        seen = {slug for slug, _ in (*fixed, *left)}
        for name in unregistered(hub, registry):
            if name in seen:
                continue
            if os.path.lexists(hub / layout.TOPICS / name) or name in registry.data.get("wikis", {}):
                left.append((name, f"lies in {layout.TOPIC_ARCHIVE} beside an active topic of that name"))
                continue
            _register(hub, registry, name)
            fixed.append((name, "registered as archived"))
        done = _commit(hub, registry, fixed) if fixed else None
    return Repaired(hub, tuple(recovered), tuple(fixed), tuple(left), done)


def _compare(hub: Path, registry: Registry) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    fixed: list[tuple[str, str]] = []
    left: list[tuple[str, str]] = []
    for slug, entry in list(registry.entries.items()):
        rel = entry.inside(hub) if entry.path else f"{layout.TOPICS}/{slug}"
        if rel is None or rel.rpartition("/")[0] not in (layout.TOPICS, layout.TOPIC_ARCHIVE):
            continue
        usual, away = f"{layout.TOPICS}/{slug}", f"{layout.TOPIC_ARCHIVE}/{slug}"
        if (hub / usual).is_symlink():
            continue  # hidden where it lies
        active, archived = _there(hub / usual), _there(hub / away)
        if active and archived:
            left.append((slug, f"has two folders, {usual} and {away}: move one of them away"))
        elif archived and (entry.status != "archived" or rel != away):
            _say(entry, away)
            fixed.append((slug, "marked as archived"))
        elif active and entry.status == "archived":
            _say(entry, usual)
            fixed.append((slug, "marked as active"))
        elif not active and not archived and not _there(hub / rel):
            left.append((slug, f"has no initialised folder: {rel} is not there"))
    return fixed, left


def _say(entry: RegistryEntry, rel: str) -> None:
    """Let an entry say that its topic lies at a path, and is what that means."""
    data: dict[str, Any] = entry.data
    data["path"] = rel
    today = clock.today().isoformat()
    if rel.startswith(f"{layout.TOPIC_ARCHIVE}/"):
        data["status"] = "archived"
        data.setdefault("archived", today)
    else:
        data["status"] = "active"
        data.pop("archived", None)
        data.pop("archive_reason", None)
        data["restored"] = today


def _register(hub: Path, registry: Registry, name: str) -> None:
    rel = f"{layout.TOPIC_ARCHIVE}/{name}"
    config = hub / rel / layout.CONFIG
    title = name
    if config.is_file() and not config.is_symlink():
        title = TopicConfig.of(document.page(layout.CONFIG, config.read_bytes())).title or name
    registry.set_topic(name, rel, title, status="archived")
    registry.data["wikis"][name]["archived"] = clock.today().isoformat()


def _commit(hub: Path, registry: Registry, fixed: list[tuple[str, str]]) -> str | None:
    names = ", ".join(slug for slug, _ in fixed)
    tx = Transaction(hub, VERB, summary=f"repaired registry: {names}")
    data = registry.to_bytes()
    tx.write(NAME, data, expect=registry.digest)
    after = Snapshot.load(hub, "hub", use_cache=False).overlay({NAME: data})
    plan_index(tx, hub, hub_topics(after), clock.today())
    tx.log(VERB, tx.summary)
    return tx.commit()


def _there(path: Path) -> bool:
    try:
        return initialised(path)
    except WikiError:
        return False
