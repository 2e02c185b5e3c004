"""`llm-wiki schema status|adopt|migrate|diff|validate`."""

from __future__ import annotations

import click

from llm_wiki.cli.mark import Target, json_option, target_options, verb
from llm_wiki.cli.output import Outcome

_STATES = click.Choice(("advisory", "strict"))


@click.group()
@target_options(path=False)
@json_option
def command(target: Target, as_json: bool) -> None:
    """Show, create or check the topic guide schema.md: how articles of a topic are planned.

    The guide belongs to you: it is created once and never rewritten. Options may stand before or
    after the verb.
    """
    del target, as_json


@command.command()
@target_options()
@json_option
@verb("R0", name="schema status", enveloped=False)
def status(target: Target) -> Outcome:
    """Say whether there is a guide, in which state, and which proposals wait."""
    from llm_wiki.model import layout
    from llm_wiki.ops.guides import topic
    from llm_wiki.wiki import guide

    root = target.resolve()
    found = guide.status(topic(root))
    path = root.path / layout.SCHEMA
    lines = [
        f"llm-wiki topic guide: {root.path}",
        f"State: {found.state}",
        f"Topic guide: {'present' if found.exists else 'missing'} ({path})",
        f"Articles: {found.articles}",
        f"Topic-guide proposals: {len(found.proposals)}",
        *(f"- {proposal}" for proposal in found.proposals),
    ]
    if not found.exists:
        from llm_wiki.ops.status import named

        lines.append(f"Next: llm-wiki schema adopt {named(root)}    writes the advisory starter")
    data = {
        "root": str(root.path),
        "status": found.status,
        "state": found.state,
        "schema": str(path),
        "schema_exists": found.exists,
        "article_count": found.articles,
        "proposal_count": len(found.proposals),
        "proposals": list(found.proposals),
    }
    return Outcome(data, "\n".join(lines))


def _adopted(target: Target, name: str, state: str, *, dry_run: bool) -> Outcome:
    from llm_wiki.model import layout
    from llm_wiki.ops.guides import adopt as adopted

    root = target.resolve(writing=True)
    done = adopted(root, state, dry_run=dry_run)
    said = {
        "created": f"Created {done.state} topic guide",
        "would-create": f"Would create default {done.state} topic guide",
        "already-present": "Topic guide is already present and was left as it is",
    }[done.action]
    path = root.path / layout.SCHEMA
    lines = [f"llm-wiki topic guide: {root.path}", f"{said}: {path}", f"State: {done.state}"]
    if done.action == "would-create":
        from llm_wiki.ops.status import named

        lines.append(
            f"Run `llm-wiki schema adopt {named(root)}` to write it."
            if name == "adopt"
            else "Rerun with --apply to write it."
        )
    data = {
        "root": str(root.path),
        "schema": str(path),
        "action": done.action,
        "changed": done.action == "created",
        "command": name,
        "state": done.state,
        "apply": not dry_run,
    }
    return Outcome(data, "\n".join(lines))


@command.command()
@target_options()
@click.option("--state", type=_STATES, default="advisory", show_default=True, help="State of a new guide.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, write nothing.")
@json_option
@verb("W1", name="schema adopt", enveloped=False)
def adopt(target: Target, state: str, dry_run: bool) -> Outcome:
    """Write the starter guide if there is none; never overwrites."""
    return _adopted(target, "adopt", state, dry_run=dry_run)


@command.command()
@target_options()
@click.option("--state", type=_STATES, default="advisory", show_default=True, help="State of a new guide.")
@click.option("--apply", "apply_", is_flag=True, help="Write it; without this only the plan is printed.")
@json_option
@verb("W1", name="schema migrate", enveloped=False)
def migrate(target: Target, state: str, apply_: bool) -> Outcome:
    """Older name of adopt, with a dry run by default."""
    return _adopted(target, "migrate", state, dry_run=not apply_)


@command.command()
@target_options()
@json_option
@verb("R0", name="schema diff")
def diff(target: Target) -> Outcome:
    """Compare the guide's headings with those of the starter. Exit 1 when it lacks one."""
    from llm_wiki.ops.guides import text_of
    from llm_wiki.wiki.guide import differences

    root = target.resolve()
    found = differences(text_of(root))
    lines = [f"lacks: {heading}" for heading in found.missing] + [
        f"adds: {heading}" for heading in found.added
    ]
    data = {"root": str(root.path), "missing": list(found.missing), "added": list(found.added)}
    return Outcome(
        data, "\n".join(lines) or "The headings are those of the starter.", int(bool(found.missing))
    )


@command.command()
@target_options()
@json_option
@verb("R0", name="schema validate")
def validate(target: Target) -> Outcome:
    """Check that tools can read the guide: its state and its table of entity types. Exit 1 if not."""
    from llm_wiki.ops.guides import text_of
    from llm_wiki.wiki.guide import problems

    root = target.resolve()
    found = problems(text_of(root))
    lines = [f"schema.md{f':{p.line}' if p.line else ''}: {p.text}" for p in found]
    data = {"root": str(root.path), "problems": [{"line": p.line or None, "text": p.text} for p in found]}
    return Outcome(data, "\n".join(lines) or "The guide can be read.", int(bool(found)))
