"""A report as workflow commands, which GitHub Actions shows at the lines they name, and as a job summary.

Commands and their escapes are those of GitHub's page "Workflow commands for GitHub Actions": `%`, CR and
LF are percent-encoded everywhere, `:` and `,` in properties as well.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Final

from llm_wiki.core.errors import NotAWiki, WikiError
from llm_wiki.core.files import failure
from llm_wiki.core.text import cut
from llm_wiki.lint.finding import Finding, Severity
from llm_wiki.lint.places import Place, in_workspace
from llm_wiki.lint.render import fix_lines, printable, summary
from llm_wiki.lint.report import Report

COMMAND: Final[dict[Severity, str]] = {
    "critical": "error",
    "warning": "warning",
    "suggestion": "notice",
    "info": "notice",
}

SHOWN: Final = 10
"""Annotations of one kind that GitHub shows of a step; the others are in its log alone."""

SUMMARY_BYTES: Final = 1024 * 1024
"""Bytes of one step's summary; GitHub drops a longer one whole."""

SUMMARY_ROWS: Final = 200
"""Findings listed in a summary: more belong into a file."""

MOST_WORDS: Final = 8_000
"""Characters of one message: an annotation holds 64 KB, and an escaped character takes a few bytes."""

ROW_WORDS: Final = 400
"""Characters of one finding in a summary."""

_MARKUP = re.compile(r"[\\`*_{}\[\]()#+!|<>&~@:]")


def github(report: Report) -> str:
    """Return one command a finding, most severe first, then what was repaired and the summary line."""
    from llm_wiki.lint.rules.table import BY_ID

    place = in_workspace(report.root)
    titles = {rule_id: rule.title.replace("`", "") for rule_id, rule in BY_ID.items()}
    lines = [_command(finding, titles.get(finding.rule, ""), place) for finding in report.findings]
    if report.error is not None:
        lines.append(_error(report.error, place))
    lines.append(_plain(f"llm-wiki lint: {printable(str(report.root))}"))
    lines += [_plain(line) for line in fix_lines(report)]
    kinds = Counter(COMMAND[finding.severity] for finding in report.findings)
    if any(number > SHOWN for number in kinds.values()):
        lines.append(f"GitHub shows {SHOWN} findings of a kind at their lines; this log has all of them.")
    return "\n".join([*lines, *summary(report)]) + "\n"


def github_error(root: Path | str | None, error: WikiError) -> str:
    """Return the command that says why a run ended without a report."""
    return _error(error, in_workspace(Path("." if root is None else root))) + "\n"


def data(text: str) -> str:
    """Return text as the message of a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def value(text: str) -> str:
    """Return text as the value of a property of a command."""
    return data(text).replace(":", "%3A").replace(",", "%2C")


def _command(finding: Finding, title: str, place: Place) -> str:
    where = {}
    if finding.path is not None:
        where["file"] = printable(place.path(finding.path))
        if finding.line:
            where["line"] = str(finding.line)
            if finding.column:
                where["col"] = str(finding.column)
    where["title"] = f"{finding.rule} {title}".strip()
    return _written(COMMAND[finding.severity], where, cut(printable(finding.message), MOST_WORDS))


def _error(error: WikiError, place: Place) -> str:
    where = {}
    if error.path and not isinstance(error, NotAWiki):
        try:
            rel = Path(error.path).relative_to(place.base).as_posix()
        except ValueError:
            rel = ""
        if rel not in ("", "."):
            where["file"] = printable(rel)
            if error.line:
                where["line"] = str(error.line)
    where["title"] = "W100 llm-wiki lint" if isinstance(error, NotAWiki) else "llm-wiki lint"
    text = error.message if not error.remedy else f"{error.message}; {error.remedy}"
    return _written("error", where, printable(text))


def _written(command: str, where: dict[str, str], message: str) -> str:
    properties = ",".join(f"{key}={value(text)}" for key, text in where.items())
    return f"::{command} {properties}::{data(message)}"


def _plain(line: str) -> str:
    """Return a line that holds no command: the older form is looked for anywhere in a line."""
    return line.replace("##[", "## [")


# --- the summary of a job ------------------------------------------------------------------


def job_summary(report: Report, room: int = SUMMARY_BYTES) -> str:
    """Return the report as Markdown of at most `room` bytes: the counts, then the first findings.

    "" when not even the counts find room.
    """
    place = in_workspace(report.root)
    verdict = "failed" if report.exit_code else "passed"
    parts = [
        f"### llm-wiki lint {verdict}: {_code(place.path(None))}\n\n| Severity | Findings |\n|---|---:|\n"
    ]
    parts += [f"| {severity} | {number} |\n" for severity, number in report.counts.items()]
    if report.fixes:
        parts.append(f"\n{len(report.fixes)} {'would be repaired' if report.dry_run else 'repaired'}.\n")
    if report.error is not None:
        parts.append(f"\n{_words(printable(report.error.message))}\n")
    head = "".join(parts)
    if len(head.encode()) > room:
        return ""
    return head + _rows(report, place, room - len(head.encode()))


def _rows(report: Report, place: Place, room: int) -> str:
    """Return the table of findings that fits, and how many it leaves out."""
    if not report.findings:
        return ""
    head = "\n| | Where | Finding | Rule |\n|---|---|---|---|\n"
    rest = "\n{} more are in the log of this step.\n"
    room -= len(head) + len(rest) + 10
    rows: list[str] = []
    for finding in report.findings[:SUMMARY_ROWS]:
        row = _row(finding, place)
        room -= len(row.encode())
        if room < 0:
            break
        rows.append(row)
    if not rows:
        return ""
    left_out = len(report.findings) - len(rows)
    return head + "".join(rows) + (rest.format(left_out) if left_out else "")


def _row(finding: Finding, place: Place) -> str:
    where = printable(place.path(finding.path))
    where = f"{where}:{finding.line}" if finding.line else where
    said = _words(cut(printable(finding.message), ROW_WORDS))
    return f"| {finding.severity} | {_code(where)} | {said} | {finding.rule} |\n"


def _code(text: str) -> str:
    return f"<code>{_words(text)}</code>"


def _words(text: str) -> str:
    """Return text as Markdown that shows just this: what could be markup is written by its number."""
    return _MARKUP.sub(lambda found: f"&#{ord(found.group())};", text)


def append_summary(path: Path, report: Report) -> None:
    """Append the summary of a report to the file that GitHub shows for the step.

    What earlier commands of the step wrote counts against its limit. Raises Unreadable.
    """
    try:
        with path.open("ab") as stream:
            room = SUMMARY_BYTES - stream.tell()
            stream.write(job_summary(report, room).encode())
    except OSError as error:
        raise failure("write", path, error) from error
