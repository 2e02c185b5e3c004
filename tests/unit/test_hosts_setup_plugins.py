"""The code that runs inside OpenCode, pi and omp: it tells the hook what happened and never gets in the way.

The handlers are called as the hosts call them; events of OpenCode are those a real one sent (version 1.18.33).
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from llm_wiki.hosts.setup import wanted
from llm_wiki.hosts.setup.program import Program
from llm_wiki.hosts.setup.table import HOSTS

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node runs the plugins")
DRIVER = Path(__file__).parents[1] / "host_driver.mjs"
RECORDED = [
    json.loads(line)
    for line in (Path(__file__).parent / "data/hosts/opencode-events.jsonl").read_text().splitlines()
]
END = {"hook": "dispose"}
STUB = """#!/bin/sh
payload=$(cat)
printf '%s\\t%s\\n' "$*" "$payload" >> '{log}'
case "$payload" in *'"{speaks}"'*) printf 'Earlier: seven edits.\\n' ;; esac
{more}
"""


class Stage:
    """A hook that only notes what it is sent, and a host to play."""

    def __init__(self, base):
        self.log = base / "sent.tsv"
        self.hook = base / "llm-wiki-hook"
        self.base = base
        self.stub()

    def stub(self, *, speaks="session.created", more=""):
        self.hook.write_text(STUB.format(log=self.log, speaks=speaks, more=more))
        self.hook.chmod(0o755)

    def play(self, mode, steps, *, generation=1, monkeypatch=None):
        host = HOSTS["pi" if mode == "pi" else "opencode"]
        if monkeypatch:
            monkeypatch.setattr(wanted, "generation", lambda: generation)
        plugin = self.base / "plugin.mjs"
        plugin.write_bytes(wanted.whole(host, Program(str(self.hook), "")))
        script = self.base / "script.jsonl"
        script.write_text("".join(json.dumps(step) + "\n" for step in steps))
        done = subprocess.run(
            [NODE, str(DRIVER), str(plugin), str(script), mode],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        self.said = json.loads(done.stdout)
        assert not [step for step in self.said if {"threw", "unhandled", "uncaught"} & set(step)], self.said
        return self.sent()

    def sent(self):
        if not self.log.exists():
            return []
        rows = [line.split("\t", 1) for line in self.log.read_text().splitlines()]
        return [(args, json.loads(payload)) for args, payload in rows]

    def pushed(self):
        return [
            step for step in self.said if step.get("value") and "system.transform" in step.get("hook", "")
        ]


@pytest.fixture
def stage(tmp_path):
    return Stage(tmp_path)


def _names(sent):
    return [payload["hook_event_name"] for _, payload in sent]


def _run(name):
    return [step for step in RECORDED if step["run"] == name]


def test_a_recorded_session_of_opencode_arrives_in_order_with_what_the_hook_wants(stage):
    sent = stage.play("opencode1", _run("good"))
    assert {args for args, _ in sent} == {"--harness opencode --emit text"}
    assert _names(sent) == [
        "session.created", "chat.message", "tool.execute.after", "session.idle", "session_end",
    ]  # fmt: skip
    start, prompt, tool, stop, end = (payload for _, payload in sent)
    assert len({payload["session_id"] for _, payload in sent}) == 1
    assert {payload["cwd"] for _, payload in sent} == {"/home/user/project"}
    assert start["source"] == "startup"
    assert prompt["prompt"] == '"please run the tool good"'
    assert prompt["model"] == "stub/stub-model"
    assert (tool["tool_name"], tool["tool_use_id"], tool["exit_code"]) == ("bash", "call_2", 0)
    assert tool["tool_input"]["command"] == "echo hi && ls"
    assert "agent_id" not in stop
    assert end["reason"] == "dispose"


def test_earlier_sessions_are_told_once_and_not_to_the_call_for_the_title(stage):
    stage.play("opencode1", _run("good"))
    calls = [step for step in stage.said if step["hook"] == "experimental.chat.system.transform"]
    assert [step["value"] for step in calls] == [[], ["Earlier: seven edits."], []]


TITLE = ["You are a title generator. You output ONLY a thread title. Nothing else."]
SUMMARY = ["You are summarizing a conversation for continuation by another agent."]


def _transform(*system, session="ses_a"):
    return {
        "hook": "experimental.chat.system.transform",
        "input": {"sessionID": session, "model": "m"},
        "output": {"system": list(system)},
    }


def _message(text, session="ses_a", number=1, **more):
    parts = [
        {"type": "text", "text": text},
        {"type": "text", "text": "added", "synthetic": True},
        {"type": "file"},
    ]
    return {
        "hook": "chat.message",
        "input": {"sessionID": session} | more,
        "output": {"message": {"id": f"msg_{session}_{number}"}, "parts": parts},
    }


def _event(kind, session="ses_a", **more):
    return {"hook": "event", "event": {"id": f"evt_{kind}_{session}", "type": kind, "properties": {"sessionID": session} | more}}  # fmt: skip


READY = {
    "hook": "experimental.chat.messages.transform",
    "input": {},
    "output": {"messages": [{"info": {"sessionID": "ses_a"}, "parts": []}]},
}
COMPACTING = {
    "hook": "experimental.session.compacting",
    "input": {"sessionID": "ses_a"},
    "output": {"context": []},
}
CALLS = {
    "title first, as a host does": [_transform(*TITLE), READY, _transform("main"), _transform("main")],
    "title in between": [READY, _transform(*TITLE), _transform("main")],
    "a title prompt of the user's own, first": [_transform("Name it"), READY, _transform("main")],
    "a host that shows no messages": [_transform("Name it"), _transform("main"), _transform("main")],
    "compaction first": [READY, COMPACTING, _transform("own words"), _event("session.compacted"), _transform("main")],
    "a summary that is not announced": [READY, _transform(*SUMMARY), _transform("main")],
}  # fmt: skip


@pytest.mark.parametrize("calls", CALLS.values(), ids=CALLS)
def test_only_the_first_call_that_does_the_work_gets_the_text(stage, calls):
    stage.play("opencode1", [_event("session.created", info={"id": "ses_a"}), _message("hi"), *calls])
    wanted_at = next(at for at, step in enumerate(calls) if step == _transform("main"))
    pushed = [step["value"] for step in stage.said if step["hook"] == "experimental.chat.system.transform"]
    before = sum(step["hook"] == "experimental.chat.system.transform" for step in calls[:wanted_at])
    assert pushed[before] == ["Earlier: seven edits."]
    assert [value for value in pushed if value] == [["Earlier: seven edits."]]


def test_a_session_that_is_taken_up_again_says_so_and_hears_the_prompts_answer(stage):
    stage.stub(speaks="chat.message")
    sent = stage.play("opencode1", [_message("hi"), READY, _transform("main")])
    assert _names(sent) == ["session.created", "chat.message"]
    assert sent[0][1]["source"] == "resume"
    assert sent[1][1]["prompt"] == "hi"
    assert [step["value"] for step in stage.pushed()] == [["Earlier: seven edits."]]


def test_what_a_subagent_does_is_reported_under_the_session_that_started_it(stage):
    sent = stage.play("opencode1", [*_run("task"), END])
    main, child = (
        next(step["event"]["properties"]["sessionID"] for step in _run("task") if _child(step) is wanted_)
        for wanted_ in (False, True)
    )
    assert {payload["session_id"] for _, payload in sent} == {main}
    of_child = [payload["hook_event_name"] for _, payload in sent if payload.get("agent_id") == child]
    assert of_child == ["SubagentStart", "chat.message", "SubagentStop"]
    assert "tool.execute.after" in _names(sent)


def _child(step):
    event = step.get("event", {})
    return "parentID" in event["properties"]["info"] if event.get("type") == "session.created" else None


def test_a_subagent_that_is_not_known_is_asked_for(stage):
    steps = [{"parents": {"ses_child": "ses_a"}}, _message("go on", "ses_child"), END]
    sent = stage.play("opencode1", steps)
    assert [(p["session_id"], p["agent_id"]) for _, p in sent] == [("ses_a", "ses_child")] * 2


@pytest.mark.parametrize("fault", ["throws", "rejects", "never answers", "is missing"])
def test_a_host_that_cannot_say_whose_session_it_is_loses_no_event(stage, fault):
    sent = stage.play("opencode1", [{"get": fault}, _message("hi"), END])
    assert _names(sent) == ["session.created", "chat.message", "session.idle", "session_end"]


def test_a_plugin_that_is_made_twice_tells_everything_once(stage):
    steps = [{"copies": 2}, *_run("good")]
    assert _names(stage.play("opencode1", steps)) == [
        "session.created", "chat.message", "tool.execute.after", "session.idle", "session_end",
    ]  # fmt: skip
    assert [step["value"] for step in stage.pushed()] == [["Earlier: seven edits."]]


@pytest.mark.parametrize("run", sorted({step["run"] for step in RECORDED}))
def test_every_recorded_scenario_passes_without_an_error(stage, run):
    for _, payload in stage.play("opencode1", [*_run(run), END]):
        assert payload["session_id"].startswith("ses_")
        assert payload["cwd"] == "/home/user/project"


def test_failures_files_and_patches_are_told_without_what_stands_in_them(stage):
    part = {"type": "tool", "tool": "edit", "callID": "c9", "sessionID": "ses_a",
            "state": {"status": "error", "error": "secret text", "input": {"filePath": "/p/a.py", "oldString": "secret text"}}}  # fmt: skip
    after = {"hook": "tool.execute.after", "output": {"content": [{"type": "text", "text": "secret text"}]}}
    patch = "*** Begin Patch\n*** Update File: a.py\n+secret text\n*** End Patch"
    sent = stage.play(
        "opencode1",
        [
            _event("message.part.updated", part=part),
            _event("message.part.updated", part=part),
            after | {"input": {"tool": "write", "sessionID": "ses_a", "callID": "c1", "args": {"filePath": "b.py", "content": "secret text"}}},
            after | {"input": {"tool": "apply_patch", "sessionID": "ses_a", "callID": "c2", "args": {"patchText": patch}}},
            after | {"input": {"tool": "x_y", "sessionID": "ses_a", "callID": "c3", "args": {"deep": {"a": 1}, "q": "z" * 99_999}}},
            END,
        ],
    )  # fmt: skip
    tools = {payload["tool_use_id"]: payload for _, payload in sent}
    assert tools["c9"]["hook_event_name"] == "PostToolUseFailure"
    assert tools["c9"]["tool_input"] == {"filePath": "/p/a.py"}
    assert tools["c1"]["tool_input"] == {"filePath": "b.py"}
    assert tools["c2"]["tool_input"]["command"].split("\n")[1] == "*** Update File: a.py"
    assert len(tools["c3"]["tool_input"]["q"]) < 10_000
    assert "secret text" not in stage.log.read_text()


HANGS_UNTIL = 5_000
WRONG_HOOKS = {
    "gone": None,
    "fails": "exit 3",
    "closes its ears": "exec 0<&-; exit 0",
    "is killed": "kill -9 $$",
    "hangs": "sleep 60",
}


@pytest.mark.parametrize("fault", WRONG_HOOKS.values(), ids=WRONG_HOOKS)
def test_no_fault_of_the_hook_reaches_the_host_or_holds_it_up(stage, fault):
    if fault is None:
        stage.hook.unlink()
    else:
        stage.hook.write_text(f"#!/bin/sh\n{fault}\n")
    stage.play("opencode1", _run("good"))
    for step in stage.said:
        assert not step.get("value")
        assert step["milliseconds"] < HANGS_UNTIL  # nobody waited until a hook that hangs was ended


NONSENSE = [
    {},
    {"sessionID": None},
    {"sessionID": 3},
    {"sessionID": "ses_a", "args": [1], "callID": {}},
]


@pytest.mark.parametrize("given", NONSENSE)
def test_events_of_another_shape_are_passed_over(stage, given):
    names = ("chat.message", "tool.execute.after", "experimental.session.compacting",
             "experimental.chat.messages.transform", "experimental.chat.system.transform")  # fmt: skip
    for output in ({}, {"parts": 3, "messages": [None], "system": "x", "metadata": 1}):
        steps = [{"hook": name, "input": given, "output": output} for name in names]
        events = [
            {"hook": "event", "event": event}
            for event in ({}, {"type": "session.idle"}, {"type": 3, "properties": given})
        ]
        stage.play("opencode1", [*steps, *events, END])  # fmt: skip


SECOND = [
    {"hook": "session.prompt", "event": {"sessionID": "ses_a", "messageID": "m1", "prompt": {"text": "do it"}}},
    {"hook": "session.context", "event": {"sessionID": "ses_a", "kind": "title", "system": []}},
    {"hook": "session.context", "event": {"sessionID": "ses_a", "kind": "primary", "system": [{"type": "text", "text": "main"}]}},
    {"hook": "session.context", "event": {"sessionID": "ses_a", "kind": "primary", "system": []}},
    {"hook": "tool.execute.after", "event": {"sessionID": "ses_a", "id": "c1", "tool": "bash", "input": {"command": "ls"}, "status": "completed", "result": {"metadata": {"exit": 0}}}},
    {"hook": "tool.execute.after", "event": {"sessionID": "ses_a", "id": "c2", "tool": "bash", "input": {"command": "ls"}, "status": "error", "error": {"message": "no"}}},
    {"hook": "session.compaction", "event": {"sessionID": "ses_a"}},
    {"hook": "session.prompt", "event": {"sessionID": "ses_child", "messageID": "m2", "prompt": {"text": "look"}}},
    {"hook": "cleanup"},
]  # fmt: skip


def test_the_plugin_of_the_second_generation_tells_the_same(stage, monkeypatch):
    steps = [{"parents": {"ses_child": "ses_a"}}, *SECOND]
    sent = stage.play("opencode2", steps, generation=2, monkeypatch=monkeypatch)
    assert _names(sent) == [
        "session.created", "chat.message", "tool.execute.after", "PostToolUseFailure", "PreCompact",
        "SubagentStart", "chat.message", "session.idle", "session_end",
    ]  # fmt: skip
    assert {payload["session_id"] for _, payload in sent} == {"ses_a"}
    assert [payload.get("agent_id") for _, payload in sent][5:7] == ["ses_child"] * 2
    told = [step["value"] for step in stage.said if step["hook"] == "session.context"]
    assert told == [[], [{"type": "text", "text": "Earlier: seven edits."}], []]


def _pi(*steps, omp=False):
    return [{"omp": omp}, *steps]


PI = [
    {"on": "session_start", "event": {"reason": "startup"}, "file": "/h/.pi/agent/sessions/--p--/1_s1.jsonl"},
    {"on": "before_agent_start", "event": {"prompt": "do it", "systemPrompt": "base"}},
    {"on": "tool_call", "event": {"toolName": "bash", "toolCallId": "c1", "input": {"command": "ls; false"}}},
    {"on": "tool_execution_end", "event": {"toolName": "bash", "toolCallId": "c1", "isError": True,
     "result": {"content": [{"type": "text", "text": "out\n\nCommand exited with code 1"}]}}},
    {"on": "tool_call", "event": {"toolName": "write", "toolCallId": "c2", "input": {"path": "a.py", "content": "secret text"}}},
    {"on": "tool_execution_end", "event": {"toolName": "write", "toolCallId": "c2", "isError": False, "result": {}}},
    {"on": "session_before_compact", "event": {"reason": "threshold"}},
    {"on": "session_compact", "event": {}},
    {"on": "agent_settled"},
    {"on": "agent_end"},
    {"on": "before_agent_start", "event": {"prompt": "again", "systemPrompt": "base\n\nEarlier: seven edits."}},
    {"on": "session_shutdown", "event": {"reason": "quit"}},
]  # fmt: skip


def test_an_extension_of_pi_tells_a_session_from_start_to_end(stage):
    stage.stub(speaks="session_start")
    sent = stage.play("pi", _pi(*PI))
    assert {args for args, _ in sent} == {"--harness pi --emit text"}
    assert _names(sent) == [
        "session_start", "input", "PostToolUseFailure", "tool_result", "session_before_compact",
        "session_compact", "agent_settled", "input", "session_shutdown",
    ]  # fmt: skip
    payloads = [payload for _, payload in sent]
    assert payloads[0]["transcript_path"].endswith("1_s1.jsonl")
    assert (payloads[2]["exit_code"], payloads[2]["tool_input"]) == (1, {"command": "ls; false"})
    assert payloads[3]["tool_input"] == {"path": "a.py"}
    assert "secret text" not in stage.log.read_text()


def test_a_start_of_pi_is_answered_with_the_text_and_no_other_event_changes_anything(stage):
    stage.stub(speaks="session_start")
    stage.play("pi", _pi(*PI))
    answers = [(step["on"], step["value"]) for step in stage.said if step["value"] is not None]
    assert answers == [
        ("session_start", {"systemPromptAppend": "Earlier: seven edits."}),
        ("before_agent_start", {"systemPrompt": "base\n\nEarlier: seven edits."}),
    ]


@pytest.mark.parametrize("system", ["base", ["base", "more"]])
def test_a_prompt_prompts_the_text_where_the_start_gave_none(stage, system):
    stage.stub(speaks="input")
    steps = [PI[0], {"on": "before_agent_start", "event": {"prompt": "x", "systemPrompt": system}}]
    stage.play("pi", _pi(*steps))
    value = stage.said[-1]["value"]["systemPrompt"]
    assert "".join(value) == (
        "base\n\nEarlier: seven edits." if system == "base" else "basemoreEarlier: seven edits."
    )


def test_a_reload_of_the_extension_is_no_end_and_forgets_nothing(stage):
    stage.stub(speaks="session_start")
    custom = {"messageType": "custom", "systemPrompt": "base"}
    steps = [
        {"on": "session_start", "event": {"reason": "startup"}},
        {"on": "session_shutdown", "event": {"reason": "reload"}},
        {"load": True},
        {"on": "before_agent_start", "event": custom},
        {"on": "session_shutdown", "event": {"reason": "quit"}},
    ]
    assert _names(stage.play("pi", _pi(*steps))) == ["session_start", "session_shutdown"]
    assert stage.said[2]["value"] == {"systemPrompt": "base\n\nEarlier: seven edits."}


def test_omp_is_told_from_pi_and_its_subagents_belong_to_the_session(stage):
    sub = {"kind": "sub", "id": "a7", "name": "explore", "depth": 1}
    steps = [
        {"on": "session_start", "event": {"reason": "startup"}, "agent": {"kind": "main", "id": "m"}},
        {"on": "session_start", "session": "s2", "agent": sub},
        {"on": "before_agent_start", "session": "s2", "agent": sub, "event": {"prompt": "look", "systemPrompt": ["b"]}},
        {"on": "agent_end", "session": "s2", "agent": sub},
        {"on": "session_shutdown", "session": "s2", "agent": sub},
        {"on": "session_switch", "session": "s3", "event": {"reason": "resume"}},
        {"on": "agent_end", "session": "s3"},
        {"on": "agent_settled", "session": "s3"},
        {"on": "session_shutdown", "session": "s3"},
    ]  # fmt: skip
    sent = stage.play("pi", _pi(*steps, omp=True))
    assert {args for args, _ in sent} == {"--harness omp --emit text"}
    assert [(p["hook_event_name"], p["session_id"], p.get("agent_id")) for _, p in sent] == [
        ("session_start", "s1", None),
        ("SubagentStart", "s1", "a7"),
        ("input", "s1", "a7"),
        ("SubagentStop", "s1", "a7"),
        ("session_start", "s3", None),
        ("agent_settled", "s3", None),
        ("session_shutdown", "s3", None),
    ]


@pytest.mark.parametrize("fault", WRONG_HOOKS.values(), ids=WRONG_HOOKS)
def test_no_fault_of_the_hook_reaches_pi(stage, fault):
    if fault is None:
        stage.hook.unlink()
    else:
        stage.hook.write_text(f"#!/bin/sh\n{fault}\n")
    stage.play("pi", _pi(*PI[:4], PI[-1]))
    assert all(step["value"] is None and step["milliseconds"] < HANGS_UNTIL for step in stage.said)


def test_the_program_a_plugin_runs_may_have_any_name(tmp_path):
    folder = tmp_path / 'a "b" \\ $HOME é'
    folder.mkdir()
    stage = Stage(tmp_path)
    stage.hook = folder / "llm-wiki-hook"
    stage.stub()
    assert _names(stage.play("opencode1", [_message("hi")])) == ["session.created", "chat.message"]
