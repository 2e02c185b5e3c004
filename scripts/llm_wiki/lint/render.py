"""A report as text for people and as JSON for programs, and the table of all formats (`lint.md` §1).

Both are functions of the report alone: equal reports give equal bytes. The JSON object keeps
upstream's keys and adds ours; a run that ends in an error prints the same object.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from llm_wiki.core.errors import NotAWiki, WikiError
from llm_wiki.lint.finding import SEVERITIES, Finding
from llm_wiki.lint.report import Report

SCHEMA_VERSION = 1
"""Version of the JSON object; it grows when a key changes its meaning."""

MANY = 20
"""From how many findings on a report for people ends with their numbers by rule."""

_HUB_ALONE = "Checked: the hub itself; each topic is checked by llm-wiki lint --wiki SLUG."

_SURROGATE = re.compile("[\ud800-\udfff]")
_LABEL = {severity: severity.capitalize() for severity in SEVERITIES}


def text(report: Report) -> str:
    """Return the report for people, with a final line end. A path in it is relative to the root."""
    lines = [f"llm-wiki lint: {printable(str(report.root))}", *fix_lines(report)]
    if report.findings:
        lines.append("Findings:")
        lines += [_line(finding) for finding in report.findings]
        lines += _hints(report)
    else:
        lines.append("Findings: none")
    return "\n".join([*lines, *summary(report)]) + "\n"


def _hints(report: Report) -> list[str]:
    """Return what to do next: of many findings the rules with most, what `--fix` does, whom to ask why."""
    found = report.findings
    lines = []
    rules = Counter(finding.rule for finding in found).most_common()
    if len(found) > MANY and len(rules) > 1:
        lines.append(f"By rule: {', '.join(f'{count} {rule}' for rule, count in rules)}.")
    fixable = sum(finding.fixable for finding in found)
    if fixable and not report.fixed:
        again = "Rerun with --fix" if report.partial is None else "Run --fix on the whole wiki"
        lines.append(f"{again} to repair {fixable} of them.")
    worst = Counter(finding.rule for finding in found if finding.severity == found[0].severity)
    lines.append(f"Why, and what to do: llm-wiki lint --explain {worst.most_common(1)[0][0]}")
    return lines


def fix_lines(report: Report) -> list[str]:
    """Return what was repaired, or would be, as lines under their heading."""
    if not report.fixes:
        return []
    return [
        "Would fix:" if report.dry_run else "Auto-fixed:",
        *(f"- {printable(fix)}" for fix in report.fixes),
    ]


def summary(report: Report) -> list[str]:
    """Return the last lines of a report: what it left out, what it counted, and whether that passes."""
    counts = report.counts
    done = f"{len(report.fixes)} auto-fixed" if not report.dry_run else "0 auto-fixed"
    found = (
        f"{counts['critical']} critical, {counts['warning']} warnings, "
        f"{counts['suggestion']} suggestions, {counts['info']} info"
    )
    return [*_scope(report), f"Summary: {found}, {done}.", f"Result: {'FAIL' if report.failed else 'PASS'}"]


def _scope(report: Report) -> list[str]:
    """Say what a report looked at that is less than it may seem: some files, a hub without its topics."""
    if report.scope:
        return [f"Checked: {report.scope}."]
    if report.partial is None:
        return [_HUB_ALONE] if report.kind == "hub" else []
    files = "1 file" if report.partial == 1 else f"{report.partial} files"
    left = f"; left out, as they need every page: {', '.join(report.skipped_rules)}"
    return [f"Partial: {files}{left if report.skipped_rules else ''}."]


def as_json(report: Report) -> str:
    """Return the report as one JSON object with a final line end."""
    issues = [_issue(finding) for finding in report.findings]
    return _dump(
        root=str(report.root),
        kind=report.kind or None,
        failed=report.failed,
        counts=report.counts,
        issues=issues,
        fixes=list(report.fixes),
        changes=[
            {"action": one.action, "path": one.path, "rule": one.rule, "to": one.to or None}
            for one in report.changes
        ],
        **_partial(report),
    )


def _partial(report: Report) -> dict[str, Any]:
    """Return the keys that only a report on a few files has."""
    if report.partial is None:
        return {}
    return {"partial": True, "files": report.partial, "skipped_rules": list(report.skipped_rules)}


def error_report(root: Path | str | None, error: WikiError, *, kind: str = "") -> str:
    """Return the JSON object of a run that ended in an error, as one critical issue.

    A target that is no wiki is W100; other errors belong to no rule. A path below the root is
    given relative to it, any other stays in the message alone.
    """
    rule = "W100" if isinstance(error, NotAWiki) else None
    message = error.message if not error.remedy else f"{error.message.rstrip('.')}; {error.remedy}"
    issue = {
        "severity": "critical",
        "rule": rule,
        "message": printable(message),
        "path": _relative(root, error.path),
        "line": error.line,
        "column": None,
        "target": None,
        "fixable": False,
    }
    counts = {severity: int(severity == "critical") for severity in SEVERITIES}
    name = None if root is None else str(root)
    return _dump(
        root=name, kind=kind or None, failed=True, counts=counts, issues=[issue], fixes=[], changes=[]
    )


def _sarif(report: Report) -> str:
    from llm_wiki.lint.render_sarif import sarif

    return sarif(report)


def _github(report: Report) -> str:
    from llm_wiki.lint.render_github import github

    return github(report)


RENDERERS: dict[str, Callable[[Report], str]] = {
    "text": text,
    "json": as_json,
    "sarif": _sarif,
    "github": _github,
}
"""Formats by the word of `--format`."""


def failure(form: str, root: Path | str | None, error: WikiError) -> str:
    """Return what a run that ended in an error prints in this format; text has no form of its own."""
    if form == "sarif":
        from llm_wiki.lint.render_sarif import sarif_error

        return sarif_error(root, error)
    if form == "github":
        from llm_wiki.lint.render_github import github_error

        return github_error(root, error)
    return error_report(root, error) if form == "json" else ""


def _line(finding: Finding) -> str:
    where = ""
    if finding.path is not None:
        where = f" ({finding.path}:{finding.line})" if finding.line else f" ({finding.path})"
    return printable(f"- {_LABEL[finding.severity]}: {finding.message}{where} [{finding.rule}]")


def _issue(finding: Finding) -> dict[str, Any]:
    return {
        "severity": finding.severity,
        "rule": finding.rule,
        "message": printable(finding.message),
        "path": finding.path,
        "line": finding.line or None,
        "column": finding.column or None,
        "target": finding.target or None,
        "fixable": finding.fixable,
    }


def _dump(**values: Any) -> str:
    failed = values.pop("failed")
    return plain_json({"schema_version": SCHEMA_VERSION, "status": "fail" if failed else "pass", **values})


def plain_json(document: dict[str, Any], *, indent: int | None = 2) -> str:
    """Return an object as JSON: keys sorted, letters readable, valid whatever names hold, a line end."""
    written = json.dumps(document, indent=indent, sort_keys=True, ensure_ascii=False)
    # undecodable names are lone surrogates; as escapes they survive any output encoding
    return _SURROGATE.sub(lambda char: f"\\u{ord(char.group()):04x}", written) + "\n"


def printable(line: str) -> str:
    """Return one line of text that a terminal shows as it is: no control bytes, no lone surrogates."""
    if line.isprintable():
        return line
    return "".join(char if char.isprintable() or char == " " else _escape(char) for char in line)


def _escape(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _relative(root: Path | str | None, path: str | None) -> str | None:
    if root is None or path is None:
        return None
    try:
        rel = Path(path).relative_to(root).as_posix()
    except ValueError:
        return None
    return None if rel == "." else rel
