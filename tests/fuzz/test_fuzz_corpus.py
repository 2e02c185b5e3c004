"""Every input worth keeping, put to its target once: what fuzzing found stays found."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from fuzz_targets import TARGETS  # noqa: E402

CORPUS = sorted((HERE / "corpus").glob("*/*"))
KEPT = 200_000


@pytest.mark.parametrize("path", CORPUS, ids=[f"{path.parent.name}/{path.name}" for path in CORPUS])
def test_a_kept_input_breaks_no_promise(path: Path):
    TARGETS[path.parent.name](path.read_bytes())


def test_every_target_has_inputs_to_start_from():
    assert {path.parent.name for path in CORPUS} == set(TARGETS)


def test_the_corpus_stays_small():
    assert sum(path.stat().st_size for path in CORPUS) < KEPT
