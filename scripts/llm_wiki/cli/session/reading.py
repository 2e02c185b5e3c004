"""What is stored: `session status`, `list`, `show`, `rehydrate`. None of them writes, not even an index."""

from __future__ import annotations

from typing import Any

import click

from llm_wiki.cli import output
from llm_wiki.cli.mark import json_option, shown, verb
from llm_wiki.cli.output import Outcome
from llm_wiki.cli.session.options import Place, place_options


@click.command("status")
@place_options
@json_option
@verb("R0", name="session status", enveloped=False)
def status(place: Place) -> Outcome:
    """Say whether sessions are captured, why not, where, how much is stored, and which hosts send events."""
    from llm_wiki.ops.folders import human
    from llm_wiki.sessions.overview import as_data, notes, overview

    folder = place.folder()
    seen = overview(folder)
    settings = seen.settings
    lines = [f"Capture: {settings.level}" + (f" ({settings.mode})" if settings.level != "off" else "")]
    if settings.why or seen.here:
        lines.append(f"  {'off because' if settings.why else 'not here'}: {settings.why or seen.here}")
    lines.append(f"  {shown(folder.path)}" + ("" if folder.path.is_dir() else " (not there)"))
    lines.append(
        f"  {seen.sessions} sessions, {seen.digests} digests, {seen.candidates} feedback candidates, "
        f"{human(seen.bytes)}"
    )
    if settings.level != "off":
        lines.append(f"  {_details(settings)}")
    hosts = _hosts()
    lines += [f"  {host['host']}: {host['state']}" for host in hosts] or ["  no host is set up"]
    lines += [f"  note: {text}" for text in notes(seen)]
    if seen.errors:
        lines += ["Last errors of the hook:", *(f"  {line}" for line in seen.errors)]
    return Outcome(as_data(seen) | {"hooks": hosts}, "\n".join(lines))


def _details(settings: Any) -> str:
    digests = f"a digest every {settings.tool_events} tool calls" if settings.tool_events else "digests"
    told = ", ".join(sorted(name.replace("_", " ") for name in settings.rehydrate)) or "never"
    return (
        f"{digests}; told at: {told}; privacy {settings.privacy}; prune keeps {settings.retention_days} days"
    )


def _hosts() -> list[dict[str, Any]]:
    """Return the hosts that send events, or did: what setup says of them."""
    from llm_wiki.core.errors import WikiError
    from llm_wiki.hosts.setup.report import reports

    try:
        found = reports()
    except WikiError as error:
        output.say(f"llm-wiki: {error.message}")
        return []
    return [
        {"host": one.host, "state": one.state, "events": list(one.events), "path": str(one.path)}
        for one in found
        if one.state != "none"
    ]


@click.command("list")
@click.option("--harness", default="", metavar="HOST", help="Of one host only.")
@click.option("--cwd", default="", metavar="PATH", help="Started in this folder only.")
@click.option("--topic", default="", metavar="SLUG", help="Of one topic only.")
@click.option("--project", default="", metavar="KEY|PATH", help="Of one project, or that of a folder.")
@click.option("--since", default="", metavar="DATE", help="With an event on or after this day.")
@click.option("--limit", type=int, default=20, show_default=True, help="At most so many.")
@place_options
@json_option
@verb("R0", name="session list", enveloped=False)
def listing(
    place: Place, harness: str, cwd: str, topic: str, project: str, since: str, limit: int
) -> Outcome:
    """List sessions, newest first. Exit 1 when none fits."""
    from llm_wiki.hook import digest
    from llm_wiki.sessions.choose import Filter, listed

    folder = place.folder()
    wanted = Filter(harness, cwd, topic, project, since)
    found = listed(folder, wanted, limit)
    lines = []
    for each in found:
        state = each.state
        marks = "" if state.get("last_digest_path") else ", no digest"
        marks += ", promoted" if state.get("promoted_to") else ""
        lines.append(
            f"{digest.one_line(each.id, 140)}  {digest.one_line(each.seen, 30)}  "
            f"{_number(state, 'event_count')} events, {_number(state, 'tool_event_count')} tool calls{marks}"
        )
        lines.append(f"    {digest.one_line(shown(str(state.get('cwd') or '')), 100)}")
        lines.append(f'    "{digest.summary(state, "automatic")}"')
    if not found:
        lines.append("No session fits." if any(wanted) else "No session is stored.")
    data = {"sessions_root": folder.store.root, "sessions": [each.state for each in found]}
    return Outcome(data, "\n".join(lines), int(not found and any(wanted)))


def _number(state: dict[str, Any], key: str) -> int:
    value = state.get(key)
    return value if isinstance(value, int) else 0


@click.command("show")
@click.argument("wanted", metavar="ID")
@click.option("--path-only", is_flag=True, help="Print where the digest lies, not what it says.")
@place_options
@json_option
@verb("R0", name="session show")
def show(place: Place, wanted: str, path_only: bool) -> Outcome:
    """Print the digest of a session. ID may be any part of its beginning that fits one session only.

    Exit 1 when there is no such session or no digest, 3 when several fit.
    """
    from pathlib import Path

    from llm_wiki.core.errors import NothingFound
    from llm_wiki.core.files import read_bytes
    from llm_wiki.hook.rehydrate import digest_path
    from llm_wiki.sessions.folder import pick

    folder = place.folder()
    session = pick(folder, wanted)
    path = digest_path(folder.store, session.state)
    if not path or not Path(path).is_file():
        name = str(session.state.get("last_digest_path") or "")
        raise NothingFound(
            f"{session.id} has no digest" + (f": {name} is gone" if name else " yet"),
            path=path or None,
            remedy=f"llm-wiki session capture{place.words()} --session-id {session.id} writes one",
        )
    text = "" if path_only else read_bytes(Path(path)).decode("utf-8", "replace")
    data = {
        "id": session.id,
        "sessions_root": folder.store.root,
        "digest_path": f".sessions/{Path(path).relative_to(folder.path).as_posix()}",
        "text": text,
    }
    return Outcome(data, path if path_only else text)


@click.command("rehydrate")
@click.option("--session-id", default="", metavar="ID", help="Of this session.")
@click.option("--cwd", default="", metavar="PATH", help="Of the project of this folder; by default here.")
@click.option("--topic", default="", metavar="SLUG", help="Of one topic, whatever the project.")
@click.option("--all-scopes", is_flag=True, help="Of every project.")
@click.option("--limit", type=int, help="At most so many sessions (default 3, or what is configured).")
@click.option("--max-chars", type=int, help="At most so many characters (default 1200, or configured).")
@place_options
@json_option
@verb("R0", name="session rehydrate")
def rehydrate(
    place: Place,
    session_id: str,
    cwd: str,
    topic: str,
    all_scopes: bool,
    limit: int | None,
    max_chars: int | None,
) -> Outcome:
    """Print what a new session here would be told of earlier ones; nothing (exit 1) when there is nothing.

    By the rules of the hook: sessions of this project that have a digest and did something, not too old,
    those of this folder first.
    """
    from llm_wiki.hook import digest
    from llm_wiki.sessions.choose import Ask, remind

    folder = place.folder()
    found = remind(folder, Ask(session_id, topic, cwd, all_scopes, limit, max_chars))
    rows = [
        {
            "id": state["llm_wiki_session_id"],
            "last_seen_at": state.get("last_seen_at"),
            "summary": digest.summary(state, "automatic"),
            "digest_path": _below(state.get("last_digest_path")),
        }
        for state in found.sessions
    ]
    if not found.text:
        output.say("llm-wiki: no earlier session to tell of here; --all-scopes looks at every project")
    return Outcome({"sessions": rows, "text": found.text}, found.text, int(not found.text))


def _below(path: Any) -> str:
    """Return a stored path as it stands below the hub."""
    return f".sessions/{str(path).replace(chr(92), '/').rpartition('.sessions/')[2]}"
