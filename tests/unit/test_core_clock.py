"""Time comes from one place and can be set."""

from datetime import UTC, date, datetime

import pytest

from llm_wiki.core import clock
from llm_wiki.core.errors import BadConfig


@pytest.fixture(autouse=True)
def _real_clock(monkeypatch):
    monkeypatch.delenv("LLM_WIKI_NOW", raising=False)
    monkeypatch.delenv("LLM_WIKI_TODAY", raising=False)


def test_now_is_an_aware_utc_time():
    assert clock.now().tzinfo is UTC


@pytest.mark.parametrize(
    "written",
    ["2026-01-10T11:30:00Z", "2026-01-10T12:30:00+01:00", "2026-01-10T11:30:00", " 2026-01-10 11:30 "],
)
def test_the_moment_can_be_set(monkeypatch, written):
    monkeypatch.setenv("LLM_WIKI_NOW", written)
    assert clock.now() == datetime(2026, 1, 10, 11, 30, tzinfo=UTC)
    assert clock.today() == date(2026, 1, 10)


def test_the_date_can_be_set_apart_from_the_moment(monkeypatch):
    monkeypatch.setenv("LLM_WIKI_NOW", "2026-01-10T11:30:00Z")
    monkeypatch.setenv("LLM_WIKI_TODAY", "2025-12-24")
    assert clock.today() == date(2025, 12, 24)


def test_the_date_of_the_moment_is_that_of_utc(monkeypatch):
    monkeypatch.setenv("LLM_WIKI_NOW", "2026-01-10T23:30:00-05:00")
    assert clock.today() == date(2026, 1, 11)


@pytest.mark.parametrize("written", ["yesterday", "2026-13-01", "12:00", "0001-01-01T00:00:00+14:00"])
def test_a_moment_that_is_none_is_a_configuration_error(monkeypatch, written):
    monkeypatch.setenv("LLM_WIKI_NOW", written)
    with pytest.raises(BadConfig, match="LLM_WIKI_NOW"):
        clock.now()


@pytest.mark.parametrize("written", ["2026-02-30", "2026-01-10T10:00:00", "today"])
def test_a_date_that_is_none_is_a_configuration_error(monkeypatch, written):
    monkeypatch.setenv("LLM_WIKI_TODAY", written)
    with pytest.raises(BadConfig, match="LLM_WIKI_TODAY"):
        clock.today()


def test_an_empty_setting_counts_as_unset(monkeypatch):
    monkeypatch.setenv("LLM_WIKI_TODAY", "")
    monkeypatch.setenv("LLM_WIKI_NOW", "")
    assert clock.today() == clock.now().date()
