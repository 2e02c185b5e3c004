"""`llm-wiki hooks install`, `uninstall`, `status` and `print`: other names for parts of `setup`."""

from __future__ import annotations

import click

from llm_wiki.cli.mark import json_option, verb
from llm_wiki.cli.output import Outcome


@click.group()
def command() -> None:
    """Install, remove and show the hooks of coding agents (the same as setup)."""


@command.command()
@click.argument("host", nargs=-1, required=True, metavar="HOST...")
@click.option("--dry-run", is_flag=True, help="Say what would be written, and write nothing.")
@json_option
@verb("X", name="hooks install", forms=(("--dry-run", "R0"),))
def install(host: tuple[str, ...], dry_run: bool) -> Outcome:
    """Put the hooks into HOST's files; the same as `setup HOST --hooks-only`."""
    from llm_wiki.cli import hosting

    return hosting.install(host, dry_run=dry_run)


@command.command()
@click.argument("host", nargs=-1, metavar="[HOST...]")
@click.option("--dry-run", is_flag=True, help="Say what would be taken out, and write nothing.")
@json_option
@verb("X", name="hooks uninstall", forms=(("--dry-run", "R0"),))
def uninstall(host: tuple[str, ...], dry_run: bool) -> Outcome:
    """Take the hooks out of HOST's files, or of all; the same as `setup --remove`."""
    from llm_wiki.cli import hosting

    return hosting.remove(host, dry_run=dry_run)


@command.command()
@json_option
@verb("R0", name="hooks status")
def status() -> Outcome:
    """Say which hosts report to llm-wiki-hook; the same as `setup --status`."""
    from llm_wiki.cli import hosting

    return hosting.status()


@command.command(name="print")
@click.argument("host", metavar="HOST")
@json_option
@verb("R0", name="hooks print")
def print_(host: str) -> Outcome:
    """Print what belongs into HOST's file, for those who write it there themselves."""
    from llm_wiki.core.errors import BadUsage
    from llm_wiki.hosts.setup import run
    from llm_wiki.hosts.setup.wanted import printed

    hosts = run.chosen([host])
    if len(hosts) != 1:
        raise BadUsage("print takes one host", remedy="llm-wiki hooks print claude")
    path, text = printed(hosts[0])
    return Outcome({"host": host, "path": str(path), "content": text}, text)
