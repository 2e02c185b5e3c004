"""`llm-wiki session …`."""

from __future__ import annotations

import click

from llm_wiki.cli.session import erasing, reading, switching, writing


@click.group()
@click.option("--hub", metavar="PATH", help="Use the hub in this folder.")
@click.option("--local", is_flag=True, help="Use .wiki/.sessions here.")
def command(hub: str | None, local: bool) -> None:
    """Capture of agents' sessions: what is stored, what a new session is told, promotion, erasing."""
    del hub, local  # the verbs take them from here


for _verb in (
    switching.enable,
    switching.disable,
    reading.status,
    writing.hook,
    writing.capture,
    reading.listing,
    reading.show,
    reading.rehydrate,
    writing.promote,
    erasing.forget,
    erasing.prune,
    writing.reindex,
    erasing.redact,
):
    command.add_command(_verb)
