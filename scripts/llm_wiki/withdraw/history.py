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
        objects, found = _held(top, matcher)
        commit = ""
        for line in run(
            ["log", "--all", "--format=%H", "--raw", "--no-abbrev", "-m", "--root"], top
        ).splitlines():
            if line.startswith(":"):
                if objects & set(line.split()[2:4]):
                    found.add(commit)
            elif line:
                commit = line
        return [_line(top, commit) for commit in sorted(found)[:SHOWN]] + _refs(top, matcher)
    except (OSError, WikiError):
        return ["the repository could not be read"]


def _held(top: Path, matcher: Needle) -> tuple[set[str], set[str]]:
    """Return the ids of blobs and trees, and of commits and tags, in which the value stands."""
    objects: set[str] = set()
    found: set[str] = set()
    for name, kind, data in _all(top):
        if look(matcher, data) is not None:
            (found if kind == "commit" else objects).add(name)
    return objects, found


def _all(top: Path) -> Iterator[tuple[str, str, bytes]]:
    command = ["git", "-C", str(top), "cat-file", "--batch-all-objects", "--batch", "--unordered"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:  # noqa: S603
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


def _refs(top: Path, matcher: Needle) -> list[str]:
    names = run(["for-each-ref", "--format=%(refname)"], top).split()
    held = [name for name in names if matcher.spans(os.fsencode(name))]
    return [f"{len(held)} names of refs"] if held else []
