"""What takes out of the folder: `session forget`, `prune`, `redact`. Nothing is kept to undo it."""

from __future__ import annotations

from typing import Any

import click

from llm_wiki.cli.confirm import confirm
from llm_wiki.cli.mark import json_option, verb
from llm_wiki.cli.output import Outcome, progress
from llm_wiki.cli.session.options import Place, place_options


@click.command("forget")
@click.argument("wanted", required=False, metavar="[ID]")
@click.option("--cwd", default="", metavar="PATH", help="Every session of this folder and those below it.")
@click.option("--all", "everything", is_flag=True, help="Every session.")
@click.option("--dry-run", is_flag=True, help="Say what would go, erase nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@place_options
@json_option
@verb("W2", name="session forget", forms=(("--dry-run", "R0"),))
def forget(place: Place, wanted: str | None, cwd: str, everything: bool, dry_run: bool, yes: bool) -> Outcome:
    """Erase everything stored of a session, of a folder's sessions, or of all, and prove it by a second look.

    States, digests, rows, pointers, feedback candidates, index records, lines of the error log. Nothing is
    kept to undo it, and kept old bytes that name it go too. Notes that were promoted stay in their topics
    and are named. ID is a whole one. Exit 1 when nothing matched, 2 when something is left, 3 for a part of
    an id, 4 without a yes.
    """
    from llm_wiki.core.errors import BadUsage, NothingFound
    from llm_wiki.sessions import erase
    from llm_wiki.sessions.traces import Who

    folder = place.folder()
    if sum((wanted is not None, bool(cwd), everything)) != 1:
        raise BadUsage("forget needs an ID, --cwd PATH or --all, one of them")
    if wanted is not None:
        who = Who(frozenset({_named(folder, wanted)}))
    else:
        who = erase.everyone() if everything else erase.of_folder(folder, cwd)
    if not who.everyone and not who.ids:
        raise NothingFound(f"no session of {cwd} is stored")
    return _erased(folder, who, dry_run=dry_run, yes=yes)


def _named(folder: Any, wanted: str) -> str:
    """Return the id that is meant, which must be whole: a beginning may fit another session tomorrow."""
    from llm_wiki.core.errors import Ambiguous, NothingFound
    from llm_wiki.sessions import traces
    from llm_wiki.sessions.folder import pick, stem

    try:
        found = pick(folder, wanted)
    except NothingFound:
        if any(traces.counts(folder, traces.Who(frozenset({wanted}))).values()):
            return wanted  # it left rows only
        raise
    if wanted in (found.id, found.state["native_session_id"], stem(found)):
        return found.id
    raise Ambiguous(f"{wanted!r} is no whole id", (found.id,), remedy="give the whole id")


@click.command("prune")
@click.option("--older-than", default="", metavar="90d", help="Days since the last event; by default 90.")
@click.option("--dry-run", is_flag=True, help="Say what would go, erase nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@place_options
@json_option
@verb("W2", name="session prune", forms=(("--dry-run", "R0"),))
def prune(place: Place, older_than: str, dry_run: bool, yes: bool) -> Outcome:
    """Erase the sessions whose last event is long ago, as `forget` does. Exit 1 when there is none.

    Without --older-than, `retention_days` of the configuration counts: 90 unless you set it. It asks at a
    terminal; elsewhere the number of days is the yes.
    """
    from llm_wiki.cli.confirm import can_ask
    from llm_wiki.core.errors import NothingFound
    from llm_wiki.hook.settings import read
    from llm_wiki.sessions import erase

    folder = place.folder()
    days = erase.days_of(older_than) if older_than else read(folder.store.root).retention_days
    who = erase.older_than(folder, days)
    if not who.ids:
        if not dry_run and folder.path.is_dir():
            erase.sweep_locks(folder)
        raise NothingFound(f"no session is older than {days} days")
    return _erased(folder, who, dry_run=dry_run, yes=yes or not can_ask())


def _erased(folder: Any, who: Any, *, dry_run: bool, yes: bool) -> Outcome:
    from llm_wiki.core.errors import NothingFound
    from llm_wiki.sessions import erase, traces

    before = traces.counts(folder, who)
    if not any(before.values()):
        raise NothingFound("nothing is stored")
    many = _sessions(before["states"])
    text = f"{many}: {_counted(before)}"
    if dry_run:
        data = {"dry_run": True, "found": before, "sessions_root": folder.store.root}
        return Outcome(data, f"Would erase {text}")
    confirm(f"Erase {many} for good?", yes=yes, shown=text)
    with progress("erasing") as advance:
        done = erase.forget(folder, who, advance)
    lines = [f"Erased {_sessions(len(done.sessions))}: {_counted(done.removed)}."]
    if done.proved:
        lines.append("A second look found nothing of them.")
    else:
        lines.append(f"LEFT: {_counted(done.left)}. Run it again.")
    if done.promoted:
        lines.append("Promoted notes are knowledge of their topics and stay:")
        lines += [f"  {path}" for path in done.promoted]
    if who.everyone and (lessons := traces.lessons(folder.store)):
        many = f"{lessons} proposed lesson{'s' if lessons != 1 else ''}"
        lines.append(f"No session's, so not erased: {many}; llm-wiki review shows what waits.")
    lines.append("There is no event journal yet, so none was searched.")
    data = erase.as_data(done) | {"dry_run": False, "sessions_root": folder.store.root}
    return Outcome(data, "\n".join(lines), 0 if done.proved else 2)


def _sessions(number: int) -> str:
    return f"{number} session{'s' if number != 1 else ''}"


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in counts.items() if n) or "nothing"


@click.command("redact")
@click.option("--apply", is_flag=True, help="Write; without it only what would change is said.")
@place_options
@json_option
@verb("W2", name="session redact")
def redact(place: Place, apply: bool) -> Outcome:
    """Hold everything that is stored against today's rules for secrets; a dry run without --apply.

    For folders an older tool wrote, or rules that have grown since. Exit 1 when nothing was found.
    """
    from llm_wiki.sessions.folder import require
    from llm_wiki.sessions.rewrite import run

    folder = place.folder()
    require(folder)
    done = run(folder, apply=apply)
    lines = [f"{number} in {name}" for name, number in sorted(done.files.items())]
    total = sum(done.files.values())
    if not total:
        lines = ["No secret is stored."]
    elif apply:
        lines.append(f"Redacted {total} rows and files; {done.renamed} sessions have another id now.")
    else:
        lines.append(f"{total} rows and files would change. Dry run: --apply writes.")
    data = {
        "sessions_root": folder.store.root,
        "applied": done.applied,
        "files": done.files,
        "renamed": done.renamed,
        "undo_records": done.undo_records,
    }
    return Outcome(data, "\n".join(lines), int(not total))
