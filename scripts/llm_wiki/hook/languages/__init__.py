"""Languages of the classifier: a JSON file of tables each, and the words by which a message shows its own.

A file is read when a message of its language comes. It holds `spaced` (words stand apart), `split_apostrophe`
(`l'autre` is two words), `aliases` (a word as typed -> as the patterns have it), `classes` (words by name),
`scopes`, and `groups` of patterns (`hook/match.py`), each with label, name and score. Labels are those of
`feedback.md` §2, and moods, which take hits away:

- `void`: every hit that overlaps it (`void-correction` and so on: those of that label);
- `ask` at the start of a sentence: the sentence is a question;
- `request`, `condition`: hits behind it in its clause; `reported`: hits from there to the sentence's end.

`markers.json` holds frequent words (one that two languages have counts for both) and letters that only one
of them has, or nearly.
"""

from __future__ import annotations

import json
import os
from typing import Any, Final, NamedTuple

NAMES: Final = ("en", "zh", "de", "fr", "es")
ORDER: Final = ("en", "de", "fr", "es")
"""Which language a message is in when its words fit several; Chinese shows by its characters."""


class Markers(NamedTuple):
    """By language: its frequent words, and its own letters."""

    words: dict[str, frozenset[str]]
    letters: dict[str, str]


_known: dict[str, Markers] = {}


def markers() -> Markers:
    """Return what tells the languages apart."""
    if not _known:
        given = read("markers")
        words = {name: frozenset(text.split()) for name, text in given["markers"].items()}
        _known[""] = Markers(words, given["letters"])
    return _known[""]


def read(name: str) -> dict[str, Any]:
    """Return the tables of a language of `NAMES`."""
    with open(os.path.join(os.path.dirname(__file__), f"{name}.json"), "rb") as handle:
        tables: dict[str, Any] = json.loads(handle.read())
    return tables
