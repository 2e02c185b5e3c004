"""`lint --fix`: one locked run from the first look to the report on what is left (`lint.md` §3)."""

from __future__ import annotations

from datetime import date

from llm_wiki.core import clock
from llm_wiki.core.errors import Incomplete, NotAWiki, WikiError
from llm_wiki.core.transaction import open_root
from llm_wiki.lint.engine import evaluate, load
from llm_wiki.lint.finding import Finding
from llm_wiki.lint.fixes.plan import Plan, plan
from llm_wiki.lint.options import Options, select
from llm_wiki.lint.report import Report
from llm_wiki.wiki.recognise import require_recognised
from llm_wiki.wiki.resolve import Root, classify
from llm_wiki.wiki.snapshot import Progress


class NotRepaired(Incomplete):
    """The repairs could not be written; `report` is that of the wiki as it is (B35)."""

    def __init__(self, cause: WikiError, report: Report) -> None:
        super().__init__(
            f"nothing was repaired: {cause.message}", path=cause.path, line=cause.line, remedy=cause.remedy
        )
        self.code = cause.code
        self.report = report._replace(error=self)


def repair(
    root: Root,
    options: Options | None = None,
    *,
    today: date | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Lint a root, repair what can be repaired, and report what is left.

    With `dry_run` the plan is reported with what is wrong now, and nothing is written. All repairs
    are one transaction, with one line in the log; a second plan is made from what was written and
    must be empty. Raises NotAWiki, BadUsage for unknown ids, LockBusy, NotRepaired when a file cannot be
    written or changed meanwhile, Incomplete when the second plan is not empty.
    """
    if classify(root.path) != ("hub" if root.kind == "hub" else "topic"):
        raise NotAWiki(f"{root.path} is not a complete wiki; nothing was changed", path=root.path)
    require_recognised(root)
    options = (options or Options()).for_status(root.status)
    select(options.only, options.skip)
    day = today or clock.today()
    if dry_run:
        found, planned = _look(root, day, options, progress)
        return _report(root, options, found, planned)._replace(dry_run=True)
    with open_root(root.path):
        found, planned = _look(root, day, options, progress)
        if planned.empty:
            return _report(root, options, found, planned)
        try:
            planned.tree.transaction(planned.summary).commit()
        except WikiError as error:
            raise NotRepaired(error, _report(root, options, found)) from error
        left, again = _look(root, day, options, progress)
    if not again.empty:
        raise Incomplete(
            "the repairs were made, but a second run would repair more: " + "; ".join(again.sentences[:3]),
            path=root.path,
            remedy="this is a bug; `llm-wiki undo` takes the repairs back",
        )
    return _report(root, options, left, planned)


def _look(root: Root, today: date, options: Options, progress: Progress | None) -> tuple[list[Finding], Plan]:
    """Read the root, judge it and plan its repairs."""
    snapshot = load(root, options, progress=progress)
    found = evaluate(snapshot, today, only=options.only, skip=options.skip, strict=options.strict)
    return found, plan(snapshot, today, only=options.only, skip=options.skip, found=found)


def _report(root: Root, options: Options, found: list[Finding], planned: Plan | None = None) -> Report:
    kind = "hub" if root.kind == "hub" else "topic"
    fixes = tuple(planned.sentences) if planned else ()
    changes = tuple(planned.changes) if planned else ()
    return Report(root.path, kind, found, options.fail_on, fixes, changes, fixed=True)
