"""Feedback candidates: what a user said that may matter later (`feedback.md` §1, §2)."""

from __future__ import annotations

from typing import Any

from llm_wiki.hook.rows import Event
from llm_wiki.hook.settings import Settings
from llm_wiki.hook.store import Store


def notice(
    store: Store, settings: Settings, prompt: str, event: Event, state: dict[str, Any] | None
) -> dict[str, Any] | None:
    """Record the candidate that a prompt is; return the fields a state keeps of it, None when it is none."""
    del store, settings, prompt, event, state
    return None


def waiting(store: Store) -> int:
    """Return how many candidates wait for a decision, as far as that is cheap to know."""
    del store
    return 0
