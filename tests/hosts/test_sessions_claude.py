"""Sessions in a real Claude Code, with the hooks that our own setup installs.

A client takes seconds to start, so one user's life is lived once and looked at from many sides.
"""

import json
import random
import re
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from hostkit import CONTEXT, Host, lived, work
from model_server import Model, call, shell, text

pytestmark = pytest.mark.hosts

TOKEN = "gh" + "p_" + "".join(random.Random(7).choices("abcdefghijkmnpqrstuvwxyz23456789", k=36))
WORK = ["SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd"]
COMPACTED = ["SessionStart", "PreCompact", "SessionStart", "PostCompact", "SessionEnd"]


def _names(rows):
    return [row["hook_event_name"] for row in rows]


def _bytes(user):
    return {path: path.read_bytes() for path in user.sessions.rglob("*") if path.is_file()}


INNER = "No, that is wrong: from now on always run the inner errand"


def _is_inner(body):
    opening = json.dumps(body["messages"][:2])
    return INNER in opening and "outer errand" not in opening


def _errand(user):
    """Send a subagent, which runs one command; either answers once what it did is counted."""
    started = len(user.rows())

    def script(turn, _results):
        if _is_inner(user.model.requests[-1]):
            if turn == 0:
                return shell("echo inner")
            user.await_rows(started + 3)
            return text("Inner done.")
        if turn == 0:
            return call("Agent", description="errand", prompt=INNER, subagent_type="general-purpose")
        user.await_rows(started + 4)
        return text("Outer done.")

    return script


def _stages(user):
    """Live through a user's sessions; return what each left and what the model was sent in it."""
    stages = {}

    def note(name, done):
        assert done.exit == 0, (name, done)
        stages[name] = SimpleNamespace(rows=user.rows(), states=user.states(), sent=user.sent(), out=done.out)
        stages[name].first = json.dumps(user.model.requests[:1], ensure_ascii=False)

    user.ok("setup", "claude")
    note("before", user.prompt("please try the parser", "try the parser", lambda *_: text("Done.")))
    stages["before"].hub = (user.home / "wiki").exists()
    user.ok("capture", "notes", "--yes")
    words = f"No, that is wrong: always use the token {TOKEN} here"
    note("work", user.prompt(words, "always use the token", work(user, TOKEN)))
    note("resumed", user.prompt("go on", "", lambda *_: text(f"Going on with {TOKEN}."), "--continue"))
    summary = f"<summary>All of it, and {TOKEN}.</summary>"
    note("compacted", user.prompt("/compact", "", lambda *_: text(summary), "--continue"))
    note("next", user.prompt("go on with the parser", "with the parser", lambda *_: text("Done.")))

    started = len(user.rows())

    def both(turn, _results):
        if turn < 2:
            return [shell("echo good"), shell("echo more")][turn]
        user.await_rows(started + 8)  # either answer waits for the other's tools: they do overlap
        return text("Done.")

    user.model.play("parser", both)
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda n: user.claude("-p", f"please try the parser {n}"), range(2)))
    note("parallel", done[0])
    note("parallel", done[1])
    done = user.prompt(
        "please run the outer errand", "", _errand(user), "--allowedTools", "Bash", "Agent", "--"
    )
    note("errand", done)
    stages["errand"].inner = [body for body in user.model.requests if _is_inner(body)]
    user.ok("capture", "off", "--yes")
    stages["files"] = _bytes(user)
    note("off", user.prompt("go on with the parser", "with the parser", lambda *_: text("Done.")))
    return stages


@pytest.fixture(scope="module")
def life(tmp_path_factory):
    model = Model()
    return lived(Host(tmp_path_factory.mktemp("life"), model), model, _stages)


def test_hooks_alone_capture_nothing_and_tell_nothing(life):
    assert not life.before.hub
    assert life.before.rows == []
    assert "llm-wiki" not in life.before.sent


def test_every_event_of_a_session_is_counted(life):
    assert sorted(_names(life.work.rows)) == sorted(WORK)
    (state,) = life.work.states.values()
    assert state["harness"] == "claude"
    assert (state["event_count"], state["tool_event_count"], state["prompts"]) == (6, 2, 1)
    assert state["failures"] == [{"tool": "cat", "code": 1, "count": 1}]
    assert state["programs"] == {"cat": 1, "echo": 1}


def test_a_session_that_is_continued_and_compacted_stays_one(life):
    rows = life.compacted.rows
    assert len({row["native_session_id"] for row in rows}) == 1
    assert _names(rows)[6:] == ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd", *COMPACTED]
    starts = [row["trigger_detail"] for row in rows if row["hook_event_name"] == "SessionStart"]
    assert starts == ["startup", "resume", "resume", "compact"]
    (state,) = life.compacted.states.values()
    assert state["compactions"] == 1
    digest = (life.user.home / "wiki" / state["last_digest_path"]).read_text()
    assert "`/compact`" not in digest
    assert "1 failed cat run" in digest


def test_the_first_session_is_told_nothing_and_the_next_of_the_last_once(life):
    assert CONTEXT not in life.work.sent
    (known,) = life.compacted.states
    assert len(re.findall(CONTEXT, life.next.first)) == 1
    assert f"claude:{known}" in life.next.first
    assert "1 failed cat run" in life.next.first
    assert len(life.next.states) == 2


def test_a_planted_token_is_nowhere_on_disk(life):
    for stage in (life.work, life.resumed, life.compacted):
        assert TOKEN in stage.sent  # the host had it in every prompt, call, answer and summary
    assert TOKEN.encode() not in life.user.written()
    assert TOKEN[4:].encode() not in life.user.written()


def test_two_sessions_at_once_stay_apart(life):
    new = [state for name, state in life.parallel.states.items() if name not in life.next.states]
    assert len(new) == 2
    for state in new:
        own = [row for row in life.parallel.rows if row["native_session_id"] == state["native_session_id"]]
        assert _names(own) == [*WORK[:2], "PostToolUse", "PostToolUse", *WORK[4:]]
        assert (state["event_count"], state["tool_event_count"], state["prompts"]) == (6, 2, 1)


def test_a_subagent_counts_with_its_session_is_told_nothing_and_gives_no_feedback(life):
    rows = life.errand.rows[len(life.parallel.rows) :]
    assert len({row["native_session_id"] for row in rows}) == 1
    names = _names(rows)
    assert names == [*WORK[:2], "PostToolUse", "PostToolUse", *WORK[4:]]
    assert [bool(row.get("agent_id")) for row in rows] == [False, False, True, False, False, False]
    assert CONTEXT in life.errand.first
    assert len(life.errand.inner) == 2
    assert CONTEXT not in json.dumps(life.errand.inner, ensure_ascii=False)
    candidates = life.user.sessions / "feedback/candidates.jsonl"
    assert "inner errand" not in candidates.read_text()


def test_with_capture_off_nothing_is_written_and_nothing_told(life):
    assert CONTEXT not in life.off.sent
    assert "llm-wiki" not in life.off.sent
    assert _bytes(life.user) == life.files


def test_no_hook_reported_an_error(life):
    assert not (life.user.sessions / "hook-errors.log").exists()


def test_setup_is_taken_back_to_the_byte(host):
    settings = host.home / ".claude/settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text('{\n    "model": "claude-opus-4-8",\n    "hooks": {}\n}\n')
    before = settings.read_bytes()
    host.ok("setup", "claude")
    assert settings.read_bytes() != before
    first = settings.read_bytes()
    host.ok("setup", "claude")
    assert settings.read_bytes() == first
    host.ok("setup", "--remove", "claude")
    assert settings.read_bytes() == before
