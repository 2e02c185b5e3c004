"""The rows and records of `.sessions/`, schema 1 (`sessions.md` §2), and how a session's state grows.

A state follows from its queue rows alone: `fold` takes one after the other, so that rows which waited for
the lock are counted by whoever holds it next, and a lost state is rebuilt.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from llm_wiki.hook.names import canonical
from llm_wiki.hook.payload import ToolFacts

SCHEMA_VERSION: Final = 1
LAST_EVENTS: Final = 20
WORK_ROWS: Final = 30
_RECENT: Final = 64
_SUMMARIES: Final = 10
_TOPICS: Final = 50
_CANDIDATES: Final = 10
_AHEAD_SECONDS: Final = 24 * 3600
_LATEST: Final = (
    "cwd",
    "transcript_path",
    "model",
    "git_remote",
    "git_branch",
    "project_key",
    "repo_root",
    "privacy",
)
"""Fields of a state that hold what the newest row with a value says."""
_TURNS: Final = frozenset({"session_start", "session_end"})
"""Events between which an equal payload is another event, however soon it comes."""
TOOL_EVENTS: Final = frozenset({"tool_post", "tool_fail"})


def stamp(moment: datetime) -> str:
    """Return a UTC time as it stands in rows: whole seconds and `Z`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def capped(ts: str, now: str) -> str:
    """Return a stamp for sorting: one more than 24 hours ahead of now counts as now."""
    try:
        ahead = (datetime.fromisoformat(ts) - datetime.fromisoformat(now)).total_seconds()
    except (ValueError, TypeError):
        return ts if isinstance(ts, str) else ""
    return now if ahead > _AHEAD_SECONDS else ts


class Event(NamedTuple):
    """One event of a session, reduced and redacted: what a queue row is made of.

    `kind` is the canonical name, `name` what the host calls it. Texts may be ""; `facts` is None for events
    that are no tool call. `mark` tells two deliveries of one event from two events. `candidate` holds the
    few fields of a feedback candidate that a state keeps.
    """

    ts: str
    kind: str
    name: str
    harness: str
    native_id: str
    cwd: str
    transcript_path: str
    model: str
    turn_id: str
    tool_name: str
    tool_use_id: str
    agent_id: str
    trigger: str
    detail: str
    preview: str
    mark: str
    facts: ToolFacts | None
    topics: tuple[str, ...]
    summary: str
    git_remote: str
    git_branch: str
    project_key: str
    repo_root: str
    privacy: str
    candidate: dict[str, Any] | None

    @property
    def session_id(self) -> str:
        """Return `harness:native id`."""
        return f"{self.harness}:{self.native_id}"


def queue_row(event: Event, seq: int) -> dict[str, Any]:
    """Return the queue row of an event; upstream's keys, ours, and nothing that is empty among ours."""
    row: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "ts": event.ts,
        "event": "session_event",
        "harness": event.harness,
        "hook_event_name": event.name,
        "native_session_id": event.native_id,
        "llm_wiki_session_id": event.session_id,
        "cwd": event.cwd,
        "transcript_path": event.transcript_path or None,
        "model": event.model or None,
        "turn_id": event.turn_id or None,
        "tool_name": event.tool_name or None,
        "tool_use_id": event.tool_use_id or None,
        "trigger": event.trigger or event.name,
        "payload_preview": event.preview,
        "kind": event.kind,
        "seq": seq,
        "mark": event.mark,
    }
    ours: dict[str, Any] = {
        "topics": list(event.topics),
        "manual_summary": event.summary,
        "trigger_detail": event.detail,
        "agent_id": event.agent_id,
        "git_remote": event.git_remote,
        "git_branch": event.git_branch,
        "project_key": event.project_key,
        "repo_root": event.repo_root,
        "privacy": event.privacy,
        "candidate": event.candidate,
    }
    if event.facts is not None:
        ours["files"] = [list(pair) for pair in event.facts.files]
        ours["programs"] = list(event.facts.programs)
        ours["exit_code"] = event.facts.code
        ours["failed"] = event.facts.failed
    return row | {key: value for key, value in ours.items() if value not in ("", None, [], False)}


def new_state(row: dict[str, Any]) -> dict[str, Any]:
    """Return the state of a session before its first row."""
    return {
        "schema_version": SCHEMA_VERSION,
        "harness": row["harness"],
        "native_session_id": row["native_session_id"],
        "llm_wiki_session_id": row["llm_wiki_session_id"],
        "started_at": row["ts"],
        "last_seen_at": row["ts"],
        "cwd": row.get("cwd") or "",
        "transcript_path": row.get("transcript_path"),
        "model": row.get("model"),
        "privacy": row.get("privacy") or "redacted",
        "raw_transcripts": False,
        "git_remote": row.get("git_remote") or "",
        "git_branch": row.get("git_branch") or "",
        "event_count": 0,
        "tool_event_count": 0,
        "last_events": [],
    }


def fold(state: dict[str, Any], row: dict[str, Any]) -> bool:
    """Add one queue row to a state, in place; tell whether it counted (a second delivery does not).

    Never trusts the types of what another program may have written into the state.
    """
    kind = str(row.get("kind") or canonical(str(row.get("hook_event_name"))))
    mark = str(row.get("mark") or "")
    recent = _list(state, "recent_marks")
    if mark and delivered(state, mark, str(row.get("ts"))):
        return False
    if kind in _TURNS:  # whatever is said alike from here on is said again
        recent[:] = [item for item in recent if isinstance(item, list) and item and _of_call(item[0])]
    if mark:
        recent.append([mark, row.get("ts")])
        del recent[:-_RECENT]
    _times(state, row)
    state["event_count"] = number(state.get("event_count")) + 1
    state["last_seq"] = max(number(state.get("last_seq")), number(row.get("seq")))
    state |= {key: row[key] for key in _LATEST if row.get(key)}
    events = _list(state, "last_events")
    events.append({key: row.get(key) for key in ("ts", "hook_event_name", "tool_name", "turn_id", "trigger")})
    del events[:-LAST_EVENTS]
    _given(state, row)
    _counted(state, row, kind)
    return True


def _counted(state: dict[str, Any], row: dict[str, Any], kind: str) -> None:
    """Raise the counters that this kind of event raises."""
    if kind in TOOL_EVENTS:
        _tool(state, row, kind)
    elif kind == "user_prompt" and not row.get("agent_id"):
        state["prompts"] = number(state.get("prompts")) + 1
    elif kind == "subagent_start":
        state["subagents"] = number(state.get("subagents")) + 1
    elif kind in ("pre_compact", "post_compact"):
        state["last_compact_event"] = row.get("hook_event_name")
        if kind == "pre_compact":
            state["compactions"] = number(state.get("compactions")) + 1


_SAME_SECONDS: Final = 5


def delivered(state: dict[str, Any], mark: str, ts: str) -> bool:
    """Tell whether an event of this mark was folded already: ever for a call's id, else within 5 seconds."""
    for item in reversed(_list(state, "recent_marks")):
        if isinstance(item, list) and len(item) == 2 and item[0] == mark:
            if _of_call(mark):
                return True
            try:
                apart = datetime.fromisoformat(ts) - datetime.fromisoformat(str(item[1]))
            except ValueError:
                return False
            return abs(apart.total_seconds()) <= _SAME_SECONDS
    return False


def _of_call(mark: object) -> bool:
    """Tell whether a mark is the id of a call: no other event has it, ever."""
    return isinstance(mark, str) and mark.startswith("id:")


def _times(state: dict[str, Any], row: dict[str, Any]) -> None:
    """Move the end of a session forward only and its start back only, whatever the clock did."""
    ts = str(row.get("ts") or "")
    state["last_seen_at"] = max(str(state.get("last_seen_at") or ""), ts)
    state["started_at"] = min(str(state.get("started_at") or ts), ts)


def _given(state: dict[str, Any], row: dict[str, Any]) -> None:
    """Take topics, a summary and a candidate from a row."""
    if isinstance(row.get("topics"), list):
        known = {str(topic) for topic in _list(state, "topics")}
        more = [topic for topic in dict.fromkeys(map(str, row["topics"])) if topic not in known]
        state["topics"] = sorted([*known, *more[: max(_TOPICS - len(known), 0)]])
    if row.get("manual_summary"):
        summaries = _list(state, "manual_summaries")
        summaries.append(row["manual_summary"])
        del summaries[:-_SUMMARIES]
    candidate = row.get("candidate")
    if isinstance(candidate, dict):
        state["feedback_candidate_count"] = number(state.get("feedback_candidate_count")) + 1
        last = _list(state, "last_feedback_candidates")
        last.append(candidate)
        del last[:-_CANDIDATES]


def _tool(state: dict[str, Any], row: dict[str, Any], kind: str) -> None:
    """Count one tool call; a second event of the same call adds only what it says of files and failure."""
    name = str(row.get("tool_name") or "unknown")
    failed = kind == "tool_fail" or bool(row.get("failed"))
    state["tool_event_count"] = number(state.get("tool_event_count")) + 1
    _count(state, "tools", name)
    programs = [str(program) for program in row.get("programs") or ()]
    for program in programs:
        _count(state, "programs", program)
    for pair in row.get("files") or ():
        if isinstance(pair, list) and len(pair) == 2:
            _file(state, str(pair[0]), str(pair[1]))
    if failed:
        _failure(state, programs[-1] if programs else name, row.get("exit_code"))


def _count(state: dict[str, Any], key: str, name: str) -> None:
    counts = state.get(key)
    if not isinstance(counts, dict):
        counts = state[key] = {}
    if name in counts or len(counts) < WORK_ROWS:
        counts[name] = number(counts.get(name)) + 1


def _file(state: dict[str, Any], path: str, how: str) -> None:
    files = _list(state, "files")
    entry = next((item for item in files if isinstance(item, dict) and item.get("path") == path), None)
    if entry is None:
        if len(files) >= WORK_ROWS:
            return
        entry = {"path": path, "reads": 0, "writes": 0}
        files.append(entry)
    key = "writes" if how == "write" else "reads"
    entry[key] = number(entry.get(key)) + 1


def _failure(state: dict[str, Any], tool: str, code: Any) -> None:
    failures = _list(state, "failures")
    for item in failures:
        if isinstance(item, dict) and item.get("tool") == tool and item.get("code") == code:
            item["count"] = number(item.get("count")) + 1
            return
    if len(failures) < WORK_ROWS:
        failures.append({"tool": tool, "code": code, "count": 1})


def next_seq(state: dict[str, Any] | None) -> int:
    """Return the number of the row that follows those a state has counted."""
    return number((state or {}).get("last_seq")) + 1


def number(value: Any) -> int:
    """Return a whole number that another program may have written, 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _list(state: dict[str, Any], key: str) -> list[Any]:
    value = state.get(key)
    if not isinstance(value, list):
        value = state[key] = []
    return value
