"""The store of `.sessions/` folders: a value out of their files and names, while hooks go on writing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

from llm_wiki.core.errors import LockBusy, WikiError
from llm_wiki.core.files import failure, read_bytes, write_atomic
from llm_wiki.core.stores import Hits, Needle, Work
from llm_wiki.hook import files
from llm_wiki.hook.store import Store
from llm_wiki.sessions import lines, traces
from llm_wiki.sessions.folder import Session

_WAIT: Final = 10.0
_SPARE: Final = ("payload_preview", "manual_summary", "text_preview")


class Share(Protocol):
    """What of the roots of a withdrawal lies in folders of sessions, and what was done to it."""

    def covers(self, path: Path) -> bool:
        """Tell whether a file is one of them."""

    def hits(self, needle: Needle) -> Hits:
        """Return what they hold."""

    def work(self, needle: Needle) -> Work:
        """Return what is to be done."""

    def clean(self, needle: Needle, data: bytes) -> bytes:
        """Return bytes without what is looked for."""

    def done(self, *, files: int, deleted: int, renamed: int) -> int:
        """Note what was done; return how many things that changed."""

    def failed(self, needle: Needle, error: WikiError) -> None:
        """Note what could not be done."""


class Sessions:
    """Sessions with their feedback, digests, lessons, pointers and queue, the key and the error log."""

    name = "sessions"

    def __init__(self, share: Share) -> None:
        self.share = share

    def find(self, needle: Needle) -> Hits:
        """Look at every file of the folders; changes nothing."""
        return self.share.hits(needle)

    prove = find

    def covers(self, path: Path) -> bool:
        """Tell whether a file lies in a folder of sessions."""
        return self.share.covers(path)

    def remove(self, needle: Needle) -> int:
        """Take out what was found. A file that cannot be written is noted, and the rest is still done."""
        work = self.share.work(needle)
        clean = partial(self.share.clean, needle)

        def tried(act: Callable[[], bool]) -> bool:
            try:
                return act()
            except WikiError as error:
                self.share.failed(needle, error)
                return False

        return self.share.done(
            files=sum(tried(partial(edit, path, clean)) for path in work.texts),
            deleted=sum(tried(partial(_gone, path)) for path in work.doomed),
            renamed=sum(tried(partial(_renamed, old, new)) for old, new in work.moves),
        )


def _gone(path: Path) -> bool:
    with _lock(path):
        return lines.unlink(str(path))


def _renamed(old: Path, new: Path) -> bool:
    """Give a file or folder another name, while nobody writes the session that it is of."""
    try:
        with _lock(old):
            old.rename(new)
    except FileNotFoundError:
        return False  # it has gone, or lies below a folder that has another name now
    except OSError as error:
        raise failure("rename", old, error) from None
    return True


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
    """A lock of the folder, which leaves no file that was not there: the name of one tells its session.

    LockBusy when it is not free in time.
    """

    def __init__(self, store: Store, name: str) -> None:
        self._path = store.path("locks", name)
        self._new = not os.path.lexists(self._path)
        self._lock = store.lock(name, timeout=_WAIT)

    def __enter__(self) -> None:
        if not self._lock.__enter__():
            self._lock.__exit__(None, None, None)
            raise LockBusy("a session is being written", remedy="run it again")

    def __exit__(self, *caught: object) -> None:
        if self._new:
            with suppress(WikiError):
                lines.unlink(self._path)  # while it is held: who waited for it asks again
        self._lock.__exit__(*caught)  # type: ignore[arg-type]
