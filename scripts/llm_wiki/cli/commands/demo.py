"""`llm-wiki demo`."""

from __future__ import annotations

import contextlib
import io
import shlex
import sys
from pathlib import Path
from typing import Any

import click

from llm_wiki.cli import output
from llm_wiki.cli.mark import json_option, verb
from llm_wiki.cli.output import Outcome

TOPIC = "agent-memory"


def _steps(folder: Path) -> list[tuple[str, list[str], int]]:
    """Return what the demo shows: a sentence, the arguments, the exit status it must end with."""
    sound, broken = str(folder / "example"), str(folder / "broken")
    page = str(folder / "page.html")
    mine = ["--hub", sound, "--wiki", "field-notes"]
    hurt = ["--hub", broken, "--wiki", TOPIC]
    return [
        ("A new topic in the example hub.", ["init", "field-notes", "--hub", sound], 0),
        ("A web page becomes a source: code, lists and tables survive.", ["ingest", page, *mine], 0),
        ("The same page again is recognised; nothing is written.", ["ingest", page, *mine], 0),
        ("Indexes and log have followed.", ["index", "show", "raw/articles", *mine], 0),
        ("Taking it back leaves no trace but the log.", ["undo", *mine], 0),
        ("Now a wiki that people and programs have damaged.", ["lint", *hurt], 1),
        ("What a repair would do, without doing it.", ["lint", "--fix", "--dry-run", *hurt], 1),
        ("The repair: one step. What only you can decide is left.", ["lint", "--fix", *hurt], 1),
        ("Every repair can be taken back, byte for byte.", ["undo", *hurt], 0),
        ("And made again.", ["lint", "--fix", *hurt], 1),
        ("A second repair has nothing to do.", ["lint", "--fix", "--dry-run", *hurt], 1),
        ("The indexes agree with the pages; the hand-written part stayed.", ["index", "check", *hurt], 0),
        ("No source has changed on the way.", ["raw", "verify", *hurt], 0),
        ("Where it stands now.", ["status", *hurt], 0),
    ]


@click.command()
@click.argument("folder", metavar="[DIR]", default="llm-wiki-demo")
@json_option
@verb("W1", name="demo")
def command(folder: str) -> Outcome:
    """Copy the example hub to a new folder and maintain it, step by step.

    DIR must not exist yet; by default it is llm-wiki-demo here. Nothing outside DIR is changed but
    the machine folders that `llm-wiki paths` lists.
    """
    from llm_wiki.ops.example import copy_example

    place = copy_example(Path(folder))
    steps = _steps(place)
    wrong = 0
    rows: list[dict[str, Any]] = []
    quiet = click.get_current_context().params["as_json"]
    for number, (sentence, arguments, expected) in enumerate(steps, 1):
        shown = [arg.replace(f"{place}", folder) for arg in arguments]
        line = f"llm-wiki {shlex.join(shown)}"
        text, status = _run(arguments)
        wrong += status != expected
        rows.append({"command": line, "exit": status, "expected": expected, "output": text})
        if not quiet:
            head = f"\n[{number}/{len(steps)}] {sentence}\n$ {line}\n"
            output.write_out(head + text.replace(str(place), folder) + (f"(exit {status})" if status else ""))
    end = [
        "",
        f"The hubs are yours to try: {folder}/example and {folder}/broken.",
        f"  llm-wiki lint --hub {folder}/broken --wiki {TOPIC}",
        f"Remove them with the folder {folder}.",
    ]
    if wrong:
        end.append(f"{wrong} steps did not end as they should: please report this.")
    data = {"folder": str(place), "steps": rows}
    return Outcome(data, "\n".join(end), 2 if wrong else 0)


def _run(arguments: list[str]) -> tuple[str, int]:
    """Run one verb in this process; return what it printed and its exit status."""
    from llm_wiki.cli.main import main

    caught = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    with contextlib.redirect_stdout(caught), contextlib.redirect_stderr(caught):
        try:
            main(arguments)
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 2
        sys.stdout.flush()
    buffer = caught.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode(), status
