"""W301: a misplaced document goes where its front matter says, and everything that names it follows."""

from __future__ import annotations

from llm_wiki.core.text import fold
from llm_wiki.lint.fixes.follow import follow
from llm_wiki.lint.fixes.step import Stand, Step
from llm_wiki.lint.infer import writable
from llm_wiki.model import layout

RULES = ("W301",)


def stage(stand: Stand) -> Step:
    """Move documents, never onto another; of two for one place the first by path goes."""
    step = Step()
    findings = sorted(stand.of(*RULES), key=lambda finding: finding.path or "")
    files = stand.snapshot.files
    taken = set(map(fold, files)) if findings else set()
    for finding in findings:
        rel, to = finding.path or "", finding.target
        if rel == layout.COVERAGE_PAGE or rel not in files or fold(to) in taken:
            continue
        if not (writable(stand.snapshot, rel) and writable(stand.snapshot, to)):
            continue
        taken.add(fold(to))
        step.moves[rel] = to
        step.report("W301", "move", rel, f"Moved {rel} to {to}", to)
    if step.moves:
        follow(stand, step, "W301")
    return step
