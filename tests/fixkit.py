"""Runs `lint --fix` on test wikis, and proves what every such run owes.

`proved` fixes a root and checks: nothing that was marked fixable is left, nothing new is wrong but what
the repairs announce, every change is told, a second run changes no byte, `undo` brings back every byte.
`DAMAGES` are ways to break the wiki of `lintkit.full`, by name; each leaves indexes as they were.
"""

import os
import random
import shutil
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import pytest
from lintkit import TODAY, findings, tree

from llm_wiki.core import undo
from llm_wiki.lint.options import Options
from llm_wiki.lint.repair import repair
from llm_wiki.wiki.resolve import Root

UNVEILED = frozenset(
    {"W302", "W307", "W308", "W405", "W503", "W505", "W601", "W602", "W603", "W612", "W613", "W614", "W703"}
)
"""Findings that a repair may bring to light: it made a file or a value legible that no rule could judge."""


@pytest.fixture
def home(tmp_path_factory, monkeypatch):
    """A machine of its own: no state, no cache, no configuration; the date of the sample wiki."""
    folder = tmp_path_factory.mktemp("home")
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "LLM_WIKI_CONFIG_DIR"):
        monkeypatch.setenv(name, str(folder / name.lower()))
    monkeypatch.setenv("LLM_WIKI_TODAY", TODAY.isoformat())
    monkeypatch.setenv("LLM_WIKI_NOW", f"{TODAY.isoformat()}T12:00:00Z")
    return folder


def kind_of(root: Path) -> str:
    return "hub" if (root / "wikis.json").exists() else "topic"


def fix(root: Path, *, dry_run: bool = False, status: str = "active", **options):
    """Run `lint --fix` on a root and return its report."""
    where = Root(root, kind_of(root), None, root.name, status)
    return repair(where, Options(use_cache=False, jobs=1, **options), dry_run=dry_run)


def proved(root: Path, *, unveiled=UNVEILED, **options):
    """Fix a root, check everything a run owes, and return its report."""
    before, found = tree(root), findings(root, kind_of(root), **options)
    planned = fix(root, dry_run=True, **options)
    assert tree(root) == before, "a dry run wrote something"
    report = fix(root, **options)
    after = tree(root)
    assert (planned.fixes, planned.changes) == (report.fixes, report.changes)
    assert list(report.findings) == findings(root, kind_of(root), **options)
    left = [finding for finding in report.findings if finding.fixable]
    assert not left, "\n".join(map(str, left))
    was, now = (Counter(finding.rule for finding in each) for each in (found, report.findings))
    new = {rule for rule in now if now[rule] > was[rule]} - unveiled
    assert not new, "\n".join(map(str, [one for one in report.findings if one.rule in new]))
    if any(finding.fixable for finding in found):
        assert report.fixes, "something is fixable, and nothing was done"
    _changes_are_told(before, after, report)
    _comes_back(root, before, after, options)
    once = tree(root)
    again = fix(root, **options)
    assert (again.fixes, tree(root)) == ((), once), "a second run changed something"
    return report


def _changes_are_told(before, after, report):
    """Every file that differs is named in `changes`, and every change named is there."""
    differ = _differing(before, after)
    files = {rel for rel in differ if "folder" not in (before.get(rel), after.get(rel))}
    told = {name for change in report.changes for name in (change.path, change.to) if name}
    quiet = {"log.md", "inbox/.unknown/.manifest.jsonl"}
    assert files - quiet <= told, files - quiet - told
    assert told <= differ, told - differ


def _comes_back(root, before, after, options):
    """`undo` restores every byte but the log's, and another run makes the very same tree again."""
    if before == after:
        return
    log = root / "log.md"
    undo.undo(root, verb="lint")
    assert _differing(tree(root), before) <= {"log.md"}
    assert not log.exists() or "undo | lint" in log.read_text(errors="replace")
    fix(root, **options)
    assert _differing(tree(root), after) <= {"log.md"}


def _differing(one, two):
    return {rel for rel in one.keys() | two.keys() if one.get(rel) != two.get(rel)}


@contextmanager
def unprivileged(root: Path):
    """Act as a user whom file modes bind, also where the tests run as root."""
    if os.geteuid():
        yield
        return
    for folder in [root, *root.parents][:-2]:
        folder.chmod(folder.stat().st_mode | 0o555)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def spoiled(root: Path, seed: int, ways) -> list[str]:
    """Damage a wiki in up to eight ways chosen by seed; ways that do not fit each other are left out."""
    chance = random.Random(seed)
    names = chance.sample(sorted(ways), chance.randint(2, 8))
    done = []
    for name in names:
        copy = root.with_name(root.name + ".copy")
        shutil.copytree(root, copy, symlinks=True)
        try:
            ways[name](root)
            done.append(name)
        except (AssertionError, OSError, ValueError):
            shutil.rmtree(root)
            copy.rename(root)
        shutil.rmtree(copy, ignore_errors=True)
    return done
