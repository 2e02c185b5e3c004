"""`llm-wiki feedback …`."""

from __future__ import annotations

from typing import Any

import click

from llm_wiki.cli import output
from llm_wiki.cli.deciding import decided, decision_options, given_text
from llm_wiki.cli.mark import json_option, shown, verb
from llm_wiki.cli.output import Outcome
from llm_wiki.cli.session.options import Place, place_options, summary_text

_TYPES = ("correction", "preference", "approval", "decision", "manual")
_SCOPES = ("session", "repo", "topic", "global")


@click.group()
@click.option("--hub", metavar="PATH", help="Use the hub in this folder.")
@click.option("--local", is_flag=True, help="Use .wiki/.sessions here.")
def command(hub: str | None, local: bool) -> None:
    """Look at what users told their agents that may matter later: proposals until a person decides."""
    del hub, local  # the verbs take them from here


@command.command("list")
@click.option("--session-id", default="", metavar="ID", help="Of one session, with or without its host.")
@click.option("--cwd", default="", metavar="PATH", help="Said in this folder only.")
@click.option("--type", "kind", type=click.Choice(_TYPES), help="Of one type only.")
@click.option(
    "--min-confidence",
    type=click.Choice(("low", "medium", "high")),
    default="medium",
    show_default=True,
    help="At least so sure.",
)
@click.option("--unpromoted", is_flag=True, help="Only those that wait: --status new.")
@click.option(
    "--status",
    type=click.Choice(("new", "promoted", "rejected", "all")),
    help="Only these; by default the new and the promoted ones.",
)
@click.option("--project", default="", metavar="KEY|PATH", help="Of one project, or that of a folder.")
@click.option("--since", default="", metavar="DATE", help="Said on or after this day.")
@click.option("--scope", type=click.Choice(_SCOPES), help="Of one reach only.")
@click.option("--limit", type=int, default=20, show_default=True, help="At most so many.")
@place_options
@json_option
@verb("R0", name="feedback list", enveloped=False)
def listing(
    place: Place,
    session_id: str,
    cwd: str,
    kind: str | None,
    min_confidence: str,
    unpromoted: bool,
    status: str | None,
    project: str,
    since: str,
    scope: str | None,
    limit: int,
) -> Outcome:
    """List candidates, newest first. Exit 1 when none fits.

    Rejected ones are hidden, and so are those that nobody decided about for 90 days; `--status all` shows
    them.
    """
    from llm_wiki.core.errors import BadUsage
    from llm_wiki.sessions.feedback import Filter, listed

    if unpromoted and status not in (None, "new"):
        raise BadUsage(f"--unpromoted and --status {status} exclude each other", remedy="give one of them")
    state = "new" if unpromoted else status or ""
    wanted = Filter(session_id, cwd, kind or "", min_confidence, state, project, since, scope or "")
    folder = place.folder()
    found = listed(folder, wanted, limit)
    narrowed = wanted != Filter()
    text = _table(found) if found else ("No candidate fits." if narrowed else "No candidate is stored.")
    data = {
        "sessions_root": folder.store.root,
        "feedback_candidates": [each.row | {"status": each.status, "seen": each.seen} for each in found],
    }
    return Outcome(data, text, int(not found and narrowed))


def _table(found: list[Any]) -> str:
    from llm_wiki.hook.digest import one_line

    head = ("ID", "Type", "Confidence", "Scope", "Promoted", "Preview")
    lines: list[tuple[str, ...]] = [head]
    for each in found:
        row = each.row
        topics = ", ".join(str(entry.get("topic") or "yes") for entry in each.promoted)
        became = topics or (each.status if each.status != "new" else "")
        cells = (each.id, row.get("feedback_type"), row["confidence"], row.get("scope_hint"), became)
        preview = one_line(str(row.get("text_preview") or ""), 80)
        lines.append((*(one_line(str(cell or ""), 40) for cell in cells), preview))
    widths = [max(len(line[column]) for line in lines) for column in range(len(head) - 1)]
    return "\n".join(
        "  ".join(f"{cell:{width}}" for cell, width in zip(line[:-1], widths, strict=True)) + f"  {line[-1]}"
        for line in lines
    )


@command.command("show")
@click.argument("wanted", metavar="ID")
@place_options
@json_option
@verb("R0", name="feedback show", enveloped=False)
def show(place: Place, wanted: str) -> Outcome:
    """Show one candidate whole: what was said, by which rule it was noticed, where it was promoted.

    ID may be its beginning, six characters at least, or the whole hash of its text. Exit 1 when there is
    none, 3 when several fit.
    """
    from llm_wiki.sessions.feedback import shown as details

    folder = place.folder()
    row = details(folder, wanted)
    return Outcome(row, "\n".join(_details(row)))


def _details(row: dict[str, Any]) -> list[str]:
    from llm_wiki.hook.digest import one_line

    def line(label: str, value: Any) -> str:
        return f"  {label}: {one_line(str(value), 400)}"

    matched = row.get("rule_id") or row.get("rationale") or "nothing"
    lines = [
        f"{row['id']}: {row.get('feedback_type')}, {row.get('confidence')}, {row['status']}",
        line("lesson", row.get("distilled_lesson") or ""),
        line("said", row.get("text_preview") or ""),
        line("matched", f"{matched}; scope {row.get('scope_hint')}; {row.get('promotion_recommendation')}"),
        line("session", f"{row.get('llm_wiki_session_id')} in {shown(str(row.get('cwd') or ''))}"),
        line("when", f"{row.get('ts')}, heard {row['seen']} times" if row["seen"] > 1 else row.get("ts")),
    ]
    context = row.get("context")
    if isinstance(context, dict) and context.get("last_tool"):
        failed = " (failed)" if context.get("last_tool_failed") else ""
        lines.append(line("after", f"{context['last_tool']}{failed}"))
    lines += [line("promoted", f"{e.get('topic')}: {e.get('path')}, {e.get('ts')}") for e in row["promoted"]]
    if row["rejected"] is not None:
        lines.append(line("rejected", f"{row['rejected'].get('ts')} {row['rejected'].get('reason') or ''}"))
    if row["similar_to"]:
        lines.append(line("similar to", ", ".join(row["similar_to"])))
    return lines


@command.command("capture")
@click.option("--text", required=True, metavar="TEXT|-", help="What was said; - reads stdin.")
@click.option("--type", "kind", type=click.Choice(_TYPES), help="What it is; by default its words decide.")
@click.option("--scope", type=click.Choice(_SCOPES), help="How far it reaches; by default its words decide.")
@click.option("--harness", default="", metavar="HOST", help="Host it was said to; by default manual.")
@click.option("--session-id", default="", metavar="ID", help="Session it was said in; by default a new id.")
@click.option("--cwd", default="", metavar="PATH", help="Folder it is about; by default here.")
@place_options
@json_option
@verb("R1", name="feedback capture")
def capture(
    place: Place, text: str, kind: str | None, scope: str | None, harness: str, session_id: str, cwd: str
) -> Outcome:
    """Record feedback by hand; prints its id. What the project has already is counted, and keeps its id.

    Works at every capture level. The text is redacted before it is written.
    """
    from llm_wiki.sessions.feedback import capture as record

    folder = place.folder()
    done = record(
        folder,
        summary_text(text),
        kind=kind or "",
        scope=scope or "",
        harness=harness,
        session_id=session_id,
        cwd=cwd,
    )
    if not done.new:
        output.say(f"llm-wiki: the project has it already; counted as said once more ({done.row['id']})")
    if done.off:
        output.say(f"llm-wiki: recorded; automatic capture is off ({done.off})")
    data = {
        "id": done.row["id"],
        "new": done.new,
        "feedback_type": done.row.get("feedback_type"),
        "sessions_root": folder.store.root,
        "why_off": done.off,
    }
    return Outcome(data, str(done.row["id"]))


@command.command("stats")
@place_options
@json_option
@verb("R0", name="feedback stats")
def stats(place: Place) -> Outcome:
    """Count candidates by the rule that noticed them, and how many of those decided were promoted."""
    from llm_wiki.sessions.feedback import counts, every

    folder = place.folder()
    found = every(folder.store)
    rules = counts(found)
    lines = (
        ["No candidate is stored."] if not rules else [_share_line("rule", "count", "promoted", "rejected")]
    )
    for rule in rules:
        shares = [_share(rule[name], rule[f"{name}_share"]) for name in ("promoted", "rejected")]
        lines.append(_share_line(rule["rule_id"], rule["count"], *shares))
    states = ("new", "promoted", "rejected", "expired")
    totals = {state: sum(each.status == state for each in found) for state in states}
    return Outcome({"sessions_root": folder.store.root, "rules": rules, "totals": totals}, "\n".join(lines))


def _share(number: int, share: float | None) -> str:
    return f"{number}" if share is None else f"{number} ({share:.0%})"


def _share_line(*cells: Any) -> str:
    return f"{str(cells[0])[:32]:32} {cells[1]!s:>6} {cells[2]!s:>12} {cells[3]!s:>12}"


@command.command("test")
@click.option(
    "--file", "path", required=True, metavar="F", help="JSON lines with text and label, perhaps lang."
)
@json_option
@verb("R0", name="feedback test")
def test(path: str) -> Outcome:
    """Measure the classifier on labelled sentences: confusion matrix, precision, recall, F1."""
    from pathlib import Path

    from llm_wiki.sessions.judging import as_text, measure, read_sentences

    figures = measure(read_sentences(Path(path)))
    return Outcome(figures, as_text(figures))


@command.command("promote")
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@place_options
@decision_options
@click.option("--force", is_flag=True, help="Accepted for older callers; a note is never written over.")
@json_option
@verb("W1", name="feedback promote")
def promote(
    names: tuple[str, ...], place: Place, topic: str, kept_as: str, dry_run: bool, force: bool
) -> Outcome:
    """Accept candidates: each becomes a note in a topic. As `review yes`; only a person can."""
    del force
    return decided(place, names, "yes", via="feedback promote", topic=topic, kept_as=kept_as, dry_run=dry_run)


@command.command("reject")
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@place_options
@click.option("--reason", default="", help="Why not.")
@click.option("--undo", is_flag=True, help="Take the rejection back.")
@json_option
@verb("R1", name="feedback reject")
def reject(names: tuple[str, ...], place: Place, reason: str, undo: bool) -> Outcome:
    """Turn candidates down; the same words are not proposed again. As `review no`; only a person can."""
    verdict = "undo" if undo else "no"
    return decided(place, names, verdict, via="feedback reject", reason=reason)


@command.command("edit")
@click.argument("name", metavar="ID")
@place_options
@click.option("--text", required=True, metavar="TEXT|-", help="The lesson in better words.")
@json_option
@verb("R1", name="feedback edit")
def edit(name: str, place: Place, text: str) -> Outcome:
    """Put other words in place of a candidate's lesson. As `review edit`; only a person can."""
    return decided(place, (name,), "edit", via="feedback edit", edited=given_text(text))
