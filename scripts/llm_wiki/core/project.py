"""Which project a folder belongs to: one identity for sessions, feedback, facts and rules (`memory.md` §2).

Reads the files of Git itself and starts no process, so that a hook can afford it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from typing import NamedTuple

STORE = ".llm-wiki/store.json"
"""The file of a fact store, whose project id goes before every other."""

_ID_DIGITS = 16
_LOCAL_CLONES = 4
"""How many clones of clones on this machine are followed to the first of them."""
_PORTS = {"ssh": "22", "https": "443", "http": "80", "git": "9418"}


class Project(NamedTuple):
    """A project as seen from one folder.

    `id` is the same in all worktrees and clones; `basis` tells what it follows from (`store`, `origin`,
    `repository`, `folder`). `root` is the top of the work tree (without one the folder itself), a real
    path; `remote` the URL of `origin` without user, password and query; `branch` the branch, or the
    first 12 digits of a detached commit. Both may be "".
    """

    id: str
    basis: str
    root: str
    remote: str
    branch: str


def identify(cwd: str | os.PathLike[str]) -> Project:
    """Return the project that the folder `cwd` belongs to; the folder need not exist.

    The id is that of `store.json` in the folder or above it (or, for a linked work tree, in the main
    one), else a hash of the normalised URL of `origin`, else of the common Git folder, else of the real
    path. A clone of a repository on this machine has the id of that repository. Never raises for what it
    finds in files.
    """
    start = _real(os.fspath(cwd))
    found = _git(start)
    if found is None:
        return _stored(start, start, "", "") or Project(_hash("folder", start), "folder", start, "", "")
    top, folder, common = found
    remote = _origin(common)
    branch = _branch(folder)
    shown = shown_remote(remote)
    main = os.path.dirname(common) if os.path.basename(common) == ".git" else top
    stored = _stored(start, top, shown, branch) or (
        _stored(main, top, shown, branch) if main != top else None
    )
    if stored is not None:
        return stored
    basis, value = _source(common, remote, _LOCAL_CLONES)
    return Project(_hash(basis, value), basis, top, shown, branch)


def normalise_remote(url: str) -> str:
    """Return `host/path` of a Git URL: without scheme, user, default port, `.git` and final slash.

    `git@host:a/b.git`, `ssh://git@host:22/a/b` and `https://host/a/b/` are one; the host is lower-cased.
    """
    url = url.strip()
    scheme, mark, rest = url.partition("://")
    if mark:
        scheme = scheme.lower().removeprefix("git+")
        rest = rest.partition("?")[0].partition("#")[0]
        host, _, path = rest.partition("/")
        host = host.rpartition("@")[2].lower().removesuffix(f":{_PORTS.get(scheme, '')}")
    else:
        host, mark, path = url.partition(":")
        if not mark or "/" in host:
            return url
        host = host.rpartition("@")[2].lower()
    path = path.strip("/").removesuffix(".git").rstrip("/")
    return f"{host}/{path}"


def shown_remote(url: str) -> str:
    """Return a Git URL without user, password, query and fragment, as it may be stored."""
    scheme, mark, rest = url.partition("://")
    if mark:
        host, slash, path = rest.partition("?")[0].partition("#")[0].partition("/")
        return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"
    host, mark, path = url.partition(":")
    if mark and "/" not in host:
        return f"{host.rpartition('@')[2]}:{path.partition('?')[0]}"
    return url


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):  # a NUL, a loop
        return path.replace("\0", "")


def _hash(basis: str, value: str) -> str:
    text = f"{basis}:{value}".encode("utf-8", "surrogateescape")
    return hashlib.sha256(text).hexdigest()[:_ID_DIGITS]


def _above(start: str) -> Iterator[str]:
    """Yield a folder and everything above it."""
    while True:
        yield start
        parent = os.path.dirname(start)
        if parent == start:
            return
        start = parent


def _read(path: str, limit: int = 1 << 16) -> str:
    """Return the text of a small file, "" when it cannot be read."""
    try:
        with open(path, "rb") as handle:
            return handle.read(limit).decode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return ""


def _git(start: str) -> tuple[str, str, str] | None:
    """Return (top of the work tree, its Git folder, the common Git folder), None outside of any."""
    for folder in _above(start):
        entry = os.path.join(folder, ".git")
        if os.path.isdir(entry):
            return folder, entry, entry
        named = _read(entry)
        if named.startswith("gitdir:"):
            target = os.path.normpath(os.path.join(folder, named[7:].strip()))
            shared = _read(os.path.join(target, "commondir")).strip()
            common = os.path.normpath(os.path.join(target, shared)) if shared else target
            return folder, _real(target), _real(common)
    return None


def _origin(common: str) -> str:
    """Return the URL of the remote `origin` in a Git configuration file, "" without one."""
    section = url = ""
    for line in _read(os.path.join(common, "config")).split("\n"):
        text = line.strip()
        if text.startswith("["):
            section = text.partition("]")[0].lower().replace(" ", "")
            continue
        name, mark, value = text.partition("=")
        if mark and section == '[remote"origin"' and name.strip().lower() == "url":
            url = value.strip().strip('"')
    return url


def _branch(folder: str) -> str:
    head = _read(os.path.join(folder, "HEAD")).strip()
    if head.startswith("ref:"):
        return head[4:].strip().removeprefix("refs/heads/")
    return head[:12]


def _source(common: str, remote: str, hops: int) -> tuple[str, str]:
    """Return what the id of a repository is made of: a remote URL, or the first repository of a chain."""
    path = remote.removeprefix("file://")
    if not remote:
        return "repository", common
    if "://" in path or (":" in path and "/" not in path.partition(":")[0]):
        return "origin", normalise_remote(remote)
    # a clone of a repository on this machine: the same project as that one
    there = _real(os.path.join(os.path.dirname(common), path))
    bare = os.path.isfile(os.path.join(there, "HEAD"))
    found = (there, there, there) if bare else (_git(there) if os.path.isdir(there) else None)
    if found is None or hops == 0 or found[2] == common:
        return "repository", common if found is None else found[2]
    return _source(found[2], _origin(found[2]), hops - 1)


def _stored(start: str, top: str, remote: str, branch: str) -> Project | None:
    """Return the project that the nearest `store.json` from `start` upwards names."""
    for folder in _above(start):
        text = _read(os.path.join(folder, STORE))
        if not text:
            continue
        try:
            value = json.loads(text)
            name = value["project"]["id"] if value.get("kind") != "global" else None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
        if isinstance(name, str) and name:
            return Project(name, "store", top, remote, branch)
    return None
