"""The question before something that is not lightly taken back: asked at a terminal, answered by `--yes`."""

from __future__ import annotations

import sys

import click

from llm_wiki.cli import output
from llm_wiki.core.errors import Refused


def confirm(question: str, *, yes: bool, shown: str = "") -> None:
    """Ask, unless `yes`; `shown` is what the question is about and is printed first, with `yes` too.

    Raises Refused (exit 4) for a no, and where nobody can be asked.
    """
    if shown:
        output.say(shown)
    if yes:
        return
    if not can_ask():
        raise Refused(
            f"not done without a yes, and nobody is at a terminal: {question}",
            remedy="run it again with --yes",
        )
    if not click.confirm(question, default=False, err=True):
        raise Refused("not confirmed; nothing was changed")


def can_ask() -> bool:
    """Tell whether somebody is there to answer a question."""
    return _terminal(sys.stdin) and _terminal(sys.stderr)


def _terminal(stream: object) -> bool:
    try:
        return bool(stream.isatty())  # type: ignore[attr-defined]
    except (AttributeError, ValueError):
        return False
