"""Kills the lifting of a tombstone, or its undo, at one write point after the other; a new process goes on.

Started as its own interpreter: `python killer_tombstone.py WORK lift|undo`, with a terminal of its own. Prints
one JSON object a write point: whether the process was killed, what tombstones said right after it, how the next
run ended, and what the topic holds then.
"""

from __future__ import annotations

import json
import os
import pty
import shutil
import sys
from pathlib import Path

import killer
from killer import count_points, in_child, kill_at
from tombkit import bury_url, lines_of

from llm_wiki.admit.tombstones import broken_lines, held_by, keys_of_urls, read_tombstones
from llm_wiki.core import undo
from llm_wiki.core.errors import NothingFound
from llm_wiki.core.transaction import interrupted
from llm_wiki.ops.returning import take_back
from llm_wiki.ops.tombstones import lift
from llm_wiki.wiki.resolve import resolve

killer.NAMES.append("pwrite")
URL = "https://clocks.example/fusee"


def build(home: Path) -> None:
    hub = home / "wiki"
    for slug in ("tea", "coffee"):
        root = hub / "topics" / slug
        root.mkdir(parents=True)
        (root / "_index.md").write_text(f"# {slug}\n")
        (root / "config.md").write_text(f"---\ntitle: {slug}\n---\n")
        (root / "log.md").write_text("# Wiki Activity Log\n")
    known = {slug: {"path": f"topics/{slug}"} for slug in ("tea", "coffee")}
    (hub / "wikis.json").write_text(json.dumps({"wikis": known}))
    (home / "config").mkdir()
    (home / "config/config.json").write_text('{"person": {"name": "Ada"}}')
    bury_url(hub / "topics/tea", "https://clocks.example/other")


def act(home: Path, what: str, name: str) -> None:
    root = resolve(home / "wiki/topics/coffee") if what == "lift" else resolve(home / "wiki/topics/tea")
    if what == "lift":
        lift(root, name)
    else:
        try:
            take_back(root, verb="tombstone")
        except NothingFound:
            done = [record for record in undo.records(root.path) if record.verb == "tombstone"]
            assert [record.state for record in done] == ["undone"]


def look(home: Path, name: str) -> dict[str, object]:
    """Return what an admission into the sibling sees, and what the topic holds."""
    tea = home / "wiki/topics/tea"
    held = held_by(keys_of_urls(URL), home / "wiki/topics/coffee", home / "wiki")
    return {
        "held": held is not None,
        "lines": len(lines_of(tea)),
        "broken": list(broken_lines(read_tombstones(tea))),
        "logged": (tea / "log.md").read_text().count(f"tombstone | lifted {name}"),
        "open": interrupted(tea),
    }


def main(work: Path, what: str) -> None:
    home, master = work / "home", work / "master"
    os.environ |= {
        "HOME": str(home),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "LLM_WIKI_CONFIG_DIR": str(home / "config"),
    }
    output = os.dup(1)
    _, theirs = pty.openpty()
    for stream in (0, 1):
        os.dup2(theirs, stream)
    build(home)
    name = bury_url(home / "wiki/topics/tea", URL)
    if what == "undo":
        assert in_child(lambda: act(home, "lift", name)) == 0
    shutil.copytree(home, master)
    runs = []
    for point in range(1, count_points(work, lambda: act(home, what, name)) + 1):
        shutil.rmtree(home)
        shutil.copytree(master, home)
        killed = kill_at(point, lambda: act(home, what, name))
        first = look(home, name)
        status = in_child(lambda: act(home, what, name))
        runs.append({"killed": killed, "first": first, "next": status, "then": look(home, name)})
    os.write(output, json.dumps(runs).encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
