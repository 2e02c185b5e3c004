"""What may be captured: the one privacy switch, `.sessions/config.json` (`sessions.md` §1, §3)."""

from __future__ import annotations

import json
import os
import re
from typing import Any, Final, NamedTuple

SCHEMA_VERSION: Final = 1
CONFIG: Final = "config.json"
NO_CAPTURE: Final = ".llm-wiki-no-capture"
"""A file of this name in a folder or above it switches capture off there."""

_WINDOWS: Final = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_MOST: Final = 36_500
"""Days, sessions, above which a number says no more; the calendar would end before."""

_COMMON: Final[dict[str, Any]] = {
    "enabled": True,
    "tool_events": 50,
    "pre_compact": True,
    "post_compact": True,
    "session_end": True,
    "stop": True,
    "session_start": True,
    "user_prompt": True,
}
MODES: Final[dict[str, dict[str, Any]]] = {
    "off": _COMMON | {"enabled": False, "session_start": False, "user_prompt": False},
    "capture-only": _COMMON | {"session_start": False, "user_prompt": False},
    "balanced": _COMMON,
    "aggressive": _COMMON | {"tool_events": 25},
}
"""The modes of the table in `sessions.md` §3; `balanced` is what switching on gives."""

AUTO_CAPTURE: Final = ("pre_compact", "post_compact", "session_end", "stop")
REHYDRATE: Final = ("session_start", "user_prompt")
PRIVACY: Final = ("minimal", "redacted", "strict")
CONFIDENCES: Final = ("low", "medium", "high")


class Settings(NamedTuple):
    """The configuration of one `.sessions/` folder as it counts, every doubt being off.

    `level` is `off`, `notes` or `words`; `why` says what made it `off`. `digests` and `rehydrate` are
    the names of `AUTO_CAPTURE` and `REHYDRATE` that are on. Days and characters are whole numbers.
    `values` is the object of the file, {} when there is none.
    """

    level: str
    why: str
    mode: str
    tool_events: int
    digests: frozenset[str]
    rehydrate: frozenset[str]
    max_age_days: int
    max_chars: int
    limit: int
    feedback: bool
    approvals: bool
    min_confidence: str
    privacy: str
    exclude_cwds: tuple[str, ...]
    retention_days: int
    values: dict[str, Any]


def read(sessions: str) -> Settings:  # noqa: PLR0911 - one return a reason to be off
    """Return the settings of a `.sessions/` folder; whatever is not plainly on is off, and why says so."""
    path = os.path.join(sessions, CONFIG)
    try:
        with open(path, "rb") as handle:
            data = handle.read()
    except FileNotFoundError:
        return settle({}, "off until enabled: llm-wiki capture notes")
    except (OSError, ValueError) as error:
        return settle({}, f"{CONFIG} cannot be read: {getattr(error, 'strerror', None) or error}")
    try:
        values = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return settle({}, f"{CONFIG} is not valid JSON")
    if not isinstance(values, dict):
        return settle({}, f"{CONFIG} does not hold an object")
    enabled = values.get("enabled")
    if enabled is False:
        return settle(values, "switched off")
    if enabled is not True:
        return settle(values, f"`enabled` in {CONFIG} is not exactly true")
    return settle(values, "")


def settle(values: dict[str, Any], why: str) -> Settings:
    """Return the settings an object stands for: a wrong type falls back to the default of its mode."""
    level = "off" if why else ("words" if values.get("words") is True else "notes")
    mode = values.get("mode")
    mode = mode if isinstance(mode, str) and mode in MODES else "balanced"
    base = MODES["balanced" if mode == "off" else mode]
    auto, again, said = (_object(values.get(key)) for key in ("auto_capture", "rehydrate", "feedback"))
    return Settings(
        level,
        why,
        mode,
        _whole(auto.get("tool_events"), base["tool_events"]),
        frozenset(name for name in AUTO_CAPTURE if _switch(auto.get(name), base[name])),
        frozenset(name for name in REHYDRATE if _switch(again.get(name), base[name])),
        min(_whole(again.get("max_age_days"), 30), _MOST),
        _whole(again.get("max_chars"), 1200),
        min(_whole(again.get("limit"), 3), _MOST),
        _switch(said.get("enabled"), True),
        _switch(said.get("capture_approvals"), True),
        _one_of(said.get("min_confidence"), CONFIDENCES, "medium"),
        _one_of(values.get("privacy"), PRIVACY, "redacted"),
        _texts(values.get("exclude_cwds")),
        min(_whole(values.get("retention_days"), 90), _MOST),
        values,
    )


def off_here(settings: Settings, cwd: str) -> str:
    """Return why nothing may be captured from the folder `cwd` although it is on, "" when it may."""
    if os.environ.get("LLM_WIKI_SESSIONS", "").strip().lower() == "off":
        return "LLM_WIKI_SESSIONS=off"
    if not cwd:
        return ""
    places = {cwd.rstrip("/") or "/", os.path.realpath(cwd)}
    for pattern in settings.exclude_cwds:
        wanted = _spelled(os.path.expanduser(pattern)).rstrip("/") or "/"
        if any(_within(_spelled(place), wanted) for place in places):
            return f"excluded folder: {pattern}"
    for place in places:
        folder = place
        while True:
            if os.path.lexists(os.path.join(folder, NO_CAPTURE)):
                return f"{NO_CAPTURE} in {folder}"
            parent = os.path.dirname(folder)
            if parent == folder:
                break
            folder = parent
    return ""


def _within(place: str, wanted: str) -> bool:
    """Tell whether a folder is `wanted`, lies in it, or fits it as a pattern (`*`, `?`)."""
    from fnmatch import fnmatchcase

    if place == wanted or place.startswith(wanted.rstrip("/") + "/"):
        return True
    return fnmatchcase(place, wanted) or fnmatchcase(place, wanted + "/*")


def _spelled(path: str) -> str:
    """Return a path in the one form in which two spellings of it are equal: NFC, `/` between its parts."""
    if not path.isascii():
        from unicodedata import normalize

        path = normalize("NFC", path)
    return path.replace("\\", "/") if _WINDOWS.match(path) else path


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _switch(value: Any, default: bool) -> bool:
    return value if isinstance(value, bool) else default


def _whole(value: Any, default: int) -> int:
    good = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return int(value) if good else int(default)


def _one_of(value: Any, allowed: tuple[str, ...], default: str) -> str:
    return value if isinstance(value, str) and value in allowed else default


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str) and item) if isinstance(value, list) else ()
