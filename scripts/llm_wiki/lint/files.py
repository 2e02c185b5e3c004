"""Lint of a few files: what a whole run says about them, for editors and hooks before a commit.

Rules marked `whole` are left out. The answer is that of a whole run, in a time that hardly grows
with the wiki: names are listed, the files asked about and what they point to are read. Where a
finding takes a look at every page, a whole run is what happens.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from llm_wiki.core import clock
from llm_wiki.core.errors import BadUsage
from llm_wiki.lint.finding import Finding
from llm_wiki.lint.options import Options, select
from llm_wiki.lint.report import Report
from llm_wiki.model.layout import is_markdown
from llm_wiki.wiki.glance import Glance
from llm_wiki.wiki.names import Names, Unbounded
from llm_wiki.wiki.parallel import Progress
from llm_wiki.wiki.resolve import Root, absolute, classify, is_dir, is_file, resolve
from llm_wiki.wiki.snapshot import uncollected

FEW = 100
"""Files of one wiki from which on a whole run is quicker."""


class Grouped(NamedTuple):
    """Files by the folder of the nearest wiki, relative to it.

    `outside` are those in no wiki, as typed; `here` is the folder that all files lie in.
    """

    inside: dict[Path, tuple[str, ...]]
    outside: tuple[str, ...]
    here: Path


def group(written: Iterable[str], cwd: Path | None = None) -> Grouped:
    """Sort paths of Markdown files by the wiki they lie in.

    Raises BadUsage for what is no Markdown file or not there, Unreadable when the system refuses
    to look.
    """
    inside: dict[Path, dict[str, None]] = {}
    outside: list[str] = []
    known: dict[Path, Path | None] = {}
    folders: set[str] = set()
    for text in written:
        if not text:
            raise BadUsage("a path is empty")
        path = absolute(text, cwd)
        _require_file(text, path)
        folders.add(str(path.parent))
        root = _nearest(path.parent, known)
        if root is None:
            outside.append(text)
        else:
            inside.setdefault(root, {})[path.relative_to(root).as_posix()] = None
    here = Path(os.path.commonpath(folders)) if folders else Path.cwd()
    return Grouped({root: tuple(rels) for root, rels in inside.items()}, tuple(outside), here)


def _require_file(text: str, path: Path) -> None:
    if is_dir(path):
        raise BadUsage(
            f"{text} is a folder: a run is about files or about one wiki",
            path=text,
            remedy="name the folder of a wiki alone, or files alone",
        )
    if not is_file(path) and not path.is_symlink():
        raise BadUsage(f"{text} does not exist, or is no file", path=text)
    if not is_markdown(path.name):
        raise BadUsage(f"{text} is no Markdown file", path=text, remedy="leave it out: lint reads *.md alone")


def _nearest(folder: Path, known: dict[Path, Path | None]) -> Path | None:
    """Return the nearest wiki that a folder is or lies in, beyond doubt one: others have `wiki/` too."""
    passed = []
    found: Path | None = None
    for place in (folder, *folder.parents):
        if place in known:
            found = known[place]
            break
        passed.append(place)
        if _is_wiki(place):
            found = place
            break
    known.update(dict.fromkeys(passed, found))
    return found


def _is_wiki(folder: Path) -> bool:
    if not (is_file(folder / "_index.md") or is_file(folder / "config.md") or is_file(folder / "wikis.json")):
        return False
    kind = classify(folder)
    return kind == "hub" or (kind == "topic" and (is_dir(folder / "raw") or is_dir(folder / "wiki")))


def run_files(
    grouped: Grouped,
    options: Options | None = None,
    *,
    hub: str | None = None,
    include_archived: bool = False,
    today: date | None = None,
    progress: Progress | None = None,
) -> Report:
    """Lint files of one or several wikis; of several, paths are relative to the folder they share.

    Raises what `run.run` raises, and Refused for a file of an archived topic without
    `include_archived`.
    """
    options = options or Options()
    skipped = tuple(sorted(select(options.only, options.skip) & _whole()))
    day = today or clock.today()
    reports = []
    for folder, rels in grouped.inside.items():
        root = resolve(folder, hub=hub, include_archived=include_archived)
        reports.append(_of_root(root, rels, options.for_status(root.status), day, progress))
    files = sum(map(len, grouped.inside.values()))
    if len(reports) == 1:
        return reports[0]._replace(partial=files, skipped_rules=skipped)
    roots = [str(report.root) for report in reports]
    shared = Path(os.path.commonpath(roots)) if roots else grouped.here
    found = [one for report in reports for one in _seen_from(shared, report)]
    from llm_wiki.lint.engine import order

    return Report(shared, "", sorted(found, key=order), options.fail_on, partial=files, skipped_rules=skipped)


def _seen_from(shared: Path, report: Report) -> Iterable[Finding]:
    way = report.root.relative_to(shared).as_posix()
    for finding in report.findings:
        path = way if finding.path is None else f"{way}/{finding.path}"
        yield finding._replace(path=path.removeprefix("./"))


def _of_root(
    root: Root, rels: Sequence[str], options: Options, today: date, progress: Progress | None
) -> Report:
    """Lint files of one root, by name where that does, else with everything."""
    from llm_wiki.lint import engine

    kind = "hub" if root.kind == "hub" else "topic"
    if root.kind != "hub":
        try:
            with uncollected():
                names = Names(root.path, root.kind)
                rels = [names.spelt(rel) for rel in rels]
                if len(rels) <= FEW:
                    found = _by_name(root, names, rels, options, today)
                    return Report(root.path, kind, found, options.fail_on)
        except Unbounded:
            pass
    from llm_wiki.lint.run import run

    report = run(root, options, today=today, progress=progress)
    return report._replace(findings=engine.about(report.findings, frozenset(rels)))


def _by_name(root: Root, names: Names, rels: Sequence[str], options: Options, today: date) -> list[Finding]:
    from llm_wiki.lint import engine

    glance = Glance(
        root.path,
        root.kind,
        names,
        rels,
        per_file=engine.check_file,
        per_file_key=engine.RULES_KEY,
        use_cache=options.use_cache,
    )
    return engine.evaluate_files(glance, today, frozenset(rels), options)


def _whole() -> frozenset[str]:
    from llm_wiki.lint.engine import WHOLE

    return WHOLE
