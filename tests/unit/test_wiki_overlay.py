"""What a plan would make of a tree: always what loading the changed tree gives."""

from pathlib import Path

import pytest
from wikikit import facts, load, notes, put, write

from llm_wiki.core.errors import Conflict
from llm_wiki.wiki.snapshot import Snapshot


@pytest.fixture(autouse=True)
def private(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def carried_out(root: Path, changes, moves, dirs, kind="topic") -> Snapshot:
    """Do on disk what the overlay only imagines, and load that."""
    for rel in dirs:
        (root / rel).mkdir(parents=True, exist_ok=True)
    for old, new in moves.items():
        (root / new).parent.mkdir(parents=True, exist_ok=True)
        (root / old).rename(root / new)
    for rel, data in changes.items():
        if data is None:
            (root / rel).unlink()
        else:
            write(root, rel, data)
    return load(root, kind, per_file=notes, per_file_key="k", use_cache=False)


def sample(root: Path) -> Path:
    for rel in (
        "_index.md",
        "config.md",
        "stray.txt",
        "raw/notes/s.md",
        "wiki/concepts/a.md",
        "wiki/concepts/b.md",
        "wiki/topics/t.md",
        "output/projects/p/WHY.md",
        "output/projects/p/code/x.py",
        "inbox/drop.md",
    ):
        write(root, rel, f"# {rel}\n[x](a.md) [y](../raw/s.md)\n")
    return root


PLANS = {
    "an edited file": ({"wiki/concepts/a.md": b"# new\n"}, {}, ()),
    "a new file in a new folder": ({"wiki/references/r.md": b"# r\n"}, {}, ()),
    "a deleted file": ({"wiki/concepts/a.md": None}, {}, ()),
    "the last file of a folder": ({"wiki/topics/t.md": None}, {}, ()),
    "new folders": ({}, {}, ("inbox/.processed", "wiki/theses", "a/b/c")),
    "a moved page": ({}, {"wiki/concepts/a.md": "wiki/topics/a.md"}, ()),
    "a moved and edited page": (
        {"wiki/topics/a.md": b"# z\n"},
        {"wiki/concepts/a.md": "wiki/topics/a.md"},
        (),
    ),
    "a page moved twice": ({}, {"wiki/concepts/a.md": "wiki/x.md", "wiki/x.md": "raw/notes/a.md"}, ()),
    "two pages that change places": (
        {},
        {
            "wiki/concepts/a.md": "wiki/q.md",
            "wiki/concepts/b.md": "wiki/concepts/a.md",
            "wiki/q.md": "wiki/concepts/b.md",
        },
        (),
    ),
    "a move and a new file at the old name": (
        {"wiki/concepts/a.md": b"# other\n"},
        {"wiki/concepts/a.md": "wiki/topics/a.md"},
        (),
    ),
    "quarantine": ({}, {"stray.txt": "inbox/.unknown/stray.txt"}, ()),
    "a page into quarantine": ({}, {"wiki/concepts/a.md": "inbox/.unknown/a.md"}, ()),
    "a manifest written into quarantine": ({"inbox/.unknown/.manifest.jsonl": b"{}\n"}, {}, ()),
    "a page out of the inbox": ({}, {"inbox/drop.md": "raw/notes/drop.md"}, ()),
    "a moved folder": ({}, {"output/projects/p": "output/projects/q"}, ()),
    "an archived folder": ({}, {"output/projects/p": "output/projects/.archive/p"}, ()),
    "a file renamed to Markdown": ({}, {"stray.txt": "wiki/concepts/stray.md"}, ()),
    "a state file in a hidden folder": ({".librarian/raw.jsonl": b"{}\n"}, {}, ()),
    "another configuration": ({"config.md": b"---\ntitle: New\n---\n"}, {}, ()),
}


@pytest.mark.parametrize("name", PLANS)
def test_an_overlay_is_what_loading_the_changed_tree_gives(tmp_path, name):
    changes, moves, dirs = PLANS[name]
    before = load(sample(tmp_path), per_file=notes, per_file_key="k", use_cache=False)
    planned = before.overlay(changes, moves, dirs)
    read = {rel: planned.read(rel) for rel in planned.pages}
    untouched = facts(before)
    real = carried_out(tmp_path, changes, moves, dirs)
    assert facts(planned) == facts(real)
    assert read == {rel: real.read(rel) for rel in real.pages}
    assert untouched == facts(before)


HUB_PLANS = {
    "a new topic": (
        {"topics/new/config.md": b"---\ntitle: N\n---\n", "topics/new/raw/notes/_index.md": b"# I\n"},
        {},
        ("topics/new/inbox/.processed",),
    ),
    "an archived topic": ({}, {"topics/tea": "topics/.archive/tea"}, ()),
    "a topic's folder": ({}, {}, ("topics/tea/inventory/items",)),
    "an edited index": ({"_index.md": b"# Other\n"}, {}, ()),
}


@pytest.mark.parametrize("name", HUB_PLANS)
def test_an_overlay_of_a_hub_is_what_loading_the_changed_hub_gives(tmp_path, name):
    changes, moves, dirs = HUB_PLANS[name]
    put(tmp_path, **{"wikis.json": "{}", "_index": "# Hub\n"})
    put(tmp_path / "topics/tea", _index="# T\n", config="---\ntitle: T\n---\n", raw__notes__s="# S\n")
    before = load(tmp_path, "hub", per_file=notes, per_file_key="k", use_cache=False)
    planned = before.overlay(changes, moves, dirs)
    assert facts(planned) == facts(carried_out(tmp_path, changes, moves, dirs, "hub"))


def test_overlays_stack(tmp_path):
    before = load(sample(tmp_path), per_file=notes, per_file_key="k", use_cache=False)
    first = {"wiki/concepts/a.md": "wiki/topics/a.md"}
    second = {"wiki/topics/a.md": "wiki/references/a.md", "wiki/concepts/b.md": "wiki/topics/a.md"}
    planned = before.overlay({"wiki/concepts/b.md": b"# b\n"}, first).overlay({}, second)
    assert planned.read("wiki/references/a.md") == (tmp_path / "wiki/concepts/a.md").read_bytes()
    assert planned.read("wiki/topics/a.md") == b"# b\n"
    carried_out(tmp_path, {"wiki/concepts/b.md": b"# b\n"}, first, ())
    assert facts(planned) == facts(carried_out(tmp_path, {}, second, ()))


def test_an_overlay_writes_nothing(tmp_path):
    before = load(sample(tmp_path))
    before.overlay({"wiki/new.md": b"x", "wiki/concepts/a.md": None}, {"stray.txt": "s.txt"}, ["d"])
    assert facts(load(tmp_path)) == facts(before)


def test_a_page_that_does_not_change_is_not_parsed_again(tmp_path):
    before = load(sample(tmp_path))
    planned = before.overlay({"wiki/concepts/a.md": before.read("wiki/concepts/a.md")})
    assert planned.pages["wiki/concepts/a.md"] is before.pages["wiki/concepts/a.md"]


def test_moving_what_is_not_there_is_a_conflict(tmp_path):
    with pytest.raises(Conflict):
        load(tmp_path).overlay({}, {"a.md": "b.md"})


def test_the_registry_of_an_overlay_is_the_planned_one(tmp_path):
    put(tmp_path, **{"wikis.json": "{}"})
    (tmp_path / "topics").mkdir()
    planned = load(tmp_path, "hub").overlay({"wikis.json": b'{"wikis": {"tea": {"path": "topics/tea"}}}'})
    assert list(planned.registry.entries) == ["tea"]
