"""The settings of a topic: `config.md`, and those of its Obsidian vault."""

import json
from datetime import date

import pytest

from llm_wiki.core.errors import BadUsage, Refused
from llm_wiki.core.transaction import Transaction
from llm_wiki.model.document import page
from llm_wiki.model.edit import render
from llm_wiki.wiki.topic import RAW_INDEXES, TopicConfig, plan_topic, vault_settings


def test_an_empty_title_is_a_usage_error(tmp_path):
    with pytest.raises(BadUsage, match="needs a title"):
        plan_topic(Transaction(tmp_path, "init"), "", " \n", date(2026, 1, 10))


# --- Obsidian --------------------------------------------------------------------------------


def test_settings_of_a_vault_stay():
    before = b'\xef\xbb\xbf{"vimMode": true, "userIgnoreFilters": ["x/"]}'
    after = vault_settings(before)
    assert json.loads(after) == {"vimMode": True, "userIgnoreFilters": ["x/", RAW_INDEXES]}
    assert vault_settings(after) == after


@pytest.mark.parametrize("content", [b"[]", b"{", b"\xff", b'{"userIgnoreFilters": "x"}', b"[" * 100_000])
def test_settings_of_another_shape_are_refused(content):
    with pytest.raises(Refused):
        vault_settings(content)


# --- config.md -------------------------------------------------------------------------------


def config(**fields) -> TopicConfig:
    return TopicConfig.of(page("config.md", render(fields, "# x\n")))


def test_without_a_configuration_the_defaults_hold():
    assert TopicConfig.of(None) == TopicConfig()
    assert (TopicConfig().freshness_threshold, TopicConfig().links) == (70, "dual")


def test_the_configuration_is_read():
    found = config(
        title="Tea",
        description="Leaves",
        created="2026-01-01",
        freshness_threshold="55",
        ignore=["*.tmp", "drafts/"],
        links="Wikilink",
        tag_groups=["ml / machine-learning", "ai, artificial-intelligence", "alone"],
    )
    assert found == TopicConfig(
        "Tea",
        "Leaves",
        "2026-01-01",
        55,
        ("*.tmp", "drafts/"),
        "wikilink",
        (("ml", "machine-learning"), ("ai", "artificial-intelligence")),
        (),
    )


@pytest.mark.parametrize("value", ["high", "-1", "101", "70.5", "٧٠", "", ["70"]])
def test_a_threshold_that_is_no_number_is_a_problem_and_not_used(value):
    found = config(title="T", freshness_threshold=value)
    assert found.freshness_threshold == 70
    assert [line for line, _ in found.problems] == [3]


def test_an_unknown_form_of_links_is_a_problem_and_not_used():
    found = config(links="html")
    assert (found.links, len(found.problems)) == ("dual", 1)


def test_a_list_written_as_text_is_read():
    assert config(ignore="a, *.b").ignore == ("a", "*.b")


@pytest.mark.parametrize(
    "text", [b"", b"---\n", b"\xff\xfe", b"---\nignore: {a: b}\nlinks: [x]\n---\n", b"---\n: :\n---\n"]
)
def test_no_bytes_of_a_configuration_are_an_error(text):
    assert TopicConfig.of(page("config.md", text)).freshness_threshold == 70
