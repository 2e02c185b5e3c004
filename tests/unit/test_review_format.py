"""What the format promises, where a second look found it wanting; each as one truth."""

import pytest

from llm_wiki.admit.candidate import Candidate, checked
from llm_wiki.core import files
from llm_wiki.core.errors import Conflict
from llm_wiki.core.retracted import mask_retracted
from llm_wiki.core.text import one_line
from llm_wiki.core.transaction import Transaction
from llm_wiki.model import indexes
from llm_wiki.wiki.log import entry
from llm_wiki.wiki.snapshot import Snapshot


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


@pytest.mark.parametrize("front", ["", "b "])
def test_a_mask_keeps_no_marker_in_what_looks_like_the_name_of_a_field(front):
    marker = "<!--RETRACTED-SOURCE-->"
    out, count = mask_retracted(f"{front}{marker}a: 1. {marker}")
    assert "RETRACTED-SOURCE" not in out
    assert count == 2


# --- indexes -------------------------------------------------------------------------------------

THESIS = b"---\ntitle: New\ntype: thesis\nstatus: open\nverdict: mixed\ntags: [a]\n---\n"


def merged(text: str, files=(("wiki/theses/new.md", THESIS),), folder="wiki/theses") -> str:
    index = f"{folder}/_index.md" if folder else "_index.md"
    snapshot = Snapshot.empty().overlay({**dict(files), index: text.encode()})
    contract = indexes.contract(folder, snapshot)
    once = indexes.merge(text.encode(), contract, "2026-01-10")
    assert indexes.merge(once, contract, "2026-01-10") == once
    assert not indexes.check(once, contract)
    return once.decode()


@pytest.mark.parametrize("rows", ["", "[Old](old.md) | closed | lost | x\n"])
def test_a_table_laid_out_for_the_files_gets_their_rows_under_any_heading(rows):
    head = "# Theses\n\n## All of them\n\nThesis | Status | Verdict | Mine\n---|---|---|---\n"
    assert merged(head + rows) == head + "| [New](new.md) | open | mixed |  |\n"


@pytest.mark.parametrize("row", ["Ann | editor", "[T](../topics/t.md) | why"])
def test_a_table_of_other_things_gets_no_rows_of_files(row):
    text = f"# Theses\n\n## Team\n\nName | Role\n---|---\n{row}\n"
    files = (("wiki/theses/new.md", THESIS), ("wiki/topics/t.md", b"# T\n"))
    assert merged(text, files).startswith(text + "\n## Contents\n")


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("- 2026-01-01 added [Gone](gone.md)", ""),
        ("- [Site](https://x.org) and [Gone](gone.md)", "- [Site](https://x.org) and Gone\n"),
        ("- see http://x.org, [Gone](gone.md)", "- see http://x.org, Gone\n"),
    ],
)
def test_a_list_item_that_links_the_web_keeps_its_text(line, left):
    head = "# Theses\n\n| File |\n|---|\n| [New](new.md) |\n\n## Recent Changes\n\n"
    assert merged(f"{head}{line}\n- end\n") == f"{head}{left}- end\n"


def test_a_repair_that_was_undone_leaves_no_stale_index():
    log = b"# Wiki Activity Log\n\n## [2026-01-09] lint | 3 repairs\n\n## [2026-01-09] undo | lint\n"
    text = "# Tea\n\n## Statistics\n\n- Sources: 0\n- Last lint: never\n"
    snapshot = Snapshot.empty().overlay({"log.md": log, "_index.md": text.encode()})
    contract = indexes.contract("", snapshot)
    assert not indexes.check(text.encode(), contract)
