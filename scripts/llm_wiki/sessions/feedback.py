"""Feedback candidates as people look at them: list, show, by hand, counted (`feedback.md` §3)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import timedelta
from typing import Any, Final, NamedTuple

from llm_wiki.core import clock
from llm_wiki.core.errors import Ambiguous, BadUsage, NothingFound
from llm_wiki.core.files import failure
from llm_wiki.core.project import identify
from llm_wiki.core.redact import redact
from llm_wiki.core.text import as_date
from llm_wiki.hook import candidates, files, incoming, options, payload, rows
from llm_wiki.hook.event import described
from llm_wiki.hook.settings import CONFIDENCES, off_here, read
from llm_wiki.hook.store import Store
from llm_wiki.sessions.byhand import who
from llm_wiki.sessions.choose import project_key, require_limit, spellings
from llm_wiki.sessions.folder import Folder, prepare

TYPES: Final = ("correction", "preference", "approval", "decision", "manual")
STATES: Final = ("new", "promoted", "rejected", "all")
SCOPES: Final = ("session", "repo", "topic", "global")
SIMILAR: Final = 92
"""Token-set ratio from which two lessons count as nearly the same."""
SHORTEST: Final = 6
"""Characters that the beginning of an id must have."""
_ROWS: Final = ("feedback", "candidates.jsonl")
_SHOWN: Final = 10


class Candidate(NamedTuple):
    """One candidate and what became of it.

    `row` holds the stored fields with the edited lesson and today's confidence. `status` is `new`,
    `promoted`, `rejected` or `expired`; `seen` counts how often it was said.
    """

    row: dict[str, Any]
    status: str
    promoted: tuple[dict[str, Any], ...]
    rejected: dict[str, Any] | None
    seen: int

    @property
    def id(self) -> str:
        """`fb-` and hex digits."""
        return str(self.row["id"])


class Filter(NamedTuple):
    """What a list is narrowed to; "" means anything. No `status` hides rejected and expired ones."""

    session_id: str = ""
    cwd: str = ""
    kind: str = ""
    min_confidence: str = "medium"
    status: str = ""
    project: str = ""
    since: str = ""
    scope: str = ""


class Captured(NamedTuple):
    """The candidate that was written, or the old one; and why automatic capture is off here."""

    row: dict[str, Any]
    new: bool
    off: str


def every(store: Store) -> list[Candidate]:
    """Return all candidates that can be read, newest first."""
    decisions = candidates.status(store)
    edited, heard = candidates.part(decisions, "edited"), candidates.part(decisions, "seen")
    now = rows.stamp(clock.now())
    oldest = (clock.today() - timedelta(days=candidates.EXPIRES_DAYS)).isoformat()
    found: dict[str, Candidate] = {}
    for given in files.read_rows(store.path(*_ROWS)):
        name = given.get("id")
        if not isinstance(name, str) or not name or name in found or "feedback_type" not in given:
            continue
        row = given | {"confidence": candidates.confidence_of(given, decisions)}
        entry = edited.get(name)
        if isinstance(entry, dict) and isinstance(entry.get("lesson"), str):
            row["distilled_lesson"] = entry["lesson"]
        promoted = entries(candidates.part(decisions, "promoted").get(name))
        rejected = candidates.part(decisions, "rejected").get(name)
        state = "promoted" if promoted else "rejected" if rejected is not None else "new"
        if state == "new" and str(row.get("ts") or "")[:10] < oldest:
            state = "expired"
        times = heard.get(name)
        count = times.get("count") if isinstance(times, dict) else None
        found[name] = Candidate(
            row,
            state,
            promoted,
            (rejected if isinstance(rejected, dict) else {}) if rejected is not None else None,
            count if isinstance(count, int) and count > 0 else 1,
        )
    order = sorted(found.values(), key=lambda each: (str(each.row.get("ts") or ""), each.id), reverse=True)
    return sorted(order, key=lambda each: rows.capped(str(each.row.get("ts") or ""), now), reverse=True)


def entries(value: Any) -> tuple[dict[str, Any], ...]:
    """Return the promotions of a candidate: one object, as an older tool writes, or a list of them."""
    return tuple(item for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict))


def listed(folder: Folder, wanted: Filter, limit: int) -> list[Candidate]:
    """Return at most `limit` candidates that fit, newest first. Raises BadUsage for what cannot be meant."""
    require_limit(limit)
    if wanted.since and as_date(wanted.since) is None:
        raise BadUsage(f"{wanted.since!r} is no date", remedy="write it as YYYY-MM-DD")
    places = spellings(wanted.cwd) if wanted.cwd else frozenset[str]()
    key = project_key(wanted.project) if wanted.project else ""
    states = {"": ("new", "promoted"), "all": ("new", "promoted", "rejected", "expired")}
    least = CONFIDENCES.index(wanted.min_confidence)
    found = []
    for each in every(folder.store):
        row = each.row
        if (
            each.status in states.get(wanted.status, (wanted.status,))
            and CONFIDENCES.index(row["confidence"]) >= least
            and (not wanted.kind or row.get("feedback_type") == wanted.kind)
            and (not wanted.scope or row.get("scope_hint") == wanted.scope)
            and (not wanted.session_id or wanted.session_id in _sessions_of(row))
            and (not places or row.get("cwd") in places)
            and (not key or _project(row) == key)
            and (not wanted.since or str(row.get("ts") or "")[:10] >= wanted.since[:10])
        ):
            found.append(each)
    return found[:limit]


def _sessions_of(row: dict[str, Any]) -> tuple[Any, Any]:
    return row.get("llm_wiki_session_id"), row.get("native_session_id")


def _project(row: dict[str, Any]) -> str:
    """Return the project of a candidate, by its folder where an older tool wrote it."""
    own = row.get("project_key")
    cwd = row.get("cwd")
    return own if isinstance(own, str) and own else identify(cwd).id if isinstance(cwd, str) and cwd else ""


def pick(folder: Folder, wanted: str) -> Candidate:
    """Return the candidate that an id, the beginning of one, or a whole text hash means.

    Raises NothingFound, BadUsage for a beginning that is too short, Ambiguous with those that fit.
    """
    everything = every(folder.store)
    whole = [each for each in everything if wanted in (each.id, each.row.get("text_sha256"))]
    if len(wanted) < SHORTEST and not whole:
        raise BadUsage(
            f"{wanted!r} is too short for an id",
            remedy=f"give at least {SHORTEST} characters, such as fb-1a2",
        )
    fits = whole or [each for each in everything if each.id.startswith((wanted, f"fb-{wanted}"))]
    if not fits:
        raise NothingFound(f"no feedback candidate {wanted!r}", remedy="`llm-wiki feedback list` shows them")
    if len(fits) > 1:
        shown = tuple(sorted(each.id for each in fits)[:_SHOWN])
        raise Ambiguous(f"{wanted!r} fits {len(fits)} candidates", shown, remedy="give more of the id")
    return fits[0]


def similar(folder: Folder, one: Candidate) -> list[str]:
    """Return the ids of other candidates that say nearly the same."""
    from rapidfuzz import fuzz

    text = _lesson(one)
    others = (each for each in every(folder.store) if each.id != one.id)
    return [each.id for each in others if fuzz.token_set_ratio(text, _lesson(each)) >= SIMILAR]


def _lesson(one: Candidate) -> str:
    return str(one.row.get("distilled_lesson") or one.row.get("text_preview") or "")


def shown(folder: Folder, wanted: str) -> dict[str, Any]:
    """Return a candidate's fields with its decisions, how often it was said, and what resembles it."""
    one = pick(folder, wanted)
    return one.row | {
        "status": one.status,
        "promoted": list(one.promoted),
        "rejected": one.rejected,
        "seen": one.seen,
        "similar_to": similar(folder, one),
    }


def capture(
    folder: Folder,
    text: str,
    *,
    kind: str = "",
    scope: str = "",
    harness: str = "",
    session_id: str = "",
    cwd: str = "",
) -> Captured:
    """Record feedback by hand, at every capture level; what the project has already is counted once more.

    Without a type the words decide, and what they do not tell is `manual`. Raises BadUsage for a text
    without words, Unreadable, and what `prepare` raises.
    """
    if not text.strip():
        raise BadUsage("there is no text", remedy="--text 'WHAT WAS SAID', or --text - for standard input")
    settings = read(folder.store.root)
    where = os.path.abspath(os.path.expanduser(redact(cwd))) if cwd else os.getcwd()
    host, native = who(folder, harness, session_id, "manual-feedback")
    prepare(folder)
    flags = options.Options(
        host, "manual", native, where, (), "", "manual",
        payload.PREVIEW_CHARS, plain=True, hub="", local=False, debug=False,
    )  # fmt: skip
    nothing = incoming.Received({}, oversize=False, problem="")
    event = described(flags, settings, nothing, where, identify(where), folder.store)
    assert event is not None
    said = _said(redact(candidates.ends_of(text), strict=settings.privacy == "strict"), kind, scope)
    try:
        added = candidates.add(folder.store, said, event, folder.store.state(event.harness, event.native_id))
        rebuild_feedback_index(folder.store)
    except OSError as error:
        raise failure("write", error.filename or folder.path, error) from error
    return Captured(added.row, added.new, settings.why or off_here(settings, where))


def _said(text: str, kind: str, scope: str) -> candidates.Said:
    """Return what a text given by hand says; a type that is named goes before what the words say."""
    said = candidates.judged(text)
    if said is None or (kind and kind != said.kind):
        chosen = kind or "manual"
        sure = chosen in ("correction", "preference")
        lesson = candidates.shorten(text, candidates.LESSON_CHARS)
        score = 0.8 if sure else 0.5
        confidence = "high" if sure else "medium"
        said = candidates.Said(
            text, chosen, score, confidence, lesson, "session", "manual", "manual", said.lang if said else ""
        )
    return said._replace(scope=scope) if scope else said


def counts(found: Iterable[Candidate]) -> list[dict[str, Any]]:
    """Return per rule how many candidates it made and what became of them, the busiest first.

    Shares are of those that were decided, None where none was.
    """
    by_rule: dict[str, dict[str, Any]] = {}
    for each in found:
        name = str(each.row.get("rule_id") or each.row.get("rationale") or "unknown")
        fresh = {"rule_id": name, "count": 0, "promoted": 0, "rejected": 0, "expired": 0, "new": 0, "seen": 0}
        entry = by_rule.setdefault(name, fresh)
        entry["count"] += 1
        entry[each.status] += 1
        entry["seen"] += each.seen
    for entry in by_rule.values():
        decided = entry["promoted"] + entry["rejected"]
        for name in ("promoted", "rejected"):
            entry[f"{name}_share"] = round(entry[name] / decided, 2) if decided else None
    return sorted(by_rule.values(), key=lambda entry: (-entry["count"], entry["rule_id"]))


def rebuild_feedback_index(store: Store) -> bool:
    """Write `indexes/feedback.json`, a cache, from the candidates; tell whether it changed."""
    path = store.path("indexes", "feedback.json")
    found = every(store)
    if not found and not os.path.exists(path):
        return False
    waiting = [each for each in found if each.status == "new"]
    by_session: dict[str, list[str]] = {}
    by_type: dict[str, list[str]] = {}
    for each in found:
        by_session.setdefault(str(each.row.get("llm_wiki_session_id") or ""), []).append(each.id)
        by_type.setdefault(str(each.row.get("feedback_type")), []).append(each.id)
    value = {
        "schema_version": rows.SCHEMA_VERSION,
        "candidate_count": len(found),
        "unpromoted_count": len(waiting),
        "by_session": by_session,
        "by_type": by_type,
        "unpromoted": [each.row for each in waiting],
        "candidates": [each.row for each in found],
    }
    if files.read_json(path) == value:
        return False
    with store.lock("feedback-index", timeout=2.0) as had:
        if had:
            files.write_json(path, value)
    return had
