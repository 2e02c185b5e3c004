"""Archiving a topic and bringing it back: the rows A2-A12, links, the registry, repair and peek."""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from archivekit import CANARY, README, article, change, files, hub_of, linked, registry

from llm_wiki.core import undo
from llm_wiki.core.errors import BadUsage, Conflict, NotAWiki, Refused, Unreadable
from llm_wiki.core.transaction import Transaction
from llm_wiki.wiki.resolve import resolve
from llm_wiki.wiki.snapshot import Snapshot
from llm_wiki.withdraw.archive import Wishes, archive_topic, restore_topic
from llm_wiki.withdraw.archive_list import UNREGISTERED, listed, peek
from llm_wiki.withdraw.archive_repair import repair

AS_ROOT = os.geteuid() == 0


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("LLM_WIKI_TODAY", "2026-01-10")
    monkeypatch.delenv("LLM_WIKI_CONFIG_DIR", raising=False)


@pytest.fixture
def hub(tmp_path):
    return linked(tmp_path / "hub")


def archive(hub, slug="tea", **wishes):
    return archive_topic(hub, slug, Wishes(**wishes))


def broken(hub, kind="topic"):
    """Return what links of active topics lead nowhere, as lint has it."""
    from llm_wiki.lint.engine import RULES_KEY, check_file, evaluate
    from llm_wiki.wiki.resolve import classify

    found = []
    for folder in sorted(hub.glob("topics/*")):
        if not folder.name.startswith(".") and classify(folder) == "topic":
            snapshot = Snapshot.load(
                folder, kind, per_file=check_file, per_file_key=RULES_KEY, use_cache=False
            )
            found += [f.message for f in evaluate(snapshot, clock_day()) if f.rule in ("W501", "W505")]
    return found


def clock_day():
    from llm_wiki.core import clock

    return clock.today()


# --- there and back ---------------------------------------------------------------------------


def test_an_archived_topic_lies_in_the_archive_and_the_registry_says_so(hub):
    before = registry(hub)["wikis"]["tea"]
    done = archive(hub, reason="no  time\nleft")
    assert (done.before, done.after) == (hub / "topics/tea", hub / "topics/.archive/tea")
    assert not (hub / "topics/tea").exists()
    assert registry(hub)["wikis"]["tea"] == before | {
        "path": "topics/.archive/tea",
        "status": "archived",
        "archived": "2026-01-10",
        "archive_reason": "no time left",
    }
    assert "topics/tea" not in (hub / "_index.md").read_text()
    assert "- Archived topics: 1" in (hub / "_index.md").read_text()
    line = "## [2026-01-10] archive | archived topic tea\n"
    assert (hub / "log.md").read_text().endswith(line)
    assert (hub / "topics/.archive/tea/log.md").read_text().endswith(line)


def test_archive_and_restore_leave_the_topic_byte_identical_but_its_log(hub):
    before, entries = files(hub, "log.md", "wikis.json", "_index.md"), registry(hub)
    inner = {path: path.read_bytes() for path in (hub / "topics").rglob("_index.md")}
    archive(hub, reason="x")
    restore_topic(hub, "tea")
    assert files(hub, "log.md", "wikis.json", "_index.md") == before
    assert {path: path.read_bytes() for path in (hub / "topics").rglob("_index.md")} == inner
    after = registry(hub)
    assert after["wikis"]["tea"].pop("restored") == "2026-01-10"
    assert json.dumps(after) == json.dumps(entries)


def test_a_second_round_leaves_the_same_bytes(hub):
    for _ in range(2):
        archive(hub)
        restore_topic(hub, "tea")
    first = files(hub, "log.md")
    archive(hub)
    restore_topic(hub, "tea")
    assert files(hub, "log.md") == first


def test_undo_of_an_archive_is_a_restore(hub):
    before = files(hub, "log.md")
    done = archive(hub)
    record = undo.records(hub)[0]
    assert (record.id, record.verb, record.state) == (done.id, "archive", "done")
    undo.undo(hub)
    assert files(hub, "log.md") == before


def test_a_dry_run_writes_nothing_and_tells_the_very_changes(hub):
    before = files(hub)
    wanted = archive(hub, dry_run=True)
    assert files(hub) == before
    assert wanted.id is None
    done = archive(hub)
    assert (done.changes, done.links) == (wanted.changes, wanted.links)
    before = files(hub)
    wanted = restore_topic(hub, "tea", dry_run=True)
    assert files(hub) == before
    assert restore_topic(hub, "tea").changes == wanted.changes


def test_a_topic_nobody_registered_is_archived_and_registered(hub):
    data = registry(hub)
    del data["wikis"]["tea"]
    (hub / "wikis.json").write_text(json.dumps(data))
    archive(hub)
    entry = registry(hub)["wikis"]["tea"]
    assert (entry["path"], entry["status"], entry["description"]) == (
        "topics/.archive/tea",
        "archived",
        "Tea",
    )
    restore_topic(hub, "tea")
    assert resolve(wiki="tea", hub=str(hub)).path == hub / "topics/tea"


def test_a_topic_registered_by_another_path_of_the_hub_is_found(hub):
    for written in ("<HUB>/topics/tea", "HUB/topics/tea", str(hub / "topics/tea"), "./topics/tea"):
        change(hub, "tea", path=written)
        archive(hub)
        restore_topic(hub, "tea")
        assert registry(hub)["wikis"]["tea"]["path"] == "topics/tea"


def test_a_description_that_is_there_stays_and_a_missing_one_is_the_title(hub):
    change(hub, "tea", description="All about it")
    change(hub, "milk", description=None)
    archive(hub)
    archive(hub, "milk")
    wikis = registry(hub)["wikis"]
    assert (wikis["tea"]["description"], wikis["milk"]["description"]) == ("All about it", "Milk")


def test_a_topic_without_a_log_gets_none(hub):
    (hub / "topics/tea/log.md").unlink()
    archive(hub)
    assert not (hub / "topics/.archive/tea/log.md").exists()


# --- what is refused --------------------------------------------------------------------------

WRONG = [
    ("a/", BadUsage), ("../outside", BadUsage), ("/tmp", BadUsage), (".archive", BadUsage), ("", BadUsage),
    (".", BadUsage), ("tea/..", BadUsage), ("a\\b", BadUsage), ("TEA", BadUsage), ("a\0b", BadUsage),
    ("--x", BadUsage), ("nobody", NotAWiki), ("hub", Refused),
]  # fmt: skip


@pytest.mark.parametrize(("slug", "error"), WRONG, ids=[repr(slug) for slug, _ in WRONG])
@pytest.mark.parametrize("act", [archive, restore_topic])
def test_a_slug_that_is_none_moves_nothing(hub, act, slug, error):
    (hub / "outside").mkdir()
    (hub / "outside/_index.md").write_text("# O\n")
    before = files(hub.parent / "hub")
    with pytest.raises(error):
        act(hub, slug)
    assert files(hub) == before


def test_an_existing_key_of_any_spelling_is_a_slug(hub):
    (hub / "topics/Grüner Tee").mkdir()
    shutil.copytree(hub / "topics/milk", hub / "topics/Grüner Tee", dirs_exist_ok=True)
    change(hub, "Grüner Tee", path="topics/Grüner Tee")
    archive(hub, "Grüner Tee")
    assert (hub / "topics/.archive/Grüner Tee/_index.md").is_file()
    restore_topic(hub, "Grüner Tee")
    assert (hub / "topics/Grüner Tee/_index.md").is_file()


def test_a_taken_place_refuses_and_changes_nothing(hub):
    (hub / "topics/.archive/tea").mkdir(parents=True)
    before = files(hub)
    with pytest.raises(Refused, match="exists already"):
        archive(hub)
    assert files(hub) == before
    (hub / "topics/.archive/tea").rmdir()
    archive(hub)
    (hub / "topics/tea").mkdir()
    before = files(hub)
    with pytest.raises(Refused, match="exists already"):
        restore_topic(hub, "tea")
    assert files(hub) == before


def test_twice_is_refused_both_ways(hub):
    with pytest.raises(Refused, match="not archived"):
        restore_topic(hub, "tea")
    archive(hub)
    with pytest.raises(Refused, match="archived already"):
        archive(hub)


def test_a_topic_that_is_not_initialised_is_not_moved(hub):
    (hub / "topics/tea/_index.md").unlink()
    with pytest.raises(NotAWiki, match="not an initialised wiki"):
        archive(hub)
    assert (hub / "topics/tea").is_dir()


def test_a_folder_that_is_no_hub_and_a_topic_are_no_hub(hub, tmp_path):
    for place in (tmp_path / "nothing", hub / "topics/tea", hub / "topics"):
        with pytest.raises(NotAWiki):
            archive(place)


def test_an_entry_that_means_the_hub_is_refused(hub):
    for written in ("<HUB>", "HUB", ".", str(hub)):
        change(hub, "self", path=written)
        before = files(hub)
        with pytest.raises(Refused, match="hub itself"):
            archive(hub, "self")
        assert files(hub) == before


def test_two_entries_with_one_folder_are_refused(hub):
    change(hub, "twin", path="topics/tea")
    with pytest.raises(Refused, match="registered with one folder"):
        archive(hub)


# --- topics outside the hub -------------------------------------------------------------------


@pytest.fixture
def external(hub, tmp_path):
    place = tmp_path / "project/.wiki"
    shutil.copytree(hub / "topics/milk", place)
    change(hub, "project", path=str(place), description="P")
    return place


def test_a_wiki_of_a_project_is_not_pulled_out_of_it(hub, external):
    before, inside = files(hub), files(external)
    with pytest.raises(Refused) as caught:
        archive(hub, "project")
    assert "--in-place" in caught.value.remedy
    assert (files(hub), files(external)) == (before, inside)


def test_in_place_hides_a_wiki_where_it_lies_and_restore_shows_it_again(hub, external):
    inside = files(external, "log.md")
    done = archive(hub, "project", in_place=True, reason="done")
    assert done.before == done.after == external
    entry = registry(hub)["wikis"]["project"]
    assert (entry["path"], entry["status"], entry["archive_reason"]) == (str(external), "archived", "done")
    for target in ({"wiki": "project", "hub": str(hub)}, {"path": str(external), "hub": str(hub)}):
        with pytest.raises(Refused, match="wiki is archived"):
            resolve(**target)
    assert (external / "log.md").read_text().endswith("archive | archived topic project\n")
    restore_topic(hub, "project")
    assert resolve(wiki="project", hub=str(hub)).path == external
    assert registry(hub)["wikis"]["project"]["path"] == str(external)
    assert files(external, "log.md") == inside
    with pytest.raises(Refused, match="project is not archived"):
        restore_topic(hub, "project")


def test_in_place_is_for_topics_outside_the_hub(hub):
    with pytest.raises(Refused, match="lies in the hub"):
        archive(hub, in_place=True)


def test_a_topic_behind_a_link_is_one_outside_the_hub(hub, tmp_path):
    shutil.move(hub / "topics/tea", tmp_path / "elsewhere")
    (hub / "topics/tea").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused, match="is not moved"):
        archive(hub)
    archive(hub, in_place=True)
    restore_topic(hub, "tea")
    assert (hub / "topics/tea").is_symlink()


# --- the registry -----------------------------------------------------------------------------

BAD = [
    b"{", b"[]", b"\xff\xfe", b'{"wikis": []}', b'{"wikis": {"tea": 3}}', b'{"wikis": {"tea": {"path": 3}}, "a": 1e999}',
]  # fmt: skip


@pytest.mark.parametrize("data", BAD)
@pytest.mark.parametrize("act", [archive, restore_topic, listed, repair])
def test_a_registry_that_cannot_be_used_is_no_traceback(hub, act, data):
    (hub / "wikis.json").write_bytes(data)
    before = files(hub)
    arguments = (hub, "tea") if act in (archive, restore_topic) else (hub,)
    if act in (listed, repair) and data == b'{"wikis": {"tea": 3}}':
        act(*arguments)  # one bad entry does not hide the others
        return
    with pytest.raises(NotAWiki) as caught:
        act(*arguments)
    assert caught.value.code == 2
    assert files(hub) == before


def test_bom_order_unknown_keys_and_readable_letters_survive(hub):
    data = registry(hub)
    data["wikis"]["tea"] = {
        "note": "é ü 茶",
        "path": "topics/tea",
        "x": {"b": 1, "a": [2]},
        "description": "Té",
    }
    data = {"z": 1, **data, "more": ["ñ"]}
    text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    (hub / "wikis.json").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    archive(hub, reason="später")
    restore_topic(hub, "tea")
    found = (hub / "wikis.json").read_bytes()
    tail = '"description": "Té",\n      "status": "active",\n      "restored": "2026-01-10"\n'
    wanted = text.replace('"description": "Té"\n', tail)
    assert found == b"\xef\xbb\xbf" + wanted.replace("\n", "\r\n").encode()


NOBODY = 65534


def as_somebody(base, act):
    """Run `act` in a child whom modes hold back, root or not; return the message of what stopped it."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        message = ""
        try:
            if AS_ROOT:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            act()
        except BaseException as error:  # noqa: BLE001 - told to the parent
            message = f"{type(error).__name__}: {error}"
        os.write(write, message.encode())
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read) as stream:
        return stream.read()


@pytest.fixture
def owned(hub, tmp_path, monkeypatch):
    """The hub in a place that this somebody owns and can reach."""
    with tempfile.TemporaryDirectory() as place:
        base = Path(place)
        shutil.copytree(hub, base / "hub")
        for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
            monkeypatch.setenv(name, str(base / "home"))
        if AS_ROOT:
            for path in (base, *base.rglob("*")):
                os.chown(path, NOBODY, NOBODY)
        yield base / "hub"


CLOSED = [
    "wikis.json",
    "topics",
    "_index.md",
    "topics/tea",
    "topics/tea/log.md",
    "topics/coffee/wiki/concepts",
]


@pytest.mark.parametrize("closed", CLOSED)
def test_what_may_not_be_written_is_known_before_anything_moves(owned, closed):
    before = files(owned)
    path = owned / closed
    mode = path.stat().st_mode
    path.chmod(0o555 if path.is_dir() else 0o444)
    said = as_somebody(owned, lambda: archive(owned))
    path.chmod(mode)
    assert said.startswith("Unreadable: ")
    assert "nothing was changed" in said
    assert files(owned) == before
    assert as_somebody(owned, lambda: archive(owned)) == ""
    assert (owned / "topics/.archive/tea/_index.md").is_file()


def immutable(path, sign):
    return subprocess.run(["chattr", f"{sign}i", path], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not AS_ROOT, reason="only root can make a file immutable")
def test_a_registry_that_nobody_can_replace_moves_nothing(hub):
    if not immutable(hub / "wikis.json", "+"):
        pytest.skip("this file system knows no immutable files")
    before = files(hub)
    try:
        with pytest.raises(Unreadable):
            archive(hub)
        assert files(hub) == before
        assert (hub / "topics/tea/_index.md").is_file()
    finally:
        immutable(hub / "wikis.json", "-")


# --- the hub index ----------------------------------------------------------------------------


def test_hand_written_text_in_the_hub_index_survives(hub):
    index = hub / "_index.md"
    mine = "\n## My own\n\nWhat I think of [it](topics/tea/_index.md).\n\n- [leaf](topics/tea/wiki/concepts/leaf.md), fine\n"
    away = mine.replace("topics/tea", "topics/.archive/tea")
    index.write_text(
        index.read_text().replace("\n## Topic Wikis\n", f"{mine}\n## Topic Wikis\n") + "\nThe end.\n"
    )
    archive(hub)
    assert away in index.read_text()
    assert "| [tea]" not in index.read_text()
    restore_topic(hub, "tea")
    assert mine in index.read_text()
    assert index.read_text().endswith("The end.\n")
    assert "| [tea](topics/tea/_index.md) | Tea | Tea |" in index.read_text()


# --- links ------------------------------------------------------------------------------------


def test_links_to_and_from_the_topic_are_listed_and_follow(hub):
    done = archive(hub)
    told = {(one.path, one.before): one.after for one in done.links}
    page = "topics/tea/wiki/concepts/leaf.md"
    assert (
        told[page, "../../../coffee/wiki/concepts/bean.md#roast"]
        == "../../../../coffee/wiki/concepts/bean.md#roast"
    )
    assert told[page, "../../../../README.md"] == "../../../../../README.md"
    assert told[page, "../../../.archive/milk/config.md"] == "../../../../.archive/milk/config.md"
    other = "topics/coffee/wiki/concepts/bean.md"
    assert (
        told[other, "../../../tea/wiki/concepts/leaf.md#x"] == "../../../.archive/tea/wiki/concepts/leaf.md#x"
    )
    text = (hub / other).read_text()
    assert "(.././../../.archive/tea/wiki/concepts/l%65af.md)" in text
    assert "href='../../../.archive/tea/config.md'" in text
    assert "[other](../../../milk/config.md), [own](bean.md)" in text
    moved = (hub / "topics/.archive/tea/wiki/concepts/leaf.md").read_text()
    assert r"(../../../../coffee/wiki/concepts/odd\_name.md)" in moved
    assert '(../../../../coffee/wiki/concepts/b%65an.md "t")' in moved
    assert "(<../../../../coffee/wiki/assets/a b.png>)" in moved
    assert "[r]: <../../../../coffee/_index.md>" in moved
    assert "[own](leaf.md), [web](https://example.org/../x)" in moved
    assert (hub / "README.md").read_text() == README.replace("topics/tea", "topics/.archive/tea")
    report = (hub / "topics/coffee/output/report-x-2026-01-02.md").read_text()
    assert 'sources: ["../../.archive/tea/wiki/concepts/leaf.md", other]' in report


def test_a_raw_body_and_a_log_are_listed_and_left(hub):
    log = hub / "topics/coffee/log.md"
    log.write_text(log.read_text() + "\n## [2026-01-03] plan | see [t](../tea/config.md)\n")
    raw = hub / "topics/tea/raw/notes/2026-01-02-said.md"
    before = raw.read_bytes()
    done = archive(hub)
    assert {(one.path, one.why) for one in done.left} == {
        ("topics/tea/raw/notes/2026-01-02-said.md", "a source is never rewritten"),
        ("topics/coffee/log.md", "a log is never rewritten"),
    }
    assert (hub / "topics/.archive/tea/raw/notes/2026-01-02-said.md").read_bytes() == before


def test_links_between_topics_lead_where_they_led(hub):
    for name in ("odd_name", "bean"):
        article(hub / "topics/coffee", name, text="[t](../../../tea/wiki/concepts/leaf.md)")
    article(hub / "topics/tea", "leaf", text="[c](../../../coffee/wiki/concepts/bean.md)")
    assert broken(hub) == []
    archive(hub)
    assert broken(hub) == []
    page = hub / "topics/.archive/tea/wiki/concepts/leaf.md"
    target = page.read_text().partition("[c](")[2].partition(")")[0]
    assert (page.parent / target).resolve() == hub / "topics/coffee/wiki/concepts/bean.md"
    restore_topic(hub, "tea")
    assert broken(hub) == []


def test_two_archived_topics_still_find_one_another(hub):
    article(hub / "topics/tea", "leaf", text="[c](../../../coffee/wiki/concepts/bean.md)")
    before = files(hub, "log.md", "wikis.json")
    archive(hub)
    archive(hub, "coffee")
    for page, name in (("tea/wiki/concepts/leaf.md", "[c]("), ("coffee/wiki/concepts/bean.md", "[leaf](")):
        path = hub / "topics/.archive" / page
        target = path.read_text().partition(name)[2].partition(")")[0].partition("#")[0]
        assert (path.parent / target).resolve().is_file()
    restore_topic(hub, "coffee")
    restore_topic(hub, "tea")
    assert files(hub, "log.md", "wikis.json") == before


def test_a_link_written_while_both_were_archived_follows_a_restore(hub):
    archive(hub)
    archive(hub, "coffee")
    article(hub / "topics/.archive/coffee", "bean", text="[t](../../../tea/wiki/concepts/leaf.md)")
    restore_topic(hub, "tea")
    path = hub / "topics/.archive/coffee/wiki/concepts/bean.md"
    target = path.read_text().partition("[t](")[2].partition(")")[0]
    assert (path.parent / target).resolve() == hub / "topics/tea/wiki/concepts/leaf.md"


def test_a_page_with_a_conflict_in_it_is_listed_and_left(hub):
    page = hub / "topics/coffee/wiki/concepts/bean.md"
    page.write_text(page.read_text() + "\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n")
    before = page.read_bytes()
    done = archive(hub)
    assert page.read_bytes() == before
    assert {one.path for one in done.left} >= {"topics/coffee/wiki/concepts/bean.md"}


# --- specialists and the default --------------------------------------------------------------


def test_enabled_specialists_are_named_before_anything_moves(hub):
    (hub / ".skills").mkdir()
    text = '{\n  "schema_version": 1,\n  "topics": {\n    "tea": [\n      "taster",\n      "é"\n    ],\n    "milk": []\n  },\n  "pins": {"ü": 1}\n}\n'
    (hub / ".skills/registry.json").write_text(text)
    (hub / ".skills/registry.json").chmod(0o600)
    before = files(hub)
    with pytest.raises(Refused, match="taster") as caught:
        archive(hub)
    assert "--disable-specialists" in caught.value.remedy
    assert files(hub) == before
    archive(hub, disable_specialists=True)
    left = (hub / ".skills/registry.json").read_text()
    assert json.loads(left) == {"schema_version": 1, "topics": {"milk": []}, "pins": {"ü": 1}}
    assert "ü" in left
    assert (hub / ".skills/registry.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("verb", ["topic", "restore"])
def test_no_topic_is_moved_through_a_link_that_stands_for_the_archive(hub, tmp_path, verb):
    if verb == "restore":
        archive(hub)
        (hub / "topics/.archive").rename(tmp_path / "far")
    else:
        (tmp_path / "far").mkdir()
    (hub / "topics/.archive").symlink_to(tmp_path / "far")
    before = files(hub), files(tmp_path / "far")
    with pytest.raises(Refused, match="symbolic link") as caught:
        archive(hub) if verb == "topic" else restore_topic(hub, "tea")
    assert "folder" in caught.value.remedy
    assert (files(hub), files(tmp_path / "far")) == before


def test_the_line_to_run_says_all_that_is_to_be_let_go_of(hub):
    (hub / ".skills").mkdir()
    (hub / ".skills/registry.json").write_text('{"schema_version": 1, "topics": {"tea": ["taster"]}}')
    (hub / "wikis.json").write_text(json.dumps(registry(hub) | {"default": "tea"}, indent=2))
    for given in ({}, {"disable_specialists": True}, {"reset_default": True}):
        with pytest.raises(Refused) as caught:
            archive(hub, **given)
        assert caught.value.remedy.endswith("tea --disable-specialists --reset-default"), given


def test_the_default_of_the_registry_is_named_before_anything_moves(hub):
    data = registry(hub)
    data["default"] = "tea"
    (hub / "wikis.json").write_text(json.dumps(data, indent=2))
    with pytest.raises(Refused, match="default") as caught:
        archive(hub)
    assert "--reset-default" in caught.value.remedy
    assert (hub / "topics/tea").is_dir()
    archive(hub, reset_default=True)
    assert registry(hub)["default"] == "<HUB>"


# --- repair -----------------------------------------------------------------------------------


def test_repair_says_what_the_folders_say(hub):
    (hub / "topics/.archive").mkdir()
    (hub / "topics/tea").rename(hub / "topics/.archive/tea")
    (hub / "topics/milk").rename(hub / "topics/.archive/milk")
    data = registry(hub)
    del data["wikis"]["milk"]
    (hub / "wikis.json").write_text(json.dumps(data))
    change(hub, "coffee", status="archived", path="topics/.archive/coffee", archived="2026-01-01")
    done = repair(hub)
    assert dict(done.fixed) == {
        "tea": "marked as archived",
        "coffee": "marked as active",
        "milk": "registered as archived",
    }
    assert done.left == ()
    wikis = registry(hub)["wikis"]
    assert {slug: (wikis[slug]["path"], wikis[slug]["status"]) for slug in ("tea", "coffee", "milk")} == {
        "tea": ("topics/.archive/tea", "archived"),
        "coffee": ("topics/coffee", "active"),
        "milk": ("topics/.archive/milk", "archived"),
    }
    assert repair(hub)[1:4] == ((), (), ())


def test_repair_leaves_what_it_would_have_to_guess(hub):
    shutil.copytree(hub / "topics/tea", hub / "topics/.archive/tea")
    change(hub, "lost", path="topics/lost")
    before = files(hub)
    done = repair(hub)
    assert done.fixed == ()
    assert [slug for slug, _ in done.left] == ["tea", "lost"]
    assert files(hub) == before


def test_restore_finds_a_topic_that_was_moved_but_never_marked(hub):
    (hub / "topics/.archive").mkdir()
    (hub / "topics/tea").rename(hub / "topics/.archive/tea")
    restore_topic(hub, "tea")
    assert (hub / "topics/tea/_index.md").is_file()


# --- list and peek ----------------------------------------------------------------------------


def test_the_list_names_an_archived_folder_nobody_registered(hub):
    archive(hub)
    shutil.copytree(hub / "topics/milk", hub / "topics/.archive/cocoa")
    (hub / "topics/.archive/empty").mkdir()
    found = listed(hub)
    assert [row.slug for row in found.active] == ["coffee", "milk"]
    assert [(row.slug, row.path, row.reason) for row in found.archived] == [
        ("cocoa", "topics/.archive/cocoa", UNREGISTERED),
        ("tea", "topics/.archive/tea", ""),
    ]


def test_peek_finds_titles_summaries_and_tags_of_archived_indexes_alone(hub):
    assert peek(hub, CANARY).hits == ()
    archive(hub)
    article(hub / "topics/.archive/tea", "leaf", text="bodyword")
    found = peek(hub, f"what is {CANARY}").hits
    assert [(one.topic, one.path) for one in found] == [("tea", "wiki/concepts/leaf.md")]
    assert found[0].title == f"Leaf {CANARY}"
    assert found[0].summary == f"The {CANARY} leaf."
    assert peek(hub, "bodyword").hits == ()
    assert peek(hub, "bean").hits == ()


# --- other file systems -----------------------------------------------------------------------


@pytest.fixture
def second_disk(hub):
    """A file system of its own below the archive of the hub."""
    if not AS_ROOT or not shutil.which("mount"):
        pytest.skip("mounting a file system needs root")
    place = hub / "topics/.archive"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "llm-wiki-test", str(place)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this system does not let root mount a tmpfs")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_topic_moves_to_another_file_system_and_back(hub, second_disk):
    tea = hub / "topics/tea"
    (tea / "raw/notes/run").write_bytes(b"#!/bin/sh\n")
    (tea / "raw/notes/run").chmod(0o750)
    (tea / "inbox/empty").mkdir()
    (tea / "inbox/link").symlink_to("../log.md")
    os.utime(tea / "raw/notes/run", (1e9, 1e9))
    before = files(hub, "log.md", "wikis.json")
    archive(hub)
    moved = second_disk / "tea"
    assert moved.stat().st_dev != hub.stat().st_dev
    assert (moved / "raw/notes/run").stat().st_mode & 0o777 == 0o750
    assert (moved / "raw/notes/run").stat().st_mtime == 1e9
    assert (moved / "inbox/empty").is_dir()
    assert [path.name for path in hub.glob("topics/.*")] == [".archive"]
    assert [path.name for path in second_disk.iterdir()] == ["tea"]
    restore_topic(hub, "tea")
    assert files(hub, "log.md", "wikis.json") == before
    assert list(second_disk.iterdir()) == []
    undo.undo(hub)
    assert (second_disk / "tea/_index.md").is_file()
    assert not tea.exists()


def test_a_full_second_disk_leaves_everything_as_it_was(hub, second_disk):
    (hub / "topics/tea/raw/data/big.bin").write_bytes(b"x" * 1_100_000)
    before = files(hub)
    with pytest.raises(Unreadable, match="no space left"):
        archive(hub)
    assert files(hub) == before
    assert list(second_disk.iterdir()) == []
    assert undo.records(hub)[0].verb == "init"


def test_a_full_disk_moves_nothing_or_all(hub, second_disk, monkeypatch):
    """The hub itself on a small disk that has less and less room."""
    place = second_disk / "small"
    shutil.copytree(hub, place, ignore=shutil.ignore_patterns(".archive"))
    before = files(place)
    filler, ends = second_disk / "filler", []
    for pages in range(0, 60, 2):
        with filler.open("wb", buffering=0) as stream, contextlib.suppress(OSError):
            while True:
                stream.write(b"\0" * 4096)
        os.truncate(filler, max(filler.stat().st_size - pages * 4096, 0))
        try:
            archive(place)
        except Unreadable as error:
            ends.append(("no space left" in error.message, files(place) == before))
        else:
            break
        finally:
            filler.unlink()
    assert set(ends) == {(True, True)}
    assert (place / "topics/.archive/tea/_index.md").is_file()
    restore_topic(place, "tea")
    assert files(place, "log.md", "wikis.json") == {
        rel: digest
        for rel, digest in before.items()
        if rel.rsplit("/", 1)[-1] not in ("log.md", "wikis.json")
    }


def test_a_pipe_in_a_topic_stops_the_copy_before_anything_moves(hub, second_disk):
    os.mkfifo(hub / "topics/tea/inbox/pipe")
    before = files(hub)
    with pytest.raises(Unreadable, match="neither file nor folder"):
        archive(hub)
    assert files(hub) == before
    assert list(second_disk.iterdir()) == []


# --- a writer that comes too late -------------------------------------------------------------


def test_a_transaction_of_a_root_that_has_moved_away_makes_no_new_one(hub):
    late = Transaction(hub / "topics/tea", "ingest")
    late.write("raw/notes/2026-01-03-late.md", b"late\n", expect=None)
    archive(hub)
    with pytest.raises(Conflict, match="has gone"):
        late.commit()
    assert not (hub / "topics/tea").exists()


def test_a_hub_of_many_topics_keeps_the_others(tmp_path):
    hub = hub_of(tmp_path / "many", *(f"t{n}" for n in range(5)))
    archive(hub, "t2")
    assert [row.slug for row in listed(hub).active] == ["t0", "t1", "t3", "t4"]
