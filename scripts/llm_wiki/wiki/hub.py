"""Making wikis: the hub, topics in it, local wikis of projects (`commands.md` §3 `/wiki`)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import NamedTuple

from llm_wiki.core import git
from llm_wiki.core.errors import BadUsage, Incomplete, Refused, WikiError
from llm_wiki.core.files import printable, read_bytes, sha256
from llm_wiki.core.text import fold, one_line, topic_slug
from llm_wiki.core.transaction import Transaction
from llm_wiki.model import indexes, layout
from llm_wiki.model.indexes import HubTopic
from llm_wiki.wiki.registry import HUB_TOKEN, NAME, Registry
from llm_wiki.wiki.resolve import classify, enclosing, initialised
from llm_wiki.wiki.snapshot import Snapshot
from llm_wiki.wiki.topic import OBSIDIAN, VAULT_SETTINGS, TopicConfig, plan_topic

VERB = "init"


class NewWiki(NamedTuple):
    """A planned wiki, made after `git init` in `repository`.

    The first of `transactions` makes the wiki; the others add lines to files around it, are committed
    before it and are its companions.

    `new_hub` tells that the hub is made (or completed) too. Plan and commit belong under one
    `core.transaction.open_root` of `guard`, or a registry changed meanwhile ends in Conflict.
    """

    path: Path
    kind: str
    name: str
    title: str
    hub: Path | None
    new_hub: bool
    guard: Path
    transactions: tuple[Transaction, ...]
    repository: Path | None


def names_of(name: str, title: str = "") -> tuple[str, str]:
    """Return slug and title of a new topic from what was typed.

    A name that is a slug gives its title in title case. Raises BadUsage when there is neither
    name nor title, or no slug can be made.
    """
    name, title = one_line(name), one_line(title)
    if not name and not title:
        raise BadUsage("a new wiki needs a name", remedy="llm-wiki init NAME")
    slug = topic_slug(name or title)
    if slug == "hub":
        raise BadUsage("`hub` names the hub itself", remedy="choose another name")
    if not title:
        title = name.replace("-", " ").title() if name == slug else name
    return slug, title


def new_topic(
    hub: Path,
    name: str,
    today: date,
    *,
    title: str = "",
    description: str = "",
    git_repository: bool = False,
    obsidian: bool = False,
) -> NewWiki:
    """Plan a topic in a hub; the hub is made, or completed when half of it is there.

    Raises BadUsage (no name), Refused when the slug is taken, active or archived, or the folder
    of the hub holds something else, NotAWiki for an unusable registry.
    """
    slug, title = names_of(name, title)
    kind = classify(hub)
    _check_hub(hub, kind)
    registry = Registry.load(hub)
    registry.require_usable()
    _check_free(hub, slug, registry)
    folder = f"topics/{slug}"
    tx = Transaction(hub, VERB, summary=f"topic {slug}", also_lock=(hub / folder,))
    topics = _complete(tx, hub, registry)
    registry.set_topic(slug, folder, description or title, status="active")
    tx.write(NAME, registry.to_bytes(), expect=registry.digest)
    added = HubTopic(slug, f"{folder}/{layout.INDEX}", title, description or title)
    plan_index(tx, hub, [*topics, added], today)
    settings = _settings(hub / folder)
    plan_topic(tx, folder, title, today, description=description, obsidian=obsidian, settings=settings)
    tx.log(VERB, f"created topic {slug}")
    attributes, repository = _attributes(tx, hub, git_repository=git_repository)
    made = (tx,) if attributes is None else (tx, attributes)
    return NewWiki(hub / folder, "topic", slug, title, hub, kind != "hub", hub, made, repository)


def new_local(
    project: Path, name: str, today: date, *, title: str = "", description: str = "", obsidian: bool = False
) -> NewWiki:
    """Plan the local wiki `.wiki` of a project, which Git is told to ignore.

    Without a name it is called after the project's folder. Raises Refused when `.wiki` is taken, or
    would lie inside another wiki.
    """
    path = project / ".wiki"
    _check_outside(path)
    if not _is_free(path):
        raise Refused(f"{path} is there already", path=path, remedy="llm-wiki status --local shows it")
    title = one_line(title or name or printable(project.name))
    tx = Transaction(path, VERB, summary="local wiki")
    settings = _settings(path)
    plan_topic(tx, "", title, today, description=description, obsidian=obsidian, settings=settings)
    made = [tx]
    ignore = project / ".gitignore"
    before = read_bytes(ignore) if os.path.lexists(ignore) else None
    lines = lines_to_add(before, (".wiki/",), same=(".wiki", "/.wiki", "/.wiki/"))
    if lines:
        side = Transaction(project, VERB, summary="ignore .wiki")
        _plan_lines(side, ".gitignore", lines, before)
        made.append(side)
    return NewWiki(path, "local", project.name, title, None, False, path, tuple(made), None)


def may_become_hub(hub: Path) -> bool:
    """Tell whether a place is free for a new hub: nothing is there, or nothing that anybody put there."""
    kind = classify(hub)
    return kind == "missing" or (kind == "none" and not _strange(hub))


def hub_topics(snapshot: Snapshot) -> list[HubTopic]:
    """Return the registered topics of a hub as its index shows them."""
    return [
        HubTopic(
            slug,
            f"{place.rel or place.entry.path}/{layout.INDEX}",
            place.title,
            place.entry.description,
            place.entry.status == "archived",
            absent=not place.initialised,
        )
        for slug, place in snapshot.places.items()
    ]


def lines_to_add(before: bytes | None, lines: Iterable[str], *, same: Iterable[str] = ()) -> list[str]:
    """Return those of the lines that a file lacks; none where a spelling of `same` is there."""
    present = {line.strip() for line in (before or b"").splitlines()}
    if present & {os.fsencode(line) for line in same}:
        return []
    return [line for line in lines if os.fsencode(line) not in present]


def _plan_lines(tx: Transaction, rel: str, lines: list[str], before: bytes | None) -> None:
    """Add whole lines at the end of a file; its line ending is kept, and `undo` removes these lines alone."""
    if before and not before.endswith(b"\n") and b"\r\n" in before:
        data = b"\r\n".join([before, *map(os.fsencode, lines), b""])
        tx.write(rel, data, expect=sha256(before))
    else:
        tx.append(rel, lines)


def merge_lines(below: str) -> list[str]:
    """Return the Git attributes that merge logs and indexes line by line (`wiki-format.md` §6.9).

    `below` is the path of the hub inside its work tree, "" when it is the top.
    """
    if not below:
        return list(layout.GITATTRIBUTES)
    folder = re.sub(r"([\\*?\[!#])", r"\\\1", below)
    found = []
    for line in layout.GITATTRIBUTES:
        pattern, _, attribute = line.partition(" ")
        pattern = f"{folder}/**/{pattern}"
        if re.search(r'[\s"]', pattern):
            pattern = '"' + pattern.replace("\\", "\\\\").replace('"', '\\"') + '"'
        found.append(f"{pattern} {attribute}")
    return found


def _check_hub(hub: Path, kind: str) -> None:
    if kind == "hub":
        return
    if kind != "topic":
        _check_outside(hub)
    if kind in ("half-hub", "missing"):
        return
    if kind == "file":
        raise Refused(f"{hub} is a file", path=hub, remedy="name another folder with --hub PATH")
    if kind == "topic":
        raise Refused(f"{hub} is a topic wiki, not a hub", path=hub, remedy="use --hub PATH for the hub")
    strange = _strange(hub)
    if strange:
        raise Refused(
            f"{hub} is no hub and holds other things: {printable(', '.join(strange[:3]))}",
            path=hub,
            remedy="leave it as it is and put the hub beside it: --hub PATH",
        )


def _strange(hub: Path) -> list[str]:
    return sorted(
        entry.name
        for entry in os.scandir(hub)
        if layout.judge_hub(entry.name, is_folder=entry.is_dir(), git_root=True) == "unexpected"
    )


def _check_outside(path: Path) -> None:
    """Refuse a place inside another wiki: its linter, its index and its undo know nothing of a second one."""
    wiki = enclosing(path)
    if wiki is not None:
        raise Refused(
            f"{path} lies inside the wiki {wiki}", path=path, remedy="choose a folder outside of it"
        )


def _check_free(hub: Path, slug: str, registry: Registry) -> None:
    taken = {fold(known): entry for known, entry in registry.entries.items()}
    entry = taken.get(fold(slug))
    if entry is None and slug in registry.data.get("wikis", {}):
        raise Refused(
            f"{slug} stands in the registry, but not as an entry",
            path=hub / NAME,
            remedy="correct wikis.json",
        )
    archive = hub / "topics" / ".archive" / slug
    if (entry is not None and entry.status == "archived") or os.path.lexists(archive):
        raise Refused(
            f"{slug} is taken by an archived topic",
            path=archive,
            remedy=f"`llm-wiki archive restore {slug}` brings it back, or choose another name",
        )
    place = hub / "topics" / slug
    if entry is not None or initialised(place):
        raise Refused(f"there is a topic {slug} already", path=place, remedy="choose another name")
    # an empty folder may be one whose files are still to come
    if os.path.lexists(place) and not (_is_free(place) and (place / OBSIDIAN).is_dir()):
        raise Refused(
            f"topics/{slug} is there already, but is no topic", path=place, remedy="choose another name"
        )


def _complete(tx: Transaction, hub: Path, registry: Registry) -> list[HubTopic]:
    """Add what a hub lacks; return its topics. Topics of a lost registry are registered again."""
    if not registry.exists:
        registry.data = {"default": HUB_TOKEN, "wikis": {}, "local_wikis": []}
        registry.set_topic("hub", HUB_TOKEN, "the hub itself")
    tx.mkdir("topics")
    if not os.path.lexists(hub / layout.LOG):
        tx.write(layout.LOG, b"# Wiki Activity Log\n", expect=None)
    if not (hub / "topics").is_dir():
        return []
    snapshot = Snapshot.load(hub, "hub", use_cache=False)
    if registry.exists:
        return hub_topics(snapshot)
    found = []
    for place in ("topics", layout.TOPIC_ARCHIVE):
        for slug in snapshot.dirs.get(place, ()):
            folder = f"{place}/{slug}"
            if slug.startswith(".") or not _is_topic(hub / folder):
                continue
            title = TopicConfig.of(snapshot.pages.get(f"{folder}/{layout.CONFIG}")).title
            archived = place != "topics"
            if slug not in registry.entries:
                registry.set_topic(slug, folder, title, status="archived" if archived else "")
                found.append(HubTopic(slug, f"{folder}/{layout.INDEX}", title, title, archived))
    return found


def plan_index(
    tx: Transaction, hub: Path, topics: list[HubTopic], today: date, *, instead: bytes | None = None
) -> None:
    """Bring the index of a hub in line with its topics: merged into what is there, or made.

    `instead` are bytes to start from, of an index whose links were rewritten.
    """
    path = hub / layout.INDEX
    before = read_bytes(path) if os.path.lexists(path) else None
    keys = [entry.name for entry in os.scandir(hub)] if hub.is_dir() else []
    contract = indexes.hub(topics, keys)
    day = today.isoformat()
    base = before if instead is None else instead
    after = indexes.render(contract, day) if base is None else indexes.merge(base, contract, day)
    tx.write(layout.INDEX, after, expect=None if before is None else sha256(before))


def _attributes(
    tx: Transaction, hub: Path, *, git_repository: bool
) -> tuple[Transaction | None, Path | None]:
    """Plan the `.gitattributes` of the work tree that holds the hub; a hub Git ignores needs none.

    Returns a transaction of its own when the top lies above the hub, and where to `git init`.
    """
    top = git.worktree(hub)
    repository = hub if top is None and git_repository else None
    real = Path(os.path.realpath(hub))
    if top is None and repository is None:
        return None, None
    below = "" if top is None or top == real else os.path.relpath(real, top).replace(os.sep, "/")
    if below and _ignored(top or real, below):
        return None, repository
    place = hub if not below else top or hub
    path = place / ".gitattributes"
    before = read_bytes(path) if os.path.lexists(path) else None
    lines = lines_to_add(before, merge_lines(below))
    if not lines:
        return None, repository
    target = tx if not below else Transaction(place, VERB, summary="merge rules for the wiki")
    _plan_lines(target, ".gitattributes", lines, before)
    return (None if target is tx else target), repository


def _ignored(top: Path, below: str) -> bool:
    try:
        git.run(["check-ignore", "-q", "--", f"{below}/"], top)
    except Incomplete:
        return False
    return True


def _is_topic(path: Path) -> bool:
    try:
        return initialised(path)
    except WikiError:
        return False


def _settings(root: Path) -> bytes | None:
    """Return the settings of Obsidian that a folder has already."""
    path = root / VAULT_SETTINGS
    return read_bytes(path) if os.path.lexists(path) else None


def _is_free(path: Path) -> bool:
    """Tell whether a wiki may be made in a folder: nothing is there but settings of Obsidian, if anything."""
    if not os.path.lexists(path):
        return True
    if path.is_symlink() or not path.is_dir():
        return False
    return all(name == OBSIDIAN or layout.is_ignored(name) for name in os.listdir(path))  # noqa: PTH208
