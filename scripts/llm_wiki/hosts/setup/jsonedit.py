"""Edits of JSON text that change no byte but those of the value put in or taken out.

Line ends, indentation, order, comments and a trailing comma stay as the file has them. `remove` undoes
what `add` did: their order of blanks and commas is the same.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from llm_wiki.hosts.setup.jsonc import Node, parse

_INDENT: Final = re.compile(r"\n([ \t]+)(?=\S)")
_BLANKS: Final = re.compile(r"[ \t]*")
_COMMENT: Final = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DEFAULT: Final = "  "


def add(text: str, pointer: tuple[str, ...], value: Any) -> str:
    """Return the text with a member (`pointer` ends with its name) or, for `-`, an item at a list's end.

    What `pointer` passes through must exist. Raises KeyError otherwise.
    """
    node = _at(parse(text), pointer[:-1])
    name = pointer[-1]
    unit = _unit(text)
    inline = _inline(text, node)
    own = _margin(text, node.start)
    inner = own + unit
    if node.parts and not inline:
        first = node.begin(0)
        line = text.rfind("\n", 0, first) + 1
        if not text[line:first].strip():
            inner = text[line:first]
    body = _render(value, "" if inline else unit, inner, text, inline=inline)
    colon = ": " if '": ' in text or not node.parts else ":"
    label = json.dumps(name, ensure_ascii=False) + colon if node.kind == "object" else ""
    last = len(text[: node.end - 1].rstrip(" \t\r\n"))
    trailing = bool(node.commas) and node.commas[-1] >= 0
    lead = ("" if not node.parts else " " if _spaced(text) else "") if inline else _newline(text) + inner
    piece = lead + label + body + ("," if trailing else "")
    if not node.parts:
        tail = "" if inline else _newline(text) + own
        keep = "" if last == node.start + 1 else text[node.start + 1 : last]
        return text[: node.start + 1] + keep + piece + tail + text[node.end - 1 :]
    if trailing:
        return text[:last] + piece + text[last:]
    end = node.parts[-1].end
    return text[:end] + "," + text[end:last] + piece + text[last:]


def remove(text: str, pointer: tuple[str, ...]) -> str:
    """Return the text without the member or item a pointer names, its comma and its line included."""
    node = _at(parse(text), pointer[:-1])
    at = node.keys.index(pointer[-1]) if node.kind == "object" else int(pointer[-1])
    begin, end = node.begin(at), node.parts[at].end
    start = len(text[:begin].rstrip(" \t\r\n"))
    before = node.commas[at - 1] + 1 if at else node.start + 1
    gap = text[before:start]
    comma = node.commas[at]
    rest = text[(comma + 1 if comma >= 0 else end) :]
    if start == node.start + 1 == begin and at < len(node.parts) - 1:
        rest = rest.lstrip(" \t")  # on one line, right behind the bracket
    if _in_line_comment(gap) and not rest.lstrip(" \t\r").startswith("\n"):
        rest = _newline(text) + rest
    if at and comma < 0:  # the last one loses the comma that led to it
        return text[: before - 1] + gap + rest
    if len(node.parts) == 1 and not gap.strip():
        close = rest[: node.end - 1 - len(text)]
        if not close.strip():
            rest = rest[len(close) :]
    return text[:start] + rest


def _in_line_comment(gap: str) -> bool:
    """Tell whether a stretch of blanks and comments ends in a comment that its line's end closes."""
    last = ""
    for match in _COMMENT.finditer(gap):
        last = match[0]
    return last.startswith("//") and gap.endswith(last)


def replace(text: str, pointer: tuple[str, ...], value: Any) -> str:
    """Return the text with another value in the place a pointer names."""
    node = _at(parse(text), pointer)
    inline = "\n" not in text.strip() or ("\n" not in text[node.start : node.end] and bool(node.parts))
    body = _render(value, "" if inline else _unit(text), _margin(text, node.start), text, inline=inline)
    return text[: node.start] + body + text[node.end :]


def fresh(value: Any) -> str:
    """Return the text of a file that is made new."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _at(node: Node, pointer: tuple[str, ...]) -> Node:
    for name in pointer:
        found = node.member(name) if node.kind == "object" else node.parts[int(name)]
        if found is None:
            raise KeyError(name)
        node = found
    return node


def _inline(text: str, node: Node) -> bool:
    """Tell whether a container is written on one line, and what is added to it should be too."""
    if "\n" not in text.strip():
        return bool(node.parts) or node.start > len(text) - len(text.lstrip())
    return bool(node.parts) and "\n" not in text[node.start : node.end]


def _render(value: Any, unit: str, margin: str, text: str, *, inline: bool) -> str:
    if inline:
        gap = (", ", ": ") if _spaced(text) else (",", ":")
        return json.dumps(value, ensure_ascii=False, separators=gap)
    body = json.dumps(value, indent=unit, ensure_ascii=False)
    return body.replace("\n", _newline(text) + margin)


def _spaced(text: str) -> bool:
    return '": ' in text or '":' not in text


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str:
    match = _INDENT.search(text)
    return match[1] if match else _DEFAULT


def _margin(text: str, at: int) -> str:
    """Return the blanks at the start of the line a place stands in."""
    line = text.rfind("\n", 0, at) + 1
    match = _BLANKS.match(text, line)
    return match[0] if match else ""
