"""kill -9 of lifting a tombstone, and of undoing that, at every write point: it holds, or it is lifted."""

import os

import pytest
import telling


@pytest.mark.slow
@pytest.mark.parametrize("what", ["lift", "undo"])
def test_a_killed_run_leaves_one_state_or_the_other_and_the_next_one_ends_it(tmp_path, what):
    bare = {"PATH": os.environ["PATH"]}
    runs = telling.told("killer_tombstone", tmp_path, what, env=telling.DAY, base=bare)
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
