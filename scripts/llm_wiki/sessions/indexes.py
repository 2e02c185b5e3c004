"""`indexes/*.json`: what an older reader looks sessions up in. A cache; states are the truth."""

from __future__ import annotations

from typing import Any

from llm_wiki.core import clock
from llm_wiki.core.errors import LockBusy
from llm_wiki.core.files import failure
from llm_wiki.hook import files, rows
from llm_wiki.sessions.choose import topics
from llm_wiki.sessions.feedback import rebuild_feedback_index
from llm_wiki.sessions.folder import Folder, Session, as_json, newest_first, sessions
from llm_wiki.sessions.lines import unlink

LOCK = "indexes"
WAIT_SECONDS = 30.0
_RECORD = ("llm_wiki_session_id", "harness", "native_session_id", "last_seen_at", "last_digest_path")


def refresh(folder: Folder) -> list[str]:
    """Write the indexes anew from the states; return the names of those that changed.

    Raises LockBusy, and Unreadable when the system refuses.
    """
    if not folder.path.is_dir():
        return []
    try:
        with folder.store.lock(LOCK, timeout=WAIT_SECONDS) as had:
            if not had:
                raise LockBusy("the indexes of .sessions are being written", remedy="run it again")
            return _write(folder)
    except OSError as error:
        raise failure("write", error.filename or folder.path, error) from error


def drop(folder: Folder) -> None:
    """Remove the indexes of sessions, and what a killed writer left of them, until they are written anew.

    Raises LockBusy, Unreadable.
    """
    with folder.store.lock(LOCK, timeout=WAIT_SECONDS) as had:
        if not had:
            raise LockBusy("the indexes of .sessions are being written", remedy="run it again")
        for name in contents([]):
            for path in (folder.store.path("indexes", name), folder.store.path("indexes", name + files.TEMP)):
                unlink(path)


def _write(folder: Folder) -> list[str]:
    found = newest_first(sessions(folder), rows.stamp(clock.now()))
    changed = []
    for name, text in contents(found).items():
        path = folder.store.path("indexes", name)
        if _read(path) != text.encode("utf-8", "replace"):
            files.write_text(path, text)
            changed.append(name)
    if rebuild_feedback_index(folder.store):
        changed.append("feedback.json")
    return changed


def contents(found: list[Session]) -> dict[str, str]:
    """Return file name → its text, for sessions in their order."""
    by_cwd: dict[str, list[dict[str, Any]]] = {}
    by_topic: dict[str, list[dict[str, Any]]] = {}
    for each in found:
        record = {key: each.state.get(key) for key in _RECORD}
        cwd = each.state.get("cwd")
        if isinstance(cwd, str) and cwd:
            by_cwd.setdefault(cwd, []).append(record)
        for topic in topics(each.state):
            by_topic.setdefault(topic, []).append(record)
    return {
        "by-cwd.json": as_json(by_cwd),
        "by-topic.json": as_json(by_topic),
        "sessions.json": _all(found),
    }


def _all(found: list[Session]) -> str:
    """Return `{"sessions": [state …]}`; each state stands as its own file has it, only further right."""
    if not found:
        return as_json({"sessions": []})
    items = []
    for each in found:
        text = _read(each.path).decode("utf-8-sig", "replace").strip()
        items.append("    " + (text or as_json(each.state).strip()).replace("\n", "\n    "))
    return '{\n  "sessions": [\n' + ",\n".join(items) + "\n  ]\n}\n"


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as handle:
            return handle.read()
    except FileNotFoundError:
        return b""
