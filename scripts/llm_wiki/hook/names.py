"""What hosts call things: events, themselves, sessions (`sessions.md` §2, §5; `hosts.md` §7)."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from llm_wiki.core.redact import redact

HOSTS: Final = ("claude", "codex", "copilot", "opencode", "pi", "omp", "gemini")

_EVENTS: Final[dict[str, tuple[str, ...]]] = {
    "session_start": ("SessionStart", "session.created"),
    "user_prompt": ("UserPromptSubmit", "userPromptSubmitted", "chat.message", "input"),
    "tool_pre": ("PreToolUse", "PermissionRequest", "BeforeTool", "tool.execute.before"),
    "tool_post": ("PostToolUse", "AfterTool", "tool.execute.after", "tool_result"),
    "tool_fail": ("PostToolUseFailure",),
    "pre_compact": ("PreCompact", "PreCompress", "session_before_compact"),
    "post_compact": ("PostCompact", "session.compacted", "session_compact"),
    "stop": ("Stop", "StopFailure", "agentStop", "session.idle", "agent_settled"),
    "session_end": ("SessionEnd", "AfterAgent", "session_shutdown", "session.deleted"),
    "subagent_start": ("SubagentStart",),
    "subagent_stop": ("SubagentStop",),
}
_FOLD: Final = str.maketrans("", "", "_-.")


def _folded(name: str) -> str:
    return name.translate(_FOLD).lower()


_CANONICAL: Final = {_folded(name): event for event, names in _EVENTS.items() for name in (*names, event)}

DIGEST_TRIGGERS: Final = {
    "pre_compact": "pre-compact",
    "post_compact": "post-compact",
    "stop": "stop",
    "session_end": "session-end",
}
"""Events that write a digest, with the trigger named in it."""


def canonical(name: str) -> str:
    """Return what an event is, whatever a host calls it: a key of the table above, or `other`."""
    return _CANONICAL.get(_folded(name), "other")


_UNSAFE = re.compile(r"[^A-Za-z0-9_.@:+-]+")
_OLD_LIMIT: Final = 120
_NEW_LIMIT: Final = 100


def old_file_id(raw: str) -> str:
    """Return the safe form of an id as the existing tool writes it; two ids may share one."""
    safe = _UNSAFE.sub("-", raw).strip(".-")[:_OLD_LIMIT]
    return safe or hashlib.sha256(raw.encode("utf-8", "replace")).hexdigest()[:16]


def file_id(raw: str) -> str:
    """Return the name a session's files have: the id itself where it is safe, else with a mark of its own.

    Where the safe form differs from the id, 8 hex digits of the SHA-256 of the id are appended, so that
    no two ids share files. A colon never stands in a new name.
    """
    safe = _UNSAFE.sub("-", raw).replace(":", "-").strip(".-")
    if safe == raw and len(raw) <= _OLD_LIMIT:
        return safe
    return marked_file_id(raw)


def marked_file_id(raw: str) -> str:
    """Return the name with the mark, as it is also needed where another session has the plain one."""
    mark = hashlib.sha256(raw.encode("utf-8", "replace")).hexdigest()
    safe = _UNSAFE.sub("-", raw).replace(":", "-").strip(".-")[:_NEW_LIMIT].strip(".-")
    return f"{safe}-{mark[:8]}" if safe else mark[:16]


def native_id(payload: Mapping[str, Any], project: str) -> str:
    """Return the host's id of a session; without one, made of the transcript's path or the project."""
    for key in ("session_id", "sessionId", "sessionID", "conversation_id", "thread_id"):
        value = payload.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    base = text_of(payload, "transcript_path", "transcriptPath") or project
    return "derived-" + hashlib.sha256(base.encode("utf-8", "replace")).hexdigest()[:16]


def text_of(payload: Mapping[str, Any], *keys: str) -> str:
    """Return the first of these keys that holds a text that is not empty, else ""."""
    for key in keys:
        value = payload.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


def harness_of(payload: Mapping[str, Any], given: str, known: Callable[[str], str] | None = None) -> str:
    """Return the host that sent a payload (`hosts.md` §7): what is given, the environment, then its shape.

    `known` maps a native id to the host of a stored session with it, "" for none.
    """
    for name in (given, os.environ.get("LLM_WIKI_HARNESS", "")):
        if name.strip() and name.strip().lower() != "auto":
            return safe_harness(name)
    return _by_shape(payload) or (known(native_id(payload, "")) if known else "") or _by_mode(payload)


def safe_harness(name: str) -> str:
    """Return the name of a host as it stands in rows and paths."""
    return old_file_id(redact(name.strip()).lower()).replace(":", "-")


def _by_shape(payload: Mapping[str, Any]) -> str:
    path = text_of(payload, "transcript_path", "transcriptPath").replace("\\", "/")
    base = path.rpartition("/")[2]
    name = text_of(payload, "hook_event_name", "hookEventName")
    stamp = payload.get("timestamp")
    if "/.claude/projects/" in path or "/projects/-" in path or "prompt_id" in payload or "effort" in payload:
        return "claude"
    if base.startswith("rollout-") or "turn_id" in payload:
        return "codex"
    if ("sessionId" in payload and isinstance(stamp, int | float)) or (
        isinstance(stamp, str) and stamp[:4].isdigit() and name
    ):
        return "copilot"
    if "sessionID" in payload or native_id(payload, "").startswith("ses_"):
        return "opencode"
    if "--/" in path and "/--" in path:
        return "pi"
    return "gemini" if name in ("AfterTool", "PreCompress", "AfterAgent") else ""


def _by_mode(payload: Mapping[str, Any]) -> str:
    if "permission_mode" not in payload:
        return "unknown"
    return "codex" if "model" in payload else "claude"
