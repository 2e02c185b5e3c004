"""Names: what two of them share, and what a new file is called (`wiki-format.md` §9)."""

import unicodedata
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_wiki.core import text
from llm_wiki.core.errors import BadUsage

SLUGS = [
    ("Quantum Canary", "quantum-canary"),
    ("  two__words\tand  blanks ", "two-words-and-blanks"),
    ("Straße", "strasse"),
    ("ＦＵＬＬ　ｗｉｄｔｈ", "full-width"),
    ("ﬁne ligature", "fine-ligature"),
    ("Cafe\u0301", "café"),
    ("日本語メモ", "日本語メモ"),
    ("हिन्दी विकी", "हिन्दी-विकी"),
    ("ภาษาไทย", "ภาษาไทย"),
    ("עברית בדיקה", "עברית-בדיקה"),
    ("Ελληνικά ΣΊΣΥΦΟΣ", "ελληνικά-σίσυφοσ"),
    ("٣ أشياء", "٣-أشياء"),
    ("--a--b--", "a-b"),
    ("C++: the (bad) parts", "c-the-bad-parts"),
    ("v1.2", "v12"),
    ("2026-01-02-検索", "2026-01-02-検索"),
    ("❤️", ""),
    ("\u200d\ufe0f\u0301", ""),
    ("!?", ""),
    ("", ""),
]

FILES = [
    ("Attention Is All You Need", "attention-is-all-you-need"),
    ("Don't panic", "dont-panic"),
    ("Transformers/Encoders: a guide, v1.2", "transformers-encoders-a-guide-v1-2"),
    ("Straße", "straße"),
    ("日本語 メモ", "日本語-メモ"),
    ("हिन्दी विकी", "हिन्दी-विकी"),
    ("a\u0000b\nc", "a-b-c"),
    ("../../etc/passwd", "etc-passwd"),
    ("CON", "con-note"),
    ("lpt1", "lpt1-note"),
    ("console", "console"),
    ("❤️ 🎉", "note"),
    ("", "note"),
]

TOPICS = [
    ("2026-01-02 2026-01-03 Tea", "tea"),
    ("Machine Learning", "machine-learning"),
    ("Café Łódź Ærø", "cafe-lodz-aero"),
    ("2024-05-05 Notes", "notes"),
    ("2024-05-05", "2024-05-05"),
    ("日本語 AI", "ai"),
    ("it's", "its"),
    ("nul", "nul-topic"),
]


@pytest.mark.parametrize(("title", "slug"), SLUGS)
def test_slugify_keeps_letters_of_every_script(title, slug):
    assert text.slugify(title) == slug


@given(st.text())
def test_a_slug_is_its_own_slug(title):
    slug = text.slugify(title)
    assert text.slugify(slug) == slug


@given(st.text())
def test_a_slug_has_single_inner_hyphens_and_is_visible(title):
    slug = text.slugify(title)
    assert not slug.startswith("-")
    assert not slug.endswith("-")
    assert "--" not in slug
    assert not slug or unicodedata.category(slug[0])[0] in "LN"


@given(st.text())
def test_composed_and_decomposed_spellings_have_one_slug(title):
    assert text.slugify(unicodedata.normalize("NFD", title)) == text.slugify(
        unicodedata.normalize("NFC", title)
    )


@pytest.mark.parametrize(("title", "slug"), FILES)
def test_a_file_slug_is_never_empty_nor_reserved(title, slug):
    assert text.file_slug(title) == slug


def test_the_fallback_of_an_empty_file_slug_can_be_named():
    assert text.file_slug("🎉", fallback="article") == "article"


@given(st.text(), st.integers(min_value=8, max_value=80))
def test_a_file_slug_fits_a_file_name(title, limit):
    slug = text.file_slug(title, limit)
    assert 0 < len(slug) <= limit + len("-note")
    assert len(f"2026-01-01-{slug}-12.md".encode("utf-8", "surrogatepass")) <= 255
    assert "/" not in slug
    assert "." not in slug
    assert not slug.startswith("-")
    assert not slug.endswith("-")


def test_a_long_file_slug_is_cut_at_a_word():
    slug = text.file_slug("word " * 30)
    assert slug == "-".join(["word"] * 12)
    assert len(text.file_slug("x" * 100)) == 60


def test_a_cut_never_parts_a_letter_from_its_marks():
    slug = text.file_slug("कि" * 40, 21)
    assert slug == "कि" * 10


@pytest.mark.parametrize(("title", "slug"), TOPICS)
def test_a_topic_slug_is_ascii(title, slug):
    assert text.topic_slug(title) == slug


def test_a_topic_slug_is_at_most_forty_characters_without_trailing_hyphen():
    slug = text.topic_slug("a very long topic title that would not fit into forty characters")
    assert slug == "a-very-long-topic-title-that-would-not"


@pytest.mark.parametrize("title", ["日本語", "!!!", ""])
def test_a_title_without_topic_slug_asks_for_one(title):
    with pytest.raises(BadUsage, match="no slug") as caught:
        text.topic_slug(title)
    assert "a-z" in caught.value.remedy


@pytest.mark.parametrize(
    ("slug", "bare"),
    [("2026-01-02-x", "x"), ("2026-01-02", "2026-01-02"), ("x-2026-01-02-y", "x-2026-01-02-y"), ("", "")],
)
def test_undated_drops_a_leading_date_only(slug, bare):
    assert text.undated(slug) == bare


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("2026-01-10", date(2026, 1, 10)),
        ("2024-02-29", date(2024, 2, 29)),
        ("2026-01-10T12:00:00Z", date(2026, 1, 10)),
        ("2026-01-10 12:00", date(2026, 1, 10)),
        ("2026-02-29", None),
        ("2026-1-10", None),
        ("20260110", None),
        ("2026-01-100", None),
        ("2026-01-10banana", None),
        ("٢٠٢٦-٠١-١٠", None),
        ("banana", None),
        ("", None),
    ],
)
def test_a_date_is_a_real_calendar_date_in_the_first_ten_characters(written, day):
    assert text.as_date(written) == day
    assert text.is_date(written) == (day is not None)


def test_fold_makes_one_name_of_two_spellings():
    assert text.fold("Cafe\u0301.MD") == text.fold("CAFÉ.md")
    assert text.fold("STRASSE") == text.fold("straße")
    assert text.fold("a") != text.fold("b")


@pytest.mark.parametrize(
    ("long", "limit", "short"),
    [
        ("short", 10, "short"),
        ("hello brave new world", 12, "hello brave…"),
        ("hello brave, new world", 13, "hello brave…"),
        ("abcdefghij", 5, "abcd…"),
        ("日本語の長い文章です", 5, "日本語の…"),
        ("exactly ten", 11, "exactly ten"),
        ("ab", 1, "…"),
        ("ab", 0, ""),
    ],
)
def test_cut_ends_at_a_word_and_says_so(long, limit, short):
    assert text.cut(long, limit) == short


@given(st.text(), st.integers(min_value=0, max_value=50))
def test_cut_keeps_to_its_limit(long, limit):
    assert len(text.cut(long, limit)) <= limit
