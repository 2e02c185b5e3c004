"""The tombstones of retracted sources as verbs show, ask and lift them (`archive-retract.md` §3)."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from llm_wiki.admit.admission import known_body, raw_pages
from llm_wiki.admit.raw import keys_of_source
from llm_wiki.admit.tombroots import roots_of
from llm_wiki.admit.tombstones import (
    TOMBSTONES,
    Keys,
    Stone,
    Tombstone,
    broken_lines,
    held_among,
    joined,
    keys_of_urls,
    lift_line,
    read_stones,
    read_tombstones,
    stated_keys,
    stones_of,
)
from llm_wiki.admit.urls import is_web
from llm_wiki.core import actor, clock
from llm_wiki.core.errors import Ambiguous, BadUsage, Conflict, NothingFound
from llm_wiki.core.transaction import Transaction, open_root
from llm_wiki.ingest.source import Options, candidate, own_keys, read
from llm_wiki.ops.status import named
from llm_wiki.wiki.resolve import Root, find_hub
from llm_wiki.wiki.snapshot import Snapshot

LEAST_PREFIX = 4


class Listed(NamedTuple):
    """What binds a root: every tombstone, lifted ones too, and the lines of its files that are none."""

    stones: tuple[Stone, ...]
    damaged: tuple[tuple[Path, tuple[int, ...]], ...]


class Lifted(NamedTuple):
    """A tombstone that holds no more: by whom, and the transaction, None where it was lifted before."""

    tombstone: Tombstone
    by: str
    transaction: str | None


def listed(root: Root) -> Listed:
    """Return the tombstones that bind a root, of a hub those of all its topics; raises as `stones_of`."""
    stones: list[Stone] = []
    damaged = []
    for place, name in roots_of(root.path, root.hub):
        data = read_tombstones(place)
        stones += read_stones(data, place, name)
        lines = broken_lines(data)
        if lines:
            damaged.append((place / TOMBSTONES, lines))
    return Listed(tuple(sorted(stones, key=lambda stone: stone.tombstone[:2])), tuple(damaged))


def checked(root: Root, argument: str) -> Tombstone | None:
    """Return the tombstone that holds an address or a file for this root, None when it may come in.

    An address is never asked for; of a file the keys are those by which `ingest` would know it. Raises
    BadUsage for what is neither, what `ingest.source` raises, and what `stones_of` does.
    """
    return held_among(_keys(argument.strip(), root), stones_of(root.path, root.hub))


def returned(root: Root, snapshot: Snapshot) -> list[tuple[str, Tombstone]]:
    """Return the raw files of a root that a tombstone holds: brought back by hand, or by a merge.

    Raises as `stones_of`.
    """
    stones = [stone for stone in stones_of(root.path, root.hub) if not stone.lifted]
    found = []
    for page in raw_pages(snapshot) if stones else ():
        held = held_among(stated_keys(page, known_body(snapshot, page)), stones)
        if held is not None:
            found.append((page.rel, held))
    return found


def _keys(argument: str, root: Root) -> Keys:
    if is_web(argument):
        return keys_of_urls(argument)
    if "://" in argument:
        raise BadUsage(
            "an address begins with http:// or https://", remedy="give a URL or the path of a file"
        )
    options = Options()
    loaded = read(argument, options, root=root.path)
    asked, found = candidate(loaded, options)
    return joined(keys_of_source(asked, clock.today()), own_keys(loaded, found))


def lift(root: Root, name: str) -> Lifted:
    """End a tombstone that binds this root, named by its id or the beginning of it.

    Only a person may: raises Refused with the line to run for everybody else. Raises NothingFound, Ambiguous
    with the ids that fit, Conflict where no line can end it, and what `stones_of` and a transaction raise.
    """
    by = actor.require(["llm-wiki", "tombstone", "lift", name, *_words(root)])
    if len(name) < LEAST_PREFIX:
        raise BadUsage(f"an id needs at least {LEAST_PREFIX} characters: {name!r}")
    place, name, topic = _found(root, name)
    with open_root(place):
        stone = _stone(place, name, topic)
        if stone.lifted:
            return Lifted(stone.tombstone, stone.lifted, None)
        line = lift_line(stone, by, clock.now())
        after = read_stones(read_tombstones(place) + b"\n" + line.encode(), place, topic)
        if not any(each.lifted for each in after if each.tombstone.id == name):
            raise Conflict(
                f"the line of {name} is written so that none can follow it",
                path=place / TOMBSTONES,
                remedy="correct its `at`, or remove the line by hand",
            )
        tx = Transaction(place, "tombstone", summary=f"lifted {name}", person=True)
        tx.append(TOMBSTONES, [line])
        tx.log("tombstone", f"lifted {name}")
        return Lifted(stone.tombstone, by, tx.commit())


def _words(root: Root) -> list[str]:
    """Return the options that name a root from here; what is archived is reached without being asked for."""
    return shlex.split(named(root._replace(status="active"), "--root "))


def _found(root: Root, name: str) -> tuple[Path, str, str]:
    """Return root, id and topic of the one tombstone that is meant.

    Those that bind the root come first, then those of the user's hub; one that holds before a lifted one.
    """
    every: Sequence[Stone] = stones_of(root.path, root.hub)
    if not any(stone.tombstone.id.startswith(name) for stone in every):
        hub = find_hub()
        every = stones_of(hub, hub)
    fitting = [stone for stone in every if stone.tombstone.id.startswith(name)]
    exact = [stone for stone in fitting if stone.tombstone.id == name]
    holding = [stone for stone in exact or fitting if not stone.lifted]
    chosen = holding or exact or fitting
    if not chosen:
        raise NothingFound(f"no tombstone {name}", remedy="`llm-wiki tombstone list` shows the ids")
    own = [stone for stone in chosen if stone.tombstone.root == root.path]
    chosen = own if len(own) == 1 and len(exact) > 1 else chosen
    if len(chosen) > 1:
        options = tuple(f"{stone.tombstone.id} in {stone.tombstone.name}" for stone in chosen[:20])
        raise Ambiguous(
            f"{name} fits several tombstones",
            options,
            remedy="write more of the id; of one id in two topics name the topic with --wiki or --root",
        )
    found = chosen[0].tombstone
    return found.root, found.id, found.name


def _stone(place: Path, name: str, topic: str) -> Stone:
    for stone in read_stones(read_tombstones(place), place, topic):
        if stone.tombstone.id == name:
            return stone
    raise Conflict(f"{name} has gone since it was read", path=place / TOMBSTONES, remedy="run it again")
