"""8xx: projects below `output/projects/`, and loose outputs that want to be one."""

import hashlib
import os
import unicodedata

import lintkit as kit
import pytest
from lintkit import HARVEST, STUDY, WHY, full, one, reindex, write

PROJECTS = "output/projects"
ALMANAC = f"{PROJECTS}/tea-almanac"


def project(root, name, text="# A Title\n\nA reason to do it.\n"):
    write(root, f"{PROJECTS}/{name}/WHY.md", text)
    reindex(root)


def output(root, name, body="# Title\n\nText.\n"):
    write(root, f"output/{name}", body)
    reindex(root)


# --- W801 ----------------------------------------------------------------------------------


def test_a_project_folder_without_a_reason_is_a_warning_and_critical_when_strict(tmp_path):
    root = full(tmp_path)
    write(root, f"{PROJECTS}/press/notes.md", "# Notes\n")
    found = one(root, "W801")
    assert (found.severity, found.path) == ("warning", f"{PROJECTS}/press")
    assert one(root, "W801", strict=True).severity == "critical"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "# Tea Press",
        "# Tea Press\n",
        "\ufeff# Tea Press\r\n\r\n",
        "Tea Press\n=========\n",
        "# A\n\n## B\n",
    ],
)
def test_a_reason_of_headings_alone_is_none(tmp_path, text):
    root = full(tmp_path)
    project(root, "press", text)
    found = one(root, "W801", skip=["W116", "W407"])
    assert found.path == f"{PROJECTS}/press/WHY.md"


@pytest.mark.parametrize(
    "text", ["# A\n\nB.\n", "To press tea.", "# A\n- why not\n", "# A\n\n[x](https://example.org)\n"]
)
def test_the_shortest_text_is_a_reason(tmp_path, text):
    root = full(tmp_path)
    project(root, "press", text)
    assert kit.ids(root, skip=["W407"]) == []


def test_a_folder_named_like_the_reason_is_none(tmp_path):
    root = full(tmp_path)
    (root / PROJECTS / "press/WHY.md").mkdir(parents=True)
    assert one(root, "W801").path == f"{PROJECTS}/press"


def test_hidden_folders_and_loose_files_are_no_projects(tmp_path):
    root = full(tmp_path)
    write(root, f"{PROJECTS}/.archive/Old Thing/notes.md", "# Notes\n")
    write(root, f"{PROJECTS}/.draft/notes.md", "# Notes\n")
    write(root, f"{PROJECTS}/README.md", "# Projects\n")
    assert kit.ids(root) == []


# --- W802 ----------------------------------------------------------------------------------

SLUGS = [
    "Tea",
    "tea_press",
    "tea press",
    "tea--press",
    "tea-",
    "press-2026-01-05",
    "2026-01-press",
    "x" * 41,
    "чай",
]


@pytest.mark.parametrize("name", SLUGS)
def test_a_slug_that_is_not_short_plain_and_undated_is_a_warning(tmp_path, name):
    root = full(tmp_path)
    project(root, name)
    found = one(root, "W802")
    assert (found.severity, found.path, found.target) == ("warning", f"{PROJECTS}/{name}", name)


@pytest.mark.parametrize("name", ["press", "press-2", "2-presses", "x" * 40, "plan-2026"])
def test_a_plain_slug_is_fine(tmp_path, name):
    root = full(tmp_path)
    project(root, name)
    assert kit.ids(root) == []


# --- W803, W804 ----------------------------------------------------------------------------


def member(root, **fields):
    write(root, f"{ALMANAC}/january.md", kit.document({"title": "January", **fields}, "# January\n\nFrost."))


def test_a_member_older_than_a_source_in_its_chain_is_an_info(tmp_path):
    root = full(tmp_path)
    member(root, updated="2026-01-04", sources=["wiki/topics/green-tea.md"])
    found = one(root, "W803")
    assert (found.severity, found.path) == ("info", f"{ALMANAC}/january.md")
    assert HARVEST in found.message
    assert STUDY in found.message


def test_a_member_as_new_as_its_sources_is_fine(tmp_path):
    root = full(tmp_path)
    member(root, updated="2026-01-05", sources=[HARVEST, STUDY])
    assert kit.ids(root) == []


def test_the_older_form_of_a_reason_is_its_one_finding(tmp_path):
    root = full(tmp_path)
    write(root, f"{PROJECTS}/press/_project.md", "---\ntitle: Press\n---\n\n## Goal\n\nPress tea.\n")
    found = one(root, "W804")
    assert (found.severity, found.path) == ("warning", f"{PROJECTS}/press/_project.md")
    assert one(root, "W804", strict=True).severity == "critical"


# --- W805-W810 -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["chart.png", "Chart.PDF", "data.csv", "all.zip"])
def test_a_loose_binary_is_an_info(tmp_path, name):
    root = full(tmp_path)
    write(root, f"output/{name}", b"x")
    found = one(root, "W805")
    assert (found.severity, found.path) == ("info", f"output/{name}")


def test_a_folder_that_is_no_project_is_an_info(tmp_path):
    root = full(tmp_path)
    write(root, "output/drafts/x.txt", "x")
    found = one(root, "W806")
    assert (found.severity, found.path) == ("info", "output/drafts")


KETTLES = "output/assets/collect-kettles"
A = hashlib.sha256(b"a").hexdigest()
B = hashlib.sha256(b"b").hexdigest()


def assets(root, manifest, *, place=KETTLES):
    write(root, f"{KETTLES}/originals/01-a.jpg", b"a")
    write(root, f"{KETTLES}/thumbnails/01 b|c.png", b"b")
    write(root, f"{place}/assets-manifest.md", manifest)


def table(*rows):
    head = "# Assets\n\n| File | Bytes | SHA-256 | Source |\n|---|---|---|---|\n"
    return head + "".join(f"| {' | '.join(row)} |\n" for row in rows)


WHOLE = {
    "a table": table(("originals/01-a.jpg", "1", A, "x"), ("thumbnails/01 b\\|c.png", "1", B, "y")),
    "code and capitals": table(
        ("`originals/01-a.jpg`", "1", f"`{A.upper()}`"), ("`thumbnails/01 b\\|c.png`", "1", B)
    ),
    "links": table(
        ("[the first](./originals/01-a.jpg)", "1", A),
        ("[01 b\\|c](<thumbnails/01%20b%7Cc.png>)", "1", f"sha256:{B}"),
    ),
    "from the root": table((f"{KETTLES}/originals/01-a.jpg", A), (f"{KETTLES}/thumbnails/01%20b%7Cc.png", B)),
    "bare names": table(("01-a.jpg", A), ("01 b\\|c.png", B)),
    "another order": f"{A} | originals/01-a.jpg\n{B} | thumbnails/01 b\\|c.png\n",
    "sha256sum": f"```\n{A}  originals/01-a.jpg\n{B} *thumbnails/01%20b%7Cc.png\n```\n",
    "rows that failed": table(
        ("originals/01-a.jpg", A), ("thumbnails/01 b\\|c.png", B), ("originals/02.jpg", "failed: 404")
    ),
}


@pytest.mark.parametrize("manifest", WHOLE.values(), ids=WHOLE.keys())
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_assets_that_a_manifest_lists_with_their_hashes_are_fine(tmp_path, manifest, end):
    root = full(tmp_path)
    assets(root, manifest.replace("\n", end))
    write(root, f"{KETTLES}/.DS_Store", "x")
    write(root, f"{KETTLES}/originals/.gitkeep", "x")
    assert kit.ids(root) == []


def test_one_manifest_may_list_several_folders(tmp_path):
    root = full(tmp_path)
    rows = table(("collect-kettles/originals/01-a.jpg", A), (f"{KETTLES}/thumbnails/01%20b%7Cc.png", B))
    assets(root, rows, place="output/assets")
    assert kit.ids(root) == []


PARTS = [
    ("# Assets\n", "does not list", "originals/01-a.jpg"),
    (table(("originals/01-a.jpg", A)), "does not list", "thumbnails/01 b|c.png"),
    (
        table(("originals/01-a.jpg", A), ("thumbnails/01 b\\|c.png", "unknown")),
        "does not list",
        "thumbnails/",
    ),
    (table(("originals/01-a.jpg", B), ("01 b\\|c.png", B)), "has another SHA-256", "originals/01-a.jpg"),
    (table(("originals/01-a.jpg", A), ("thumbnails/01 b\\|c.png", B[:-1])), "does not list", "thumbnails/"),
    (table(("x/originals/01-a.jpg", A), ("01 b\\|c.png", B)), "does not list", "originals/01-a.jpg"),
]


@pytest.mark.parametrize(("manifest", "words", "file"), PARTS)
def test_an_asset_that_is_not_listed_or_not_the_same_is_an_info(tmp_path, manifest, words, file):
    root = full(tmp_path)
    assets(root, manifest)
    found = one(root, "W806")
    assert (found.severity, found.path) == ("info", KETTLES)
    assert words in found.message
    assert found.target.startswith(f"{KETTLES}/{file}")
    assert one(root, "W806", strict=True).severity == "critical"


def test_assets_without_any_manifest_are_an_info(tmp_path):
    root = full(tmp_path)
    write(root, f"{KETTLES}/originals/a.jpg", b"x")
    assert one(root, "W806").path == KETTLES


def test_a_loose_asset_is_an_info_of_its_own(tmp_path):
    root = full(tmp_path)
    write(root, "output/assets/a.jpg", b"a")
    assert one(root, "W806").path == "output/assets"
    write(root, "output/assets/assets-manifest.md", table(("a.jpg", A)))
    assert kit.ids(root) == []


def test_a_bare_name_of_two_files_lists_neither(tmp_path):
    root = full(tmp_path)
    for folder in ("originals", "thumbnails"):
        write(root, f"{KETTLES}/{folder}/a.jpg", b"a")
    write(root, f"{KETTLES}/assets-manifest.md", table(("a.jpg", A)))
    assert "does not list" in one(root, "W806").message


def test_empty_asset_folders_hidden_ones_and_links_are_nothing(tmp_path):
    root = full(tmp_path)
    (root / KETTLES / "originals").mkdir(parents=True)
    write(root, "output/assets/.cache/a.jpg", b"a")
    (root / "output/assets/same").symlink_to("collect-kettles")
    assert kit.ids(root) == []


def test_a_decomposed_name_is_listed_by_its_composed_form(tmp_path):
    root = full(tmp_path)
    write(root, f"{KETTLES}/{unicodedata.normalize('NFD', 'té.jpg')}", b"a")
    write(root, f"{KETTLES}/assets-manifest.md", table((unicodedata.normalize("NFC", "té.jpg"), A)))
    assert kit.ids(root) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_asset_that_cannot_be_read_cannot_be_compared(tmp_path):
    root = full(tmp_path)
    assets(root, WHOLE["a table"])
    (root / KETTLES / "originals/01-a.jpg").chmod(0)
    assert "Cannot be read" in one(root, "W806").message


def test_three_loose_outputs_about_one_thing_are_an_info(tmp_path):
    root = full(tmp_path)
    for name in ("report-kettles-2026-01-05.md", "summary-kettles-v2.md"):
        output(root, name)
    assert kit.ids(root) == []
    output(root, "kettles-final-2026-01-09.md")
    found = one(root, "W807")
    assert (found.severity, found.target) == ("info", "kettles")


@pytest.mark.parametrize(
    ("rule", "fields"),
    [
        ("W808", {"kind": "item"}),
        ("W808", {"status": "active", "priority": "p1"}),
        ("W809", {"dataset_id": "kettles"}),
        ("W809", {"storage": "remote", "locations": ["https://example.org/x.csv"]}),
    ],
)
def test_an_output_with_the_fields_of_another_plane_is_an_info(tmp_path, rule, fields):
    root = full(tmp_path)
    output(root, "kettles.md", kit.document({"title": "Kettles", **fields}, "# Kettles\n\nText."))
    found = one(root, rule)
    assert (found.severity, found.path) == ("info", "output/kettles.md")


def test_a_project_nested_deeper_than_three_levels_is_one_info(tmp_path):
    root = full(tmp_path)
    write(root, f"{ALMANAC}/code/src/lib/x.py", "x")
    assert kit.ids(root) == []
    write(root, f"{ALMANAC}/code/src/lib/deep/er/x.py", "x")
    found = one(root, "W810")
    assert (found.severity, found.path) == ("info", f"{ALMANAC}/code/src/lib/deep/er")


def test_a_wiki_with_a_project_is_clean(tmp_path):
    root = full(tmp_path)
    assert (root / WHY).exists()
    assert kit.ids(root) == []
