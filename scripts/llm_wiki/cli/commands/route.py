"""`llm-wiki route`."""

from __future__ import annotations

from typing import Any

import click

from llm_wiki.cli.mark import json_option, verb
from llm_wiki.cli.output import Outcome


@click.command()
@click.argument("text", nargs=-1, required=True)
@json_option
@verb("R0", name="route")
def command(text: tuple[str, ...]) -> Outcome:
    """Say which intent a sentence expresses: candidates in order, each with the words that spoke for it.

    A table decides, no model, and no wiki is read. Exit 3 with at most three options when nothing in
    the sentence decides.
    """
    from llm_wiki.core.fence import one_line
    from llm_wiki.ops.route import route

    found = route(" ".join(text))
    rows = [
        {"intent": one.intent, "serves": one.serves, "signal": one_line(one.signal), "strong": one.strong}
        for one in found.candidates
    ]
    data: dict[str, Any] = {"intent": rows[0]["intent"] if found.decided else None, "candidates": rows}
    if found.decided:
        lines = [f"{row['intent']}    ({row['serves']}; matched: {row['signal']})" for row in rows]
        return Outcome(data, "\n".join(lines))
    message = "nothing in this decides what is wanted; choose"
    data["error"] = {
        "message": message,
        "path": None,
        "line": None,
        "remedy": "ask the user to choose one of the options",
        "options": [row["intent"] for row in rows],
    }
    lines = [f"{message}:"]
    lines += [f"  {number}. {row['intent']}: {row['serves']}" for number, row in enumerate(rows, 1)]
    return Outcome(data, "\n".join(lines), 3)
