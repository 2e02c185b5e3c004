"""Forgetting sessions: everything stored of them goes, nothing is kept to undo it, and a rescan proves it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final, NamedTuple

from llm_wiki.core import clock
from llm_wiki.core.errors import BadUsage, LockBusy
from llm_wiki.core.files import failure
from llm_wiki.hook import files, rows
from llm_wiki.hook.known import KEYS
from llm_wiki.hook.store import Store
from llm_wiki.sessions import indexes, lines, traces
from llm_wiki.sessions.choose import spellings
from llm_wiki.sessions.feedback import rebuild_feedback_index
from llm_wiki.sessions.folder import Folder, Session, digests_of, sessions, state_files
from llm_wiki.sessions.traces import KINDS, Who

WAIT_SECONDS: Final = 10.0
_OPEN_DAYS: Final = 2
_WITHDRAWN: Final = "[RETRACTED]"

Progress = Callable[[int, int], None]


class Erased(NamedTuple):
    """What went of each kind, what a rescan still found of it, and the notes in topics that stay."""

    sessions: tuple[str, ...]
    removed: dict[str, int]
    left: dict[str, int]
    promoted: tuple[str, ...]

    @property
    def proved(self) -> bool:
        """Whether the rescan found nothing."""
        return not any(self.left.values())


def of_folder(folder: Folder, cwd: str) -> Who:
    """Return the sessions of a folder and of the folders below it."""
    places = spellings(cwd)
    return Who(
        frozenset(
            each.id
            for each in sessions(folder)
            if (where := each.state.get("cwd")) in places
            or (isinstance(where, str) and any(where.startswith(p.rstrip("/") + "/") for p in places))
        )
    )


def older_than(folder: Folder, days: int) -> Who:
    """Return the sessions whose last event is more than so many days ago."""
    limit = rows.stamp(clock.now() - timedelta(days=days))
    return Who(frozenset(each.id for each in sessions(folder) if each.seen < limit))


def days_of(text: str) -> int:
    """Return the days that `90d` or `90` means. Raises BadUsage."""
    number = text.strip().lower().removesuffix("d")
    if not number.isdecimal() or len(number) > 6:
        raise BadUsage(f"{text!r} is no number of days", remedy="write 90d")
    return int(number)


def everyone() -> Who:
    """Return all sessions, also those that left only rows."""
    return Who(frozenset(), everyone=True)


def promoted_notes(found: Iterable[Session]) -> tuple[str, ...]:
    """Return the notes that sessions were promoted to: knowledge now, which forgetting leaves alone.

    Of one that was retracted since only a masked path is left.
    """
    notes = set()
    for each in found:
        given = each.state.get("promoted_to")
        for item in given if isinstance(given, list) else []:
            path = item.get("path") if isinstance(item, dict) else item
            if isinstance(path, str) and _WITHDRAWN not in path:
                notes.add(path)
    return tuple(sorted(notes))


def forget(folder: Folder, who: Who, progress: Progress | None = None) -> Erased:
    """Erase sessions and prove it by a second look. Raises LockBusy, Unreadable; a second run goes on.

    A hook of such a session that runs meanwhile starts it anew, from its own rows alone.
    """
    begun = traces.moment(folder)
    found = list(traces.sessions_of(folder, who))
    notes = promoted_notes(found)
    try:
        gone = _remove(folder, who, found, begun, progress)
        indexes.refresh(folder)
    except OSError as error:
        raise failure("erase", error.filename or folder.path, error) from error
    names = tuple(sorted(each.id for each in found))
    gone["undo_records"] = _withdraw(folder, names, notes)
    return Erased(names, gone, traces.counts(folder, who, begun), notes)


def _remove(
    folder: Folder, who: Who, found: list[Session], begun: traces.Moment, progress: Progress | None
) -> dict[str, int]:
    """Take everything out, the states after all else: by them a run that was killed is gone on with.

    A hook may write rows until its state goes, so they are looked through once more after it.
    """
    store = folder.store
    gone = dict.fromkeys(KINDS, 0)
    indexes.drop(folder)
    for path in traces.row_files(store)["queue_rows"]:
        gone["queue_rows"] += lines.edit(path, _blank(who))
        if _is_closed(path):
            lines.remove_if_blank(path)
    _remove_rows(folder, who, gone)
    for number, each in enumerate(found):
        _remove_session(folder, each, gone)
        if progress:
            progress(number + 1, len(found))
    if who.everyone:
        _remove_rest(folder, gone, begun)
    else:
        _remove_locks(store, [path for path in traces.locks_of(store, who) if os.path.exists(path)], gone)
    _remove_rows(folder, who, gone)
    rebuild_feedback_index(store)
    return gone


def _blank(who: Who) -> Callable[[bytes], bytes | None]:
    return lambda line: b"" if traces.is_of(line, who) else None


def _remove_rows(folder: Folder, who: Who, gone: dict[str, int]) -> None:
    """Take out what was decided about the candidates, then the rows: by them the decisions are found."""
    store = folder.store
    ids = traces.candidate_ids(store, who)
    _drop_feedback_index(folder, ids, everyone=who.everyone)
    gone["status_entries"] += _remove_status(folder, ids, everyone=who.everyone)
    for kind, paths in traces.row_files(store).items():
        for path in paths if kind != "queue_rows" else ():
            gone[kind] += lines.edit(path, _blank(who))
            if kind != "candidates" and _is_mostly_blank(path):
                lines.close_up(path)
    named = traces.names_one(who)
    gone["error_lines"] += lines.edit(store.path(files.ERROR_LOG), lambda line: b"" if named(line) else None)


def _remove_session(folder: Folder, each: Session, gone: dict[str, int]) -> None:
    store = folder.store
    harness, native = each.state["harness"], each.state["native_session_id"]
    with store.locked(harness, native, timeout=WAIT_SECONDS) as had:
        if not had:
            raise LockBusy(f"session {each.id} is being written", remedy="run it again: it goes on from here")
        for path in digests_of(folder, each):
            gone["digests"] += lines.unlink(path)
            lines.unlink(path + files.TEMP)
        lines.unlink(each.path + files.TEMP)
        gone["states"] += lines.unlink(each.path)
        gone["locks"] += lines.unlink(traces.lock_path(store, each))


def _remove_rest(folder: Folder, gone: dict[str, int], begun: traces.Moment) -> None:
    """Remove states that nobody can read, digests without a state, locks that nobody holds."""
    store = folder.store
    for kind, paths in (
        ("states", list(state_files(folder))),
        ("digests", list(traces.below(store.path("digests")))),
    ):
        for path in paths:
            with suppress(FileNotFoundError):
                if os.lstat(path).st_mtime_ns < begun.ns:
                    gone[kind] += lines.unlink(path)
    _remove_locks(store, list(traces.session_locks(store)), gone)


def sweep_locks(folder: Folder) -> int:
    """Remove the locks that a killed run left of sessions whose state is gone; return how many."""
    gone = {"locks": 0}
    known = {os.path.basename(traces.lock_path(folder.store, each)) for each in sessions(folder)}
    for path in state_files(folder):
        known.add(f"{os.path.basename(os.path.dirname(path))}-{os.path.basename(path)[:-5]}")
    orphans = [path for path in traces.session_locks(folder.store) if os.path.basename(path) not in known]
    _remove_locks(folder.store, orphans, gone)
    return gone["locks"]


def _remove_locks(store: Store, paths: Iterable[str], gone: dict[str, int]) -> None:
    """Remove locks that nobody holds."""
    for path in paths:
        with store.lock(os.path.basename(path), timeout=0) as had:
            if had:
                gone["locks"] += lines.unlink(path)


def _remove_status(folder: Folder, ids: set[str], *, everyone: bool) -> int:
    store = folder.store
    if not ids and not everyone and not traces.status(store):
        return 0
    with store.lock(traces.FEEDBACK_LOCK, timeout=WAIT_SECONDS) as had:
        if not had:
            raise LockBusy("feedback is being written", remedy="run it again: it goes on from here")
        path = store.path("feedback", "status.json")
        lines.unlink(path + files.TEMP)
        if everyone and traces.broken_status(store):
            return int(lines.unlink(path))
        noted = traces.status(store)
        entries = traces.status_entries(noted, ids, everyone=everyone)
        for group, name in entries:
            del noted[group][name]
        if entries:
            files.write_json(path, noted)
        if ids or everyone:
            lines.unlink(store.path(*KEYS))  # a cache of the rows, made again from those that are left
    return len(entries)


def _drop_feedback_index(folder: Folder, ids: set[str], *, everyone: bool) -> None:
    """Remove the feedback index where it holds one of these candidates, and the keys: caches, made again."""
    path = folder.store.path("indexes", "feedback.json")
    with folder.store.lock("feedback-index", timeout=WAIT_SECONDS) as had:
        if not had:
            raise LockBusy(
                "the index of feedback is being written", remedy="run it again: it goes on from here"
            )
        lines.unlink(path + files.TEMP)
        with suppress(FileNotFoundError):
            with open(path, "rb") as handle:
                data = handle.read()
            if everyone or any(name.encode() in data for name in ids):
                lines.unlink(path)
    if everyone or ids:
        lines.unlink(folder.store.path("feedback", "keys"))


def _withdraw(folder: Folder, names: tuple[str, ...], notes: tuple[str, ...]) -> int:
    """Remove kept before-bytes that name a session, but not where a note of it is still in a wiki."""
    from llm_wiki.core.withdrawn import forget_bytes

    live: set[str] = set()
    for note in notes:
        if os.path.isfile(os.path.join(folder.hub, note)):
            live.add(note.rpartition("/raw/notes/")[0])
    roots = {os.path.join(folder.hub, place) for place in live}
    return forget_bytes([name.encode("utf-8", "replace") for name in names], but=roots)


def _is_closed(path: str) -> bool:
    """Tell whether a day's queue is so old that no hook appends to it any more."""
    day = os.path.basename(path)[:10]
    return day < f"{clock.now() - timedelta(days=_OPEN_DAYS):%Y-%m-%d}"


def _is_mostly_blank(path: str) -> bool:
    with suppress(OSError), open(path, "rb") as handle:
        data = handle.read()
        return len(data) > 2 * sum(len(line) for line in data.split(b"\n") if line.strip())
    return False


def as_data(erased: Erased) -> dict[str, Any]:
    """Return what programs are told."""
    return {
        "sessions": list(erased.sessions),
        "removed": erased.removed,
        "left": erased.left,
        "proved": erased.proved,
        "promoted": list(erased.promoted),
    }
