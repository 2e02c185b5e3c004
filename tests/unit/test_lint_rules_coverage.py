"""6xx: tags that split one subject, sources nobody used, articles nobody reaches."""

import json

import lintkit as kit
import pytest
from lintkit import (
    GRADES,
    GREEN,
    HARVEST,
    OXIDATION,
    STUDY,
    THESIS,
    edit,
    field,
    full,
    one,
    reindex,
    sample,
    write,
)

COVERAGE = "wiki/references/uncompiled-source-coverage.md"
NEW = "raw/notes/2026-01-07-new-note.md"


def tags(root, *pairs):
    for rel, value in pairs:
        field(root, rel, "tags", f"[{value}]")
    reindex(root)


def backlog(root, *sources):
    """Write the page that lint keeps of sources nobody compiled."""
    rows = "".join(f"| [{source}](../../{source}) |\n" for source in sources)
    kit.article(root, COVERAGE, "Uncompiled Source Coverage", sources=sources, see=[])
    edit(root, COVERAGE, "## Sources", f"| Source |\n|---|\n{rows}\n## Sources")
    reindex(root)


# --- tags ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one_tag", "other_tag"),
    [
        ("ml", "machine-learning"),
        ("artificialintelligence", "ai"),
        ("llm", "llms"),
        ("llm", "large-language-models"),
    ],
)
def test_two_tags_of_an_alias_group_are_one_warning_naming_the_files(tmp_path, one_tag, other_tag):
    root = sample(tmp_path)
    tags(root, (OXIDATION, one_tag), (GREEN, other_tag))
    found = one(root, "W601")
    assert (found.severity, found.path) == ("warning", None)
    assert f"{one_tag} ({OXIDATION})" in found.message
    assert f"{other_tag} ({GREEN})" in found.message


def test_one_tag_of_an_alias_group_is_fine_however_often(tmp_path):
    root = sample(tmp_path)
    tags(root, (OXIDATION, "ml"), (GREEN, "ml"), (STUDY, "ml, ai, llm"))
    assert kit.ids(root) == []


@pytest.mark.parametrize(
    ("one_tag", "other_tag"),
    [
        ("leaf", "leafs"),
        ("berry", "berries"),
        ("tea-ware", "teaware"),
        ("branch", "branches"),
        ("fermentation", "fermentaton"),
        ("api", "apis"),
        ("metric", "metrics"),
        ("non-linear", "nonlinear"),
        ("unsupervised-learning", "unsupervised-learnings"),
        ("unsupervised-learning", "unsupervized-learning"),
    ],
)
def test_tags_that_look_alike_are_an_info(tmp_path, one_tag, other_tag):
    root = sample(tmp_path)
    tags(root, (OXIDATION, one_tag), (GREEN, other_tag))
    found = one(root, "W601")
    assert found.severity == "info"


@pytest.mark.parametrize(
    ("one_tag", "other_tag"),
    [
        ("gpt-4", "gpt-5"),
        ("version-2025", "version-2026"),
        ("glass", "glas"),
        ("green", "great"),
        ("tea", "sea"),
        ("new", "news"),
        ("window", "windows"),
        ("logistic", "logistics"),
        ("supervised-learning", "unsupervised-learning"),
        ("semi-supervised-learning", "semi-unsupervised-learning"),
        ("directed-graph", "undirected_graphs"),
        ("symmetric-cipher", "asymmetric-cipher"),
        ("inorganic-chemistry", "organic-chemistry"),
        ("centralization", "decentralization"),
        ("linear-optimization", "non-linear-optimization"),
        ("inflammatory-response", "anti-inflammatory-response"),
        ("microeconomics", "macroeconomics"),
        ("intracellular", "intercellular"),
    ],
)
def test_tags_that_mean_different_things_are_fine(tmp_path, one_tag, other_tag):
    root = sample(tmp_path)
    tags(root, (OXIDATION, one_tag), (GREEN, other_tag))
    assert kit.ids(root) == []


def test_groups_of_the_configuration_are_an_info(tmp_path):
    root = sample(tmp_path)
    field(root, "config.md", "tag_groups", "\n  - brewing/steeping")
    tags(root, (OXIDATION, "brewing"), (GREEN, "steeping"))
    assert one(root, "W601").severity == "info"


@pytest.mark.parametrize("value", ["Green", "black tea", '"#leaf"'])
def test_a_tag_with_capitals_blanks_or_a_hash_is_an_info(tmp_path, value):
    root = sample(tmp_path)
    tags(root, (OXIDATION, value))
    found = one(root, "W602")
    assert (found.severity, found.path, found.target) == ("info", OXIDATION, value.strip('"'))


# --- coverage ------------------------------------------------------------------------------


def test_a_source_that_no_article_cites_is_a_suggestion(tmp_path):
    root = sample(tmp_path)
    kit.raw(root, NEW, "New Note")
    reindex(root)
    found = one(root, "W611")
    assert (found.severity, found.path, found.fixable) == ("suggestion", NEW, True)


@pytest.mark.parametrize("reference", [NEW, f"../../{NEW}", "2026-01-07-new-note"])
def test_a_source_that_is_named_without_a_list_is_cited(tmp_path, reference):
    root = sample(tmp_path)
    kit.raw(root, NEW, "New Note")
    reindex(root)
    field(root, OXIDATION, "sources", reference)
    assert "W611" not in kit.ids(root)
    assert kit.ids(root, only=["W611"]) == []


def test_a_source_found_by_its_slug_counts_as_cited(tmp_path):
    root = sample(tmp_path)
    kit.raw(root, NEW, "New Note")
    field(root, OXIDATION, "sources", f"\n  - {STUDY}\n  - new-note")
    reindex(root)
    one(root, "W517")


def test_a_citation_by_a_thesis_counts(tmp_path):
    root = sample(tmp_path)
    kit.raw(root, NEW, "New Note")
    field(root, THESIS, "sources", f"\n  - raw/notes/2026-01-04-tasting-session.md\n  - {NEW}")
    reindex(root)
    assert kit.ids(root) == []


def test_collection_manifests_and_superseded_sources_need_no_citation(tmp_path):
    root = sample(tmp_path)
    kit.raw(root, NEW, "New Note", tags=["collection-manifest"])
    kit.raw(root, "raw/notes/2026-01-05-old.md", "Old")
    kit.raw(root, "raw/notes/2026-01-05-older.md", "Older")
    field(root, HARVEST, "supersedes", "raw/notes/2026-01-05-old.md")
    field(root, STUDY, "supersedes", "2026-01-05-older")
    reindex(root)
    assert kit.ids(root) == []


def test_a_source_that_only_the_coverage_page_lists_is_an_info(tmp_path):
    root = sample(tmp_path)
    kit.raw(root, NEW, "New Note")
    backlog(root, NEW)
    found = one(root, "W612")
    assert (found.severity, found.path) == ("info", NEW)


def test_no_source_is_called_unused_while_an_article_cannot_be_read(tmp_path):
    root = sample(tmp_path)
    kit.raw(root, NEW, "New Note")
    reindex(root)
    edit(root, OXIDATION, "title: Oxidation", "title: [Oxidation")
    one(root, "W114")
    edit(root, OXIDATION, "title: [Oxidation", "title: Oxidation")
    one(root, "W611")


# --- reach ---------------------------------------------------------------------------------


def lonely(root, rel="wiki/concepts/withering.md", **more):
    kit.article(root, rel, "Withering", sources=[STUDY], see=[], **more)
    reindex(root)
    return rel


def test_an_article_that_nothing_links_is_an_info_and_a_suggestion_when_strict(tmp_path):
    root = sample(tmp_path)
    rel = lonely(root)
    found = one(root, "W613")
    assert (found.severity, found.path) == ("info", rel)
    assert one(root, "W613", strict=True).severity == "suggestion"


def test_a_link_from_itself_or_an_index_does_not_count(tmp_path):
    root = sample(tmp_path)
    rel = lonely(root)
    edit(root, rel, "Prose.", "[me](withering.md)")
    one(root, "W613")


@pytest.mark.parametrize(
    "text", ["[[withering]]", "[[Drying]]", "[w](../concepts/withering.md)", "[[concepts/withering|w]]"]
)
def test_a_link_by_path_name_or_alias_counts(tmp_path, text):
    root = sample(tmp_path)
    rel = lonely(root, aliases=["Drying"])
    edit(root, GRADES, "Prose.", text)
    assert rel
    assert kit.ids(root) == []


def test_articles_with_three_common_tags_and_no_link_are_an_info(tmp_path):
    root = sample(tmp_path)
    tags(root, (OXIDATION, "leaf, heat, air"), (GRADES, "air, heat, leaf, size"))
    found = one(root, "W614")
    assert (found.severity, found.path, found.target) == ("info", OXIDATION, GRADES)


def test_articles_with_common_tags_that_are_linked_are_fine(tmp_path):
    root = sample(tmp_path)
    tags(root, (OXIDATION, "leaf, heat, air"), (GREEN, "air, heat, leaf"))
    assert kit.ids(root) == []


def test_at_most_twenty_unlinked_pairs_are_reported(tmp_path):
    root = sample(tmp_path)
    for number in range(8):
        rel = f"wiki/concepts/a{number}.md"
        kit.article(root, rel, f"A{number}", sources=[STUDY], see=[GREEN], tags=["leaf", "heat", "air"])
    see = [f"wiki/concepts/a{number}.md" for number in range(8)]
    edit(root, GREEN, "## See Also\n", "## See Also\n\n" + "\n".join(kit.dual(GREEN, rel) for rel in see))
    reindex(root)
    assert kit.ids(root) == ["W614"] * 20


def test_records_and_outputs_need_no_link_to_them(tmp_path):
    root = full(tmp_path)
    kit.record(root, "inventory/items/scale.md", "Scale", "item")
    write(root, "output/summary-tea-2026-01-09.md", "# Tea\n\nIn short.\n")
    reindex(root)
    assert kit.ids(root) == []


# --- the compile ledger --------------------------------------------------------------------


def dispose(root, rel, word="mention", **more):
    from llm_wiki.model.document import body_hash

    record = {"at": "2026-01-06T00:00:00Z", "content_sha256": body_hash((root / rel).read_bytes())}
    record |= {"disposition": word, "path": rel, "reason": "said elsewhere", **more}
    with (root / ".librarian/compile-ledger.jsonl").open("a") as file:
        file.write(json.dumps(record) + "\n")


def test_a_source_with_a_disposition_needs_no_article(tmp_path):
    root = sample(tmp_path)
    (root / ".librarian").mkdir()
    for name in ("new", "newer"):
        kit.raw(root, f"raw/notes/2026-01-05-{name}.md", name)
    kit.reindex(root)
    dispose(root, "raw/notes/2026-01-05-new.md")
    assert one(root, "W611").path == "raw/notes/2026-01-05-newer.md"
    kit.move(root, "raw/notes/2026-01-05-new.md", "raw/notes/2026-01-05-renamed.md")
    kit.reindex(root)
    assert one(root, "W611").path == "raw/notes/2026-01-05-newer.md"
    write(
        root,
        "raw/notes/2026-01-05-renamed.md",
        kit.read(root, "raw/notes/2026-01-05-renamed.md") + "\nMore.\n",
    )
    assert kit.ids(root) == ["W611", "W611"]


def test_a_source_that_the_ledger_gives_to_articles_still_wants_one_that_cites_it(tmp_path):
    root = sample(tmp_path)
    (root / ".librarian").mkdir()
    kit.raw(root, "raw/notes/2026-01-05-new.md", "New")
    kit.reindex(root)
    dispose(root, "raw/notes/2026-01-05-new.md")
    dispose(root, "raw/notes/2026-01-05-new.md", None, at="2026-01-07T00:00:00Z", articles=[kit.GREEN])
    assert one(root, "W611").severity == "suggestion"


def test_a_disposed_source_is_not_put_on_the_coverage_page(tmp_path):
    from llm_wiki.lint.rules.coverage import uncited
    from llm_wiki.lint.view import View

    root = sample(tmp_path)
    (root / ".librarian").mkdir()
    kit.raw(root, "raw/notes/2026-01-05-new.md", "New")
    dispose(root, "raw/notes/2026-01-05-new.md", "out-of-scope")
    assert uncited(View(kit.snapshot(root), kit.TODAY)) == []
