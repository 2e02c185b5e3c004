"""W517 and W506 in front matter: a source that is found is written as its real path, item by item."""

from __future__ import annotations

from llm_wiki.lint.fixes.step import Draft, Stand, Step
from llm_wiki.lint.rules.provenance import Reference, judged

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
        _rewrite(draft, by_path[rel], step)
        if draft.changed:
            step.changes[rel] = draft.data
    return step


def _rewrite(draft: Draft, found: list[Reference], step: Step) -> None:
    """Write the real path in place of every item that has the text of one of these references."""
    value = draft.page.meta.get("sources")
    texts: dict[str, list[int]] = {}
    for place, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, str):
            texts.setdefault(item.strip(), []).append(place)
    wanted = {place: one for one in found for place in texts.get(one.item, ())}
    for place in draft.set_items("sources", {place: one.detail for place, one in wanted.items()}):
        one = wanted[place]
        text = f"Rewrote source {one.item} to {one.detail} in {one.page.rel}"
        step.report(one.rule, "edit", one.page.rel, text)
