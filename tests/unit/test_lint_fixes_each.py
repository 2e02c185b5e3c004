"""Every way to damage the sample wiki is repaired as far as it is marked fixable, once and for good."""

import pytest
from fixkit import fix, home, proved, spoiled  # noqa: F401 -- home is a fixture
from fixkit_damages import DAMAGES
from lintkit import full, tree

pytestmark = pytest.mark.usefixtures("home")

SEEDS = range(60)


def test_a_clean_wiki_is_left_alone(tmp_path):
    root = full(tmp_path)
    before = tree(root)
    assert fix(root).fixes == ()
    assert tree(root) == before


@pytest.mark.parametrize("name", DAMAGES)
def test_what_is_marked_fixable_is_repaired_in_one_run(tmp_path, name):
    root = full(tmp_path)
    DAMAGES[name](root)
    proved(root)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_wiki_damaged_at_random_comes_to_rest(tmp_path, seed):
    root = full(tmp_path)
    names = spoiled(root, seed, DAMAGES)
    try:
        proved(root)
    except AssertionError as error:
        error.add_note(f"damages: {names}")
        raise
