"""Names and allow-lists: what is expected where, what is tolerated, what needs an index."""

import pytest

from llm_wiki.model import layout
from llm_wiki.model.layout import is_ignored, judge, judge_hub, place_of, required_indexes

NAMES = [
    ("", "_index.md", False, "expected"),
    ("", "README.md", False, "expected"),
    ("", "notes.txt", False, "unexpected"),
    ("", "raw", True, "expected"),
    ("", "raw", False, "unexpected"),
    ("", "src", True, "unexpected"),
    ("", ".obsidian", True, "expected"),
    ("", ".session-events.jsonl", False, "expected"),
    ("", ".env", False, "unexpected"),
    ("", ".DS_Store", False, "tolerated"),
    ("", "Icon\r", False, "tolerated"),
    ("", "draft.md~", False, "tolerated"),
    ("", ".x.swp", False, "tolerated"),
    ("", "._x.md", False, "tolerated"),
    ("", "paper.pdf.icloud", False, "tolerated"),
    ("", ".trash", True, "tolerated"),
    ("raw", "_index.md", False, "expected"),
    ("raw", "x.md", False, "unexpected"),
    ("raw", "articles", True, "expected"),
    ("raw", "misc", True, "unexpected"),
    ("raw", ".gitkeep", False, "tolerated"),
    ("wiki", "views", True, "unexpected"),
    ("inventory", "views", True, "expected"),
    ("raw/articles", "x.md", False, "expected"),
    ("raw/articles", "X.MD", False, "expected"),
    ("raw/articles", "x.pdf", False, "unexpected"),
    ("raw/articles", "sub", True, "unexpected"),
    ("raw/articles", "assets", True, "tolerated"),
    ("wiki/concepts", "attachments", True, "tolerated"),
    ("inventory/items", "assets", True, "unexpected"),
    ("wiki/concepts", ".hidden.md", False, "unexpected"),
    ("wiki/concepts", "._x.md", False, "tolerated"),
    ("datasets", "sales", True, "expected"),
    ("datasets", "x.csv", False, "unexpected"),
    ("datasets/sales", "MANIFEST.md", False, "expected"),
    ("datasets/sales", "notes.md", False, "unexpected"),
    ("datasets/sales", "samples", True, "expected"),
    ("datasets/sales", "raw", True, "unexpected"),
    ("datasets/sales/samples", "x.md", False, "expected"),
    ("datasets/sales/samples", "x.csv", False, "unexpected"),
    ("output", "anything.bin", False, "expected"),
    ("output/projects/p", "code", True, "expected"),
    ("inbox", "drop.pdf", False, "expected"),
    (".librarian", "x", False, "expected"),
    ("wiki/misc", "x.md", False, "tolerated"),
]


@pytest.mark.parametrize(("folder", "name", "is_folder", "verdict"), NAMES)
def test_a_topic_judges_a_name_by_its_folder(folder, name, is_folder, verdict):
    assert judge(folder, name, is_folder=is_folder) == verdict


GIT = [
    ("", ".git", True, "expected"),
    ("", ".git", False, "expected"),
    ("", "CLAUDE.md", False, "expected"),
    ("", ".editorconfig", False, "tolerated"),
    ("", "mkdocs.yml", False, "tolerated"),
    ("", "main.py", False, "unexpected"),
    ("wiki", "CLAUDE.md", False, "unexpected"),
    ("wiki", ".editorconfig", False, "unexpected"),
]


@pytest.mark.parametrize(("folder", "name", "is_folder", "verdict"), GIT)
def test_a_git_root_allows_what_repositories_hold(folder, name, is_folder, verdict):
    assert judge(folder, name, is_folder=is_folder, git_root=True) == verdict


def test_git_names_are_unexpected_without_git():
    assert judge("", "CLAUDE.md", is_folder=False) == "unexpected"


def test_the_ignore_list_matches_names_and_paths():
    assert judge("", "notes.txt", is_folder=False, ignore=["*.txt"]) == "tolerated"
    assert judge("wiki", "notes.txt", is_folder=False, ignore=["wiki/*.txt"]) == "tolerated"
    assert judge("raw", "notes.txt", is_folder=False, ignore=["wiki/*.txt"]) == "unexpected"
    assert judge("", "build", is_folder=True, ignore=["build/"]) == "tolerated"


def test_a_hub_has_an_allow_list_of_its_own():
    assert judge_hub("wikis.json", is_folder=False) == "expected"
    assert judge_hub("topics", is_folder=True) == "expected"
    assert judge_hub(".obsidian", is_folder=True) == "expected"
    assert judge_hub("config.md", is_folder=False) == "unexpected"
    assert judge_hub("raw", is_folder=True) == "unexpected"
    assert judge_hub("AGENTS.md", is_folder=False) == "unexpected"
    assert judge_hub("AGENTS.md", is_folder=False, git_root=True) == "expected"
    assert judge_hub(".DS_Store", is_folder=False) == "tolerated"


def test_there_are_twelve_required_folders():
    assert len(layout.REQUIRED_FOLDERS) == 12


def test_indexes_are_required_where_folders_exist():
    dirs = {
        "": ("raw", "wiki", "inventory", "datasets"),
        "raw": (),
        "raw/data": (),
        "inventory": (),
        "inventory/views": (),
        "inventory/odd": (),
        "datasets": ("a", "b", ".c"),
        "datasets/a": ("MANIFEST.md",),
        "datasets/a/samples": (),
        "datasets/a/odd": (),
        "datasets/b": (),
        "datasets/.c": ("MANIFEST.md",),
    }
    assert list(required_indexes(dirs)) == [
        "raw",
        "raw/data",
        "inventory",
        "inventory/views",
        "datasets",
        "datasets/a",
        "datasets/a/samples",
    ]


@pytest.mark.parametrize("name", ["Thumbs.db", "desktop.ini", ".stfolder", ".#x", "x~", ".a.swo"])
def test_system_and_editor_files_are_ignored_everywhere(name):
    assert is_ignored(name)


@pytest.mark.parametrize("name", ["notes.md", ".env", "swap.sw", "a.swp", "~x"])
def test_other_names_are_not_ignored(name):
    assert not is_ignored(name)


def test_folders_below_an_unexpected_one_are_not_judged_again():
    assert place_of("wiki/misc") == "unknown"
    assert place_of("wiki/concepts/deep") == "unknown"
    assert place_of("src") == "unknown"


@pytest.mark.parametrize("slug", ["a", "tools-x", "a" * 40])
def test_project_slugs(slug):
    assert layout.PROJECT_SLUG.fullmatch(slug)


@pytest.mark.parametrize("slug", ["", "-a", "A", "a_b", "a" * 41, "ä"])
def test_no_project_slugs(slug):
    assert not layout.PROJECT_SLUG.fullmatch(slug)
