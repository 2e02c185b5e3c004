"""The promises of the fuzz targets, for documents put together from well-formed pieces."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from fuzz_targets import TARGETS

from llm_wiki.model import edit
from llm_wiki.model.frontmatter import load, split, unix

WORDS = (
    "x",
    "two words",
    "a: b",
    "no",
    "0012",
    "é",
    "'it''s'",
    '"q"',
    "a, b",
    "#1",
    "- y",
    "[z]",
    "",
    " pad ",
    "a\\b",
)
KEYS = ("title", "tags", "a b", "x-y")
SIMPLE = (
    "{key}: plain words",
    "{key}: plain # note",
    "{key}: \"quoted: 'text'\"",
    "{key}: 'single ''text'''",
    "{key}:",
    "{key}: # note",
    "{key}: [a, 'b c']",
    "{key}: []",
    "{key}:\n- a\n- b # note\n# between\n- 'c d'",
    '{key}:\n  - a\n  - "b"\n',
    "{key}: [a,\n  b, # note\n  c]",
    "{key}: |\n  one\n\n  two",
    "{key}: >-\n  one\n  two\n# behind",
    "'{key}': quoted key",
    "# before\n{key}: x",
)
ODD = (
    "{key}: &n x",
    "{key}: *n",
    "{key}: {{k: v}}",
    "{key}:\n  k: v\n  l:\n  - m",
    "? {key}\n: x",
    "{key}: !t x",
    "{key}:\n- - a\n- k: v",
)

eols = st.sampled_from(["\n", "\r\n", "\r"])
bodies = st.sampled_from(["", "Body", "# T\n\n---\nx: y\n---\n"])
words = st.sampled_from(WORDS)


@st.composite
def pages(draw, forms):
    """A file with front matter of these forms, with any line end, with and without BOM."""
    fields = draw(
        st.lists(
            st.tuples(st.sampled_from(forms), st.sampled_from(KEYS)), max_size=4, unique_by=lambda f: f[1]
        )
    )
    head = "".join(f"{form.format(key=key)}\n" for form, key in fields)
    mark = draw(st.sampled_from(["", "\ufeff"]))
    return (mark + f"---\n{head}---\n{draw(bodies)}".replace("\n", draw(eols))).encode()


values = st.one_of(words, st.lists(words, max_size=4))


@given(pages(SIMPLE), st.sampled_from(KEYS), values)
@settings(max_examples=400)
def test_a_plain_field_can_always_be_set_and_removed(data, key, value):
    after = edit.set_field(data, key, value)
    assert header(after) == {**header(data), key: value}
    assert header(edit.remove_field(after, key)) == {
        name: v for name, v in header(data).items() if name != key
    }


@given(pages(SIMPLE), st.sampled_from(KEYS))
@settings(max_examples=200)
def test_a_plain_field_can_always_be_renamed_and_gets_its_bytes_back(data, key):
    if key in header(data):
        renamed = edit.rename_field(data, key, "new")
        assert list(header(renamed)) == ["new" if name == key else name for name in header(data)]
        assert edit.rename_field(renamed, "new", key) == data.replace(f"'{key}'".encode(), key.encode())


@given(pages(SIMPLE), st.sampled_from(KEYS), words)
@settings(max_examples=200)
def test_every_item_of_a_plain_list_can_be_set_alone(data, key, value):
    old = header(data).get(key)
    for place, _ in enumerate(old if isinstance(old, list) else ()):
        new = header(edit.set_item(data, key, place, value))
        assert new == {**header(data), key: [*old[:place], value, *old[place + 1 :]]}


def header(data):
    front = split(unix(data))
    meta, _, problems = load(data[front.start : front.end])
    assert not problems
    return meta


@given(
    st.sampled_from(["set", "rename", "remove", "item"]),
    st.sampled_from(KEYS),
    st.one_of(words, st.lists(words, min_size=2, max_size=4).map("|".join)),
    pages((*SIMPLE, *ODD)),
)
@settings(max_examples=600)
def test_edits_of_any_header_change_one_field_alone(action, key, value, data):
    TARGETS["set_field"](f"{action}\t{key}\t{value}\n".encode() + data)


PIECES = (
    *(
        "[a](b.md)",
        "![a](b.png 't')",
        "[a](<b c.md>)",
        "[a][x]",
        "![x][]",
        "[x]",
        "[[a]]",
        "![[a#h|t]]",
        "<https://a.b>",
    ),
    *(
        "<a href='b.md'>",
        "<img src=b.png />",
        "\n\n[x]: y.md\n\n",
        "[^1]",
        "\n\n[^1]: n\n\n",
        "`c`",
        "*e*",
        "\\",
        "|",
        "é",
        " ",
    ),
    *(
        "\n",
        "\n\n",
        "# ",
        "> ",
        "- ",
        "    ",
        "```\n",
        "\n| a | b |\n|---|---|\n| ",
        "<!-- ",
        " -->",
        "[",
        "]",
        "(",
        ")",
        "!",
    ),
)
targets = st.sampled_from(
    ["n.md", "n m.md", "n(1).md", "n|m", "#h", "", "n\\", "é.md?q#f", "a%20b.md", "<n>", "n]]", '"n"']
)
texts = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@given(st.integers(0, 5), targets, texts, eols)
@settings(max_examples=600)
def test_links_of_any_text_are_led_elsewhere_alone(number, target, text, eol):
    TARGETS["retarget"](f"\t{number}\t{target}\n".encode() + text.replace("\n", eol).encode())


@given(texts, eols)
@settings(max_examples=400)
def test_links_of_any_text_lie_where_they_are_said_to_lie(text, eol):
    data = text.replace("\n", eol).encode()
    TARGETS["markdown"](data)
    TARGETS["whole_page"](data)


jsons = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=5),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
entries = st.dictionaries(
    st.sampled_from(["path", "description", "status", "archived", "x"]), jsons, max_size=4
)
registries = st.fixed_dictionaries(
    {},
    optional={
        "default": st.one_of(st.sampled_from(["<HUB>", "a", "."]), jsons),
        "wikis": st.one_of(
            st.dictionaries(
                st.sampled_from(["hub", "a", "b c", "Ä", "new"]), st.one_of(entries, jsons), max_size=4
            ),
            jsons,
        ),
        "local_wikis": st.one_of(st.lists(st.one_of(st.text(max_size=4), entries), max_size=3), jsons),
        "x": jsons,
    },
)


@given(registries, st.sampled_from([None, 2, 4]), st.booleans(), st.booleans())
@settings(max_examples=300)
def test_any_registry_is_read_and_written_back_with_all_it_holds(value, indent, ascii_only, crlf):
    import json

    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    TARGETS["registry"](text.replace("\n", "\r\n" if crlf else "\n").encode("utf-8", "surrogatepass"))
