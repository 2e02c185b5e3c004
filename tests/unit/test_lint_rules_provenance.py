"""W511-W520: what articles rest on, and references that lead nowhere."""

import lintkit as kit
import pytest
from lintkit import (
    GREEN,
    HARVEST,
    IDEA,
    ITEM,
    MANIFEST,
    OXIDATION,
    REPORT,
    STUDY,
    TASTING,
    THESIS,
    WHY,
    drop,
    field,
    full,
    hub,
    one,
    read,
    reindex,
    sample,
    write,
)


def add(root, rel, text):
    """Append a paragraph; return its 1-based line."""
    before = read(root, rel)
    write(root, rel, f"{before}\n{text}\n")
    return before.count("\n") + 2


# --- W511, W512 ----------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["", " []", " ~"])
def test_an_article_with_empty_sources_is_a_warning(tmp_path, value):
    root = sample(tmp_path)
    field(root, OXIDATION, "sources", value)
    found = one(root, "W511")
    assert (found.severity, found.path) == ("warning", OXIDATION)
    assert found.line > 1


def test_an_article_without_sources_is_a_warning_even_when_mixed(tmp_path):
    root = sample(tmp_path)
    drop(root, OXIDATION, "sources")
    one(root, "W511")
    field(root, OXIDATION, "compiled-from", "mixed")
    one(root, "W511")
    field(root, OXIDATION, "compiled-from", "conversation")
    assert kit.ids(root) == []


def test_a_thesis_needs_sources_too(tmp_path):
    root = sample(tmp_path)
    field(root, OXIDATION, "sources", f"\n  - {STUDY}\n  - {TASTING}")
    drop(root, THESIS, "sources")
    assert one(root, "W511").path == THESIS


@pytest.mark.parametrize(("value", "fixable"), [(STUDY, True), ("{a: b}", False), ("[{a: b}]", False)])
def test_sources_that_are_no_list_of_texts_are_a_warning(tmp_path, value, fixable):
    root = sample(tmp_path)
    field(root, OXIDATION, "sources", value)
    found = one(root, "W512")
    assert (found.severity, found.path, found.fixable) == ("warning", OXIDATION, fixable)


# --- W513-W515 -----------------------------------------------------------------------------


def test_a_source_that_is_not_there_is_a_warning(tmp_path):
    root = sample(tmp_path)
    field(root, OXIDATION, "sources", f"\n  - {STUDY}\n  - raw/papers/gone.md")
    found = one(root, "W513")
    assert (found.severity, found.path, found.target) == ("warning", OXIDATION, "raw/papers/gone.md")
    assert read(root, OXIDATION).splitlines()[found.line - 1] == "  - raw/papers/gone.md"


def test_a_url_is_no_source_of_an_article(tmp_path):
    root = sample(tmp_path)
    field(root, OXIDATION, "sources", f"\n  - {STUDY}\n  - https://example.org/study")
    assert "URL" in one(root, "W513").message


def test_a_dead_source_and_the_dead_link_to_it_are_two_places(tmp_path):
    root = sample(tmp_path)
    field(root, OXIDATION, "sources", f"\n  - {STUDY}\n  - raw/papers/gone.md")
    add(root, OXIDATION, "[gone](../../raw/papers/gone.md)")
    assert kit.ids(root) == ["W501", "W513"]


def test_a_slug_that_fits_two_sources_is_a_warning(tmp_path):
    root = sample(tmp_path)
    other = STUDY.replace("2026-01-03", "2026-01-05")
    kit.raw(root, other, "Another Study")
    field(root, OXIDATION, "sources", "[leaf-oxidation-study]")
    field(root, GREEN, "sources", f"\n  - {STUDY}\n  - {other}\n  - {HARVEST}")
    reindex(root)
    found = one(root, "W514")
    assert (found.path, found.target) == (OXIDATION, "leaf-oxidation-study")
    assert STUDY in found.message
    assert other in found.message


def test_a_source_of_a_record_that_is_not_there_is_a_warning(tmp_path):
    root = full(tmp_path)
    field(root, ITEM, "sources", f"\n  - https://example.org/kettle\n  - raw/notes/gone.md\n  - {TASTING}")
    found = one(root, "W515")
    assert (found.path, found.target) == (ITEM, "raw/notes/gone.md")


def test_a_record_names_its_sources_by_path_not_by_slug(tmp_path):
    root = full(tmp_path)
    field(root, ITEM, "sources", "[tasting-session]")
    one(root, "W515")


# --- W516 ----------------------------------------------------------------------------------


@pytest.mark.parametrize("rel", [OXIDATION, THESIS, ITEM, REPORT, MANIFEST, STUDY, WHY])
def test_a_retraction_marker_is_a_warning_in_any_content_file(tmp_path, rel):
    root = full(tmp_path)
    line = add(root, rel, "<!--RETRACTED-SOURCE-->Leaves brown.")
    found = one(root, "W516")
    assert (found.severity, found.path, found.line) == ("warning", rel, line)


def test_the_name_of_the_marker_in_code_is_no_marker(tmp_path):
    root = sample(tmp_path)
    add(root, OXIDATION, "`RETRACTED-SOURCE` and\n\n```\n<!--RETRACTED-SOURCE-->\n```")
    assert kit.ids(root) == []


# --- W517, W518 ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reference", ["../../" + STUDY, "leaf-oxidation-study", "2026-01-03-leaf-oxidation-study.md"]
)
def test_a_source_found_in_another_way_than_its_path_is_an_info(tmp_path, reference):
    root = sample(tmp_path)
    field(root, OXIDATION, "sources", f'["{reference}"]')
    found = one(root, "W517")
    assert (found.severity, found.path, found.target, found.fixable) == ("info", OXIDATION, reference, True)
    assert STUDY in found.message


def test_an_article_that_cites_itself_is_a_warning(tmp_path):
    root = sample(tmp_path)
    field(root, OXIDATION, "sources", f"\n  - {STUDY}\n  - {OXIDATION}")
    found = one(root, "W518")
    assert (found.severity, found.path) == ("warning", OXIDATION)


@pytest.mark.parametrize(
    ("cited", "severity"),
    [
        (GREEN, "info"),
        (REPORT, "info"),
        (ITEM, "warning"),
        (MANIFEST, "warning"),
        ("raw/papers/_index.md", "warning"),
    ],
)
def test_an_article_that_cites_no_evidence_is_reported(tmp_path, cited, severity):
    root = full(tmp_path)
    field(root, OXIDATION, "sources", f"\n  - {STUDY}\n  - {cited}")
    found = one(root, "W518")
    assert (found.severity, found.target) == (severity, cited)


# --- W519, W520 ----------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["origin", "inventory", "raw_sources"])
def test_a_reference_of_a_manifest_that_leads_nowhere_is_a_warning(tmp_path, key):
    root = full(tmp_path)
    field(root, MANIFEST, key, "raw/data/gone.md" if key == "origin" else "[raw/data/gone.md]")
    found = one(root, "W519")
    assert (found.path, found.target) == (MANIFEST, "raw/data/gone.md")


def test_references_of_a_manifest_that_lead_somewhere_are_fine(tmp_path):
    root = full(tmp_path)
    field(root, MANIFEST, "origin", "https://example.org/prices")
    field(root, MANIFEST, "inventory", f"[{ITEM}]")
    field(root, MANIFEST, "raw_sources", f"[{TASTING}, ../../{STUDY}]")
    assert kit.ids(root) == []


def test_an_idea_whose_project_is_gone_is_a_warning(tmp_path):
    root = full(tmp_path)
    field(root, IDEA, "project", "output/projects/gone")
    found = one(root, "W519")
    assert (found.path, found.target) == (IDEA, "output/projects/gone")


def test_a_link_from_an_active_into_an_archived_topic_is_a_warning(tmp_path):
    root = hub(tmp_path) / "topics/tea"
    write(root.parent, ".archive/old/wiki/concepts/x.md", "x")
    add(root, OXIDATION, "[a](../../../.archive/old/wiki/concepts/x.md)")
    assert one(root, "W520", "topic").path == OXIDATION


def beside(tmp_path):
    """The topic `tea` of a hub in which `old` is archived and `mud` is not."""
    root = kit.hub(tmp_path)
    kit.sample(root / "topics/.archive", "old")
    kit.sample(root / "topics", "mud")
    return root / "topics/tea"


def linking(root, text):
    write(root, OXIDATION, f"{read(root, OXIDATION)}\n{text}\n")


def citing(root, item):
    field(root, OXIDATION, "sources", f'\n  - {STUDY}\n  - "{item}"')


OLD = "wiki/concepts/oxidation.md"
INTO_ARCHIVE = [
    (linking, f"[x](../../../.archive/old/{OLD})"),
    (linking, f"[x][y]\n\n[y]: ../../../.archive/old/{OLD}#oxidation"),
    (linking, f"[x](<../../../../topics/.archive/old/{OLD}>)"),
    (linking, f"[x](../../../%2Earchive/old/{OLD})"),
    (linking, f"![x](../../../.archive/old/{OLD})"),
    (linking, f"[x](/topics/.archive/old/{OLD})"),
    (linking, "[x](../../../old/_index.md)"),
    (linking, "[[../../../.archive/old/wiki/concepts/oxidation|x]]"),
    (linking, "![[topics/.archive/old/wiki/concepts/oxidation]]"),
    (linking, "[[topics/old/wiki/concepts/oxidation#x]]"),
    (citing, f"../../../.archive/old/{HARVEST}"),
    (citing, f"../../../old/{HARVEST}"),
    (citing, f"topics/.archive/old/{HARVEST}"),
    (citing, f"<HUB>/topics/.archive/old/{HARVEST}"),
    (citing, f"HUB/topics/old/{HARVEST}"),
]


@pytest.mark.parametrize(("change", "text"), INTO_ARCHIVE)
def test_every_way_into_an_archived_topic_is_one_warning(tmp_path, change, text):
    root = beside(tmp_path)
    change(root, text)
    found = one(root, "W520", "topic")
    assert (found.severity, found.path, found.fixable) == ("warning", OXIDATION, False)


def test_a_source_by_its_path_on_this_machine_is_found_in_the_archive_too(tmp_path):
    root = beside(tmp_path)
    citing(root, f"{root.parent.parent}/topics/.archive/old/{HARVEST}")
    assert one(root, "W520", "topic").path == OXIDATION


def test_manifests_and_ideas_may_depend_on_an_archived_topic(tmp_path):
    root = full(tmp_path / "hub/topics")
    kit.sample(tmp_path / "hub/topics/.archive", "old")
    field(root, MANIFEST, "raw_sources", f"[{HARVEST}, ../../../.archive/old/{HARVEST}]")
    field(root, IDEA, "project", "../../../old/output/projects/x")
    assert kit.ids(root, "topic") == ["W520", "W520"]
    field(root, MANIFEST, "raw_sources", f"[{HARVEST}, <HUB>/topics/.archive/old/{HARVEST}]")
    field(root, IDEA, "project", "<HUB>/topics/.archive/old/output/projects/x")
    assert kit.ids(root, "topic") == ["W520", "W520"]


@pytest.mark.parametrize(
    "text", ["[x](../../../mud/_index.md)", "[x](../../../../log.md)", "[x](../../../gone/a.md)"]
)
def test_a_way_to_an_active_topic_or_out_of_the_hub_only_leaves_the_wiki(tmp_path, text):
    root = beside(tmp_path)
    linking(root, text)
    assert one(root, "W507", "topic").path == OXIDATION


def test_a_topic_that_exists_in_both_places_is_not_archived(tmp_path):
    root = beside(tmp_path)
    kit.sample(root.parent, "old")
    linking(root, "[x](../../../old/_index.md)")
    assert one(root, "W507", "topic").path == OXIDATION


def test_an_archived_topic_depends_on_whatever_it_likes(tmp_path):
    beside(tmp_path)
    root = tmp_path / "wiki/topics/.archive/old"
    linking(root, f"[x](../../../mud/{OLD})")
    assert one(root, "W507", "topic").path == OXIDATION


# --- where ---------------------------------------------------------------------------------

LISTS = [
    ("\n  - {}\n  # why\n  - gone.md", 3),
    ("\n- {}\n- 'gone.md'", 2),
    ("\n    - {}\n    - gone.md # note", 2),
    (" [{}, gone.md]", 0),
    ("\n  [\n    {},\n    gone.md,\n  ]", 3),
    ("\n  - {}\n\n  - >-\n    gone.md", 3),
    ("\n  - [a]\n  - {}\n  - gone.md", 3),
]


@pytest.mark.parametrize(("value", "below"), LISTS)
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_a_finding_about_a_source_points_to_its_line(tmp_path, value, below, end, bom):
    root = sample(tmp_path)
    field(
        root,
        OXIDATION,
        "sources",
        "\n" + value.lstrip("\n").format(STUDY) if "\n" in value else value.format(STUDY),
    )
    data = read(root, OXIDATION)
    line = data.split("\n").index(next(x for x in data.split("\n") if x.startswith("sources:"))) + 1
    write(root, OXIDATION, bom + data.encode().replace(b"\n", end))
    found = one(root, "W513", skip=["W116", "W512"])
    assert (found.target, found.line) == ("gone.md", line + below)


def test_of_two_equal_entries_each_has_its_line(tmp_path):
    root = sample(tmp_path)
    field(root, OXIDATION, "sources", f"\n  - gone.md\n  - {STUDY}\n  - gone.md")
    lines = [found.line for found in kit.findings(root)]
    assert lines[1] - lines[0] == 2


def test_an_output_may_name_its_one_source_as_plain_text(tmp_path):
    root = full(tmp_path)
    field(root, REPORT, "sources", GREEN)
    assert kit.ids(root) == []
    field(root, REPORT, "sources", "wiki/topics/gone.md")
    found = one(root, "W502")
    assert (found.path, found.target, found.severity) == (REPORT, "wiki/topics/gone.md", "info")
    assert read(root, REPORT).split("\n")[found.line - 1].startswith("sources:")
    field(root, REPORT, "sources", GREEN.upper())
    assert not one(root, "W506").fixable


def test_nothing_in_a_list_of_sources_is_no_source(tmp_path):
    root = sample(tmp_path)
    field(root, OXIDATION, "sources", f'[{STUDY}, "", ~]')
    assert kit.ids(root) == []


@pytest.mark.parametrize(
    ("key", "value"), [("origin", "[a.md, b.md]"), ("inventory", "gone.md"), ("raw_sources", "x.md")]
)
def test_a_reference_of_the_wrong_shape_is_that_one_defect(tmp_path, key, value):
    root = full(tmp_path)
    field(root, MANIFEST, key, value)
    one(root, "W209")
