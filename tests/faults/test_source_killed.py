"""kill -9 of a source's retraction: whatever command comes next, a rerun of the same line completes it.

Of the points at which it writes some are taken, evenly; with FAULTS=all in the environment (`make faults`)
every one. What the command that comes next is goes round with the points.
"""

import json
import os

import pytest
import telling
from cellarkit import A

SOME = 12
"""Points taken by default: each of the commands that come next has its turn."""


@pytest.fixture(scope="module")
def told():
    """What `killer_source.py` saw; in memory where that can be, as a killed process is on trial here."""
    limit = 0 if os.environ.get("FAULTS") == "all" else SOME
    with telling.in_memory() as work:
        return telling.told("killer_source", work, limit, env=telling.MOMENT)


def runs(told, *names):
    found = [run for run in told["runs"] if not names or run["next"] in names]
    assert found
    return found


class TestAnUndisturbedRun:
    def test_it_leaves_nothing_of_what_stood_in_every_store(self, told):
        before = "\n".join(told["before"]["left"])
        for place in (
            "undo/",
            "rows.",
            "search.sqlite",
            ".sessions/",
            "README.md",
            "raw-lock",
            "log.md",
            "brief.md",
        ):
            assert place in before, place
        assert told["after"]["left"] == []
        assert json.loads(told["after"]["out"])["errors"] == []

    def test_it_writes_often(self, told):
        assert told["total"] > 250


class TestKilledAtAWritePoint:
    def test_every_point_was_reached(self, told):
        assert all(run["killed"] for run in told["runs"])

    def test_the_next_command_finds_it_before_or_after_and_never_half(self, told):
        ends = {"before": 0, "after": 0}
        for run in runs(told, "rerun"):
            between = run["between"]
            assert between["open"] == [], run["point"]
            end = "before" if between["raw"] else "after"
            want, have = told[end]["tree"], between["tree"]
            odd = {
                rel for rel in {*want, *have} if rel.startswith("wine:") and want.get(rel) != have.get(rel)
            }
            assert odd == set(), run["point"]
            assert between["stones"] == (end == "after"), run["point"]
            ends[end] += 1
        assert min(ends.values()) > 0

    def test_a_rerun_leaves_nothing_of_it_anywhere_and_no_note_of_what_was_looked_for(self, told):
        for run in runs(told):
            assert run["left"] == [], run
            assert (run["end"]["raw"], run["end"]["intents"], run["end"]["open"]) == (False, 0, []), run

    def test_a_rerun_leaves_one_tombstone_and_one_line_in_each_log(self, told):
        for run in runs(told):
            both = 1 + (run["next"] == "other")
            assert (run["end"]["stones"], run["end"]["logs"]) == (both, [both, both]), run

    def test_a_rerun_leaves_what_an_undisturbed_run_leaves(self, told):
        for run in runs(told, "rerun", "fix", "ingest", "doctor", "verify", "hub"):
            assert run["end"]["tree"] == told["after"]["tree"], run

    def test_a_rerun_says_what_is_left_to_do_or_that_all_was_done(self, told):
        for run in runs(told):
            code, out, _ = run["again"]
            assert code == 2, run
            answer = json.loads(out)
            done_before = run["next"] in ("other", "hub") or not run["between"]["intents"]
            if "error" in answer:
                assert done_before, run
                assert "no source of this wiki" in answer["error"]["message"], run
            else:
                assert answer["errors"] == [], run
                assert [row["path"] for row in answer["open_markers"]], run
                assert answer["tombstone"], run


class TestWhatElseMayComeNext:
    def test_lint_repairs_without_a_word_of_it(self, told):
        assert {run["exit"] for run in runs(told, "fix")} == {0}

    def test_the_same_address_is_refused_from_the_moment_the_source_has_gone(self, told):
        for run in runs(told, "ingest"):
            gone = not run["between"]["raw"]
            assert run["exit"] == (4 if gone else 0), run
            assert not gone or "this source was retracted" in run["err"], run

    def test_undo_brings_nothing_back(self, told):
        for run in runs(told, "undo"):
            if run["exit"] == 0:
                assert "Took back lint" in run["out"], run
                assert run["between"]["raw"], run
            else:
                assert "was a withdrawal" in run["err"], run

    def test_a_topic_that_was_archived_meanwhile_is_finished_where_it_lies(self, told):
        assert {run["exit"] for run in runs(told, "archive")} == {0}

    def test_the_retraction_of_another_source_finishes_the_first(self, told):
        for run in runs(told, "other"):
            assert run["exit"] == 2, run
            answer = json.loads(run["out"])
            first_too = run["begun"] and not run["between"]["raw"]
            assert ("an interrupted retraction was finished" in answer["warnings"]) == bool(first_too), run
            assert run["between"]["intents"] == 0, run

    def test_the_hub_as_target_finds_what_was_begun_in_its_topic(self, told):
        for run in runs(told, "hub"):
            if run["begun"]:
                assert "error" not in json.loads(run["out"]), run

    def test_doctor_names_it_and_the_line_to_run(self, told):
        for run in runs(told, "doctor"):
            row = next(row for row in json.loads(run["out"])["checks"] if row["name"] == "retractions")
            assert row["state"] == ("fault" if run["begun"] else "ok"), run
            if run["begun"]:
                assert row["remedy"].startswith("finish it: llm-wiki retract-source apply /"), row
                assert row["remedy"].endswith(f"/wine/{A}"), row

    def test_verify_says_that_it_was_interrupted(self, told):
        for run in runs(told, "verify"):
            answer = json.loads(run["out"])
            assert run["exit"] == 2, run
            if run["begun"] and run["between"]["raw"]:
                assert any("begun and interrupted" in text for text in answer["warnings"]), run
            elif run["begun"]:
                assert any("was interrupted" in text for text in answer["errors"]), run
                assert any("retract-source apply --wiki wine" in step for step in answer["next"]), run
