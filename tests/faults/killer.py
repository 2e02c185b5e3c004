"""Runs one action again and again in forked children and kills each at another write point.

Started as its own interpreter: `python killer.py WORK ACTION [no-links] [withdraw] [seed=N] [STOP]`
(`recover` starts from a commit killed at point STOP; a seed takes a random plan). Prints one
JSON object: what the tree was before and after an undisturbed run, and per write point what a
new process found after `recover`. A write point is a call that changes something on the disk;
a `write` counts twice, killed before it and killed half-way through it.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import shapes

from llm_wiki.core import files, undo
from llm_wiki.core.transaction import Transaction, interrupted, recover

NAMES = [
    "write",
    "replace",
    "rename",
    "fsync",
    "mkdir",
    "rmdir",
    "unlink",
    "link",
    "ftruncate",
    "open",
    "chmod",
]
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Points:
    """Counts the write points of this process and ends it at the one given."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.count = 0

    def install(self) -> None:
        for name in NAMES:
            setattr(os, name, self._counting(name, getattr(os, name)))

    def _counting(self, name: str, real: Callable) -> Callable:
        def call(*args, **kwargs):
            if name == "open" and not args[1] & WRITING:
                return real(*args, **kwargs)
            self._pass()
            if name == "write":
                self._pass(lambda: real(args[0], bytes(args[1])[: len(args[1]) // 2]))
            return real(*args, **kwargs)

        return call

    def _pass(self, before: Callable[[], object] = lambda: None) -> None:
        self.count += 1
        if self.count == self.at:
            before()
            os.kill(os.getpid(), signal.SIGKILL)


def build(root: Path) -> None:
    (root / "wiki").mkdir(parents=True)
    (root / "raw").mkdir()
    (root / "old").mkdir()
    (root / ".librarian").mkdir()
    (root / "log.md").write_text("# Wiki Activity Log\n")
    (root / "wiki" / "edited.md").write_text("before\n")
    (root / "wiki" / "deleted.md").write_text("to go\n")
    (root / "raw" / "moved.md").write_text("moved as it is\n")
    (root / "raw" / "rewritten.md").write_text("old words\n")
    (root / "old" / "inner.md").write_text("inner\n")
    (root / ".librarian" / "lock.jsonl").write_text('{"a": 1}\n')


def plan(root: Path, withdraw: bool) -> Transaction:
    tx = Transaction(root, "test", keep_before=not withdraw)
    read = lambda rel: files.sha256((root / rel).read_bytes())  # noqa: E731
    tx.write("wiki/new/created.md", b"created\n", expect=None)
    tx.write("wiki/edited.md", b"after\n", expect=read("wiki/edited.md"))
    tx.delete("wiki/deleted.md", expect=read("wiki/deleted.md"))
    tx.move("raw/moved.md", "wiki/moved.md")
    tx.write("raw/moved.md", b"moved as it is\n", expect=None)
    tx.move("raw/rewritten.md", "wiki/new/rewritten.md", data=b"new words\n")
    tx.append(".librarian/lock.jsonl", ['{"b": 2}'])
    tx.move("old", "wiki/folder")
    tx.write("wiki/folder/inner.md", b"changed inside\n", expect=files.sha256(b"inner\n"))
    tx.log("test", "all of it")
    return tx


def tree(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): path.read_text() if path.is_file() else "/"
        for path in sorted(root.rglob("*"))
    }


def state(root: Path) -> list[list[str]]:
    return [[record.verb, record.state] for record in undo.records(root)]


def kept_words(root: Path) -> list[str]:
    folder = undo.undo_folder(root)
    return sorted(p.name for p in folder.rglob("before")) if folder.exists() else []


def in_child(action: Callable[[], object]) -> int:
    """Run `action` in a new process; return its exit status, negative for the signal that ended it."""
    child = os.fork()
    if child == 0:
        try:
            action()
        except BaseException as error:  # noqa: BLE001 - told by the status and on stderr
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def count_points(work: Path, action: Callable[[], object]) -> int:
    """Run an action undisturbed in a new process; return how many write points it has."""
    told = work / "count"

    def run() -> None:
        points = Points(0)
        points.install()
        action()
        told.write_text(str(points.count))

    assert in_child(run) == 0
    return int(told.read_text())


def kill_at(point: int, action: Callable[[], object]) -> bool:
    """Run an action in a new process that ends at a write point; tell whether it was killed there."""
    return in_child(lambda: (Points(point).install(), action())) == -signal.SIGKILL


class Torture:
    """One action, run from the same tree for each write point."""

    def __init__(self, work: Path, what: str, flags: list[str]) -> None:
        self.work, self.what = work, what
        self.master, self.home = work / "master", work / "home"
        self.stop = int(flags[-1]) if what == "recover" else 0
        seeds = [int(flag.removeprefix("seed=")) for flag in flags if flag.startswith("seed=")]
        if seeds:
            shapes.build(self.master / "w", seeds[0])
            commit = lambda root: shapes.Shape(root, seeds[0]).tx.commit()  # noqa: E731
        else:
            build(self.master / "w")
            commit = lambda root: plan(root, "withdraw" in flags).commit()  # noqa: E731
        self.actions = {
            "commit": commit,
            "undo": lambda root: undo.undo(root, verb="test"),
            "recover": recover,
        }
        if what == "undo":
            root = self.fresh()
            in_child(lambda: commit(root))
            shutil.rmtree(self.master)
            shutil.copytree(self.home, self.master)

    def fresh(self) -> Path:
        """Return a new copy of the tree; for `recover` with a commit killed half-way."""
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.copytree(self.master, self.home)
        root = self.home / "w"
        if self.stop:
            in_child(lambda: (Points(self.stop).install(), self.actions["commit"](root)))
        return root

    def run(self, point: int) -> dict[str, object]:
        root = self.fresh()
        killed = kill_at(point, lambda: self.actions[self.what](root))
        return {
            "point": point,
            "killed": killed,
            "recovered": in_child(lambda: recover(root)),
            "tree": tree(root),
            "records": state(root),
            "open": interrupted(root),
            "kept": kept_words(root),
        }

    def all(self) -> dict[str, object]:
        root = self.fresh()
        told: dict[str, object] = {"before": tree(root), "before_records": state(root)}
        total = count_points(self.work, lambda: self.actions[self.what](root))
        told |= {"after": tree(root), "after_records": state(root)}
        told["runs"] = [self.run(point) for point in range(1, total + 1)]
        shutil.rmtree(self.home)
        return told


def main(work: Path, what: str, flags: list[str]) -> None:
    if "no-links" in flags:

        def refuse(*args, **kwargs):
            raise OSError(errno.EPERM, "no hard links here")

        os.link = refuse
    os.environ["XDG_STATE_HOME"] = str(work / "home" / "state")
    print(json.dumps(Torture(work, what, flags).all()))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
