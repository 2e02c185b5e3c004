"""Names that were made of a value: verbs turn a title into a slug, which no encoding gives back."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from llm_wiki.core.stores import Needle
from llm_wiki.core.text import fold, slugify
from llm_wiki.withdraw.scope import VERSION_CONTROL

FEWEST: Final = 6
"""Characters of a slug from which it says something of what it was made of."""


def notes(paths: Iterable[Path], value: bytes, needle: Needle) -> list[str]:
    """Return a note where names below some folders hold the value as a slug, which is not looked for."""
    slug = slugify(value.decode("utf-8", "replace"))
    if len(slug) < FEWEST or needle.spans(slug.encode()):
        return []
    held = sum(slug in fold(name) for path in paths for name in _names(path))
    told = "names hold it as a slug, in small letters and with hyphens: they stay, as do links to them"
    return [f"{held} {told}; retract that form too"] if held else []


def _names(path: Path) -> Iterable[str]:
    for _, folders, files in os.walk(path):
        folders[:] = [name for name in folders if name not in VERSION_CONTROL]
        yield from (*folders, *files)
