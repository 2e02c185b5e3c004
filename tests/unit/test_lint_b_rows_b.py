"""The reproduced faults of `lint.md` §6 about indexes, links, sources, projects and hubs, one test a row.

Each wiki is the sample with the change of the row; what is asserted is the column "Right".
"""

import json
import unicodedata

import lintkit as kit
import pytest
from lintkit import (
    GREEN,
    HARVEST,
    ITEM,
    MANIFEST,
    OXIDATION,
    REPORT,
    STUDY,
    drop,
    edit,
    field,
    full,
    hub,
    move,
    one,
    raw,
    read,
    reindex,
    sample,
    write,
)

CONCEPTS = "wiki/concepts/_index.md"
COVERAGE = "wiki/references/uncompiled-source-coverage.md"


def add(root, rel, text):
    write(root, rel, f"{read(root, rel)}\n{text}\n")


def cite(root, rel, *references):
    field(root, rel, "sources", "".join(f"\n  - {reference}" for reference in references))


# --- B2 ------------------------------------------------------------------------------------

DELETED = [
    ("raw/papers/2024-05-05-attention.md", "raw/papers/2026-01-01-attention-survey-deleted.md"),
    ("raw/notes/日本語メモ.md", "raw/papers/2026-01-01-long-deleted-slug.md"),
    ("raw/notes/2026-01-02-検索.md", "raw/notes/2026-01-02-削除済み.md"),
    ("raw/papers/2026-01-01-attention-survey.md", "raw/papers/attention.md"),
]


@pytest.mark.parametrize(("there", "cited"), DELETED)
def test_b02_a_deleted_source_is_dangling_however_alike_another_name_is(tmp_path, there, cited):
    root = sample(tmp_path)
    raw(root, there, "Another")
    cite(root, OXIDATION, STUDY, cited)
    cite(root, GREEN, HARVEST, STUDY, there)
    reindex(root)
    found = one(root, "W513", besides=["W308"])
    assert (found.target, found.fixable) == (cited, False)


def test_b02_a_bare_slug_of_two_words_still_finds_its_source(tmp_path):
    root = sample(tmp_path)
    cite(root, OXIDATION, "leaf-oxidation")
    assert STUDY in one(root, "W517").message


# --- B9 ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "target", ["./my%20leaf.md", "my%20leaf.md", "<my leaf.md>", "../concepts/my%20leaf.md"]
)
def test_b09_an_index_link_is_resolved_before_it_is_compared(tmp_path, target):
    root = sample(tmp_path)
    move(root, OXIDATION, "wiki/concepts/my leaf.md")
    text = read(root, GREEN).replace("oxidation.md", "my%20leaf.md").replace("[[oxidation", "[[my leaf")
    write(root, GREEN, text)
    reindex(root)
    edit(root, CONCEPTS, "<my leaf.md>", target)
    assert kit.ids(root, skip=["W308"]) == []


def test_b09_an_entry_inside_a_code_block_is_not_listed(tmp_path):
    root = sample(tmp_path)
    write(root, CONCEPTS, "# Concepts Index\n\n```\n[Oxidation](oxidation.md)\n```\n")
    assert one(root, "W402").path == OXIDATION


# --- B16 -----------------------------------------------------------------------------------


def backlog(root, *sources):
    rows = "".join(f"| [{source}](../../{source}) |\n" for source in sources)
    kit.article(root, COVERAGE, "Uncompiled Source Coverage", sources=sources, see=[])
    edit(root, COVERAGE, "## Sources", f"| Source |\n|---|\n{rows}\n## Sources")
    reindex(root)


def test_b16_the_backlog_page_does_not_silence_coverage(tmp_path):
    root = sample(tmp_path)
    for name in ("a", "b"):
        raw(root, f"raw/notes/2026-01-05-{name}.md", name)
    backlog(root, "raw/notes/2026-01-05-a.md")
    assert kit.ids(root) == ["W611", "W612"]


def test_b16_a_source_that_is_cited_properly_needs_no_row_any_more(tmp_path):
    root = sample(tmp_path)
    backlog(root, STUDY)
    assert kit.ids(root) == []


def test_b16_the_backlog_page_of_a_deleted_source_claims_no_source_of_its_own(tmp_path):
    root = sample(tmp_path)
    backlog(root, STUDY)
    drop(root, COVERAGE, "sources")
    assert kit.ids(root) == []
    cite(root, COVERAGE, "raw/notes/2026-01-05-deleted.md")
    assert kit.ids(root) == []


# --- B20 to B24 ----------------------------------------------------------------------------

EXAMPLES = [
    "```markdown\n[x](y.md)\n![x](y.png)\n[[y]]\n```",
    "    [x](y.md)",
    "`[x](y.md)` and `[[y]]`",
    "<!-- [x](y.md) -->",
    "<!--\n\n[x](y.md)\n\n[[y]]\n-->",
    r"\[x\](y.md) and \[\[y\]\]",
]


@pytest.mark.parametrize("text", EXAMPLES)
def test_b20_an_example_link_is_no_link(tmp_path, text):
    root = sample(tmp_path)
    add(root, OXIDATION, "Like this:\n\n" + text)
    assert kit.ids(root) == []


LOST = [
    (OXIDATION, '[x](gone.md "title")', "W501"),
    (OXIDATION, "[x](gone.md?plain=1)", "W501"),
    (OXIDATION, "[x](gone(1).md)", "W501"),
    (OXIDATION, '<a href="gone.md">x</a>', "W501"),
    (OXIDATION, "[x][gone]\n\n[gone]: gone.md", "W501"),
    (OXIDATION, "[a wrapped\nlink](gone.md)", "W501"),
    (OXIDATION, "[x](gone.MD)", "W501"),
    (ITEM, "[x](gone.md)", "W501"),
    (REPORT, "[x](gone.md)", "W502"),
    (MANIFEST, "[x](gone.md)", "W502"),
    (OXIDATION, "[[gone]]", "W503"),
    (OXIDATION, "![[gone]]", "W503"),
    (OXIDATION, "![x](gone.png)", "W504"),
    (OXIDATION, "[x](../topics/green-tea.md#gone)", "W505"),
    ("_index.md", "- [x](wiki/concepts/gone.md)", "W408"),
]


@pytest.mark.parametrize(("rel", "text", "rule"), LOST)
def test_b21_a_missing_target_is_found_in_every_form_and_place(tmp_path, rel, text, rule):
    root = full(tmp_path)
    add(root, rel, text)
    assert one(root, rule).path == rel


@pytest.mark.parametrize(
    "target", ["Title%20Cased.md", "<Title Cased.md>", "/wiki/concepts/Title%20Cased.md"]
)
def test_b22_an_existing_target_is_found_decoded_and_from_the_root(tmp_path, target):
    root = sample(tmp_path)
    rel = "wiki/concepts/Title Cased.md"
    kit.article(root, rel, "Title Cased", sources=[STUDY], see=[OXIDATION], tags=["leaf"])
    edit(root, OXIDATION, "## See Also\n", f"## See Also\n\n- [Title]({target})")
    reindex(root)
    assert kit.ids(root, skip=["W308"]) == []


def test_b23_a_long_line_of_half_links_is_read_in_linear_time_and_hides_nothing(tmp_path):
    root = sample(tmp_path)
    add(root, OXIDATION, "](" * 10_000 + "\n\n[x](gone.md)")
    one(root, "W501")


def test_b23_a_line_beyond_the_limit_is_reported_and_not_scanned(tmp_path):
    root = sample(tmp_path)
    add(root, OXIDATION, "[x](gone.md)" * 20_000)
    one(root, "W117")


@pytest.mark.parametrize(("file", "link"), [("NFD", "NFC"), ("NFC", "NFD")])
def test_b24_names_in_two_unicode_forms_are_one_warning_about_the_spelling(tmp_path, file, link):
    root = sample(tmp_path)
    name = unicodedata.normalize(file, "thé-vert")
    kit.article(root, f"wiki/concepts/{name}.md", "Thé", sources=[STUDY], see=[OXIDATION])
    edit(
        root,
        OXIDATION,
        "## See Also\n",
        f"## See Also\n\n- [Thé]({unicodedata.normalize(link, 'thé-vert')}.md)",
    )
    reindex(root)
    found = one(root, "W506", besides=["W308"])
    assert (found.path, found.fixable) == (OXIDATION, True)


@pytest.mark.parametrize(("file", "reference"), [("NFD", "NFC"), ("NFC", "NFD")])
def test_b24_a_source_in_another_unicode_form_is_one_warning(tmp_path, file, reference):
    root = sample(tmp_path)
    rel = "raw/notes/2026-01-05-thé.md"
    raw(root, unicodedata.normalize(file, rel), "Thé")
    cite(root, OXIDATION, STUDY, unicodedata.normalize(reference, rel))
    reindex(root)
    assert one(root, "W506", besides=["W308"]).path == OXIDATION


def test_b24_a_link_to_one_of_two_twins_is_not_reported_beside_them(tmp_path):
    root = sample(tmp_path)
    write(root, "wiki/concepts/Oxidation.md", read(root, OXIDATION))
    reindex(root)
    if len(list((root / "wiki/concepts").iterdir())) < 3:
        pytest.skip("this file system does not tell names apart by case")
    assert "W307" in kit.ids(root)
    assert "W506" not in kit.ids(root)


# --- B26, B28 ------------------------------------------------------------------------------


def test_b26_the_archive_of_projects_is_no_project(tmp_path):
    root = full(tmp_path)
    write(root, "output/projects/.archive/old/WHY.md", "")
    assert kit.ids(root) == []


def test_b28_size_and_records_are_read_from_the_manifest(tmp_path):
    root = full(tmp_path)
    assert "| 12345 | 200 |" in read(root, "datasets/_index.md")
    assert kit.ids(root) == []


def test_b28_a_data_set_without_manifest_is_seen(tmp_path):
    root = full(tmp_path)
    write(root, "datasets/empty/_index.md", "# Empty Index\n")
    assert kit.ids(root) == ["W309"]


# --- B30, B31 ------------------------------------------------------------------------------


def registered(root, slug, **entry):
    data = json.loads(read(root, "wikis.json"))
    data["wikis"][slug] = entry
    write(root, "wikis.json", json.dumps(data, indent=2) + "\n")


def test_b30_a_registered_topic_that_was_deleted_is_w907(tmp_path):
    root = hub(tmp_path)
    registered(root, "gone", path="topics/gone")
    one(root, "W907")


def test_b30_a_topic_that_is_not_registered_is_w908(tmp_path):
    root = hub(tmp_path)
    sample(root / "topics", "coffee")
    one(root, "W908")


def test_b30_a_status_against_the_location_is_w909(tmp_path):
    root = hub(tmp_path)
    registered(root, "tea", path="topics/tea", status="archived")
    one(root, "W909")


def test_b30_a_slug_in_both_places_is_w910(tmp_path):
    root = hub(tmp_path)
    sample(root / "topics/.archive", "tea")
    one(root, "W910")


def test_b31_a_topic_as_default_is_legal(tmp_path):
    root = hub(tmp_path)
    edit(root, "wikis.json", '"default": "<HUB>"', '"default": "tea"')
    assert kit.ids(root) == []


# --- B38 -----------------------------------------------------------------------------------


def test_b38_a_marker_is_found_in_an_article_without_sources(tmp_path):
    root = sample(tmp_path)
    drop(root, OXIDATION, "sources")
    add(root, OXIDATION, "<!--RETRACTED-SOURCE-->Leaves brown in the air.")
    assert kit.ids(root) == ["W511", "W516"]


def test_b38_the_name_of_the_marker_in_inline_code_is_none(tmp_path):
    root = sample(tmp_path)
    add(root, OXIDATION, "Sentences marked `<!--RETRACTED-SOURCE-->` need a decision.")
    assert kit.ids(root) == []
