"""Every root in every format, through the program: exit codes, what stdout holds, what is written."""

import json
import shutil

import jsonschema
import pytest
from program import CHECKOUT, tree

SCHEMA = CHECKOUT / "tests/unit/data/sarif/sarif-2.1.0-rtm.5.json"
FORMS = ("text", "json", "sarif", "github")


def parsed(form, out):
    """Return the paths of the findings that this output holds, as the form writes them."""
    if form == "sarif":
        data = json.loads(out)
        jsonschema.Draft4Validator(json.loads(SCHEMA.read_text())).validate(data)
        return [
            result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            for result in data["runs"][0]["results"]
        ]
    if form == "json":
        return [issue["path"] for issue in json.loads(out)["issues"]]
    if form == "github":
        lines = [line for line in out.split("\n") if line.startswith("::")]
        return [line.partition("file=")[2].partition(",")[0] for line in lines]
    return [line.rpartition("(")[2].partition(")")[0] for line in out.split("\n") if line.startswith("- ")]


@pytest.fixture
def roots(wiki, topic):
    """A hub, its topic and a local wiki, each with one stray file."""
    wiki.ok("init", "--local")
    for root in (wiki.hub, topic, wiki.here / ".wiki"):
        (root / "stray.txt").write_text("x")
    return {"hub": ("--hub", wiki.hub), "topic": ("--wiki", "tea"), "local": ("--local",)}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["hub", "topic", "local"])
def test_each_root_has_its_finding_in_each_form(wiki, roots, kind, form):
    done = wiki("lint", *roots[kind], "--format", form)
    assert (done.exit, done.err) == (1, "")
    [path] = parsed(form, done.out)
    assert path.endswith("stray.txt")
    clean = wiki("lint", *roots[kind], "--format", form, "--skip", "W304")
    assert (clean.exit, parsed(form, clean.out)) == (0, [])


def test_json_is_a_short_word_for_its_format(wiki, roots):
    short, long = (wiki("lint", "--wiki", "tea", *form) for form in (["--json"], ["--format", "json"]))
    assert short == long
    both = wiki("lint", "--wiki", "tea", "--json", "--format", "sarif")
    assert both.exit == 2
    assert "contradict" in both.err
    assert both.json["status"] == "fail"


@pytest.mark.parametrize("form", FORMS)
def test_a_plan_and_a_repair_are_told_in_each_form(wiki, roots, topic, form):
    before = tree(topic)
    planned = wiki("lint", "--wiki", "tea", "--fix", "--dry-run", "--format", form)
    assert (planned.exit, tree(topic)) == (1, before)
    assert len(parsed(form, planned.out)) == (2 if form == "text" else 1)
    done = wiki("lint", "--wiki", "tea", "--fix", "--format", form)
    assert done.exit == 0
    assert not (topic / "stray.txt").exists()
    if form in ("text", "github"):
        assert "- Quarantined stray.txt" in done.out
    if form != "text":
        assert parsed(form, done.out) == []


@pytest.mark.parametrize("form", ["json", "sarif", "github"])
@pytest.mark.parametrize("wrong", [["nowhere"], ["--no-such-flag"], ["--only", "W9Z"], ["--dry-run"]])
def test_a_run_that_fails_says_so_in_each_form(wiki, topic, form, wrong):
    target = [] if wrong == ["nowhere"] else ["--wiki", "tea"]
    done = wiki("lint", *target, *wrong, "--format", form)
    assert done.exit == 2
    assert done.err.startswith("llm-wiki: ")
    if form == "sarif":
        assert parsed(form, done.out) == []
        assert json.loads(done.out)["runs"][0]["invocations"][0]["exitCode"] == 2
    elif form == "github":
        assert done.out.startswith("::error title=")
        assert done.out.count("\n") == 1
    else:
        assert done.json["status"] == "fail"


def test_an_unknown_form_is_bad_usage(wiki, topic):
    done = wiki("lint", "--wiki", "tea", "--format", "xml")
    assert (done.exit, done.out) == (2, "")
    assert "sarif" in done.err


def test_an_archived_topic_is_exit_4_in_each_form(wiki, topic):
    archive(wiki)
    for form in ("sarif", "github"):
        done = wiki("lint", "--wiki", "tea", "--format", form)
        assert done.exit == 4
        assert "wiki is archived" in done.out
    assert wiki("lint", "--wiki", "tea", "--include-archived", "--format", "sarif").exit == 0


def test_undo_has_no_form_of_code_hosts(wiki, topic):
    done = wiki("lint", "--wiki", "tea", "--undo", "--format", "sarif")
    assert done.exit == 2
    assert "--undo has no form sarif" in done.err


def test_equal_runs_give_equal_bytes(wiki, roots):
    for form in FORMS:
        assert wiki("lint", "--wiki", "tea", "--format", form) == wiki(
            "lint", "--wiki", "tea", "--format", form
        )


@pytest.mark.parametrize("form", FORMS)
def test_files_of_two_wikis_are_one_report_in_each_form(wiki, roots, topic, form):
    pages = [root / "wiki/concepts/page.md" for root in (topic, wiki.here / ".wiki")]
    for page in pages:
        page.write_text("no front matter\n")
    done = wiki("lint", *pages, "--only", "W111", "--format", form, cwd=wiki.home)
    assert done.exit == 1
    assert sorted(path.removesuffix(":1") for path in parsed(form, done.out)) == [
        "wiki/topics/tea/wiki/concepts/page.md",
        "work/.wiki/wiki/concepts/page.md",
    ]


# --- in a job of GitHub Actions ------------------------------------------------------------


def test_a_job_gets_its_paths_from_the_workspace_and_a_summary(wiki, roots):
    summary = wiki.here / "summary.md"
    job = {"GITHUB_WORKSPACE": str(wiki.hub), "GITHUB_STEP_SUMMARY": str(summary)}
    done = wiki("lint", "--wiki", "tea", "--format", "github", **job)
    assert parsed("github", done.out) == ["topics/tea/stray.txt"]
    assert summary.read_text().startswith("### llm-wiki lint failed: <code>topics/tea</code>")


def test_only_the_form_of_github_writes_a_summary(wiki, roots):
    summary = wiki.here / "summary.md"
    for form in ("text", "json", "sarif"):
        wiki("lint", "--wiki", "tea", "--format", form, GITHUB_STEP_SUMMARY=str(summary))
    assert not summary.exists()


def test_a_summary_that_cannot_be_written_is_told_and_changes_nothing_else(wiki, roots):
    plain = wiki("lint", "--wiki", "tea", "--format", "github")
    done = wiki("lint", "--wiki", "tea", "--format", "github", GITHUB_STEP_SUMMARY=str(wiki.here / "a/b"))
    assert (done.exit, done.out) == (plain.exit, plain.out)
    assert "cannot write" in done.err


# --- archived topics -----------------------------------------------------------------------


def archive(wiki):
    """Put the topic away, as `archive` will."""
    (wiki.hub / "topics/.archive").mkdir()
    shutil.move(wiki.hub / "topics/tea", wiki.hub / "topics/.archive/tea")
    path = wiki.hub / "wikis.json"
    data = json.loads(path.read_text())
    data["wikis"]["tea"] |= {"path": "topics/.archive/tea", "status": "archived"}
    path.write_text(json.dumps(data, indent=2) + "\n")
    return wiki.hub / "topics/.archive/tea"


@pytest.mark.parametrize("form", FORMS)
def test_archived_topics_are_one_report_in_each_form(wiki, topic, form):
    folder = archive(wiki)
    assert wiki("lint", "--archived-only", "--format", form).exit == 0
    (folder / "stray.txt").write_text("x")
    done = wiki("lint", "--archived-only", "--format", form, GITHUB_WORKSPACE=str(wiki.hub))
    assert done.exit == 1
    assert parsed(form, done.out) == ["topics/.archive/tea/stray.txt"]


def test_the_report_on_archived_topics_is_that_of_a_hub(wiki, topic):
    archive(wiki)
    done = wiki.ok("lint", "--archived-only", "--json")
    assert (done.json["kind"], done.json["root"]) == ("hub", str(wiki.hub))
    before = tree(wiki.hub)
    wiki.ok("lint", "--archived-only")
    assert tree(wiki.hub) == before


REFUSED = [
    (["--wiki", "tea"], "contradict"),
    (["--include-archived"], "contradict"),
    (["--local"], "contradict"),
    (["--fix"], "only looks"),
    (["--undo"], "only looks"),
    (["{topic}"], "is no hub"),
    (["{topic}", "--include-archived"], "contradict"),
]


@pytest.mark.parametrize(("beside", "why"), REFUSED)
def test_archived_only_refuses_what_is_no_hub_and_what_contradicts_it(wiki, topic, beside, why):
    done = wiki("lint", "--archived-only", *(word.format(topic=topic) for word in beside), "--json")
    assert done.exit == 2
    assert why in done.err
    assert done.err.count("\n") >= 2
    assert done.json["status"] == "fail"
