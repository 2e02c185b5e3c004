"""From the object a host sends to the small facts that may be kept (`sessions.md` §6).

An allow list, not a block list: what is not named here is left out, with its length in its place.
Prompts are kept in memory for the classifier alone, and stored nowhere.
"""

from __future__ import annotations

import json
import os
import re
from math import isfinite
from typing import Any, Final, NamedTuple

from llm_wiki.core.redact import redact
from llm_wiki.hook.names import text_of

PREVIEW_CHARS: Final = 1_200

_KEPT: Final = (
    "hook_event_name",
    "permission_mode",
    "source",
    "trigger",
    "reason",
    "tool_name",
    "agent_type",
    "notification_type",
    "duration_ms",
    "is_interrupt",
    "stop_hook_active",
)
"""Top-level keys whose value stays; ids, `cwd`, model and transcript path have columns of their own."""

_COLUMNS: Final = frozenset(
    [
        "session_id",
        "sessionId",
        "sessionID",
        "cwd",
        "transcript_path",
        "transcriptPath",
        "model",
        "turn_id",
        "turnId",
        "prompt_id",
        "tool_use_id",
        "toolUseId",
        "toolCallId",
        "callID",
        "agent_id",
        "agentId",
    ]
)
_PATHS: Final = ("file_path", "filePath", "notebook_path", "path", "filename")
_WRITES: Final = frozenset(
    ["write", "edit", "multiedit", "notebookedit", "apply_patch", "create", "patch", "str_replace"]
)
_PROGRAM: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,31}")
_PATCHED: Final = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_PASSED_OVER: Final = frozenset(
    (
        *("if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "in"),
        *("function", "time", "sudo", "env", "nohup", "exec", "command", "builtin", "!", "{", "}", "(", ")"),
    )
)
"""Words of a shell that are no program, or only start one."""
_EXIT: Final = re.compile(r"\s*exit code:? (-?\d{1,9})\b", re.IGNORECASE)
_BEYOND: Final = 4_096
"""Characters behind the cut of a text that are looked at too: no secret is longer."""
_DRIVE: Final = re.compile("[A-Za-z]:/")
_NAME: Final = re.compile(r"[A-Za-z_$][\w$.:-]{0,79}", re.ASCII)
"""What a host may call a field; anything else as a key is text of somebody."""
_SEGMENTS: Final = 10
_COMMAND_CHARS: Final = 4_096
_FILES: Final = 20


def kept_text(value: str, limit: int, *, strict: bool = False) -> str:
    """Return at most `limit` characters of a text, redacted before it is cut: half a secret is one too."""
    return redact(value[: limit + _BEYOND].replace("\0", ""), strict=strict)[:limit]


def preview(payload: dict[str, Any], most: int, *, oversize: bool, strict: bool) -> str:
    """Return the reduced payload as JSON of at most `most` characters, always valid."""
    kept: dict[str, Any] = {}
    if oversize:
        kept["oversize"] = True
    left_out: dict[str, Any] = {}
    for key, value in payload.items():
        name = kept_text(key, 80, strict=strict) if _NAME.fullmatch(key) else "[OMITTED name]"
        if key in _COLUMNS:
            continue
        if key in _KEPT and (isinstance(value, str | int) or (isinstance(value, float) and isfinite(value))):
            kept[name] = kept_text(value, 200, strict=strict) if isinstance(value, str) else value
        elif value is not None:
            left_out[name] = f"[OMITTED len={len(value) if isinstance(value, str | list | dict) else 1}]"
    text = json.dumps(kept | left_out, sort_keys=True)
    while len(text) > most and (left_out or kept):
        (left_out or kept).popitem()
        text = json.dumps(kept | left_out | {"cut": True}, sort_keys=True)
    return text if len(text) <= most else "{}"


class ToolFacts(NamedTuple):
    """What is kept of one tool call: (path, "read" or "write") pairs, program names, exit code or None."""

    files: tuple[tuple[str, str], ...]
    programs: tuple[str, ...]
    code: int | None
    failed: bool


def tool_facts(payload: dict[str, Any], *, failed: bool, root: str, strict: bool) -> ToolFacts:
    """Reduce a tool call to file paths below `root` (else base names), program names and an exit code."""
    given = _arguments(payload)
    name = text_of(payload, "tool_name", "toolName", "tool")
    command = text_of(given, "command", "cmd", "script")
    cwd = text_of(payload, "cwd") or root
    patched = _PATCHED.findall(command) if name == "apply_patch" or "*** Begin Patch" in command else []
    how = "write" if patched or name.lower().rpartition("__")[2] in _WRITES else "read"
    paths = patched or [given[key] for key in _PATHS if isinstance(given.get(key), str) and given[key]][:1]
    files = [(shown_path(path, cwd, root, strict=strict), how) for path in paths[:_FILES]]
    code = _exit_code(payload)
    return ToolFacts(
        tuple((path, mode) for path, mode in files if path),
        () if patched else tuple(redact(word) for word in programs(command)),
        code,
        failed or bool(code) or _says_failed(payload),
    )


def _arguments(payload: dict[str, Any]) -> dict[str, Any]:
    for key in ("tool_input", "toolArgs", "toolInput", "args", "input"):
        value = payload.get(key)
        if isinstance(value, str) and value.startswith("{") and len(value) < 1 << 16:
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                continue
        if isinstance(value, dict):
            return value
    return {}


def shown_path(path: str, cwd: str, root: str, *, strict: bool = False) -> str:
    """Return a file's path relative to `root`; of a file elsewhere only its last part.

    It is redacted before it is put in order too, which would take a `//` out of an address.
    """
    path = redact(path.strip().partition("\n")[0][:_BEYOND])
    path = path.replace("\0", "").replace("\\", "/")
    base = cwd.replace("\\", "/").rstrip("/")
    full = path if _DRIVE.match(path) else os.path.normpath(os.path.join(base or "/", path))
    if base and full.startswith(base + "/"):
        if _DRIVE.match(base):  # the notation of another system, which this one cannot look up
            return kept_text(full[len(base) + 1 :], 300, strict=strict)
        full = os.path.realpath(cwd) + full[len(base) :]  # by way of a link
    for top in (root, os.path.realpath(root) if root else ""):
        if top and full.startswith(top.rstrip("/") + "/"):
            return kept_text(full[len(top.rstrip("/")) + 1 :], 300, strict=strict)
    return kept_text(path.rstrip("/").rpartition("/")[2], 120, strict=strict)


def programs(command: str) -> list[str]:
    """Return the names of the programs a shell command runs: the first word of each segment, no argument."""
    found: list[str] = []
    for segment in _segments(command[:_COMMAND_CHARS]):
        for word in segment.split():
            bare = word.lstrip("({!$").strip("\"'`")
            if not bare or word in _PASSED_OVER or ("=" in word and word[0] not in "\"'/."):
                continue
            name = bare.rpartition("/")[2]
            random = len(name) >= 20 and any(char.isdigit() for char in name)
            if _PROGRAM.fullmatch(name) and not random and name not in found:
                found.append(name)
            break
        if len(found) >= _SEGMENTS:
            break
    return found


def _segments(command: str) -> list[str]:
    """Split a shell command at `; & |` and line ends outside of quotes; a here-document ends it."""
    parts: list[str] = []
    start = 0
    quote = ""
    at = 0
    while at < len(command):
        char = command[at]
        if char == "\\" and quote != "'":
            at += 2
            continue
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'`":
            quote = char
        elif char == "<" and command.startswith("<<", at):
            break
        elif char in ";&|\n":
            parts.append(command[start:at])
            start = at + 1
        at += 1
    parts.append(command[start:at])
    return parts


def _exit_code(payload: dict[str, Any]) -> int | None:
    """Return the exit code of a tool call, where the host names one."""
    response = payload.get("tool_response", payload.get("toolResult", payload.get("output")))
    places = [payload, response, response.get("metadata") if isinstance(response, dict) else None]
    for place in places:
        if isinstance(place, dict):
            for key in ("exit_code", "exitCode", "exit", "returncode"):
                value = place.get(key)
                if isinstance(value, int) and not isinstance(value, bool):
                    return value
    for text in (payload.get("error"), response):
        match = _EXIT.match(text[:200]) if isinstance(text, str) else None
        if match:
            return int(match[1])
    return None


def _says_failed(payload: dict[str, Any]) -> bool:
    """Tell whether a host that gives no exit code calls a finished tool call failed."""
    result = payload.get("toolResult", payload.get("tool_result"))
    kind = text_of(result, "resultType", "result_type") if isinstance(result, dict) else ""
    return kind == "failure" or payload.get("isError") is True


def prompt_of(payload: dict[str, Any]) -> str:
    """Return what the user typed, for the classifier; never stored as it is."""
    text = text_of(payload, "feedback_text", "prompt", "user_prompt", "message", "input", "content")
    if text:
        return text
    messages = payload.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else None
    if isinstance(last, dict):
        return text_of(last, "content", "text")
    return last if isinstance(last, str) else ""
