"""`llm-wiki archive list|topic|restore|peek|repair`."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from llm_wiki.cli.mark import F, json_option, shown, verb
from llm_wiki.cli.output import Outcome


def _hub_option(function: F) -> F:
    return click.option("--hub", metavar="PATH", help="Use the hub in this folder.")(function)


def _dry_option(function: F) -> F:
    return click.option("--dry-run", is_flag=True, help="Say what would be done, write nothing.")(function)


@click.group()
@_hub_option
@json_option
def command(hub: str | None, as_json: bool) -> None:
    """Hide a whole topic of a hub, keep it, and bring it back.

    Nothing is deleted: the folder moves to topics/.archive/ and every verb passes it over unless
    --include-archived is given. --hub and --json may stand before or after the verb.
    """
    del hub, as_json


def _hub(given: str | None) -> Path:
    """Return the hub that is meant; `--hub` before the verb counts as if given after it."""
    from llm_wiki.core.errors import BadUsage
    from llm_wiki.wiki.resolve import find_hub

    parent = click.get_current_context().parent
    before = parent.params.get("hub") if parent is not None else None
    if given is not None and before is not None and given != before:
        raise BadUsage(f"--hub is given twice: {before!r} and {given!r}", remedy="give one of them")
    return find_hub(before if given is None else given)


@command.command("list")
@click.option("--archived", is_flag=True, help="Show the archived topics too, not their number alone.")
@_hub_option
@json_option
@verb("R0", name="archive list", enveloped=False)
def list_(hub: str | None, archived: bool) -> Outcome:
    """List the active topics of a hub and count the archived ones."""
    from llm_wiki.model.cells import delimiter, escape_cell, row
    from llm_wiki.withdraw.archive_list import listed

    found = listed(_hub(hub))

    def table(heads: list[str], rows: list[list[str]]) -> list[str]:
        return [row(heads), delimiter(heads), *(row([escape_cell(cell) for cell in cells]) for cells in rows)]

    lines = [f"llm-wiki archive: {found.hub}", "", f"Active topics ({len(found.active)})", ""]
    lines += table(
        ["Slug", "Path", "Description"], [[one.slug, one.path, one.description] for one in found.active]
    )
    lines += ["", f"Archived topics: {len(found.archived)}"]
    if archived and found.archived:
        rows = [[one.slug, one.path, one.archived, one.reason] for one in found.archived]
        lines += ["", *table(["Slug", "Path", "Archived", "Reason"], rows)]
    data = {
        "hub": str(found.hub),
        "active": [one._asdict() for one in found.active],
        "archived": [one._asdict() for one in found.archived],
    }
    return Outcome(data, "\n".join(lines))


@command.command()
@click.argument("slug")
@click.option("--reason", default="", metavar="TEXT", help="Why; kept in the registry.")
@click.option("--in-place", is_flag=True, help="Hide a topic outside the hub where it lies, without a move.")
@click.option("--disable-specialists", is_flag=True, help="Disable the specialists enabled for it.")
@click.option("--reset-default", is_flag=True, help="Let the registry's `default` be the hub, if it is this.")
@_dry_option
@_hub_option
@json_option
@verb("W2", name="archive topic")
def topic(hub: str | None, slug: str, dry_run: bool, **wishes: Any) -> Outcome:
    """Hide the topic SLUG: move it to topics/.archive/ and let links follow.

    Refused (exit 4): the hub, a topic that is archived already, lies outside the hub (see --in-place),
    has enabled specialists, or whose place in the archive is taken.
    """
    from llm_wiki.withdraw.archive import Wishes, archive_topic

    done = archive_topic(_hub(hub), slug, Wishes(dry_run=dry_run, **wishes))
    return _moved(done, "Archived", f"Restore: llm-wiki archive restore {slug}", dry_run=dry_run, hub=hub)


@command.command()
@click.argument("slug")
@_dry_option
@_hub_option
@json_option
@verb("W2", name="archive restore")
def restore(hub: str | None, slug: str, dry_run: bool) -> Outcome:
    """Bring the archived topic SLUG back to topics/ and let links follow.

    Refused (exit 4): the hub, a topic that is not archived, or whose place in topics/ is taken.
    """
    from llm_wiki.withdraw.archive import restore_topic

    done = restore_topic(_hub(hub), slug, dry_run=dry_run)
    return _moved(done, "Restored", f"Check: llm-wiki lint --wiki {slug}", dry_run=dry_run, hub=hub)


def _moved(done: Any, said: str, after: str, *, dry_run: bool, hub: str | None) -> Outcome:
    from llm_wiki.ops.report import change_data

    verb_form = {"Archived": "archive", "Restored": "restore"}[said]
    lines = [f"Would {verb_form} topic {done.slug}" if dry_run else f"{said} topic {done.slug}"]
    lines += [f"From: {shown(done.before)}", f"To:   {shown(done.after)}"]
    lines += _links("Links that follow", done.links, lambda one: f"{one.before} -> {one.after}")
    lines += _links("Links left as they are", done.left, lambda one: f"{one.before} ({one.why})")
    lines += [f"note: {note}" for note in done.notes]
    where = f" --hub {shlex.quote(hub)}" if hub is not None else ""
    lines.append("Rerun without --dry-run to do it." if dry_run else after + where)

    def row(one: Any) -> dict[str, Any]:
        return {
            "path": one.path,
            "line": one.line or None,
            "before": one.before,
            "after": one.after or None,
            "why": one.why or None,
        }

    data = {
        "hub": str(done.hub),
        "slug": done.slug,
        "from": str(done.before),
        "to": str(done.after),
        "dry_run": dry_run,
        "transaction": done.id,
        "links": [row(one) for one in done.links],
        "left": [row(one) for one in done.left],
        "notes": list(done.notes),
        "changes": [change_data(change) for change in done.changes],
    }
    return Outcome(data, "\n".join(lines))


def _links(head: str, rows: Any, text: Callable[[Any], str]) -> list[str]:
    if not rows:
        return []
    lines = [f"{head}: {len(rows)}"]
    return lines + [f"  {one.path}{f':{one.line}' if one.line else ''}  {text(one)}" for one in rows]


@command.command()
@click.argument("query", nargs=-1, required=True)
@_hub_option
@json_option
@verb("R0", name="archive peek")
def peek(hub: str | None, query: tuple[str, ...]) -> Outcome:
    """Look for QUERY in titles, summaries and tags of archived indexes.

    No page is opened. What is found is preserved, not evidence: restore the topic to use it.
    """
    from llm_wiki.withdraw.archive_list import peek as look

    found = look(_hub(hub), " ".join(query))
    topics = list(dict.fromkeys(one.topic for one in found.hits))
    lines = [] if topics else ["No archived index matches."]
    for name in topics:
        lines.append(f"Archived topic {name}: preserved, not evidence")
        for one in found.hits:
            if one.topic == name:
                rest = " — ".join(part for part in (one.title, one.summary, one.tags) if part)
                lines.append(f"  {one.path or name}: {rest}")
        lines.append(f"  Use it again: llm-wiki archive restore {name}")
    lines += [f"{found.more} more not shown."] if found.more else []
    lines += [f"note: {slug} could not be looked at: {why}" for slug, why in found.skipped]
    data = {
        "label": "preserved, not evidence",
        "hits": [one._asdict() for one in found.hits],
        "more": found.more,
        "restore": [f"llm-wiki archive restore {name}" for name in topics],
        "skipped": [{"slug": slug, "reason": why} for slug, why in found.skipped],
    }
    return Outcome(data, "\n".join(lines))


@command.command()
@_hub_option
@json_option
@verb("W2", name="archive repair")
def repair(hub: str | None) -> Outcome:
    """Finish or undo an interrupted move; let the registry say where each topic lies.

    Exit 2 when a topic has two folders, or none: those are named and left.
    """
    from llm_wiki.withdraw.archive_repair import repair as repaired

    done = repaired(_hub(hub))
    lines = [f"llm-wiki archive repair: {done.hub}"]
    lines += [f"interrupted transaction {id_}: finished or undone" for id_ in done.recovered]
    lines += [f"{slug}: {what}" for slug, what in done.fixed]
    lines += [f"left: {slug} {what}" for slug, what in done.left]
    if len(lines) == 1:
        lines.append("Nothing to repair.")
    data = {
        "hub": str(done.hub),
        "recovered": list(done.recovered),
        "fixed": [{"slug": slug, "what": what} for slug, what in done.fixed],
        "left": [{"slug": slug, "what": what} for slug, what in done.left],
        "transaction": done.id,
    }
    return Outcome(data, "\n".join(lines), 2 if done.left else 0)
