"""Which program the hosts are told to run, and how it is written into their files.

The installed `llm-wiki-hook` beside the running interpreter comes first, then the one on `PATH`; a plain
checkout has `scripts/llm-wiki-hook`. The command goes through `sh`, so that it is silent and ends with 0
where the program is gone; it never changes between versions, because hosts ask for trust again when it does.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Final, NamedTuple

from llm_wiki.core.errors import WikiError
from llm_wiki.core.state import cache_dir

NAME: Final = "llm-wiki-hook"
_SCRIPT: Final = 'if [ -x "$0" ]; then "$0" "$@"; fi; exit 0'
_PACKAGE: Final = Path(__file__).resolve().parents[2]


class Program(NamedTuple):
    """The hook's program: an absolute path, and where it was found.

    `found` is `installed`, `PATH`, `checkout`, or `cache` for an environment that may be cleared away.
    """

    path: str
    found: str


def locate() -> Program:
    """Return the program hosts shall run. Raises WikiError where there is none."""
    beside = Path(sys.executable).parent / NAME
    lasting = _runs(beside) and not _may_go(beside)
    if lasting:
        return Program(str(beside), "installed")
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        path = Path.cwd() / folder / NAME
        if folder and _runs(path) and not _may_go(path):
            return Program(os.path.normpath(path), "PATH")  # a link stays a link
    if _runs(beside):
        return Program(str(beside), "cache")
    launcher = _PACKAGE.parent / NAME
    if _runs(launcher):
        return Program(str(launcher), "checkout")
    raise WikiError(
        f"{NAME} is not installed: hosts would have nothing to run",
        remedy="install llm-wiki with pipx or uv, then run setup again",
    )


def _may_go(path: Path) -> bool:
    """Tell whether a program lies in a cache, as those do that are run without being installed."""
    return cache_dir().parent in path.parents


def _runs(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def command(program: str, harness: str) -> str:
    """Return the one line a host runs: the same in every POSIX shell and in fish, always exit 0."""
    return f"sh -c {shlex.quote(_SCRIPT)} {shlex.quote(program)} --harness {harness}"


def program_in(text: str) -> str:
    """Return the program a command line of ours runs, "" for any other text."""
    try:
        words = shlex.split(text)
    except ValueError:
        return ""
    return words[3] if len(words) > 3 and words[:2] == ["sh", "-c"] and words[2] == _SCRIPT else ""
