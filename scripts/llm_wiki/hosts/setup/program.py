"""Which program the hosts are told to run, and how it is written into their files.

The installed `llm-wiki-hook` beside the running interpreter comes first, then the one on `PATH`; a plain
checkout has `scripts/llm-wiki-hook`. The command goes through `sh`, so that it is silent and ends with 0
where the program is gone; it never changes between versions, because hosts ask for trust again when it does.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final, NamedTuple

from llm_wiki.core.errors import WikiError

NAME: Final = "llm-wiki-hook"
_SCRIPT: Final = 'if [ -x "$0" ]; then "$0" "$@"; fi; exit 0'
_PACKAGE: Final = Path(__file__).resolve().parents[2]


class Program(NamedTuple):
    """The hook's program: an absolute path, and where it was found (`installed`, `PATH` or `checkout`)."""

    path: str
    found: str


def locate() -> Program:
    """Return the program hosts shall run. Raises WikiError where there is none."""
    beside = Path(sys.executable).parent / NAME
    if _runs(beside):
        return Program(str(beside), "installed")
    on_path = shutil.which(NAME)
    if on_path:
        return Program(os.path.abspath(on_path), "PATH")  # noqa: PTH100 - a link stays a link
    launcher = _PACKAGE.parent / NAME
    if _runs(launcher):
        return Program(str(launcher), "checkout")
    raise WikiError(
        f"{NAME} is not installed: hosts would have nothing to run",
        remedy="install llm-wiki with pipx or uv, then run setup again",
    )


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
