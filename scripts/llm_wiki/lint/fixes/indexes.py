"""W402-W404 W406-W408 W603 W912: what is derived follows from the files again, and nothing else changes.

Indexes go leaf to root, the master index last.
"""

from __future__ import annotations

import re

from llm_wiki.lint.finding import Finding
from llm_wiki.lint.fixes.derive import contract_of, without
from llm_wiki.lint.fixes.step import Stand, Step
from llm_wiki.lint.rules.copies import copies
from llm_wiki.model import indexes, layout
from llm_wiki.model.frontmatter import BOM
from llm_wiki.model.indexes import Part

RULES = ("W402", "W403", "W404", "W406", "W407", "W408", "W603", "W912")

_REPAIRS: dict[str, tuple[tuple[Part, ...], str, str]] = {
    "W402": (("missing",), "Added {} to {}", "missing entry/missing entries"),
    "W403": (("dead",), "Removed {} from {}", "dead link/dead links"),
    "W404": (("statistics",), "Corrected {} in {}", "statistic/statistics"),
    "W406": (("doubled",), "Removed {} from {}", "doubled line/doubled lines"),
    "W407": (("cells",), "Corrected {} in {}", "cell/cells"),
    "W408": (("dead",), "Removed {} from {}", "dead link/dead links"),
    "W603": (("cells",), "Corrected the tags of {} in {}", "row/rows"),
    "W912": (("missing", "gone", "cells"), "Listed {} in {} as registered", "topic/topics"),
}
"""Rule → what of a merge it asks for, so that `--only` limits what is done to an index; how it is told."""

_LAST_LINT = re.compile(
    r"[ \t]*[-*+][ \t]+(?:\*\*)?Last lint(?:ed)?(?:\*\*)?:(?:\*\*)?[ \t]*"
    r"(never|[0-9]{4}-[0-9]{2}-[0-9]{2})[ \t]*",
    re.IGNORECASE,
)


def stage(stand: Stand) -> Step:
    """Merge every index that has a finding."""
    step = Step()
    by_index: dict[str, list[Finding]] = {}
    for finding in stand.of(*RULES):
        rel = finding.target if finding.rule == "W402" else finding.path
        by_index.setdefault(rel or "", []).append(finding)
    for rel in sorted(by_index, key=lambda rel: (-rel.count("/"), rel)):
        page = stand.page(rel)
        contract = contract_of(stand.snapshot, rel)
        if page is None or contract is None:
            continue
        contract = without(contract, copies(stand.view))
        before = stand.snapshot.read(rel)
        rules = [finding.rule for finding in by_index[rel]]
        parts = frozenset(part for rule in rules for part in _REPAIRS[rule][0])
        after = indexes.merge(before, contract, stand.today.isoformat(), parts=parts)
        if after == before:
            continue
        step.changes[rel] = after
        for rule in sorted(set(rules)):
            step.report(rule, "edit", rel, _told(rule, rules.count(rule), rel))
    return step


def _told(rule: str, count: int, rel: str) -> str:
    _, sentence, words = _REPAIRS[rule]
    one, _, many = words.partition("/")
    return sentence.format(f"{count} {one if count == 1 else many}", rel)


def lint_date(stand: Stand) -> bytes | None:
    """Return the master index with its `Last lint` set to today; None when there is nothing to set."""
    page = stand.page(layout.INDEX)
    if page is None or stand.snapshot.kind == "hub":
        return None
    data = stand.snapshot.read(layout.INDEX)
    doc = indexes.IndexDoc(layout.INDEX, data)
    lines = [
        (number, match)
        for number, line in enumerate(doc.lines)
        if number not in doc.masked and (match := _LAST_LINT.fullmatch(line))
    ]
    today = stand.today.isoformat()
    if not doc.readable or len(lines) != 1 or lines[0][1][1] == today:
        return None
    number, match = lines[0]
    doc.lines[number] = f"{match.string[: match.start(1)]}{today}{match.string[match.end(1) :]}"
    text = "".join(line + end for line, end in zip(doc.lines, doc.ends, strict=True))
    return (BOM if doc.bom else b"") + text.encode()
