"""Everything `.sessions/` holds of some sessions: where it stands, taking it out, proving that it is gone.

A queue row may come in while its session is erased: it belongs to the life after. What counts as left is
what stood there when the erasing began, so each file is looked at up to the size it had then.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, Final, NamedTuple

from llm_wiki.core import clock
from llm_wiki.hook import files, rows
from llm_wiki.hook.names import file_id, old_file_id
from llm_wiki.hook.store import Store
from llm_wiki.sessions import lines
from llm_wiki.sessions.folder import Folder, Session, digests_of, state_files

FEEDBACK_LOCK: Final = "feedback"
INDEXES_LOCK: Final = "indexes"
_OTHER_LOCKS: Final = (FEEDBACK_LOCK, INDEXES_LOCK, "feedback-index", "lessons")
_CLOCK_STEP: Final = 20_000_000
"""Nanoseconds by which the times of files may lag behind the clock."""
_ID: Final = re.compile(rb'"llm_wiki_session_id": ?("(?:[^"\\]|\\.)*")')
_STATUS: Final = ("promoted", "rejected", "seen", "edited")


class Who(NamedTuple):
    """The sessions meant: `harness:native id`, or all of them, with or without a state."""

    ids: frozenset[str]
    everyone: bool = False

    def has(self, session_id: Any) -> bool:
        """Tell whether a session is meant."""
        return self.everyone or session_id in self.ids


KINDS: Final = (
    "states",
    "digests",
    "queue_rows",
    "registry_rows",
    "pointers",
    "candidates",
    "status_entries",
    "error_lines",
    "locks",
)
"""What is counted, in the order of `counts`."""


def row_files(store: Store) -> dict[str, list[str]]:
    """Return the files of rows by what their rows are counted as."""
    return {
        "queue_rows": _names(store.path("queue"), ".jsonl"),
        "registry_rows": [store.path("registry.jsonl")],
        "pointers": _names(store.path("projects"), ".jsonl"),
        "candidates": [store.path("feedback", "candidates.jsonl")],
    }


def _names(folder: str, ending: str) -> list[str]:
    with suppress(OSError):
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(ending)]
    return []


class Moment(NamedTuple):
    """When an erasing began: the stamp, the time of files (ns), and (inode, size) of each file of lines."""

    stamp: str
    ns: int
    files: dict[str, tuple[int, int]]


def moment(folder: Folder) -> Moment:
    """Return what stands in the folder now, to tell it from what comes in later."""
    paths = [path for group in row_files(folder.store).values() for path in group]
    sizes = {}
    for path in (*paths, folder.store.path(files.ERROR_LOG)):
        with suppress(OSError):
            found = os.stat(path)
            sizes[path] = (found.st_ino, found.st_size)
    return Moment(rows.stamp(clock.now()), time.time_ns() - _CLOCK_STEP, sizes)


def counts(folder: Folder, who: Who, begun: Moment | None = None) -> dict[str, int]:
    """Return how much of each kind is stored of these sessions; writes nothing.

    With `begun` only what was there at that moment counts: a session that goes on has a new life.
    """
    store = folder.store
    found = dict.fromkeys(KINDS, 0)
    for each in sessions_of(folder, who):
        if begun is None or _time_of(each.path) < begun.ns:
            found["states"] += 1
        found["digests"] += _old(digests_of(folder, each), begun)
    found["locks"] = sum(os.path.lexists(path) for path in locks_of(store, who)) if begun is None else 0
    if who.everyone:
        found["states"] = _old(state_files(folder), begun)
        found["digests"] = _old(below(store.path("digests")), begun)
        found["locks"] = _old(session_locks(store), begun)
    for kind, paths in row_files(store).items():
        found[kind] = sum(_rows_in(path, lambda line: is_of(line, who), begun) for path in paths)
    ids = candidate_ids(store, who)
    found["status_entries"] = len(status_entries(status(store), ids, everyone=who.everyone))
    found["status_entries"] += who.everyone and broken_status(store)
    found["error_lines"] = _rows_in(store.path(files.ERROR_LOG), names_one(who), begun)
    return found


def _old(paths: Iterable[str], begun: Moment | None) -> int:
    return sum(1 for path in paths if begun is None or 0 < _time_of(path) < begun.ns)


def _time_of(path: str) -> int:
    try:
        return os.stat(path, follow_symlinks=False).st_mtime_ns
    except OSError:
        return 0


def _rows_in(path: str, wanted: Callable[[bytes], bool], begun: Moment | None) -> int:
    """Count lines; of a file that was replaced since, those with an older stamp."""
    if begun is None:
        return lines.count(path, wanted)
    known = begun.files.get(path)
    if known is None:
        return 0
    with suppress(FileNotFoundError):
        if os.stat(path).st_ino == known[0]:
            return lines.count(path, wanted, known[1])
    return lines.count(path, lambda line: wanted(line) and _stamp_of(line) < begun.stamp)


def _stamp_of(line: bytes) -> str:
    with suppress(ValueError, RecursionError):
        row = json.loads(line)
        if isinstance(row, dict) and isinstance(row.get("ts"), str):
            return str(row["ts"])
    return ""


def sessions_of(folder: Folder, who: Who) -> Iterator[Session]:
    """Yield the stored sessions that are meant; each has a state that can be read."""
    from llm_wiki.sessions.folder import sessions

    for each in sessions(folder):
        if who.has(each.id):
            yield each


def lock_path(store: Store, each: Session) -> str:
    """Return the lock of a session."""
    return store.path("locks", f"{each.state['harness']}-{file_id(each.state['native_session_id'])}")


def locks_of(store: Store, who: Who) -> list[str]:
    """Return the locks that sessions would have, of those named."""
    parts = [name.partition(":") for name in sorted(who.ids)]
    return [store.path("locks", f"{harness}-{file_id(native)}") for harness, _, native in parts if native]


def session_locks(store: Store) -> Iterator[str]:
    """Yield the locks of all sessions."""
    for path in _names(store.path("locks"), ""):
        if os.path.basename(path) not in _OTHER_LOCKS:
            yield path


def below(top: str) -> Iterator[str]:
    """Yield every file below a folder."""
    for place, _, names in os.walk(top):
        for name in sorted(names):
            yield os.path.join(place, name)


def is_of(line: bytes, who: Who) -> bool:
    """Tell whether a row is of one of these sessions; one that is torn counts by the id it shows."""
    if who.everyone:
        return True
    for match in _ID.finditer(line):
        with suppress(ValueError):
            if json.loads(match[1].decode("utf-8", "replace")) in who.ids:
                return True
    return False


def names_one(who: Who) -> Callable[[bytes], bool]:
    """Return a test whether a line of text names one of the sessions, with its host or without."""
    if who.everyone:
        return bool
    words: set[bytes] = set()
    for name in who.ids:
        harness, _, native = name.partition(":")
        words.add(name.encode("utf-8", "replace"))
        words |= {f"{harness}-{form(native)}".encode() for form in (file_id, old_file_id)}
        if len(native) >= 8:
            words.add(native.encode("utf-8", "replace"))
    return lambda line: any(_stands(word, line) for word in words if word in line)


def _stands(word: bytes, line: bytes) -> bool:
    """Tell whether a word stands for itself in a line, not as a part of a longer id."""
    return re.search(rb"(?<![\w:@+-])" + re.escape(word) + rb"(?![\w:@+-])", line) is not None


def candidate_ids(store: Store, who: Who) -> set[str]:
    """Return the ids of the feedback candidates of these sessions."""
    found = set()
    with suppress(FileNotFoundError), open(store.path("feedback", "candidates.jsonl"), "rb") as handle:
        for line in handle.read().split(b"\n"):
            if line.strip() and is_of(line, who):
                with suppress(ValueError, RecursionError):
                    row = json.loads(line)
                    if isinstance(row, dict) and isinstance(row.get("id"), str):
                        found.add(row["id"])
    return found


def lessons(store: Store) -> int:
    """Return how many proposed lessons are stored; they belong to no session."""
    return len(_names(store.path("lessons"), ".json"))


def status(store: Store) -> dict[str, Any]:
    """Return what is noted of feedback candidates, {} without anything sound."""
    value = files.read_json(store.path("feedback", "status.json"))
    return value if isinstance(value, dict) else {}


def broken_status(store: Store) -> bool:
    """Tell whether there is a file of decisions that nobody can read: words may stand in it."""
    path = store.path("feedback", "status.json")
    with suppress(OSError):
        return os.path.getsize(path) > 0 and not isinstance(files.read_json(path), dict)
    return False


def status_entries(noted: dict[str, Any], ids: Iterable[str], *, everyone: bool) -> list[tuple[str, str]]:
    """Return (group, id) of what is noted of these candidates."""
    wanted = set(ids)
    return [
        (group, name)
        for group in _STATUS
        if isinstance(noted.get(group), dict)
        for name in noted[group]
        if everyone or name in wanted
    ]
