"""The hub's own files beside its topics, without a source of one of them: log, index, registry, methods."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from llm_wiki.core import clock, undo
from llm_wiki.core.files import fitted, is_relative, read_bytes, sha256
from llm_wiki.core.transaction import Transaction
from llm_wiki.model import layout
from llm_wiki.wiki import log
from llm_wiki.wiki.resolve import Root
from llm_wiki.withdraw.match_text import Reading, look
from llm_wiki.withdraw.rewriting import rewritten
from llm_wiki.withdraw.source_known import Reference, references
from llm_wiki.withdraw.source_plan import LOG_TEXT, VERB
from llm_wiki.withdraw.source_traces import Traces

_PASSED: Final = frozenset({layout.TOPICS, layout.SESSIONS, ".git", ".hg", ".svn", ".obsidian"})
_SHOWN: Final = "hub:"


def named_in(root: Root, traces: Traces) -> list[Reference]:
    """Return what of the hub's own files names a source of a topic; changes nothing."""
    return [
        one for rel, _, reading in _held(root, traces) for one in references(_SHOWN + rel, reading, "hub")
    ]


def remove(root: Root, traces: Traces, tombstone: str) -> list[Reference]:
    """Take a source out of the hub's own files and add its log line; return what named it.

    Done again for the same tombstone it adds no second line. Raises what a transaction raises.
    """
    hub = _hub(root)
    if hub is None:
        return []
    found: list[Reference] = []
    summary = f"{LOG_TEXT}: tombstone {tombstone}" if tombstone else LOG_TEXT
    logged = tombstone and any(record.summary == summary for record in undo.records(hub))
    tx = Transaction(hub, VERB, summary=summary, keep_before=False)
    for rel, data, reading in _held(root, traces):
        found += references(_SHOWN + rel, reading, "hub")
        if not reading.binary:
            tx.write(rel, rewritten(traces, rel, reading, lambda _: "").data, expect=sha256(data))
    path = hub / layout.LOG
    if not logged and path.is_file() and not path.is_symlink():
        _log_line(tx, path)
    tx.commit()
    return found


def _log_line(tx: Transaction, path: Path) -> None:
    """Add the line even where nothing else of the hub changes, which a transaction alone would not do."""
    if tx.changes:
        tx.log("retract", LOG_TEXT)
        return
    data = read_bytes(path)
    text = log.entry("retract", LOG_TEXT, clock.today().isoformat())
    tx.write(layout.LOG, data + fitted(data[-2:], text), expect=sha256(data))


def _held(root: Root, traces: Traces) -> Iterator[tuple[str, bytes, Reading]]:
    """Yield path, bytes and reading of each of the hub's own files that names the source."""
    for hub, rel in _files(root):
        data = read_bytes(hub / rel)
        reading = look(traces, data)
        if reading is not None:
            yield rel, data, reading


def _hub(root: Root) -> Path | None:
    hub = root.hub
    if hub is None or not hub.is_dir() or hub.resolve() == root.path.resolve():
        return None
    return hub


def _files(root: Root) -> Iterator[tuple[Path, str]]:
    """Yield hub and path of every regular file of its own, topics and sessions left out."""
    hub = _hub(root)
    if hub is None:
        return
    for top, folders, names in os.walk(hub):
        inner = os.path.relpath(top, hub)
        if inner == ".":
            folders[:] = sorted(name for name in folders if name not in _PASSED)
        else:
            folders.sort()
        for name in sorted(names):
            rel = name if inner == "." else f"{inner}/{name}"
            path = hub / rel
            if path.is_file() and not path.is_symlink() and is_relative(rel):
                yield hub, rel
