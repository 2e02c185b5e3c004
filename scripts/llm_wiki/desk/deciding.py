"""Deciding: one gate for every source and every face (`review.md` §3)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Final

from llm_wiki.core import actor, clock
from llm_wiki.core.errors import Ambiguous, BadUsage, NothingFound, WikiError
from llm_wiki.desk.proposal import Choice, Decided, Proposal, Source
from llm_wiki.sessions.folder import Folder

VERDICTS: Final = ("yes", "no", "edit", "undo")
MOST: Final = 20
"""How many proposals one act decides at most."""
LEAST_PREFIX: Final = 6


def sources(folder: Folder) -> tuple[Source, ...]:
    """Return every source there is, in the order they are shown."""
    from llm_wiki.desk.feedback import Feedback
    from llm_wiki.desk.lessons import Lessons

    return (Feedback(folder), Lessons(folder))


def waiting(
    folder: Folder, *, source: str = "", kind: str = "", project: str = "", since: str = ""
) -> list[Proposal]:
    """Return the proposals that wait and fit the filters, source after source, newest first."""
    wanted = [each for each in sources(folder) if not source or each.name == source]
    if not wanted:
        known = ", ".join(each.name for each in sources(folder))
        raise BadUsage(f"no such source of proposals: {source}", remedy=f"sources: {known}")
    return [
        proposal
        for each in wanted
        for proposal in each.pending()
        if (not kind or proposal.kind == kind)
        and (not project or proposal.project == project)
        and proposal.created[:10] >= since
    ]


def find(folder: Folder, name: str) -> tuple[Source, Proposal]:
    """Return the one proposal an id means, decided or not, and its source.

    A prefix of at least 6 characters will do. Raises NothingFound, Ambiguous with the ids that fit.
    """
    if len(name) < LEAST_PREFIX:
        raise BadUsage(f"an id needs at least {LEAST_PREFIX} characters: {name!r}")
    found = [(each, proposal) for each in sources(folder) for proposal in each.find(name)]
    exact = [pair for pair in found if pair[1].id == name]
    found = exact[:1] or found
    if not found:
        raise NothingFound(f"no proposal {name}", remedy="`llm-wiki review list` shows what waits")
    if len(found) > 1:
        raise Ambiguous(f"{name} fits several proposals", tuple(pair[1].id for pair in found[:MOST]))
    return found[0]


def decide(folder: Folder, names: Sequence[str], verdict: str, choice: Choice) -> list[Decided]:
    """Decide proposals, one after the other; every one is found before the first is decided.

    Only a person may: raises Refused with the line to run for everybody else. A dry run asks nobody.
    """
    if verdict not in VERDICTS:
        raise BadUsage(f"no such verdict: {verdict}")
    if not names:
        raise BadUsage("name at least one proposal", remedy="`llm-wiki review list` shows what waits")
    if len(names) > MOST:
        raise BadUsage(f"at most {MOST} proposals at once, not {len(names)}")
    if choice.edited and len(names) > 1:
        raise BadUsage("new words are for one proposal")
    who = "" if choice.dry_run else require_person(verdict, names, choice, place_words(folder))
    found = [find(folder, name) for name in dict.fromkeys(names)]
    return [source.decide(proposal.id, verdict, who, choice) for source, proposal in found]


def place_words(folder: Folder) -> list[str]:
    """Return the options that lead another process to this folder, none where it is found without."""
    from llm_wiki.wiki.resolve import find_hub

    if folder.local:
        return ["--local"]
    try:
        usual = find_hub(None) == folder.hub
    except WikiError:
        usual = False
    return [] if usual else ["--hub", str(folder.hub)]


def require_person(verdict: str, names: Iterable[str], choice: Choice, place: Iterable[str] = ()) -> str:
    """Return the name of the person who decides; raises Refused, with the line a person can run."""
    words = ["llm-wiki", "review", verdict, *names, *place]
    for option, value in (("--topic", choice.topic), ("--text", choice.edited), ("--reason", choice.reason)):
        words += [option, value] if value else []
    words += ["--as", choice.kept_as] if choice.kept_as != "note" else []
    return actor.require(words)


def day(stamp: str) -> dt.date | None:
    """Return the day of a stamp, None for what is none."""
    try:
        return dt.date.fromisoformat(stamp[:10])
    except ValueError:
        return None


def age(stamp: str) -> str:
    """Return how long ago a stamp is, in days."""
    when = day(stamp)
    if when is None:
        return "?"
    days = (clock.today() - when).days
    return "today" if days <= 0 else f"{days} day{'' if days == 1 else 's'}"
