"""Where the topic of a slug lies, and whether it may move (`archive-retract.md` §1, A3-A6)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from llm_wiki.core.errors import BadUsage, NotAWiki, Refused, WikiError
from llm_wiki.model import layout
from llm_wiki.wiki.registry import NAME, Registry, RegistryEntry
from llm_wiki.wiki.resolve import SLUG, classify, initialised, not_a_wiki


class Place(NamedTuple):
    """The folder of a topic. `rel` is relative to the hub, None for one that is hidden where it lies."""

    hub: Path
    slug: str
    path: Path
    rel: str | None

    @property
    def written(self) -> str:
        """The path as the registry writes it."""
        return self.rel if self.rel is not None else str(self.path)

    def moved(self, rel: str) -> Place:
        """Return the place of the same topic at another path of the hub."""
        return Place(self.hub, self.slug, self.hub / rel, rel)


def load_hub(hub: Path) -> Registry:
    """Return the registry of a hub that has both `wikis.json` and `topics/`; raises NotAWiki."""
    kind = classify(hub)
    if kind == "topic":
        raise NotAWiki(f"{hub} is a topic wiki, not a hub", path=hub, remedy="name the hub with --hub PATH")
    if kind != "hub":
        raise not_a_wiki(hub, kind)
    registry = Registry.load(hub)
    registry.require_usable()
    return registry


def check_slug(registry: Registry, slug: str) -> RegistryEntry | None:
    """Return the entry of a slug, None for a legal one without; raises BadUsage, Refused for `hub`."""
    if slug == "hub":
        raise Refused("the hub itself is never archived nor restored", remedy="name one of its topics")
    known = isinstance(registry.data.get("wikis", {}), dict) and slug in registry.data.get("wikis", {})
    plain = not slug.startswith(".") and "/" not in slug and "\\" not in slug and "\0" not in slug
    if not (SLUG.fullmatch(slug) or (known and plain and slug)):
        raise BadUsage(
            f"not a topic slug: {slug!r}",
            remedy="slugs have a-z, 0-9 and hyphens; `llm-wiki archive list` shows them",
        )
    entry = registry.entries.get(slug)
    if known and entry is None:
        raise NotAWiki(
            f"entry `{slug}` of {NAME} cannot be used",
            path=registry.hub / NAME,
            remedy="correct it; `llm-wiki lint` on the hub says what is wrong",
        )
    wrong = [problem for problem in registry.problems if problem.slug == slug and problem.code == "shape"]
    if wrong and entry is not None and entry.path:
        raise NotAWiki(wrong[0].text, path=registry.hub / NAME, remedy=f"correct {NAME}")
    return entry


def active_place(hub: Path, registry: Registry, slug: str, *, in_place: bool) -> Place:
    """Return where an active topic lies that may be archived; raises Refused, BadUsage, NotAWiki."""
    entry = check_slug(registry, slug)
    usual, away = f"{layout.TOPICS}/{slug}", f"{layout.TOPIC_ARCHIVE}/{slug}"
    if entry is not None and entry.status == "archived":
        raise Refused(
            f"{slug} is archived already",
            path=entry.location(hub),
            remedy=f"`llm-wiki archive restore {slug}` brings it back",
        )
    rel: str | None = usual
    if entry is not None and entry.path:
        rel = entry.inside(hub)
        if rel == "":
            raise Refused(
                f"{slug} is registered as the hub itself, which is never archived",
                path=hub / NAME,
                remedy=f"correct its path in {NAME}",
            )
        if rel is not None and _owned(rel) and not initialised(hub / rel) and initialised(hub / usual):
            rel = usual
    if rel is None or not _owned(rel) or (hub / rel).is_symlink():
        return _outside(hub, registry, slug, entry, in_place=in_place)
    if in_place:
        raise Refused(
            f"{slug} lies in the hub: it is archived by moving it",
            path=hub / rel,
            remedy=f"llm-wiki archive topic {slug}",
        )
    _refuse_linked(hub)
    if os.path.lexists(hub / away):
        there = os.path.lexists(hub / rel)
        raise Refused(
            f"{away} exists already" + ("" if there else f", and {rel} is not there"),
            path=hub / away,
            remedy="move one of the two folders away" if there else "llm-wiki archive repair",
        )
    _require_initialised(hub, slug, hub / rel, entry)
    _refuse_shared(hub, registry, slug, rel)
    return Place(hub, slug, hub / rel, rel)


def archived_place(hub: Path, registry: Registry, slug: str) -> Place:
    """Return where an archived topic lies that may come back; raises Refused, BadUsage, NotAWiki."""
    entry = check_slug(registry, slug)
    usual, away = f"{layout.TOPICS}/{slug}", f"{layout.TOPIC_ARCHIVE}/{slug}"
    hidden = entry is not None and entry.status == "archived"
    rel = away
    if entry is not None and entry.path and hidden:
        inner = entry.inside(hub)
        if inner == "":
            raise Refused(
                f"{slug} is registered as the hub itself", path=hub / NAME, remedy=f"correct {NAME}"
            )
        owned = inner is not None and (_owned(inner) or inner.startswith(f"{layout.TOPIC_ARCHIVE}/"))
        if inner is None or not owned or (hub / inner).is_symlink():
            path = entry.location(hub)
            _require_initialised(hub, slug, path, entry)
            return Place(hub, slug, path, None)
        if inner.startswith(f"{layout.TOPIC_ARCHIVE}/") and initialised(hub / inner):
            rel = inner
    here = entry.location(hub) if entry is not None and entry.path and not hidden else None
    if here is not None and initialised(here) and not initialised(hub / away):
        raise Refused(f"{slug} is not archived", path=here, remedy="llm-wiki archive list")
    if os.path.lexists(hub / usual):
        raise Refused(
            f"{usual} exists already" if hidden or initialised(hub / away) else f"{slug} is not archived",
            path=hub / usual,
            remedy="move it away, or run `llm-wiki archive repair`" if hidden else "llm-wiki archive list",
        )
    _require_initialised(hub, slug, hub / rel, entry)
    _refuse_linked(hub)
    return Place(hub, slug, hub / rel, rel)


def _refuse_linked(hub: Path) -> None:
    """Refuse where a link stands for the archive: what lies behind it is not the hub's to move."""
    if (hub / layout.TOPIC_ARCHIVE).is_symlink():
        raise Refused(
            f"{layout.TOPIC_ARCHIVE} is a symbolic link: no topic is moved through it",
            path=hub / layout.TOPIC_ARCHIVE,
            remedy="make it a folder; another disk may be mounted there",
        )


def _owned(rel: str) -> bool:
    """Tell whether a path is that of a folder directly in `topics/`."""
    parent, _, name = rel.rpartition("/")
    return parent == layout.TOPICS and not name.startswith(".")


def _outside(
    hub: Path, registry: Registry, slug: str, entry: RegistryEntry | None, *, in_place: bool
) -> Place:
    path = entry.location(hub) if entry is not None and entry.path else hub / layout.TOPICS / slug
    if entry is None or not in_place:
        raise Refused(
            f"{slug} does not lie in the hub's topics/ but at {path}: it is not moved",
            path=path,
            remedy=f"`llm-wiki archive topic {slug} --in-place` hides it where it is"
            if entry is not None
            else "move the folder itself into topics/",
        )
    _require_initialised(hub, slug, path, entry)
    _refuse_shared(hub, registry, slug, None)
    return Place(hub, slug, path, None)


def _require_initialised(hub: Path, slug: str, path: Path, entry: RegistryEntry | None) -> None:
    if initialised(path):
        return
    if entry is None and not os.path.lexists(path):
        known = ", ".join(sorted(registry_slugs(hub))) or "none"
        raise NotAWiki(f"no topic {slug!r} in {hub}", path=hub, remedy=f"known topics: {known}")
    raise NotAWiki(
        f"{slug}: {path} is not an initialised wiki: it has no _index.md",
        path=path,
        remedy="wait for your sync to finish, or correct its path in wikis.json",
    )


def _refuse_shared(hub: Path, registry: Registry, slug: str, rel: str | None) -> None:
    """Refuse a folder that a second entry means too: it would lose its topic without a word."""
    here = registry.entries.get(slug)
    path = hub / rel if rel is not None else here.location(hub) if here is not None else None
    if path is None:
        return
    real = os.path.realpath(path)
    for other in registry.entries.values():
        if other.slug != slug and other.path and os.path.realpath(other.location(hub)) == real:
            raise Refused(
                f"{slug} and {other.slug} are registered with one folder",
                path=path,
                remedy=f"take one of the two entries out of {NAME} first",
            )


def registry_slugs(hub: Path) -> list[str]:
    """Return the registered slugs of a hub; nothing where the registry cannot be read."""
    try:
        return list(Registry.load(hub).entries)
    except WikiError:
        return []
