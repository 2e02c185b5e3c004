"""`llm-wiki session …` as somebody new to it and somebody unlucky meet it."""

import pytest
from personkit import at_terminal, named
from program import Program


@pytest.fixture
def stored(tmp_path):
    """A home with one session that was captured by hand."""
    program = Program(tmp_path)
    program.ok("session", "capture", "--session-id", "one", "--summary", "moved the port")
    return program


def states(program):
    return len(list((program.hub / ".sessions" / "state").glob("*/*.json")))


def bytes_below(folder):
    return b"\n".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_pruning_asks_at_a_terminal_and_a_no_erases_nothing(stored):
    later = {"LLM_WIKI_NOW": "2036-01-01T00:00:00Z"}
    seen = at_terminal(stored, "session", "prune", "--older-than", "1d", keys="n\n", **later)
    assert (seen.exit, states(stored)) == (4, 1)
    assert "1 session for good" in seen.screen
    seen = at_terminal(stored, "session", "prune", "--older-than", "1d", "--yes", **later)
    assert (seen.exit, states(stored)) == (0, 0)


def test_pruning_in_a_script_needs_no_more_than_the_days(stored):
    done = stored.ok("session", "prune", "--older-than", "1d", LLM_WIKI_NOW="2036-01-01T00:00:00Z")
    assert "Erased 1 session:" in done.out
    assert states(stored) == 0


def test_forgetting_takes_the_words_of_an_edited_lesson_along(stored):
    named(stored)
    name = stored.ok("feedback", "capture", "--text", "Never use tabs.", "--session-id", "one").out.strip()
    assert at_terminal(stored, "review", "edit", name, "--text", "marmalade in makefiles").exit == 0
    assert stored.ok("session", "forget", "manual:one", "--yes").exit == 0
    assert b"marmalade" not in bytes_below(stored.hub / ".sessions")


def test_forgetting_all_ends_where_a_digest_is_a_dead_link(stored, tmp_path):
    digest = next((stored.hub / ".sessions" / "digests").rglob("*.md"))
    digest.unlink()
    digest.symlink_to(tmp_path / "gone")
    stored.ok("session", "forget", "--all", "--yes")
    assert not digest.is_symlink()


def test_forgetting_all_leaves_the_lock_of_the_lessons_and_names_what_stays(stored):
    stored.ok("review", "propose", "-", stdin=b"# A lesson\n")
    done = stored.ok("session", "forget", "--all", "--yes")
    assert (stored.hub / ".sessions" / "locks" / "lessons").exists()
    assert "1 proposed lesson" in done.out
    assert "llm-wiki review" in done.out


@pytest.mark.parametrize("name", ["feedback/candidates.jsonl", "registry.jsonl", "feedback/status.json"])
def test_nesting_without_end_stops_neither_looking_nor_forgetting(stored, name):
    path = stored.hub / ".sessions" / name
    path.parent.mkdir(exist_ok=True)
    with path.open("ab") as handle:
        handle.write(b'[{"llm_wiki_session_id": "manual:one"},' + b"[" * 100_000 + b"\n")
    stored.ok("session", "status")
    stored.ok("session", "reindex")
    stored.ok("session", "forget", "--all", "--yes")
    assert b"manual:one" not in bytes_below(stored.hub / ".sessions")
