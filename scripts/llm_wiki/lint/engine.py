"""Runs rules: on one page while it is parsed, on a whole snapshot afterwards.

A rule is a generator without side effects. One that raises becomes one finding of that rule and
the run goes on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from llm_wiki import __version__
from llm_wiki.core import clock
from llm_wiki.lint.finding import SEVERITIES, Finding, Hit, Rule
from llm_wiki.lint.honest import honest
from llm_wiki.lint.options import Options, select, words
from llm_wiki.lint.report import Report
from llm_wiki.lint.rules.copies import without_copies
from llm_wiki.lint.rules.graph import link_facts
from llm_wiki.lint.rules.table import BY_ID, RULES, SECOND_LOOK
from llm_wiki.lint.rules.when import rules_for
from llm_wiki.lint.view import View
from llm_wiki.model.kinds import kind_of
from llm_wiki.model.page import Page
from llm_wiki.wiki.listing import Listing
from llm_wiki.wiki.resolve import Root
from llm_wiki.wiki.snapshot import Progress, Snapshot

Note = tuple[str, int, int, str, str, str | None, bool | None]
"""A cached hit of a file rule: rule, line, column, message, target, severity, fixable."""

EVERYWHERE = frozenset(
    {"W108", "W110", "W113", "W116", "W117", "W118", "W304", "W306", "W310", "W401", "W408"}
)
"""Rules of topics which hold for a hub as well: how its files read, what lies at its root, its index."""

WHOLE = frozenset(rule.id for rule in RULES if rule.whole)
"""Rules that a run over a few files leaves out."""

_FAILED = "!"
_RANK = {severity: rank for rank, severity in enumerate(SEVERITIES)}


def _rules_key() -> str:
    """Return a key that changes whenever the code behind file rules does."""
    package = Path(__file__).parent.parent
    files = sorted([*package.glob("lint/rules/*.py"), *package.glob("model/*.py"), package / "core/text.py"])
    seen = hashlib.sha256(__version__.encode())
    for path in files:
        status = path.stat()
        seen.update(f"{path.name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return seen.hexdigest()[:16]


RULES_KEY = _rules_key()
"""Key under which `check_file`'s notes may be cached with a page."""


def check_file(page: Page) -> Iterator[tuple[Any, ...]]:
    """Run the file rules on a page; the plain tuples go to `page.notes`.

    What tree rules want to know about its links follows as a tuple of another form.
    """
    kind = kind_of(page.rel) or "other"
    row = page.row
    offered = rules_for(kind, front_ok=page.front == "ok", faulty=bool(row[12]), noted=bool(row[11]))
    for rule_id, check in offered:
        try:
            for hit in check(page):
                yield rule_id, hit.line, hit.column, hit.message, hit.target, hit.severity, hit.fixable
        except Exception as error:  # noqa: BLE001 -- a broken rule must not end the run
            yield _FAILED + rule_id, 0, 0, _failure(error), "", None, False
    yield from link_facts(page)


def evaluate(
    snapshot: Snapshot,
    today: date,
    *,
    only: Iterable[str] = (),
    skip: Iterable[str] = (),
    strict: bool = False,
) -> list[Finding]:
    """Return the findings of a snapshot at a date: by severity, path, line, id, message.

    `only` and `skip` are rule ids or prefixes (BadUsage for unknown ones), `strict` gives rules
    their documented severity. The pages must carry the notes of `check_file`.
    """
    chosen = select(only, skip)
    if snapshot.kind == "hub":
        chosen -= {rule.id for rule in RULES if rule.scope != "hub" and rule.id not in EVERYWHERE}
    return _evaluate(View(snapshot, today, chosen=chosen), chosen, words(only), strict=strict)


def evaluate_files(snapshot: Snapshot, today: date, asked: frozenset[str], options: Options) -> list[Finding]:
    """Return what `evaluate` finds about these files, but what `whole` rules do.

    The snapshot is of a topic and may be a `wiki.glance.Glance`. Raises Unbounded where that does
    not do; BadUsage for unknown rule ids.
    """
    chosen = select(options.only, options.skip) - WHOLE
    view = View(snapshot, today, asked, chosen)
    return about(_evaluate(view, chosen, words(options.only), strict=options.strict), asked)


def about(findings: Iterable[Finding], asked: frozenset[str]) -> list[Finding]:
    """Return the findings about these files, without those of `whole` rules; a broken rule stays named."""
    return [
        one
        for one in findings
        if one.rule not in WHOLE and (one.path in asked or one.message.startswith(_RULE_FAILED))
    ]


def _evaluate(view: View, chosen: frozenset[str], named: Sequence[str], *, strict: bool) -> list[Finding]:
    """Run the chosen rules; `named` are the words after `--only`."""
    hub = view.snapshot.kind == "hub"
    findings = _from_notes(view, chosen, strict=strict)
    for rule in RULES:
        if rule.id in chosen and rule.scope != "file" and (hub or rule.scope != "hub"):
            findings.extend(_from_rule(rule, view, strict=strict))
    findings = _without_copies(view, findings)
    findings = [_again(view, finding) if finding.rule in SECOND_LOOK else finding for finding in findings]
    findings = [_honest(view, finding, named) for finding in findings]
    findings.sort(key=order)
    return findings


def run(
    root: Root,
    options: Options | None = None,
    *,
    today: date | None = None,
    progress: Progress | None = None,
) -> Report:
    """Lint a root without changing it; without `today` the date is the clock's.

    Raises BadUsage for unknown rule ids, Unreadable when the root itself cannot be listed.
    """
    options = (options or Options()).for_status(root.status)
    select(options.only, options.skip)
    return judge(load(root, options, progress=progress), root, options, today or clock.today())


def judge(snapshot: Snapshot, root: Root, options: Options, today: date) -> Report:
    """Return the report on a snapshot; the options are already those for the root's status."""
    found = evaluate(snapshot, today, only=options.only, skip=options.skip, strict=options.strict)
    kind = "hub" if root.kind == "hub" else "topic"
    return Report(root.path, kind, found, options.fail_on)


def load(
    root: Root,
    options: Options,
    *,
    progress: Progress | None = None,
    listing: Listing | None = None,
) -> Snapshot:
    """Take the snapshot a lint run works on, each page with its notes."""
    return Snapshot.load(
        root.path,
        root.kind,
        per_file=check_file,
        per_file_key=RULES_KEY,
        use_cache=options.use_cache,
        jobs=options.jobs,
        progress=progress,
        listing=listing,
    )


def _from_notes(view: View, chosen: frozenset[str], *, strict: bool) -> list[Finding]:
    """Turn the cached notes of all pages into findings; a broken rule is named once."""
    found: list[Finding] = []
    failed: dict[str, Finding] = {}
    for rel, page in view.pages.items():
        for note in page.notes:
            rule_id = note[0].removeprefix(_FAILED)
            if rule_id not in chosen:
                continue
            hit = Hit(rel, note[3], note[1], note[2], note[4], note[5], note[6])
            finding = _finding(BY_ID[rule_id], hit, strict=strict)
            if note[0] != rule_id:
                failed.setdefault(rule_id, finding)
            else:
                found.append(finding)
    return found + list(failed.values())


def _from_rule(rule: Rule, view: View, *, strict: bool) -> list[Finding]:
    found: list[Finding] = []
    try:
        found.extend(_finding(rule, hit, strict=strict) for hit in rule.check(view))
    except Exception as error:  # noqa: BLE001 -- a broken rule must not end the run
        found = [_finding(rule, Hit(None, _failure(error), fixable=False), strict=strict)]
    return found


def _again(view: View, finding: Finding) -> Finding:
    """Let the whole snapshot correct what a file rule said; if that fails, what it said stands."""
    if finding.message.startswith(_RULE_FAILED):
        return finding
    try:
        return SECOND_LOOK[finding.rule](view, finding)
    except Exception as error:  # noqa: BLE001 -- a broken rule must not end the run
        return finding._replace(message=f"{finding.message} ({_failure(error)})", fixable=False)


def _honest(view: View, finding: Finding, named: Sequence[str]) -> Finding:
    """Let `fixable` say what a fix can do; where that fails, none is promised and the finding stands."""
    try:
        return honest(view, finding, named)
    except Exception as error:  # noqa: BLE001 -- a broken question must not end the run
        return finding._replace(message=f"{finding.message} ({_failure(error)})", fixable=False)


def _without_copies(view: View, findings: list[Finding]) -> list[Finding]:
    """Leave out what would judge a sync-conflict copy as a document (W310); if that fails, say it all."""
    try:
        return without_copies(view, findings)
    except Exception:  # noqa: BLE001 -- W310 tells of it
        return findings


def _finding(rule: Rule, hit: Hit, *, strict: bool) -> Finding:
    severity = hit.severity or (rule.strict if strict and rule.strict else rule.severity)
    fixable = rule.fix if hit.fixable is None else hit.fixable
    return Finding(severity, hit.path, hit.line, hit.column, rule.id, hit.message, hit.target, fixable)


_RULE_FAILED = "rule failed: "


def _failure(error: Exception) -> str:
    return f"{_RULE_FAILED}{type(error).__name__}: {error}"


def order(finding: Finding) -> tuple[Any, ...]:
    """Return the key by which the findings of a report are sorted."""
    severity, path, line, column, rule, message, target, _ = finding
    return _RANK[severity], path or "", line, rule, message, column, target
