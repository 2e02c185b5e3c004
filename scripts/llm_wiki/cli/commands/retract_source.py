"""`llm-wiki retract-source plan|apply|verify`."""

from __future__ import annotations

from typing import Any

import click

from llm_wiki.cli.mark import F, Target, json_option, shown, target_options, verb
from llm_wiki.cli.output import Outcome, say, waiting

_SHOWN = 60


@click.group()
def command() -> None:
    """Take one source out of a wiki: the file, all that refers to it, and its way back.

    RAW_PATH is its path below the root (raw/articles/FILE.md), a path on disk, or its file name where only
    one source has it. First plan, then apply; verify looks again at any time.
    """


def _recompile_option(function: F) -> F:
    return click.option(
        "--recompile-plan",
        is_flag=True,
        help="List, by article, what is to be rewritten and from which sources.",
    )(function)


@command.command()
@click.argument("raw_path")
@target_options(path=False, archived=False)
@_recompile_option
@json_option
@verb("R0", name="retract-source plan")
def plan(raw_path: str, target: Target, recompile_plan: bool) -> Outcome:
    """Say what refers to the source, with path and line. Changes nothing."""
    return outcome("plan", raw_path, target, recompile_plan=recompile_plan)


@command.command()
@click.argument("raw_path")
@click.option("--plan-id", metavar="ID", default="", help="Apply only what the plan with this id showed.")
@target_options(path=False, archived=False)
@_recompile_option
@json_option
@verb("W2", name="retract-source apply")
def apply(raw_path: str, target: Target, recompile_plan: bool, plan_id: str) -> Outcome:
    """Remove the source and every reference to it, leave a tombstone, and look again.

    A sentence that cites nothing else gets a marker and is masked for readers until it is rewritten. Any
    admission of the source into a topic of the hub is refused (exit 4) until a person lifts the tombstone.
    Nothing of it can be undone. Exit 0 when nothing names the source any more and no marker is open, else 2.
    """
    return outcome("apply", raw_path, target, recompile_plan=recompile_plan, plan_id=plan_id)


@command.command()
@click.argument("raw_path")
@target_options(path=False, archived=False)
@_recompile_option
@json_option
@verb("R0", name="retract-source verify")
def verify(raw_path: str, target: Target, recompile_plan: bool) -> Outcome:
    """Look for what still names a source that was retracted, and for open markers.

    Exit 0 when there is neither, else 2.
    """
    return outcome("verify", raw_path, target, recompile_plan=recompile_plan)


def outcome(
    mode: str, raw_path: str, target: Target, *, recompile_plan: bool = False, plan_id: str = ""
) -> Outcome:
    """Run one step and render its report."""
    from llm_wiki.ops.withdrawing_source import report_data, root_around, run, target_of

    named = target.path or target.wiki or target.local
    root = None if named else root_around(raw_path, target.hub)
    root = root or target._replace(include_archived=True).resolve(writing=False)
    with waiting("looking for what names it"):
        root = target_of(raw_path, root)
        report = run(mode, raw_path, root, plan_id=plan_id)
    data = report_data(report, root, with_recompile=recompile_plan)
    for text in data["errors"]:
        say(f"llm-wiki: {text}")
    return Outcome(data, _text(report, root, data), 2 if data["status"] == "incomplete" else 0)


def _text(report: Any, root: Any, data: dict[str, Any]) -> str:
    lines = [
        f"Source retraction: {data['status']}",
        f"Wiki: {shown(report.root)}",
        f"Source: {data['source']}",
    ]
    if data["mode"] != "verify":
        counts = ", ".join(f"{count} {kind}" for kind, count in data["counts"].items())
        lines.append(f"References: {len(data['references'])}{f' ({counts})' if counts else ''}")
        lines += _places(data["references"])
    if data["mode"] == "plan":
        lines.append(f"Files that would change: {len(data['changes'])}")
    for name, counts in sorted(data["stores"].items()):
        if counts["found"]:
            rest = "" if data["mode"] == "plan" else f", {counts['removed']} removed, {counts['left']} left"
            lines.append(f"Store {name}: {counts['found']} found{rest}")
    if data["mode"] != "plan":
        lines.append(f"Still named: {len(data['left'])}")
        lines += _places(data["left"])
        lines.append(f"Open markers: {len(data['open_markers'])}")
        lines += _places([{"kind": "marker", **one} for one in data["open_markers"]])
    if data["tombstone"]:
        bound = "wiki" if root.hub is None else "hub"
        lines.append(f"Tombstone: {data['tombstone']} (admission into this {bound} is refused)")
    for one in data["recompile"] or ():
        where = f"lines {', '.join(map(str, one['lines']))}" if one["lines"] else "the whole"
        lines.append(f"Rewrite {one['article']}: {where}")
        lines += [f"  from {rel}" for rel in one["sources"]] or ["  from no source: find one, or delete them"]
    if data["boundaries"]:
        found = ", ".join(f"{one['kind']} {one['count']}" for one in data["boundaries"])
        lines.append(f"Beyond reach: {found}")
    lines += [f"note: {text}" for text in data["warnings"]]
    lines += [f"next: {text}" for text in data["next"]]
    if data["mode"] == "plan":
        from llm_wiki.ops.withdrawing_source import line

        remove = line("apply", root, report.source)
        lines.append(f"Nothing was changed. To remove it: {remove} --plan-id {data['plan_id']}")
    else:
        lines.append(f"note: {data['beyond']}")
    return "\n".join(lines)


def _places(rows: list[dict[str, Any]]) -> list[str]:
    lines = []
    for one in rows[:_SHOWN]:
        line = f":{one['line']}" if one["line"] else ""
        lines.append(f"  {one['path']}{line}  {one['kind']}")
    more = len(rows) - _SHOWN
    return lines + ([f"  and {more} more"] if more > 0 else [])
