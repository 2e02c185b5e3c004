"""The stored index: it follows the files, and whatever its state, it never changes a result."""

import os
import sqlite3
import stat
import threading
import time
from pathlib import Path

import pytest
from searchkit import PAGES, article, ask, make, put

from llm_wiki.core.state import root_cache
from llm_wiki.search import index, store
from llm_wiki.search.engine import Ask, Scope, search
from llm_wiki.search.run import _key, run
from llm_wiki.search.syntax import parse
from llm_wiki.wiki.listing import look
from llm_wiki.wiki.snapshot import Snapshot

QUERIES = [
    "green tea",
    "leaves water",
    "thermosat",
    "speicher",
    "绿茶",
    "tag:tea",
    "porcelain",
    "photosynthesis",
    "cafe -tea",
]
GREEN = "wiki/concepts/green-tea.md"


@pytest.fixture
def tea(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    yield make(tmp_path / "tea")
    index.close_all()


def results(root):
    wide = {"raw": True, "superseded": True, "include_archived": True}
    return [ask(root, text, explain=True) for text in QUERIES] + [ask(root, text, **wide) for text in QUERIES]


def database(root) -> Path:
    return root_cache(root.path) / index.NAME


def in_memory(root, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(index, "_stored", lambda *_: None)
        return results(root)


def test_the_index_lies_in_the_cache_folder_for_this_user_alone(tea):
    ask(tea, "tea")
    assert stat.S_IMODE(database(tea).stat().st_mode) == 0o600
    assert not [path for path in tea.path.rglob("*") if "sqlite" in path.name]


def test_an_index_in_memory_gives_the_same_results(tea, monkeypatch):
    assert results(tea) == in_memory(tea, monkeypatch)


def change(root, step: int) -> None:
    match step:
        case 0:
            put(root.path, GREEN, article("Green tea", "Now about gyokuro leaves."))
        case 1:
            (root.path / "wiki/concepts/black-tea.md").rename(root.path / "wiki/topics/black-tea.md")
        case 2:
            (root.path / "wiki/topics/kettles.md").unlink()
        case 3:
            put(root.path, "wiki/concepts/new.md", article("Thermostat", "Leaves water in a green pot."))
        case 4:
            new = root.path / "raw/notes/2026-01-03-new.md"
            put(
                root.path,
                "raw/notes/2026-01-03-new.md",
                new.read_text().replace("2026-01-01-old", "2026-01-02-notes"),
            )
        case 5:
            put(
                root.path,
                "inventory/items/teapot.md",
                PAGES["inventory/items/teapot.md"].replace("active", "archived"),
            )
        case 6:
            put(root.path, "wiki/topics/kettles.md", PAGES["wiki/topics/kettles.md"])


def test_an_index_that_grew_change_by_change_answers_like_a_new_one(tea, monkeypatch):
    results(tea)
    made = database(tea).stat().st_ino
    for step in range(7):
        change(tea, step)
        assert results(tea) == in_memory(tea, monkeypatch), step
    assert database(tea).stat().st_ino == made


def test_the_tables_of_an_index_that_grew_are_sound(tea):
    results(tea)
    for step in range(7):
        change(tea, step)
        ask(tea, "tea")
    with sqlite3.connect(database(tea)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        for part in ("open", "raw", "archived", "superseded"):
            db.execute(f"INSERT INTO {part}({part}) VALUES ('integrity-check')")
            db.execute(f"INSERT INTO {part}_names({part}_names) VALUES ('integrity-check')")
    db.close()


def test_a_deleted_index_is_made_again(tea):
    before = results(tea)
    database(tea).unlink()
    assert results(tea) == before
    assert database(tea).exists()


def damage(path: Path, how: str) -> None:
    data = path.read_bytes()
    match how:
        case "empty":
            path.write_bytes(b"")
        case "cut":
            path.write_bytes(data[: len(data) // 2])
        case "noise":
            path.write_bytes(os.urandom(len(data)))
        case "middle":
            path.write_bytes(data[:8192] + bytes(len(data) - 8192))
        case "letters":
            path.write_bytes(data.replace(b"green", b"brown"))
        case "another":
            path.unlink()
            with sqlite3.connect(path) as db:
                db.execute("CREATE TABLE meta(name, value)")
            db.close()
        case "rows":
            with sqlite3.connect(path) as db:
                db.execute("DELETE FROM pages WHERE path LIKE 'wiki/%'")
            db.close()
        case "folder":
            path.unlink()
            path.mkdir()
        case "text":
            path.write_text("no database")


DAMAGES = ["empty", "cut", "noise", "middle", "letters", "another", "rows", "folder", "text"]


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_or_foreign_index_changes_no_result(tea, how):
    before = results(tea)
    damage(database(tea), how)
    assert results(tea) == before


@pytest.mark.parametrize("how", DAMAGES)
def test_damage_between_two_searches_that_keep_the_file_open_changes_no_result(tea, how):
    snapshot = Snapshot.load(tea.path, tea.kind, use_cache=False)
    before = search(snapshot, tea, "green tea")
    damage(database(tea), how)
    assert search(snapshot, tea, "green tea") == before


def test_a_seal_that_is_damaged_only_costs_time(tea):
    before = results(tea)
    (root_cache(tea.path) / index.SEAL).write_bytes(b"x" * 48)
    assert results(tea) == before


def test_a_locked_index_is_bypassed(tea, monkeypatch):
    before = results(tea)
    monkeypatch.setattr(index, "WAIT", 0.05)
    index.close_all()
    blocker = sqlite3.connect(database(tea), isolation_level=None)
    blocker.execute("BEGIN EXCLUSIVE")
    try:
        assert ask(tea, "green tea", explain=True) == before[0]
        put(tea.path, GREEN, article("Green tea", "Now about gyokuro."))
        assert ask(tea, "gyokuro").hits[0].path == GREEN
    finally:
        blocker.execute("ROLLBACK")
        blocker.close()


def test_a_cache_folder_that_cannot_be_written_is_no_error(tea, tmp_path, monkeypatch):
    before = results(tea)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert results(tea) == before


def test_an_index_of_older_code_is_made_anew(tea, monkeypatch):
    before = results(tea)
    monkeypatch.setattr(index, "_CODE", [b"another version."])
    assert results(tea) == before


def test_what_a_killed_process_left_is_swept_away(tea):
    ask(tea, "tea")
    folder = root_cache(tea.path)
    for name, age in (("search.tmp-old", 7200), ("search.tmp-new", 0)):
        (folder / name).write_bytes(b"x")
        os.utime(folder / name, (time.time() - age, time.time() - age))
    database(tea).unlink()
    ask(tea, "tea")
    assert not (folder / "search.tmp-old").exists()
    assert (folder / "search.tmp-new").exists()


def test_dropping_removes_every_trace(tea):
    ask(tea, "tea")
    index.drop(tea.path)
    assert [path.name for path in root_cache(tea.path).iterdir() if path.name.startswith("search")] == []


def test_many_searches_at_once_while_the_index_is_made_agree(tea):
    expected = ask(tea, "green tea").hits
    index.drop(tea.path)
    found = []
    threads = [threading.Thread(target=lambda: found.append(ask(tea, "green tea").hits)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 6


def test_a_file_that_changed_after_the_snapshot_gives_its_old_text_or_none(tea):
    snapshot = Snapshot.load(tea.path, tea.kind, use_cache=False)
    search(snapshot, tea, "green tea")
    put(tea.path, GREEN, article("Green tea", "gyokuro"))
    hit = search(snapshot, tea, "steamed green tea").hits[0]
    assert hit.path == GREEN
    assert hit.snippets == ()
    assert search(snapshot, tea, "gyokuro").hits == ()


def test_a_page_that_could_not_be_read_for_the_index_is_read_next_time(tea):
    snapshot = Snapshot.load(tea.path, tea.kind, use_cache=False)
    text = (tea.path / GREEN).read_text()
    put(tea.path, GREEN, "changed meanwhile")
    search(snapshot, tea, "steamed")
    put(tea.path, GREEN, text)
    assert ask(tea, "steamed").hits[0].path == GREEN


def test_an_overlay_is_searched_as_it_would_be(tea):
    snapshot = Snapshot.load(tea.path, tea.kind, use_cache=False)
    planned = snapshot.overlay({GREEN: article("Green tea", "About gyokuro.").encode()})
    assert search(planned, tea, "gyokuro").hits[0].path == GREEN
    assert search(snapshot, tea, "gyokuro").hits == ()


@pytest.fixture
def settled(tea):
    """The topic with files older than any clock tick."""
    for path in tea.path.rglob("*.md"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    return tea


def go(root, text: str, **scope):
    return run(root, Ask(parse(text), scope=Scope(**scope)))


def test_a_run_on_disk_gives_what_a_snapshot_gives(tea):
    assert go(tea, "green tea") == ask(tea, "green tea")
    assert go(tea, "tannin", raw=True) == ask(tea, "tannin", raw=True)
    archived = tea._replace(status="archived")
    assert go(archived, "green tea").hits == ()


def test_a_run_over_an_unchanged_root_loads_no_snapshot(settled, monkeypatch):
    monkeypatch.setattr("llm_wiki.wiki.cache.stamp_settled", lambda *_: True)
    first = go(settled, "green tea")
    monkeypatch.setattr(Snapshot, "load", classmethod(lambda *_, **__: pytest.fail("a snapshot was loaded")))
    assert go(settled, "green tea") == first


def test_a_run_trusts_no_listing_that_may_hide_a_change(tea, monkeypatch):
    monkeypatch.setattr("llm_wiki.wiki.cache.stamp_settled", lambda *_: False)
    go(tea, "green tea")
    assert index.unchanged(tea, _key(look(tea.path, tea.kind))) is None


@pytest.mark.parametrize("step", range(7))
def test_a_run_sees_every_change_at_once(settled, monkeypatch, step):
    monkeypatch.setattr("llm_wiki.wiki.cache.stamp_settled", lambda *_: True)
    go(settled, "green tea")
    change(settled, step)
    for text in QUERIES:
        assert go(settled, text) == ask(settled, text)


def test_words_of_pages_that_are_gone_correct_nothing(tea):
    put(tea.path, "wiki/concepts/z.md", article("Z", "The zygomorphic one."))
    assert ask(tea, "zygomorphik").corrected == {"zygomorphik": "zygomorphic"}
    (tea.path / "wiki/concepts/z.md").unlink()
    assert ask(tea, "zygomorphik").corrected == {}


def test_two_paths_of_one_number_are_both_found(tea, monkeypatch):
    monkeypatch.setattr(store, "ident", lambda _: 7)
    assert len({hit.path for hit in ask(tea, "tea leaves porcelain kettle cafe", limit=50).hits}) > 3
