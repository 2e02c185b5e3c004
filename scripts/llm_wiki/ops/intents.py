"""The table of intents, `data/intents.toml`, read once; the file says what its columns mean."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_FILE = Path(__file__).parent / "data/intents.toml"


class Intent(NamedTuple):
    """One intent: its name, what serves it, and the patterns of its signals."""

    name: str
    serves: str
    asked: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    stated: tuple[str, ...] = ()
    general: tuple[str, ...] = ()
    hint: tuple[str, ...] = ()
    but: tuple[str, ...] = ()


class Table(NamedTuple):
    """All intents in their order, those offered when nothing fits, how questions and courtesies look."""

    intents: tuple[Intent, ...]
    menu: tuple[str, ...]
    question: str
    courtesies: tuple[str, ...]


@cache
def table() -> Table:
    """Return the table."""
    data = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    intents = tuple(_intent(one) for one in data["intent"])
    return Table(intents, tuple(data["menu"]), data["question"], tuple(data["courtesies"]))


def _intent(row: dict[str, Any]) -> Intent:
    signals: dict[str, Any] = {key: tuple(row.get(key, ())) for key in Intent._fields[2:]}
    return Intent(row["name"], row["serves"], **signals)
