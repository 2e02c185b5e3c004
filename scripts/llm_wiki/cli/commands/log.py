"""`llm-wiki log append|tail`."""

from __future__ import annotations

from typing import Any

import click

from llm_wiki.cli.mark import Target, json_option, target_options, verb
from llm_wiki.cli.output import Outcome


@click.group()
def command() -> None:
    """Read the activity log of a wiki, or add a line to it."""


@command.command()
@click.argument("operation")
@click.argument("text", nargs=-1, required=True)
@target_options(path=False)
@json_option
@verb("R1", name="log append")
def append(target: Target, operation: str, text: tuple[str, ...]) -> Outcome:
    """Add one line: OPERATION (ingest, compile, query, …) and what was done.

    The line is added in one write and never changed afterwards.
    """
    from llm_wiki.ops.activity import append_line

    root = target.resolve(writing=True).path
    line = append_line(root, operation, " ".join(text))
    return Outcome({"root": str(root), "line": line}, line)


@command.command()
@click.option(
    "-n", "count", type=click.IntRange(min=0), default=10, show_default=True, help="How many entries."
)
@click.option("--operation", help="Only entries of this operation.")
@click.option("--since", metavar="DATE", help="Only entries from this day on (YYYY-MM-DD).")
@target_options()
@json_option
@verb("R0", name="log tail")
def tail(target: Target, count: int, operation: str | None, since: str | None) -> Outcome:
    """Show the last entries, oldest first. Exit 1 when there is none."""
    from llm_wiki.ops.activity import entries

    root = target.resolve().path
    found: list[Any] = entries(root, count, operation=operation, since=since)
    rows = [{"date": e.date, "operation": e.operation, "text": e.text} for e in found]
    lines = [f"{e.date}  {e.operation:<10} {e.text}" for e in found]
    return Outcome({"root": str(root), "entries": rows}, "\n".join(lines) or "No entries.", 0 if found else 1)
