"""HTML becomes Markdown that says the same, and nothing that was text becomes markup."""

from html import escape
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from model_cases import cases

from llm_wiki.ingest.html_tree import parse
from llm_wiki.ingest.markdown_out import to_markdown
from llm_wiki.ingest.markdown_text import BREAK, Run, code_span, one_line, render

CASES = cases("ingest_html.md")
BASE = "https://example.org/docs/page"
READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def convert(html: str) -> str:
    return to_markdown(parse(html).find("body"), BASE)


def texts(markdown: str) -> str:
    """Return what a CommonMark reader shows, without blanks."""
    found = []
    for token in READER.parse(markdown):
        if token.type in ("fence", "code_block"):
            found.append(token.content)
        found += [child.content for child in token.children or () if child.type in ("text", "code_inline")]
    return "".join("".join(found).split())


@pytest.mark.parametrize(("html", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_html_becomes_this_markdown(html: str, expected: str) -> None:
    assert convert(html) == expected.rstrip("\n")


def test_every_case_has_a_title_of_its_own() -> None:
    titles = [title for title, _, _ in CASES]
    assert all(titles)
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize(("html", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_no_case_leaves_raw_html(html: str, expected: str) -> None:
    kinds = {child.type for token in READER.parse(expected) for child in token.children or ()}
    assert "html_inline" not in kinds
    assert "html_block" not in {token.type for token in READER.parse(expected)}


ODD = st.lists(
    st.sampled_from(
        [*"ab1 *_`[]()<>!#+-.=~|\\&;:\"'^{}$/@é中。", "&amp;", "&#35;", "1.", "**", "  ", "~~", "---"]
    ),
    max_size=10,
).map("".join)
TEXT = ODD.map(escape)
INLINE = st.recursive(
    TEXT,
    lambda inner: st.tuples(
        st.sampled_from(["b", "i", "em", "strong", "span", "s", "code", 'a href="/x(1)"']),
        st.lists(inner, max_size=3).map("".join),
    ).map(lambda pair: f"<{pair[0]}>{pair[1]}</{pair[0].split()[0]}>"),
    max_leaves=6,
)
LINE = st.lists(INLINE, min_size=1, max_size=4).map("".join)
BLOCK = st.recursive(
    st.one_of(
        LINE.map(lambda text: f"<p>{text}</p>"),
        LINE.map(lambda text: f"<h2>{text}</h2>"),
        st.lists(LINE, min_size=2, max_size=3).map(lambda parts: f"<p>{'<br>'.join(parts)}</p>"),
        ODD.map(lambda text: f"<pre>{escape(text)}\n  {escape(text)}</pre>"),
        st.lists(LINE, min_size=4, max_size=4).map(
            lambda c: f"<table><tr><th>{c[0]}<th>{c[1]}<tr><td>{c[2]}<td>{c[3]}</table>"
        ),
    ),
    lambda inner: st.tuples(
        st.sampled_from(["ul", "ol", "blockquote", "div"]), st.lists(inner, max_size=3)
    ).map(
        lambda pair: (
            f"<{pair[0]}>"
            + "".join(f"<li>{item}</li>" if pair[0] in ("ul", "ol") else item for item in pair[1])
            + f"</{pair[0]}>"
        )
    ),
    max_leaves=5,
)


@settings(max_examples=150, deadline=None)
@given(st.lists(BLOCK, min_size=1, max_size=4).map("".join))
def test_whatever_the_page_says_a_reader_of_the_markdown_sees(html: str) -> None:
    said = "".join("".join(parse(html).find("body").itertext()).split())
    assert texts(convert(html)) == said


@settings(max_examples=150, deadline=None)
@given(st.lists(LINE, min_size=1, max_size=3))
def test_links_of_the_page_are_the_links_of_the_markdown(lines: list[str]) -> None:
    html = "".join(f"<p>{line}</p>" for line in lines)
    tokens = [child for token in READER.parse(convert(html)) for child in token.children or ()]
    assert {child.attrs["href"] for child in tokens if child.type == "link_open"} <= {
        "https://example.org/x(1)"
    }
    assert not [child for child in tokens if child.type in ("html_inline", "image")]


@pytest.mark.parametrize(
    "code", ["a", "`", "``", "a`b", "` `", "`a", "b`", "a``b`c", "\\", "*x*", "<b>", "&amp;", "a|b"]
)
def test_inline_code_reads_back_as_it_was(code: str) -> None:
    tokens = READER.parseInline(f"x {code_span(code)} y")[0].children
    assert [token.content for token in tokens if token.type == "code_inline"] == [code.strip()]


@pytest.mark.parametrize("code", ["a|b", "`|`", "||"])
def test_code_with_bars_survives_in_a_cell(code: str) -> None:
    tokens = READER.parse(f"| a |\n| --- |\n| {code_span(code, cell=True)} |")
    found = [
        child.content for token in tokens for child in token.children or () if child.type == "code_inline"
    ]
    assert found == [code]


def test_tables_have_as_many_cells_in_every_row() -> None:
    for _, _, expected in CASES:
        rows = [line for line in expected.split("\n") if line.startswith("| ")]
        for one, other in pairwise(rows):
            if one.count("|") != other.count("|"):
                assert "\\|" in one + other


def test_a_huge_span_does_not_make_a_huge_table() -> None:
    html = "<table><tr><th>a<th>b<tr><td rowspan=99999999 colspan=99999999>x<td>y</table>"
    assert len(convert(html)) < 2000


def test_deep_nesting_is_walked_and_its_text_kept() -> None:
    html = "<div>" * 1500 + "<p>deep</p>" + "</div>" * 1500 + "<p>after</p>"
    assert "deep" in convert(html)
    assert "after" in convert(html)


def test_deeply_nested_inline_elements_keep_their_text() -> None:
    assert "deep" in convert("<p>" + "<span>" * 1500 + "deep" + "</span>" * 1500 + "</p>")


def test_deeply_nested_lists_keep_their_text() -> None:
    assert "deep" in convert("<ul><li>" * 400 + "deep")


def test_a_paragraph_of_runs_trims_and_collapses() -> None:
    assert render([Run("  a "), Run(" b", frozenset({"strong"})), BREAK, Run("  c ")]) == "a **b**\\\nc"


def test_one_line_has_no_break() -> None:
    assert one_line([Run("a"), BREAK, Run("b")]) == "a b"


def test_a_page_without_address_keeps_relative_links() -> None:
    html = '<p><a href="x/y.html">here</a> <a href="javascript:x">not</a></p>'
    assert to_markdown(parse(html).find("body")) == "[here](x/y.html) not"
