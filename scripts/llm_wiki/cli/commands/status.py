"""`llm-wiki status`, and what a bare `llm-wiki` prints."""

from __future__ import annotations

from typing import Any

import click

from llm_wiki.cli.mark import Target, json_option, shown, target_options, verb
from llm_wiki.cli.output import Outcome, progress

_FIRST = (
    "llm-wiki init NAME    makes a topic wiki (and the hub that holds it)",
    "llm-wiki demo         shows one being maintained, in a folder of its own",
)


@click.command()
@target_options()
@json_option
@verb("R0", name="status")
def command(target: Target) -> Outcome:
    """Say what a wiki holds, what waits, and the next sensible step."""
    from llm_wiki.ops.status import status

    return _outcome(target.resolve(), status)


def first_steps() -> Outcome:
    """Return what a bare `llm-wiki` prints: the status of the wiki here, or how to start."""
    from llm_wiki.ops.status import here, status
    from llm_wiki.wiki.resolve import find_hub

    root = here()
    if root is not None:
        return _outcome(root, status)
    hub = find_hub()
    lines = [f"No wiki yet: there is no .wiki folder here and no hub at {shown(hub)}.", "", "Next:"]
    lines += [f"  {line}" for line in _FIRST]
    return Outcome({"root": None, "hub": str(hub), "next": list(_FIRST)}, "\n".join(lines))


def _outcome(root: Any, status: Any) -> Outcome:
    with progress("reading") as advance:
        data = status(root, advance)
    lines = [
        f"{data.get('title', root.name)}  ({root.kind}{', archived' if root.status == 'archived' else ''})"
    ]
    lines.append(f"  {shown(root.path)}")
    if root.kind == "hub":
        for topic in data["topics"]:
            state = f"{topic['sources']} sources, {topic['articles']} articles"
            lines.append(f"  {topic['slug']}: {state if topic['initialised'] else 'not initialised'}")
        lines.append(f"  {len(data['topics'])} active topics, {data['archived']} archived")
        if data["capture"]:
            told = data["capture"]
            why = f" ({told['why_off']})" if told["why_off"] else ""
            lines.append(f"  capture of sessions: {told['level']}{why}, {told['sessions']} stored")
    else:
        named = [
            f"{number} {name}"
            for name, number in data["counts"].items()
            if number or name in {"sources", "articles"}
        ]
        lines.append("  " + ", ".join(named))
        if data["unreadable"]:
            lines.append(f"  cannot be read: {', '.join(data['unreadable'])}")
        if data["stale_indexes"]:
            lines.append(f"  stale indexes: {', '.join(data['stale_indexes'])}")
    if data["interrupted"]:
        lines.append(f"  interrupted: {', '.join(data['interrupted'])}")
    if data["log"]:
        lines += ["", "Last:", *(f"  {e['date']}  {e['operation']}  {e['text']}" for e in data["log"])]
    lines += ["", "Next:", *(f"  {line}" for line in data["next"])]
    return Outcome(data, "\n".join(lines))
