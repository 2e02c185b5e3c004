"""`llm-wiki links check|fix`."""

from __future__ import annotations

from typing import Any

import click

from llm_wiki.cli.mark import Target, json_option, target_options, verb
from llm_wiki.cli.output import Outcome, progress

_CHECKED = (
    "W110",
    "W113",
    "W403",
    "W408",
    "W501",
    "W502",
    "W503",
    "W504",
    "W505",
    "W506",
    "W507",
    "W508",
    "W509",
)
_REPAIRED = ("W403", "W408", "W506", "W508")


@click.group()
def command() -> None:
    """Find links that lead nowhere, and See Also entries without the way back."""


def _data(report: Any) -> dict[str, Any]:
    return {
        "root": str(report.root),
        "links": [
            {"rule": f.rule, "severity": f.severity, "path": f.path, "line": f.line or None,
             "target": f.target or None, "message": f.message, "fixable": f.fixable}
            for f in report.findings
        ],
        "fixes": list(report.fixes),
    }  # fmt: skip


@command.command()
@target_options()
@json_option
@verb("R0", name="links check")
def check(target: Target) -> Outcome:
    """List broken links, images, fragments and one-way See Also entries. Exit 1 when there are any.

    A page that cannot be read is listed as well: nothing is known of its links.
    """
    from llm_wiki.lint.options import Options
    from llm_wiki.lint.render import text
    from llm_wiki.lint.run import run

    with progress("reading") as advance:
        report = run(target.resolve(), Options(only=_CHECKED, fail_on="info"), progress=advance)
    return Outcome(_data(report), text(report), report.exit_code)


@command.command()
@target_options()
@click.option("--dry-run", is_flag=True, help="Print the plan, write nothing.")
@json_option
@verb("W2", name="links fix")
def fix(target: Target, dry_run: bool) -> Outcome:
    """Add missing ways back, spell links as files are named, drop dead index rows.

    A link to a page that does not exist is left for you: only you know what was meant. Exit 1 when
    such links remain.
    """
    from llm_wiki.lint import repair
    from llm_wiki.lint.options import Options
    from llm_wiki.lint.render import text

    with progress("reading") as advance:
        report = repair.repair(
            target.resolve(), Options(only=_REPAIRED, fail_on="info"), dry_run=dry_run, progress=advance
        )
    return Outcome(_data(report), text(report), report.exit_code)
