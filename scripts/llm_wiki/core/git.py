"""What the product needs to know of Git: where a work tree is, and what a command prints."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from llm_wiki.core.errors import Incomplete


def worktree(path: Path) -> Path | None:
    """Return the top of the Git work tree that holds `path`, or None.

    Looks for `.git` (a folder, or the file of a linked work tree) upwards; starts no process.
    """
    start = Path(os.path.realpath(path))
    return next((folder for folder in (start, *start.parents) if os.path.lexists(folder / ".git")), None)


def run(args: Sequence[str], cwd: Path) -> str:
    """Run `git ARGS` in `cwd` and return what it prints.

    Inherited `GIT_*` variables do not reach it, and it never asks a question. Raises
    `Incomplete` with Git's own words when it is not installed or fails.
    """
    import subprocess

    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    clean |= {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    command = ["git", *args]
    try:
        done = subprocess.run(  # noqa: S603 - no shell, and the program is git
            command, cwd=cwd, env=clean, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError as error:
        raise Incomplete(
            f"cannot run git: {(error.strerror or str(error)).lower()}", path=cwd, remedy="install Git"
        ) from error
    if done.returncode:
        words = done.stderr.decode("utf-8", "replace").strip() or f"exit {done.returncode}"
        raise Incomplete(f"git {' '.join(args[:1])} failed: {words}", path=cwd)
    return done.stdout.decode("utf-8", "surrogateescape")
