"""How setup of hosts is told: to people as lines, to programs as data. `setup` and `hooks` share it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llm_wiki.cli.mark import shown
from llm_wiki.cli.output import Outcome, error_text
from llm_wiki.hosts.setup.plan import Step
from llm_wiki.hosts.setup.run import Done

ONLY_HOOKS = "Setup installs hooks only so far; --no-mcp and --hooks-only change nothing yet."
_STATES = {
    "complete": "set up",
    "partial": "set up in part",
    "outdated": "set up, for another program",
    "changed": "changed by somebody since",
    "none": "not set up",
    "broken": "its file cannot be read",
}
_DONE = {
    "add": ("added", "to add"),
    "replace": ("renewed", "to renew"),
    "create": ("file made", "file to make"),
    "rewrite": ("file renewed", "file to renew"),
    "remove": ("taken out", "to take out"),
    "delete": ("file deleted", "file to delete"),
    "restore": ("put back as it was", "to put back as it was"),
}


def install(names: Sequence[str], *, dry_run: bool) -> Outcome:
    """Set hosts up and tell what was done, whom it still needs, and that nothing is captured by it."""
    from llm_wiki.hosts.setup import report, run

    program, done = run.install(names, dry_run=dry_run)
    lines = []
    for one in done:
        lines += _lines(one, dry_run=dry_run)
        if one.host.afterwards and (one.changed or (one.host.name == "codex" and not one.skipped)):
            lines.append(f"  {one.host.afterwards}")
    acted = [one for one in done if one.steps]
    if acted:
        lines.append(f"Hosts run {shown(program.path)}" + _from(program.found))
    elif not any(one.error for one in done):
        lines.append("No host was found here. Name one to set it up all the same: llm-wiki setup claude")
    level = report.level()
    lines.append(_level_line(level))
    if dry_run:
        lines.append("Dry run: nothing was written.")
    failed = [one.error.code for one in done if one.error]
    left = any(step.action == "left" for one in done for step in one.steps)
    exit_code = max(failed) if failed else 4 if left else 0
    data = {
        "dry_run": dry_run,
        "hosts": [_data(one) for one in done],
        "program": program.path,
        "level": level.level,
    }
    return Outcome(data, "\n".join(lines), exit_code)


def remove(names: Sequence[str], *, dry_run: bool) -> Outcome:
    """Take hosts' edits out and tell what was left because somebody changed it (exit 2)."""
    from llm_wiki.hosts.setup import run

    done = run.remove(names, dry_run=dry_run)
    lines = [line for one in done for line in _lines(one, dry_run=dry_run)]
    left = any(step.action == "left" for one in done for step in one.steps)
    if left:
        lines.append("What was changed since stays: it is not ours to take out.")
    lines.append("Captured sessions stay where they are, and so does the level: llm-wiki capture off")
    if dry_run:
        lines.append("Dry run: nothing was written.")
    return Outcome({"dry_run": dry_run, "hosts": [_data(one) for one in done]}, "\n".join(lines), 2 * left)


def status() -> Outcome:
    """Tell what is set up where, whether it reaches the hook, and at which level the hook is."""
    from llm_wiki.hosts.setup import report

    lines = []
    reports = report.reports()
    for one in reports:
        lines.append(f"{one.title}: {_STATES[one.state]}" + ("" if one.found else " (not found here)"))
        if one.state == "none" and one.other:
            lines.append(f"  its events come through {one.other}")
        if one.state != "none":
            lines.append(f"  {shown(one.path)}" + ("" if one.recorded else " (not in the record of setup)"))
        if one.events:
            lines.append(f"  events: {', '.join(one.events)}")
        if one.trusted is not None and one.trusted == len(one.events):
            lines.append("  Codex has been told to trust all of them")
        if one.twice:
            lines.append(f"  delivered twice, also by {one.twice}: each event counts once; keep one of them")
        lines += [f"  {note}" for note in one.notes]
    level = report.level()
    lines.append(_level_line(level))
    data = {
        "hosts": [
            {
                "host": one.host, "installed": bool(one.found), "path": str(one.path), "state": one.state,
                "events": list(one.events), "program": one.program or None, "notes": list(one.notes),
                "other_delivery": one.other or None,
                "delivered_twice": bool(one.twice), "trusted": one.trusted, "recorded": one.recorded,
            }
            for one in reports
        ],
        "level": level.level,
        "why_off": level.why or None,
    }  # fmt: skip
    return Outcome(data, "\n".join(lines))


def _lines(one: Done, *, dry_run: bool) -> list[str]:
    if one.skipped:
        return [f"{one.host.title}: {one.skipped}, skipped"]
    if one.error:
        text = error_text(one.error).removeprefix("llm-wiki: ")
        return [f"{one.host.title}: {text}"]
    lines = [f"{one.host.title}: {shown(one.path or '')}"]
    for action, words in _DONE.items():
        steps = [step for step in one.steps if step.action == action]
        if steps:
            places = ", ".join(step.pointer.strip("/").split("/")[1] for step in steps if step.pointer)
            lines.append(f"  {words[dry_run]}" + (f": {places}" if places else ""))
    lines += [f"  left as it is{_place(step)}: {step.note}" for step in one.steps if step.action == "left"]
    lines += [f"  {step.note}" for step in one.steps if step.action in ("keep", "rewrite") and step.note]
    if not one.changed and not any(step.action == "left" for step in one.steps):
        lines.append("  nothing to change")
    if one.backup:
        lines.append(f"  backup: {shown(one.backup)}")
    lines += [f"  backup kept: {shown(name)}" for name in one.kept]
    return lines


def _place(step: Step) -> str:
    return f" ({step.pointer})" if step.pointer else ""


def _from(found: str) -> str:
    where = {
        "PATH": " (found on PATH)",
        "checkout": " (of this checkout; install llm-wiki to be free of it)",
        "cache": " (in a cache that may be cleared; install llm-wiki with pipx or uv and run setup again)",
    }
    return where.get(found, "")


def _level_line(level: Any) -> str:
    if level.level == "off" and level.why.startswith("off until enabled"):
        return "Setup captures nothing: capture is off until enabled. Next: llm-wiki capture notes"
    if level.level == "off":
        return f"Capture is off ({level.why}). Switch it on with: llm-wiki capture notes"
    if level.level == "unknown":
        return f"The capture level cannot be told: {level.why}"
    return f"Capture level: {level.level}. Setup does not change it; stop with: llm-wiki capture off"


def _data(one: Done) -> dict[str, Any]:
    return {
        "host": one.host.name,
        "path": str(one.path) if one.path else None,
        "changed": one.changed,
        "steps": [step._asdict() for step in one.steps],
        "backup": str(one.backup) if one.backup else None,
        "backups_kept": list(one.kept),
        "skipped": one.skipped or None,
        "error": one.error.message if one.error else None,
    }
