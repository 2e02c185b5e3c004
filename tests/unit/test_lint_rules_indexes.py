"""4xx: what an index must list, and what it lists in vain."""

import os

import lintkit as kit
import pytest
from lintkit import (
    GRADES,
    GREEN,
    IDEA,
    ITEM,
    MANIFEST,
    OXIDATION,
    REPORT,
    STUDY,
    WHY,
    edit,
    full,
    hub,
    one,
    read,
    sample,
    write,
)

CONCEPTS = "wiki/concepts/_index.md"


# --- W401 ----------------------------------------------------------------------------------


def test_an_index_that_is_not_utf8_is_one_warning_at_its_line(tmp_path):
    root = sample(tmp_path)
    path = root / CONCEPTS
    path.write_bytes(path.read_bytes().replace(b"Contents", b"Cont\xe9nts"))
    found = one(root, "W401")
    assert (found.severity, found.path, found.line) == ("warning", CONCEPTS, 5)


def test_an_index_that_cannot_be_read_is_w401_and_its_entries_are_not_missed(tmp_path):
    root = sample(tmp_path)
    (root / CONCEPTS).unlink()
    os.mkfifo(root / CONCEPTS)
    assert one(root, "W401").path == CONCEPTS


def test_the_master_index_of_bad_bytes_is_w401(tmp_path):
    root = sample(tmp_path)
    (root / "_index.md").write_bytes(b"# Tea \xff\n")
    assert one(root, "W401").path == "_index.md"


def test_the_index_of_a_hub_of_bad_bytes_is_w401(tmp_path):
    root = hub(tmp_path)
    (root / "_index.md").write_bytes(b"# Hub \xff\n")
    assert one(root, "W401").path == "_index.md"


# --- W402 ----------------------------------------------------------------------------------

REQUIRED = [
    ("wiki/concepts/_index.md", OXIDATION, "Required file entry is missing"),
    ("raw/papers/_index.md", STUDY, "Required file entry is missing"),
    ("raw/_index.md", "raw/notes/_index.md", "Required raw category pointer entry is missing"),
    ("wiki/_index.md", "wiki/theses/_index.md", "Required wiki category pointer entry is missing"),
    (
        "inventory/_index.md",
        "inventory/items/_index.md",
        "Required inventory navigation or record rollup entry is missing",
    ),
    ("inventory/_index.md", IDEA, "Required inventory navigation or record rollup entry is missing"),
    ("inventory/items/_index.md", ITEM, "Required file entry is missing"),
    ("datasets/_index.md", MANIFEST, "Required dataset manifest registry entry is missing"),
    (
        "datasets/auction-prices/_index.md",
        "datasets/auction-prices/samples/_index.md",
        "Required dataset manifest or navigation entry is missing",
    ),
    ("output/_index.md", REPORT, "Required output artifact or project entry is missing"),
    ("output/_index.md", WHY, "Required output artifact or project entry is missing"),
]


@pytest.mark.parametrize(("index", "entry", "message"), REQUIRED)
def test_an_entry_the_contract_requires_is_named_where_its_row_is_gone(tmp_path, index, entry, message):
    root = full(tmp_path)
    target = entry.removeprefix(index.removesuffix("_index.md"))
    lines = read(root, index).splitlines(keepends=True)
    kept = [line for line in lines if f"]({target})" not in line]
    assert len(kept) == len(lines) - 1
    write(root, index, "".join(kept))
    found = one(root, "W402")
    told = f"{message} from {index}"
    assert (found.path, found.message, found.target, found.fixable) == (entry, told, index, True)


def test_each_missing_entry_is_a_finding_of_its_own(tmp_path):
    root = sample(tmp_path)
    write(root, "wiki/_index.md", "# Wiki Articles\n")
    assert kit.ids(root) == ["W402"] * 4


def test_a_missing_index_is_not_also_a_missing_entry_or_a_dead_link(tmp_path):
    root = sample(tmp_path)
    (root / "wiki/theses/_index.md").unlink()
    one(root, "W106")


def test_a_folder_in_an_index_of_its_own_making_is_held_to_it(tmp_path):
    root = full(tmp_path)
    write(root, "output/projects/tea-almanac/_index.md", "# Tea Almanac Index\n")
    found = one(root, "W402")
    assert (found.path, found.message) == (
        WHY,
        "Required file entry is missing from output/projects/tea-almanac/_index.md",
    )


def test_nothing_is_required_of_indexes_in_hidden_folders(tmp_path):
    root = full(tmp_path)
    write(root, ".librarian/_index.md", "# R\n\n- [gone](gone.md)\n")
    write(root, "output/projects/.archive/old/_index.md", "# R\n\n- [gone](gone.md)\n")
    write(root, "output/projects/.archive/old/WHY.md", "")
    assert kit.ids(root) == []


def test_an_entry_linked_in_any_column_or_section_is_listed(tmp_path):
    root = sample(tmp_path)
    write(
        root,
        CONCEPTS,
        "# Concepts Index\n\n## Categories\n\n[How leaves brown][o]\n\n[o]: ./oxidation.md#findings\n",
    )
    assert kit.ids(root) == []


def test_a_file_that_lies_where_it_does_not_belong_is_not_asked_into_the_index(tmp_path):
    root = full(tmp_path)
    write(root, "datasets/auction-prices/notes.md", "x")
    one(root, "W305")


def test_a_misplaced_article_is_not_asked_into_the_index(tmp_path):
    root = sample(tmp_path)
    rel = "wiki/concepts/steam.md"
    kit.article(root, rel, "Steam", sources=[STUDY], see=[OXIDATION], category="topic")
    edit(root, OXIDATION, "## See Also\n", f"## See Also\n\n{kit.dual(OXIDATION, rel)}")
    edit(root, "_index.md", "- Articles: 4", "- Articles: 5")
    assert one(root, "W301").path == rel


# --- W403 ----------------------------------------------------------------------------------


def test_an_index_that_links_a_missing_page_is_w403(tmp_path):
    root = sample(tmp_path)
    write(root, CONCEPTS, read(root, CONCEPTS) + "| [Gone](gone.md) | s | a | 2026-01-01 |\n")
    found = one(root, "W403")
    assert (found.path, found.line, found.column, found.target) == (CONCEPTS, 10, 3, "gone.md")
    assert found.fixable


def test_a_dead_row_names_the_one_file_of_that_name(tmp_path):
    root = sample(tmp_path)
    write(root, CONCEPTS, read(root, CONCEPTS) + "| [Grades](tea-grades.md) | s | a | 2026-01-01 |\n")
    assert GRADES in one(root, "W403").message


@pytest.mark.parametrize(
    ("text", "fixable"),
    [
        ("- [Gone](gone.md)", True),
        ("See [gone](gone.md)", True),
        ("As [gone](gone.md) says, leaves brown.", True),
        ("As [a\nb](gone.md) says.", False),
    ],
)
def test_a_dead_link_is_fixable_where_a_merge_can_take_it_out(tmp_path, text, fixable):
    root = sample(tmp_path)
    write(root, CONCEPTS, f"{read(root, CONCEPTS)}\n{text}\n")
    assert one(root, "W403").fixable is fixable


def test_an_index_that_links_another_file_than_markdown_is_left_alone(tmp_path):
    root = sample(tmp_path)
    write(root, CONCEPTS, read(root, CONCEPTS) + "\n[table](gone.csv) [folder](gone/)\n")
    assert kit.ids(root, skip=["W504"]) == []


def test_a_row_for_a_file_that_was_renamed_in_case_is_w506(tmp_path):
    root = sample(tmp_path)
    edit(root, CONCEPTS, "(oxidation.md)", "(Oxidation.md)")
    assert one(root, "W506").path == CONCEPTS


# --- W408 ----------------------------------------------------------------------------------


def test_a_dead_link_in_the_master_index_is_an_info(tmp_path):
    root = sample(tmp_path)
    write(root, "_index.md", read(root, "_index.md") + "- [Inventory](inventory/_index.md)\n")
    found = one(root, "W408")
    assert (found.severity, found.path, found.target) == ("info", "_index.md", "inventory/_index.md")


def test_a_dead_link_in_the_index_of_a_hub_is_an_info(tmp_path):
    root = hub(tmp_path)
    write(root, "_index.md", read(root, "_index.md") + "\n[Old](topics/old/_index.md)\n")
    found = one(root, "W408")
    assert (found.severity, found.path, found.target) == ("info", "_index.md", "topics/old/_index.md")


def test_a_hub_index_may_link_into_its_topics_and_to_other_places(tmp_path):
    root = hub(tmp_path)
    links = "[a](topics/tea/wiki/concepts/oxidation.md) [b](topics/tea) [c](../x.md) [d](.sessions/x.md)"
    write(root, "_index.md", read(root, "_index.md") + f"\n{links}\n")
    assert kit.ids(root) == []


def test_the_master_index_may_link_what_is_there(tmp_path):
    root = sample(tmp_path)
    write(root, "_index.md", read(root, "_index.md") + f"- [Green]({GREEN}) [w](wiki/) [l](/log.md)\n")
    assert kit.ids(root) == []


# --- W404, W405 ----------------------------------------------------------------------------

STATISTICS = [
    ("_index.md", "- Articles: 4", "- Articles: 9"),
    ("raw/_index.md", "- Total sources: 3", "- Total sources: 30"),
    ("inventory/_index.md", "- Total records: 2", "- Total records: 3"),
    ("inventory/_index.md", "- Active: 2", "- Active: 1"),
    ("datasets/_index.md", "- Datasets: 1", "- Datasets: 0"),
]


@pytest.mark.parametrize(("rel", "right", "wrong"), STATISTICS)
def test_a_statistic_that_differs_from_the_count_is_an_info(tmp_path, rel, right, wrong):
    root = full(tmp_path)
    edit(root, rel, right, wrong)
    found = one(root, "W404")
    assert (found.severity, found.path, found.fixable) == ("info", rel, True)
    assert read(root, rel).splitlines()[found.line - 1] == wrong


@pytest.mark.parametrize("name", ["Last compiled", "Last lint"])
def test_a_last_run_that_is_no_date_is_an_info(tmp_path, name):
    root = sample(tmp_path)
    edit(root, "_index.md", f"- {name}: 2026-01-09", f"- {name}: yesterday")
    found = one(root, "W405")
    assert (found.severity, found.path, found.target, found.fixable) == ("info", "_index.md", name, False)


def test_a_topic_that_was_never_linted_may_say_so(tmp_path):
    root = sample(tmp_path)
    edit(root, "_index.md", "- Last lint: 2026-01-09", "- Last lint: never")
    assert kit.ids(root) == []


# --- W406 ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rel", "start"),
    [
        (CONCEPTS, "| [Oxidation]"),
        (CONCEPTS, "Last updated"),
        ("_index.md", "- Sources"),
        ("raw/_index.md", "- Last updated"),
        ("inventory/_index.md", "- [Items]"),
        ("raw/_index.md", "See [data/"),
    ],
)
def test_a_line_that_stands_there_twice_is_an_info(tmp_path, rel, start):
    root = full(tmp_path)
    lines = read(root, rel).splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines) if line.startswith(start))
    write(root, rel, "".join([*lines[: place + 1], *lines[place:]]))
    found = one(root, "W406")
    assert (found.severity, found.path, found.fixable) == ("info", rel, True)


# --- W407, W603 ----------------------------------------------------------------------------

CELLS = [
    (CONCEPTS, "[Oxidation]", "[Browning]", OXIDATION),
    (CONCEPTS, "What is known about Oxidation.", "Something else.", OXIDATION),
    (CONCEPTS, "| 2026-01-08 |", "| 2026-01-07 |", OXIDATION),
    ("inventory/items/_index.md", "| p2 |", "| p1 |", ITEM),
    ("datasets/_index.md", "| 12345 |", "| unknown |", MANIFEST),
    ("output/_index.md", "| report |", "| summary |", REPORT),
    ("output/_index.md", "[Tea Almanac]", "[Almanac]", WHY),
]


@pytest.mark.parametrize(("rel", "right", "wrong", "entry"), CELLS)
def test_a_cell_that_differs_from_front_matter_is_an_info(tmp_path, rel, right, wrong, entry):
    root = full(tmp_path)
    edit(root, rel, right, wrong)
    found = one(root, "W407")
    assert (found.severity, found.path, found.target, found.fixable) == ("info", rel, entry, True)
    assert read(root, rel).splitlines()[found.line - 1].startswith("| [")


def test_tags_that_differ_from_the_index_row_are_an_info_of_their_own(tmp_path):
    root = sample(tmp_path)
    edit(root, OXIDATION, "tags: [oxidation]", "tags: [oxidation, leaf]")
    found = one(root, "W603")
    assert (found.severity, found.path, found.target, found.fixable) == ("info", CONCEPTS, OXIDATION, True)
    said = f'Column Tags differs: the index says "oxidation", {OXIDATION} says "oxidation, leaf"'
    assert found.message == said


@pytest.mark.parametrize(
    ("rel", "old", "new", "cell", "shown"),
    [
        (OXIDATION, "tags: [oxidation]", "tags: [leaf, oxidation]", "| oxidation |", "| oxidation, leaf |"),
        (OXIDATION, "tags: [oxidation]", "tags: [leaf, oxidation]", "| oxidation |", "| oxidation,leaf |"),
        (MANIFEST, "formats: [csv]", "formats: [csv, json]", "| csv |", "| json, csv |"),
    ],
)
def test_the_order_of_words_in_a_cell_says_nothing(tmp_path, rel, old, new, cell, shown):
    root = full(tmp_path)
    edit(root, rel, old, new)
    edit(root, "datasets/_index.md" if rel == MANIFEST else CONCEPTS, cell, shown)
    assert kit.ids(root) == []


def test_an_empty_cell_is_said_to_say_nothing(tmp_path):
    root = sample(tmp_path)
    edit(root, CONCEPTS, "| What is known about Oxidation. |", "|  |")
    assert "the index says nothing, " in one(root, "W407").message


def test_a_cell_is_compared_as_plain_text(tmp_path):
    root = sample(tmp_path)
    field = 'title: "a | b ] c"'
    edit(root, OXIDATION, "title: Oxidation", field)
    kit.reindex(root)
    assert r"[a \| b \] c]" in read(root, CONCEPTS)
    assert kit.ids(root) == []


def test_a_field_that_has_a_finding_proves_nothing_against_the_index(tmp_path):
    root = full(tmp_path)
    edit(root, ITEM, "priority: p2", "priority: urgent")
    one(root, "W202")
    edit(root, ITEM, "priority: urgent", "priority: p2")
    edit(root, ITEM, "updated: 2026-01-08", "updated: someday")
    one(root, "W206")


def test_a_table_with_other_columns_is_compared_where_it_has_the_standard_ones(tmp_path):
    root = sample(tmp_path)
    table = "| Date | Title | Quality | Tags |\n|---|---|---|---|\n"
    write(
        root, CONCEPTS, f"# Concepts\n\n{table}| 2026-01-08 | [Oxidation](oxidation.md) | A | oxidation |\n"
    )
    assert kit.ids(root) == []
    edit(root, CONCEPTS, "| A | oxidation |", "| B | leaf |")
    one(root, "W603")
