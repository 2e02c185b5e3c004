"""The digest of a session: one Markdown file that says what was done (`sessions.md` §8).

A pure function of the state. It distils nothing: it counts, and says so.
"""

from __future__ import annotations

import hashlib
import json
import re
from datetime import datetime
from typing import Any, Final

from llm_wiki.hook.rows import SCHEMA_VERSION

SUMMARY_CHARS: Final = 240
_ROWS: Final = 20
_SHOWN_EVENTS: Final = 12
_SHOWN: Final = 5
_CONTROL: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffc\ufffe\uffff"
    r"\ud800-\udfff\U000e0000-\U000e0fff]+"
)
"""What a reader does not see, or YAML does not allow: controls, marks of direction, tags, halves of pairs."""
_FRONT: Final = (
    "title",
    "type",
    "schema_version",
    "harness",
    "native_session_id",
    "llm_wiki_session_id",
    "cwd",
    "git_remote",
    "git_branch",
    "transcript_path",
    "started_at",
    "last_seen_at",
    "tool_event_count",
    "event_count",
    "capture_trigger",
    "topics",
    "topic_candidates",
    "privacy",
    "raw_transcripts",
    "promoted_to",
    "summary",
    "revision",
    "state_sha256",
)
_IDENTITY: Final = (
    ("Harness", "harness"),
    ("Native session ID", "native_session_id"),
    ("LLM Wiki session ID", "llm_wiki_session_id"),
    ("CWD", "cwd"),
    ("Git remote", "git_remote"),
    ("Git branch", "git_branch"),
    ("Transcript path", "transcript_path"),
    ("Started at", "started_at"),
    ("Last seen at", "last_seen_at"),
    ("Events", "event_count"),
    ("Tool events", "tool_event_count"),
    ("Capture trigger", "capture_trigger"),
)


def one_line(text: Any, limit: int = SUMMARY_CHARS) -> str:
    """Return a value as one line without control characters, cut with `…` at `limit` characters."""
    line = " ".join(_CONTROL.sub(" ", "" if text is None else str(text)).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def summary(state: dict[str, Any], trigger: str) -> str:
    """Return the last manual summary, else what the counters of the session say, in one line."""
    manual = last_summary(state)
    if manual:
        return one_line(manual)
    parts = _work(state)
    where = state.get("git_branch") or ""
    if not parts:
        parts = [f"{trigger} checkpoint, {_plural(_count(state, 'event_count'), 'event')}"]
    return one_line(", ".join(parts) + (f", branch {where}" if where else ""))


def last_summary(state: dict[str, Any]) -> str:
    """Return the newest summary that a person or an agent wrote, "" without one."""
    given = state.get("manual_summaries")
    last = given[-1] if isinstance(given, list) and given else ""
    if isinstance(last, dict):
        last = last.get("summary") or last.get("text") or ""
    return last if isinstance(last, str) else ""


def has_content(state: dict[str, Any]) -> bool:
    """Tell whether a session did anything worth pointing at: a tool call, or a summary."""
    return bool(_count(state, "tool_event_count") or last_summary(state))


def _work(state: dict[str, Any]) -> list[str]:
    """Return what was done, as the parts of a summary."""
    files = _dicts(state, "files")
    written = [item for item in files if _count(item, "writes")]
    parts = []
    if written:
        edits = sum(_count(item, "writes") for item in written)
        names = ", ".join(str(item.get("path")) for item in written[:2]) if len(written) <= 2 else ""
        parts.append(f"{_plural(edits, 'edit')} in {names or _plural(len(written), 'file')}")
    read = sum(1 for item in files if _count(item, "reads") and not _count(item, "writes"))
    if read:
        parts.append(f"{_plural(read, 'file')} read")
    failures = _dicts(state, "failures")
    for item in sorted(failures, key=lambda item: -_count(item, "count"))[:2]:
        many = _count(item, "count")
        parts.append(f"{many} failed {one_line(item.get('tool'), 40)} run{'' if many == 1 else 's'}")
    ran = _top(state.get("programs"), 4)
    if ran:
        parts.append("ran " + ", ".join(name for name, _ in ran))
    if not parts and _count(state, "tool_event_count"):
        parts.append(_plural(_count(state, "tool_event_count"), "tool call"))
    if parts and _count(state, "prompts"):
        parts.append(_plural(_count(state, "prompts"), "prompt"))
    return parts


def state_hash(state: dict[str, Any]) -> str:
    """Return the SHA-256 of a state without the fields that writing the digest itself changes."""
    own = {"last_digest_path", "last_digest_at", "digest_count", "queue_cursor", "promoted_to", "rehydrated"}
    kept = {key: value for key, value in state.items() if key not in own}
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()


def relative_path(state: dict[str, Any], stem: str) -> str:
    """Return the digest's path below `.sessions/`, in the month the session started."""
    started = str(state.get("started_at") or "")
    year, month = (started[:4], started[5:7]) if re.match(r"\d{4}-\d{2}", started) else ("0000", "00")
    return f"digests/{year}/{month}/{state['harness']}-{stem}.md"


def render(state: dict[str, Any], trigger: str) -> str:
    """Return the whole digest of a session."""
    values = dict(state)
    values |= {
        "title": f"Session Digest: {state['llm_wiki_session_id']}",
        "type": "session-digest",
        "schema_version": SCHEMA_VERSION,
        "capture_trigger": trigger,
        "topics": state.get("topics") or [],
        "topic_candidates": [],
        "promoted_to": state.get("promoted_to") or [],
        "summary": summary(state, trigger),
        "revision": _count(state, "digest_count"),
        "state_sha256": state_hash(state),
    }
    front = "".join(f"{key}: {_front(values.get(key))}\n" for key in _FRONT)
    sections = (
        ("Summary", [_text(values["summary"], SUMMARY_CHARS)]),
        (
            "Session Identity",
            _table(("Field", "Value"), [(name, values.get(key)) for name, key in _IDENTITY]),
        ),
        ("Work Observed", _observed(state)),
        ("Manual Summaries", _bullets([_said(item) for item in _items(state, "manual_summaries")[-_SHOWN:]])),
        ("Feedback Candidates", _bullets(_candidates(state))),
        ("Recent Observed Events", _bullets(_events(state))),
        (
            "Distillation Notes",
            ["Written by rule from counters and names; no text of the conversation is in it."],
        ),
        ("Open Loops", _bullets(_loops(state))),
    )
    body = "".join(f"\n## {title}\n\n" + "\n".join(lines) + "\n" for title, lines in sections)
    return f"---\n{front}---\n\n# {_text(values['title'], 300)}\n{body}"


def _front(value: Any) -> str:
    """Return a front matter value; texts are double-quoted JSON strings, which YAML reads alike."""
    if isinstance(value, str):
        value = _CONTROL.sub(" ", value)
    return _CONTROL.sub(" ", json.dumps("" if value is None else value, ensure_ascii=False))


_MARKDOWN: Final = re.compile(r"([\\`*\[\]<>|#~&]|^[-+=](?=[-+=\s]|$)|(?<!\w)_|_(?!\w))")


def _text(value: Any, limit: int) -> str:
    """Return a value as one line of Markdown that reads as it is written."""
    return _MARKDOWN.sub(r"\\\1", one_line(value, limit))


def _table(head: tuple[str, ...], rows: list[tuple[Any, ...]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(_text(cell, 300) for cell in row) + " |" for row in rows]


def _bullets(items: list[str]) -> list[str]:
    return [f"- {item}" for item in items] or ["None observed."]


def _said(item: Any) -> str:
    return _text(item.get("summary") if isinstance(item, dict) else item, 2_000)


def _observed(state: dict[str, Any]) -> list[str]:
    """Return the section that says what was done, each list cut to 20 rows."""
    tools, programs = _top(state.get("tools"), _ROWS), _top(state.get("programs"), _ROWS)
    files, failures = _dicts(state, "files")[:_ROWS], _dicts(state, "failures")[:_ROWS]
    lines = _table(
        ("What", "Count"),
        [
            ("Duration", _duration(state)),
            ("Prompts", _count(state, "prompts")),
            ("Tool calls", _count(state, "tool_event_count")),
            ("Compactions", _count(state, "compactions")),
            ("Subagents", _count(state, "subagents")),
        ],
    )
    if tools:
        lines += ["", "**Tools**", "", *_table(("Tool", "Calls"), [tuple(pair) for pair in tools])]
    if programs:
        lines += ["", "**Programs**", "", *_table(("Program", "Runs"), [tuple(pair) for pair in programs])]
    if files:
        rows = [(item.get("path"), _count(item, "reads"), _count(item, "writes")) for item in files]
        lines += ["", "**Files**", "", *_table(("File", "Read", "Written"), rows)]
    if failures:
        failed = [
            (item.get("tool"), "" if item.get("code") is None else item.get("code"), _count(item, "count"))
            for item in failures
        ]
        lines += ["", "**Failures**", "", *_table(("Tool", "Exit code", "Times"), failed)]
    return lines


def _duration(state: dict[str, Any]) -> str:
    try:
        start = datetime.fromisoformat(str(state.get("started_at")))
        seconds = int((datetime.fromisoformat(str(state.get("last_seen_at"))) - start).total_seconds())
    except (ValueError, TypeError):
        return "unknown"
    hours, minutes = divmod(max(seconds, 0) // 60, 60)
    if not hours:
        return f"{minutes} min" if minutes else f"{max(seconds, 0)} s"
    return f"{hours} h {minutes} min"


def _candidates(state: dict[str, Any]) -> list[str]:
    return [
        f"`{one_line(item.get('id'), 40)}` {_text(item.get('feedback_type'), 20)}"
        f" ({_text(item.get('confidence'), 10)}): {_text(item.get('distilled_lesson'), 200)}"
        for item in _dicts(state, "last_feedback_candidates")[-_SHOWN:]
    ]


def _events(state: dict[str, Any]) -> list[str]:
    lines = []
    for item in _dicts(state, "last_events")[-_SHOWN_EVENTS:]:
        tool = f" {_text(item.get('tool_name'), 60)}" if item.get("tool_name") else ""
        lines.append(f"{_text(item.get('ts'), 30)} {_text(item.get('hook_event_name'), 60)}{tool}")
    return lines


def _loops(state: dict[str, Any]) -> list[str]:
    """Return what seems unfinished, as far as counters can tell."""
    failed = _dicts(state, "failures")
    loops = []
    if failed:
        last = failed[-1]
        loops.append(f"{_text(last.get('tool'), 60)} failed {_plural(_count(last, 'count'), 'time')}")
    waiting = _count(state, "feedback_candidate_count")
    if waiting:
        loops.append(f"{_plural(waiting, 'feedback candidate')} noted: `llm-wiki review`")
    return loops


def _items(state: dict[str, Any], key: str) -> list[Any]:
    value = state.get(key)
    return value if isinstance(value, list) else []


def _dicts(state: dict[str, Any], key: str) -> list[dict[str, Any]]:
    return [item for item in _items(state, key) if isinstance(item, dict)]


def _top(counts: Any, limit: int) -> list[tuple[str, int]]:
    """Return the most frequent names with their counts, most first."""
    if not isinstance(counts, dict):
        return []
    pairs = [(str(name), value) for name, value in counts.items() if isinstance(value, int)]
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:limit]


def _count(node: dict[str, Any], key: str) -> int:
    value = node.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _plural(many: int, word: str) -> str:
    return f"{many} {word}{'' if many == 1 else 's'}"
