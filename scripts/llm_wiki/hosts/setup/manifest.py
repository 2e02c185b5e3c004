"""The record of every edit of a host's file, in the user's state folder.

It is written before the file it speaks of, so that nothing of ours is ever in a host's file unrecorded.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, TypedDict

from llm_wiki.core.errors import BadConfig
from llm_wiki.core.files import failure, read_bytes, write_atomic
from llm_wiki.core.state import private_dir, state_dir

SCHEMA_VERSION: Final = 1


class Edit(TypedDict):
    """One entry put into a file: its JSON pointer at that time, its value, the value's hash."""

    pointer: str
    value: Any
    sha256: str


class Record(TypedDict):
    """What was done to one file of one host.

    `before` is the hash of the bytes before the first edit, None where there was no file; `after` that of
    the bytes after the last one. `chain` tells that nobody else changed the file between edits of ours.
    `containers` are the pointers of what had to be made around the entries, `made` the folders.
    """

    host: str
    path: str
    form: str
    before: str | None
    after: str
    chain: bool
    backups: list[str]
    made: list[str]
    containers: list[str]
    edits: list[Edit]


def place() -> Path:
    """Return the manifest's path; it need not exist."""
    return state_dir() / "setup" / "manifest.json"


def load() -> dict[str, Record]:
    """Return the records by host, oldest first. Raises BadConfig for a broken manifest, Unreadable."""
    path = place()
    try:
        if not path.exists():
            return {}
    except OSError as error:
        raise failure("look at", path, error) from error
    try:
        rows = json.loads(read_bytes(path))["files"]
        return {row["host"]: {**_empty(row["host"], row["path"], row["form"]), **row} for row in rows}
    except (ValueError, KeyError, TypeError) as error:
        raise BadConfig(
            f"{path} is damaged: {type(error).__name__}",
            path=path,
            remedy="remove the entries that name llm-wiki-hook by hand, delete this file, run setup again",
        ) from None


def _empty(host: str, path: str, form: str) -> Record:
    return Record(
        host=host, path=path, form=form, before=None, after="", chain=True,
        backups=[], made=[], containers=[], edits=[],
    )  # fmt: skip


def new(host: str, path: Path, form: str) -> Record:
    """Return the record of a file nothing was done to yet."""
    return _empty(host, str(path), form)


def save(records: dict[str, Record]) -> None:
    """Write the records; without any, the file goes, and its folder if nothing else is in it."""
    path = place()
    if not records:
        path.unlink(missing_ok=True)
        return
    private_dir(path.parent)
    data = {"schema_version": SCHEMA_VERSION, "files": list(records.values())}
    write_atomic(path, (json.dumps(data, indent=2, sort_keys=True) + "\n").encode(), mode=0o600)
