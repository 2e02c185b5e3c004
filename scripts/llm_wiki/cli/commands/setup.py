"""`llm-wiki setup`."""

from __future__ import annotations

import click

from llm_wiki.cli.mark import json_option, verb
from llm_wiki.cli.output import Outcome


@click.command()
@click.argument("host", nargs=-1, metavar="[HOST...]")
@click.option("--status", "asked", is_flag=True, help="Say what is set up where; nothing is changed.")
@click.option("--remove", "removing", is_flag=True, help="Take out of HOST (or of all) what setup put in.")
@click.option("--dry-run", is_flag=True, help="Say what would be written, and write nothing.")
@click.option(
    "--hooks-only", is_flag=True, help="Install hooks and nothing else (that is all there is so far)."
)
@click.option("--no-mcp", is_flag=True, help="Do not register a server of tools (there is none so far).")
@json_option
@verb("X", name="setup", forms=(("--status", "R0"), ("--dry-run", "R0")))
def command(
    host: tuple[str, ...], asked: bool, removing: bool, dry_run: bool, hooks_only: bool, no_mcp: bool
) -> Outcome:
    """Connect coding agents: claude, codex, copilot, opencode, pi, omp, or all that are installed.

    The host then tells llm-wiki-hook what happens in a session. That stores nothing: capture is off until
    you enable it with `llm-wiki capture notes`, and setup never changes that level. Files of the host are
    backed up before they are edited, and `setup --remove` puts them back. Exit 4 when something of
    yours stands in the way, 2 when --remove had to leave what was changed since.
    """
    from llm_wiki.cli import hosting
    from llm_wiki.core.errors import BadUsage

    if asked and (removing or host):
        raise BadUsage("--status takes no host and no --remove", remedy="llm-wiki setup --status")
    if asked:
        return hosting.status()
    if removing:
        return hosting.remove(host, dry_run=dry_run)
    if not host:
        from llm_wiki.hosts.setup.table import HOSTS, present

        found = [name for name, known in HOSTS.items() if present(known)]
        here = f"found here: {', '.join(found)}" if found else "none was found here"
        raise BadUsage(
            f"setup needs a host: {', '.join(HOSTS)} or all ({here})",
            remedy="llm-wiki setup all --dry-run shows what would be written",
        )
    done = hosting.install(host, dry_run=dry_run)
    if hooks_only or no_mcp:
        return done._replace(text=f"{done.text}\n{hosting.ONLY_HOOKS}")
    return done
