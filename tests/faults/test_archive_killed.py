"""kill -9 of archive and restore at every write point: nothing is half moved once the next command ran."""

import pytest
import telling

CASES = [("topic",), ("restore",), ("topic", "other-disk"), ("restore", "other-disk")]


@pytest.fixture(scope="module", params=CASES, ids=["-".join(case) for case in CASES])
def told(request):
    """What `killer_archive.py` saw."""
    with telling.in_memory() as work:
        done = telling.told("killer_archive", work, *request.param, env=telling.MOMENT)
    return done | {"case": request.param}


def test_the_next_command_leaves_the_topic_here_or_there_and_nothing_between(told):
    ends = {"old": 0, "new": 0}
    for number, run in enumerate(told["runs"], 1):
        assert run["killed"], number
        assert (run["status"], run["open"], run["left"]) == (0, [], []), number
        assert run["fixed"] == [], number
        assert run["next"] in (told["before"], told["after"]), number
        ends["old" if run["next"] == told["before"] else "new"] += 1
    assert min(ends.values()) > 10, ends


def test_right_after_the_kill_the_topic_is_found_once_or_not_at_all(told):
    for number, run in enumerate(told["runs"], 1):
        assert run["seen"] in ([], ["tea"]), number
    first, last = told["runs"][0]["seen"], told["runs"][-1]["seen"]
    assert (first, last) == ((["tea"], []) if told["case"][0] == "topic" else ([], ["tea"]))


def test_a_folder_that_crossed_file_systems_was_copied(told):
    if "other-disk" in told["case"]:
        assert len(told["runs"]) > 180  # every file of the topic is written again
    else:
        assert len(told["runs"]) < 180
