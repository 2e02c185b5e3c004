"""Which source is meant, and all that tells it: path, title, addresses, upstream id, keys of its body."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from llm_wiki.admit.rawlock import load_lock
from llm_wiki.admit.tombstones import Keys, keys_of
from llm_wiki.core.errors import Ambiguous, BadUsage
from llm_wiki.core.text import fold, nfc, undated
from llm_wiki.model import document, layout
from llm_wiki.model.page import Page
from llm_wiki.wiki.snapshot import Snapshot
from llm_wiki.withdraw.source_known import stem_of
from llm_wiki.withdraw.source_traces import Identity, Traces

RAW = "raw/"


class Picked(NamedTuple):
    """The source in its tree: bytes, identity, and the keys by which it is refused on return."""

    rel: str
    data: bytes
    who: Identity
    keys: Keys


def pick(snapshot: Snapshot, wanted: str) -> Picked:
    """Return the source a user named: its path, else its file name where only one below `raw/` has it.

    Raises Ambiguous with the list for several, BadUsage for none and for what is no source.
    """
    rel = _path(snapshot, wanted)
    data = snapshot.read(rel)
    page = document.page(rel, data) if rel.endswith(".md") else None
    entry = load_lock(snapshot.root).entries.get(nfc(rel))
    more = (entry.content_sha256,) if entry else ()
    keys = keys_of(page, data, *more) if page is not None else Keys()
    return Picked(rel, data, identity(rel, page), keys)


def is_called(root: Path, who: Identity, wanted: str) -> bool:
    """Tell whether a user who names a source means this one, which need not be there any more."""
    if "/" not in wanted.rstrip("/"):
        return fold(wanted.rstrip("/")) in (fold(who.name), fold(who.stem))
    return any(fold(way) == fold(who.path) for way in _ways(root, wanted))


def identity(rel: str, page: Page | None) -> Identity:
    """Return what tells a source, of its page; of a file that is none its path alone.

    The digest that a note was promoted from is none of it: it belongs to its session.
    """
    if page is None:
        return Identity(rel)
    addresses = [page.text(key) for key in ("source", "canonical_url")]
    addresses = [
        one
        for one in dict.fromkeys(addresses)
        if one and one != "MANUAL" and not one.startswith(f"{layout.SESSIONS}/")
    ]
    return Identity(rel, page.text("title"), tuple(addresses), page.text("upstream_id"))


def traces_of(snapshot: Snapshot, who: Identity) -> Traces:
    """Return what finds a source in bytes, without what other files of the root are called."""
    names = {rel.rpartition("/")[2] for rel in snapshot.files if rel != who.path}
    mine = {*who.urls}
    titles = set()
    for rel, page in snapshot.pages.items():
        if rel == who.path or (rel.startswith(RAW) and identity(rel, page).urls & mine):
            continue
        for title in (page.text("title"), page.title):
            titles.add(" ".join(title.casefold().split()))
    return Traces(who, names, titles)


def _path(snapshot: Snapshot, wanted: str) -> str:
    sources = [rel for rel in snapshot.files if _is_source(rel)]
    for rel in _ways(snapshot.root, wanted) if wanted else ():
        for same in (str, nfc, fold):
            found = sorted(each for each in sources if same(each) == same(rel))
            if found:
                return found[0]
    named = [] if "/" in wanted else _called(sources, fold(wanted))
    if len(named) == 1:
        return named[0]
    if named:
        raise Ambiguous(
            f"{len(named)} sources are called so", options=tuple(named), remedy="give the path of one of them"
        )
    raise BadUsage(
        f"no source of this wiki: {wanted}",
        path=wanted,
        remedy="give its path below the root, raw/TYPE/FILE.md, or its file name; one that is retracted "
        "already is looked for with: llm-wiki retract-source verify",
    )


def _called(sources: Iterable[str], name: str) -> list[str]:
    """Return the sources of a file name, with or without its ending, else without the date before it."""
    for way in (lambda rel: rel.rpartition("/")[2], stem_of, lambda rel: undated(stem_of(rel))):
        found = sorted(rel for rel in sources if name and fold(way(rel)) == name)
        if found:
            return found
    return []


def _is_source(rel: str) -> bool:
    name = rel.rpartition("/")[2]
    return rel.startswith(RAW) and not layout.is_index(rel) and not name.startswith(".")


def _ways(root: Path, wanted: str) -> Iterator[str]:
    """Yield how a path may be meant: below the root, absolute, or from the working folder."""
    text = wanted.replace("\\", "/") if os.sep == "\\" else wanted
    yield os.path.normpath(text)
    for base in (root, Path(os.path.realpath(root))):
        for path in (text, os.path.realpath(text)):
            place = os.path.relpath(path, base)
            if not place.startswith(".."):
                yield place.replace(os.sep, "/")
