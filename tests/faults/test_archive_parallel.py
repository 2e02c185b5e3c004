"""Eight archives of different topics at once, ten rounds: each topic ends where the registry says (A1)."""

import os
import subprocess
import sys

import pytest
from archivekit import files, hub_of, registry

from llm_wiki.core.files import TEMP_PREFIX
from llm_wiki.core.transaction import interrupted
from llm_wiki.withdraw.archive_list import listed
from llm_wiki.withdraw.archive_repair import repair

SLUGS = [f"t{number}" for number in range(8)]
ROUNDS = 10
ACT = """
import sys
from pathlib import Path
from llm_wiki.withdraw.archive import Wishes, archive_topic, restore_topic
hub, what, slug = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
archive_topic(hub, slug, Wishes()) if what == "topic" else restore_topic(hub, slug)
"""


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("LLM_WIKI_TODAY", "2026-01-10")


def all_at_once(hub, orders):
    """Run one process for each (verb, slug); return what went wrong."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", ACT, str(hub), what, slug],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stderr=subprocess.PIPE,
            text=True,
        )
        for what, slug in orders
    ]
    said = []
    for one in running:
        _, error = one.communicate()
        said += [error] if one.returncode else []
    return said


def link_all(hub):
    """Let every topic link its neighbour, so that each move writes into another topic too."""
    for slug, other in zip(SLUGS, [*SLUGS[1:], SLUGS[0]], strict=True):
        page = hub / "topics" / slug / "README.md"
        page.write_text(f"# {slug}\n\n[next](../{other}/README.md)\n")


def test_eight_archives_at_once_lose_no_topic_in_ten_rounds(tmp_path):
    hub = hub_of(tmp_path / "hub", *SLUGS)
    link_all(hub)
    before = files(hub, "log.md", "wikis.json")
    for number in range(ROUNDS):
        what = "restore" if number % 2 else "topic"
        assert all_at_once(hub, [(what, slug) for slug in SLUGS]) == [], number
        found = listed(hub)
        active, archived = [row.slug for row in found.active], [row.slug for row in found.archived]
        assert (active, archived) == ((SLUGS, []) if number % 2 else ([], SLUGS)), number
        for slug in SLUGS:
            path = registry(hub)["wikis"][slug]["path"]
            assert path == (f"topics/{slug}" if number % 2 else f"topics/.archive/{slug}")
            assert (hub / path / "_index.md").is_file()
        assert interrupted(hub) == []
    assert files(hub, "log.md", "wikis.json") == before
    assert not [path for path in hub.rglob("*") if path.name.startswith(TEMP_PREFIX)]
    assert repair(hub)[1:4] == ((), (), ())
    entries = (hub / "log.md").read_text().count("archive | ")
    assert entries == ROUNDS * len(SLUGS)


def test_archives_and_restores_at_once_both_hold(tmp_path):
    hub = hub_of(tmp_path / "hub", *SLUGS)
    link_all(hub)
    assert all_at_once(hub, [("topic", slug) for slug in SLUGS[:4]]) == []
    orders = [("restore", slug) for slug in SLUGS[:4]] + [("topic", slug) for slug in SLUGS[4:]]
    assert all_at_once(hub, orders) == []
    found = listed(hub)
    assert [row.slug for row in found.active] == SLUGS[:4]
    assert [row.slug for row in found.archived] == SLUGS[4:]


def test_of_two_archives_of_one_topic_one_is_told_that_it_is_archived(tmp_path):
    hub = hub_of(tmp_path / "hub", *SLUGS)
    said = all_at_once(hub, [("topic", "t0")] * 4)
    assert len(said) == 3
    assert all("t0 is archived already" in error for error in said)
    assert (hub / "topics/.archive/t0/_index.md").is_file()
