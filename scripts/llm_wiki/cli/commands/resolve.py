"""`llm-wiki resolve`."""

from __future__ import annotations

import click

from llm_wiki.cli.mark import Target, json_option, target_options, verb
from llm_wiki.cli.output import Outcome


@click.command()
@target_options()
@json_option
@verb("R0", name="resolve")
def command(target: Target) -> Outcome:
    """Say which wiki the arguments mean: its root, kind, hub, state and stale indexes."""
    from llm_wiki.ops.status import describe

    data = describe(target.resolve())
    lines = [
        f"{key}: {'-' if value is None else value}" for key, value in data.items() if key != "stale_indexes"
    ]
    stale = data["stale_indexes"]
    lines.append(f"stale_indexes: {', '.join(stale) if stale else '-'}")
    return Outcome(data, "\n".join(lines))
