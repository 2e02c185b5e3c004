"""The snapshot: what is listed, what is parsed, and what can go wrong."""

import json
import os
import time
import unicodedata
from pathlib import Path

import pytest
from wikikit import facts, load, notes, open_folder, put, without_rights, write

from llm_wiki.core.errors import Conflict, Unreadable
from llm_wiki.wiki import parallel


@pytest.fixture(autouse=True)
def private(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


# --- listing ---------------------------------------------------------------------------------


def test_files_and_folders_are_listed_sorted(tmp_path):
    for rel in ("wiki/b/x.md", "wiki/b.md", "wiki/a.png", "raw/articles/y.md", "_index.md"):
        write(tmp_path, rel)
    snapshot = load(tmp_path)
    assert list(snapshot.files) == [
        "_index.md",
        "raw/articles/y.md",
        "wiki/a.png",
        "wiki/b.md",
        "wiki/b/x.md",
    ]
    assert snapshot.dirs == {
        "": ("_index.md", "raw", "wiki"),
        "raw": ("articles",),
        "raw/articles": ("y.md",),
        "wiki": ("a.png", "b", "b.md"),
        "wiki/b": ("x.md",),
    }
    assert snapshot.files["wiki/a.png"].size == 4
    assert snapshot.dir_keys == {"raw", "raw/articles", "wiki", "wiki/b"}


@pytest.mark.parametrize(
    ("rel", "is_parsed"),
    [
        ("_index.md", True),
        ("README.MD", True),
        ("raw/articles/a.md", True),
        ("wiki/deep/er/a.Md", True),
        ("inventory/items/a.md", True),
        ("datasets/d/MANIFEST.md", True),
        ("output/projects/p/WHY.md", True),
        ("notes/a.md", False),
        ("wiki/concepts/a.markdown", False),
        ("wiki/concepts/._a.md", False),
        ("wiki/concepts/.#a.md", False),
        ("inbox/a.md", False),
    ],
)
def test_markdown_of_the_content_folders_and_the_root_is_parsed(tmp_path, rel, is_parsed):
    write(tmp_path, rel)
    snapshot = load(tmp_path)
    assert rel in snapshot.files
    assert (rel in snapshot.pages) is is_parsed


def test_hidden_folders_are_named_but_not_entered(tmp_path):
    write(tmp_path, ".git/config")
    write(tmp_path, "output/projects/.archive/old/WHY.md")
    snapshot = load(tmp_path)
    assert snapshot.files == {}
    assert snapshot.dirs[".git"] == ()
    assert snapshot.dirs["output/projects"] == (".archive",)
    assert snapshot.closed == {".git", "output/projects/.archive"}


def test_the_inbox_is_listed_one_level_and_below_that_by_name(tmp_path):
    for rel in ("inbox/a.md", "inbox/.processed/b.md", "inbox/.unknown/c/d.md", "inbox/box/e.md"):
        write(tmp_path, rel)
    snapshot = load(tmp_path)
    assert list(snapshot.files) == ["inbox/a.md"]
    assert snapshot.dirs["inbox"] == (".processed", ".unknown", "a.md", "box")
    assert snapshot.dirs["inbox/.processed"] == ("b.md",)
    assert snapshot.dirs["inbox/.unknown"] == ("c",)
    assert "inbox/.unknown/c" not in snapshot.dirs


def test_temporary_files_of_a_writer_are_not_seen(tmp_path):
    write(tmp_path, ".llm-wiki-tmp-1234")
    write(tmp_path, "wiki/concepts/.llm-wiki-tmp-1234")
    snapshot = load(tmp_path)
    assert snapshot.files == {}
    assert snapshot.dirs[""] == ("wiki",)


def test_a_hub_shows_its_own_level_and_one_level_of_each_topic(tmp_path):
    put(tmp_path, **{"wikis.json": "{}", "_index": "# Hub\n", "topics__stray": "x"})
    for folder in ("topics/tea", "topics/.archive/old"):
        put(tmp_path / folder, _index="# T\n", config='---\ntitle: "Tea"\n---\n', wiki__concepts__a="x")
    write(tmp_path, ".sessions/x/y.md")
    write(tmp_path, "attic/z.md")
    snapshot = load(tmp_path, "hub")
    assert list(snapshot.pages) == ["_index.md", "topics/.archive/old/config.md", "topics/tea/config.md"]
    assert snapshot.dirs["topics"] == (".archive", "stray.md", "tea")
    assert snapshot.dirs["topics/tea"] == ("_index.md", "config.md", "wiki")
    assert snapshot.dirs["topics/tea/wiki"] == ()
    assert "topics/tea/_index.md" in snapshot.files
    assert snapshot.dirs["attic"] == snapshot.dirs[".sessions"] == ()
    assert snapshot.registry is not None


def test_an_unreadable_root_is_an_error(tmp_path):
    with pytest.raises(Unreadable):
        load(tmp_path / "missing")


# --- names -----------------------------------------------------------------------------------


def test_keys_are_composed_and_paths_are_as_on_disk(tmp_path):
    name = unicodedata.normalize("NFD", "wiki/Käse/é.md")
    write(tmp_path, name)
    snapshot = load(tmp_path)
    assert list(snapshot.pages) == [name]
    assert snapshot.keys == {"wiki/Käse/é.md"}
    assert "wiki/Käse" in snapshot.dir_keys
    assert snapshot.exists("wiki/Käse/é.md")


def test_an_undecodable_name_is_a_name_like_any_other(tmp_path):
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/wiki/caf\xe9")).mkdir(parents=True)
    for path in (b"/wiki/caf\xe9/b\xff.md", b"/wiki/\xe9.png"):
        Path(os.fsdecode(os.fsencode(tmp_path) + path)).write_bytes(b"# x\n")
    first, second = load(tmp_path), load(tmp_path)
    rel = os.fsdecode(b"wiki/caf\xe9/b\xff.md")
    assert list(first.pages) == list(second.pages) == [rel]
    assert first.read(rel) == b"# x\n"
    assert rel in first.keys


# --- links, special files, refusals ----------------------------------------------------------


def test_a_link_out_of_the_root_is_a_problem_and_not_read(tmp_path):
    (tmp_path / "secret").mkdir()
    write(tmp_path, "secret/s.md", "# secret\n")
    root = tmp_path / "root"
    write(root, "wiki/concepts/a.md")
    (root / "wiki/concepts/s.md").symlink_to("../../../secret/s.md")
    (root / "wiki/references").symlink_to(tmp_path / "secret")
    snapshot = load(root)
    assert list(snapshot.pages) == ["wiki/concepts/a.md"]
    assert [(rel, code) for rel, code, _ in snapshot.problems] == [
        ("wiki/concepts/s.md", "outside"),
        ("wiki/references", "outside"),
    ]
    assert snapshot.files["wiki/concepts/s.md"].link == "../../../secret/s.md"
    assert "wiki/references" not in snapshot.dirs
    assert snapshot.behind_link("wiki/references/x.md")
    assert not snapshot.behind_link("wiki/concepts/a.md")


def test_a_sibling_whose_name_begins_like_the_root_is_outside(tmp_path):
    write(tmp_path, "root2/a.md")
    write(tmp_path, "root/wiki/a.md")
    (tmp_path / "root/wiki/b.md").symlink_to("../../root2/a.md")
    assert load(tmp_path / "root").files["wiki/b.md"].problem == "outside"


def test_a_link_inside_the_root_is_an_entry_and_not_parsed_again(tmp_path):
    write(tmp_path, "wiki/concepts/a.md")
    (tmp_path / "wiki/concepts/b.md").symlink_to("a.md")
    (tmp_path / "wiki/topics").symlink_to("concepts")
    snapshot = load(tmp_path)
    assert list(snapshot.pages) == ["wiki/concepts/a.md"]
    assert snapshot.problems == ()
    assert list(snapshot.links) == ["wiki/concepts/b.md", "wiki/topics"]
    assert "wiki/concepts/b.md" in snapshot.keys
    assert snapshot.exists("wiki/topics/a.md")
    assert not snapshot.exists("wiki/topics/none.md")


def test_links_in_a_circle_and_to_nothing_are_dangling(tmp_path):
    (tmp_path / "wiki").mkdir()
    (tmp_path / "wiki/a.md").symlink_to("b.md")
    (tmp_path / "wiki/b.md").symlink_to("a.md")
    (tmp_path / "wiki/c.md").symlink_to("gone.md")
    snapshot = load(tmp_path)
    assert {entry.problem for entry in snapshot.files.values()} == {"dangling"}
    assert snapshot.keys == frozenset()
    assert snapshot.pages == {}


def test_a_root_that_is_itself_a_link_is_read(tmp_path):
    write(tmp_path, "real/wiki/a.md")
    (tmp_path / "real/wiki/b.md").symlink_to("a.md")
    (tmp_path / "alias").symlink_to("real")
    snapshot = load(tmp_path / "alias")
    assert list(snapshot.pages) == ["wiki/a.md"]
    assert snapshot.problems == ()


def test_a_pipe_named_like_a_page_does_not_block(tmp_path):
    (tmp_path / "wiki").mkdir()
    os.mkfifo(tmp_path / "wiki/a.md")
    snapshot = load(tmp_path)
    assert snapshot.problems == (("wiki/a.md", "unreadable", "not a regular file"),)
    assert snapshot.pages == {}


def test_denied_files_and_folders_are_problems_with_the_way_out():
    with open_folder() as root:
        write(root, "wiki/a.md")
        write(root, "wiki/b.md")
        write(root, "raw/articles/c.md")
        (root / "wiki/b.md").chmod(0)
        (root / "raw/articles").chmod(0)
        with without_rights():
            snapshot = load(root, use_cache=False)
        (root / "raw/articles").chmod(0o755)
    assert list(snapshot.pages) == ["wiki/a.md"]
    assert [(rel, code) for rel, code, _ in snapshot.problems] == [
        ("raw/articles", "unreadable"),
        ("wiki/b.md", "unreadable"),
    ]
    assert all("Full Disk Access" in text for _, _, text in snapshot.problems)
    assert snapshot.files["wiki/b.md"].problem == "unreadable"
    assert snapshot.dirs["raw/articles"] == ()


def test_a_file_that_goes_while_others_are_read_was_never_there(tmp_path):
    write(tmp_path, "wiki/a.md")
    write(tmp_path, "wiki/b.md")

    def remove(page):
        (tmp_path / "wiki/b.md").unlink(missing_ok=True)
        return ()

    snapshot = load(tmp_path, per_file=remove, per_file_key="k", use_cache=False)
    assert list(snapshot.files) == list(snapshot.pages) == ["wiki/a.md"]
    assert snapshot.dirs["wiki"] == ("a.md",)
    assert snapshot.problems == ()


def test_a_file_that_becomes_something_else_while_others_are_read_is_a_problem(tmp_path):
    for name in "abcd":
        write(tmp_path, f"wiki/{name}.md")

    def replace(page):
        for name in "bcd":
            (tmp_path / f"wiki/{name}.md").unlink()
        os.mkfifo(tmp_path / "wiki/b.md")
        (tmp_path / "wiki/c.md").mkdir()
        (tmp_path / "wiki/d.md").symlink_to("a.md")
        return ()

    snapshot = load(tmp_path, per_file=replace, per_file_key="k", use_cache=False)
    assert list(snapshot.pages) == ["wiki/a.md"]
    assert [(rel, code) for rel, code, _ in snapshot.problems] == [
        (f"wiki/{name}.md", "unreadable") for name in "bcd"
    ]


def test_a_file_that_grows_after_it_was_listed_is_read_whole(tmp_path):
    write(tmp_path, "wiki/a.md", "# a\n")
    write(tmp_path, "wiki/b.md", "# b\n")

    def grow(page):
        if page.rel == "wiki/a.md":
            write(tmp_path, "wiki/b.md", "# much longer\n")
        return ()

    snapshot = load(tmp_path, per_file=grow, per_file_key="k", use_cache=False)
    assert snapshot.pages["wiki/b.md"].title == "much longer"
    assert snapshot.files["wiki/b.md"].size == 14


def test_a_fault_of_the_check_costs_one_file_and_not_the_run(tmp_path):
    write(tmp_path, "wiki/a.md")
    write(tmp_path, "wiki/b.md")

    def fail(page):
        if page.rel == "wiki/a.md":
            raise RecursionError("too deep")
        return ()

    snapshot = load(tmp_path, per_file=fail, per_file_key="k", use_cache=False)
    assert list(snapshot.pages) == ["wiki/b.md"]
    assert snapshot.problems == (
        ("wiki/a.md", "unreadable", "could not be parsed (RecursionError: too deep)"),
    )


# --- what a snapshot answers -----------------------------------------------------------------


def test_the_pages_of_a_folder_come_without_its_index(tmp_path):
    for rel in ("wiki/c/b.md", "wiki/c/a.md", "wiki/c/_index.md", "wiki/c/d/e.md"):
        write(tmp_path, rel)
    snapshot = load(tmp_path)
    assert [page.rel for page in snapshot.in_folder("wiki/c")] == ["wiki/c/a.md", "wiki/c/b.md"]
    assert snapshot.in_folder("wiki/none") == []


def test_the_configuration_is_that_of_the_topic(tmp_path):
    put(tmp_path, config='---\ntitle: "Tea"\nlinks: wikilink\n---\n')
    assert (load(tmp_path).config.title, load(tmp_path).config.links) == ("Tea", "wikilink")


def test_bytes_are_read_as_they_were(tmp_path):
    write(tmp_path, "wiki/a.md", b"\xef\xbb\xbf# A\r\n")
    write(tmp_path, "wiki/a.png", b"\x89PNG")
    snapshot = load(tmp_path)
    assert snapshot.read("wiki/a.md") == b"\xef\xbb\xbf# A\r\n"
    assert snapshot.read("wiki/a.png") == b"\x89PNG"


def test_a_file_changed_since_is_a_conflict(tmp_path):
    write(tmp_path, "wiki/a.md", "# A\n")
    write(tmp_path, "wiki/a.png", b"1")
    snapshot = load(tmp_path)
    write(tmp_path, "wiki/a.md", "# B\n")
    write(tmp_path, "wiki/a.png", b"22")
    for rel in ("wiki/a.md", "wiki/a.png"):
        with pytest.raises(Conflict, match="has changed"):
            snapshot.read(rel)
    (tmp_path / "wiki/a.md").unlink()
    with pytest.raises(Conflict, match="has gone"):
        snapshot.read("wiki/a.md")


def test_what_lies_in_closed_folders_exists_if_the_disk_says_so(tmp_path):
    write(tmp_path, "output/projects/.archive/old/WHY.md")
    write(tmp_path, "inbox/.processed/a.pdf")
    snapshot = load(tmp_path)
    assert snapshot.exists("output/projects/.archive/old/WHY.md")
    assert snapshot.exists("inbox/.processed/a.pdf")
    assert not snapshot.exists("output/projects/.archive/new/WHY.md")
    assert snapshot.exists("inbox")
    assert not snapshot.exists("raw/x.md")


def test_the_check_of_single_pages_runs_once_on_each(tmp_path):
    write(tmp_path, "wiki/a.md", "# A\n## B\n")
    snapshot = load(tmp_path, per_file=notes, per_file_key="k")
    assert snapshot.pages["wiki/a.md"].notes == (("seen", "wiki/a.md", 2),)
    assert load(tmp_path).pages["wiki/a.md"].notes == ()


def test_progress_counts_up_to_the_number_of_files(tmp_path):
    for number in range(70):
        write(tmp_path, f"wiki/c/{number}.md")
    seen = []
    load(tmp_path, use_cache=False, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(64, 70), (70, 70)]


# --- processes -------------------------------------------------------------------------------


def many(root: Path, count: int = 40) -> Path:
    for number in range(count):
        write(
            root, f"wiki/concepts/a{number}.md", f"---\ntitle: T{number}\n---\n# A\n[b](b.md) [[c|C]]\n" * 3
        )
        write(root, f"raw/notes/s{number}.md", b"\xff bad\n" if number % 7 == 0 else b"# S\n")
    return root


@pytest.mark.parametrize("jobs", [2, 3, 500])
def test_the_result_does_not_depend_on_the_number_of_processes(tmp_path, jobs):
    many(tmp_path)
    options = {"per_file": notes, "per_file_key": "k", "use_cache": False}
    alone, shared = load(tmp_path, jobs=1, **options), load(tmp_path, jobs=jobs, **options)
    assert facts(alone) == facts(shared)


def test_what_a_dying_child_leaves_the_parent_does(tmp_path):
    many(tmp_path)
    parent = os.getpid()

    def deadly(page):
        if os.getpid() != parent:
            os._exit(9)
        yield from notes(page)

    options = {"per_file_key": "k", "use_cache": False}
    assert facts(load(tmp_path, jobs=3, per_file=deadly, **options)) == facts(
        load(tmp_path, jobs=1, per_file=notes, **options)
    )


def test_no_child_is_left_behind(tmp_path):
    load(many(tmp_path), jobs=4, use_cache=False)
    parallel.join()
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_an_interrupted_parent_takes_its_children_with_it(tmp_path):
    parent = os.getpid()

    def stop(page):
        if os.getpid() == parent:
            raise KeyboardInterrupt
        time.sleep(0.1)
        yield from notes(page)

    with pytest.raises(KeyboardInterrupt):
        load(many(tmp_path), jobs=3, per_file=stop, use_cache=False)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


# --- places ----------------------------------------------------------------------------------


def test_every_registered_topic_has_its_place(tmp_path):
    hub = tmp_path / "hub"
    write(hub, "topics/tea/_index.md")
    write(hub, "topics/tea/config.md", '---\ntitle: "Tea"\n---\n')
    write(hub, "topics/bare/config.md")
    write(tmp_path, "far/_index.md")
    (hub / "topics/empty").mkdir()
    paths = {
        "tea": "topics/tea",
        "bare": "<HUB>/topics/bare",
        "empty": "topics/empty",
        "gone": "topics/gone",
        "far": str(tmp_path / "far"),
        "lost": "/nowhere/at/all",
        "self": "<HUB>",
    }
    (hub / "wikis.json").write_text(
        json.dumps({"wikis": {slug: {"path": path} for slug, path in paths.items()}})
    )
    places = load(hub, "hub").places
    assert {
        slug: (place.rel, place.state, place.initialised, place.title) for slug, place in places.items()
    } == {
        "tea": ("topics/tea", "topic", True, "Tea"),
        "bare": ("topics/bare", "topic", False, ""),
        "empty": ("topics/empty", "none", False, ""),
        "gone": ("topics/gone", "missing", False, ""),
        "far": (None, "topic", True, ""),
        "lost": (None, "missing", False, ""),
        "self": ("", "hub", False, ""),
    }
