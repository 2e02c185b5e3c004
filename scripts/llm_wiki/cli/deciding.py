"""What every verb that decides shares: the options of a yes, and the one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from llm_wiki.cli.output import Outcome
from llm_wiki.cli.session.options import Place

_KEPT_AS = ("note", "rule", "fact", "strategy", "antibody")


def decision_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add what goes with a yes."""
    options = (
        click.option("--topic", default="", metavar="SLUG", help="The topic a note goes to."),
        click.option("--as", "kept_as", type=click.Choice(_KEPT_AS), default="note", show_default=True,
                     help="What it becomes; `rule` prints a line for AGENTS.md."),
        click.option("--dry-run", is_flag=True, help="Show what a yes would do, decide nothing."),
    )  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function


def decided(place: Place, names: Sequence[str], verdict: str, *, via: str = "verb", **choice: Any) -> Outcome:
    """Decide proposals and tell what became of each; every face and alias comes through here."""
    from llm_wiki.desk.deciding import decide
    from llm_wiki.desk.proposal import Choice
    from llm_wiki.desk.shown import decided_data, decided_text

    done = decide(place.folder(), names, verdict, Choice(via=via, **choice))
    return Outcome({"decided": [decided_data(each) for each in done]}, "\n".join(map(decided_text, done)))


def given_text(text: str) -> str:
    """Return a text as typed, with `-` what stands on standard input."""
    if text != "-":
        return text
    from llm_wiki.ingest.source import standard_input

    return standard_input().decode("utf-8", "replace")
