"""The activity log: what is written, and which entries are found again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_wiki.core.errors import BadUsage
from llm_wiki.core.text import one_line
from llm_wiki.wiki import log

LOG = b"""# Wiki Activity Log

## [2026-01-01] init | created Tea

## [2026-01-03] compile | 2 articles
details below
- and a list

## [2026-01-02] ingest | merged from another clone
## [2026-01-03] my-own-word | by hand
## [banana] lint | no date

## not an entry
"""


def texts(found):
    return [item.text for item in found]


def test_an_entry_is_a_blank_line_and_one_heading():
    assert (
        log.entry("compile", "two\n  articles ", "2026-01-03") == "\n## [2026-01-03] compile | two articles\n"
    )


@pytest.mark.parametrize(
    ("operation", "text", "date"),
    [
        ("dance", "x", "2026-01-03"),
        ("lint", " \n", "2026-01-03"),
        ("lint", "x", "2026-02-30"),
        ("lint", "x", ""),
    ],
)
def test_what_cannot_be_an_entry_is_refused(operation, text, date):
    with pytest.raises(BadUsage):
        log.entry(operation, text, date)


def test_every_entry_is_found_with_its_lines():
    found = log.entries(LOG)
    assert [(item.line, item.operation) for item in found] == [
        (3, "init"),
        (5, "compile"),
        (9, "ingest"),
        (10, "my-own-word"),
        (11, "lint"),
    ]
    assert found[1].body == "details below\n- and a list"


def test_the_tail_is_in_order_of_dates():
    assert texts(log.tail(LOG, 10)) == [
        "created Tea",
        "merged from another clone",
        "2 articles",
        "by hand",
        "no date",
    ]


def test_the_tail_holds_the_newest():
    assert texts(log.tail(LOG, 2)) == ["by hand", "no date"]
    assert log.tail(LOG, 0) == []


def test_the_tail_of_one_operation():
    assert texts(log.tail(LOG, 5, operation="compile")) == ["2 articles"]
    assert log.tail(LOG, 5, operation="undo") == []


def test_the_tail_since_a_day_leaves_out_what_has_no_date():
    assert texts(log.tail(LOG, 5, since="2026-01-02")) == [
        "merged from another clone",
        "2 articles",
        "by hand",
    ]


def test_a_day_that_does_not_exist_is_refused():
    with pytest.raises(BadUsage):
        log.tail(LOG, 5, since="2026-13-01")
    with pytest.raises(BadUsage):
        log.tail(LOG, -1)


def test_the_newest_date_of_each_operation():
    data = LOG + b"## [2026-01-02] compile | older, appended later\n"
    assert log.last_dates(data) == {
        "init": "2026-01-01",
        "compile": "2026-01-03",
        "ingest": "2026-01-02",
        "my-own-word": "2026-01-03",
    }


def test_crlf_bom_and_entries_without_bar_are_read():
    (found,) = log.entries("\ufeff## [2026-01-01] lint\r\nmore\r\n".encode())
    assert (found.date, found.operation, found.text, found.body) == ("2026-01-01", "lint", "", "more")


def test_the_starter_has_no_entry():
    assert log.entries(log.STARTER.encode()) == []


@given(st.sampled_from(log.OPERATIONS), st.text(max_size=60), st.dates())
def test_what_is_written_is_read_back(operation, text, day):
    words = one_line(text)
    if not words:
        return
    data = (log.STARTER + log.entry(operation, text, day.isoformat())).encode()
    (found,) = log.entries(data)
    assert (found.date, found.operation, found.text) == (day.isoformat(), operation, words)


@given(st.binary(max_size=200))
def test_any_bytes_are_read(data):
    log.tail(data, 3)
    log.last_dates(data)
