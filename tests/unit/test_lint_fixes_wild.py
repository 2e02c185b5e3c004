"""Wikis damaged in up to twelve ways at once owe what every run of `lint --fix` owes, byte by byte.

A fixed sample runs here; `make fuzz-fixes` tries hundreds more (`tests/fixkit_fuzz.py FIRST COUNT`).
What ever failed keeps its number in `FAILED`, and a small test of its own below.
"""

import json
import shutil

import pytest
from fixkit import fix, home  # noqa: F401 -- home is a fixture
from fixkit_fuzz import DENSE, built
from fixkit_owed import owed
from lintkit import GRADES, GREEN, IDEA, ITEM, TASTING, edit, field, findings, full, hub, move, read, write
from program import CHECKOUT

pytestmark = pytest.mark.usefixtures("home")

FAILED = (
    11,
    18,
    27,
    53,
    71,
    148,
    225,
    315,
    545,
    585,
    1010,
    100066,
    200195,
    1000085,
    1000099,
    1000239,
    3000122,
    3100047,
)
SAMPLE = (*range(1000, 1016), *range(DENSE, DENSE + 16))


@pytest.mark.parametrize("seed", [*FAILED, *SAMPLE])
def test_a_wild_wiki_is_repaired_and_no_other_byte_changes(tmp_path, seed):
    wiki = built(tmp_path, seed)
    try:
        owed(wiki.root, status=wiki.status, **wiki.asked)
    except AssertionError as error:
        error.add_note(f"{wiki}")
        raise


@pytest.mark.parametrize("name", ["example", "broken"])
@pytest.mark.parametrize("inside", ["", "topics/agent-memory"])
def test_the_example_hubs_owe_the_same(tmp_path, name, inside):
    shutil.copytree(CHECKOUT / "wikis" / name, tmp_path / name)
    owed(tmp_path / name / inside)


# --- what once failed ------------------------------------------------------------------------


def test_undo_takes_away_the_line_end_that_an_added_line_needed(tmp_path):
    root = full(tmp_path)
    write(root, "inbox/.unknown/.manifest.jsonl", '{"from": "x"}')
    write(root, "notes.txt", "x\n")
    owed(root)


def test_an_index_that_a_move_made_is_listed_although_its_rule_is_skipped(tmp_path):
    root = full(tmp_path)
    field(root, IDEA, "kind", "entity")
    report = owed(root, skip=("W1",))
    assert "inventory/entities/_index.md" in {change.path for change in report.changes}
    assert "(entities/_index.md)" in read(root, "inventory/_index.md")


def test_a_row_of_a_hub_is_called_repairable_only_if_it_goes(tmp_path):
    root = hub(tmp_path)
    (root / "topics/.archive").mkdir()
    move(root, "topics/tea", "topics/.archive/tea")
    registry = json.loads(read(root, "wikis.json"))
    registry["wikis"]["tea"]["path"] = "topics/Tea"
    registry["wikis"]["other"] = {"path": 5}
    write(root, "wikis.json", json.dumps(registry, indent=2) + "\n")
    owed(root)


def test_a_wikilink_by_the_name_of_a_migrated_project_file_follows_it(tmp_path):
    root = full(tmp_path)
    folder = "output/projects/map"
    write(
        root,
        f"{folder}/_project.md",
        "---\ntitle: Map\ngoal: Find gardens.\naliases: [Chart]\n---\n\n# Map\n",
    )
    edit(root, GREEN, "Prose.", "See [[_project|the map]], [[Chart]] and [[_project#map]].")
    owed(root, only=("W804",))
    assert "[[projects/map/WHY|the map]], [[projects/map/WHY]] and [[projects/map/WHY#map]]" in read(
        root, GREEN
    )


def test_of_two_documents_for_one_place_only_one_is_called_repairable(tmp_path):
    root = full(tmp_path)
    text = read(root, GRADES).replace("category: reference", "category: concept")
    write(root, "wiki/topics/infusion.md", text)
    write(root, "wiki/references/infusion.md", text)
    found = {one.path: one.fixable for one in findings(root) if one.rule == "W301"}
    assert found == {"wiki/references/infusion.md": True, "wiki/topics/infusion.md": False}
    owed(root)


@pytest.mark.parametrize("line", ["? a", "&x a: b", '"q": {a: b}'])
def test_front_matter_that_cannot_be_edited_is_not_called_repairable(tmp_path, line):
    root = full(tmp_path)
    field(root, GREEN, "tags", "green-tea, leaf")
    edit(root, GREEN, "title: Green Tea\n", f"{line}\ntitle: Green Tea\n")
    owed(root)


def test_a_link_by_other_case_follows_a_move_although_its_rule_is_skipped(tmp_path):
    root = full(tmp_path)
    edit(root, GREEN, "Prose.", "See [grades](../references/Tea-Grades.md#findings).")
    field(root, GRADES, "category", "topic")
    owed(root, only=("W3",))
    assert "[grades](tea-grades.md#findings)" in read(root, GREEN)


@pytest.mark.parametrize("rule", ["W508", "W804"])
def test_a_repair_that_must_be_asked_for_is_called_one_where_it_is(tmp_path, rule):
    root = full(tmp_path)
    move(root, "output/projects/tea-almanac/WHY.md", "output/projects/tea-almanac/_project.md")
    text = read(root, GRADES).split("\n")
    write(root, GRADES, "\n".join(line for line in text if "[[green-tea" not in line))
    assert not [one for one in findings(root) if one.rule == rule and one.fixable]
    assert [one for one in findings(root, only=(rule,)) if one.fixable]
    owed(root, only=(rule,))
    assert not [one for one in fix(root, only=(rule,)).findings if one.rule == rule]


@pytest.mark.parametrize("above", ["<div>", "<pre>", "- a list", "> a quote"])
def test_rows_are_not_added_to_what_only_looks_like_a_table(tmp_path, above):
    root = full(tmp_path)
    write(root, "wiki/concepts/_index.md", f"## Contents\n{above}\n| File |\n|---|")
    assert [one.fixable for one in findings(root) if one.rule == "W402"] == [True]
    owed(root)
    assert not [one for one in findings(root) if one.rule == "W402"]


def test_an_index_without_last_line_end_has_none_when_its_last_row_goes(tmp_path):
    root = full(tmp_path)
    text = read(root, "wiki/concepts/_index.md")
    write(root, "wiki/concepts/_index.md", text + "| [Gone](gone.md) | x | y | 2026-01-01 |")
    owed(root)
    assert read(root, "wiki/concepts/_index.md").endswith("2026-01-08 |")


def test_a_page_in_a_folder_that_differs_in_case_alone_is_left_to_a_person(tmp_path):
    root = full(tmp_path)
    move(root, GREEN, "wiki/Topics/green-tea.md")
    assert [one.fixable for one in findings(root) if one.rule == "W301"] == [False]
    owed(root)


def test_of_names_that_differ_in_case_a_wikilink_follows_the_one_it_writes(tmp_path):
    root = full(tmp_path)
    write(root, "inventory/items/CAST-IRON-KETTLE.md", read(root, "inventory/items/cast-iron-kettle.md"))
    edit(root, GREEN, "Prose.", "See [[items/cast-iron-kettle]].")
    field(root, "inventory/items/cast-iron-kettle.md", "kind", "entity")
    owed(root)
    assert "See [[entities/cast-iron-kettle]]." in read(root, GREEN)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\r\n", b"\r", b"\n"])
def test_an_index_of_blanks_is_filled_with_the_line_ends_it_has(tmp_path, mark, end):
    root = full(tmp_path)
    write(root, "wiki/concepts/_index.md", mark + end * 2)
    owed(root)
    data = (root / "wiki/concepts/_index.md").read_bytes()
    assert data.startswith(mark + b"# Concepts Index" + end)
    assert b"(oxidation.md)" in data


@pytest.mark.parametrize(("options", "fixable"), [({}, True), ({"only": ("W301", "W105")}, False)])
def test_a_stray_that_takes_the_place_of_a_folder_holds_up_only_what_leaves_it_there(
    tmp_path, options, fixable
):
    root = full(tmp_path)
    shutil.rmtree(root / "raw/data")
    write(root, "raw/data", "x\n")
    field(root, TASTING, "type", "data")
    found = [one for one in findings(root, **options) if one.rule in ("W105", "W301")]
    assert {(one.rule, one.fixable) for one in found} == {("W105", fixable), ("W301", fixable)}
    owed(root, **options)
    assert (root / "raw/data").is_dir() == fixable


def test_an_article_whose_source_moves_and_that_is_linked_back_differs_in_both(tmp_path):
    root = full(tmp_path)
    field(root, TASTING, "type", "papers")
    text = read(root, GREEN).split("\n")
    write(root, GREEN, "\n".join(line for line in text if "tea-grades" not in line))
    field(root, GREEN, "sources", f"[{TASTING}]")
    owed(root, only=("W508", "W3"))
    assert TASTING.replace("notes", "papers") in read(root, GREEN)
    assert "(../references/tea-grades.md)" in read(root, GREEN)


def test_a_file_that_a_closed_page_names_by_wikilink_and_path_stays(tmp_path):
    root = full(tmp_path)
    edit(root, GREEN, "Prose.", "See [[/inventory/items/cast-iron-kettle.md]].")
    edit(root, GREEN, "title: Green Tea\n", "title: Green Tea\ntitle: Green Tea\n")
    field(root, ITEM, "kind", "idea")
    assert [one.fixable for one in findings(root) if one.rule == "W301"] == [False]
    owed(root)


@pytest.mark.parametrize("closed", [False, True])
def test_a_project_file_that_gets_the_name_of_another_leaves_its_links_their_meaning(tmp_path, closed):
    root = full(tmp_path)
    write(root, "output/projects/map/_project.md", "---\ntitle: Map\ngoal: Find gardens.\n---\n\n# Map\n")
    edit(root, GREEN, "Prose.", "See [[WHY]].")
    if closed:
        edit(root, GREEN, "title: Green Tea\n", "title: Green Tea\ntitle: Green Tea\n")
    assert [one.fixable for one in findings(root, only=("W804",))] == [not closed]
    owed(root, only=("W804",))
    assert ("[[projects/tea-almanac/WHY]]" in read(root, GREEN)) == (not closed)


def test_see_also_by_wikilink_comes_to_rest_where_names_are_not_unique(tmp_path):
    root = full(tmp_path)
    field(root, "config.md", "links", "wikilink")
    write(root, "output/projects/tea-almanac/tea-grades.md", "# Notes\n")
    text = read(root, GREEN).split("\n")
    write(root, GREEN, "\n".join(line for line in text if "tea-grades" not in line))
    owed(root, only=("W508",))
    assert "[[references/tea-grades|Tea Grades]]" in read(root, GREEN)
