"""Proposals and decisions as data and as text; what others wrote stands on single, quoted lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from llm_wiki.desk.deciding import age
from llm_wiki.desk.proposal import Decided, Planned, Proposal
from llm_wiki.hook.digest import one_line
from llm_wiki.ops.report import change_data, change_line

_HIDDEN = ("by", "recent_marks")


def list_data(proposal: Proposal) -> dict[str, Any]:
    """Return one row of the list."""
    return {
        "id": proposal.id,
        "source": proposal.source,
        "kind": proposal.kind,
        "text": proposal.text,
        "flags": list(proposal.flags),
        "created": proposal.created,
        "project": proposal.project,
    }


def list_text(found: Sequence[Proposal]) -> str:
    """Return what waits by source and kind, then a line each."""
    if not found:
        return ""
    many = Counter((proposal.source, proposal.kind) for proposal in found)
    head = ", ".join(f"{count} {kind}" for (_, kind), count in sorted(many.items()))
    lines = [f"{len(found)} proposal{' waits' if len(found) == 1 else 's wait'}: {head}", ""]
    for proposal in found:
        flag = proposal.flags[0] if proposal.flags else ""
        words = one_line(proposal.text, 90)
        lines.append(f"{proposal.id}  {proposal.kind:<11} {flag:<7} {age(proposal.created):<9} {words}")
    return "\n".join(
        [
            *lines,
            "",
            "llm-wiki review show ID, then yes, no or edit; at a terminal `llm-wiki review` asks one by one",
        ]
    )


def as_data(proposal: Proposal, plan: Planned, details: Mapping[str, Any]) -> dict[str, Any]:
    """Return a proposal with everything known of it and its plan."""
    return list_data(proposal) | {
        "evidence": [part._asdict() for part in proposal.evidence],
        "details": dict(details),
        "plan": {
            "root": plan.root,
            "changes": [change_data(change) for change in plan.changes],
            "text": plan.shown,
            "complete": plan.complete,
            "needs": plan.needs,
        },
    }


def as_text(proposal: Proposal, plan: Planned, details: Mapping[str, Any]) -> str:
    """Return a proposal for a person who decides about it."""
    lines = [f"{proposal.id}: {proposal.kind}, {', '.join(proposal.flags)}", ""]
    lines += [f"  {line}" for line in _lines(proposal.text)]
    lines.append("")
    for part in proposal.evidence:
        quote = f': "{one_line(part.quote, 360)}"' if part.quote else ""
        lines.append(f"From {part.path} {one_line(part.place, 160)}{quote}".rstrip())
    similar = details.get("similar_to") or []
    if similar:
        lines.append(f"Resembles: {', '.join(map(str, similar))}")
    for label in ("promoted", "rejected", "decided"):
        if details.get(label):
            lines.append(f"Already {label}: {_brief(details[label])}")
    return "\n".join([*lines, "", plan_text(plan)])


def plan_text(plan: Planned) -> str:
    """Return what a yes would do."""
    if not plan.complete:
        return f"A yes needs {plan.needs}."
    if not plan.root:
        return "\n".join(["A yes writes nothing; for the host's instruction file:", *_quoted(plan.shown)])
    if not plan.changes:
        return "A yes finds everything in place."
    lines = [f"A yes would change {plan.root}:", *(f"  {change_line(change)}" for change in plan.changes)]
    return "\n".join([*lines, *_quoted(plan.shown)])


def decided_data(done: Decided) -> dict[str, Any]:
    """Return what became of one decision."""
    return {
        "id": done.id,
        "verdict": done.verdict,
        "done": done.done,
        "path": done.path,
        "root": done.plan.root,
        "changes": [change_data(change) for change in done.plan.changes],
        "text": done.plan.shown,
    }


def decided_text(done: Decided) -> str:
    """Return what became of one decision, for a person."""
    words = {"yes": "accepted", "no": "turned down", "edit": "new words kept", "undo": "taken back"}
    if not done.done and not done.path:
        return (
            f"{done.id}: {plan_text(done.plan)}" if done.verdict == "yes" else f"{done.id}: nothing to change"
        )
    state = words[done.verdict] if done.done else "was accepted before"
    lines = [f"{done.id}: {state}" + (f", {done.path}" if done.path else "")]
    lines += [f"  {change_line(change)}" for change in done.plan.changes]
    if done.done and done.verdict == "yes" and not done.plan.root:
        lines += ["  for the host's instruction file:", *_quoted(done.plan.shown)]
    return "\n".join(lines)


def _quoted(text: str) -> list[str]:
    return [f"  | {line}".rstrip() for line in _lines(text)]


def _lines(text: str) -> list[str]:
    return [one_line(line, 400) for line in text.splitlines()]


def _brief(value: Any) -> str:
    first = value[-1] if isinstance(value, list) else value
    if not isinstance(first, Mapping):
        return one_line(first)
    kept = {key: item for key, item in first.items() if item and key not in _HIDDEN}
    return ", ".join(f"{key} {one_line(item, 80)}" for key, item in kept.items())
