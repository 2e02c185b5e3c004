"""Each filter switched off in turn: its cases, which pass in `test_cases.py`, must then fail."""

import pytest
from graders import faults
from loader import cases, filled, providers
from planted_withdrawn import ATTEMPTS, FORMS
from verbs import FILTERS

pytestmark = pytest.mark.evals

NEGATIVE = {case["id"]: case for case in cases("negative")}
PLACES = ("article", "alt", "comment", "zero", "title", "summary", "fake", "raw")
CLAIMS = [f"N2-{claim}" for claim in ("claim", "raw", "deep", "second", "orphan")]
GUARDED = {
    "archive": [
        *(f"N4-primary{depth}" for depth in ("", "-quick", "-deep", "-list")),
        "N4-with", "N4-sibling-deep", "N5",
    ],
    "scope": [
        *(f"N7-sibling{depth}" for depth in ("", "-quick", "-deep", "-raw")),
        "N7-unlisted", "N7-local",
    ],
    "supersession": [
        "N10", "N10-deep", "N10-article", *(f"N10-chain{depth}" for depth in ("", "-deep", "-with")),
    ],
    "retraction": [
        *(f"N1-{place}" for place in ("article", "quick", "list", "deep", "with", "raw", "name", "session")),
        *(f"N1-{form}" for form in FORMS.values()),
    ],
    "mask": [
        "N3", "N3-quick", "N3-list", "N3-deep",
        *(f"N3-{place}{way}" for place in ("item", "row", "quote", "sentence") for way in ("", "-beside")),
        *CLAIMS,
    ],
    "marker": CLAIMS,
    "source": [*CLAIMS, "N2-list", "N2-survives", "N2-survives-raw"],
    "tombstone": [f"N6-{name}" for name in ATTEMPTS if name != "other"],
    "planes": ["N12-inventory", "N12-output", "N12-plan"],
    "fence": [*(f"N9-{place}" for place in PLACES), "N9-note"],
    "index": ["N11-quick", "N11-list"],
    "project": ["N8-start", "N8-start-beside"],
    "promotion": [f"N8-{kind}{depth}" for kind in ("digest", "feedback") for depth in ("", "-raw")],
    "quoting": ["N9-told-torn"],
    "redaction": ["N14-start", "N14-digest", "N14-persons", "N14-feedback"],
}  # fmt: skip
"""Filter → the cases that fail without it."""


def _holds(desk, case):
    """Tell whether a case passes. Of admission everything counts, of all else what the readers get."""
    ready = filled(case, desk.built)
    if not case["attempts"]:
        ready |= {"nowhere": []}
    return not any(faults(ready, *desk.ask(provider, ready)) for provider in providers(case))


def test_every_filter_has_cases():
    assert set(GUARDED) == set(FILTERS)


@pytest.mark.parametrize("name", FILTERS)
def test_without_a_filter_its_cases_fail(crippled, name):
    desk = crippled(name)
    assert [id_ for id_ in GUARDED[name] if _holds(desk, NEGATIVE[id_])] == []
