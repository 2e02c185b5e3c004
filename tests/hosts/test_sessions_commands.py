"""`/wiki:session`, `/wiki:feedback` and `/wiki:ll` in a real Claude Code: what they say is done, and no more."""

import json
import random
import shutil

import pytest
from hostkit import Host
from model_server import Model, shell, text, tool_results
from program import CHECKOUT, contents, tree

pytestmark = pytest.mark.hosts

TOPIC = "agent-memory"
TOKEN = "gh" + "p_" + "".join(random.Random(17).choices("abcdefghijkmnpqrstuvwxyz23456789", k=36))
NOTE = f"""## A timeout that was a wrong host name

- Category: environment
- Context: uploading with the token {TOKEN} from /home/ada/secret-project
- Symptom: the upload waited two minutes
- Cause: the host name had a typing error
- Fix: corrected the name
- Rule: when an upload waits, look up the host name first
"""


@pytest.fixture(scope="module")
def user(tmp_path_factory):
    """A user with the example hub, the plugin, captured notes and one candidate of feedback."""
    model = Model()
    host = Host(tmp_path_factory.mktemp("commands"), model)
    shutil.copytree(CHECKOUT / "wikis/example", host.home / "wiki")
    host.install()
    host.ok("capture", "notes", "--yes")
    host.ok("feedback", "capture", "--text", f"Always use tabs, never the token {TOKEN}.")
    yield host
    model.close()


def _steps(*commands):
    """Run shell commands one after the other, then print what the last of them said."""

    def script(turn, results):
        return shell(commands[turn]) if turn < len(commands) else text(results[-1])

    return script


def _results(user):
    return tool_results(user.model.requests[-1])


def test_session_status_says_the_level_and_changes_nothing(user):
    before = tree(user.home / "wiki")
    done = user.prompt("/wiki:session status", "wiki:session", _steps("llm-wiki session status"))
    assert done.exit == 0, done
    assert "notes" in done.out
    assert "1 feedback candidate" in done.out
    assert "llm-wiki session WORD" in user.sent()  # the prompt did arrive
    assert tree(user.home / "wiki") == before


def test_enabling_shows_what_is_stored_and_waits_for_a_yes(user):
    user.ok("capture", "off", "--yes")
    before = tree(user.home / "wiki")
    done = user.prompt("/wiki:session enable", "wiki:session", _steps("llm-wiki session enable"))
    assert done.exit == 0, done
    assert "It never stores" in done.out
    assert "Exit code 4" in _results(user)[0]
    assert tree(user.home / "wiki") == before
    user.ok("capture", "notes", "--yes")


def test_feedback_lists_what_waits_and_a_decision_of_the_agent_is_refused_with_the_line_to_show(user):
    before = tree(user.home / "wiki")
    candidate = json.loads(user.ok("feedback", "list", "--json").out)["feedback_candidates"][0]["id"]
    script = _steps(
        "llm-wiki feedback list --unpromoted",
        f"llm-wiki review show {candidate}",
        f"llm-wiki feedback promote {candidate} --topic {TOPIC}",
        f"llm-wiki review yes {candidate} --topic {TOPIC}",
        f"llm-wiki feedback reject {candidate}",
    )
    # beyond the command's own list of tools: refused by the program itself, not only by the host
    done = user.prompt("/wiki:feedback", "wiki:feedback", script, "--allowedTools", "Bash(llm-wiki:*)", "--")
    assert done.exit == 0, done
    listed, shown, *decided = _results(user)
    assert candidate in listed
    assert "Always use tabs" in shown
    assert TOKEN not in listed + shown
    for said in decided:
        assert "Exit code 4" in said, said
        assert f"{candidate}" in said
    assert "llm-wiki feedback promote" in decided[0] or "llm-wiki review yes" in decided[0]
    assert tree(user.home / "wiki") == before


def test_the_host_offers_the_command_no_decision(user):
    before = tree(user.home / "wiki")
    candidate = json.loads(user.ok("feedback", "list", "--json").out)["feedback_candidates"][0]["id"]
    script = _steps(f"llm-wiki feedback promote {candidate} --topic {TOPIC}")
    assert user.prompt("/wiki:feedback", "wiki:feedback", script).exit == 0
    assert "Exit code 4" not in _results(user)[0]  # the host asks first; nobody is there to say yes
    assert tree(user.home / "wiki") == before


def _note(verb, note=NOTE):
    return f"{verb} <<'END-OF-NOTE'\n{note}\nEND-OF-NOTE"


def test_a_dry_run_of_lessons_leaves_the_tree_as_it_is(user):
    before = contents(user.home / "wiki")
    script = _steps(
        "llm-wiki resolve --need 0.1.0 --json",
        _note("llm-wiki redact --stdin"),
        f"llm-wiki search --wiki {TOPIC} -- 'upload host name'",
        _note(f"llm-wiki raw add - --wiki {TOPIC} --title 'LL: A wrong host name' --dry-run"),
        _note("llm-wiki redact --stdin"),
    )
    done = user.prompt(f"/wiki:ll --dry-run --wiki {TOPIC}", "wiki:ll", script)
    assert done.exit == 0, done
    assert "look up the host name first" in done.out
    assert TOKEN in user.sent()  # it was in the conversation
    assert TOKEN not in "".join(_results(user))
    assert contents(user.home / "wiki") == before


def test_lessons_become_one_note_without_the_token_of_the_conversation(user):
    before = contents(user.home / "wiki")
    add = (
        f"llm-wiki raw add - --wiki {TOPIC} --type notes --title 'LL: A wrong host name' "
        "--field lesson_kind=lessons-learned --field lesson_count=1 --json"
    )

    def script(turn, results):
        calls = [lambda: _note("llm-wiki redact --stdin"), lambda: _note(add, results[0])]
        return shell(calls[turn]()) if turn < 2 else text("kept")

    done = user.prompt(f"/wiki:ll --wiki {TOPIC}", "wiki:ll", script)
    assert done.exit == 0, done
    admitted = json.loads(_results(user)[1])
    rel = admitted["path"]
    assert rel.startswith("raw/notes/")
    assert rel.partition("-ll-")[2] == "a-wrong-host-name.md"
    note = (user.home / f"wiki/topics/{TOPIC}/{rel}").read_text()
    assert "lesson_kind: lessons-learned" in note
    assert "look up the host name first" in note
    assert "/home/ada" not in note
    assert TOKEN.encode() not in user.written()
    changed = {name for name, data in contents(user.home / "wiki").items() if before.get(name) != data}
    assert {name for name in changed if "/wiki/" in name.removeprefix("wiki/")} == set()
    user.ok("undo", "--wiki", TOPIC)
