"""What a source's retraction still has to look for, kept for the time between its writes.

The tree changes in one transaction, the stores of this machine one after the other. Killed in between,
nothing in the tree tells any more what to look for: so it is noted in the root's private folder (0600)
before the first change, and goes with the last. A rerun goes on from it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from llm_wiki.core.errors import Unreadable
from llm_wiki.core.files import failure, read_bytes, write_atomic
from llm_wiki.core.state import private_dir, root_state
from llm_wiki.withdraw.source_traces import Identity

_NAME: Final = "retracting.json"


def begin(root: Path, who: Identity) -> None:
    """Note what is being removed. Raises Unreadable."""
    folder = private_dir(root_state(root))
    record = {
        "path": who.path,
        "title": who.title,
        "addresses": list(who.addresses),
        "upstream": who.upstream,
    }
    try:
        write_atomic(folder / _NAME, json.dumps(record, sort_keys=True).encode(), mode=0o600)
    except OSError as error:
        raise failure("write", folder / _NAME, error) from error


def pending(root: Path) -> Identity | None:
    """Return what an interrupted retraction was removing, None when there is none; changes nothing."""
    path = root_state(root) / _NAME
    try:
        record = json.loads(read_bytes(path))
        return Identity(
            str(record["path"]),
            str(record["title"]),
            tuple(map(str, record["addresses"])),
            str(record["upstream"]),
        )
    except Unreadable as error:
        if isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
            return None
        raise
    except (ValueError, KeyError, TypeError):
        return None  # written whole or not at all: what is no record says nothing


def end(root: Path) -> None:
    """Forget it: everything is done, or nothing was. Raises Unreadable."""
    path = root_state(root) / _NAME
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise failure("remove", path, error) from error


__all__ = ["begin", "end", "pending"]
