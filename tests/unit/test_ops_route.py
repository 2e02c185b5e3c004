"""Routing: the first match of a visible table, a menu when nothing is clear, never a guess."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_wiki.ops.intents import table
from llm_wiki.ops.route import OPTIONS, route

TABLE = Path(__file__).parent / "data/routes.tsv"
ROWS = [
    line.split("\t")[:2]
    for line in TABLE.read_text().split("\n")
    if "\t" in line and not line.startswith("#")
]
NAMES = [intent.name for intent in table().intents]


@pytest.mark.parametrize(("intent", "text"), ROWS, ids=[text[:40] or "nothing" for _, text in ROWS])
def test_a_phrasing_goes_to(intent, text):
    found = route(text)
    if intent == "?":
        assert not found.decided, found.candidates[0]
        assert 0 < len(found.candidates) <= OPTIONS
    else:
        assert found.decided, found
        assert found.candidates[0].intent == intent, found.candidates
        assert found.candidates[0].signal


def test_every_intent_has_three_phrasings():
    assert len(NAMES) >= 20
    counted = {name: sum(intent == name for intent, _ in ROWS) for name in NAMES}
    assert {name: n for name, n in counted.items() if n < 3} == {}


def test_the_order_is_the_one_of_the_contract():
    order = (
        "retract, adapter route, specialist suggest, adapter, specialist, checkpoint, "
        "ingest-collection, collect, idea, "
        "portfolio, inventory, dataset, ingest, resume, audit, query, research, thesis, compile, lint, "
        "librarian, refresh, "
        "output, assess, plan, session, feedback, ll, project, archive"
    )
    assert NAMES[:30] == order.split(", ")
    assert len(set(NAMES)) == len(NAMES)


def test_an_action_on_a_url_tries_the_adapter_first_and_ingest_later():
    found = [one.intent for one in route("revise https://example.org/d").candidates]
    assert found[0] == "adapter route"


def test_candidates_follow_in_the_order_of_the_table():
    found = [NAMES.index(one.intent) for one in route("archive the project of the topic").candidates]
    assert found == sorted(found)
    assert [NAMES[n] for n in found] == ["project", "archive"]


@pytest.mark.parametrize(
    "text",
    [
        "look at the wayback machine",
        "unpack the zip archive of the topic",
        "the dataset archive of this topic",
    ],
)
def test_an_archive_of_the_web_or_of_data_is_no_lifecycle_archive(text):
    assert "archive" not in [one.intent for one in route(text).candidates if one.signal != "offered"]


def test_nothing_known_offers_the_menu():
    assert [one.intent for one in route("zzz").candidates] == list(table().menu)


@given(st.text(max_size=200))
def test_any_text_gets_an_answer_of_known_intents(text):
    found = route(text)
    assert found.candidates
    assert {one.intent for one in found.candidates} <= set(NAMES)
    assert found.decided or len(found.candidates) <= OPTIONS


@pytest.mark.parametrize("text", ["update " * 5000, "(" * 5000, "http://" + "a" * 20000, "add " * 3000 + "x"])
def test_a_hostile_text_is_answered_too(text):
    assert route(text).candidates
