"""`llm-wiki index check|rebuild|show`."""

from __future__ import annotations

import click

from llm_wiki.cli.mark import Target, json_option, target_options, verb
from llm_wiki.cli.output import Outcome, progress


@click.group()
def command() -> None:
    """Compare the _index.md files with the pages they list; rebuild or show them."""


@command.command()
@target_options()
@json_option
@verb("R0", name="index check")
def check(target: Target) -> Outcome:
    """Compare every index with the front matter of its pages. Exit 1 when one is stale."""
    from llm_wiki.ops.navigation import compare, describe
    from llm_wiki.ops.trees import load, require_readable

    root = target.resolve()
    with progress("reading") as advance:
        snapshot = load(root, progress=advance)
    require_readable(snapshot)
    compared = compare(snapshot)
    stale = [one for one in compared if one.stale]
    lines = [f"llm-wiki index: {root.path}"]
    for one in stale:
        lines.append(f"{one.contract.index}: {'differs' if one.exists else 'is missing'}")
        lines += [f"  {text}" for text in describe(one)]
    lines.append(f"{len(compared)} indexes, {len(stale)} stale.")
    if stale:
        lines.append("`llm-wiki index rebuild` brings them in line and keeps hand-written lines.")
    data = {
        "root": str(root.path),
        "indexes": len(compared),
        "stale": [
            {"path": one.contract.index, "missing": not one.exists, "differences": describe(one)}
            for one in stale
        ],
    }
    return Outcome(data, "\n".join(lines), int(bool(stale)))


@command.command()
@target_options()
@click.option("--force", is_flag=True, help="Render every index anew; hand-written lines in them are lost.")
@click.option("--dry-run", is_flag=True, help="Print the plan, write nothing.")
@json_option
@verb("W2", name="index rebuild")
def rebuild(target: Target, force: bool, dry_run: bool) -> Outcome:
    """Bring every index in line with the pages; hand-written lines, columns and sections stay."""
    from llm_wiki.ops.maintain import rebuild_indexes
    from llm_wiki.ops.report import change_data, plan_text

    root = target.resolve(writing=True)
    with progress("reading") as advance:
        changes, done = rebuild_indexes(root, force=force, dry_run=dry_run, progress=advance)
    data = {"root": str(root.path), "changes": [change_data(c) for c in changes], "transaction": done}
    return Outcome(data, plan_text(changes, done=not dry_run))


@command.command()
@click.argument("folder", required=False, default="")
@target_options(path=False)
@click.option("--nonce", "seed", default="", metavar="TEXT", help="Derive the fence's nonce from TEXT.")
@json_option
@verb("R0", name="index show")
def show(target: Target, folder: str, seed: str) -> Outcome:
    """Print the index of FOLDER (the root without one) as the pages say now; nothing is written.

    Where no person looks on, it is fenced as quoted data.
    """
    import sys

    from llm_wiki.admit.visibility import mask
    from llm_wiki.core import clock
    from llm_wiki.core.fence import fence, new_nonce, notice
    from llm_wiki.core.files import printable
    from llm_wiki.ops.navigation import show as shown
    from llm_wiki.ops.trees import load

    root = target.resolve()
    text = mask(shown(load(root), folder, clock.today()).decode("utf-8", "replace"))
    data = {"root": str(root.path), "folder": folder, "text": text}
    if sys.stdout.isatty() and not seed:
        return Outcome(data, text)
    nonce = new_nonce(seed)
    name = f"{root.name}: {printable(folder) or 'master'} index"
    quoted = fence(text, path=name, labels={"plane": "navigation"}, nonce=nonce)
    return Outcome(data, f"{notice(nonce)}\n{quoted}")
