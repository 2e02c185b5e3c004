"""Where a wiki lies in the repository that shows its findings.

A code host names files by their path in the repository, a report by their path in the wiki.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from posixpath import normpath
from typing import NamedTuple
from urllib.parse import quote

from llm_wiki.core.git import worktree


class Place(NamedTuple):
    """A folder, and the way from it to the root of a wiki: "" for the folder itself, else `docs/tea`."""

    base: Path
    prefix: str

    def path(self, rel: str | None) -> str:
        """Return the path, seen from the folder, of a file of the wiki; of the wiki itself without one."""
        return normpath("/".join(part for part in (self.prefix, rel) if part) or ".")

    def uri(self, rel: str | None) -> str:
        """Return that path as a relative URI reference (RFC 3986), byte for byte what lies on disk."""
        return quote(os.fsencode(self.path(rel)))

    @property
    def base_uri(self) -> str:
        """The folder as an absolute URI that ends with a slash, as SARIF wants it of a base."""
        written = f"file://{quote(os.fsencode(self.base))}"
        return written if written.endswith("/") else f"{written}/"


def in_repository(root: Path, env: Mapping[str, str] = os.environ) -> Place:
    """Place a root in its Git work tree, else in the workspace of the job, else in itself."""
    real = Path(os.path.realpath(root))
    top = worktree(real)
    if top is None:
        top = _workspace(env)
        if top is None or not real.is_relative_to(top):
            top = real
    return _place(top, real)


def in_workspace(root: Path, env: Mapping[str, str] = os.environ) -> Place:
    """Place a root in the workspace of the job (`GITHUB_WORKSPACE`), else in the current folder."""
    real = Path(os.path.realpath(root))
    base = _workspace(env)
    if base is None:
        with suppress(FileNotFoundError):  # the current folder may be gone
            base = Path.cwd()
    return _place(base or real, real)


def _workspace(env: Mapping[str, str]) -> Path | None:
    named = env.get("GITHUB_WORKSPACE")
    return Path(os.path.realpath(named)) if named else None


def _place(base: Path, root: Path) -> Place:
    way = Path(os.path.relpath(root, base)).as_posix()
    return Place(base, "" if way == "." else way)
