"""Which stores a withdrawal walks, and what it means for the wikis it changes."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from llm_wiki.admit.tombroots import ARCHIVE
from llm_wiki.core.errors import BadUsage, WikiError
from llm_wiki.core.state import root_key
from llm_wiki.core.stores import Needle, Store
from llm_wiki.model.layout import TOPICS
from llm_wiki.sessions.retracting import Sessions
from llm_wiki.wiki.registry import Registry
from llm_wiki.wiki.resolve import absolute, classify, expand, find_hub, resolve
from llm_wiki.withdraw.machine import Caches, State, Undo
from llm_wiki.withdraw.retract import Report, Stores, Wishes, matcher_of, retract
from llm_wiki.withdraw.rewriting import masked_text
from llm_wiki.withdraw.roots import Roots
from llm_wiki.withdraw.share import Scope, Share


class Where(NamedTuple):
    """The roots that are meant, as typed."""

    path: str | None = None
    local: bool = False
    wiki: str | None = None
    hub: str | None = None
    everywhere: bool = False


def stores(keys: Collection[str] | None = None, but: Collection[str] = ()) -> list[Store]:
    """Return the stores beside the wiki roots: what this machine keeps of all, or of some by key.

    `but` are names of files that the withdrawal itself works by.

    A room whose store belongs to no root adds it here, and every withdrawal walks it.
    """
    if keys is None:
        return [Undo(), State(), Caches()]
    return [Undo(keys, but), Caches(keys)]


def within(scope: Scope) -> list[Store]:
    """Return the stores that share the roots of a scope: the files that verbs write, and those of hooks."""
    return [Roots(scope), Sessions(Share(scope, Sessions.name, live=True))]


def walked(scope: Scope, *, everywhere: bool = False) -> Stores:
    """Return every store of a withdrawal from a scope, in the order in which they are walked."""
    return Stores(scope, within(scope), stores(None if everywhere else _keys(scope)))


def roots_of(where: Where, *, delete_binaries: bool = False) -> Scope:
    """Return the roots a withdrawal works on; a folder named as PATH need not be a wiki.

    Raises BadUsage, NotAWiki, Unreadable, BadConfig as `wiki.resolve` does.
    """
    if where.everywhere:
        if where.path is not None or where.local or where.wiki is not None:
            raise BadUsage("--everywhere takes every root", remedy="give no other root along with it")
        paths = list(_everywhere(where.hub))
    else:
        paths = [
            resolve(
                where.path,
                local=where.local,
                wiki=where.wiki,
                hub=where.hub,
                include_archived=True,
                need_wiki=False,
            ).path
        ]
        if not paths[0].is_dir():
            raise BadUsage(
                f"{paths[0]} is no folder" if paths[0].exists() else f"{paths[0]} does not exist",
                path=paths[0],
            )
    return Scope(paths, list(_known(paths)), delete_binaries=delete_binaries)


def _everywhere(hub: str | None) -> Iterator[Path]:
    place = find_hub(hub)
    yield place
    yield from _registered(place)
    local = absolute(".wiki")
    if local.is_dir():
        yield local


def _registered(hub: Path) -> Iterator[Path]:
    registry = Registry.load(hub)
    for entry in registry.entries.values():
        if entry.path and entry.slug != "hub":
            yield entry.location(hub)
    for written, _ in registry.local_wikis:
        yield absolute(expand(written))


def _known(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield wikis inside the roots, whose locks writers of theirs would take."""
    for path in paths:
        with suppress(WikiError, OSError):
            if classify(path) != "hub":
                continue
            for parent in (path / "topics", path / "topics" / ".archive"):
                if parent.is_dir():
                    for name in sorted(os.listdir(parent)):  # noqa: PTH208
                        if name != ".archive" and (parent / name).is_dir():
                            yield parent / name


def withdraw(where: Where, value: bytes, wishes: Wishes, *, delete_binaries: bool = False) -> Report:
    """Remove one literal value, or say where it stands. Every error it raises is free of the value."""
    matcher = matcher_of(value, wishes)
    try:
        scope = roots_of(where, delete_binaries=delete_binaries)
        before = _findings(scope.paths, matcher) if wishes.apply else set()
        report = retract(walked(scope, everywhere=where.everywhere), matcher, wishes, value)
        if report.applied.files or report.applied.renamed:
            new = sorted(_findings(scope.paths, matcher) - before)
            report.warnings += [f"new finding: {text}" for text in new]
    except WikiError as error:
        raise masked(matcher, error) from None
    return report


def _keys(scope: Scope) -> frozenset[str]:
    """Return the keys of the roots, of wikis inside them, and of the hub that writes into them."""
    places = [*scope.paths, *scope.inner]
    for path in scope.paths:
        with suppress(WikiError, OSError):
            owner = resolve(path, include_archived=True, need_wiki=False).hub
            places += [owner] if owner is not None else []
    return frozenset(root_key(place) for place in [*places, *elsewhere(places)])


def elsewhere(places: Sequence[Path]) -> list[Path]:
    """Return where topics of a hub lie when they are archived, or not: this machine keeps what was there."""
    found = []
    for place in places:
        if place.parent.name == ARCHIVE and place.parent.parent.name == TOPICS:
            found.append(place.parent.parent / place.name)
        elif place.parent.name == TOPICS:
            found.append(place.parent / ARCHIVE / place.name)
    return found


def masked(matcher: Needle, error: WikiError) -> WikiError:
    """Return an error with the value taken out of every text it carries."""
    error.message = masked_text(matcher, error.message)
    error.path = error.path and masked_text(matcher, error.path)
    error.remedy = error.remedy and masked_text(matcher, error.remedy)
    error.args = (error.message,)
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def _findings(paths: Sequence[Path], matcher: Needle) -> set[str]:
    """Return what a check says about the roots that are wikis; nothing of it is remembered."""
    from llm_wiki.lint.engine import run
    from llm_wiki.lint.options import Options

    found: set[str] = set()
    for path in paths:
        for place in (path, *_known([path])):
            with suppress(WikiError, OSError):
                root = resolve(place, include_archived=True)
                report = run(root, Options(use_cache=False))
                for one in report.findings:
                    shown = os.path.relpath(place / (one.path or ""), path)
                    found.add(masked_text(matcher, f"{one.rule} {shown}: {one.message}"))
    return found
