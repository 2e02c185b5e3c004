"""What an interrupted retraction of a source leaves noted: found again, also where its wiki has moved."""

import os

import pytest
from sourcekit import isolate

from llm_wiki.admit.tombstones import TOMBSTONES
from llm_wiki.core.files import TEMP_PREFIX
from llm_wiki.core.state import root_state
from llm_wiki.ops.withdrawing import Where, withdraw
from llm_wiki.withdraw import source_intent
from llm_wiki.withdraw.retract import Wishes
from llm_wiki.withdraw.source_pick import is_called
from llm_wiki.withdraw.source_traces import Identity

WHO = Identity("raw/articles/x.md", "A report on tea", ("https://example.org/x",), "item-1234567")
OTHER = Identity("raw/notes/x.md")
SECRET = "tokZk3vR9qLm2xW8hT4"


@pytest.fixture
def root(tmp_path, monkeypatch):
    isolate(tmp_path, monkeypatch)
    root = tmp_path / "tea"
    (root / ".librarian").mkdir(parents=True)
    (root / TOMBSTONES).write_text('{"id":"t-0123456789"}\n')
    return root


def test_each_of_two_is_kept_until_it_is_done(root):
    one = source_intent.begin(root, WHO, "t-0123456789")
    two = source_intent.begin(root, OTHER, "")
    assert source_intent.pending(root) == [one, two]
    assert oct(one.file.stat().st_mode & 0o777) == "0o600"
    source_intent.end(one)
    assert source_intent.pending(root) == [two]
    source_intent.end(two)
    assert not two.file.exists()


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"path": "raw/x.md"}]', "no JSON"])
def test_what_is_no_record_says_nothing(root, text):
    one = source_intent.begin(root, WHO, "")
    one.file.write_text(text)
    assert source_intent.pending(root) == list(source_intent.everywhere()) == []


def test_a_wiki_that_moved_is_known_by_its_tombstone(root, tmp_path):
    one = source_intent.begin(root, WHO, "t-0123456789")
    here = root.rename(tmp_path / "moved")
    assert source_intent.pending(here) == [one]
    (here / TOMBSTONES).write_text('{"id":"t-9876543210"}\n')
    assert source_intent.pending(here) == []


def test_a_wiki_that_is_still_there_lends_nothing_to_a_copy_of_it(root, tmp_path):
    source_intent.begin(root, WHO, "t-0123456789")
    copy = tmp_path / "copy"
    (copy / ".librarian").mkdir(parents=True)
    (copy / TOMBSTONES).write_bytes((root / TOMBSTONES).read_bytes())
    assert source_intent.pending(copy) == []


def test_the_same_source_begun_anew_where_its_wiki_lies_now_forgets_the_old_note(root, tmp_path):
    old = source_intent.begin(root, WHO, "t-9876543210")
    here = root.rename(tmp_path / "moved")
    new = source_intent.begin(here, WHO, "t-1111111111")
    assert not old.file.exists()
    assert list(source_intent.everywhere()) == [new]


@pytest.mark.parametrize(
    ("wanted", "meant"),
    [
        ("raw/articles/x.md", True), ("./raw/articles/X.md", True), ("x.md", True), ("x", True),
        ("{root}/raw/articles/x.md", True), ("raw/notes/x.md", False), ("notes/x.md", False), ("y.md", False),
        ("{root}/raw/notes/x.md", False), ("raw/articles/x", False),
    ],
)  # fmt: skip
def test_another_file_of_the_same_name_is_not_meant(root, wanted, meant):
    assert is_called(root, WHO, wanted.format(root=root)) is meant


def test_a_value_is_taken_out_of_the_note_and_of_what_was_left_beside_it(root):
    who = Identity("raw/articles/x.md", f"A report on {SECRET}", (f"https://example.org/{SECRET}",))
    one = source_intent.begin(root, who, "t-0123456789")
    beside = root_state(root) / f"{TEMP_PREFIX}0123456789abcdef"
    beside.write_text(f"half {SECRET}")
    report = withdraw(Where(path=str(root)), SECRET.encode(), Wishes(apply=True))
    assert (report.status, report.outcome) == ("verified", "removed")
    assert SECRET not in one.file.read_text()
    assert not os.path.lexists(beside)
    assert [each.who.path for each in source_intent.pending(root)] == ["raw/articles/x.md"]
