"""Rules W901-W913: the registry of a hub against its folders and its index.

An entry with one defect gets one finding: what is not yet written portably (W904) is not also
judged by where it lies.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from llm_wiki.core.errors import WikiError
from llm_wiki.core.text import fold, nfc
from llm_wiki.lint.finding import Hit
from llm_wiki.lint.rules.graph import once
from llm_wiki.model import indexes, layout
from llm_wiki.model.index_study import Study
from llm_wiki.model.links import normal
from llm_wiki.wiki.hub import hub_topics
from llm_wiki.wiki.registry import HUB_TOKEN, NAME, TOKENS, RegistryEntry

if TYPE_CHECKING:
    from llm_wiki.lint.view import View
    from llm_wiki.model.page import Page

_ARCHIVE = layout.TOPIC_ARCHIVE + "/"
_TOPICS = layout.TOPICS + "/"


class Place(NamedTuple):
    """One registry entry and where it lies.

    `inside` is its folder relative to the hub, None outside; `name` the topic folder's name when
    it lies directly in `topics/` or `topics/.archive/`, else ""; `portable` the path it should have
    there, "" elsewhere.
    """

    entry: RegistryEntry
    inside: str | None
    name: str
    portable: str


@once
def places(view: View) -> list[Place]:
    """Locate every usable entry, in the order of the registry."""
    registry = view.snapshot.registry
    hub = view.snapshot.root
    result = []
    for entry in registry.entries.values() if registry else ():
        if not entry.path:
            continue
        inside = entry.inside(hub)
        if inside is None and not entry.foreign:
            inside = _inside_really(hub, entry.location(hub))
        name = _topic_name(inside or "")
        result.append(Place(entry, inside, name, inside if name and inside else ""))
    return result


def _inside_really(hub: Path, folder: Path) -> str | None:
    """Return the path relative to the hub once links on the way to both are followed, None outside."""
    relative = os.path.relpath(os.path.realpath(folder), os.path.realpath(hub)).replace(os.sep, "/")
    return None if relative == ".." or relative.startswith("../") else relative.removeprefix(".")


def _topic_name(inside: str) -> str:
    """Return the name of a topic's folder directly in `topics/` or `topics/.archive/`, else ""."""
    for parent in (_ARCHIVE, _TOPICS):
        name = inside.removeprefix(parent)
        if name != inside and name and "/" not in name and name != ".archive":
            return name
    return ""


@once
def _initialised(view: View) -> frozenset[str]:
    """Return the folders in `topics/` and `topics/.archive/` that hold an initialised topic."""
    dirs = view.snapshot.dirs
    found = set()
    for parent in (layout.TOPICS, layout.TOPIC_ARCHIVE):
        for name in dirs.get(parent, ()):
            folder = f"{parent}/{name}"
            if not name.startswith(".") and _holds_topic(view, folder):
                found.add(folder)
    return frozenset(found)


def _holds_topic(view: View, folder: str) -> bool:
    entry = view.snapshot.files.get(folder)
    if entry is not None and entry.link:
        return os.path.isfile(view.snapshot.root / folder / layout.INDEX)  # noqa: PTH113 - denied counts as no
    return layout.INDEX in view.snapshot.dirs.get(folder, ())


def _twice(view: View) -> set[str]:
    """Return the topic names that exist active and archived."""
    here = _initialised(view)
    names = {folder.removeprefix(_ARCHIVE) for folder in here if folder.startswith(_ARCHIVE)}
    return {name for name in names if _TOPICS + name in here}


# --- the file ------------------------------------------------------------------------------


def registry_broken(view: View) -> Iterator[Hit]:
    """W901: a registry that cannot be read in full is not written to, and topics are not found."""
    registry = view.snapshot.registry
    for problem in registry.problems if registry else ():
        text = f"Hub registry: {problem.text}"
        yield Hit(NAME, text, problem.line, target=problem.slug)


def default_not_portable(view: View) -> Iterator[Hit]:
    """W902: `default` should be the hub token or a topic; a path breaks on the next machine."""
    registry = view.snapshot.registry
    if registry is None or not isinstance(registry.data.get("default"), str):
        return
    if registry.default not in TOKENS and registry.default not in registry.entries:
        message = f"default should use the portable {HUB_TOKEN} token"
        yield Hit(NAME, message, target=registry.default)


def hub_not_portable(view: View) -> Iterator[Hit]:
    """W903: the hub's own entry should be a token; a path breaks on the next machine."""
    registry = view.snapshot.registry
    entry = registry.hub_entry if registry else None
    path = entry.get("path") if entry else None
    if isinstance(path, str) and path and path not in TOKENS:
        yield Hit(NAME, f"Hub registry entry should use portable path {HUB_TOKEN}", target=path)


def topic_not_portable(view: View) -> Iterator[Hit]:
    """W904: a topic inside the hub should be registered by its path below `topics/`."""
    for place in places(view):
        if _is_unportable(place):
            known = place.portable or place.inside
            message = f"Hub-owned wiki path should be portable: use {known}"
            yield Hit(NAME, message, target=place.entry.path, fixable=bool(place.portable))


def _is_unportable(place: Place) -> bool:
    """Tell whether an entry lies in the hub and is written in another way than relative to it."""
    if not place.inside:
        return False
    if place.portable:
        return normal("", place.entry.path) != place.portable or place.entry.path.startswith("/")
    return place.entry.absolute


# --- topics elsewhere ----------------------------------------------------------------------


def external_found(view: View) -> Iterator[Hit]:
    """W905: a topic outside the hub is found on this machine only."""
    for place in places(view):
        path = place.entry.path
        if (
            place.inside is None
            and place.entry.absolute
            and not path.startswith("~")
            and _exists(view, place)
        ):
            message = f"Registry entry {place.entry.slug} is an external local absolute path that exists"
            yield Hit(NAME, message, target=path)


def external_lost(view: View) -> Iterator[Hit]:
    """W906: a topic outside the hub is not where the registry says."""
    for place in places(view):
        if place.inside is None and not _exists(view, place):
            what = "an external local absolute path" if place.entry.absolute else "a path outside the hub"
            message = f"Registry entry {place.entry.slug} is {what} that does not exist"
            yield Hit(NAME, message, target=place.entry.path)


def _exists(view: View, place: Place) -> bool:
    """Tell whether a folder is there; one that may not be looked at is taken to be."""
    try:
        return place.entry.location(view.snapshot.root).exists()
    except OSError:
        return True


# --- topics of the hub ---------------------------------------------------------------------


def topic_absent(view: View) -> Iterator[Hit]:
    """W907: the registry promises a topic where there is none."""
    here = _initialised(view)
    for place in places(view):
        if place.inside is None or _is_unportable(place) or place.inside in here:
            continue
        if place.name and (place.name in _twice(view) or _other(place) in here):
            continue
        if place.name or not _holds_inner(view, place.inside):
            message = f"Registered topic is not initialised: {place.entry.slug} ({place.entry.path})"
            yield Hit(NAME, message, target=place.entry.path)


def _holds_inner(view: View, inside: str) -> bool:
    """Tell whether a folder of the hub outside `topics/` is an initialised topic, or is the hub itself."""
    return not inside or os.path.isfile(view.snapshot.root / inside / layout.INDEX)  # noqa: PTH113


def _other(place: Place) -> str:
    """Return the folder a topic would have if its archive state were the other."""
    assert place.inside is not None
    return (_TOPICS if place.inside.startswith(_ARCHIVE) else _ARCHIVE) + place.name


def topic_unregistered(view: View) -> Iterator[Hit]:
    """W908: an initialised topic that no command finds, because the registry does not list it."""
    registry = view.snapshot.registry
    if registry is None or not registry.usable:
        return
    taken = {place.inside for place in places(view)}
    covered = {place.name for place in places(view) if place.name} | _twice(view)
    for folder in sorted(_initialised(view)):
        name = folder.rpartition("/")[2]
        if folder not in taken and name not in covered:
            yield Hit(folder, f"Initialised topic is not in the registry: {name}", target=name)


def status_contradicts(view: View) -> Iterator[Hit]:
    """W909: registry and folder disagree on whether a topic is archived."""
    here = _initialised(view)
    for place in places(view):
        if not place.name or place.name in _twice(view) or _is_unportable(place):
            continue
        assert place.inside is not None
        lies = _other(place) if place.inside not in here and _other(place) in here else place.inside
        archived = lies.startswith(_ARCHIVE)
        stated = place.entry.data.get("status")
        disagrees = stated in ("active", "archived") and (stated == "archived") != archived
        if lies != place.inside or disagrees:
            state = "archived" if archived else "active"
            message = f"Topic {place.entry.slug} is {state} by its folder {lies}, not by the registry"
            yield Hit(NAME, message, target=lies, fixable=lies in here)


def topic_twice(view: View) -> Iterator[Hit]:
    """W910: a topic exists active and archived; only a person can say which one counts."""
    for name in sorted(_twice(view)):
        message = f"Topic exists active and archived: {name}"
        yield Hit(_TOPICS + name, message, target=_ARCHIVE + name)


# --- index and slugs -----------------------------------------------------------------------


def index_disagrees(view: View) -> Iterator[Hit]:
    """W912: the table of topics in the hub's index differs from the registry."""
    page = view.snapshot.pages.get(layout.INDEX)
    if page is None or not _has_table(view):
        return
    here = _initialised(view)
    for place in places(view):
        if not place.name or place.inside not in here:
            continue
        listed = not page.keys.isdisjoint(_targets(nfc(place.portable))) or _is_called(page, place)
        archived = place.portable.startswith(_ARCHIVE)
        if archived and listed:
            message = f"Hub index lists the archived topic {place.entry.slug}"
            yield Hit(layout.INDEX, message, target=place.portable)
        elif not (archived or listed or place.entry.status != "active" or place.portable in _named(view)):
            message = f"Hub index does not list the topic {place.entry.slug}"
            yield Hit(layout.INDEX, message, target=place.portable)


@once
def _named(view: View) -> frozenset[str]:
    """Folders of the topics that rows of the hub's table name, with or without a link."""
    snapshot = view.snapshot
    try:
        study = Study(snapshot.read(layout.INDEX), indexes.hub(hub_topics(snapshot), snapshot.keys))
    except WikiError:
        return frozenset()
    blocks = study.blocks.values()
    return frozenset(block.section.entries[place.number].key for block in blocks for place in block.places)


def _is_called(page: Page, place: Place) -> bool:
    """Tell whether the hub's index names a topic by a wikilink: by its path or its name."""
    path = fold(place.portable)
    return not page.names.isdisjoint((path, f"{path}/_index", f"{path}/_index.md", fold(place.name)))


def _targets(folder: str) -> tuple[str, str]:
    """Return the keys by which an index may link a topic."""
    return folder, f"{folder}/{layout.INDEX}"


def _has_table(view: View) -> bool:
    """Tell whether the hub's index lists topics at all."""
    page = view.snapshot.pages[layout.INDEX]
    if any(key.startswith(_TOPICS) for key in page.keys):
        return True
    return any(heading.text.casefold() == "topic wikis" for heading in page.headings)


def index_link_dead(view: View) -> Iterator[Hit]:
    """W408 at a hub: its index links a topic or file that is not there.

    A topic that the registry lists has its own finding.
    """
    page = view.snapshot.pages.get(layout.INDEX)
    if page is None:
        return
    known = view.snapshot.keys | view.snapshot.dir_keys | {""}
    if page.keys <= known:
        return
    registered = {nfc(place.inside) for place in places(view) if place.inside}
    written = {nfc(normal("", place.entry.path)) for place in places(view)}
    for link in page.links:
        if link.key.removesuffix(f"/{layout.INDEX}") in written:
            continue
        if link.kind != "path" or link.key in known or link.form == "definition" or link.image:
            continue
        if not layout.is_markdown(link.key) or link.key.startswith((".", "../")):
            continue
        parts = link.key.split("/")
        depth = 3 if link.key.startswith(_ARCHIVE) else 2
        folder = "/".join(parts[:depth])
        if folder in registered or (len(parts) > depth + 1 and folder in known):
            continue
        message = f"Hub index links a file that does not exist: {link.target}"
        yield Hit(page.rel, message, link.line, link.column, link.target)


def slug_invalid(view: View) -> Iterator[Hit]:
    """W913: a slug that is no plain name, or two entries for one folder."""
    sharing: dict[str, list[str]] = defaultdict(list)
    for place in places(view):
        slug = place.entry.slug
        if not layout.TOPIC_SLUG.fullmatch(slug):
            yield Hit(NAME, f"Topic slug must be a-z, 0-9 and hyphens: {slug}", target=slug)
        sharing[os.path.realpath(place.entry.location(view.snapshot.root))].append(slug)
    for slugs in sharing.values():
        if len(slugs) > 1:
            message = f"Registry entries share one folder: {', '.join(slugs)}"
            yield Hit(NAME, message, target=slugs[0])
