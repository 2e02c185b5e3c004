"""Kills `lint --fix` at one write point after the other, and looks at what is left and what comes next.

Started as its own interpreter: `python killer_lint.py WORK`. Prints one JSON object: the digests of the
tree before and after an undisturbed run, and for each write point the tree right after the kill, and the
tree and number of repairs of the next `lint --fix`, which a new process makes.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

from fixkit import fix
from fixkit_damages import DAMAGES
from killer import count_points, in_child, kill_at
from lintkit import full, tree

BROKEN = (
    "curated index",
    "article in CRLF",
    "article in the plane",
    "folder lost",
    "inbox lost",
    "misplaced source",
    "no guide",
    "rows doubled",
    "source unused, odd name",
    "stray at the root",
    "stray in a plane",
)


def build(where: Path) -> Path:
    root = full(where)
    for name in BROKEN:
        DAMAGES[name](root)
    return root


def main(work: Path) -> None:
    home, told = work / "home", work / "told.json"
    os.environ["XDG_STATE_HOME"] = str(home / "state")
    build(work / "master")

    def fresh() -> Path:
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(work / "master", home)
        return home / "tea"

    def next_run(root: Path) -> int:
        status = in_child(lambda: told.write_text(json.dumps(list(fix(root).fixes))) and None)
        return len(json.loads(told.read_text())) if status == 0 else -1

    root = fresh()
    before = tree(root)
    total = count_points(work, lambda: fix(root))
    after = tree(root)
    runs = []
    for point in range(1, total + 1):
        root = fresh()
        killed = kill_at(point, lambda root=root: fix(root))
        left = tree(root)
        repairs = next_run(root)
        runs.append({"killed": killed, "left": left, "repairs": repairs, "next": tree(root)})
    shutil.rmtree(home)
    print(json.dumps({"before": before, "after": after, "runs": runs}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
