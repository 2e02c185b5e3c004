"""A folder that the existing tool wrote (`sessions.md` §2, U) is read, listed, kept, and can be left to it again."""

import json
import shutil
import stat
from pathlib import Path

import pytest
from program import tree
from sessionkit import Room

NOW = {"LLM_WIKI_NOW": "2026-11-30T12:00:00Z"}


def dumped(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2, sort_keys=True) + "\n")


def upstream(room):
    """Write a folder as that tool does: absolute paths, open modes, a twin in another month, no keys of ours."""
    top = room.sessions
    config = {
        "schema_version": 1, "enabled": True, "mode": "balanced", "privacy": "redacted", "raw_transcripts": False,
        "auto_capture": {"tool_events": 50, "pre_compact": True, "post_compact": True, "session_end": True, "stop": True},
        "rehydrate": {"session_start": True, "user_prompt": True, "strict": False},
        "feedback": {"enabled": True, "capture_approvals": True, "min_confidence": "medium"}, "vendor_key": [1, 2],
    }  # fmt: skip
    dumped(top / "config.json", config)
    for native, seen, harness in (
        ("s1", "2026-11-28T10:00:00Z", "claude"),
        ("a:b", "2026-11-27T10:00:00Z", "codex"),
    ):
        month = seen[5:7]
        digest = top / "digests" / "2026" / month / f"{harness}-{native}.md"
        state = {
            "schema_version": 1, "harness": harness, "native_session_id": native, "llm_wiki_session_id": f"{harness}:{native}",
            "started_at": "2026-10-31T23:00:00Z", "last_seen_at": seen, "cwd": str(room.project), "transcript_path": "/t.jsonl",
            "model": None, "privacy": "redacted", "raw_transcripts": False, "git_remote": "", "git_branch": "main",
            "event_count": 9, "tool_event_count": 4, "digest_count": 2, "last_digest_path": str(digest),
            "last_digest_at": seen, "promoted_to": [], "topics": ["tea"], "their_key": {"deep": [None, "ü"]},
            "last_events": [{"ts": seen, "hook_event_name": "Stop", "tool_name": None, "turn_id": None, "trigger": "Stop"}],
            "manual_summaries": [{"ts": seen, "summary": "Fixed the parser", "trigger": "manual"}],
        }  # fmt: skip
        dumped(top / "state" / harness / f"{native}.json", state)
        text = f'---\ntitle: "Session Digest: {native}"\ntopics: ["tea"]\npromoted_to: []\nsummary: "Fixed the parser"\n---\n\n# D\n'
        digest.parent.mkdir(parents=True, exist_ok=True)
        digest.write_text(text)
        row = {"schema_version": 1, "ts": seen, "event": "session_event", "harness": harness, "hook_event_name": "Stop",
               "native_session_id": native, "llm_wiki_session_id": f"{harness}:{native}", "cwd": str(room.project),
               "transcript_path": None, "model": None, "turn_id": None, "tool_name": None, "tool_use_id": None,
               "trigger": "Stop", "payload_preview": "{…", "transcript_path_hash": "0" * 64}  # fmt: skip
        (top / "queue").mkdir(exist_ok=True)
        with (top / "queue" / f"{seen[:10]}.jsonl").open("a") as stream:
            stream.write(json.dumps(row) + "\n")
        with (top / "registry.jsonl").open("a") as stream:
            for event in ("session_seen", "digest_written"):
                stream.write(
                    json.dumps(row | {"event": event, "digest_path": str(digest), "topics": ["tea"]}) + "\n"
                )
    twin = top / "digests/2026/10/claude-s1.md"
    twin.parent.mkdir(parents=True)
    shutil.copy(top / "digests/2026/11/claude-s1.md", twin)
    for path in top.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return top


@pytest.fixture
def room(tmp_path):
    room = Room(tmp_path, level=None)
    upstream(room)
    return room


def ids(room, *flags):
    return [
        row["llm_wiki_session_id"]
        for row in room.cli("session", "list", *flags, "--json", **NOW).json["sessions"]
    ]


def test_it_is_listed_shown_and_told_and_stays_byte_for_byte(room):
    before = tree(room.hub)
    assert ids(room) == ["claude:s1", "codex:a:b"]
    assert ids(room, "--topic", "tea", "--cwd", room.project) == ["claude:s1", "codex:a:b"]
    assert "Fixed the parser" in room.ok("session", "show", "codex:a:b").out
    assert "claude:s1" in room.ok("session", "rehydrate", **NOW).out
    status = room.ok("session", "status", "--json").json
    assert (status["level"], status["mode"], status["session_count"]) == ("notes", "balanced", 2)
    assert tree(room.hub) == before


def test_its_switch_is_honoured_as_notes_and_keeps_keys_of_others(room):
    room.hook(room.tool(1))
    assert room.state()["event_count"] == 10
    assert room.state()["their_key"] == {"deep": [None, "ü"]}
    room.ok("session", "disable")
    room.ok("session", "enable", "--yes")
    config = json.loads((room.sessions / "config.json").read_text())
    assert config["vendor_key"] == [1, 2]
    assert config["mode"] == "balanced"
    assert stat.S_IMODE((room.sessions / "queue").stat().st_mode) == 0o755


def test_without_its_switch_the_data_stays_listed_and_status_says_so(room):
    (room.sessions / "config.json").unlink()
    room.hook(room.tool(1))
    assert room.state()["event_count"] == 9
    assert "data stored earlier is kept" in room.ok("session", "status").out
    assert ids(room) == ["claude:s1", "codex:a:b"]


def test_a_moved_hub_is_re_based(room, tmp_path):
    moved = tmp_path / "moved"
    shutil.move(room.hub, moved)
    assert "Fixed the parser" in room.ok("session", "show", "s1", "--hub", moved).out
    assert "claude:s1" in room.ok("session", "rehydrate", "--hub", moved, **NOW).out


def test_a_new_digest_takes_the_place_of_the_one_in_the_other_month(room):
    room.hook(room.event("SessionEnd"))
    assert not (room.sessions / "digests/2026/11/claude-s1.md").exists()
    assert "Work Observed" in (room.sessions / "digests/2026/10/claude-s1.md").read_text()
    assert "Work Observed" in room.ok("session", "show", "s1").out


def test_reindex_points_to_its_sessions_and_writes_the_indexes_it_reads(room):
    told = room.ok("session", "reindex", "--json", **NOW).json
    assert (told["states"], told["caught_up"], told["projects"]) == (0, 0, 1)
    index = json.loads((room.sessions / "indexes/by-cwd.json").read_text())[str(room.project)]
    assert [row["llm_wiki_session_id"] for row in index] == ["claude:s1", "codex:a:b"]
    assert set(index[0]) == {
        "llm_wiki_session_id",
        "harness",
        "native_session_id",
        "last_seen_at",
        "last_digest_path",
    }
    assert set(json.loads((room.sessions / "indexes/by-topic.json").read_text())) == {"tea"}
    state = json.loads((room.sessions / "state/claude/s1.json").read_text())
    assert state["event_count"] == 9


def test_its_lost_state_is_made_again_from_its_rows(room):
    (room.sessions / "state/claude/s1.json").unlink()
    room.ok("session", "reindex", **NOW)
    state = room.state()
    assert (state["event_count"], state["last_seen_at"], state["topics"]) == (
        1,
        "2026-11-28T10:00:00Z",
        ["tea"],
    )
    assert "Fixed the parser" in room.ok("session", "show", "s1").out


def test_its_digest_is_promoted_without_its_paths(room):
    topic = room.topic()
    room.ok("session", "promote", "s1", "--topic", "tea", "--yes", **NOW)
    (note,) = topic.glob("raw/notes/2*")
    assert str(room.home) not in note.read_text()
    state = room.state()
    assert state["their_key"] == {"deep": [None, "ü"]}
    assert state["promoted_to"] == [f"topics/tea/raw/notes/{note.name}"]


def test_it_is_forgotten_with_its_twin(room):
    told = room.ok("session", "forget", "claude:s1", "--yes", "--json", **NOW).json
    assert (told["proved"], told["removed"]["digests"]) == (True, 2)
    assert ids(room) == ["codex:a:b"]
    left = [path for path in room.sessions.rglob("*") if "claude" in path.name and path.is_file()]
    assert left == []
    told = room.ok("session", "forget", "a:b", "--yes", "--json", **NOW).json
    assert told["proved"] is True
    assert not Path(room.sessions / "state/codex/a:b.json").exists()
