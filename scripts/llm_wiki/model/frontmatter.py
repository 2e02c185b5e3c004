"""Front matter: where it starts and ends, and its YAML read without guessing types.

Every scalar stays the text that was written (`wiki-format.md` §4), so `no`, `1e5` and `0012`
are strings. The reader walks the parser's events itself: that is faster than a loader with
its resolvers removed, and it sees duplicate keys and key lines, which loaders throw away.
`WikiHandler` offers the same reading and writing to python-frontmatter.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

if TYPE_CHECKING:
    from llm_wiki.model.handler import WikiHandler

__all__ = ["BOM", "MAX_DEPTH", "MAX_VALUES", "Front", "WikiHandler", "event_parser", "load", "split", "unix"]

BOM = b"\xef\xbb\xbf"

MAX_DEPTH = 64
"""Deepest nesting of lists and maps that is read."""

MAX_VALUES = 10_000
"""Most values an alias may stand for, all repetitions counted."""

_BLANK = b" \t"
_PLACEHOLDER = re.compile(r"[^\"']*?(\{\{[^{}]*\}\}|<%.*?%>|\{%.*?%\})")


def _event_source() -> Any:
    """Return the class whose `get_event` yields YAML events: libyaml's, else pure Python's."""
    try:
        from yaml.cyaml import CParser  # type: ignore[attr-defined]
    except ImportError:
        from yaml import Loader

        return Loader
    return CParser


_Source = _event_source()

_BREAKS = "\x85\u2028\u2029"
_STAND_INS = "\U000f0085\U000f2028\U000f2029"
_HIDE = str.maketrans(_BREAKS, _STAND_INS)
_SHOW = str.maketrans(_STAND_INS, _BREAKS)
"""Line separators that end a line in YAML 1.1, which the parsers read, and none in 1.2, which is meant:
while parsing, private characters of the same number stand for them."""


def event_parser(head: bytes | str) -> Any:
    """Return an object whose `get_event()` returns the next YAML event of a header.

    In values `_SHOW` has to undo `_HIDE` where `has_breaks`.
    """
    if has_breaks(head):
        text = head.decode(errors="replace") if isinstance(head, bytes) else head
        return _Source(text.translate(_HIDE))
    return _Source(head)


def has_breaks(head: bytes | str) -> bool:
    """Tell whether a header holds separators that only YAML 1.1 takes for line ends."""
    if isinstance(head, bytes):
        return not head.isascii() and any(mark.encode() in head for mark in _BREAKS)
    return not head.isascii() and any(mark in head for mark in _BREAKS)


class Front(NamedTuple):
    """Where the front matter of a file lies, in bytes.

    `state` is `ok` (delimited), `missing` or `unclosed`. `start` to `end` is the YAML between the
    delimiter lines, its last line end included; `body` is where the body starts. Without front
    matter `start`, `end` and `body` all point behind the BOM.
    """

    state: str
    start: int
    end: int
    body: int


def unix(data: bytes) -> bytes:
    """Return `data` with every line end as one LF, of the same length (CRLF becomes blank + LF)."""
    return data.replace(b"\r\n", b" \n").replace(b"\r", b"\n") if b"\r" in data else data


def split(flat: bytes) -> Front:
    """Find the front matter of a file given by `unix(data)`; offsets hold for `data` as well."""
    origin = 3 if flat.startswith(BOM) else 0
    if not flat.startswith(b"---", origin):
        return Front("missing", origin, origin, origin)
    line_end = flat.find(b"\n", origin)
    first = flat[origin + 3 : len(flat) if line_end < 0 else line_end]
    if first.strip(_BLANK):
        return Front("missing", origin, origin, origin)
    close = line_end
    while close >= 0:
        close = flat.find(b"\n---", close)
        if close < 0:
            break
        after = flat.find(b"\n", close + 4)
        stop = len(flat) if after < 0 else after
        if stop == close + 4 or not flat[close + 4 : stop].strip(_BLANK):
            return Front("ok", line_end + 1, close + 1, min(stop + 1, len(flat)))
        close += 4
    return Front("unclosed", origin, origin, origin)


class _Unreadable(Exception):
    """YAML that parses but cannot be front matter; `line` is 0-based inside the YAML."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


def load(
    head: bytes | str, first_line: int = 2
) -> tuple[dict[str, Any], dict[str, int], list[tuple[str, int, str]]]:
    """Read the YAML between the delimiters; `first_line` is the file line it starts on.

    Returns the mapping, the line of each top-level key, and problems as (`code`, line, detail)
    with the codes `yaml` and `duplicate` of `page.Problem`. With a `yaml` problem the mapping
    is empty. Of a key written twice the last value counts, as in every YAML loader.
    """
    found: list[tuple[str, int, str]] = []
    lines: dict[str, int] = {}
    try:
        meta = _mapping(event_parser(head), lines, found)
    except _Unreadable as error:
        return {}, {}, [_fault(head, error.line, error.reason, first_line)]
    except yaml.YAMLError as error:
        return {}, {}, [_fault(head, _error_line(error, head), _reason(error), first_line)]
    if first_line:
        lines = {key: line + first_line for key, line in lines.items()}
        found = [(code, line + first_line, detail) for code, line, detail in found]
    if has_breaks(head):
        meta, lines = _shown(meta), {key.translate(_SHOW): line for key, line in lines.items()}
    return meta, lines, found


def _shown(value: Any) -> Any:
    """Return a value with the separators it was written with."""
    if isinstance(value, dict):
        return {key.translate(_SHOW): _shown(part) for key, part in value.items()}
    return [_shown(part) for part in value] if isinstance(value, list) else value.translate(_SHOW)


def _mapping(parser: Any, lines: dict[str, int], found: list[tuple[str, int, str]]) -> dict[str, Any]:
    """Build the one mapping of the stream; lines are 0-based."""
    get = parser.get_event
    get()
    event = get()
    if event.__class__ is StreamEndEvent:
        return {}
    assert event.__class__ is DocumentStartEvent
    event = get()
    top: dict[str, Any] = {}
    if event.__class__ is MappingStartEvent:
        top = _fill(get, event, lines, found)
    elif event.__class__ is not ScalarEvent or event.value or not event.implicit[0]:
        raise _Unreadable("front matter is not a list of `key: value` lines", event.start_mark.line)
    get()
    event = get()
    if event.__class__ is not StreamEndEvent:
        raise _Unreadable("a second YAML document follows", event.start_mark.line)
    return top


def _fill(  # noqa: C901, PLR0912, PLR0915 - one loop over the events: a call for each would double its time
    get: Any, event: Any, lines: dict[str, int], found: list[tuple[str, int, str]]
) -> dict[str, Any]:
    """Read events up to the end of the top mapping, whose start event is given."""
    top: dict[str, Any] = {}
    current: Any = top
    key: str | None = None
    is_map = True
    anchor = event.anchor
    stack: list[tuple[Any, bool, str | None]] = []
    aliases = _Aliases()
    anchors = aliases.values
    value: Any
    while True:
        event = get()
        kind = event.__class__
        if kind is ScalarEvent:
            value = event.value
            if event.anchor is not None:
                anchors[event.anchor] = value
            if not is_map:
                current.append(value)
                continue
            if key is None:
                if value in current:
                    found.append(("duplicate", event.start_mark.line, value))
                elif not value and event.implicit[0]:
                    raise _Unreadable("a key is empty", event.start_mark.line)
                if not stack:
                    lines[value] = event.start_mark.line
                key = value
                continue
        elif kind is SequenceEndEvent or kind is MappingEndEvent:
            if anchor is not None:
                anchors[anchor] = current
            if not stack:
                return top
            current, is_map, anchor = stack.pop()
            continue
        elif kind is AliasEvent:
            value = aliases.resolve(event, len(stack) + 1)
        else:
            value = [] if kind is SequenceStartEvent else {}
        if is_map:
            if key is None:
                raise _Unreadable("a key is not plain text", event.start_mark.line)
            current[key] = value
            key = None
        else:
            current.append(value)
        if kind is SequenceStartEvent or kind is MappingStartEvent:
            if len(stack) >= MAX_DEPTH:
                raise _Unreadable(f"nested deeper than {MAX_DEPTH} levels", event.start_mark.line)
            stack.append((current, is_map, anchor))
            current, is_map, anchor = value, kind is MappingStartEvent, event.anchor


class _Aliases:
    """Anchored values of one front matter, and how much their aliases may still stand for."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.left = MAX_VALUES

    def resolve(self, event: Any, depth: int) -> Any:
        """Return what an alias at `depth` stands for, shared and not copied."""
        line = event.start_mark.line
        try:
            value = self.values[event.anchor]
        except KeyError:
            raise _Unreadable(f"alias *{event.anchor} is not defined before it", line) from None
        size, levels = _measure(value, {})
        self.left -= size
        if self.left < 0:
            raise _Unreadable(f"aliases stand for more than {MAX_VALUES} values", line)
        if depth + levels > MAX_DEPTH:
            raise _Unreadable(f"nested deeper than {MAX_DEPTH} levels", line)
        return value


def _measure(value: Any, known: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Return values below `value` as if aliases were copied, and levels; shared parts are visited once."""
    if isinstance(value, str):
        return 1, 0
    found = known.get(id(value))
    if found is None:
        parts = [_measure(part, known) for part in (value.values() if isinstance(value, dict) else value)]
        size, levels = 1 + sum(part[0] for part in parts), 1 + max((part[1] for part in parts), default=0)
        found = known[id(value)] = size, levels
    return found


def _fault(head: bytes | str, line: int, reason: str, first_line: int) -> tuple[str, int, str]:
    """Return the `yaml` problem at a 0-based line; what a template left there is named, and its remedy."""
    text = head.decode(errors="replace") if isinstance(head, bytes) else head
    for number in (line, line - 1):  # a line without any key is found out by the next one
        found = _PLACEHOLDER.match("".join(text.split("\n")[max(number, 0) : number + 1]))
        if found and (number == line or not found.start(1)):
            reason += f" ({found[1]} is a placeholder of a template: fill it in, or quote it)"
            return "yaml", number + first_line, reason
    return "yaml", line + first_line, reason


def _error_line(error: yaml.YAMLError, head: bytes | str) -> int:
    """Return the 0-based line of a parser error."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        return int(mark.line)
    position = getattr(error, "position", 0) or 0
    text = head.decode(errors="replace") if isinstance(head, bytes) else head
    return text.count("\n", 0, position)


def _reason(error: yaml.YAMLError) -> str:
    """Return the parser's reason in one line."""
    reason = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    return " ".join(str(reason).split())


def __getattr__(name: str) -> Any:
    """Import python-frontmatter only for those who ask for its handler."""
    if name == "WikiHandler":
        from llm_wiki.model.handler import WikiHandler

        return WikiHandler
    raise AttributeError(name)
