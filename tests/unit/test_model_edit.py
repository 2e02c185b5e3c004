from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st
from model_cases import cases

from llm_wiki.core.errors import BadUsage, Refused
from llm_wiki.model.document import body, body_hash, page
from llm_wiki.model.edit import remove_field, rename_field, render, scalar, set_field, set_item
from llm_wiki.model.frontmatter import load

WRAPS = {
    "LF": lambda head: f"---\n{head}---\nBody\n",
    "CRLF with BOM": lambda head: ("\ufeff---\n" + head + "---\n\nBödy").replace("\n", "\r\n"),
    "CR": lambda head: f"--- \n{head}---\t\nBody\n".replace("\n", "\r"),
}


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize(
    ("change", "before", "after"),
    [pytest.param(*case, id=case[0].split("\n")[0]) for case in cases("model_set_field.md")],
)
def test_a_field_is_set_as_the_table_says(wrap: str, change: str, before: str, after: str):
    key, _, value = change.split("\n")[1].partition(" = ")
    data, expected = WRAPS[wrap](before).encode(), WRAPS[wrap](after).encode()
    assert set_field(data, key, json.loads(value), after="title") == expected
    assert set_field(expected, key, json.loads(value), after="title") == expected


@pytest.mark.parametrize(
    ("index", "value", "after"),
    [
        (1, "foo: bar #1.md", b's:\n# c\n- a\n# d\n- "foo: bar #1.md" # e\n'),
        (0, "raw/b.md", b"s:\n# c\n- raw/b.md\n# d\n- {k: v} # e\n"),
    ],
)
def test_one_item_is_set_between_comments(index: int, value: str, after: bytes):
    data = b"---\ns:\n# c\n- a\n# d\n- {k: v} # e\n---\n"
    assert set_item(data, "s", index, value) == b"---\n" + after + b"---\n"


def test_a_file_without_front_matter_gets_one_and_keeps_its_body():
    assert (
        set_field(b"\xef\xbb\xbf# T\r\nx", "tags", ["a"])
        == b"\xef\xbb\xbf---\r\ntags: [a]\r\n---\r\n# T\r\nx"
    )
    data = set_field(b"# T\n", "title", "T")
    assert data == b"---\ntitle: T\n---\n# T\n"
    assert body_hash(data) == body_hash(b"# T\n")


def test_a_key_that_no_front_matter_can_hold_is_refused():
    for key in ("k" * 1025, "\x11" * 300, "é" * 600):
        for data in (b"# T\n", b"---\na: b\n---\n"):
            with pytest.raises(BadUsage):
                set_field(data, key, "x")
        with pytest.raises(BadUsage):
            render({key: "x"}, "")


@pytest.mark.parametrize("head", ["\ufeff\n", "\ufefftitle: a\nb: c\n"])
def test_a_header_that_begins_with_a_byte_order_mark_of_its_own_is_not_edited(head: str):
    with pytest.raises(Refused):
        set_field(f"---\n{head}---\n".encode(), "title", "x")


def test_the_longest_key_is_read_back():
    key = "k" * 1000
    assert load(render({key: "x"}, "").split(b"---\n")[1])[0] == {key: "x"}


def test_a_key_is_renamed_and_removed_where_it_stands():
    data = b"---\n# c\na: 1 # x\nlist:\n  - y\n  # in\n  - z\nb: 2\n---\n"
    assert rename_field(data, "a", "c d") == data.replace(b"a: 1", b"c d: 1")
    assert remove_field(data, "list") == b"---\n# c\na: 1 # x\nb: 2\n---\n"
    for call in (
        lambda: rename_field(data, "no", "x"),
        lambda: rename_field(data, "a", "b"),
        lambda: remove_field(data, "no"),
    ):
        with pytest.raises(BadUsage):
            call()


@pytest.mark.parametrize(
    "data",
    [
        b"---\na: 1\n",
        b"---\na: b: c\n---\n",
        b"---\n{a: 1}\n---\n",
        b"---\n? a\n: 1\n---\n",
        b"---\na: caf\xe9\n---\n",
        b"---\n- a\n---\n",
        b"---\na: &x [1]\nb: *x\n---\n",
    ],
)
def test_what_cannot_be_edited_safely_is_refused(data: bytes):
    with pytest.raises(Refused):
        set_field(data, "a", "z")


def test_a_list_item_that_is_not_there_is_bad_usage():
    data = b"---\na: 1\ns: [x]\nt: *n\n---\n".replace(b"*n", b"n")
    for key, index in (("a", 0), ("no", 0), ("s", 1), ("s", -1)):
        with pytest.raises(BadUsage):
            set_item(data, key, index, "v")


SCALARS = [
    ("word", "word"),
    ("two words, no", '"two words, no"'),
    ("", '""'),
    (" padded ", '" padded "'),
    ("a: b", '"a: b"'),
    ("a:b", "a:b"),
    ("ends:", '"ends:"'),
    ("a #b", '"a #b"'),
    ("a#b", "a#b"),
    ("- a", '"- a"'),
    ("-a", '"-a"'),
    ("[a]", '"[a]"'),
    ("*a", '"*a"'),
    ("It's", "It's"),
    ("'a", '"\'a"'),
    ('say "hi"', "'say \"hi\"'"),
    ('it\'s "x"', "'it''s \"x\"'"),
    ("a\\b", "a\\b"),
    ("a\\b: c", "'a\\b: c'"),
    ("2026-01-02", "2026-01-02"),
    ("2026-13-02", '"2026-13-02"'),
    ("2026-01-02T10:00:00Z", "2026-01-02T10:00:00Z"),
    ("12", '"12"'),
    ("1e5", '"1e5"'),
    ("0012", '"0012"'),
    ("0x1F", '"0x1F"'),
    ("0o17", '"0o17"'),
    ("1_000", '"1_000"'),
    ("12:30", '"12:30"'),
    (".5", '".5"'),
    ("1.2.3", "1.2.3"),
    ("true", '"true"'),
    ("No", '"No"'),
    ("y", '"y"'),
    ("null", '"null"'),
    ("~", '"~"'),
    ("=", '"="'),
    ("<<", '"<<"'),
    ("raw/articles/2026-01-02-x.md", "raw/articles/2026-01-02-x.md"),
    ("https://a.b/c?d=e#f", "https://a.b/c?d=e#f"),
    ("日本語", "日本語"),
    ('a\nb\t"c"', '"a\\nb\\t\\"c\\""'),
    ("\x07\x85\u2028\ufeff", '"\\x07\\x85\\u2028\\ufeff"'),
]


@pytest.mark.parametrize(("value", "written"), SCALARS)
def test_a_value_is_written_in_the_subset_both_readers_share(value: str, written: str):
    assert scalar(value) == written
    assert load(f"k: {written}\n")[0] == {"k": value}
    assert load(f"k:\n  - {written}\n")[0] == {"k": [value]}


def test_text_that_utf8_cannot_hold_is_bad_usage():
    with pytest.raises(BadUsage):
        scalar("caf\udce9")
    with pytest.raises(BadUsage):
        render({"a": "b"}, "caf\udce9")


TEXT = st.text(
    alphabet=st.one_of(
        st.sampled_from(" :#,-?[]{}&*!|>'\"%@`\\~=<ab0e.\n\t\r\x00\x85\u2028\ufeffé日🙂"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=12,
)
KEYS = st.text(alphabet="ab:# -'\"é", min_size=1, max_size=6)


@given(TEXT)
def test_every_value_reads_back_as_written(value: str):
    for written in (scalar(value), scalar(value, flow=True)):
        assert "\n" not in written
        assert load(f"k: {written} # c\nl: [{scalar(value, flow=True)}, x]\n")[0] == {
            "k": value,
            "l": [value, "x"],
        }
    assert yaml.safe_load(f"k: {scalar(value)}\n")["k"] == value or load(f"k: {value}\n")[0] == {"k": value}


@given(st.dictionaries(KEYS, st.one_of(TEXT, st.lists(TEXT, max_size=4)), max_size=5), st.text(max_size=20))
def test_a_rendered_document_parses_to_its_fields_and_body(fields: dict[str, str | list[str]], text: str):
    assume("\ud800" not in text)
    data = render(fields, text)
    found = page("wiki/concepts/a.md", data)
    assert (found.front, found.meta) == ("ok", fields)
    assert list(found.meta) == list(fields)
    assert body(data) == (text if not text or text[0] in "\r\n" else f"\n{text}")


ITEMS = st.lists(TEXT, max_size=4)
STYLES = st.sampled_from(["plain", "block", "flow"])


@st.composite
def headers(draw: st.DrawFn) -> tuple[str, dict[str, object]]:
    lines: list[str] = []
    meta: dict[str, object] = {}
    for key in draw(st.lists(st.sampled_from("abcde"), unique=True, min_size=1)):
        comment = draw(st.sampled_from(["", " # c", "   #"]))
        style = draw(st.sampled_from(["empty", "scalar", "block", "flow", "folded"]))
        if draw(st.booleans()):
            lines.append("# comment: [x")
        value: object = ""
        if style == "empty":
            lines.append(f"{key}:{comment}")
        elif style == "scalar":
            value = draw(TEXT)
            lines.append(f"{key}: {scalar(value)}{comment}")
        elif style == "folded":
            value = "one two"
            lines += [f"{key}: >-{comment}", "  one", "  two"]
        else:
            value = draw(ITEMS.filter(bool))
            if style == "flow":
                lines.append(f"{key}: [{', '.join(scalar(item, flow=True) for item in value)}]{comment}")
            else:
                pad = draw(st.sampled_from(["", "  ", "    "]))
                lines.append(f"{key}:{comment}")
                for item in value:
                    lines += [f"{pad}- {scalar(item)}{comment}", *draw(st.sampled_from([[], ["# between"]]))]
        meta[key] = value
    return "".join(line + "\n" for line in lines), meta


@given(
    headers(),
    st.sampled_from("abcdef"),
    st.one_of(TEXT, ITEMS),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
)
def test_an_edit_gives_the_value_and_leaves_every_other_line(
    header: tuple[str, dict[str, object]], key: str, value: str | list[str], eol: str, bom: bool
):
    head, meta = header
    tail = "---\n\nBödy [x](x.md)\nend"
    data = (("\ufeff" if bom else "") + f"---\n{head}{tail}".replace("\n", eol)).encode()
    assert page("a.md", data).meta == meta
    edited = set_field(data, key, value, after="b")
    found = page("a.md", edited)
    assert found.meta == {**meta, key: value}
    assert edited.endswith(tail.replace("\n", eol).encode())
    assert edited.startswith(b"\xef\xbb\xbf") == bom
    before = [line for line in head.split("\n") if not line.startswith(key + ":")]
    after = edited.decode().replace(eol, "\n").split("\n")
    comments = [line for line in before if line.startswith("# ")]
    assert sum(line.startswith("# ") for line in after) <= len(comments)
    first = list(meta).index(key) if key in meta else len(meta)
    kept = [name for place, name in enumerate(meta) if place < first]
    for name in kept:
        assert found.lines[name] == page("a.md", data).lines[name] or key not in meta
    if isinstance(value, str) or meta.get(key) == value:
        assert set_field(edited, key, value, after="b") == edited


@given(headers(), st.data())
def test_an_item_edit_changes_one_line_of_its_list(
    header: tuple[str, dict[str, object]], data: st.DataObject
):
    head, meta = header
    lists = [key for key, value in meta.items() if isinstance(value, list)]
    assume(lists)
    key = data.draw(st.sampled_from(lists))
    items = meta[key]
    assert isinstance(items, list)
    index = data.draw(st.integers(0, len(items) - 1))
    value = data.draw(TEXT)
    text = f"---\n{head}---\nBody"
    edited = set_item(text.encode(), key, index, value).decode()
    assert page("a.md", edited.encode()).meta == {**meta, key: [*items[:index], value, *items[index + 1 :]]}
    before, after = text.split("\n"), edited.split("\n")
    assert len(before) == len(after)
    assert sum(a != b for a, b in zip(before, after, strict=True)) <= 1


@given(
    st.one_of(st.binary(max_size=60), st.binary(max_size=40).map(lambda raw: b"---\n" + raw + b"\n---\nx")),
    st.sampled_from(["a", "b"]),
)
def test_any_bytes_are_edited_or_refused(data: bytes, key: str):
    try:
        edited = set_field(data, key, "value")
    except Refused:
        return
    assert page("a.md", edited).meta[key] == "value"
