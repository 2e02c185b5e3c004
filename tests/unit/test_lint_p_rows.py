"""Faults of projects, ideas and outputs, row by row (P1-P9), then all of them in one topic."""

import hashlib
from collections import Counter

import lintkit as kit
import pytest
from lintkit import IDEA, TODAY, field, full, one, reindex, write

PROJECTS = "output/projects"


def output(root, name, body="# Title\n\nText.", **fields):
    write(root, f"output/{name}", kit.document({"title": "Title", **fields}, body))


def p1(root):
    """An archived project, whatever it looks like, is out of use."""
    write(root, f"{PROJECTS}/.archive/Old Thing-/WHY.md", "# Old\n")
    write(root, f"{PROJECTS}/.archive/Old Thing-/a/b/c/d/e.md", "[x](gone.md) x[^1]\n")


def p2(root):
    """A reason may be short."""
    write(root, f"{PROJECTS}/parser/WHY.md", "# Parser\n\nShip the parser by June.\n")


def p3(root):
    """An output is dated by the day it was made."""
    output(root, "timeline-frosts-2026-01-01.md", type="timeline", generated="2026-01-01")


def p4(root):
    """An idea with a project that is not there, no date of approval, and a stored stage."""
    field(root, IDEA, "project", "output/projects/gone")
    field(root, IDEA, "approved_at", "banana")
    field(root, IDEA, "stage", "shaped")


def p5(root):
    """A project without its reason."""
    write(root, f"{PROJECTS}/silent/notes.md", "# Notes\n")


def p6(root):
    """A reason of one heading."""
    write(root, f"{PROJECTS}/hollow/WHY.md", "# Hollow\n")


def p7(root):
    """A bad slug, and a file five levels deep."""
    write(root, f"{PROJECTS}/bad--slug-/WHY.md", "# Bad\n\nA reason to do it.\n")
    write(root, f"{PROJECTS}/deep/WHY.md", "# Deep\n\nA reason to do it.\n")
    write(root, f"{PROJECTS}/deep/a/b/c/d/e.md", "# Note\n")


def p8(root):
    """The older form of a project, loose media, outputs that are one, words and paths that are none."""
    write(root, f"{PROJECTS}/elder/_project.md", "---\ntitle: Elder\n---\n\n## Goal\n\nPress tea.\n")
    write(root, "output/chart.png", b"x")
    for name in ("report-kettles-2026-01-05.md", "kettles-v2.md", "kettles-final.md"):
        output(root, name)
    output(root, "weird.md", type="weird-type")
    output(root, "groundless.md", sources=["wiki/topics/gone.md"])
    write(root, f"{PROJECTS}/tea-almanac/january.md", "# January\n\n[x](gone.md)\n")


def p9(root):
    """What `collect` leaves in `output/assets/` with a list of it."""
    write(root, "output/assets/collect-kettles/originals/01-a.jpg", b"a")
    digest = hashlib.sha256(b"a").hexdigest()
    rows = f"| File | SHA-256 |\n|---|---|\n| originals/01-a.jpg | {digest} |\n"
    write(root, "output/assets/collect-kettles/assets-manifest.md", f"# Assets\n\n{rows}")


ROWS = {
    p1: [],
    p2: [],
    p3: [],
    p4: ["W203", "W206", "W519"],
    p5: ["W801"],
    p6: ["W801"],
    p7: ["W802", "W810"],
    p8: ["W203", "W502", "W502", "W804", "W805", "W807"],
    p9: [],
}


@pytest.mark.parametrize(("change", "rules"), ROWS.items(), ids=lambda part: getattr(part, "__name__", ""))
def test_each_row_gives_its_findings_and_no_other(tmp_path, change, rules):
    root = full(tmp_path)
    change(root)
    reindex(root)
    assert kit.ids(root) == rules


def test_a_topic_with_all_rows_gives_exactly_their_findings(tmp_path):
    root = full(tmp_path)
    for change in ROWS:
        change(root)
    reindex(root)
    found = kit.findings(root)
    assert Counter(item.rule for item in found) == Counter(rule for rules in ROWS.values() for rule in rules)
    assert {(item.rule, item.path) for item in found} == {
        ("W203", IDEA),
        ("W206", IDEA),
        ("W519", IDEA),
        ("W801", f"{PROJECTS}/silent"),
        ("W801", f"{PROJECTS}/hollow/WHY.md"),
        ("W802", f"{PROJECTS}/bad--slug-"),
        ("W810", f"{PROJECTS}/deep/a/b/c/d"),
        ("W203", "output/weird.md"),
        ("W502", "output/groundless.md"),
        ("W502", f"{PROJECTS}/tea-almanac/january.md"),
        ("W804", f"{PROJECTS}/elder/_project.md"),
        ("W805", "output/chart.png"),
        ("W807", "output"),
    }


def test_projects_without_a_reason_are_critical_when_strict(tmp_path):
    for change in (p5, p6):
        root = full(tmp_path / change.__name__)
        change(root)
        reindex(root)
        assert one(root, "W801", strict=True).severity == "critical"


def test_a_fix_lists_a_short_reason_and_the_day_of_an_output_as_they_are(tmp_path):
    from llm_wiki.lint.fixes.plan import plan

    root = full(tmp_path)
    p2(root)
    p3(root)
    assert kit.ids(root, only=["W402"]) == ["W402", "W402"]
    lines = plan(kit.snapshot(root), TODAY).tree.now.read("output/_index.md").decode().split("\n")
    assert "| [Parser](projects/parser/WHY.md) | Ship the parser by June. |" in lines
    assert next(line for line in lines if "timeline-frosts" in line).endswith("| timeline | 2026-01-01 |")
