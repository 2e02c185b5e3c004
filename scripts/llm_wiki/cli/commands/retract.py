"""`llm-wiki retract`."""

from __future__ import annotations

import os
import stat
import sys
from typing import Any

import click

from llm_wiki.cli.mark import json_option, shown, verb
from llm_wiki.cli.output import Outcome, envelope, say, waiting

SPELT = (
    "an agent's shell gave the value by a pipe or here-document: if the command line spells it, the host's "
    "transcript holds it now and it counts as leaked; let a file hold it, with --stdin < FILE"
)

NAMED = 10
"""Places of one kind beyond reach that are named in text; --json names all."""


@click.command()
@click.argument("path", required=False)
@click.option("--local", is_flag=True, help="Use the .wiki folder here.")
@click.option("--wiki", metavar="SLUG", help="Use this topic of the hub, archived or not.")
@click.option("--hub", metavar="PATH", help="Use the hub in this folder.")
@click.option(
    "--everywhere", is_flag=True, help="The hub, every registered wiki, local wikis and .wiki here."
)
@click.option("--stdin", "from_stdin", is_flag=True, help="Read the value from standard input.")
@click.option("--raw", is_flag=True, help="Let a final line end of standard input belong to the value.")
@click.option("--apply", is_flag=True, help="Change files; without it nothing is written.")
@click.option(
    "--variants",
    type=click.Choice(["exact", "common"]),
    default="common",
    show_default=True,
    help="Look for the exact bytes alone, or for every encoding of them.",
)
@click.option(
    "--delete-binary-matches", is_flag=True, help="Delete files that are no text and hold the value."
)
@click.option("--case-insensitive", is_flag=True, help="Look for the value in any case.")
@click.option(
    "--min-length", type=int, metavar="N", help="With --yes: allow a value of N characters or more."
)
@click.option("--yes", is_flag=True, help="With --min-length: yes, all of a short or frequent value.")
@click.option(
    "--plan-id", metavar="ID", default="", help="Apply only what the dry run with this plan showed."
)
@click.option("--report-git", is_flag=True, help="Name the commits and refs that still hold the value.")
@click.option(
    "--source", metavar="RAW_PATH", help="Retract a whole source instead; short for the verb retract-source."
)
@json_option
@verb("W2", name="retract", enveloped=False)
def command(from_stdin: bool, raw: bool, report_git: bool, source: str | None, **given: Any) -> Outcome:
    """Remove one secret value from wikis, in every encoding, and prove that it is gone.

    The value is asked for without being shown, or read from standard input: never put it on the command
    line. Without --apply it is only said where the value stands. Text gets [RETRACTED] in its place, names
    are changed, undo bytes and caches of this machine go. Version history and other copies are out of reach.
    """
    from llm_wiki.core.errors import Incomplete, WikiError
    from llm_wiki.ops.withdrawing import Where, withdraw
    from llm_wiki.withdraw.retract import Wishes

    if source is not None:
        return _source(source, from_stdin=from_stdin, raw=raw, report_git=report_git, **given)
    value, notes = _value(from_stdin=from_stdin, raw=raw)
    where = Where(given["path"], given["local"], given["wiki"], given["hub"], given["everywhere"])
    wishes = Wishes(
        apply=given["apply"],
        common=given["variants"] == "common",
        ignore_case=given["case_insensitive"],
        shortest=given["min_length"],
        yes=given["yes"],
        plan_id=given["plan_id"],
        report_git=report_git,
    )
    try:
        with waiting("looking for it"):
            report = withdraw(where, value, wishes, delete_binaries=given["delete_binary_matches"])
    except WikiError:
        raise
    except Exception as error:  # noqa: BLE001 - the text of any other error may hold the value
        kind = type(error).__name__
        raise Incomplete(f"it could not be finished ({kind})", remedy="run it again: it goes on") from None
    report.warnings[:0] = notes
    return _outcome(report)


_OF_A_SOURCE = ("path", "local", "wiki", "hub", "apply", "plan_id")


def _source(wanted: str, **given: Any) -> Outcome:
    """Retract a source: the plan, with --apply all of it."""
    from llm_wiki.cli.commands.retract_source import outcome
    from llm_wiki.cli.mark import Target
    from llm_wiki.core.errors import BadUsage

    given["variants"] = "" if given["variants"] == "common" else given["variants"]
    foreign = sorted(name for name, value in given.items() if value and name not in _OF_A_SOURCE)
    if foreign:
        flag = "--stdin" if foreign[0] == "from_stdin" else f"--{foreign[0].replace('_', '-')}"
        raise BadUsage(f"{flag} is about a literal value, --source about a source", remedy="give one of them")
    target = Target(given["path"], given["wiki"], given["local"], given["hub"])
    mode = "apply" if given["apply"] else "plan"
    done = outcome(mode, wanted, target, plan_id=given["plan_id"] if given["apply"] else "")
    return done._replace(data=envelope(done.data, done.exit))


def _value(*, from_stdin: bool, raw: bool) -> tuple[bytes, list[str]]:
    """Return the value and what its reader should know about how it was read."""
    from llm_wiki.core.errors import BadUsage

    if not from_stdin:
        if raw:
            raise BadUsage("--raw is about standard input", remedy="give --stdin along with it")
        if sys.stdin is None or not sys.stdin.isatty():
            raise BadUsage("no value is given", remedy="run it at a terminal, or give the value by --stdin")
        import getpass

        try:
            return getpass.getpass("Value to remove (not shown): ").encode("utf-8", "surrogateescape"), []
        except UnicodeDecodeError:
            raise BadUsage(
                "what was typed is no text in the encoding of this terminal",
                remedy="give it by --stdin < FILE",
            ) from None
    value = sys.stdin.buffer.read() if sys.stdin is not None else b""
    notes = _spelt()
    if raw or not value.endswith(b"\n"):
        return value, notes
    value = value[:-2] if value.endswith(b"\r\n") else value[:-1]
    return value, ["one final line end was left out of the value (--raw keeps it)", *notes]


def _spelt() -> list[str]:
    """Return a note where an agent's shell gave a value that no file held: its command line may spell it."""
    from llm_wiki.core.actor import agent_marker

    if sys.stdin is None or agent_marker() is None:
        return []
    try:
        given = os.fstat(sys.stdin.fileno())
    except (OSError, ValueError):
        return []
    if stat.S_ISREG(given.st_mode) and given.st_nlink:
        return []
    return [SPELT]


def _outcome(report: Any) -> Outcome:
    from llm_wiki.withdraw.retract import report_data

    data = report_data(report)
    lines = [f"Retraction status: {data['status']}", f"Mode: {data['mode']}"]
    lines += [f"Scope: {shown(root)}" for root in data["scope"]]
    lines += [f"Files scanned: {data['files_scanned']}"]
    lines.append(
        f"Matches: {data['text_files_matched']} text files, {data['binary_files_matched']} binary files, "
        f"{data['path_names_matched']} path names, {data['symlink_targets_matched']} symlink targets"
    )
    lines.append(
        f"Applied: {data['files_rewritten']} files rewritten, {data['binary_files_deleted']} binary files "
        f"deleted, {data['paths_renamed']} paths renamed"
    )
    left = data["remaining_matches"]
    lines.append(f"Remaining matches: {'not checked in a dry run' if left is None else left}")
    for name, counts in sorted(data["stores"].items()):
        if name != "wiki" and counts["found"]:
            rest = f"{counts['removed']} removed, {counts['left']} left"
            lines.append(f"Store {name}: {counts['found']} found, {rest}")
    if data["matched_paths"]:
        lines.append("Matched paths:")
        lines += [f"  {path}" for path in data["matched_paths"][:100]]
        more = len(data["matched_paths"]) - 100
        lines += [f"  and {more} more"] if more > 0 else []
    if data["boundaries"]:
        counts = ", ".join(f"{one['kind']} {one['count']}" for one in data["boundaries"])
        lines.append(f"Beyond reach: {counts}")
        lines += [f"  {one['kind']}: {path}" for one in data["boundaries"] for path in one["paths"][:NAMED]]
    lines += [f"note: {text}" for text in data["warnings"]]
    if data["mode"] == "dry-run" and data["outcome"] == "found":
        lines.append(f"Nothing was changed. To remove it: the same with --apply --plan-id {data['plan_id']}")
    for text in data["errors"]:
        say(f"llm-wiki: {text}")
    return Outcome(data, "\n".join(lines), 2 if data["status"] == "incomplete" else 0)
