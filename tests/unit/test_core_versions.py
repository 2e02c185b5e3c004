"""Versions are ordered as installers order them."""

import itertools

import pytest

from llm_wiki.core.errors import BadUsage
from llm_wiki.core.versions import key, older

IN_ORDER = [
    "0.9.dev1", "0.9a1.dev2", "0.9a1", "0.9b2", "0.9rc1", "0.9", "0.9.post1.dev1", "0.9.post1",
    "0.9.1", "0.10", "1.0.dev3", "1.0rc1", "1.0", "1.0.1", "2", "1!0.1",
]  # fmt: skip


def test_each_version_is_older_than_the_next():
    for first, second in itertools.pairwise(IN_ORDER):
        assert older(first, second), (first, second)
        assert not older(second, first)


@pytest.mark.parametrize(
    ("one", "other"), [("1.0", "1"), ("1.0.0", "1.0+local"), ("v1.0RC1", "1.0-rc.1"), ("1-1", "1.post1")]
)
def test_spellings_of_one_version_are_equal(one, other):
    assert key(one) == key(other)


@pytest.mark.parametrize("text", ["", "one", "1..0", "1.0-", "1.0 2", "9" * 30])
def test_what_is_no_version_is_bad_usage(text):
    with pytest.raises(BadUsage):
        key(text)
