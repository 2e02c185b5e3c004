"""Workflow commands and job summary: they land on the file, hold no second command, and fit the limits."""

import re
from pathlib import Path

import pytest
from lintkit import GREEN, TODAY, drop, sample

from llm_wiki.core.errors import BadConfig, LockBusy, NotAWiki, Unreadable
from llm_wiki.lint import engine
from llm_wiki.lint.finding import Finding
from llm_wiki.lint.options import Options
from llm_wiki.lint.render import RENDERERS, failure
from llm_wiki.lint.render_github import SUMMARY_BYTES, SUMMARY_ROWS, append_summary, job_summary
from llm_wiki.lint.report import Report
from llm_wiki.wiki.resolve import resolve

LINK = Finding("warning", "wiki/a.md", 7, 3, "W501", "Link to a missing file: b.md", "b.md", False)
TITLE = "W501 link to a missing Markdown file in wiki/ or inventory/"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Stand in a repository that holds the wiki as docs/tea."""
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def root(here):
    return here / "docs/tea"


def printed(root, *found, **more):
    return RENDERERS["github"](Report(root, "topic", found, **more)).split("\n")


LEVELS = [("critical", "error"), ("warning", "warning"), ("suggestion", "notice"), ("info", "notice")]


@pytest.mark.parametrize(("severity", "command"), LEVELS)
def test_a_finding_is_a_command_of_its_level_at_its_place(root, severity, command):
    line = printed(root, LINK._replace(severity=severity))[0]
    assert line == f"::{command} file=docs/tea/wiki/a.md,line=7,col=3,title={TITLE}::{LINK.message}"


PLACES = [
    (LINK._replace(column=0), "file=docs/tea/wiki/a.md,line=7,"),
    (LINK._replace(line=0, column=0), "file=docs/tea/wiki/a.md,"),
    (LINK._replace(path=None, line=0, column=0), ""),
]


@pytest.mark.parametrize(("finding", "where"), PLACES)
def test_only_what_is_known_of_a_place_is_said(root, finding, where):
    assert printed(root, finding)[0].startswith(f"::warning {where}title=W501 ")


def test_paths_begin_at_the_workspace_of_the_job(here, root, monkeypatch):
    monkeypatch.setenv("GITHUB_WORKSPACE", str(here / "docs"))
    assert printed(root, LINK)[0].startswith("::warning file=tea/wiki/a.md,")


def test_a_file_of_a_real_run_exists_under_the_path_that_is_printed(here):
    root = sample(here / "docs")
    drop(root, GREEN, "title")
    report = engine.run(resolve(str(root)), Options(use_cache=False), today=TODAY)
    named = re.findall(r"^::\w+ file=([^,]+)", RENDERERS["github"](report), re.MULTILINE)
    assert named
    assert all(Path(name).is_file() for name in named)


ESCAPES = [
    ("100%.md", "100%25.md"),
    ("a:b,c.md", "a%3Ab%2Cc.md"),
    ("a::error::x.md", "a%3A%3Aerror%3A%3Ax.md"),
    ("a\nb.md", r"a\x0ab.md"),
    ("検索.md", "検索.md"),
]


@pytest.mark.parametrize(("name", "written"), ESCAPES)
def test_properties_are_escaped(root, name, written):
    assert printed(root, LINK._replace(path=name))[0].startswith(f"::warning file=docs/tea/{written},line=7,")


def test_a_message_is_escaped_but_keeps_its_colons(root):
    line = printed(root, LINK._replace(message="50%: a, b\r\n::error::x"))[0]
    assert line.endswith(r"::50%25: a, b\x0d\x0a::error::x")


def test_no_other_line_can_be_taken_for_a_command(root):
    fixes = ("Moved ##[error]x.md to wiki/x.md", "Moved ::error::y to z")
    lines = printed(root, LINK, fixes=fixes, fixed=True)
    assert [line.startswith("::") for line in lines] == [True] + [False] * (len(lines) - 1)
    assert not any("##[" in line for line in lines)


def test_after_the_commands_come_repairs_and_the_summary_of_the_text_form(root):
    assert printed(root, LINK, fixes=("Moved a.md to b.md",), fixed=True)[1:] == [
        f"llm-wiki lint: {root}",
        "Auto-fixed:",
        "- Moved a.md to b.md",
        "Summary: 0 critical, 1 warnings, 0 suggestions, 0 info, 1 auto-fixed.",
        "Result: FAIL",
        "",
    ]


def test_a_log_says_when_github_shows_fewer_findings_than_there_are(root):
    hint = "GitHub shows 10 findings of a kind at their lines; this log has all of them."
    assert hint not in printed(root, *[LINK] * 10)
    assert printed(root, *[LINK] * 11).count(hint) == 1


@pytest.mark.parametrize("message", ["x" * 100_000, "検 " * 50_000])
def test_a_message_stays_within_what_an_annotation_holds(root, message):
    finding = LINK._replace(message=message)
    assert len(printed(root, finding)[0].encode()) < 64_000
    assert len(job_summary(Report(root, "topic", [finding]))) < 1_000


# --- runs that failed ----------------------------------------------------------------------


def test_an_error_is_one_command(root):
    assert failure("github", root, LockBusy("held: by 7", remedy="wait\nor stop it")) == (
        "::error title=llm-wiki lint::held: by 7; wait\\x0aor stop it\n"
    )


def test_a_target_that_is_no_wiki_is_named_by_its_id(here):
    error = NotAWiki(f"{here}/x is no wiki", path=here / "x")
    assert failure("github", None, error).startswith("::error title=W100 llm-wiki lint::")


def test_an_error_in_a_file_of_the_workspace_lands_on_it(here, root):
    error = BadConfig("bad", path=here / "docs/tea/config.md", line=3)
    assert (
        failure("github", root, error) == "::error file=docs/tea/config.md,line=3,title=llm-wiki lint::bad\n"
    )
    outside = failure("github", root, BadConfig("bad", path="/etc/config.json", line=3))
    assert outside == "::error title=llm-wiki lint::bad\n"


def test_repairs_that_could_not_be_written_stand_after_the_findings(root):
    lines = printed(root, LINK, fixed=True, error=Unreadable("cannot write x"))
    assert lines[1] == "::error title=llm-wiki lint::cannot write x"


# --- the summary ---------------------------------------------------------------------------


def test_a_summary_has_the_counts_and_the_first_findings(root):
    made = job_summary(Report(root, "topic", [LINK]))
    assert made.startswith("### llm-wiki lint failed: <code>docs/tea</code>\n")
    assert "| warning | 1 |\n" in made
    assert (
        "| warning | <code>docs/tea/wiki/a.md&#58;7</code> | Link to a missing file&#58; b.md | W501 |"
        in made
    )


def test_a_summary_of_a_clean_wiki_has_no_table_of_findings(root):
    made = job_summary(Report(root, "topic", []))
    assert made.startswith("### llm-wiki lint passed")
    assert "Where" not in made


HOSTILE = [
    "a | b",
    "<img src=x onerror=y>",
    "[x](http://y)",
    "**bold** `code`",
    "@someone",
    "https://x.example",
    "a\\|b",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_markup_of_a_finding_reaches_the_summary(root, text):
    [row] = [
        line
        for line in job_summary(Report(root, "topic", [LINK._replace(message=text)])).split("\n")
        if "W501" in line
    ]
    cell = row.split(" | ")[2]
    assert not re.search(r"[\\`*<>\[\]()@|:]", cell)
    assert row.count("|") == 5


def test_a_summary_lists_so_many_findings_and_counts_the_rest(root):
    made = job_summary(Report(root, "topic", [LINK] * (SUMMARY_ROWS + 5)))
    assert made.count("| W501 |") == SUMMARY_ROWS
    assert made.endswith("\n5 more are in the log of this step.\n")


@pytest.mark.parametrize("room", [100, 300, 1_000, 3_000, 10_000])
def test_a_summary_fits_the_room_it_is_given(root, room):
    made = job_summary(Report(root, "topic", [LINK._replace(message="検索" * 40)] * 100), room)
    assert len(made.encode()) <= room
    assert made == "" or made.endswith("\n")


def test_summaries_of_one_step_are_appended_up_to_the_limit_of_github(tmp_path, root):
    path = tmp_path / "summary.md"
    report = Report(root, "topic", [LINK])
    append_summary(path, report)
    append_summary(path, report)
    assert path.read_text() == job_summary(report) * 2
    path.write_bytes(b"x" * (SUMMARY_BYTES - 10))
    append_summary(path, report)
    assert path.stat().st_size == SUMMARY_BYTES - 10


def test_a_summary_that_cannot_be_written_is_an_error_with_its_path(tmp_path, root):
    with pytest.raises(Unreadable, match="cannot write"):
        append_summary(tmp_path / "missing/summary.md", Report(root, "topic", []))
