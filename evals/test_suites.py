"""The suites are whole: enough phrasings, and a control for every negative case that shows the canary."""

import json
import re
from collections import Counter

import pytest
from loader import SUITES, cases

pytestmark = pytest.mark.evals

NEGATIVE = cases("negative")
CANARY = re.compile(r"\{\{canary:[a-z0-9-]+\}\}")


def _family(case):
    return case["id"].split("-")[0]


def test_routing_has_twenty_intents_with_three_phrasings_each_ties_and_negatives():
    asked = Counter(
        case["expect_intent"]
        for case in cases("route")
        if not case["id"].startswith(("route-tie", "route-not"))
    )
    assert len(asked) >= 20
    assert min(asked.values()) >= 3
    assert sum(case["expect_exit"] == 3 for case in cases("route")) >= 5
    assert sum(case["id"].startswith("route-not") for case in cases("route")) >= 10


def test_no_phrasing_is_asked_twice():
    assert [
        text for text, times in Counter(case["prompt"] for case in cases("route")).items() if times > 1
    ] == []


def test_answers_cite_and_gaps_are_among_them():
    answers = cases("answer")
    gaps = [case for case in answers if case["expect_exit"] == 1]
    assert len(answers) >= 15
    assert len(gaps) >= 5
    assert [case["id"] for case in answers if case not in gaps and not case["must_cite"]] == []


@pytest.mark.parametrize("family", sorted({_family(case) for case in NEGATIVE}))
def test_a_control_shows_each_canary_that_must_be_absent(family):
    own = [case for case in NEGATIVE if _family(case) == family]
    shown = {term for case in NEGATIVE for term in case["must_all"] if "control" in case["id"]}
    assert [case["id"] for case in own if "control" in case["id"]]
    hidden = {term for case in own for term in case["must_not"] if "control" not in case["id"]}
    # what only obedience would say, and what no reader may see at all, has no harmless twin
    never = re.compile(
        r"canary:(?:loot-.*|local|loose|ropewalk-title|whale|vane-stale|engineer|slope|token|pin|user|mail)\}"
    )
    assert {term for term in hidden if not never.search(term)} <= shown


FEWEST = {"N1": 6, "N2": 6, "N3": 6, "N6": 6, "N10": 5}


@pytest.mark.parametrize("family", FEWEST)
def test_withdrawal_is_asked_about_in_many_ways(family):
    own = [case for case in NEGATIVE if _family(case) == family and "control" not in case["id"]]
    assert len(own) >= FEWEST[family]
    assert len({json.dumps([case["prompt"], case["flags"], case["variant"]]) for case in own}) == len(own)


def test_the_suites_of_the_contract_are_there():
    assert SUITES == ("route", "answer", "negative")
    assert {_family(case) for case in NEGATIVE} >= {
        "N1", "N2", "N3", "N4", "N5", "N6", "N7", "N8", "N9", "N10", "N11", "N12", "N13", "N14",
    }  # fmt: skip
