"""`llm-wiki review`: the desk."""

from __future__ import annotations

from typing import Any

import click

from llm_wiki.cli.deciding import decided, decision_options, given_text
from llm_wiki.cli.mark import json_option, verb
from llm_wiki.cli.output import Outcome, say
from llm_wiki.cli.session.options import Place, place_options


@click.group(invoke_without_command=True)
@click.option("--hub", metavar="PATH", help="Use the hub in this folder.")
@click.option("--local", is_flag=True, help="Use .wiki/.sessions here.")
@json_option
@click.pass_context
def command(context: click.Context, hub: str | None, local: bool, as_json: bool) -> None:
    """Decide what was proposed, at one desk: bare, it asks proposal by proposal.

    A model, a hook or a scan may propose; only a person decides, at a terminal.
    """
    if context.invoked_subcommand is None:
        context.invoke(desk, hub=hub, local=local, as_json=as_json)


@command.command()
@place_options
@json_option
@verb("W2", name="review desk")
def desk(place: Place) -> Outcome:
    """Ask for each proposal that waits, with its evidence and what a yes would do.

    Without a person at a terminal it only says what waits. Nothing is preselected.
    """
    from llm_wiki.core import actor
    from llm_wiki.desk.deciding import waiting

    folder = place.folder()
    found = waiting(folder)
    if not found or actor.person() is None:
        if found and actor.agent_marker() is None and not actor.named():
            say("to decide, give your name first: llm-wiki config person.name 'YOUR NAME'")
        return _listed(found)
    from llm_wiki.cli.reviewing import loop

    return Outcome({}, loop(folder, found))


@command.command("list")
@place_options
@click.option("--source", default="", help="Only of this source: feedback, lessons.")
@click.option("--kind", default="", help="Only of this kind, e.g. correction.")
@click.option("--project", default="", metavar="ID", help="Only of this project id; `.` is the one here.")
@click.option("--since", default="", metavar="DATE", help="Only from this day on.")
@json_option
@verb("R0", name="review list")
def listing(place: Place, source: str, kind: str, project: str, since: str) -> Outcome:
    """List what waits for a decision, newest first."""
    from llm_wiki.core.errors import BadUsage
    from llm_wiki.core.project import identify
    from llm_wiki.core.text import is_date
    from llm_wiki.desk.deciding import waiting

    if since and not is_date(since):
        raise BadUsage(f"{since!r} is no date", remedy="write dates as YYYY-MM-DD")
    if project == ".":
        project = identify(".").id
    return _listed(waiting(place.folder(), source=source, kind=kind, project=project, since=since))


@command.command()
@click.argument("name", metavar="ID")
@place_options
@click.option("--topic", default="", metavar="SLUG", help="Show the plan for this topic.")
@json_option
@verb("R0", name="review show")
def show(name: str, place: Place, topic: str) -> Outcome:
    """Show one proposal whole: its words, where they come from, what resembles it, what a yes would do."""
    from llm_wiki.desk.deciding import find
    from llm_wiki.desk.proposal import Choice
    from llm_wiki.desk.shown import as_data, as_text

    source, proposal = find(place.folder(), name)
    details = source.details(proposal.id)
    plan = source.plan(proposal.id, Choice(topic=topic))
    return Outcome(as_data(proposal, plan, details), as_text(proposal, plan, details))


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@place_options
@decision_options
@json_option
@verb("W2", name="review yes")
def yes(names: tuple[str, ...], place: Place, topic: str, kept_as: str, dry_run: bool) -> Outcome:
    """Accept proposals: the plan that was shown is carried out. Only a person can."""
    return decided(place, names, "yes", topic=topic, kept_as=kept_as, dry_run=dry_run)


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@place_options
@click.option("--reason", default="", help="Why not.")
@json_option
@verb("W2", name="review no")
def no(names: tuple[str, ...], place: Place, reason: str) -> Outcome:
    """Turn proposals down; the same words are not proposed again. Only a person can."""
    return decided(place, names, "no", reason=reason)


@command.command()
@click.argument("name", metavar="ID")
@place_options
@click.option("--text", required=True, metavar="TEXT|-", help="The words in place of the proposed ones.")
@json_option
@verb("W2", name="review edit")
def edit(name: str, place: Place, text: str) -> Outcome:
    """Put other words in place of a proposal's; it still waits for a yes. Only a person can."""
    return decided(place, (name,), "edit", edited=given_text(text))


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@place_options
@json_option
@verb("R0", name="review later")
def later(names: tuple[str, ...], place: Place) -> Outcome:
    """Leave proposals where they are: they wait as before."""
    from llm_wiki.desk.deciding import find

    found = [find(place.folder(), name)[1] for name in names]
    ids = [proposal.id for proposal in found]
    return Outcome({"waiting": ids}, "\n".join(f"{name} waits" for name in ids))


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@place_options
@json_option
@verb("W2", name="review undo")
def undo(names: tuple[str, ...], place: Place) -> Outcome:
    """Take the last decision about proposals back, with what it wrote. Only a person can."""
    return decided(place, names, "undo")


@command.command()
@click.argument("text", metavar="FILE|-")
@place_options
@click.option("--kind", type=click.Choice(("lesson", "append", "instruction")), default="lesson",
              show_default=True, help="A note, an addition to an article, or a line for a host.")  # fmt: skip
@click.option("--topic", default="", metavar="SLUG", help="The topic it is for.")
@click.option("--article", default="", metavar="PATH", help="With `append`: the article, wiki/…/NAME.md.")
@json_option
@verb("R1", name="review propose")
def propose(text: str, place: Place, kind: str, topic: str, article: str) -> Outcome:
    """Put a lesson on the desk: the text of FILE or standard input. It waits; nothing else happens."""
    from llm_wiki.core.files import read_bytes
    from llm_wiki.desk.lessons import Lessons

    if text == "-":
        words = given_text("-")
    else:
        from pathlib import Path

        words = read_bytes(Path(text)).decode("utf-8", "replace")
    proposal = Lessons(place.folder()).propose(kind, words, topic=topic, article=article)
    return Outcome({"id": proposal.id}, f"{proposal.id} waits: llm-wiki review show {proposal.id}")


def _listed(found: list[Any]) -> Outcome:
    from llm_wiki.desk.shown import list_data, list_text

    if not found:
        say("nothing waits")
    return Outcome({"proposals": [list_data(each) for each in found]}, list_text(found))
