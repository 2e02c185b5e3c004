"""Edits of JSON with comments touch no byte but their own, and can be taken back."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llm_wiki.hosts.setup import jsonedit
from llm_wiki.hosts.setup.jsonc import BadJson, parse, walk

VALUE = {"hooks": [{"type": "command", "command": "run 'it'", "timeout": 5}]}

TEXTS = {
    "two spaces": '{\n  "model": "x",\n  "hooks": {\n    "Stop": [\n      {"a": 1}\n    ]\n  }\n}\n',
    "four spaces, no newline at the end": '{\n    "hooks": {\n        "Stop": [\n            1\n        ]\n    }\n}',
    "tabs": '{\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t1\n\t\t]\n\t},\n\t"z": []\n}\n',
    "CRLF": '{\r\n  "hooks": {\r\n    "Stop": [\r\n      1\r\n    ]\r\n  }\r\n}\r\n',
    "one line": '{"hooks": {"Stop": [1, 2]}, "z": null}\n',
    "one line, no blanks": '{"hooks":{"Stop":[1]},"z":null}',
    "comments everywhere": '// top\n{ /* in */\n  "hooks": { // of hooks\n    "Stop": [ // list\n      1 // one\n      /* end */\n    ] // after\n  } // last\n} // end\n',
    "trailing commas": '{\n  "hooks": {\n    "Stop": [\n      1, // one\n    ],\n  },\n}\n',
    "odd layout": '{"hooks"\n:\n{ "Stop" :[1\n,2 ]}\n,   "b":\t2 }',
    "a list on one line in a tall file": '{\n  "hooks": {\n    "Stop": [1, 2]\n  }\n}\n',
    "the key comes twice, the last counts": '{\n  "hooks": 3,\n  "hooks": {\n    "Stop": [\n      1\n    ]\n  }\n}\n',
    "letters of every script": '{\n  "名": "é // no comment",\n  "hooks": {\n    "Stop": [\n      "\\"]}"\n    ]\n  }\n}\n',
}
PLACES = {
    "an item": ("hooks", "Stop", "-"),
    "a list": ("hooks", "PreCompact"),
    "a member": ("new name",),
}


def _put(place):
    return [VALUE] if place[-1] == "PreCompact" else VALUE


def _written(text, place):
    """Return the pointer of what was added."""
    items = parse(text).value
    for name in place[:-1]:
        items = items[name]
    return (*place[:-1], str(len(items))) if place[-1] == "-" else place


def _is_spread(short, long):
    """Tell whether every character of `short` stands in `long`, in order."""
    rest = iter(long)
    return all(char in rest for char in short)


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_is_added_is_there_and_every_byte_of_the_file_too(text, place):
    after = jsonedit.add(text, place, _put(place))
    value = parse(after).value
    before = parse(text).value
    for name in place[:-1]:
        value, before = value[name], before[name]
    if place[-1] == "-":
        assert value == [*before, VALUE]
    else:
        assert value == before | {place[-1]: _put(place)}
    assert _is_spread(text, after)
    assert ("\r\n" in text) == ("\r\n" in after)
    assert after.replace("\r\n", "").count("\n") == (0 if "\r\n" in text else after.count("\n"))


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_taking_out_what_was_added_gives_the_same_bytes(text, place):
    assert jsonedit.remove(jsonedit.add(text, place, _put(place)), _written(text, place)) == text


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_several_edits_are_taken_back_in_any_order(text):
    after = text
    for name in ("A", "B", "C"):
        after = jsonedit.add(after, ("hooks", name), [VALUE])
    for name in ("B", "A", "C"):
        after = jsonedit.remove(after, ("hooks", name))
    assert after == text


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_another_value_changes_only_its_place(text):
    after = jsonedit.replace(text, ("hooks", "Stop", "0"), VALUE)
    assert parse(after).value["hooks"]["Stop"] == [VALUE, *parse(text).value["hooks"]["Stop"][1:]]
    assert len(list(walk(parse(after)))) > len(list(walk(parse(text))))


LOOKS = [
    ("{}\n", ("a",), [1], '{\n  "a": [\n    1\n  ]\n}\n'),
    ("{}", ("a",), 1, '{\n  "a": 1\n}'),
    ('{"b": {}}', ("b", "a"), 1, '{"b": {"a": 1}}'),
    ('{\n  "b": []\n}\n', ("b", "-"), 1, '{\n  "b": [\n    1\n  ]\n}\n'),
    ('{\n  "b": {\n    // nothing yet\n  }\n}\n', ("b", "c"), 1,
     '{\n  "b": {\n    // nothing yet\n    "c": 1\n  }\n}\n'),
    ('{\n  "a": 1 // one\n}\n', ("b",), 2, '{\n  "a": 1, // one\n  "b": 2\n}\n'),
    ('{\n\t"a": 1,\n}\n', ("b",), {"c": 2}, '{\n\t"a": 1,\n\t"b": {\n\t\t"c": 2\n\t},\n}\n'),
    ('{"a":[1]}', ("a", "-"), {"b": "c"}, '{"a":[1,{"b":"c"}]}'),
]  # fmt: skip


@pytest.mark.parametrize(("text", "place", "value", "wanted"), LOOKS)
def test_an_addition_looks_as_if_the_owner_had_written_it(text, place, value, wanted):
    assert jsonedit.add(text, place, value) == wanted


TAKEN = [
    ('{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n', ("b",), '{\n  "a": 1,\n  "c": 3\n}\n'),
    ('{\n  "a": 1,\n  "b": 2\n}\n', ("a",), '{\n  "b": 2\n}\n'),
    ('{"a": [1, 2, 3]}', ("a", "0"), '{"a": [2, 3]}'),
    ('{"a": [1, 2, 3]}', ("a", "1"), '{"a": [1, 3]}'),
    ('{"a": [1, 2, 3]}', ("a", "2"), '{"a": [1, 2]}'),
    ('{"a": [1]}', ("a", "0"), '{"a": []}'),
    ('{\n  "a": [\n    1\n  ]\n}\n', ("a", "0"), '{\n  "a": []\n}\n'),
    ('{\n  "a": 1, // of a\n  "b": 2 // of b\n}\n', ("b",), '{\n  "a": 1 // of a\n // of b\n}\n'),
]


@pytest.mark.parametrize(("text", "place", "wanted"), TAKEN)
def test_what_is_taken_out_leaves_a_well_formed_rest(text, place, wanted):
    assert jsonedit.remove(text, place) == wanted
    parse(wanted)


WRONG = [
    ("", 1, "missing"),
    ("{\n", 2, "quotes"),
    ('{"a": 1', 1, "comma"),
    ('{\n  "a": 1\n  "b": 2\n}', 3, "comma"),
    ('{\n  "a" 1\n}', 2, "colon"),
    ("{\n  a: 1\n}", 2, "quotes"),
    ('{"a": tru}', 1, "no value"),
    ('{"a": 01}', 1, "no value"),
    ('{"a": 1}\n{"b": 2}', 2, "behind the end"),
    ('{"a": "\n"}', 1, "quotes"),
    ('{"a": "\\x"}', 1, "escape"),
    ('{"a": 1 /* open', 1, "not closed"),
    ("{,}", 1, "quotes"),
    ("[1,,2]", 1, "no value"),
    ("NaN", 1, "no value"),
    ("[" * 100_000, 1, "deeply"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "word"), WRONG, ids=range(len(WRONG)))
def test_a_broken_text_is_refused_with_its_line(text, line, word):
    with pytest.raises(BadJson, match=word) as caught:
        parse(text)
    assert caught.value.line == line


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
blanks = st.sampled_from(["", " ", "\n", "\n  ", "\t", "// c\n", "/* c */", "\r\n"])


@st.composite
def documents(draw):
    """An object as text: its layout, comments and trailing commas drawn at random."""

    def text(value):
        if not isinstance(value, dict | list):
            return json.dumps(value, ensure_ascii=draw(st.booleans()))
        pairs = value.items() if isinstance(value, dict) else [(None, item) for item in value]
        parts = []
        for key, item in pairs:
            name = "" if key is None else json.dumps(key) + draw(blanks) + ":"
            parts.append(draw(blanks) + name + draw(blanks) + text(item) + draw(blanks))
        inner = ",".join(parts) + ("," if parts and draw(st.booleans()) else "") + draw(blanks)
        return "{" + inner + "}" if isinstance(value, dict) else "[" + inner + "]"

    return text(draw(st.dictionaries(st.text(), json_values, max_size=4)))


@given(json_values)
def test_plain_json_is_read_as_the_standard_library_reads_it(value):
    for text in (json.dumps(value), json.dumps(value, indent=1, ensure_ascii=False)):
        assert parse(text).value == value


@given(documents(), st.text(), json_values)
@settings(max_examples=200)
def test_any_object_takes_a_member_and_gives_it_back(text, name, value):
    before = parse(text).value
    if name in before:
        return
    after = jsonedit.add(text, (name,), value)
    assert parse(after).value == before | {name: value}
    assert _is_spread("".join(text.split()), after)
    if before:
        assert jsonedit.remove(after, (name,)) == text


@given(documents())
@settings(max_examples=200)
def test_any_part_can_be_taken_out_of_any_object(text):
    for pointer, _ in walk(parse(text)):
        if pointer.count("/") != 1:
            continue
        name = pointer[1:].replace("~1", "/").replace("~0", "~")
        value = parse(text).value
        if len(parse(text).keys) != len(value):
            return
        del value[name]
        assert parse(jsonedit.remove(text, (name,))).value == value
