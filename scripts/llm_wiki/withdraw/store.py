"""What every room that stores text offers a withdrawal: find a value, remove it, prove that it is gone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from llm_wiki.withdraw.match import Matcher


@dataclass
class Hits:
    """What a store holds of a value. `left` tells what cannot be removed, in words without the value."""

    found: int = 0
    left: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    encodings: Counter[str] = field(default_factory=Counter)


class Store(Protocol):
    """One place where text is kept. No answer of it holds the value, its length or its hash."""

    name: str

    def find(self, matcher: Matcher) -> Hits:
        """Return what is held; changes nothing."""

    def remove(self, matcher: Matcher) -> int:
        """Remove it; return how many things changed. Raises WikiError when the system refuses."""

    def prove(self, matcher: Matcher) -> Hits:
        """Look again, everywhere and from the disk."""

    def covers(self, path: Path) -> bool:
        """Tell whether a file is one of this store's."""
