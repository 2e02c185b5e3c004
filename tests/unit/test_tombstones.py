"""Tombstones of sources: what a line holds, which line holds, whom it binds, and what happens when nobody can tell."""

import itertools
import json
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sourcekit import isolate, tree
from wikikit import open_folder, without_rights

from llm_wiki.admit.candidate import Candidate
from llm_wiki.admit.tombroots import roots_of
from llm_wiki.admit.tombstones import (
    TOMBSTONES,
    Keys,
    binding,
    broken_lines,
    held_by,
    joined,
    keys_of,
    keys_of_candidate,
    keys_of_urls,
    lift_line,
    read_stones,
    read_tombstones,
    stones_of,
    tombstone_line,
    unpathed_upstream,
)
from llm_wiki.admit.urls import normalise_url
from llm_wiki.core.errors import NotAWiki, Refused, Unreadable
from llm_wiki.model.document import body_hash, page

AT = datetime(2026, 1, 10, 12, tzinfo=UTC)
URL = "https://clocks.example/fusee"
KEYS = keys_of_urls(URL)
RAW = b"""---
title: Fusee
source: https://www.clocks.example/fusee?utm_source=x
canonical_url: https://clocks.example/f
type: articles
---

# Fusee

It evens out the force.
"""


@pytest.fixture
def hub(tmp_path, monkeypatch):
    """The hub of the home folder, with a topic `tea`."""
    isolate(tmp_path, monkeypatch)
    hub = Path.home() / "wiki"
    return registered(hub, tea="topics/tea")


def registered(hub, **places):
    hub.mkdir(parents=True, exist_ok=True)
    known = json.loads((hub / "wikis.json").read_text())["wikis"] if (hub / "wikis.json").exists() else {}
    known |= {slug: {"path": path} for slug, path in places.items()}
    (hub / "wikis.json").write_text(json.dumps({"wikis": known}))
    for path in places.values():
        (hub / path / "raw").mkdir(parents=True, exist_ok=True)
    return hub


def bury(root, keys=KEYS, at=AT):
    """Put a tombstone into a root; return its id."""
    name, line = tombstone_line(keys, at)
    path = root / TOMBSTONES
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((path.read_bytes() if path.exists() else b"") + line.encode() + b"\n")
    return name


def stones(data):
    return read_stones(data, Path("/r"), "tea")


# what a line holds


def test_a_line_holds_its_id_its_time_a_salt_and_hashes_and_nothing_else():
    keys = joined(keys_of(page("raw/articles/2026-fusee.md", RAW), RAW), Keys(upstream="c\n7\nr1"))
    name, line = tombstone_line(keys, AT)
    record = json.loads(line)
    assert set(record) == {"at", "hashes", "id", "salt"}
    assert (record["id"], record["at"]) == (name, "2026-01-10T12:00:00Z")
    assert record["hashes"] == sorted(set(record["hashes"]))
    assert all(len(digest) == 64 and set(digest) <= set("0123456789abcdef") for digest in record["hashes"])
    assert len(bytes.fromhex(record["salt"])) == 16
    for word in ("clocks", "fusee", "Fusee", "raw/", "articles", body_hash(RAW)):
        assert word not in line


def test_two_tombstones_of_one_source_have_nothing_in_common():
    one, other = (json.loads(tombstone_line(KEYS, AT)[1]) for _ in range(2))
    assert one["salt"] != other["salt"]
    assert one["id"] != other["id"]
    assert not set(one["hashes"]) & set(other["hashes"])


def test_the_kind_of_a_key_is_part_of_its_hash(hub):
    root = hub / "topics/tea"
    digest = "a" * 64
    bury(root, Keys(bodies=(digest,)))
    assert held_by(Keys(bodies=(digest,)), root, hub)
    assert held_by(Keys(urls=(digest,)), root, hub) is None
    assert held_by(Keys(upstream=digest), root, hub) is None


def test_the_keys_of_a_raw_file():
    keys = keys_of(page("raw/articles/f.md", RAW), RAW, "b" * 64)
    assert keys.urls == (URL, "https://clocks.example/f")
    assert "b" * 64 in keys.bodies
    assert body_hash(RAW) in keys.bodies
    assert keys.upstream == ""


@pytest.mark.parametrize("source", ["~/notes/fusee.md", "/home/ann/fusee.md", "raw.md", "MANUAL", ""])
def test_a_source_that_is_no_address_is_not_hashed(source):
    data = RAW.replace(b"https://www.clocks.example/fusee?utm_source=x", source.encode()).replace(
        b"canonical_url: https://clocks.example/f\n", b""
    )
    assert keys_of(page("raw/articles/f.md", data), data).urls == ()


def test_a_file_without_text_has_no_body_to_be_known_by():
    data = b"---\ntitle: Empty\nsource: MANUAL\n---\n\n \n"
    assert keys_of(page("raw/notes/e.md", data), data) == Keys()


def test_a_hash_in_the_front_matter_that_is_none_is_passed_over():
    data = RAW.replace(b"type: articles", b"content_sha256: nonsense")
    assert "nonsense" not in keys_of(page("raw/articles/f.md", data), data).bodies


def test_a_body_that_came_in_with_a_secret_is_known_without_it_too():
    secret = b"ghp_" + b"a1B2c3D4e5" * 3 + b"f6G7h8"
    data = RAW + b"\ntoken = " + secret + b"\n"
    clean = Candidate(
        "Fusee",
        "MANUAL",
        "articles",
        "# Fusee\n\nIt evens out the force.\n\ntoken = [REDACTED:github-token]\n",
    )
    stone = keys_of(page("raw/articles/f.md", data), data)
    assert set(keys_of_candidate(clean).bodies) & set(stone.bodies)
    assert set(keys_of_candidate(clean._replace(body=data.decode().partition("---\n\n")[2])).bodies) & set(
        stone.bodies
    )


UPSTREAM = [
    # adapter, upstream_type, upstream_id, hashed
    ("git", "git-file", "README", False),
    ("git", "", "7", False),
    ("folder", "note", "note", False),
    ("checkpoint", "", "index", False),
    ("", "git-file", "7", False),
    ("", "note", "7", False),
    ("mediawiki-api", "mediawiki-page", "AC/DC", True),
    ("mediawiki-dump", "mediawiki-page", "Vers. 1.x", True),
    ("csv-messages", "message-row", "row.12", True),
    ("wayback-cdx", "wayback-snapshot", "20200101/https://a.example/b.html", True),
    ("", "", "4711", True),
    ("", "", "abc-def", True),
    ("", "", "https://a.example/b.html", True),
    ("", "", "docs/readme", False),
    ("", "", "docs\\readme", False),
    ("", "", "readme.md", False),
    ("", "", "~ann", False),
    ("", "", ".env", False),
    ("mediawiki-api", "git-file", "Tea", False),
]  # fmt: skip


@pytest.mark.parametrize(("adapter", "kind", "item", "hashed"), UPSTREAM)
def test_an_item_that_is_a_path_is_not_hashed(adapter, kind, item, hashed):
    fields = {
        "adapter": adapter,
        "upstream_type": kind,
        "upstream_id": item,
        "collection": "c",
        "revision": "r",
    }
    assert bool(unpathed_upstream(lambda key: fields.get(key, ""))) is hashed


@pytest.mark.parametrize(
    "place", ["/home/ann/notes", "~/notes", "./notes", "../notes", "C:\\notes", "file:///x"]
)
def test_a_collection_that_is_a_place_on_a_disk_is_not_hashed(place):
    fields = {"upstream_id": "7", "collection": place, "revision": "r"}
    assert unpathed_upstream(lambda key: fields.get(key, "")) == ""


# which line holds


def test_the_order_of_the_lines_plays_no_part():
    lines = []
    for n in range(3):
        _, line = tombstone_line(KEYS, AT.replace(minute=n))
        lines.append(line)
        if n:
            (stone,) = stones(line.encode())
            lines.append(lift_line(stone, "Ada", AT.replace(hour=13)))
    found = {
        tuple(sorted(stones("\n".join(order).encode()), key=lambda each: each.tombstone))
        for order in itertools.permutations(lines)
    }
    assert len(found) == 1
    assert sorted(bool(stone.lifted) for stone in found.pop()) == [False, True, True]


def test_git_merges_two_branches_by_union_and_both_hold(tmp_path):
    def git(*words):
        done = subprocess.run(
            ["git", "-c", "user.name=A", "-c", "user.email=a@b.example", *words],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done
        return done

    git("init", "-q", "-b", "main")
    (tmp_path / ".gitattributes").write_text("*.jsonl merge=union\n")
    first = bury(tmp_path)
    git("add", "-A")
    git("commit", "-qm", "one")
    git("checkout", "-qb", "other")
    second = bury(tmp_path)
    git("commit", "-qam", "two")
    git("checkout", "-q", "main")
    (stone,) = stones((tmp_path / TOMBSTONES).read_bytes())
    with (tmp_path / TOMBSTONES).open("a") as file:
        file.write(lift_line(stone, "Ada", AT) + "\n")
    git("commit", "-qam", "three")
    git("merge", "-q", "-m", "both", "other")
    data = (tmp_path / TOMBSTONES).read_bytes()
    assert {each.tombstone.id: each.lifted for each in stones(data)} == {first: "Ada", second: ""}
    assert broken_lines(data) == ()


@pytest.mark.parametrize(
    "written",
    ["2026-01-10T12:00:00Z", "2027-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "tomorrow", "", 7, None],
)
def test_a_lift_holds_whatever_the_clocks_say(written):
    record = json.loads(tombstone_line(KEYS, AT)[1]) | {"at": written}
    line = json.dumps(record, sort_keys=True, separators=(",", ":"))
    (stone,) = stones(line.encode())
    assert stone.lifted == ""
    for order in ((line, lift_line(stone, "Ada Ö", AT)), (lift_line(stone, "Ada Ö", AT), line)):
        (after,) = stones("\n".join(order).encode())
        assert after.lifted == "Ada Ö"
        assert after.tombstone.at == stone.tombstone.at


def test_of_two_lines_of_one_time_the_later_in_code_points_holds():
    _, line = tombstone_line(KEYS, AT)
    name = json.loads(line)["id"]
    lift = {"at": "2026-01-10T12:00:00Z", "a": 1, "id": name, "lifted": True, "by": "Ada"}
    early = json.dumps(lift, separators=(",", ":"))
    assert early < line
    (stone,) = stones(f"{line}\n{early}".encode())
    assert stone.lifted == ""


def test_a_tombstone_that_is_written_again_after_its_lift_holds_again():
    _, line = tombstone_line(KEYS, AT)
    (stone,) = stones(line.encode())
    again = json.dumps(json.loads(line) | {"at": "2026-03-01T00:00:00Z"})
    (after,) = stones("\n".join([line, lift_line(stone, "Ada", AT), again]).encode())
    assert after.lifted == ""


@pytest.mark.parametrize("lifted", [False, "true", 1, None])
def test_only_true_lifts(lifted):
    _, line = tombstone_line(KEYS, AT)
    name = json.loads(line)["id"]
    more = json.dumps({"at": "2027-01-01T00:00:00Z", "id": name, "lifted": lifted, "by": "Ada"})
    (stone,) = stones(f"{line}\n{more}".encode())
    assert stone.lifted == ""
    assert broken_lines(f"{line}\n{more}".encode()) == (2,)


def test_a_lift_without_a_name_is_one_by_nobody_known():
    _, line = tombstone_line(KEYS, AT)
    name = json.loads(line)["id"]
    more = json.dumps({"at": "2027-01-01T00:00:00Z", "id": name, "lifted": True})
    assert stones(f"{line}\n{more}".encode())[0].lifted == "?"


LINE = tombstone_line(KEYS, AT)[1].encode()
BROKEN = {
    "crlf": (LINE + b"\r\n" + LINE + b"\r\n", ()),
    "bom": (b"\xef\xbb\xbf" + LINE + b"\n", ()),
    "doubled": (LINE + b"\n" + LINE + b"\n" + LINE, ()),
    "no last line end": (LINE, ()),
    "empty lines": (b"\n\n" + LINE + b"\n\n  \n", ()),
    "conflict": (b"<<<<<<< ours\n" + LINE + b"\n=======\n" + LINE + b"\n>>>>>>> theirs\n", (1, 3, 5)),
    "half a line": (LINE + b"\n" + LINE[:40] + b"\n", (2,)),
    "no text": (b"\xff\xfe\x00\n" + LINE, (1,)),
    "no object": (b"[1]\n7\nnull\n" + LINE, (1, 2, 3)),
    "no id": (b'{"at":"x","hashes":[],"salt":"00"}\n' + LINE, (1,)),
    "no salt": (b'{"at":"x","hashes":[],"id":"t-1"}\n' + LINE, (1,)),
    "salt no hex": (b'{"at":"x","hashes":[],"id":"t-1","salt":"xyz"}\n' + LINE, (1,)),
    "salt a number": (b'{"at":"x","hashes":[],"id":"t-1","salt":7}\n' + LINE, (1,)),
    "hashes no list": (b'{"at":"x","hashes":"a","id":"t-1","salt":"00"}\n' + LINE, (1,)),
    "deep": (b"[" * 100_000 + b"\n" + LINE, (1,)),
    "a long number": (b'{"id":' + b"9" * 10_000 + b"}\n" + LINE, (1,)),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_a_damaged_file_keeps_what_can_be_read(hub, name):
    data, numbers = BROKEN[name]
    root = hub / "topics/tea"
    bury(root)
    (root / TOMBSTONES).write_bytes(data)
    assert len(stones(data)) == 1
    assert broken_lines(data) == numbers
    assert held_by(KEYS, root, hub)


def test_hashes_that_are_no_texts_hold_nothing_and_break_nothing(hub):
    root = hub / "topics/tea"
    bury(root)
    record = json.loads((root / TOMBSTONES).read_text())
    (root / TOMBSTONES).write_text(json.dumps(record | {"hashes": [7, None, {}, *record["hashes"]]}))
    assert held_by(KEYS, root, hub)
    assert held_by(keys_of_urls("https://other.example/"), root, hub) is None


# whom it binds


def test_a_tombstone_binds_every_topic_of_its_hub_and_no_local_wiki(hub, tmp_path):
    outside = tmp_path / "project/.wiki"
    registered(hub, coffee="topics/coffee", old="topics/.archive/old", far=str(outside))
    (hub / "topics/unlisted").mkdir()
    (hub / "topics/.archive/unlisted-too").mkdir(parents=True)
    local = tmp_path / "other/.wiki"
    local.mkdir(parents=True)
    every = [hub / "topics/tea", hub / "topics/coffee", hub / "topics/.archive/old", outside,
             hub / "topics/unlisted", hub / "topics/.archive/unlisted-too"]  # fmt: skip
    for holder in every:
        name = bury(holder)
        for root in every:
            for known in (hub, None):
                assert [each.id for each in binding(root, known)] == [name], (holder, root, known)
        assert binding(local, None) == ()
        (holder / TOMBSTONES).unlink()
    own = bury(local)
    assert [(each.id, each.name) for each in binding(local, None)] == [(own, "other")]
    assert binding(hub / "topics/tea", hub) == ()


def test_the_name_of_a_tombstone_is_the_slug_of_its_topic(hub, tmp_path):
    registered(hub, far=str(tmp_path / "project/.wiki"))
    bury(tmp_path / "project/.wiki")
    bury(hub / "topics/tea", at=AT.replace(hour=13))
    assert [each.name for each in binding(hub / "topics/tea", hub)] == ["far", "tea"]
    assert [each.root for each in binding(hub, hub)] == [tmp_path / "project/.wiki", hub / "topics/tea"]


def test_a_topic_of_another_hub_is_bound_by_that_hub_and_by_the_one_that_lists_it(hub, tmp_path):
    other = registered(tmp_path / "other", rum="topics/rum", gin="topics/gin")
    registered(hub, rum=str(other / "topics/rum"))
    ids = {bury(hub / "topics/tea"), bury(other / "topics/gin")}
    assert {each.id for each in binding(other / "topics/rum", None)} == ids
    assert {each.id for each in binding(hub / "topics/tea", None)} < ids


def test_each_file_counts_once_whatever_paths_lead_to_it(hub, tmp_path):
    (tmp_path / "link").symlink_to(hub)
    registered(hub, again=str(tmp_path / "link/topics/tea"))
    bury(hub / "topics/tea")
    assert len(binding(hub / "topics/tea", tmp_path / "link")) == 1
    assert len(binding(tmp_path / "link/topics/tea", hub)) == 1


def test_a_registered_topic_that_is_not_there_binds_nothing_and_stops_nothing(hub):
    known = {"gone": {"path": "topics/gone"}, "far": {"path": "/nowhere/at/all"}, "odd": {"path": "C:\\wiki"},
             "none": {}, "number": 7, "tea": {"path": "topics/tea"}}  # fmt: skip
    (hub / "wikis.json").write_text(json.dumps({"wikis": known}))
    name = bury(hub / "topics/tea")
    assert [each.id for each in binding(hub / "topics/tea", hub)] == [name]


def test_a_half_hub_without_its_registry_binds_by_its_folders(hub):
    (hub / "wikis.json").unlink()
    (hub / "topics/coffee").mkdir()
    name = bury(hub / "topics/tea")
    assert [each.id for each in binding(hub / "topics/coffee", None)] == [name]


# when nobody can tell


def closed(root, known, kind=Unreadable):
    with pytest.raises(kind) as caught:
        held_by(keys_of_urls("https://free.example/"), root, known)
    assert caught.value.remedy
    return caught.value


@pytest.mark.parametrize("text", ["{", "[]", '{"wikis": 7}', "<<<<<<< a\n"])
@pytest.mark.parametrize("place", ["topics/tea", "elsewhere/.wiki"])
def test_a_registry_that_cannot_be_used_stops_admission(hub, text, place):
    (hub / "wikis.json").write_text(text)
    root = hub / place if place.startswith("topics") else hub.parent / place
    assert str(closed(root, None, NotAWiki).path).endswith("wikis.json")


def test_a_file_that_is_none_stops_admission(hub):
    (hub / "topics/tea" / TOMBSTONES).mkdir(parents=True)
    closed(hub / "topics/coffee", hub)


@pytest.mark.parametrize("dangling", [True, False])
@pytest.mark.parametrize("which", [".librarian", TOMBSTONES])
def test_a_symbolic_link_in_its_way_stops_admission(hub, tmp_path, which, dangling):
    target = tmp_path / "elsewhere"
    if not dangling:
        bury(target)
    link = hub / "topics/tea" / which
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(target / which)
    error = closed(hub / "topics/coffee", hub, Refused)
    assert str(hub / "topics/tea") in str(error.path)


@pytest.mark.parametrize(
    "which", ["", "topics", "topics/tea", "topics/tea/.librarian", f"topics/tea/{TOMBSTONES}"]
)
def test_what_is_closed_to_us_stops_admission(monkeypatch, which):
    with open_folder() as folder:
        isolate(folder, monkeypatch)
        registered(folder / "hub", tea="topics/tea", coffee="topics/coffee")
        bury(folder / "hub/topics/tea")
        (folder / "hub" / which).chmod(0)
        try:
            with without_rights():
                error = closed(folder / "hub/topics/coffee", folder / "hub", (Unreadable, NotAWiki))
        finally:
            (folder / "hub" / which).chmod(0o755)
    assert str(folder / "hub") in str(error.path)


def test_a_file_in_place_of_the_folder_is_no_tombstone(hub):
    (hub / "topics/tea/.librarian").write_text("x")
    assert read_tombstones(hub / "topics/tea") == b""


def test_asking_writes_nothing(hub):
    bury(hub / "topics/tea")
    before = tree(hub)
    held_by(KEYS, hub / "topics/tea", hub)
    assert tree(hub) == before


def test_each_file_is_opened_once(hub, monkeypatch):
    registered(hub, coffee="topics/coffee")
    for topic in ("tea", "coffee"):
        bury(hub / "topics" / topic)
    opened = []
    real = os.open
    monkeypatch.setattr(os, "open", lambda path, *more: (opened.append(str(path)), real(path, *more))[1])
    assert len(stones_of(hub / "topics/tea", hub)) == 2
    assert sorted(path for path in opened if path.endswith(".jsonl")) == sorted(
        str(hub / "topics" / topic / TOMBSTONES) for topic in ("tea", "coffee")
    )


def test_the_roots_of_a_root_are_itself_and_its_hub(hub):
    assert roots_of(hub / "topics/tea", None) == [(hub / "topics/tea", "tea")]


SPELLINGS = [
    "http://clocks.example/fusee",
    "HTTPS://CLOCKS.example/fusee",
    "https://www.clocks.example/fusee/",
    "https://clocks.example:443/fusee#top",
    "https://clocks.example/fusee?utm_source=a&utm_medium=b",
    "https://clocks.example/%66usee",
    "https://clocks.example/a/../fusee",
    "https://clocks.example/fusee;jsessionid=12AB",
    "  https://ann@clocks.example/fusee ",
]


@pytest.mark.parametrize("url", SPELLINGS)
def test_every_spelling_of_an_address_is_held(hub, url):
    bury(hub / "topics/tea")
    assert normalise_url(url) == URL
    assert held_by(keys_of_urls(url), hub / "topics/tea", hub)


@pytest.mark.parametrize(
    "url", ["https://clocks.example/", f"{URL}/more", f"{URL}?page=2", "https://x.example/fusee"]
)
def test_another_address_is_not(hub, url):
    bury(hub / "topics/tea")
    assert held_by(keys_of_urls(url), hub / "topics/tea", hub) is None


def test_ten_thousand_tombstones_are_asked_and_the_last_is_found(hub):
    lines = [tombstone_line(keys_of_urls(f"https://clocks.example/{n}"), AT)[1] for n in range(10_000)]
    path = hub / "topics/tea" / TOMBSTONES
    path.parent.mkdir()
    path.write_text("\n".join(lines))
    assert held_by(keys_of_urls("http://clocks.example/9999/"), hub / "topics/tea", hub)
    assert held_by(keys_of_urls("http://clocks.example/10000"), hub / "topics/tea", hub) is None
