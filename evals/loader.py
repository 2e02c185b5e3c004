"""The cases, for pytest and for promptfoo.

A case is one line of `cases/SUITE.jsonl` with the keys of `KEYS`; `README.md` says what they mean.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)] if str(HERE) not in sys.path else []

from fixture import Built, opened  # noqa: E402 - promptfoo imports this file by its path

Case = dict[str, Any]

SUITES = ("route", "answer", "negative")
PLACE = "LLM_WIKI_EVALS"
"""Environment variable with the folder of a build; promptfoo's processes find it there."""

KEYS: dict[str, Any] = {
    "id": "", "suite": "", "prompt": "", "variant": "base", "flags": [], "must_all": [], "must_any": [],
    "must_not": [], "must_cite": [], "must_fence": [], "expect_intent": "", "expect_exit": 0,
    "max_chars": 4000, "live": "optional", "starts_in": "", "nowhere": [], "attempts": {},
}  # fmt: skip
"""Key → value where a line does not give it."""


def cases(*suites: str) -> list[Case]:
    """Return the cases of some suites (default: all), in order, with canaries not filled in.

    Raises ValueError for an unknown key, a missing or a repeated id.
    """
    found: list[Case] = []
    for suite in suites or SUITES:
        for line in (HERE / f"cases/{suite}.jsonl").read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            if set(case) - set(KEYS) or case.get("suite") != suite or not case.get("id"):
                raise ValueError(f"not a case of {suite}: {line}")
            found.append(KEYS | case)
    if len({case["id"] for case in found}) != len(found):
        raise ValueError("two cases have one id")
    return found


def filled(case: Case, built: Built) -> Case:
    """Return a case with the canaries of a build; `canaries` are those among its forbidden terms."""
    canaries = [built.fill(term) for term in case["must_not"] if term.startswith("{{canary:")]
    return _filled(case, built) | {"canaries": canaries}


def _filled(value: Any, built: Built) -> Any:
    if isinstance(value, dict):
        return {key: _filled(one, built) for key, one in value.items()}
    if isinstance(value, list):
        return [_filled(one, built) for one in value]
    return built.fill(value) if isinstance(value, str) else value


def providers(case: Case) -> tuple[str, ...]:
    """Return which of the offline providers a case is put to."""
    return ("offline", "gullible") if case["suite"] == "negative" else ("offline",)


def load(_config: Any = None) -> list[dict[str, Any]]:
    """Return the cases as tests of promptfoo, for the build that the environment names."""
    return [test | {"providers": list(providers(test["metadata"]))} for test in _tests(cases())]


def load_live(_config: Any = None) -> list[dict[str, Any]]:
    """Return the cases that may be put to a model."""
    return _tests([case for case in cases("answer", "negative") if case["live"] != "never"])


def _tests(chosen: list[Case]) -> list[dict[str, Any]]:
    place = os.environ.get(PLACE)
    if not place:
        raise SystemExit("run the cases with `make evals-promptfoo`: it builds the wikis they ask")
    built = opened(Path(place))
    found = []
    for case in chosen:
        ready = filled(case, built)
        found.append({
            "description": case["id"],
            "vars": {"prompt": ready["prompt"], "case": json.dumps(ready)},
            "metadata": {"suite": case["suite"], "id": case["id"], "case": json.dumps(ready)},
        })  # fmt: skip
    return found
