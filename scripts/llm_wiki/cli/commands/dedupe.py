"""`llm-wiki dedupe`."""

from __future__ import annotations

import click

from llm_wiki.cli.mark import Target, json_option, target_options, verb
from llm_wiki.cli.output import Outcome, progress, waiting

_WHY = {"url": "one address", "upstream": "one upstream item", "body": "one text", "text": "nearly one text"}


@click.command()
@target_options()
@json_option
@verb("R0", name="dedupe")
def command(target: Target) -> Outcome:
    """List sources that are one: same address, same upstream item, same or nearly the same text.

    Nearly the same means that 80 % of the shorter one's five-word runs stand in the other. Versions
    that name each other by `supersedes` are no duplicates. Exit 1 when there are groups.
    """
    from llm_wiki.ingest.run import require_topic
    from llm_wiki.ops.duplicates import duplicates
    from llm_wiki.ops.trees import load

    root = target.resolve()
    require_topic(root)
    with progress("reading") as advance:
        snapshot = load(root, progress=advance)
    with waiting("comparing"):
        groups = duplicates(snapshot)
    lines = []
    for group in groups:
        share = f", {group.share:.0%}" if group.reason == "text" else ""
        lines.append(f"{_WHY[group.reason]}{share}:")
        lines += [f"  {name}" for name in group.names]
    lines.append(f"{len(groups)} group{'' if len(groups) == 1 else 's'} of duplicates.")
    data = {
        "root": str(root.path),
        "groups": [{"reason": g.reason, "share": round(g.share, 3), "paths": list(g.names)} for g in groups],
    }
    return Outcome(data, "\n".join(lines), int(bool(groups)))
