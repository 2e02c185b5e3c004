"""Which feedback was given before: records of one width, searched as bytes (`feedback.md` §2, Dedup).

A record holds a key (keyed hash of type, project and redacted text), the id of the candidate, the byte at
which its row ends, and its time. So a prompt costs the same with two candidates as with two thousand. The
file is a cache of `candidates.jsonl`: rows of other writers are entered when they are met, and a file that
is missing or does not fit is made anew. Use it under the lock `feedback` alone.
"""

from __future__ import annotations

import os
import unicodedata
from contextlib import suppress
from datetime import datetime
from typing import Any, Final, NamedTuple

from llm_wiki.hook import files
from llm_wiki.hook.secret import keyed
from llm_wiki.hook.store import Store

ROWS: Final = ("feedback", "candidates.jsonl")
KEYS: Final = ("feedback", "keys")
_KEY: Final = 16
_WIDTH: Final = _KEY + 1 + 16 + 1 + 12 + 1 + 10 + 1
_NONE: Final = "0" * 16
_ROW_BYTES: Final = 16_384


class Entry(NamedTuple):
    """One candidate as the file has it: the hex digits of its id, where its row ends, seconds since 1970."""

    hex: str
    end: int
    at: int


def key_of(store: Store, kind: str, project: str, preview: str) -> str:
    """Return what two candidates share that say the same in one project."""
    words = " ".join(unicodedata.normalize("NFKC", preview).casefold().split()).strip(" .!?…。！？")
    return keyed(store, f"{kind}|{project}|{words}", _KEY // 2)


class Known:
    """The records of one `.sessions/` folder, brought up to date when it is opened."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._data = _read(store.path(*KEYS))
        self._data = self._data[: len(self._data) - len(self._data) % _WIDTH]
        self._catch_up()

    def find(self, key: str) -> dict[str, Any] | None:
        """Return the row of the newest candidate with this key; None without one, also when it was erased."""
        needle = key.encode()
        at = self._data.rfind(needle)
        while at >= 0:
            if not at % _WIDTH:
                row = _row(self._store, _entry(self._data, at))
                if row is not None:
                    return row
            at = self._data.rfind(needle, 0, at)
        return None

    def add(self, key: str, row: dict[str, Any], end: int) -> None:
        """Enter a row that ends at this byte."""
        name = str(row.get("id"))
        digits = name[3:] if len(name) == 19 and name.startswith("fb-") and _is_hex(name[3:]) else _NONE
        record = f"{key} {digits} {end:012d} {_seconds(row.get('ts')):010d}\n".encode()
        files.append_text(self._store.path(*KEYS), record.decode())
        self._data += record

    def _catch_up(self) -> None:
        """Enter the rows that others appended; start anew when the rows are fewer than they were."""
        path = self._store.path(*ROWS)
        size = _size(path)
        covered = _entry(self._data, len(self._data) - _WIDTH).end if self._data else 0
        if covered > size or _size(self._store.path(*KEYS)) % _WIDTH or not _sound(self._data):
            with suppress(FileNotFoundError):
                os.unlink(self._store.path(*KEYS))
            self._data, covered = b"", 0
        if covered == size:
            return
        with open(path, "rb") as handle:
            handle.seek(covered)
            data = handle.read()
        projects: dict[str, str] = {}
        end = covered
        for line in data[: data.rfind(b"\n") + 1].split(b"\n")[:-1]:
            end += len(line) + 1
            row = _parsed(line)
            if row is None:
                continue
            project = _project_of(row, projects)
            preview = str(row.get("text_preview") or "")
            self.add(key_of(self._store, str(row.get("feedback_type")), project, preview), row, end)
        if end > covered and (not self._data or _entry(self._data, len(self._data) - _WIDTH).end < end):
            self.add(_NONE, {}, end)  # lines that are no rows are not looked at again


def recent(store: Store, since: int, most: int) -> list[str]:
    """Return the ids of the candidates from a second on, of the last `most` that are entered."""
    data = _read(store.path(*KEYS), most * _WIDTH)
    start = len(data) % _WIDTH
    entries = (_entry(data, at) for at in range(start, len(data), _WIDTH))
    return [f"fb-{entry.hex}" for entry in entries if entry.hex != _NONE and entry.at >= since]


def _read(path: str, last: int = 0) -> bytes:
    """Return the bytes of a file, of a longer one the last so many (0: all); b"" without a file."""
    try:
        with open(path, "rb") as handle:
            if last:
                size = os.fstat(handle.fileno()).st_size
                handle.seek(max(0, size - last))
            return handle.read()
    except OSError:
        return b""


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def _sound(data: bytes) -> bool:
    """Tell whether the last record is one; a file that something else wrote to is not trusted."""
    return not data or (data[-1:] == b"\n" and data[-12:-11] == b" " and data[-25:-24] == b" ")


def _entry(data: bytes, at: int) -> Entry:
    record = data[at : at + _WIDTH]
    try:
        return Entry(record[17:33].decode("ascii"), int(record[34:46]), int(record[47:57]))
    except ValueError:
        return Entry(_NONE, 0, 0)


def _row(store: Store, entry: Entry) -> dict[str, Any] | None:
    """Return the row of an entry: where it was written, else wherever it stands now; None when it is gone."""
    name = f"fb-{entry.hex}"
    start = max(0, entry.end - _ROW_BYTES)
    try:
        with open(store.path(*ROWS), "rb") as handle:
            handle.seek(start)
            data = handle.read(entry.end - start)
            row = _parsed(data[data.rfind(b"\n", 0, -1) + 1 :])
            if row is not None and row.get("id") == name:
                return row
            handle.seek(0)
            data = handle.read()
    except OSError:
        return None
    at = data.find(f'"id": "{name}"'.encode())
    return _parsed(data[data.rfind(b"\n", 0, at) + 1 : data.find(b"\n", at)]) if at >= 0 else None


def _parsed(line: bytes) -> dict[str, Any] | None:
    row = files.row_of(line)
    good = row is not None and isinstance(row.get("id"), str) and isinstance(row.get("feedback_type"), str)
    return row if good else None


def _project_of(row: dict[str, Any], known: dict[str, str]) -> str:
    """Return the project id of a row, found by its folder where an older tool wrote it."""
    own = row.get("project_key")
    if isinstance(own, str) and own:
        return own
    cwd = str(row.get("cwd") or "")
    if cwd not in known:
        from llm_wiki.core.project import identify

        known[cwd] = identify(cwd).id if cwd else ""
    return known[cwd]


def _is_hex(text: str) -> bool:
    return all(char in "0123456789abcdef" for char in text)


def _seconds(ts: Any) -> int:
    try:
        return max(0, min(int(datetime.fromisoformat(str(ts)).timestamp()), 9_999_999_999))
    except (ValueError, OverflowError):
        return 0
