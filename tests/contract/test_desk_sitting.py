"""A sitting at the desk, as somebody new to it meets it (`review.md` §3)."""

import shlex

import pytest
from personkit import at_terminal, named
from program import Program


@pytest.fixture
def new(tmp_path):
    """A topic and two candidates; nobody has a name yet."""
    program = Program(tmp_path)
    program.begun(("init", "tea"))
    for text in ("Never use tabs in this repository.", "No, that is wrong: the port is 8443."):
        program.ok("feedback", "capture", "--text", text)
    return program


@pytest.fixture
def desk(new):
    named(new)
    return new


def promoted(program):
    return len(list((program.hub / "topics").glob("*/raw/notes/*-feedback-*.md")))


def waiting(program):
    return [row["id"] for row in program.ok("review", "list", "--json").json["proposals"]]


def test_who_has_no_name_yet_is_told_to_give_one_before_the_desk_asks(new):
    seen = at_terminal(new, "review")
    assert seen.exit == 0
    assert "llm-wiki config person.name" in seen.screen
    assert "person.name" not in at_terminal(new, "review", CLAUDECODE="1").screen


def test_a_mistyped_topic_is_said_and_asked_for_again(desk):
    seen = at_terminal(desk, "review", keys="y\ntee\ny\ntea\ny\nn\nknown\n")
    assert seen.exit == 0
    assert "no topic 'tee'" in seen.screen
    assert "1 yes, 1 no" in seen.screen
    assert promoted(desk) == 1


def test_a_wiki_that_is_not_there_ends_no_sitting(tmp_path):
    program = Program(tmp_path)
    named(program)
    program.ok("feedback", "capture", "--text", "Never use tabs in this repository.")
    seen = at_terminal(program, "review", keys="y\ntea\nn\nno wiki\n")
    assert seen.exit == 0
    assert "llm-wiki init" in seen.screen
    assert "Decided: 1 no" in seen.screen


def test_a_local_folder_without_a_wiki_asks_for_no_topic(desk):
    desk.ok("feedback", "capture", "--local", "--text", "Never use spaces.")
    seen = at_terminal(desk, "review", "--local", keys="y\nn\nno wiki\n")
    assert seen.exit == 0
    assert "A yes needs a wiki here" in seen.screen
    assert "Topic" not in seen.screen
    assert "Decided: 1 no" in seen.screen


def test_the_topic_can_be_changed_within_a_sitting(desk):
    desk.ok("init", "coffee")
    seen = at_terminal(desk, "review", keys="y\ntea\ny\nt\ncoffee\ny\n")
    assert "Decided: 2 yes" in seen.screen
    assert {path.parts[-4] for path in (desk.hub / "topics").glob("*/raw/notes/*-feedback-*.md")} == {
        "tea",
        "coffee",
    }


@pytest.mark.parametrize(
    "options",
    [
        ("yes", "--topic", "tea"),
        ("yes", "--as", "rule"),
        ("no", "--reason", "is it's own case"),
        ("edit", "--text", "the 'new' words"),
    ],
)
@pytest.mark.parametrize("local", [False, True])
def test_the_line_for_a_person_is_whole(desk, tmp_path, options, local):
    place = ("--local",) if local else ("--hub", str(tmp_path / "other"))
    name = desk.ok("feedback", "capture", "--text", "Never use spaces.", *place).out.strip()
    done = desk("review", options[0], name, *options[1:], *place)
    assert done.exit == 4
    words = shlex.split(done.err.partition("run it yourself: ")[2])
    assert words[:4] == ["llm-wiki", "review", options[0], name]
    assert set(options[1:]) | set(place) == set(words[4:])


def test_a_lesson_for_a_topic_that_is_none_is_refused_at_once(desk):
    done = desk("review", "propose", "-", "--topic", "tee", stdin=b"# Words\n")
    assert (done.exit, "no topic 'tee'" in done.err) == (2, True)
    assert not (desk.hub / ".sessions" / "lessons").exists()


def test_one_proposal_waits_and_two_wait(desk):
    assert "2 proposals wait:" in desk.ok("review").out
    assert at_terminal(desk, "review", "no", waiting(desk)[0]).exit == 0
    assert "1 proposal waits:" in desk.ok("review").out


@pytest.mark.parametrize("source", ["feedback", "lessons"])
def test_an_undo_that_was_cut_off_after_the_note_went_is_completed(desk, source):
    name = waiting(desk)[0]
    if source == "lessons":
        name = desk.ok("review", "propose", "-", "--json", stdin=b"# Words\n\nOf a lesson.\n").json["id"]
    assert at_terminal(desk, "review", "yes", name, "--topic", "tea").exit == 0
    assert name not in waiting(desk)
    assert at_terminal(desk, "undo", "--wiki", "tea").exit == 0  # as far as a killed `review undo` came
    assert at_terminal(desk, "review", "undo", name).exit == 0
    assert name in waiting(desk)
    assert not list((desk.hub / "topics/tea/raw/notes").glob("2*.md"))


def test_a_yes_that_was_cut_off_before_it_was_noted_can_be_undone(desk):
    name = waiting(desk)[0]
    assert at_terminal(desk, "review", "yes", name, "--topic", "tea").exit == 0
    (desk.hub / ".sessions/feedback/status.json").unlink()
    assert at_terminal(desk, "review", "yes", name, "--topic", "tea").exit == 0
    assert promoted(desk) == 1
    assert at_terminal(desk, "review", "undo", name).exit == 0
    assert promoted(desk) == 0
    assert name in waiting(desk)


def test_a_lesson_whose_yes_was_not_noted_is_noted_by_the_next_and_can_be_undone(desk):
    name = desk.ok("review", "propose", "-", "--json", stdin=b"# Words\n\nOf a lesson.\n").json["id"]
    kept = desk.hub / ".sessions" / "lessons" / f"{name}.json"
    undecided = kept.read_bytes()
    assert at_terminal(desk, "review", "yes", name, "--topic", "tea").exit == 0
    kept.write_bytes(undecided)
    assert at_terminal(desk, "review", "yes", name, "--topic", "tea").exit == 0
    assert len(list((desk.hub / "topics/tea/raw/notes").glob("2*.md"))) == 1
    assert at_terminal(desk, "review", "undo", name).exit == 0
    assert not list((desk.hub / "topics/tea/raw/notes").glob("2*.md"))
