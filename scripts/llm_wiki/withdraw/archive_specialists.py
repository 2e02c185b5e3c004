"""Which review methods a topic has enabled in the library of its hub (`adapters-specialists.md` §2)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from llm_wiki.core.errors import WikiError
from llm_wiki.core.files import read_bytes, sha256
from llm_wiki.core.transaction import Transaction

REGISTRY = ".skills/registry.json"

_BOM = b"\xef\xbb\xbf"


class Library:
    """The registry of specialists; {} when there is none. `notes` say why it could not be asked."""

    def __init__(self, data: bytes | None = None, value: Any = None, notes: tuple[str, ...] = ()) -> None:
        self._data = data
        self._value = value
        self.notes = notes

    @classmethod
    def load(cls, hub: Path) -> Library:
        """Read the registry of a hub; one that cannot be read is a note, and enables nothing."""
        path = hub / REGISTRY
        if not path.is_file():
            return cls()
        try:
            data = read_bytes(path)
            return cls(data, json.loads(data.decode("utf-8-sig")))
        except (WikiError, ValueError, RecursionError):
            return cls(notes=(f"{REGISTRY} cannot be read: nobody can say which specialists are enabled",))

    def enabled(self, slug: str) -> list[str]:
        """Return the names of the specialists of a topic."""
        topics = self._value.get("topics") if isinstance(self._value, dict) else None
        names = topics.get(slug) if isinstance(topics, dict) else None
        return [str(name) for name in names] if isinstance(names, list) else []

    def plan_without(self, tx: Transaction, slug: str) -> None:
        """Let a topic go from the registry, other keys and their order staying."""
        if self._data is None or not self.enabled(slug):
            return
        del self._value["topics"][slug]
        text = json.dumps(self._value, indent=2, ensure_ascii=False) + "\n"
        data = (_BOM if self._data.startswith(_BOM) else b"") + text.encode("utf-8", "surrogatepass")
        tx.write(REGISTRY, data, expect=sha256(self._data))
