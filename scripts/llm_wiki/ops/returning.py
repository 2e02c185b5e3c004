"""What may be undone: which root an undo is about, what needs a person again, what must not come back."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from llm_wiki.admit.tombstones import Stone, keys_of, refuse_held, stones_of
from llm_wiki.core import actor, undo
from llm_wiki.core.errors import NotAWiki
from llm_wiki.core.files import read_bytes
from llm_wiki.core.transaction import Transaction
from llm_wiki.core.undo import Allow, Record
from llm_wiki.model.document import page
from llm_wiki.ops.status import of_hub
from llm_wiki.wiki.resolve import Root

_RAW = re.compile(r"(?:(?P<topic>topics/(?:\.archive/)?[^/]+)/)?raw(?:/.+)?")


def root_to_undo(target: Any) -> Root:
    """Return the root a target names; a place that is no wiki any more counts while it has a past.

    `target` is a `cli.mark.Target`. Raises what `wiki.resolve.resolve` raises.
    """
    root: Root
    try:
        root = target.resolve()
    except NotAWiki:
        root = target.resolve(need_wiki=False)
        if not undo.records(root.path):
            raise
    return root


def take_back(root: Root, txid: str | None = None, *, verb: str | None = None) -> Record:
    """Undo a transaction of a root, the last one by default; raises as `core.undo.undo` and `allowed` do."""
    return undo.undo(root.path, txid, verb=verb, allow=allowed(root.hub))


def allowed(hub: Path | None) -> Allow:
    """Return what decides whether a transaction of a root of this hub may be undone.

    It raises Refused where a person decided and none is here, and where a source would come back that a
    tombstone holds: as what brings a file below `raw/` back is an admission.
    """

    def allow(root: Path, record: Record, reverse: Transaction) -> None:
        if record.person:
            actor.require(["llm-wiki", "undo", record.id, *_place(root)])
        known: dict[Path, tuple[Stone, ...]] = {}
        for topic, rel, data in _arriving(root, reverse):
            if topic not in known:
                known[topic] = stones_of(topic, hub)
            refuse_held(keys_of(page(rel, data), data), known[topic])

    return allow


def _place(root: Path) -> list[str]:
    return shlex.split(of_hub(root)) if (root / "wikis.json").is_file() else ["--root", str(root)]


def _arriving(root: Path, reverse: Transaction) -> Iterator[tuple[Path, str, bytes]]:
    """Yield (topic, path below it, bytes) of every Markdown file that comes into a `raw/` from outside it."""
    for op in reverse.ops:
        end = op.to or op.path
        found = _RAW.fullmatch(end)
        if found is None or (op.kind != "move" and (op.kind != "write" or op.expect is not None)):
            continue
        topic = root / (found["topic"] or "")
        below = end.removeprefix(f"{found['topic']}/") if found["topic"] else end
        if op.kind == "move" and op.path.startswith(f"{end.removesuffix(below)}raw/"):
            continue  # it is a source of this topic already
        if op.data is not None:
            yield topic, below, op.data
        else:
            for path, data in _pages(root / op.path):
                yield topic, f"{below}/{path}".removesuffix("/."), data


def _pages(place: Path) -> Iterator[tuple[str, bytes]]:
    """Yield (path below it, bytes) of the Markdown files of a folder, of a file itself as `.`."""
    if place.is_symlink():
        return
    for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(place).as_posix(), read_bytes(path)


def hub_hint(root: Root) -> str:
    """Say where the change that made a topic can be taken back: it is one of the hub's; "" if not so."""
    if root.hub is None or root.hub == root.path or not undo.records(root.hub):
        return ""
    return f"changes of the hub, such as init: llm-wiki undo --list {of_hub(root.hub)}".rstrip()
