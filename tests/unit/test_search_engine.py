"""What a search finds, in which order, and what it leaves alone."""

import unicodedata

import pytest
from searchkit import PAGES, article, ask, make, paths, put

GREEN, BLACK, KETTLES = "wiki/concepts/green-tea.md", "wiki/concepts/black-tea.md", "wiki/topics/kettles.md"
TEAPOT, REPORT = "inventory/items/teapot.md", "output/report.md"
NOTES, OLD = "raw/notes/2026-01-02-notes.md", "raw/notes/2026-01-01-old.md"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Keep the cache of these tests to themselves."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        patch.setenv("HOME", str(folder))
        yield folder


@pytest.fixture(scope="module")
def tea(home):
    return make(home / "tea")


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("green tea", GREEN),
        ("What is green tea?", GREEN),
        ("sencha", GREEN),
        ("steeping", GREEN),
        ("oxidising leaves", BLACK),
        ("thermostat", KETTLES),
        ("cafe zurich", "wiki/concepts/cafe.md"),
        ("CAFÉ", "wiki/concepts/cafe.md"),
        ("creme brulee", "wiki/concepts/cafe.md"),
        ("绿茶", "wiki/concepts/cha.md"),
        ("冲泡两分钟", "wiki/concepts/cha.md"),
        ("茶", "wiki/concepts/cha.md"),
        ("kalkränder", "wiki/concepts/wasserkocher.md"),
    ],
)
def test_the_page_that_is_meant_comes_first(tea, text, first):
    assert paths(tea, text)[0] == first


@pytest.mark.parametrize("text", ["café", "kalklösung", "zürich"])
def test_composed_and_decomposed_queries_find_the_same(tea, text):
    one, other = (ask(tea, unicodedata.normalize(form, text)) for form in ("NFC", "NFD"))
    assert one.hits
    assert one.hits == other.hits


def test_part_of_a_german_compound_is_found(tea):
    assert paths(tea, "speicher") == ["wiki/concepts/wasserkocher.md"]


def test_a_word_with_a_slip_is_corrected_and_named(tea):
    found = ask(tea, "thermosat")
    assert found.corrected == {"thermosat": "thermostat"}
    assert found.hits[0].path == KETTLES
    assert found.answered


def test_a_word_that_is_there_is_never_corrected(tea):
    assert ask(tea, "leaves water").corrected == {}


@pytest.mark.parametrize("text", ["photosynthesis", "Who won the football world cup?", "量子计算", "xyzzy"])
def test_what_no_page_knows_is_not_answered(tea, text):
    assert not ask(tea, text).answered


def test_nothing_is_found_by_a_query_that_says_nothing(tea):
    for text in ("", "   ", '""', "-", '" -"', "tag:", "-tea", "()*^:{}"):
        found = ask(tea, text)
        assert found.hits == ()
        assert not found.answered


HOSTILE = [
    'a" OR "b', "NEAR(a b)", "tea AND", "NOT tea", "tea*", "^tea", "{title}: tea", "title:tea", "'; DROP TABLE pages",
    "tea\0tea", "\ud800tea", "(((((", '"tea', 'tea"', "--", "-- tea", "\\", "%s %d", "tea " * 2500, "x" * 10_000, "-" * 10_000,
    '"' * 9_999, "tag:tag:tag:", "after:9999-99-99", "🫖", "\u202etea", "0", "tea -", "💥" * 500,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_only_text(tea, text):
    found = ask(tea, text)
    assert all(hit.path in PAGES for hit in found.hits)
    assert ask(tea, "green tea").hits[0].path == GREEN


def test_a_phrase_must_stand_together(tea):
    assert paths(tea, '"boiling water"') == [BLACK]
    assert paths(tea, '"water boiling"') == []


def test_an_excluded_word_excludes(tea):
    assert GREEN in paths(tea, "leaves")
    assert GREEN not in paths(tea, "leaves -steamed")
    assert BLACK not in paths(tea, 'leaves -"boiling water"')


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tag:tools", {KETTLES}),
        ("tag:TEA", {GREEN, BLACK}),
        ("tag:tea tag:leaves", {GREEN}),
        ("category:topic", {KETTLES}),
        ("category:topics right", {KETTLES}),
        ("leaves after:2026", {GREEN}),
        ("leaves before:2026", {BLACK}),
        ("leaves after:2025-07 before:2026-02-02", {GREEN}),
        ("type:report porcelain", {REPORT}),
        ("type:item porcelain", {TEAPOT}),
        ("type:article porcelain", set()),
    ],
)
def test_filters_keep_what_fits(tea, text, expected):
    assert set(paths(tea, text)) == expected


def test_filters_alone_list_what_passes_and_count_as_an_answer(tea):
    found = ask(tea, "tag:tea")
    assert found.answered
    assert [hit.path for hit in found.hits] == [BLACK, GREEN]


def test_kinds_limit_the_result(tea):
    assert set(paths(tea, "porcelain teapot", kinds={"output"})) == {REPORT}


def test_sources_are_found_only_when_asked_for_and_then_labelled(tea):
    assert paths(tea, "tannin") == []
    found = ask(tea, "tannin bitter", raw=True)
    assert found.hits[0].path == NOTES
    assert found.hits[0].labels == ("evidence",)
    assert found.hits[0].answers
    assert OLD not in [hit.path for hit in found.hits]


def test_a_superseded_source_is_found_only_as_history(tea):
    hit = ask(tea, "chlorophyll", superseded=True).hits[0]
    assert hit.path == OLD
    assert hit.labels == ("evidence", "superseded")


def test_what_is_hidden_counts_for_nothing(tea, home):
    without = {rel: text for rel, text in PAGES.items() if rel != OLD}
    twin = make(home / "twin", without)
    one = ask(tea, "tannin leaves", explain=True)
    other = ask(twin, "tannin leaves", explain=True)
    assert one.hits == other.hits


def test_records_and_deliverables_are_labelled_and_no_answer(tea):
    found = ask(tea, "porcelain teapot")
    assert {hit.path: hit.labels for hit in found.hits} == {TEAPOT: ("tracking",), REPORT: ("product",)}
    assert all(hit.fits and not hit.answers for hit in found.hits)
    assert not found.answered


def test_articles_come_before_records(home):
    pages = {
        "_index.md": "# X\n",
        "config.md": "---\ntitle: X\n---\n",
        "inventory/items/z.md": "---\ntitle: Gyokuro\nstatus: active\n---\n\n# Gyokuro\n\nGyokuro gyokuro.\n",
        "wiki/concepts/a.md": article("Shade", "Grown in the shade, like gyokuro."),
    }
    assert paths(make(home / "order", pages), "gyokuro") == ["wiki/concepts/a.md", "inventory/items/z.md"]


def test_an_archived_record_is_silent_unless_asked_for(tea):
    assert paths(tea, "samovar") == []
    assert ask(tea, "samovar", include_archived=True).hits[0].labels == ("tracking", "archived")


def test_an_archived_topic_is_silent_unless_asked_for(tea):
    archived = tea._replace(status="archived")
    assert ask(archived, "green tea").hits == ()
    assert ask(archived, "green tea", include_archived=True).hits[0].labels == ("archived",)


def test_indexes_and_configuration_are_not_searched(tea):
    assert not {"_index.md", "config.md"} & set(paths(tea, "kettle master"))


def test_a_marked_sentence_is_not_found_and_its_page_says_so(home):
    pages = dict(PAGES)
    pages[GREEN] = pages[GREEN].replace("Two minutes", "<!--RETRACTED-SOURCE-->Umami rules. Two minutes")
    root = make(home / "marked", pages)
    assert paths(root, "umami") == []
    hit = ask(root, "green tea minutes").hits[0]
    assert hit.labels == ("retraction-pending",)
    assert "Umami" not in str(hit)


def test_see_also_and_sources_do_not_make_a_page_match(home):
    pages = dict(PAGES)
    pages[BLACK] += (
        "\n## See Also\n\n- [Matcha whisk](../concepts/matcha.md)\n\n## Sources\n\n- [Hojicha](../../raw/x.md)\n"
    )
    root = make(home / "tails", pages)
    assert paths(root, "matcha") == []
    assert paths(root, "hojicha") == []


def test_snippets_name_the_line_in_the_file(tea):
    hit = ask(tea, "two minutes").hits[0]
    lines = PAGES[hit.path].split("\n")
    assert hit.snippets
    assert all(lines[snippet.line - 1] == snippet.text for snippet in hit.snippets)


def test_a_long_line_is_cut_around_the_word(home):
    root = make(
        home / "long", {**PAGES, "wiki/concepts/l.md": article("L", "x " * 2000 + "needle " + "y " * 2000)}
    )
    snippet = ask(root, "needle").hits[0].snippets[0]
    assert "needle" in snippet.text
    assert len(snippet.text) <= 250


def test_ties_are_broken_by_path(home):
    twins = {f"wiki/concepts/{name}.md": article("Twin", "Same words.") for name in ("b", "a", "c")}
    root = make(home / "ties", {"_index.md": "# T\n", "config.md": "---\ntitle: T\n---\n", **twins})
    assert paths(root, "twin words") == [f"wiki/concepts/{name}.md" for name in "abc"]


def test_explain_says_what_a_score_is_made_of(tea):
    hit = ask(tea, "green tea", explain=True).hits[0]
    total = sum(hit.explain["shares"][name] * value for name, value in hit.explain["parts"].items())
    assert hit.score == pytest.approx(total, abs=1e-3)
    assert hit.explain["words"]["green"]["fields"]["title"] == 1
    assert ask(tea, "green tea").hits[0].explain == {}


def test_limit_bounds_the_hits(tea):
    assert len(paths(tea, "tea leaves water", limit=1)) == 1
    assert ask(tea, "tea", limit=0).hits == ()


def test_a_page_with_bad_bytes_or_no_front_matter_is_found_too(home):
    root = make(home / "bad")
    put(root.path, "wiki/concepts/latin.md", b"# Latin\n\nCaf\xe9 oolong\n")
    put(root.path, "wiki/concepts/broken.md", "---\ntitle: [\n---\n\n# Broken\n\nPu-erh.\n")
    assert paths(root, "oolong") == ["wiki/concepts/latin.md"]
    assert paths(root, "erh") == ["wiki/concepts/broken.md"]
