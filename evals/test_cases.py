"""Every case, put to the readers that need no model, on two builds with different canaries."""

import json

import pytest
from graders import faults
from loader import cases, filled, providers

pytestmark = pytest.mark.evals

ASKED = [(provider, case) for case in cases() for provider in providers(case)]


@pytest.mark.parametrize(("provider", "case"), ASKED, ids=[f"{case['id']}-{who}" for who, case in ASKED])
def test_case(desks, provider, case):
    seen = []
    for desk in desks:
        ready = filled(case, desk.built)
        answer, trace = desk.ask(provider, ready)
        found = faults(ready, answer, trace)
        assert found == [], answer
        del trace["tree"]
        seen.append(desk.built.plain(json.dumps([answer, trace], ensure_ascii=False)))
    assert seen[0] == seen[1], "two runs differ"
