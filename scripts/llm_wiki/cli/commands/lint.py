"""`llm-wiki lint`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from llm_wiki.cli.mark import Target, json_option, target_options, verb
from llm_wiki.cli.output import Outcome, dump, envelope, error_text, progress, say
from llm_wiki.core.errors import BadUsage, NotAWiki, Refused, WikiError

if TYPE_CHECKING:
    from llm_wiki.lint.options import Options
    from llm_wiki.lint.report import Report
    from llm_wiki.wiki.resolve import Root

_LEVELS = ("critical", "warning", "suggestion", "info", "never")
_FORMS = ("text", "json", "sarif", "github")

_ROOT = "llm_wiki.root"
"""Where the context keeps the root of the run, for a report on an error."""


def _error_report(error: WikiError, form: str) -> str:
    """Return the report of a run that failed; its root is what was looked at, if anything was."""
    from llm_wiki.lint.render import failure

    context = click.get_current_context(silent=True)
    root = context.meta.get(_ROOT) if context else None
    if root is None and isinstance(error, NotAWiki | Refused):
        root = error.path
    return failure(form, root, error)


@click.command()
@target_options(files=True)
@click.option("--fix", is_flag=True, help="Repair what has one right repair, as one undoable step.")
@click.option("--dry-run", is_flag=True, help="With --fix: print the plan, write nothing.")
@click.option("--undo", "undo_last", is_flag=True, help="Take back the last `lint --fix` of this wiki.")
@click.option(
    "--only", multiple=True, metavar="IDS", help="Only these rules: ids or prefixes (W5), with commas."
)
@click.option("--skip", multiple=True, metavar="IDS", help="Without these rules: ids or prefixes.")
@click.option("--strict", is_flag=True, help="Give rules their full documented severity.")
@click.option(
    "--fail-on",
    type=click.Choice(_LEVELS),
    default="suggestion",
    show_default=True,
    help="Exit 1 from here on.",
)
@click.option("--archived-only", is_flag=True, help="Of a hub: every archived topic, structure only.")
@click.option(
    "--explain", multiple=True, metavar="IDS", help="Print the page of a rule; of a prefix (W5) list the ids."
)
@click.option("--format", "form", type=click.Choice(_FORMS), help="Output form; --json is --format json.")
@json_option
@verb("R0", name="lint", enveloped=False, forms=(("--fix", "W2"), ("--undo", "W2")), error_form=_error_report)
def command(
    target: Target,
    fix: bool,
    dry_run: bool,
    undo_last: bool,
    only: tuple[str, ...],
    skip: tuple[str, ...],
    strict: bool,
    fail_on: str,
    archived_only: bool,
    explain: tuple[str, ...],
    form: str | None,
) -> Outcome:
    """Check a wiki and, with --fix, repair it.

    Checks structure, front matter, placement, indexes, links, sources, tags, freshness, projects and
    the hub's registry. PATH is a wiki folder; without one the .wiki folder here or else the hub is
    checked. Exit 0: nothing above info; 1: findings; 2: no wiki, unreadable, or lock held; 4: archived.

    FILE... are Markdown files in one or several wikis, as an editor or a hook before a commit names
    them: what a check of their wikis says about just these, but for the rules that need every page,
    which the report names. Files in no wiki are skipped.
    """
    from llm_wiki.lint.options import Options
    from llm_wiki.lint.run import run

    form = _form(form)
    if explain:
        from llm_wiki.cli.explain import explained

        return explained(explain, target, form, acting=fix or undo_last or archived_only)
    _refuse_contradiction(form, fix=fix, dry_run=dry_run, undo_last=undo_last)
    if archived_only:
        _refuse_beside_archived(fix=fix, undo_last=undo_last, target=target)
    if target.files:
        _refuse_beside_files(fix=fix, undo_last=undo_last, archived_only=archived_only, target=target)
        return _outcome(_of_files(target, Options(only, skip, strict, fail_on)), form)  # type: ignore[arg-type]
    root = _root(target)
    if undo_last:
        return _undo(root)
    options = Options(only, skip, strict, fail_on)  # type: ignore[arg-type]
    with progress("reading") as advance:
        if fix:
            from llm_wiki.lint import repair

            try:
                report = repair.repair(root, options, dry_run=dry_run, progress=advance)
            except repair.NotRepaired as error:
                say(error_text(error))
                report = error.report
        elif archived_only:
            from llm_wiki.lint.archived import run_archived

            report = run_archived(root, options, progress=advance)
        else:
            report = run(root, options, progress=advance)
    return _outcome(report, form)


def _root(target: Target) -> Root:
    """Return the root of the run, kept for a report on an error.

    Without a target that is the hub, also for somebody who stands in a topic: they are told.
    """
    from llm_wiki.wiki.resolve import enclosing

    try:
        root: Root = target.resolve()
    except NotAWiki as error:
        if target.path and os.path.isfile(target.path):  # noqa: PTH113 - never raises
            error.remedy = "name the folder of a wiki, or Markdown files in one"
        raise
    click.get_current_context().meta[_ROOT] = root.path
    if not (target.path or target.wiki or target.local or target.hub):
        try:
            around = enclosing(Path.cwd() / "here")
        except OSError:
            around = None  # somebody removed the current folder
        if around is not None and not around.samefile(root.path):
            way = os.path.relpath(around)
            say(f"llm-wiki: this is about {root.path}; the wiki you are in: llm-wiki lint {way}")
    return root


def _form(asked: str | None) -> str:
    """Return the form to print; raises BadUsage when two are asked for."""
    if not click.get_current_context().params.get("as_json"):
        return asked or "text"
    if asked not in (None, "json"):
        raise BadUsage(f"--json and --format {asked} contradict each other", remedy="give one of them")
    return "json"


def _refuse_contradiction(form: str, *, fix: bool, dry_run: bool, undo_last: bool) -> None:
    """Raise BadUsage for options that ask for two things at once, or for nothing."""
    if dry_run and not fix:
        raise BadUsage("--dry-run needs --fix", remedy="plain `llm-wiki lint` changes nothing")
    if fix and undo_last:
        raise BadUsage("--fix and --undo contradict each other")
    if undo_last and form not in ("text", "json"):
        raise BadUsage(f"--undo has no form {form}", remedy="leave out --format, or ask for json")


def _refuse_beside_files(*, fix: bool, undo_last: bool, archived_only: bool, target: Target) -> None:
    """Raise BadUsage for what cannot stand beside files: it is about one wiki as a whole."""
    beside = (
        (
            "--fix",
            fix,
            "a repair may reach other files: llm-wiki lint --fix PATH, with the folder of the wiki",
        ),
        ("--undo", undo_last, "name the folder of the wiki"),
        ("--archived-only", archived_only, "name the hub"),
        ("--wiki", target.wiki is not None, "each file is checked in the wiki it lies in"),
        ("--local", target.local, "each file is checked in the wiki it lies in"),
    )
    for name, given, remedy in beside:
        if given:
            raise BadUsage(f"{name} cannot stand beside files", remedy=remedy)


def _of_files(target: Target, options: Options) -> Report:
    """Lint the files that are named; those in no wiki are told of on stderr."""
    from llm_wiki.lint.files import group, run_files

    grouped = group(target.files)
    if grouped.outside:
        say(f"llm-wiki: skipped, in no wiki: {', '.join(grouped.outside)}")
    with progress("reading") as advance:
        return run_files(
            grouped,
            options,
            hub=target.hub,
            include_archived=target.include_archived,
            progress=advance,
        )


def _refuse_beside_archived(*, fix: bool, undo_last: bool, target: Target) -> None:
    """Raise BadUsage for what cannot stand beside --archived-only, which looks at many topics of a hub."""
    if fix or undo_last:
        raise BadUsage(
            f"--archived-only only looks; it cannot stand beside {'--fix' if fix else '--undo'}",
            remedy="repair one archived topic: llm-wiki lint --fix --include-archived --wiki SLUG",
        )
    beside = (
        ("--include-archived", target.include_archived),
        ("--wiki", target.wiki),
        ("--local", target.local),
    )
    for name, given in beside:
        if given:
            raise BadUsage(
                f"--archived-only and {name} contradict each other",
                remedy="--archived-only takes all archived topics of a hub, --include-archived one",
            )


def _outcome(report: Report, form: str) -> Outcome:
    """Render a report; in a job of GitHub Actions its summary goes where the job wants it."""
    from llm_wiki.lint.render import RENDERERS

    written = RENDERERS[form](report)
    summary = os.environ.get("GITHUB_STEP_SUMMARY") if form == "github" else None
    if summary:
        from llm_wiki.lint.render_github import append_summary

        try:
            append_summary(Path(summary), report)
        except WikiError as error:
            say(error_text(error))
    return Outcome({}, written, report.exit_code, raw_json=written)


def _undo(root: object) -> Outcome:
    from llm_wiki.cli.commands.undo import taken_back

    outcome = taken_back(root, None, verb_name="lint")
    return outcome._replace(raw_json=dump(envelope(outcome.data, outcome.exit)))
