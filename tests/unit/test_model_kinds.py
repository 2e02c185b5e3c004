"""Document kinds: which kind a path is, what its fields are, which folder its values demand."""

import pytest

from llm_wiki.model import kinds
from llm_wiki.model.kinds import KINDS, canonical, kind_of

PLACES = [
    ("raw/articles/2026-01-01-x.md", "raw"),
    ("raw/x.md", "raw"),
    ("raw/articles/deep/x.md", "raw"),
    ("wiki/concepts/x.md", "article"),
    ("wiki/x.md", "article"),
    ("wiki/theses", None),
    ("wiki/theses/x.md", "thesis"),
    ("wiki/theses.md", "article"),
    ("inventory/items/x.md", "inventory"),
    ("inventory/x.md", "inventory"),
    ("inventory/views/x.md", "view"),
    ("datasets/a/MANIFEST.md", "manifest"),
    ("datasets/a/manifest.md", "dataset-note"),
    ("datasets/MANIFEST.md", "dataset-note"),
    ("datasets/a/samples/x.md", "dataset-note"),
    ("output/report.md", "output"),
    ("output/projects/p/WHY.md", "project"),
    ("output/projects/p/notes/WHY.md", "output"),
    ("output/projects/.archive/p/WHY.md", "other"),
    ("output/config.md", "output"),
    ("config.md", "config"),
    ("wiki/concepts/config.md", "config"),
    ("schema.md", "schema"),
    ("log.md", "log"),
    ("wiki/log.md", "article"),
    ("_index.md", "index"),
    ("wiki/concepts/_index.md", "index"),
    ("README.md", "other"),
    ("inbox/note.md", "other"),
    (".librarian/REPORT.md", "other"),
    ("raw/papers/X.MD", "raw"),
    ("raw/papers/x.pdf", None),
    ("md", None),
    ("", None),
]


@pytest.mark.parametrize(("rel", "kind"), PLACES)
def test_the_place_decides_the_kind(rel, kind):
    assert kind_of(rel) == kind


def test_every_kind_a_path_can_have_is_described():
    assert {kind for _, kind in PLACES if kind} <= KINDS.keys()


REQUIRED = {
    "raw": "title source type ingested tags summary",
    "article": "title category created updated tags summary",
    "thesis": "title type created updated tags summary",
    "inventory": "title kind status priority created updated tags summary",
    "view": "title view updated summary",
    "manifest": (
        "title dataset_id status storage locations formats schema_status created updated tags summary"
    ),
    "dataset-note": "",
    "output": "",
}


@pytest.mark.parametrize(("name", "fields"), REQUIRED.items())
def test_required_fields_are_those_of_the_format(name, fields):
    assert set(KINDS[name].required) == set(fields.split())


def test_only_files_below_the_four_checked_planes_need_front_matter():
    checked = {name for name, kind in KINDS.items() if kind.front_matter}
    assert checked == {"raw", "article", "thesis", "inventory", "view", "manifest", "dataset-note"}


def test_enums_are_those_of_the_format():
    assert KINDS["article"].enums["category"] == ("concept", "topic", "reference")
    assert KINDS["raw"].enums["type"] == ("articles", "papers", "repos", "notes", "data")
    assert KINDS["manifest"].enums["storage"] == ("local", "remote", "external", "hybrid")
    assert KINDS["inventory"].enums["priority"] == ("p0", "p1", "p2", "p3", "p4")


def test_words_the_format_only_describes_are_no_enums():
    assert "status" not in KINDS["thesis"].enums
    assert "type" not in KINDS["output"].enums
    assert "confidence" not in KINDS["inventory"].enums
    assert "report" in KINDS["output"].fields["type"].values


def test_lists_and_dates_are_known_by_kind():
    assert {"tags", "sources", "aliases"} <= KINDS["article"].lists
    assert {"created", "updated", "verified"} == KINDS["article"].dates
    assert KINDS["manifest"].of_shape("integer") == {"size_bytes", "record_count"}
    assert "summary" in KINDS["raw"].known


def test_every_enum_field_has_words_and_no_other_field_has():
    for kind in KINDS.values():
        for field in kind.fields.values():
            assert bool(field.values) == (field.shape == "enum"), (kind, field)


def test_every_demanded_folder_is_one_of_the_layout():
    demanded = {folder for values in kinds.FOLDER_OF.values() for folder in values.values()}
    known = {f"{plane}/{name}" for plane, names in kinds.layout.SUBFOLDERS.items() for name in names}
    assert demanded == known - {"inventory/views"}


def test_a_word_in_another_case_is_found():
    assert canonical(("concept", "topic"), " Concept ") == "concept"
    assert canonical(("concept",), "concepts") == ""
