"""Folders of this machine: configuration, state and cache, never inside a wiki (`wiki-format.md` §8.4)."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from pathlib import Path

from llm_wiki.core.files import failure

_NAME = "llm-wiki"
_STARTED = time.time_ns()
WITHDRAWN = "withdrawn"
"""An empty file beside derived data: its time is that of the last withdrawal from the root."""


def config_dir() -> Path:
    """Return the configuration folder: `LLM_WIKI_CONFIG_DIR`, else `~/.config/llm-wiki` on every system."""
    given = os.environ.get("LLM_WIKI_CONFIG_DIR", "").strip()
    return Path.cwd() / Path(given).expanduser() if given else Path.home() / ".config" / _NAME


def state_dir() -> Path:
    """Return the user's state folder, the one `platformdirs` names for this system."""
    return _user_folder("XDG_STATE_HOME", ".local/state", "Library/Application Support", "")


def cache_dir() -> Path:
    """Return the user's cache folder, the one `platformdirs` names for this system."""
    return _user_folder("XDG_CACHE_HOME", ".cache", "Library/Caches", "Cache")


def root_key(root: Path) -> str:
    """Return the key of a root: 16 hex digits of the SHA-256 of its real path."""
    return hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:16]


def root_state(root: Path) -> Path:
    """Return the folder of lock, transactions and undo bytes of a root; it need not exist yet."""
    return state_dir() / "roots" / root_key(root)


def root_cache(root: Path) -> Path:
    """Return the folder of the derived data of a root; it need not exist yet."""
    return cache_dir() / "roots" / root_key(root)


def mark_withdrawn(cache: Path) -> None:
    """Note in a folder of derived data that something was withdrawn just now. Raises `Unreadable`."""
    path = private_dir(cache) / WITHDRAWN
    try:
        path.touch(mode=0o600)
    except OSError as error:
        raise failure("write", path, error) from error


def withdrawn_since_start(cache: Path) -> bool:
    """Tell whether something was withdrawn since this process began: what it has read may still hold it.

    Whoever writes derived data asks after each write, and removes what it has written: before the mark
    whoever withdraws removes it.
    """
    try:
        return os.stat(cache / WITHDRAWN).st_mtime_ns >= _STARTED  # noqa: PTH116 - on the way of every run
    except OSError:
        return False


def private_dir(path: Path) -> Path:
    """Make `path` and its missing parents for this user alone (0700) and return it.

    An existing folder keeps its mode. Raises `Unreadable` when the system refuses.
    """
    missing = []
    folder = path
    try:
        while not folder.is_dir() and folder != folder.parent:
            missing.append(folder)
            folder = folder.parent
        for folder in reversed(missing):
            folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise failure("make the folder", folder, error) from error
    return path


def _user_folder(variable: str, unix: str, mac: str, windows: str) -> Path:
    if os.name == "nt":  # pragma: no cover - not a supported system, but never in the wrong place
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
        return base / _NAME / _NAME / windows
    given = os.environ.get(variable, "")
    if Path(given).is_absolute():  # a relative one is ignored, as the XDG specification says
        return Path(given) / _NAME
    return Path.home() / (mac if sys.platform == "darwin" else unix) / _NAME
