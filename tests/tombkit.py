"""Tombstones for tests: put into a root by hand, and a program in which nothing asks them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from llm_wiki.admit.tombstones import TOMBSTONES, Keys, keys_of, keys_of_urls, tombstone_line
from llm_wiki.model.document import page

AT = datetime(2026, 1, 2, 12, tzinfo=UTC)

DEAF = """
import llm_wiki.admit.tombstones as tombstones

tombstones.held_among = lambda keys, stones: None
"""
"""What `deaf` runs before the program: the one look at tombstones says nothing."""


def bury(root: Path, keys: Keys, at: datetime = AT) -> str:
    """Put a tombstone into a root; return its id."""
    name, line = tombstone_line(keys, at)
    path = root / TOMBSTONES
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.read_bytes() if path.exists() else b""
    path.write_bytes(before + line.encode() + b"\n")
    return name


def bury_url(root: Path, *urls: str) -> str:
    return bury(root, keys_of_urls(*urls))


def keys_of_file(path: Path) -> Keys:
    """Return the keys of a raw file."""
    data = path.read_bytes()
    return keys_of(page(f"raw/articles/{path.name}", data), data)


def lines_of(root: Path) -> list[str]:
    path = root / TOMBSTONES
    return path.read_text().splitlines() if path.exists() else []


def raw_files(*roots: Path) -> dict[Path, bytes]:
    """Return every file below `raw/` of some roots but indexes, with its bytes."""
    return {
        path: path.read_bytes()
        for root in roots
        for path in sorted((root / "raw").rglob("*"))
        if path.is_file() and path.name != "_index.md"
    }


def deaf(folder: Path) -> str:
    """Return what to put before PYTHONPATH so that a program asks no tombstone."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sitecustomize.py").write_text(DEAF)
    return str(folder)
