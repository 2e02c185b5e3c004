"""New hubs, topics and local wikis."""

import json
import subprocess
from datetime import date
from pathlib import Path

import pytest
from wikikit import tree

from llm_wiki.core.errors import BadUsage, NotAWiki, Refused
from llm_wiki.core.undo import undo
from llm_wiki.wiki.hub import lines_to_add, merge_lines, names_of, new_local, new_topic
from llm_wiki.wiki.registry import Registry
from llm_wiki.wiki.resolve import classify, initialised, resolve
from llm_wiki.wiki.snapshot import Snapshot
from llm_wiki.wiki.topic import RAW_INDEXES

TODAY = date(2026, 1, 10)


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    folder = tmp_path / "home"
    folder.mkdir()
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setenv("LLM_WIKI_TODAY", TODAY.isoformat())
    monkeypatch.delenv("LLM_WIKI_CONFIG_DIR", raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    return folder


def make(hub: Path, name: str = "Green Tea", **options):
    planned = new_topic(hub, name, TODAY, **options)
    for tx in planned.transactions:
        tx.commit()
    return planned


def make_local(project: Path, name: str = "", **options):
    project.mkdir(exist_ok=True)
    planned = new_local(project, name, TODAY, **options)
    for tx in planned.transactions:
        tx.commit()
    return planned


def git(folder: Path, *args: str) -> str:
    return subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True, text=True).stdout


def findings(root: Path, kind: str):
    from llm_wiki.lint.engine import RULES_KEY, check_file, evaluate

    snapshot = Snapshot.load(root, kind, per_file=check_file, per_file_key=RULES_KEY, use_cache=False)
    return evaluate(snapshot, TODAY)


# --- a topic and its hub ---------------------------------------------------------------------


def test_the_first_topic_makes_the_hub_too(tmp_path):
    planned = make(tmp_path / "hub")
    assert planned[:6] == (
        tmp_path / "hub/topics/green-tea",
        "topic",
        "green-tea",
        "Green Tea",
        tmp_path / "hub",
        True,
    )
    assert classify(tmp_path / "hub") == "hub"
    assert initialised(planned.path)
    assert sorted(tree(tmp_path / "hub")) == sorted(
        ["_index.md", "log.md", "topics", "topics/green-tea", "wikis.json"]
        + [
            f"topics/green-tea/{rel}"
            for rel in (
                [".obsidian", "_index.md", "config.md", "schema.md", "log.md", "inbox", "inbox/.processed"]
                + [
                    path
                    for folder in (
                        ["output", "raw", "wiki"]
                        + [f"raw/{name}" for name in ("articles", "papers", "repos", "notes", "data")]
                        + [f"wiki/{name}" for name in ("concepts", "topics", "references", "theses")]
                    )
                    for path in (folder, f"{folder}/_index.md")
                ]
            )
        ]
    )


def test_a_new_topic_and_its_hub_are_clean(tmp_path):
    planned = make(tmp_path / "hub")
    assert findings(planned.path, "topic") == []
    assert findings(tmp_path / "hub", "hub") == []


def test_a_new_local_wiki_is_clean(tmp_path):
    assert findings(make_local(tmp_path / "project").path, "local") == []


def test_the_registry_gets_a_portable_path(tmp_path):
    make(tmp_path / "hub")
    assert json.loads((tmp_path / "hub/wikis.json").read_text()) == {
        "default": "<HUB>",
        "wikis": {
            "hub": {"path": "<HUB>", "description": "the hub itself"},
            "green-tea": {"path": "topics/green-tea", "description": "Green Tea", "status": "active"},
        },
        "local_wikis": [],
    }


def test_the_hub_index_lists_every_topic(tmp_path):
    hub = tmp_path / "hub"
    make(hub)
    (hub / "_index.md").write_text((hub / "_index.md").read_text() + "\nMy own words.\n")
    make(hub, "Black", title="Black Tea", description="Fully oxidised")
    text = (hub / "_index.md").read_text()
    assert "| [black](topics/black/_index.md) | Black Tea | Fully oxidised |" in text
    assert "| [green-tea](topics/green-tea/_index.md) | Green Tea | Green Tea |" in text
    assert "- Active topics: 2" in text
    assert "My own words." in text
    assert findings(hub, "hub") == []


def test_both_logs_tell_of_it(tmp_path):
    make(tmp_path / "hub")
    assert (tmp_path / "hub/log.md").read_text() == (
        "# Wiki Activity Log\n\n## [2026-01-10] init | created topic green-tea\n"
    )
    assert (tmp_path / "hub/topics/green-tea/log.md").read_text() == (
        "# Wiki Activity Log\n\n## [2026-01-10] init | created Green Tea\n"
    )


def test_it_can_be_undone_whole(tmp_path):
    hub = tmp_path / "hub"
    make(hub)
    before = tree(hub)
    make(hub, "black")
    undo(hub)
    after = tree(hub)
    logs = (after.pop("log.md"), before.pop("log.md"))
    assert after == before
    assert logs[0].startswith(logs[1])


def test_what_was_typed_gives_slug_and_title():
    assert names_of("Green Tea") == ("green-tea", "Green Tea")
    assert names_of("green-tea") == ("green-tea", "Green Tea")
    assert names_of("tea", "All about tea") == ("tea", "All about tea")
    assert names_of("", "Grüner Tee") == ("gruner-tee", "Grüner Tee")


@pytest.mark.parametrize("name", ["", "  ", "日本語", "!!!", "hub"])
def test_a_name_that_gives_no_slug_is_a_usage_error(tmp_path, name):
    with pytest.raises(BadUsage):
        new_topic(tmp_path / "hub", name, TODAY)
    assert not (tmp_path / "hub").exists()


@pytest.mark.parametrize("title", ['A "quoted" title', "a: b # c", "C:\\temp", "it's", "- x", "two\nlines"])
def test_any_title_can_be_read_back(tmp_path, title):
    planned = make(tmp_path / "hub", "x", title=title)
    assert Snapshot.load(planned.path, "topic").config.title == " ".join(title.split())
    assert findings(planned.path, "topic") == []


# --- taken -----------------------------------------------------------------------------------


def test_a_slug_in_use_is_refused_and_changes_nothing(tmp_path):
    hub = tmp_path / "hub"
    make(hub)
    before = tree(hub)
    with pytest.raises(Refused, match="already") as caught:
        make(hub, "green tea")
    assert caught.value.code == 4
    assert tree(hub) == before


def archive(hub: Path, slug: str, *, registered: bool) -> None:
    (hub / "topics/.archive").mkdir(exist_ok=True)
    (hub / "topics" / slug).rename(hub / "topics/.archive" / slug)
    registry = Registry.load(hub)
    if registered:
        registry.set_topic(slug, f"topics/.archive/{slug}", "", status="archived")
    else:
        del registry.data["wikis"][slug]
    (hub / "wikis.json").write_bytes(registry.to_bytes())


@pytest.mark.parametrize("registered", [True, False])
def test_the_slug_of_an_archived_topic_is_refused_and_changes_nothing(tmp_path, registered):
    hub = tmp_path / "hub"
    make(hub)
    archive(hub, "green-tea", registered=registered)
    before = tree(hub)
    with pytest.raises(Refused, match="archived") as caught:
        make(hub)
    assert "restore" in caught.value.remedy
    assert tree(hub) == before


def test_an_unregistered_folder_of_that_name_is_refused(tmp_path):
    make(tmp_path / "hub")
    (tmp_path / "hub/topics/black").mkdir()
    with pytest.raises(Refused):
        make(tmp_path / "hub", "black")


def test_a_registered_slug_without_a_folder_is_refused(tmp_path):
    make(tmp_path / "hub")
    registry = Registry.load(tmp_path / "hub")
    registry.set_topic("black", "/elsewhere/black", "")
    (tmp_path / "hub/wikis.json").write_bytes(registry.to_bytes())
    with pytest.raises(Refused):
        make(tmp_path / "hub", "Black")


# --- the place of the hub --------------------------------------------------------------------


def test_a_lost_registry_is_made_again_with_the_topics_that_are_there(tmp_path):
    hub = tmp_path / "hub"
    make(hub)
    make(hub, "old")
    archive(hub, "old", registered=True)
    (hub / "wikis.json").unlink()
    assert make(hub, "black").new_hub
    registry = Registry.load(hub)
    assert {slug: (entry.path, entry.status) for slug, entry in registry.entries.items()} == {
        "green-tea": ("topics/green-tea", "active"),
        "old": ("topics/.archive/old", "archived"),
        "black": ("topics/black", "active"),
    }
    assert findings(hub, "hub") == []


def test_a_registry_without_topics_is_completed_and_not_replaced(tmp_path):
    hub = tmp_path / "hub"
    hub.mkdir()
    (hub / "wikis.json").write_text('{"extra": 1, "wikis": {"far": {"path": "/far", "x": 2}}}')
    make(hub)
    data = json.loads((hub / "wikis.json").read_text())
    assert data["extra"] == 1
    assert data["wikis"]["far"] == {"path": "/far", "x": 2}
    assert (hub / "log.md").exists()


@pytest.mark.parametrize("content", ["{", "[]", '{"wikis": []}', '{"wikis": {}, "wikis": {}}'])
def test_a_broken_registry_is_not_written(tmp_path, content):
    hub = tmp_path / "hub"
    (hub / "topics").mkdir(parents=True)
    (hub / "wikis.json").write_text(content)
    with pytest.raises(NotAWiki) as caught:
        make(hub)
    assert (hub / "wikis.json").read_text() == content
    assert caught.value.path == str(hub / "wikis.json")


def test_a_folder_of_other_things_does_not_become_a_hub(tmp_path):
    (tmp_path / "hub").mkdir()
    (tmp_path / "hub/notes.md").write_text("# Mine\n")
    with pytest.raises(Refused, match=r"notes\.md") as caught:
        make(tmp_path / "hub")
    assert "--hub" in caught.value.remedy
    assert list(tree(tmp_path / "hub")) == ["notes.md"]


def test_a_topic_wiki_does_not_become_a_hub(tmp_path):
    planned = make(tmp_path / "hub")
    with pytest.raises(Refused, match="is a topic wiki"):
        make(planned.path, "black")


def test_an_empty_repository_may_become_a_hub(tmp_path):
    hub = tmp_path / "hub"
    hub.mkdir()
    git(hub, "init", "-q")
    (hub / "README.md").write_text("# Ours\n")
    make(hub)
    assert classify(hub) == "hub"
    assert (hub / "README.md").read_text() == "# Ours\n"


# --- local -----------------------------------------------------------------------------------


def test_a_local_wiki_is_called_after_its_project(tmp_path):
    planned = make_local(tmp_path / "my project")
    assert (planned.path, planned.kind, planned.title) == (
        tmp_path / "my project/.wiki",
        "local",
        "my project",
    )
    root = resolve(local=True, cwd=tmp_path / "my project")
    assert (root.kind, root.name) == ("local", "my project")


def test_git_is_told_to_ignore_a_local_wiki(tmp_path):
    make_local(tmp_path / "p")
    assert (tmp_path / "p/.gitignore").read_text() == ".wiki/\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b".wiki/\n"),
        (b"*.pyc", b"*.pyc\n.wiki/\n"),
        (b"*.pyc\r\n", b"*.pyc\r\n.wiki/\r\n"),
        (b"caf\xe9\n", b"caf\xe9\n.wiki/\n"),
        (b".wiki/\n", b".wiki/\n"),
        (b"/.wiki\nx\n", b"/.wiki\nx\n"),
        (b"  .wiki  \n", b"  .wiki  \n"),
    ],
)
def test_the_list_of_ignored_names_keeps_what_it_has(tmp_path, before, after):
    (tmp_path / "p").mkdir()
    (tmp_path / "p/.gitignore").write_bytes(before)
    make_local(tmp_path / "p")
    assert (tmp_path / "p/.gitignore").read_bytes() == after


@pytest.mark.parametrize("make_it", ["wiki", "full", "file", "link"])
def test_a_local_wiki_never_replaces_anything(tmp_path, make_it):
    project = tmp_path / "p"
    if make_it == "wiki":
        make_local(project)
    else:
        project.mkdir()
    place = project / ".wiki"
    if make_it == "full":
        place.mkdir()
        (place / "x").write_text("")
    elif make_it == "file":
        place.write_text("")
    elif make_it == "link":
        place.symlink_to(tmp_path / "nowhere")
    before = tree(project)
    with pytest.raises(Refused):
        make_local(project)
    assert tree(project) == before


def test_an_empty_folder_may_become_a_local_wiki(tmp_path):
    (tmp_path / "p/.wiki").mkdir(parents=True)
    assert initialised(make_local(tmp_path / "p").path)


# --- Git -------------------------------------------------------------------------------------

LINES = "log.md merge=union\n_index.md merge=union\n*.jsonl merge=union\n"


def test_a_hub_outside_git_gets_no_merge_rules(tmp_path):
    make(tmp_path / "hub")
    assert not (tmp_path / "hub/.gitattributes").exists()


def test_a_hub_in_a_work_tree_gets_merge_rules(tmp_path):
    hub = tmp_path / "hub"
    hub.mkdir()
    git(hub, "init", "-q")
    make(hub)
    assert (hub / ".gitattributes").read_text() == LINES
    make(hub, "black")
    assert (hub / ".gitattributes").read_text() == LINES


def test_a_hub_that_shall_be_a_repository_gets_merge_rules(tmp_path):
    planned = make(tmp_path / "hub", git_repository=True)
    assert planned.repository == tmp_path / "hub"
    assert (tmp_path / "hub/.gitattributes").read_text() == LINES


@pytest.mark.parametrize("below", ["docs/hub", "my docs/hub", "a[b]/h*b", 'say "hi"', "#x/!y", "grün/ünï"])
def test_the_rules_of_a_deeper_hub_stand_at_the_top_and_reach_every_topic(tmp_path, below):
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitattributes").write_text("*.png binary\n")
    hub = tmp_path / below
    planned = make(hub)
    assert planned.repository is None
    assert not (hub / ".gitattributes").exists()
    paths = [
        f"{below}/log.md",
        f"{below}/topics/green-tea/wiki/concepts/_index.md",
        f"{below}/topics/x/.librarian/a.jsonl",
    ]
    shown = git(tmp_path, "check-attr", "-z", "merge", "--", *paths, "other/log.md").split("\0")
    assert shown[2::3] == ["union", "union", "union", "unspecified"]
    assert (tmp_path / ".gitattributes").read_text().startswith("*.png binary\n")


def test_a_hub_that_git_ignores_needs_no_merge_rules(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("hub/\n")
    make(tmp_path / "hub")
    assert not (tmp_path / ".gitattributes").exists()


def test_merge_rules_at_the_top_are_those_of_the_format():
    assert "\n".join(merge_lines("")) + "\n" == LINES


def test_lines_are_added_once():
    assert lines_to_add(b"a\n", ("b", "c")) == ["b", "c"]
    assert lines_to_add(b"a\r\nb\r\n c", ("b", "c")) == []
    assert lines_to_add(b"/b\n", ("b",), same=("/b",)) == []


def test_a_vault_leaves_the_indexes_of_raw_out_of_search(tmp_path):
    planned = make(tmp_path / "hub", obsidian=True)
    assert json.loads((planned.path / ".obsidian/app.json").read_text()) == {
        "userIgnoreFilters": [RAW_INDEXES]
    }
