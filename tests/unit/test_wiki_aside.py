"""What is stored aside is there when it is asked for, and gone when it was dropped."""

import subprocess
import sys
from pathlib import Path

import pytest
from lintkit import HARVEST, article, sample
from program import SCRIPTS

from llm_wiki.core.state import root_cache
from llm_wiki.wiki import cache, parallel
from llm_wiki.wiki.snapshot import Snapshot


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A wiki of more pages than are stored at once, with a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    place = sample(tmp_path)
    for number in range(parallel.MIN_FILES + 1):
        article(place, f"wiki/concepts/tea-{number}.md", f"Tea {number}", sources=[HARVEST], see=[])
    return place


def stored(root: Path) -> list[str]:
    return sorted(path.name for path in root_cache(root).glob("rows.*"))


def same(one: Snapshot, other: Snapshot) -> bool:
    return {rel: page.row[:] for rel, page in one.pages.items()} == {
        rel: page.row[:] for rel, page in other.pages.items()
    }


def test_the_next_snapshot_of_the_same_process_has_the_stored_rows(root):
    first = Snapshot.load(root, "topic")
    again = Snapshot.load(root, "topic")
    assert stored(root) == ["rows.base"]
    assert same(first, again)


def test_a_cache_dropped_right_after_a_run_does_not_come_back(root):
    Snapshot.load(root, "topic")
    cache.drop(root)
    parallel.join()
    assert stored(root) == []


def test_it_is_done_when_the_program_ends(tmp_path):
    code = (
        "import sys, time, pathlib; from llm_wiki.wiki.parallel import aside; "
        "aside(lambda: (time.sleep(0.2), pathlib.Path(sys.argv[1]).write_text('done')))"
    )
    env = {"PYTHONPATH": str(SCRIPTS)}
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "x")], env=env, check=True)
    assert (tmp_path / "x").read_text() == "done"


def test_a_failure_aside_is_nobody_elses(tmp_path):
    code = (
        "import os; from llm_wiki.wiki import parallel; "
        "parallel._cpus = lambda: 2; "
        "parallel.aside(lambda: 1 / 0); parallel.join(); print('on')"
    )
    env = {"PYTHONPATH": str(SCRIPTS)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("on\n", "")


def test_without_a_second_process_it_is_done_at_once(root, monkeypatch):
    monkeypatch.setattr(parallel, "_may_fork", lambda: False)
    Snapshot.load(root, "topic")
    assert stored(root) == ["rows.base"]
