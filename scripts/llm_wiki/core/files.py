"""Reading and writing single files safely: whole, in place, with their mode, inside their root."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from contextlib import suppress
from pathlib import Path

from llm_wiki.core.errors import BadUsage, Refused, Unreadable

TEMP_PREFIX = ".llm-wiki-tmp-"
"""Start of every temporary name this product makes inside a wiki; readers skip such names."""

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_REASONS = {
    errno.ENOENT: "does not exist",
    errno.ENOSPC: "no space left on the device",
    errno.EDQUOT: "disk quota exceeded",
    errno.EFBIG: "file too large for the system's limit",
    errno.EROFS: "read-only file system",
    errno.EXDEV: "the new place is on another file system",
    errno.ELOOP: "is a symbolic link",
    errno.EISDIR: "is a folder",
    errno.ENOTDIR: "a part of the path is no folder",
    errno.ENAMETOOLONG: "name too long",
}


def sha256(data: bytes) -> str:
    """Return the hex SHA-256 of `data`, the hash by which a transaction recognises bytes."""
    return hashlib.sha256(data).hexdigest()


def failure(action: str, path: str | os.PathLike[str], error: OSError) -> Unreadable:
    """Return the error of the product for a refusal of the system, naming the path and a remedy."""
    name = printable(path)
    if error.errno in (errno.EPERM, errno.EACCES):
        return Unreadable(
            f"cannot {action} {name}: permission denied (on macOS the terminal may lack Full Disk Access)",
            path=name,
            remedy="check the owner and mode of the path, and Full Disk Access on macOS",
        )
    reason = _REASONS.get(error.errno or 0, (error.strerror or type(error).__name__).lower())
    remedy = "free some space and run it again" if error.errno in (errno.ENOSPC, errno.EDQUOT) else None
    return Unreadable(f"cannot {action} {name}: {reason}", path=name, remedy=remedy)


def printable(path: str | os.PathLike[str]) -> str:
    r"""Return a path as text that can be shown and stored: undecodable bytes become `\xNN`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a regular file.

    Raises `Unreadable`, naming the path, for everything else: a pipe or device is never
    waited for, and a refusal of permission carries the words `Full Disk Access`.
    """
    try:
        handle = os.open(path, os.O_RDONLY | _NONBLOCK | _CLOEXEC | _BINARY)
    except OSError as error:
        raise failure("read", path, error) from error
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise Unreadable(f"cannot read {printable(path)}: not a regular file", path=printable(path))
        parts = [os.read(handle, found.st_size + 1)]
        while parts[-1]:
            parts.append(os.read(handle, 1 << 20))
        return b"".join(parts)
    except OSError as error:
        raise failure("read", path, error) from error
    finally:
        os.close(handle)


def write_atomic(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Replace or create `path` so that it is old or new at every moment, never half.

    The bytes go to a new temporary file of the same folder, to the disk, and then under the
    name. An existing mode is kept unless `mode` is given; a new file follows the umask.
    A symbolic link is refused (`Refused`); failures of the system are `Unreadable`.
    """
    temp = path.with_name(f"{TEMP_PREFIX}{os.urandom(8).hex()}")
    try:
        before = _lstat(path)
        if before is not None and not stat.S_ISREG(before.st_mode):
            raise Refused(f"{printable(path)} is not a regular file", path=printable(path))
        stage(temp, data, like=before, mode=mode)
        temp.replace(path)
        sync(path.parent)
    except OSError as error:
        raise failure("write", path, error) from error
    finally:
        with suppress(OSError):
            temp.unlink()


def stage(temp: Path, data: bytes, *, like: os.stat_result | None = None, mode: int | None = None) -> None:
    """Write a new file at `temp` and force it to the disk, with the mode and owner of `like`."""
    handle = create(temp, data, like=like, mode=mode)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def create(temp: Path, data: bytes, *, like: os.stat_result | None = None, mode: int | None = None) -> int:
    """Write a new file at `temp` and return its open handle, not yet forced to the disk."""
    handle = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _CLOEXEC | _BINARY, 0o666)
    try:
        write_all(handle, data)
        wanted = mode if mode is not None else None if like is None else stat.S_IMODE(like.st_mode)
        if like is not None and hasattr(os, "fchown") and (like.st_uid, like.st_gid) != _owner(handle):
            with suppress(OSError):
                os.fchown(handle, like.st_uid, like.st_gid)
        if wanted is not None:
            temp.chmod(wanted)
    except BaseException:
        os.close(handle)
        raise
    return handle


def write_all(handle: int, data: bytes) -> None:
    """Write every byte; the system may take them in several pieces."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def append_entry(path: Path, text: str) -> None:
    """Append one whole entry in one write and force it to the disk; a missing file is created.

    An entry never starts in the middle of a line, and follows the file's line endings. When
    the system takes only a part (full disk), that part is taken back. Raises `Unreadable`.
    """
    try:
        handle = os.open(
            path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _NOFOLLOW | _CLOEXEC | _BINARY | _NONBLOCK, 0o666
        )
    except OSError as error:
        raise failure("write", path, error) from error
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise Unreadable(f"cannot write {printable(path)}: not a regular file", path=printable(path))
        os.lseek(handle, max(found.st_size - 2, 0), os.SEEK_SET)
        append_at_end(handle, fitted(os.read(handle, 2), text), found.st_size)
        os.fsync(handle)
    except OSError as error:
        raise failure("write", path, error) from error
    finally:
        os.close(handle)


def append_at_end(handle: int, data: bytes, size: int) -> None:
    """Append in one write; when the system takes only a part and no more, cut back to `size` and raise."""
    try:
        write_all(handle, data)
    except OSError:
        with suppress(OSError):
            os.ftruncate(handle, size)
        raise


def fitted(tail: bytes, text: str) -> bytes:
    """Return the bytes of an entry that follows a file ending in `tail` (its last two bytes)."""
    if tail and not tail.endswith(b"\n"):
        text = "\n" + text
    if tail.endswith(b"\r\n"):
        text = text.replace("\n", "\r\n")
    return text.encode("utf-8", "surrogateescape")


def sync(path: Path) -> None:
    """Force a file, or the names of a folder, to the disk, where the system can do that."""
    if os.name == "nt" and path.is_dir():
        return
    handle = os.open(path, os.O_RDONLY | _CLOEXEC)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network file systems have no such call
            raise
    finally:
        os.close(handle)


def check_relative(rel: str) -> str:
    """Return `rel` if it is a plain POSIX path below a root, else raise `BadUsage`.

    No empty part, no `.` or `..`, no leading `/` or drive, no backslash, no NUL.
    """
    parts = rel.split("/")
    drive = len(parts[0]) == 2 and parts[0][1] == ":"
    if drive or "\\" in rel or "\0" in rel or any(part in ("", ".", "..") for part in parts):
        raise BadUsage(f"not a path inside the wiki: {printable(rel)!r}", path=printable(rel))
    return rel


def is_relative(rel: str) -> bool:
    """Tell whether `check_relative` takes a path: whether a transaction can change what is there."""
    try:
        check_relative(rel)
    except BadUsage:
        return False
    return True


def inside(root: Path, rel: str) -> Path:
    """Return the absolute path of `rel` below `root`, which need not exist.

    Raises `BadUsage` for a path that is not relative, and `Refused` when a part of it below
    the root is a symbolic link: what lies behind it is not the wiki's to change.
    """
    check_relative(rel)
    path = root
    for part in rel.split("/"):
        path = path / part
        try:
            found = _lstat(path)
        except OSError as error:
            raise failure("read", path, error) from error
        if found is None:
            break
        if stat.S_ISLNK(found.st_mode):
            raise Refused(f"{printable(rel)} passes through a symbolic link", path=printable(rel))
    return root / rel


def _lstat(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _owner(handle: int) -> tuple[int, int]:
    found = os.fstat(handle)
    return found.st_uid, found.st_gid
