"""Values that are words of the format: what hooks and verbs read afterwards is still what they need."""

import json

import pytest
from sessionkit import Room

WORDS = [
    "true",
    "null",
    "enabled",
    "keep",
    "changes",
    "schema_version",
    "native_session_id",
    "name",
    "text",
]


@pytest.fixture
def room(tmp_path):
    room = Room(tmp_path, level="words")
    room.topic()
    room.ok("config", "person.name", "Ada")
    room.finished("s1", tools=2)
    return room


def rows(path):
    data = path.read_text()
    return [
        json.loads(row) for row in (data.splitlines() if path.suffix == ".jsonl" else [data]) if row.strip()
    ]


def shape(value):
    """Return a value with nothing of its strings but that they are some."""
    if isinstance(value, dict):
        return {name: shape(each) for name, each in value.items()}
    if isinstance(value, list):
        return [shape(each) for each in value]
    return str if isinstance(value, str) else value


@pytest.mark.parametrize("word", WORDS)
def test_what_reads_it_goes_on(room, word):
    files = [path for path in room.home.rglob("*.json*") if ".cache" not in path.parts]
    before = {path: shape(rows(path)) for path in files}
    value = ["--everywhere", "--stdin", "--apply", "--json"]
    done = room.cli("retract", *value, stdin=word.encode())
    assert done.json["status"] in ("verified", "incomplete")
    changed = [
        path
        for path, was in before.items()
        if path.exists() and "undo" not in path.parts and shape(rows(path)) != was
    ]
    assert changed == []
    for path in room.home.rglob("manifest.json"):
        rows(path)
    for verb in (
        ["undo", "--list"],
        ["session", "list"],
        ["session", "status"],
        ["status"],
        ["config", "person.name"],
    ):
        room.ok(*verb)
    room.finished("s2", tools=2)
    assert {row["native_session_id"] for row in room.all_rows("registry.jsonl")} >= {"s1", "s2"}
