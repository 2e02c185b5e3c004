"""`llm-wiki undo`."""

from __future__ import annotations

import click

from llm_wiki.cli.mark import Target, json_option, target_options, verb
from llm_wiki.cli.output import Outcome


def _lines(record: object) -> list[str]:
    from llm_wiki.ops.report import change_line

    return [f"  {change_line(change)}" for change in record.changes]  # type: ignore[attr-defined]


@click.command()
@click.argument("transaction", required=False, metavar="[ID]")
@click.option("--list", "listing", is_flag=True, help="List what can be taken back, newest first.")
@target_options(path=False)
@json_option
@verb("W2", name="undo", forms=(("--list", "R0"),))
def command(target: Target, transaction: str | None, listing: bool) -> Outcome:
    """Take back the last change of a wiki, or the one named by ID.

    Every change that llm-wiki made in the last 30 days can be taken back. A file changed since
    then stops the undo (exit 5) before anything is written.
    """
    from llm_wiki.core import undo
    from llm_wiki.ops.report import change_data

    root = target.resolve().path
    if listing:
        records = undo.records(root)
        lines = [f"llm-wiki undo: {root}"]
        for r in records:
            lines.append(f"{r.id}  {r.date}  {r.verb:<8} {r.state:<9} {r.summary}")
            lines += _lines(r)
        if not records:
            lines.append("Nothing to take back.")
        data = {
            "root": str(root),
            "transactions": [
                {"id": r.id, "verb": r.verb, "date": r.date, "state": r.state, "summary": r.summary,
                 "changes": [change_data(c) for c in r.changes]}
                for r in records
            ],
        }  # fmt: skip
        return Outcome(data, "\n".join(lines))
    record = undo.undo(root, transaction)
    text = "\n".join([f"Took back {record.verb} {record.id} of {record.date}:", *_lines(record)])
    return Outcome(
        {"root": str(root), "undone": record.id, "verb": record.verb,
         "changes": [change_data(c) for c in record.changes]},
        text,
    )  # fmt: skip
