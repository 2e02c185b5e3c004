"""kill -9 of archive and restore at every write point: nothing is half moved once the next command ran."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import llm_wiki

KILLER = Path(__file__).with_name("killer_archive.py")
CASES = [("topic",), ("restore",), ("topic", "other-disk"), ("restore", "other-disk")]


@pytest.fixture(scope="module", params=CASES, ids=["-".join(case) for case in CASES])
def told(request, tmp_path_factory):
    """What `killer_archive.py` saw."""
    paths = [KILLER.parent, KILLER.parents[1], Path(llm_wiki.__file__).parents[1]]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "LLM_WIKI_TODAY": "2026-01-10",
        "LLM_WIKI_NOW": "2026-01-10T12:00:00Z",
    }
    memory = Path("/dev/shm")  # a killed process, not the disk, is on trial here
    base = memory if os.access(memory, os.W_OK) else tmp_path_factory.mktemp("killed")
    with tempfile.TemporaryDirectory(dir=base) as work:
        command = [sys.executable, str(KILLER), work, *request.param]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) | {"case": request.param}


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
