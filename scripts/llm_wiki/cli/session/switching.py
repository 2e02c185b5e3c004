"""The switch: `capture`, `session enable`, `session disable`."""

from __future__ import annotations

from typing import Any

import click

from llm_wiki.cli import output
from llm_wiki.cli.confirm import confirm
from llm_wiki.cli.mark import json_option, shown, verb
from llm_wiki.cli.output import Outcome
from llm_wiki.cli.session.options import Place, place_options

MODES = ("off", "capture-only", "balanced", "aggressive")


def switch_options(function: Any) -> Any:
    """Add the options that `capture` and `session enable` share."""
    for option in (
        click.option("--yes", is_flag=True, help="Do not ask."),
        click.option(
            "--force", is_flag=True, help="Set all else to the mode's defaults; replace a broken file."
        ),
        click.option(
            "--tool-events", type=int, metavar="N", help="Write a digest every N tool calls; 0 never."
        ),
        click.option(
            "--mode",
            type=click.Choice(MODES),
            help="capture-only tells later sessions nothing; aggressive writes digests more often.",
        ),
    ):
        function = option(function)
    return function


@click.command("capture")
@click.argument("level", required=False, type=click.Choice(("off", "notes", "words")))
@switch_options
@place_options
@json_option
@verb("R1", name="capture")
def capture(
    place: Place, level: str | None, mode: str | None, tool_events: int | None, force: bool, yes: bool
) -> Outcome:
    """Say whether sessions of coding agents are captured, or switch it: off, notes, words.

    Off until you switch it on. notes stores counted facts and digests, never prompts or answers; words
    will add the redacted text of turns. Before anything is written it is told what is stored, what is
    not, where, how to stop and how to erase. Exit 4 without a yes.
    """
    if level is None:
        return _told(place)
    return switched(place, level, mode=mode or "", tool_events=tool_events, force=force, yes=yes)


@click.command("enable")
@switch_options
@place_options
@json_option
@verb("R1", name="session enable")
def enable(place: Place, mode: str | None, tool_events: int | None, force: bool, yes: bool) -> Outcome:
    """Switch capture on: the same as `capture notes`. Exit 4 without a yes."""
    level = "off" if mode == "off" else "notes"
    return switched(place, level, mode=mode or "", tool_events=tool_events, force=force, yes=yes)


@click.command("disable")
@place_options
@json_option
@verb("R1", name="session disable")
def disable(place: Place) -> Outcome:
    """Switch capture off: the same as `capture off`. What is stored is kept."""
    return switched(place, "off")


def switched(
    place: Place,
    level: str,
    *,
    mode: str = "",
    tool_events: int | None = None,
    force: bool = False,
    yes: bool = False,
) -> Outcome:
    """Set the level, after telling what it means and asking; say what is so now."""
    from llm_wiki.hook.settings import read
    from llm_wiki.sessions import switch

    folder = place.folder()
    values = switch.plan(folder, level, mode=mode, tool_events=tool_events, force=force)
    before = read(folder.store.root)
    if values["enabled"] is False and (before.level == "off" and not folder.path.is_dir()):
        return _done(switch.Switched(before, before, changed=False), folder)
    if values["enabled"] and values != before.values:
        text = "\n".join(switch.explanation(folder, level))
        if before.level == level:
            output.say(text)
        else:
            confirm(f"Switch capture to {level!r}?", yes=yes, shown=text)
    return _done(switch.apply(folder, values), folder)


def _done(result: Any, folder: Any) -> Outcome:
    level = result.after.level
    if not result.changed:
        text = f"Capture is {level!r} already; nothing was changed."
    elif level == "off":
        text = "Capture is off. What is stored is kept; `llm-wiki session forget --all` erases it."
    else:
        text = f"Capture is {level!r}, mode {result.after.mode}: {shown(folder.path)}"
        text += "\n`llm-wiki capture off` stops it."
    if level != "off" and not result.after.digests and not result.after.tool_events:
        text += "\nNo event writes a digest: auto_capture in config.json is all off."
    data = {
        "sessions_root": folder.store.root,
        "level": level,
        "mode": result.after.mode,
        "changed": result.changed,
        "config": result.after.values,
    }
    return Outcome(data, text)


def _told(place: Place) -> Outcome:
    import os

    from llm_wiki.hook.settings import off_here, read

    folder = place.folder()
    settings = read(folder.store.root)
    here = "" if settings.why else off_here(settings, os.getcwd())  # noqa: PTH109 - may be gone
    lines = [f"Capture level: {settings.level}"]
    if settings.why:
        lines.append(f"  why: {settings.why}")
    elif here:
        lines.append(f"  but not here: {here}")
    if settings.level != "off":
        lines.append(f"  mode: {settings.mode}")
    if settings.level == "words":
        lines.append("  the event journal is not there yet: words stores no more than notes")
    lines.append(f"  where: {shown(folder.path)}" + ("" if folder.path.is_dir() else " (not there)"))
    data = {
        "sessions_root": folder.store.root,
        "level": settings.level,
        "why_off": settings.why or here,
        "mode": settings.mode,
    }
    return Outcome(data, "\n".join(lines))
