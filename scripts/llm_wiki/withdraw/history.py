"""Version history that still holds a value: named on request, never rewritten (`archive-retract.md` R15)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from llm_wiki.core.errors import WikiError
from llm_wiki.core.git import run, worktree
from llm_wiki.core.stores import Needle
from llm_wiki.withdraw.match_text import look

SHOWN: Final = 50
"""Commits that are named of one repository."""

LARGEST: Final = 64 * 1024 * 1024
"""Bytes of the largest object that is looked at."""

LOOSE: Final = "{} objects in no commit of a ref: staged, or left behind by an amend or a dropped branch"
"""What is told of objects that only a clean-up of the repository takes away."""

NEXT: Final = (
    "version history holds it: change the secret where it is valid, rewrite the history with a tool made for "
    "that (git filter-repo), and have every clone made anew"
)


def commits(root: Path, matcher: Needle) -> list[str]:
    """Return a line for each commit and ref that holds the value, in files, names or messages.

    The objects are read one by one, so the value never is an argument of a process. Without Git or a
    repository nothing is returned.
    """
    top = worktree(root)
    if top is None:
        return []
    try:
        held = _held(top, matcher)
        found, reached, seen = _touched(top, held["blob"] | held["tree"])
        lines = [_line(top, commit) for commit in sorted(found | held["commit"] & reached)[:SHOWN]]
        loose = len((held["blob"] | held["tree"]) - seen) + len(held["commit"] - reached)
        return [*lines, *_refs(top, matcher, held["tag"]), *([LOOSE.format(loose)] if loose else [])]
    except (OSError, WikiError):
        return ["the repository could not be read"]


def _touched(top: Path, objects: set[str]) -> tuple[set[str], set[str], set[str]]:
    """Return the commits of all refs that bring or take one of the objects, all commits, and the objects."""
    found: set[str] = set()
    reached: set[str] = set()
    seen: set[str] = set()
    commit = ""
    shape = ["--format=%H %T", "--raw", "-t", "--no-abbrev", "-m", "--root"]
    for line in filter(None, run(["log", "--all", *shape], top).splitlines()):
        if not line.startswith(":"):
            commit, _, ids = line.partition(" ")
            reached.add(commit)
        else:
            ids = " ".join(line.split()[2:4])
        if here := objects & {*ids.split()}:
            found.add(commit)
            seen |= here
    return found, reached, seen


def _held(top: Path, matcher: Needle) -> dict[str, set[str]]:
    """Return for each kind of object the ids of those in which the value stands."""
    found: dict[str, set[str]] = {kind: set() for kind in ("commit", "tree", "blob", "tag")}
    for name, kind, data in _all(top):
        if look(matcher, data) is not None:
            found[kind].add(name)
    return found


def _all(top: Path) -> Iterator[tuple[str, str, bytes]]:
    command = ["git", "-C", str(top), "cat-file", "--batch-all-objects", "--batch", "--unordered"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=quiet, env=clean) as process:  # noqa: S603
        assert process.stdout is not None
        while head := process.stdout.readline():
            name, kind, size = head.decode("ascii").split()
            data = _read(process.stdout, int(size))
            process.stdout.read(1)
            yield name, kind, data


def _read(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(min(size, LARGEST))
    left = size - len(data)
    while left:
        left -= len(stream.read(min(left, 1 << 20)))
    return data


def _line(top: Path, commit: str) -> str:
    names = run(["for-each-ref", "--contains", commit, "--format=%(refname:short)"], top).split()
    return f"commit {commit[:12]} in {', '.join(names[:5]) or 'no ref'}" + (" …" if len(names) > 5 else "")


def _refs(top: Path, matcher: Needle, tags: set[str]) -> list[str]:
    """Return a line for the names of refs that hold the value, and for each tag whose message does."""
    rows = [
        line.split() for line in run(["for-each-ref", "--format=%(objectname) %(refname)"], top).splitlines()
    ]
    held = [name for _, name in rows if matcher.spans(os.fsencode(name))]
    lines = [f"{len(held)} names of refs"] if held else []
    return lines + [f"the message of {name}" for found, name in rows if found in tags][:SHOWN]
