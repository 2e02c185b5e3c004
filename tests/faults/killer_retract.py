"""Kills a retraction at one write point after the other, and lets a new process go on.

Started as its own interpreter: `python killer_retract.py WORK`. Prints one JSON object: for each write
point whether the process was killed, the status of the next run, and every file below WORK in which the
value still stands after it.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import scanner
from killer import count_points, in_child, kill_at

from llm_wiki.core.files import sha256
from llm_wiki.core.state import root_cache
from llm_wiki.core.transaction import Transaction, interrupted
from llm_wiki.lint import engine  # noqa: F401 - loaded once, not in every child
from llm_wiki.ops.withdrawing import Where, withdraw
from llm_wiki.withdraw.retract import Wishes

SECRET = "tokZk3vR9qLm2xW8hT4"
NOTE = (
    "---\ntitle: A\nsource: x\ntype: notes\ningested: 2026-01-09\ntags: [a]\nsummary: S.\n---\n\n# A\n\n{}\n"
)


def build(home: Path) -> None:
    root = home / "w"
    for rel, text in {
        "_index.md": "# W\n",
        "config.md": "---\ntitle: W\n---\n",
        "log.md": "# Wiki Activity Log\n",
        "raw/notes/a.md": NOTE.format(f"one {SECRET}"),
        f"raw/notes/{SECRET}.md": NOTE.format("two"),
        "wiki/concepts/b.md": f"# B\n\n[two](../../raw/notes/{SECRET}.md)\n",
        "raw/data/c.json": json.dumps({"a": SECRET}),
        f"output/d\\{SECRET}.txt": SECRET,
        ".sessions/queue/2026-01-09.jsonl": json.dumps({"n": 1, "text": f"long enough {SECRET}"}) + "\n",
        ".sessions/notes.json": json.dumps({"a": SECRET}),
    }.items():
        path = root / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    os.environ["XDG_STATE_HOME"] = str(home / "state")
    tx = Transaction(root, "test", summary=f"about {SECRET}")
    old = (root / "raw/notes/a.md").read_bytes()
    tx.write("raw/notes/a.md", old + b"more\n", expect=sha256(old))
    tx.commit()
    os.environ["XDG_CACHE_HOME"] = str(home / "cache")
    cache = root_cache(root) / "rows.0"
    cache.parent.mkdir(parents=True)
    cache.write_text(f"row {SECRET}")


def left(work: Path) -> list[str]:
    return [
        str(path.relative_to(work))
        for path in sorted(work.rglob("*"))
        if SECRET in path.name or (path.is_file() and scanner.holds(path.read_bytes(), SECRET, 1))
    ]


def main(work: Path) -> None:
    home, master, told = work / "home", work / "master", work / "told"
    os.environ["HOME"] = str(home)
    os.environ["XDG_STATE_HOME"] = str(home / "state")
    os.environ["XDG_CACHE_HOME"] = str(home / "cache")
    build(home)
    shutil.copytree(home, master)

    def act() -> None:
        report = withdraw(Where(path=str(home / "w")), SECRET.encode(), Wishes(apply=True))
        told.write_text(f"{report.status} {report.outcome}")

    def fresh() -> None:
        shutil.rmtree(home)
        shutil.copytree(master, home)

    runs = []
    for point in range(1, count_points(work, act) + 1):
        fresh()
        killed = kill_at(point, act)
        status = in_child(act)
        runs.append(
            {
                "point": point,
                "killed": killed,
                "next": told.read_text() if status == 0 else f"exit {status}",
                "left": left(home),
                "open": interrupted(home / "w"),
            }
        )
    print(json.dumps(runs))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
