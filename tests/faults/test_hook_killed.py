"""kill -9 at every write point of the hook: rows stay whole, nothing is counted twice, the next event heals."""

import io
import json
import os
import signal

import pytest
from killer import Points, in_child

from llm_wiki.hook import event as handling
from llm_wiki.hook import incoming
from llm_wiki.hook import options as flags
from llm_wiki.hook import settings as switch

SETTINGS = switch.settle({"enabled": True, "auto_capture": {"tool_events": 2}}, "")


def send(folder, project, number, name="PostToolUse", session="s1"):
    """Handle one event in this process; events are ten seconds apart."""
    os.environ["LLM_WIKI_NOW"] = f"2026-11-30T{10 + number // 6}:{number % 6}0:00Z"
    given = {"session_id": session, "hook_event_name": name, "cwd": str(project), "prompt_id": str(number),
             "tool_name": "Bash", "tool_use_id": f"t{number}", "tool_input": {"command": "ls"},
             "prompt": "No, that is wrong. Always use tabs in this repository."}  # fmt: skip
    received = incoming.receive(io.BytesIO(json.dumps(given).encode()))
    return handling.handle(flags.parse(["--harness", "claude"]), str(folder), SETTINGS, received)


def rows(path):
    """Return the rows of a file; a line that is no JSON may only be one that a kill tore."""
    found, torn = [], 0
    for line in path.read_bytes().split(b"\n"):
        try:
            found.append(json.loads(line)) if line else None
        except ValueError:
            torn += 1
    return found, torn


@pytest.mark.parametrize("name", ["PostToolUse", "UserPromptSubmit", "Stop", "SessionStart"])
def test_a_hook_killed_anywhere_loses_at_most_its_own_event(tmp_path, monkeypatch, name):
    monkeypatch.setenv("LLM_WIKI_NOW", "2026-11-30T10:00:00Z")
    project = tmp_path / "project"
    project.mkdir()
    point = 0
    while True:
        point += 1
        folder = tmp_path / str(point) / ".sessions"
        for number in range(3):
            send(folder, project, number)

        def killed(folder=folder, point=point):
            Points(point).install()
            send(folder, project, 3, name)

        status = in_child(killed)
        assert status in (0, -signal.SIGKILL)  # an error of its own would never reach the last point
        send(folder, project, 4)
        queue, torn = rows(folder / "queue" / "2026-11-30.jsonl")
        state = json.loads((folder / "state" / "claude" / "s1.json").read_text())
        kept = [row["seq"] for row in queue]
        assert len(queue) in (4, 5)
        assert torn <= (status != 0)
        assert state["event_count"] == len(queue), point
        assert kept == sorted(kept)
        for digest in folder.rglob("*.md"):
            assert digest.read_text().startswith("---\n")
            assert digest.read_text().rstrip().endswith(("observed.", "time", "times", "review`", "noted"))
        assert [path for path in folder.rglob("*.tmp") if "s1" in path.name] == []
        if status == 0:
            break
    assert point > 8
