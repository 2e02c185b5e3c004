"""The archived topics of a hub in one report: structure only, paths as the hub sees them."""

import json

import pytest
from lintkit import GREEN, OXIDATION, TODAY, archived, drop, edit, field, hub, ids, read, sample, write

from llm_wiki.core.errors import BadUsage, NotAWiki
from llm_wiki.lint.archived import run_archived
from llm_wiki.lint.options import Options
from llm_wiki.lint.render import text
from llm_wiki.wiki.resolve import resolve

PLACE = "topics/.archive/tea"


@pytest.fixture(autouse=True)
def today(monkeypatch):
    monkeypatch.setenv("LLM_WIKI_TODAY", TODAY.isoformat())


def lint(root, **options):
    return run_archived(resolve(str(root)), Options(use_cache=False, **options))


def found(root, **options):
    return [(finding.rule, finding.path) for finding in lint(root, **options).findings]


def register(root, slug, **entry):
    data = json.loads(read(root, "wikis.json"))
    data["wikis"][slug] = entry
    write(root, "wikis.json", json.dumps(data))


def test_a_clean_archived_topic_has_no_finding(tmp_path):
    topic = archived(tmp_path)
    report = lint(topic.parents[2])
    assert (report.findings, report.kind, report.exit_code) == ([], "hub", 0)
    assert "Checked: the structure of 1 archived topic." in text(report)


def test_a_hub_without_archived_topics_passes_and_says_that_nothing_was_checked(tmp_path):
    report = lint(hub(tmp_path))
    assert report.exit_code == 0
    assert "Checked: the structure of no archived topic." in text(report)


def test_paths_are_relative_to_the_hub(tmp_path):
    topic = archived(tmp_path)
    write(topic, "b.txt")
    write(topic, OXIDATION, "no front matter\n")
    report = lint(topic.parents[2])
    assert [(f.rule, f.path) for f in report.findings if f.rule in ("W111", "W304")] == [
        ("W111", f"{PLACE}/{OXIDATION}"),
        ("W304", f"{PLACE}/b.txt"),
    ]
    assert report.exit_code == 1


def test_neither_content_nor_links_nor_age_press_in_the_archive(tmp_path):
    topic = archived(tmp_path)
    edit(topic, OXIDATION, "## See Also", "[gone](gone.md)\n\n## See Also")
    field(topic, GREEN, "verified", "2001-01-01")
    field(topic, GREEN, "updated", "2001-01-01")
    drop(topic, GREEN, "volatility")
    assert {"W501", "W701", "W703"} <= set(ids(topic, "topic"))
    rules = {rule for rule, _ in found(topic.parents[2])}
    assert not {rule for rule in rules if rule[:2] in ("W2", "W5", "W6", "W7", "W8")}


def test_only_and_skip_choose_among_the_rules_on_structure(tmp_path):
    topic = archived(tmp_path)
    write(topic, "b.txt")
    root = topic.parents[2]
    assert found(root, only=("W3",)) == [("W304", f"{PLACE}/b.txt")]
    assert found(root, skip=("W304",)) == []
    with pytest.raises(BadUsage) as caught:
        lint(root, only=("W501",))
    assert "W1, W3, W4" in caught.value.remedy


def test_active_topics_are_left_out(tmp_path):
    root = hub(tmp_path)
    write(root, "topics/tea/b.txt")
    assert found(root) == []


def test_a_topic_in_the_archive_counts_whether_it_is_registered_or_not(tmp_path):
    root = hub(tmp_path)
    sample(root / "topics/.archive", "old")
    write(root, "topics/.archive/old/b.txt")
    assert found(root) == [("W304", "topics/.archive/old/b.txt")]


def test_an_archived_topic_elsewhere_is_followed_and_listed_once(tmp_path):
    root = hub(tmp_path)
    far = sample(tmp_path / "far", "old")
    write(far, "b.txt")
    register(root, "old", path=str(far), status="archived")
    assert found(root) == [("W304", "../far/old/b.txt")]


def test_an_archived_entry_without_a_wiki_is_named(tmp_path):
    root = hub(tmp_path)
    register(root, "lost", path="topics/.archive/lost", status="archived")
    assert found(root) == [("W907", "wikis.json")]
    assert "topics/.archive/lost" in lint(root).findings[0].message


def test_a_broken_registry_is_a_finding_and_the_folders_are_linted(tmp_path):
    topic = archived(tmp_path)
    write(topic, "b.txt")
    root = topic.parents[2]
    write(root, "wikis.json", "{")
    assert found(root) == [("W901", "wikis.json"), ("W304", f"{PLACE}/b.txt")]


def test_findings_of_several_topics_are_in_one_order(tmp_path):
    root = hub(tmp_path)
    for slug in ("b", "a"):
        sample(root / "topics/.archive", slug)
        write(root, f"topics/.archive/{slug}/x.txt")
        (root / f"topics/.archive/{slug}/config.md").unlink()
    assert found(root) == [
        ("W103", "topics/.archive/a/config.md"),
        ("W103", "topics/.archive/b/config.md"),
        ("W304", "topics/.archive/a/x.txt"),
        ("W304", "topics/.archive/b/x.txt"),
    ]


def test_a_topic_is_no_hub(tmp_path):
    with pytest.raises(NotAWiki) as caught:
        lint(sample(tmp_path))
    assert "--hub PATH" in caught.value.remedy
    assert "--include-archived" in caught.value.remedy
