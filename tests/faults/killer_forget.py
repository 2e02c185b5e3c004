"""Kills a forgetting at one write point after the other, and lets a new process go on.

Started as its own interpreter: `python killer_forget.py WORK HOW`, HOW being `prune`, `one` or `all`. WORK
holds a hub. Prints one JSON object a write point: whether the process was killed, how the next run ended,
the files in which a forgotten session still stands after it, and the sessions that are left.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import killer
from killer import count_points, in_child, kill_at

from llm_wiki.core import withdrawn  # noqa: F401 - loaded once, not in every child
from llm_wiki.core.errors import NothingFound
from llm_wiki.sessions import erase, lines
from llm_wiki.sessions.folder import find, pick, sessions
from llm_wiki.sessions.traces import Who

killer.NAMES.append("pwrite")
lines._LATE_SECONDS = 0.0  # rows of others are waited for, and here are no others
WORDS = (b"old-session", b"marmalade")


def act(hub: Path, how: str) -> None:
    folder = find(str(hub))
    if how == "all":
        who = erase.everyone()
    elif how == "prune":
        who = erase.older_than(folder, 30)
    else:
        try:
            who = Who(frozenset({pick(folder, "claude:old-session").id}))
        except NothingFound:
            who = Who(frozenset({"claude:old-session"}))
    if how == "prune" and not who.ids:
        erase.sweep_locks(folder)
    else:
        assert erase.forget(folder, who).proved


def left(hub: Path) -> list[str]:
    return [
        str(path.relative_to(hub))
        for path in sorted(hub.rglob("*"))
        if WORDS[0] in os.fsencode(path.name)
        or (path.is_file() and any(word in path.read_bytes() for word in WORDS))
    ]


def main(work: Path, how: str) -> None:
    hub, master = work / "hub", work / "master"
    shutil.copytree(hub, master)
    runs = []
    for point in range(1, count_points(work, lambda: act(hub, how)) + 1):
        shutil.rmtree(hub)
        shutil.copytree(master, hub)
        killed = kill_at(point, lambda: act(hub, how))
        status = in_child(lambda: act(hub, how))
        runs.append(
            {
                "point": point,
                "killed": killed,
                "next": status,
                "left": left(hub),
                "sessions": sorted(each.id for each in sessions(find(str(hub)))),
            }
        )
    print(json.dumps(runs))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
