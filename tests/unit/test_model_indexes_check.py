"""What a check of an existing index reports, and what it leaves in peace."""

import pytest
from indexkit import DAY, Tree, article, document, leaf

from llm_wiki.model import indexes
from llm_wiki.model.indexes import HubTopic

FILES = {
    "wiki/concepts/a.md": article("A", "About a."),
    "wiki/concepts/My File.md": article("My", "About my."),
    "wiki/concepts/_index.md": b"",
    "wiki/concepts/pic.png": b"",
}
ROW_A = "| [A](a.md) | About a. | a, b | 2026-01-02 |"
ROW_MY = "| [My](<My File.md>) | About my. | a, b | 2026-01-02 |"
FULL = leaf(ROW_MY, ROW_A)


def check(data, files=FILES, folder="wiki/concepts"):
    return indexes.check(data, indexes.contract(folder, Tree(files)))


def missing(data):
    return [entry.rel for entry in check(data).missing]


def test_a_complete_index_has_no_differences():
    assert not check(FULL)


def test_a_rendered_index_has_no_differences():
    for folder in ("", "wiki", "wiki/concepts"):
        contract = indexes.contract(folder, Tree(FILES))
        assert not indexes.check(indexes.render(contract, DAY), contract)


def test_an_entry_without_link_is_missing():
    assert missing(leaf(ROW_A)) == ["wiki/concepts/My File.md"]


@pytest.mark.parametrize(
    "target", ["./a.md", "../concepts/a.md", "/wiki/concepts/a.md", "%61.md", "a.md#part", "a.md?x"]
)
def test_targets_are_resolved_before_they_are_compared(target):
    found = check(FULL.replace(b"(a.md)", f"({target})".encode()))
    assert not found.missing
    assert not found.dead


@pytest.mark.parametrize("target", ["My%20File.md", "<My File.md>", "My%20File.md 'title'"])
def test_names_with_blanks_count_in_every_spelling(target):
    assert not check(leaf(ROW_A, f"| [My]({target}) | About my. | a, b | 2026-01-02 |"))


@pytest.mark.parametrize(
    "place",
    [
        "- see [My](My%20File.md)",
        "[My][m]\n\n[m]: My%20File.md",
        "text [My](<My File.md>) text",
        "> [My](My%20File.md)",
    ],
)
def test_a_link_anywhere_counts_as_an_entry(place):
    assert missing(leaf(ROW_A) + f"\n{place}\n".encode()) == []


@pytest.mark.parametrize(
    "place",
    [
        "```\n[My](My%20File.md)\n```",
        "    [My](My%20File.md)",
        "`[My](My%20File.md)`",
        "<!-- [My](My%20File.md) -->",
        "\\[My\\](My%20File.md)",
        "![My](My%20File.md)",
    ],
)
def test_code_comments_escapes_and_images_are_no_entries(place):
    assert missing(leaf(ROW_A) + f"\n{place}\n".encode()) == ["wiki/concepts/My File.md"]


def test_a_link_to_nothing_is_dead_with_its_line():
    (dead,) = check(leaf(ROW_MY, ROW_A, "| [X](x.md) | | | |")).dead
    assert (dead.line, dead.key, dead.target, dead.fixable) == (11, "wiki/concepts/x.md", "x.md", True)


@pytest.mark.parametrize(
    "target",
    ["../../.librarian/REPORT.md", "../../../other.md", "nothing.png", "https://x.md", "#x.md", "pic.png"],
)
def test_what_cannot_or_need_not_be_judged_is_not_dead(target):
    assert not check(FULL + f"\n- [x]({target})\n".encode()).dead


def test_a_link_in_another_case_is_respelt_neither_missing_nor_dead():
    found = check(FULL.replace(b"(a.md)", b"(A.md)"))
    assert [(item.line, item.target, item.rel) for item in found.respelt] == [
        (10, "A.md", "wiki/concepts/a.md")
    ]
    assert not found.missing
    assert not found.dead


def test_a_name_in_another_unicode_form_is_the_entry():
    files = {"wiki/concepts/cafe\u0301.md": article("Cafe", "x")}
    found = check("# X\n\n- [Cafe](caf\u00e9.md)\n".encode(), files)
    assert not found.missing
    assert not found.dead


def test_a_row_listed_twice_is_doubled_once():
    found = check(leaf(ROW_MY, ROW_A, "| [A](a.md) | About b. | a, b | 2026-01-02 |"))
    assert [(item.line, item.what, item.name) for item in found.doubled] == [
        (11, "entry", "wiki/concepts/a.md")
    ]
    assert not found.cells


def test_of_two_rows_the_one_that_contradicts_front_matter_is_the_double():
    found = check(leaf(ROW_MY, "| [A](a.md) | Old. | a, b | 2026-01-02 |", ROW_A))
    assert [item.line for item in found.doubled] == [10]


def test_the_same_entry_under_recent_changes_is_no_double():
    assert not check(
        FULL + b"\n## Recent Changes\n\n| Date | Change |\n|--|--|\n| x | [A](a.md) |\n| y | [A](a.md) |\n"
    )


def test_last_updated_twice_is_a_double():
    found = check(
        FULL.replace(b"Last updated: 2025-12-01", b"Last updated: 2025-12-01\nLast updated: 2025-12-02")
    )
    assert [(item.line, item.what) for item in found.doubled] == [(4, "date")]


def test_wrong_cells_name_their_column():
    found = check(leaf(ROW_MY, "| [Old](a.md) | About a. | x | 2025-01-01 |")).cells
    assert [(cell.line, cell.column, cell.shown, cell.expected) for cell in found] == [
        (10, "File", "Old", "A"),
        (10, "Tags", "x", "a, b"),
        (10, "Updated", "2025-01-01", "2026-01-02"),
    ]


def test_a_cell_is_compared_by_what_it_says():
    files = {"wiki/concepts/a.md": article("A ] | z", "x | y")}
    assert not check(leaf(r"| [A \] \| z](a.md) |   x \| y   | a,  b | 2026-01-02 |"), files)


def test_a_cell_that_says_more_than_the_files_is_left():
    files = {"wiki/concepts/a.md": document(title="A")}
    assert not check(leaf("| [A](a.md) | Curated. | x | 2020-01-01 |"), files)


def test_columns_of_other_tables_are_compared_only_where_they_are_standard():
    table = leaf(
        "| 2020 | [Any](a.md) | good | a, b |", head="| Date | Title | Quality | Tags |", dashes="|-|-|-|-|"
    )
    files = {"wiki/concepts/a.md": article("A", "About a.")}
    assert not check(table, files)
    assert [cell.column for cell in check(table.replace(b"a, b", b"c"), files).cells] == ["Tags"]


def test_a_record_may_be_linked_by_its_title():
    files = {"inventory/items/pot.md": document(title="The pot", kind="item", updated="2026-01-02")}
    plain = leaf("| [The pot](pot.md) | x | y | 2026-01-02 |")
    assert not check(plain, files, "inventory/items")
    assert [
        cell.expected for cell in check(plain.replace(b"The pot", b"A pot"), files, "inventory/items").cells
    ] == ["pot.md"]


RAW = {"raw/articles/a.md": b"", "raw/articles/_index.md": b"", "raw/_index.md": b""}
RAW_INDEX = (
    b"# Raw\n\n## Articles\n\nSee [x](articles/_index.md)\n\n"
    b"## Stats\n\n- Total sources: 1\n- Last updated: 2026-01-01\n"
)


def raw(data):
    return check(data, RAW, "raw")


def test_a_statistic_is_compared_with_the_count():
    (wrong,) = raw(RAW_INDEX.replace(b"sources: 1", b"sources: 7")).statistics
    assert (wrong.line, wrong.name, wrong.shown, wrong.expected) == (9, "Total sources", "7", "1")


@pytest.mark.parametrize(
    "line",
    [
        "- **Total sources**: 1",
        "- **Total sources:** 1",
        "* total sources: 1 (one note)",
        "- Total sources: about 7",
    ],
)
def test_statistics_are_read_in_every_usual_form(line):
    assert not raw(RAW_INDEX.replace(b"- Total sources: 1", line.encode()))


def test_statistics_outside_their_section_are_foreign():
    assert not raw(RAW_INDEX + b"\n## Goals\n\n- Total sources: 100\n")


def test_statistics_in_code_do_not_count():
    assert not raw(RAW_INDEX + b"\n```\n- Total sources: 100\n```\n")


def test_a_statistic_twice_is_a_double():
    found = raw(RAW_INDEX.replace(b"- Total sources: 1\n", b"- Total sources: 2\n- Total sources: 1\n"))
    assert [(item.line, item.what) for item in found.doubled] == [(10, "statistic")]
    assert [item.line for item in found.statistics] == [9]


def test_a_pointer_line_twice_is_a_double():
    found = raw(RAW_INDEX.replace(b"## Stats", b"See [x](articles/_index.md)\n\n## Stats"))
    assert [(item.line, item.what) for item in found.doubled] == [(7, "entry")]


def master(text, files=None):
    tree = Tree({"config.md": b"", "raw/articles/a.md": b"", **(files or {})})
    return indexes.check(text.encode(), indexes.master(tree))


def test_nothing_is_missing_in_a_master_index():
    assert not master("# Tea\n")


def test_a_dead_link_in_a_master_index_is_dead():
    assert [item.line for item in master("# Tea\n\n- [x](inventory/_index.md)\n").dead] == [3]


@pytest.mark.parametrize(
    ("value", "reported"),
    [("never", False), ("2026-01-01", False), ("soon", True), ("", True), ("2026-13-01", True)],
)
def test_a_last_lint_that_is_no_date_is_undated(value, reported):
    found = master(f"# Tea\n\n## Statistics\n\n- Last lint: {value}\n")
    assert [item.name for item in found.undated] == (["Last lint"] if reported else [])
    assert not found.statistics


def hub(text, topics=()):
    return indexes.check(text.encode(), indexes.hub(topics))


TEA = HubTopic("tea", "topics/tea", "Tea", "Leaves")
HUB_TABLE = "# Hub\n\n## Topic Wikis\n\n| Wiki | Title | Description |\n|--|--|--|\n"


def test_a_hub_index_without_table_owes_nothing():
    assert not hub("# Hub\n", [TEA])


def test_a_topic_missing_from_the_table_of_a_hub():
    assert [entry.text for entry in hub(HUB_TABLE, [TEA]).missing] == ["tea"]


@pytest.mark.parametrize(
    "cell",
    [
        "[tea](topics/tea)",
        "[tea](topics/tea/)",
        "[tea](topics/tea/_index.md)",
        "[tea](<topics/tea/_index.md>)",
        "tea",
        "[Tea](topics/tea)",
    ],
)
def test_a_topic_counts_in_every_form_of_its_row(cell):
    assert not hub(f"{HUB_TABLE}| {cell} | Tea | Leaves |\n", [TEA])


def test_a_row_of_an_archived_or_unknown_topic_has_to_go():
    old = HubTopic("old", "topics/.archive/old", archived=True)
    rows = "| [old](topics/.archive/old) | | |\n| [odd](topics/odd/_index.md) | | |\n"
    rows += "| [site](https://x.org) | | |\n"
    assert [item.line for item in hub(HUB_TABLE + rows, [old]).gone] == [7, 8]


def test_other_texts_of_a_topic_are_wrong_cells():
    found = hub(f"{HUB_TABLE}| [tea](topics/tea) | Coffee | Leaves |\n", [TEA]).cells
    assert [(cell.column, cell.expected) for cell in found] == [("Title", "Tea")]


def test_bytes_that_are_not_utf8_are_not_judged():
    found = check(b"# X\n\xe9\n")
    assert found
    assert not found.readable
    assert not found.missing


def test_a_line_too_long_to_scan_is_not_judged():
    assert not check(FULL + b"[" * 70_000).readable
