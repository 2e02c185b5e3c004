"""Sessions in a real Codex CLI, with the hooks that our own setup installs."""

import json
import random
import shutil
import subprocess
from types import SimpleNamespace

import pytest
from hostkit import CONTEXT, User, lived
from model_server import shell, text
from model_server_more import Responses
from program import CHECKOUT

pytestmark = pytest.mark.hosts

CLIENT = CHECKOUT / "tests/hosts/more/node_modules/.bin/codex"
TOKEN = "gh" + "p_" + "".join(random.Random(11).choices("abcdefghijkmnpqrstuvwxyz23456789", k=36))
TRUSTED = "--dangerously-bypass-hook-trust"
WORK = ["SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUse", "Stop", "SessionEnd"]
CONFIG = """model = "stub-model"
model_provider = "stub"
approval_policy = "never"
sandbox_mode = "danger-full-access"

[analytics]
enabled = false

[model_providers.stub]
name = "stub"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "STUB_KEY"
"""


class Codex(User):
    """One user of Codex in a Git project."""

    def __init__(self, base, model) -> None:
        if not CLIENT.exists():
            pytest.fail("the host client is missing: `make test-hosts-more` installs it")
        super().__init__(base, model, CLIENT, STUB_KEY="dummy")
        (self.home / ".codex").mkdir()
        (self.home / ".codex/config.toml").write_text(CONFIG.format(url=model.url))
        subprocess.run(["git", "init", "-q", str(self.work)], check=True)

    def prompt(self, words, phrase, script, *options, resume=False):
        self.model.play(phrase, script)
        form = ["exec", "resume", "--last"] if resume else ["exec"]
        return self.run(str(CLIENT), *form, *options, words)


def _names(rows):
    return [row["hook_event_name"] for row in rows]


def _work(turn, _results):
    return [shell(f"echo good {TOKEN}"), shell(f"cat missing-{TOKEN}"), text(f"Done. {TOKEN}")][min(turn, 2)]


def _stages(user):
    stages = {}

    def note(name, done):
        assert done.exit == 0, (name, done)
        stages[name] = SimpleNamespace(rows=user.rows(), states=user.states(), sent=user.sent(), done=done)
        stages[name].first = json.dumps(user.model.requests[:1], ensure_ascii=False)

    user.ok("setup", "codex")
    note("before", user.prompt("please try the parser", "try the parser", _work, TRUSTED))
    stages["before"].hub = (user.home / "wiki").exists()
    user.ok("capture", "notes", "--yes")
    note("untrusted", user.prompt("please try the parser", "try the parser", _work))
    words = f"No, that is wrong: always use the token {TOKEN} here"
    note("work", user.prompt(words, "always use the token", _work, TRUSTED))
    again = lambda *_: text("Going on.")  # noqa: E731 - the script of one turn
    note("resumed", user.prompt("go on", "", again, TRUSTED, resume=True))

    def full(turn, results):
        # two prompts before, two tool results; the first call fills the window, the next goes on
        user.model.usage = 200_000 if len(results) == 2 else 10
        return shell("echo once more") if len(results) == 2 else text("Going on.")

    limit = ("-c", "model_auto_compact_token_limit=1000")
    note("compacted", user.prompt("once more", "", full, TRUSTED, *limit, resume=True))
    note("next", user.prompt("go on with the parser", "with the parser", again, TRUSTED))
    user.ok("capture", "off", "--yes")
    stages["files"] = {p: p.read_bytes() for p in user.sessions.rglob("*") if p.is_file()}
    note("off", user.prompt("go on with the parser", "with the parser", again, TRUSTED))
    return stages


@pytest.fixture(scope="module")
def life(tmp_path_factory):
    model = Responses()
    return lived(Codex(tmp_path_factory.mktemp("codex"), model), model, _stages)


def test_hooks_alone_capture_nothing_and_tell_nothing(life):
    assert not life.before.hub
    assert "llm-wiki" not in life.before.sent


def test_untrusted_hooks_do_not_run(life):
    assert life.untrusted.rows == []


def test_every_event_of_a_session_is_counted(life):
    assert _names(life.work.rows) == WORK
    (state,) = life.work.states.values()
    assert state["harness"] == "codex"
    assert (state["event_count"], state["tool_event_count"], state["prompts"]) == (6, 2, 1)
    assert state["programs"] == {"cat": 1, "echo": 1}
    assert state["model"] == "stub-model"


def test_a_session_that_is_resumed_stays_one(life):
    assert list(life.resumed.states) == list(life.work.states)
    assert _names(life.resumed.rows)[6:] == ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"]
    assert life.resumed.rows[6]["trigger_detail"] == "resume"


def test_a_session_whose_window_is_full_is_compacted_and_stays_one(life):
    assert list(life.compacted.states) == list(life.work.states)
    rows = life.compacted.rows[10:]
    names = [*WORK[:3], "PreCompact", "PostCompact", "SessionStart", *WORK[4:]]
    assert _names(rows) == names
    assert [row["trigger_detail"] for row in rows if row["hook_event_name"] == "SessionStart"] == [
        "resume",
        "compact",
    ]
    (state,) = life.compacted.states.values()
    assert state["compactions"] == 1


def test_a_failing_command_is_not_known_as_one(life):
    """The host says nothing of exit codes; what it does not say is not counted."""
    (state,) = life.work.states.values()
    assert state.get("failures", []) == []


def test_the_first_session_is_told_nothing_and_the_next_of_the_last_once(life):
    assert CONTEXT not in life.work.sent
    (known,) = life.compacted.states
    assert life.next.first.count(CONTEXT) == 1
    assert f"codex:{known}" in life.next.first


def test_a_planted_token_is_nowhere_on_disk(life):
    assert TOKEN in life.work.sent
    assert TOKEN.encode() not in life.user.written()
    assert TOKEN[4:].encode() not in life.user.written()


def test_with_capture_off_nothing_is_written_and_nothing_told(life):
    assert "llm-wiki" not in life.off.sent
    assert {p: p.read_bytes() for p in life.user.sessions.rglob("*") if p.is_file()} == life.files


def test_no_hook_reported_an_error(life):
    assert not (life.user.sessions / "hook-errors.log").exists()


def test_setup_is_taken_back_to_the_byte(tmp_path):
    model = Responses()
    try:
        user = Codex(tmp_path, model)
        config = (user.home / ".codex/config.toml").read_bytes()
        user.ok("setup", "codex")
        assert (user.home / ".codex/hooks.json").exists()
        user.ok("setup", "--remove", "codex")
        assert not (user.home / ".codex/hooks.json").exists()
        assert (user.home / ".codex/config.toml").read_bytes() == config
        shutil.rmtree(user.home / ".codex")
    finally:
        model.close()
