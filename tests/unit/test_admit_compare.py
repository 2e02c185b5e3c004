"""When two texts are one."""

import random

import pytest

from llm_wiki.admit.compare import (
    Group,
    Item,
    containment,
    find_duplicates,
    shingles,
    similar,
    upstream_key,
    words,
)

PROSE = (
    "The cache key is a hash of every input including the compiler itself so that two builds with the same "
    "inputs always share one entry and no build ever reads an entry that was made from other inputs"
)
OTHER = (
    "Sourdough needs no scale because whoever measures with the same cup gets the same dough every time "
    "and after three loaves the hand knows what to do without looking at any number at all"
)


def text(seed: int, length: int = 200) -> str:
    chance = random.Random(seed)
    return " ".join(f"w{chance.randrange(10**6)}" for _ in range(length))


def test_a_text_contains_itself() -> None:
    assert containment(PROSE, PROSE) == 1.0


def test_letter_case_punctuation_and_markdown_play_no_part() -> None:
    assert containment(PROSE, "# " + PROSE.upper().replace(" ", ",  *") + "!") == 1.0


def test_unrelated_texts_share_nothing() -> None:
    assert containment(PROSE, OTHER) == 0.0


def test_the_shorter_text_is_what_must_be_contained() -> None:
    assert containment(PROSE, f"{OTHER} {PROSE} {OTHER}") == 1.0
    assert containment(f"{OTHER} {PROSE} {OTHER}", PROSE) == 1.0


@pytest.mark.parametrize(
    ("one", "other", "share"), [("", PROSE, 0.0), ("", "", 0.0), ("a b", "a b", 1.0), ("a b", "a c", 0.0)]
)
def test_short_and_empty_texts_have_an_answer(one: str, other: str, share: float) -> None:
    assert containment(one, other) == share


def test_the_share_is_that_of_five_word_runs() -> None:
    ten = "a b c d e f g h i j"
    assert len(shingles(ten)) == 6
    assert containment(ten, "a b c d e f g h i x") == pytest.approx(5 / 6)


def test_scripts_without_blanks_are_compared_by_characters() -> None:
    japanese = "猫は液体である。器に合わせて形を変えるからだ。"
    assert len(words(japanese)) > 15
    assert containment(japanese, f"前置き。{japanese}") == 1.0
    assert containment(japanese, "犬は固体である。形を変えないからである。") < 0.8


def test_accents_survive_but_compatibility_forms_fall_together() -> None:
    assert words("Ｆｕｌｌ ﬁne Café") == ["full", "fine", "café"]


# --- similar ---------------------------------------------------------------------------------


def test_a_near_copy_is_found_and_an_unrelated_text_is_not() -> None:
    copy = PROSE.replace("always", "often")
    found = similar(PROSE, [("copy", copy), ("other", OTHER)])
    assert [name for name, _ in found] == ["copy"]


def test_a_part_and_a_whole_are_found_from_both_sides() -> None:
    whole = f"{text(1)} {PROSE} {text(2)}"
    assert [name for name, _ in similar(PROSE, [("whole", whole)])] == ["whole"]
    assert [name for name, _ in similar(whole, [("part", PROSE)])] == ["part"]


# --- groups ----------------------------------------------------------------------------------


def test_one_address_in_two_spellings_is_a_group() -> None:
    items = [
        Item("b", "https://e.org/a?utm_source=x"),
        Item("a", "http://www.e.org/a"),
        Item("c", "https://e.org/c"),
    ]
    assert find_duplicates(items) == [Group("url", ("a", "b"))]


def test_paths_and_manual_sources_make_no_group_by_address() -> None:
    assert (
        find_duplicates([Item("a", "MANUAL"), Item("b", "MANUAL"), Item("c", "x.md"), Item("d", "x.md")])
        == []
    )


def test_one_body_is_a_group_and_not_also_a_group_by_text() -> None:
    items = [Item("a", body_hash="1", text=PROSE), Item("b", body_hash="1", text=PROSE)]
    assert find_duplicates(items) == [Group("body", ("a", "b"))]


def test_one_item_of_a_collection_is_a_group() -> None:
    assert find_duplicates([Item("a", upstream="c\n1\nx"), Item("b", upstream="c\n1\nx")]) == [
        Group("upstream", ("a", "b"))
    ]


def test_overlapping_texts_are_a_group_with_their_least_share() -> None:
    items = [
        Item("a", body_hash="1", text=PROSE),
        Item("b", body_hash="2", text=PROSE + " and more"),
        Item("c", body_hash="3", text=OTHER),
    ]
    (group,) = find_duplicates(items)
    assert (group.reason, group.names, group.share) == ("text", ("a", "b"), 1.0)


def test_a_short_text_inside_a_long_one_is_found() -> None:
    long = " ".join([text(1, 3000), PROSE, text(2, 3000)])
    (group,) = find_duplicates(
        [Item("long", body_hash="1", text=long), Item("short", body_hash="2", text=PROSE)]
    )
    assert group.names == ("long", "short")


def test_groups_do_not_depend_on_the_order_of_items() -> None:
    items = [
        Item(f"n{seed}", body_hash=str(seed), text=text(seed // 2) + f" tail {seed}") for seed in range(12)
    ]
    shuffled = random.Random(3).sample(items, len(items))
    assert find_duplicates(items) == find_duplicates(shuffled)
    assert len(find_duplicates(items)) == 6


def test_many_unrelated_texts_give_no_group() -> None:
    assert (
        find_duplicates([Item(str(seed), body_hash=str(seed), text=text(seed)) for seed in range(300)]) == []
    )


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"collection": "c", "upstream_id": "1", "revision": "r"}, "c\n1\nr"),
        ({"collection": "c", "upstream_id": "1", "sha": "s"}, "c\n1\ns"),
        ({"collection": "c", "upstream_id": "1"}, ""),
        ({"upstream_id": "1", "sha": "s"}, ""),
        ({}, ""),
    ],
)
def test_the_key_of_a_collections_child_needs_all_its_parts(fields: dict[str, str], key: str) -> None:
    assert upstream_key(lambda name: fields.get(name, "")) == key
