"""Index contracts: what each folder's index must list, and how a new one is written."""

import pytest
from indexkit import DAY, Tree, article, document

from llm_wiki.model import indexes
from llm_wiki.model.indexes import HubTopic


def text_of(folder, files):
    contract = indexes.contract(folder, Tree(files))
    return indexes.render(contract, DAY).decode()


def required(folder, files):
    return [entry.rel for entry in indexes.contract(folder, Tree(files)).entries]


LABELS = [
    ("raw", "Required raw category pointer entry is missing", "Raw Sources Index"),
    ("wiki", "Required wiki category pointer entry is missing", "Wiki Articles"),
    ("inventory", "Required inventory navigation or record rollup entry is missing", "Inventory Index"),
    ("datasets", "Required dataset manifest registry entry is missing", "Dataset Registry Index"),
    ("output", "Required output artifact or project entry is missing", "Output Artifacts"),
    (
        "datasets/tea_sales-2024",
        "Required dataset manifest or navigation entry is missing",
        "Tea Sales 2024 Index",
    ),
    ("wiki/concepts", "Required file entry is missing", "Concepts Index"),
    ("output/projects/my-plan", "Required file entry is missing", "My Plan Index"),
]


@pytest.mark.parametrize(("folder", "message", "title"), LABELS)
def test_messages_and_titles_are_those_of_the_format(folder, message, title):
    contract = indexes.contract(folder, Tree({}))
    assert indexes.missing_message(folder) == message
    assert contract.title == title
    assert contract.index == f"{folder}/_index.md"


@pytest.mark.parametrize("folder", ["inbox", "src", ".librarian", "output/projects/.archive/x", "topics"])
def test_folders_outside_the_format_have_no_contract(folder):
    assert indexes.contract(folder, Tree({})) is None


def test_a_pointer_index_lists_the_existing_categories_in_the_order_of_the_layout():
    files = {"wiki/topics/": b"", "wiki/concepts/": b"", "wiki/theses/": b"", "wiki/misc/": b""}
    assert text_of("wiki", files) == (
        "# Wiki Articles\n\n"
        "## Concepts\n\nSee [concepts/_index.md](concepts/_index.md)\n\n"
        "## Topics\n\nSee [topics/_index.md](topics/_index.md)\n\n"
        "## Theses\n\nSee [theses/_index.md](theses/_index.md)\n"
    )


def test_the_raw_index_ends_with_its_statistics():
    files = {
        "raw/articles/a.md": b"",
        "raw/articles/_index.md": b"",
        "raw/data/b.md": b"",
        "raw/stray.md": b"",
    }
    assert text_of("raw", files).endswith("## Stats\n\n- Total sources: 2\n- Last updated: 2026-01-10\n")


def test_a_leaf_lists_its_files_by_path_with_their_front_matter():
    files = {
        "wiki/concepts/b.md": article("B | b", "Two  words.", updated="2026-01-02T10:00:00Z"),
        "wiki/concepts/B.md": b"# no front matter",
        "wiki/concepts/My File.md": document(title="It''s", ingested="2026-01-03"),
        "wiki/concepts/_index.md": b"",
        "wiki/concepts/.hidden.md": b"",
        "wiki/concepts/fig.png": b"",
        "wiki/concepts/deep/x.md": b"",
    }
    assert text_of("wiki/concepts", files) == (
        "# Concepts Index\n\nLast updated: 2026-01-10\n\n## Contents\n\n"
        "| File | Summary | Tags | Updated |\n"
        "|------|---------|------|---------|\n"
        "| [B](B.md) |  |  |  |\n"
        "| [It''s](<My File.md>) |  |  | 2026-01-03 |\n"
        "| [B \\| b](b.md) | Two words. | a, b | 2026-01-02 |\n"
    )


def test_a_date_that_is_none_is_not_shown():
    assert "| banana |" not in text_of("wiki/concepts", {"wiki/concepts/a.md": article(updated="banana")})


def test_a_name_that_cannot_stand_in_a_link_is_encoded():
    files = {"raw/notes/a|b (c).md": b"", "raw/notes/100%25.md": b"", "raw/notes/what?.md": b""}
    text = text_of("raw/notes", files)
    assert "](<a%7Cb (c).md>)" in text
    assert "](100%2525.md)" in text
    assert "](what%3F.md)" in text


RECORD = {
    "title": "Pot",
    "kind": "item",
    "status": "active",
    "priority": "p1",
    "next_action": "Buy it",
    "updated": "2026-01-05",
}


def test_the_inventory_rolls_up_every_record_and_links_every_folder():
    files = {
        "inventory/items/pot.md": document(**RECORD),
        "inventory/ideas/shop.md": document(**{**RECORD, "kind": "idea", "status": "blocked"}),
        "inventory/views/all.md": b"",
        "inventory/_index.md": b"",
    }
    assert text_of("inventory", files) == (
        "# Inventory Index\n\nLast updated: 2026-01-10\n\n## Statistics\n\n"
        "- Total records: 2\n- Items: 1\n- Ideas: 1\n- Candidates: 0\n- Entities: 0\n- Corpora: 0\n"
        "- Active: 1\n- Blocked: 1\n\n"
        "## Quick Navigation\n\n"
        "- [Items](items/_index.md)\n- [Ideas](ideas/_index.md)\n- [Views](views/_index.md)\n\n"
        "## Contents\n\n"
        "| File | Kind | Status | Priority | Next Action | Updated |\n"
        "|------|------|--------|----------|-------------|---------|\n"
        "| [shop.md](ideas/shop.md) | idea | blocked | p1 | Buy it | 2026-01-05 |\n"
        "| [pot.md](items/pot.md) | item | active | p1 | Buy it | 2026-01-05 |\n"
    )


def test_a_record_folder_has_the_columns_of_the_rollup_and_views_those_of_files():
    files = {"inventory/items/pot.md": document(**RECORD), "inventory/views/all.md": b""}
    assert "| [pot.md](pot.md) | item | active |" in text_of("inventory/items", files)
    assert "| File | Summary | Tags | Updated |" in text_of("inventory/views", files)


MANIFEST = {
    "title": "Tea sales",
    "status": "external",
    "storage": "remote",
    "formats": "[csv, parquet]",
    "size_bytes": "12345",
    "record_count": "null",
    "updated": "2026-01-05",
}


def test_the_dataset_registry_shows_size_and_records_from_the_manifest():
    files = {
        "datasets/tea/MANIFEST.md": document(**MANIFEST),
        "datasets/none/x.md": b"",
        "datasets/.x/MANIFEST.md": b"",
    }
    assert text_of("datasets", files) == (
        "# Dataset Registry Index\n\nLast updated: 2026-01-10\n\n## Statistics\n\n"
        "- Datasets: 1\n- Active: 0\n- External: 1\n- Unavailable: 0\n\n## Contents\n\n"
        "| Dataset | Status | Storage | Formats | Size | Records | Updated |\n"
        "|---------|--------|---------|---------|------|---------|---------|\n"
        "| [Tea sales](tea/MANIFEST.md) | external | remote | csv, parquet | 12345 | unknown | 2026-01-05 |\n"
    )


def test_a_dataset_links_its_manifest_and_its_existing_folders():
    files = {
        "datasets/tea/MANIFEST.md": document(**MANIFEST),
        "datasets/tea/queries/": b"",
        "datasets/tea/samples/": b"",
    }
    text = text_of("datasets/tea", files)
    assert "## Quick Navigation\n\n- [Samples](samples/_index.md)\n- [Queries](queries/_index.md)\n\n" in text
    assert "| [Tea sales](MANIFEST.md) |" in text


def test_the_output_index_lists_files_and_projects():
    files = {
        "output/r.md": document(title="Report", type="report", generated="2026-01-04", updated="2026-01-09"),
        "output/projects/parser/WHY.md": b"# Parser\n\nShip the parser by June.\n",
        "output/projects/bare/WHY.md": b"",
        "output/projects/.archive/old/WHY.md": b"# Old\n",
        "output/projects/none/x.md": b"",
    }
    assert text_of("output", files) == (
        "# Output Artifacts\n\nLast updated: 2026-01-10\n\n## Outputs\n\n"
        "| Output | Type | Date |\n|--------|------|------|\n| [Report](r.md) | report | 2026-01-04 |\n\n"
        "## Projects\n\n| Project | Goal |\n|---------|------|\n"
        "| [bare](projects/bare/WHY.md) |  |\n"
        "| [Parser](projects/parser/WHY.md) | Ship the parser by June. |\n"
    )


def test_an_output_index_without_projects_has_no_table_of_them():
    assert "Projects" not in text_of("output", {"output/r.md": b""})


LOG = (
    b"# Wiki Activity Log\n\n## [2026-01-03] compile | x\n\n"
    b"## [2026-01-08] lint | y\n\n## [2026-01-07] lint | y\n"
)


def test_the_master_index_counts_the_wiki_and_takes_its_dates_from_the_log():
    files = {
        "config.md": document(title="Tea"),
        "log.md": LOG,
        "raw/articles/a.md": b"",
        "wiki/concepts/a.md": b"",
        "wiki/theses/a.md": b"",
        "output/a.md": b"",
        "datasets/d/MANIFEST.md": b"",
    }
    assert text_of("", files) == (
        "# Tea\n\nLast updated: 2026-01-10\n\n## Statistics\n\n"
        "- Sources: 1\n- Articles: 2\n- Inventory records: 0\n- Datasets: 1\n- Outputs: 1\n"
        "- Last compiled: 2026-01-03\n- Last lint: 2026-01-08\n\n"
        "## Quick Navigation\n\n"
        "- [Raw Sources](raw/_index.md)\n- [Datasets](datasets/_index.md)\n"
        "- [Concepts](wiki/concepts/_index.md)\n- [Theses](wiki/theses/_index.md)\n"
        "- [Output](output/_index.md)\n"
    )


def test_a_writer_can_say_what_the_log_will_say():
    contract = indexes.master(Tree({"log.md": LOG}), "Mine", {"lint": "2026-01-10"})
    text = indexes.render(contract, DAY).decode()
    assert text.startswith("# Mine\n")
    assert "- Last lint: 2026-01-10\n" in text
    assert "- Last compiled: 2026-01-03\n" in text


def test_a_wiki_without_log_was_never_compiled():
    assert "- Last compiled: never\n- Last lint: never\n" in text_of("", {})


TOPICS = [
    HubTopic("tea", "topics/tea", "Tea", "Leaves | and water"),
    HubTopic("old", "topics/.archive/old", "Old", archived=True),
    HubTopic("coffee", "topics/coffee", "Coffee"),
    HubTopic("far", "/home/me/My Wiki", "Far"),
]


def test_the_hub_index_lists_active_topics_by_slug():
    assert indexes.render(indexes.hub(TOPICS), DAY).decode() == (
        "# Wiki Hub Index\n\nLast updated: 2026-01-10\n\n## Statistics\n\n"
        "- Active topics: 3\n- Archived topics: 1\n\n## Topic Wikis\n\n"
        "| Wiki | Title | Description |\n|------|-------|-------------|\n"
        "| [coffee](topics/coffee) | Coffee |  |\n"
        "| [far](</home/me/My Wiki>) | Far |  |\n"
        "| [tea](topics/tea) | Tea | Leaves \\| and water |\n\n"
        "## Archive\n\n- Archived topics: 1\n"
    )


def test_nothing_is_said_about_the_tool_that_wrote_an_index():
    trees = [Tree({"raw/articles/": b"", "wiki/concepts/a.md": b"", "output/": b""})]
    for tree in trees:
        for folder in ("", "raw", "wiki", "wiki/concepts", "output"):
            assert b"Generated by" not in indexes.render(indexes.contract(folder, tree), DAY)


def test_folders_with_an_index_come_from_the_leaves_to_the_root():
    files = [
        "_index.md",
        "raw/_index.md",
        "raw/articles/_index.md",
        "raw/articles/a.md",
        "datasets/d/samples/_index.md",
        ".librarian/_index.md",
        "output/projects/.archive/x/_index.md",
        "inbox/_index.md",
        "wiki/concepts/x.md",
    ]
    tree = Tree(dict.fromkeys(files, b""))
    assert indexes.indexed_folders(tree) == ["datasets/d/samples", "raw/articles", "raw", ""]


def test_a_folder_with_the_name_of_a_page_is_no_entry():
    assert required("wiki/concepts", {"wiki/concepts/a.md/x": b"", "wiki/concepts/b.md": b""}) == [
        "wiki/concepts/b.md"
    ]


RICH = (
    "_index.md",
    "raw/_index.md",
    *(f"raw/{name}/x.md" for name in ("articles", "papers", "odd")),
    "raw/papers/_index.md",
    "raw/papers/.hidden.md",
    "raw/papers/B.MD",
    "raw/papers/fig.png",
    "wiki/concepts/_index.md",
    "wiki/concepts/the\u0301.md",
    "wiki/concepts/a.md/inside.md",
    "wiki/theses/t.md",
    "wiki/loose.md",
    "inventory/items/one.md",
    "inventory/ideas/_index.md",
    "inventory/views/v.md",
    "inventory/loose.md",
    "datasets/prices/MANIFEST.md",
    "datasets/prices/notes.md",
    "datasets/prices/samples/s.md",
    "datasets/empty/x.csv",
    "datasets/.old/MANIFEST.md",
    "output/report.md",
    "output/projects/plan/WHY.md",
    "output/projects/plan/deep/x.md",
    "output/projects/.archive/WHY.md",
    "output/assets/pictures/list.md",
    "inbox/x.md",
)


@pytest.mark.parametrize(
    "folder",
    sorted({path.rpartition("/")[0] for path in RICH} | {"raw", "inventory", "datasets", "output", "src"}),
)
def test_what_is_required_are_the_entries_of_the_contract(folder):
    tree = Tree(dict.fromkeys(RICH, b""))
    contract = indexes.contract(folder, tree) if folder else None
    entries = [entry.rel for entry in contract.entries] if contract else []
    assert indexes.required(folder, tree) == entries
    if contract and entries:
        assert contract.label in indexes.missing_message(folder)
