"""Front matter and source repairs: the right value at the right place, every other byte as it was."""

import pytest
from fixkit import fix, home, proved  # noqa: F401 -- home is a fixture
from lintkit import (
    GRADES,
    GREEN,
    HARVEST,
    IDEA,
    ITEM,
    MANIFEST,
    OXIDATION,
    REPORT,
    STUDY,
    THESIS,
    drop,
    edit,
    field,
    findings,
    front,
    full,
    read,
    reindex,
    sample,
    write,
)

from llm_wiki.lint.rules import fields

pytestmark = pytest.mark.usefixtures("home")

PROSE = "Green tea is made from leaves that are heated soon after they are picked, which keeps them green."


def difference(root, rel, before):
    """Lines of a file that were not there before, and lines that are gone."""
    old, new = before.split("\n"), read(root, rel).split("\n")
    return [line for line in new if line not in old], [line for line in old if line not in new]


# --- W201 ----------------------------------------------------------------------------------


def test_missing_fields_get_their_place_below_the_title_and_at_the_end(tmp_path):
    root = sample(tmp_path)
    edit(root, GREEN, "> Green Tea in one sentence, as the abstract of the article says it.", PROSE)
    for key in ("category", "summary", "tags", "created", "updated", "volatility"):
        drop(root, GREEN, key)
    edit(root, GREEN, "title: Green Tea\n", "title: Green Tea # as labelled\nmine: kept\n")
    reindex(root)
    proved(root)
    head = read(root, GREEN).split("---\n")[1].split("\n")
    assert head[:4] == [
        "title: Green Tea # as labelled",
        "category: topic",
        f'summary: "{PROSE}"',
        "mine: kept",
    ]
    assert head[-5:] == [
        "tags: [topic]",
        "created: 2026-01-08",
        "updated: 2026-01-08",
        "volatility: warm",
        "",
    ]


def test_a_thesis_gets_its_type_and_tag_from_the_folder(tmp_path):
    root = sample(tmp_path)
    drop(root, THESIS, "type")
    drop(root, THESIS, "tags")
    reindex(root)
    proved(root)
    page = front(root / THESIS)
    assert (page["type"], page["tags"]) == ("thesis", ["thesis"])
    assert "category" not in page


def test_a_stated_summary_comes_before_the_first_paragraph(tmp_path):
    root = sample(tmp_path)
    edit(
        root,
        GREEN,
        "Prose.",
        f"{PROSE}\n\n**Summary**: Leaves that are *heated* early, [see](../concepts/oxidation.md).",
    )
    drop(root, GREEN, "summary")
    reindex(root)
    proved(root)
    assert front(root / GREEN)["summary"] == "Leaves that are heated early, see."


def test_a_summary_in_an_example_is_not_the_summary(tmp_path):
    root = sample(tmp_path)
    abstract = "> Green Tea in one sentence, as the abstract of the article says it."
    edit(
        root,
        GREEN,
        abstract,
        f"```\n**Summary**: an example of how summaries are written here\n```\n\n{PROSE}",
    )
    drop(root, GREEN, "summary")
    reindex(root)
    proved(root)
    assert front(root / GREEN)["summary"] == PROSE


def test_a_summary_that_yaml_would_misread_is_quoted(tmp_path):
    root = sample(tmp_path)
    abstract = "> Green Tea in one sentence, as the abstract of the article says it."
    edit(root, GREEN, abstract, '> Tea: it is "green" # and stays so when it is heated soon after picking')
    drop(root, GREEN, "summary")
    reindex(root)
    proved(root)
    wanted = 'Tea: it is "green" # and stays so when it is heated soon after picking'
    assert front(root / GREEN)["summary"] == wanted
    assert f"summary: '{wanted}'" in read(root, GREEN)


def test_a_misplaced_article_without_category_is_not_given_one_of_the_wrong_folder(tmp_path):
    root = sample(tmp_path)
    text = read(root, THESIS)
    write(root, "wiki/concepts/claim.md", text.replace("title: Shade Growing", "title: Claim"))
    proved(root)
    assert "category" not in front(root / "wiki/theses/claim.md")


# --- W202 W203 ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rel", "key", "written", "word"),
    [
        (GREEN, "category", "TOPIC", "topic"),
        (HARVEST, "type", '"Articles" # as found', "articles"),
        (THESIS, "type", "Thesis", "thesis"),
        (ITEM, "kind", "Item", "item"),
        (ITEM, "status", "Active", "active"),
        (IDEA, "priority", "P2", "p2"),
        (MANIFEST, "storage", "Remote", "remote"),
        (MANIFEST, "schema_status", "Inferred", "inferred"),
        (GREEN, "confidence", "High # sure", "high"),
        (GREEN, "volatility", "HOT", "hot"),
        (REPORT, "type", "Report", "report"),
    ],
)
def test_a_word_in_other_case_is_written_as_the_format_has_it(tmp_path, rel, key, written, word):
    root = full(tmp_path)
    field(root, rel, key, written)
    reindex(root)
    before = read(root, rel)
    proved(root)
    assert front(root / rel)[key] == word
    new, gone = difference(root, rel, before)
    assert len(new) == len(gone) == 1
    assert ("# sure" in new[0]) == ("# sure" in gone[0])


@pytest.mark.parametrize(("key", "value"), [("status", "running"), ("kind", "gadget"), ("priority", "p9")])
def test_another_word_is_left_to_a_person(tmp_path, key, value):
    root = full(tmp_path)
    field(root, ITEM, key, value)
    reindex(root)
    before = read(root, ITEM)
    report = fix(root)
    assert [(finding.rule, finding.fixable) for finding in report.findings] == [("W202", False)]
    assert read(root, ITEM) == before


# --- W204 W512 W207 W701 ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "tags"),
    [
        ("tea, green-tea", ["tea", "green-tea"]),
        ('"tea,green-tea, tea,,"', ["tea", "green-tea"]),
        ("tea", ["tea"]),
    ],
)
def test_tags_written_as_text_become_a_list(tmp_path, written, tags):
    root = sample(tmp_path)
    field(root, GREEN, "tags", written)
    proved(root)
    assert front(root / GREEN)["tags"] == tags
    assert f"tags: [{', '.join(tags)}]\n" in read(root, GREEN)


def test_a_single_source_written_as_text_becomes_a_list_and_canonical(tmp_path):
    root = sample(tmp_path)
    field(root, OXIDATION, "sources", "leaf-oxidation-study # the one")
    proved(root)
    assert front(root / OXIDATION)["sources"] == [STUDY]
    assert "# the one" in read(root, OXIDATION)


def test_old_names_of_keys_and_words_are_replaced_in_place(tmp_path, monkeypatch):
    monkeypatch.setitem(fields.ALIASES, ("article", ""), {"freshness": "volatility"})
    monkeypatch.setitem(fields.ALIASES, ("article", "volatility"), {"stable": "cold"})
    root = sample(tmp_path)
    edit(root, GREEN, "volatility: warm\n", "freshness: stable # rarely changes\n")
    report = proved(root, only=("W207",))
    assert "volatility: cold # rarely changes\n" in read(root, GREEN)
    assert [change.rule for change in report.changes if change.path == GREEN] == ["W207"]


def test_an_old_key_beside_its_new_name_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setitem(fields.ALIASES, ("article", ""), {"freshness": "volatility"})
    root = sample(tmp_path)
    edit(root, GREEN, "volatility: warm\n", "volatility: warm\nfreshness: cold\n")
    before = read(root, GREEN)
    fix(root)
    assert read(root, GREEN) == before


@pytest.mark.parametrize(
    ("key", "value", "rule"),
    [
        ("tags", "#tea #green", "W201"),
        ("summary", "# Green tea", "W201"),
        ("created", "  # 2026-01-02", "W201"),
        ("volatility", "# hot", "W701"),
    ],
)
def test_a_comment_in_the_place_of_a_value_is_left_to_whoever_wrote_it(tmp_path, key, value, rule):
    root = sample(tmp_path)
    field(root, GREEN, key, value)
    reindex(root)
    edit(root, GREEN, "> Green Tea in one sentence, as the abstract of the article says it.", PROSE)
    before = read(root, GREEN)
    (found,) = [one for one in findings(root) if one.rule == rule]
    assert not found.fixable
    assert found.message.endswith("(to YAML a # begins a comment: quote the value)")
    proved(root)
    assert read(root, GREEN) == before


@pytest.mark.parametrize("value", ["", "~", '""'])
def test_an_empty_volatility_is_filled_where_it_stands(tmp_path, value):
    root = sample(tmp_path)
    field(root, GREEN, "volatility", value)
    proved(root)
    assert "\nvolatility: warm\nconfidence: medium\n" in read(root, GREEN)


# --- W517 ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written",
    [
        "leaf-oxidation-study",
        "leaf-oxidation",
        "2026-01-03-leaf-oxidation-study.md",
        "../../raw/papers/2026-01-03-leaf-oxidation-study.md",
        "./../../raw/papers/2026-01-03-leaf-oxidation-study.md",
        "raw//papers/./2026-01-03-leaf-oxidation-study.md",
        "Leaf Oxidation Study",
    ],
)
def test_each_way_to_name_a_source_becomes_its_path(tmp_path, written):
    root = sample(tmp_path)
    before = read(root, GREEN)
    write(root, GREEN, before.replace(f"  - {STUDY}\n", f"  - {written}\n"))
    proved(root)
    assert read(root, GREEN) == before


def test_a_flow_list_of_sources_stays_one(tmp_path):
    root = sample(tmp_path)
    text = read(root, GREEN).replace(
        f"sources:\n  - {HARVEST}\n  - {STUDY}\n", f"sources: [ {HARVEST},  leaf-oxidation-study ] # two\n"
    )
    write(root, GREEN, text)
    proved(root)
    assert f"sources: [ {HARVEST},  {STUDY} ] # two\n" in read(root, GREEN)


# --- what is never edited -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("title: Green Tea", "title: Green Tea\ntitle: Tea", "W115"),
        ("title: Green Tea", "title: {Green", "W114"),
        ("confidence: medium\n", "confidence: medium\n\tx: y\n", "W114"),
        ("\nProse.\n", "\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n", "W118"),
    ],
)
def test_a_page_that_cannot_be_read_for_sure_is_never_edited(tmp_path, old, new, rule):
    root = sample(tmp_path)
    drop(root, GREEN, "volatility")
    edit(root, GREEN, f"  - {STUDY}\n", "  - leaf-oxidation-study\n")
    edit(root, GREEN, old, new)
    before = read(root, GREEN)
    report = fix(root)
    assert rule in [finding.rule for finding in report.findings]
    assert not [finding for finding in findings(root) if finding.fixable]
    assert read(root, GREEN) == before


def test_front_matter_without_lines_to_edit_is_left_alone(tmp_path):
    root = sample(tmp_path)
    body = read(root, GRADES).partition("\n---\n")[2]
    fields_of = [
        "title: Tea Grades, category: Reference, summary: About Tea Grades., tags: [tea-grades]",
        "created: 2026-01-06, updated: 2026-01-08, verified: 2026-01-08, confidence: medium",
        f"volatility: warm, sources: [{HARVEST}]",
    ]
    head = "{" + ", ".join(fields_of) + "}"
    write(root, GRADES, f"---\n{head}\n---\n{body}")
    before = read(root, GRADES)
    report = fix(root)
    assert read(root, GRADES) == before
    assert [(finding.rule, finding.fixable) for finding in report.findings if finding.rule == "W202"] == [
        ("W202", False)
    ]
