"""W804, only when named: `_project.md` becomes `WHY.md`, every word a person wrote kept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from llm_wiki.core.text import fold
from llm_wiki.lint.fixes.follow import follow
from llm_wiki.lint.fixes.step import Stand, Step
from llm_wiki.lint.infer import editable, writable
from llm_wiki.model import layout
from llm_wiki.model.page import Heading, Page

if TYPE_CHECKING:
    from llm_wiki.wiki.snapshot import Snapshot

RULES = ("W804",)

DERIVED = frozenset(
    {
        "members",
        "project members",
        "member outputs",
        "outputs",
        "artifacts",
        "files",
        "contents",
        "derived members",
        "inventory",
        "sources",
    }
)
"""Headings under which the older form kept lists that follow from the folder."""

_GOAL = frozenset({"goal", "goals", "why", "purpose", "reason"})
_LISTED = re.compile(rb"[ \t]*(?:(?:[-*+]|[0-9]+[.)])[ \t].*\[.*\].*|\|.*|<!--.*-->[ \t]*|)[\r\n]*")


def stage(stand: Stand) -> Step:
    """Migrate projects that have no `WHY.md` yet, in path order."""
    step = Step()
    for finding in sorted(stand.asked("W804"), key=lambda finding: finding.path or ""):
        rel = finding.path or ""
        to = f"{rel.rpartition('/')[0]}/{layout.WHY}"
        data = migrated(stand.snapshot, rel)
        if data is None:
            continue
        step.moves[rel] = to
        step.changes[to] = data
        step.report("W804", "move", rel, f"Migrated {rel} to {to}", to)
    if step.moves:
        kept = dict(step.changes)
        follow(stand, step, "W804")
        step.changes |= kept
    return step


def migrated(snapshot: Snapshot, rel: str) -> bytes | None:
    """Return the `WHY.md` that takes the place of an older project file, None where none can be made."""
    to = f"{rel.rpartition('/')[0]}/{layout.WHY}"
    page = snapshot.pages.get(rel)
    taken = to in snapshot.files or to in snapshot.dirs
    if page is None or taken or not (editable(snapshot, page) and writable(snapshot, to)):
        return None
    return reason(page, snapshot.read(rel))


def reason(page: Page, data: bytes) -> bytes | None:
    """Return the `WHY.md` of an older project file, None when it states no reason at all.

    Title and goal come from the front matter; the goal is left out where a section says it. Lists of
    members are dropped, every other line stays as it is.
    """
    lines = data.splitlines(keepends=True)
    eol = b"\r\n" if data.count(b"\r\n") * 2 > data.count(b"\n") else b"\n"
    first = next((heading for heading in page.headings if heading.level == 1), None)
    title = page.text("title") or (first.text if first else "") or page.rel.split("/")[-2]
    body = _human(page, lines, first)
    goal = page.text("goal")
    if goal and any(fold(heading.text.strip()) in _GOAL for heading in page.headings):
        goal = ""
    while body and not body[0].strip():
        body.pop(0)
    if not goal and all(not line.strip() or line.lstrip().startswith(b"#") for line in body):
        return None
    head = [f"# {' '.join(title.split())}", ""] + ([" ".join(goal.split()), ""] if goal else [])
    text = eol.join(line.encode("utf-8", "surrogateescape") for line in head) + eol + b"".join(body)
    return text.rstrip(b"\r\n \t") + eol if not body else text


def _human(page: Page, lines: list[bytes], first: Heading | None) -> list[bytes]:
    """Return the lines of the body without its title and without derived lists."""
    kept: list[bytes] = []
    starts = {heading.line: heading for heading in page.headings}
    number = page.body_line
    while number <= len(lines):
        heading = starts.get(number)
        if heading is not None and heading is first:
            number += 1 if lines[number - 1].lstrip().startswith(b"#") else 2
            continue
        if heading is not None and fold(heading.text.strip()) in DERIVED:
            end = next((line - 1 for line in sorted(starts) if line > number), len(lines))
            if all(_LISTED.fullmatch(line) for line in lines[number:end]):
                number = end + 1
                continue
        kept.append(lines[number - 1])
        number += 1
    return kept
