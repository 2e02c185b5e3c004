"""Table cells: written safely, split at the right bars, changed one by one."""

import pyromark
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_wiki.model import cells
from llm_wiki.model.markdown import scan

WRITTEN = [
    ("plain words", "plain words", "plain words"),
    ("a | b", r"a \| b", r"a \| b"),
    ("  two \n  lines\t", "two lines", "two lines"),
    ("x ] y [z", "x ] y [z", r"x \] y \[z"),
    ("see [x](y.md)", r"see [x\](y.md)", r"see \[x\](y.md)"),
    ("[[name]]", r"\[[name]]", r"\[\[name\]\]"),
    ("<b>", r"\<b>", r"\<b>"),
    ("a < b", "a < b", "a < b"),
    ("`code`", "`code`", "`code`"),
    ("one ` tick", r"one \` tick", r"one \` tick"),
    ("ends with \\", "ends with \\\\", "ends with \\\\"),
    ("", "", ""),
    ("Ünïcode 日本", "Ünïcode 日本", "Ünïcode 日本"),
]


@pytest.mark.parametrize(("text", "cell", "label"), WRITTEN)
def test_text_is_escaped_for_its_place(text, cell, label):
    assert cells.escape_cell(text) == cell
    assert cells.escape_link_text(text) == label


TARGETS = [
    ("x.md", "x.md"),
    ("日本語メモ.md", "日本語メモ.md"),
    ("My File.md", "<My File.md>"),
    ("a(b).md", "<a(b).md>"),
    ("a|b.md", "<a%7Cb.md>"),
    ("a<b>.md", "<a%3Cb%3E.md>"),
    ("a`b.md", "a%60b.md"),
    ("a\\b.md", "a%5Cb.md"),
    ("a&amp;b.md", "a%26amp;b.md"),
    ("a&b.md", "a&b.md"),
]


@pytest.mark.parametrize(("target", "written"), TARGETS)
def test_a_target_is_written_so_that_it_is_read_back(target, written):
    assert cells.destination(target) == written


names = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="/#?"), min_size=1, max_size=20
).map(lambda name: name.strip() or "x")


@given(names)
def test_any_name_survives_as_a_link_in_a_table(name):
    from llm_wiki.model.links import join, relative

    target = relative("_index.md", f"{name}.md")
    text = f"| A | B |\n|---|---|\n| [t]({cells.destination(target)}) | ` |\n"
    (link,) = scan(text).links
    assert join("_index.md", link[2])[0] == join("_index.md", relative("_index.md", f"{name}.md"))[0]


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_row_of_any_two_texts_has_two_cells_that_say_them(first, second):
    row = cells.row([cells.escape_cell(first), cells.escape_cell(second)])
    found = cells.split_row(row)
    assert len(found) == 2 or (len(found) == 1 and not second.strip())
    expected = [cells.plain_cell(cells.escape_cell(text)) for text in (first, second)]
    assert [cells.plain_cell(cell.text) for cell in found] == expected[: len(found)]


@given(st.text(max_size=40))
def test_no_text_of_a_cell_makes_a_link(text):
    assert scan(f"| A |\n|---|\n| {cells.escape_cell(text)} |\n").links == []


@given(st.text(max_size=40))
def test_any_link_text_keeps_its_link(text):
    row = f"| [{cells.escape_link_text(text)}](x.md) | b |"
    targets = [link[2] for link in scan(f"| A | B |\n|---|---|\n{row}\n").links]
    assert targets == ["x.md"]


SPLITS = [
    ("| a | b |", ["a", "b"]),
    ("a | b", ["a", "b"]),
    (r"| a \| b | c |", [r"a \| b", "c"]),
    ("| `a|b` | c |", ["`a|b`", "c"]),
    ("| ``a`|b`` | c |", ["``a`|b``", "c"]),
    ("| ` | ` |", ["` | `"]),
    (r"| \` | \` |", [r"\`", r"\`"]),
    ("| a |  | c |", ["a", "", "c"]),
    ("||", [""]),
    ("  | a |  ", ["a"]),
    ("", []),
    ("no bars", ["no bars"]),
]


@pytest.mark.parametrize(("line", "texts"), SPLITS)
def test_a_row_is_split_at_its_bars(line, texts):
    found = cells.split_row(line)
    assert [cell.text for cell in found] == texts
    assert all(line[cell.start : cell.end] == cell.text for cell in found)


@given(st.lists(st.sampled_from(["|", "\\", "`", "a", " ", "é"]), max_size=20).map("".join))
def test_cells_of_any_line_lie_in_order_and_apart(line):
    found = cells.split_row(line)
    places = [place for cell in found for place in (cell.start, cell.end)]
    assert places == sorted(places)


@pytest.mark.parametrize("line", ["|---|---|", "| :-- | --: |", "---|---", "  |-|", "|---|---"])
def test_a_delimiter_row(line):
    assert cells.is_delimiter(line)


@pytest.mark.parametrize("line", ["---", "| a |", "|--- a|", "", "    |---|", "|"])
def test_no_delimiter_row(line):
    assert not cells.is_delimiter(line)


PUTS = [
    ("| a | b | c |", {1: "X"}, "| a | X | c |"),
    ("|a|b|", {0: "X"}, "|X|b|"),
    ("| a |  |", {1: "X"}, "| a | X |"),
    ("| a ||", {1: "X"}, "| a | X |"),
    ("| a |", {2: "X"}, "| a |  | X |"),
    ("a | b", {2: "X"}, "a | b | X |"),
    (r"| a \| z | b |", {1: "X"}, r"| a \| z | X |"),
]


@pytest.mark.parametrize(("line", "values", "result"), PUTS)
def test_cells_are_replaced_one_by_one(line, values, result):
    assert cells.put_cells(line, values) == result


def test_what_is_written_looks_the_same_to_a_full_parser():
    row = cells.row([cells.escape_cell("a | `b` \\"), cells.escape_cell("c")])
    shown = pyromark.html(f"| A | B |\n|---|---|\n{row}\n", options=pyromark.Options.ENABLE_TABLES)
    assert "<td>a | <code>b</code> \\</td><td>c</td>" in shown
