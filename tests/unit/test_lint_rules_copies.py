"""W310: sync-conflict copies."""

import unicodedata

import lintkit as kit
import pytest
from lintkit import GREEN, HARVEST, MANIFEST, OXIDATION, REPORT, WHY, field, full, hub, one, read, write

PLACES = [
    OXIDATION,
    HARVEST,
    "wiki/theses/shade-growing.md",
    "inventory/items/cast-iron-kettle.md",
    MANIFEST,
    REPORT,
    WHY,
    "config.md",
    "schema.md",
    "log.md",
    "_index.md",
    "wiki/_index.md",
    "wiki/concepts/_index.md",
]
FORMS = [
    "{} (Anna's conflicted copy 2026-01-09){}",
    "{} (conflicted copy 2026-01-09 120000){}",
    "{} (Anna's MacBook (old)'s Conflicted Copy){}",
    "{}.sync-conflict-20260109-120000-ABCDEFG{}",
    "{} 2{}",
    "{} 13{}",
]


def copy(root, rel, form, text=None):
    to = form.format(rel.removesuffix(".md"), ".md")
    write(root, to, (root / rel).read_bytes() if text is None else text)
    return to


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rel", PLACES)
def test_a_copy_is_one_warning_wherever_it_lies(tmp_path, rel, form):
    root = full(tmp_path)
    to = copy(root, rel, form)
    found = one(root, "W310")
    assert (found.severity, found.path, found.fixable) == ("warning", to, False)
    assert found.target in ("", rel)


@pytest.mark.parametrize("name", ["data.sync-conflict-20260109-1-A.json", "fig (conflicted copy).png"])
def test_a_copy_of_any_file_is_kept_from_quarantine(tmp_path, name):
    root = full(tmp_path)
    write(root, name, "x")
    write(root, f"raw/papers/{name}", "x")
    found = kit.findings(root)
    assert [(one.rule, one.path, one.fixable) for one in found] == [
        ("W310", name, False),
        ("W310", f"raw/papers/{name}", False),
    ]


def test_a_copy_is_not_judged_as_a_document(tmp_path):
    root = full(tmp_path)
    copy(root, OXIDATION, FORMS[0], "no front matter, [x](gone.md), x[^1]\n")
    copy(root, HARVEST, FORMS[3], "---\ntype: odd\n---\n")
    copy(root, GREEN, FORMS[0], read(root, GREEN).replace("category: topic", "category: concept"))
    assert kit.ids(root) == ["W310"] * 3


def test_what_was_withdrawn_is_found_in_a_copy_too(tmp_path):
    root = full(tmp_path)
    copy(root, OXIDATION, FORMS[0], read(root, OXIDATION) + "\n<!--RETRACTED-SOURCE--> Text.\n")
    assert kit.ids(root) == ["W310", "W516"]


SAME = "One two three four five six seven eight nine ten eleven twelve."


@pytest.mark.parametrize(
    ("text", "is_copy"),
    [
        (SAME, True),
        (SAME.upper() + " Thirteen.", True),
        (SAME + " And then a great deal more was written here by another hand on another day.", True),
        ("Something else is told here, in more than five words at least.", False),
        ("One two three four five. " + "Quite another thing follows here and goes on.", False),
        ("", False),
    ],
)
def test_a_number_makes_a_copy_only_of_the_same_text(tmp_path, text, is_copy):
    root = full(tmp_path)
    write(root, "output/plan.md", f"---\ntitle: Plan\n---\n\n{SAME}\n")
    write(root, "output/plan 2.md", f"---\ntitle: Plan again\n---\n\n{text}\n")
    kit.reindex(root)
    assert ("W310" in kit.ids(root)) == is_copy


@pytest.mark.parametrize(
    "name", ["plan 2.md", "plan 1.md", "plan 02.md", "plan2.md", "plan-2.md", "plan 100.md"]
)
def test_a_number_without_the_file_beside_it_or_in_another_form_is_a_name(tmp_path, name):
    root = full(tmp_path)
    write(root, f"output/{name}", f"# Plan\n\n{SAME}\n")
    if name != "plan 2.md":
        write(root, "output/plan.md", f"# Plan\n\n{SAME}\n")
    kit.reindex(root)
    assert "W310" not in kit.ids(root)


@pytest.mark.parametrize(
    "name",
    ["on conflicted copy.md", "conflicts.md", "sync-conflict-resolution.md", "x (a copy in conflict).md"],
)
def test_a_document_about_conflicts_is_none(tmp_path, name):
    root = full(tmp_path)
    write(root, f"output/{name}", f"# Plan\n\n{SAME}\n")
    kit.reindex(root)
    assert "W310" not in kit.ids(root)


def test_an_ignored_name_the_drop_zone_and_hidden_folders_are_left_alone(tmp_path):
    root = full(tmp_path)
    field(root, "config.md", "ignore", '["*.sync-conflict-*"]')
    write(root, "a.sync-conflict-20260109-1-A.md", "x")
    write(root, "inbox/a (conflicted copy).md", "x")
    write(root, ".obsidian/a (conflicted copy).json", "x")
    assert kit.ids(root) == []


def test_decomposed_names_and_other_line_ends_are_copies_too(tmp_path):
    root = full(tmp_path)
    name = unicodedata.normalize("NFD", "output/Tée.md")
    write(root, name, f"# Tée\n\n{SAME}\n")
    write(root, name.replace(".md", " 2.md"), f"\ufeff# Tée\r\n\r\n{SAME}\r\n")
    kit.reindex(root)
    assert "W310" in kit.ids(root)


def test_a_hub_knows_copies_of_its_registry(tmp_path):
    root = hub(tmp_path)
    for name in ("wikis.sync-conflict-20260109-1-A.json", "log (Anna's conflicted copy).md"):
        write(root, name, "x")
    write(root, "topics/tea/x.sync-conflict-20260109-1-A.md", "x")
    assert [found.path for found in kit.findings(root)] == [
        "log (Anna's conflicted copy).md",
        "wikis.sync-conflict-20260109-1-A.json",
    ]
    assert set(kit.ids(root)) == {"W310"}


def test_a_source_with_a_copy_is_not_called_unused(tmp_path):
    root = full(tmp_path)
    for number in (2, 3):
        copy(root, HARVEST, f"{{}} {number}{{}}")
    assert kit.ids(root) == ["W310", "W310"]


def test_fixes_leave_a_copy_where_it_is(tmp_path):
    from llm_wiki.lint.fixes.plan import plan

    root = full(tmp_path)
    paths = [copy(root, rel, FORMS[0]) for rel in ("config.md", OXIDATION, HARVEST)]
    found = plan(kit.snapshot(root), kit.TODAY)
    assert all(change.path not in paths for change in found.changes)


def test_a_fix_lists_a_new_article_and_not_the_copy_beside_it(tmp_path):
    from llm_wiki.lint.fixes.plan import plan

    root = full(tmp_path)
    copy(root, OXIDATION, FORMS[4])
    kit.article(root, "wiki/concepts/new.md", "New", sources=[HARVEST], see=[GREEN])
    found = plan(kit.snapshot(root), kit.TODAY)
    index = found.tree.now.read("wiki/concepts/_index.md").decode()
    assert "(new.md)" in index
    assert "oxidation 2.md" not in index
    assert plan(found.tree.now, kit.TODAY).empty
