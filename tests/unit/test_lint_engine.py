"""The engine: selection, order, isolation of rules, caching by page, kinds of roots."""

import os
from datetime import date

import pytest
from lintkit import (
    GREEN,
    HARVEST,
    IDEA,
    MANIFEST,
    OXIDATION,
    REPORT,
    THESIS,
    TODAY,
    archived,
    drop,
    field,
    findings,
    full,
    hub,
    ids,
    read,
    sample,
    snapshot,
    tree,
    write,
)

from llm_wiki.core.errors import BadUsage, Unreadable
from llm_wiki.lint import engine
from llm_wiki.lint.finding import SEVERITIES, Hit, Rule
from llm_wiki.lint.options import Options, select
from llm_wiki.lint.render import RENDERERS
from llm_wiki.lint.rules import when
from llm_wiki.lint.rules.table import BY_ID, RULES, SECOND_LOOK
from llm_wiki.wiki.resolve import resolve
from llm_wiki.wiki.snapshot import Snapshot


def raising(subject):
    """A rule that breaks after its first hit."""
    yield Hit(None, "first")
    raise ZeroDivisionError("by test")


def damaged(tmp_path):
    """A topic with defects of every severity."""
    root = full(tmp_path)
    drop(root, GREEN, "title")
    drop(root, HARVEST, "title")
    field(root, OXIDATION, "confidence", "certain")
    drop(root, THESIS, "volatility")
    write(root, "z.txt")
    write(root, "a.txt")
    return root


# --- table -----------------------------------------------------------------------------------


def test_rules_stand_in_id_order_and_once():
    names = [rule.id for rule in RULES]
    assert names == sorted(set(names))


def test_every_rule_is_explained():
    for rule in RULES:
        assert rule.title
        assert (rule.check.__doc__ or "").strip(), rule.id
        assert rule.origin in ("U", "D", "N")
        assert rule.severity in SEVERITIES


def test_second_looks_belong_to_file_rules():
    assert all(BY_ID[name].scope == "file" for name in SECOND_LOOK)


# --- selection -------------------------------------------------------------------------------


def test_only_takes_ids_and_prefixes_in_any_case():
    assert select(["w101"]) == {"W101"}
    assert select(["W1,W201"]) == {rule.id for rule in RULES if rule.id.startswith("W1")} | {"W201"}


def test_skip_wins_over_only():
    assert select(["W2"], ["W201", "W202"]).isdisjoint({"W201", "W202"})
    assert "W203" in select(["W2"], ["W201", "W202"])


def test_without_a_choice_every_rule_runs_that_need_not_be_named():
    assert select() == {rule.id for rule in RULES if not rule.opt_in}


@pytest.mark.parametrize(("word", "near"), [("W999", "W9"), ("W20l", "W20"), ("X1", "W")])
def test_an_unknown_id_is_a_usage_error_that_names_the_nearest(word, near):
    with pytest.raises(BadUsage) as caught:
        select([word])
    assert word.upper() in caught.value.message
    assert near in caught.value.remedy
    with pytest.raises(BadUsage):
        select((), [word])


@pytest.mark.parametrize("only", ["", ",", " , "])
def test_an_only_that_names_no_rule_is_refused_and_does_not_select_all(only):
    with pytest.raises(BadUsage):
        select([only])


def test_w100_is_a_known_id_although_no_rule():
    assert select(["W100"]) == frozenset()


def test_an_unknown_id_is_refused_before_anything_is_read(tmp_path):
    root = resolve(str(sample(tmp_path)))
    with pytest.raises(BadUsage):
        engine.run(root, Options(only=("W999",)), today=TODAY)


# --- order and counts --------------------------------------------------------------------------


def test_findings_stand_by_severity_path_line_and_id(tmp_path):
    found = findings(damaged(tmp_path))
    order = [(SEVERITIES.index(item.severity), item.path or "", item.line, item.rule) for item in found]
    assert order == sorted(order)
    assert {item.severity for item in found} >= {"critical", "warning", "info"}


def test_the_same_tree_gives_the_same_findings(tmp_path):
    first = damaged(tmp_path / "1")
    second = damaged(tmp_path / "2")
    assert findings(first) == findings(second)


def test_strict_gives_rules_their_documented_severity(tmp_path):
    root = sample(tmp_path)
    write(root, "output/a.png", b"x")
    assert [item.severity for item in findings(root, only=["W805"])] == ["info"]
    assert [item.severity for item in findings(root, only=["W805"], strict=True)] == ["critical"]


# --- isolation ---------------------------------------------------------------------------------


def test_a_tree_rule_that_raises_becomes_one_finding_of_that_rule(tmp_path, monkeypatch):
    broken = Rule("W304", "warning", "tree", raising, "broken", "U", fix=True)
    monkeypatch.setattr(engine, "RULES", tuple(broken if rule.id == "W304" else rule for rule in RULES))
    found = findings(damaged(tmp_path))
    assert [(item.severity, item.message, item.fixable) for item in found if item.rule == "W304"] == [
        ("warning", "rule failed: ZeroDivisionError: by test", False)
    ]
    assert {"W201", "W203"} <= {item.rule for item in found}


def test_a_file_rule_that_raises_everywhere_becomes_one_finding(tmp_path, monkeypatch):
    def rules_for(kind, **state):
        chosen = when.rules_for(kind, **state)
        return [(name, raising if name == "W203" else check) for name, check in chosen]

    monkeypatch.setattr(engine, "rules_for", rules_for)
    found = [item for item in findings(damaged(tmp_path)) if item.rule == "W203"]
    failed = [item for item in found if item.message.startswith("rule failed: ")]
    assert len(failed) == 1
    assert failed[0].severity == "warning"
    assert not failed[0].fixable
    assert "W201" in ids(tmp_path / "tea")


def test_a_second_look_that_raises_leaves_the_finding(tmp_path, monkeypatch):
    def look(view, finding):
        raise ZeroDivisionError("by test")

    monkeypatch.setitem(SECOND_LOOK, "W201", look)
    found = [item for item in findings(damaged(tmp_path)) if item.rule == "W201"]
    assert found
    assert all("Required field is missing: title (rule failed: " in item.message for item in found)


def test_a_question_about_a_fix_that_raises_leaves_the_findings(tmp_path, monkeypatch):
    def ask(*_):
        raise ZeroDivisionError("by test")

    root = damaged(tmp_path)
    expected = [(item.rule, item.path) for item in findings(root)]
    monkeypatch.setattr(engine, "honest", ask)
    found = findings(root)
    assert [(item.rule, item.path) for item in found] == expected
    assert not any(item.fixable for item in found)
    assert all("rule failed: ZeroDivisionError: by test" in item.message for item in found)


def test_a_fault_of_what_rules_share_costs_the_rules_that_want_it(tmp_path, monkeypatch):
    from llm_wiki.lint.view import View

    def broken(self):
        raise ZeroDivisionError("by test")

    root = damaged(tmp_path)
    monkeypatch.setattr(View, "articles", property(broken))
    found = findings(root)
    assert {"W201", "W203", "W304"} <= {item.rule for item in found}
    failed = [item.rule for item in found if item.message.startswith("rule failed: ")]
    assert "W703" in failed
    assert len(failed) == len(set(failed))


def test_a_fault_of_the_rule_about_copies_costs_that_rule_alone(tmp_path, monkeypatch):
    from llm_wiki.lint.rules import copies

    root = damaged(tmp_path)
    write(root, "a (conflicted copy).txt")

    def broken(*_):
        raise ZeroDivisionError("by test")

    monkeypatch.setattr(copies, "_original", broken)
    found = findings(root)
    assert "rule failed" in next(item for item in found if item.rule == "W310").message
    assert {"W201", "W203", "W304"} <= {item.rule for item in found}


# --- which pages a rule sees --------------------------------------------------------------------


def test_no_file_rule_has_a_hit_on_a_page_it_is_not_offered(tmp_path):
    root = damaged(tmp_path)
    text = read(root, GREEN)
    write(
        root,
        "wiki/misplaced.md",
        text.replace("tags: [", "tags: [ML x, [a], ").replace("sources:", "sources: x\nold:"),
    )
    write(root, "wiki/stray.md", "---\ntitle: [x]\nvolatility: y\n---\n")
    write(
        root,
        "wiki/concepts/Odd Name.md",
        b"\xef\xbb\xbf" + text.replace("category: topic", "type: thesis").encode(),
    )
    write(root, "wiki/theses/none.md", "# none\n\n<!--RETRACTED-SOURCE--> text \x07\n" + "x" * 70_000)
    write(root, "raw/data/2026-01-05-open.md", "---\ntitle: x\n<<<<<<< a\n=======\n>>>>>>> b\n")
    write(root, "raw/data/2026-01-05-twice.md", "---\ntitle: {\n---\n")
    write(root, "output/Odd Name.md", "---\ntype: odd\ntags: x\nsources: y\ntitle: x\ntitle: y\n---\n\xe9")
    write(root, "inventory/views/v.md", "---\ntitle: [x]\ntags: y\nsumary: z\nview:\n---\n")
    write(root, "datasets/auction-prices/samples/s.md", b"---\ntitle: x\ntags: y\n---\n\xff")
    write(root, "config.md", "---\ntags: x\nvolatility: y\n---\n")
    file_rules = [(rule.id, rule.check) for rule in RULES if rule.scope == "file"]
    seen = set()
    for page in snapshot(root).pages.values():
        offered = {note[0] for note in page.notes}
        hits = {name for name, check in file_rules if list(check(page))}
        assert hits == offered, page
        seen |= hits
    assert len(seen) > 12


# --- notes and cache ---------------------------------------------------------------------------


def test_notes_of_a_page_are_plain_enough_for_the_cache(tmp_path):
    import marshal

    pages = snapshot(damaged(tmp_path)).pages.values()
    notes = [note for page in pages for note in page.notes]
    assert notes
    assert marshal.loads(marshal.dumps(notes)) == notes


def test_findings_do_not_depend_on_cache_or_processes(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = damaged(tmp_path)
    expected = findings(root)
    for _ in range(2):
        for jobs in (1, 2):
            warm = Snapshot.load(
                root, "topic", per_file=engine.check_file, per_file_key=engine.RULES_KEY, jobs=jobs
            )
            assert engine.evaluate(warm, TODAY) == expected


def test_the_key_of_the_notes_is_stable_within_one_installation():
    assert engine._rules_key() == engine.RULES_KEY
    assert len(engine.RULES_KEY) == 16


# --- runs --------------------------------------------------------------------------------------


def test_a_run_changes_no_byte(tmp_path):
    root = damaged(tmp_path)
    before = tree(root)
    engine.run(resolve(str(root)), Options(use_cache=False), today=TODAY)
    assert tree(root) == before


def test_a_run_takes_the_date_of_the_clock_when_none_is_given(tmp_path, monkeypatch):
    monkeypatch.setenv("LLM_WIKI_TODAY", "2030-01-01")
    report = engine.run(resolve(str(sample(tmp_path))), Options(use_cache=False, only=("W703",)))
    assert len(report.findings) == 4


@pytest.mark.parametrize(
    ("level", "fails"),
    [("critical", False), ("warning", False), ("suggestion", False), ("info", True), ("never", False)],
)
def test_fail_on_names_the_least_severe_finding_that_fails(tmp_path, level, fails):
    root = sample(tmp_path)
    drop(root, GREEN, "volatility")
    report = engine.run(resolve(str(root)), Options(use_cache=False, fail_on=level), today=TODAY)
    assert report.failed is fails
    assert report.exit_code == int(fails)
    assert report.counts == {"critical": 0, "warning": 0, "suggestion": 0, "info": 1}


def test_a_hub_is_reported_as_hub_and_a_local_wiki_as_topic(tmp_path):
    assert engine.run(resolve(str(hub(tmp_path))), Options(use_cache=False), today=TODAY).kind == "hub"
    local = sample(tmp_path / "project", ".wiki")
    report = engine.run(resolve(str(local)), Options(use_cache=False), today=TODAY)
    assert (report.kind, list(report.findings)) == ("topic", [])


def test_an_archived_topic_is_spared_coverage_and_freshness(tmp_path):
    topic = archived(tmp_path)
    drop(topic, GREEN, "volatility")
    root = resolve(str(topic), include_archived=True)
    late = date(2040, 1, 1)
    assert list(engine.run(root, Options(use_cache=False), today=late).findings) == []
    drop(topic, GREEN, "title")
    assert [item.rule for item in engine.run(root, Options(use_cache=False), today=late).findings][:1] == [
        "W201"
    ]


def test_a_root_that_vanished_is_an_error_of_the_system(tmp_path):
    root = resolve(str(sample(tmp_path)))._replace(path=tmp_path / "gone")
    with pytest.raises(Unreadable):
        engine.run(root, Options(use_cache=False), today=TODAY)


# --- anything a file may hold ------------------------------------------------------------------

VALUES = [
    "",
    "[]",
    "{}",
    "[[a]]",
    "[{a: b}]",
    "{a: [b]}",
    "~",
    "x",
    '"\\u0000"',
    "&a [*a]",
    "!!python/object:os.x y",
]
VALUES += [
    "2026-13-45",
    "0000-00-00",
    "9999-12-31",
    "٢٠٢٦-٠١-٠١",
    "-1",
    "1e999",
    "[2026-01-01, x]",
    "| \n  x",
    "é" * 300,
]


PLACING = ("type", "category", "kind")


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("which", ["all", "placing", "others"])
def test_no_value_of_a_field_breaks_a_rule(tmp_path, value, which):
    root = full(tmp_path)
    for rel in (HARVEST, GREEN, THESIS, IDEA, MANIFEST, REPORT, "config.md", "schema.md"):
        head = read(root, rel).split("\n---")[0].split("\n")
        for key in [line.split(":")[0] for line in head if line[:1].isalpha()]:
            if which == "all" or (key in PLACING) == (which == "placing"):
                field(root, rel, key, value)
    assert [item for item in findings(root) if item.message.startswith("rule failed")] == []


def test_no_name_of_a_file_breaks_a_rule(tmp_path):
    root = full(tmp_path)
    names = [
        b"\xff.md",
        b"\xff",
        b"a\nb.md",
        b".md",
        b"...md",
        b" .md",
        "٣.md".encode(),
        b"%2e%2e.md",
        b"#.md",
        b"-",
    ]
    for folder in (
        "",
        "raw",
        "raw/articles",
        "wiki/concepts",
        "inventory",
        "datasets",
        "output",
        "output/projects",
    ):
        for name in names:
            head = "---\ntitle: x\ntype: notes\ncategory: topic\nkind: idea\n---\n"
            write(root / folder, os.fsdecode(name), f"{head}[x](y.md)\n")
    for name in (b"\xff\xfe", b"a\nb", b"x.md"):
        (root / "datasets" / os.fsdecode(name)).mkdir()
        (root / "output/projects" / os.fsdecode(name)).mkdir()
    (root / "loop").symlink_to("loop")
    (root / "wiki/self").symlink_to(root)
    report = engine.run(resolve(str(root)), Options(use_cache=False), today=TODAY)
    assert [item for item in report.findings if item.message.startswith("rule failed")] == []
    for render in RENDERERS.values():
        render(report).encode()


@pytest.mark.parametrize(
    "data", [b"", b"\x00", b"---", b"---\n", b"---\n---", b"\xef\xbb\xbf", b"\r", b"[](" * 9000]
)
def test_no_bytes_break_a_rule(tmp_path, data):
    root = full(tmp_path)
    for rel in (
        HARVEST,
        GREEN,
        THESIS,
        IDEA,
        MANIFEST,
        REPORT,
        "config.md",
        "schema.md",
        "log.md",
        "_index.md",
    ):
        write(root, rel, data)
        write(root, rel.rpartition("/")[0] + "/_index.md" if "/" in rel else "_index.md", data)
    assert [item for item in findings(root) if item.message.startswith("rule failed")] == []
