"""`.librarian/raw-lock.jsonl`: what the body of each raw file was when it came in.

Order-free lines that Git may merge by union (`doctrine.md` §2): each has its time `at`, doubled lines
count once, of several lines for one path the newest holds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import NamedTuple

from llm_wiki.core.files import inside, read_bytes
from llm_wiki.core.text import nfc

RAW_LOCK = ".librarian/raw-lock.jsonl"
"""The lock's place below the root."""


class LockEntry(NamedTuple):
    """One line: `path` below the root, body hash, date of admission (or ""), time of the line (or "")."""

    path: str
    content_sha256: str
    admitted: str
    at: str


class RawLock(NamedTuple):
    """What the lock says: newest entry by path key (NFC), and the numbers of lines that say nothing."""

    entries: Mapping[str, LockEntry]
    unreadable: tuple[int, ...]


def lock_line(path: str, content_sha256: str, admitted: date | str, at: datetime) -> str:
    """Return the line to append for one raw file, without line end; for `Transaction.append`."""
    record = {
        "admitted": str(admitted),
        "at": at.isoformat(timespec="seconds").replace("+00:00", "Z"),
        "content_sha256": content_sha256,
        "path": path,
    }
    return json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def load_lock(root: Path) -> RawLock:
    """Read the lock of a root; without one it is empty. Raises Unreadable or Refused (a symbolic link)."""
    path = inside(root, RAW_LOCK)
    return read_lock(read_bytes(path)) if path.exists() else RawLock({}, ())


def read_lock(data: bytes) -> RawLock:
    """Read the lock's bytes. A line that is no record is counted, never an error.

    Of several lines for one path the one with the newest `at` holds, ties go to the later line in code
    points, so the order in which Git merged them plays no part.
    """
    newest: dict[str, tuple[str, str, LockEntry]] = {}
    unreadable = []
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        text = line.decode("utf-8", "replace").strip()
        if not text:
            continue
        entry = _entry(text)
        if entry is None:
            unreadable.append(number)
            continue
        ranked = (entry.at, text, entry)
        key = nfc(entry.path)
        if key not in newest or ranked[:2] > newest[key][:2]:
            newest[key] = ranked
    return RawLock({key: ranked[2] for key, ranked in newest.items()}, tuple(unreadable))


def _entry(line: str) -> LockEntry | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    path, digest = record.get("path"), record.get("content_sha256")
    if not isinstance(path, str) or not isinstance(digest, str) or not path or not digest:
        return None
    return LockEntry(path, digest.lower(), str(record.get("admitted") or ""), str(record.get("at") or ""))
