from __future__ import annotations

import hashlib
import marshal
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_cases import cases

from llm_wiki.model import faults
from llm_wiki.model.document import body, body_hash, page
from llm_wiki.model.page import Link, Page

REL = "wiki/concepts/page.md"


def shown(link: Link) -> str:
    mark = "!" if link.image else ""
    key = link.key or f"[{link.target}]"
    place = f"{link.line}:{link.column}"
    return f'{mark}{link.form} {link.kind} {key} #{link.fragment or "-"} "{link.text}" {place}\n'


def problems(data: bytes) -> list[tuple[str, int]]:
    return [(problem.code, problem.line) for problem in page(REL, data).problems if problem.code != "missing"]


LINKS = [pytest.param(*case[1:], id=case[0]) for case in cases("model_links.md")]


@pytest.mark.parametrize(("text", "expected"), LINKS)
def test_links_are_found_as_the_table_says(text: str, expected: str):
    assert "".join(map(shown, page(REL, text.encode()).links)) == expected


@pytest.mark.parametrize(("text", "expected"), LINKS)
def test_front_matter_bom_and_crlf_only_shift_lines(text: str, expected: str):
    plain = page(REL, text.encode()).links
    data = b"\xef\xbb\xbf---\r\ntitle: x\r\n---\r\n" + text.replace("\n", "\r\n").encode()
    shifted = page(REL, data).links
    assert [(link[:7], link.line + 3, link.column) for link in plain] == [
        (link[:7], link.line, link.column) for link in shifted
    ]
    for before, after in zip(plain, shifted, strict=True):
        construct = text.encode()[before.start : before.end]
        assert data[after.start : after.end].replace(b"\r\n", b"\n") == construct


def test_sets_hold_the_keys_of_links_assets_and_names():
    text = "[a](a.md) [u](https://x.y) ![i](i.png) [[N|x]] ![[E.png]] [r][d] <img src=h.png>\n"
    text += "\n[d]: d.md\n[e]: e.md\n"
    found = page(REL, text.encode())
    assert found.keys == {"wiki/concepts/a.md", "wiki/concepts/d.md"}
    assert found.assets == {"wiki/concepts/i.png", "wiki/concepts/h.png"}
    assert found.names == {"n", "e.png"}


def test_headings_have_level_text_slug_and_line():
    text = "---\ntitle: x\n---\n\n# One *two* `c`\n\nSet\n===\n\n## One two c\n\n"
    text += "### Größe & Maß 2.0 [l](x.md)\n\n`# no`\n\n    # no\n"
    found = page(REL, text.encode())
    assert [tuple(heading) for heading in found.headings] == [
        (1, "One two c", "one-two-c", 5),
        (1, "Set", "set", 7),
        (2, "One two c", "one-two-c-1", 10),
        (3, "Größe & Maß 2.0 l", "größe--maß-20-l", 12),
    ]
    assert found.title == "One two c"
    assert page(REL, b"## only two\n").title == ""


def test_a_slug_that_is_taken_by_a_real_heading_is_not_given_twice():
    found = page(REL, b"# a\n# a-1\n# a\n# a\n")
    assert [heading.slug for heading in found.headings] == ["a", "a-1", "a-2", "a-3"]


def test_footnotes_are_references_and_definitions_in_order():
    text = "x[^1] y[^none] `[^c]` \\[^e]\n\n[^1]: note [^2]\n[^2]: two\n\n[^unused]: u\n"
    assert [tuple(note) for note in page(REL, text.encode()).footnotes] == [
        ("1", 1, False),
        ("none", 1, False),
        ("1", 3, True),
        ("2", 3, False),
        ("2", 4, True),
        ("unused", 6, True),
    ]


def test_front_matter_states_and_their_problems():
    assert [(page(REL, data).front, problems(data)) for data in (b"---\na: b\n---\n", b"text")] == [
        ("ok", []),
        ("missing", []),
    ]
    unclosed = page(REL, b"---\na: b\n")
    assert (unclosed.front, unclosed.meta, [tuple(p) for p in unclosed.problems]) == (
        "unclosed",
        {},
        [("unclosed", 1, "")],
    )
    invalid = page(REL, b"---\nx: 1\na: b: c\n---\n[l](l.md)\n")
    assert (invalid.front, invalid.meta, invalid.body_line) == ("invalid", {}, 5)
    assert [(p.code, p.line) for p in invalid.problems] == [("yaml", 3)]
    assert invalid.keys == {"wiki/concepts/l.md"}
    twice = page(REL, b"---\nx: 1\nx: 2\n---\n")
    assert (twice.front, twice.meta) == ("ok", {"x": "2"})
    assert [tuple(p) for p in twice.problems] == [("duplicate", 3, "x")]


def test_lines_of_keys_and_of_the_body_count_from_the_top_of_the_file():
    found = page(REL, b"\xef\xbb\xbf---\r\na: 1\r\nb:\r\n- x\r\nc: 2\r\n---\r\n# T\r\n")
    assert (found.lines, found.body_line, found.headings[0].line) == ({"a": 2, "b": 3, "c": 5}, 7, 7)


def test_the_digest_is_of_the_bytes_as_they_are():
    for data in (b"", b"\xff\xfe", b"a\r\n"):
        assert page(REL, data).sha256 == hashlib.sha256(data).hexdigest()


def test_a_byte_that_is_not_utf8_is_one_problem_and_the_rest_is_read():
    data = b"\xef\xbb\xbf---\ntitle: caf\xe9\nt: 1\nt: 2\n---\n\x00[a](x\xff.md)\r\n[b](b.md)\n"
    found = page(REL, data)
    assert [tuple(p) for p in found.problems] == [("encoding", 2, "byte 0xE9")]
    assert (found.front, found.meta["title"]) == ("ok", "caf?")
    assert [data[link.start : link.end] for link in found.links] == [b"[a](x\xff.md)", b"[b](b.md)"]


@pytest.mark.parametrize(
    "data",
    [b"no front \xe9", b"---\nunclosed \xe9", b"---\na: b: \xe9\n---\n", "---\na: b\n---\n".encode("utf-16")],
)
def test_front_matter_of_an_undecodable_file_adds_no_second_problem(data: bytes):
    found = page(REL, data)
    assert [p.code for p in found.problems] == ["encoding"]
    assert found.front == "invalid"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xef\xbb\xbfx\n", [("bom", 1)]),
        (b"a\r\nb\nc\n", [("mixed-eol", 2)]),
        (b"a\nb\r", [("mixed-eol", 2)]),
        (b"a\rb\r", []),
        (b"a\r\nb\r\n", []),
        (b"a\nb\x00\x07\n", [("control", 2)]),
        (b"a\t\x0cb\n", []),
        (b"a\x7f\n", [("control", 1)]),
        (b"a\n<<<<<<< x\na\n=======\nb\n>>>>>>> y\n", [("conflict", 2)]),
        (b"<<<<<<< x\r\n=======\r\n>>>>>>> y\r\n", [("conflict", 1)]),
        (
            b"<<<<<<< x\n||||||| z\n=======\n>>>>>>> y\n\n<<<<<<< x\n=======\n>>>>>>> y\n",
            [("conflict", 1), ("conflict", 6)],
        ),
        (b"---\n<<<<<<< x\na: 1\n=======\na: 2\n>>>>>>> y\n---\n", [("yaml", 2), ("conflict", 2)]),
        (b"=======\n<<<<<<< x\n>>>>>>> y\n", []),
        (b">>>>>>> y\n=======\n<<<<<<< x\n", []),
        (b" <<<<<<< x\n=======\n>>>>>>> y\n", []),
        (b"```\n<<<<<<< x\n=======\n>>>>>>> y\n```\n", []),
        (b"    x\n    <<<<<<< x\n", []),
        (b"a <!--RETRACTED-SOURCE-->b\n", [("retracted", 1)]),
        (
            b"---\nsummary: x <!--RETRACTED-SOURCE-->\n---\n\n<!-- RETRACTED-SOURCE -->\n",
            [("retracted", 2), ("retracted", 5)],
        ),
        (b"x `<!--RETRACTED-SOURCE-->` y\n\n```\n<!--RETRACTED-SOURCE-->\n```\n\n    RETRACTED-SOURCE\n", []),
        (b"`c` <!--RETRACTED-SOURCE-->a <!--RETRACTED-SOURCE-->`b`\n", [("retracted", 1)]),
        (b"\xff <!--RETRACTED-SOURCE-->\n", [("encoding", 1), ("retracted", 1)]),
    ],
)
def test_faults_of_the_text_are_found_where_they_are(data: bytes, expected: list[tuple[str, int]]):
    assert problems(data) == expected


def test_a_long_line_is_reported_and_only_its_links_are_not_scanned():
    long = b"> " + b"[a](a.md) " * 7000
    data = b"[x](x.md)\n\n" + long + b"\n\n[y](y.md)\n"
    found = page(REL, data)
    assert [(p.code, p.line) for p in found.problems][1:] == [("oversize", 3)]
    assert found.keys == {"wiki/concepts/x.md", "wiki/concepts/y.md"}
    assert [data[link.start : link.end] for link in found.links] == [b"[x](x.md)", b"[y](y.md)"]


def test_a_huge_file_is_reported_once_and_not_scanned():
    data = b"---\ntitle: x\n---\n" + b"[a](a.md)\n" * 900_000
    found = page(REL, data)
    assert len(data) > faults.MAX_FILE
    assert [(p.code, p.line) for p in found.problems] == [("oversize", 1)]
    assert (found.meta, found.links) == ({"title": "x"}, ())


HOSTILE = [
    b"](" * 80_000,
    (b"](" * 30_000 + b"\n") * 3,
    b"[" * 60_000,
    b"![" * 30_000 + b"](x)" * 16_000,
    (b"[a](" * 15_000 + b"\n") * 3,
    b"[[" * 30_000 + b"\n" + b"]]" * 30_000,
    b"<a href=" * 8_000,
    (b"<a " * 20_000 + b"\n") * 3,
    (b"<!-- " * 10_000 + b"\n") * 3,
    b"<div\n" + b"<!--\n" * 20_000,
    b"<div>\n" + b"<a '\n" * 20_000,
    b"`" * 60_000,
    b"> " * 30_000 + b"\n" + b"x\n" * 100,
    b"# [a](b)\n" * 20_000,
    b"[^a]" * 16_000,
    b"[a]: b\n" * 20_000,
    b"RETRACTED-SOURCE " * 4_000 + b"\n",
    b"<<<<<<< a\n=======\n" * 20_000 + b">>>>>>> b\n",
]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_text_is_read_to_its_end(number: int):
    found = page(REL, HOSTILE[number])
    assert found.front == "missing"


def test_body_is_the_text_behind_the_front_matter():
    assert body(b"\xef\xbb\xbf---\na: b\n---\r\nx\r\n\xff") == "x\r\n\ufffd"
    assert body(b"no header") == "no header"
    assert body(b"---\nunclosed") == "---\nunclosed"


def test_the_body_hash_does_not_see_form_only_text():
    text = "Ü b\n\nc\n"
    base = body_hash(text.encode())
    assert base == hashlib.sha256(text.encode()).hexdigest()
    for same in (
        "---\ntitle: x\n---\n" + text,
        text.replace("\n", "\r\n"),
        text.replace("\n", "\r"),
        unicodedata.normalize("NFD", text),
        text.replace("\n", "  \t\n"),
        text + "\n\n  \n",
        text.rstrip(),
        "\ufeff" + text,
    ):
        assert body_hash(same.encode()) == base
    for other in (text.replace("b", "B"), text.replace("\n\n", "\n"), " " + text):
        assert body_hash(other.encode()) != base


PIECES = (
    *(
        "[",
        "]",
        "(",
        ")",
        "[[",
        "]]",
        "![",
        "|",
        "\\",
        "`",
        "```",
        "\n",
        "\r\n",
        "\r",
        "\n\n",
        "# ",
        "- ",
        "> ",
    ),
    *(
        "    ",
        "<",
        ">",
        "<!--",
        "-->",
        "<a href=",
        '"',
        "'",
        "a.md",
        "é",
        "日本",
        "🙂",
        "x",
        " ",
        ": ",
        "[a]: b",
    ),
    *(
        "[^1]",
        "[^1]: ",
        "|a|b|\n|-|-|\n",
        "---\n",
        "title: t\n",
        "*",
        "_",
        "&amp;",
        "#",
        "?",
        "%20",
        "..",
        "/",
    ),
    *("http://", "=\n", "\ufeff", "\x00", "\u2028"),
)
MARKDOWNISH = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)

FORM_STARTS = {
    "inline": (b"[", b"!["),
    "reference": (b"[", b"!["),
    "collapsed": (b"[", b"!["),
    "shortcut": (b"[", b"!["),
    "autolink": (b"<",),
    "wikilink": (b"[[", b"![["),
    "html": (b"<",),
    "definition": (b"[",),
}


def check_places(data: bytes, found: Page) -> None:
    flat = data.replace(b"\r\n", b" \n").replace(b"\r", b"\n")
    order = [link.start for link in found.links]
    assert order == sorted(order)
    for link in found.links:
        construct = data[link.start : link.end]
        assert construct.startswith(FORM_STARTS[link.form]), link
        assert link.image == construct.startswith(b"!") or link.form == "html"
        before = flat[: link.start].removeprefix(b"\xef\xbb\xbf")
        assert link.line == 1 + before.count(b"\n")
        assert link.column == 1 + len(before.rpartition(b"\n")[2].decode())
    assert {
        link.key
        for link in found.links
        if link.kind == "path" and not link.image and link.form != "definition"
    } == found.keys


@given(MARKDOWNISH)
def test_every_link_range_slices_to_its_construct(text: str):
    data = text.encode()
    found = page(REL, data)
    check_places(data, found)
    assert marshal.loads(marshal.dumps(found.row)) == found.row


@given(MARKDOWNISH)
def test_ranges_hold_behind_front_matter_too(text: str):
    data = b"\xef\xbb\xbf---\r\ntitle: \xc3\xa9\r\n---\r\n" + text.encode()
    check_places(data, page(REL, data))


@given(
    st.one_of(
        st.binary(max_size=120), st.binary(max_size=60).map(lambda data: b"---\n" + data + b"\n---\n" + data)
    )
)
def test_no_bytes_crash_the_reader(data: bytes):
    found = page(REL, data)
    assert found.front in ("ok", "missing", "unclosed", "invalid")
    assert marshal.loads(marshal.dumps(found.row)) == found.row
    assert all(problem.line >= 1 for problem in found.problems)
    lines = [problem.line for problem in found.problems]
    assert lines == sorted(lines)
