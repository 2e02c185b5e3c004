"""Carries out a plan: record, backup, file, in this order, so that whatever was made is recorded."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from llm_wiki.core import clock
from llm_wiki.core.errors import Conflict
from llm_wiki.core.files import failure, write_atomic
from llm_wiki.core.locks import root_lock
from llm_wiki.core.state import private_dir
from llm_wiki.hosts.setup import manifest
from llm_wiki.hosts.setup.plan import Plan, current

BACKUP = ".llm-wiki-backup-"


@contextmanager
def locked() -> Iterator[None]:
    """Hold the lock under which host files are changed."""
    with root_lock(private_dir(manifest.place().parent)):
        yield


def write(plan: Plan) -> Path | None:
    """Carry out a plan under `locked`; return the backup that was made, None without one.

    Raises Conflict when the file is not any more what the plan was made from.
    """
    if current(plan.path) != plan.before:
        raise Conflict(f"{plan.path} was changed meanwhile", path=plan.path, remedy="run setup again")
    records = manifest.load()
    backup = None
    if plan.changes:
        plan.record["made"] += [str(made) for made in _missing(plan.path.parent)]
        if plan.before is not None:
            backup = _backup_name(plan.path)
            plan.record["backups"].append(str(backup))
    if records.get(plan.host.name) != plan.record:
        records[plan.host.name] = plan.record
        manifest.save(records)
    if backup is not None and plan.before is not None:
        _back_up(plan.path, plan.before, backup)
    if plan.changes and plan.after is not None:
        put(plan.path, plan.after)
    return backup


def put(path: Path, data: bytes) -> None:
    """Write a host's file, through a symbolic link to what it names."""
    real = Path(os.path.realpath(path))
    try:
        real.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise failure("make the folder", real.parent, error) from error
    write_atomic(real, data)


def _missing(folder: Path) -> list[Path]:
    """Return the folders that will have to be made, the outermost first."""
    found: list[Path] = []
    while not folder.exists() and folder != folder.parent:
        found.insert(0, folder)
        folder = folder.parent
    return found


def _backup_name(path: Path) -> Path:
    stamp = clock.now().strftime("%Y%m%dT%H%M%SZ")
    name = path.with_name(f"{path.name}{BACKUP}{stamp}")
    number = 1
    while os.path.lexists(name):
        number += 1
        name = path.with_name(f"{path.name}{BACKUP}{stamp}-{number}")
    return name


def _back_up(path: Path, data: bytes, name: Path) -> None:
    mode = stat.S_IMODE(Path(os.path.realpath(path)).stat().st_mode)
    write_atomic(name, data, mode=mode)


def delete(path: Path) -> None:
    """Delete a file of our own, or what a link to it names."""
    try:
        Path(os.path.realpath(path)).unlink(missing_ok=True)
    except OSError as error:
        raise failure("delete", path, error) from error


def tidy(made: list[str]) -> None:
    """Remove the folders that were made for a file, as far as nothing else is in them."""
    for folder in reversed(made):
        with suppress(OSError):
            Path(folder).rmdir()
