"""Random transactions against a model: what was planned is what is there, undo and redo included."""

import sys
from pathlib import Path

import pytest

from llm_wiki.core import undo

sys.path.insert(0, str(Path(__file__).parents[1] / "faults"))
import shapes


@pytest.fixture(autouse=True)
def _own_state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def without_log(tree):
    return {path: data for path, data in tree.items() if path != "log.md"}


@pytest.mark.parametrize("seed", range(150))
def test_a_transaction_leads_to_what_its_plan_says_and_back(tmp_path, seed):
    root = tmp_path / "w"
    shapes.build(root, seed)
    before = without_log(shapes.look(root))
    shape = shapes.Shape(root, seed)
    done = shape.tx.commit()
    after = without_log(shapes.look(root))
    assert after == without_log(shape.tree)
    if done is None:
        assert after == before
        return
    undo.undo(root)
    assert without_log(shapes.look(root)) == before
    undo.undo(root, undo.records(root)[0].id)
    assert without_log(shapes.look(root)) == after
