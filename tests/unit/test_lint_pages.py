"""Every lint rule has a page, and what the page shows is what happens."""

import contextlib
import json
import os
import subprocess
import sys
from contextlib import ExitStack
from typing import NamedTuple

import examplekit as ex
import pytest
from fixkit import fix, home, kind_of  # noqa: F401 - home is a fixture
from lintkit import findings, tree
from program import Program

from llm_wiki.lint import catalogue, explain
from llm_wiki.lint.catalogue import Example, RulePage
from llm_wiki.lint.render import _line
from llm_wiki.lint.rules.fields import ALIASES
from llm_wiki.lint.rules.table import BY_ID

WITHOUT_EXAMPLE = frozenset() if ALIASES else frozenset({"W207"})
"""Renamed words are an empty table today, so that nothing can be found."""


class Case(NamedTuple):
    page: RulePage
    example: Example

    @property
    def id(self):
        return self.page.facts.id

    @property
    def is_unreadable(self):
        return any(block.word == "mode" for block in self.example.blocks)


def _cases():
    for page in catalogue.pages():
        for number, example in enumerate(page.text.examples, 1):
            if page.facts.id != "W100":
                yield pytest.param(Case(page, example), id=f"{page.facts.id}-{number}")


CASES = list(_cases())


# --- pages ---------------------------------------------------------------------------------


def test_every_rule_has_a_page_and_every_page_a_rule():
    assert set(catalogue.texts()) == {"W100", *BY_ID}


def test_pages_stand_in_the_order_of_their_ids():
    assert list(catalogue.texts()) == sorted(catalogue.texts())


@pytest.mark.parametrize("page", catalogue.pages(), ids=lambda page: page.facts.id)
def test_a_page_says_why_what_to_do_and_what_is_related(page):
    text = page.text
    assert text.why
    assert text.repair
    assert set(text.related) <= {"W100", *BY_ID} - {text.id}
    assert text.repairs in ("", "partly", "asked")
    assert bool(text.examples) == (text.id not in WITHOUT_EXAMPLE)
    assert "\n\n<!--" not in explain.markdown(page)


@pytest.mark.parametrize("page", catalogue.pages(), ids=lambda page: page.facts.id)
def test_a_page_agrees_with_the_table_on_what_is_repaired(page):
    if page.facts.fix:
        assert page.repairs in ("yes", "partly")
    if page.repairs == "yes":
        assert page.facts.fix


# --- examples ------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_an_example_gives_exactly_its_finding(case, tmp_path, home):  # noqa: F811
    where = tmp_path / "ann"
    root = ex.built(where, case.example)
    before = tree(root) if not case.is_unreadable else None
    with ExitStack() as stack:
        ex.acting(root, case.example, stack)
        found = findings(root, kind_of(root))
        planned = fix(root, dry_run=True).fixes if case.is_unreadable else ()
    ex.legible(root)
    assert [one.rule for one in found if one.rule not in case.example.company] == [case.id]
    assert {one.rule for one in found} == {case.id, *case.example.company}
    shown = [_line(one).removeprefix("- ") for one in found if one.rule == case.id]
    assert case.example.results("find")[0].text == ex.said(where, shown)
    assert before is None or tree(root) == before
    assert not planned


@pytest.mark.parametrize("case", [case for case in CASES if not case.values[0].is_unreadable])
def test_what_fix_does_to_an_example_is_what_the_page_says(case, tmp_path, home):  # noqa: F811
    where = tmp_path / "ann"
    root = ex.built(where, case.example)
    before, was = ex.contents(root), findings(root, kind_of(root))
    if case.page.repairs == "asked":
        assert fix(root).fixes == ()
    options = {"only": (case.id,)} if case.page.repairs == "asked" else {}
    report = fix(root, **options)
    after, left = ex.contents(root), {one.rule for one in report.findings}
    promised = case.example.results("fixed")
    assert ex.said(where, report.fixes) == "".join(block.text for block in promised)
    assert bool(promised) == (case.id not in left)
    told = {block.path: block.text for block in case.example.results("diff")}
    assert {rel: ex.said(where, text.splitlines()) for rel, text in ex.edits(before, after).items()} == told
    for block in case.example.results("made"):
        assert block.path not in before
        assert ex.said(where, after[block.path].decode().splitlines()) == block.text
    assert left - {one.rule for one in was} <= set(case.page.text.related)
    assert promised or before == after
    assert fix(root, **options).fixes == ()
    assert ex.contents(root) == after


@pytest.mark.parametrize("page", catalogue.pages(), ids=lambda page: page.facts.id)
def test_a_rule_that_is_repaired_shows_a_repair_and_one_that_is_not_shows_none(page):
    shown = [bool(example.results("fixed")) for example in page.text.examples]
    if page.repairs == "no" or page.facts.id in WITHOUT_EXAMPLE:
        assert not any(shown)
    else:
        assert any(shown)
        assert page.repairs != "yes" or all(shown)


def test_the_page_of_a_target_that_is_no_wiki_says_what_the_program_says(tmp_path):
    program = Program(tmp_path)
    (example,) = catalogue.texts("1")["W100"].examples
    root = ex.built(program.home / "ann", example)
    before = tree(root)
    done = program("lint", root, "--json")
    assert (done.exit, [one["rule"] for one in done.json["issues"]]) == (2, ["W100"])
    assert ex.said(root.parent, done.err.splitlines()) == example.results("find")[0].text
    assert program("lint", root, "--fix").exit == 2
    assert tree(root) == before


# --- llm-wiki lint --explain ---------------------------------------------------------------


@pytest.fixture
def program(tmp_path):
    return Program(tmp_path)


def test_explain_prints_a_page_and_needs_no_wiki(program):
    done = program.ok("lint", "--explain", "w305")
    assert done.out.startswith("## W305\n\n**Unexpected file in a managed folder**\n")
    assert catalogue.texts("3")["W305"].why in done.out
    assert "\x1b" not in done.out


def test_explain_takes_several_ids_in_the_order_given(program):
    done = program.ok("lint", "--explain", "W501,w110", "--explain", "W901")
    assert [line for line in done.out.splitlines() if line.startswith("## ")] == [
        "## W501",
        "## W110",
        "## W901",
    ]


def test_explain_lists_the_rules_that_begin_so(program):
    done = program.ok("lint", "--explain", "w70")
    assert [line.split()[0] for line in done.out.splitlines()] == ["W701", "W702", "W703"]
    assert "freshness below the threshold" in done.out


def test_explain_of_an_unknown_id_names_near_ones(program):
    done = program("lint", "--explain", "W999")
    assert (done.exit, done.out) == (2, "")
    assert "no lint rule is called W999" in done.err
    assert "W909" in done.err


def test_explain_as_json_gives_the_fields(program):
    done = program.ok("lint", "--explain", "W508,W70", "--json")
    data = json.loads(done.out)
    (page,) = data["rules"]
    assert (page["id"], page["severity"], page["strict"]) == ("W508", "info", "warning")
    assert (page["fix"], page["scope"], page["origin"]) == ("asked", "topic", "upstream describes")
    assert page["related"] == ["W509", "W613", "W614"]
    assert page["examples"][0]["blocks"][0]["word"] == "edit"
    assert [one["id"] for one in data["listed"]] == ["W701", "W702", "W703"]


def test_explain_gives_the_same_fields_however_json_is_asked_for(program):
    asked = ["lint", "--explain", "W701"]
    forms = [[*asked, "--json"], [*asked, "--format", "json"]]
    assert len({program.ok(*form).out for form in forms}) == 1


def test_explain_is_typeset_on_a_terminal(program):
    leader, follower = os.openpty()
    command = [sys.executable, "-P", "-m", "llm_wiki", "lint", "--explain", "W701"]
    env = program.env | {"TERM": "xterm-256color", "COLUMNS": "80"}
    done = subprocess.Popen(command, stdout=follower, cwd=program.here, env=env)
    os.close(follower)
    shown = b""
    with contextlib.suppress(OSError):  # how the end of a terminal's output shows
        while piece := os.read(leader, 4096):
            shown += piece
    os.close(leader)
    assert done.wait() == 0
    text = shown.decode()
    assert "\x1b[" in text
    assert "## W701" not in text
    assert "Article without" in text


@pytest.mark.parametrize("more", [["somewhere"], ["--fix"], ["--undo"]])
def test_explain_stands_alone(program, more):
    done = program("lint", "--explain", "W501", *more)
    assert done.exit == 2
    assert "--explain" in done.err


def test_a_report_names_the_way_to_the_page(tmp_path, program):
    from lintkit import full

    root = full(tmp_path)
    (root / "config.md").unlink()
    done = program("lint", root)
    assert "llm-wiki lint --explain W103" in done.out
    assert "explain" not in program("lint", root, "--json").out


def test_a_report_without_findings_names_no_page(tmp_path, program):
    from lintkit import full

    assert "explain" not in program.ok("lint", full(tmp_path)).out
