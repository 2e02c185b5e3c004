"""What tests of writing verbs need: machine folders of their own, a small wiki, its state as bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from lintkit import sample

from llm_wiki.wiki.resolve import Root
from llm_wiki.wiki.snapshot import Snapshot


def isolate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, today: str = "2026-01-10") -> None:
    """Give this test its own home, state, cache and configuration, and a date."""
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "LLM_WIKI_CONFIG_DIR"):
        folder = tmp_path / "machine" / name.lower()
        folder.mkdir(parents=True, exist_ok=True)
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setenv("LLM_WIKI_TODAY", today)
    monkeypatch.setenv("LLM_WIKI_NOW", f"{today}T12:00:00Z")


def topic(tmp_path: Path) -> Root:
    """Return the clean sample wiki as a root."""
    return Root(sample(tmp_path), "topic", None, "tea", "active")


def snapshot(root: Root) -> Snapshot:
    return Snapshot.load(root.path, root.kind)


def tree(root: Path) -> dict[str, bytes]:
    """Return every file below a root with its bytes."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
