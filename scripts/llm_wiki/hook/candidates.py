"""Feedback candidates: what a user said that may matter later (`feedback.md` §1, §2).

Proposals only: nothing reaches a topic without a person. Everything is redacted before it is written.
"""

from __future__ import annotations

import hashlib
import os
from datetime import timedelta
from typing import Any, Final, NamedTuple

from llm_wiki.core import clock
from llm_wiki.core.redact import redact
from llm_wiki.hook import files, names, rows
from llm_wiki.hook.rows import Event
from llm_wiki.hook.secret import keyed
from llm_wiki.hook.settings import CONFIDENCES, Settings
from llm_wiki.hook.store import Store

EVENT: Final = "feedback_candidate"
LOCK: Final = "feedback"
"""The lock that is held from the look for a repeat until the row is written, and by every decision."""
STATUS: Final = ("feedback", "status.json")
EXPIRES_DAYS: Final = 90
PREVIEW_CHARS: Final = 360
LESSON_CHARS: Final = 200
SESSIONS_FOR_HIGH: Final = 3
"""A preference heard in so many sessions is sure."""

_PROMOTED: Final = ("correction", "preference")
_EITHER_END: Final = 10_240
_COUNTED: Final = 2_000
_STATUS_BYTES: Final = 1 << 20


class Said(NamedTuple):
    """What a candidate is made of: the redacted text, its type and how sure that is (0 to 1), and why."""

    text: str
    kind: str
    score: float
    confidence: str
    lesson: str
    scope: str
    rationale: str
    rule_id: str
    lang: str


class Added(NamedTuple):
    """The id and fields of a candidate, and whether it is a new one."""

    row: dict[str, Any]
    new: bool


def notice(
    store: Store, settings: Settings, prompt: str, event: Event, state: dict[str, Any] | None
) -> dict[str, Any] | None:
    """Record the candidate that a prompt is; return the fields a state keeps of it, None when it is none."""
    said = heard(settings, prompt)
    return keep(store, said, event, state) if said else None


def heard(settings: Settings, prompt: str) -> Said | None:
    """Return what a prompt says that the settings want noticed, redacted; None when that is nothing.

    Writes nothing and needs no lock.
    """
    if not settings.feedback or not prompt:
        return None
    from llm_wiki.hook.classify import classify

    prompt = ends_of(prompt)
    if classify(prompt) is None:
        return None  # nothing to redact, nothing to write
    said = judged(redact(prompt, strict=settings.privacy == "strict"))
    if said is None or (said.kind == "approval" and not settings.approvals):
        return None
    wanted = CONFIDENCES.index(said.confidence) >= CONFIDENCES.index(settings.min_confidence)
    return said if wanted else None


def keep(store: Store, said: Said, event: Event, state: dict[str, Any] | None) -> dict[str, Any] | None:
    """Write a candidate; return the fields a state keeps of it, None when the project has it already."""
    added = add(store, said, event, state)
    return kept_of(added.row) if added.new else None


def ends_of(text: str) -> str:
    """Return a text, of a long one both ends, cut where a word ends."""
    if len(text) <= 2 * _EITHER_END:
        return text
    head, tail = text[:_EITHER_END], text[-_EITHER_END:]
    return f"{head.rpartition(' ')[0] or head}\n\n{tail.partition(' ')[2]}"


def judged(text: str) -> Said | None:
    """Return what a redacted text says, None when it is no feedback."""
    from llm_wiki.hook.classify import classify, scope_of

    verdict = classify(text)
    if verdict is None:
        return None
    return Said(
        text,
        verdict.label,
        verdict.score,
        verdict.grade,
        shorten(verdict.clause, LESSON_CHARS),
        scope_of(verdict.clause, verdict.label, verdict.lang),
        verdict.group,
        verdict.rule_id,
        verdict.lang,
    )


def shorten(text: str, most: int) -> str:
    """Return a text on one line without control characters, at most so long, cut at a word."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    if len(line) <= most:
        return line
    cut = line[: most - 1]
    return (cut.rpartition(" ")[0] if " " in cut[most // 2 :] else cut) + "…"


def add(store: Store, said: Said, event: Event, state: dict[str, Any] | None) -> Added:
    """Write a candidate, or count it where the project has it already; the text must be redacted.

    Where the lock is not free in time the row is written all the same: better twice than lost.
    """
    from llm_wiki.hook.known import ROWS, Known, key_of

    row = _row(said, event, state)
    key = key_of(store, said.kind, event.project_key, row["text_preview"])
    with store.lock(LOCK) as had:
        known = Known(store) if had else None
        before = known.find(key) if known else None
        if before is not None:
            _seen_again(store, before, event)
            return Added(before, new=False)
        end = files.append_rows(store.path(*ROWS), [row])[1]
        if known:
            known.add(key, row, end)
    heard = {name: row[name] for name in ("id", "llm_wiki_session_id", "feedback_type", "confidence", "cwd")}
    registered = {"schema_version": rows.SCHEMA_VERSION, "ts": event.ts, "event": EVENT} | heard
    files.append_rows(store.path("registry.jsonl"), [registered])
    return Added(row, new=True)


def kept_of(row: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a candidate that the state of its session keeps."""
    return {name: row.get(name) for name in ("id", "ts", "feedback_type", "confidence", "distilled_lesson")}


def _row(said: Said, event: Event, state: dict[str, Any] | None) -> dict[str, Any]:
    digest = hashlib.sha256(said.text.encode("utf-8", "replace")).hexdigest()
    parts = (event.session_id, event.turn_id, event.name, said.kind, digest)
    name = hashlib.sha256("|".join(parts).encode("utf-8", "replace")).hexdigest()[:16]
    preview = " ".join("".join(char if char.isprintable() else " " for char in said.text).split())
    return {
        "schema_version": rows.SCHEMA_VERSION,
        "id": f"fb-{name}",
        "ts": event.ts,
        "event": EVENT,
        "llm_wiki_session_id": event.session_id,
        "harness": event.harness,
        "native_session_id": event.native_id,
        "cwd": event.cwd,
        "git_remote": event.git_remote,
        "git_branch": event.git_branch,
        "project_key": event.project_key,
        "hook_event_name": event.name,
        "turn_id": event.turn_id or None,
        "feedback_type": said.kind,
        "strength": said.confidence,
        "confidence": said.confidence,
        "score": said.score,
        "lang": said.lang,
        "scope_hint": said.scope,
        "text_preview": preview if len(preview) <= PREVIEW_CHARS else preview[:PREVIEW_CHARS] + "…",
        "text_sha256": digest,
        "distilled_lesson": said.lesson,
        "rationale": said.rationale,
        "rule_id": said.rule_id,
        "promotion_recommendation": "promote" if said.kind in _PROMOTED else "review",
        "context": _context(state),
    }


def _context(state: dict[str, Any] | None) -> dict[str, Any]:
    """Return what a message follows on: the last tool, whether it failed, which prompt this is (from 1)."""
    events = (state or {}).get("last_events")
    last: dict[str, Any] = {}
    for item in reversed(events if isinstance(events, list) else []):
        if isinstance(item, dict) and item.get("tool_name"):
            last = item
            break
    prompts = (state or {}).get("prompts")
    return {
        "last_tool": str(last["tool_name"]) if last else None,
        "last_tool_failed": names.canonical(str(last.get("hook_event_name"))) == "tool_fail",
        "turn_index": 1 + (prompts if isinstance(prompts, int) else 0),
    }


def status(store: Store) -> dict[str, Any]:
    """Return what was decided and heard again; {} when there is nothing that can be read."""
    value = files.read_json(store.path(*STATUS))
    return value if isinstance(value, dict) else {}


def part(decisions: dict[str, Any], name: str) -> dict[str, Any]:
    """Return one part of the status: `promoted`, `rejected`, `seen`, `edited`; {} when it is no object."""
    value = decisions.get(name)
    return value if isinstance(value, dict) else {}


def confidence_of(row: dict[str, Any], decisions: dict[str, Any]) -> str:
    """Return how sure a candidate is now: a preference heard in three sessions is sure."""
    heard = part(decisions, "seen").get(str(row.get("id")))
    sessions = heard.get("sessions") if isinstance(heard, dict) else None
    often = isinstance(sessions, list) and len(sessions) >= SESSIONS_FOR_HIGH
    if often and row.get("feedback_type") == "preference":
        return "high"
    given = str(row.get("confidence") or row.get("strength") or "medium")
    return given if given in CONFIDENCES else "medium"


def _seen_again(store: Store, row: dict[str, Any], event: Event) -> None:
    """Count a repeat; a status file that is no object is left alone, and the log tells."""
    path = store.path(*STATUS)
    value = files.read_json(path)
    if not isinstance(value, dict):
        if os.path.exists(path):
            files.log_error(
                store.root, "feedback/status.json does not hold an object; a repeat was not counted"
            )
            return
        value = {}
    heard = dict(part(value, "seen"))
    entry = heard.get(str(row["id"]))
    entry = entry if isinstance(entry, dict) else {}
    count = entry.get("count")
    marks = entry.get("sessions")
    marks = [mark for mark in marks if isinstance(mark, str)] if isinstance(marks, list) else []
    for session in (str(row.get("llm_wiki_session_id")), event.session_id):
        mark = _mark(store, session)
        if mark not in marks and len(marks) < SESSIONS_FOR_HIGH:
            marks.append(mark)
    heard[str(row["id"])] = {
        "count": 1 + (count if isinstance(count, int) and count > 0 else 1),
        "last_ts": event.ts,
        "sessions": marks,
    }
    files.write_json(path, value | {"seen": heard})


def _mark(store: Store, session: str) -> str:
    """Return what tells sessions apart without naming them."""
    return keyed(store, session, 4)


def waiting(store: Store) -> int:
    """Return how many candidates wait for a decision: not decided, not older than 90 days.

    Looks at the last two thousand at most, as they are entered; one row or one thousand cost the same.
    """
    from llm_wiki.hook.known import ROWS, Known, recent

    if not os.path.exists(store.path(*ROWS)):
        return 0
    with store.lock(LOCK, timeout=0) as had:
        if had:
            Known(store)
    since = int((clock.now() - timedelta(days=EXPIRES_DAYS)).timestamp())
    found = set(recent(store, since, _COUNTED))
    try:
        big = os.path.getsize(store.path(*STATUS)) > _STATUS_BYTES
    except OSError:
        return len(found)
    decided = {} if big else status(store)
    return len(found - set(part(decided, "promoted")) - set(part(decided, "rejected")))
