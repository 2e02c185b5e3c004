"""Where each field of a front matter stands, so that an edit can leave every other character alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from llm_wiki.model.frontmatter import MAX_DEPTH, event_parser, split, unix


class Node(NamedTuple):
    """One YAML value as character range of the header; an empty value has `start == end`.

    `kind` is `scalar list map alias`. `flow` tells `[a, b]` from a block of `- a` lines. `items` are
    the values of a list. `literal` marks block scalars, whose last line end is not in the range.
    """

    kind: str
    start: int
    end: int
    flow: bool = False
    items: tuple[Node, ...] = ()
    literal: bool = False


class Field(NamedTuple):
    """One `key: value` of the top level.

    `start` to `end` is the key as written, `colon` the offset behind its `:`.
    """

    key: str
    start: int
    end: int
    colon: int
    value: Node


def locate(head: str) -> list[Field] | None:
    """Return the fields of a header in order; None when it is not a block of `key: value` lines.

    An empty header has no fields. Flow mappings (`{a: b}`) and explicit keys (`? a`) are readable
    YAML without lines to edit, hence None; so is invalid YAML.
    """
    if head.startswith("\ufeff"):
        return None  # the parser does not count this character, so its places would be wrong
    get: Callable[[], Any] = event_parser(head).get_event
    try:
        get()
        if get().__class__ is not DocumentStartEvent:
            return []
        event: Any = get()
        if event.__class__ is ScalarEvent and not event.value:
            return []
        if event.__class__ is not MappingStartEvent or event.flow_style:
            return None
        return _fields(get, head)
    except (yaml.YAMLError, _NoField):
        return None


def item_lines(data: bytes, lines: Mapping[str, int], key: str) -> list[int]:
    """Return the 1-based lines of a file on which the items of a list field start; [] where none have any.

    `lines` are those of the fields of its front matter (`page.Page.lines`): only from this one to the
    next is read.
    """
    start = lines.get(key, 0)
    if not start:
        return []
    end = min((line for line in lines.values() if line > start), default=0)
    flat = unix(data)
    if not end:
        end = 1 + flat.count(b"\n", 0, split(flat).end)
    head = b"\n".join(flat.split(b"\n", end)[start - 1 : end - 1]).decode(errors="replace")
    for field in reversed(locate(head + "\n") or []):
        if field.key == key:
            return [start + head.count("\n", 0, item.start) for item in field.value.items]
    return []


class _NoField(Exception):
    """The header holds a form that has no single line to edit."""


def _fields(get: Callable[[], Any], head: str) -> list[Field]:
    """Read keys and values up to the end of the top mapping."""
    found: list[Field] = []
    while (event := get()).__class__ is not MappingEndEvent:
        start, end = event.start_mark.index, event.end_mark.index
        colon = head.find(":", end)
        if event.__class__ is not ScalarEvent or colon < 0 or head[end:colon].strip(" \t"):
            raise _NoField
        line_start = max(head.rfind("\n", 0, start), head.rfind("\r", 0, start)) + 1
        if head[line_start:start].strip(" \t"):
            raise _NoField
        found.append(Field(event.value, start, end, colon + 1, _node(get, get(), head, 0)))
    return found


def _node(get: Callable[[], Any], event: Any, head: str, depth: int) -> Node:
    """Read the value that `event` starts."""
    if depth > MAX_DEPTH:
        raise _NoField
    start, end = event.start_mark.index, event.end_mark.index
    kind = event.__class__
    if kind is ScalarEvent:
        literal = event.style in ("|", ">")
        return Node("scalar", start, _trimmed(head, start, end) if literal else end, literal=literal)
    if kind is AliasEvent:
        return Node("alias", start, end)
    items: list[Node] = []
    last: Any = SequenceEndEvent if kind is SequenceStartEvent else MappingEndEvent
    while (following := get()).__class__ is not last:
        items.append(_node(get, following, head, depth + 1))
    if event.flow_style:
        end = following.end_mark.index
    elif items:
        end = items[-1].end
    name = "list" if kind is SequenceStartEvent else "map"
    return Node(name, start, end, bool(event.flow_style), tuple(items) if name == "list" else ())


def _trimmed(head: str, start: int, end: int) -> int:
    """Return the end of a range without the blanks and line ends it closes with."""
    return start + len(head[start:end].rstrip())
