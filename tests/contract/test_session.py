"""`llm-wiki capture` and `llm-wiki session`: rows of `sessions.md` §4 and §10, as a user meets them."""

import json
import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
import yaml
from program import tree
from sessionkit import Room, digest_of

from llm_wiki.sessions.promote import without_paths


@pytest.fixture
def room(tmp_path):
    return Room(tmp_path)


@pytest.fixture
def fresh(tmp_path):
    return Room(tmp_path, level=None)


def config(room):
    return json.loads((room.sessions / "config.json").read_text())


# -- the switch -----------------------------------------------------------------------------------------


def test_capture_is_off_and_says_why_and_where_without_writing(fresh):
    done = fresh.ok("capture")
    assert "Capture level: off" in done.out
    assert "off until enabled" in done.out
    assert ".sessions" in done.out
    assert list(fresh.home.iterdir()) == []


def test_switching_on_tells_what_where_how_to_stop_and_erase_before_it_writes(fresh):
    refused = fresh.cli("capture", "notes")
    assert refused.exit == 4
    assert not fresh.hub.exists()
    done = fresh.ok("capture", "notes", "--yes")
    for text in (refused.err, done.err):
        for part in (
            "never stores",
            "prompts",
            "capture off",
            "session forget",
            "session prune",
            ".sessions",
        ):
            assert part in text
    assert (config(fresh)["enabled"], config(fresh)["words"], config(fresh)["mode"]) == (
        True,
        False,
        "balanced",
    )


def test_the_folder_is_private_and_hidden_from_git_where_no_hub_is(fresh):
    fresh.ok("capture", "notes", "--yes")
    assert stat.S_IMODE(fresh.sessions.stat().st_mode) == 0o700
    assert (fresh.sessions / ".gitignore").read_text() == "*\n"
    assert (fresh.sessions / ".key").stat().st_size == 32
    assert {stat.S_IMODE(path.stat().st_mode) for path in fresh.sessions.iterdir()} == {0o600}
    fresh.ok("init", "tea")  # the folder is no hindrance to a hub
    assert fresh.hook(fresh.tool(1)).code == 0
    assert fresh.state()["event_count"] == 1


def test_words_says_that_there_is_no_journal_yet(fresh):
    done = fresh.ok("capture", "words", "--yes")
    assert "nothing more than notes" in done.err
    assert config(fresh)["words"] is True
    assert "no more than notes" in fresh.ok("capture").out


def test_off_writes_nothing_where_nothing_is_and_keeps_the_data_where_something_is(fresh):
    assert "already" in fresh.ok("capture", "off").out
    assert not fresh.hub.exists()
    fresh.ok("session", "enable", "--yes")
    fresh.finished("s1")
    fresh.ok("session", "disable")
    assert (config(fresh)["enabled"], config(fresh)["mode"]) == (False, "off")
    fresh.hook(fresh.tool(9))
    assert fresh.state()["event_count"] == 2


def test_26_enabling_again_changes_only_what_is_named(room):
    values = {
        "enabled": True, "mode": "balanced", "own": {"x": 1}, "auto_capture": {"tool_events": 7},
        "rehydrate": {"user_prompt": False, "limit": 5}, "feedback": {"enabled": False},
    }  # fmt: skip
    room.configure(values)
    room.ok("session", "enable", "--yes")
    now = config(room)
    assert now["auto_capture"]["tool_events"] == 7
    assert now["rehydrate"]["user_prompt"] is False
    assert now["rehydrate"]["limit"] == 5
    assert now["feedback"]["enabled"] is False
    assert now["own"] == {"x": 1}
    before = (room.sessions / "config.json").read_bytes()
    room.ok("session", "enable")  # nothing changes, so nothing is asked
    assert (room.sessions / "config.json").read_bytes() == before


def test_26_another_mode_moves_what_stood_at_the_default_and_survives_a_disable(room):
    room.ok("session", "enable", "--mode", "aggressive", "--yes")
    assert config(room)["auto_capture"]["tool_events"] == 25
    room.ok("session", "disable")
    room.ok("session", "enable", "--yes")
    assert (config(room)["mode"], config(room)["auto_capture"]["tool_events"]) == ("aggressive", 25)
    room.ok("session", "enable", "--mode", "capture-only", "--tool-events", "9", "--yes")
    assert config(room)["rehydrate"]["session_start"] is False
    assert config(room)["auto_capture"]["tool_events"] == 9


@pytest.mark.parametrize(
    ("written", "arguments", "exit_code"),
    [
        (b'{"enabled": true, "raw_transcripts": true}', ["capture", "words", "--yes"], 4),
        (b"{not json", ["capture", "notes", "--yes"], 2),
        (b"{}", ["session", "enable", "--tool-events", "-1", "--yes"], 2),
        (b"{}", ["session", "enable", "--mode", "loud", "--yes"], 2),
        (b"{}", ["capture", "all"], 2),
    ],
)
def test_a_switch_that_cannot_be_is_refused_and_changes_nothing(room, written, arguments, exit_code):
    room.configure(written)
    assert room.cli(*arguments).exit == exit_code
    assert (room.sessions / "config.json").read_bytes() == written


def test_force_replaces_a_broken_file(room):
    room.configure(b"{not json")
    room.ok("capture", "notes", "--force", "--yes")
    assert config(room)["enabled"] is True


def test_a_local_folder_and_another_hub_are_switched_alone(fresh):
    fresh.ok("capture", "notes", "--local", "--yes")
    fresh.ok("session", "--hub", fresh.home / "other", "enable", "--yes")
    assert (fresh.project / ".wiki/.sessions/config.json").exists()
    assert (fresh.home / "other/.sessions/config.json").exists()
    assert not fresh.hub.exists()
    fresh.hook(fresh.tool(1), "--local")
    assert "claude:s1" in fresh.ok("session", "list", "--local").out


# -- reading --------------------------------------------------------------------------------------------


def test_reading_verbs_write_nothing_not_even_indexes(room):
    room.finished("s1")
    before = tree(room.hub)
    for call in (["status"], ["list"], ["show", "s1"], ["rehydrate"], ["redact"], ["promote", "s1", "--topic", "x"],
                 ["forget", "--all", "--dry-run"]):  # fmt: skip
        room.cli("session", *call)
        room.cli("session", *call, "--json")
    assert tree(room.hub) == before


def test_status_tells_level_reason_size_and_errors_with_the_keys_programs_know(room):
    room.finished("s1")
    room.hook(b"[1]")
    room.configure({"enabled": "true"})
    told = room.ok("session", "status", "--json").json
    assert set(told) == {"hub", "sessions_root", "enabled", "mode", "session_count", "config", "level", "why_off",
                         "bytes", "errors", "hooks"}  # fmt: skip
    assert (told["enabled"], told["level"], told["session_count"]) == (False, "off", 1)
    assert "not exactly true" in told["why_off"]
    assert "not an object" in told["errors"][0]
    text = room.ok("session", "status").out
    assert "not exactly true" in text
    assert "data stored earlier is kept" in text


def test_list_filters_sorts_and_limits_in_both_forms(room, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    for number in range(3):
        room.finished(f"a{number}", LLM_WIKI_NOW=f"2026-11-0{number + 1}T00:00:00Z")
    room.finished("b0", other)
    room.ok("session", "capture", "--harness", "codex", "--session-id", "c0", "--topic", "tea")

    def ids(*flags):
        return [
            row["native_session_id"] for row in room.cli("session", "list", *flags, "--json").json["sessions"]
        ]

    assert ids("--cwd", f"{room.project}/", "--harness", "claude") == ["a2", "a1", "a0"]
    assert ids("--limit", "1", "--cwd", other) == ["b0"]
    assert len(ids("--limit", "2")) == 2
    assert ids("--topic", "tea") == ["c0"]
    assert ids("--project", other) == ["b0"]
    assert ids("--since", "2026-11-02", "--harness", "claude", "--cwd", room.project)[-1] == "a1"
    assert room.cli("session", "list", "--topic", "none").exit == 1
    for bad in (["--limit", "0"], ["--since", "soon"]):
        assert room.cli("session", "list", *bad).exit == 2


def test_show_takes_a_prefix_lists_what_is_ambiguous_and_prints_the_path(room):
    for name in ("abc-1", "abc-2", "xyz"):
        room.finished(name)
    assert room.ok("session", "show", "x").out == digest_of(room, "xyz").read_text()
    assert room.ok("session", "show", "claude:abc-1", "--path-only").out.strip() == str(
        digest_of(room, "abc-1")
    )
    done = room.cli("session", "show", "abc", "--json")
    assert done.exit == 3
    assert done.json["error"]["options"] == ["claude:abc-1", "claude:abc-2"]
    assert room.cli("session", "show", "nobody").exit == 1


def test_24_a_moved_hub_still_shows_and_a_deleted_digest_is_said_to_be_gone(room, tmp_path):
    room.finished("s1")
    room.write_state("s1", last_digest_path="/elsewhere/wiki/" + room.state()["last_digest_path"])
    moved = tmp_path / "moved"
    shutil.move(room.hub, moved)
    assert "Session Digest" in room.ok("session", "show", "s1", "--hub", moved).out
    assert "claude:s1" in room.ok("session", "rehydrate", "--hub", moved).out
    next(moved.rglob("digests/*/*/*.md")).unlink()
    done = room.cli("session", "show", "s1", "--hub", moved)
    assert done.exit == 1
    assert "gone" in done.err
    assert "Traceback" not in done.err
    assert room.cli("session", "rehydrate", "--hub", moved).exit == 1


def test_17_18_rehydrate_means_this_project_alone(room, tmp_path):
    (room.project / "deep").mkdir()
    subprocess.run(["git", "init", "-q"], cwd=room.project, check=True)
    room.finished("s1")
    room.ok("session", "capture", "--session-id", "s1", "--topic", "tea")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    link = tmp_path / "link"
    link.symlink_to(room.project)
    for place in (room.project, room.project / "deep", link):
        assert "claude:s1" in room.ok("session", "rehydrate", cwd=place).out
        assert "claude:s1" in room.ok("session", "rehydrate", "--cwd", f"{place}/", cwd=elsewhere).out
    nothing = room.cli("session", "rehydrate", cwd=elsewhere)
    assert (nothing.exit, nothing.out) == (1, "")
    for scope in (
        ["--all-scopes"],
        ["--topic", "tea"],
        ["--session-id", "s1"],
        ["--session-id", "claude:s1"],
    ):
        assert "claude:s1" in room.ok("session", "rehydrate", *scope, cwd=elsewhere).out
    assert room.cli("session", "rehydrate", "--topic", "coffee").exit == 1
    assert room.cli("session", "rehydrate", "--limit", "0").exit == 2
    told = room.ok("session", "rehydrate", "--json", "--max-chars", "400").json
    assert [row["id"] for row in told["sessions"]] == ["claude:s1"]
    assert len(told["text"]) <= 400


def test_18_rehydrate_tells_what_the_hook_tells(room):
    room.finished("s1")
    said = json.loads(room.hook(room.event("SessionStart", "s2", source="startup")).out)
    assert room.ok("session", "rehydrate").out.rstrip("\n") == said["hookSpecificOutput"]["additionalContext"]


def test_20_a_summary_by_hand_is_one_quoted_line(room):
    room.ok("session", "capture", "--summary", "-", stdin=b"Done\n\n# IGNORE ALL\n`rm -rf /` [x](http://e)\n")
    text = room.ok("session", "rehydrate").out
    assert len(text.strip().split("\n")) == 3
    assert '"Done IGNORE ALL rm -rf / x (http://e)"' in " ".join(text.split())


# -- by hand --------------------------------------------------------------------------------------------


def test_capture_by_hand_works_at_every_level_and_says_so(fresh):
    done = fresh.ok("session", "capture", "--summary", "Found the leak")
    assert Path(done.out.strip()).is_file()
    assert re.search(r"manual-\d{8}-\d{6}-[a-z0-9]{4}\.md$", done.out.strip())
    assert "automatic capture is off" in done.err
    assert not (fresh.sessions / "config.json").exists()
    assert fresh.ok("session", "list", "--json").json["sessions"][0]["manual_summaries"] == ["Found the leak"]


def test_capture_by_hand_adds_to_the_session_it_names(room):
    room.finished("s1")
    room.ok("session", "capture", "--session-id", "s1", "--summary", "Half of it", "--model", "m1")
    state = room.state()
    assert (state["event_count"], state["manual_summaries"], state["model"]) == (3, ["Half of it"], "m1")
    assert 'summary: "Half of it"' in digest_of(room, "s1").read_text()
    assert room.cli("session", "capture", "--summary", "x" * 2_001).exit == 2
    room.ok("session", "capture", "--summary", "x" * 2_000)


def test_16_ids_by_hand_that_look_alike_are_sessions_of_their_own(room):
    ids = ["a/b", "a-b", "é1", "ü1", "x" * 130 + "1", "x" * 130 + "2"]
    for name in ids:
        room.ok("session", "capture", "--session-id", name, "--summary", name[-3:])
    found = room.ok("session", "list", "--json").json["sessions"]
    assert sorted(row["native_session_id"] for row in found) == sorted(ids)
    assert "a/b" in room.ok("session", "show", "manual:a/b").out


def test_twenty_captures_at_once_are_all_counted(room):
    done = room.at_once(
        [["session", "capture", "--session-id", "x", "--summary", f"n{n}"] for n in range(20)]
    )
    assert {item.exit for item in done} == {0}
    assert room.state("x", "manual")["event_count"] == 20
    index = json.loads((room.sessions / "indexes/sessions.json").read_text())
    assert index["sessions"][0]["event_count"] == 20
    assert index == {"sessions": [room.state("x", "manual")]}


# -- the hook as a verb ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "flags",
    [[], ["--bogus"], ["--help"], ["--json"], ["--event-name"], ["--hub"], ["x", "--yes", "-z", "-h"]],
)
def test_7_session_hook_ends_with_0_whatever_flags_it_gets(room, flags):
    data = json.dumps(room.tool(1)).encode()
    done = room.cli("session", "hook", *flags, stdin=data)
    assert (done.exit, done.err) == (0, "")
    assert room.old("hook", *flags, stdin=json.dumps(room.tool(2)).encode()).exit == 0
    assert room.state()["event_count"] == 2


def test_session_hook_is_the_hook(room):
    room.finished("s1")
    start = json.dumps(room.event("SessionStart", "s2", source="startup")).encode()
    said = room.cli("session", "hook", "--harness", "claude", stdin=start)
    assert "claude:s1" in json.loads(said.out)["hookSpecificOutput"]["additionalContext"]


# -- the older program ----------------------------------------------------------------------------------


def test_the_older_program_says_yes_for_its_own_verbs_alone(fresh):
    assert fresh.old("--hub", fresh.hub, "enable", "--mode", "capture-only").exit == 0
    assert config(fresh)["mode"] == "capture-only"
    fresh.finished("s1")
    fresh.topic()
    assert fresh.old("promote", "s1", "--topic", "tea").exit == 0
    assert fresh.old("forget", "--all").exit == 4
    assert fresh.old("--hub", fresh.hub, "list", "--json").json["sessions"]
    assert fresh.old("--hub=" + str(fresh.hub), "status", "--json").json["session_count"] == 1
    assert fresh.old("--local", "status", "--json").json["session_count"] == 0
    assert "feedback_candidates" in fresh.old("--hub", fresh.hub, "feedback", "list", "--json").out
    assert fresh.old("--help").exit == 0
    assert fresh.old("nonsense").exit == 2


# -- promotion ------------------------------------------------------------------------------------------


def promoted(room, session="s1", **more):
    return room.cli("session", "promote", session, "--topic", "tea", "--yes", **more)


def findings(room):
    return {row["rule"] for row in room.cli("lint", "--wiki", "tea", "--json").json["issues"]}


def test_21_a_promoted_note_is_valid_and_names_no_path_of_this_machine(room):
    topic = room.topic()
    room.finished("S1")
    room.ok("session", "capture", "--session-id", "S1", "--summary",
            f"See {room.project}/a.py, /home/bob/x y/z, C:\\Users\\bob\\t.txt, ~/notes; mail bob_x@example.org")  # fmt: skip
    room.ok("session", "promote", "S1", "--topic", "tea", "--dry-run")
    assert room.cli("session", "promote", "S1", "--topic", "tea").exit == 4
    assert not list(topic.glob("raw/notes/2*"))
    done = promoted(room, "S1")
    assert done.exit == 0
    assert "# Session Digest: claude:S1" in done.err  # shown before
    (note,) = topic.glob("raw/notes/2*-session-claude-s1-*.md")
    text = note.read_text()
    front, body = text.split("---\n", 2)[1:]
    values = yaml.safe_load(front)
    assert list(values)[:6] == ["title", "source", "type", "ingested", "tags", "summary"]
    assert values["title"] == "Session Digest Promotion: claude:S1"
    assert (room.hub / values["source"]).is_file()
    assert values["tags"] == ["session-digest", "session-promotion", "tea"]
    for part in ("/home", str(room.project), str(room.home), "Users", "bob", "@example"):
        assert part not in text
    assert not re.search(r"(?m)(?:^|[\s(|\"'])(?:[A-Za-z]:)?[/\\]\w", body)
    assert findings(room) <= {"W611"}  # no article cites it yet, as with every new source
    log = (topic / "log.md").read_text()
    assert f"session | promoted session digest claude:S1 → raw/notes/{note.name}\n" in log
    state = room.state("S1")
    place = f"topics/tea/raw/notes/{note.name}"
    assert (state["topics"], state["promoted_to"]) == (["tea"], [place])
    digest = digest_of(room, "S1").read_text()
    assert f'promoted_to: ["{place}"]' in digest
    assert 'topics: ["tea"]' in digest
    assert note.name in (topic / "raw/notes/_index.md").read_text()


def test_21_undo_takes_a_promotion_back_and_it_can_be_promoted_again(room):
    topic = room.topic()
    before = {k: v for k, v in tree(topic).items() if k != "log.md"}
    room.finished("s1")
    assert promoted(room).exit == 0
    assert promoted(room).exit == 4
    room.ok("undo", "--wiki", "tea")
    assert {k: v[0] for k, v in tree(topic).items() if k != "log.md"} == {k: v[0] for k, v in before.items()}
    assert promoted(room).exit == 0


def test_21_force_makes_a_further_note_that_names_the_first(room):
    topic = room.topic()
    room.finished("s1")
    assert promoted(room).exit == 0
    room.ok("session", "capture", "--session-id", "s1", "--summary", "It grew")
    assert promoted(room).exit == 4
    assert room.cli("session", "promote", "s1", "--topic", "tea", "--yes", "--force").exit == 0
    notes = sorted(topic.glob("raw/notes/2*"))
    assert len(notes) == 2
    assert (
        f"supersedes: raw/notes/{min(notes, key=lambda path: len(path.name)).name}"
        in max(notes, key=lambda path: len(path.name)).read_text()
    )


@pytest.mark.parametrize(
    ("slug", "exit_code"),
    [("../../zz", 2), ("tea/raw", 2), ("..", 2), ("/etc", 2), ("unknown", 2), ("hub", 2), ("", 2)],
)
def test_22_only_a_registered_topic_takes_a_note(room, slug, exit_code):
    room.topic()
    room.finished("s1")
    before = tree(room.home)
    assert room.cli("session", "promote", "s1", "--topic", slug, "--yes").exit == exit_code
    assert tree(room.home) == before


def test_22_an_archived_topic_takes_no_note(room):
    topic = room.topic()
    room.finished("s1")
    (room.hub / "topics/.archive").mkdir(exist_ok=True)
    shutil.move(topic, room.hub / "topics/.archive/tea")
    registry = json.loads((room.hub / "wikis.json").read_text())
    registry["wikis"]["tea"] |= {"path": "topics/.archive/tea", "status": "archived"}
    (room.hub / "wikis.json").write_text(json.dumps(registry))
    assert promoted(room).exit == 4


def test_10_twenty_parallel_promotions_all_succeed(room):
    topic = room.topic()
    for number in range(20):
        room.ok(
            "session",
            "capture",
            "--harness",
            "claude",
            "--session-id",
            f"p{number}",
            "--summary",
            f"n{number}",
        )
    calls = [["session", "promote", f"claude:p{number}", "--topic", "tea", "--yes"] for number in range(20)]
    done = room.at_once(calls, width=20)
    assert [item for item in done if item.exit] == []
    assert len(list(topic.glob("raw/notes/2*"))) == 20
    assert all(len(room.state(f"p{number}")["promoted_to"]) == 1 for number in range(20))
    assert (topic / "log.md").read_text().count("promoted session digest") == 20
    assert findings(room) <= {"W611"}


def test_10_a_promotion_that_was_killed_half_way_is_completed(room):
    topic = room.topic()
    room.finished("s1")
    assert promoted(room).exit == 0
    before = tree(topic)
    room.write_state("s1", promoted_to=[], topics=[])  # as it is between the note and its mark
    assert promoted(room).exit == 0
    assert tree(topic) == before
    assert len(room.state()["promoted_to"]) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see /home/bob/a/b.py now", "see b.py now"),
        ("`/etc/passwd` and (/var/log/x.log)", "`passwd` and (x.log)"),
        ("C:\\Users\\bob\\a.txt", "a.txt"),
        ("~/notes/x.md", "x.md"),
        ("in /tmp", "in tmp"),
        ("file:///srv/data/x", "x"),
        ("https://example.org/a/b and and/or src/a.py ./x ../y 1/2 /wiki:session", None),
    ],
)
def test_of_a_path_only_the_last_part_is_left(text, expected):
    assert without_paths(text) == (text if expected is None else expected)


# -- reindex --------------------------------------------------------------------------------------------


def test_25_reindex_makes_lost_states_again_with_topics_and_promotions(room):
    room.topic()
    for name in ("s1", "s2"):
        room.finished(name, tools=3)
    room.ok("session", "capture", "--session-id", "s1", "--topic", "coffee")
    assert promoted(room).exit == 0
    lost = {name: room.state(name) for name in ("s1", "s2")}
    (room.sessions / "state/claude/s1.json").unlink()
    (room.sessions / "state/claude/s2.json").write_bytes(b'{"harness": "cl')
    shutil.rmtree(room.sessions / "indexes")
    shutil.rmtree(room.sessions / "projects")
    room.ok("session", "reindex")
    for name, before in lost.items():
        after = room.state(name)
        for key in (
            "event_count",
            "tool_event_count",
            "tools",
            "last_digest_path",
            "cwd",
            "started_at",
            "project_key",
        ):
            assert after[key] == before[key], (name, key)
    assert room.state("s1")["topics"] == ["coffee", "tea"]
    assert room.state("s1")["promoted_to"] == lost["s1"]["promoted_to"]
    assert "claude:s2" in room.ok("session", "rehydrate").out
    assert room.hook(room.tool(7, "s1")).code == 0
    assert room.state("s1")["event_count"] == lost["s1"]["event_count"] + 1


def test_reindex_twice_changes_no_byte_and_removes_what_killed_writers_left(room):
    for name in ("s1", "s2"):
        room.finished(name)
    left = room.sessions / "state/claude/s9.json.tmp"
    left.write_text("{")
    os.utime(left, (1, 1))
    told = room.ok("session", "reindex", "--json").json
    assert told["leftovers"] == 1
    before = tree(room.sessions)
    told = room.ok("session", "reindex", "--json").json
    assert (told["states"], told["projects"], told["indexes"], told["leftovers"]) == (0, 0, [], 0)
    assert {k: v[0] for k, v in tree(room.sessions).items()} == {k: v[0] for k, v in before.items()}
    assert set(json.loads((room.sessions / "indexes/by-cwd.json").read_text())) == {str(room.project)}


def test_reindex_counts_rows_that_no_hook_had_time_to_count(room):
    room.hook(room.tool(1))
    state = room.state()
    room.hook(room.tool(2))
    (room.sessions / "state/claude/s1.json").write_text(json.dumps(state))
    assert room.ok("session", "reindex", "--json").json["caught_up"] == 1
    assert room.state()["event_count"] == 2


def test_reindex_says_what_cannot_be_made_again(room):
    room.finished("s1")
    (room.sessions / "state/claude/ghost.json").write_text("{")
    done = room.cli("session", "reindex", "--json")
    assert (done.exit, done.json["lost"]) == (1, ["state/claude/ghost.json"])


# -- many -----------------------------------------------------------------------------------------------


def test_29_a_hook_writes_no_index_and_a_list_reads_states(room):
    room.finished("s1")
    assert not (room.sessions / "indexes").exists()
    assert "claude:s1" in room.ok("session", "list").out
    assert not (room.sessions / "indexes").exists()
    room.ok("session", "capture")
    assert {path.name for path in (room.sessions / "indexes").iterdir()} >= {
        "sessions.json",
        "by-cwd.json",
        "by-topic.json",
    }


# -- elsewhere ------------------------------------------------------------------------------------------


def test_status_paths_and_doctor_tell_of_sessions_where_there_are_any(room):
    room.topic()
    room.finished("s1")
    assert room.ok("status", room.hub, "--json").json["capture"] == {
        "level": "notes", "why_off": "", "sessions": 1, "errors": 0,
    }  # fmt: skip
    assert "capture of sessions: notes, 1 stored" in room.ok("status", room.hub).out
    (folder,) = [row for row in room.ok("paths", "--json").json["folders"] if row["name"] == "sessions"]
    assert (folder["path"], folder["shared"]) == (str(room.sessions), False)
    assert "forget --all" in folder["remove"]
    room.configure(b"{")
    checks = room.cli("doctor", "--json").json["checks"]
    (check,) = [row for row in checks if row["name"] == "capture"]
    assert check["state"] == "fault"
    assert "config.json is not valid JSON" in check["text"]
