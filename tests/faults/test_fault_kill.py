"""kill -9 at every write point: the next command leaves every file old or every file new."""

import os

import pytest
import telling

TEMP = ".llm-wiki-tmp-"


@pytest.fixture
def work():
    """A folder in memory where there is one: a killed process, not the disk, is on trial here."""
    with telling.in_memory() as folder:
        yield folder


def torture(work, *arguments):
    """Run `killer.py`; see there for what it prints."""
    base = {name: value for name, value in os.environ.items() if name != "LLM_WIKI_TODAY"}
    return telling.told("killer", work, *arguments, env={"LLM_WIKI_NOW": "2026-01-10T12:00:00Z"}, base=base)


def check(told, after=None, after_records=None):
    """Every run ended old or new, tree and records alike; return how many ended old, how many new."""
    before = told["before"]
    old = new = 0
    for run in told["runs"]:
        assert run["killed"], run
        assert run["recovered"] == 0, run
        assert run["open"] == [], run
        if run["tree"] == before:
            assert run["records"] == told["before_records"], run
            old += 1
        else:
            assert run["tree"] == (after or told["after"]), run
            assert run["records"] == (after_records or told["after_records"]), run
            new += 1
    return old, new


@pytest.mark.parametrize("links", [(), ("no-links",)], ids=["hard-links", "no-hard-links"])
class TestKilledAtEveryWritePoint:
    def test_a_commit_leaves_all_old_or_all_new(self, work, links):
        told = torture(work, "commit", *links)
        assert told["before_records"] == []
        assert told["after_records"] == [["test", "done"]]
        assert "test | all of it" in told["after"]["log.md"]
        old, new = check(told)
        assert old > 40
        assert new > 10

    def test_an_undo_leaves_all_old_or_all_new(self, work, links):
        told = torture(work, "undo", *links)
        assert told["after_records"] == [["undo", "done"], ["test", "undone"]]
        assert "undo | test 20260110T120000Z-0001" in told["after"]["log.md"]
        old, new = check(told)
        assert old > 40
        assert new > 10

    def test_a_withdrawal_keeps_no_old_bytes_once_it_holds(self, work, links):
        told = torture(work, "commit", "withdraw", *links)
        assert told["after_records"] == [["test", "withdrawn"]]
        check(told)
        assert not any(run["kept"] for run in told["runs"])

    @pytest.mark.parametrize("stop", [40, 56, 62, 68, 76])
    def test_a_recovery_can_itself_be_killed(self, work, links, stop):
        told = torture(work, "recover", *links, str(stop))
        clean = [name for name in told["after"] if TEMP in name]
        assert clean == []
        for run in told["runs"]:
            assert run["killed"], run
            assert run["recovered"] == 0, run
            assert run["open"] == [], run
            assert run["tree"] == told["after"], run
            assert run["records"] == told["after_records"], run


@pytest.mark.parametrize("action", ["commit", "undo"])
@pytest.mark.parametrize("seed", [0, 41, 43, 61])  # folders that are made, moved and made again
def test_other_shapes_leave_all_old_or_all_new(work, action, seed):
    check(torture(work, action, f"seed={seed}"))
