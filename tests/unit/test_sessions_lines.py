"""Lines are taken out of files that others append to."""

import json
import threading
import time
from pathlib import Path

import pytest

from llm_wiki.core.errors import Unreadable
from llm_wiki.hook import files
from llm_wiki.sessions import lines


def rows(count, first=0):
    return [{"n": number, "pad": "x" * (number % 50)} for number in range(first, first + count)]


def test_a_line_goes_where_it_stands_and_no_other_moves(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_bytes(b'{"a": 1}\n{"b": 2}\n{"c": 3}\n')
    assert lines.edit(str(path), lambda line: b"" if b"b" in line else None) == 1
    assert path.read_bytes() == b'{"a": 1}\n        \n{"c": 3}\n'
    assert lines.edit(str(path), lambda line: b"" if b"b" in line else None) == 0


def test_a_shorter_line_is_filled_up_and_a_torn_end_is_seen(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_bytes(b"secret one\nsecret tw")
    assert lines.edit(str(path), lambda line: line.replace(b"secret", b"s")) == 2
    assert path.read_bytes() == b"s one     \ns tw     "


def test_a_line_never_grows(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_bytes(b"one\ntwo\n")
    with pytest.raises(AssertionError):
        lines.edit(str(path), lambda line: line + b"x")
    assert path.read_bytes() == b"one\ntwo\n"


def test_a_missing_file_is_no_error_and_a_link_is_not_followed(tmp_path):
    assert lines.edit(str(tmp_path / "none"), lambda _: b"") == 0
    assert lines.count(str(tmp_path / "none"), bool) == 0
    assert not lines.close_up(str(tmp_path / "none"))
    (tmp_path / "real").write_text("a\n")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(Unreadable):
        lines.edit(str(tmp_path / "link"), lambda _: b"")
    assert (tmp_path / "real").read_text() == "a\n"


def test_closing_up_keeps_rows_and_mode_and_an_empty_file_goes(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_bytes(b'   \n{"a": 1}\n  \n')
    path.chmod(0o600)
    assert lines.close_up(str(path))
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b'{"a": 1}\n', 0o600)
    assert not lines.close_up(str(path))
    path.write_bytes(b"   \n  \n")
    assert lines.close_up(str(path))
    assert not path.exists()


def test_rows_that_writers_append_meanwhile_are_neither_lost_nor_doubled(tmp_path):
    path = str(tmp_path / "r.jsonl")
    files.append_rows(path, rows(200))
    stop = threading.Event()
    written = []

    def write(start):
        number = start
        while not stop.is_set():
            files.append_rows(path, [{"n": number, "mine": start}])
            written.append(number)
            number += 10
            time.sleep(0.002)

    threads = [threading.Thread(target=write, args=(1_000 + n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for number in range(15):
        lines.edit(path, lambda line, n=number: b"" if b'{"n": %d,' % n in line else None)
        lines.close_up(path)
    stop.set()
    for thread in threads:
        thread.join()
    found = [json.loads(line)["n"] for line in Path(path).read_bytes().split(b"\n") if line.strip()]
    assert sorted(found) == sorted([*range(15, 200), *written])


def test_a_file_of_blanks_is_removed_and_one_with_a_row_is_not(tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_bytes(b"   \n")
    assert lines.remove_if_blank(str(path))
    path.write_bytes(b"   \n{}\n")
    assert not lines.remove_if_blank(str(path))
    assert path.exists()
