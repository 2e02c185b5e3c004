"""kill -9 of forgetting and pruning at every write point: the next run leaves nothing of what was to go."""

import shutil
from pathlib import Path

import pytest
import telling
from personkit import at_terminal
from sessionkit import Room

import llm_wiki

LONG_AGO = {"LLM_WIKI_NOW": "2020-01-01T00:00:00Z"}


class Seat:
    """What `at_terminal` needs of a program."""

    def __init__(self, room):
        self.here, self.env = (
            room.project,
            room.environment(PYTHONPATH=str(Path(llm_wiki.__file__).parents[1])),
        )


@pytest.fixture
def hub(tmp_path):
    """A hub with an old session, whose lesson a person edited, and a new one."""
    room = Room(tmp_path)
    said = room.event("UserPromptSubmit", "old-session", prompt="From now on always use tabs in makefiles.")
    room.hook(said, **LONG_AGO)
    room.finished("old-session", **LONG_AGO)
    room.finished("new-session")
    room.ok("config", "person.name", "Ada")
    (name,) = [row["id"] for row in room.rows("feedback", "candidates.jsonl")]
    assert at_terminal(Seat(room), "review", "edit", name, "--text", "marmalade in makefiles").exit == 0
    room.ok("session", "reindex")
    return room.hub


@pytest.mark.slow
@pytest.mark.parametrize("how", ["prune", "one", "all"])
def test_the_next_run_leaves_nothing_and_loses_nothing(hub, tmp_path, how):
    work = tmp_path / "killed"
    shutil.copytree(hub, work / "hub")
    runs = telling.told("killer_forget", work, how, env={"HOME": str(tmp_path / "none")})
    assert len(runs) > 20
    assert all(run["killed"] for run in runs)
    assert {run["next"] for run in runs} == {0}
    assert [run for run in runs if run["left"]] == []
    kept = [] if how == "all" else ["claude:new-session"]
    assert [run for run in runs if run["sessions"] != kept] == []
