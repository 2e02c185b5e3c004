"""Runs `lint --fix` on test wikis, and proves what every such run owes.

`fix` repairs a root, `proved` checks besides what every run owes (`fixkit_owed`), `spoiled` breaks a wiki in
ways taken from a table such as `fixkit_damages.DAMAGES`.
"""

import os
import random
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest
from lintkit import TODAY

from llm_wiki.lint.options import Options
from llm_wiki.lint.repair import repair
from llm_wiki.wiki.resolve import Root


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


def proved(root: Path, *, unveiled=(), **options):
    """Fix a root, check everything a run owes (`fixkit_owed`), and return its report.

    `unveiled` are rules whose findings a repair of this wiki may bring to light.
    """
    from fixkit_owed import owed

    return owed(root, unveiled=unveiled, **options)


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
