"""Whom a record by hand is of: the host and session named, a stored one, or a new id (`sessions.md` §2)."""

from __future__ import annotations

import secrets
import string
from typing import Final

from llm_wiki.core import clock
from llm_wiki.hook import names
from llm_wiki.sessions.folder import Folder, sessions

HARNESS: Final = "manual"


def manual_id(prefix: str) -> str:
    """Return a new id for what is recorded by hand: the time and four random characters."""
    mark = "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in range(4))
    return f"{prefix}-{clock.now():%Y%m%d-%H%M%S}-{mark}"


def who(folder: Folder, harness: str, session_id: str, prefix: str = HARNESS) -> tuple[str, str]:
    """Return host and native id; a stored session may be named with or without its host.

    Without an id a new one is made, beginning with `prefix`.
    """
    native = session_id.strip()
    host = names.safe_harness(harness) if harness.strip() else ""
    if not native:
        return host or HARNESS, manual_id(prefix)
    if host:
        return host, native.removeprefix(f"{host}:")
    fits = [each for each in sessions(folder) if native in (each.id, each.state["native_session_id"])]
    if len(fits) == 1:
        return fits[0].state["harness"], fits[0].state["native_session_id"]
    return HARNESS, native
