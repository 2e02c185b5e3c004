"""`lint.md` §6, as far as `--fix` is concerned: one block a row, in the words of its right column."""

import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from fixkit import fix, home, proved, unprivileged  # noqa: F401 -- home is a fixture
from lintkit import (
    GRADES,
    GREEN,
    HARVEST,
    IDEA,
    MANIFEST,
    OXIDATION,
    STUDY,
    TASTING,
    THESIS,
    TODAY,
    WHY,
    drop,
    edit,
    field,
    findings,
    front,
    full,
    hub,
    ids,
    move,
    raw,
    read,
    reindex,
    sample,
    tree,
    write,
)

from llm_wiki.core.errors import NotAWiki
from llm_wiki.lint.repair import NotRepaired, repair
from llm_wiki.wiki.resolve import Root, resolve

pytestmark = pytest.mark.usefixtures("home")

BACKLOG = "wiki/references/uncompiled-source-coverage.md"
PROSE = "Green tea is made from leaves that are heated soon after they are picked, which keeps them green."


def lines_of(root, rel):
    return read(root, rel).split("\n")


# --- B1 ------------------------------------------------------------------------------------


def code_project(where):
    for name in (".env", "Makefile", "main.py", "package.json", "README.md"):
        write(where, f"project/{name}", "x\n")
    return where / "project"


def hub_without_topics(where):
    write(where, "wiki/wikis.json", '{"default": "<HUB>", "wikis": {}}\n')
    write(where, "wiki/_index.md", "# Wiki Hub Index\n")
    return where / "wiki"


def hub_without_registry(where):
    root = hub(where)
    (root / "wikis.json").unlink()
    return root


@pytest.mark.parametrize("build", [code_project, hub_without_topics, hub_without_registry])
@pytest.mark.parametrize("kind", ["topic", "hub"])
def test_b01_what_is_no_complete_wiki_is_w100_and_no_byte_changes(tmp_path, build, kind):
    root = build(tmp_path)
    before = tree(root)
    with pytest.raises(NotAWiki) as caught:
        resolve(str(root))
    with pytest.raises(NotAWiki):
        repair(Root(root, kind, None, "x", "active"))
    assert caught.value.code == 2
    assert tree(root) == before


# --- B2 ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lost", "other"),
    [
        ("raw/papers/2026-01-01-attention-survey-deleted.md", "raw/papers/2024-05-05-attention.md"),
        ("raw/papers/2026-01-01-something-deleted.md", "raw/notes/2026-01-02-日本語メモ.md"),
        ("raw/notes/2026-01-02-削除済み.md", "raw/notes/2026-01-02-検索.md"),
    ],
)
def test_b02_a_deleted_source_is_w513_and_never_becomes_another(tmp_path, lost, other):
    root = sample(tmp_path)
    raw(root, other, "Other")
    field(root, GREEN, "sources", f"\n  - {lost}\n  - {HARVEST}\n  - {STUDY}")
    field(root, OXIDATION, "sources", f"\n  - {STUDY}\n  - {other}")
    reindex(root)
    before = read(root, GREEN)
    report = proved(root)
    assert [finding.rule for finding in report.findings] == ["W513"]
    assert read(root, GREEN) == before


def test_b02_a_bare_slug_of_a_source_becomes_its_path(tmp_path):
    root = sample(tmp_path)
    raw(root, "raw/articles/2026-01-05-quantum-canary-satoshi-coins.md", "Quantum Canary")
    field(root, GREEN, "sources", "\n  - quantum-canary\n  - raw/articles/2026-01-02-tea-harvest.md")
    reindex(root)
    proved(root)
    assert "  - raw/articles/2026-01-05-quantum-canary-satoshi-coins.md\n" in read(root, GREEN)


# --- B3 ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rel", "key", "value"),
    [
        (HARVEST, "type", ""),
        (HARVEST, "type", "[articles]"),
        (GREEN, "category", ""),
        (IDEA, "kind", ""),
        (GREEN, "volatility", ""),
        (GREEN, "compiled-from", ""),
        (GREEN, "compiled-from", "[sources]"),
    ],
)
def test_b03_an_empty_or_wrongly_shaped_word_ends_no_run(tmp_path, rel, key, value):
    root = full(tmp_path)
    field(root, rel, key, value)
    reindex(root)
    report = proved(root)
    assert {finding.rule for finding in report.findings} <= {"W201", "W209"}


# --- B4 ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        f"\n- {HARVEST}\n- {STUDY}",
        f"\n    - {HARVEST}\n    - {STUDY}",
        f"[\n  {HARVEST},\n  {STUDY}\n]",
        f"\n  - {HARVEST} # why\n  # and\n  - '{STUDY}'",
    ],
)
def test_b04_lists_as_common_writers_emit_them_start_no_backlog(tmp_path, text):
    root = sample(tmp_path)
    lines = read(root, GREEN).replace(f"sources:\n  - {HARVEST}\n  - {STUDY}\n", f"sources:{text}\n")
    write(root, GREEN, lines.replace("category: topic", "category: topic # note"))
    assert text in read(root, GREEN)
    before = tree(root)
    assert fix(root).fixes == ()
    assert tree(root) == before


@pytest.mark.parametrize("text", [f"{{one: {TASTING}}}", f"\n  - one: {TASTING}", f"[[{TASTING}]]"])
def test_b04_sources_that_nobody_can_make_out_start_no_backlog(tmp_path, text):
    root = sample(tmp_path)
    field(root, THESIS, "sources", text)
    before = tree(root)
    report = fix(root)
    assert (report.fixes, [one.rule for one in report.findings]) == ((), ["W512"])
    assert tree(root) == before


def test_b04_sources_in_one_text_are_each_cited(tmp_path):
    root = sample(tmp_path)
    field(root, GREEN, "sources", f"{HARVEST}, {STUDY}")
    field(root, GRADES, "sources", f"[{TASTING}]")
    report = fix(root, only=("W611",))
    assert report.fixes == ()


# --- B6 ------------------------------------------------------------------------------------


def test_b06_an_empty_date_is_filled_in_place(tmp_path):
    root = sample(tmp_path)
    drop(root, OXIDATION, "created")
    field(root, OXIDATION, "updated", "")
    field(root, OXIDATION, "verified", "2026-01-03")
    reindex(root)
    assert "updated:\nverified: 2026-01-03\n" in read(root, OXIDATION)
    proved(root)
    assert "updated: 2026-01-03\nverified: 2026-01-03\n" in read(root, OXIDATION)
    assert front(root / OXIDATION)["created"] == "2026-01-03"


@pytest.mark.parametrize("value", ["", '""', "''", "~"])
def test_b06_an_empty_summary_is_filled_and_not_repeated(tmp_path, value):
    root = sample(tmp_path)
    edit(root, GREEN, "> Green Tea in one sentence, as the abstract of the article says it.", PROSE)
    field(root, GREEN, "summary", value)
    if value == "~":
        field(root, GREEN, "summary", '"  "')
    reindex(root)
    proved(root)
    text = read(root, GREEN)
    assert text.count("summary:") == 1
    assert front(root / GREEN)["summary"] == PROSE


# --- B7 ------------------------------------------------------------------------------------


def test_b07_one_item_of_a_commented_list_is_edited_and_quoted(tmp_path):
    root = sample(tmp_path)
    odd = "raw/notes/2026-01-05 foo: bar #1.md"
    raw(root, odd, "Odd Name")
    value = f"\n  - {HARVEST}\n  # the next one by its slug\n  - leaf-oxidation-study\n  - '{odd}'"
    field(root, GREEN, "sources", "")
    edit(root, GREEN, "sources:\n", f"sources:{value}\n")
    edit(root, GREEN, "sources:" + value, "sources:" + value.replace(f"'{odd}'", "2026-01-05-foo-bar-1"))
    reindex(root)
    proved(root)
    block = read(root, GREEN).partition("sources:")[2].partition("---")[0]
    assert block.split("\n") == [
        "",
        f"  - {HARVEST}",
        "  # the next one by its slug",
        f"  - {STUDY}",
        f'  - "{odd}"',
        "",
    ]
    assert front(root / GREEN)["sources"] == [HARVEST, STUDY, odd]


# --- B8 ------------------------------------------------------------------------------------

CURATED = """# Papers worth reading

Chosen by hand.

Last updated: 2025-12-01

| Date | Title | Quality | Tags |
|------|-------|---------|------|
| 2026-01-03 | [Leaf Oxidation Study](2026-01-03-leaf-oxidation-study.md) | ★★★ | tea |

## Categories

- leaves and how they brown

## Recent Changes

- 2026-01-03: first paper
"""


def test_b08_a_curated_index_gets_one_row_and_keeps_every_other_line(tmp_path):
    root = sample(tmp_path)
    new = "raw/papers/2026-01-09-polyphenols.md"
    raw(root, new, "Polyphenols")
    field(root, OXIDATION, "sources", f"\n  - {STUDY}\n  - {new}")
    reindex(root)
    write(root, "raw/papers/_index.md", CURATED)
    proved(root)
    after = lines_of(root, "raw/papers/_index.md")
    kept = [line for line in CURATED.split("\n") if not line.startswith("Last updated")]
    added = [line for line in after if line not in CURATED.split("\n")]
    assert [line for line in after if line in kept] == kept
    assert len(added) == 2
    assert added[0] == f"Last updated: {TODAY}"
    assert "(2026-01-09-polyphenols.md)" in added[1]
    assert added[1].count("|") == 5


# --- B9 ------------------------------------------------------------------------------------


def test_b09_other_spellings_of_an_entry_count_and_stay(tmp_path):
    root = sample(tmp_path)
    raw(root, "raw/notes/2026-01-05 My File.md", "My File")
    field(root, OXIDATION, "sources", f"\n  - {STUDY}\n  - raw/notes/2026-01-05 My File.md")
    reindex(root)
    index = "raw/notes/_index.md"
    edit(root, index, "](2026-01-04-tasting", "](./2026-01-04-tasting")
    edit(root, index, "](<2026-01-05 My File.md>)", "](2026-01-05%20My%20File.md)")
    before = tree(root)
    assert fix(root).fixes == ()
    assert tree(root) == before


def test_b09_an_entry_inside_a_code_block_is_not_listed(tmp_path):
    root = sample(tmp_path)
    index = "raw/notes/_index.md"
    rows = [line for line in lines_of(root, index) if "tasting-session" in line]
    edit(root, index, rows[0], "")
    write(root, index, read(root, index) + f"\n```\n{rows[0]}\n```\n")
    report = proved(root)
    assert [change.rule for change in report.changes if change.path == index] == ["W402"]
    assert read(root, index).count("2026-01-04-tasting-session.md") == 2


# --- B10 -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rel", "loose"),
    [(GREEN, "wiki/green-tea.md"), (STUDY, "raw/2026-01-03-leaf-oxidation-study.md")],
)
def test_b10_a_valid_document_in_the_plane_is_placed_and_not_put_aside(tmp_path, rel, loose):
    root = sample(tmp_path)
    before = tree(root)
    move(root, rel, loose)
    report = proved(root)
    assert f"Moved {loose} to {rel}" in report.fixes
    after = tree(root)
    changed = {name for name in before | after if before.get(name) != after.get(name)}
    assert changed == {"log.md", "_index.md"}


def test_b10_what_its_place_breaks_is_called_fixable_because_the_move_repairs_it(tmp_path):
    root = sample(tmp_path)
    edit(root, GREEN, "Prose.", "![leaf](fig.png) and [nothing](gone.md).")
    write(root, "wiki/topics/fig.png", b"\x89PNG")
    move(root, GREEN, "wiki/green-tea.md")
    found = {(one.rule, one.path, one.target): one.fixable for one in findings(root)}
    assert found["W501", "wiki/green-tea.md", "../concepts/oxidation.md"]
    assert found["W504", "wiki/green-tea.md", "fig.png"]
    assert found["W507", "wiki/green-tea.md", "../../" + HARVEST]
    assert found["W501", OXIDATION, "../topics/green-tea.md"]
    assert not found["W501", "wiki/green-tea.md", "gone.md"]
    assert not any(one.fixable for one in findings(root, only=["W501"]))
    assert [one.target for one in proved(root).findings] == ["gone.md"]


# --- B11 -----------------------------------------------------------------------------------


def test_b11_system_files_and_pictures_in_use_stay(tmp_path):
    root = full(tmp_path)
    for name in (".DS_Store", "raw/articles/.gitkeep", "wiki/Thumbs.db", "wiki/concepts/x.md~"):
        write(root, name, "x")
    write(root, "wiki/concepts/fig.png", b"\x89PNG")
    edit(root, OXIDATION, "Prose.", "![leaf](fig.png)")
    before = tree(root)
    assert fix(root).fixes == ()
    assert tree(root) == before


def test_b11_files_of_a_repository_at_a_git_root_stay(tmp_path):
    root = full(tmp_path)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    for name in (".editorconfig", "mkdocs.yml", ".gitignore", "LICENSE", "README.md"):
        write(root, name, "x\n")
    before = tree(root)
    assert fix(root).fixes == ()
    assert tree(root) == before


# --- B12 -----------------------------------------------------------------------------------


def test_b12_nothing_is_put_aside_at_a_hub(tmp_path):
    root = hub(tmp_path)
    write(root, "notes.txt", "x")
    write(root, ".obsidian/app.json", "{}")
    before = tree(root)
    report = fix(root)
    assert [(finding.rule, finding.fixable) for finding in report.findings] == [("W304", False)]
    assert tree(root) == before


# --- B13 -----------------------------------------------------------------------------------


def test_b13_a_record_is_placed_with_folder_and_indexes_in_one_run(tmp_path):
    root = full(tmp_path)
    move(root, IDEA, "inventory/candidates/tea-almanac.md")
    (root / "inventory/ideas/_index.md").unlink()
    (root / "inventory/ideas").rmdir()
    reindex(root)
    report = proved(root)
    assert report.findings == []
    assert "(tea-almanac.md)" in read(root, "inventory/ideas/_index.md")
    assert "(ideas/tea-almanac.md)" in read(root, "inventory/_index.md")
    assert "tea-almanac" not in read(root, "inventory/candidates/_index.md")


def test_b13_no_lazy_folder_is_made_without_a_file_for_it(tmp_path):
    root = sample(tmp_path)
    write(root, "_index.md", read(root, "_index.md") + "- [Inventory](inventory/_index.md)\n")
    fix(root)
    assert not (root / "inventory").exists()
    assert not (root / "datasets").exists()


# --- B14 -----------------------------------------------------------------------------------


def test_b14_a_second_run_changes_no_byte_and_logs_nothing(tmp_path):
    root = sample(tmp_path)
    drop(root, GREEN, "volatility")
    fix(root)
    once = tree(root)
    fix(root)
    assert tree(root) == once
    assert read(root, "log.md").count("lint |") == 1


@pytest.mark.parametrize("seed", ["0", "1", "2"])
def test_b14_colliding_names_go_by_path_whatever_the_hash_seed(tmp_path, home, seed):  # noqa: F811
    root = sample(tmp_path)
    for folder in ("wiki/topics", "raw", "wiki", "raw/data", "."):
        write(root, f"{folder}/z.txt", folder)
    code = "from fixkit import fix; from pathlib import Path; import sys; fix(Path(sys.argv[1]))"
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths}
    subprocess.run([sys.executable, "-c", code, str(root)], check=True, env=environment)
    names = ["z.txt", "z-2.txt", "z-3.txt", "z-4.txt", "z-5.txt"]
    assert [read(root, f"inbox/.unknown/{name}") for name in names] == [
        "raw/data",
        "raw",
        "wiki/topics",
        "wiki",
        ".",
    ]
    manifest = [json.loads(line) for line in read(root, "inbox/.unknown/.manifest.jsonl").splitlines()]
    assert [(line["from"], line["name"]) for line in manifest] == [
        ("raw/data/z.txt", "z.txt"),
        ("raw/z.txt", "z-2.txt"),
        ("wiki/topics/z.txt", "z-3.txt"),
        ("wiki/z.txt", "z-4.txt"),
        ("z.txt", "z-5.txt"),
    ]


# --- B15 -----------------------------------------------------------------------------------


def test_b15_links_from_and_to_a_moved_article_are_rewritten(tmp_path):
    root = full(tmp_path)
    edit(
        root, GREEN, "Prose.", "See [grades](../references/tea-grades.md#findings) and [theses](../theses/)."
    )
    edit(root, GREEN, "\n## Sources", "\n[kin]: ./fig.png 'Kin'\n\n![x](fig.png)\n\n## Sources")
    write(root, "wiki/topics/fig.png", b"\x89PNG")
    edit(
        root,
        GRADES,
        "Prose.",
        "A [sibling](/wiki/topics/green-tea.md) and [[topics/green-tea#findings|tea]].",
    )
    field(root, GREEN, "category", "concept")
    reindex(root)
    found = [finding.rule for finding in findings(root)]
    report = proved(root)
    assert found == ["W301"]
    assert report.findings == []
    text = read(root, "wiki/concepts/green-tea.md")
    assert "[kin]: ../topics/fig.png 'Kin'" in text
    assert "![x](../topics/fig.png)" in text
    assert "(../references/tea-grades.md#findings)" in text
    assert "([Oxidation](../concepts/oxidation.md))" in text
    assert "(/wiki/concepts/green-tea.md) and [[concepts/green-tea#findings|tea]]" in read(root, GRADES)
    assert "  - wiki/concepts/green-tea.md\n" in read(root, "output/report-harvest-calendar-2026-01-08.md")


def test_b15_a_moved_source_keeps_its_body_and_what_cites_it_follows(tmp_path):
    root = full(tmp_path)
    edit(root, STUDY, "The text of", "See [other](../articles/2026-01-02-tea-harvest.md). The text of")
    field(root, HARVEST, "supersedes", STUDY)
    field(root, MANIFEST, "raw_sources", f"[{STUDY}]")
    field(root, STUDY, "type", "data")
    reindex(root)
    body = read(root, STUDY).partition("\n---\n")[2]
    report = proved(root)
    new = "raw/data/2026-01-03-leaf-oxidation-study.md"
    assert read(root, new).partition("\n---\n")[2] == body
    assert front(root / HARVEST)["supersedes"] == new
    assert front(root / MANIFEST)["raw_sources"] == [new]
    assert new in front(root / OXIDATION)["sources"]
    assert f"(../../{new})" in read(root, OXIDATION)
    assert [finding.rule for finding in report.findings] == []


# --- B16 -----------------------------------------------------------------------------------


def test_b16_the_backlog_follows_the_sources_and_goes_with_its_last_row(tmp_path):
    root = sample(tmp_path)
    one, two = "raw/papers/2026-01-09-polyphenols.md", "raw/notes/2026-01-09-pots.md"
    raw(root, one, "Polyphenols")
    raw(root, two, "Pots")
    reindex(root)
    report = proved(root)
    page = front(root / BACKLOG)
    assert (page["category"], page["confidence"]) == ("reference", "low")
    assert page["tags"] == ["coverage", "uncompiled-sources", "backlog", "lint-repair"]
    assert "verified" not in page
    assert [finding.rule for finding in report.findings] == ["W612", "W612"]
    assert read(root, BACKLOG).count("| [") == 2
    field(root, OXIDATION, "sources", f"\n  - {STUDY}\n  - {one}")
    report = proved(root)
    assert [finding.path for finding in report.findings] == [two]
    assert "polyphenols" not in read(root, BACKLOG)
    (root / two).unlink()
    report = proved(root)
    assert report.findings == []
    assert not (root / BACKLOG).exists()
    assert "uncompiled" not in read(root, "wiki/references/_index.md")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("category: reference", "category: topic"),
        ("tags: [coverage, uncompiled-sources, backlog, lint-repair]", "tags: coverage"),
        ("| [2026-01-09-pots.md]", "| [x](../../raw/gone.md) [2026-01-09-pots.md]"),
    ],
)
def test_b16_a_damaged_backlog_is_written_anew_in_its_place(tmp_path, old, new):
    root = sample(tmp_path)
    raw(root, "raw/notes/2026-01-09-pots.md", "Pots")
    reindex(root)
    proved(root)
    before = read(root, BACKLOG)
    edit(root, BACKLOG, old, new)
    report = proved(root)
    assert read(root, BACKLOG) == before
    assert {finding.rule for finding in report.findings} == {"W612"}


# --- B17 -----------------------------------------------------------------------------------


def test_b17_a_bad_byte_is_one_finding_and_starts_no_false_backlog(tmp_path):
    root = full(tmp_path)
    raw(root, "raw/papers/2026-01-09-polyphenols.md", "Polyphenols")
    reindex(root)
    (root / GRADES).write_bytes((root / GRADES).read_bytes() + b"\xe9\n")
    (root / "raw/notes/_index.md").write_bytes((root / "raw/notes/_index.md").read_bytes() + b"\xe9\n")
    before = tree(root)
    report = fix(root)
    assert tree(root) == before
    assert sorted((finding.rule, finding.fixable) for finding in report.findings) == [
        ("W110", False),
        ("W401", False),
        ("W611", False),
    ]


# --- B19 -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_b19_line_ends_mode_and_mark_survive_every_repair(tmp_path, mark):
    root = sample(tmp_path)
    raw(root, "raw/papers/2026-01-09-polyphenols.md", "Polyphenols")
    field(root, OXIDATION, "sources", "\n  - leaf-oxidation-study\n  - raw/papers/2026-01-09-polyphenols.md")
    drop(root, OXIDATION, "volatility")
    index = "raw/papers/_index.md"
    for rel in (OXIDATION, index):
        write(root, rel, mark + read(root, rel).replace("\n", "\r\n"))
        (root / rel).chmod(0o640)
    proved(root)
    for rel in (OXIDATION, index):
        text = (root / rel).read_bytes().decode()
        assert text.startswith(mark + ("---" if rel == OXIDATION else "# "))
        assert text.count("\n") == text.count("\r\n")
        assert (root / rel).stat().st_mode & 0o777 == 0o640
    assert "volatility: warm\r\n" in (root / OXIDATION).read_bytes().decode()
    assert "polyphenols.md" in (root / index).read_bytes().decode()


# --- B24 -----------------------------------------------------------------------------------


def test_b24_a_decomposed_name_is_written_as_it_is_on_disk(tmp_path):
    root = sample(tmp_path)
    name = unicodedata.normalize("NFD", "raw/notes/2026-01-05-thé.md")
    raw(root, name, "Thé")
    field(root, GREEN, "sources", f"\n  - {HARVEST}\n  - {STUDY}\n  - {unicodedata.normalize('NFC', name)}")
    edit(root, GREEN, "Prose.", f"See [thé](../../{unicodedata.normalize('NFC', name)}).")
    reindex(root)
    report = proved(root)
    assert report.findings == []
    assert front(root / GREEN)["sources"][2] == name
    assert f"(../../{name})" in read(root, GREEN)


@pytest.mark.skipif(sys.platform == "darwin", reason="the file system folds names")
def test_b24_a_link_in_other_case_gets_the_real_name(tmp_path):
    root = sample(tmp_path)
    edit(
        root,
        GREEN,
        "Prose.",
        'See [a](../References/Tea-Grades.md?x#findings "T") and [b].\n\n[b]: <../CONCEPTS/oxidation.md>',
    )
    report = proved(root)
    assert report.findings == []
    assert 'See [a](../references/tea-grades.md?x#findings "T") and [b].' in read(root, GREEN)
    assert "oxidation.md" in read(root, GREEN).partition("[b]: ")[2].split("\n")[0]


# --- B25 -----------------------------------------------------------------------------------


def test_b25_nothing_is_written_through_a_symbolic_link(tmp_path):
    root = full(tmp_path)
    raw(root, "raw/papers/2026-01-09-polyphenols.md", "Polyphenols")
    reindex(root)
    shelf = tmp_path / "shelf"
    move(root, "wiki/references", "../shelf")
    (root / "wiki/references").symlink_to(shelf)
    outside = write(tmp_path, "outside.md", "# Not ours\n")
    (root / "wiki/topics/_index.md").unlink()
    (root / "wiki/topics/_index.md").symlink_to(outside)
    (root / "wiki/concepts/linked.md").symlink_to(outside)
    before = tree(tmp_path)
    report = fix(root)
    after = tree(tmp_path)
    outer = {name for name in before | after if not name.startswith("tea/")}
    assert {name: before.get(name) for name in outer} == {name: after.get(name) for name in outer}
    assert [finding.path for finding in report.findings if finding.rule == "W108"] == [
        "wiki/concepts/linked.md",
        "wiki/references",
        "wiki/topics/_index.md",
    ]
    assert (root / "wiki/references").is_symlink()
    assert not any(finding.fixable for finding in report.findings)


# --- B28, B29 ------------------------------------------------------------------------------


def test_b28_data_set_indexes_show_size_and_records(tmp_path):
    root = full(tmp_path)
    for rel in ("datasets/_index.md", "inventory/ideas/_index.md", "datasets/auction-prices/_index.md"):
        (root / rel).unlink()
    proved(root)
    row = next(line for line in lines_of(root, "datasets/_index.md") if "MANIFEST.md" in line)
    assert [cell.strip() for cell in row.strip("|").split("|")][1:] == [
        "active",
        "remote",
        "csv",
        "12345",
        "200",
        "2026-01-08",
    ]
    assert "| File | Kind | Status | Priority | Next Action | Updated |" in read(
        root, "inventory/ideas/_index.md"
    )


@pytest.mark.parametrize(
    ("title", "cell"),
    [
        ("'It''s'", "[It's]"),
        (r'"a \"b\""', '[a "b"]'),
        ("x ] y", r"[x \] y]"),
    ],
)
def test_b29_titles_are_unescaped_and_links_stay_whole(tmp_path, title, cell):
    root = sample(tmp_path)
    field(root, GRADES, "title", title)
    (root / "wiki/references/_index.md").unlink()
    report = proved(root)
    assert f"| {cell}(tea-grades.md) |" in read(root, "wiki/references/_index.md")
    assert report.findings == []


def test_b29_a_bar_in_a_file_name_is_percent_encoded(tmp_path):
    root = sample(tmp_path)
    name = "raw/notes/2026-01-05-a|b.md"
    raw(root, name, "A or B")
    field(root, OXIDATION, "sources", f"\n  - {STUDY}\n  - '{name}'")
    report = proved(root)
    assert "(<2026-01-05-a%7Cb.md>)" in read(root, "raw/notes/_index.md")
    assert {finding.rule for finding in report.findings} <= {"W308"}


# --- B31 -----------------------------------------------------------------------------------


def test_b31_a_default_that_is_a_topic_is_kept(tmp_path):
    root = hub(tmp_path)
    edit(root, "wikis.json", '"default": "<HUB>"', '"default": "tea"')
    before = tree(root)
    assert fix(root).fixes == ()
    assert tree(root) == before


# --- B34 -----------------------------------------------------------------------------------


def test_b34_four_runs_at_once_all_finish(tmp_path):
    root = full(tmp_path)
    move(root, GRADES, "wiki/tea-grades.md")
    drop(root, GREEN, "volatility")
    raw(root, "raw/papers/2026-01-09-polyphenols.md", "Polyphenols")
    for number in range(6):
        write(root, f"raw/stray-{number}.txt", "x")
    code = "import sys; from pathlib import Path; from fixkit import fix; "
    code += "print(len(fix(Path(sys.argv[1])).fixes))"
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    environment = {**os.environ, "PYTHONPATH": paths}
    command = [sys.executable, "-c", code, str(root)]
    runs = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    ended = [(run, *run.communicate()) for run in runs]
    assert [run.returncode for run, _, _ in ended] == [0] * 4, "\n".join(err for _, _, err in ended)
    done = sorted(int(out) for _, out, _ in ended)
    assert done[:3] == [0, 0, 0]
    assert done[3] > 0
    assert read(root, "log.md").count("lint |") == 1
    assert fix(root).fixes == ()


# --- B35 -----------------------------------------------------------------------------------


def test_b35_a_read_only_tree_is_reported_whole_and_then_refused(tmp_path, home):  # noqa: F811
    root = full(tmp_path)
    drop(root, GREEN, "volatility")
    write(root, "raw/stray.txt", "x")
    before = tree(root)
    for path in [root, *root.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    home.chmod(0o777)
    try:
        with unprivileged(root), pytest.raises(NotRepaired) as caught:
            fix(root)
    finally:
        for path in [root, *root.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
    error = caught.value
    assert error.code == 2
    assert GREEN in error.message
    assert "raw/stray.txt" in error.message
    assert {"W305", "W701"} <= {finding.rule for finding in error.report.findings}
    assert error.report.fixes == ()
    assert tree(root) == before


# --- B36 -----------------------------------------------------------------------------------


def test_b36_the_abstract_becomes_the_summary_without_its_mark(tmp_path):
    root = sample(tmp_path)
    abstract = "> **Green** tea is [made](x.md) from leaves that are heated soon after they are picked."
    edit(root, GREEN, "> Green Tea in one sentence, as the abstract of the article says it.", abstract)
    edit(root, GREEN, "(x.md)", "(../concepts/oxidation.md)")
    drop(root, GREEN, "summary")
    reindex(root)
    proved(root)
    assert lines_of(root, GREEN)[1:4] == [
        "title: Green Tea",
        "summary: Green tea is made from leaves that are heated soon after they are picked.",
        "category: topic",
    ]


def test_b36_a_long_paragraph_is_cut_at_a_word(tmp_path):
    root = sample(tmp_path)
    edit(root, GREEN, "> Green Tea in one sentence, as the abstract of the article says it.", PROSE * 6)
    drop(root, GREEN, "summary")
    reindex(root)
    proved(root)
    summary = front(root / GREEN)["summary"]
    assert 200 < len(summary) <= 260
    assert summary[-1] == "…"
    assert PROSE.rsplit(maxsplit=1)[-1] in (PROSE * 6)


def test_b36_without_a_paragraph_nothing_is_invented(tmp_path):
    root = sample(tmp_path)
    edit(root, GREEN, "> Green Tea in one sentence, as the abstract of the article says it.", "Short.")
    drop(root, GREEN, "summary")
    reindex(root)
    before = tree(root)
    report = fix(root)
    assert [(finding.rule, finding.fixable) for finding in report.findings] == [("W201", False)]
    assert tree(root) == before


def test_b36_a_missing_date_is_that_of_the_earliest_source_and_never_today(tmp_path):
    root = sample(tmp_path)
    field(root, HARVEST, "ingested", "2025-12-24")
    for key in ("created", "updated", "verified"):
        drop(root, GREEN, key)
    reindex(root)
    fix(root)
    page = front(root / GREEN)
    assert (page["created"], page["updated"]) == ("2025-12-24", "2025-12-24")


def test_b36_without_any_date_the_finding_stays(tmp_path):
    root = sample(tmp_path)
    for key in ("created", "updated", "verified"):
        drop(root, GRADES, key)
    field(root, GRADES, "sources", "[]")
    field(root, GRADES, "compiled-from", "conversation")
    reindex(root)
    report = fix(root)
    left = [(finding.rule, finding.target) for finding in report.findings if finding.rule == "W201"]
    assert left == [("W201", "created"), ("W201", "updated")]
    assert "created" not in front(root / GRADES)


# --- B39 -----------------------------------------------------------------------------------


def test_b39_every_flag_is_true(tmp_path):
    root = full(tmp_path)
    (root / "_index.md").unlink()
    drop(root, GREEN, "volatility")
    edit(root, GREEN, "Prose.", PROSE)
    drop(root, GREEN, "summary")
    drop(root, OXIDATION, "title")
    raw(root, "raw/papers/2026-01-09-polyphenols.md", "Polyphenols")
    write(root, "output/projects/empty/notes.md", "# Notes\n")
    flags = {(finding.rule, finding.target): finding.fixable for finding in findings(root)}
    assert flags["W102", ""]
    assert flags["W201", "summary"]
    assert not flags["W201", "title"]
    assert flags["W402", "raw/papers/_index.md"]
    assert flags["W611", "raw/papers/2026-01-09-polyphenols.md"]
    assert flags["W701", "volatility"]
    proved(root)
    assert "W801" in ids(root)
    assert (root / WHY).exists()
    assert TASTING
