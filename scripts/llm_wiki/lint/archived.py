"""The archived topics of a hub in one report: structure only.

Nobody works on them, so nothing presses: neither coverage nor freshness, nor what an article says or
cites. What must hold is that each can be read, found and restored: structure and reading (W1), placement
(W3), indexes (W4), and that the registry leads to it (W901, W907).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from llm_wiki.core import clock
from llm_wiki.core.errors import BadUsage, NotAWiki, Unreadable
from llm_wiki.lint.finding import SEVERITIES, Finding
from llm_wiki.lint.options import Options, select
from llm_wiki.lint.report import Report
from llm_wiki.lint.run import run
from llm_wiki.wiki.parallel import Progress
from llm_wiki.wiki.registry import ARCHIVE, NAME, Registry
from llm_wiki.wiki.resolve import Root, classify

STRUCTURE = ("W1", "W3", "W4", "W901", "W907")
"""Beginnings of the ids that hold for an archived topic as well."""


def run_archived(hub: Root, options: Options, *, progress: Progress | None = None) -> Report:
    """Lint every archived topic of a hub; paths in the report are relative to the hub.

    Topics lie in `topics/.archive/`, or where an archived entry of the registry says. Raises NotAWiki
    for a root that is no hub, BadUsage when the rules asked for are none of these.
    """
    if hub.kind != "hub":
        raise NotAWiki(
            f"{hub.path} is no hub: --archived-only checks the archived topics of one",
            path=hub.path,
            remedy="name the hub with --hub PATH; one archived topic is checked with --include-archived",
        )
    chosen = _narrowed(options)
    findings: list[Finding] = []
    registry = Registry.load(hub.path)
    if not registry.usable and "W901" in chosen.only:
        findings += [
            Finding("critical", NAME, problem.line, 0, "W901", problem.text, "", fixable=False)
            for problem in registry.problems
        ]
    topics = _topics(hub.path, registry)
    for slug, folder in sorted(topics.items()):
        findings += _of_topic(Root(folder, classify(folder), hub.path, slug, "archived"), chosen, progress)
    findings.sort(key=_order)
    count = "no archived topic" if not topics else "1 archived topic"
    scope = f"the structure of {count if len(topics) < 2 else f'{len(topics)} archived topics'}"
    return Report(hub.path, "hub", findings, options.fail_on, scope=scope)


def _narrowed(options: Options) -> Options:
    """Return the options with the rules on structure alone."""
    asked = select(options.only, options.skip)
    left = sorted(rule for rule in asked if rule.startswith(STRUCTURE))
    if not left:
        raise BadUsage(
            "none of the rules asked for is among those of --archived-only",
            remedy=f"it checks structure: {', '.join(STRUCTURE)}",
        )
    return options._replace(only=tuple(left), skip=())


def _topics(hub: Path, registry: Registry) -> dict[str, Path]:
    """Return the folders of archived topics, by the slug they are known under."""
    found = {
        slug: entry.location(hub)
        for slug, entry in registry.entries.items()
        if entry.status == "archived" and entry.path
    }
    known = {os.path.realpath(folder) for folder in found.values()}
    archive = hub / ARCHIVE
    try:
        names = sorted(os.listdir(archive))  # noqa: PTH208 - names only
    except (FileNotFoundError, NotADirectoryError):
        names = []
    except OSError as error:
        from llm_wiki.core.files import failure

        raise failure("list", archive, error) from error
    for name in names:
        folder = archive / name
        if classify(folder) == "topic" and os.path.realpath(folder) not in known:
            found[name if name not in found else f"{ARCHIVE}{name}"] = folder
    return found


def _of_topic(topic: Root, options: Options, progress: Progress | None) -> Iterator[Finding]:
    assert topic.hub is not None
    way = os.path.relpath(topic.path, topic.hub).replace(os.sep, "/")
    if topic.kind != "topic":
        if "W907" in options.only:
            text = f"Archived topic {topic.name} is not there: no wiki in {way}"
            yield Finding("warning", NAME, 0, 0, "W907", text, way, fixable=False)
        return
    try:
        report = run(topic, options, today=clock.today(), progress=progress)
    except Unreadable as error:
        yield Finding(
            "critical", way, 0, 0, "W113", error.message.replace(str(topic.path), way), "", fixable=False
        )
        return
    for finding in report.findings:
        path = way if finding.path is None else f"{way}/{finding.path}"
        yield finding._replace(path=path, fixable=False)  # this form has no --fix


def _order(finding: Finding) -> tuple[object, ...]:
    rank = SEVERITIES.index(finding.severity)
    path = finding.path or ""
    return rank, path, finding.line, finding.rule, finding.message, finding.column, finding.target
