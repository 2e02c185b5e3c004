"""Tables of names, written as the words they are."""

from __future__ import annotations


def names(text: str) -> frozenset[str]:
    """Return the blank-separated words of a text as a set."""
    return frozenset(text.split())


def pairs(text: str) -> dict[str, str]:
    """Return the blank-separated `name=value` pairs of a text."""
    return dict(pair.split("=", 1) for pair in text.split())
