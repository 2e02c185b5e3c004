"""From the bytes a host sends to one object, within the limits of `sessions.md` §9.

Of an object that is too large, too deep or has too many keys only the ids at its top are taken.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any, BinaryIO, Final, NamedTuple

from llm_wiki.hook import limit

PARSED_BYTES: Final = 4 << 20
DRAINED_BYTES: Final = 64 << 20
MAX_DEPTH: Final = 200
MAX_KEYS: Final = 5_000
_READ_BYTES: Final = 1 << 20
_SAMPLE: Final = 32 << 10
_HEAD_BYTES: Final = 64 << 10
_TAIL_BYTES: Final = 4 << 10
_LONG_BYTES: Final = 1 << 20
CALL_IDS: Final = ("tool_use_id", "toolUseId", "toolCallId", "callID")
"""What hosts name a tool call by; it alone tells two deliveries from two calls."""
_PAIRS: Final = 24
_QUIET_SECONDS: Final = 0.4
"""A host that has sent a whole object and does not close the pipe is waited for no longer."""
_SALVAGED: Final = frozenset(
    (
        *("session_id", "sessionId", "sessionID", "hook_event_name", "cwd", "transcript_path", "tool_name"),
        *("tool_use_id", "agent_id", "turn_id", "prompt_id", "permission_mode", "model", "source", "reason"),
        *("transcriptPath", "hookEventName", "toolName", "toolUseId", "toolCallId", "callID", "agentId"),
        *("timestamp", "type", "event", "tool", "trigger"),
    )
)
_TOKEN: Final = rb'(?s)"((?:[^"\\]|\\.)*+)"(\s*:)?|([{\[])|([}\]])|([-+.\w]+)|(")'
_STRING: Final = rb'"(?:[^"\\]|\\.){0,4096}+"'
_FLAT: Final = rb"\{(?:[^{}\"]|" + _STRING + rb")*+\}|\[(?:[^\[\]\"]|" + _STRING + rb")*+\]"
_LAST_PAIR: Final = rb'(?s)[,{]\s*"(\w{1,40})"\s*:\s*(' + _STRING + rb"|[-+.\w]{1,40}|" + _FLAT + rb")\s*\Z"


class Received(NamedTuple):
    """What came on stdin: the object ({} where it is unusable), whether it was too large, what was wrong.

    `sample` tells large objects apart that are not looked at as a whole: a length and sums; never stored.
    """

    payload: dict[str, Any]
    oversize: bool
    problem: str
    sample: str = ""


def receive(stream: BinaryIO) -> Received:
    """Read one JSON object from a host."""
    data = _take(stream, PARSED_BYTES + 1)
    if len(data) > PARSED_BYTES:
        seen, tail = len(data), data[-_TAIL_BYTES:]
        while seen < DRAINED_BYTES and (more := _take(stream, 1 << 20)):
            seen += len(more)
            tail = (tail + more)[-_TAIL_BYTES:]
        return _oversize(data, tail, seen)
    if not data.strip():
        return Received({}, oversize=False, problem="")
    try:
        value = _bounded(data)
    except RecursionError:
        return _oversize(data, data[-_TAIL_BYTES:], len(data))
    except ValueError as error:
        return Received({}, oversize=False, problem=f"payload is not valid JSON: {type(error).__name__}")
    if not isinstance(value, dict):
        return Received({}, oversize=False, problem="payload is not an object")
    summed = len(data) > _LONG_BYTES and not any(key in value for key in CALL_IDS)
    sample = _summed(data, b"", len(data)) if summed else ""
    return Received({key: _plain(item) for key, item in value.items()}, False, "", sample)


def _oversize(data: bytes, tail: bytes, size: int) -> Received:
    sample = _summed(data, tail, size)
    return Received(_salvage(data[:_HEAD_BYTES], tail), oversize=True, problem="", sample=sample)


def _summed(data: bytes, tail: bytes, size: int) -> str:
    from zlib import crc32

    return f"{size} {crc32(data)} {crc32(tail)}"


def _bounded(data: bytes) -> Any:
    """Return the value of JSON; raises RecursionError for one beyond the limits."""
    if _crowded(data):
        raise RecursionError
    value = _parsed(data)
    if isinstance(value, dict) and not _within_limits(value):
        raise RecursionError
    return value


def _parsed(data: bytes) -> Any:
    """Return the value of JSON; a number that JSON does not have, or nobody counts with, becomes None."""
    text = data.decode("utf-8-sig", "replace")
    try:
        return json.loads(text, parse_constant=_nothing)
    except json.JSONDecodeError:
        raise
    except ValueError:  # more digits than Python reads
        return json.loads(text, parse_constant=_nothing, parse_int=_whole_number)


def _nothing(_name: str) -> None:
    return None


def _whole_number(digits: str) -> int | None:
    return int(digits) if len(digits) < 20 else None


def _plain(value: Any) -> Any:
    """Return a text without halves of surrogate pairs, which no file can hold."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", "backslashreplace").decode()
    return value


def _crowded(data: bytes) -> bool:
    """Tell from samples whether a payload has far too many keys to be worth parsing."""
    if len(data) < 4 * _SAMPLE:
        return False
    places = range(0, len(data) - _SAMPLE, (len(data) - _SAMPLE) // 3)
    keys = sum(data.count(b'":', at, at + _SAMPLE) - data.count(b'\\":', at, at + _SAMPLE) for at in places)
    return keys * len(data) > 4 * MAX_KEYS * _SAMPLE * len(places)


def _take(stream: BinaryIO, size: int) -> bytes:
    """Return up to `size` bytes of a stream, fewer at its end or where a whole object is all that comes."""
    try:
        handle = stream.fileno()
    except (OSError, AttributeError, ValueError):
        return stream.read(size)
    if os.name == "nt":  # pragma: no cover - no select on pipes there
        return stream.read(size)
    import select

    parts: list[bytes] = []
    left = size
    while left:
        if not select.select([handle], [], [], 0)[0]:
            limit.may_stop(True)  # whoever sends keeps the hook waiting
            ends = bool(parts) and parts[-1].rstrip()[-1:] == b"}"
            if not select.select([handle], [], [], _QUIET_SECONDS if ends else None)[0]:
                if _whole(parts):
                    limit.may_stop(False)
                    break
                select.select([handle], [], [])
            limit.may_stop(False)
        part = os.read(handle, min(left, _READ_BYTES))
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _whole(parts: list[bytes]) -> bool:
    try:
        json.loads(b"".join(parts).decode("utf-8-sig", "replace"))
    except RecursionError:
        return True
    except ValueError:
        return False
    return True


def _within_limits(value: dict[str, Any]) -> bool:
    """Tell whether an object is at most MAX_DEPTH deep and has at most MAX_KEYS keys in all."""
    level: list[Any] = [value]
    keys = depth = 0
    while level:
        depth += 1
        below: list[Any] = []
        for node in level:
            if isinstance(node, dict):
                keys += len(node)
                below += [item for item in node.values() if isinstance(item, dict | list)]
            else:
                below += [item for item in node if isinstance(item, dict | list)]
        if depth > MAX_DEPTH or keys > MAX_KEYS:
            return False
        level = below
    return True


def _salvage(head: bytes, tail: bytes) -> dict[str, Any]:
    """Return the ids at the top of an object that is not parsed, from both of its ends."""
    found: dict[str, Any] = {}
    rest = tail.rstrip().removesuffix(b"}").rstrip()
    for _ in range(_PAIRS):
        if not (match := re.search(_LAST_PAIR, rest)):
            break
        _keep(found, match[1], match[2])
        rest = rest[: match.start()]
    depth, key = 0, b""
    for token in re.finditer(_TOKEN, head):
        text, colon, opens, closes, scalar, torn = token.groups()
        if torn:
            break
        if colon and depth == 1:
            key = text
            continue
        if depth == 1 and key and (text is not None or scalar):
            _keep(found, key, token[0])
        key = b""
        depth += bool(opens) - bool(closes)
    return found


def _keep(found: dict[str, Any], key: bytes, written: bytes) -> None:
    name = key.decode("utf-8", "replace")
    if name in _SALVAGED and name not in found:
        try:
            found[name] = _plain(_parsed(written))
        except ValueError:
            return
