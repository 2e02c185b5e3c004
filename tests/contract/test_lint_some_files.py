"""`llm-wiki lint FILE...` as an editor or a hook before a commit runs it."""

import json

import pytest
from program import tree

ARTICLE = "wiki/concepts/steep.md"
TEXT = "---\ntitle: Steep\ncategory: idea\n---\n\n# Steep\n\nLeaves in [water](water.md).\n"


@pytest.fixture
def article(topic):
    """A faulty article in a topic that has another fault elsewhere."""
    (topic / ARTICLE).write_text(TEXT)
    (topic / "stray.txt").write_text("x")
    return topic / ARTICLE


def test_only_what_is_said_about_the_file_is_told(wiki, topic, article):
    whole = wiki("lint", "--wiki", "tea", "--json")
    done = wiki("lint", article, "--json")
    assert (done.exit, done.err) == (1, "")
    left_out = done.json["skipped_rules"]
    assert done.json["issues"] == [
        issue for issue in whole.json["issues"] if issue["path"] == ARTICLE and issue["rule"] not in left_out
    ]
    assert {"W202", "W501", "W402"} <= {issue["rule"] for issue in done.json["issues"]}
    assert (done.json["partial"], done.json["files"]) == (True, 1)
    assert done.json["root"] == str(topic)
    assert "partial" not in whole.json


def test_the_text_says_in_one_line_what_was_left_out(wiki, article):
    out = wiki("lint", article).out
    assert (
        "\nPartial: 1 file; left out, as they need every page: W404, W601, W611, W612, W613, W614.\n" in out
    )
    assert "stray.txt" not in out
    assert out.endswith("Result: FAIL\n")


def test_a_clean_file_passes_whatever_else_is_wrong(wiki, topic, article):
    done = wiki("lint", topic / "wiki/topics/_index.md")
    assert (done.exit, done.err) == (0, "")
    assert "Findings: none" in done.out


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
def test_a_file_can_be_named_from_where_one_stands(wiki, topic, article, form):
    done = wiki("lint", "concepts/steep.md", "--format", form, cwd=topic / "wiki")
    assert done.exit == 1
    assert "W202" in done.out or "steep.md" in done.out


def test_nothing_is_written(wiki, topic, article):
    before = tree(topic)
    wiki("lint", article)
    assert tree(topic) == before


def test_files_of_several_wikis_and_of_none(wiki, article):
    wiki.ok("init", "--local")
    local = wiki.here / ".wiki/wiki/concepts/grade.md"
    local.write_text(TEXT)
    (wiki.here / "README.md").write_text("# Code\n")
    done = wiki("lint", article, local, wiki.here / "README.md", "--json")
    assert done.exit == 1
    assert done.err == f"llm-wiki: skipped, in no wiki: {wiki.here / 'README.md'}\n"
    assert done.json["root"] == str(wiki.home)
    assert {issue["path"] for issue in done.json["issues"]} == {
        f"wiki/topics/tea/{ARTICLE}",
        "work/.wiki/wiki/concepts/grade.md",
    }


def test_files_of_no_wiki_alone_pass(wiki):
    (wiki.here / "README.md").write_text("# Code\n")
    for more in ([], ["--json"]):
        done = wiki("lint", "README.md", *more)
        assert done.exit == 0
        assert done.err == "llm-wiki: skipped, in no wiki: README.md\n"
    assert done.json["issues"] == []


WRONG = {
    "a folder among them": (["{article}", "{topic}"], "is a folder"),
    "one that is not there": (["{article}", "nowhere.md"], "does not exist"),
    "alone and not there": (["nowhere.md"], "does not exist"),
    "no Markdown": (["{article}", "{topic}/stray.txt"], "no Markdown"),
    "alone and no Markdown": (["{topic}/stray.txt"], "is a file, not a wiki folder"),
    "alone and no Markdown, what to name": (["{topic}/stray.txt"], "or Markdown files in one"),
    "--fix": (["{article}", "--fix"], "--fix cannot stand beside files"),
    "--undo": (["{article}", "--undo"], "--undo cannot stand beside files"),
    "--local": (["{article}", "--local"], "--local cannot stand beside files"),
    "--wiki": (["{article}", "--wiki", "tea"], "--wiki cannot stand beside files"),
    "a rule nobody knows": (["{article}", "--only", "W99Z"], "no lint rule"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_use_is_exit_2_and_still_one_report(wiki, topic, article, case):
    words, text = WRONG[case]
    before = tree(topic)
    done = wiki("lint", *(word.format(article=article, topic=topic) for word in words), "--json")
    assert done.exit == 2
    assert text in done.err
    assert json.loads(done.out)["status"] == "fail"
    assert tree(topic) == before


def test_a_file_of_an_archived_topic_is_exit_4(wiki, topic, article):
    registry = wiki.hub / "wikis.json"
    archive = wiki.hub / "topics/.archive"
    archive.mkdir(exist_ok=True)
    topic.rename(archive / "tea")
    registry.write_text(
        registry.read_text().replace("topics/tea", "topics/.archive/tea").replace('"active"', '"archived"')
    )
    file = archive / "tea" / ARTICLE
    assert wiki("lint", file).exit == 4
    assert wiki("lint", file, "--include-archived").exit == 1


def test_a_run_by_name_sees_each_change(wiki, article):
    """Runs one after the other, with whatever the first ones stored."""
    for _ in range(2):
        assert wiki("lint", article, "--only", "W501").exit == 1
    (article.parent / "water.md").write_text(TEXT)
    assert wiki("lint", article, "--only", "W501").exit == 0
    article.write_text(TEXT.replace("water.md", "milky.md"))
    assert wiki("lint", article, "--only", "W501").exit == 1
