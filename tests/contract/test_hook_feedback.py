"""Feedback candidates as a host's hook makes them: counted, redacted, once each, never in its way."""

import hashlib
import json
import os
import stat

import pytest
from hookkit import Desk

from llm_wiki.hook import candidates, known
from llm_wiki.hook.store import Store


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


def prompts(desk, texts, session="s1"):
    return [
        desk.event("UserPromptSubmit", session, prompt=text, prompt_id=f"t{number}")
        for number, text in enumerate(texts)
    ]


def found(desk):
    return desk.rows("feedback", "candidates.jsonl")


def say(desk, text, session="s1", **more):
    said = desk.hook(desk.event("UserPromptSubmit", session, prompt=text, **more))
    assert (said.code, said.err) == (0, "")
    return found(desk)


RULE = "From now on write commit messages in the imperative mood."


def test_a_standing_rule_becomes_a_candidate_with_every_field(desk):
    (row,) = say(desk, f"Thanks! {RULE}", prompt_id="t7")
    digest = row["text_sha256"]
    assert row["id"].startswith("fb-")
    parts = ("claude:s1", row["turn_id"] or "", "UserPromptSubmit", "preference", digest)
    assert row["id"] == "fb-" + hashlib.sha256("|".join(parts).encode()).hexdigest()[:16]
    assert digest == hashlib.sha256(f"Thanks! {RULE}".encode()).hexdigest()
    assert {key: row[key] for key in ("schema_version", "event", "llm_wiki_session_id", "harness")} == {
        "schema_version": 1,
        "event": "feedback_candidate",
        "llm_wiki_session_id": "claude:s1",
        "harness": "claude",
    }
    assert (row["feedback_type"], row["strength"], row["confidence"]) == ("preference", "high", "high")
    assert (row["scope_hint"], row["lang"]) == ("global", "en")
    assert row["distilled_lesson"] == RULE
    assert row["text_preview"] == f"Thanks! {RULE}"
    assert row["promotion_recommendation"] == "promote"
    assert row["rule_id"] == f"en.{row['rationale']}"
    assert row["context"] == {"last_tool": None, "last_tool_failed": False, "turn_index": 1}
    assert row["native_session_id"] == "s1"
    assert row["cwd"] == str(desk.project)


def test_state_registry_and_digest_know_of_it(desk):
    (row,) = say(desk, RULE)
    state = desk.state()
    assert state["feedback_candidate_count"] == 1
    assert state["last_feedback_candidates"] == [
        {key: row[key] for key in ("id", "ts", "feedback_type", "confidence", "distilled_lesson")}
    ]
    noted = [r for r in desk.rows("registry.jsonl") if r["event"] == "feedback_candidate"]
    assert [r["id"] for r in noted] == [row["id"]]
    desk.hook(desk.event("Stop"))
    (digest,) = (desk.sessions / "digests").rglob("*.md")
    assert RULE in digest.read_text()


def test_twenty_parallel_prompts_give_twenty_rows_and_count_twenty(desk):
    texts = [f"From now on put the number {number} in front." for number in range(20)]
    assert {said.code for said in desk.many(prompts(desk, texts))} == {0}
    rows = found(desk)
    assert len({row["id"] for row in rows}) == len(rows) == 20
    desk.hook(desk.event("Stop"))  # counts what waited for the lock longer than a hook may
    assert desk.state()["feedback_candidate_count"] == 20


def test_twenty_sessions_that_say_one_thing_give_one_row_heard_twenty_times(desk):
    events = [desk.event("UserPromptSubmit", f"s{n}", prompt=RULE) for n in range(20)]
    desk.many(events, width=4)
    (row,) = found(desk)
    status = json.loads((desk.sessions / "feedback" / "status.json").read_text())
    assert status["seen"][row["id"]]["count"] == 20


def test_a_preference_heard_in_three_sessions_is_sure(desk):
    text = "We don't use emojis in documentation."
    for session in ("s1", "s1", "s2"):
        (row,) = say(desk, text, session, prompt_id=os.urandom(4).hex())
    store = Store(str(desk.sessions))
    assert row["confidence"] == "medium"
    assert candidates.confidence_of(row, candidates.status(store)) == "medium"
    say(desk, text, "s3")
    assert candidates.confidence_of(row, candidates.status(store)) == "high"


def test_the_same_words_in_another_project_are_another_candidate(desk, tmp_path):
    say(desk, RULE)
    other = tmp_path / "other"
    other.mkdir()
    assert len(say(desk, RULE, "s2", cwd=str(other))) == 2


def test_what_the_last_tool_did_stands_in_the_context(desk):
    desk.hook(desk.event("UserPromptSubmit", prompt="Run the tests."))
    desk.hook(desk.tool(1))
    failed = desk.event("PostToolUseFailure", tool_name="Edit", tool_use_id="toolu_2", error="no such file")
    desk.hook(failed)
    (row,) = say(desk, "No, that is not what I asked for.")
    assert row["context"] == {"last_tool": "Edit", "last_tool_failed": True, "turn_index": 2}


def test_a_subagents_prompt_and_a_command_are_nobodys_feedback(desk):
    assert say(desk, RULE, agent_id="a1") == []
    assert say(desk, f"/review {RULE}") == []
    assert say(desk, f"<task-notification>{RULE}</task-notification>") == []


@pytest.mark.parametrize(
    ("config", "text", "count"),
    [
        ({"feedback": {"enabled": False}}, RULE, 0),
        ({"feedback": {"capture_approvals": False}}, "Great, that fixed it.", 0),
        ({"feedback": {"capture_approvals": False}}, RULE, 1),
        ({"feedback": {"min_confidence": "high"}}, "We don't use emojis in documentation.", 0),
        ({"feedback": {"min_confidence": "high"}}, RULE, 1),
        ({"feedback": {"min_confidence": "certain"}}, "We don't use emojis in documentation.", 1),
    ],
)
def test_the_settings_say_which_candidates_are_made(tmp_path, config, text, count):
    assert len(say(Desk(tmp_path, **config), text)) == count


def test_with_capture_off_nothing_is_written(tmp_path):
    desk = Desk(tmp_path, level=None)
    assert say(desk, RULE) == []
    assert not desk.hub.exists()


def test_a_secret_in_feedback_reaches_no_file(desk):
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    (row,) = say(desk, f"no, wrong key, use {secret} from now on")
    assert secret.encode() not in desk.written()
    assert "[REDACTED:" in row["text_preview"]


def test_files_of_feedback_are_private(desk):
    say(desk, RULE)
    say(desk, RULE, "s2")
    folder = desk.sessions / "feedback"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {path.name for path in folder.iterdir()} == {"candidates.jsonl", "keys", "status.json"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_bytes_that_are_no_utf_8_and_a_torn_line_lose_no_candidate(desk):
    say(desk, RULE)
    path = desk.sessions / "feedback" / "candidates.jsonl"
    path.write_bytes(path.read_bytes() + b'{"id": "fb-\xff\xfe"}\n\xff\xff\n{"id": "fb-torn')
    desk.hook(desk.event("UserPromptSubmit", "s2", prompt="Never push to main without asking me."))
    assert desk.log() == ""
    lessons = [r.get("distilled_lesson") for r in known_rows(desk)]
    assert lessons == [RULE, "Never push to main without asking me."]
    desk.hook(desk.event("UserPromptSubmit", "s3", prompt=RULE))
    assert len(known_rows(desk)) == 2


def known_rows(desk):
    from llm_wiki.hook.files import read_rows

    rows = read_rows(str(desk.sessions / "feedback" / "candidates.jsonl"))
    return [row for row in rows if "feedback_type" in row]


@pytest.mark.parametrize("content", [b"[]", b"7", b"{", b'{"seen": []}', b'{"seen": {"x": 3}}', b"\xff"])
def test_a_status_file_of_a_wrong_shape_stops_no_hook(desk, content):
    (row,) = say(desk, RULE)
    path = desk.sessions / "feedback" / "status.json"
    path.write_bytes(content)
    assert len(say(desk, RULE, "s2")) == 1
    assert len(say(desk, "Never push to main without asking me.", "s3")) == 2
    status = candidates.status(Store(str(desk.sessions)))
    if content.startswith(b'{"'):
        assert status["seen"][row["id"]]["count"] == 2
    else:
        assert path.read_bytes() == content
        assert "status.json" in desk.log()


def test_rows_of_an_older_tool_are_known_too(desk):
    folder = desk.sessions / "feedback"
    folder.mkdir()
    old = {
        "schema_version": 1,
        "id": "fb-0123456789abcdef",
        "ts": "2026-01-02T03:04:05Z",
        "event": "feedback_candidate",
        "llm_wiki_session_id": "claude:old",
        "cwd": str(desk.project),
        "feedback_type": "preference",
        "text_preview": RULE,
    }
    (folder / "candidates.jsonl").write_text(json.dumps(old) + "\n")
    say(desk, RULE)
    status = candidates.status(Store(str(desk.sessions)))
    assert len(found(desk)) == 1
    assert status["seen"]["fb-0123456789abcdef"]["count"] == 2


def test_what_was_erased_is_not_taken_for_a_repeat(desk):
    say(desk, RULE)
    path = desk.sessions / "feedback" / "candidates.jsonl"
    path.write_bytes(b" " * (path.stat().st_size - 1) + b"\n")
    desk.hook(desk.event("UserPromptSubmit", "s2", prompt=RULE))
    assert [row["native_session_id"] for row in known_rows(desk)] == ["s2"]


@pytest.mark.parametrize("damage", [b"", b"torn", b"x" * 58, b"\xff" * 200])
def test_a_lost_or_foreign_file_of_keys_is_made_anew(desk, damage):
    say(desk, RULE)
    keys = desk.sessions.joinpath(*known.KEYS)
    keys.write_bytes(damage)
    assert len(say(desk, RULE, "s2")) == 1
    assert len(keys.read_bytes()) == 58


def test_a_long_paste_with_a_rule_at_its_end_gives_the_rule_alone(desk):
    text = "Read this first.\n" + "some line of a report that was pasted in. " * 400 + "\n" + RULE
    (row,) = say(desk, text)
    assert row["distilled_lesson"] == RULE
    assert len(row["text_preview"]) == 361


def test_those_that_wait_are_counted_without_the_decided_and_the_old(desk):
    texts = [f"From now on put the number {number} in front." for number in range(4)]
    for number, text in enumerate(texts[:3]):
        desk.hook(desk.event("UserPromptSubmit", f"s{number}", prompt=text))
    desk.hook(desk.event("UserPromptSubmit", "old", prompt=texts[3]), LLM_WIKI_NOW="2020-01-01T00:00:00Z")
    store = Store(str(desk.sessions))
    assert candidates.waiting(store) == 3
    first, second = (row["id"] for row in found(desk)[:2])
    status = {"promoted": {first: {}}, "rejected": {second: {}}}
    (desk.sessions / "feedback" / "status.json").write_text(json.dumps(status))
    assert candidates.waiting(store) == 1


def test_with_no_candidate_nothing_waits_and_nothing_is_made(desk):
    assert candidates.waiting(Store(str(desk.sessions))) == 0
    assert not (desk.sessions / "feedback").exists()
    assert not (desk.sessions / "locks").exists()


def test_with_two_thousand_candidates_a_prompt_reads_none_of_them(desk):
    """Rows that are entered are not looked at again: what was overwritten since goes unnoticed."""
    (row,) = say(desk, RULE)
    path = desk.sessions / "feedback" / "candidates.jsonl"
    rows = [row | {"id": f"fb-{number:016x}", "text_preview": f"rule {number}"} for number in range(2000)]
    with path.open("a") as handle:
        handle.writelines(json.dumps(each, sort_keys=True) + "\n" for each in rows)
    say(desk, "Never push to main without asking me.", "s2")
    keys = desk.sessions.joinpath(*known.KEYS)
    assert len(keys.read_bytes()) == 58 * 2002
    data = path.read_bytes()
    path.write_bytes(b"\xff" * (len(data) - 1) + b"\n")
    desk.hook(desk.event("UserPromptSubmit", "s3", prompt="We don't use emojis in documentation."))
    assert len(known_rows(desk)) == 1
    assert len(keys.read_bytes()) == 58 * 2003
    assert candidates.waiting(Store(str(desk.sessions))) == 2000
