"""Where the user stands: what a root is, what it holds, and the next sensible step."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any, NamedTuple

from llm_wiki.core.errors import NotAWiki, WikiError
from llm_wiki.core.transaction import interrupted
from llm_wiki.model import layout
from llm_wiki.ops import navigation
from llm_wiki.ops.activity import entries
from llm_wiki.ops.trees import Progress, load
from llm_wiki.wiki.hub import may_become_hub
from llm_wiki.wiki.registry import Registry
from llm_wiki.wiki.resolve import Root, find_hub, initialised, resolve
from llm_wiki.wiki.snapshot import Snapshot


class Topic(NamedTuple):
    """One active topic of a hub, counted from names alone."""

    slug: str
    path: Path
    initialised: bool
    sources: int
    articles: int


def describe(root: Root) -> dict[str, Any]:
    """Return what `resolve` prints: identity, state and stale indexes of a root (`commands.md` §1)."""
    snapshot = load(root)
    title = snapshot.config.title if root.kind != "hub" else root.name
    guide = snapshot.pages.get(layout.SCHEMA)
    state = "missing" if guide is None else guide.text("schema_state") or guide.text("status") or "present"
    return {
        "hub": None if root.hub is None else str(root.hub),
        "root": str(root.path),
        "name": root.name,
        "title": title or root.name,
        "kind": root.kind,
        "status": root.status,
        "initialized": root.kind == "hub" or initialised(root.path),
        "schema_state": None if root.kind == "hub" else state,
        "stale_indexes": navigation.stale(snapshot),
    }


def topics(hub: Path) -> tuple[list[Topic], int]:
    """Return the active topics of a hub and the number of archived ones.

    Raises NotAWiki when the registry cannot be used: no topic known is not the same as none there.
    """
    registry = Registry.load(hub)
    registry.require_usable()
    active, archived = [], 0
    for slug, entry in sorted(registry.entries.items()):
        if entry.status == "archived":
            archived += 1
            continue
        path = entry.location(hub)
        active.append(
            Topic(
                slug,
                path,
                initialised(path),
                _count(path, "raw", layout.RAW_FOLDERS),
                _count(path, "wiki", layout.WIKI_FOLDERS),
            )
        )
    return active, archived


def _count(root: Path, plane: str, folders: tuple[str, ...]) -> int:
    total = 0
    for folder in folders:
        try:
            names = [path.name for path in (root / plane / folder).iterdir()]
        except OSError:
            continue
        total += sum(layout.is_markdown(name) and name != layout.INDEX for name in names)
    return total


def counts(snapshot: Snapshot) -> dict[str, int]:
    """Return what a topic holds: sources, articles, records, data sets, outputs, projects."""
    records = sum(len(snapshot.in_folder(f"inventory/{folder}")) for folder in layout.RECORD_FOLDERS)
    named = [rel for rel in snapshot.files if not layout.is_hidden(rel)]
    manifests = [rel for rel in named if rel.startswith("datasets/") and rel.endswith(f"/{layout.MANIFEST}")]
    projects = [
        rel for rel in named if rel.startswith(f"{layout.PROJECTS}/") and rel.endswith(f"/{layout.WHY}")
    ]
    return {
        "sources": sum(len(snapshot.in_folder(f"raw/{folder}")) for folder in layout.RAW_FOLDERS),
        "articles": sum(len(snapshot.in_folder(f"wiki/{folder}")) for folder in layout.WIKI_FOLDERS),
        "inventory": records,
        "datasets": len(manifests),
        "outputs": len(snapshot.in_folder("output")),
        "projects": len(projects),
        "inbox": sum(not name.startswith(".") for name in snapshot.dirs.get(layout.INBOX, ())),
    }


def status(root: Root, progress: Progress | None = None) -> dict[str, Any]:
    """Return everything `status` shows of a root; `next` is the advice, most urgent first."""
    data: dict[str, Any] = {
        "root": str(root.path),
        "name": root.name,
        "kind": root.kind,
        "status": root.status,
    }
    open_ = [name.partition(".")[0] for name in interrupted(root.path)]
    if root.kind == "hub":
        active, archived = topics(root.path)
        data["topics"] = [t._asdict() | {"path": str(t.path)} for t in active]
        data["archived"] = archived
        data["capture"] = captured(root.path)
        advice = _hub_advice(root.path, active)
    else:
        snapshot = load(root, progress=progress)
        data["title"] = snapshot.config.title or root.name
        data["counts"] = counts(snapshot)
        data["stale_indexes"] = navigation.stale(snapshot)
        data["unreadable"] = [rel for rel, code, _ in snapshot.problems if code == "unreadable"]
        advice = _topic_advice(root, data)
    data["interrupted"] = open_
    data["log"] = [{"date": e.date, "operation": e.operation, "text": e.text} for e in entries(root.path, 3)]
    if open_:
        advice.insert(
            0, f"llm-wiki lint --fix {named(root)}    finishes or takes back the interrupted change"
        )
    data["next"] = advice
    return data


def captured(place: Path) -> dict[str, Any] | None:
    """Return what is so with capturing sessions in a hub or `.wiki`; None where it never was on."""
    from llm_wiki.hook.store import Store
    from llm_wiki.sessions.folder import Folder
    from llm_wiki.sessions.overview import overview

    folder = place / ".sessions"
    if not folder.is_dir():
        return None
    seen = overview(Folder(Store(str(folder)), place, local=False))
    return {
        "level": seen.settings.level,
        "why_off": seen.settings.why or seen.here,
        "sessions": seen.sessions,
        "errors": len(seen.errors),
    }


def _hub_advice(hub: Path, active: list[Topic]) -> list[str]:
    which = of_hub(hub)
    if not active and _unregistered(hub):
        return [f"llm-wiki lint --fix {which}   registers the topics that wikis.json does not name"]
    if not active:
        return [f"llm-wiki init NAME {which}   makes the first topic"]
    empty = next((t for t in active if t.initialised and not t.sources), None)
    if empty is not None:
        return [f"llm-wiki ingest URL|FILE {which}--wiki {empty.slug}    feeds {empty.slug} its first source"]
    return [
        f"llm-wiki status {which}--wiki {active[0].slug}    looks into a topic",
        f"llm-wiki lint {which}   checks the hub",
    ]


def _unregistered(hub: Path) -> bool:
    try:
        return any(initialised(path) for path in (hub / "topics").iterdir() if path.name != ".archive")
    except (WikiError, OSError):
        return False


def of_hub(hub: Path) -> str:
    """Return the arguments that name a hub from here: none for the configured one."""
    try:
        return "" if hub == find_hub() else f"--hub {shlex.quote(str(hub))} "
    except WikiError:
        return f"--hub {shlex.quote(str(hub))} "


def named(root: Root, option: str = "") -> str:
    """Return the arguments that name a root from here, whatever hub is configured.

    `option` stands before its path, for verbs whose argument is something else.
    """
    if root.kind == "hub":
        return of_hub(root.path).rstrip()
    if root.path == Path.cwd() / ".wiki":
        return "--local"
    where = f"{option}{shlex.quote(str(root.path))}"
    if root.hub is not None:
        where = f"{of_hub(root.hub)}--wiki {root.name}"
    return where + (" --include-archived" if root.status == "archived" else "")


def _topic_advice(root: Root, data: dict[str, Any]) -> list[str]:
    where = named(root)
    fed = named(root, "--root ")
    counted = data["counts"]
    if not counted["sources"]:
        return [f"llm-wiki ingest URL|FILE {fed}    feeds it a source"]
    if data["stale_indexes"]:
        return [f"llm-wiki index rebuild {where}    brings its indexes in line"]
    if counted["inbox"]:
        return [f"llm-wiki ingest FILE {fed}    takes in what waits in the inbox"]
    return [f"llm-wiki lint {where}    checks it"]


def here(hub: str | None = None) -> Root | None:
    """Return the root a bare call means, None when there is no wiki yet.

    Errors other than a missing wiki are raised: a broken configuration must not look like a new user.
    """
    try:
        return resolve(hub=hub)
    except NotAWiki:
        if os.path.lexists(".wiki") or not may_become_hub(find_hub(hub)):
            raise
        return None
