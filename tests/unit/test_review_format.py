"""What the format promises, where a second look found it wanting; each as one truth."""

import pytest

from llm_wiki.admit.candidate import Candidate, checked
from llm_wiki.core import files
from llm_wiki.core.errors import Conflict
from llm_wiki.core.text import one_line
from llm_wiki.core.transaction import Transaction
from llm_wiki.wiki.log import entry


@pytest.fixture(autouse=True)
def _fixed(tmp_path, monkeypatch):
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("LLM_WIKI_TODAY", "2026-01-10")


# --- writing -------------------------------------------------------------------------------------


def test_two_writers_that_count_from_the_same_number_do_not_count_once(tmp_path):
    root = tmp_path / "w"
    root.mkdir()
    (root / "counter.md").write_text("5\n")
    transactions = [Transaction(root, "count") for _ in range(2)]
    for number, tx in enumerate(transactions):
        tx.write("counter.md", b"6\n", expect=files.sha256(b"5\n"))
        tx.write(f"own-{number}.md", b"x\n", expect=None)
    transactions[0].commit()
    with pytest.raises(Conflict):
        transactions[1].commit()
    assert not (root / "own-1.md").exists()


# --- text ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("می\u200cخواهم بروم", "می\u200cخواهم بروم"),
        ("👨\u200d👩\u200d👧 family", "👨\u200d👩\u200d👧 family"),
        ("a\x1b[31m\u2028b\udcff\x85c\n d", "a [31m b c d"),
        ("Donau\xaddampf\u202egnp\ufeff", "Donaudampfgnp"),
        ("  plain  text ", "plain text"),
    ],
)
def test_one_line_keeps_what_words_are_spelt_with_and_nothing_that_hides(text, line):
    assert one_line(text) == line


def test_a_title_keeps_its_joiners():
    asked = Candidate("می\u200cخواهم", "MANUAL", "notes", "text", tags=("a\x1bb",))
    assert checked(asked).title == "می\u200cخواهم"
    assert checked(asked).tags == ("a-b",)


def test_a_log_entry_is_clean_text():
    assert entry("lint", "a\x1b[31m\n## [2026-01-01] x | y\udcff", "2026-01-10") == (
        "\n## [2026-01-10] lint | a [31m ## [2026-01-01] x | y\n"
    )
