"""What a review of `lint` found by hand: each test failed before its repair."""

import shutil
import time

import pytest
from fixkit import fix, home, proved, unprivileged  # noqa: F401 -- home is a fixture
from lintkit import (
    GREEN,
    HARVEST,
    OXIDATION,
    STUDY,
    article,
    edit,
    field,
    findings,
    front,
    hub,
    ids,
    raw,
    read,
    reindex,
    sample,
    tree,
    write,
)
from program import Program

from llm_wiki.core.errors import NotAWiki
from llm_wiki.lint.repair import repair
from llm_wiki.wiki.resolve import Root

pytestmark = pytest.mark.usefixtures("home")

CONCEPTS = "wiki/concepts/_index.md"


def of(root, rule):
    return [finding for finding in findings(root) if finding.rule == rule]


# --- what a reference means ----------------------------------------------------------------


def test_a_scalar_of_two_paths_becomes_two_sources(tmp_path):
    root = sample(tmp_path)
    field(root, GREEN, "sources", f"{HARVEST}, {STUDY}")
    proved(root)
    assert front(root / GREEN)["sources"] == [HARVEST, STUDY]


def test_an_entry_that_holds_two_paths_is_not_taken_for_the_last_one(tmp_path):
    for between in (", ", " ", "; "):
        root = sample(tmp_path, f"tea{ord(between[0])}")
        field(root, GREEN, "sources", f"\n  - {HARVEST}{between}{STUDY}")
        before = read(root, GREEN)
        proved(root)
        assert read(root, GREEN) == before
        assert [one.target for one in of(root, "W513")] == [f"{HARVEST}{between}{STUDY}"]


def test_a_path_to_a_missing_article_is_not_rewritten_to_a_source_of_that_name(tmp_path):
    root = sample(tmp_path)
    for gone in ("wiki/concepts/tea-harvest.md", "../concepts/tea-harvest.md", "output/tea-harvest.md"):
        field(root, GREEN, "sources", f"\n  - {HARVEST}\n  - {STUDY}\n  - {gone}")
        assert [one.target for one in of(root, "W513")] == [gone]
    field(root, GREEN, "sources", f"\n  - {STUDY}\n  - raw/papers/tea-harvest.md")
    proved(root)
    assert front(root / GREEN)["sources"] == [STUDY, HARVEST]


def test_lines_of_a_block_of_text_are_items(tmp_path):
    root = sample(tmp_path)
    field(root, GREEN, "sources", f"|\n  - {HARVEST}\n  - {STUDY}")
    field(root, GREEN, "tags", "|\n  green\n  leaf, pan")
    proved(root)
    assert front(root / GREEN)["sources"] == [HARVEST, STUDY]
    assert front(root / GREEN)["tags"] == ["green", "leaf", "pan"]


# --- what stays where it is ----------------------------------------------------------------


def test_a_picture_embedded_by_name_is_not_put_aside(tmp_path):
    root = sample(tmp_path)
    write(root, "wiki/topics/leaf.png", "picture")
    write(root, "wiki/topics/pan.png", "picture")
    write(root, "wiki/topics/cup.png", "picture")
    edit(root, GREEN, "Prose.", "![[leaf.png|300]] and ![[topics/pan.png]] and ![c](CUP.png)")
    proved(root)
    assert all((root / f"wiki/topics/{name}.png").exists() for name in ("leaf", "pan", "cup"))
    assert "![c](cup.png)" in read(root, GREEN)


def test_what_the_readme_shows_stays_at_the_root(tmp_path):
    root = sample(tmp_path)
    write(root, "README.md", "# Tea\n\n![logo](logo.svg)\n")
    write(root, "logo.svg", "<svg/>")
    write(root, "stray.svg", "<svg/>")
    proved(root)
    assert (root / "logo.svg").exists()
    assert not (root / "stray.svg").exists()


def test_nothing_is_put_aside_while_a_page_may_use_it(tmp_path):
    root = sample(tmp_path)
    write(root, "wiki/topics/leaf.png", "picture")
    edit(root, GREEN, "Prose.", "![leaf](leaf.png) " + "x" * 70_000)
    assert ids(root) == ["W117", "W305"]
    proved(root)
    assert (root / "wiki/topics/leaf.png").exists()
    (root / GREEN).write_bytes(read(root, GREEN).encode("utf-16"))
    assert [one.fixable for one in of(root, "W305")] == [False]


# --- what may be repaired at all -----------------------------------------------------------


@pytest.mark.parametrize(
    "index", ["---\ntitle: Posts\n---\n", "+++\ntitle = 'Posts'\n+++\n", "# Wiki Hub Index\n"]
)
def test_an_index_of_another_make_alone_is_no_wiki(tmp_path, index):
    root = tmp_path / "content"
    write(root, "_index.md", index)
    write(root, "log.md", "# Wiki Activity Log\n")
    write(root, "posts/first.md", "# First\n")
    before = tree(root)
    with pytest.raises(NotAWiki):
        repair(Root(root, "topic", None, "content", "active"))
    assert tree(root) == before
    write(root, "_index.md", "# Tea\n")
    assert fix(root).fixes


def test_strays_stay_where_no_config_proves_a_wiki(tmp_path):
    root = tmp_path / "project"
    for name in (".env", "Makefile", "main.py"):
        write(root, name, "x\n")
    for folder in ("raw/data", "wiki/topics"):
        (root / folder).mkdir(parents=True)
    fix(root)
    assert all((root / name).exists() for name in (".env", "Makefile", "main.py"))


# --- what is not known is not claimed ------------------------------------------------------


def test_the_row_of_a_file_that_cannot_be_read_stays(tmp_path):
    root = sample(tmp_path)
    outside = write(tmp_path, "outside.md", read(root, OXIDATION))
    (root / OXIDATION).unlink()
    (root / OXIDATION).symlink_to(outside)
    row = next(line for line in read(root, CONCEPTS).split("\n") if "oxidation.md" in line)
    assert not of(root, "W407")
    proved(root)
    assert row in read(root, CONCEPTS)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace(b"title: Oxidation", b"title: Oxidation\xe9"),
        lambda text: text.replace(b"title: Oxidation\n", b"title: Oxidation\ntitle: Rust\n"),
        lambda text: text.replace(b"title: Oxidation\n", b""),
        lambda text: text.replace(b"title: Oxidation", b"title: {Oxidation"),
        lambda text: text.replace(b"updated: 2026-01-08", b"updated: soon"),
    ],
    ids=["encoding", "twice", "untitled", "yaml", "date"],
)
def test_a_true_correction_brings_no_doubtful_one_along(tmp_path, spoil):
    root = sample(tmp_path)
    article(root, "wiki/concepts/wilting.md", "Wilting", sources=[STUDY], see=[OXIDATION])
    reindex(root)
    row = next(line for line in read(root, CONCEPTS).split("\n") if "oxidation.md" in line)
    (root / OXIDATION).write_bytes(spoil((root / OXIDATION).read_bytes()))
    field(root, "wiki/concepts/wilting.md", "title", "Withering")
    assert [one.target for one in of(root, "W407")] == ["wiki/concepts/wilting.md"]
    fix(root)
    assert row in read(root, CONCEPTS)
    assert "[Withering](wilting.md)" in read(root, CONCEPTS)


def test_sources_are_not_called_unused_while_wiki_cannot_be_seen(tmp_path):
    root = sample(tmp_path)
    (root / "wiki").rename(tmp_path / "elsewhere")
    (root / "wiki").symlink_to(tmp_path / "elsewhere")
    assert ids(root) == ["W108"]
    proved(root)


def test_what_lies_in_a_closed_folder_is_not_called_missing(tmp_path):
    root = sample(tmp_path)
    (root / "raw/papers").chmod(0)
    (root / "wiki").chmod(0)
    try:
        with unprivileged(root):
            assert ids(root) == ["W113", "W113"]
        (root / "wiki").chmod(0o755)
        with unprivileged(root):
            assert ids(root) == ["W113"]
    finally:
        (root / "raw/papers").chmod(0o755)
        (root / "wiki").chmod(0o755)


def test_a_link_to_nothing_is_no_article(tmp_path):
    root = sample(tmp_path)
    (root / "wiki/concepts/gone.md").symlink_to("nowhere.md")
    article(root, "wiki/concepts/wilting.md", "Wilting", sources=[STUDY], see=[OXIDATION])
    proved(root)
    assert "gone.md" not in read(root, CONCEPTS)
    assert not {"W403", "W404"} & set(ids(root))


# --- cost ----------------------------------------------------------------------------------


def test_an_index_of_dead_rows_costs_what_its_size_costs(tmp_path):
    root = sample(tmp_path)
    rows = "".join(f"| [x](gone{number}.md) | y |  |  |\n" for number in range(20_000))
    write(root, CONCEPTS, read(root, CONCEPTS) + rows)
    start = time.monotonic()
    assert len(of(root, "W403")) == 20_000
    assert time.monotonic() - start < 15


def test_an_article_of_many_short_references_costs_what_its_size_costs(tmp_path):
    root = sample(tmp_path)
    names = [f"2026-01-02-leaf-{number}" for number in range(1500)]
    for name in names:
        raw(root, f"raw/notes/{name}.md", name)
    field(root, GREEN, "sources", "".join(f"\n  - {name} # kept" for name in names))
    start = time.monotonic()
    fix(root)
    assert time.monotonic() - start < 5
    assert front(root / GREEN)["sources"] == [f"raw/notes/{name}.md" for name in names]
    assert read(root, GREEN).count(" # kept\n") == len(names)


def test_a_master_index_made_along_with_folders_links_them(tmp_path):
    root = sample(tmp_path)
    shutil.rmtree(root / "wiki")
    shutil.rmtree(root / "output")
    (root / "_index.md").unlink()
    proved(root)
    for folder in ("raw", "wiki/concepts", "wiki/topics", "wiki/references", "wiki/theses", "output"):
        assert f"({folder}/_index.md)" in read(root, "_index.md")


# --- places in a page ----------------------------------------------------------------------


def test_an_anchor_written_as_html_is_a_place(tmp_path):
    root = sample(tmp_path)
    edit(
        root,
        OXIDATION,
        "Prose.",
        '<a id="1.2"></a> <a\nname=rust></a>\n\n### Green {#leaf}\n\n<b class=x>id="no"</b>',
    )
    places = " ".join(f"[x](../concepts/oxidation.md#{name})" for name in ("1.2", "rust", "leaf", "no"))
    edit(root, GREEN, "Prose.", f'{places} [here](#pan)\n\n<div id="pan">')
    assert [(one.path, one.target) for one in of(root, "W505")] == [(GREEN, "../concepts/oxidation.md#no")]


def test_a_picture_that_a_broken_link_may_mean_stays(tmp_path):
    root = sample(tmp_path)
    write(root, "wiki/topics/leaf.png", "picture")
    edit(root, OXIDATION, "Prose.", "![leaf](leaf.png)")
    proved(root)
    assert (root / "wiki/topics/leaf.png").exists()
    assert "leaf.png" in of(root, "W504")[0].message


# --- hubs ----------------------------------------------------------------------------------


def test_a_drive_of_another_system_is_a_place_outside_the_hub(tmp_path):
    root = hub(tmp_path)
    edit(root, "wikis.json", '"topics/tea"', '"C:\\\\wikis\\\\tea"')
    found = [(one.rule, one.message) for one in findings(root)]
    assert ("W906", "Registry entry tea is an external local absolute path that does not exist") in found
    assert not {"W904", "W907"} & {rule for rule, _ in found}


# --- front matter --------------------------------------------------------------------------


@pytest.mark.parametrize("mark", ["\x85", "\u2028", "\u2029"])
def test_a_separator_of_old_yaml_is_a_character_like_any_other(tmp_path, mark):
    root = sample(tmp_path)
    for value in (f"Rust{mark}and more", f'"Rust{mark}and more"', f"\n  - a{mark}b"):
        field(root, OXIDATION, "note", value)
        assert not ids(root, skip=("W208",))
    field(root, OXIDATION, "title", f"Oxi{mark}dation")
    field(root, OXIDATION, "sources", f"\n  - gone{mark}for good\n  - leaf-oxidation")
    lines = read(root, OXIDATION).split("\n")
    assert [lines[one.line - 1] for one in of(root, "W513")] == [f"  - gone{mark}for good"]
    assert [lines[one.line - 1] for one in of(root, "W517")] == ["  - leaf-oxidation"]
    field(root, OXIDATION, "sources", "\n  - leaf-oxidation")
    fix(root, skip=("W407",))
    assert f"title: Oxi{mark}dation\n" in read(root, OXIDATION)
    assert f"sources:\n  - {STUDY}\n" in read(root, OXIDATION)


def test_undo_through_lint_answers_as_every_verb_does(tmp_path):
    program = Program(tmp_path)
    root = sample(program.here)
    write(root, "stray.txt", "x\n")
    program.ok("lint", root, "--fix")
    answer = program.ok("lint", root, "--undo", "--json").json
    assert (answer["schema_version"], answer["ok"], answer["exit"]) == (1, True, 0)
    assert answer["verb"] == "lint"


def test_names_and_places_in_the_master_index_are_looked_up(tmp_path):
    root = sample(tmp_path)
    text = read(root, "_index.md")
    write(root, "_index.md", f"{text}\n[[gone]] [[oxidation]] [x](wiki/topics/green-tea.md#gone)\n")
    assert [(one.rule, one.path) for one in findings(root)] == [("W503", "_index.md"), ("W505", "_index.md")]


def test_a_cited_file_is_not_put_aside(tmp_path):
    root = sample(tmp_path)
    write(root, "raw/papers/study.pdf", "pdf")
    write(root, "raw/papers/stray.pdf", "pdf")
    field(root, GREEN, "sources", f"\n  - {HARVEST}\n  - {STUDY}\n  - raw/papers/study.pdf")
    (root / HARVEST).rename(root / "2026-01-02-tea-harvest.md")
    proved(root)
    assert (root / "raw/papers/study.pdf").exists()
    assert (root / "2026-01-02-tea-harvest.md").exists()
    assert not (root / "raw/papers/stray.pdf").exists()


def test_only_what_is_repaired_is_called_repairable(tmp_path):
    root = sample(tmp_path)
    for key, value in (("adapter", "Git"), ("content_format", "HTML"), ("upstream_type", "NOTE")):
        field(root, HARVEST, key, value)
    field(root, GREEN, "compiled-from", "Sources")
    field(root, GREEN, "confidence", "HIGH")
    assert [one.rule for one in findings(root) if one.fixable] == ["W203"]
    proved(root)


@pytest.mark.parametrize(
    "config", ["---\ntitle: Tea\nignore: [stray.txt\n---\n", "---\ntitle: Tea\nignore: [stray.txt]\n"]
)
def test_nothing_is_put_aside_while_the_list_of_what_to_ignore_cannot_be_read(tmp_path, config):
    root = sample(tmp_path)
    write(root, "stray.txt", "x\n")
    write(root, "config.md", config)
    assert [one.fixable for one in of(root, "W304")] == [False]
    proved(root)
    write(root, "config.md", "# Tea\n\nNo header, so nothing to ignore.\n")
    proved(root)
    assert not (root / "stray.txt").exists()
