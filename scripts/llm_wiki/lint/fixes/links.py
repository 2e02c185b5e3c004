"""W506 in text: a link that works only on some systems gets the real name of its file."""

from __future__ import annotations

from llm_wiki.lint.fixes.step import Draft, Stand, Step
from llm_wiki.lint.rules.graph import Broken, graph
from llm_wiki.model import links
from llm_wiki.model.page import Link

RULES = ("W506",)


def stage(stand: Stand) -> Step:
    """Rewrite link targets, one file after the other in path order."""
    step = Step()
    wanted = set(stand.paths(*RULES))
    web = graph(stand.view)
    by_path: dict[str, list[Broken]] = {}
    for found in [*web.broken.get("W506", ()), *web.misspelt] if wanted else ():
        if found.page.rel in wanted:
            by_path.setdefault(found.page.rel, []).append(found)
    for rel in sorted(by_path):
        page = stand.page(rel)
        if page is None:
            continue
        draft = Draft(stand, page)
        pairs = [(found.link, retargeted(rel, found.link, found.detail)) for found in by_path[rel]]
        if draft.relink(pairs):
            step.changes[rel] = draft.data
            for found, (_, target) in zip(by_path[rel], pairs, strict=True):
                step.report("W506", "edit", rel, f"Rewrote link {found.link.target} to {target} in {rel}")
    return step


def retargeted(owner: str, link: Link, to: str) -> str:
    """Return a target for `to` in the style of a link: from the root or relative, its ending kept."""
    path = "/" + links.relative("", to) if link.target.startswith("/") else links.relative(owner, to)
    ends = [place for mark in "#?" if (place := link.target.find(mark)) >= 0]
    return path + (link.target[min(ends) :] if ends else "")
