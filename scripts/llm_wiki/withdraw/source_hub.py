"""The hub's own files beside its topics, without a source of one of them: log, index, registry, methods."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from llm_wiki.core import undo
from llm_wiki.core.files import read_bytes, sha256
from llm_wiki.core.transaction import Transaction
from llm_wiki.model import layout
from llm_wiki.wiki.resolve import Root
from llm_wiki.withdraw.match_text import look
from llm_wiki.withdraw.rewriting import rewritten
from llm_wiki.withdraw.source_known import Reference
from llm_wiki.withdraw.source_traces import Traces

LOG_TEXT: Final = "removed a source"
_PASSED: Final = frozenset({layout.TOPICS, ".sessions", ".git", ".hg", ".svn", ".obsidian"})
_SHOWN: Final = "hub:"


def references(root: Root, traces: Traces) -> list[Reference]:
    """Return what of the hub's own files names a source of a topic; changes nothing."""
    found = []
    for hub, rel in _files(root):
        reading = look(traces, read_bytes(hub / rel))
        for span in reading.spans if reading else ():
            line = reading.text.count(b"\n", 0, span.start) + 1 if reading else 0
            found.append(Reference("hub", _SHOWN + rel, line))
    return found


def remove(root: Root, traces: Traces, tombstone: str) -> list[Reference]:
    """Take a source out of the hub's own files and add its log line; return what named it.

    Done again for the same tombstone it adds no second line. Raises what a transaction raises.
    """
    hub = _hub(root)
    if hub is None:
        return []
    found = references(root, traces)
    summary = f"{LOG_TEXT}: tombstone {tombstone}" if tombstone else LOG_TEXT
    logged = tombstone and any(record.summary == summary for record in undo.records(hub))
    tx = Transaction(hub, "retract-source", summary=summary, keep_before=False)
    for _, rel in _files(root):
        data = read_bytes(hub / rel)
        reading = look(traces, data)
        if reading is not None and not reading.binary:
            tx.write(rel, rewritten(traces, rel, reading, lambda _: "").data, expect=sha256(data))
    log = hub / layout.LOG
    if not logged and log.is_file() and not log.is_symlink():
        _log_line(tx, log)
    tx.commit()
    return found


def _log_line(tx: Transaction, log: Path) -> None:
    """Add the line even where nothing else of the hub changes, which a transaction alone would not do."""
    if tx.changes:
        tx.log("retract", LOG_TEXT)
        return
    from llm_wiki.core import clock
    from llm_wiki.core.files import fitted
    from llm_wiki.wiki.log import entry

    data = read_bytes(log)
    text = entry("retract", LOG_TEXT, clock.today().isoformat())
    tx.write(layout.LOG, data + fitted(data[-2:], text), expect=sha256(data))


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
            if path.is_file() and not path.is_symlink() and "\\" not in rel:
                yield hub, rel
