"""Text and JSON of a report: upstream's layout and keys, ours added, equal bytes for equal reports."""

import json
from pathlib import Path

import pytest
from lintkit import GREEN, OXIDATION, TODAY, drop, sample, write

from llm_wiki.core.errors import BadConfig, LockBusy, NotAWiki
from llm_wiki.lint import engine
from llm_wiki.lint.finding import Finding
from llm_wiki.lint.options import Options
from llm_wiki.lint.render import RENDERERS, as_json, error_report, text
from llm_wiki.lint.report import Change, Report
from llm_wiki.wiki.resolve import resolve

ROOT = Path("/w/tea")
MISSING = Finding("critical", "wiki/a.md", 3, 0, "W201", "Required field is missing: title", "title", False)
STRAY = Finding("warning", "x.txt", 0, 0, "W304", "Unexpected file at the root: x.txt", "", True)
TAGS = Finding("info", None, 0, 0, "W601", "Tags mean the same: ai, ml", "ai", False)
KEYS = {"changes", "counts", "fixes", "issues", "kind", "root", "schema_version", "status"}
ISSUE = {"column", "fixable", "line", "message", "path", "rule", "severity", "target"}


def report(*found, **more):
    return Report(ROOT, "topic", found, **more)


def test_a_clean_root_reads_like_upstream():
    assert text(report()).split("\n") == [
        "llm-wiki lint: /w/tea",
        "Findings: none",
        "Summary: 0 critical, 0 warnings, 0 suggestions, 0 info, 0 auto-fixed.",
        "Result: PASS",
        "",
    ]


def test_findings_have_the_message_first_and_the_id_last():
    assert text(report(MISSING, STRAY, TAGS)).split("\n") == [
        "llm-wiki lint: /w/tea",
        "Findings:",
        "- Critical: Required field is missing: title (wiki/a.md:3) [W201]",
        "- Warning: Unexpected file at the root: x.txt (x.txt) [W304]",
        "- Info: Tags mean the same: ai, ml [W601]",
        "Rerun with --fix to repair 1 of them.",
        "Why, and what to do: llm-wiki lint --explain W201",
        "Summary: 1 critical, 1 warnings, 0 suggestions, 1 info, 0 auto-fixed.",
        "Result: FAIL",
        "",
    ]


def test_a_long_report_ends_with_its_numbers_by_rule():
    many = [MISSING] * 3 + [STRAY] * 18
    assert "By rule: 18 W304, 3 W201." in text(report(*many)).split("\n")
    assert "By rule" not in text(report(*many[1:]))
    assert "By rule" not in text(report(*[STRAY] * 30))


def test_the_page_to_read_is_that_of_the_most_frequent_of_the_most_severe():
    other = MISSING._replace(rule="W111")
    why = "Why, and what to do: llm-wiki lint --explain "
    assert why + "W201" in text(report(other, MISSING, MISSING, STRAY, STRAY, STRAY, STRAY))


def test_a_report_on_files_sends_to_the_whole_wiki_for_repairs():
    lines = text(report(STRAY, partial=1)).split("\n")
    assert "Run --fix on the whole wiki to repair 1 of them." in lines


def test_a_report_on_a_hub_says_that_its_topics_were_not_checked():
    line = "Checked: the hub itself; each topic is checked by llm-wiki lint --wiki SLUG."
    assert line in text(Report(ROOT, "hub", ())).split("\n")
    assert "Checked:" not in text(report())


def test_the_parts_of_an_error_are_joined_without_a_full_stop_between():
    issue = json.loads(error_report(ROOT, BadConfig("No such thing.", remedy="look again")))["issues"][0]
    assert issue["message"] == "No such thing; look again"


def test_fixes_stand_before_the_findings_that_remain():
    made = report(STRAY, fixes=("Moved a.md to wiki/a.md",), fixed=True)
    assert text(made).split("\n") == [
        "llm-wiki lint: /w/tea",
        "Auto-fixed:",
        "- Moved a.md to wiki/a.md",
        "Findings:",
        "- Warning: Unexpected file at the root: x.txt (x.txt) [W304]",
        "Why, and what to do: llm-wiki lint --explain W304",
        "Summary: 0 critical, 1 warnings, 0 suggestions, 0 info, 1 auto-fixed.",
        "Result: FAIL",
        "",
    ]


def test_a_dry_run_says_that_nothing_was_fixed():
    lines = text(report(fixes=("Move a.md",), fixed=True, dry_run=True)).split("\n")
    assert lines[1] == "Would fix:"
    assert lines[4].endswith("0 auto-fixed.")


def test_infos_alone_pass():
    assert text(report(TAGS)).endswith("Result: PASS\n")
    assert text(report(TAGS, fail_on="info")).endswith("Result: FAIL\n")


def test_control_bytes_of_a_name_never_reach_the_terminal():
    odd = STRAY._replace(path="a\x1b[31m\nb\udce9.txt", message="Unexpected \x07 file")
    line = text(report(odd)).split("\n")[2]
    assert line == r"- Warning: Unexpected \x07 file (a\x1b[31m\x0ab\xe9.txt) [W304]"


def test_json_has_exactly_these_keys_sorted():
    written = as_json(report(MISSING, STRAY, TAGS, fixes=("a",), changes=(Change("move", "a", "b", "W301"),)))
    data = json.loads(written)
    assert set(data) == KEYS
    assert all(set(issue) == ISSUE for issue in data["issues"])
    assert data["changes"] == [{"action": "move", "path": "a", "rule": "W301", "to": "b"}]
    assert data["counts"] == {"critical": 1, "info": 1, "suggestion": 0, "warning": 1}
    assert written == json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def test_json_gives_null_where_there_is_no_place():
    issue = json.loads(as_json(report(TAGS)))["issues"][0]
    assert (issue["path"], issue["line"], issue["column"]) == (None, None, None)


def test_json_status_follows_the_level_of_failing():
    assert json.loads(as_json(report(TAGS)))["status"] == "pass"
    assert json.loads(as_json(report(STRAY)))["status"] == "fail"
    assert json.loads(as_json(report(MISSING, fail_on="never")))["status"] == "pass"


def test_json_survives_names_that_are_no_unicode():
    written = as_json(report(STRAY._replace(path="b\udce9.txt")))
    assert written.encode("utf-8")
    assert json.loads(written)["issues"][0]["path"] == "b\udce9.txt"


def test_json_keeps_letters_of_every_script_readable():
    assert "検索.md" in as_json(report(STRAY._replace(path="wiki/検索.md")))


@pytest.mark.parametrize("form", RENDERERS)
def test_equal_input_gives_equal_bytes(tmp_path, form, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    root = sample(tmp_path)
    drop(root, GREEN, "title")
    drop(root, OXIDATION, "summary")
    write(root, "b.txt")
    write(root, "a.txt")
    target = resolve(str(root))
    made = [RENDERERS[form](engine.run(target, Options(use_cache=False), today=TODAY)) for _ in range(2)]
    assert made[0] == made[1]
    assert made[0].count(str(root)) == 1


# --- errors ------------------------------------------------------------------------------------


def test_a_target_that_is_no_wiki_is_a_report_with_w100():
    data = json.loads(
        error_report("/w/code", NotAWiki("/w/code is no wiki", path="/w/code", remedy="run init"))
    )
    assert set(data) == KEYS
    assert (data["status"], data["root"], data["kind"]) == ("fail", "/w/code", None)
    assert data["counts"] == {"critical": 1, "info": 0, "suggestion": 0, "warning": 0}
    [issue] = data["issues"]
    assert set(issue) == ISSUE
    assert (issue["rule"], issue["severity"], issue["path"]) == ("W100", "critical", None)
    assert issue["message"] == "/w/code is no wiki; run init"


def test_other_errors_belong_to_no_rule():
    assert json.loads(error_report(ROOT, LockBusy("held")))["issues"][0]["rule"] is None
    data = json.loads(error_report(None, BadConfig("bad", path="/home/x/config.json", line=3)))
    assert (data["root"], data["issues"][0]["path"], data["issues"][0]["line"]) == (None, None, 3)


def test_a_path_below_the_root_is_given_relative_to_it():
    data = json.loads(error_report("/w/tea", LockBusy("held", path="/w/tea/raw/a.md")))
    assert data["issues"][0]["path"] == "raw/a.md"
