"""`session reindex`: states that were lost, pointers and indexes, made again from what is there."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final, NamedTuple

from llm_wiki.core.errors import LockBusy
from llm_wiki.core.files import failure
from llm_wiki.core.project import identify
from llm_wiki.hook import files, rehydrate, rows
from llm_wiki.hook.store import Store
from llm_wiki.sessions import erase, indexes, lines, traces
from llm_wiki.sessions.feedback import rebuild_feedback_index
from llm_wiki.sessions.folder import Folder, Session, digests_of, sessions, sound, state_files

_STALE_SECONDS: Final = 60
_FRONT: Final = re.compile(r"^(topics|promoted_to|last_seen_at|summary): (.+)$", re.MULTILINE)
_KEY: Final = re.compile(r"[\w.-]{1,80}")


class Rebuilt(NamedTuple):
    """What was made again: lost states, states that lagged behind, projects, indexes, removed leftovers.

    `lost` are states that cannot be read and of which no row is left.
    """

    states: int
    caught_up: int
    projects: int
    indexes: tuple[str, ...]
    leftovers: int
    lost: tuple[str, ...]


def reindex(folder: Folder) -> Rebuilt:
    """Bring states, pointers and indexes in line with the rows; a second run changes no byte.

    Raises LockBusy, Unreadable.
    """
    try:
        leftovers = _sweep(folder) + erase.sweep_locks(folder)
        found = {each.id: each for each in sessions(folder)}
        made, behind = _states(folder, found)
        projects = _pointers(folder)
        changed = indexes.refresh(folder)
        if rebuild_feedback_index(folder.store):
            changed.append("feedback.json")
    except OSError as error:
        raise failure("write", error.filename or folder.path, error) from error
    lost = tuple(
        os.path.relpath(path, folder.store.root)
        for path in state_files(folder)
        if not sound(files.read_json(path))
    )
    return Rebuilt(made, behind, projects, tuple(changed), leftovers, lost)


def _sweep(folder: Folder) -> int:
    """Remove what killed writers left: temporary files that nobody has touched for a minute."""
    gone = 0
    for path in list(traces.below(folder.store.root)):
        name = os.path.basename(path)
        if not name.endswith(files.TEMP) and not name.startswith(".llm-wiki-tmp-"):
            continue
        with suppress(FileNotFoundError):
            if time.time() - os.stat(path, follow_symlinks=False).st_mtime > _STALE_SECONDS:
                gone += lines.unlink(path)
    return gone


class _Row(NamedTuple):
    day: str
    start: int
    end: int
    row: dict[str, Any]


def _states(folder: Folder, found: dict[str, Session]) -> tuple[int, int]:
    """Fold the rows no state has counted; return how many states were made and how many caught up."""
    store = folder.store
    days = [os.path.basename(path)[:-6] for path in traces.row_files(store)["queue_rows"]]
    waiting: dict[str, list[_Row]] = {}
    for day in days:
        for row in _queue(store, day):
            name = row.row["llm_wiki_session_id"]
            if name not in found or _is_behind(found[name].state, row):
                waiting.setdefault(name, []).append(row)
    made = behind = 0
    for name, queued in waiting.items():
        first = queued[0].row
        harness, native = first["harness"], first["native_session_id"]
        with store.locked(harness, native, timeout=indexes.WAIT_SECONDS) as had:
            if not had:
                raise LockBusy(f"session {name} is being written", remedy="run it again")
            state = store.state(harness, native)
            if state is None:
                made += _rebuild(folder, name)
            elif state == found.get(name, Session("", {})).state:
                behind += _catch_up(store, state, queued)
    return made, behind


def _queue(store: Store, day: str) -> Iterator[_Row]:
    """Yield the whole rows of a day that name a session."""
    try:
        with open(store.path("queue", f"{day}.jsonl"), "rb") as handle:
            data = handle.read()
    except FileNotFoundError:
        return
    at = 0
    while (end := data.find(b"\n", at)) >= 0:
        with suppress(ValueError, RecursionError):
            row = json.loads(data[at:end].decode("utf-8", "replace")) if data[at:end].strip() else None
            if (
                isinstance(row, dict)
                and row.get("event") == "session_event"
                and isinstance(row.get("ts"), str)
                and sound(row)
            ):
                yield _Row(day, at, end + 1, row)
        at = end + 1


def _is_behind(state: dict[str, Any], row: _Row) -> bool:
    """Tell whether a row lies behind what its state has counted; an older tool's state has counted all."""
    cursor = state.get("queue_cursor")
    if not isinstance(cursor, dict) or not cursor:
        return False
    reached = cursor.get(row.day)
    if isinstance(reached, int):
        return row.start >= reached
    return bool(row.day > max(cursor))


def _catch_up(store: Store, state: dict[str, Any], queued: list[_Row]) -> bool:
    counted = False
    cursor = dict(state["queue_cursor"])
    for row in queued:
        counted = rows.fold(state, row.row) or counted
        cursor[row.day] = max(row.end, cursor.get(row.day, 0))
    state["queue_cursor"] = cursor
    store.save(state)
    return counted


def _rebuild(folder: Folder, name: str) -> bool:
    """Make a lost state from its rows, with what registry and digest still tell of it."""
    store = folder.store
    state = store.rebuild(name)
    if state is None:
        return False
    state["registered"] = False
    for row in _registry(store, name):
        if row.get("event") == "session_seen":
            state["registered"] = True
        elif row.get("event") == "digest_written":
            state["digest_count"] = int(state.get("digest_count") or 0) + 1
            state["last_digest_path"] = row.get("digest_path")
            state["last_digest_at"] = row.get("ts")
    session = Session(store.state_path(state["harness"], state["native_session_id"]), state)
    on_disk = digests_of(folder, session)
    if on_disk:
        below = os.path.relpath(on_disk[-1], store.root).replace(os.sep, "/")
        state["last_digest_path"] = f"{os.path.basename(store.root)}/{below}"
        state.setdefault("digest_count", 1)
        state.setdefault("last_digest_at", state["last_seen_at"])
        _from_digest(state, on_disk[-1])
    store.save(state)
    return True


def _registry(store: Store, name: str) -> Iterator[dict[str, Any]]:
    who = traces.Who(frozenset({name}))
    with suppress(FileNotFoundError), open(store.path("registry.jsonl"), "rb") as handle:
        for line in handle.read().split(b"\n"):
            if line.strip() and traces.is_of(line, who):
                with suppress(ValueError, RecursionError):
                    row = json.loads(line.decode("utf-8", "replace"))
                    if isinstance(row, dict):
                        yield row


def _from_digest(state: dict[str, Any], path: str) -> None:
    """Take topics and promotions, which are in no row, from the front matter of the digest."""
    with open(path, "rb") as handle:
        text = handle.read().decode("utf-8", "replace")
    front = text[4 : max(text.find("\n---", 4), 4)] if text.startswith("---\n") else ""
    for key, written in _FRONT.findall(front):
        if key not in ("topics", "promoted_to"):
            continue
        with suppress(ValueError, RecursionError):
            value = json.loads(written)
            if isinstance(value, list) and value:
                merged = [*(state.get(key) or []), *value]
                state[key] = sorted(set(merged)) if key == "topics" else merged


def _pointers(folder: Folder) -> int:
    """Write the files that name a project's sessions with a digest, oldest first; return how many changed."""
    store = folder.store
    wanted: dict[str, list[dict[str, Any]]] = {}
    for each in sorted(sessions(folder), key=lambda each: (each.seen, each.id)):
        path = rehydrate.digest_path(store, each.state)
        key = _project_key(each.state)
        if key and path and os.path.isfile(path):
            wanted.setdefault(key, []).append(rehydrate.pointer(each.state))
    changed = 0
    present = {os.path.basename(path)[:-6] for path in traces.row_files(store)["pointers"]}
    for key in sorted(present | set(wanted)):
        rows_of = wanted.get(key, [])
        path = rehydrate.pointer_path(store, key)
        if key in present:
            changed += lines.replace(path, _Pointers(store, rows_of).merged)
        else:
            files.append_rows(path, rows_of)
            changed += 1
    return changed


class _Pointers(NamedTuple):
    """What a project's file becomes: the rows known, and those of sessions that came in meanwhile."""

    store: Store
    rows: list[dict[str, Any]]

    def merged(self, data: bytes) -> bytes:
        known = {row["llm_wiki_session_id"] for row in self.rows}
        more: dict[str, dict[str, Any]] = {}
        for line in data.split(b"\n"):
            with suppress(ValueError, RecursionError):
                row = json.loads(line) if line.strip() else {}
                if sound(row) and row["llm_wiki_session_id"] not in known and self._has_digest(row):
                    more[row["llm_wiki_session_id"]] = row
        both = sorted([*self.rows, *more.values()], key=lambda row: str(row.get("ts")))
        text = "".join(json.dumps(row, sort_keys=True, ensure_ascii=False) + "\n" for row in both)
        return text.encode("utf-8", "replace")

    def _has_digest(self, row: dict[str, Any]) -> bool:
        state = self.store.state(row["harness"], row["native_session_id"])
        path = rehydrate.digest_path(self.store, state) if state else ""
        return bool(path) and os.path.isfile(path)


def _project_key(state: dict[str, Any]) -> str:
    """Return the project of a session; an older tool's states have none, so their folder tells."""
    key = state.get("project_key")
    if isinstance(key, str) and _KEY.fullmatch(key):
        return key
    cwd = state.get("cwd")
    return identify(cwd).id if isinstance(cwd, str) and os.path.isdir(cwd) else ""
