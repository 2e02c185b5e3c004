"""A state that cannot be read is made again: counters from the queue, the rest from the digest on disk."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import Any, Final

from llm_wiki.hook import rows
from llm_wiki.hook.store import Store

_FRONT_BYTES: Final = 64 << 10
_TAKEN: Final = ("topics", "promoted_to", "revision", "last_seen_at")


def rebuilt(store: Store, session_id: str) -> dict[str, Any] | None:
    """Return a session's state from its rows and its digest; None without a row. Call it under its lock."""
    state = store.rebuild(session_id)
    if state is None:
        return None
    if rows.number(state.get("event_count")) > 1:
        state["registered"] = True
    below = _digest(
        store, f"{state['harness']}-{store.file_stem(state['harness'], state['native_session_id'])}.md"
    )
    if not below:
        return state
    front = _front(store.path(*below.split("/")))
    state["last_digest_path"] = f"{os.path.basename(store.root)}/{below}"
    state["last_digest_at"] = str(front.get("last_seen_at") or state["last_seen_at"])
    state["digest_count"] = max(rows.number(front.get("revision")), 1)
    for key in ("topics", "promoted_to"):
        if isinstance(front.get(key), list) and front[key]:
            known = state.get(key) if isinstance(state.get(key), list) else []
            state[key] = sorted({str(item) for item in [*(known or []), *front[key]]})
    return state


def _digest(store: Store, name: str) -> str:
    """Return the path of the newest digest of this name below the folder, "" without one."""
    with suppress(OSError):
        for year in sorted(os.listdir(store.path("digests")), reverse=True):
            with suppress(OSError):
                for month in sorted(os.listdir(store.path("digests", year)), reverse=True):
                    if os.path.isfile(store.path("digests", year, month, name)):
                        return f"digests/{year}/{month}/{name}"
    return ""


def _front(path: str) -> dict[str, Any]:
    """Return what the front matter of a digest says beyond the rows."""
    found: dict[str, Any] = {}
    try:
        with open(path, "rb") as handle:
            lines = handle.read(_FRONT_BYTES).decode("utf-8", "replace").split("\n")
    except OSError:
        return found
    for line in lines[1:]:
        if line == "---":
            break
        key, colon, written = line.partition(": ")
        if colon and key in _TAKEN:
            with suppress(ValueError, RecursionError):
                found[key] = json.loads(written)
    return found
