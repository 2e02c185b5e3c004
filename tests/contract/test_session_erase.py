"""Forgetting, pruning and redacting: what was asked for is gone from every file, and nothing else."""

import json
import os
import shutil
import threading

import pytest
from program import tree
from sessionkit import Room, digest_of

NAMES = ("abcdef12-3456", "abcdef12-34567")
"""The one that goes, and one whose id begins alike."""


@pytest.fixture
def room(tmp_path):
    room = Room(tmp_path)
    for name in NAMES:
        room.finished(name, tools=2)
        candidate(room, name)
    room.hook(b"[1]")
    with (room.sessions / "hook-errors.log").open("a") as log:
        log.writelines(f"OSError: state/claude/{name}.json cannot be read\n" for name in NAMES)
    room.ok("session", "reindex")
    return room


def candidate(room, session):
    """Leave a feedback candidate of a session as the hook leaves it, and what was decided of it."""
    folder = room.sessions / "feedback"
    folder.mkdir(mode=0o700, exist_ok=True)
    row = {"schema_version": 1, "id": f"fb-{session}", "event": "feedback_candidate", "harness": "claude",
           "llm_wiki_session_id": f"claude:{session}", "native_session_id": session, "text_preview": "No, use tabs."}  # fmt: skip
    with (folder / "candidates.jsonl").open("a") as stream:
        stream.write(json.dumps(row, sort_keys=True) + "\n")
    path = folder / "status.json"
    status = (
        json.loads(path.read_text()) if path.exists() else {"promoted": {}, "rejected": {}, "own": {"x": 1}}
    )
    status["rejected"][f"fb-{session}"] = {"ts": "2026-11-30T00:00:00Z", "reason": "no"}
    path.write_text(json.dumps(status))


def holds(room, session):
    """Return the files below the home that name a session in their name or text."""
    found = []
    for path in room.home.rglob("*"):
        text = path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""
        for place in (path.name, text):
            if session in place.replace(session + "7", ""):
                found.append(path.relative_to(room.home).as_posix())
                break
    return sorted(found)


def test_forgetting_one_session_leaves_no_trace_of_it_and_every_byte_of_the_other(room):
    gone, kept = NAMES
    places = holds(room, gone)
    assert len(places) >= 11
    state, digest = room.state(kept), digest_of(room, kept).read_bytes()
    rows = {
        name: [row for row in room.all_rows(*name.split("/")) if kept in json.dumps(row)]
        for name in ("registry.jsonl", "feedback/candidates.jsonl")
    }
    queue = [row for row in room.queue() if row["native_session_id"] == kept]
    refused = room.cli("session", "forget", gone)
    assert refused.exit == 4
    assert holds(room, gone) == places
    told = room.ok("session", "forget", gone, "--yes", "--json").json
    assert told["proved"] is True
    assert told["sessions"] == [f"claude:{gone}"]
    for kind in (
        "states",
        "digests",
        "registry_rows",
        "pointers",
        "candidates",
        "status_entries",
        "error_lines",
        "locks",
    ):
        assert told["removed"][kind] >= 1, kind
    assert told["removed"]["queue_rows"] == 3
    assert holds(room, gone) == []
    assert (room.state(kept), digest_of(room, kept).read_bytes()) == (state, digest)
    for name, before in rows.items():
        assert room.all_rows(*name.split("/")) == before
    day = next((room.sessions / "queue").iterdir()).name
    assert room.all_rows("queue", day) == queue
    status = json.loads((room.sessions / "feedback/status.json").read_text())
    assert (list(status["rejected"]), status["own"]) == ([f"fb-{kept}"], {"x": 1})
    assert kept in (room.sessions / "hook-errors.log").read_text()
    again = room.cli("session", "forget", gone, "--yes")  # now the beginning of the other one's
    assert (again.exit, holds(room, kept) != []) == (3, True)
    assert room.cli("session", "forget", f"claude:{gone}x", "--yes").exit == 1
    room.hook(room.tool(9, kept))
    assert room.state(kept)["event_count"] == state["event_count"] + 1  # its place in the queue has not moved


def test_a_forgotten_session_that_goes_on_begins_anew(room):
    gone = NAMES[0]
    room.ok("session", "forget", gone, "--yes")
    room.hook(room.tool(50, gone))
    assert room.state(gone)["event_count"] == 1
    room.ok("session", "reindex")
    assert room.state(gone)["event_count"] == 1


def test_a_folder_is_forgotten_with_what_lies_below_it(room, tmp_path):
    other = tmp_path / "project-two"
    (room.project / "deep").mkdir()
    other.mkdir()
    room.finished("deep", room.project / "deep")
    room.finished("other", other)
    assert len(room.ok("session", "forget", "--cwd", room.project, "--yes", "--json").json["sessions"]) == 3
    assert [row["native_session_id"] for row in room.cli("session", "list", "--json").json["sessions"]] == [
        "other"
    ]
    assert room.cli("session", "forget", "--cwd", tmp_path / "nowhere", "--yes").exit == 1


def test_forget_all_leaves_the_switch_alone_and_takes_what_nobody_can_read(room):
    (room.sessions / "state/claude/broken.json").write_text("{")
    (room.sessions / "digests/2020/01").mkdir(parents=True)
    (room.sessions / "digests/2020/01/claude-orphan.md").write_text("x")
    os.utime(room.sessions / "digests/2020/01/claude-orphan.md", (1, 1))
    os.utime(room.sessions / "state/claude/broken.json", (1, 1))
    switch = (room.sessions / "config.json").read_bytes()
    told = room.ok("session", "forget", "--all", "--yes", "--json").json
    assert told["proved"] is True
    assert (room.sessions / "config.json").read_bytes() == switch
    texts = {
        path.relative_to(room.sessions).as_posix(): path.read_text().strip()
        for path in room.sessions.rglob("*")
        if path.is_file() and path.name not in (".key", ".gitignore", "config.json")
    }
    filled = {name: text for name, text in texts.items() if text}
    assert set(filled) == {
        "indexes/by-cwd.json",
        "indexes/by-topic.json",
        "indexes/sessions.json",
        "feedback/status.json",
    }
    assert json.loads(filled["indexes/sessions.json"]) == {"sessions": []}
    assert room.cli("session", "list").out == "No session is stored.\n"


@pytest.mark.parametrize(
    "arguments", [[], ["x", "--all"], ["--cwd", "/x", "--all"], ["nobody", "--yes"], ["", "--yes"]]
)
def test_forget_wants_one_thing_that_is_there(room, arguments):
    before = tree(room.sessions)
    assert room.cli("session", "forget", *arguments).exit in (1, 2)
    assert tree(room.sessions) == before


def test_an_ambiguous_prefix_forgets_nothing(room):
    before = tree(room.sessions)
    assert room.cli("session", "forget", "abcdef", "--yes").exit == 3
    assert tree(room.sessions) == before


def test_promoted_notes_stay_and_are_named_and_undone_ones_cannot_come_back(room):
    gone = NAMES[0]
    topic = room.topic()
    room.ok("session", "promote", gone, "--topic", "tea", "--yes")
    (note,) = topic.glob("raw/notes/2*")
    told = room.ok("session", "forget", gone, "--yes", "--json").json
    assert told["promoted"] == [f"topics/tea/raw/notes/{note.name}"]
    assert note.is_file()
    assert told["removed"]["undo_records"] == 0


def test_a_promotion_that_was_undone_is_not_kept_for_undo(room):
    gone = NAMES[0]
    topic = room.topic()
    room.ok("session", "promote", gone, "--topic", "tea", "--yes")
    room.ok("undo", "--wiki", "tea")
    state = room.home / ".local/state/llm-wiki"
    body = b"Session Digest Promotion: claude:" + gone.encode()
    assert any(body in path.read_bytes() for path in state.rglob("before"))
    assert room.ok("session", "forget", gone, "--yes", "--json").json["removed"]["undo_records"] >= 1
    assert not any(body in path.read_bytes() for path in state.rglob("before"))
    assert not list(topic.glob("raw/notes/2*"))
    undo = room.cli("undo", "--wiki", "tea")
    assert undo.exit == 1
    assert "withdrawn" in room.ok("undo", "--list", "--wiki", "tea").out


def test_prune_takes_what_is_older_and_keeps_the_rest(room):
    for session, now in (("old", "2026-01-01T00:00:00Z"), ("recent", "2026-11-20T00:00:00Z")):
        room.finished(session, LLM_WIKI_NOW=now)
    today = {"LLM_WIKI_NOW": "2026-11-30T12:00:00Z"}
    assert room.ok("session", "prune", "--dry-run", "--json", **today).json["found"]["states"] == 1
    assert room.ok("session", "prune", "--json", **today).json["sessions"] == ["claude:old"]
    assert not (room.sessions / "queue/2026-01-01.jsonl").exists()
    assert holds(room, "claude-old") == []
    assert room.cli("session", "prune", **today).exit == 1
    assert room.ok("session", "prune", "--older-than", "5d", "--json", **today).json["sessions"] == [
        "claude:recent"
    ]
    assert room.cli("session", "prune", "--older-than", "soon").exit == 2


def test_twenty_hooks_that_run_while_sessions_are_forgotten_lose_no_row(room):
    for number in range(4):
        room.finished(f"goes-{number}", tools=2)
    stop = threading.Event()
    done = []

    def forget():
        done.extend(room.cli("session", "forget", f"goes-{n}", "--yes", "--json") for n in range(4))
        stop.set()

    thread = threading.Thread(target=forget)
    thread.start()
    sent = 0
    while not stop.is_set() or not sent:
        payloads = [room.tool(1_000 + sent + n, f"stays-{n % 4}") for n in range(20)]
        room.many(payloads, width=20)
        sent += 20
    thread.join()
    assert [(item.exit, item.json["proved"]) for item in done] == [(0, True)] * 4
    for number in range(4):
        room.hook(room.event("Notification", f"stays-{number}"))
    assert sum(room.state(f"stays-{n}")["tool_event_count"] for n in range(4)) == sent
    day = next((room.sessions / "queue").iterdir()).name
    rows = room.all_rows("queue", day)
    assert sum(row["native_session_id"].startswith("stays-") for row in rows) == sent + 4
    assert not any(row["native_session_id"].startswith("goes-") for row in rows)
    seen = [row for row in room.all_rows("registry.jsonl") if row["event"] == "session_seen"]
    assert sorted(row["native_session_id"] for row in seen if "stays" in row["native_session_id"]) == [
        f"stays-{n}" for n in range(4)
    ]


def test_twenty_hooks_of_the_session_that_is_forgotten_give_a_sound_new_state(room):
    room.finished("busy", tools=30)
    worker = threading.Thread(target=room.many, args=([room.tool(500 + n, "busy") for n in range(40)],))
    worker.start()
    done = room.cli("session", "forget", "busy", "--yes", "--json")
    worker.join()
    assert (done.exit, done.json["proved"]) == (0, True)
    room.hook(room.event("Notification", "busy"))
    room.ok("session", "reindex")
    rows = [row for row in room.all_rows("queue", next((room.sessions / "queue").iterdir()).name)
            if row["native_session_id"] == "busy"]  # fmt: skip
    assert room.state("busy")["event_count"] == len(rows)
    assert not any(row.get("tool_use_id") in {f"toolu_{n}" for n in range(30)} for row in rows)


# -- redact ---------------------------------------------------------------------------------------------

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


def soiled(room):
    """Leave a folder as a tool with weaker rules leaves it: a token in every kind of file."""
    old = NAMES[0]
    digest = digest_of(room, old)
    secret = f"run with {TOKEN} please"
    room.write_state(old, manual_summaries=[secret], cwd=f"/srv/{TOKEN}", tools={TOKEN: 1})
    digest.write_text(
        digest.read_text()
        .replace('summary: "', f'summary: "{secret} ')
        .replace("## Open", f"{secret}\n## Open")
    )
    with (room.sessions / "queue/2026-01-01.jsonl").open("w") as stream:
        row = {"event": "session_event", "ts": "2026-01-01T00:00:00Z", "harness": "claude", "native_session_id": old,
               "llm_wiki_session_id": f"claude:{old}", "payload_preview": json.dumps({"command": secret}), "cwd": secret}  # fmt: skip
        stream.write(json.dumps(row) + "\n" + f'{{"torn": "{TOKEN}' + "\n")
    with (room.sessions / "registry.jsonl").open("a") as stream:
        stream.write(
            json.dumps({"event": "session_seen", "llm_wiki_session_id": f"claude:{TOKEN}", "cwd": secret})
            + "\n"
        )
    with (room.sessions / "hook-errors.log").open("a") as stream:
        stream.write(f"OSError: {secret}\n")
    candidate(room, TOKEN)
    room.finished("tmp")
    path = room.sessions / "state/claude/tmp.json"
    state = json.loads(path.read_text()) | {
        "native_session_id": TOKEN,
        "llm_wiki_session_id": f"claude:{TOKEN}",
    }
    path.rename(path.with_name(f"{TOKEN}.json")).write_text(json.dumps(state))
    room.ok("session", "reindex")


def test_redact_says_what_would_change_and_then_takes_it_out_of_every_file(room):
    soiled(room)
    before = tree(room.sessions)
    dry = room.ok("session", "redact")
    assert tree(room.sessions) == before
    assert "Dry run" in dry.out
    assert TOKEN not in dry.out
    sizes = {path: path.stat().st_size for path in (room.sessions / "queue").iterdir()}
    told = room.ok("session", "redact", "--apply", "--json").json
    assert told["renamed"] == 1
    assert TOKEN.encode() not in room.written()
    for path in room.sessions.rglob("*.json"):
        json.loads(path.read_text())
    for path in room.sessions.rglob("*.jsonl"):
        room.all_rows(*path.relative_to(room.sessions).parts)
    assert {path: path.stat().st_size for path in (room.sessions / "queue").iterdir()} == sizes
    (row,) = room.all_rows("queue", "2026-01-01.jsonl")
    assert "[REDACTED:" in json.loads(row["payload_preview"])["command"]
    assert 'summary: "run with [REDACTED:' in digest_of(room, NAMES[0]).read_text()
    assert room.cli("session", "redact").exit == 1
    assert room.cli("session", "list", "--json").json["sessions"]
    renamed = [path for path in room.states() if "REDACTED" in path.name]
    assert len(renamed) == 1
    state = json.loads(renamed[0].read_text())
    assert room.ok("session", "show", state["llm_wiki_session_id"]).out


def test_redact_changes_no_byte_of_a_clean_folder(room):
    before = tree(room.sessions)
    assert room.cli("session", "redact", "--apply").exit == 1
    assert {k: v[0] for k, v in tree(room.sessions).items() if k != "locks"} == {
        k: v[0] for k, v in before.items() if k != "locks"
    }


def test_redact_and_reindex_find_nothing_where_nothing_is(tmp_path):
    room = Room(tmp_path, level=None)
    for verb in ("redact", "reindex", "prune"):
        assert room.cli("session", verb).exit == 1
    assert room.cli("session", "forget", "--all", "--yes").exit == 1
    assert list(room.home.iterdir()) == []
    shutil.rmtree(room.project)
