"""A file of a `.sessions/` folder without a value, while hooks go on writing to it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from llm_wiki.core.errors import LockBusy
from llm_wiki.core.files import failure, read_bytes, write_atomic
from llm_wiki.hook import files
from llm_wiki.hook.store import Store
from llm_wiki.sessions import lines, traces
from llm_wiki.sessions.folder import Session

_WAIT: Final = 10.0
_SPARE: Final = ("payload_preview", "manual_summary", "text_preview")


def edit(path: Path, clean: Callable[[bytes], bytes]) -> bool:
    """Rewrite one file with `clean`; tell whether it changed.

    A row of a file of lines stays in its place, shorter or blank: offsets into it are kept elsewhere. A
    state is written under the lock of its session. Raises LockBusy, Unreadable.
    """
    if path.suffix == ".jsonl" or path.name == files.ERROR_LOG:
        data = read_bytes(path)
        if clean(data) != b"\n".join(clean(line) for line in data.split(b"\n")):
            return lines.replace(str(path), clean)  # what goes over several lines is no row of ours
        return lines.edit(str(path), lambda line: _line(line, clean)) > 0
    try:
        with _lock(path):
            data = read_bytes(path)
            new = clean(data)
            if new != data:
                write_atomic(path, new)
            return new != data
    except OSError as error:
        raise failure("write", path, error) from None


def _line(line: bytes, clean: Callable[[bytes], bytes]) -> bytes | None:
    new = clean(line)
    if new == line or len(new) <= len(line):
        return None if new == line else new
    try:
        row: Any = json.loads(new)
    except (ValueError, RecursionError):
        return b""
    for drop in ("", *_SPARE):
        if drop and isinstance(row, dict) and drop in row:
            row[drop] = "{}" if drop == "payload_preview" else ""
        text = json.dumps(row, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        if len(data := text.encode("utf-8", "replace")) <= len(line):
            return data
    return b""


def _lock(path: Path) -> Any:
    folder = next((each for each in path.parents if each.name == ".sessions"), path.parent)
    store = Store(str(folder))
    state = files.read_json(str(path)) if path.suffix == ".json" else None
    if isinstance(state, dict) and state.get("native_session_id") and state.get("harness"):
        name = os.path.basename(traces.lock_path(store, Session(str(path), state)))
    else:
        name = traces.FEEDBACK_LOCK if "feedback" in path.parts else traces.INDEXES_LOCK
    return _Held(store, name)


class _Held:
    """A lock of the folder; LockBusy when it is not free in time."""

    def __init__(self, store: Store, name: str) -> None:
        self._lock = store.lock(name, timeout=_WAIT)

    def __enter__(self) -> None:
        if not self._lock.__enter__():
            self._lock.__exit__(None, None, None)
            raise LockBusy("a session is being written", remedy="run it again")

    def __exit__(self, *caught: object) -> None:
        self._lock.__exit__(*caught)  # type: ignore[arg-type]
