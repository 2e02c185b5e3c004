"""What adds to the folder or to a topic: `session capture`, `promote`, `reindex`, `hook`."""

from __future__ import annotations

import click

from llm_wiki.cli import output
from llm_wiki.cli.confirm import confirm
from llm_wiki.cli.mark import json_option, verb
from llm_wiki.cli.output import Outcome
from llm_wiki.cli.session.options import Place, place_options, summary_text


@click.command("capture")
@click.option("--harness", default="", metavar="HOST", help="Host of the session; by default manual.")
@click.option("--session-id", default="", metavar="ID", help="Add to this session; by default a new one.")
@click.option("--cwd", default="", metavar="PATH", help="Folder it is about; by default here.")
@click.option("--transcript-path", default="", metavar="PATH", help="Path of the host's transcript.")
@click.option("--model", default="", metavar="NAME", help="Model that was used.")
@click.option("--topic", "topics", multiple=True, metavar="SLUG", help="Topic it belongs to.")
@click.option("--summary", default="", metavar="TEXT", help="What was done, 2,000 characters; - reads stdin.")
@place_options
@json_option
@verb("R1", name="session capture")
def capture(
    place: Place,
    harness: str,
    session_id: str,
    cwd: str,
    transcript_path: str,
    model: str,
    topics: tuple[str, ...],
    summary: str,
) -> Outcome:
    """Record one row by hand and write the session's digest; prints where it lies.

    Works at every capture level. Every text is redacted before it is written.
    """
    from llm_wiki.sessions.manual import capture as record

    folder = place.folder()
    done = record(
        folder,
        harness=harness,
        session_id=session_id,
        cwd=cwd,
        transcript_path=transcript_path,
        model=model,
        topics=topics,
        summary=summary_text(summary),
    )
    if done.off:
        output.say(f"llm-wiki: recorded; automatic capture is off ({done.off})")
    data = {"id": done.session_id, "sessions_root": folder.store.root, "digest_path": done.digest_path}
    return Outcome(data | {"why_off": done.off}, str(folder.hub / done.digest_path))


@click.command("promote")
@click.argument("wanted", metavar="ID")
@click.option("--topic", required=True, metavar="SLUG", help="Topic that takes the note.")
@click.option("--force", is_flag=True, help="Promote again: a further note, which names the first.")
@click.option("--dry-run", is_flag=True, help="Show the note, write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@place_options
@json_option
@verb("W1", name="session promote", forms=(("--dry-run", "R0"),))
def promote(place: Place, wanted: str, topic: str, force: bool, dry_run: bool, yes: bool) -> Outcome:
    """Make the digest of a session a raw note of a topic, after showing it and asking.

    The note is redacted once more, strictly, and names no path of this machine. Exit 1 without such a
    session or digest, 2 for a slug that is none or unknown, 3 when the id fits several, 4 for an archived
    topic, a note that is there already, or without a yes.
    """
    from llm_wiki.ops.report import change_data, change_line
    from llm_wiki.sessions import promote as promoting

    folder = place.folder()
    note = promoting.note_of(folder, wanted, topic, place.hub, force=force)
    if not dry_run:
        confirm(f"Promote this to {topic}?", yes=yes, shown=promoting.shown(note))
    done = promoting.promote(folder, note, dry_run=dry_run)
    if done.duplicate:
        text = f"Already there: {done.path}"
    else:
        text = f"{'Would promote' if dry_run else 'Promoted'} {note.session.id} to {done.path} of {topic}"
    if dry_run:
        lines = [promoting.shown(note), "", *map(change_line, done.taken.changes), text]
        text = "\n".join(lines)
    else:
        text += f"\n`llm-wiki undo --wiki {topic}` takes it back."
    data = {
        "id": note.session.id,
        "topic": topic,
        "path": done.path,
        "duplicate": done.duplicate,
        "dry_run": dry_run,
        "changes": [change_data(change) for change in done.taken.changes],
        "transaction": done.taken.transaction,
    }
    return Outcome(data, text)


@click.command("reindex")
@place_options
@json_option
@verb("R1", name="session reindex")
def reindex(place: Place) -> Outcome:
    """Make lost states again from their rows, and bring indexes and pointers in line with the states.

    A second run changes nothing. Exit 1 when a state can neither be read nor made again.
    """
    from llm_wiki.sessions.folder import require
    from llm_wiki.sessions.rebuild import reindex as rebuild

    folder = place.folder()
    require(folder)
    done = rebuild(folder)
    lines = [f"States: {done.states} made again, {done.caught_up} brought up to their rows."]
    lines.append(
        f"Written: {done.projects} projects, {len(done.indexes)} indexes. Leftovers: {done.leftovers}."
    )
    lines += [f"cannot be read, and no row of it is left: {name}" for name in done.lost]
    data = {
        "sessions_root": folder.store.root,
        "states": done.states,
        "caught_up": done.caught_up,
        "projects": done.projects,
        "indexes": list(done.indexes),
        "leftovers": done.leftovers,
        "lost": list(done.lost),
    }
    return Outcome(data, "\n".join(lines), int(bool(done.lost)))


@click.command(
    "hook",
    context_settings={
        "ignore_unknown_options": True,
        "allow_extra_args": True,
        "allow_interspersed_args": False,
        "help_option_names": [],
    },
)
@click.argument("flags", nargs=-1, type=click.UNPROCESSED, metavar="[--harness HOST] [--emit text] ...")
@json_option
@verb("R1", name="session hook")
def hook(flags: tuple[str, ...]) -> Outcome:
    """Take one event of a host from stdin, as llm-wiki-hook does; the exit code is 0 whatever happens.

    Flags: --harness, --event-name, --session-id, --cwd, --topic, --summary, --trigger, --emit text, --hub,
    --local, --max-event-bytes, --debug. Any other is passed over, --json and --help too.
    """
    from llm_wiki.hook.main import main

    main(list(flags))
    return Outcome({}, "")  # pragma: no cover - the hook leaves by itself
