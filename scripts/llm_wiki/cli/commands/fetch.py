"""`llm-wiki fetch`."""

from __future__ import annotations

from pathlib import Path

import click

from llm_wiki.cli.mark import json_option, verb
from llm_wiki.cli.output import Outcome, waiting


@click.command()
@click.argument("url")
@click.option(
    "--out", type=click.Path(dir_okay=False), help="Write the Markdown to this file, outside any wiki."
)
@click.option("--allow-private", is_flag=True, help="Allow loopback, link-local and private addresses.")
@json_option
@verb("R0", name="fetch")
def command(url: str, out: str | None, allow_private: bool) -> Outcome:
    """Get one page and print it as Markdown; no wiki is touched.

    At most 5 redirects, 60 seconds and 20 MB; addresses that are not public are refused, for every
    redirect again.
    """
    from llm_wiki.ops.fetching import fetch_page, write_aside

    with waiting("fetching"):
        page = fetch_page(url, allow_private=allow_private)
    if out is not None:
        write_aside(Path(out), page.markdown)
    data = page._asdict() | {"notes": list(page.notes), "authors": list(page.authors), "out": out}
    head = [f"{page.title or page.url}", f"  {page.url}"]
    head += [
        f"  {name}: {value}"
        for name, value in (("by", ", ".join(page.authors)), ("date", page.date))
        if value
    ]
    head += [f"  note: {note}" for note in page.notes]
    text = "\n".join(head) + (f"\n  written to {out}" if out else f"\n\n{page.markdown}")
    return Outcome(data, text)
