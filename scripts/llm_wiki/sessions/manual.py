"""One row by hand: `session capture`, which works at every level (`sessions.md` §1, §4)."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from llm_wiki.core.errors import BadUsage, LockBusy
from llm_wiki.core.files import failure
from llm_wiki.core.project import identify
from llm_wiki.core.redact import redact
from llm_wiki.hook import incoming, options, payload, rows
from llm_wiki.hook.event import counted, described, write_digest
from llm_wiki.hook.settings import off_here, read
from llm_wiki.sessions import indexes
from llm_wiki.sessions.byhand import who
from llm_wiki.sessions.folder import Folder, prepare

SUMMARY_CHARS = 2_000
WAIT_SECONDS = 10.0


class Captured(NamedTuple):
    """What was written: the session, its digest below the hub, and why automatic capture is off here."""

    session_id: str
    digest_path: str
    off: str


def capture(
    folder: Folder,
    *,
    harness: str = "",
    session_id: str = "",
    cwd: str = "",
    transcript_path: str = "",
    model: str = "",
    topics: tuple[str, ...] = (),
    summary: str = "",
) -> Captured:
    """Add one row to a session, or start one, and write its digest; every text is redacted first.

    Without a session a new one is made; without a host the one of the stored session, else `manual`.
    Raises BadUsage for a summary that is too long, LockBusy, Unreadable.
    """
    if len(summary) > SUMMARY_CHARS:
        raise BadUsage(
            f"the summary has {len(summary)} characters, {SUMMARY_CHARS} are the most", remedy="shorten it"
        )
    settings = read(folder.store.root)
    # redacted as typed: in a path that is put in order an address hides
    where = os.path.abspath(os.path.expanduser(redact(cwd))) if cwd else os.getcwd()
    harness, native = who(folder, harness, session_id)
    prepare(folder)
    given = {"transcript_path": transcript_path, "model": model}
    flags = _flags(harness, native, where, topics, summary)
    received = incoming.Received({k: v for k, v in given.items() if v}, oversize=False, problem="")
    event = described(flags, settings, received, where, identify(where), folder.store)
    assert event is not None
    try:
        state = _record(folder, event)
    except OSError as error:
        raise failure("write", error.filename or folder.path, error) from error
    indexes.refresh(folder)
    return Captured(
        state["llm_wiki_session_id"], state["last_digest_path"], settings.why or off_here(settings, where)
    )


def _flags(harness: str, native: str, where: str, topics: tuple[str, ...], summary: str) -> options.Options:
    return options.Options(
        harness, "manual", native, where, topics, summary, "manual",
        payload.PREVIEW_CHARS, plain=True, hub="", local=False, debug=False,
    )  # fmt: skip


def _record(folder: Folder, event: rows.Event) -> dict[str, Any]:
    store = folder.store
    with store.locked(event.harness, event.native_id, timeout=WAIT_SECONDS) as had:
        if not had:
            raise LockBusy(f"session {event.session_id} is being written", remedy="run it again")
        state, _ = counted(store, event, store.state(event.harness, event.native_id))
        assert state is not None
        write_digest(store, state, "manual", event.ts)
        store.save(state)
    return state
