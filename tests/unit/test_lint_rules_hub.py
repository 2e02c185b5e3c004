"""9xx: the registry of a hub against its folders, its index and its specialist library."""

import json

import lintkit as kit
import pytest
from lintkit import edit, hub, move, one, read, sample, write


def registry(root, change):
    """Change the registry by a function of its object and write it back."""
    data = json.loads(read(root, "wikis.json"))
    change(data)
    write(root, "wikis.json", json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def entry(root, slug, path, **more):
    registry(root, lambda data: data["wikis"].__setitem__(slug, {"path": str(path), **more}))


# --- W901 ----------------------------------------------------------------------------------

BROKEN = [
    b"{",
    b"[]",
    b'"x"',
    b'{"wikis": []}',
    b'{"wikis": {"a": 5}}',
    b'{"wikis": {"a": {"path": 5}}}',
    b'{"wikis": {"a": {}}}',
    b'{"wikis": {}, "local_wikis": {}}',
    b'{"wikis": {}, "default": []}',
    b'{"wikis": {"a": {"path": "<HUB>", "status": "asleep"}}}',
    b'{"wikis": {}, "wikis": {}}',
    b'{"default": "\xff"}',
]


@pytest.mark.parametrize("data", BROKEN)
def test_a_registry_of_the_wrong_shape_is_critical(tmp_path, data):
    root = hub(tmp_path)
    write(root, "wikis.json", data)
    found = one(root, "W901", besides=["W908"])
    assert (found.severity, found.path) == ("critical", "wikis.json")


def test_invalid_json_is_reported_at_its_line(tmp_path):
    root = hub(tmp_path)
    write(root, "wikis.json", '{\n  "wikis": {\n    x\n  }\n}\n')
    assert one(root, "W901").line == 3


def test_a_byte_order_mark_is_tolerated(tmp_path):
    root = hub(tmp_path)
    write(root, "wikis.json", "\ufeff" + read(root, "wikis.json"))
    assert kit.ids(root) == []


# --- W902, W903 ----------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["/home/user/wiki", "nobody", "hub", ""])
def test_a_default_that_is_neither_token_nor_topic_is_a_suggestion(tmp_path, value):
    root = hub(tmp_path)
    registry(root, lambda data: data.update(default=value))
    found = one(root, "W902")
    assert (found.severity, found.path, found.target, found.fixable) == (
        "suggestion",
        "wikis.json",
        value,
        True,
    )
    assert "default should use the portable <HUB> token" in found.message


@pytest.mark.parametrize("value", ["<HUB>", "HUB", ".", "tea"])
def test_a_token_or_a_topic_is_a_default(tmp_path, value):
    root = hub(tmp_path)
    registry(root, lambda data: data.update(default=value))
    assert kit.ids(root) == []


def test_a_hub_entry_with_a_path_is_a_suggestion(tmp_path):
    root = hub(tmp_path)
    entry(root, "hub", root)
    found = one(root, "W903")
    assert (found.severity, found.fixable) == ("suggestion", True)
    assert "Hub registry entry should use portable path <HUB>" in found.message


# --- W904-W906 -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form", ["{hub}/topics/tea", "<HUB>/topics/tea", "HUB/topics/tea", "{hub}/topics/tea/"]
)
def test_a_topic_of_the_hub_by_another_path_is_a_suggestion(tmp_path, form):
    root = hub(tmp_path)
    entry(root, "tea", form.format(hub=root))
    found = one(root, "W904")
    assert (found.severity, found.fixable) == ("suggestion", True)
    assert "Hub-owned wiki path should be portable: use topics/tea" in found.message


def test_a_topic_reached_through_a_link_to_the_hub_is_the_hubs(tmp_path):
    root = hub(tmp_path)
    (tmp_path / "alias").symlink_to(root)
    entry(root, "tea", tmp_path / "alias/topics/tea")
    one(root, "W904")


def test_an_external_path_that_exists_is_an_info(tmp_path):
    root = hub(tmp_path)
    entry(root, "far", sample(tmp_path / "elsewhere"))
    found = one(root, "W905")
    assert (found.severity, found.fixable) == ("info", False)
    assert "external local absolute path that exists" in found.message


def test_an_external_path_that_does_not_exist_is_a_warning(tmp_path):
    root = hub(tmp_path)
    entry(root, "far", tmp_path / "nowhere")
    found = one(root, "W906")
    assert found.severity == "warning"
    assert "external local absolute path that does not exist" in found.message


# --- W907-W910 -----------------------------------------------------------------------------


def test_a_registered_topic_without_a_wiki_is_a_warning(tmp_path):
    root = hub(tmp_path)
    (root / "topics/empty").mkdir()
    entry(root, "empty", "topics/empty")
    found = one(root, "W907")
    assert (found.severity, found.path, found.target) == ("warning", "wikis.json", "topics/empty")


def test_a_registered_topic_that_was_deleted_is_one_warning_with_its_row(tmp_path):
    root = hub(tmp_path)
    entry(root, "gone", "topics/gone", description="Gone")
    edit(root, "_index.md", "| [tea]", "| [gone](topics/gone/_index.md) | G | Gone |\n| [tea]")
    one(root, "W907")


@pytest.mark.parametrize("folder", ["topics/coffee", "topics/.archive/coffee"])
def test_a_topic_that_is_not_registered_is_an_info_and_a_warning_when_strict(tmp_path, folder):
    root = hub(tmp_path)
    sample(root / folder.rpartition("/")[0], "coffee")
    found = one(root, "W908")
    assert (found.severity, found.path, found.fixable) == ("info", folder, True)
    assert one(root, "W908", strict=True).severity == "warning"


def test_a_folder_that_is_no_topic_need_not_be_registered(tmp_path):
    root = hub(tmp_path)
    write(root, "topics/drafts/x.md", "x")
    write(root, "topics/.trash/_index.md", "# X\n")
    assert kit.ids(root) == []


def archive(root, path, status=None):
    """Move the topic to the archive, take it out of the index and register it as given."""
    write(root, "topics/.archive/.gitkeep")
    move(root, "topics/tea", "topics/.archive/tea")
    edit(root, "_index.md", "| [tea](topics/tea/_index.md) | Tea | Growing and brewing tea |\n", "")
    entry(root, "tea", path, **({"status": status} if status else {}))


def test_an_archived_topic_is_fine(tmp_path):
    root = hub(tmp_path)
    archive(root, "topics/.archive/tea", "archived")
    assert kit.ids(root) == []


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("topics/tea", "active"),
        ("topics/tea", "archived"),
        ("topics/.archive/tea", "active"),
        ("topics/tea", None),
    ],
)
def test_a_status_that_contradicts_the_folder_is_a_warning(tmp_path, path, status):
    root = hub(tmp_path)
    archive(root, path, status)
    found = one(root, "W909")
    assert (found.severity, found.path, found.target, found.fixable) == (
        "warning",
        "wikis.json",
        "topics/.archive/tea",
        True,
    )


def test_a_topic_marked_archived_that_lies_among_the_active_is_a_warning(tmp_path):
    root = hub(tmp_path)
    entry(root, "tea", "topics/tea", status="archived")
    assert one(root, "W909").target == "topics/tea"


def test_a_topic_that_exists_active_and_archived_is_one_warning(tmp_path):
    root = hub(tmp_path)
    sample(root / "topics/.archive", "tea")
    found = one(root, "W910")
    assert (found.severity, found.path) == ("warning", "topics/tea")


# --- W912, W913 ----------------------------------------------------------------------------


def test_an_index_that_lacks_a_registered_topic_is_an_info(tmp_path):
    root = hub(tmp_path)
    sample(root / "topics", "coffee")
    entry(root, "coffee", "topics/coffee")
    found = one(root, "W912")
    assert (found.severity, found.path, found.target) == ("info", "_index.md", "topics/coffee")


def test_a_fix_lists_no_topic_that_is_not_initialised_and_drops_no_row_of_one(tmp_path):
    from llm_wiki.lint.fixes.plan import plan

    root = hub(tmp_path)
    for name in ("coffee", "mate"):
        entry(root, name, f"topics/{name}")
    sample(root / "topics", "coffee")
    entry(root, "cocoa", "topics/cocoa")
    row = "| [mate](topics/mate/_index.md) | Mate | |\n"
    edit(root, "_index.md", "\n\n## Archive", f"\n{row}\n## Archive")
    assert kit.ids(root) == ["W907", "W907", "W912"]
    after = plan(kit.snapshot(root), kit.TODAY).tree.now.read("_index.md").decode()
    assert "topics/coffee/_index.md" in after
    assert row in after
    assert "cocoa" not in after


def test_an_index_that_lists_an_archived_topic_is_an_info(tmp_path):
    root = hub(tmp_path)
    write(root, "topics/.archive/.gitkeep")
    move(root, "topics/tea", "topics/.archive/tea")
    entry(root, "tea", "topics/.archive/tea", status="archived")
    edit(root, "_index.md", "topics/tea/_index.md", "topics/.archive/tea/_index.md")
    one(root, "W912")


@pytest.mark.parametrize("link", ["[[topics/tea/_index\\|tea]]", "[[topics/tea]]", "[[Tea]]"])
def test_an_index_may_name_its_topics_by_wikilinks(tmp_path, link):
    root = hub(tmp_path)
    edit(root, "_index.md", "[tea](topics/tea/_index.md)", link)
    assert kit.ids(root) == []


def test_no_finding_names_the_place_of_the_hub_on_this_machine(tmp_path):
    root = hub(tmp_path)
    write(root, ".skills/_index.md", "# Specialists\n")
    (root / ".skills/registry.json").mkdir()
    (root / ".skills/taster/SKILL.md").mkdir(parents=True)
    found = [item for item in kit.findings(root) if "cannot be read" in item.message]
    assert {item.path for item in found} == {".skills/registry.json", ".skills/taster/SKILL.md"}
    assert not any(str(tmp_path) in item.message for item in found)


def test_an_index_without_a_table_of_topics_need_not_have_one(tmp_path):
    root = hub(tmp_path)
    write(root, "_index.md", "# Wiki Hub Index\n")
    assert kit.ids(root) == []


@pytest.mark.parametrize("slug", ["Tea Ware", "tea_ware", "-tea"])
def test_a_slug_that_is_no_plain_name_is_a_warning(tmp_path, slug):
    root = hub(tmp_path)
    registry(root, lambda data: data["wikis"].__setitem__(slug, data["wikis"].pop("tea")))
    found = one(root, "W913")
    assert (found.severity, found.target) == ("warning", slug)


def test_two_entries_for_one_folder_are_a_warning(tmp_path):
    root = hub(tmp_path)
    entry(root, "chai", "topics/tea")
    found = one(root, "W913")
    assert "tea, chai" in found.message


# --- W920 ----------------------------------------------------------------------------------

SECTIONS = [
    "Mandate",
    "Non-claims",
    "Use when",
    "Do not use when",
    "Required inputs",
    "Method",
    "Output contract",
    "Stop and escalation rules",
    "Tool posture",
    "Evaluation cases",
    "Provenance and maintenance",
]
SKILL = ".skills/tea-taster/SKILL.md"


def library(root):
    write(root, ".skills/_index.md", "# Specialists\n")
    write(
        root,
        ".skills/registry.json",
        '{\n  "schema_version": 1,\n  "topics": {\n    "tea": ["tea-taster"]\n  }\n}\n',
    )
    head = "---\nname: tea-taster\ndescription: Tastes tea by a fixed method.\nmetadata:\n"
    head += "  llm-wiki-kind: specialist\n  version: 1.0.0\n  risk-tier: low\n  reviewed: 2026-01-05\n---\n"
    body = "".join(f"\n# {section}\n\nWhat it says.\n" for section in SECTIONS)
    write(root, SKILL, head + body)
    write(root, ".skills/tea-taster/references/cups.md", "# Cups\n")
    return root


def test_a_sound_specialist_library_is_fine(tmp_path):
    root = library(hub(tmp_path))
    write(root, ".skills/.DS_Store", b"x")
    write(root, ".skills/tea-taster/.DS_Store", b"x")
    assert kit.ids(root) == []


SKILL_FAULTS = [
    ("name: tea-taster", "name: taster", "name must be"),
    ("description: Tastes tea by a fixed method.", "description:", "description must have"),
    ("description: Tastes tea by a fixed method.", "description: " + "x" * 1025, "description must have"),
    ("metadata:", "tools: Bash\nmetadata:", "tools grants"),
    ("metadata:", "allowed_tools: Bash\nmetadata:", "allowed_tools grants"),
    ("metadata:", '"allowed-tools": Bash\nmetadata:', "allowed-tools grants"),
    ("metadata:", "colour: green\nmetadata:", "colour is not known"),
    ("metadata:\n", "metadata:\n  hooks: x\n", "hooks grants"),
    ("name: tea-taster", "name: tea-taster\nname: tea-taster", "written twice"),
    ("  llm-wiki-kind: specialist\n", "", "llm-wiki-kind"),
    ("version: 1.0.0", "version: 01.00.0-..", "version must be"),
    ("risk-tier: low", "risk-tier: none", "risk-tier must be"),
    ("reviewed: 2026-01-05", "reviewed: 2999-01-01zzz", "reviewed must be"),
    ("---\n\n# Mandate", "--\n\n# Mandate", "Front matter"),
    ("name: tea-taster", "name: [tea-taster", "Front matter"),
    ("# Method\n", "## Method\n", "Section is missing: Method"),
    ("# Method\n\nWhat it says.\n", "```\n# Method\n\nWhat it says.\n```\n", "Section is missing: Method"),
    ("# Method\n\nWhat it says.\n", "# Method\n", "Section is empty: Method"),
    ("# Method\n", "# Mandate\n\nAgain.\n\n# Method\n", "Section is repeated: Mandate"),
]


@pytest.mark.parametrize(("old", "new", "message"), SKILL_FAULTS)
def test_each_fault_of_a_specialist_is_critical(tmp_path, old, new, message):
    root = library(hub(tmp_path))
    edit(root, SKILL, old, new)
    found = one(root, "W920")
    assert (found.severity, found.path, found.fixable) == ("critical", SKILL, False)
    assert message in found.message


FILES = [
    (".skills/tea-taster/run.sh", b"x"),
    (".skills/tea-taster/references/data.csv", b"x"),
    (".skills/tea-taster/references/bad.md", b"\xff"),
    (".skills/tea-taster/references/deep/bad.md", b"\xff"),
    (".skills/tea-taster/references/large.md", b"x" * (256 * 1024 + 1)),
    (".skills/Loose File.txt", b"x"),
    (".skills/registry.json", b"\xff"),
    (".skills/registry.json", b"[]"),
    (".skills/registry.json", b"{"),
    (".skills/registry.json", b'{"schema_version": 1}'),
    (".skills/registry.json", b'{"schema_version": 1, "topics": {"tea": "tea-taster"}}'),
    (".skills/registry.json", b'{"schema_version": 1, "topics": {"tea": ["nobody"]}}'),
    (".skills/registry.json", b'{"schema_version": 1, "topics": {"nowhere": ["tea-taster"]}}'),
]


@pytest.mark.parametrize(("rel", "data"), FILES)
def test_whatever_does_not_belong_into_the_library_is_critical(tmp_path, rel, data):
    root = library(hub(tmp_path))
    write(root, rel, data)
    assert one(root, "W920").path == rel


@pytest.mark.parametrize("rel", [SKILL, ".skills/registry.json", ".skills/_index.md"])
def test_a_missing_file_of_the_library_is_critical(tmp_path, rel):
    root = library(hub(tmp_path))
    (root / rel).unlink()
    assert one(root, "W920").path == rel


def test_links_and_executable_files_of_a_specialist_are_critical(tmp_path):
    root = library(hub(tmp_path))
    (root / SKILL).chmod(0o755)
    assert "executable" in one(root, "W920").message
    (root / SKILL).chmod(0o644)
    (root / ".skills/tea-taster/references/link.md").symlink_to("cups.md")
    assert "symbolic" in one(root, "W920").message


def test_an_archived_topic_may_keep_its_specialists(tmp_path):
    root = library(hub(tmp_path))
    archive(root, "topics/.archive/tea", "archived")
    assert kit.ids(root) == []
