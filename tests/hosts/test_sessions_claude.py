"""Sessions in a real Claude Code, with the hooks that our own setup installs."""

import json
import random
import re
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest
from model_server import shell, text

pytestmark = pytest.mark.hosts

CONTEXT = "as llm-wiki counted them"


@pytest.fixture
def user(host):
    """A user without a wiki whose host has our hooks; nothing is enabled."""
    shutil.rmtree(host.home / "wiki")
    done = host.wiki("setup", "claude")
    assert done.exit == 0, done
    return host


@pytest.fixture
def captured(user):
    """The same user after `capture notes`."""
    done = user.wiki("capture", "notes")
    assert done.exit == 0, done
    return user


def _sessions(user):
    return user.home / "wiki/.sessions"


def _rows(user):
    days = sorted((_sessions(user) / "queue").glob("*.jsonl"))
    return [json.loads(line) for day in days for line in day.read_text().splitlines()]


def _written(user):
    """Every byte that we may have written: the hub and the program's own folders."""
    places = [user.home / "wiki", user.home / ".config/llm-wiki", user.home / ".local", user.home / ".cache"]
    found = [p for place in places if place.exists() for p in place.rglob("*")]
    return b"\n".join([str(p).encode() for p in found] + [p.read_bytes() for p in found if p.is_file()])


def _work(turn, _results):
    return [shell("echo good"), shell("cat missing-file"), text("Done.")][min(turn, 2)]


def _sent(model):
    return json.dumps(model.all, ensure_ascii=False)


def test_every_event_of_a_session_is_counted(captured):
    done = captured.prompt("please try the parser", "try the parser", _work)
    assert done.exit == 0, done
    names = [row["hook_event_name"] for row in _rows(captured)]
    assert sorted(names) == sorted(
        ["SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd"]
    )
    (state,) = (_sessions(captured) / "state/claude").glob("*.json")
    value = json.loads(state.read_text())
    assert (value["event_count"], value["tool_event_count"], value["prompts"]) == (6, 2, 1)
    assert value["failures"] == [{"tool": "cat", "code": 1, "count": 1}]
    assert not (_sessions(captured) / "hook-errors.log").exists()


def test_the_next_session_is_told_of_the_last_and_the_first_is_not(captured):
    captured.prompt("please try the parser", "try the parser", _work)
    assert CONTEXT not in _sent(captured.model)
    captured.prompt("go on with the parser", "go on with the parser", _work)
    first = json.dumps(captured.model.requests[0], ensure_ascii=False)
    assert CONTEXT in first
    assert "1 failed cat run" in first
    assert len(re.findall(CONTEXT, first)) == 1


def test_a_planted_token_is_nowhere_on_disk(captured):
    token = "gh" + "p_" + "".join(random.Random(7).choices("abcdefghijkmnpqrstuvwxyz23456789", k=36))

    def script(turn, _results):
        steps = [shell(f"echo {token}"), shell(f"cat /tmp/{token}"), text(f"The token is {token}.")]
        return steps[min(turn, 2)]

    done = captured.prompt(
        f"No, that is wrong: always use the token {token} here", "always use the token", script
    )
    assert done.exit == 0, done
    assert token in _sent(captured.model)  # the host did send it
    assert len(_rows(captured)) == 6
    assert token.encode() not in _written(captured)


def test_with_capture_off_nothing_is_written_and_nothing_told(captured):
    captured.prompt("please try the parser", "try the parser", _work)
    assert captured.wiki("capture", "off").exit == 0
    before = {path: path.read_bytes() for path in _sessions(captured).rglob("*") if path.is_file()}
    captured.prompt("go on with the parser", "go on with the parser", _work)
    assert CONTEXT not in _sent(captured.model)
    assert "llm-wiki" not in _sent(captured.model)
    assert {path: path.read_bytes() for path in _sessions(captured).rglob("*") if path.is_file()} == before


def test_hooks_alone_capture_nothing(user):
    user.prompt("please try the parser", "try the parser", _work)
    assert not (user.home / "wiki").exists()
    assert "llm-wiki" not in _sent(user.model)


def test_continue_and_compact_stay_one_session(captured):
    def long(turn, _results):
        return [shell("seq 1 400"), shell("seq 1 300"), text("Done. " * 50)][min(turn, 2)]

    captured.prompt("please try the parser", "try the parser", long)
    for words in ("and go on", "once more please"):
        captured.model.play("", lambda _turn, _results: text("Going on. " * 40))
        assert captured.claude("-p", "--continue", words).exit == 0
    assert captured.claude("-p", "--continue", "/compact").exit == 0
    rows = _rows(captured)
    assert len({row["native_session_id"] for row in rows}) == 1
    names = [row["hook_event_name"] for row in rows]
    assert "PreCompact" in names
    assert [row["trigger_detail"] for row in rows if row["hook_event_name"] == "SessionStart"][:2] == [
        "startup",
        "resume",
    ]


def test_two_sessions_at_once_stay_apart(captured):
    captured.model.play("parser", _work)
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda n: captured.claude("-p", f"please try the parser {n}"), range(2)))
    assert [item.exit for item in done] == [0, 0]
    states = [json.loads(path.read_text()) for path in (_sessions(captured) / "state/claude").glob("*.json")]
    assert [state["event_count"] for state in states] == [6, 6]
    assert [state["tool_event_count"] for state in states] == [2, 2]


def test_setup_is_taken_back_to_the_byte(host):
    settings = host.home / ".claude/settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text('{\n    "model": "claude-opus-4-8",\n    "hooks": {}\n}\n')
    before = settings.read_bytes()
    assert host.wiki("setup", "claude").exit == 0
    assert settings.read_bytes() != before
    first = settings.read_bytes()
    assert host.wiki("setup", "claude").exit == 0
    assert settings.read_bytes() == first
    assert host.wiki("setup", "--remove", "claude").exit == 0
    assert settings.read_bytes() == before
