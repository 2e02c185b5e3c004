from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_wiki.model.links import Resolution, SourceIndex, is_local, join, relative
from llm_wiki.model.markdown import destination, scan

OWNER = "wiki/concepts/a.md"


@pytest.mark.parametrize(
    ("owner", "target", "key", "fragment"),
    [
        (OWNER, "b.md", "wiki/concepts/b.md", ""),
        (OWNER, "./b.md", "wiki/concepts/b.md", ""),
        (OWNER, "../topics//b.md#X%20y", "wiki/topics/b.md", "X y"),
        (OWNER, "/raw/b.md", "raw/b.md", ""),
        (OWNER, "../../b.md", "b.md", ""),
        (OWNER, "../../../b.md", "../b.md", ""),
        (OWNER, "../../../../b.md", "../../b.md", ""),
        (OWNER, "/../b.md", "../b.md", ""),
        (OWNER, "../../../wiki/b.md", "../wiki/b.md", ""),
        (OWNER, "a%20b%231.md?x=1#f", "wiki/concepts/a b#1.md", "f"),
        (OWNER, "100%.md", "wiki/concepts/100%.md", ""),
        (OWNER, "e\u0301.md", "wiki/concepts/\u00e9.md", ""),
        (OWNER, "%65%CC%81.md", "wiki/concepts/\u00e9.md", ""),
        (OWNER, "%E9.md", "wiki/concepts/\udce9.md", ""),
        (OWNER, "#here", OWNER, "here"),
        (OWNER, "?q", OWNER, ""),
        (OWNER, "", OWNER, ""),
        (OWNER, "..", "wiki", ""),
        (OWNER, "../topics/", "wiki/topics", ""),
        (OWNER, "../..", "", ""),
        ("wiki/e\u0301/a.md", "b.md", "wiki/\u00e9/b.md", ""),
        ("_index.md", "raw/x.md", "raw/x.md", ""),
        ("_index.md", "../x.md", "../x.md", ""),
    ],
)
def test_a_target_joins_to_the_key_of_its_file(owner: str, target: str, key: str, fragment: str):
    assert join(owner, target) == (key, fragment)


@pytest.mark.parametrize(
    ("owner", "to", "target"),
    [
        (OWNER, "wiki/concepts/b.md", "b.md"),
        (OWNER, "wiki/topics/b.md", "../topics/b.md"),
        (OWNER, "raw/notes/b c.md", "../../raw/notes/b c.md"),
        (OWNER, OWNER, "a.md"),
        (OWNER, "README.md", "../../README.md"),
        ("_index.md", "raw/x.md", "raw/x.md"),
        (OWNER, "wiki/concepts/a#b?c%20d.md", "a%23b%3Fc%2520d.md"),
        (OWNER, "wiki/concepts/100%.md", "100%.md"),
        (OWNER, "wiki/concepts/note:x.md", "./note:x.md"),
        (OWNER, "wiki/concepts/caf\udce9.md", "caf%E9.md"),
        (OWNER, "wiki/concepts/a\nb.md", "a%0Ab.md"),
    ],
)
def test_the_relative_target_leads_to_the_file(owner: str, to: str, target: str):
    assert relative(owner, to) == target
    assert join(owner, target) == (to, "")


NAME = st.text(
    alphabet=st.one_of(
        st.sampled_from("ab.%#?:()<>|\\ &;`[]é"),
        st.characters(exclude_characters="/\x00", exclude_categories=["Cs"]),
    ),
    min_size=1,
    max_size=8,
).filter(lambda name: name not in (".", ".."))
PATH = st.lists(NAME, min_size=1, max_size=4).map("/".join)


@given(PATH, PATH)
def test_every_path_comes_back_from_its_relative_target(owner: str, to: str):
    assert join(owner, relative(owner, to)) == (unicodedata.normalize("NFC", to), "")


@given(PATH, PATH)
def test_every_path_comes_back_from_a_written_link(owner: str, to: str):
    links = scan(f"x [t]({destination(relative(owner, to))}) y").links
    assert len(links) == 1
    assert join(owner, links[0][2]) == (unicodedata.normalize("NFC", to), "")


@pytest.mark.parametrize(
    ("target", "local"),
    [
        *((path, True) for path in ("a.md", "/a.md", "?q", "C:/x.md", "a b: c.md")),
        *((url, False) for url in ("https://x.y", "mailto:a@b.c", "//host/x.md", "file:///x.md", "tel:1")),
        *((fragment, False) for fragment in ("#x", "")),
    ],
)
def test_a_local_target_has_no_scheme_and_is_no_fragment(target: str, local: bool):
    assert is_local(target) == local


RAW = [
    "raw/articles/2026-01-01-quantum-canary-satoshi-coins.md",
    "raw/papers/2024-05-05-attention.md",
    "raw/papers/2026-01-02-検索.md",
    "raw/notes/日本語メモ.md",
    "raw/articles/2026-02-02-same-name.md",
    "raw/notes/2026-02-03-same-name.md",
    "raw/articles/Title Cased Source.md",
    "raw/articles/e\u0301t\u00e9.md",
    "raw/notes/!!!.md",
    "raw/data/2026-03-03-long-topic-one.md",
    "raw/data/2026-03-03-long-topic-two.md",
]
FILES = [*RAW, "raw/articles/_index.md", "wiki/concepts/a.md", "wiki/concepts/b.md", "output/x.md"]
INDEX = SourceIndex(FILES, RAW, root="/home/u/wiki")


def resolved(path: str, how: str) -> Resolution:
    return Resolution("resolved", path, exact=how == "exact", how=how)


CANARY, ATTENTION = RAW[:2]


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        (CANARY, resolved(CANARY, "exact")),
        (f"  {CANARY} ", resolved(CANARY, "exact")),
        (f"../../{CANARY}", resolved(CANARY, "relative")),
        (f"./../../{CANARY}", resolved(CANARY, "relative")),
        (f"/{CANARY}", resolved(CANARY, "relative")),
        (f"/home/u/wiki/{CANARY}", resolved(CANARY, "relative")),
        (CANARY.replace("raw/", "raw//./"), resolved(CANARY, "relative")),
        ("b.md", resolved("wiki/concepts/b.md", "relative")),
        ("output/x.md", resolved("output/x.md", "exact")),
        (CANARY.upper(), resolved(CANARY, "folded")),
        ("raw/articles/\u00e9te\u0301.md", resolved("raw/articles/e\u0301t\u00e9.md", "folded")),
        ("2026-01-01-quantum-canary-satoshi-coins", resolved(CANARY, "slug")),
        ("quantum-canary-satoshi-coins", resolved(CANARY, "slug")),
        ("quantum-canary-satoshi-coins.md", resolved(CANARY, "slug")),
        ("raw/notes/2024-05-05-attention.md", resolved(ATTENTION, "slug")),
        ("raw/papers/attention.md", resolved(ATTENTION, "slug")),
        ("Title cased source", resolved("raw/articles/Title Cased Source.md", "slug")),
        ("検索", resolved("raw/papers/2026-01-02-検索.md", "slug")),
        ("quantum-canary", resolved(CANARY, "prefix")),
        ("Quantum Canary", resolved(CANARY, "prefix")),
        ("same-name", Resolution("ambiguous", candidates=tuple(RAW[4:6]))),
        ("long-topic", Resolution("ambiguous", candidates=tuple(RAW[9:11]))),
        ("quantum-can", Resolution("dangling")),
        ("quantum", Resolution("dangling")),
        ("canary-satoshi", Resolution("dangling")),
        ("raw/articles/quantum-canary.md", Resolution("dangling")),
        ("quantum-canary.md", Resolution("dangling")),
        ("2026-01-01-quantum-canary", Resolution("dangling")),
        ("raw/papers/2026-01-01-attention-survey-deleted.md", Resolution("dangling")),
        ("2025-05-05-attention", Resolution("dangling")),
        ("raw/papers/2026-01-02-削除済み.md", Resolution("dangling")),
        ("2026-01-02", Resolution("dangling")),
        ("!!!", Resolution("dangling")),
        ("???", Resolution("dangling")),
        ("", Resolution("dangling")),
        ("/raw/articles/none.md", Resolution("dangling")),
        ("https://example.org/x", Resolution("url")),
        ("../../../x.md", Resolution("outside")),
        ("/etc/passwd", Resolution("outside")),
        ("/home/u/other/raw/x.md", Resolution("outside")),
    ],
)
def test_an_article_reference_resolves_as_the_format_says(reference: str, expected: Resolution):
    assert INDEX.resolve(OWNER, reference) == expected


@pytest.mark.parametrize("owner", ["inventory/items/i.md", "datasets/d/MANIFEST.md", "output/x.md"])
def test_only_articles_match_by_slug(owner: str):
    assert INDEX.resolve(owner, "quantum-canary-satoshi-coins").status == "dangling"
    assert INDEX.resolve(owner, CANARY).exact
    assert INDEX.resolve(owner, CANARY.upper()).how == "folded"


def test_two_files_that_differ_in_case_only_are_ambiguous():
    index = SourceIndex(["raw/notes/A.md", "raw/notes/a.md"], [])
    assert index.resolve(OWNER, "raw/notes/a.md").exact
    both = ("raw/notes/A.md", "raw/notes/a.md")
    assert index.resolve(OWNER, "raw/NOTES/a.md") == Resolution("ambiguous", candidates=both)


def test_an_ambiguous_reference_names_a_bounded_number_of_candidates():
    raw = [f"raw/notes/2026-01-01-shared-words-{n}.md" for n in range(500)]
    found = SourceIndex(raw, raw).resolve(OWNER, "shared-words")
    assert (found.status, len(found.candidates)) == ("ambiguous", 20)


@given(st.text(max_size=20))
def test_any_reference_gets_an_answer_and_never_an_invented_file(reference: str):
    found = INDEX.resolve(OWNER, reference)
    assert found.status in ("resolved", "dangling", "ambiguous", "url", "outside")
    assert (found.path in FILES) == (found.status == "resolved")
