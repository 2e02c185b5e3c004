"""kill -9 of lifting a tombstone, and of undoing that, at every write point: it holds, or it is lifted."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import llm_wiki

KILLER = Path(__file__).with_name("killer_tombstone.py")


@pytest.mark.slow
@pytest.mark.parametrize("what", ["lift", "undo"])
def test_a_killed_run_leaves_one_state_or_the_other_and_the_next_one_ends_it(tmp_path, what):
    paths = [KILLER.parent, KILLER.parents[1], Path(llm_wiki.__file__).parents[1]]
    done = subprocess.run(
        [sys.executable, str(KILLER), str(tmp_path), what],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(map(str, paths)), "LLM_WIKI_TODAY": "2026-01-10"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    runs = json.loads(done.stdout)
    assert len(runs) > 20
    assert all(run["killed"] for run in runs)
    assert {run["first"]["held"] for run in runs} == {True, False}
    assert {run["next"] for run in runs} == {0}
    ended = {
        "held": what == "undo",
        "lines": 3 if what == "lift" else 2,
        "broken": [],
        "logged": 1,
        "open": [],
    }
    assert [run for run in runs if run["then"] != ended] == []
