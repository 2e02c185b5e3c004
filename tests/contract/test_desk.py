"""The desk: every source passes one suite (`review.md` §5), through the program as a person and as an agent."""

import json
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from personkit import NAMED, at_terminal
from program import Program, contents, tree

ROW = {
    "schema_version": 1, "ts": "2026-01-09T10:00:00Z", "event": "feedback_candidate", "harness": "claude",
    "llm_wiki_session_id": "claude:a", "native_session_id": "a", "cwd": "/home/user/project", "git_remote": "",
    "git_branch": "main", "hook_event_name": "UserPromptSubmit", "turn_id": "1", "strength": "high",
    "confidence": "high", "scope_hint": "repo", "rationale": "standing rule", "promotion_recommendation": "promote",
    "text_sha256": "0" * 64,
}  # fmt: skip
KINDS = ("correction", "preference", "approval", "decision", "manual")
FEEDBACK = "fb-0000000000000001"


@pytest.fixture
def desk(tmp_path):
    """A person with a topic, five candidates and one proposed lesson."""
    program = Program(tmp_path)
    program.begun(NAMED, ("init", "tools"))
    folder = program.hub / ".sessions" / "feedback"
    folder.mkdir(parents=True)
    rows = [
        ROW | {"id": f"fb-000000000000000{n}", "feedback_type": kind, "text_preview": f"Words {n} of the user.\n# x",
               "distilled_lesson": f"lesson number {n}"}
        for n, kind in enumerate(KINDS)
    ]  # fmt: skip
    (folder / "candidates.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + "{torn")
    note = b"# LL: a port was taken\n\n## Lesson\n\nThe suite waits for a port.\n"
    program.lesson = program.ok("review", "propose", "-", "--topic", "tools", "--json", stdin=note).json["id"]
    return program


def waiting(desk):
    return {row["id"] for row in desk.ok("review", "list", "--json").json["proposals"]}


def name_of(desk, source):
    return FEEDBACK if source == "feedback" else desk.lesson


def status(desk):
    return json.loads((desk.hub / ".sessions/feedback/status.json").read_text())


SOURCES = ("feedback", "lessons")


def test_looking_changes_nothing(desk):
    before = tree(desk.hub)
    for arguments in (("review",), ("review", "list"), ("review", "show", FEEDBACK, "--topic", "tools"),
                      ("review", "show", desk.lesson), ("review", "later", FEEDBACK)):  # fmt: skip
        desk.ok(*arguments)
    assert tree(desk.hub) == before


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_shown_is_what_happens(desk, source):
    name = name_of(desk, source)
    plan = desk.ok("review", "show", name, "--topic", "tools", "--json").json["plan"]
    before = contents(desk.hub / "topics")
    seen = at_terminal(desk, "review", "yes", name, "--topic", "tools", "--json")
    assert seen.exit == 0, seen
    done = json.loads(seen.screen[seen.screen.index("{") :])["decided"][0]
    assert done["changes"] == plan["changes"]
    after = contents(desk.hub / "topics")
    changed = {path for path in before | after if before.get(path) != after.get(path)}
    named_paths = {f"tools/{change['path']}" for change in plan["changes"]} | {"tools/log.md"}
    assert {path for path in changed if after.get(path) or before.get(path)} <= named_paths
    note = desk.hub / "topics/tools" / done["path"]
    assert note.read_text() == plan["text"]
    assert desk("lint", "--wiki", "tools", "--skip", "W611").exit == 0


@pytest.mark.parametrize("source", SOURCES)
def test_the_second_decision_changes_nothing(desk, source):
    name = name_of(desk, source)
    assert at_terminal(desk, "review", "yes", name, "--topic", "tools").exit == 0
    before = tree(desk.hub)
    assert at_terminal(desk, "review", "yes", name, "--topic", "tools").exit == 0
    assert tree(desk.hub) == before


@pytest.mark.parametrize("source", SOURCES)
def test_what_was_turned_down_waits_no_more_and_undo_brings_it_back(desk, source):
    name = name_of(desk, source)
    assert at_terminal(desk, "review", "no", name, "--reason", "not worth it").exit == 0
    assert name not in waiting(desk)
    assert at_terminal(desk, "review", "undo", name).exit == 0
    assert name in waiting(desk)


@pytest.mark.parametrize("source", SOURCES)
def test_undo_takes_back_what_a_yes_wrote(desk, source):
    name = name_of(desk, source)
    before = contents(desk.hub / "topics")
    assert at_terminal(desk, "review", "yes", name, "--topic", "tools").exit == 0
    assert at_terminal(desk, "review", "undo", name).exit == 0
    after = contents(desk.hub / "topics")
    for each in (before, after):
        each.pop("tools/log.md")
    assert after == before
    assert name in waiting(desk)


AGENTS = {"CLAUDECODE": "1", "CODEX_SANDBOX": "x", "LLM_WIKI_HARNESS": "claude"}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("verdict", ["yes", "no", "edit", "undo"])
@pytest.mark.parametrize("agent", [*AGENTS, "pipe"])
def test_nobody_but_a_person_decides(desk, source, verdict, agent):
    name = name_of(desk, source)
    arguments = ["review", verdict, name, *(["--text", "other words"] if verdict == "edit" else [])]
    before = tree(desk.home)
    if agent == "pipe":
        done = desk(*arguments)
        code, said = done.exit, done.err
    else:
        done = at_terminal(desk, *arguments, **{agent: AGENTS[agent]})
        code, said = done.exit, done.screen
    assert code == 4, done
    assert "only a person decides" in said
    assert f"llm-wiki review {verdict} {name}" in said
    assert tree(desk.home) == before


def test_a_person_without_a_name_is_told_how_to_get_one(tmp_path):
    program = Program(tmp_path)
    program.begun(("init", "tools"))
    seen = at_terminal(program, "review", "no", FEEDBACK)
    assert seen.exit == 4
    assert "llm-wiki config person.name" in seen.screen


def test_the_loop_asks_one_by_one(desk):
    keys = "y\ntools\ny\n" + "n\nno use\n" + "e\nbetter words\nl\n" + "q\n"
    seen = at_terminal(desk, "review", keys=keys)
    assert seen.exit == 0, seen
    assert "Decided: 1 yes, 1 no, 1 edit, 1 later" in seen.screen
    decided = status(desk)
    assert [entry["via"] for entry in decided["promoted"].values()] == ["terminal"]
    assert [entry["reason"] for entry in decided["rejected"].values()] == ["no use"]
    assert [entry["lesson"] for entry in decided["edited"].values()] == ["better words"]


def test_skipping_a_kind_and_an_unknown_key_decide_nothing(desk):
    before = contents(desk.hub)
    seen = at_terminal(desk, "review", keys="x\ns\ns\ns\ns\ns\ns\n")
    assert seen.exit == 0, seen
    assert "Decided: nothing" in seen.screen
    assert contents(desk.hub) == before


def test_new_words_are_what_a_yes_writes(desk):
    assert at_terminal(desk, "review", "edit", FEEDBACK, "--text", "use tabs in makefiles").exit == 0
    assert at_terminal(desk, "review", "yes", FEEDBACK, "--topic", "tools").exit == 0
    (note,) = (desk.hub / "topics/tools/raw/notes").glob("*-feedback-*.md")
    assert "summary: use tabs in makefiles" in note.read_text()


def test_one_candidate_may_go_to_two_topics(desk):
    desk.ok("init", "garden")
    for topic in ("tools", "garden"):
        assert at_terminal(desk, "review", "yes", FEEDBACK, "--topic", topic).exit == 0
    assert [entry["topic"] for entry in status(desk)["promoted"][FEEDBACK]] == ["tools", "garden"]


@pytest.mark.parametrize(("topic", "code"), [("../../zz", 2), ("nowhere", 2), ("", 2), ("TOOLS/x", 2)])
def test_a_topic_that_is_none_takes_no_note(desk, topic, code):
    before = contents(desk.hub, "feedback")
    assert at_terminal(desk, "review", "yes", FEEDBACK, "--topic", topic).exit == code
    assert contents(desk.hub, "feedback") == before


def test_an_archived_topic_takes_no_note(desk):
    registry = desk.hub / "wikis.json"
    value = json.loads(registry.read_text())
    value["wikis"]["tools"] |= {"status": "archived", "path": "topics/.archive/tools"}
    registry.write_text(json.dumps(value))
    (desk.hub / "topics/.archive").mkdir(exist_ok=True)
    (desk.hub / "topics/tools").rename(desk.hub / "topics/.archive/tools")
    before = contents(desk.hub, "feedback")
    assert at_terminal(desk, "review", "yes", FEEDBACK, "--topic", "tools").exit == 4
    assert contents(desk.hub, "feedback") == before


def test_twenty_promotions_in_parallel_are_twenty_notes(desk):
    rows = [ROW | {"id": f"fb-00000000000001{n:02}", "feedback_type": "correction", "text_preview": f"Words {n}.",
                   "distilled_lesson": f"another lesson {n}"} for n in range(20)]  # fmt: skip
    path = desk.hub / ".sessions/feedback/candidates.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with ThreadPoolExecutor(10) as pool:
        seen = list(pool.map(lambda row: promoted(desk, row["id"]), rows))
    assert {each.exit for each in seen} == {0}
    assert len(status(desk)["promoted"]) == 20
    notes = sorted((desk.hub / "topics/tools/raw/notes").glob("*-feedback-*.md"))
    assert len(notes) == 20
    index = (desk.hub / "topics/tools/raw/notes/_index.md").read_text()
    assert all(note.name in index for note in notes)
    assert desk("lint", "--wiki", "tools", "--skip", "W611").exit == 0


def promoted(desk, name):
    return at_terminal(desk, "feedback", "promote", name, "--topic", "tools")


@pytest.mark.parametrize(("verb", "arguments"), [
    ("promote", ["--topic", "tools"]), ("reject", ["--reason", "no"]), ("edit", ["--text", "other words"]),
])  # fmt: skip
def test_the_old_spellings_decide_at_the_same_desk(desk, verb, arguments):
    assert desk("feedback", verb, FEEDBACK, *arguments).exit == 4
    assert at_terminal(desk, "feedback", verb, FEEDBACK, *arguments).exit == 0
    decided = status(desk)
    part = {"promote": "promoted", "reject": "rejected", "edit": "edited"}[verb]
    assert FEEDBACK in decided[part]
    if verb != "edit":
        assert decided[part][FEEDBACK]["via"] == f"feedback {verb}"


def test_a_promotion_that_was_cut_off_after_the_note_is_completed(desk):
    assert promoted(desk, FEEDBACK).exit == 0
    path = desk.hub / ".sessions/feedback/status.json"
    path.unlink()  # as if the process had died between note and status
    before = contents(desk.hub / "topics")
    assert promoted(desk, FEEDBACK).exit == 0
    assert contents(desk.hub / "topics") == before
    assert status(desk)["promoted"][FEEDBACK]["path"].startswith("raw/notes/")


def test_more_than_twenty_at_once_are_refused(desk):
    names = [f"fb-{n:016}" for n in range(21)]
    assert at_terminal(desk, "review", "no", *names).exit == 2


def test_an_id_that_fits_several_lists_them(desk):
    done = desk("review", "show", "fb-000000")
    assert done.exit == 3
    assert FEEDBACK in done.err
    assert desk("review", "show", "fb-999999").exit == 1


def test_a_rule_is_printed_and_nothing_is_written(desk):
    before = contents(desk.hub)
    seen = at_terminal(desk, "review", "yes", FEEDBACK, "--as", "rule")
    assert seen.exit == 0, seen
    assert "- lesson number 1" in seen.screen
    assert contents(desk.hub) == before


@pytest.mark.parametrize("kept_as", ["fact", "strategy", "antibody"])
def test_what_needs_the_fact_memory_says_so(desk, kept_as):
    assert at_terminal(desk, "review", "yes", FEEDBACK, "--as", kept_as).exit == 4


def test_a_lesson_for_an_article_is_added_before_its_closing_list(desk):
    article = desk.hub / "topics/tools/wiki/concepts/ports.md"
    text = b"---\r\ntitle: Ports\r\n---\r\n\r\n# Ports\r\n\r\nText.\r\n\r\n## See Also\r\n\r\n- none\r\n"
    article.write_bytes(text)
    arguments = ["review", "propose", "-", "--kind", "append", "--topic", "tools"]
    assert desk(*arguments, stdin=b"A port may be taken.").exit == 2
    done = desk.ok(*arguments, "--article", "wiki/concepts/ports.md", "--json", stdin=b"A port may be taken.")
    assert article.read_bytes() == text
    assert at_terminal(desk, "review", "yes", done.json["id"]).exit == 0
    assert article.read_bytes() == text.replace(
        b"\r\n## See Also", b"\r\nA port may be taken.\r\n\r\n## See Also"
    )
    assert desk(*arguments, "--article", "../x.md", stdin=b"words").exit == 2


def test_an_addition_that_was_killed_before_it_was_noted_is_completed(desk):
    article = desk.hub / "topics/tools/wiki/concepts/ports.md"
    article.write_text("---\ntitle: Ports\n---\n\n# Ports\n")
    arguments = ["review", "propose", "-", "--kind", "append", "--topic", "tools", "--json"]
    name = desk.ok(*arguments, "--article", "wiki/concepts/ports.md", stdin=b"A port may be taken.").json[
        "id"
    ]
    assert at_terminal(desk, "review", "yes", name).exit == 0
    after = article.read_bytes()
    path = desk.hub / f".sessions/lessons/{name}.json"
    value = json.loads(path.read_text())
    del value["decided"]
    path.write_text(json.dumps(value))
    assert at_terminal(desk, "review", "yes", name).exit == 0
    assert article.read_bytes() == after
    assert name not in waiting(desk)
    assert at_terminal(desk, "review", "undo", name).exit == 0
    assert b"may be taken" not in article.read_bytes()


def test_a_line_for_a_host_is_printed_and_never_written(desk):
    agents = desk.here / "AGENTS.md"
    agents.write_text("# Rules\n")
    done = desk.ok(
        "review", "propose", "-", "--kind", "instruction", "--json", stdin=b"Use tabs in makefiles."
    )
    seen = at_terminal(desk, "review", "yes", done.json["id"])
    assert "Use tabs in makefiles." in seen.screen
    assert agents.read_text() == "# Rules\n"
    assert done.json["id"] not in waiting(desk)


def test_a_secret_in_a_proposal_reaches_no_file(desk):
    token = "gh" + "p_" + "".join(random.Random(3).choices("abcdefghjkmnpqrstuvwxyzABCDEFGH23456789", k=36))
    desk.ok(
        "review",
        "propose",
        "-",
        "--topic",
        "tools",
        stdin=f"# LL: keys\n\nThe key {token} was shown.".encode(),
    )
    written = b"".join(path.read_bytes() for path in desk.home.rglob("*") if path.is_file())
    assert b"was shown" in written
    assert token.encode() not in written


def test_candidates_without_a_decision_expire_after_ninety_days_and_stay(desk):
    assert FEEDBACK in waiting(desk)
    later = desk("review", "list", "--json", LLM_WIKI_TODAY="2026-06-10")
    assert FEEDBACK not in {row["id"] for row in later.json["proposals"]}
    assert desk("review", "show", FEEDBACK, LLM_WIKI_TODAY="2026-06-10").exit == 0


@pytest.mark.parametrize("damage", [b"[]", b"{", b"\xff\xfe", b'{"promoted": [], "rejected": 5}'])
def test_a_damaged_status_file_stops_nothing(desk, damage):
    (desk.hub / ".sessions/feedback/status.json").write_bytes(damage)
    assert FEEDBACK in waiting(desk)
    assert at_terminal(desk, "review", "no", FEEDBACK).exit == 0
    assert FEEDBACK in status(desk)["rejected"]


def test_filters_choose_what_is_listed(desk):
    def listed(*more):
        return [row["id"] for row in desk.ok("review", "list", "--json", *more).json["proposals"]]

    assert listed("--source", "lessons") == [desk.lesson]
    assert listed("--kind", "approval") == ["fb-0000000000000002"]
    assert listed("--since", "2027-01-01") == []
    assert desk("review", "list", "--source", "facts").exit == 2
    assert desk("review", "list", "--since", "soon").exit == 2
