"""A report as SARIF 2.1.0, for code scanning and editors.

The rules are those of the table, whatever was found. Paths are relative to the repository that
holds the wiki, because code hosts read them so; the one absolute address is that of its folder.
Nothing depends on the time: equal reports of one place give equal bytes.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from llm_wiki import __version__
from llm_wiki.core.errors import NotAWiki, WikiError
from llm_wiki.core.text import cut
from llm_wiki.lint.finding import Finding, Rule, Severity
from llm_wiki.lint.places import Place, in_repository
from llm_wiki.lint.render import plain_json, printable
from llm_wiki.lint.report import Report

if TYPE_CHECKING:
    from llm_wiki.lint.catalogue import Text

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"

MOST_RESULTS: Final = 25_000
"""Results of one run from which on code scanning refuses the whole file; it keeps the 5,000 worst."""

MOST_WORDS: Final = 1_024
"""Characters of a description that code scanning shows."""

LEVEL: Final[dict[Severity, str]] = {
    "critical": "error",
    "warning": "warning",
    "suggestion": "note",
    "info": "note",
}

_PROBLEM = {"error": "error", "warning": "warning", "note": "recommendation"}
_ROOT_ID = "%SRCROOT%"
_WIKI_ID = "WIKI"
_TAGS = {
    "1": "structure",
    "2": "front-matter",
    "3": "placement",
    "4": "indexes",
    "5": "links",
    "6": "coverage",
    "7": "freshness",
    "8": "projects",
    "9": "hub",
}
_ANSWER = {0: "nothing above the level that fails a run", 1: "findings", 2: "the run failed", 4: "archived"}
_WHOLE = "_index.md"
"""Where a finding about a wiki as a whole is shown: code scanning drops what has no place."""


def sarif(report: Report) -> str:
    """Return the report as one SARIF log with a final line end.

    Findings beyond what code scanning accepts of one run are left out, the least severe first;
    a notification says how many.
    """
    place = in_repository(report.root)
    shown = report.findings[:MOST_RESULTS]
    notes = []
    if left_out := len(report.findings) - len(shown):
        text = f"{left_out} findings were left out, the least severe; choose with --only or --skip"
        notes.append(_note("warning", text))
    if report.error is not None:
        notes.append(_note("error", _sentence(report.error)))
    return _log(place, _results(shown, place), _invocation(report.exit_code, notes), _properties(report))


def sarif_error(root: Path | str | None, error: WikiError) -> str:
    """Return the log of a run that ended in an error: no result, and a notification that says why."""
    note = _note("error", _sentence(error))
    if isinstance(error, NotAWiki):
        note["descriptor"] = {"id": "W100", "index": 0}
    place = None if root is None else in_repository(Path(root))
    return _log(place, [], _invocation(error.code, [note]))


# --- parts of a log ------------------------------------------------------------------------


def _properties(report: Report) -> dict[str, Any]:
    """Say what a log of a few files is not: that of the whole wiki."""
    if report.partial is None:
        return {}
    return {"partial": True, "files": report.partial, "skippedRules": list(report.skipped_rules)}


def _log(
    place: Place | None,
    results: list[Any],
    invocation: dict[str, Any],
    properties: dict[str, Any] | None = None,
) -> str:
    run: dict[str, Any] = {
        "tool": {"driver": _driver(failed=not invocation["executionSuccessful"])},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": [],
    }
    if properties:
        run["properties"] = properties
    if place is not None:
        run["originalUriBaseIds"] = {
            _ROOT_ID: {"uri": place.base_uri},
            _WIKI_ID: {"uri": f"{place.uri(None)}/", "uriBaseId": _ROOT_ID},
        }
    written = plain_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})
    if not results:
        return written
    # a line a result: a large log is then written several times faster, and differences are short
    rows = ",\n".join(plain_json(result, indent=None).rstrip() for result in results)
    return written.replace('"results": []', f'"results": [\n{rows}\n      ]', 1)


def _invocation(code: int, notes: list[dict[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {"executionSuccessful": code in (0, 1), "exitCode": code}
    if code in _ANSWER:
        made["exitCodeDescription"] = _ANSWER[code]
    if notes:
        made["toolExecutionNotifications"] = notes
    return made


def _note(level: str, text: str) -> dict[str, Any]:
    return {"level": level, "message": {"text": literal(text)}}


def _sentence(error: WikiError) -> str:
    text = error.message if not error.remedy else f"{error.message}; {error.remedy}"
    return printable(text)


def literal(text: str) -> str:
    """Return text as a SARIF message that means just this (§3.11): no placeholders, no embedded links."""
    text = re.sub(r"\{(\d+)\}", r"{{\1}}", text)
    return re.sub(r"\[(?=[^\]]*\]\()", r"\\[", text)


# --- rules ---------------------------------------------------------------------------------


def _driver(*, failed: bool) -> dict[str, Any]:
    from llm_wiki.lint.catalogue import NO_WIKI, texts
    from llm_wiki.lint.rules.table import RULES

    pages = texts()
    driver: dict[str, Any] = {
        "name": "llm-wiki",
        "semanticVersion": __version__,
        "rules": [_rule(rule, pages.get(rule.id)) for rule in RULES],
    }
    if failed:
        words = _words(NO_WIKI.id, NO_WIKI.title, pages.get(NO_WIKI.id))
        driver["notifications"] = [{"id": NO_WIKI.id, "name": "NoWiki", **words}]
    return driver


def _rule(rule: Rule, page: Text | None) -> dict[str, Any]:
    level = LEVEL[rule.severity]
    return {
        "id": rule.id,
        "name": "".join(word.capitalize() for word in rule.check.__name__.split("_")),
        **_words(rule.id, rule.title, page),
        "defaultConfiguration": {"enabled": not rule.opt_in, "level": level},
        "properties": {
            "tags": [_TAGS[rule.id[1]]],
            "precision": "high",
            "problem.severity": _PROBLEM[level],
            "severity": rule.severity,
            "strictSeverity": rule.strict or rule.severity,
            "fixable": rule.fix,
        },
    }


def _words(rule_id: str, title: str, page: Text | None) -> dict[str, Any]:
    """Return the descriptions of a rule and its help, from its title and its page."""
    title = title[0].upper() + title[1:]
    parts = [f"{title}."]
    if page is not None:
        parts += [page.why, f"**Repair.** {page.repair}"]
    parts.append(f"`llm-wiki lint --explain {rule_id}` shows an example.")
    markdown = "\n\n".join(parts)
    return {
        "shortDescription": {"text": _plain(title)},
        "fullDescription": {"text": cut(_plain(page.why if page else title), MOST_WORDS)},
        "help": {"text": _plain(markdown), "markdown": markdown},
    }


def _plain(markdown: str) -> str:
    """Return Markdown of a rule's page as text: a line a paragraph, marks of code and weight gone."""
    paragraphs = markdown.replace("`", "").replace("**", "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


# --- results -------------------------------------------------------------------------------


def _results(findings: Sequence[Finding], place: Place) -> list[dict[str, Any]]:
    from llm_wiki.lint.rules.table import RULES

    number = {rule.id: index for index, rule in enumerate(RULES)}
    return [
        _result(finding, number.get(finding.rule, -1), place, mark)
        for finding, mark in zip(findings, fingerprints(findings), strict=True)
    ]


def _result(finding: Finding, index: int, place: Place, mark: str) -> dict[str, Any]:
    where = place.uri(_WHOLE if finding.path is None else finding.path)
    region = {"startLine": finding.line or 1, "startColumn": finding.column or 1}  # both are required
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": LEVEL[finding.severity],
        "message": {"text": literal(printable(finding.message))},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": where, "uriBaseId": _ROOT_ID},
                    "region": region,
                }
            }
        ],
        "partialFingerprints": {"primaryLocationLineHash": mark, "llmWikiFinding/v1": mark},
        "properties": {"severity": finding.severity, "fixable": finding.fixable},
    }
    if index >= 0:
        result["ruleIndex"] = index
    if finding.target:
        result["properties"]["target"] = printable(finding.target)
    return result


def fingerprints(findings: Sequence[Finding]) -> list[str]:
    """Return a mark for each finding that stays when lines move and when figures in a message change.

    It is made of the rule, the file and what the place points to, else of the message without its
    figures; the number behind the colon parts those that are equal in all of it.
    """
    seen: Counter[str] = Counter()
    marks = []
    for finding in findings:
        what = finding.target or re.sub(r"\d+", "#", finding.message)
        parts = json.dumps([finding.rule, finding.path, what])
        digest = hashlib.sha256(parts.encode()).hexdigest()[:16]
        seen[digest] += 1
        marks.append(f"{digest}:{seen[digest]}")
    return marks
