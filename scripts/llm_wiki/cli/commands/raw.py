"""`llm-wiki raw add|verify`."""

from __future__ import annotations

from pathlib import Path

import click

from llm_wiki.cli.commands.ingest import KNOWN_BY, TYPES, tag_list, tell_removed
from llm_wiki.cli.mark import Target, json_option, target_options, verb
from llm_wiki.cli.output import Outcome, progress


@click.group()
def command() -> None:
    """Add a source whose text you have, or verify that no source has changed."""


@command.command()
@click.argument("body", metavar="FILE|-")
@target_options(path=False)
@click.option("--title", required=True, help="Title of the source.")
@click.option(
    "--type", "kind", type=click.Choice(TYPES), default="notes", show_default=True, help="Folder below raw/."
)
@click.option("--source", default="MANUAL", show_default=True, help="URL or path it came from.")
@click.option("--tags", multiple=True, metavar="A,B", help="Tags.")
@click.option("--summary", default="", help="Two or three sentences; by default the first paragraph.")
@click.option(
    "--field", "fields", multiple=True, metavar="KEY=VALUE", help="Further front matter, e.g. canonical_url."
)
@click.option("--dry-run", is_flag=True, help="Print what would be written, write nothing.")
@json_option
@verb("W1", name="raw add")
def add(
    body: str,
    target: Target,
    title: str,
    kind: str,
    source: str,
    tags: tuple[str, ...],
    summary: str,
    fields: tuple[str, ...],
    dry_run: bool,
) -> Outcome:
    """Add one source whose Markdown body is FILE or standard input.

    The name, date, hashes, index rows and log line are made here; a duplicate is named and nothing
    is written, what was retracted is refused (exit 4). Secrets in the text are replaced by
    [REDACTED:kind] first, and told.
    """
    from llm_wiki.admit.cleaning import counted
    from llm_wiki.ingest.source import standard_input
    from llm_wiki.ops.raws import add_raw
    from llm_wiki.ops.report import change_data

    root = target.resolve(writing=True)
    given = standard_input() if body == "-" else None
    done = add_raw(
        root,
        title=title,
        kind=kind,
        source=source,
        path=None if body == "-" else Path(body),
        data=given,
        tags=tag_list(tags),
        summary=summary,
        fields=fields,
        dry_run=dry_run,
    )
    tell_removed(done.removed)
    if done.duplicate:
        text = f"Already there ({KNOWN_BY[done.reason]}): {done.path}\nNothing was written."
    else:
        text = f"{'Would add' if dry_run else 'Added'} {done.path}"
    data = {
        "root": str(root.path),
        "path": done.path,
        "duplicate": done.duplicate,
        "reason": done.reason or None,
        "content_sha256": done.content_sha256,
        "redacted": counted(done.removed),
        "changes": [change_data(change) for change in done.changes],
        "transaction": done.transaction,
    }
    return Outcome(data, text)


@command.command()
@target_options()
@json_option
@verb("R0", name="raw verify")
def verify(target: Target) -> Outcome:
    """Compare every source's body with the hash taken when it was admitted. Exit 1 on a difference.

    A file without an entry is listed and is no failure. One that a tombstone of this wiki holds is: it was
    retracted, and came back by hand or by a merge. What was retracted in another topic is listed.
    """
    from llm_wiki.admit.raw import verify as verified
    from llm_wiki.ingest.run import require_topic
    from llm_wiki.ops.tombstones import returned
    from llm_wiki.ops.trees import load

    root = target.resolve()
    require_topic(root)
    with progress("reading") as advance:
        snapshot = load(root, progress=advance)
    found = verified(snapshot)
    held = returned(root, snapshot)
    lines = [f"changed: {path}" for path in found.changed]
    lines += [f"missing: {path}" for path in found.missing]
    lines += [f"moved: {old} -> {new}" for old, new in found.moved]
    lines += [f"no entry: {path}" for path in found.unlisted]
    lines += [f"raw-lock.jsonl line {number} is no record" for number in found.unreadable_lines]
    lines += [f"retracted: {path} ({stone.id} of {stone.name})" for path, stone in held]
    if held:
        lines.append("What was retracted is there; to take it out: llm-wiki retract-source apply PATH")
    lines.append(
        f"{found.checked} bodies compared, {len(found.changed)} changed, {len(found.missing)} missing."
    )
    data = {
        "root": str(root.path),
        "checked": found.checked,
        "changed": list(found.changed),
        "missing": list(found.missing),
        "moved": [list(pair) for pair in found.moved],
        "unlisted": list(found.unlisted),
        "unreadable_lines": list(found.unreadable_lines),
        "retracted": [{"path": path, "tombstone": stone.id, "topic": stone.name} for path, stone in held],
    }
    return Outcome(
        data, "\n".join(lines), int(not found.clean or any(stone.root == root.path for _, stone in held))
    )
