"""`llm-wiki lint --explain`: the pages of rules, on a terminal typeset, elsewhere as their plain text."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from llm_wiki.cli.mark import Target
from llm_wiki.cli.output import Outcome, dump, envelope
from llm_wiki.core.errors import BadUsage

_WIDEST = 100
"""Columns beyond which lines of text are hard to follow."""


def explained(given: Sequence[str], target: Target, form: str, *, acting: bool) -> Outcome:
    """Return the pages of the ids that were named, and a list of those that a beginning names.

    No wiki is looked at. Raises BadUsage for an unknown id, and beside a target, a form other than
    text and JSON, or an option that acts on a wiki.
    """
    from llm_wiki.lint import catalogue, explain

    if acting or target != Target():
        remedy = "several rules: llm-wiki lint --explain W501,W502"
        raise BadUsage("--explain looks at no wiki and stands alone", remedy=remedy)
    if form not in ("text", "json"):
        raise BadUsage(f"--explain has no form {form}", remedy="leave out --format, or ask for json")
    whole, begun = catalogue.asked(given)
    pages = catalogue.pages(whole)
    listed = [explain.brief(catalogue.facts()[rule_id]) for rule_id in begun]
    data = envelope({"rules": [explain.data(page) for page in pages], "listed": listed}, 0)
    text = "\n".join(explain.markdown(page) for page in pages)
    parts = [_typeset(text) if text else "", explain.listing(begun)]
    return Outcome({}, "\n".join(filter(None, parts)), raw_json=dump(data))


def _typeset(text: str) -> str:
    """Return Markdown as a terminal shows it best; as it is where stdout is none."""
    if sys.stdout is None or not sys.stdout.isatty():
        return text
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.theme import Theme

    console = Console(theme=Theme({"markdown.code": "bold cyan"}))  # legible on black and on white
    console.width = min(console.width, _WIDEST)
    with console.capture() as captured:
        console.print(Markdown(text, code_theme="ansi_light"))
    return captured.get()
