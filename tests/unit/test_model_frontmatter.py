from __future__ import annotations

import json
import marshal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_cases import cases

from llm_wiki.model import frontmatter as fm

TABLE = cases("model_front_matter.md")


@pytest.mark.parametrize(("text", "expected"), [pytest.param(*case[1:], id=case[0]) for case in TABLE])
def test_a_header_is_read_as_the_table_says(text: str, expected: str):
    meta, _, problems = fm.load(text)
    if expected.startswith("yaml"):
        code, line, *detail = expected.strip().split(" ", 2)
        assert meta == {}
        assert [problem[0] for problem in problems] == [code]
        assert problems[0][1] == int(line)
        assert problems[0][2]
        if detail:
            assert problems[0][2] == detail[0]
    else:
        assert problems == []
        assert meta == json.loads(expected)
        assert list(meta) == list(json.loads(expected))


def test_the_pure_python_parser_reads_the_same_tables(monkeypatch: pytest.MonkeyPatch):
    import yaml

    monkeypatch.setattr(fm, "event_parser", yaml.Loader)
    for title, text, expected in TABLE:
        meta, _, problems = fm.load(text)
        if expected.startswith("yaml"):
            assert (title, [problem[0] for problem in problems]) == (title, ["yaml"])
        else:
            assert (title, meta) == (title, json.loads(expected))


def test_a_repeated_key_is_reported_where_it_repeats_and_its_last_value_counts():
    meta, lines, problems = fm.load("title: a\nx: 1\ntitle: b\ny:\n  k: 1\n  k: 2\n")
    assert meta == {"title": "b", "x": "1", "y": {"k": "2"}}
    assert problems == [("duplicate", 4, "title"), ("duplicate", 7, "k")]
    assert lines == {"title": 4, "x": 3, "y": 5}


def test_each_top_level_key_knows_its_line_in_the_file():
    _, lines, _ = fm.load("# c\n\na: |\n  t\n\nb: [x,\n y]\nc: z\n")
    assert lines == {"a": 4, "b": 7, "c": 9}


def test_nesting_beyond_the_limit_is_a_problem_and_no_crash():
    for text in (
        "a: " + "[" * 5000 + "]" * 5000,
        "a: " + "[" * 100 + "]" * 100,
        "".join(f"{'  ' * n}k:\n" for n in range(90)),
    ):
        meta, _, problems = fm.load(text)
        assert meta == {}
        assert problems[0][0] == "yaml"


def test_a_chain_of_aliases_cannot_nest_deeper_than_the_limit():
    chain = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 90))
    assert fm.load(chain)[2][0][2] == f"nested deeper than {fm.MAX_DEPTH} levels"


def test_what_is_read_can_be_marshalled():
    meta, lines, problems = fm.load("a: &x [1, {b: c}]\nd: [*x, *x]\na: 2\n")
    assert marshal.loads(marshal.dumps((meta, lines, problems))) == (meta, lines, problems)


FRONTS = [
    (b"---\na: b\n---\nbody", "ok", b"a: b\n", b"body"),
    (b"---\n---\nbody", "ok", b"", b"body"),
    (b"---\n---", "ok", b"", b""),
    (b"\xef\xbb\xbf---\na: b\n---\nbody", "ok", b"a: b\n", b"body"),
    (b"--- \t\r\na: b\r\n---  \r\nbody\r\n", "ok", b"a: b\r\n", b"body\r\n"),
    (b"---\ra: b\r---\rbody", "ok", b"a: b\r", b"body"),
    (b"---\na: b\n----\n---\nx", "ok", b"a: b\n----\n", b"x"),
    (b"---\na: b\n --- \n---\nx", "ok", b"a: b\n --- \n", b"x"),
    (b"---\n\n---\n\nx", "ok", b"\n", b"\nx"),
    (b"---\na: b\n", "unclosed", b"", b"---\na: b\n"),
    (b"---", "unclosed", b"", b"---"),
    (b"---x\n---\n", "missing", b"", b"---x\n---\n"),
    (b"\n---\na: b\n---\n", "missing", b"", b"\n---\na: b\n---\n"),
    (b"\xef\xbb\xbftext", "missing", b"", b"text"),
    (b"", "missing", b"", b""),
]


@pytest.mark.parametrize(("data", "state", "head", "body"), FRONTS)
def test_delimiters_are_whole_lines_with_any_line_end(data: bytes, state: str, head: bytes, body: bytes):
    front = fm.split(fm.unix(data))
    assert (front.state, data[front.start : front.end], data[front.body :]) == (state, head, body)


@given(st.text(alphabet="a\r\n-", max_size=40))
def test_line_ends_are_unified_without_moving_a_byte(text: str):
    flat = fm.unix(text.encode()).decode()
    assert len(flat) == len(text)
    assert [line.rstrip(" ") for line in flat.split("\n")] == text.replace("\r\n", "\n").replace(
        "\r", "\n"
    ).split("\n")


YAMLISH = st.text(alphabet="ab:- \n\t[]{},#&*!|>'\"%@`?\\~é\x85\u2028\x00", max_size=60)


@given(YAMLISH)
def test_no_header_crashes_the_reader(text: str):
    meta, lines, problems = fm.load(text)
    assert isinstance(meta, dict)
    assert set(lines) <= set(meta)
    assert all(line >= 2 for _, line, _ in problems)


@given(st.binary(max_size=80))
def test_no_bytes_crash_the_reader(data: bytes):
    meta, _, problems = fm.load(data)
    assert isinstance(meta, dict)
    assert isinstance(problems, list)


def test_python_frontmatter_reads_with_the_wikis_handler():
    import frontmatter

    post = frontmatter.loads(
        "\ufeff--- \r\nn: 0012\r\nt: no\r\n---\r\nBody\r\n---\r\nmore", handler=fm.WikiHandler()
    )
    assert post.metadata == {"n": "0012", "t": "no"}
    assert post.content == "Body\n---\nmore"
    assert frontmatter.loads("no header", handler=fm.WikiHandler()).metadata == {}
    assert fm.WikiHandler().detect("---\na: b\n---\n")
    with pytest.raises(ValueError, match="line 2"):
        frontmatter.loads("---\na: b: c\n---\n", handler=fm.WikiHandler())


def test_python_frontmatter_writes_what_it_reads():
    import frontmatter

    post = frontmatter.loads("---\ntitle: 'A: b'\ntags: [x, why]\n---\n\nBody\n", handler=fm.WikiHandler())
    assert frontmatter.dumps(post) == '---\ntitle: "A: b"\ntags: [x, why]\n---\n\nBody'


def test_an_unknown_name_of_the_module_is_an_attribute_error():
    with pytest.raises(AttributeError):
        fm.nothing  # noqa: B018
