"""2xx: each defect of a front matter field gives exactly its one finding."""

import pytest
from lintkit import (
    GRADES,
    GREEN,
    HARVEST,
    IDEA,
    ITEM,
    MANIFEST,
    REPORT,
    STUDY,
    THESIS,
    drop,
    edit,
    field,
    findings,
    full,
    ids,
    one,
    read,
    reindex,
    sample,
    write,
)

from llm_wiki.lint.rules import fields
from llm_wiki.model.kinds import KINDS

REQUIRED = [
    (rel, name)
    for rel, kind in (
        (HARVEST, "raw"),
        (GREEN, "article"),
        (THESIS, "thesis"),
        (ITEM, "inventory"),
        (MANIFEST, "manifest"),
    )
    for name in KINDS[kind].required
]


def changed(tmp_path, rel, key, value):
    """Return the full sample with one field replaced (None drops it) and the indexes rewritten."""
    root = full(tmp_path)
    if value is None:
        drop(root, rel, key)
    else:
        field(root, rel, key, value)
    reindex(root)
    return root


# --- W201 ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("rel", "name"), REQUIRED)
def test_each_required_field_that_is_absent_is_one_w201(tmp_path, rel, name):
    found = one(changed(tmp_path, rel, name, None), "W201")
    assert (found.severity, found.path, found.target) == ("critical", rel, name)
    assert name in found.message


@pytest.mark.parametrize(("rel", "name"), REQUIRED)
def test_each_required_field_that_is_empty_is_one_w201_at_its_line(tmp_path, rel, name):
    root = changed(tmp_path, rel, name, "")
    found = one(root, "W201")
    assert read(root, rel).split("\n")[found.line - 1] == f"{name}:"


@pytest.mark.parametrize("value", ['""', '"  "'])
def test_quotes_around_nothing_are_empty(tmp_path, value):
    assert one(changed(tmp_path, GREEN, "summary", value), "W201").target == "summary"


@pytest.mark.parametrize("value", ["~", "null"])
def test_a_yaml_null_is_no_value_except_for_texts(tmp_path, value):
    assert one(changed(tmp_path, GREEN, "created", value), "W201").target == "created"
    root = changed(tmp_path / "2", GREEN, "title", value)
    assert ids(root) == []


def test_a_view_needs_its_fields(tmp_path):
    root = full(tmp_path)
    head = "---\ntitle: Open\nview: actions\nupdated: 2026-01-08\nsummary: What is open.\n"
    write(root, "inventory/views/open.md", head + "filters:\n  status: active\n---\n\n# Open\n")
    reindex(root)
    assert ids(root) == []
    drop(root, "inventory/views/open.md", "view")
    assert one(root, "W201").target == "view"


def test_a_dataset_note_needs_front_matter_but_no_field(tmp_path):
    root = full(tmp_path)
    write(root, "datasets/auction-prices/samples/head.md", "---\n---\n\n# Head\n")
    reindex(root)
    assert ids(root) == []


@pytest.mark.parametrize("name", ["category", "tags", "created", "updated", "summary"])
def test_a_missing_field_that_follows_from_the_article_is_fixable(tmp_path, name):
    root = full(tmp_path)
    edit(root, GREEN, "Prose.", "Green tea is made from leaves that are heated soon after they are picked.")
    drop(root, GREEN, name)
    reindex(root)
    assert one(root, "W201").fixable


def test_a_missing_title_is_not_fixable(tmp_path):
    assert not one(changed(tmp_path, GREEN, "title", None), "W201").fixable


def test_a_summary_that_no_paragraph_can_give_is_not_fixable(tmp_path):
    root = full(tmp_path)
    text = read(root, GREEN).split("\n# Green Tea\n", maxsplit=1)
    write(root, GREEN, text[0] + "\n# Green Tea\n\nShort.\n\n" + text[1][text[1].index("## See Also") :])
    drop(root, GREEN, "summary")
    reindex(root)
    assert not one(root, "W201").fixable


def test_a_missing_field_of_a_source_is_not_fixable(tmp_path):
    assert not one(changed(tmp_path, HARVEST, "summary", None), "W201").fixable


def test_a_misspelt_required_key_is_named_in_the_one_finding(tmp_path):
    root = full(tmp_path)
    edit(root, GREEN, "summary:", "sumary:")
    reindex(root)
    found = one(root, "W201")
    assert "is sumary meant?" in found.message
    assert not found.fixable


# --- W202, W203, W205, W210 ------------------------------------------------------------------

ENUMS = [
    ("W202", HARVEST, "type", "essays"),
    ("W202", GREEN, "category", "idea"),
    ("W202", THESIS, "type", "report"),
    ("W202", ITEM, "kind", "thing"),
    ("W202", ITEM, "status", "done"),
    ("W202", ITEM, "priority", "high"),
    ("W202", MANIFEST, "status", "blocked"),
    ("W202", MANIFEST, "storage", "cloud"),
    ("W202", MANIFEST, "schema_status", "guessed"),
    ("W203", GREEN, "confidence", "certain"),
    ("W203", THESIS, "confidence", "certain"),
    ("W203", HARVEST, "confidence", "certain"),
    ("W203", GREEN, "volatility", "tepid"),
    ("W203", IDEA, "stage", "shaped"),
    ("W203", REPORT, "type", "weird-type"),
    ("W205", GREEN, "compiled-from", "memory"),
    ("W210", HARVEST, "adapter", "ftp"),
    ("W210", HARVEST, "upstream_type", "file"),
    ("W210", HARVEST, "content_format", "docx"),
]


@pytest.mark.parametrize(("rule", "rel", "name", "value"), ENUMS)
def test_a_word_outside_its_list_is_one_finding_at_its_line(tmp_path, rule, rel, name, value):
    root = changed(tmp_path, rel, name, value)
    found = one(root, rule)
    assert found.path == rel
    assert read(root, rel).split("\n")[found.line - 1] == f"{name}: {value}"
    assert not found.fixable


def test_the_message_names_field_value_and_legal_words(tmp_path):
    found = one(changed(tmp_path, HARVEST, "type", "essays"), "W202")
    assert found.message == 'Invalid type: "essays" (use articles, papers, repos, notes or data)'
    assert found.severity == "critical"


@pytest.mark.parametrize(
    ("rule", "rel", "name", "value"),
    [
        ("W202", HARVEST, "type", "Articles"),
        ("W202", GREEN, "category", "Topic"),
        ("W202", THESIS, "type", "Thesis"),
        ("W202", ITEM, "priority", "P2"),
        ("W203", GREEN, "confidence", "Medium"),
        ("W203", GREEN, "volatility", "WARM"),
        ("W203", REPORT, "type", "Report"),
    ],
)
def test_a_difference_in_case_alone_is_fixable(tmp_path, rule, rel, name, value):
    assert one(changed(tmp_path, rel, name, value), rule).fixable


def test_severities_of_marks(tmp_path):
    assert one(changed(tmp_path, REPORT, "type", "weird-type"), "W203").severity == "info"
    assert one(changed(tmp_path / "2", IDEA, "stage", "shaped"), "W203").severity == "warning"


def test_an_idea_alone_may_have_no_stage(tmp_path):
    assert ids(changed(tmp_path, ITEM, "stage", "raw"), skip=["W208"]) == []


@pytest.mark.parametrize("name", ["volatility", "confidence", "compiled-from"])
def test_an_empty_optional_word_counts_as_absent(tmp_path, name):
    assert "W203" not in ids(changed(tmp_path, GREEN, name, ""))
    assert "W205" not in ids(changed(tmp_path / "2", GREEN, name, "null"))


# --- W204 ------------------------------------------------------------------------------------


@pytest.mark.parametrize("rel", [HARVEST, GREEN, THESIS, ITEM, MANIFEST])
@pytest.mark.parametrize("value", ["green, leaf", "[]", '[""]', "[a, [b]]", "{a: b}"])
def test_tags_that_are_no_list_of_words_are_one_w204(tmp_path, rel, value):
    found = one(changed(tmp_path, rel, "tags", value), "W204")
    assert (found.severity, found.path) == ("warning", rel)


def test_tags_in_one_text_are_fixable(tmp_path):
    assert one(changed(tmp_path, GREEN, "tags", "green, leaf"), "W204").fixable
    assert not one(changed(tmp_path / "2", GREEN, "tags", "[]"), "W204").fixable


# --- W206 ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rel", "name"),
    [
        (HARVEST, "ingested"),
        (HARVEST, "fetched"),
        (GREEN, "created"),
        (GREEN, "updated"),
        (GREEN, "verified"),
        (THESIS, "created"),
        (ITEM, "last_checked"),
        (IDEA, "approved_at"),
        (IDEA, "promoted"),
        (MANIFEST, "updated"),
    ],
)
@pytest.mark.parametrize("value", ["banana", "2025-02-30", "2026-1-5", "05.01.2026"])
def test_what_is_no_calendar_date_is_one_w206(tmp_path, rel, name, value):
    found = one(changed(tmp_path, rel, name, value), "W206")
    assert (found.severity, found.path, found.target) == ("warning", rel, value)


def test_a_future_date_is_an_info(tmp_path):
    found = one(changed(tmp_path, GREEN, "verified", "2099-01-01"), "W206")
    assert (found.severity, found.message) == ("info", "verified lies in the future: 2099-01-01")


def test_the_date_of_the_run_is_not_in_the_future(tmp_path):
    root = changed(tmp_path, GREEN, "verified", "2026-01-10")
    assert ids(root) == []


def test_updated_before_created_is_an_info(tmp_path):
    found = one(changed(tmp_path, GREEN, "created", "2026-01-09"), "W206")
    assert (found.severity, found.message) == (
        "info",
        "updated (2026-01-08) lies before created (2026-01-09)",
    )


@pytest.mark.parametrize("value", ["2026-01-05T10:00:00Z", "2026-01-05 10:00", '"2026-01-05"'])
def test_a_longer_time_is_a_date(tmp_path, value):
    assert ids(changed(tmp_path, GREEN, "created", value)) == []


@pytest.mark.parametrize("value", ["", "null", "~"])
def test_an_empty_optional_date_counts_as_absent(tmp_path, value):
    assert ids(changed(tmp_path, GREEN, "verified", value)) == []


# --- W207, W208, W209 ------------------------------------------------------------------------


def test_an_old_name_from_the_alias_table_is_w207(tmp_path, monkeypatch):
    monkeypatch.setitem(fields.ALIASES, ("article", ""), {"certainty": "confidence"})
    monkeypatch.setitem(fields.ALIASES, ("article", "volatility"), {"tepid": "warm"})
    root = sample(tmp_path)
    edit(root, GREEN, "confidence: medium", "certainty: medium")
    found = one(root, "W207")
    assert (found.message, found.fixable) == ("Key certainty is now called confidence", True)
    edit(root, GREEN, "certainty: medium", "confidence: medium")
    field(root, GREEN, "volatility", "tepid")
    assert "Value tepid of volatility is now called warm" in [item.message for item in findings(root)]


def test_the_alias_table_is_empty_today():
    assert fields.ALIASES == {}


@pytest.mark.parametrize(
    ("rel", "known", "written"),
    [
        (GREEN, "confidence", "confidense"),
        (GREEN, "verified", "verifed"),
        (GREEN, "confidence", "Confidence"),
        (ITEM, "next_action", "next-action"),
        (MANIFEST, "record_count", "record_cuont"),
    ],
)
def test_a_key_close_to_a_known_one_is_w208(tmp_path, rel, known, written):
    root = full(tmp_path)
    edit(root, rel, f"\n{known}:", f"\n{written}:")
    reindex(root)
    found = one(root, "W208")
    assert (found.severity, found.target) == ("info", known)
    assert found.message == f"Unknown key {written}: is {known} meant?"


@pytest.mark.parametrize("key", ["weather", "link", "date", "name", "x", "cssclasses", "日本"])
def test_keys_of_ones_own_are_no_finding(tmp_path, key):
    root = sample(tmp_path)
    field(root, GREEN, key, "mine")
    assert ids(root) == []


def test_a_misspelt_volatility_is_one_finding(tmp_path):
    root = sample(tmp_path)
    edit(root, GREEN, "volatility:", "volatilty:")
    found = one(root, "W701")
    assert "is volatilty meant?" in found.message
    assert not found.fixable


@pytest.mark.parametrize(
    ("rel", "name", "value"),
    [
        (HARVEST, "type", "[articles]"),
        (HARVEST, "title", "[a, b]"),
        (HARVEST, "ingested", "[2026-01-02]"),
        (HARVEST, "authors", "Jane Doe"),
        (GREEN, "category", "[topic]"),
        (GREEN, "aliases", "sencha"),
        (GREEN, "volatility", "{warm: true}"),
        (GREEN, "verified", "[2026-01-02]"),
        (ITEM, "kind", "[item]"),
        (MANIFEST, "formats", "csv"),
        (MANIFEST, "locations", "here"),
        (MANIFEST, "inventory", "inventory/items/cast-iron-kettle.md"),
    ],
)
def test_a_wrong_shape_is_one_w209(tmp_path, rel, name, value):
    found = one(changed(tmp_path, rel, name, value), "W209")
    assert (found.severity, found.path, found.target) == ("warning", rel, name)


def test_in_an_output_only_the_type_is_looked_at(tmp_path):
    root = full(tmp_path)
    write(
        root,
        REPORT,
        "---\ntitle: [a]\ntype: report\ntags: x\ngenerated: banana\nsumary: y\n---\n\n# Report\n",
    )
    reindex(root)
    assert ids(root) == []


def test_a_template_thesis_reads_pending_as_no_confidence(tmp_path):
    root = changed(tmp_path, THESIS, "confidence", "pending")
    assert ids(root) == []
    assert one(changed(tmp_path / "2", GRADES, "confidence", "pending"), "W203").path == GRADES


def test_a_source_of_the_study_keeps_unknown_provenance_apart(tmp_path):
    root = changed(tmp_path, STUDY, "adapter", "folder")
    field(root, STUDY, "upstream_type", "note")
    field(root, STUDY, "content_format", "markdown")
    assert ids(root) == []
