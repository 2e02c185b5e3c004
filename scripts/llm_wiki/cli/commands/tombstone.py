"""`llm-wiki tombstone list|check|lift`."""

from __future__ import annotations

from typing import Any

import click

from llm_wiki.cli.mark import Target, json_option, target_options, verb
from llm_wiki.cli.output import Outcome, say


@click.group()
def command() -> None:
    """List what keeps retracted sources out, ask whether one does, or let one in again.

    Retracting a source leaves a tombstone in its topic: hashes that say nothing of the source, but know it
    again. It holds for every topic of the hub, archived ones included; of a local wiki for itself.
    """


@command.command("list")
@click.option("--all", "every", is_flag=True, help="Show those that are lifted, too.")
@target_options(path=False, archived=False)
@json_option
@verb("R0", name="tombstone list")
def list_(target: Target, every: bool) -> Outcome:
    """List the tombstones that bind a wiki, of a hub those of all its topics: id, date and topic.

    What a tombstone stands for cannot be read from it. Damaged lines are told.
    """
    from llm_wiki.ops.tombstones import listed

    root = _root(target)
    found = listed(root)
    shown = [stone for stone in found.stones if every or not stone.lifted]
    lines = [f"llm-wiki tombstones: {root.path}"]
    for stone in shown:
        line = f"{stone.tombstone.id}  {_day(stone.tombstone):<10}  {stone.tombstone.name}"
        lines.append(f"{line}  lifted by {stone.lifted}" if stone.lifted else line)
    if not shown:
        lines.append("None.")
    for path, numbers in found.damaged:
        say(f"llm-wiki: {path} holds lines that are no tombstone: {', '.join(map(str, numbers))}")
    data = {
        "root": str(root.path),
        "tombstones": [{**_data(each.tombstone), "lifted_by": each.lifted or None} for each in shown],
        "damaged": [{"path": str(path), "lines": list(numbers)} for path, numbers in found.damaged],
    }
    return Outcome(data, "\n".join(lines))


@command.command()
@click.argument("source", metavar="URL|FILE")
@target_options(path=False, archived=False)
@json_option
@verb("R0", name="tombstone check")
def check(target: Target, source: str) -> Outcome:
    """Tell which tombstone holds an address or a file. Exit 1 when none does.

    An address is never asked for. A file is known by its text and by the address it names for itself.
    """
    from llm_wiki.ops.tombstones import checked

    root = _root(target)
    held = checked(root, source)
    text = f"{held.id} of {_day(held)} in {held.name} holds it." if held else "No tombstone holds it."
    data = {"root": str(root.path), "held": None if held is None else _data(held)}
    return Outcome(data, text, int(held is None))


@command.command()
@click.argument("tombstone", metavar="ID")
@target_options(path=False, archived=False)
@json_option
@verb("W2", name="tombstone lift")
def lift(target: Target, tombstone: str) -> Outcome:
    """Let a retracted source be taken in again. Only a person does, at a terminal.

    ID may be the beginning of one. Nothing comes back by it; undoing it needs a person too.
    """
    from llm_wiki.ops.tombstones import lift as lifting

    done = lifting(_root(target), tombstone)
    name = done.tombstone.id
    if done.transaction is None:
        text = f"{name} in {done.tombstone.name} is lifted already, by {done.by}."
    else:
        text = f"Lifted {name} in {done.tombstone.name}; what it held may be taken in again."
    data = {
        **_data(done.tombstone),
        "lifted_by": done.by,
        "done": done.transaction is not None,
        "transaction": done.transaction,
    }
    return Outcome(data, text)


def _root(target: Target) -> Any:
    """Return the root that is meant, archived or not: withdrawal reaches what is archived."""
    return target._replace(include_archived=True).resolve()


def _day(tombstone: Any) -> str:
    return str(tombstone.at[:10]) or "undated"


def _data(tombstone: Any) -> dict[str, Any]:
    return {
        "id": tombstone.id,
        "date": tombstone.at[:10] or None,
        "topic": tombstone.name,
        "root": str(tombstone.root),
    }
