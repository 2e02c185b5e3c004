"""The hub's registry: tolerant to read, faithful to write (`wiki-format.md` §8.1)."""

import json
from pathlib import Path

import pytest

from llm_wiki.core.errors import Refused
from llm_wiki.wiki.registry import Registry, locate

HUB = Path("/hub")


def load(tmp_path, content) -> Registry:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    (tmp_path / "wikis.json").write_bytes(data)
    return Registry.load(tmp_path)


def texts(registry):
    return [problem.text for problem in registry.problems]


# --- paths -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ("<HUB>", "/hub"),
        ("HUB", "/hub"),
        (".", "/hub"),
        ("<HUB>/topics/a", "/hub/topics/a"),
        ("HUB/topics/a", "/hub/topics/a"),
        ("<HUB>//topics/a", "/hub/topics/a"),
        ("topics/a", "/hub/topics/a"),
        ("topics/.archive/a", "/hub/topics/.archive/a"),
        ("../other", "/other"),
        ("/data/a/", "/data/a"),
        ("~/a", "/home/me/a"),
        ("~", "/home/me"),
        ("~you/a", "/hub/~you/a"),
        ("HUBBLE/a", "/hub/HUBBLE/a"),
    ],
)
def test_every_form_of_a_path_leads_where_it_says(monkeypatch, written, place):
    monkeypatch.setenv("HOME", "/home/me")
    assert locate(HUB, written) == Path(place)


@pytest.mark.parametrize(
    ("written", "inside"),
    [
        ("topics/a", "topics/a"),
        ("<HUB>", ""),
        ("/hub/topics/a", "topics/a"),
        ("/hubs/a", None),
        ("../a", None),
    ],
)
def test_a_place_knows_whether_it_lies_in_the_hub(tmp_path, written, inside):
    registry = load(tmp_path, {"wikis": {"a": {"path": written}}})
    assert registry.entries["a"].inside(HUB) == inside


@pytest.mark.parametrize(
    ("written", "absolute"),
    [("/a", True), ("~/a", True), ("C:\\a", True), ("topics/a", False), ("<HUB>", False)],
)
def test_paths_of_one_machine_are_told_from_portable_ones(tmp_path, written, absolute):
    registry = load(tmp_path, {"wikis": {"a": {"path": written}}})
    assert registry.entries["a"].absolute is absolute


# --- reading ---------------------------------------------------------------------------------


def test_a_missing_registry_is_empty_and_no_problem(tmp_path):
    registry = Registry.load(tmp_path)
    assert (registry.exists, registry.digest, registry.entries, registry.problems) == (False, None, {}, [])


def test_an_entry_is_read_with_all_its_keys(tmp_path):
    registry = load(
        tmp_path,
        {
            "default": "tea",
            "wikis": {
                "hub": {"path": "<HUB>"},
                "tea": {
                    "path": "topics/.archive/tea",
                    "description": "Leaves",
                    "status": "archived",
                    "archived": "2026-01-01",
                    "archive_reason": "done",
                    "restored": "2025-01-01",
                    "extra": 1,
                },
            },
            "local_wikis": ["~/a/.wiki", {"path": "/b/.wiki", "description": "B"}],
        },
    )
    assert registry.problems == []
    assert registry.default == "tea"
    assert registry.hub_entry == {"path": "<HUB>"}
    assert registry.local_wikis == [("~/a/.wiki", ""), ("/b/.wiki", "B")]
    entry = registry.entries["tea"]
    assert entry[:7] == (
        "tea",
        "topics/.archive/tea",
        "Leaves",
        "archived",
        "2026-01-01",
        "done",
        "2025-01-01",
    )
    assert entry.data["extra"] == 1


@pytest.mark.parametrize(
    ("entry", "status"),
    [
        ({"path": "topics/a"}, "active"),
        ({"path": "topics/a", "status": "active"}, "active"),
        ({"path": "topics/a", "status": "archived"}, "archived"),
        ({"path": "topics/.archive/a"}, "archived"),
        ({"path": "HUB/topics/.archive/a"}, "archived"),
        ({"path": "./topics/.archive/a", "status": "active"}, "archived"),
        ({"path": "topics/a", "status": "asleep"}, "active"),
    ],
)
def test_an_entry_is_archived_by_word_or_by_place(tmp_path, entry, status):
    assert load(tmp_path, {"wikis": {"a": entry}}).entries["a"].status == status


def test_a_byte_order_mark_is_no_problem(tmp_path):
    registry = load(tmp_path, b'\xef\xbb\xbf{"wikis": {"a": {"path": "topics/a"}}}')
    assert registry.problems == []
    assert "a" in registry.entries


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"", "json", 1),
        (b'{\n"wikis": {,}\n}', "json", 2),
        (b'{"wikis":\n{"a": {"path": "caf\xe9"}}}', "encoding", 2),
        (b"\xff\xfe{}", "encoding", 1),
        (b"[]", "shape", 0),
        (b"null", "shape", 0),
        (b"[" * 100_000, "json", 0),
        (b"1" * 5000, "json", 0),
        (b'{"wikis": {}, "wikis": {}}', "duplicate", 0),
    ],
)
def test_a_file_that_is_no_registry_is_one_problem_and_not_writable(tmp_path, data, code, line):
    registry = load(tmp_path, data)
    assert [(found.code, found.line) for found in registry.problems] == [(code, line)]
    assert registry.exists
    assert not registry.usable


def test_a_folder_in_place_of_the_registry_is_a_problem(tmp_path):
    (tmp_path / "wikis.json").mkdir()
    registry = Registry.load(tmp_path)
    assert [found.code for found in registry.problems] == ["unreadable"]
    assert not registry.usable


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"wikis": []}, "`wikis` must be an object, not a list"),
        ({"wikis": None}, "`wikis` must be an object, not null"),
        ({"wikis": {"a": "topics/a"}}, "entry `a` must be an object, not a string"),
        ({"wikis": {"a": {}}}, "entry `a` has no path"),
        ({"wikis": {"a": {"path": ""}}}, "entry `a` has no path"),
        ({"wikis": {"a": {"path": 5}}}, "`path` of entry `a` must be a string, not a number"),
        (
            {"wikis": {"a": {"path": "x", "description": ["y"]}}},
            "`description` of entry `a` must be a string",
        ),
        (
            {"wikis": {"a": {"path": "x", "status": "gone"}}},
            "`status` of entry `a` must be active or archived",
        ),
        (
            {"wikis": {"a": {"path": "x", "archived": True}}},
            "`archived` of entry `a` must be a string, not true",
        ),
        ({"wikis": {"hub": 1}}, "entry `hub` must be an object, not a number"),
        ({"default": 3}, "`default` must be a string, not a number"),
        ({"local_wikis": {}}, "`local_wikis` must be a list, not an object"),
        ({"local_wikis": ["a", {"description": "x"}]}, "item 2 of `local_wikis` has no path"),
    ],
)
def test_a_wrong_shape_of_any_part_is_one_problem(tmp_path, content, text):
    (found,) = texts(load(tmp_path, content))
    assert found.startswith(text)


def test_one_broken_entry_does_not_hide_the_others(tmp_path):
    registry = load(tmp_path, {"wikis": {"a": 5, "b": {"path": "topics/b"}}})
    assert list(registry.entries) == ["b"]
    assert registry.usable


def test_missing_optional_keys_are_no_problem(tmp_path):
    assert load(tmp_path, {"wikis": {"a": {"path": "topics/a"}}}).problems == []
    assert load(tmp_path, {}).problems == []


# --- writing ---------------------------------------------------------------------------------


def test_what_is_written_keeps_order_unknown_keys_and_non_ascii_text(tmp_path):
    text = json.dumps(
        {
            "zeta": [1, {"b": 1.5, "a": None}],
            "wikis": {"té": {"x": "日本", "path": "topics/té"}},
            "default": "<HUB>",
        },
        indent=2,
        ensure_ascii=False,
    )
    assert load(tmp_path, f"{text}\n".encode()).to_bytes() == f"{text}\n".encode()


def test_byte_order_mark_and_line_ending_stay(tmp_path):
    data = b'\xef\xbb\xbf{\r\n  "default": "<HUB>"\r\n}\r\n'
    assert load(tmp_path, data).to_bytes() == data


def test_a_lone_surrogate_stays_an_escape(tmp_path):
    data = b'{\n  "default": "\\ud800"\n}\n'
    assert load(tmp_path, data).to_bytes() == data


def test_a_new_topic_goes_to_the_end_and_a_known_one_keeps_its_other_keys(tmp_path):
    registry = load(tmp_path, {"wikis": {"a": {"note": "n", "path": "old", "description": "d"}}, "z": 1})
    registry.set_topic("b", "topics/b", "B")
    registry.set_topic("a", "topics/a", "A")
    assert json.loads(registry.to_bytes()) == {
        "wikis": {
            "a": {"note": "n", "path": "topics/a", "description": "A"},
            "b": {"path": "topics/b", "description": "B"},
        },
        "z": 1,
    }
    assert list(registry.entries) == ["a", "b"]


def test_what_stands_under_a_topics_name_and_is_no_entry_is_never_replaced(tmp_path):
    registry = load(tmp_path, {"wikis": {"a": "topics/a"}})
    with pytest.raises(Refused):
        registry.set_topic("a", "topics/a", "A")
    assert registry.data == {"wikis": {"a": "topics/a"}}


def test_the_digest_is_that_of_the_bytes_read(tmp_path):
    import hashlib

    registry = load(tmp_path, b"{}")
    assert registry.digest == hashlib.sha256(b"{}").hexdigest()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"x": 1e400}', "the number 1e400 is too large"),
        ('{"x": NaN}', "NaN is no number"),
        ('{"x": [-Infinity]}', "-Infinity is no number"),
        ('{"x": ' + "[" * 100 + "]" * 100 + "}", "nested deeper than 100 levels"),
        ('{"x": ' + "[" * 100_000, "nested deeper than 100 levels"),
        ('{"x": ' + '{"y": ' * 900 + "1" + "}" * 901, "nested deeper than 100 levels"),
        ('{"x": ' + "1" * 5000 + "}", "Exceeds the limit"),
    ],
)
def test_what_could_not_be_written_back_as_it_is_makes_a_registry_unusable(tmp_path, text, why):
    registry = load(tmp_path, text.encode())
    assert not registry.usable
    (problem,) = registry.problems
    assert problem.code == "json"
    assert why in problem.text


def test_the_deepest_registry_that_is_read_is_written_back_as_it_is(tmp_path):
    data = b'{"x": ' + b"[" * 99 + b"]" * 99 + b"}"
    registry = load(tmp_path, data)
    assert registry.usable
    assert json.loads(registry.to_bytes()) == json.loads(data)
