"""Faults reproduced in the existing tool (`lint.md` §6), their detection halves: what is right here."""

import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from lintkit import (
    GREEN,
    HARVEST,
    IDEA,
    OXIDATION,
    STUDY,
    TASTING,
    THESIS,
    TODAY,
    WHY,
    archived,
    drop,
    edit,
    field,
    findings,
    full,
    hub,
    ids,
    move,
    one,
    read,
    reindex,
    sample,
    tree,
    write,
)

import llm_wiki
from llm_wiki.core.errors import BadConfig, NotAWiki
from llm_wiki.lint import engine
from llm_wiki.lint.options import Options
from llm_wiki.lint.render import error_report
from llm_wiki.wiki.resolve import find_hub, resolve

SCRIPTS = Path(llm_wiki.__file__).parent.parent


def sources_as(root, text):
    """Write the sources of the green tea article as this YAML text."""
    field(root, GREEN, "sources", text)


# --- B1 what is no wiki is not touched ---------------------------------------------------------


def test_b01_a_code_project_is_w100_and_unchanged(tmp_path):
    for name in (".env", "Makefile", "main.py", "package.json"):
        write(tmp_path, f"code/{name}", "x")
    before = tree(tmp_path)
    with pytest.raises(NotAWiki) as caught:
        resolve(str(tmp_path / "code"))
    assert caught.value.code == 2
    data = json.loads(error_report(tmp_path / "code", caught.value))
    assert (data["status"], data["issues"][0]["rule"]) == ("fail", "W100")
    assert tree(tmp_path) == before


@pytest.mark.parametrize("missing", ["topics", "wikis.json"])
def test_b01_half_a_hub_is_w100_and_unchanged(tmp_path, missing):
    root = hub(tmp_path)
    (root / missing).rename(tmp_path / "elsewhere")
    before = tree(tmp_path)
    with pytest.raises(NotAWiki) as caught:
        resolve(str(root))
    assert caught.value.code == 2
    assert tree(tmp_path) == before


def test_b01_a_missing_target_is_w100(tmp_path):
    with pytest.raises(NotAWiki):
        resolve(str(tmp_path / "gone"))


# --- B3, B4, B5 front matter -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rel", "key", "value", "rule"),
    [
        (HARVEST, "type", "", "W201"),
        (GREEN, "category", "", "W201"),
        (IDEA, "kind", "", "W201"),
        (GREEN, "volatility", "", "W701"),
        (HARVEST, "type", "[articles]", "W209"),
        (GREEN, "category", "[topic]", "W209"),
        (IDEA, "kind", "[idea]", "W209"),
        (GREEN, "volatility", "[warm]", "W209"),
        (GREEN, "compiled-from", "[sources]", "W209"),
        (GREEN, "compiled-from", "{a: b}", "W209"),
    ],
)
def test_b03_an_empty_or_wrongly_shaped_word_is_one_finding_and_the_run_completes(
    tmp_path, rel, key, value, rule
):
    root = full(tmp_path)
    field(root, rel, key, value)
    reindex(root)
    assert one(root, rule).path == rel


def test_b03_an_empty_compiled_from_counts_as_absent(tmp_path):
    root = sample(tmp_path)
    field(root, GREEN, "compiled-from", "")
    assert ids(root) == []


@pytest.mark.parametrize(
    "text",
    [
        f"\n- {HARVEST}\n- {STUDY}",
        f"\n    - {HARVEST}\n    - {STUDY}",
        f"[{HARVEST},\n  {STUDY}]",
        f"[\n  {HARVEST},\n  {STUDY},\n]",
        f'\n  - "{HARVEST}"  # the first\n  # between\n  - {STUDY}',
    ],
)
def test_b04_every_way_to_write_a_list_is_read(tmp_path, text):
    root = sample(tmp_path)
    edit(root, GREEN, f"sources:\n  - {HARVEST}\n  - {STUDY}", f"sources: {text}".replace(": \n", ":\n"))
    assert ids(root) == []


def test_b04_a_comment_behind_a_value_is_no_part_of_it(tmp_path):
    root = sample(tmp_path)
    edit(root, GREEN, "category: topic", "category: topic # where it lies")
    assert ids(root) == []


@pytest.mark.parametrize(
    "line", ["volatility:\twarm\n\tx: y", "volatility: {warm", "volatility: warm\n: x", "volatility: a: b"]
)
def test_b05_what_is_not_yaml_is_one_w114_at_a_line(tmp_path, line):
    root = sample(tmp_path)
    edit(root, GREEN, "volatility: warm", line)
    found = [item for item in findings(root) if item.path == GREEN]
    assert [item.rule for item in found] == ["W114"]
    assert found[0].line > 1


def test_b05_a_title_written_twice_is_w115(tmp_path):
    root = sample(tmp_path)
    edit(root, GREEN, "title: Green Tea\n", "title: Green Tea\ntitle: Green Tea\n")
    assert one(root, "W115").line == 3


# --- B10, B11, B12 placement -------------------------------------------------------------------


def test_b10_a_valid_article_at_the_plane_is_misplaced_and_nothing_else(tmp_path):
    root = sample(tmp_path)
    move(root, OXIDATION, "wiki/oxidation.md")
    found = findings(root, only=["W1", "W2", "W3", "W6", "W7"])
    assert [(item.rule, item.target, item.fixable) for item in found if item.rule[:2] == "W3"] == [
        ("W301", OXIDATION, True)
    ]
    assert "W611" not in [item.rule for item in found]


def test_b10_a_valid_source_at_the_plane_is_misplaced_and_nothing_else(tmp_path):
    root = sample(tmp_path)
    move(root, TASTING, "raw/2026-01-04-tasting-session.md")
    assert [(item.rule, item.target) for item in findings(root, only=["W3"])] == [("W301", TASTING)]


TOLERATED = (
    [
        ".DS_Store",
        "wiki/.DS_Store",
        "raw/data/.gitkeep",
        "wiki/concepts/._x.md",
        "raw/Thumbs.db",
        "wiki/Icon\r",
    ],
    ["wiki/topics/.green-tea.md.swp", "wiki/topics/green-tea.md~", "raw/notes/x.md.icloud", ".trash/old.md"],
    ["wiki/concepts/assets/a.png", "raw/articles/attachments/a.pdf", ".stfolder/x", "wiki/.#draft.md"],
)


@pytest.mark.parametrize("rel", [rel for row in TOLERATED for rel in row])
def test_b11_what_systems_and_editors_leave_is_tolerated(tmp_path, rel):
    root = sample(tmp_path)
    write(root, rel, "x")
    assert ids(root) == []


def test_b11_a_picture_that_an_article_shows_is_tolerated(tmp_path):
    root = sample(tmp_path)
    write(root, "wiki/concepts/fig.png", b"\x89PNG")
    edit(root, OXIDATION, "Prose.", "![Leaf](fig.png)")
    assert ids(root) == []
    (root / "wiki/concepts/fig.png").unlink()
    assert one(root, "W504").path == OXIDATION


@pytest.mark.parametrize("git", ["folder", "file"])
def test_b11_a_git_root_keeps_the_files_of_its_repository(tmp_path, git):
    root = sample(tmp_path)
    names = [".editorconfig", "mkdocs.yml", ".gitignore", "AGENTS.md", "LICENSE", ".github/workflows/ci.yml"]
    for name in names:
        write(root, name, "x")
    assert len(ids(root)) == len(names)
    write(root, ".git/HEAD" if git == "folder" else ".git", "x")
    assert ids(root) == []


def test_b12_a_stray_file_in_a_hub_is_reported_and_never_moved(tmp_path):
    root = hub(tmp_path)
    write(root, "notes.txt", "x")
    found = one(root, "W304")
    assert (found.path, found.fixable) == ("notes.txt", False)


def test_b12_a_stray_folder_in_a_hub_is_reported(tmp_path):
    root = hub(tmp_path)
    write(root, "raw/x.md", "x")
    assert one(root, "W306").path == "raw"


@pytest.mark.parametrize(
    "rel", [".obsidian/app.json", ".DS_Store", "README.md", ".sessions/x", ".stfolder/x"]
)
def test_b12_a_hub_may_be_a_vault(tmp_path, rel):
    root = hub(tmp_path)
    write(root, rel, "# x\n")
    assert ids(root) == []


# --- B14 order ---------------------------------------------------------------------------------


def test_b14_findings_do_not_depend_on_the_hash_seed(tmp_path):
    root = full(tmp_path)
    for folder in ("raw", "wiki", "inventory", "datasets", "raw/papers"):
        write(root, f"{folder}/z.txt", "x")
        write(root, f"{folder}/odd folder/z.txt", "x")
    field(root, GREEN, "tags", "[ml, machine-learning, ai, artificial-intelligence, llms, llm]")
    script = (
        "import sys; from pathlib import Path; from datetime import date\n"
        "from llm_wiki.lint import engine, render; from llm_wiki.lint.options import Options\n"
        "from llm_wiki.wiki.resolve import resolve\n"
        "report = engine.run(resolve(sys.argv[1]), Options(use_cache=False), today=date(2026, 1, 10))\n"
        "sys.stdout.write(render.as_json(report))\n"
    )
    outputs = set()
    for seed in ("0", "1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(SCRIPTS)}
        command = [sys.executable, "-c", script, str(root)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert len(json.loads(outputs.pop())["issues"]) > 10


# --- B17, B18 bytes ----------------------------------------------------------------------------


@pytest.mark.parametrize("rel", ["_index.md", "wiki/concepts/_index.md", "raw/_index.md"])
def test_b17_one_bad_byte_in_an_index_is_one_w401(tmp_path, rel):
    root = sample(tmp_path)
    write(root, rel, (root / rel).read_bytes() + b"\xe9\n")
    assert one(root, "W401").path == rel


def test_b17_one_bad_byte_in_an_article_is_one_w110(tmp_path):
    root = sample(tmp_path)
    write(root, GREEN, (root / GREEN).read_bytes() + b"\xe9\n")
    assert one(root, "W110").path == GREEN


def test_b17_one_bad_byte_in_front_matter_is_one_w110(tmp_path):
    root = sample(tmp_path)
    write(root, GREEN, (root / GREEN).read_bytes().replace(b"title: Green Tea", b"title: Green Tea \xe9"))
    assert one(root, "W110", besides=["W407"]).path == GREEN


def test_b18_a_mark_before_the_first_line_is_accepted(tmp_path):
    root = sample(tmp_path)
    write(root, GREEN, b"\xef\xbb\xbf" + (root / GREEN).read_bytes())
    assert one(root, "W116").severity == "info"


def test_b18_blanks_behind_the_delimiters_are_accepted(tmp_path):
    root = sample(tmp_path)
    write(root, GREEN, read(root, GREEN).replace("---\n", "--- \t\n"))
    assert ids(root) == []


def test_b18_empty_front_matter_is_closed_and_lacks_its_fields(tmp_path):
    root = sample(tmp_path)
    text = read(root, OXIDATION)
    write(root, OXIDATION, "---\n---\n" + text.split("\n---\n", 1)[1])
    found = {item.rule for item in findings(root) if item.path == OXIDATION and item.rule[:2] == "W1"}
    assert found == set()
    assert {item.target for item in findings(root, only=["W201"])} == {
        "title",
        "category",
        "created",
        "updated",
        "tags",
        "summary",
    }


# --- B20 examples ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "example",
    [
        "```\n[x](gone.md)\n```",
        "`[x](gone.md)`",
        "<!-- [x](gone.md) -->",
        r"\[x\](gone.md)",
        "    [x](gone.md)",
    ],
)
def test_b20_an_example_of_a_link_is_no_link(tmp_path, example):
    root = sample(tmp_path)
    edit(root, GREEN, "Prose.", f"Prose.\n\n{example}\n\nMore.")
    assert ids(root) == []


# --- B24, B25 names and links of the file system -------------------------------------------------


def test_b24_another_unicode_form_of_a_name_is_the_same_name(tmp_path):
    root = sample(tmp_path)
    name = "raw/papers/2026-01-03-thé-noir.md"
    move(root, STUDY, unicodedata.normalize("NFD", name))
    for rel in (GREEN, OXIDATION):
        text = read(root, rel).replace(STUDY, name).replace("leaf-oxidation-study", "thé-noir")
        write(root, rel, unicodedata.normalize("NFC", text))
    reindex(root)
    assert {item.rule for item in findings(root)} <= {"W506"}


@pytest.mark.skipif(sys.platform == "darwin", reason="the file system folds names")
def test_b24_twins_that_differ_in_case_are_w307(tmp_path):
    root = sample(tmp_path)
    write(root, "raw/notes/2026-01-04-Tasting-session.md", read(root, TASTING))
    assert [item.target for item in findings(root, only=["W307"])] == ["2026-01-04-Tasting-session.md"]


def test_b25_a_category_that_is_a_link_to_outside_is_w108(tmp_path):
    root = sample(tmp_path)
    outside = tmp_path / "outside"
    (root / "wiki/references").rename(outside)
    (root / "wiki/references").symlink_to(outside)
    found = findings(root, only=["W1", "W3", "W4"])
    assert [(item.rule, item.path) for item in found] == [("W108", "wiki/references")]


@pytest.mark.parametrize("rel", ["wiki/concepts/_index.md", OXIDATION])
def test_b25_an_index_or_article_that_is_a_link_to_outside_is_w108(tmp_path, rel):
    root = sample(tmp_path)
    outside = tmp_path / "outside.md"
    (root / rel).rename(outside)
    (root / rel).symlink_to(outside)
    found = findings(root, only=["W1", "W3"])
    assert [(item.rule, item.path) for item in found] == [("W108", rel)]


# --- B26, B27 --------------------------------------------------------------------------------------


def test_b26_archived_projects_are_not_projects(tmp_path):
    root = full(tmp_path)
    move(root, WHY, "output/projects/.archive/old/WHY.md")
    (root / "output/projects/tea-almanac").rmdir()
    drop(root, IDEA, "project")
    reindex(root)
    assert ids(root) == []


def test_b27_a_date_that_is_none_and_one_in_the_future_are_found(tmp_path):
    root = sample(tmp_path)
    field(root, GREEN, "created", "banana")
    field(root, GREEN, "verified", "2099-01-01")
    found = findings(root)
    assert [(item.rule, item.severity, item.target) for item in found] == [
        ("W206", "warning", "banana"),
        ("W206", "info", "2099-01-01"),
    ]


# --- B32 registry and configuration ----------------------------------------------------------------


@pytest.mark.parametrize("data", [b"[]", b'{"wikis": []}', b'{"default": "\xe9"}', b"{", b'"x"'])
def test_b32_a_registry_of_another_shape_is_w901(tmp_path, data):
    root = hub(tmp_path)
    write(root, "wikis.json", data)
    found = findings(root, only=["W901"])
    assert found
    assert {(item.severity, item.path) for item in found} == {("critical", "wikis.json")}
    assert engine.run(resolve(str(root)), Options(use_cache=False), today=TODAY).exit_code == 1


def test_b32_a_mark_before_the_registry_is_tolerated(tmp_path):
    root = hub(tmp_path)
    write(root, "wikis.json", b"\xef\xbb\xbf" + (root / "wikis.json").read_bytes())
    assert ids(root) == []


@pytest.mark.parametrize("text", ["[]", '{"hub_path": 5}', "{", '{"hub_path": "relative"}'])
def test_b32_a_configuration_of_another_shape_is_an_error(tmp_path, monkeypatch, text):
    monkeypatch.setenv("LLM_WIKI_CONFIG_DIR", str(tmp_path))
    write(tmp_path, "config.json", text)
    with pytest.raises(BadConfig) as caught:
        find_hub()
    assert caught.value.code == 2


def test_b32_a_mark_before_the_configuration_is_accepted(tmp_path, monkeypatch):
    monkeypatch.setenv("LLM_WIKI_CONFIG_DIR", str(tmp_path))
    write(tmp_path, "config.json", b"\xef\xbb\xbf" + json.dumps({"hub_path": str(tmp_path)}).encode())
    assert find_hub() == tmp_path


def test_b32_a_file_as_target_is_an_error(tmp_path):
    path = write(tmp_path, "wiki.md", "# x\n")
    with pytest.raises(NotAWiki) as caught:
        resolve(str(path))
    assert caught.value.code == 2


# --- B36, B37 ----------------------------------------------------------------------------------------


def test_b36_what_cannot_be_derived_is_not_called_fixable(tmp_path):
    root = sample(tmp_path)
    for key in ("created", "updated", "verified", "sources"):
        drop(root, OXIDATION, key)
    reindex(root)
    found = {item.target: item.fixable for item in findings(root, only=["W201"])}
    assert found == {"created": False, "updated": False}


def test_b36_a_date_can_be_derived_from_the_earliest_source(tmp_path):
    root = sample(tmp_path)
    for key in ("created", "updated", "verified"):
        drop(root, OXIDATION, key)
    reindex(root)
    found = {item.target: item.fixable for item in findings(root, only=["W201"])}
    assert found == {"created": True, "updated": True}


def test_b37_an_archived_topic_has_no_pressure_of_coverage_or_freshness(tmp_path):
    topic = archived(tmp_path)
    field(topic, OXIDATION, "updated", "2020-01-01")
    field(topic, OXIDATION, "verified", "2020-01-01")
    write(topic, "raw/notes/2026-01-05-uncited.md", read(topic, TASTING))
    reindex(topic)
    root = resolve(str(topic), include_archived=True)
    found = engine.run(root, Options(use_cache=False), today=TODAY).findings
    assert [item.rule for item in found if item.rule[:2] in ("W6", "W7")] == []


# --- B38, B39, B40 ------------------------------------------------------------------------------------


def test_b38_a_retraction_marker_is_found_without_sources_and_not_in_code(tmp_path):
    root = sample(tmp_path)
    edit(root, THESIS, "Prose.", "<!--RETRACTED-SOURCE-->Prose.")
    drop(root, THESIS, "sources")
    assert "W516" in ids(root)
    edit(root, THESIS, "<!--RETRACTED-SOURCE-->Prose.", "The marker is `<!--RETRACTED-SOURCE-->`.")
    assert "W516" not in ids(root)


def test_b39_a_finding_is_fixable_exactly_when_a_fix_exists(tmp_path):
    root = sample(tmp_path)
    edit(root, GREEN, "Prose.", "Green tea is made from leaves that are heated soon after they are picked.")
    drop(root, GREEN, "summary")
    drop(root, THESIS, "volatility")
    write(root, "raw/notes/2026-01-05-uncited.md", read(root, TASTING))
    (root / "_index.md").unlink()
    (root / "config.md").unlink()
    flags = {item.rule: item.fixable for item in findings(root)}
    assert {name: flags[name] for name in ("W102", "W103", "W201", "W402", "W611", "W701")} == {
        "W102": True,
        "W103": False,
        "W201": True,
        "W402": True,
        "W611": True,
        "W701": True,
    }


def test_b40_a_thesis_as_the_existing_template_writes_it_lacks_only_its_required_fields(tmp_path):
    root = sample(tmp_path)
    head = "---\ntitle: Shade\ntype: thesis\nstatus: investigating\nverdict: pending\nconfidence: pending\n"
    dates = 'created: 2026-01-06\nupdated: 2026-01-08\ncore_claim: ""\nkey_variables: []\nfalsification: ""\n'
    body = (
        "---\n\n# Shade\n\n## See Also\n\n- [[green-tea|Green Tea]] ([Green Tea](../topics/green-tea.md))\n"
    )
    write(root, THESIS, head + dates + body)
    reindex(root)
    found = [
        (item.rule, item.target) for item in findings(root) if item.path == THESIS and item.severity != "info"
    ]
    assert found == [("W201", "summary"), ("W201", "tags"), ("W511", "")]
