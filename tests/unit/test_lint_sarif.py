"""SARIF of a report: valid against the published schema, in the repository's paths, the same each time."""

import gzip
import json
import re
import subprocess
from functools import cache
from pathlib import Path

import jsonschema
import pytest
from lintkit import GREEN, OXIDATION, TODAY, drop, edit, hub, sample, write

from llm_wiki.core.errors import LockBusy, NotAWiki, Unreadable
from llm_wiki.lint import engine
from llm_wiki.lint.catalogue import texts
from llm_wiki.lint.finding import SEVERITIES, Finding
from llm_wiki.lint.options import Options
from llm_wiki.lint.places import in_repository
from llm_wiki.lint.render import RENDERERS, failure
from llm_wiki.lint.render_sarif import MOST_RESULTS, MOST_WORDS, fingerprints, literal
from llm_wiki.lint.report import Report
from llm_wiki.lint.rules.table import RULES
from llm_wiki.wiki.resolve import resolve

ROOT = Path("/w/tea")
SCHEMA = Path(__file__).parent / "data/sarif/sarif-2.1.0-rtm.5.json"
LINK = Finding("warning", "wiki/a.md", 7, 3, "W501", "Link to a missing file: b.md", "b.md", False)
URI = re.compile(r"[A-Za-z0-9._~/-]*(%[0-9A-F]{2}[A-Za-z0-9._~/-]*)*")
"""A relative reference without query, fragment or scheme."""


@pytest.fixture(autouse=True)
def no_workspace(monkeypatch):
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)


@cache
def validator():
    return jsonschema.Draft4Validator(json.loads(SCHEMA.read_text()))


def log(text):
    """Return the one run of a log after holding it against the schema."""
    data = json.loads(text)
    faults = [f"{'/'.join(map(str, fault.path))}: {fault.message}" for fault in validator().iter_errors(data)]
    assert faults == []
    assert data["version"] == "2.1.0"
    [run] = data["runs"]
    return run


def run(*found, root=ROOT, **more):
    return log(RENDERERS["sarif"](Report(root, "topic", found, **more)))


def lint(root):
    report = engine.run(resolve(str(root)), Options(use_cache=False), today=TODAY)
    return log(RENDERERS["sarif"](report)), report


def place(result):
    [where] = result["locations"]
    return where["physicalLocation"]


# --- whole logs ----------------------------------------------------------------------------


def test_a_damaged_wiki_gives_a_valid_log_with_every_finding(tmp_path):
    root = sample(tmp_path)
    drop(root, GREEN, "title")
    edit(root, OXIDATION, "## See Also", "[gone](gone.md)\n\n## See Also")
    write(root, "b.txt")
    made, report = lint(root)
    assert len({finding.rule for finding in report.findings}) >= 3
    assert [result["ruleId"] for result in made["results"]] == [finding.rule for finding in report.findings]
    assert made["invocations"] == [
        {"executionSuccessful": True, "exitCode": 1, "exitCodeDescription": "findings"}
    ]


@pytest.mark.parametrize("make", [sample, hub])
def test_a_clean_root_is_a_scan_without_results(tmp_path, make):
    made, _ = lint(make(tmp_path))
    assert made["results"] == []
    assert made["invocations"][0]["exitCode"] == 0


def test_the_rules_do_not_depend_on_what_was_found():
    assert run()["tool"] == run(LINK)["tool"]


def test_every_rule_has_what_code_scanning_requires_and_within_its_limits():
    driver = run()["tool"]["driver"]
    assert [rule["id"] for rule in driver["rules"]] == [rule.id for rule in RULES]
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", driver["semanticVersion"])
    assert driver["name"] == "llm-wiki"
    for rule in driver["rules"]:
        assert re.fullmatch(r"[A-Z][A-Za-z0-9]{2,254}", rule["name"]), rule["id"]
        for text in (rule["shortDescription"]["text"], rule["fullDescription"]["text"]):
            assert 0 < len(text) <= MOST_WORDS
            assert "`" not in text
        assert "Repair." in rule["help"]["text"]
        assert f"`llm-wiki lint --explain {rule['id']}`" in rule["help"]["markdown"]
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
        assert len(rule["properties"]["tags"]) == 1


def test_a_rule_is_described_by_its_page():
    known = {rule["id"]: rule for rule in run()["tool"]["driver"]["rules"]}
    for rule_id, page in texts().items():
        if rule_id != "W100":
            assert known[rule_id]["fullDescription"]["text"] == " ".join(page.why.replace("`", "").split())
            assert page.repair in known[rule_id]["help"]["markdown"]


def test_rules_say_how_severe_they_are_in_our_own_words_too():
    known = {rule["id"]: rule for rule in run()["tool"]["driver"]["rules"]}
    for rule in RULES:
        extra = known[rule.id]["properties"]
        assert extra["severity"] == rule.severity
        assert extra["strictSeverity"] == (rule.strict or rule.severity)
        assert extra["fixable"] == rule.fix
        assert known[rule.id]["defaultConfiguration"]["enabled"] != rule.opt_in


def test_a_log_of_a_few_files_says_so():
    assert "properties" not in run(LINK)
    made = run(LINK, partial=2, skipped_rules=("W611",))
    assert made["properties"] == {"partial": True, "files": 2, "skippedRules": ["W611"]}


def test_each_result_is_one_line_and_the_log_one_object():
    text = RENDERERS["sarif"](Report(ROOT, "topic", [LINK, LINK._replace(message='"results": []')]))
    assert len([line for line in text.split("\n") if '"ruleId"' in line]) == 2
    assert len(log(text)["results"]) == 2


# --- results -------------------------------------------------------------------------------

LEVELS = {"critical": "error", "warning": "warning", "suggestion": "note", "info": "note"}


@pytest.mark.parametrize("severity", SEVERITIES)
def test_each_severity_has_a_level_and_is_kept_beside_it(severity):
    [result] = run(LINK._replace(severity=severity))["results"]
    assert result["level"] == LEVELS[severity]
    assert result["properties"] == {"severity": severity, "fixable": False, "target": "b.md"}


def test_the_index_of_a_result_leads_to_its_rule():
    made = run(LINK, LINK._replace(rule="W999"))
    first, unknown = made["results"]
    assert made["tool"]["driver"]["rules"][first["ruleIndex"]]["id"] == "W501"
    assert "ruleIndex" not in unknown


def test_a_place_is_a_line_and_a_column_in_characters():
    made = run(LINK)
    assert place(made["results"][0])["region"] == {"startLine": 7, "startColumn": 3}
    assert made["columnKind"] == "unicodeCodePoints"


def test_a_finding_without_a_line_is_shown_at_the_first():
    [result] = run(LINK._replace(line=0, column=0))["results"]
    assert place(result)["region"] == {"startLine": 1, "startColumn": 1}


def test_a_finding_about_the_whole_wiki_is_shown_at_its_index():
    [result] = run(LINK._replace(path=None, line=0, column=0))["results"]
    assert place(result)["artifactLocation"]["uri"] == "_index.md"


NAMES = [
    ("wiki/a b.md", "wiki/a%20b.md"),
    ("wiki/検索.md", "wiki/%E6%A4%9C%E7%B4%A2.md"),
    ("100%#?.md", "100%25%23%3F.md"),
    ("a:b.md", "a%3Ab.md"),
    ("b\udce9.txt", "b%E9.txt"),
    ("a\nb.md", "a%0Ab.md"),
]


@pytest.mark.parametrize(("name", "uri"), NAMES)
def test_a_name_becomes_a_relative_uri_of_its_very_bytes(name, uri):
    [result] = run(LINK._replace(path=name))["results"]
    assert place(result)["artifactLocation"]["uri"] == uri
    assert URI.fullmatch(uri)


MESSAGES = [
    ("a plain sentence", "a plain sentence"),
    ("see [x](y.md) here", r"see \[x](y.md) here"),
    ("[[Wiki Link]] has no target", "[[Wiki Link]] has no target"),
    ("use {0}", "use {{0}}"),
    ("use {name}", "use {name}"),
]


@pytest.mark.parametrize(("message", "written"), MESSAGES)
def test_a_message_means_just_its_text(message, written):
    assert literal(message) == written


def test_control_bytes_of_a_message_are_written_out():
    [result] = run(LINK._replace(message="a\x1b[31m b\n"))["results"]
    assert result["message"]["text"] == r"a\x1b[31m b\x0a"


# --- where the paths begin -----------------------------------------------------------------


def test_paths_begin_at_the_git_work_tree(tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    root = sample(tmp_path / "docs")
    write(root, "b.txt")
    made, _ = lint(root)
    assert place(made["results"][0])["artifactLocation"] == {
        "uri": "docs/tea/b.txt",
        "uriBaseId": "%SRCROOT%",
    }
    assert made["originalUriBaseIds"] == {
        "%SRCROOT%": {"uri": f"{tmp_path.as_uri()}/"},
        "WIKI": {"uri": "docs/tea/", "uriBaseId": "%SRCROOT%"},
    }


def test_without_git_they_begin_at_the_workspace_of_the_job_or_at_the_wiki(tmp_path):
    root = sample(tmp_path)
    assert in_repository(root, {"GITHUB_WORKSPACE": str(tmp_path)}) == (tmp_path, "tea")
    assert in_repository(root, {"GITHUB_WORKSPACE": str(tmp_path / "other")}) == (root, "")
    assert in_repository(root, {}) == (root, "")


def test_a_link_to_the_wiki_is_followed_first(tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path / "repo"], check=True)
    root = sample(tmp_path / "repo")
    (tmp_path / "here").symlink_to(root)
    assert in_repository(tmp_path / "here", {}) == (tmp_path / "repo", "tea")


def test_the_only_absolute_path_is_the_base(tmp_path):
    root = sample(tmp_path)
    drop(root, GREEN, "title")
    _, report = lint(root)
    assert RENDERERS["sarif"](report).count(str(tmp_path)) == 1


# --- what stays the same -------------------------------------------------------------------


def test_fingerprints_survive_lines_that_are_added_above(tmp_path):
    root = sample(tmp_path)
    edit(root, OXIDATION, "## See Also", "[gone](gone.md) [gone](gone.md) [away](away.md)\n\n## See Also")
    before, _ = lint(root)
    edit(root, OXIDATION, "# Oxidation\n", "# Oxidation\n\nNew lines.\n\nMore of them.\n")
    after, _ = lint(root)
    assert len(before["results"]) == 3
    assert marks(before) == marks(after)
    assert lines(before) != lines(after)


def marks(made):
    return [result["partialFingerprints"] for result in made["results"]]


def lines(made):
    return [place(result)["region"]["startLine"] for result in made["results"]]


def test_fingerprints_tell_findings_apart():
    other = [LINK, LINK._replace(target="c.md"), LINK._replace(path="wiki/b.md"), LINK._replace(rule="W504")]
    assert len({mark.partition(":")[0] for mark in fingerprints(other)}) == 4
    assert [mark.partition(":")[2] for mark in fingerprints([LINK, LINK])] == ["1", "2"]


def test_figures_that_change_daily_leave_the_fingerprint_alone():
    stale = LINK._replace(target="", message="Stale: freshness 61.2 is below 70")
    assert fingerprints([stale]) == fingerprints([stale._replace(message="Stale: freshness 9.8 is below 70")])


def test_a_result_has_the_fingerprint_that_code_scanning_reads():
    [result] = run(LINK)["results"]
    assert set(result["partialFingerprints"]) == {"primaryLocationLineHash", "llmWikiFinding/v1"}


# --- limits --------------------------------------------------------------------------------


def test_more_results_than_code_scanning_takes_are_cut_and_the_log_says_so():
    many = [LINK._replace(line=number, target=f"page-{number}.md") for number in range(1, MOST_RESULTS + 4)]
    text = RENDERERS["sarif"](Report(ROOT, "topic", many))
    data = json.loads(text)["runs"][0]
    assert len(data["results"]) == MOST_RESULTS
    [note] = data["invocations"][0]["toolExecutionNotifications"]
    assert note["level"] == "warning"
    assert note["message"]["text"].startswith("3 findings were left out")
    assert data["invocations"][0]["executionSuccessful"] is True
    assert len(gzip.compress(text.encode())) < 10_000_000


# --- runs that failed ----------------------------------------------------------------------

FAILURES = [
    (NotAWiki("/w/code is no wiki", path="/w/code", remedy="run [init](x)"), 2),
    (Unreadable("cannot list /w/tea", path="/w/tea"), 2),
    (LockBusy("held by another process"), 2),
]


@pytest.mark.parametrize(("error", "code"), FAILURES)
@pytest.mark.parametrize("root", [None, "/w/tea"])
def test_a_run_that_failed_is_a_valid_log_that_says_why(error, code, root):
    made = log(failure("sarif", root, error))
    [call] = made["invocations"]
    assert (call["executionSuccessful"], call["exitCode"], made["results"]) == (False, code, [])
    [note] = call["toolExecutionNotifications"]
    assert note["level"] == "error"
    assert error.message in note["message"]["text"]
    assert ("originalUriBaseIds" in made) == (root is not None)


def test_a_target_that_is_no_wiki_is_named_by_its_id():
    made = log(failure("sarif", None, NotAWiki("no wiki")))
    link = made["invocations"][0]["toolExecutionNotifications"][0]["descriptor"]
    named = made["tool"]["driver"]["notifications"][link["index"]]
    assert named["id"] == link["id"] == "W100"
    assert named["fullDescription"]["text"]
    assert "Repair." in named["help"]["text"]


def test_repairs_that_could_not_be_written_are_a_failed_run_with_its_findings():
    error = Unreadable("cannot write /w/tea/x")
    made = run(LINK, fixed=True, error=error)
    [call] = made["invocations"]
    assert (call["executionSuccessful"], call["exitCode"], len(made["results"])) == (False, 2, 1)
