"""W517 and W506 in front matter: a source that is found is written as its real path, item by item."""

from __future__ import annotations

from functools import partial

from llm_wiki.lint.fixes.step import Draft, Stand, Step
from llm_wiki.lint.rules.provenance import Reference, judged
from llm_wiki.model import edit

RULES = ("W517", "W506")


def stage(stand: Stand) -> Step:
    """Rewrite source references, one file after the other in path order."""
    step = Step()
    by_path: dict[str, list[Reference]] = {}
    for rule in RULES:
        wanted = set(stand.paths(rule))
        for found in judged(stand.view).get(rule, ()) if wanted else ():
            if found.page.rel in wanted:
                by_path.setdefault(found.page.rel, []).append(found)
    for rel in sorted(by_path):
        page = stand.page(rel)
        if page is None or page.front != "ok":
            continue
        draft = Draft(stand, page)
        for found in by_path[rel]:
            _rewrite(draft, found, step)
        if draft.changed:
            step.changes[rel] = draft.data
    return step


def _rewrite(draft: Draft, found: Reference, step: Step) -> None:
    """Write the real path in place of every item that has this text."""
    value = draft.page.meta.get("sources")
    for index, item in enumerate(value if isinstance(value, list) else ()):
        if not isinstance(item, str) or item.strip() != found.item:
            continue
        if draft.set(["sources"], partial(edit.set_item, key="sources", index=index, value=found.detail)):
            text = f"Rewrote source {found.item} to {found.detail} in {found.page.rel}"
            step.report(found.rule, "edit", found.page.rel, text)
