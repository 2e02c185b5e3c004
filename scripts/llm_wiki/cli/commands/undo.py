"""`llm-wiki undo`."""

from __future__ import annotations

from typing import Any

import click

from llm_wiki.cli.mark import Target, json_option, target_options, verb
from llm_wiki.cli.output import Outcome


@click.command()
@click.argument("transaction", required=False, metavar="[ID]")
@click.option("--list", "listing", is_flag=True, help="List what can be taken back, newest first.")
@target_options(path=False)
@json_option
@verb("W2", name="undo", forms=(("--list", "R0"),))
def command(target: Target, transaction: str | None, listing: bool) -> Outcome:
    """Take back the last change of a wiki, or the one named by ID.

    Every change that llm-wiki made in the last 30 days can be taken back, byte for byte, except what
    withdraws something; `log.md` keeps its lines. A file changed since then stops the undo (exit 5) before
    anything is written. What a person decided needs a person again, and no source comes back that was
    retracted meanwhile (exit 4).
    """
    from llm_wiki.core.errors import NothingFound
    from llm_wiki.ops.returning import hub_hint, root_to_undo

    root = root_to_undo(target)
    if listing:
        return _listed(root.path)
    try:
        return taken_back(root, transaction)
    except NothingFound as error:
        error.remedy = hub_hint(root) or error.remedy
        raise


def taken_back(root: Any, transaction: str | None, verb_name: str | None = None) -> Outcome:
    """Undo one transaction and tell what was put back."""
    from llm_wiki.ops.report import change_data, change_line
    from llm_wiki.ops.returning import take_back

    record = take_back(root, transaction, verb=verb_name)
    head = f"Took back {record.verb} {record.id} of {record.date}. It had made these changes:"
    lines = [head, *(f"  {change_line(change)}" for change in record.changes)]
    lines += [f"  note: {text}" for text in record.left]
    text = "\n".join(lines)
    data = {
        "root": str(root.path), "undone": record.id, "verb": record.verb,
        "changes": [change_data(change) for change in record.changes], "notes": list(record.left),
    }  # fmt: skip
    return Outcome(data, text)


def _listed(root: Any) -> Outcome:
    from llm_wiki.core import undo
    from llm_wiki.ops.report import change_data, change_line

    records = undo.records(root)
    lines = [f"llm-wiki undo: {root}"]
    for r in records:
        lines.append(f"{r.id}  {r.date}  {r.verb:<8} {r.state:<9} {r.summary}".rstrip())
        lines += [f"    {change_line(change)}" for change in r.changes]
    if not records:
        lines.append("Nothing to take back.")
    rows = [
        {"id": r.id, "verb": r.verb, "date": r.date, "state": r.state, "summary": r.summary,
         "changes": [change_data(change) for change in r.changes]}
        for r in records
    ]  # fmt: skip
    return Outcome({"root": str(root), "transactions": rows}, "\n".join(lines))
