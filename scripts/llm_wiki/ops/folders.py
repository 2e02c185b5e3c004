"""Every folder the product uses: what it holds, its size, who shares it, how to remove it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from llm_wiki.core import state


class Folder(NamedTuple):
    """One folder of the product; `size` in bytes, `files` counted below it.

    `shared` tells folders a colleague sees from those private to this machine.
    """

    name: str
    path: Path
    exists: bool
    files: int
    size: int
    shared: bool
    holds: str
    remove: str


def measure(path: Path) -> tuple[int, int]:
    """Return files and bytes below a folder; links are not followed, unreadable parts count nothing."""
    files = size = 0
    pending = [str(path)]
    while pending:
        with suppress(OSError):
            for entry in list(os.scandir(pending.pop())):
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                    continue
                with suppress(OSError):  # gone meanwhile
                    if entry.is_file(follow_symlinks=False):
                        size += entry.stat(follow_symlinks=False).st_size
                        files += 1
    return files, size


def _folder(name: str, path: Path, holds: str, remove: str, *, shared: bool = False) -> Folder:
    there = os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises where looking is not allowed
    files, size = measure(path) if there else (0, 0)
    return Folder(name, path, there, files, size, shared, holds, remove)


def folders(hub: Path | None, root: Path | None) -> list[Folder]:
    """List the folders of this machine, then those of the hub and of the wiki at hand."""
    found = [
        _folder(
            "configuration",
            state.config_dir(),
            "config.json: where the hub lies, your name",
            "delete it; llm-wiki then looks for ~/wiki",
        ),
        _folder(
            "state",
            state.state_dir(),
            "locks, the before-bytes of the last 30 days of changes, and what setup did to hosts",
            "delete it when no llm-wiki runs; `llm-wiki undo` then has nothing to take back",
        ),
        _folder(
            "cache",
            state.cache_dir(),
            "parsed pages, so that a second run is quick",
            "delete it any time; it is rebuilt",
        ),
    ]
    if hub is not None:
        found.append(
            _folder("hub", hub, "your topic wikis", "delete it like any folder: it is your data", shared=True)
        )
        if (hub / ".sessions").is_dir():
            found.append(_sessions("sessions", hub))
    if root is not None and root != hub:
        if (root / ".sessions").is_dir():
            found.append(_sessions("sessions of the wiki", root))
        found.append(
            _folder(
                "wiki", root, "the wiki at hand", "delete it like any folder: it is your data", shared=True
            )
        )
    return found


def _sessions(name: str, place: Path) -> Folder:
    return _folder(
        name,
        place / ".sessions",
        "what is captured of your agents' sessions; nothing until `llm-wiki capture notes`",
        "`llm-wiki capture off`, then `llm-wiki session forget --all`",
    )


def human(size: int) -> str:
    """Return bytes in the largest unit that keeps the number above one."""
    value = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError
