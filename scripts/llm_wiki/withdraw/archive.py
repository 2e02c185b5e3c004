"""Archiving a whole topic of a hub, and bringing it back (`archive-retract.md` §1).

Nothing is deleted: the folder moves between `topics/` and `topics/.archive/`, and the registry says
so. All of it, with the links that cross the border of the topic, is one transaction of the hub: killed
anywhere, the next writing command of the hub finishes or undoes it, and `undo` reverses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from llm_wiki.core import clock
from llm_wiki.core.errors import Refused, WikiError
from llm_wiki.core.files import append_entry, inside
from llm_wiki.core.plan import Changed
from llm_wiki.core.text import one_line
from llm_wiki.core.transaction import Change, Transaction, open_root
from llm_wiki.model import document, layout
from llm_wiki.wiki import log
from llm_wiki.wiki.hub import hub_topics, plan_index
from llm_wiki.wiki.registry import HUB_TOKEN, NAME, Registry
from llm_wiki.wiki.snapshot import Snapshot
from llm_wiki.wiki.topic import TopicConfig
from llm_wiki.withdraw.archive_links import Crossing, Crossings, crossings
from llm_wiki.withdraw.archive_places import Place, active_place, archived_place, load_hub
from llm_wiki.withdraw.archive_specialists import Library

VERB = "archive"

TRIES = 3
"""Plans made before a file that others keep changing is reported."""


class Wishes(NamedTuple):
    """How a topic is to be archived.

    `in_place` hides a topic outside the hub where it lies. `disable_specialists` and `reset_default`
    let go of what would otherwise keep pointing at it.
    """

    reason: str = ""
    in_place: bool = False
    disable_specialists: bool = False
    reset_default: bool = False
    dry_run: bool = False


class Moved(NamedTuple):
    """What was done, or would be: `before` and `after` are absolute folders, the same for one in place.

    `links` were rewritten, `left` could not be; `notes` tell what else its reader should know. `id` is
    that of the transaction, None with a dry run.
    """

    hub: Path
    slug: str
    before: Path
    after: Path
    links: tuple[Crossing, ...]
    left: tuple[Crossing, ...]
    notes: tuple[str, ...]
    changes: tuple[Change, ...]
    id: str | None


def archive_topic(hub: Path, slug: str, wishes: Wishes) -> Moved:
    """Hide a topic. Raises Refused (state), BadUsage, NotAWiki (slug, hub, registry), Unreadable."""
    return _with_locks(hub, lambda: _archive(hub, slug, wishes))


def restore_topic(hub: Path, slug: str, *, dry_run: bool = False) -> Moved:
    """Bring a topic back to `topics/SLUG`, or show again one hidden in place; raises as `archive_topic`."""
    return _with_locks(hub, lambda: _restore(hub, slug, dry_run=dry_run))


def _with_locks(hub: Path, act: Any) -> Moved:
    """Plan and commit while the hub is held; plan anew when a file changed in between."""
    load_hub(hub)
    with open_root(hub):
        for _ in range(TRIES - 1):
            try:
                return act()  # type: ignore[no-any-return]
            except Changed:
                continue
        return act()  # type: ignore[no-any-return]


def _archive(hub: Path, slug: str, wishes: Wishes) -> Moved:
    registry = load_hub(hub)
    place = active_place(hub, registry, slug, in_place=wishes.in_place)
    with open_root(place.path):
        library = Library.load(hub)
        _check_users(registry, library, place, wishes)
        title = _title(place.path) or place.slug
        target = place if place.rel is None else place.moved(f"{layout.TOPIC_ARCHIVE}/{place.slug}")
        entry = _entry(registry, place.slug)
        if place.rel is not None or not entry.get("path"):
            entry["path"] = target.written
        if not entry.get("description"):
            entry["description"] = title
        entry["status"] = "archived"
        entry["archived"] = clock.today().isoformat()
        entry.pop("archive_reason", None)
        if reason := one_line(wishes.reason):
            entry["archive_reason"] = reason
        if wishes.reset_default and registry.default == place.slug:
            registry.data["default"] = HUB_TOKEN
        tx = _transaction(hub, place, target, f"archived topic {place.slug}")
        if wishes.disable_specialists:
            library.plan_without(tx, place.slug)
        return _finish(tx, registry, place, target, library.notes, dry_run=wishes.dry_run)


def _restore(hub: Path, slug: str, *, dry_run: bool) -> Moved:
    registry = load_hub(hub)
    place = archived_place(hub, registry, slug)
    with open_root(place.path):
        target = place if place.rel is None else place.moved(f"{layout.TOPICS}/{place.slug}")
        entry = _entry(registry, place.slug)
        if place.rel is not None:
            entry["path"] = target.written
        if not entry.get("description"):
            entry["description"] = _title(place.path) or place.slug
        entry["status"] = "active"
        entry.pop("archived", None)
        entry.pop("archive_reason", None)
        entry["restored"] = clock.today().isoformat()
        tx = _transaction(hub, place, target, f"restored topic {place.slug}")
        return _finish(tx, registry, place, target, (), dry_run=dry_run)


def _transaction(hub: Path, place: Place, target: Place, text: str) -> Transaction:
    roots = () if place.rel is None else (place.path, target.path)
    tx = Transaction(hub, VERB, summary=text, also_lock=roots)
    tx.log(VERB, text)
    return tx


def _finish(
    tx: Transaction,
    registry: Registry,
    place: Place,
    target: Place,
    notes: Sequence[str],
    *,
    dry_run: bool,
) -> Moved:
    """Add registry, links, the move and the index to a transaction; commit it unless it is a dry run."""
    hub, today = tx.root, clock.today()
    data = registry.to_bytes()
    tx.write(NAME, data, expect=registry.digest)
    found = Crossings((), (), {})
    moves = {}
    if place.rel is not None and target.rel is not None:
        found = crossings(hub, place.rel, target.rel)
        found.plan(tx)
        tx.also_lock = (*tx.also_lock, *(hub / topic for topic in found.topics if topic != place.rel))
        tx.move(place.rel, target.rel)
        tx.log(VERB, tx.summary, log=f"{target.rel}/{layout.LOG}")
        moves[place.rel] = target.rel
    after = Snapshot.load(hub, "hub", use_cache=False).overlay({NAME: data}, moves)
    plan_index(tx, hub, hub_topics(after), today, instead=found.hub_index)
    done = None if dry_run else tx.commit()
    if place.rel is None and done:
        notes = (*notes, *_log_outside(place.path, tx.summary))
    return Moved(
        hub, place.slug, place.path, target.path, found.rewritten, found.left, tuple(notes), tx.changes, done
    )


def _entry(registry: Registry, slug: str) -> dict[str, Any]:
    """Return the entry to change, a new one for a topic that was never registered."""
    entry = registry.data.setdefault("wikis", {}).setdefault(slug, {})
    assert isinstance(entry, dict)  # `load_hub` and the places refuse any other
    return entry


def _title(path: Path) -> str:
    config = path / layout.CONFIG
    if config.is_symlink() or not config.is_file():
        return ""
    return one_line(TopicConfig.of(document.page(layout.CONFIG, config.read_bytes())).title)


def _log_outside(root: Path, text: str) -> tuple[str, ...]:
    """Add the line to the log of a topic outside the hub, which no transaction of the hub can hold."""
    try:
        path = inside(root, layout.LOG)
        if path.is_file():
            append_entry(path, log.entry(VERB, text, clock.today().isoformat()))
    except WikiError as error:
        return (f"its own log has no line of it: {error.message}",)
    return ()


def _check_users(registry: Registry, library: Library, place: Place, wishes: Wishes) -> None:
    """Refuse while something of the hub still points at the topic and nobody said to let go of it."""
    slug = place.slug
    names = library.enabled(slug)
    held, flags = [], []
    if names:
        flags.append("--disable-specialists")
        if not wishes.disable_specialists:
            held.append(f"specialists are enabled for {slug}: {', '.join(names)}")
    if registry.default == slug:
        flags.append("--reset-default")
        if not wishes.reset_default:
            held.append(f"{slug} is the `default` of {NAME}")
    if held:
        raise Refused(
            f"{'; '.join(held)}; nothing was changed",
            path=place.path,
            remedy=f"llm-wiki archive topic {slug} {' '.join(flags)}",
        )
