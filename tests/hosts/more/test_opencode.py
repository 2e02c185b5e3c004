"""Sessions in a real OpenCode, with the plugin that our own setup installs."""

import json
import random
import subprocess
from types import SimpleNamespace

import pytest
from hostkit import CONTEXT, User, lived
from model_server import shell, text
from model_server_more import Completions
from program import CHECKOUT

pytestmark = pytest.mark.hosts

CLIENT = CHECKOUT / "tests/hosts/more/node_modules/.bin/opencode"
TOKEN = "gh" + "p_" + "".join(random.Random(13).choices("abcdefghijkmnpqrstuvwxyz23456789", k=36))
WORK = ["session.created", "chat.message", "tool.execute.after", "tool.execute.after", "session.idle"]
ENDED = "session_end"
LIMIT = 100_000


def _config(url):
    model = {"limit": {"context": LIMIT, "output": 4000}}
    options = {"baseURL": f"{url}/v1", "apiKey": "dummy"}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"stub-model": model}}
    return {
        "model": "stub/stub-model", "small_model": "stub/stub-model", "share": "disabled",
        "permission": "allow", "provider": {"stub": provider},
    }  # fmt: skip


class OpenCode(User):
    """One user of OpenCode in a Git project."""

    def __init__(self, base, model) -> None:
        if not CLIENT.exists():
            pytest.fail("the host client is missing: `make test-hosts-more` installs it")
        super().__init__(
            base, model, CLIENT,
            OPENCODE_DISABLE_AUTOUPDATE="1", OPENCODE_DISABLE_MODELS_FETCH="1", npm_config_fetch_retries="0",
        )  # fmt: skip
        folder = self.home / ".config/opencode"
        folder.mkdir(parents=True)
        (folder / "opencode.json").write_text(json.dumps(_config(model.url)))
        subprocess.run(["git", "init", "-q", str(self.work)], check=True)

    def prompt(self, words, phrase, script, *options):
        self.model.play(phrase, script)
        return self.run(str(CLIENT), "run", *options, *words.split())


def _names(rows):
    return [row["hook_event_name"] for row in rows]


def _work(turn, _results):
    return [shell(f"echo good {TOKEN}"), shell(f"cat missing-{TOKEN}"), text(f"Done. {TOKEN}")][min(turn, 2)]


def _stages(user):
    stages = {}

    def note(name, done, rows=0):
        assert done.exit == 0, (name, done)
        user.await_rows(rows)  # the last hook outlives the client
        stages[name] = SimpleNamespace(rows=user.rows(), states=user.states(), sent=user.sent(), done=done)
        stages[name].first = json.dumps(user.model.requests[:1], ensure_ascii=False)

    user.ok("setup", "opencode")
    note("before", user.prompt("please try the parser", "try the parser", _work))
    stages["before"].hub = (user.home / "wiki").exists()
    user.ok("capture", "notes", "--yes")
    words = f"No, that is wrong: always use the token {TOKEN} here"
    note("work", user.prompt(words, "always use the token", _work), 6)
    again = lambda *_: text("Going on.")  # noqa: E731 - the script of one turn

    def full(_turn, results):
        user.model.usage = 10 if "compacted" in stages else LIMIT
        stages["compacted"] = len(results)
        return text("Going on.")

    note("resumed", user.prompt("go on", "", full, "--continue"), 12)
    note("next", user.prompt("go on with the parser", "with the parser", again), 16)
    user.ok("capture", "off", "--yes")
    stages["files"] = {p: p.read_bytes() for p in user.sessions.rglob("*") if p.is_file()}
    note("off", user.prompt("go on with the parser", "with the parser", again))
    return stages


@pytest.fixture(scope="module")
def life(tmp_path_factory):
    model = Completions()
    return lived(OpenCode(tmp_path_factory.mktemp("opencode"), model), model, _stages)


def test_hooks_alone_capture_nothing_and_tell_nothing(life):
    assert not life.before.hub
    assert "llm-wiki" not in life.before.sent


def test_every_event_of_a_session_is_counted(life):
    assert _names(life.work.rows) == [*WORK, ENDED]
    (state,) = life.work.states.values()
    assert state["harness"] == "opencode"
    assert (state["event_count"], state["tool_event_count"], state["prompts"]) == (6, 2, 1)
    assert state["failures"] == [{"tool": "cat", "code": 1, "count": 1}]
    assert state["programs"] == {"cat": 1, "echo": 1}
    assert state["model"] == "stub/stub-model"


def test_a_session_that_is_continued_and_compacted_stays_one(life):
    assert list(life.resumed.states) == list(life.work.states)
    rows = life.resumed.rows[6:]
    assert _names(rows) == [*WORK[:2], "PreCompact", "session.compacted", "session.idle", ENDED]
    assert rows[0]["trigger_detail"] == "resume"


def test_the_first_session_is_told_nothing_and_the_next_of_the_last_once(life):
    assert CONTEXT not in life.work.sent
    (known,) = life.resumed.states
    assert life.next.first.count(CONTEXT) == 1
    assert f"opencode:{known}" in life.next.first
    assert "1 failed cat run" in life.next.first


def test_the_prompt_for_the_title_is_told_nothing(life):
    titles = [body for body in json.loads(life.next.sent) if not body.get("tools")]
    assert titles
    assert CONTEXT not in json.dumps(titles, ensure_ascii=False)


def test_a_planted_token_is_nowhere_on_disk(life):
    assert TOKEN in life.work.sent
    assert TOKEN.encode() not in life.user.written()
    assert TOKEN[4:].encode() not in life.user.written()


def test_with_capture_off_nothing_is_written_and_nothing_told(life):
    assert "llm-wiki" not in life.off.sent
    assert {p: p.read_bytes() for p in life.user.sessions.rglob("*") if p.is_file()} == life.files


def test_no_hook_reported_an_error(life):
    assert not (life.user.sessions / "hook-errors.log").exists()
