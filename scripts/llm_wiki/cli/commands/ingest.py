"""`llm-wiki ingest`."""

from __future__ import annotations

from typing import Any

import click

from llm_wiki.cli.mark import Target, json_option, target_options, verb
from llm_wiki.cli.output import Outcome, say, waiting

KNOWN_BY = {"url": "the same address", "body": "the same text", "upstream": "the same item"}

TYPES = ("articles", "papers", "repos", "notes", "data")


def tag_list(values: tuple[str, ...]) -> tuple[str, ...]:
    """Return tags given as `a,b` or by repeating the option."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


@click.command()
@click.argument("source")
@target_options(path=False)
@click.option("--type", "kind", type=click.Choice(TYPES), help="Folder below raw/; by default found out.")
@click.option("--title", default="", help="Title; by default that of the page.")
@click.option("--tags", multiple=True, metavar="A,B", help="Tags; by default those of the page, or its type.")
@click.option("--summary", default="", help="Two or three sentences; by default the page's first paragraph.")
@click.option("--date", default="", metavar="YYYY-MM-DD", help="Day of publication.")
@click.option("--charset", default="", help="Encoding of a text file that is not UTF-8.")
@click.option("--allow-private", is_flag=True, help="Allow loopback, link-local and private addresses.")
@click.option("--dry-run", is_flag=True, help="Print what would be written, write nothing.")
@json_option
@verb("W1", name="ingest")
def command(
    source: str,
    target: Target,
    kind: str | None,
    title: str,
    tags: tuple[str, ...],
    summary: str,
    date: str,
    charset: str,
    allow_private: bool,
    dry_run: bool,
) -> Outcome:
    """Take one source into a wiki: a URL, a file (Markdown, HTML, text), or - for standard input.

    The text becomes one Markdown file below raw/ that is never edited again; the indexes and the log
    follow. A source that is already there is named and nothing is written; one that was retracted is refused
    (exit 4). Secrets in it are replaced by [REDACTED:kind] before anything is written, and their kinds and
    lines are told.
    """
    from llm_wiki.core import config
    from llm_wiki.ingest.run import ingest
    from llm_wiki.ingest.source import Options

    proxy = config.load().get("network.proxy")
    options = Options(
        title=title,
        type=kind or "",
        tags=tag_list(tags),
        summary=summary,
        date=date,
        charset=charset,
        allow_private=allow_private,
        proxy=proxy if isinstance(proxy, str) else None,
    )
    root = target.resolve(writing=True)
    with waiting("taking in"):
        done = ingest(root, source, options, dry_run=dry_run)
    tell_removed(done.removed)
    findings = [] if done.duplicate or dry_run else _looked_over(root, done)
    return Outcome(_data(root, done, findings), _text(root, done, findings, dry_run=dry_run))


def tell_removed(removed: tuple[Any, ...]) -> None:
    """Say on stderr which secrets were taken out of a source."""
    from llm_wiki.admit.cleaning import told

    for sentence in told(removed):
        say(f"llm-wiki: {sentence}")


def _looked_over(root: Any, done: Any) -> list[Any]:
    from llm_wiki.ops.maintain import findings_of

    return findings_of(root, [change.path for change in done.changes])


def _text(root: Any, done: Any, findings: list[Any], *, dry_run: bool) -> str:
    if done.duplicate:
        lines = [f"Already there ({KNOWN_BY[done.reason]}): {done.path}", "Nothing was written."]
    else:
        lines = [f"{'Would admit' if dry_run else 'Admitted'} {done.title!r} as {done.path}"]
        lines.append(f"  source: {done.source}; type: {done.type}; tags: {', '.join(done.tags)}")
        if done.supersedes:
            lines.append(f"  a newer version of {done.supersedes}")
    lines += [f"  note: {note}" for note in done.notes]
    lines += [f"  much like {path} ({share:.0%} of the text)" for path, share in done.similar]
    lines += [f"  {f.severity}: {f.message} ({f.path}) [{f.rule}]" for f in findings]
    if not done.duplicate and not dry_run:
        from llm_wiki.ops.status import named

        way_back = f"llm-wiki undo {named(root, '--root ')}"
        lines.append(f"Next: write or extend an article that cites it; `{way_back}` takes it back.")
    return "\n".join(lines)


def _data(root: Any, done: Any, findings: list[Any]) -> dict[str, Any]:
    from llm_wiki.admit.cleaning import counted
    from llm_wiki.ops.report import change_data

    return {
        "root": str(root.path),
        "path": done.path,
        "duplicate": done.duplicate,
        "reason": done.reason or None,
        "supersedes": done.supersedes or None,
        "title": done.title,
        "type": done.type,
        "source": done.source,
        "tags": list(done.tags),
        "summary": done.summary,
        "content_sha256": done.content_sha256,
        "notes": list(done.notes),
        "redacted": counted(done.removed),
        "similar": [{"path": path, "share": round(share, 3)} for path, share in done.similar],
        "changes": [change_data(change) for change in done.changes],
        "findings": [f._asdict() for f in findings],
        "transaction": done.transaction,
    }
