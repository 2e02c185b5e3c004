"""Repairs that have to be asked for by id, and what `--only`, `--skip` and `--dry-run` let happen."""

import subprocess
import sys

import pytest
from fixkit import fix, home, proved  # noqa: F401 -- home is a fixture
from lintkit import (
    GRADES,
    GREEN,
    IDEA,
    OXIDATION,
    THESIS,
    archived,
    drop,
    edit,
    field,
    findings,
    full,
    move,
    raw,
    read,
    reindex,
    sample,
    tree,
    write,
)

from llm_wiki.core import undo
from llm_wiki.core.errors import BadUsage, Incomplete, WikiError

pytestmark = pytest.mark.usefixtures("home")


def changed(root, before):
    after = tree(root)
    return {rel for rel in before | after if before.get(rel) != after.get(rel)}


# --- W508 ----------------------------------------------------------------------------------

BACK = "- [[green-tea|Green Tea]] ([Green Tea](../topics/green-tea.md))"
FORMS = {
    "dual": BACK,
    "wikilink": "- [[green-tea|Green Tea]]",
    "markdown": "- [Green Tea](../topics/green-tea.md)",
}


def one_sided(root, rel=THESIS):
    """Take the line back to green tea out of an article."""
    write(root, rel, "".join(line for line in read(root, rel).splitlines(True) if "[[green-tea" not in line))


def test_a_line_back_is_not_added_unasked(tmp_path):
    root = sample(tmp_path)
    one_sided(root)
    before = tree(root)
    report = fix(root)
    assert ("W508", False) in [(finding.rule, finding.fixable) for finding in report.findings]
    assert tree(root) == before
    assert fix(root, only=("W5",)).fixes == ()


@pytest.mark.parametrize("form", FORMS)
def test_a_line_back_is_added_in_the_form_of_the_wiki(tmp_path, form):
    root = sample(tmp_path)
    field(root, "config.md", "links", form)
    one_sided(root)
    before = read(root, THESIS)
    report = fix(root, only=("W508",))
    assert report.findings == []
    assert read(root, THESIS) == before.replace("## See Also\n\n\n", f"## See Also\n\n{FORMS[form]}\n\n")
    assert fix(root, only=("W508",)).fixes == ()


def test_a_line_back_goes_behind_the_last_item(tmp_path):
    root = sample(tmp_path)
    edit(root, THESIS, "[[green-tea|Green Tea]] ([Green Tea](../topics/green-tea.md))", "[[oxidation]]")
    fix(root, only=("W508",))
    assert f"## See Also\n\n- [[oxidation]]\n{BACK}\n\n## Sources" in read(root, THESIS)


def test_a_missing_section_is_made_before_the_sources(tmp_path):
    root = sample(tmp_path)
    one_sided(root)
    edit(root, THESIS, "## See Also\n\n\n", "")
    write(root, THESIS, read(root, THESIS).replace("\n", "\r\n"))
    fix(root, only=("W508",))
    text = (root / THESIS).read_bytes().decode()
    assert f"## See Also\r\n\r\n{BACK}\r\n\r\n## Sources\r\n" in text
    assert text.count("\n") == text.count("\r\n")


def test_a_name_two_files_share_is_linked_by_its_path(tmp_path):
    root = sample(tmp_path)
    one_sided(root)
    write(root, "output/green-tea.md", "# Other\n")
    fix(root, only=("W508",))
    assert "- [[topics/green-tea|Green Tea]] ([Green Tea](../topics/green-tea.md))" in read(root, THESIS)


# --- W804 ----------------------------------------------------------------------------------

OLD = """---
title: Tea Almanac
goal: "Grow better tea: at home"
status: active
---

# Almanac (old title)

A note on the whole.

## Members

- [Calendar](calendar.md)
- [[map|Map]]

## Decisions

- We print it once a year.

## Files

Kept by hand, see [calendar](calendar.md).
"""

WHY = "output/projects/tea-almanac/WHY.md"
LEGACY = "output/projects/tea-almanac/_project.md"


def older(root, text=OLD):
    move(root, WHY, LEGACY)
    write(root, LEGACY, text)
    write(root, "output/projects/tea-almanac/calendar.md", "# Calendar\n\nSee [project](_project.md).\n")
    write(root, "output/projects/tea-almanac/map.md", "# Map\n")
    fix(root)


def test_an_older_project_is_not_migrated_unasked(tmp_path):
    root = full(tmp_path)
    older(root)
    before = tree(root)
    assert "W804" in [finding.rule for finding in fix(root).findings]
    assert tree(root) == before


def test_an_older_project_keeps_every_human_section(tmp_path):
    root = full(tmp_path)
    older(root)
    report = fix(root, only=("W804",))
    assert report.findings == []
    assert not (root / LEGACY).exists()
    assert read(root, WHY) == (
        "# Tea Almanac\n\nGrow better tea: at home\n\nA note on the whole.\n\n## Decisions\n\n"
        "- We print it once a year.\n\n## Files\n\nKept by hand, see [calendar](calendar.md).\n"
    )
    assert "[project](WHY.md)" in read(root, "output/projects/tea-almanac/calendar.md")
    undo.undo(root, verb="lint")
    assert read(root, LEGACY) == OLD


def test_a_goal_section_makes_the_goal_paragraph_needless(tmp_path):
    root = full(tmp_path)
    older(root, OLD.replace("## Decisions", "## Goal\n\nBetter tea.\n\n## Decisions"))
    fix(root, only=("W804",))
    assert "Grow better tea" not in read(root, WHY)
    assert "## Goal\n\nBetter tea.\n" in read(root, WHY)


def test_an_older_project_without_any_reason_stays(tmp_path):
    root = full(tmp_path)
    older(root, "# Tea Almanac\n\n## Members\n\n- [Calendar](calendar.md)\n")
    before = tree(root)
    report = fix(root, only=("W804",))
    assert [finding.rule for finding in report.findings] == ["W804"]
    assert tree(root) == before


def test_a_reason_that_exists_is_not_replaced(tmp_path):
    root = full(tmp_path)
    older(root)
    write(root, WHY, "# Mine\n\nBecause.\n")
    fix(root, only=("W804",))
    assert read(root, WHY) == "# Mine\n\nBecause.\n"
    assert read(root, LEGACY) == OLD


# --- only, skip, dry run ---------------------------------------------------------------------


def damaged(root):
    drop(root, GREEN, "volatility")
    write(root, "stray.txt", "x")
    field(root, OXIDATION, "sources", "[leaf-oxidation-study]")
    (root / "schema.md").unlink()
    return tree(root)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"only": ("W701",)}, {GREEN}),
        ({"only": ("W5", "W104")}, {OXIDATION, "schema.md"}),
        ({"only": ("w701,W104",)}, {GREEN, "schema.md"}),
        ({"skip": ("W3", "W517")}, {GREEN, "schema.md"}),
        ({"only": ("W7", "W3"), "skip": ("W304",)}, {GREEN}),
        ({"only": ("W4",)}, set()),
    ],
)
def test_repairs_are_limited_as_findings_are(tmp_path, options, wanted):
    root = sample(tmp_path)
    before = damaged(root)
    fix(root, **options)
    always = {"log.md", "_index.md"} if wanted else set()
    assert changed(root, before) == wanted | always


def lose_ideas(root):
    move(root, IDEA, "inventory/candidates/tea-almanac.md")
    (root / "inventory/ideas/_index.md").unlink()
    (root / "inventory/ideas").rmdir()
    reindex(root)


def uncited(root):
    raw(root, "raw/papers/2026-01-09-polyphenols.md", "Polyphenols")
    reindex(root)


@pytest.mark.parametrize(
    ("rule", "damage", "rows"),
    [
        ("W301", lambda root: field(root, GREEN, "category", "concept"), ["wiki/topics", "wiki/concepts"]),
        ("W301", lose_ideas, ["inventory", "inventory/candidates", "inventory/ideas"]),
        ("W204", lambda root: field(root, GREEN, "tags", "tea, leaves"), ["wiki/topics"]),
        ("W611", uncited, ["wiki/references"]),
    ],
)
@pytest.mark.parametrize("how", ["only", "skip"])
def test_the_indexes_that_a_repair_makes_stale_are_part_of_it(tmp_path, rule, damage, rows, how):
    root = full(tmp_path)
    damage(root)
    others = [finding for finding in findings(root) if finding.rule != rule and finding.rule[:2] == "W4"]
    options = {"only": (rule,)} if how == "only" else {"skip": ("W4", "W603")}
    report = fix(root, **options)
    touched = {change.path for change in report.changes}
    assert touched >= {f"{folder}/_index.md" for folder in rows}
    assert [finding for finding in findings(root) if finding.rule[:2] == "W4"] == []
    assert others == []
    assert fix(root, **options).fixes == ()


def test_an_unknown_rule_is_a_usage_error_and_nothing_is_done(tmp_path):
    root = sample(tmp_path)
    before = damaged(root)
    with pytest.raises(BadUsage):
        fix(root, only=("X1",))
    assert tree(root) == before


def test_a_merge_does_no_more_than_the_rule_that_was_asked_for(tmp_path):
    root = sample(tmp_path)
    raw(root, "raw/papers/2026-01-09-polyphenols.md", "Polyphenols")
    index = "raw/papers/_index.md"
    write(root, index, read(root, index) + "\n- [gone](2020-01-01-gone.md)\n")
    fix(root, only=("W403",))
    assert "gone" not in read(root, index)
    assert "polyphenols" not in read(root, index)
    fix(root, only=("W402",))
    assert "polyphenols" in read(root, index)


def test_a_dry_run_tells_the_plan_and_what_is_wrong_now(tmp_path):
    root = sample(tmp_path)
    before = damaged(root)
    report = fix(root, dry_run=True)
    assert report.dry_run
    assert report.findings == findings(root)
    assert "Set volatility: warm in wiki/topics/green-tea.md" in report.fixes
    assert ("quarantine", "stray.txt", "inbox/.unknown/stray.txt", "W304") in report.changes
    assert tree(root) == before


def test_the_log_gets_one_line_with_counts_and_the_master_index_its_date(tmp_path):
    root = sample(tmp_path)
    damaged(root)
    fix(root)
    assert read(root, "log.md").split("\n")[-2].startswith("## [2026-01-10] lint | 4 repairs: 1 created, ")
    assert "- Last lint: 2026-01-10\n" in read(root, "_index.md")


def test_one_repair_is_one_repair_in_the_log(tmp_path):
    root = sample(tmp_path)
    drop(root, GREEN, "volatility")
    fix(root)
    assert read(root, "log.md").split("\n")[-2] == "## [2026-01-10] lint | 1 repair: 2 edited"


def test_a_last_lint_in_an_example_is_not_set(tmp_path):
    root = sample(tmp_path)
    text = read(root, "_index.md").replace(
        "- Last lint: 2026-01-09\n", "\n```\n- Last lint: 2026-01-09\n```\n"
    )
    write(root, "_index.md", text)
    damaged(root)
    fix(root)
    assert read(root, "_index.md") == text


def test_a_run_without_fix_imports_no_repair():
    code = (
        "import sys, llm_wiki.lint.run, llm_wiki.lint.engine; "
        "print([name for name in sys.modules if 'lint.fixes' in name or 'lint.repair' in name])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_a_log_none_is_made(tmp_path):
    root = sample(tmp_path)
    (root / "log.md").unlink()
    damaged(root)
    fix(root)
    assert not (root / "log.md").exists()


def test_an_archived_topic_gets_no_backlog(tmp_path):
    root = archived(tmp_path)
    raw(root, "raw/papers/2026-01-09-polyphenols.md", "Polyphenols")
    drop(root, GREEN, "volatility")
    before = read(root, GREEN)
    report = fix(root, status="archived")
    assert report.findings == []
    assert "polyphenols" in read(root, "raw/papers/_index.md")
    assert read(root, GREEN) == before
    assert not (root / "wiki/references/uncompiled-source-coverage.md").exists()


def test_repairs_that_do_not_come_to_rest_are_not_made(tmp_path, monkeypatch):
    from llm_wiki.lint.fixes import plan

    root = sample(tmp_path)
    before = damaged(root)
    monkeypatch.setattr(plan, "ROUNDS", 1)
    with pytest.raises(Incomplete):
        fix(root)
    assert tree(root) == before


def test_a_file_that_changes_while_the_run_plans_stops_it(tmp_path):
    from llm_wiki.lint.engine import load
    from llm_wiki.lint.fixes.plan import plan
    from llm_wiki.lint.options import Options
    from llm_wiki.wiki.resolve import Root

    root = sample(tmp_path)
    damaged(root)
    snapshot = load(Root(root, "topic", None, "tea", "active"), Options(use_cache=False, jobs=1))
    from lintkit import TODAY

    planned = plan(snapshot, TODAY)
    edit(root, GREEN, "Prose.", "Other prose.")
    before = tree(root)
    with pytest.raises(WikiError) as caught:
        planned.tree.transaction(planned.summary).commit()
    assert caught.value.code == 5
    assert tree(root) == before
    assert GRADES
