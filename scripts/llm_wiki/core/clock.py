"""The one source of time. `LLM_WIKI_TODAY` and `LLM_WIKI_NOW` replace it (`wiki-format.md` §8.3)."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime

from llm_wiki.core.errors import BadConfig


def now() -> datetime:
    """Return the current moment as an aware UTC time.

    `LLM_WIKI_NOW` (ISO 8601; a time without zone is UTC) replaces the real clock.
    Raises `BadConfig` when it is set to anything else.
    """
    written = os.environ.get("LLM_WIKI_NOW", "").strip()
    if not written:
        return datetime.now(UTC)
    try:
        moment = datetime.fromisoformat(written)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadConfig(
            f"LLM_WIKI_NOW is not an ISO time: {written!r}",
            remedy="write it as 2026-01-10T12:00:00Z, or unset it",
        ) from None


def today() -> date:
    """Return the date every verb works with: `LLM_WIKI_TODAY`, else the date of `now()`.

    Raises `BadConfig` when `LLM_WIKI_TODAY` is no calendar date.
    """
    written = os.environ.get("LLM_WIKI_TODAY", "").strip()
    if not written:
        return now().date()
    from llm_wiki.core.text import as_date

    day = as_date(written)
    if day is None or len(written) != 10:
        raise BadConfig(
            f"LLM_WIKI_TODAY is not a date: {written!r}", remedy="write it as 2026-01-10, or unset it"
        )
    return day
