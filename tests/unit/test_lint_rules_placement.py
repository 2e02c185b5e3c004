"""3xx: misplaced documents, unexpected and colliding names give exactly their one finding."""

import sys
import unicodedata

import pytest
from lintkit import (
    GRADES,
    GREEN,
    HARVEST,
    IDEA,
    ITEM,
    MANIFEST,
    OXIDATION,
    STUDY,
    THESIS,
    drop,
    edit,
    field,
    findings,
    full,
    ids,
    manifest,
    move,
    one,
    raw,
    read,
    reindex,
    sample,
    write,
)

case_sensitive = pytest.mark.skipif(sys.platform == "darwin", reason="the file system folds names")


def only(root, *rules):
    """Findings of these families, as (rule, path, target, fixable)."""
    return [(item.rule, item.path, item.target, item.fixable) for item in findings(root, only=rules)]


# --- W301, W302 ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rel", "key", "value", "to"),
    [
        (HARVEST, "type", "papers", "raw/papers/2026-01-02-tea-harvest.md"),
        (GREEN, "category", "concept", "wiki/concepts/green-tea.md"),
        (GREEN, "type", "thesis", "wiki/theses/green-tea.md"),
        (IDEA, "kind", "entity", "inventory/entities/tea-almanac.md"),
        (ITEM, "kind", "question", "inventory/candidates/cast-iron-kettle.md"),
    ],
)
def test_a_document_in_another_folder_than_it_demands_is_one_w301(tmp_path, rel, key, value, to):
    root = full(tmp_path)
    field(root, rel, key, value)
    reindex(root)
    found = one(root, "W301")
    assert (found.severity, found.path, found.target, found.fixable) == ("critical", rel, to, True)
    assert found.message.startswith("File is in the wrong directory")
    assert read(root, rel).split("\n")[found.line - 1] == f"{key}: {value}"


def test_an_article_among_the_theses_is_one_w301(tmp_path):
    root = sample(tmp_path)
    edit(root, THESIS, "type: thesis", "category: concept")
    reindex(root)
    assert one(root, "W301").target == "wiki/concepts/shade-growing.md"


def test_a_thesis_keeps_its_folder_whatever_category_it_names(tmp_path):
    root = sample(tmp_path)
    field(root, THESIS, "category", "concept")
    reindex(root)
    assert ids(root) == []


@pytest.mark.parametrize("to", ["raw/2026-01-02-tea-harvest.md", "raw/misc/2026-01-02-tea-harvest.md"])
def test_a_source_outside_the_leaf_folders_is_w301_and_not_unexpected(tmp_path, to):
    root = sample(tmp_path)
    move(root, HARVEST, to)
    found = [item for item in only(root, "W3") if item[0] != "W306"]
    assert found == [("W301", to, HARVEST, True)]


@pytest.mark.parametrize(
    ("rel", "to"),
    [
        (OXIDATION, "wiki/oxidation.md"),
        (OXIDATION, "wiki/concepts/old/oxidation.md"),
        (IDEA, "inventory/tea-almanac.md"),
    ],
)
def test_a_document_a_level_too_high_or_deep_is_w301(tmp_path, rel, to):
    root = full(tmp_path)
    move(root, rel, to)
    found = [item for item in only(root, "W1", "W2", "W3") if item[0] != "W306"]
    assert found == [("W301", to, rel, True)]


def test_a_difference_in_case_is_no_other_folder(tmp_path):
    root = sample(tmp_path)
    field(root, GREEN, "category", "Topic")
    reindex(root)
    assert ids(root) == ["W202"]


def test_a_misplaced_file_whose_destination_exists_is_one_w302(tmp_path):
    root = sample(tmp_path)
    taken = HARVEST.replace("articles", "papers")
    raw(root, taken, "Tea Harvest Again")
    field(root, GREEN, "sources", f"\n  - {HARVEST}\n  - {STUDY}\n  - {taken}")
    field(root, HARVEST, "type", "papers")
    reindex(root)
    found = one(root, "W302")
    assert (found.severity, found.path, found.target) == ("critical", HARVEST, taken)
    assert not found.fixable


@case_sensitive
def test_a_destination_that_differs_in_case_alone_exists(tmp_path):
    root = sample(tmp_path)
    text = read(root, OXIDATION).replace("category: concept", "category: reference")
    write(root, "wiki/references/Oxidation.md", text)
    field(root, OXIDATION, "category", "reference")
    assert [item[0] for item in only(root, "W301", "W302")] == ["W302"]


# --- W303, W309 ------------------------------------------------------------------------------


def test_a_dataset_id_other_than_its_folder_is_w303(tmp_path):
    root = full(tmp_path)
    field(root, MANIFEST, "dataset_id", "prices")
    found = one(root, "W303")
    assert (found.severity, found.path, found.target) == ("warning", MANIFEST, "prices")


def test_a_dataset_id_in_another_unicode_form_is_the_same(tmp_path):
    root = sample(tmp_path)
    name = unicodedata.normalize("NFD", "café")
    manifest(root, f"datasets/{name}/MANIFEST.md", dataset_id="café")
    reindex(root)
    assert ids(root, only=["W3"]) == []


def test_a_dataset_folder_without_manifest_is_w309(tmp_path):
    root = full(tmp_path)
    (root / "datasets/lost").mkdir()
    found = one(root, "W309")
    assert (found.severity, found.path) == ("warning", "datasets/lost")


# --- W304, W305, W306 --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["notes.txt", "draft.md", ".env", "Makefile", "package.json"])
def test_an_unexpected_file_at_the_root_is_w304(tmp_path, name):
    root = sample(tmp_path)
    write(root, name, "x")
    found = one(root, "W304")
    assert (found.severity, found.path, found.fixable) == ("warning", name, True)


@pytest.mark.parametrize(
    "rel",
    [
        "raw/notes.txt",
        "wiki/draft.md",
        "inventory/list.csv",
        "datasets/readme.md",
        "datasets/auction-prices/prices.csv",
        "datasets/auction-prices/notes.md",
        "datasets/auction-prices/samples/head.csv",
        "raw/articles/page.html",
        "wiki/concepts/unused.png",
        "inventory/items/list.csv",
    ],
)
def test_an_unexpected_file_in_a_managed_folder_is_w305(tmp_path, rel):
    root = full(tmp_path)
    write(root, rel, "x")
    found = one(root, "W305", besides=["W402"])
    assert (found.severity, found.path, found.fixable) == ("warning", rel, True)


@pytest.mark.parametrize(
    "rel", ["output/report.docx", "output/code/main.py", "inbox/any.thing", "inbox/a/b.md"]
)
def test_output_and_inbox_take_any_file(tmp_path, rel):
    root = sample(tmp_path)
    write(root, rel, "x")
    assert ids(root, only=["W3"]) == []


def test_a_loose_file_with_broken_front_matter_waits_for_its_repair(tmp_path):
    root = sample(tmp_path)
    write(root, "wiki/draft.md", "---\ntitle: {a\n---\n\n# Draft\n")
    assert one(root, "W114").path == "wiki/draft.md"


def test_a_symlink_is_never_moved(tmp_path):
    root = sample(tmp_path)
    (root / "copy.md").symlink_to(root / GREEN)
    found = one(root, "W304")
    assert not found.fixable


def test_a_linked_file_stays_where_it_is(tmp_path):
    root = sample(tmp_path)
    write(root, "draft.md", "# Draft\n")
    edit(root, GREEN, "Prose.", "See the [draft](../../draft.md).")
    assert not one(root, "W304").fixable


@pytest.mark.parametrize(
    "rel",
    [
        "src",
        "raw/videos",
        "wiki/misc",
        "inventory/archive",
        "datasets/auction-prices/raw",
        "wiki/concepts/old",
    ],
)
def test_an_unexpected_folder_is_one_w306_whatever_it_holds(tmp_path, rel):
    root = full(tmp_path)
    write(root, f"{rel}/deep/er/file.txt", "x")
    write(root, f"{rel}/page.md", "# No front matter\n")
    found = one(root, "W306")
    assert (found.severity, found.path, found.fixable) == ("warning", rel, False)


@pytest.mark.parametrize("pattern", ["scratch", "scra*", "wiki/scratch"])
def test_names_in_the_ignore_list_are_tolerated(tmp_path, pattern):
    root = full(tmp_path)
    field(root, "config.md", "ignore", f'["{pattern}", "*.bak", "lost"]')
    write(root, "wiki/scratch/x.md", "x")
    write(root, "wiki/concepts/x.bak", "x")
    (root / "datasets/lost").mkdir()
    assert ids(root) == []


# --- W307, W308 ------------------------------------------------------------------------------


@case_sensitive
def test_two_names_that_differ_in_case_are_one_w307(tmp_path):
    root = sample(tmp_path)
    write(root, "output/Chart.txt", "1")
    write(root, "output/chart.txt", "2")
    found = one(root, "W307")
    assert (found.severity, found.path, found.target) == ("warning", "output/chart.txt", "Chart.txt")


@case_sensitive
def test_two_names_that_differ_in_composition_are_one_w307(tmp_path):
    root = sample(tmp_path)
    for form in ("NFC", "NFD"):
        write(root, f"output/{unicodedata.normalize(form, 'thé.txt')}", form)
    assert one(root, "W307").severity == "warning"


@pytest.mark.parametrize(
    "name",
    [
        "Green Tea.md",
        "green_tea.md",
        "GREEN.md",
        "green.tea.md",
        "tea!.md",
        "-tea.md",
        "x" * 70 + ".md",
        "tea.MD",
    ],
)
def test_a_name_outside_the_convention_is_one_info(tmp_path, name):
    root = sample(tmp_path)
    move(root, GRADES, f"wiki/references/{name}")
    for rel in (GREEN,):
        edit(root, rel, "[[tea-grades|", f"[[{name[:-3]}|")
        edit(root, rel, "(../references/tea-grades.md)", f"(<../references/{name}>)")
    reindex(root)
    found = one(root, "W308")
    assert (found.severity, found.path) == ("info", f"wiki/references/{name}")


@pytest.mark.parametrize("stem", ["日本語メモ", "тест", "हिंदी", "café", "a1-b2", "2026-x"])
def test_letters_of_any_script_are_within_the_convention(tmp_path, stem):
    root = sample(tmp_path)
    write(root, f"wiki/references/{stem}.md", read(root, GRADES))
    assert ids(root, only=["W308"]) == []


def test_a_source_without_date_is_outside_the_convention(tmp_path):
    root = sample(tmp_path)
    write(root, "raw/notes/tasting.md", read(root, HARVEST))
    found = findings(root, only=["W308"])
    assert [item.path for item in found] == ["raw/notes/tasting.md"]


def test_members_of_projects_may_have_any_name(tmp_path):
    root = full(tmp_path)
    write(root, "output/projects/tea-almanac/My Draft v2.md", "# Draft\n")
    assert ids(root) == []


def test_a_stray_without_its_field_is_not_also_missing_it(tmp_path):
    root = sample(tmp_path)
    write(root, "wiki/green.md", read(root, GREEN))
    drop(root, "wiki/green.md", "category")
    assert only(root, "W1", "W2", "W3", "W7") == [("W305", "wiki/green.md", "", True)]
