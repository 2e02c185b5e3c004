"""`llm-wiki redact`."""

from __future__ import annotations

import click

from llm_wiki.cli.mark import json_option, verb
from llm_wiki.cli.output import Outcome


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--stdin", "from_stdin", is_flag=True, help="Read standard input; so does the name -.")
@click.option("--check", is_flag=True, help="Print where secrets stand, never what they are; exit 1 if any.")
@click.option("--strict", is_flag=True, help="Also mail addresses, IP addresses and phone numbers.")
@click.option("--charset", default="", help="Encoding of texts that are not UTF-8.")
@json_option
@verb("R0", name="redact")
def command(files: tuple[str, ...], from_stdin: bool, check: bool, strict: bool, charset: str) -> Outcome:
    """Print a text with its secrets and the user names in its paths replaced by [REDACTED:kind].

    Keys and tokens of over a hundred vendors, passwords in assignments, headers, addresses and options,
    private keys. No file is changed. With --check each finding is one line FILE:LINE:COLUMN KIND.
    """
    from llm_wiki.core.errors import BadUsage
    from llm_wiki.ingest.source import standard_input
    from llm_wiki.ops.redacting import STDIN, read, redacted

    names = (*files, STDIN) if from_stdin and STDIN not in files else files
    if not names:
        raise BadUsage("no text is named", remedy="name a file, or give --stdin")
    if names.count(STDIN) > 1:
        raise BadUsage("standard input is named twice", remedy="name - once")
    done = []
    for name in names:
        data = standard_input() if name == STDIN else read(name)
        done.append(redacted(name, data, strict=strict, charset=charset))
    total = sum(len(each.places) for each in done)
    lines = [f"{each.path}:{p.line}:{p.column} {p.kind}" for each in done for p in each.places]
    data_out = {
        "strict": strict,
        "found": total,
        "files": [
            {"path": each.path, "findings": [p._asdict() for p in each.places]}
            | ({} if check else {"text": each.text})
            for each in done
        ],
    }
    text = "\n".join(lines) if check else "".join(each.text for each in done)
    return Outcome(data_out, text, int(check and total > 0))
