"""A folder that moves to another file system: copied beside its place, compared, then put in place.

No single call of the system does that. The order makes it as safe as a rename, each line being one
state of the disk: everything is at the old place; a copy is complete under a temporary name; the old
folder has a temporary name; the copy has the new name. Only when the transaction is done is the old
folder removed. Between the last two, nothing is at either place: `settle` sees that and goes back.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from llm_wiki.core import files
from llm_wiki.core.errors import Conflict

if TYPE_CHECKING:
    from llm_wiki.core.steps import Step

_BLOCK = 1 << 20


def carry(path: Path, target: Path, temp: Path, backup: Path) -> None:
    """Move a folder by copying it; `temp` lies beside `target`, `backup` beside `path`.

    Raises OSError, before anything has moved, for what cannot be copied or could not be removed
    afterwards, and `Conflict` when a file changed while it was copied.
    """
    seen = _removable(path)
    remove_tree(temp)
    copy_tree(path, temp)
    if _removable(path) != seen:
        raise Conflict(
            f"{files.printable(path.name)} changed while it was copied; nothing was changed by this command",
            path=path,
            remedy="run the command again",
        )
    path.rename(backup)
    files.sync(backup.parent)
    temp.rename(target)
    files.sync(target.parent)


def bring_back(path: Path, target: Path, temp: Path, backup: Path) -> None:
    """Take a move by copying back: the old folder returns, or the new one if somebody changed that."""
    if os.path.lexists(backup):
        if _digests(backup) == _digests(target):
            target.rename(temp)
            backup.rename(path)
            return
        remove_tree(backup)
    carry(target, path, _second(backup), temp)


def settle(root: Path, step: Step) -> None:
    """Let a folder return that lies at neither place because its move was interrupted."""
    path, target, backup = root / step.path, root / step.to, root / step.backup
    if step.kind != "move" or not step.backup or os.path.lexists(path) or os.path.lexists(target):
        return
    for place in (backup, _second(backup)):
        if os.path.lexists(place):
            place.rename(path)
            return


def clear(root: Path, step: Step, *, done: bool) -> None:
    """Remove what a move by copying left; the old folder only when the new one, or itself, is in place."""
    if not step.backup:
        return
    backup = root / step.backup
    if done or os.path.lexists(root / step.path):
        remove_tree(backup)
        remove_tree(_second(backup))
    remove_tree(root / step.temp)


def copy_tree(path: Path, copy: Path) -> None:
    """Copy a folder with modes, times and symbolic links, force it to the disk, and compare hashes.

    Raises OSError, also for a pipe, socket or device in it and where the copy reads otherwise.
    """
    import shutil

    copy.mkdir()
    for entry in sorted(os.scandir(path), key=lambda entry: entry.name):
        here, there = path / entry.name, copy / entry.name
        found = here.lstat()
        if stat.S_ISLNK(found.st_mode):
            there.symlink_to(here.readlink())
        elif stat.S_ISDIR(found.st_mode):
            copy_tree(here, there)
            continue
        elif stat.S_ISREG(found.st_mode):
            _copy_file(here, there)
        else:
            raise OSError(errno.ENOTSUP, "neither file nor folder, cannot be copied", str(here))
        _like(there, found)
        shutil.copystat(here, there, follow_symlinks=False)
    _like(copy, path.lstat())
    shutil.copystat(path, copy)
    files.sync(copy)


def remove_tree(path: Path) -> None:
    """Remove a folder with all it holds, or a file; nothing being there is fine."""
    import shutil

    if path.is_symlink() or not path.is_dir():
        with suppress(FileNotFoundError, NotADirectoryError):
            path.unlink()
        return
    shutil.rmtree(path)


def _copy_file(path: Path, copy: Path) -> None:
    digest = hashlib.sha256()
    with path.open("rb") as source:
        handle = files.create(copy, b"")
        try:
            while block := source.read(_BLOCK):
                digest.update(block)
                files.write_all(handle, block)
            os.fsync(handle)
        finally:
            os.close(handle)
    if _digest(copy) != digest.digest():
        raise OSError(errno.EIO, "the copy differs from the file", str(path))


def _digest(path: Path) -> bytes:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.digest()


def _like(copy: Path, found: os.stat_result) -> None:
    """Give a copy the owner of the original, where the system lets this user."""
    now = copy.lstat()
    if hasattr(os, "lchown") and (now.st_uid, now.st_gid) != (found.st_uid, found.st_gid):
        with suppress(OSError):
            os.lchown(copy, found.st_uid, found.st_gid)


def _removable(folder: Path) -> list[tuple[str, int, int, int]]:
    """Return what tells one state of a tree from another; raises OSError where it could not be removed."""
    seen = []
    for place, folders, names in os.walk(folder, onerror=_raise):
        if not os.access(place, os.W_OK | os.X_OK):
            raise OSError(errno.EACCES, "permission denied", place)
        for name in (*folders, *names):
            found = os.lstat(os.path.join(place, name))  # noqa: PTH118 - many of them
            size = 0 if stat.S_ISDIR(found.st_mode) else found.st_size
            seen.append((os.path.join(place, name), found.st_ino, size, found.st_mtime_ns))  # noqa: PTH118
    return sorted(seen)


def _raise(error: OSError) -> None:
    raise error


def _digests(folder: Path) -> dict[str, bytes | str]:
    found: dict[str, bytes | str] = {}
    for place, folders, names in os.walk(folder, onerror=_raise):
        for name in (*folders, *names):
            path = Path(place, name)
            rel = str(path.relative_to(folder))
            found[rel] = str(path.readlink()) if path.is_symlink() else "" if path.is_dir() else _digest(path)
    return found


def _second(backup: Path) -> Path:
    """Return a second temporary name beside a first one."""
    return backup.with_name(f"{backup.name}w")
