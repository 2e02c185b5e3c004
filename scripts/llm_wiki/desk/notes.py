"""What a yes to feedback writes: the promotion note (`feedback.md` §4)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from llm_wiki.admit.candidate import Candidate
from llm_wiki.core.redact import redact
from llm_wiki.core.text import one_line

SOURCE: Final = ".sessions/feedback/candidates.jsonl"
_GUIDANCE: Final = {
    "correction": "A user said that something was wrong. Read it with the work it was about.",
    "preference": "A user said how things are to be done. It holds until a newer note says otherwise.",
    "approval": "A user said that a result was right. It speaks of that result alone.",
    "decision": "A user chose or authorised a step. It speaks of that step alone.",
    "manual": "A user had this noted.",
}
_META: Final = (
    ("Type", "feedback_type"),
    ("Confidence", "confidence"),
    ("Strength", "strength"),
    ("Scope hint", "scope_hint"),
    ("Recommendation", "promotion_recommendation"),
    ("Session", "llm_wiki_session_id"),
    ("Harness", "harness"),
    ("Git branch", "git_branch"),
    ("Captured at", "ts"),
)
"""Metadata of a note; paths and remotes of the machine stay where they are."""


def note(row: Mapping[str, Any], topic: str, today: date) -> Candidate:
    """Return the note that a candidate becomes in a topic, ready for admission; strictly redacted."""
    name, kind = str(row["id"]), str(row.get("feedback_type") or "manual")
    lesson = _said(row.get("distilled_lesson")) or _said(row.get("text_preview"))
    title = f"Feedback Candidate Promotion: {name}"
    return Candidate(
        title=title,
        source=f"{SOURCE}#{name}",
        type="notes",
        body=_body(title, row, kind, lesson),
        summary=lesson,
        tags=("feedback", "feedback-candidate", "user-feedback", kind, topic),
        name=file_name(name, kind, today),
        entry=("feedback", f"promoted feedback candidate {name}"),
    )


def file_name(name: str, kind: str, today: date) -> str:
    """Return the name of the note of a candidate."""
    return f"{today.isoformat()}-feedback-{kind}-{name}.md"


def _body(title: str, row: Mapping[str, Any], kind: str, lesson: str) -> str:
    preview = redact(str(row.get("text_preview") or ""), strict=True).splitlines() or [""]
    meta = [f"- **{label}:** {_said(row.get(key))}" for label, key in _META if row.get(key)]
    if kind in ("approval", "decision"):
        meta.append(f"- **Refers to:** {_reference(row.get('context'))}")
    sections = (
        ("Distilled Lesson", [lesson]),
        ("Redacted User Feedback Preview", [f"> {line}".rstrip() for line in preview]),
        ("Metadata", meta),
        ("Usage Guidance", [_GUIDANCE.get(kind, _GUIDANCE["manual"])]),
    )
    parts = [f"# {title}"]
    parts += [f"## {heading}\n\n" + "\n".join(lines) for heading, lines in sections]
    return "\n\n".join(parts) + "\n"


def _reference(context: Any) -> str:
    """Return what an approval or a decision was said after, as far as it was recorded."""
    if not isinstance(context, Mapping) or not context.get("last_tool"):
        return "reference unknown"
    failed = ", which failed" if context.get("last_tool_failed") else ""
    turn = context.get("turn_index")
    return f"the turn after {_said(context['last_tool'])}{failed}" + (f" (prompt {turn})" if turn else "")


def _said(value: Any) -> str:
    return redact(one_line("" if value is None else str(value)), strict=True)
