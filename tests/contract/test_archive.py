"""`llm-wiki archive` as a black box: texts, JSON, exit codes, and what no other verb shows of an archived topic."""

import json
import shutil

import click
import pytest
from archivekit import CANARY, change, files, linked, registry
from program import tree

from llm_wiki.cli.main import cli, verb_names


@pytest.fixture
def hub(wiki, monkeypatch):
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(wiki.home / "elsewhere"))
    monkeypatch.setenv("LLM_WIKI_TODAY", "2026-01-10")
    return linked(wiki.hub)


# --- texts and JSON ---------------------------------------------------------------------------


def test_the_list_has_its_text(wiki, hub):
    change(hub, "coffee", description="black | bitter")
    wiki.ok("archive", "topic", "tea", "--reason", "out of | season")
    assert wiki.ok("archive", "list").out == (
        f"llm-wiki archive: {hub}\n\n"
        "Active topics (2)\n\n"
        "| Slug | Path | Description |\n"
        "|------|------|-------------|\n"
        "| coffee | topics/coffee | black \\| bitter |\n"
        "| milk | topics/milk | Milk |\n\n"
        "Archived topics: 1\n"
    )
    assert wiki.ok("archive", "list", "--archived").out.endswith(
        "Archived topics: 1\n\n"
        "| Slug | Path | Archived | Reason |\n"
        "|------|------|----------|--------|\n"
        "| tea | topics/.archive/tea | 2026-01-10 | out of \\| season |\n"
    )


def test_the_json_of_the_list_has_three_keys_and_rows_of_five_strings(wiki, hub):
    wiki.ok("archive", "topic", "tea", "--reason", "x")
    answer = wiki.ok("archive", "list", "--json").json
    assert answer == {
        "hub": str(hub),
        "active": [
            {
                "slug": "coffee",
                "path": "topics/coffee",
                "description": "Coffee",
                "archived": "",
                "reason": "",
            },
            {"slug": "milk", "path": "topics/milk", "description": "Milk", "archived": "", "reason": ""},
        ],
        "archived": [
            {
                "slug": "tea",
                "path": "topics/.archive/tea",
                "description": "Tea",
                "archived": "2026-01-10",
                "reason": "x",
            }
        ],
    }


def test_options_count_before_and_after_the_verb(wiki, hub):
    shutil.copytree(hub, wiki.home / "other")
    forms = [
        ("archive", "--hub", wiki.home / "other", "list", "--json"),
        ("archive", "--json", "list", "--hub", wiki.home / "other"),
        ("archive", "--hub", wiki.home / "other", "--json", "list", "--hub", wiki.home / "other"),
    ]
    assert len({wiki.ok(*form).out for form in forms}) == 1
    assert wiki.ok(*forms[0]).json["hub"] == str(wiki.home / "other")
    assert wiki("archive", "--hub", hub, "list", "--hub", wiki.home / "other").exit == 2


def test_a_move_prints_both_paths_links_and_the_way_back(wiki, hub):
    said = wiki.ok("archive", "topic", "tea").out
    assert "From: ~/wiki/topics/tea\n" in said
    assert "To:   ~/wiki/topics/.archive/tea\n" in said
    assert "  topics/coffee/wiki/concepts/bean.md:12  ../../../tea/wiki/concepts/leaf.md#x -> " in said
    assert "a source is never rewritten" in said
    assert said.endswith("Restore: llm-wiki archive restore tea\n")
    said = wiki.ok("archive", "restore", "tea", "--json").json
    assert (said["ok"], said["schema_version"]) == (True, 1)
    assert (said["from"], said["to"]) == (str(hub / "topics/.archive/tea"), str(hub / "topics/tea"))
    assert {"path": "wikis.json", "action": "edit"}.items() <= said["changes"][0].items()


def test_undo_lists_and_reverses_an_archive(wiki, hub):
    before = files(hub, "log.md")
    wiki.ok("archive", "topic", "tea")
    assert "archive  done      archived topic tea" in wiki.ok("undo", "--list", "--hub", hub).out
    wiki.ok("undo", "--hub", hub)
    assert files(hub, "log.md") == before


EXITS = [
    (["topic", "hub"], 4), (["restore", "hub"], 4), (["topic", "tea/"], 2), (["topic", "../x"], 2),
    (["topic", "nobody"], 2), (["restore", "nobody"], 2), (["restore", "tea"], 4), (["topic"], 2),
    (["topic", "tea", "--in-place"], 4), (["peek"], 2), (["peek", "nothing"], 0), (["repair"], 0),
    (["list"], 0), (["no-such-verb"], 2),
]  # fmt: skip


@pytest.mark.parametrize(("words", "code"), EXITS, ids=[" ".join(words) for words, _ in EXITS])
def test_exit_codes(wiki, hub, words, code):
    before = files(hub)
    done = wiki("archive", *words)
    assert done.exit == code, done
    assert "Traceback" not in done.err
    assert files(hub) == before


@pytest.mark.parametrize(
    "words", [["list"], ["peek", "tea"], ["topic", "tea"], ["restore", "tea"], ["repair"]]
)
def test_a_folder_that_is_no_hub_ends_with_2_and_one_json_object(wiki, words):
    done = wiki("archive", *words, "--hub", wiki.here, "--json")
    assert done.exit == 2
    assert done.json["error"]["remedy"]
    (wiki.here / "wikis.json").write_bytes(b"\xff{")
    (wiki.here / "topics").mkdir()
    done = wiki("archive", *words, "--hub", wiki.here, "--json")
    assert done.exit == 2
    assert "wikis.json is not UTF-8" in done.json["error"]["message"]


def test_repair_that_leaves_something_is_incomplete(wiki, hub):
    shutil.copytree(hub / "topics/tea", hub / "topics/.archive/tea")
    done = wiki("archive", "repair")
    assert done.exit == 2
    assert "left: tea has two folders" in done.out


def test_peek_labels_what_it_shows_and_suggests_restore(wiki, hub):
    wiki.ok("archive", "topic", "tea")
    before = tree(hub)
    said = wiki.ok("archive", "peek", CANARY).out
    assert "Archived topic tea: preserved, not evidence" in said
    assert f"wiki/concepts/leaf.md: Leaf {CANARY} — The {CANARY} leaf." in said
    assert "llm-wiki archive restore tea" in said
    answer = wiki.ok("archive", "peek", CANARY, "--json").json
    assert answer["label"] == "preserved, not evidence"
    assert answer["restore"] == ["llm-wiki archive restore tea"]
    assert tree(hub) == before


def test_hub_lint_has_nothing_to_say_of_an_archive(wiki, hub):
    def found():
        issues = json.loads(wiki("lint", "--hub", hub, "--json").out)["issues"]
        return sorted((one["rule"], one["path"]) for one in issues)

    before = found()
    wiki.ok("archive", "topic", "tea")
    assert found() == before
    wiki.ok("archive", "restore", "tea")
    assert found() == before


# --- visibility -------------------------------------------------------------------------------

WALK = {
    "dedupe": [],
    "index check": [],
    "index rebuild": [],
    "index show": ["wiki/concepts"],
    "ingest": ["NOTE"],
    "links check": [],
    "links fix": [],
    "lint": [],
    "log append": ["plan", "x"],
    "log tail": [],
    "query": ["what is the leaf"],
    "raw add": ["NOTE", "--type", "notes", "--title", "T", "--summary", "S", "--tags", "t"],
    "raw verify": [],
    "read": ["wiki/concepts/leaf.md"],
    "resolve": [],
    "schema status": [],
    "schema adopt": [],
    "schema migrate": ["--apply"],
    "schema diff": [],
    "schema validate": [],
    "search": ["leaf"],
    "status": [],
    "undo": ["--list"],
}
"""Verbs that work on a wiki, and words that would show or change it."""

APART = {
    "archive": "its own work is the archive",
    "config": "settings of this machine",
    "capture": "sessions",
    "session": "sessions",
    "feedback": "sessions",
    "review": "proposals; what is decided goes to an active topic",
    "doctor": "this machine",
    "hooks": "files of hosts",
    "setup": "files of hosts",
    "demo": "a new folder",
    "fetch": "the web",
    "paths": "folders, never their content",
    "redact": "a text that is given",
    "route": "a text that is given",
    "init": "see the test of its own",
}
"""Verbs that read or write no topic, and why."""

WITHDRAWAL = {"retract", "retract-source", "tombstone"}
"""Verbs that reach what is archived on purpose (`archive-retract.md` §1, Visibility)."""

UNTOLD = {"undo"}
"""Verbs whose answer does not depend on what the wiki holds."""


def all_verbs():
    root = click.Context(cli, info_name="llm-wiki")
    for name in verb_names():
        command = cli.get_command(root, name)
        if isinstance(command, click.Group):
            yield from (f"{name} {sub}" for sub in command.commands)
        else:
            yield name


@pytest.fixture
def away(wiki, hub):
    wiki.ok("archive", "topic", "tea")
    note = wiki.here / "note.txt"
    note.write_text("A note on something else altogether.\n")
    return hub


def words_of(wiki, name):
    return [str(wiki.here / "note.txt") if word == "NOTE" else word for word in WALK[name]]


def test_every_verb_is_in_the_walk_or_has_a_reason_not_to_be():
    groups = {name.partition(" ")[0] for name in all_verbs()}
    known = set(APART) | WITHDRAWAL
    missing = {name for name in all_verbs() if name not in WALK and name.partition(" ")[0] not in known}
    assert missing == set()
    assert set(APART) <= groups


@pytest.mark.parametrize("name", sorted(WALK))
def test_no_verb_reads_or_writes_an_archived_topic_unasked(wiki, away, name):
    """By its slug, by its folder, and over the hub."""
    before = tree(away / "topics/.archive/tea")
    rooted = name.partition(" ")[0] in ("index", "ingest", "log", "query", "raw", "read", "search", "undo")
    place = (
        ["--root"]
        if rooted and name not in ("index check", "index rebuild", "log tail", "raw verify")
        else []
    )
    for target in (["--wiki", "tea"], [*place, str(away / "topics/.archive/tea")]):
        done = wiki(*name.split(), *words_of(wiki, name), *target)
        assert done.exit == 4, (target, done)
        assert CANARY not in done.out + done.err
        assert "archived" in done.err
    for target in (["--hub", str(away)], ["--wiki", "coffee"]):
        done = wiki(*name.split(), *words_of(wiki, name), *target)
        assert CANARY not in done.out + done.err, (target, done)
    assert tree(away / "topics/.archive/tea") == before


@pytest.mark.parametrize("name", sorted(set(WALK) - UNTOLD))
def test_the_flag_opens_the_topic_and_leaves_it_archived(wiki, away, name):
    """The control of the test above: the same words do reach the topic when asked."""
    done = wiki(*name.split(), *words_of(wiki, name), "--wiki", "tea", "--include-archived")
    assert done.exit in (0, 1), done
    assert registry(away)["wikis"]["tea"]["status"] == "archived"
    if name in ("search", "read", "query", "index show", "log tail"):
        assert (CANARY if name != "log tail" else "archived topic tea") in done.out


def test_the_status_of_a_hub_counts_the_archived_and_names_none(wiki, away):
    said = wiki.ok("status", "--hub", away).out
    assert "2 active topics, 1 archived" in said
    topics = wiki.ok("status", "--hub", away, "--json").json["topics"]
    assert "tea" not in json.dumps(topics)


def test_a_secondary_wiki_that_is_archived_is_refused(wiki, away):
    done = wiki("query", "bean", "--wiki", "coffee", "--with", "tea")
    assert done.exit == 4
    assert "wiki is archived" in done.err


def test_a_deep_query_shows_archived_index_hits_apart_when_asked(wiki, away):
    ask = ("query", f"{CANARY} leaf", "--deep", "--wiki", "milk")
    assert "Leaf" not in wiki(*ask).out
    said = wiki(*ask, "--include-archived").out
    assert "Archived, preserved and not evidence" in said


def test_init_takes_an_archived_slug_for_taken_and_changes_nothing(wiki, away):
    before = tree(away)
    done = wiki("init", "tea")
    assert done.exit == 4
    assert "archive restore tea" in done.err
    assert tree(away) == before


def test_lint_tells_of_an_active_page_that_needs_the_archive(wiki, away):
    issues = json.loads(wiki("lint", "--wiki", "coffee", "--json").out)["issues"]
    assert {one["rule"] for one in issues if "archive" in one["message"].lower()} == {"W520"}
    assert not [one for one in issues if one["rule"] == "W501" and "tea" in one["message"]]


def test_a_canary_disappears_with_the_archive_and_returns(wiki, hub):
    assert wiki("search", CANARY, "--hub", hub).exit == 0
    wiki.ok("archive", "topic", "tea")
    assert wiki("search", CANARY, "--hub", hub).exit == 1
    wiki.ok("archive", "restore", "tea")
    assert wiki("search", CANARY, "--hub", hub).exit == 0
