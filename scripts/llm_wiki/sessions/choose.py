"""Which sessions a user asks for: the list, and what a new session would be told (`sessions.md` §4, §7)."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any, NamedTuple

from llm_wiki.core import clock
from llm_wiki.core.errors import BadUsage
from llm_wiki.core.project import Project, identify
from llm_wiki.core.redact import redact
from llm_wiki.core.text import as_date
from llm_wiki.hook import digest, rehydrate, rows
from llm_wiki.hook.settings import read
from llm_wiki.sessions.folder import Folder, Session, newest_first, pick, sessions


class Filter(NamedTuple):
    """What a list is narrowed to; "" means anything. `project` is a project key or a folder in it."""

    harness: str = ""
    cwd: str = ""
    topic: str = ""
    project: str = ""
    since: str = ""


def listed(folder: Folder, wanted: Filter, limit: int) -> list[Session]:
    """Return at most `limit` sessions that fit, newest first. Raises BadUsage for a limit below 1."""
    require_limit(limit)
    if wanted.since and as_date(wanted.since) is None:
        raise BadUsage(f"{wanted.since!r} is no date", remedy="write it as YYYY-MM-DD")
    places = spellings(wanted.cwd) if wanted.cwd else frozenset[str]()
    key = project_key(wanted.project) if wanted.project else ""
    found = (
        each
        for each in sessions(folder)
        if (not wanted.harness or each.state["harness"] == wanted.harness.lower())
        and (not places or each.state.get("cwd") in places)
        and (not wanted.topic or wanted.topic in topics(each.state))
        and (not key or each.state.get("project_key") == key)
        and (not wanted.since or each.seen[:10] >= wanted.since[:10])
    )
    return newest_first(found, rows.stamp(clock.now()))[:limit]


def require_limit(limit: int) -> None:
    """Raise BadUsage for a limit that shows nothing."""
    if limit < 1:
        raise BadUsage(f"--limit must be 1 or more, not {limit}", remedy="leave it out for the default")


def spellings(cwd: str) -> frozenset[str]:
    """Return how a folder may stand in states: as typed, absolute, without links, and redacted."""
    full = os.path.abspath(os.path.expanduser(cwd))
    names = {cwd, full, os.path.realpath(full)}
    return frozenset(names | {name + "/" for name in names} | {redact(name) for name in names})


def project_key(named: str) -> str:
    """Return a project's key; what is a folder here stands for the project it lies in."""
    return identify(named).id if os.path.isdir(named) else named


def topics(state: dict[str, Any]) -> list[str]:
    """Return the topics of a session."""
    given = state.get("topics")
    return [topic for topic in given if isinstance(topic, str)] if isinstance(given, list) else []


class Ask(NamedTuple):
    """What to be reminded of: one session, a topic, everything, or the project of a folder."""

    session: str = ""
    topic: str = ""
    cwd: str = ""
    everywhere: bool = False
    limit: int | None = None
    max_chars: int | None = None


class Reminder(NamedTuple):
    """The text a new session would get, "" for nothing, and the sessions in it."""

    text: str
    sessions: tuple[dict[str, Any], ...]


def remind(folder: Folder, ask: Ask) -> Reminder:
    """Return what the hook would tell a session that starts, by the same rules; writes nothing.

    Raises BadUsage for a limit below 1, and what `pick` raises for a session that is named.
    """
    settings = read(folder.store.root)
    limit = settings.limit if ask.limit is None else ask.limit
    require_limit(limit)
    chars = settings.max_chars if ask.max_chars is None else ask.max_chars
    if chars < 1:
        raise BadUsage("--max-chars must be 1 or more")
    store = folder.store
    if ask.session:
        chosen = [pick(folder, ask.session).state]
        chosen = [state for state in chosen if _has_digest(folder, state)]
    elif ask.topic or ask.everywhere:
        chosen = _of_any_project(folder, ask.topic, limit, settings.max_age_days)
    else:
        where = os.path.abspath(os.path.expanduser(ask.cwd)) if ask.cwd else os.getcwd()
        chosen = rehydrate.select(store, _wanted(identify(where), where, limit, settings.max_age_days))
    text = rehydrate.text(store, chosen, chars)
    told = [state for state in chosen if rehydrate.bullet(store, state) in text]
    return Reminder(text, tuple(told))


def _wanted(project: Project, cwd: str, limit: int, days: int) -> rehydrate.Wanted:
    return rehydrate.Wanted(project, cwd, "", True, limit, days, clock.now())


def _of_any_project(folder: Folder, topic: str, limit: int, days: int) -> list[dict[str, Any]]:
    """Return states by recency alone, of one topic or of all."""
    now = rows.stamp(clock.now())
    oldest = rows.stamp(clock.now() - timedelta(days=days))
    fits = [
        each
        for each in sessions(folder)
        if (not topic or topic in topics(each.state)) and rows.capped(each.seen, now) >= oldest
    ]
    found = []
    for each in newest_first(fits, now):
        if digest.has_content(each.state) and _has_digest(folder, each.state):
            found.append(each.state)
            if len(found) == limit:
                break
    return found


def _has_digest(folder: Folder, state: dict[str, Any]) -> bool:
    path = rehydrate.digest_path(folder.store, state)
    return bool(path) and os.path.isfile(path)
