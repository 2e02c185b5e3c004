"""The second plugin, `wiki-sessions`, in a real Claude Code: alone, and beside the hooks of setup."""

import json
from collections import Counter
from types import SimpleNamespace

import pytest
from hostkit import CONTEXT, Host, work
from model_server import Model, text

pytestmark = pytest.mark.hosts

SESSIONS = "wiki-sessions@llm-wiki"
ONCE = Counter(
    ["SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd"]
)


@pytest.fixture(scope="module")
def life(tmp_path_factory):
    """Install, enable, work; add the hooks of setup, work again."""
    model = Model()
    user = Host(tmp_path_factory.mktemp("plugin"), model)
    found = SimpleNamespace(user=user)
    try:
        user.install(SESSIONS)
        user.ok("capture", "notes", "--yes")
        done = user.prompt("please try the parser", "try the parser", lambda *_: text("Done."))
        found.unasked = (done.exit, user.rows())
        assert user.claude("plugin", "enable", SESSIONS).exit == 0
        found.alone = (user.prompt("please try the parser", "try the parser", work(user)).exit, user.rows())
        user.ok("setup", "claude")
        found.status = user.ok("setup", "--status").out
        done = user.prompt("once more the parser", "more the parser", work(user, start=6))
        found.both = (done.exit, user.rows()[6:])
        found.first = json.dumps(user.model.requests[0], ensure_ascii=False)
    finally:
        model.close()
    return found


def _names(rows):
    return Counter(row["hook_event_name"] for row in rows)


def test_installed_but_not_enabled_it_reports_nothing(life):
    assert life.unasked == (0, [])


def test_alone_it_reports_every_event_once(life):
    assert (life.alone[0], _names(life.alone[1])) == (0, ONCE)


def test_beside_the_hooks_of_setup_every_event_counts_once(life):
    assert (life.both[0], _names(life.both[1])) == (0, ONCE)
    states = life.user.states().values()
    assert [state["event_count"] for state in states] == [6, 6]
    assert [state["tool_event_count"] for state in states] == [2, 2]
    assert [state["harness"] for state in states] == ["claude", "claude"]


def test_beside_the_hooks_of_setup_a_session_is_told_once_of_the_last(life):
    assert life.first.count(CONTEXT) == 1


def test_setup_names_both(life):
    assert "wiki-sessions" in life.status
