"""Every verb: it explains itself, keeps its class, and answers programs in one form."""

import json
from pathlib import Path

import click
import pytest
from program import tree

from llm_wiki.cli.main import cli, verb_names
from llm_wiki.ops.verbs import CLASSES, EVERYDAY, VERBS


def _all_verbs():
    root = click.Context(cli, info_name="llm-wiki")
    for name in verb_names():
        command = cli.get_command(root, name)
        if isinstance(command, click.Group):
            yield from (f"{name} {sub}" for sub in command.commands)
        else:
            yield name


ALL = sorted(_all_verbs())

ISSUED = {
    "feedback promote",
    "feedback reject",
    "feedback edit",
    "review desk",
    "review list",
    "review show",
    "review yes",
    "review no",
    "review edit",
    "review later",
    "review undo",
    "review propose",
    "init",
    "config",
    "status",
    "doctor",
    "resolve",
    "paths",
    "demo",
    "undo",
    "lint",
    "index check",
    "index rebuild",
    "index show",
    "links check",
    "links fix",
    "log append",
    "log tail",
    "schema status",
    "schema adopt",
    "schema migrate",
    "schema diff",
    "schema validate",
    "raw add",
    "raw verify",
    "ingest",
    "dedupe",
    "fetch",
    "search",
    "read",
    "route",
    "query",
    "redact",
    "capture",
    "feedback list",
    "feedback show",
    "feedback capture",
    "feedback stats",
    "feedback test",
    "session enable",
    "session disable",
    "session status",
    "session hook",
    "session capture",
    "session list",
    "session show",
    "session rehydrate",
    "session promote",
    "session forget",
    "session prune",
    "session reindex",
    "session redact",
    "setup",
    "hooks install",
    "hooks uninstall",
    "hooks status",
    "hooks print",
    "archive list",
    "archive topic",
    "archive restore",
    "archive peek",
    "archive repair",
    "retract",
    "retract-source plan",
    "retract-source apply",
    "retract-source verify",
    "tombstone list",
    "tombstone check",
    "tombstone lift",
}

NO_TARGET = {
    "archive list",
    "archive peek",
    "doctor",
    "feedback list",
    "feedback show",
    "feedback stats",
    "feedback test",
    "hooks print",
    "hooks status",
    "paths",
    "redact",
    "session list",
    "session rehydrate",
    "session show",
    "session status",
    "review later",
    "review list",
    "review show",
    "route",
}
"""Readers that look at no wiki, or at a hub alone."""

READERS = {
    "review list": [],
    "review show": ["fb-000000"],
    "review later": ["fb-000000"],
    "status": [],
    "doctor": [],
    "resolve": [],
    "paths": [],
    "lint": [],
    "index check": [],
    "index show": ["raw"],
    "links check": [],
    "log tail": [],
    "schema status": [],
    "schema diff": [],
    "schema validate": [],
    "raw verify": [],
    "dedupe": [],
    "search": ["tea"],
    "undo": ["--list"],
    "read": ["config.md"],
    "query": ["what is tea"],
    "route": ["lint the wiki"],
    "hooks status": [],
    "hooks print": ["claude"],
    "redact": ["--stdin"],
    "feedback list": [],
    "feedback show": ["fb-000000"],
    "feedback stats": [],
    "feedback test": ["--file", str(Path(__file__).parents[1] / "unit/data/feedback/given.jsonl")],
    "session status": [],
    "session list": [],
    "session show": ["nobody"],
    "session rehydrate": [],
    "archive list": [],
    "archive peek": ["tea"],
    "retract-source plan": ["2026-01-02-leaf.md"],
    "retract-source verify": ["2026-01-01-gone.md"],
    "tombstone list": [],
    "tombstone check": ["https://clocks.example/fusee"],
}


@pytest.fixture
def topic(topic: Path) -> Path:
    """The topic with one source."""
    text = "---\ntitle: Leaf\nsource: MANUAL\ntype: notes\ningested: 2026-01-02\ntags: [tea]\nsummary: A leaf.\n---\n\nLeaf.\n"
    (topic / "raw/notes/2026-01-02-leaf.md").write_text(text)
    return topic


def test_the_table_holds_exactly_the_verbs_of_the_command_line():
    assert set(ALL) == ISSUED
    assert set(VERBS) >= ISSUED


def test_every_verb_has_a_write_class():
    assert all(VERBS[name].write_class in CLASSES for name in ALL)


@pytest.mark.parametrize("name", ALL)
def test_every_verb_explains_itself_and_offers_json(name):
    root = click.Context(cli, info_name="llm-wiki")
    command = cli
    for part in name.split():
        command = command.get_command(root, part) if command is cli else command.commands[part]
    text = command.get_help(click.Context(command, info_name=name))
    assert VERBS[name].summary
    assert VERBS[name].summary.rstrip(".")[:30] in " ".join(text.split())
    assert "--json" in text
    hidden = [
        p.name for p in command.params if isinstance(p, click.Option) and not p.help and p.name != "help"
    ]
    assert hidden == []


def test_every_class_r0_verb_is_exercised_as_a_reader():
    readers = {name for name in ALL if VERBS[name].write_class == "R0"} | {"undo"}
    assert readers - {"fetch"} == set(READERS)


@pytest.mark.parametrize("name", sorted(READERS))
def test_a_reading_verb_changes_no_byte_and_no_time(wiki, topic, name):
    target = [] if name in NO_TARGET else ["--wiki", "tea"]
    before = tree(wiki.home / "wiki")
    for form in ([], ["--json"]):
        done = wiki(*name.split(), *READERS[name], *target, *form)
        assert done.exit in (0, 1), done
        if form:
            json.loads(done.out)
    assert tree(wiki.home / "wiki") == before


@pytest.mark.parametrize("name", sorted(set(READERS) - NO_TARGET))
def test_a_verb_on_a_folder_that_is_no_wiki_ends_with_2_and_one_json_object(wiki, name):
    folder = wiki.here / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n")
    done = wiki(*name.split(), *READERS[name], "--hub", folder, "--json")
    assert done.exit == 2, done
    answer = done.json
    if VERBS[name].enveloped or name.startswith("schema"):
        assert answer["ok"] is False
        assert answer["exit"] == 2
        assert answer["error"]["remedy"]
    else:
        assert answer["status"] == "fail"
        assert answer["issues"][0]["rule"] == "W100"


@pytest.mark.parametrize("name", [n for n in sorted(READERS) if VERBS[n].enveloped])
def test_an_enveloped_verb_prints_sorted_keys_with_version_and_exit(wiki, topic, name):
    target = [] if name in NO_TARGET else ["--wiki", "tea"]
    done = wiki(*name.split(), *READERS[name], *target, "--json")
    answer = done.json
    assert answer["schema_version"] == 1
    assert answer["exit"] == done.exit
    assert answer["ok"] is (done.exit == 0)
    assert list(answer) == sorted(answer)


def test_json_of_a_reading_verb_is_the_same_twice(wiki, topic):
    assert wiki("lint", topic, "--json").out == wiki("lint", topic, "--json").out
    assert wiki("status", topic, "--json").out == wiki("status", topic, "--json").out


def test_help_shows_the_everyday_verbs_first_and_the_rest_on_request(wiki):
    short, full = wiki.ok("--help").out, wiki.ok("--help", "--all").out
    shown = [line.split()[0] for line in short.splitlines() if line.startswith("  ") and line.split()]
    everyday = [name for name in EVERYDAY if name in verb_names()]
    assert [name for name in shown if name in everyday] == everyday
    assert "dedupe" not in short.split("Everyday")[1]
    assert all(f"  {name} " in full for name in verb_names())


def test_a_misspelt_verb_names_its_neighbour_and_ends_with_2(wiki):
    done = wiki("ingst", "x")
    assert done.exit == 2
    assert "ingest" in done.err


def test_bad_usage_with_json_is_an_envelope(wiki):
    done = wiki("status", "--no-such-flag", "--json")
    assert done.exit == 2
    assert done.json["exit"] == 2


def test_bad_usage_of_lint_is_a_report(wiki):
    for form in (["--json"], ["--format", "json"], ["--format=json"]):
        for wrong in (["--no-such-flag"], ["--fail-on", "x"], ["--dry-run"], ["--only", "W9Z"]):
            done = wiki("lint", *wrong, *form)
            assert done.exit == 2
            assert (done.json["status"], done.json["counts"]["critical"]) == ("fail", 1)
            assert done.json["root"] is None or wrong == ["--only", "W9Z"]


def test_debug_shows_the_trace_that_is_hidden_otherwise(wiki):
    hidden = wiki("status", wiki.here / "missing")
    shown = wiki("--debug", "status", wiki.here / "missing")
    assert "Traceback" not in hidden.err
    assert "Traceback" in shown.err
