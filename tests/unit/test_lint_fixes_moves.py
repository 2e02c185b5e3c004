"""Placement and quarantine: files move once, nothing is overwritten, what names them follows."""

import json
import sys

import pytest
from fixkit import fix, home, proved  # noqa: F401 -- home is a fixture
from lintkit import (
    GRADES,
    GREEN,
    HARVEST,
    IDEA,
    ITEM,
    MANIFEST,
    OXIDATION,
    STUDY,
    THESIS,
    edit,
    field,
    findings,
    front,
    full,
    move,
    read,
    reindex,
    sample,
    tree,
    write,
)

from llm_wiki.core import undo

pytestmark = pytest.mark.usefixtures("home")

UNKNOWN = "inbox/.unknown"


# --- where things go -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rel", "key", "value", "to"),
    [
        (HARVEST, "type", "papers", "raw/papers/2026-01-02-tea-harvest.md"),
        (GREEN, "category", "concept", "wiki/concepts/green-tea.md"),
        (GREEN, "type", "thesis", "wiki/theses/green-tea.md"),
        (IDEA, "kind", "entity", "inventory/entities/tea-almanac.md"),
        (ITEM, "kind", "question", "inventory/candidates/cast-iron-kettle.md"),
    ],
)
def test_a_document_goes_where_its_front_matter_says(tmp_path, rel, key, value, to):
    root = full(tmp_path)
    field(root, rel, key, value)
    reindex(root)
    report = proved(root)
    assert f"Moved {rel} to {to}" in report.fixes
    assert report.findings == []
    assert not (root / rel).exists()
    assert (root / to).exists()


def test_a_file_is_never_moved_onto_another(tmp_path):
    root = sample(tmp_path)
    write(root, "wiki/topics/tea-grades.md", read(root, GREEN))
    field(root, GRADES, "category", "topic")
    before = (read(root, GRADES), read(root, "wiki/topics/tea-grades.md"))
    report = fix(root)
    assert "W302" in [finding.rule for finding in report.findings]
    assert (read(root, GRADES), read(root, "wiki/topics/tea-grades.md")) == before


@pytest.mark.skipif(sys.platform == "darwin", reason="the file system folds names")
def test_a_name_that_differs_in_case_only_is_taken(tmp_path):
    root = sample(tmp_path)
    write(root, "wiki/topics/Tea-Grades.md", read(root, GREEN))
    field(root, GRADES, "category", "topic")
    reindex(root)
    fix(root)
    assert (root / GRADES).exists()


def test_of_two_files_for_one_place_the_first_by_path_goes(tmp_path):
    root = sample(tmp_path)
    text = read(root, GRADES).replace("category: reference", "category: concept")
    write(root, "wiki/topics/steep.md", text)
    write(root, "wiki/references/steep.md", text)
    report = proved(root)
    assert "Moved wiki/references/steep.md to wiki/concepts/steep.md" in report.fixes
    assert [finding.path for finding in report.findings if finding.rule == "W302"] == ["wiki/topics/steep.md"]


def test_a_file_takes_a_place_that_another_leaves_in_the_same_run(tmp_path):
    root = sample(tmp_path)
    text = read(root, GRADES)
    write(root, "wiki/concepts/steep.md", text.replace("category: reference", "category: topic"))
    write(root, "wiki/topics/steep.md", text)
    proved(root)
    assert front(root / "wiki/topics/steep.md")["category"] == "topic"
    assert front(root / "wiki/references/steep.md")["category"] == "reference"
    assert not (root / "wiki/concepts/steep.md").exists()


def test_the_row_of_a_moved_file_changes_its_index(tmp_path):
    root = full(tmp_path)
    field(root, IDEA, "kind", "entity")
    (root / "inventory/entities").mkdir(exist_ok=True)
    reindex(root)
    move(root, "inventory/entities/_index.md", "../gone.md")
    proved(root)
    assert "tea-almanac" not in read(root, "inventory/ideas/_index.md")
    assert "(tea-almanac.md)" in read(root, "inventory/entities/_index.md")
    assert read(root, "inventory/_index.md").count("(entities/tea-almanac.md)") == 1
    assert "ideas/tea-almanac.md" not in read(root, "inventory/_index.md")


def test_nothing_moves_through_a_symbolic_link(tmp_path):
    root = sample(tmp_path)
    move(root, "wiki/references", "../shelf")
    (root / "wiki/references").symlink_to(tmp_path / "shelf")
    field(root, GREEN, "category", "reference")
    before = tree(tmp_path / "shelf")
    report = fix(root)
    assert (root / GREEN).exists()
    assert tree(tmp_path / "shelf") == before
    assert not any(finding.fixable for finding in report.findings)


# --- links -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[a](../topics/green-tea.md)", "[a](../concepts/green-tea.md)"),
        ("[a](<../topics/green-tea.md> 'T')", "[a](<../concepts/green-tea.md> 'T')"),
        ("[a](../topics/green%2Dtea.md?q=1#findings)", "[a](../concepts/green-tea.md?q=1#findings)"),
        ("[a](./../topics/green-tea.md)", "[a](../concepts/green-tea.md)"),
        ("[a](/wiki/topics/green-tea.md)", "[a](/wiki/concepts/green-tea.md)"),
        ("[a][g]\n\n[g]: ../topics/green-tea.md", "[a][g]\n\n[g]: ../concepts/green-tea.md"),
        ('<a href="../topics/green-tea.md">a</a>', '<a href="../concepts/green-tea.md">a</a>'),
        ("[[topics/green-tea]]", "[[concepts/green-tea]]"),
        ("[[wiki/topics/green-tea.md|a]]", "[[wiki/concepts/green-tea.md|a]]"),
        ("[[green-tea|a]]", "[[green-tea|a]]"),
        ("`[a](../topics/green-tea.md)`", "`[a](../topics/green-tea.md)`"),
        ("<!-- [a](../topics/green-tea.md) -->", "<!-- [a](../topics/green-tea.md) -->"),
        (r"\[a\](../topics/green-tea.md)", r"\[a\](../topics/green-tea.md)"),
    ],
)
def test_links_to_a_moved_article_are_rewritten_in_every_form(tmp_path, before, after):
    root = sample(tmp_path)
    edit(root, GRADES, "Prose.", before)
    field(root, GREEN, "category", "concept")
    reindex(root)
    text = read(root, GRADES).replace("([Green Tea](../topics/", "([Green Tea](../concepts/")
    proved(root)
    assert read(root, GRADES) == text.replace(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[a](steep.md)", "[a](../topics/steep.md)"),
        ("[a](steep.md#a)", "[a](../topics/steep.md#a)"),
        ("[a](../concepts/oxidation.md)", "[a](../concepts/oxidation.md)"),
        ("[a](/wiki/topics/steep.md)", "[a](/wiki/topics/steep.md)"),
        ("[a](#findings)", "[a](#findings)"),
        ("[a](https://example.org/x.md)", "[a](https://example.org/x.md)"),
        ("![a](fig.png)", "![a](../topics/fig.png)"),
        ("[[steep]]", "[[steep]]"),
        ("[a](green-tea.md)", "[a](green-tea.md)"),
    ],
)
def test_links_inside_a_moved_article_keep_their_meaning(tmp_path, before, after):
    root = sample(tmp_path)
    write(root, "wiki/topics/steep.md", read(root, GREEN).replace("title: Green Tea", "title: Steep"))
    write(root, "wiki/topics/fig.png", b"\x89PNG")
    edit(root, GREEN, "Prose.", before)
    field(root, GREEN, "category", "concept")
    reindex(root)
    text = read(root, GREEN)
    proved(root)
    assert read(root, "wiki/concepts/green-tea.md") == text.replace(before, after)


def test_a_link_that_was_meant_for_the_right_place_is_left_alone(tmp_path):
    root = sample(tmp_path)
    before = read(root, GREEN)
    move(root, GREEN, "wiki/green-tea.md")
    proved(root)
    assert read(root, GREEN) == before


def test_two_articles_that_link_each_other_can_move_together(tmp_path):
    root = sample(tmp_path)
    edit(root, GREEN, "Prose.", "See [grades](../references/tea-grades.md).")
    field(root, GREEN, "category", "concept")
    field(root, GRADES, "category", "topic")
    reindex(root)
    report = proved(root)
    assert report.findings == []
    assert "[grades](../topics/tea-grades.md)" in read(root, "wiki/concepts/green-tea.md")
    assert "([Green Tea](../concepts/green-tea.md))" in read(root, "wiki/topics/tea-grades.md")


def test_a_raw_body_is_never_rewritten(tmp_path):
    root = sample(tmp_path)
    edit(root, STUDY, "The text of", "See [tea](../../wiki/topics/green-tea.md). The text of")
    field(root, GREEN, "category", "concept")
    reindex(root)
    before = read(root, STUDY)
    proved(root)
    assert read(root, STUDY) == before


def test_references_in_front_matter_follow_item_by_item(tmp_path):
    root = full(tmp_path)
    field(root, MANIFEST, "raw_sources", f"\n  - {STUDY} # first\n  - {HARVEST}")
    field(root, MANIFEST, "origin", STUDY)
    field(root, MANIFEST, "inventory", f"[{IDEA}]")
    field(root, IDEA, "sources", f"[https://example.org, ../../{STUDY}]")
    field(root, STUDY, "type", "data")
    field(root, IDEA, "kind", "entity")
    reindex(root)
    report = proved(root)
    new = "raw/data/2026-01-03-leaf-oxidation-study.md"
    assert report.findings == []
    assert f"  - {new} # first\n  - {HARVEST}\n" in read(root, MANIFEST)
    page = front(root / MANIFEST)
    assert (page["origin"], page["inventory"]) == (new, ["inventory/entities/tea-almanac.md"])
    assert front(root / "inventory/entities/tea-almanac.md")["sources"] == ["https://example.org", new]


def test_a_file_that_an_unreadable_page_names_stays(tmp_path):
    root = sample(tmp_path)
    field(root, GREEN, "category", "concept")
    reindex(root)
    write(root, GRADES, read(root, GRADES).replace("title: Tea Grades", "title: {Tea"))
    report = fix(root)
    assert (root / GREEN).exists()
    assert [(finding.rule, finding.fixable) for finding in report.findings if finding.rule == "W301"] == [
        ("W301", False)
    ]


def test_a_symbolic_link_is_never_moved(tmp_path):
    root = sample(tmp_path)
    field(root, GREEN, "category", "concept")
    move(root, GREEN, "../kept.md")
    (root / GREEN).symlink_to(tmp_path / "kept.md")
    (root / "stray.txt").symlink_to(root / "config.md")
    before = tree(tmp_path)
    fix(root)
    after = tree(tmp_path)
    assert (root / GREEN).is_symlink()
    assert (root / "stray.txt").is_symlink()
    assert before["kept.md"] == after["kept.md"]


# --- quarantine --------------------------------------------------------------------------------


def test_a_name_that_is_taken_in_quarantine_gets_the_next_number(tmp_path):
    root = sample(tmp_path)
    for name in ("Notes.txt", "notes-2.TXT", "Makefile"):
        write(root, f"{UNKNOWN}/{name}", "earlier")
    for rel in ("notes.txt", "raw/notes.txt", "Makefile", ".env", "raw/.env"):
        write(root, rel, rel)
    report = proved(root)
    assert report.findings == []
    there = {
        path.name: path.read_text() for path in (root / UNKNOWN).iterdir() if path.name != ".manifest.jsonl"
    }
    assert there == {
        "Notes.txt": "earlier",
        "notes-2.TXT": "earlier",
        "Makefile": "earlier",
        ".env": ".env",
        "Makefile-2": "Makefile",
        "notes-3.txt": "notes.txt",
        ".env-2": "raw/.env",
        "notes-4.txt": "raw/notes.txt",
    }


def test_the_place_of_origin_is_written_down_and_undo_moves_back(tmp_path):
    root = sample(tmp_path)
    write(root, "wiki/notes für später.txt", "x")
    write(root, f"{UNKNOWN}/.manifest.jsonl", '{"at": "2025", "from": "a", "name": "b"}\n')
    before = tree(root)
    fix(root)
    lines = [json.loads(line) for line in read(root, f"{UNKNOWN}/.manifest.jsonl").splitlines()]
    assert lines[1] == {
        "at": "2026-01-10T12:00:00Z",
        "from": "wiki/notes für später.txt",
        "name": "notes für später.txt",
    }
    undo.undo(root, verb="lint")
    after = tree(root)
    assert {rel for rel in before | after if before.get(rel) != after.get(rel)} == {"log.md"}


def test_a_file_that_an_article_links_is_not_put_aside(tmp_path):
    root = sample(tmp_path)
    write(root, "wiki/concepts/table.csv", "a,b\n")
    write(root, "raw/scan.pdf", "x")
    edit(root, OXIDATION, "Prose.", "See [table](table.csv) and [scan](../../raw/scan.pdf).")
    before = tree(root)
    report = fix(root)
    assert tree(root) == before
    assert not any(finding.fixable for finding in report.findings)


def test_names_of_the_ignore_list_stay(tmp_path):
    root = sample(tmp_path)
    field(root, "config.md", "ignore", "[notes.txt, 'raw/*.bin']")
    write(root, "notes.txt", "x")
    write(root, "raw/a.bin", "x")
    write(root, "wiki/b.bin", "x")
    report = proved(root)
    assert report.fixes == (f"Quarantined wiki/b.bin to {UNKNOWN}/b.bin",)


def test_unknown_folders_stay(tmp_path):
    root = sample(tmp_path)
    write(root, "misc/a.txt", "x")
    write(root, "wiki/misc/a.md", "# A\n")
    before = tree(root)
    report = fix(root)
    assert {finding.rule for finding in report.findings} == {"W306"}
    assert tree(root) == before


def test_a_thesis_without_front_matter_is_not_moved(tmp_path):
    root = sample(tmp_path)
    write(root, THESIS, "# Only text\n")
    reindex(root)
    fix(root)
    assert (root / THESIS).exists()
    assert findings(root)
