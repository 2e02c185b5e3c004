"""Words as the index knows them."""

import unicodedata

import pytest

from llm_wiki.search.syntax import LONGEST, parse
from llm_wiki.search.words import asked, folded, stems, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Context Budget", ["context", "budget"]),
        ("Café Zürich", ["cafe", "zurich"]),
        ("Straße", ["strasse"]),
        ("e-mail O'Brien", ["e", "mail", "o", "brien"]),
        ("ＦＵＬＬ width", ["full", "width"]),
        ("snake_case", ["snake", "case"]),
        ("上下文预算", ["上下", "下文", "文预", "预算", "算"]),
        ("AI代理", ["ai", "代理", "理"]),
        ("한국어", ["한국", "국어", "어"]),
        ("がっこう", ["がっ", "っこ", "こう", "う"]),
        ("हिन्दी", ["हिन्दी"]),
        ("so\u00adft wo\u200brd", ["soft", "word"]),
        ("", []),
        ("—…!?", []),
    ],
)
def test_text_is_cut_into_folded_words(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize("text", ["Café", "Übergröße", "Ångström", "がぎぐ", "한국어", "ế"])
def test_composed_and_decomposed_text_give_the_same_words(text):
    assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text))


def test_folding_twice_changes_nothing():
    text = "ǅ ẞ İ ﬁ Ⅷ Ω ѣ ﾊﾟ"
    assert folded(folded(text)) == folded(text)


def test_a_query_asks_no_single_character_of_a_run_but_one_alone():
    assert asked("上下文") == ["上下", "下文"]
    assert asked("茶") == ["茶"]


def test_stems_are_those_of_porter_and_leave_other_scripts_alone():
    assert stems(["memories", "memory", "running", "绿茶", "übung"])["memories"] == "memori"
    assert stems(["memory"])["memory"] == "memori"
    assert stems(["绿茶"]) == {"绿茶": "绿茶"}
    assert stems([]) == {}


def terms(text):
    return [term.word for term in parse(text).terms]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is a context budget?", ["context", "budget"]),
        ("Wie funktioniert der Zwischenspeicher?", ["zwischenspeicher"]),
        ("什么是知识图谱？", ["知识", "识图", "图谱"]),
        ("知识图谱とは何ですか", ["知识", "识图", "图谱"]),
        ("the", ["the"]),
        ("", []),
        ('"" - -- tag: "', ["tag"]),
        ("budget budgets Budget", ["budget"]),
    ],
)
def test_a_question_is_reduced_to_its_telling_words(text, expected):
    assert terms(text) == expected


def test_syntax_is_read_and_anything_else_is_words():
    query = parse(
        'memory -git "fact store" -"old one" tag:Tea category:Concept type:raw after:2026-01 before:2027 x:y'
    )
    assert [term.word for term in query.terms] == ["memory", "x", "y", "fact", "store"]
    assert query.phrases == (("fact", "store"),)
    assert query.without == (("git",), ("old", "one"))
    assert (query.tags, query.categories, query.types) == (("tea",), ("concept",), ("raw",))
    assert (query.after, query.before) == ("2026-01-01", "2027-01-01")


def test_a_date_that_is_none_is_words():
    query = parse("after:tomorrow")
    assert query.after == ""
    assert [term.word for term in query.terms] == ["tomorrow"]


def test_a_long_query_is_read_by_its_beginning():
    query = parse("word" + " x1y" * 10_000)
    assert len(query.typed) <= LONGEST
    assert parse(" ".join(f"w{number}q" for number in range(10_000))).terms
