"""`llm-wiki read`."""

from __future__ import annotations

import click

from llm_wiki.cli.mark import Target, json_option, target_options, verb
from llm_wiki.cli.output import Outcome, progress


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@target_options(path=False)
@click.option("--numbers", is_flag=True, help="Number the lines.")
@click.option("--superseded", is_flag=True, help="Read old versions of sources too, as history.")
@click.option(
    "--budget",
    type=click.IntRange(500, 60_000),
    default=60_000,
    show_default=True,
    help="Characters handed over at most; a longer file is cut at a line.",
)
@click.option("--nonce", "seed", default="", metavar="TEXT", help="Derive the fence's nonce from TEXT.")
@json_option
@verb("R0", name="read")
def command(
    paths: tuple[str, ...], target: Target, numbers: bool, superseded: bool, budget: int, seed: str
) -> Outcome:
    """Print files of a wiki as quoted data, with what must be known about each of them.

    PATH is below the wiki's root; PATH:12-40 reads lines 12 to 40, PATH:12- from there on. Each file
    stands in a fence that its text cannot end; sentences whose source was retracted are masked. Other
    topics, archived and unadmitted files, hidden folders and links are refused (exit 4).
    """
    from llm_wiki.admit.visibility import Scope
    from llm_wiki.core import clock
    from llm_wiki.core.fence import new_nonce, notice, one_line
    from llm_wiki.ops.reading import Budget, Library
    from llm_wiki.ops.reading import read as read_files
    from llm_wiki.ops.trees import load

    root = target.resolve()
    scope = Scope(include_archived=target.include_archived, raw=True, superseded=superseded)
    nonce = new_nonce(seed)
    with progress("reading") as advance:
        library = Library(load(root, progress=advance), root, scope, clock.today(), nonce)
        spent = Budget(characters=budget)
        found = read_files(library, paths, spent, numbers=numbers)
    parts = [notice(nonce) + "\n", *(one.text for one in found)]
    parts += [
        f"{one_line(one.path)}: cut after line {one.lines.last} of {one.total}; "
        f"read {one_line(one.path)}:{(one.lines.last or 0) + 1}- for more.\n"
        for one in found
        if one.cut
    ]
    parts += [spent.line()] if spent.hit else []
    data = {
        "root": str(root.path),
        "nonce": nonce,
        "files": [
            {
                "path": one.path,
                "labels": dict(one.labels),
                "first_line": one.lines.first,
                "last_line": one.lines.last,
                "lines": one.total,
                "cut": one.cut,
                "text": one.text,
            }
            for one in found
        ],
        "budget": spent.data(),
    }
    return Outcome(data, "\n".join(parts))
