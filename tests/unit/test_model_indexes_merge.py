"""Merging an index: what is added, removed and set, and that nothing else changes."""

import pytest
from indexkit import DAY, Tree, article, document, leaf

from llm_wiki.model import indexes
from llm_wiki.model.indexes import HubTopic

FILES = {
    "wiki/concepts/a.md": article("A", "About a."),
    "wiki/concepts/b.md": article("B", "About b.", quality="high"),
    "wiki/concepts/c.md": article("C", "About c."),
}
ROWS = [f"| [{n}]({n.lower()}.md) | About {n.lower()}. | a, b | 2026-01-02 |" for n in "ABC"]


def merged(data, files=FILES, folder="wiki/concepts", **more):
    contract = indexes.contract(folder, Tree(files))
    once = indexes.merge(data, contract, DAY, **more)
    assert indexes.merge(once, contract, DAY, **more) == once
    return once


def lines_of(data, files=FILES, folder="wiki/concepts", **more):
    return merged(data, files, folder, **more).decode().splitlines()


def test_a_complete_index_is_returned_as_it_is():
    assert merged(leaf(*ROWS)) == leaf(*ROWS)


@pytest.mark.parametrize("kept", [[0, 1], [0, 2], [1, 2], [2], []])
def test_missing_rows_go_where_the_order_wants_them(kept):
    expected = leaf(*ROWS).replace(b"2025-12-01", b"2026-01-10")
    assert merged(leaf(*(ROWS[number] for number in kept))) == expected


def test_a_table_in_an_order_of_its_own_gets_rows_at_its_end():
    assert lines_of(leaf(ROWS[2], ROWS[0]))[-3:] == [ROWS[2], ROWS[0], ROWS[1]]


def test_curation_survives_a_new_file():
    curated = (
        b"# Concepts\n\nWritten by hand.\n\nLast updated: 2025-12-01\n\n"
        b"| Date | Title | Quality | Tags |\n|---|:---|---|---|\n| 2020 | [My A](a.md) | best | a, b |\n\n"
        b"## Categories\n\n- Letters: [A](a.md)\n\n## Recent Changes\n\n- [A](a.md) added\n"
    )
    files = {name: data for name, data in FILES.items() if not name.endswith("c.md")}
    assert merged(curated, files) == curated.replace(b"2025-12-01", b"2026-01-10").replace(
        b"| 2020 | [My A](a.md) | best | a, b |\n",
        b"| 2020 | [My A](a.md) | best | a, b |\n| 2026-01-02 | [B](b.md) | high | a, b |\n",
    )


def test_rows_of_dead_files_go_whatever_else_they_say():
    dead = "| [X](x.md) | Long gone. | z | 2020-01-01 |"
    assert dead.encode() not in merged(leaf(ROWS[0], dead, *ROWS[1:]))


def test_a_dead_bullet_goes_and_its_neighbours_stay():
    text = leaf(*ROWS) + b"\n- keep\n- [X](x.md): gone\n- also keep\n"
    assert lines_of(text)[-3:] == ["", "- keep", "- also keep"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("see [the *X* page](x.md) or [A](a.md).", "see the *X* page or [A](a.md)."),
        ("- [X](x.md) and [A](a.md)", "- X and [A](a.md)"),
        ("- [X](x.md)\n  which goes on", "- X\n  which goes on"),
        ("- [X](x.md)\n  - [A](a.md)", "- X\n  - [A](a.md)"),
        ("# [X](x.md)", "# X"),
        ("[X][x] is gone\n\n[x]: x.md", "X is gone\n\n[x]: x.md"),
        ("- [A](a.md)\n- [X](<x.md> 'gone')", "- [A](a.md)"),
    ],
)
def test_a_dead_link_among_other_text_becomes_text(before, after):
    assert merged(leaf(*ROWS) + f"\n{before}\n".encode()).decode().endswith(f"\n\n{after}\n")


def test_a_row_stands_for_the_link_in_the_column_of_links():
    head, dashes = "| Parent | File |", "|--|--|"
    rows = ["| [X](x.md) | [A](a.md) |", "| [A](a.md) | [B](b.md) |", "| [A](a.md) | [Y](y.md) |"]
    result = lines_of(leaf(*rows, head=head, dashes=dashes))
    assert result[-3:] == ["| X | [A](a.md) |", "| [A](a.md) | [B](b.md) |", "|  | [C](c.md) |"]


def test_an_entry_linked_only_in_a_row_that_goes_is_added():
    assert lines_of(leaf("| [X](x.md) see [A](a.md) | s | t | u |", *ROWS[1:]))[-3:] == ROWS


def test_an_entry_linked_only_in_a_cell_that_is_set_is_added():
    row = ROWS[1].replace("About b.", "as [A](a.md)")
    assert lines_of(leaf(row, ROWS[2]))[-3:] == ROWS


def test_statistics_and_last_updated_are_set_and_foreign_words_stay():
    text = (
        b"# Raw\n\n## Articles\n\nSee [x](articles/_index.md)\n\n## Stats\n\n"
        b"- **Total sources**: 9 (was 8)\n- Owner: me\n- Last updated: 2020-01-01 by hand\n"
    )
    files = {"raw/articles/a.md": b""}
    assert merged(text, files, "raw") == text.replace(b"9 (", b"1 (").replace(b"2020-01-01", b"2026-01-10")


def test_last_updated_alone_is_no_reason_to_write():
    assert b"2025-12-01" in merged(leaf(*ROWS))


def test_doubled_lines_go_and_the_true_ones_stay():
    text = (
        b"# Raw\n\n## Articles\n\nSee [a](articles/_index.md)\n\nSee [a](articles/_index.md)\n\n## Stats\n\n"
        b"- Total sources: 4\n- Total sources: 5\n- Last updated: 2026-03-01\n- Last updated: 2025-01-01\n"
    )
    assert merged(text, {"raw/articles/a.md": b""}, "raw") == (
        b"# Raw\n\n## Articles\n\nSee [a](articles/_index.md)\n\n## Stats\n\n"
        b"- Total sources: 1\n- Last updated: 2026-03-01\n"
    )


def test_a_doubled_line_between_blank_ones_leaves_one_blank():
    text = leaf(*ROWS).replace(
        b"Last updated: 2025-12-01\n", b"Last updated: 2025-12-01\n\nLast updated: 2025-12-02\n"
    )
    assert merged(text) == leaf(*ROWS).replace(b"2025-12-01", b"2026-01-10")


def test_of_doubled_rows_one_stays_with_what_only_the_other_knew():
    head = "| File | Quality | Summary |"
    rows = ["| [A](a.md) | good | Old text. |", "| [A](a.md) |  | About a. |"]
    files = {"wiki/concepts/a.md": FILES["wiki/concepts/a.md"]}
    assert lines_of(leaf(*rows, head=head, dashes="|-|-|-|"), files)[-1] == "| [A](a.md) | good | About a. |"


def test_wrong_cells_are_set_one_by_one():
    row = "|  [Old](./a.md 'note')|Old. | a, b |2025-01-01|"
    table = leaf(row, *ROWS[1:], head="| File | Summary | Tags | Updated |")
    assert "|  [A](./a.md 'note')|About a. | a, b |2026-01-02|" in lines_of(table)


def test_cells_a_row_does_not_reach_are_added():
    assert ROWS[0] in lines_of(leaf("| [A](a.md) |", *ROWS[1:]))


def test_a_row_with_too_many_cells_is_left_alone():
    row = "| [A](a.md) | one | two | three | four |"
    assert row in lines_of(leaf(row, *ROWS[1:]))


def test_a_respelt_target_gets_its_real_name():
    row = ROWS[0].replace("(a.md)", "(A.md#part 'T')")
    assert ROWS[0].replace("(a.md)", "(a.md#part 'T')") in lines_of(leaf(row, *ROWS[1:]))


def test_a_respelt_row_beside_the_real_one_is_a_double():
    row = ROWS[0].replace("(a.md)", "(A.md)")
    assert lines_of(leaf(row, *ROWS))[-3:] == ROWS


def test_crlf_bom_and_a_missing_final_newline_are_kept():
    data = b"\xef\xbb\xbf" + leaf(ROWS[0]).replace(b"\n", b"\r\n").rstrip()
    result = merged(data)
    assert result.startswith(b"\xef\xbb\xbf# Concepts")
    assert result.count(b"\r\n") == result.count(b"\n")
    assert result.endswith(ROWS[2].encode() + b"\r\n")


@pytest.mark.parametrize("eol", [b"\r\n", b"\r"])
def test_front_matter_is_no_part_of_an_index_whatever_its_line_ends(eol):
    head = b"---\nnote: '[A](a.md)'\n---\n".replace(b"\n", eol)
    rest = leaf(*ROWS).replace(b"\n", eol)
    assert merged(head + rest) == head + rest
    assert merged(head + leaf().replace(b"\n", eol)).count(b"](a.md)") == 2


def test_an_index_that_is_not_utf8_is_never_changed():
    assert merged(b"# X\n\xe9\n") == b"# X\n\xe9\n"


@pytest.mark.parametrize("data", [b"", b"\n \n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_an_empty_index_is_rendered_behind_its_mark(mark, data):
    assert merged(mark + data) == mark + indexes.render(indexes.contract("wiki/concepts", Tree(FILES)), DAY)


@pytest.mark.parametrize(
    "text",
    [
        "## Contents\n<div>\n| File |\n|---|",
        "## Contents\n<pre>\n| File |\n|---|\n",
        "Contents\n--------\n\n<!-- <pre>\n-->\n<pre>\n\n| File |\n|---|\n",
        "## Contents\n\n- Text\n| File |\n|---|\n| ` | [A](a.md) |\n",
        "## Contents\n\n> Text\n| File |\n|---|\n",
        "## Contents\n\n| File |\n|---|\n<div>|</div>\n",
    ],
)
def test_rows_go_where_a_reader_sees_a_table_and_no_heading_comes_twice(text):
    once = merged(text.encode())
    assert not indexes.check(once, indexes.contract("wiki/concepts", Tree(FILES)))
    assert merged(once) == once
    assert once.count(b"Contents") == 1


def test_a_list_of_bullets_grows_as_a_list():
    text = b"# Concepts\n\n* [A](a.md): mine\n* [C](c.md): mine\n  and more\n\nEnd.\n"
    assert merged(text) == (
        b"# Concepts\n\n* [A](a.md): mine\n* [B](b.md) - About b.\n* [C](c.md): mine\n  and more\n\nEnd.\n"
    )


def test_an_index_without_place_gets_the_section_at_its_end():
    result = merged(b"# Concepts\n\nWords.")
    assert result == b"# Concepts\n\nWords.\n\n" + leaf(*ROWS).split(b"\n\n", 2)[2]


def test_an_empty_table_under_the_heading_is_filled():
    assert merged(leaf()) == leaf(*ROWS).replace(b"2025-12-01", b"2026-01-10")


def test_a_heading_without_table_gets_one():
    result = merged(b"# Concepts\n\n## Contents\n\nWords.\n\n## Notes\n\nMore.\n").decode()
    assert result.startswith("# Concepts\n\n## Contents\n\nWords.\n\n| File | Summary |")
    assert result.endswith(f"{ROWS[2]}\n\n## Notes\n\nMore.\n")


def test_a_table_shown_in_code_is_not_filled():
    text = b"# Concepts\n\n## Contents\n\n```\n| File | Tags |\n|---|---|\n```\n"
    result = merged(text).decode()
    assert "```\n| File | Tags |\n|---|---|\n```\n" in result
    assert result.count("a.md") == 1


@pytest.mark.parametrize("opening", ["```", "~~~text", "<!-- open", "<script>", "<pre>", "<?php"])
def test_rows_do_not_vanish_in_a_block_that_never_closes(opening):
    result = merged(f"# Concepts\n\nWords.\n\n{opening}\nrest\n".encode())
    contract = indexes.contract("wiki/concepts", Tree(FILES))
    assert not indexes.check(result, contract).missing
    assert f"{opening}\nrest\n".encode() in result


def test_new_pointers_stand_before_the_statistics():
    files = {"raw/articles/": b"", "raw/papers/": b"", "raw/data/": b""}
    text = b"# Raw\n\n## Papers\n\nSee [p](papers/_index.md)\n\n## Stats\n\n- Total sources: 0\n"
    headings = [line for line in lines_of(text, files, "raw") if line.startswith("## ")]
    assert headings == ["## Articles", "## Papers", "## Data", "## Stats"]


def test_a_pointer_to_a_vanished_folder_goes_with_its_heading():
    text = b"# Raw\n\n## Articles\n\nSee [a](articles/_index.md)\n\n"
    text += b"## Papers\n\nSee [p](papers/_index.md)\n\n## Stats\n"
    result = merged(text, {"raw/articles/": b""}, "raw")
    assert result == b"# Raw\n\n## Articles\n\nSee [a](articles/_index.md)\n\n## Stats\n"


def test_only_what_is_asked_for_is_done():
    table = leaf("| [Old](a.md) | About a. | a, b | 2026-01-02 |", "| [X](x.md) | | | |", ROWS[1])
    assert ROWS[2].encode() not in merged(table, parts={"dead"})
    assert b"x.md" not in merged(table, parts={"dead"})
    assert b"[Old]" in merged(table, parts={"dead"})
    assert b"x.md" in merged(table, parts={"missing"})
    assert merged(table, parts=()) == table


def test_a_summary_with_a_link_brings_no_link_into_the_index():
    files = {"wiki/concepts/a.md": article("A", '"see [x](../gone.md)"')}
    contract = indexes.contract("wiki/concepts", Tree(files))
    result = merged(leaf(), files)
    assert not indexes.check(result, contract)
    assert b"see [x\\](../gone.md)" in result


def test_a_master_index_keeps_its_layout():
    text = b"# Tea\n\nOurs.\n\n| Sources | 1 |\n|--|--|\n\n- Raw: [raw](raw/_index.md)\n\n"
    text += b"## Stats\n\n- Articles: 7\n- Last lint: never\n"
    files = {
        "raw/articles/a.md": b"",
        "wiki/concepts/a.md": b"",
        "log.md": b"## [2026-01-04] lint | x\n",
        "raw/_index.md": b"",
    }
    result = merged(text, files, "")
    assert result == text.replace(b"Articles: 7", b"Articles: 1").replace(b"never", b"2026-01-04")


def test_a_master_index_with_a_navigation_gets_new_planes():
    text = b"# Tea\n\n## Quick Navigation\n\n- [Raw](raw/_index.md)\n- [Output](output/_index.md)\n"
    files = {"raw/_index.md": b"", "output/_index.md": b"", "inventory/_index.md": b""}
    assert lines_of(text, files, "")[-3:] == [
        "- [Raw](raw/_index.md)",
        "- [Inventory](inventory/_index.md)",
        "- [Output](output/_index.md)",
    ]


def test_a_newer_last_lint_is_not_set_back():
    text = b"# Tea\n\n## Statistics\n\n- Last lint: 2026-02-01\n"
    assert merged(text, {"log.md": b"## [2026-01-04] lint | x\n"}, "") == text


def test_archiving_a_topic_keeps_the_words_in_a_hub_index():
    before = [HubTopic("a", "topics/a", "A"), HubTopic("b", "topics/b", "B")]
    after = [HubTopic("a", "topics/.archive/a", "A", archived=True), before[1]]
    text = indexes.render(indexes.hub(before), "2025-01-01").replace(
        b"## Topic Wikis\n", b"## Topic Wikis\n\nMy words.\n"
    )
    result = indexes.merge(text, indexes.hub(after), DAY)
    assert b"My words." in result
    assert b"topics/a" not in result
    assert b"- Active topics: 1\n- Archived topics: 1\n" in result
    assert result.count(b"- Archived topics: 1\n") == 2
    assert indexes.merge(result, indexes.hub(before), "2025-01-01") == text


def test_a_bare_hub_index_gets_a_table_when_it_is_merged():
    result = indexes.merge(b"# Hub\n", indexes.hub([HubTopic("a", "topics/a", "A")]), DAY)
    assert result.endswith(
        b"| Wiki | Title | Description |\n|------|-------|-------------|\n| [a](topics/a) | A |  |\n"
    )


def test_output_tables_grow_apart():
    files = {
        "output/r.md": document(title="R", type="report", generated="2026-01-01"),
        "output/s.md": document(title="S", type="summary", generated="2026-01-02"),
        "output/projects/p/WHY.md": b"# P\n\nGoal.\n",
    }
    text = b"# Output\n\n## Outputs\n\n| Output | Type | Date |\n|--|--|--|\n"
    text += b"| [R](r.md) | report | 2026-01-01 |\n\n## Ideas\n\nx\n"
    result = merged(text, files, "output").decode()
    assert "| [R](r.md) | report | 2026-01-01 |\n| [S](s.md) | summary | 2026-01-02 |\n" in result
    assert result.endswith(
        "## Ideas\n\nx\n\n## Projects\n\n"
        "| Project | Goal |\n|---------|------|\n| [P](projects/p/WHY.md) | Goal. |\n"
    )


def test_the_navigation_of_an_inventory_is_completed():
    files = {"inventory/items/": b"", "inventory/ideas/": b""}
    text = b"# Inventory\n\n## Quick Navigation\n\n- [Ideas](ideas/_index.md)\n"
    assert lines_of(text, files, "inventory")[-2:] == [
        "- [Items](items/_index.md)",
        "- [Ideas](ideas/_index.md)",
    ]
