"""The hook where hosts, folders and stored files are not as one expects: no event lost, nothing said in vain."""

import json
import os
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

import pytest
import yaml
from hookkit import CODE, PACKAGE, Desk


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


def started(desk, session="new", **more):
    return desk.hook(desk.event("SessionStart", session, source="startup"), **more).out


def finished(desk, session, **more):
    desk.hook(desk.tool(1, session), **more)
    desk.hook(desk.event("Stop", session), **more)


def no_constant(name):
    raise ValueError(name)


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity", b"1e999", b"9" * 5_000])
def test_a_number_that_json_does_not_have_costs_no_event_and_no_preview(desk, number):
    payload = b'{"session_id": "s1", "hook_event_name": "PostToolUse", "duration_ms": ' + number + b"}"
    assert desk.hook(payload, "--harness", "claude") == (0, "", "")
    (row,) = desk.queue()
    json.loads(row["payload_preview"], parse_constant=no_constant)


@pytest.mark.parametrize("key", ["cwd", "session_id", "tool_name", "tool_use_id", "transcript_path"])
def test_half_a_surrogate_pair_costs_no_event(desk, key):
    value = "/h/.claude/projects/-p/\ud800.jsonl" if key == "transcript_path" else "/x/a\ud800b"
    for name in ("PostToolUse", "Stop"):
        event = desk.tool(1) | {"hook_event_name": name, "tool_use_id": name, key: value}
        assert desk.hook(event, "--harness", "claude") == (0, "", "")
    (path,) = desk.states()
    assert json.loads(path.read_text())["event_count"] == 2
    assert desk.log() == ""


def test_a_folder_that_was_removed_costs_no_event(desk):
    gone = desk.project / "gone"
    gone.mkdir()
    script = f'cd "$1" && rmdir "$1" && exec {sys.executable} -c "$2" {PACKAGE}'
    done = subprocess.run(
        ["sh", "-c", script, "sh", str(gone), CODE],
        input=json.dumps(desk.tool(1)).encode(), capture_output=True, env=desk.environment(), check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(desk.queue()) == 1


def waiting(desk, data):
    """Start the hook with a pipe that stays open; return what it said and how long it took."""
    began = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-c", CODE, str(PACKAGE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=desk.environment(), cwd=desk.project,
    ) as process:  # fmt: skip
        process.stdin.write(data)
        process.stdin.flush()
        code = process.wait(30)
        said = (code, process.stdout.read(), process.stderr.read())
    return said, time.monotonic() - began


@pytest.mark.parametrize("rows", [1, 0])
def test_a_pipe_that_stays_open_is_waited_for_no_longer_than_its_object_needs(desk, rows):
    said, _ = waiting(desk, json.dumps(desk.tool(1)).encode() if rows else b"")
    assert said == (0, b"", b"")
    assert len(desk.queue()) == rows


@pytest.mark.parametrize("place", ["config.json", ".git/HEAD"])
def test_a_pipe_in_place_of_a_file_does_not_hold_the_host(desk, place):
    path = (desk.sessions if place == "config.json" else desk.project) / place
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    assert desk.hook(desk.tool(1)) == (0, "", "")


@pytest.mark.parametrize("how", ["environment", "file"])
def test_where_capture_is_off_not_even_an_error_is_written(desk, how):
    if how == "file":
        (desk.project / ".llm-wiki-no-capture").touch()
    desk.hook(b"{bad", **({"LLM_WIKI_SESSIONS": "off"} if how == "environment" else {}))
    assert [path.name for path in desk.sessions.iterdir()] == ["config.json"]


PRIVE = "/tmp/Priv\u00e9"


@pytest.mark.parametrize(
    ("excluded", "cwd"),
    [
        (PRIVE, unicodedata.normalize("NFD", PRIVE) + "/x"),
        (unicodedata.normalize("NFD", PRIVE), PRIVE),
        ("C:\\Users\\bob\\secret", "C:\\Users\\bob\\secret\\deep"),
        ("C:/Users/bob/secret", "C:\\Users\\bob\\secret"),
    ],
)
def test_a_folder_is_excluded_however_its_name_is_spelled(tmp_path, excluded, cwd):
    desk = Desk(tmp_path, exclude_cwds=[excluded])
    desk.hook(desk.tool(1) | {"cwd": cwd})
    assert desk.queue() == []


def test_numbers_beyond_the_calendar_are_numbers(tmp_path):
    desk = Desk(tmp_path, rehydrate={"max_age_days": 10**12, "limit": 10**15, "max_chars": 10**9})
    finished(desk, "old")
    assert "claude:old" in started(desk)
    assert desk.log() == ""


@pytest.mark.parametrize("value", ["1", "50", "9" * 5_000, "-1", "²"])
def test_a_preview_is_json_whatever_its_limit(desk, value):
    assert desk.hook(desk.tool(1), "--max-event-bytes", value) == (0, "", "")
    json.loads(desk.queue()[0]["payload_preview"])


def older(desk, **more):
    """Leave a state as the existing tool writes it."""
    folder = desk.sessions / "state" / "claude"
    folder.mkdir(parents=True, exist_ok=True)
    state = {
        "schema_version": 1, "harness": "claude", "native_session_id": "s1", "llm_wiki_session_id": "claude:s1",
        "started_at": "2026-11-30T01:00:00Z", "last_seen_at": "2026-11-30T02:00:00Z", "event_count": 2_000,
        "tool_event_count": 1_000, "last_events": [], "unknown": {"a": 1},
    }  # fmt: skip
    (folder / "s1.json").write_text(json.dumps(state | more))


def test_a_state_of_another_tool_goes_on_without_a_burst_of_digests(desk):
    older(desk)
    desk.hook(desk.tool(1))
    state = desk.state()
    assert (state["tool_event_count"], state["event_count"], state["unknown"]) == (1_001, 2_001, {"a": 1})
    assert list(desk.sessions.rglob("*.md")) == []


@pytest.mark.parametrize("junk", [10**12, "x", None, [1], {"a": [1]}, -5, 1.5, True])
def test_no_value_in_a_state_makes_the_hook_fail(desk, junk):
    older(desk)
    path = desk.sessions / "state" / "claude" / "s1.json"
    kept = json.loads(path.read_text())
    desk.hook(desk.tool(1))
    full = json.loads(path.read_text())
    for key in full:
        if key != "native_session_id":
            kept[key] = junk
    path.write_text(json.dumps(kept))
    assert desk.hook(desk.event("Stop")) == (0, "", "")
    assert desk.hook(desk.event("SessionStart", source="resume")).code == 0
    assert desk.log() == ""
    assert len(desk.states()) == 1


def test_a_lower_threshold_counts_from_now(tmp_path):
    desk = Desk(tmp_path)
    for number in range(6):
        desk.hook(desk.tool(number))
    desk.configure({"enabled": True, "auto_capture": {"tool_events": 2}})
    desk.hook(desk.tool(6))
    assert desk.state().get("digest_count", 0) == 0
    desk.hook(desk.tool(7))
    assert desk.state()["digest_count"] == 1


def test_25_a_truncated_state_finds_its_digest_again(desk):
    desk.hook(desk.event("Notification"), "--topic", "parsers", "--summary", "half of it")
    finished(desk, "s1")
    before = desk.state()
    path = desk.sessions / "state" / "claude" / "s1.json"
    path.write_bytes(path.read_bytes()[:60])
    desk.hook(desk.event("Notification", message="x"))
    after = desk.state()
    for key in ("last_digest_path", "digest_count", "topics", "manual_summaries"):
        assert after[key] == before[key], key
    assert [row["event"] for row in desk.rows("registry.jsonl")].count("session_seen") == 1
    assert "claude:s1" in started(desk)


@pytest.mark.parametrize("where", ["front", "end", "nested"])
def test_15_what_is_too_large_keeps_the_ids_at_its_top(desk, where):
    ids = json.dumps(desk.tool(1, "right") | {"tool_input": {}})[1:-1]
    filler = f'"tool_response": "{"x" * 5_000_000}"'
    text = {
        "front": f"{{{ids}, {filler}}}",
        "end": f"{{{filler}, {ids}}}",
        "nested": f'{{"tool_input": {{"session_id": "wrong", "cwd": "/wrong"}}, {ids}, {filler}}}',
    }[where]
    assert desk.hook(text.encode()) == (0, "", "")
    (row,) = desk.queue()
    assert (row["native_session_id"], row["cwd"], row["tool_use_id"]) == (
        "right",
        str(desk.project),
        "toolu_1",
    )


@pytest.mark.parametrize("size", [100_000, 5_000_000])
def test_two_long_events_that_differ_late_are_two(desk, size):
    for end in "ab":
        desk.hook(desk.event("Notification", message="x" * size + end))
    desk.hook(desk.event("Notification", message="x" * size + "b"))
    assert len(desk.queue()) == (2 if size < 1 << 20 else len(desk.queue()))
    assert desk.state()["event_count"] == 2


def test_the_folder_of_a_session_goes_before_newer_ones_elsewhere(desk, tmp_path):
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    tree = tmp_path / "tree"
    for command in (
        ["init", "-q"],
        ["commit", "-q", "--allow-empty", "-m", "x"],
        ["worktree", "add", "-q", str(tree)],
    ):
        subprocess.run([*git, *command], cwd=desk.project, check=True, capture_output=True)
    finished(desk, "here", LLM_WIKI_NOW="2026-11-20T10:00:00Z")
    for number in range(20):
        for event in (desk.tool(1, f"there{number}"), desk.event("Stop", f"there{number}")):
            desk.hook(event | {"cwd": str(tree)}, LLM_WIKI_NOW=f"2026-11-21T10:{number:02}:00Z")
    said = started(desk, LLM_WIKI_NOW="2026-11-22T10:00:00Z")
    assert said.index("claude:here") < said.index("claude:there19")


def test_a_session_is_named_so_that_it_can_be_shown(desk):
    for name in ("tool.execute.after", "session.idle"):
        desk.hook({"sessionID": "ses_ab_cd", "hook_event_name": name, "cwd": str(desk.project), "tool": "edit",
                   "callID": "c1", "args": {"filePath": f"{desk.project}/src/my_file.py"}})  # fmt: skip
    said = json.loads(started(desk))["hookSpecificOutput"]["additionalContext"]
    assert "- opencode:ses_ab_cd (" in said
    assert "src/my_file.py" in said


HOSTILE = ["\ufffe", "\uffff", 'a"b', "a: b", "- x", "\x85", "---", "{}", "\U000e0041", "\u2028", "\\", "`", "\x1b[31m",
           "%", "@", "\ufeff", "'", "#", "\t", "[x](y)", "1. a", "+ x", "<!--", "a\n---\nb", "|", "=", "~~~"]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_digest_is_yaml_and_keeps_its_headings_whatever_things_are_called(desk, name):
    (desk.project / ".git").mkdir()
    (desk.project / ".git" / "HEAD").write_text(f"ref: refs/heads/{name}")
    path = f"{desk.project}/{name}"
    desk.hook(desk.tool(1, f"s{name}", tool_name=f"Write{name}", tool_input={"file_path": path}),
              "--summary", name, "--topic", name)  # fmt: skip
    desk.hook(desk.event("Stop", f"s{name}"))
    (digest,) = (desk.sessions / "digests").rglob("*.md")
    front, body = digest.read_text().removeprefix("---\n").split("\n---\n\n", 1)
    values = yaml.safe_load(front)
    assert list(values)[:5] == ["title", "type", "schema_version", "harness", "native_session_id"]
    assert all(
        isinstance(values[key], str) for key in ("git_branch", "summary", "cwd", "llm_wiki_session_id")
    )
    assert [line for line in body.split("\n") if line.startswith("## ")] == [
        "## Summary", "## Session Identity", "## Work Observed", "## Manual Summaries", "## Feedback Candidates",
        "## Recent Observed Events", "## Distillation Notes", "## Open Loops",
    ]  # fmt: skip
    assert body.count("\n---") == 0


def test_16_a_state_of_an_id_that_only_looks_alike_stays(desk):
    older(desk, native_session_id="s1.", llm_wiki_session_id="claude:s1.")
    desk.hook(desk.tool(1))
    found = {state["native_session_id"]: state["event_count"] for state in
             (json.loads(path.read_text()) for path in desk.states())}  # fmt: skip
    assert found == {"s1": 1, "s1.": 2_000}


def test_files_below_a_link_or_in_another_notation_are_files_of_the_project(desk, tmp_path):
    (desk.project / ".git").mkdir()
    link = tmp_path / "link"
    link.symlink_to(desk.project)
    for number, cwd in enumerate([str(link), "C:\\Users\\bob\\proj"]):
        file = f"{cwd}\\src\\a.py" if "\\" in cwd else f"{cwd}/src/a.py"
        desk.hook(desk.tool(number, tool_name="Write", tool_input={"file_path": file}) | {"cwd": cwd})
    assert [row["files"] for row in desk.queue()] == [[["src/a.py", "write"]]] * 2


def test_strict_keeps_no_user_name_of_a_transcript_path(tmp_path):
    desk = Desk(tmp_path, privacy="strict")
    for home in ("/home/robert", "/Users/robert"):
        path = f"{home}/.claude/projects/{home.replace('/', '-')}-p/x.jsonl"
        desk.hook(desk.tool(1) | {"cwd": f"{home}/p", "transcript_path": path, "tool_use_id": home[:3]})
    desk.hook(desk.event("Stop") | {"cwd": "/home/robert/p", "transcript_path": None}, "--harness", "claude")
    assert b"robert" not in desk.written().replace(str(tmp_path).encode(), b"")


@pytest.mark.parametrize(
    "more",
    [
        {"toolName": "bash", "toolArgs": '{"command": "npm test"}', "toolResult": {"resultType": "failure"}},
        {"toolName": "bash", "input": {"command": "npm test"}, "isError": True},
    ],
)
def test_a_failure_without_an_exit_code_is_one(desk, more):
    desk.hook(
        {"sessionId": "s1", "cwd": str(desk.project), **more},
        "--event-name",
        "postToolUse",
        "--harness",
        "pi",
    )
    assert desk.state("s1", "pi")["failures"] == [{"tool": "npm", "code": None, "count": 1}]


@pytest.mark.skipif(not Path("/bin/sh").exists(), reason="needs a shell that closes descriptors")
@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
def test_closed_streams_do_no_harm_to_files(desk, closed):
    finished(desk, "old")
    args = "--harness claude --event-name SessionStart --session-id new"
    done = subprocess.run(
        ["sh", "-c", f'exec {sys.executable} -c "$0" {PACKAGE} {args} {closed}', CODE],
        input=json.dumps(desk.event("SessionStart", "new")).encode(), capture_output=True,
        env=desk.environment(), cwd=desk.project, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"hookSpecificOutput" not in desk.written()
    assert len(desk.queue()) == 3


def test_a_row_that_waited_on_a_day_between_is_counted(desk):
    fcntl = pytest.importorskip("fcntl")
    desk.hook(desk.tool(1), LLM_WIKI_NOW="2026-11-28T10:00:00Z")
    with (desk.sessions / "locks" / "claude-s1").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert desk.hook(desk.tool(2), LLM_WIKI_NOW="2026-11-29T10:00:00Z") == (0, "", "")
    assert desk.state()["event_count"] == 1
    desk.hook(desk.tool(3), LLM_WIKI_NOW="2026-11-30T10:00:00Z")
    assert desk.state()["event_count"] == 3


@pytest.mark.parametrize("privacy", ["redacted", "strict", "minimal"])
def test_8_an_end_that_names_no_host_belongs_to_the_session_that_is_known(tmp_path, privacy):
    desk = Desk(tmp_path, privacy=privacy)
    base = {"session_id": "x", "cwd": "/home/robert/p"}
    desk.hook(base | {"turn_id": "1", "hook_event_name": "UserPromptSubmit", "prompt": "hello"})
    desk.hook(base | {"transcript_path": None, "hook_event_name": "SessionEnd", "reason": "other"})
    assert [path.parent.name for path in desk.states()] == ["codex"]


def test_a_queue_that_became_shorter_counts_nothing_twice(desk):
    for number in range(5):
        desk.hook(desk.tool(number))
    (queue,) = (desk.sessions / "queue").glob("*.jsonl")
    queue.write_bytes(b"".join(queue.read_bytes().splitlines(keepends=True)[:2]))
    state = desk.state()
    (desk.sessions / "state" / "claude" / "s1.json").write_text(json.dumps(state | {"recent_marks": []}))
    desk.hook(desk.tool(9))
    assert desk.state()["event_count"] == 6


def test_a_key_that_is_text_is_no_name_of_a_field(desk):
    desk.hook(desk.event("Notification", **{"please open the door": 1, "extra_field": "x"}))
    (row,) = desk.queue()
    assert set(json.loads(row["payload_preview"])) == {"hook_event_name", "extra_field", "[OMITTED name]"}


def test_a_threshold_that_a_subagent_crosses_is_told_by_the_next_event(tmp_path):
    desk = Desk(tmp_path, auto_capture={"tool_events": 2})
    desk.hook(desk.tool(1))
    desk.hook(desk.tool(2, agent_id="a1"))
    assert desk.state().get("digest_count", 0) == 0
    desk.hook(desk.tool(3))
    assert desk.state()["digest_count"] == 1


@pytest.mark.parametrize("path", [".sessions/config.json", ".sessions/digests/2026/10/claude-other.md"])
def test_a_wrong_pointer_to_a_digest_removes_no_file(desk, path):
    desk.hook(desk.tool(1))
    file = desk.hub / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.exists() or file.write_text("of another session")
    state = desk.sessions / "state" / "claude" / "s1.json"
    state.write_text(json.dumps(desk.state() | {"last_digest_path": path}))
    desk.hook(desk.event("Stop"))
    assert file.exists()
    assert desk.state()["last_digest_path"].endswith("/claude-s1.md")


def test_a_state_stays_small_whatever_is_heaped_on_it(desk):
    topics = [part for number in range(900) for part in ("--topic", f"topic-{number}")]
    paths = "".join(f"*** Update File: {'d' * 200}/{number}.py\n" for number in range(500))
    for number in range(3):
        given = {"command": f"*** Begin Patch\n{paths}"}
        desk.hook(desk.tool(number, tool_name="x" * 5_000, tool_input=given), *topics)
    assert len(desk.state()["topics"]) == 50
    assert len(json.dumps(desk.state())) < 32_000


def test_errors_are_told_only_who_asks(desk):
    assert desk.hook(b"{") == (0, "", "")
    said = desk.hook(b"{", "--debug")
    assert (said.code, said.out) == (0, "")
    assert "not valid JSON" in said.err


def test_a_key_that_cannot_be_used_costs_no_event(desk):
    (desk.sessions / ".key").mkdir()
    assert desk.hook(desk.event("Notification")) == (0, "", "")
    assert desk.state()["event_count"] == 1
    assert ".key cannot be used" in desk.log()
