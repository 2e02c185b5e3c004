"""What a source's retraction still has to look for, kept for the time between its writes.

The tree changes in one transaction, the stores of this machine one after the other. Killed in between,
nothing in the tree tells any more what to look for: so it is noted in the root's private folder (0600)
before the first change, and goes when no store holds anything of the source. A rerun goes on from it. A
root that was moved meanwhile is known by the tombstone that its tree holds.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, NamedTuple

from llm_wiki.admit.tombstones import TOMBSTONES
from llm_wiki.core.errors import Unreadable
from llm_wiki.core.files import TEMP_PREFIX, failure, read_bytes, write_atomic
from llm_wiki.core.state import private_dir, root_state, state_dir
from llm_wiki.withdraw.source_traces import Identity

INTENT: Final = "retracting.json"
"""Its name in the state folder of a root."""


class Pending(NamedTuple):
    """A retraction that was begun: of what, by which tombstone, in the root that lay at `root` then.

    `file` is where that is noted.
    """

    who: Identity
    tombstone: str
    root: str
    file: Path


def begin(root: Path, who: Identity, tombstone: str) -> Pending:
    """Note what is being removed. Raises Unreadable.

    What was noted of the same source of a wiki that has gone from its place was of this one, before it moved.
    """
    folder = private_dir(root_state(root))
    one = Pending(who, tombstone, os.path.realpath(root), folder / INTENT)
    _write(one.file, [*_read(one.file), one])
    for other in list(everywhere()):
        if other.who == who and _has_gone(other):
            end(other)
    return one


def pending(root: Path) -> list[Pending]:
    """Return what interrupted retractions were removing from a root; changes nothing. Raises Unreadable.

    Those of a root that is no longer where it was are this one's if it holds their tombstone.
    """
    mine = root_state(root) / INTENT
    found = _read(mine)
    moved = [one for one in everywhere() if one.file != mine and _has_gone(one)]
    if moved:
        stones = _stones(root)
        found += [one for one in moved if one.tombstone and one.tombstone.encode() in stones]
    return found


def everywhere() -> Iterator[Pending]:
    """Yield what this machine knows of interrupted retractions, of every root. Raises Unreadable."""
    folder = state_dir() / "roots"
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - the names alone
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise failure("read", folder, error) from error
    for name in names:
        yield from _read(folder / name / INTENT)


def sweep(folder: Path) -> None:
    """Remove from a state folder what a process left that was killed while it noted something."""
    for path in folder.glob(f"{TEMP_PREFIX}*"):
        with suppress(OSError):  # it is found as left over then
            path.unlink()


def end(one: Pending) -> None:
    """Forget it: everything is done, or nothing was. Raises Unreadable."""
    rest = [each for each in _read(one.file) if each != one]
    if rest:
        _write(one.file, rest)
        return
    try:
        one.file.unlink(missing_ok=True)
    except OSError as error:
        raise failure("remove", one.file, error) from error


def _has_gone(one: Pending) -> bool:
    """Tell whether its wiki is no longer where it was."""
    return not os.path.isdir(one.root)  # noqa: PTH112 - a text


def _stones(root: Path) -> bytes:
    try:
        return read_bytes(root / TOMBSTONES)
    except Unreadable:
        return b""


def _read(file: Path) -> list[Pending]:
    try:
        rows = json.loads(read_bytes(file))
        return [_pending(row, file) for row in rows]
    except Unreadable as error:
        if isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
            return []
        raise
    except (ValueError, KeyError, TypeError):
        return []  # written whole or not at all: what is no record says nothing


def _pending(row: dict[str, Any], file: Path) -> Pending:
    who = Identity(
        str(row["path"]), str(row["title"]), tuple(map(str, row["addresses"])), str(row["upstream"])
    )
    return Pending(who, str(row["tombstone"]), str(row["root"]), file)


def _write(file: Path, every: Iterable[Pending]) -> None:
    rows = [{**asdict(one.who), "tombstone": one.tombstone, "root": one.root} for one in every]
    try:
        write_atomic(file, json.dumps(rows, sort_keys=True).encode("ascii"), mode=0o600)
    except OSError as error:
        raise failure("write", file, error) from error


__all__ = ["INTENT", "Pending", "begin", "end", "everywhere", "pending", "sweep"]
