"""What every room that stores text offers a withdrawal: find a value, remove it, prove that it is gone.

It stands on the ground floor because rooms that are neighbours each have a store of their own. Which
stores there are says one list, in `ops/withdrawing.py`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol


class Span(NamedTuple):
    """One occurrence: byte offsets and the name of its encoding."""

    start: int
    end: int
    encoding: str


class Needle(Protocol):
    """What is looked for: one value in every encoding, or several. No text of it ever shows a value."""

    @property
    def reach(self) -> int:
        """Bytes that no match is longer than."""

    @property
    def beyond_ascii(self) -> bool:
        """Whether its bytes differ between UTF-8 and Latin-1."""

    def spans(self, data: bytes, *, latin: bool = False, words: bool = False) -> list[Span]:
        """Return where it stands in a text, in order, none overlapping; with `words` also in paths."""

    def wide(self, data: bytes) -> list[Span]:
        """Return where it stands in two-byte characters inside data that is no text."""

    def holds(self, data: bytes) -> bool:
        """Tell whether it stands in the data in any form."""


@dataclass
class Hits:
    """What a store holds. `left` tells what this withdrawal cannot remove, in words without the value.

    `beyond` maps kinds of places that hold it, and are none of the store's, to those places.
    """

    found: int = 0
    left: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    encodings: Counter[str] = field(default_factory=Counter)
    beyond: dict[str, list[str]] = field(default_factory=dict)


class Work(NamedTuple):
    """What a removal has to do: texts to rewrite, files to delete, names to change in this order."""

    texts: list[Path]
    doomed: list[Path]
    moves: list[tuple[Path, Path]]


class Store(Protocol):
    """One place where text is kept. No answer of it holds the value, its length or its hash."""

    @property
    def name(self) -> str:
        """What its counts are called."""

    def find(self, needle: Needle, /) -> Hits:
        """Return what is held; changes nothing. What only a person may remove is `left` already here."""

    def remove(self, needle: Needle, /) -> int:
        """Remove it; return how many things changed. Raises WikiError when the system refuses."""

    def prove(self, needle: Needle, /) -> Hits:
        """Look again, everywhere and from the disk."""

    def covers(self, path: Path, /) -> bool:
        """Tell whether a file is one of this store's."""


__all__ = ["Hits", "Needle", "Span", "Store", "Work"]
