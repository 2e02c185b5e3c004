"""`llm-wiki review`: the desk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from llm_wiki.cli.mark import json_option, verb
from llm_wiki.cli.output import Outcome, say

_KEPT_AS = ("note", "rule", "fact", "strategy", "antibody")


def hub_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name the `.sessions/` folder the proposals are of."""
    function = click.option("--local", is_flag=True, help="Use the .wiki folder here.")(function)
    return click.option("--hub", metavar="PATH", help="Use the hub in this folder.")(function)


def decision_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add what goes with a yes."""
    options = (
        click.option("--topic", default="", metavar="SLUG", help="The topic a note goes to."),
        click.option("--as", "kept_as", type=click.Choice(_KEPT_AS), default="note", show_default=True,
                     help="What it becomes; `rule` prints a line for AGENTS.md."),
        click.option("--dry-run", is_flag=True, help="Show what a yes would do, decide nothing."),
    )  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function


@click.group(invoke_without_command=True)
@hub_options
@json_option
@click.pass_context
def command(context: click.Context, hub: str | None, local: bool, as_json: bool) -> None:
    """Decide what was proposed, at one desk: bare, it asks proposal by proposal.

    A model, a hook or a scan may propose; only a person decides, at a terminal.
    """
    if context.invoked_subcommand is None:
        context.invoke(desk, hub=hub, local=local, as_json=as_json)


@command.command()
@hub_options
@json_option
@verb("W2", name="review desk")
def desk(hub: str | None, local: bool) -> Outcome:
    """Ask for each proposal that waits, with its evidence and what a yes would do.

    Without a person at a terminal it only says what waits. Nothing is preselected.
    """
    from llm_wiki.core import actor
    from llm_wiki.desk.deciding import waiting

    folder = _folder(hub, local)
    found = waiting(folder)
    if not found or actor.person() is None:
        return _listed(found)
    from llm_wiki.cli.reviewing import loop

    return Outcome({}, loop(folder, found))


@command.command("list")
@hub_options
@click.option("--source", default="", help="Only of this source: feedback, lessons.")
@click.option("--kind", default="", help="Only of this kind, e.g. correction.")
@click.option("--project", default="", metavar="ID", help="Only of this project id; `.` is the one here.")
@click.option("--since", default="", metavar="DATE", help="Only from this day on.")
@json_option
@verb("R0", name="review list")
def listing(hub: str | None, local: bool, source: str, kind: str, project: str, since: str) -> Outcome:
    """List what waits for a decision, newest first."""
    from llm_wiki.core.errors import BadUsage
    from llm_wiki.core.project import identify
    from llm_wiki.core.text import is_date
    from llm_wiki.desk.deciding import waiting

    if since and not is_date(since):
        raise BadUsage(f"{since!r} is no date", remedy="write dates as YYYY-MM-DD")
    if project == ".":
        project = identify(".").id
    return _listed(waiting(_folder(hub, local), source=source, kind=kind, project=project, since=since))


@command.command()
@click.argument("name", metavar="ID")
@hub_options
@click.option("--topic", default="", metavar="SLUG", help="Show the plan for this topic.")
@json_option
@verb("R0", name="review show")
def show(name: str, hub: str | None, local: bool, topic: str) -> Outcome:
    """Show one proposal whole: its words, where they come from, what resembles it, what a yes would do."""
    from llm_wiki.desk.deciding import find
    from llm_wiki.desk.proposal import Choice
    from llm_wiki.desk.shown import as_data, as_text

    source, proposal = find(_folder(hub, local), name)
    details = source.details(proposal.id)
    plan = source.plan(proposal.id, Choice(topic=topic))
    return Outcome(as_data(proposal, plan, details), as_text(proposal, plan, details))


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@hub_options
@decision_options
@json_option
@verb("W2", name="review yes")
def yes(
    names: tuple[str, ...], hub: str | None, local: bool, topic: str, kept_as: str, dry_run: bool
) -> Outcome:
    """Accept proposals: the plan that was shown is carried out. Only a person can."""
    return decided(names, "yes", hub, local, topic=topic, kept_as=kept_as, dry_run=dry_run)


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@hub_options
@click.option("--reason", default="", help="Why not.")
@json_option
@verb("W2", name="review no")
def no(names: tuple[str, ...], hub: str | None, local: bool, reason: str) -> Outcome:
    """Turn proposals down; the same words are not proposed again. Only a person can."""
    return decided(names, "no", hub, local, reason=reason)


@command.command()
@click.argument("name", metavar="ID")
@hub_options
@click.option("--text", required=True, metavar="TEXT|-", help="The words in place of the proposed ones.")
@json_option
@verb("W2", name="review edit")
def edit(name: str, hub: str | None, local: bool, text: str) -> Outcome:
    """Put other words in place of a proposal's; it still waits for a yes. Only a person can."""
    return decided((name,), "edit", hub, local, edited=given_text(text))


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@hub_options
@json_option
@verb("R0", name="review later")
def later(names: tuple[str, ...], hub: str | None, local: bool) -> Outcome:
    """Leave proposals where they are: they wait as before."""
    from llm_wiki.desk.deciding import find

    found = [find(_folder(hub, local), name)[1] for name in names]
    ids = [proposal.id for proposal in found]
    return Outcome({"waiting": ids}, "\n".join(f"{name} waits" for name in ids))


@command.command()
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@hub_options
@json_option
@verb("W2", name="review undo")
def undo(names: tuple[str, ...], hub: str | None, local: bool) -> Outcome:
    """Take the last decision about proposals back, with what it wrote. Only a person can."""
    return decided(names, "undo", hub, local)


@command.command()
@click.argument("text", metavar="FILE|-")
@hub_options
@click.option("--kind", type=click.Choice(("lesson", "append", "instruction")), default="lesson",
              show_default=True, help="A note, an addition to an article, or a line for a host.")  # fmt: skip
@click.option("--topic", default="", metavar="SLUG", help="The topic it is for.")
@click.option("--article", default="", metavar="PATH", help="With `append`: the article, wiki/…/NAME.md.")
@json_option
@verb("R1", name="review propose")
def propose(text: str, hub: str | None, local: bool, kind: str, topic: str, article: str) -> Outcome:
    """Put a lesson on the desk: the text of FILE or standard input. It waits; nothing else happens."""
    from llm_wiki.core.files import read_bytes
    from llm_wiki.desk.lessons import Lessons

    if text == "-":
        words = given_text("-")
    else:
        from pathlib import Path

        words = read_bytes(Path(text)).decode("utf-8", "replace")
    proposal = Lessons(_folder(hub, local)).propose(kind, words, topic=topic, article=article)
    return Outcome({"id": proposal.id}, f"{proposal.id} waits: llm-wiki review show {proposal.id}")


def decided(
    names: tuple[str, ...], verdict: str, hub: str | None, local: bool, *, via: str = "verb", **choice: Any
) -> Outcome:
    """Decide proposals and tell what became of each; every face and alias comes through here."""
    from llm_wiki.desk.deciding import decide
    from llm_wiki.desk.proposal import Choice
    from llm_wiki.desk.shown import decided_data, decided_text

    done = decide(_folder(hub, local), names, verdict, Choice(via=via, **choice))
    return Outcome({"decided": [decided_data(each) for each in done]}, "\n".join(map(decided_text, done)))


def given_text(text: str) -> str:
    """Return a text as typed, with `-` what stands on standard input."""
    if text != "-":
        return text
    from llm_wiki.ingest.source import standard_input

    return standard_input().decode("utf-8", "replace")


def _folder(hub: str | None, local: bool) -> Any:
    from llm_wiki.sessions.folder import find

    parent = click.get_current_context().parent
    outer = parent.params if parent else {}
    return find(hub if hub is not None else outer.get("hub"), local=local or bool(outer.get("local")))


def _listed(found: list[Any]) -> Outcome:
    from llm_wiki.desk.shown import list_data, list_text

    if not found:
        say("nothing waits")
    return Outcome({"proposals": [list_data(each) for each in found]}, list_text(found))
