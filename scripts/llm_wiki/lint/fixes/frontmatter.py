"""W201 W202 W203 W204 W207 W512 W701: front matter is repaired in place and nothing is invented."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from llm_wiki.lint.finding import Finding
from llm_wiki.lint.fixes.step import Draft, Stand, Step
from llm_wiki.lint.infer import field_value, sources_of, tags_of
from llm_wiki.lint.rules.fields import ALIASES, PLACING
from llm_wiki.lint.rules.text import contract, is_blank
from llm_wiki.model import edit, kinds
from llm_wiki.model.page import Page

RULES = ("W201", "W202", "W203", "W204", "W207", "W512", "W701")

_AFTER = {"category": "title", "type": "title", "summary": "title"}
"""Field → the key it is written below; the rest goes to the end."""

_ORDER = ("summary", "category", "type", "tags", "created", "updated")
"""Order in which missing fields are written, so that category and type end up above the summary."""


class Repair(NamedTuple):
    """One value to write: its rule, key, value, and what is reported."""

    rule: str
    key: str
    value: str | Sequence[str]
    text: str


def stage(stand: Stand) -> Step:
    """Fill and correct front matter, one file after the other in path order."""
    step = Step()
    by_path: dict[str, list[Finding]] = {}
    for finding in stand.of(*RULES):
        by_path.setdefault(finding.path or "", []).append(finding)
    for rel in sorted(by_path):
        page = stand.page(rel)
        if page is None or page.front != "ok":
            continue
        draft = Draft(stand, page)
        if any(finding.rule == "W207" for finding in by_path[rel]):
            _rename(draft, step)
        for repair in _repairs(stand, draft.page, by_path[rel]):
            place = _AFTER.get(repair.key)
            edited = partial(edit.set_field, key=repair.key, value=repair.value, after=place)
            if draft.set([repair.key], edited):
                step.report(repair.rule, "edit", rel, f"{repair.text} in {rel}")
        if draft.changed:
            step.changes[rel] = draft.data
    return step


def _rename(draft: Draft, step: Step) -> None:
    """Give old keys and old words their current names."""
    rel, kind = draft.page.rel, contract(draft.page)
    if kind is None:
        return
    for key in list(draft.page.meta):
        new = ALIASES.get((kind.name, ""), {}).get(key, "")
        absent = new and new not in draft.page.meta
        if absent and draft.set([key, new], partial(edit.rename_field, old=key, new=new)):
            step.report("W207", "edit", rel, f"Renamed {key} to {new} in {rel}")
    for key in list(draft.page.meta):
        word = ALIASES.get((kind.name, key), {}).get(draft.page.text(key), "")
        if word and draft.set([key], partial(edit.set_field, key=key, value=word)):
            step.report("W207", "edit", rel, f"Set {key}: {word} in {rel}")


def _repairs(stand: Stand, page: Page, findings: list[Finding]) -> Iterator[Repair]:
    """Yield what these findings ask for, in the order in which the keys are written."""
    rules = {finding.rule for finding in findings}
    wanted = {finding.target for finding in findings if finding.rule == "W201"}
    for field in _ORDER:
        if field in wanted and (repair := _missing(stand, page, field)):
            yield repair
    for rule in ("W202", "W203"):
        if rule in rules:
            yield from _respelt(page, rule)
    if "W204" in rules and (tags := tags_of(page)):
        yield Repair("W204", "tags", tags, "Made tags a list")
    if "W512" in rules and page.text("sources"):
        yield Repair("W512", "sources", sources_of(stand.view, page), "Made sources a list")
    if "W701" in rules and is_blank(page.meta.get("volatility")):
        yield Repair("W701", "volatility", "warm", "Set volatility: warm")


def _missing(stand: Stand, page: Page, field: str) -> Repair | None:
    found = field_value(stand.snapshot, page, field, stand.source)
    if not found:
        return None
    shown = found if isinstance(found, str) else f"[{', '.join(found)}]"
    text = "Wrote summary from the text" if field == "summary" else f"Set {field}: {shown}"
    return Repair("W201", field, found, text)


def _respelt(page: Page, rule: str) -> Iterator[Repair]:
    """Yield the words that differ from an allowed one only in case."""
    kind = contract(page) or kinds.KINDS[kinds.kind_of(page.rel) or "other"]
    for field in kind.fields.values():
        value = page.text(field.name)
        hard = field.name in PLACING and kind.name != "output"
        if not value or value in field.values or hard != (rule == "W202"):
            continue
        word = kinds.canonical(field.values, value)
        if word:
            yield Repair(rule, field.name, word, f"Set {field.name}: {word}")
