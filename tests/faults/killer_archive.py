"""Kills `archive topic` or `restore` at one write point after the other, and looks at what comes next.

Started as its own interpreter: `python killer_archive.py WORK topic|restore [other-disk]`; with
`other-disk` the system refuses to rename the folder, as between two file systems. Prints one JSON
object: the files before and after an undisturbed run, and for each write point whether somebody still
found the canary right after the kill, what `archive repair` of a new process left, and the files then.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import sys
from pathlib import Path

from archivekit import CANARY, files, linked
from killer import Points, in_child

from llm_wiki.core.errors import WikiError
from llm_wiki.core.transaction import interrupted
from llm_wiki.ops.searching import search
from llm_wiki.search.engine import Ask
from llm_wiki.search.syntax import parse
from llm_wiki.wiki.resolve import resolve
from llm_wiki.withdraw.archive import Wishes, archive_topic, restore_topic
from llm_wiki.withdraw.archive_repair import repair


def two_disks() -> None:
    """Let every rename of a folder between `topics/` and the archive fail, temporary names apart."""
    real = os.rename

    def rename(source, target, **more):
        crossing = (".archive" in Path(source).parts) != (".archive" in Path(target).parts)
        if crossing:
            raise OSError(errno.EXDEV, "another file system", str(source))
        real(source, target, **more)

    os.rename = rename


def found(hub: Path) -> list[str]:
    """Return the topics in which a search of the hub finds the canary."""
    try:
        return sorted(set(search(resolve(hub=str(hub)), Ask(parse(CANARY))).topics))
    except WikiError as error:
        return [error.message]


def main(work: Path, what: str, *, disks: bool) -> None:
    home, told = work / "home", work / "told.json"
    os.environ["XDG_STATE_HOME"] = str(home / "state")
    os.environ["XDG_CACHE_HOME"] = str(home / "cache")
    os.environ["HOME"] = str(home)
    (linked(home / "hub") / "topics/.archive").mkdir()
    for needless in ("raw/papers", "raw/repos", "raw/data", "raw/articles", "wiki/theses", "wiki/topics"):
        for slug in ("tea", "coffee", "milk"):
            shutil.rmtree(home / "hub/topics" / slug / needless)
    if what == "restore":
        archive_topic(home / "hub", "tea", Wishes(reason="x"))
    hub = home / "hub"
    shutil.copytree(home, work / "master")
    acts = {
        "topic": lambda: archive_topic(hub, "tea", Wishes(reason="x")),
        "restore": lambda: restore_topic(hub, "tea"),
    }

    def act(point: int) -> int:
        if disks:
            two_disks()
        points = Points(point)
        points.install()
        acts[what]()
        return points.count

    def fresh() -> None:
        shutil.rmtree(home)
        shutil.copytree(work / "master", home)

    def look() -> None:
        if disks:
            two_disks()
        done = repair(hub)
        told.write_text(json.dumps({"fixed": done.fixed, "left": done.left, "open": interrupted(hub)}))

    fresh()
    before = files(hub)
    assert in_child(lambda: told.write_text(str(act(0)))) == 0
    total, after = int(told.read_text()), files(hub)
    runs = []
    for point in range(1, total + 1):
        fresh()
        ended = in_child(lambda point=point: act(point))
        in_child(lambda: told.write_text(json.dumps(found(hub))))
        seen = json.loads(told.read_text())
        status = in_child(look)
        runs.append(
            {
                "killed": ended == -signal.SIGKILL,
                "seen": seen,
                "status": status,
                "next": files(hub),
                **json.loads(told.read_text()),
            }
        )
    print(json.dumps({"before": before, "after": after, "runs": runs}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], disks="other-disk" in sys.argv[3:])
