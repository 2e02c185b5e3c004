"""`llm-wiki resolve`."""

from __future__ import annotations

import click

from llm_wiki.cli.mark import Target, json_option, target_options, verb
from llm_wiki.cli.output import Outcome


@click.command()
@target_options()
@click.option("--need", metavar="VERSION", help="End with exit 2 when this llm-wiki is older.")
@json_option
@verb("R0", name="resolve")
def command(target: Target, need: str | None) -> Outcome:
    """Say which wiki the arguments mean: its root, kind, hub, state and stale indexes."""
    from llm_wiki.ops.status import describe

    if need is not None:
        require(need)
    data = describe(target.resolve())
    lines = [
        f"{key}: {'-' if value is None else value}" for key, value in data.items() if key != "stale_indexes"
    ]
    stale = data["stale_indexes"]
    lines.append(f"stale_indexes: {', '.join(stale) if stale else '-'}")
    return Outcome(data, "\n".join(lines))


def require(need: str) -> None:
    """Raise `Incomplete` (exit 2) with the install line when this program is older than `need`."""
    from llm_wiki import __version__
    from llm_wiki.core.errors import Incomplete
    from llm_wiki.core.versions import older

    if older(__version__, need):
        raise Incomplete(
            f"llm-wiki {__version__} is older than {need}, which this needs",
            remedy=f"pipx install --force 'llm-wiki>={need}'    or: uv tool install 'llm-wiki>={need}'",
        )
