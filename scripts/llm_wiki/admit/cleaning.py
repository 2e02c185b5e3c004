"""Secrets are taken out of evidence before it is written: no wiki holds one, and what went is told.

Not even documentation's sample keys stay: nothing tells them from real ones. The text around them does,
and the note says of which kind and in which line they stood, never what they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from llm_wiki.admit.candidate import Candidate
from llm_wiki.core.redact import find, redact


class Removed(NamedTuple):
    """One secret that was taken out: its kind and its 1-based line of the body, 0 for another field."""

    kind: str
    line: int


def cleaned(candidate: Candidate) -> tuple[Candidate, tuple[Removed, ...]]:
    """Return a candidate without secrets, and what was taken out of it, in the order of the body.

    A secret of the body that its title or summary repeats counts once.
    """
    removed = list(_in_body(candidate.body))
    values = [candidate.title, candidate.source, candidate.summary, *candidate.tags]
    values += [item for value in candidate.fields.values() for item in _items(value)]
    known = {candidate.body[found.start : found.end] for found in find(candidate.body)} if removed else set()
    for value in dict.fromkeys(values):
        for found in find(value):
            if value[found.start : found.end] not in known:
                removed.append(Removed(found.kind, 0))
                known.add(value[found.start : found.end])
    result = candidate._replace(
        title=_without(candidate.title),
        source=_without(candidate.source),
        summary=_without(candidate.summary),
        tags=tuple(map(_without, candidate.tags)),
        body=_without(candidate.body),
        fields={key: _field(value) for key, value in candidate.fields.items()},
        aliases=tuple(map(_without, candidate.aliases)),
    )
    return result, tuple(removed)


def counted(removed: Sequence[Removed]) -> dict[str, int]:
    """Return how many secrets of each kind went, by kind."""
    counts: dict[str, int] = {}
    for kind, _ in sorted(removed):
        counts[kind] = counts.get(kind, 0) + 1
    return counts


def told(removed: Sequence[Removed]) -> list[str]:
    """Return one sentence a kind: how many were replaced, in which lines of the text."""
    lines: dict[str, list[int]] = {}
    for kind, line in removed:
        lines.setdefault(kind, []).append(line)
    return [
        f"{len(places)} secret{'s'[: len(places) > 1]} replaced by [REDACTED:{kind}] ({_where(places)})"
        for kind, places in sorted(lines.items())
    ]


def _where(places: Sequence[int]) -> str:
    shown = [str(line) for line in dict.fromkeys(places) if line][:10]
    if not shown:
        return "in its title, address or fields"
    return f"line{'s' if len(shown) > 1 else ''} {', '.join(shown)}"


def _in_body(body: str) -> list[Removed]:
    removed, line, at = [], 1, 0
    for found in find(body):
        line += body.count("\n", at, found.start)
        at = found.start
        removed.append(Removed(found.kind, line))
    return removed


def _without(text: str) -> str:
    return redact(text, limit=0)


def _items(value: str | Sequence[str]) -> Sequence[str]:
    return (value,) if isinstance(value, str) else value


def _field(value: str | Sequence[str]) -> str | Sequence[str]:
    return _without(value) if isinstance(value, str) else [_without(item) for item in value]
