"""Lint of a few files says what a lint of their whole wiki says about them."""

import os
import unicodedata
from pathlib import Path

import pytest
from fixkit import home, spoiled, unprivileged  # noqa: F401 -- home is a fixture
from fixkit_damages import DAMAGES
from lintkit import (
    GRADES,
    GREEN,
    HARVEST,
    MANIFEST,
    OXIDATION,
    TODAY,
    archived,
    article,
    edit,
    full,
    hub,
    read,
    sample,
    write,
)

from llm_wiki.core.errors import BadUsage, Refused, Unreadable
from llm_wiki.core.state import root_cache
from llm_wiki.lint import engine
from llm_wiki.lint.files import FEW, group, run_files
from llm_wiki.lint.options import Options
from llm_wiki.lint.rules.table import RULES
from llm_wiki.wiki import glance as glances
from llm_wiki.wiki.glance import Glance
from llm_wiki.wiki.names import Names, Unbounded
from llm_wiki.wiki.resolve import resolve

pytestmark = pytest.mark.usefixtures("home")

PADDING = "\n" + "Tea is picked by hand in the first weeks of spring.\n" * 1500


def pages(root: Path) -> list[str]:
    """Paths of all Markdown files below a root."""
    return sorted(
        path.relative_to(root).as_posix()
        for path in root.rglob("*")
        if path.name[-3:].lower() == ".md" and path.is_file()
    )


def about(root: Path, *rels: str, **options):
    return list(run_files(group([str(root / rel) for rel in rels]), Options(**options), today=TODAY).findings)


def whole(root: Path, *rels: str, **options):
    report = engine.run(resolve(root), Options(use_cache=False, jobs=1, **options), today=TODAY)
    return engine.about(report.findings, frozenset(rels))


def rules(root: Path, *rels: str) -> set[str]:
    return {finding.rule for finding in about(root, *rels)}


def by_name(root: Path, *rels: str):
    """Judge files without anything else to fall back on."""
    glance = Glance(
        root,
        "topic",
        Names(root, "topic"),
        rels,
        per_file=engine.check_file,
        per_file_key=engine.RULES_KEY,
    )
    return engine.evaluate_files(glance, TODAY, frozenset(rels), Options())


# --- the same findings ---------------------------------------------------------------------


@pytest.mark.parametrize("name", DAMAGES)
def test_each_file_of_a_damaged_wiki_has_the_findings_of_a_whole_run(tmp_path, name):
    root = full(tmp_path)
    DAMAGES[name](root)
    found = engine.run(resolve(root), Options(use_cache=False, jobs=1), today=TODAY).findings
    told = sorted({one.path for one in found} & set(pages(root)))
    for rel in told:
        assert about(root, rel) == engine.about(found, frozenset([rel])), rel
    assert about(root, *(rel for rel in pages(root) if rel not in told)) == []


@pytest.mark.parametrize("seed", range(25))
def test_several_files_of_a_wiki_damaged_at_random_have_the_findings_of_a_whole_run(tmp_path, seed):
    root = full(tmp_path)
    damages = spoiled(root, seed, DAMAGES)
    for rels in (pages(root)[::2], pages(root)[1::3]):
        for options in ({}, {"strict": True}, {"only": ("W4", "W5")}, {"skip": ("W5",)}):
            assert about(root, *rels, **options) == whole(root, *rels, **options), (damages, options)


def test_names_suffice_for_every_file_of_a_clean_wiki(tmp_path):
    root = full(tmp_path)
    for rel in pages(root):
        assert by_name(root, rel) == [], rel


def test_a_question_about_every_page_is_not_answered_by_name(tmp_path):
    root = full(tmp_path)
    edit(root, GREEN, "category: topic", "category: concept")
    with pytest.raises(Unbounded):
        by_name(root, GREEN)
    assert rules(root, GREEN) == {"W301"}


def test_more_files_than_are_few_have_the_same_findings(tmp_path):
    root = sample(tmp_path)
    rels = [f"wiki/concepts/tea-{number}.md" for number in range(FEW + 1)]
    for rel in rels:
        article(root, rel, "Tea", sources=[HARVEST], see=[])
    assert about(root, *rels) == whole(root, *rels)


def test_a_page_with_very_many_targets_has_the_same_findings(tmp_path):
    root = sample(tmp_path)
    names = [f"tea-{number}" for number in range(glances.MOST + 1)]
    for name in names:
        article(root, f"wiki/concepts/{name}.md", name, sources=[HARVEST], see=[])
    links = "\n".join(f"- [{name}](../concepts/{name}.md#nothing)" for name in names)
    edit(root, GREEN, "## See Also", f"{links}\n\n## See Also")
    with pytest.raises(Unbounded):
        by_name(root, GREEN)
    assert len(about(root, GREEN)) > glances.MOST
    assert about(root, GREEN) == whole(root, GREEN)


@pytest.mark.parametrize(
    "ways",
    [{HARVEST: 0o000}, {"raw/papers": 0o444}, {"wiki/concepts": 0o000}, {GREEN: 0o000, MANIFEST: 0o000}],
    ids=str,
)
def test_what_the_system_refuses_is_told_of_as_in_a_whole_run(tmp_path, ways):
    root = full(tmp_path)
    rels = pages(root)
    for rel, mode in ways.items():
        (root / rel).chmod(mode)
    try:
        with unprivileged(root):
            found = engine.run(resolve(root), Options(use_cache=False, jobs=1), today=TODAY).findings
            assert {one.rule for one in found} & {"W113", "W401"}
            for rel in rels:
                if ways.get(rel.rpartition("/")[0]) is None:  # else the file cannot even be looked for
                    assert about(root, rel, use_cache=False) == engine.about(found, frozenset([rel])), rel
                else:
                    with pytest.raises(Unreadable):
                        about(root, rel)
    finally:
        for rel in ways:
            (root / rel).chmod(0o755)


def test_a_file_of_a_hub_has_the_findings_of_the_hub(tmp_path):
    root = hub(tmp_path)
    write(root, "_index.md", read(root, "_index.md") + "\n- [gone](nowhere.md)\n")
    assert rules(root, "_index.md") == {"W408"}
    assert rules(root, "log.md") == set()


# --- what is left out ----------------------------------------------------------------------


def test_the_rules_that_need_every_page_are_named():
    named = {rule.id for rule in RULES if rule.whole}
    assert named == {"W404", "W601", "W611", "W612", "W613", "W614"}
    assert all(rule.scope == "tree" for rule in RULES if rule.whole)


@pytest.mark.parametrize(
    ("options", "skipped"),
    [
        ({}, ("W404", "W601", "W611", "W612", "W613", "W614")),
        ({"only": ("W61", "W2")}, ("W611", "W612", "W613", "W614")),
        ({"only": ("W2",)}, ()),
        ({"skip": ("W6",)}, ("W404",)),
    ],
)
def test_the_report_tells_which_of_the_rules_asked_for_were_left_out(tmp_path, options, skipped):
    report = run_files(group([str(sample(tmp_path) / GREEN)]), Options(**options), today=TODAY)
    assert (report.partial, report.skipped_rules) == (1, skipped)


# --- nothing stale -------------------------------------------------------------------------


def test_a_change_of_a_large_index_is_seen_at_once(tmp_path):
    """Also where size and time of modification stay."""
    root = sample(tmp_path)
    index = root / "wiki/topics/_index.md"
    index.write_text(index.read_text() + PADDING)
    before = index.stat()
    for _ in range(2):
        assert rules(root, GREEN) == set()
    assert list(root_cache(root).glob("rows.one-*"))
    index.write_text(index.read_text().replace("(green-tea.md)", "(green-ten.md)"))
    os.utime(index, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert index.stat().st_size == before.st_size
    assert rules(root, GREEN) == {"W402"}


@pytest.mark.parametrize("damage", [b"", b"noise", None])
def test_a_damaged_store_changes_no_finding(tmp_path, damage):
    root = sample(tmp_path)
    index = root / "wiki/topics/_index.md"
    index.write_text(index.read_text().replace("(green-tea.md)", "(green-ten.md)") + PADDING)
    expected = about(root, GREEN)
    assert {one.rule for one in expected} == {"W402"}
    for store in root_cache(root).glob("rows.one-*"):
        data = store.read_bytes()
        store.write_bytes(data[:-9] + b"x" + data[-8:] if damage is None else damage)
    assert about(root, GREEN) == expected
    assert about(root, "wiki/topics/_index.md") == whole(root, "wiki/topics/_index.md")


def test_a_change_of_a_target_is_seen_at_once(tmp_path):
    root = sample(tmp_path)
    edit(root, GREEN, "## See Also", "[grades](../references/tea-grades.md#leaf-grades)\n\n## See Also")
    write(root, GRADES, read(root, GRADES) + "\n## Leaf Grades\n\nBroken and whole.\n")
    assert rules(root, GREEN) == set()
    edit(root, GRADES, "## Leaf Grades", "## Leaf Sorts")
    assert rules(root, GREEN) == {"W505"}
    (root / HARVEST).unlink()
    assert rules(root, GREEN) >= {"W505", "W513"}


# --- which wiki ----------------------------------------------------------------------------


def test_files_belong_to_the_nearest_wiki(tmp_path):
    place = hub(tmp_path)
    project = tmp_path / "project"
    project.mkdir()
    local = sample(project, ".wiki")
    found = group(
        [str(place / "log.md"), str(place / "topics/tea" / GREEN), str(local / GREEN), str(local / OXIDATION)]
    )
    assert found.inside == {
        place: ("log.md",),
        place / "topics/tea": (GREEN,),
        local: (GREEN, OXIDATION),
    }
    assert found.outside == ()


def test_files_of_several_wikis_share_one_report(tmp_path):
    one, two = sample(tmp_path / "a", "tea"), sample(tmp_path / "b", "tea")
    edit(one, GREEN, "category: topic", "category: idea")
    edit(two, OXIDATION, "confidence: ", "confidence: very ")
    report = run_files(group([str(two / OXIDATION), str(one / GREEN)]), today=TODAY)
    assert report.root == tmp_path
    assert [(one.rule, one.path) for one in report.findings] == [
        ("W202", f"a/tea/{GREEN}"),
        ("W203", f"b/tea/{OXIDATION}"),
    ]


def test_a_file_named_twice_counts_once(tmp_path):
    root = sample(tmp_path)
    report = run_files(group([GREEN, f"./{GREEN}", f"wiki/../{GREEN}"], cwd=root), today=TODAY)
    assert report.partial == 1


def test_other_projects_are_no_wiki(tmp_path):
    for rel in ("README.md", "wiki/page.md", "raw/x.md"):
        write(tmp_path, f"code/{rel}", "# Text\n")
    found = group([str(tmp_path / "code/README.md"), str(tmp_path / "code/wiki/page.md")])
    assert found.inside == {}
    assert len(found.outside) == 2
    assert run_files(found, today=TODAY).exit_code == 0


@pytest.mark.parametrize("wrong", ["wiki", "nowhere.md", "wikis.json", "", "a\0.md"])
def test_what_is_no_markdown_file_is_refused(tmp_path, wrong):
    root = sample(tmp_path)
    (root / "wikis.json").write_text("{}")
    with pytest.raises(BadUsage):
        group([GREEN, wrong], cwd=root)


def test_a_file_of_an_archived_topic_is_refused_unless_asked_for(tmp_path):
    root = archived(tmp_path)
    with pytest.raises(Refused):
        run_files(group([str(root / GREEN)]), today=TODAY)
    assert run_files(group([str(root / GREEN)]), include_archived=True, today=TODAY).exit_code == 0


def test_a_file_is_found_under_the_name_it_is_listed_by(tmp_path):
    root = sample(tmp_path)
    name = unicodedata.normalize("NFD", "wiki/topics/thé.md")
    article(root, name, "Thé", sources=[HARVEST], see=[])
    names = Names(root, "topic")
    assert names.spelt(unicodedata.normalize("NFC", name)) == name
    assert names.spelt("Wiki/topics/GREEN-tea.MD") == GREEN
    assert names.spelt("wiki/topics/absent.md") == "wiki/topics/absent.md"
