"""Hub repairs: registry and index, nothing else, other keys and external paths as they were."""

import json

import pytest
from fixkit import fix, home, proved  # noqa: F401 -- home is a fixture
from lintkit import edit, findings, hub, move, read, sample, tree, write

pytestmark = pytest.mark.usefixtures("home")


def registry(root):
    return json.loads(read(root, "wikis.json"))


def change(root, function):
    data = registry(root)
    function(data)
    write(root, "wikis.json", json.dumps(data, indent=2, ensure_ascii=False) + "\n")


@pytest.mark.parametrize("name", ["_index.md", "log.md"])
def test_a_missing_hub_file_is_made(tmp_path, name):
    root = hub(tmp_path)
    (root / name).unlink()
    report = proved(root)
    assert report.findings == []
    assert f"Created {name}" in report.fixes
    assert read(root, name).startswith(
        {"_index.md": "# Wiki Hub Index\n", "log.md": "# Wiki Activity Log\n"}[name]
    )


def test_a_hub_index_lists_the_active_topics(tmp_path):
    root = hub(tmp_path)
    (root / "_index.md").unlink()
    fix(root)
    assert "| [tea](topics/tea/_index.md) | Tea | Growing and brewing tea |" in read(root, "_index.md")


def test_a_default_that_is_neither_token_nor_topic_becomes_the_token(tmp_path):
    root = hub(tmp_path)
    change(root, lambda data: data.update(default="/home/me/wiki"))
    proved(root)
    assert registry(root)["default"] == "<HUB>"


def test_the_hub_entry_becomes_the_token(tmp_path):
    root = hub(tmp_path)
    change(root, lambda data: data["wikis"]["hub"].update(path=str(root), mine=1))
    proved(root)
    assert registry(root)["wikis"]["hub"] == {"path": "<HUB>", "mine": 1}


def test_a_topic_by_an_absolute_path_is_made_portable(tmp_path):
    root = hub(tmp_path)
    change(root, lambda data: data["wikis"]["tea"].update(path=str(root / "topics/tea")))
    report = proved(root)
    assert report.findings == []
    assert registry(root)["wikis"]["tea"]["path"] == "topics/tea"


def test_an_unregistered_topic_is_added_at_the_end(tmp_path):
    root = hub(tmp_path)
    sample(root / "topics", "coffee")
    sample(root / "topics/.archive", "cocoa")
    report = proved(root)
    assert report.findings == []
    wikis = registry(root)["wikis"]
    assert list(wikis) == ["hub", "tea", "cocoa", "coffee"]
    assert (wikis["coffee"]["path"], wikis["cocoa"]["path"]) == ("topics/coffee", "topics/.archive/cocoa")
    assert wikis["cocoa"]["status"] == "archived"
    assert "(topics/coffee/_index.md)" in read(root, "_index.md")
    assert "cocoa" not in read(root, "_index.md")


def test_a_slug_that_is_in_use_elsewhere_is_not_taken_over(tmp_path):
    root = hub(tmp_path)
    other = sample(tmp_path / "elsewhere", "coffee")
    change(root, lambda data: data["wikis"].update(coffee={"path": str(other)}))
    sample(root / "topics", "coffee")
    before = registry(root)
    fix(root)
    assert registry(root) == before
    assert not [finding for finding in findings(root) if finding.fixable]


@pytest.mark.parametrize("written", ["topics/tea", "topics/.archive/tea"])
def test_path_and_status_follow_the_folder(tmp_path, written):
    root = hub(tmp_path)
    (root / "topics/.archive").mkdir()
    move(root, "topics/tea", "topics/.archive/tea")
    change(root, lambda data: data["wikis"]["tea"].update(path=written, status="active"))
    report = proved(root)
    entry = registry(root)["wikis"]["tea"]
    assert (entry["path"], entry["status"]) == ("topics/.archive/tea", "archived")
    assert entry["description"] == "Growing and brewing tea"
    assert report.findings == []


def test_a_topic_that_is_active_and_archived_is_left_to_a_person(tmp_path):
    root = hub(tmp_path)
    sample(root / "topics/.archive", "tea")
    before = tree(root)
    report = fix(root)
    assert [(finding.rule, finding.fixable) for finding in report.findings] == [("W910", False)]
    assert tree(root) == before


def test_other_keys_order_mark_and_external_paths_stay(tmp_path):
    root = hub(tmp_path)
    data = {
        "version": 3,
        "wikis": {
            "tea": {"path": "topics/tea", "note": "Grüße", "description": "d"},
            "far": {"path": "/nowhere/far", "description": ""},
            "hub": {"path": "/old/place"},
        },
        "local_wikis": ["~/code/.wiki"],
        "default": "gone",
    }
    text = json.dumps(data, indent=2, ensure_ascii=False).replace("\n", "\r\n") + "\r\n"
    write(root, "wikis.json", "\ufeff" + text)
    proved(root)
    wanted = text.replace("/old/place", "<HUB>").replace('"gone"', '"<HUB>"')
    assert (root / "wikis.json").read_bytes().decode() == "\ufeff" + wanted


@pytest.mark.parametrize("text", ["[]", "{", '{"wikis": {}, "wikis": {}}', '{"wikis": [], "default": "x"}'])
def test_a_registry_that_is_not_read_whole_is_never_written(tmp_path, text):
    root = hub(tmp_path)
    write(root, "wikis.json", text)
    before = tree(root)
    report = fix(root)
    assert tree(root) == before
    assert not any(finding.fixable for finding in report.findings if finding.path == "wikis.json")


def test_a_folder_whose_name_is_no_slug_is_left_to_a_person(tmp_path):
    root = hub(tmp_path)
    sample(root / "topics", "Green Tea")
    before = tree(root)
    report = fix(root)
    assert [(finding.rule, finding.fixable) for finding in report.findings] == [("W908", False)]
    assert tree(root) == before


def test_an_entry_is_never_led_to_a_folder_that_another_has(tmp_path):
    root = hub(tmp_path)
    change(root, lambda data: data["wikis"].update(old={"path": "topics/.archive/tea", "status": "archived"}))
    before = tree(root)
    report = fix(root)
    assert not any(finding.fixable for finding in report.findings)
    assert tree(root) == before


def test_an_external_topic_is_listed_as_registered_and_stays(tmp_path):
    root = hub(tmp_path)
    other = sample(tmp_path / "elsewhere", "coffee")
    change(root, lambda data: data["wikis"].update(coffee={"path": str(other), "status": "active"}))
    (root / "_index.md").unlink()
    report = proved(root)
    assert {finding.rule for finding in report.findings} == {"W905"}
    assert f"[coffee]({other}/_index.md)" in read(root, "_index.md")


def test_the_topics_of_a_hub_are_never_touched(tmp_path):
    root = hub(tmp_path)
    (root / "topics/tea/wiki/topics/_index.md").unlink()
    write(root, "topics/tea/stray.txt", "x")
    change(root, lambda data: data.update(default="x"))
    before = tree(root / "topics")
    fix(root)
    assert tree(root / "topics") == before


def test_a_stale_table_follows_the_registry(tmp_path):
    root = hub(tmp_path)
    sample(root / "topics", "coffee")
    edit(root, "_index.md", "| [tea](topics/tea/_index.md)", "| [old](topics/old/_index.md)")
    proved(root)
    text = read(root, "_index.md")
    assert "topics/old" not in text
    assert "(topics/tea/_index.md)" in text
    assert "(topics/coffee/_index.md)" in text


def test_a_hub_index_of_one_heading_stays(tmp_path):
    root = hub(tmp_path)
    write(root, "_index.md", "# Wiki Hub Index\n")
    before = tree(root)
    fix(root)
    assert tree(root) == before
