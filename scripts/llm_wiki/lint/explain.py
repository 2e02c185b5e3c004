"""Renders the pages of lint rules: as Markdown for people, as plain data for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from llm_wiki.lint.catalogue import Block, Example, Facts, RulePage, facts

ORIGINS: Final = {"U": "upstream checks", "D": "upstream describes", "N": "ours"}
"""Where a rule comes from, by the letter of the table."""

REPAIRS: Final = {"yes": "yes", "partly": "some", "asked": "asked", "no": "no"}
"""Whether `--fix` repairs a finding, in one word."""

_REPAIRS = {
    "yes": "`--fix` repairs it",
    "partly": "`--fix` repairs some cases",
    "asked": "`--fix` repairs it only when asked by `--only`",
    "no": "`--fix` leaves it",
}
_SCOPES = {
    "topic": "looks at a topic as a whole",
    "file": "looks at one document",
    "hub": "looks at a hub",
    "topic or hub": "looks at a topic or a hub as a whole",
    "file or hub": "looks at one document, at a hub too",
    "any": "ends the run with exit 2",
}
_STARTS = {"hub": " in a hub", "member": " in a topic of a hub", "empty": " outside any wiki"}


def markdown(page: RulePage, *, anchors: bool = False) -> str:
    """Return a page as Markdown; with `anchors` related rules are links within one document."""
    known, text = page.facts, page.text
    parts = [
        f"## {known.id}",
        f"**{_capital(known.title)}**",
        _facts(page),
        text.why,
        f"**Repair.** {text.repair}",
    ]
    for example in text.examples:
        parts += _example(page, example)
    related = [facts()[rule_id] for rule_id in text.related if rule_id in facts()]
    if related:
        names = ((f"[{one.id}](#{one.id.lower()})" if anchors else one.id, one.title) for one in related)
        parts.append("**Related**\n\n" + "\n".join(f"- {name}: {title}" for name, title in names))
    return "\n\n".join(parts) + "\n"


def listing(ids: Iterable[str]) -> str:
    """Return ids with their severities and titles, one a line."""
    known = facts()
    return "".join(f"{known[one].id}  {known[one].severity:<10}  {_plain(known[one].title)}\n" for one in ids)


def data(page: RulePage) -> dict[str, Any]:
    """Return a page as plain data."""
    examples = [
        {
            "start": one.start,
            "note": one.note,
            "also": list(one.company),
            "blocks": [dict(block._asdict()) for block in one.blocks],
        }
        for one in page.text.examples
    ]
    return brief(page.facts) | {
        "fix": page.repairs,
        "why": page.text.why,
        "repair": page.text.repair,
        "related": list(page.text.related),
        "examples": examples,
    }


def brief(known: Facts) -> dict[str, Any]:
    """Return what the table of rules says, as plain data."""
    return {
        "id": known.id,
        "title": known.title,
        "severity": known.severity,
        "strict": known.strict,
        "scope": known.scope,
        "origin": ORIGINS[known.origin],
        "upstream": known.upstream.split(),
    }


def _facts(page: RulePage) -> str:
    known = page.facts
    strict = f" (with `--strict`: {known.strict})" if known.strict != known.severity else ""
    checks = f" ({', '.join(known.upstream.split())})" if known.upstream else ""
    origin = f"origin: {ORIGINS[known.origin]}{checks}"
    repairs = [] if known.scope == "any" else [_REPAIRS[page.repairs]]
    return "; ".join([f"{_capital(known.severity)}{strict}", _SCOPES[known.scope], *repairs, origin]) + "."


def _example(page: RulePage, example: Example) -> Iterator[str]:
    note = f" {example.note}" if example.note else ""
    yield f"**Example{_STARTS.get(example.start, '')}.**{note}"
    yield from (
        _BLOCKS[block.word](block) for block in example.blocks if block.word not in ("fixed", "diff", "made")
    )
    fix = f"llm-wiki lint --fix --only {page.facts.id}" if page.repairs == "asked" else "llm-wiki lint --fix"
    fixed = example.results("fixed")
    if fixed:
        yield f"`{fix}` says:"
        yield _fence(fixed[0].text, "text")
        yield from (_BLOCKS[block.word](block) for block in example.blocks if block.word in ("diff", "made"))
    elif page.facts.scope != "any":
        yield f"`{fix}` leaves it to you."


def _fence(text: str, language: str = "") -> str:
    marks = "````" if "```" in text else "```"
    return f"{marks}{language}\n{text}{marks}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _plain(text: str) -> str:
    return text.replace("`", "")


_BLOCKS: dict[str, Callable[[Block], str]] = {
    "add": lambda block: f"Write `{block.path}`:\n\n{_fence(block.text)}",
    "edit": lambda block: f"Change `{block.path}`:\n\n{_fence(block.text, 'diff')}",
    "remove": lambda block: f"Remove `{block.path}`.",
    "folder": lambda block: f"Make the empty folder `{block.path}`.",
    "move": lambda block: f"Move `{block.path}` to `{block.argument}`.",
    "copy": lambda block: f"Copy `{block.path}` to `{block.argument}`.",
    "link": lambda block: f"Make `{block.path}` a symbolic link to `{block.argument}`.",
    "bytes": lambda block: f"Append bytes to `{block.path}`, here in hexadecimal: `{block.text.strip()}`.",
    "repeat": lambda block: (
        f"Append the text `{block.text.strip()}` {block.argument} times to `{block.path}`, as one line."
    ),
    "mode": lambda block: f"Take the right to read away from `{block.path}` (mode {block.argument}).",
    "find": lambda block: f"The report says:\n\n{_fence(block.text, 'text')}",
    "diff": lambda block: f"In `{block.path}`:\n\n{_fence(block.text, 'diff')}",
    "made": lambda block: f"It writes `{block.path}`:\n\n{_fence(block.text)}",
}
