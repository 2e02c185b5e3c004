"""The topic guide: its starter, its state, and what is said about one that a person wrote."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from indexkit import Tree, document

from llm_wiki.core.errors import BadUsage
from llm_wiki.model.document import page
from llm_wiki.wiki import guide

DAY = date(2026, 1, 10)
STARTER = guide.starter("Tea", DAY)


def test_the_starter_holds_the_pinned_texts():
    text = STARTER.decode()
    assert "schema_state: advisory\n" in text
    assert "\n## Compile Guidance\n" in text
    assert "does not exempt raw sources from C6 coverage" in text
    assert "created: 2026-01-10\nupdated: 2026-01-10\n" in text


def test_the_starter_has_the_vocabulary_of_the_format():
    text = STARTER.decode()
    assert "| Type | Meaning |" in text
    for word in ("concept", "topic", "reference", "source", "artifact"):
        assert f"| {word} |" in text
    for verb in ["cites", "supports", "contradicts", "supersedes", "depends-on", "implements", "relates-to"]:
        assert f"`{verb}`" in text


def test_the_starter_neither_differs_from_itself_nor_has_problems():
    assert not guide.differences(STARTER)
    assert guide.problems(STARTER) == []


def test_a_title_with_quotes_is_written_whole():
    made = page("schema.md", guide.starter('A "B" wiki: x # y', DAY))
    assert made.text("title") == 'A "B" wiki: x # y Topic Guide'
    assert made.front == "ok"


def test_a_strict_starter_says_so():
    data = guide.starter("Tea", DAY, "strict")
    assert b"schema_state: strict\n" in data
    assert guide.state_of(page("schema.md", data)) == "strict"


def test_another_state_is_refused():
    with pytest.raises(BadUsage):
        guide.starter("Tea", DAY, "loose")


def test_a_wiki_without_guide():
    found = guide.status(Tree({"wiki/concepts/a.md": b"", "wiki/theses/t.md": b""}))
    assert found == ("missing", "missing", False, 2, ())


def test_only_files_of_the_category_folders_are_articles():
    files = {"wiki/x.md": b"", "wiki/misc/y.md": b"", "wiki/topics/_index.md": b"", "wiki/topics/t.md": b""}
    assert guide.status(Tree(files)).articles == 1


def test_a_proposal_without_guide():
    files = {
        "output/schema-proposal-tea-2026-01-01.md": b"",
        "output/other.md": b"",
        "output/projects/schema-proposal-x.md": b"",
    }
    found = guide.status(Tree(files))
    assert (found.status, found.state) == ("missing-with-proposal", "proposed")
    assert found.proposals == ("output/schema-proposal-tea-2026-01-01.md",)


@pytest.mark.parametrize(
    ("fields", "state"),
    [
        ({"schema_state": "strict"}, "strict"),
        ({"status": "advisory"}, "advisory"),
        ({"schema_state": "strict", "status": "advisory"}, "strict"),
        ({"schema_state": "loose"}, "loose"),
        ({}, "present"),
    ],
)
def test_the_state_of_a_guide_is_what_it_says(fields, state):
    found = guide.status(Tree({"schema.md": document(title="X", **fields)}))
    assert (found.status, found.state, found.exists) == ("present", state, True)


def test_headings_are_compared_in_any_case_and_order():
    data = b"---\nschema_state: strict\n---\n# X\n\n## compile GUIDANCE\n\n## State\n\n"
    data += b"## Our Own\n\n### Entity Types\n"
    found = guide.differences(data)
    assert found.missing == ("Entity Types", "Relationship Verbs", "Source Conventions", "Adoption Notes")
    assert found.added == ("Our Own",)
    assert found


def told(data):
    return [(item.line, item.text) for item in guide.problems(data)]


HEAD = b"---\nschema_state: strict\n---\n\n"


def test_a_guide_in_its_own_words_has_no_problem():
    assert told(HEAD + b"# Ours\n\nWords.\n") == []


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            b"---\ntitle: x\nschema_state: loose\n---\n",
            (3, "schema_state is 'loose', not advisory or strict"),
        ),
        (b"---\nstatus: loose\n---\n", (2, "status is 'loose', not advisory or strict")),
        (b"---\ntitle: x\n---\n", (0, "no schema_state: advisory or strict")),
        (b"# no front matter\n", (1, "missing")),
        (HEAD + b"## Entity Types\n\nWords.\n", (5, "no table under Entity Types")),
        (
            HEAD + b"## Entity Types\n\n```\n| Type | Meaning |\n|-|-|\n```\n",
            (5, "no table under Entity Types"),
        ),
        (
            HEAD + b"## Entity Types\n\n| Type | Sense |\n|-|-|\n| a | b |\n",
            (7, "the table of Entity Types has no column Meaning"),
        ),
        (
            HEAD + b"## Entity Types\n\n| Type | Meaning |\n|-|-|\n",
            (7, "the table of Entity Types has no rows"),
        ),
        (
            HEAD + b"## Entity Types\n\n| Type | Meaning |\n|-|-|\n| a |  |\n| b | c |\n",
            (9, "a row without type or meaning"),
        ),
        (
            HEAD + b"## Entity Types\n\n| Type | Meaning |\n|-|-|\n| a | x |\n| A | y |\n",
            (10, "type A stands there twice"),
        ),
    ],
)
def test_what_no_reader_can_use_is_named(data, expected):
    assert expected in told(data)
    assert len(told(data)) == 1


@given(st.binary(max_size=300))
def test_any_bytes_can_be_judged(data):
    guide.problems(data)
    guide.differences(data)


@given(st.text(max_size=60))
def test_any_title_gives_a_guide_without_problems(title):
    try:
        data = guide.starter(title, DAY)
    except BadUsage:
        return
    assert guide.problems(data) == []
    assert not guide.differences(data)
