"""Files of a topic's `.librarian/` that say what a score or a finding must know (`doctrine.md` §2).

A walk does not enter that folder. They are order-free JSON lines that Git may merge by union: of several
lines for one key the one with the newest `at` holds, ties go to the later line in code points.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from llm_wiki.core.errors import WikiError
from llm_wiki.core.files import inside, read_bytes

ATTESTATIONS: Final = ".librarian/attestations.jsonl"
LEDGER: Final = ".librarian/compile-ledger.jsonl"
RAW_LOCK: Final = ".librarian/raw-lock.jsonl"

FOLLOWED: Final = (ATTESTATIONS, LEDGER, RAW_LOCK)
"""Those that findings depend on."""


def stamps(root: Path) -> list[tuple[int, int, int, int]]:
    """Return size, mtime, ctime (ns) and inode of each followed file, zeros for one that is not there."""
    found = []
    for rel in FOLLOWED:
        stamp = (0, 0, 0, 0)
        with suppress(OSError):
            status = os.lstat(f"{root}/{rel}")
            stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        found.append(stamp)
    return found


def read_state(root: Path, rel: str) -> bytes:
    """Return the bytes of such a file; nothing when it is absent, unreadable or behind a symbolic link.

    A root that is no place on disk (a snapshot of nothing) has none.
    """
    if root == Path():
        return b""
    with suppress(WikiError, OSError):
        path = inside(root, rel)
        return read_bytes(path) if path.exists() else b""
    return b""


def records(data: bytes) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    """Yield (rank, record) of each line that is a JSON object; of two records the greater rank is newer."""
    for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        text = line.decode("utf-8", "replace").strip()
        if text:
            with suppress(ValueError, RecursionError):
                record = json.loads(text)
                if isinstance(record, dict):
                    at = record.get("at")
                    yield (at if isinstance(at, str) else "", text), record


def newest(data: bytes, key: Callable[[dict[str, Any]], str]) -> dict[str, dict[str, Any]]:
    """Return the newest record of each key; records whose key is "" say nothing."""
    best: dict[str, tuple[tuple[str, str], dict[str, Any]]] = {}
    for rank, record in records(data):
        name = key(record)
        if name and (name not in best or rank > best[name][0]):
            best[name] = rank, record
    return {name: record for name, (_, record) in best.items()}
