"""`llm-wiki init`."""

from __future__ import annotations

import shlex

import click

from llm_wiki.cli.mark import json_option, shown, verb
from llm_wiki.cli.output import Outcome


@click.command()
@click.argument("name", required=False, default="")
@click.option("--title", default="", help="Title of the topic; by default made from NAME.")
@click.option("--local", is_flag=True, help="Make a local wiki in .wiki here, outside any hub.")
@click.option("--hub", metavar="PATH", help="Use the hub in this folder instead of the configured one.")
@click.option(
    "--git", is_flag=True, help="Make the hub a Git repository, with merge rules for indexes and logs."
)
@click.option("--obsidian", is_flag=True, help="Set up the topic folder as an Obsidian vault.")
@json_option
@verb("W1", name="init")
def command(name: str, title: str, local: bool, hub: str | None, git: bool, obsidian: bool) -> Outcome:
    """Create a topic wiki, and the hub if there is none yet.

    NAME becomes the topic's slug (a-z, 0-9, hyphens; at most 40 characters).
    """
    from llm_wiki.ops.initialise import initialise

    made = initialise(name, title=title, local=local, hub=hub, git_repository=git, obsidian=obsidian)
    lines = [f"Created {made.kind} wiki {made.title!r} in {shown(made.root)}"]
    if made.hub is not None:
        lines.append(f"Hub: {shown(made.hub)}" + (" (new)" if made.new_hub else ""))
    where = f"--hub {shlex.quote(hub)} " if hub is not None else ""
    target = "--local" if local else f"{where}--wiki {made.name}"
    lines += [
        "",
        "Next:",
        f"  llm-wiki ingest URL|FILE {target}    feed it a source",
        f"  llm-wiki lint {target}               check it",
    ]
    data = {
        "root": str(made.root),
        "name": made.name,
        "title": made.title,
        "kind": made.kind,
        "hub": None if made.hub is None else str(made.hub),
        "hub_created": made.new_hub,
        "transactions": list(made.transactions),
    }
    return Outcome(data, "\n".join(lines))
