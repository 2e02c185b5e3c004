"""The compile ledger and its like: lines in any order, the newest of each key holds."""

import json
import os
from itertools import permutations

import pytest
from lintkit import write

from llm_wiki.wiki.ledger import DISPOSITIONS, disposed
from llm_wiki.wiki.statefiles import LEDGER, newest, read_state, stamps


def lines(*records):
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def said(digest, at, **more):
    return {"content_sha256": digest, "at": at, **more}


FIRST = said("aa", "2026-01-01T00:00:00Z", disposition="mention", reason="in passing")
SECOND = said("AA", "2026-01-02T00:00:00Z", disposition="duplicate", reason="of b")
USED = said("aa", "2026-01-03T00:00:00Z", articles=["wiki/concepts/a.md"])
OTHER = said("bb", "2026-01-01T00:00:00Z", disposition="out-of-scope", reason="weather")


def test_the_newest_line_holds_in_whatever_order_they_stand():
    for order in permutations([FIRST, SECOND, OTHER, FIRST]):
        assert disposed(lines(*order)) == {"aa": "duplicate", "bb": "out-of-scope"}


def test_articles_end_a_disposition_and_a_disposition_ends_articles():
    assert disposed(lines(USED, SECOND, FIRST)) == {}
    assert disposed(lines(USED, {**FIRST, "at": "2026-02-01T00:00:00Z"})) == {"aa": "mention"}


def test_of_equal_times_the_later_line_in_code_points_holds():
    one, two = {**FIRST, "reason": "a"}, {**FIRST, "disposition": "used", "reason": "b"}
    later = max((json.dumps(one), one["disposition"]), (json.dumps(two), two["disposition"]))[1]
    assert disposed(lines(one, two)) == disposed(lines(two, one)) == {"aa": later}


@pytest.mark.parametrize("word", DISPOSITIONS)
def test_every_disposition_of_the_doctrine_counts(word):
    assert disposed(lines({**FIRST, "disposition": word})) == {"aa": word}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe\n{\n[]\n3\n",
        lines({**FIRST, "disposition": "lost"}, {**OTHER, "disposition": ["used"]}),
        lines({"at": "x", "disposition": "used"}, {**FIRST, "content_sha256": 5}),
    ],
)
def test_what_is_no_disposition_says_nothing(data):
    assert disposed(data) == {}


def test_a_mark_at_the_start_and_other_line_ends_are_read_over():
    assert disposed(b"\xef\xbb\xbf" + lines(FIRST).replace(b"\n", b"\r\n")) == {"aa": "mention"}


def test_records_without_a_key_are_passed_over():
    assert newest(lines({"a": 1}, {"k": "x", "a": 2}), lambda record: record.get("k", "")) == {
        "x": {"k": "x", "a": 2}
    }


def test_a_state_file_that_is_absent_or_behind_a_link_is_empty(tmp_path):
    assert read_state(tmp_path, LEDGER) == b""
    write(tmp_path, "real.jsonl", "x")
    (tmp_path / ".librarian").mkdir()
    (tmp_path / LEDGER).symlink_to(tmp_path / "real.jsonl")
    assert read_state(tmp_path, LEDGER) == b""
    (tmp_path / LEDGER).unlink()
    write(tmp_path, LEDGER, "y")
    assert read_state(tmp_path, LEDGER) == b"y"


def test_a_snapshot_of_nothing_reads_no_state_of_the_folder_one_stands_in(tmp_path, monkeypatch):
    from llm_wiki.wiki.snapshot import Snapshot

    write(tmp_path, LEDGER, "y")
    monkeypatch.chdir(tmp_path)
    assert read_state(Snapshot.empty().root, LEDGER) == b""


def test_a_stamp_changes_with_the_file(tmp_path):
    before = stamps(tmp_path)
    assert set(before) == {(0, 0, 0, 0)}
    write(tmp_path, LEDGER, "a")
    first = stamps(tmp_path)
    write(tmp_path, LEDGER, "ab")
    os.utime(tmp_path / LEDGER, (1, 1))
    assert len({str(before), str(first), str(stamps(tmp_path))}) == 3
