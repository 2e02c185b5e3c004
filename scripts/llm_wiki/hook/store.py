"""Sessions on disk: where their files lie, and how one event is added (`sessions.md` §2, §5).

The queue is the truth and states follow from it. Whoever holds a session's lock folds all rows of that
session which lie behind the state's cursor (a byte offset a day), so a row whose writer did not get the
lock in time is counted by the next one, and each row once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from llm_wiki.core import flock
from llm_wiki.hook import files, names, rows

LOCK_SECONDS: Final = 0.3
_DAYS_KEPT: Final = 4
_DAYS_LOOKED_AT: Final = 2
_SCAN_BYTES: Final = 64 << 20
_NEW_BYTES: Final = 4 << 20
"""How far back rows of a session are looked for that has no state yet: its first ones, sent in parallel."""


class Store:
    """One `.sessions/` folder. No method creates it but those that write; none follows a link out of it."""

    def __init__(self, root: str) -> None:
        self.root = root

    def path(self, *parts: str) -> str:
        """Return a path below the folder."""
        return os.path.join(self.root, *parts)

    def file_stem(self, harness: str, native: str) -> str:
        """Return the name that a session's files have, an older tool's where that is this session's."""
        new = names.file_id(native)
        old = names.old_file_id(native)
        state = files.read_json(self.path("state", harness, f"{old}.json"))
        owner = state.get("native_session_id") if isinstance(state, dict) else None
        if owner == native:
            return old
        taken = new == old and isinstance(owner, str) and owner
        return names.marked_file_id(native) if taken else new

    def state_path(self, harness: str, native: str) -> str:
        """Return the path of a session's state."""
        return self.path("state", harness, f"{self.file_stem(harness, native)}.json")

    def state(self, harness: str, native: str) -> dict[str, Any] | None:
        """Return a session's state, None when there is none that can be read."""
        value = files.read_json(self.state_path(harness, native))
        if not isinstance(value, dict) or value.get("native_session_id") != native:
            return None
        return value | {"harness": harness, "llm_wiki_session_id": f"{harness}:{native}"}

    def known_harness(self, native: str, cwd: str) -> str:
        """Return the host of a stored session with this id and folder, "" without one."""
        with suppress(OSError):
            for harness in sorted(os.listdir(self.path("state"))):
                state = self.state(harness, native)
                if state is not None and state.get("cwd") == cwd:
                    return harness
        return ""

    @contextmanager
    def locked(self, harness: str, native: str, *, timeout: float = LOCK_SECONDS) -> Iterator[bool]:
        """Hold a session's lock; yields whether it was had in time."""
        with self.lock(f"{harness}-{names.file_id(native)}", timeout=timeout) as had:
            yield had

    @contextmanager
    def lock(self, name: str, *, timeout: float = LOCK_SECONDS) -> Iterator[bool]:
        """Hold the lock of this name; yields whether it was had in time.

        Who forgets a session removes its lock while holding it: who waited for that one asks again.
        """
        folder = self.path("locks")
        files.private_folder(folder)
        while True:
            handle = os.open(os.path.join(folder, name), os.O_RDWR | os.O_CREAT | files.CLOEXEC, 0o600)
            had = False
            try:
                had = flock.take(handle, timeout)
                if had and not os.fstat(handle).st_nlink:
                    continue
                yield had
                return
            finally:
                if had:
                    flock.unlock(handle)
                os.close(handle)

    def queue_path(self, ts: str) -> str:
        """Return the queue file of a stamp's day."""
        return self.path("queue", f"{ts[:10]}.jsonl")

    def append(self, event: rows.Event, seq: int) -> int:
        """Add the queue row of an event; return the byte at which it starts."""
        return files.append_rows(self.queue_path(event.ts), [rows.queue_row(event, seq)])[0]

    def catch_up(
        self, state: dict[str, Any] | None, session_id: str, day: str, own: int
    ) -> dict[str, Any] | None:
        """Return the state with every row of the session folded that lies behind its cursor.

        Call it under the session's lock, after the own row was written at byte `own` of that day. A missing
        state starts at the last megabytes of the day; one without a cursor, as an older tool leaves it, has
        counted everything before the own row. None when there is no row at all.
        """
        given = state.get("queue_cursor") if state else {}
        cursor: dict[str, Any] = {day: own}
        if isinstance(given, dict) and (given or state is None):
            cursor = dict(given)
        if cursor and day < min(cursor):  # the clock went back further than the cursor reaches
            cursor[day] = own
        days = sorted({*cursor, *self._between(cursor, day), day}, key=lambda name: (name == day, name))
        for name in days:
            start = cursor.get(name)
            if name == day and isinstance(start, int):
                start = min(start, own)  # more only where the file became shorter
            most = _SCAN_BYTES if name in cursor else _NEW_BYTES
            found, end = self._rows(name, session_id, start if isinstance(start, int) else 0, most)
            for row in found:
                if state is None:
                    state = rows.new_state(row)
                rows.fold(state, row)
            cursor[name] = end
        if state is not None:
            state["queue_cursor"] = {name: cursor[name] for name in days[-_DAYS_KEPT:]}
        return state

    def _between(self, cursor: dict[str, Any], day: str) -> list[str]:
        """Return the last days before `day` that the cursor has not reached: a row may have waited there."""
        if not cursor or day in cursor:
            return []
        with suppress(OSError):
            names = sorted(name[:-6] for name in os.listdir(self.path("queue")) if name.endswith(".jsonl"))
            return [name for name in names if max(cursor) < name < day][-_DAYS_LOOKED_AT:]
        return []

    def rebuild(self, session_id: str, state: dict[str, Any] | None = None) -> dict[str, Any] | None:
        """Return a session's state made from every queue file there is, oldest first; None without a row."""
        days = []
        with suppress(OSError):
            days = sorted(name[:-6] for name in os.listdir(self.path("queue")) if name.endswith(".jsonl"))
        cursor = {}
        for day in days:
            found, end = self._rows(day, session_id, 0)
            for row in found:
                if state is None:
                    state = rows.new_state(row)
                rows.fold(state, row)
            cursor[day] = end
        if state is not None:
            state["queue_cursor"] = dict(list(cursor.items())[-_DAYS_KEPT:])
        return state

    def _rows(
        self, day: str, session_id: str, start: int, most: int = _SCAN_BYTES
    ) -> tuple[list[dict[str, Any]], int]:
        """Return the whole rows of one session in a day's queue from a byte on, and where they end.

        Of what lies there only the last `most` bytes are looked at.
        """
        path = self.path("queue", f"{day}.jsonl")
        try:
            with open(path, "rb") as handle:
                size = os.fstat(handle.fileno()).st_size
                start = max(min(start, size), size - most, 0)
                handle.seek(start)
                data = handle.read()
        except OSError:
            return [], start
        end = data.rfind(b"\n") + 1
        return list(_of_session(data[:end], session_id)), start + end

    def save(self, state: dict[str, Any]) -> None:
        """Write a session's state."""
        files.write_json(self.state_path(state["harness"], state["native_session_id"]), state)

    def register(self, event: str, state: dict[str, Any], ts: str, **more: Any) -> None:
        """Add a row to the registry."""
        row = {
            "schema_version": rows.SCHEMA_VERSION,
            "ts": ts,
            "event": event,
            "llm_wiki_session_id": state["llm_wiki_session_id"],
            "harness": state["harness"],
            "native_session_id": state["native_session_id"],
            "cwd": state.get("cwd") or "",
        }
        files.append_rows(self.path("registry.jsonl"), [row | more])


def _of_session(data: bytes, session_id: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of one session among whole JSON lines; lines that are torn or no row are passed over."""
    needle = json.dumps(session_id, ensure_ascii=False).encode("utf-8", "replace")
    at = data.find(needle)
    while at >= 0:
        head = data.rfind(b"\n", 0, at) + 1
        tail = data.find(b"\n", at)
        tail = len(data) if tail < 0 else tail
        row = files.row_of(data[head:tail])
        if (
            row is not None
            and row.get("llm_wiki_session_id") == session_id
            and row.get("event") == "session_event"
            and isinstance(row.get("ts"), str)
            and isinstance(row.get("harness"), str)
            and isinstance(row.get("native_session_id"), str)
        ):
            yield row
        at = data.find(needle, tail)
