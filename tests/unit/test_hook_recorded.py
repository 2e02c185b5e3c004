"""Recorded payloads of real hosts go through the hook's functions without one exception."""

import io
import json
from pathlib import Path

import pytest

from llm_wiki.core.project import identify
from llm_wiki.hook import event as handling
from llm_wiki.hook import incoming, names, payload, rows
from llm_wiki.hook import options as flags
from llm_wiki.hook import settings as switch
from llm_wiki.hook.store import Store

DATA = Path(__file__).parent / "data" / "hosts"
RECORDED = {
    host: [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text().splitlines()]
    for host, name in {"claude": "claude-code-hook-payloads", "codex": "codex-hook-payloads"}.items()
}
EVERY = [(host, number, item) for host, items in RECORDED.items() for number, item in enumerate(items)]


@pytest.mark.parametrize(("host", "number", "given"), EVERY, ids=lambda value: str(value)[:12])
def test_each_recorded_payload_names_its_host(host, number, given):
    if set(given) <= {"session_id", "transcript_path", "cwd", "hook_event_name", "reason"}:
        pytest.skip("the path alone names the host") if not given["transcript_path"] else None
    assert names.harness_of(given, "auto") == host


@pytest.mark.parametrize("host", RECORDED)
def test_recorded_runs_become_sessions_of_their_host(host, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    store = Store(str(tmp_path / "wiki" / ".sessions"))
    settings = switch.settle({"enabled": True}, "")
    for second, given in enumerate(RECORDED[host]):
        monkeypatch.setenv("LLM_WIKI_NOW", f"2026-11-30T{10 + second // 6}:{second % 6}0:00Z")
        received = incoming.receive(io.BytesIO(json.dumps(given).encode()))
        handling.handle(flags.parse(["--harness", "auto"]), store.root, settings, received)
    found = {given["session_id"] for given in RECORDED[host]}
    states = [store.state(host, native) for native in found]
    assert None not in states
    assert sum(state["event_count"] for state in states) == len(RECORDED[host])
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"please run the tool" not in written
    assert b"Done." not in written


EVENTS = {
    "SessionStart": "session_start", "session.created": "session_start", "session_start": "session_start",
    "USERPROMPTSUBMIT": "user_prompt", "userPromptSubmitted": "user_prompt", "chat.message": "user_prompt",
    "input": "user_prompt", "PermissionRequest": "tool_pre", "tool.execute.before": "tool_pre",
    "tool_execute_after": "tool_post", "tool_result": "tool_post", "PostToolUseFailure": "tool_fail",
    "session_before_compact": "pre_compact", "session.compacted": "post_compact", "session.idle": "stop",
    "agent_settled": "stop", "StopFailure": "stop", "session_shutdown": "session_end", "AfterAgent": "session_end",
    "SubagentStop": "subagent_stop", "CwdChanged": "other", "Notification": "other", "": "other",
}  # fmt: skip


@pytest.mark.parametrize(("name", "kind"), EVENTS.items())
def test_events_are_known_by_every_name_hosts_give_them(name, kind):
    assert names.canonical(name) == kind


SHAPES = [
    ({"transcript_path": "/h/.claude/projects/-p/x.jsonl"}, "claude"),
    ({"prompt_id": "1"}, "claude"),
    ({"effort": {"level": "high"}, "turn_id": "2"}, "claude"),
    ({"turn_id": "2", "model": "m"}, "codex"),
    ({"transcript_path": "/h/.codex/sessions/2026/11/30/rollout-2026-x.jsonl"}, "codex"),
    ({"sessionId": "a", "timestamp": 1764500000000}, "copilot"),
    ({"session_id": "a", "hook_event_name": "Stop", "timestamp": "2026-11-30T10:00:00Z"}, "copilot"),
    ({"sessionID": "x"}, "opencode"),
    ({"session_id": "ses_dd29"}, "opencode"),
    ({"transcript_path": "/h/.pi/agent/sessions/--home-u--/1_x.jsonl"}, "pi"),
    ({"hook_event_name": "PreCompress"}, "gemini"),
    ({"permission_mode": "default"}, "claude"),
    ({"permission_mode": "default", "model": "m"}, "codex"),
    ({"session_id": "a"}, "unknown"),
]


@pytest.mark.parametrize(("given", "host"), SHAPES)
def test_a_payload_names_its_host_by_its_shape(given, host, monkeypatch):
    monkeypatch.setenv("PLUGIN_ROOT", "/x")  # a variable of a host decides nothing
    monkeypatch.delenv("LLM_WIKI_HARNESS", raising=False)
    assert names.harness_of(given, "auto") == host


def test_a_given_host_goes_before_every_shape(monkeypatch):
    monkeypatch.setenv("LLM_WIKI_HARNESS", "pi")
    assert names.harness_of({"prompt_id": "1"}, "") == "pi"
    assert names.harness_of({"prompt_id": "1"}, "codex") == "codex"
    assert names.harness_of({"prompt_id": "1"}, "../../x") == "x"


COMMANDS = {
    "cd src && pytest -q | tail -3": ["cd", "pytest", "tail"],
    "FOO=bar /usr/bin/python3 x.py; echo 'a; b && c'": ["python3", "echo"],
    "sudo env A=1 make -j2 || true": ["make", "true"],
    "cat <<EOF\nrm -rf /\nEOF": ["cat"],
    "if [ -f x ]; then git status; fi": ["[", "git"][1:],
    "echo ghp": ["echo"],
    "": [],
    "   ": [],
    "'unclosed; rm": [],
    "a b\nc d": ["a", "c"],
    "ls; ls; ls": ["ls"],
}  # fmt: skip


@pytest.mark.parametrize(("command", "found"), COMMANDS.items())
def test_of_a_command_only_program_names_are_kept(command, found):
    assert payload.programs(command) == found


def test_files_are_shown_below_the_project_and_elsewhere_by_name(tmp_path):
    root = identify(tmp_path).root
    assert payload.shown_path(f"{root}/src/a.py", root, root) == "src/a.py"
    assert payload.shown_path("src/a.py", root, root) == "src/a.py"
    assert payload.shown_path("/home/someone/private/b.txt", root, root) == "b.txt"
    assert payload.shown_path("../up.txt", root, root) == "up.txt"


def test_a_patch_names_the_files_it_writes(tmp_path):
    given = {"tool_name": "apply_patch", "cwd": str(tmp_path),
             "tool_input": {"command": "*** Begin Patch\n*** Add File: a.md\n+x\n*** Update File: b/c.py\n"}}  # fmt: skip
    facts = payload.tool_facts(given, failed=False, root=str(tmp_path), strict=False)
    assert facts.files == (("a.md", "write"), ("b/c.py", "write"))
    assert facts.programs == ()


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"error": "Exit code 3\nno"}, 3),
        ({"tool_response": "Exit code: 0\nWall time"}, 0),
        ({"tool_response": {"metadata": {"exit": 2}}}, 2),
        ({"output": {"exit_code": 1}}, 1),
        ({"tool_response": "done"}, None),
        ({}, None),
    ],
)
def test_an_exit_code_is_read_where_a_host_puts_it(given, code):
    assert payload.tool_facts(given, failed=False, root="/", strict=False).code == code


def row(**more):
    base = {"ts": "2026-11-30T10:00:00Z", "harness": "claude", "native_session_id": "a",
            "llm_wiki_session_id": "claude:a", "hook_event_name": "Stop"}  # fmt: skip
    return base | more


def test_a_state_follows_from_its_rows_and_heals_wrong_types():
    state = rows.new_state(row())
    for key in ("last_events", "tools", "files", "failures", "event_count", "recent_marks", "topics"):
        state[key] = "damaged"
    rows.fold(
        state, row(kind="tool_post", tool_name="Bash", programs=["ls"], files=[["a", "write"]], topics=["x"])
    )
    rows.fold(state, row(kind="tool_fail", tool_name="Bash", exit_code=2))
    assert state["tools"] == {"Bash": 2}
    assert state["failures"] == [{"tool": "Bash", "code": 2, "count": 1}]
    assert (state["event_count"], state["tool_event_count"], state["topics"]) == (2, 2, ["x"])


def test_a_row_of_an_older_tool_is_folded_by_its_event_name():
    state = rows.new_state(row())
    rows.fold(state, row(hook_event_name="PostToolUse", tool_name="Bash"))
    assert state["tool_event_count"] == 1
