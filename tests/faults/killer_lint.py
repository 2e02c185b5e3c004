"""Kills `lint --fix` at one write point after the other, and looks at what is left and what comes next.

Started as its own interpreter: `python killer_lint.py WORK`. Prints one JSON object: the digests of the
tree before and after an undisturbed run, and for each write point the tree right after the kill, and the
tree and number of repairs of the next `lint --fix`, which a new process makes.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path

from fixkit import fix
from fixkit_damages import DAMAGES
from killer import Points, in_child
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

    def count() -> None:
        points = Points(0)
        points.install()
        fix(root)
        told.write_text(str(points.count))

    root = fresh()
    before = tree(root)
    assert in_child(count) == 0
    total = int(told.read_text())
    after = tree(root)
    runs = []
    for point in range(1, total + 1):
        root = fresh()

        def killed(point: int = point, root: Path = root) -> None:
            Points(point).install()
            fix(root)

        ended = in_child(killed)
        left = tree(root)
        repairs = next_run(root)
        runs.append(
            {"killed": ended == -signal.SIGKILL, "left": left, "repairs": repairs, "next": tree(root)}
        )
    shutil.rmtree(home)
    print(json.dumps({"before": before, "after": after, "runs": runs}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
