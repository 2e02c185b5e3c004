"""What is taken from stdin: one object within the limits, of any other at most the ids at its top."""

import io
import json

import pytest

from llm_wiki.hook import incoming

IDS = '"session_id": "a", "cwd": "/x", "hook_event_name": "Stop"'


def received(text):
    return incoming.receive(io.BytesIO(text if isinstance(text, bytes) else text.encode()))


@pytest.mark.parametrize(
    ("text", "payload"),
    [
        ('{"a": NaN, "b": -Infinity, "c": 1}', {"a": None, "b": None, "c": 1}),
        (f'{{"a": {"9" * 5_000}, "b": 12}}', {"a": None, "b": 12}),
        ('{"a": "\\ud800", "b": "\\ud83d\\ude00"}', {"a": "\\ud800", "b": "\U0001f600"}),
        ('\ufeff{"a": 1}', {"a": 1}),
        (b'{"a": "\xff"}', {"a": "\ufffd"}),
        ("", {}),
    ],
)
def test_an_object_is_taken_as_files_can_hold_it(text, payload):
    assert received(text) == (payload, False, "", "")


@pytest.mark.parametrize("text", ["[1]", "null", "7", '"x"', "{", "{'a': 1}", "\x00"])
def test_what_is_no_object_is_a_problem_and_nothing_else(text):
    got = received(text)
    assert (got.payload, got.oversize) == ({}, False)
    assert got.problem


@pytest.mark.parametrize(
    "text",
    [
        f'{{{IDS}, "x": {"[" * 300}{"]" * 300}}}',
        f'{{{IDS}, "x": {json.dumps({f"k{n}": n for n in range(6_000)})}}}',
        f'{{{IDS}, "x": "{"y" * (5 << 20)}"}}',
        f'{{"x": "{"y" * (5 << 20)}", {IDS}}}',
        f'{{"x": "{"y" * (5 << 20)}", {IDS}, "flat": {{"session_id": "b"}}, "list": ["}}", 1]}}',
        f'{{"x": {{"session_id": "b", "y": ["session_id"]}}, {IDS}, "z": "{"y" * (5 << 20)}"}}',
        f'{{"x": "\\"session_id\\": \\"b\\"", {IDS}, "z": "{"y" * (5 << 20)}"}}',
    ],
)
def test_of_what_is_too_large_the_ids_at_the_top_are_taken(text):
    got = received(text)
    assert got.oversize
    assert got.payload == {"session_id": "a", "cwd": "/x", "hook_event_name": "Stop"}


@pytest.mark.parametrize(
    "piece", ['{"a":', '{"a":"x",', '"', "\\", "[[{", ',"a":"', '{"a":{"b":"\\"', ',"a":{"b"']
)
def test_no_broken_object_makes_the_search_for_ids_fail(piece):
    got = received(piece * ((5 << 20) // len(piece)))
    assert got.oversize
    assert set(got.payload) <= {"session_id"}


def test_a_million_numbers_are_an_object_like_any_other():
    got = received(f'{{{IDS}, "x": [{"1," * 1_000_000}1]}}')
    assert not got.oversize
    assert len(got.payload["x"]) == 1_000_001
    assert got.sample


def test_large_objects_that_differ_anywhere_have_other_samples():
    samples = {received(f'{{{IDS}, "x": "{"y" * (5 << 20)}{end}"}}').sample for end in ("a", "b", "bb")}
    assert len(samples) == 3
