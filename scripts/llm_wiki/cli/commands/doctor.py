"""`llm-wiki doctor`."""

from __future__ import annotations

import click

from llm_wiki.cli.mark import json_option, verb
from llm_wiki.cli.output import Outcome

_MARKS = {"ok": "ok   ", "note": "note ", "fault": "FAULT"}


@click.command()
@click.option("--hub", metavar="PATH", help="Look at the hub in this folder.")
@json_option
@verb("R0", name="doctor")
def command(hub: str | None) -> Outcome:
    """Look for faults of installation, folders, locks, open transactions and hooks.

    Nothing is changed. Exit 1 when there is a fault.
    """
    from llm_wiki.hosts.setup import health
    from llm_wiki.ops.doctor import examine

    checks = [*examine(hub), *health.checks()]
    lines = []
    for check in checks:
        lines.append(f"{_MARKS[check.state]} {check.name}: {check.text}")
        if check.remedy:
            lines.append(f"      {check.remedy}")
    faults = sum(check.state == "fault" for check in checks)
    lines.append(f"{faults} fault{'' if faults == 1 else 's'}.")
    return Outcome(
        {"checks": [check._asdict() for check in checks], "faults": faults}, "\n".join(lines), int(faults > 0)
    )
