"""How a value is written into front matter: the subset both readers share (`wiki-format.md` §4)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from llm_wiki.core.errors import BadUsage
from llm_wiki.core.text import is_date

_INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@`")
_INNER = re.compile(r": |:$| #|,")
_FLOW = re.compile(r"[\[\]{}]")
_SPECIAL = re.compile(
    r"[^\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|[\u2028\u2029]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_MORE_NON_STRINGS = re.compile(
    r"[yYnN]|0o[0-7]+|<<|=|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
)
_WORD = re.compile(r"[^\W_][\w.+-]*(?: [\w.+-]+)*")
_NAMED = {"\0": "\\0", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\", '"': '\\"'}

NUMBERS = frozenset({"credibility", "lesson_count", "size_bytes", "record_count", "freshness_threshold"})
"""Fields whose digits are a number (`wiki-format.md` §5) and stay without quotes."""


LONGEST_KEY = 1000
"""Bytes of the name of a field as written: in one line YAML looks no further than 1024 for its colon."""


def scalar(value: str, *, flow: bool = False) -> str:
    """Return a value as one line of YAML that reads back as exactly this text.

    Plain where that is safe; double quotes around a value that is empty, padded, holds `: `, ` #`
    or a comma, starts with an indicator, or would be read as a non-string; single quotes as soon as
    it holds `"` (or needs quotes and holds a backslash). Dates stay plain. Line ends and control
    characters become escapes in double quotes. `flow`: the value stands inside `[…]`.
    Raises `BadUsage` for text that UTF-8 cannot hold.
    """
    if _SURROGATE.search(value):
        raise BadUsage("a value holds bytes that are not UTF-8")
    if _SPECIAL.search(value):
        return '"' + _escaped(value) + '"'
    if '"' in value:
        return "'" + value.replace("'", "''") + "'"
    if not _needs_quotes(value) and not (flow and _FLOW.search(value)):
        return value
    if "\\" in value:
        return "'" + value.replace("'", "''") + "'"
    return f'"{value}"'


def field_lines(key: str, value: str | Sequence[str], eol: str = "\n", indent: str = "") -> str:
    """Return `key: value` with its line end; a list as `[a, b]` of plain words, else as a block.

    Raises `BadUsage` for a key that is longer than YAML lets one be.
    """
    name = scalar(key)
    if len(name.encode()) > LONGEST_KEY:
        raise BadUsage(f"the name of a field is too long: {key[:40]!r}…")
    if isinstance(value, str):
        return f"{indent}{name}: {field_scalar(key, value)}{eol}"
    if not value or all(is_word(item) for item in value):
        return f"{indent}{name}: {flow_list(value)}{eol}"
    return f"{indent}{name}:{eol}" + "".join(f"{indent}  - {scalar(item)}{eol}" for item in value)


def field_scalar(key: str, value: str) -> str:
    """Return a value as written for this key: the digits of a number field stay plain."""
    return value if key in NUMBERS and value.isascii() and value.isdigit() else scalar(value)


def flow_list(values: Sequence[str]) -> str:
    """Return a list on one line."""
    return "[" + ", ".join(scalar(item, flow=True) for item in values) + "]"


def is_word(item: str) -> bool:
    """Tell whether a list item may stand in `[a, b]`: words without path or quotes."""
    return _WORD.fullmatch(item) is not None and scalar(item) == item


def _needs_quotes(value: str) -> bool:
    return (
        not value
        or value[0] in _INDICATORS
        or value != value.strip()
        or _INNER.search(value) is not None
        or _is_non_string(value)
    )


def _is_non_string(value: str) -> bool:
    """Tell whether a common YAML reader makes something else than text of a plain value."""
    if _MORE_NON_STRINGS.fullmatch(value):
        return True
    for pattern in _patterns().get(value[0], ()):
        if pattern.match(value):
            return not is_date(value)
    return False


@cache
def _patterns() -> dict[str, list[re.Pattern[str]]]:
    """Return what PyYAML resolves implicitly, by first character."""
    from yaml.resolver import Resolver

    return {
        first: [pattern for _, pattern in known] for first, known in Resolver.yaml_implicit_resolvers.items()
    }


def _escaped(value: str) -> str:
    """Return the inside of a double-quoted scalar."""

    def escape(found: re.Match[str]) -> str:
        char = found[0]
        return _NAMED.get(char) or (f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}")

    value = value.replace("\\", "\\\\").replace('"', '\\"')
    return _SPECIAL.sub(escape, value)
