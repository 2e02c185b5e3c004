"""kill -9 of `lint --fix` at every write point: each file is old or new, and the next run ends the matter."""

import pytest
import telling

TEMP = ".llm-wiki-tmp-"


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What `killer_lint.py` saw."""
    return telling.told("killer_lint", tmp_path_factory.mktemp("killed"), env=telling.MOMENT)


def test_every_write_point_was_reached(told):
    assert len(told["runs"]) > 100
    assert all(run["killed"] for run in told["runs"])


def test_each_file_is_old_or_new_right_after_the_kill(told):
    before, after = told["before"], told["after"]
    for run in told["runs"]:
        for rel, digest in run["left"].items():
            if TEMP not in rel and rel not in ("log.md", "inbox/.unknown/.manifest.jsonl"):
                assert digest in (before.get(rel), after.get(rel)), rel


def test_no_file_is_lost_right_after_the_kill(told):
    """What was there before is there still, under its old or new name, until its new form is."""
    before, after = told["before"], told["after"]
    for run in told["runs"]:
        for rel in before.keys() & after.keys():
            assert rel in run["left"], rel


def test_the_next_run_completes_or_makes_every_repair(told):
    for run in told["runs"]:
        assert run["next"] == told["after"]
        assert run["repairs"] >= 0


def test_a_run_that_was_completed_is_not_made_twice(told):
    repairs = [run["repairs"] for run in told["runs"]]
    assert repairs[0] > 5
    assert repairs[-1] == 0
    assert sorted(repairs, reverse=True) == repairs
