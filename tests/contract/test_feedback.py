"""`llm-wiki feedback`: what §3 of `feedback.md` says of its verbs, as a user meets them."""

import json
import stat

import pytest
from program import tree
from sessionkit import Room

RULE = "From now on write commit messages in the imperative mood."
WRONG = "No, that is not what I asked for."
GIVEN = "tests/unit/data/feedback/given.jsonl"


@pytest.fixture
def room(tmp_path):
    return Room(tmp_path)


def say(room, text, session="s1", **env):
    room.hook(room.event("UserPromptSubmit", session, prompt=text, prompt_id=f"t-{text[:9]}"), **env)
    return room.rows("feedback", "candidates.jsonl")[-1]["id"]


def decide(room, **parts):
    (room.sessions / "feedback" / "status.json").write_text(json.dumps(parts))


def ids(room, *flags, exit_code=0):
    done = room.cli("feedback", "list", *flags, "--json")
    assert done.exit == exit_code, done
    assert set(done.json) == {"sessions_root", "feedback_candidates"}
    return [row["id"] for row in done.json["feedback_candidates"]]


@pytest.fixture
def three(room):
    """A preference of s1, a correction of s2 and an approval of s3, said on three days."""
    return room, [
        say(room, RULE, "s1", LLM_WIKI_NOW="2026-01-01T10:00:00Z"),
        say(room, WRONG, "s2", LLM_WIKI_NOW="2026-01-02T10:00:00Z"),
        say(room, "Great, that fixed it.", "s3", LLM_WIKI_NOW="2026-01-03T10:00:00Z"),
    ]


NOW = {"LLM_WIKI_NOW": "2026-01-10T10:00:00Z"}


def listed(room, *flags):
    done = room.cli("feedback", "list", *flags, "--json", **NOW)
    return [row["id"] for row in done.json["feedback_candidates"]]


def test_the_list_is_newest_first_and_cut_for_programs_too(three):
    room, (rule, wrong, fixed) = three
    assert listed(room) == [fixed, wrong, rule]
    assert listed(room, "--limit", 2) == [fixed, wrong]
    table = room.ok("feedback", "list", **NOW).out
    assert table.split("\n")[0].split() == ["ID", "Type", "Confidence", "Scope", "Promoted", "Preview"]
    assert RULE in table


@pytest.mark.parametrize(
    ("flags", "wanted"),
    [
        (("--session-id", "claude:s2"), (1,)),
        (("--session-id", "s2"), (1,)),
        (("--type", "preference"), (0,)),
        (("--scope", "global"), (0,)),
        (("--scope", "session"), (2, 1)),
        (("--since", "2026-01-02"), (2, 1)),
        (("--project", "."), (2, 1, 0)),
        (("--cwd", "."), (2, 1, 0)),
        (("--min-confidence", "high"), (2, 1, 0)),
        (("--min-confidence", "low", "--unpromoted"), (2, 1, 0)),
        (("--status", "promoted"), ()),
        (("--cwd", "/nowhere"), ()),
        (("--project", "0000000000000000"), ()),
        (("--type", "manual"), ()),
    ],
)
def test_filters_narrow_the_list_and_nothing_found_ends_with_1(three, flags, wanted):
    room, known = three
    assert listed(room, *flags) == [known[number] for number in wanted]
    assert room.cli("feedback", "list", *flags, **NOW).exit == (0 if wanted else 1)


def test_decided_and_expired_ones_are_hidden_and_kept(three):
    room, (rule, wrong, fixed) = three
    decide(
        room, promoted={rule: {"ts": "x", "topic": "tea", "path": "p"}}, rejected={wrong: {"reason": "no"}}
    )
    assert listed(room) == [fixed, rule]
    assert listed(room, "--unpromoted") == listed(room, "--status", "new") == [fixed]
    assert listed(room, "--status", "promoted") == [rule]
    assert listed(room, "--status", "rejected") == [wrong]
    assert listed(room, "--status", "all") == [fixed, wrong, rule]
    late = room.cli("feedback", "list", "--json", LLM_WIKI_NOW="2026-06-01T00:00:00Z").json
    assert [row["id"] for row in late["feedback_candidates"]] == [rule]
    late = room.cli("feedback", "list", "--status", "all", "--json", LLM_WIKI_NOW="2026-06-01T00:00:00Z").json
    assert [row["status"] for row in late["feedback_candidates"]] == ["expired", "rejected", "promoted"]


@pytest.mark.parametrize(
    "flags",
    [
        ("--limit", "0"),
        ("--limit", "-1"),
        ("--type", "x"),
        ("--since", "soon"),
        ("--unpromoted", "--status", "all"),
    ],
)
def test_flags_that_mean_nothing_end_with_2(room, flags):
    assert room.cli("feedback", "list", *flags).exit == 2


def test_with_nothing_stored_the_list_is_empty_and_nothing_is_made(tmp_path):
    room = Room(tmp_path, level=None)
    assert ids(room) == []
    assert ids(room, "--type", "manual", exit_code=1) == []
    assert room.cli("feedback", "show", "fb-000000").exit == 1
    assert room.ok("feedback", "stats").out.strip() == "No candidate is stored."
    assert list(room.home.iterdir()) == []


def test_show_takes_the_beginning_of_an_id_or_the_hash_of_the_text(three):
    room, (rule, *_) = three
    row = room.rows("feedback", "candidates.jsonl")[0]
    for name in (rule, rule[:8], row["text_sha256"]):
        shown = room.ok("feedback", "show", name, "--json", **NOW).json
        assert {key: shown[key] for key in row} == row
        assert (shown["status"], shown["promoted"], shown["rejected"], shown["seen"]) == ("new", [], None, 1)
    assert RULE in room.ok("feedback", "show", rule, **NOW).out
    assert room.cli("feedback", "show", rule[:5]).exit == 2
    assert room.cli("feedback", "show", "fb-zzzzzz").exit == 1


def test_a_beginning_that_fits_two_names_both_and_ends_with_3(room):
    say(room, RULE)
    path = room.sessions / "feedback" / "candidates.jsonl"
    row = json.loads(path.read_text())
    twins = [row | {"id": f"fb-aaaaaaa{n}", "text_sha256": n} for n in "12"]
    path.write_text("".join(json.dumps(each) + "\n" for each in twins))
    done = room.cli("feedback", "show", "fb-aaaa")
    assert done.exit == 3
    assert "fb-aaaaaaa1" in done.err
    assert "fb-aaaaaaa2" in done.err


def test_show_tells_repeats_promotions_and_what_resembles_it(room):
    rule = say(room, RULE)
    say(room, RULE, "s2")
    near = say(room, "From now on write the commit messages in the imperative mood!!", "s3")
    promoted = [
        {"topic": "tea", "path": "raw/notes/a.md", "ts": "t"},
        {"topic": "git", "path": "b", "ts": "t"},
    ]
    status = json.loads((room.sessions / "feedback" / "status.json").read_text())
    decide(room, **status, promoted={rule: promoted})
    shown = room.ok("feedback", "show", rule, "--json").json
    assert shown["seen"] == 2
    assert shown["similar_to"] == [near]
    assert [entry["topic"] for entry in shown["promoted"]] == ["tea", "git"]


def test_capture_works_with_capture_off_says_so_and_makes_a_private_folder(tmp_path):
    room = Room(tmp_path, level=None)
    done = room.ok("feedback", "capture", "--text", RULE)
    assert "automatic capture is off" in done.err
    (row,) = room.rows("feedback", "candidates.jsonl")
    assert done.out.strip() == row["id"]
    assert (row["feedback_type"], row["harness"]) == ("preference", "manual")
    assert row["native_session_id"].startswith("manual-feedback-")
    assert stat.S_IMODE(room.sessions.stat().st_mode) == 0o700
    assert (room.sessions / ".gitignore").read_text() == "*\n"
    assert not (room.sessions / "config.json").exists()
    assert not (room.sessions / "queue").exists()


def test_with_capture_on_it_says_nothing_of_that(room):
    assert room.ok("feedback", "capture", "--text", RULE).err == ""


def test_a_repeat_by_hand_gives_the_old_id(room):
    first = room.ok("feedback", "capture", "--text", RULE).out
    again = room.ok("feedback", "capture", "--text", RULE.upper(), "--json").json
    assert (again["id"], again["new"]) == (first.strip(), False)
    assert len(room.rows("feedback", "candidates.jsonl")) == 1


@pytest.mark.parametrize(
    ("flags", "text", "kind", "scope", "confidence"),
    [
        ((), "The office is on the second floor.", "manual", "session", "medium"),
        (("--type", "preference"), "Tabs, four wide.", "preference", "session", "high"),
        (("--type", "decision", "--scope", "repo"), "SQLite.", "decision", "repo", "medium"),
        (("--scope", "topic"), RULE, "preference", "topic", "high"),
        (("--type", "correction"), RULE, "correction", "session", "high"),
    ],
)
def test_type_and_scope_may_be_said(room, flags, text, kind, scope, confidence):
    room.ok("feedback", "capture", "--text", "-", *flags, stdin=text.encode())
    (row,) = room.rows("feedback", "candidates.jsonl")
    assert (row["feedback_type"], row["scope_hint"], row["confidence"]) == (kind, scope, confidence)
    assert row["promotion_recommendation"] == (
        "promote" if kind in ("correction", "preference") else "review"
    )


def test_capture_redacts_and_takes_session_host_and_folder(room, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    room.ok(
        "feedback",
        "capture",
        "--text",
        f"use {secret} here",
        "--harness",
        "codex",
        "--session-id",
        "x7",
        "--cwd",
        other,
    )
    (row,) = room.rows("feedback", "candidates.jsonl")
    assert (row["llm_wiki_session_id"], row["cwd"]) == ("codex:x7", str(other))
    assert secret.encode() not in room.written()
    assert "[REDACTED:" in row["text_preview"]


@pytest.mark.parametrize("text", ["", "   "])
def test_no_text_is_bad_usage_and_makes_nothing(tmp_path, text):
    room = Room(tmp_path, level=None)
    assert room.cli("feedback", "capture", "--text", text).exit == 2
    assert not room.hub.exists()


def test_capture_keeps_the_index_and_reindex_makes_it_again(three):
    room, known = three
    decide(room, promoted={known[0]: {"topic": "tea"}})
    path = room.sessions / "indexes" / "feedback.json"
    assert not path.exists()
    room.ok("session", "reindex", **NOW)
    index = json.loads(path.read_text())
    assert (index["schema_version"], index["candidate_count"], index["unpromoted_count"]) == (1, 3, 2)
    assert [row["id"] for row in index["candidates"]] == known[::-1]
    assert [row["id"] for row in index["unpromoted"]] == [known[2], known[1]]
    assert index["by_session"]["claude:s1"] == [known[0]]
    assert set(index["by_type"]) == {"preference", "correction", "approval"}
    new = room.ok("feedback", "capture", "--text", "Never push to main.", **NOW).out.strip()
    assert json.loads(path.read_text())["candidates"][0]["id"] == new


def test_stats_count_by_rule_with_shares(three):
    room, (rule, wrong, _) = three
    decide(room, promoted={rule: {"topic": "tea"}}, rejected={wrong: {}})
    answer = room.ok("feedback", "stats", "--json", **NOW).json
    rows = {row["rule_id"]: row for row in answer["rules"]}
    assert answer["totals"] == {"new": 1, "promoted": 1, "rejected": 1, "expired": 0}
    assert rows["en.standing"]["promoted_share"] == 1.0
    assert {row["rejected_share"] for row in rows.values()} == {0.0, 1.0, None}


def test_test_prints_matrix_labels_and_macro(room):
    from program import CHECKOUT

    before = tree(room.home)
    answer = room.ok("feedback", "test", "--file", CHECKOUT / GIVEN, "--json").json
    assert answer["labels"] == ["correction", "preference", "approval", "decision", "none"]
    assert [sum(row) for row in answer["matrix"]] == [24] * 5
    assert answer["macro"]["f1"] >= 0.85
    assert set(answer["languages"]) == {"en", "zh", "de", "fr", "es"}
    assert "macro-F1" in room.ok("feedback", "test", "--file", CHECKOUT / GIVEN).out
    assert tree(room.home) == before


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", None),
        (b"[]\n", 1),
        (b'{"text": "a", "label": "none"}\n{"text": 3}\n', 2),
        (b'{"text": "a", "label": "x"}\n', 1),
        (b"\xff\n", 1),
    ],
)
def test_a_file_that_holds_no_labelled_sentences_ends_with_2_and_the_line(room, tmp_path, content, line):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    done = room.cli("feedback", "test", "--file", path, "--json")
    assert done.exit == 2
    assert done.json["error"]["line"] == line
    assert room.cli("feedback", "test", "--file", tmp_path / "missing").exit == 2


def test_the_old_program_takes_the_same_verbs_and_places(room, tmp_path):
    rule = say(room, RULE)
    for place in ((), ("--hub", room.hub)):
        answer = room.old(*place, "feedback", "list", "--json").json
        assert [row["id"] for row in answer["feedback_candidates"]] == [rule]
    assert room.old("feedback", "show", rule).exit == 0
    assert room.old("--local", "feedback", "capture", "--text", "Never push to main.").exit == 0
    assert (room.project / ".wiki" / ".sessions" / "feedback" / "candidates.jsonl").is_file()


@pytest.mark.parametrize(
    "damage", [b"[]", b"{", b'{"promoted": [], "rejected": 3, "seen": {"x": []}}', b"\xff"]
)
def test_a_status_file_of_a_wrong_shape_hides_nothing(three, damage):
    room, known = three
    (room.sessions / "feedback" / "status.json").write_bytes(damage)
    assert listed(room) == known[::-1]
    assert room.cli("feedback", "stats").exit == 0
    assert room.ok("feedback", "capture", "--text", "Never push to main.").err == ""


def test_lines_that_are_no_rows_are_passed_over(three):
    room, known = three
    path = room.sessions / "feedback" / "candidates.jsonl"
    path.write_bytes(b"\xff\xfe\n[]\n{}\n" + path.read_bytes() + b'{"id": "fb-torn')
    assert listed(room) == known[::-1]


def test_rows_of_the_older_tool_are_read(room):
    folder = room.sessions / "feedback"
    folder.mkdir()
    old = {
        "id": "fb-0123456789abcdef",
        "ts": "2026-01-02T03:04:05Z",
        "feedback_type": "preference",
        "text_preview": "x",
    }
    (folder / "candidates.jsonl").write_text(json.dumps(old) + "\n")
    assert listed(room) == ["fb-0123456789abcdef"]
    assert room.ok("feedback", "show", "fb-0123456").exit == 0
