"""JSON with comments and trailing commas, read into nodes that know where they stand in the text.

Hosts keep their settings so, and people write comments into them: an edit must know the place of every
value, and of nothing else may it change a byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, NoReturn

_BLANK: Final = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORD: Final = re.compile(r"-?[0-9][0-9.eE+-]*|true|false|null")


class BadJson(ValueError):
    """A text that is not what it should be; `line` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


class Node(NamedTuple):
    """One value: its place in the text and what it holds.

    `parts` are its members or items in order; `keys` the names of the members, empty for a list. `commas`
    holds the place of the comma behind each part, -1 for none.
    """

    kind: str
    start: int
    end: int
    value: Any
    keys: tuple[str, ...]
    key_starts: tuple[int, ...]
    parts: tuple[Node, ...]
    commas: tuple[int, ...]

    def member(self, key: str) -> Node | None:
        """Return the value of a member, the last one where a name stands twice."""
        for at in range(len(self.keys) - 1, -1, -1):
            if self.keys[at] == key:
                return self.parts[at]
        return None

    def begin(self, at: int) -> int:
        """Return where the part `at` begins, its name included."""
        return self.key_starts[at] if self.kind == "object" else self.parts[at].start


def parse(text: str) -> Node:
    """Return the one value in a text. Raises BadJson, with the line; also for nesting that is too deep."""
    reader = _Reader(text)
    try:
        node = reader.value(reader.blank(0))
    except RecursionError:
        raise BadJson("it is nested too deeply", 1) from None
    rest = reader.blank(node.end)
    if rest < len(text):
        reader.fail("something stands behind the end", rest)
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def fail(self, message: str, at: int) -> NoReturn:
        raise BadJson(message, self.text.count("\n", 0, at) + 1)

    def blank(self, at: int) -> int:
        match = _BLANK.match(self.text, at)
        at = match.end() if match else at
        if self.text.startswith("/*", at):
            self.fail("a comment is not closed", at)
        return at

    def value(self, at: int) -> Node:
        char = self.text[at : at + 1]
        if char == "{":
            return self.container(at, "object")
        if char == "[":
            return self.container(at, "array")
        if char == '"':
            end, value = self.string(at)
            return Node("scalar", at, end, value, (), (), (), ())
        match = _WORD.match(self.text, at)
        if not match:
            self.fail("a value is missing" if not char else f"{char!r} is no value", at)
        try:
            value = json.loads(match[0])
        except ValueError:
            self.fail(f"{match[0][:20]!r} is no value", at)
        return Node("scalar", at, match.end(), value, (), (), (), ())

    def string(self, at: int) -> tuple[int, str]:
        match = _STRING.match(self.text, at)
        if not match:
            self.fail("a text in quotes is expected, and closed on its line", at)
        try:
            return match.end(), json.loads(match[0])
        except ValueError:
            self.fail("a text has a wrong escape", at)

    def container(self, start: int, kind: str) -> Node:
        close = "}" if kind == "object" else "]"
        keys: list[str] = []
        places: list[int] = []
        parts: list[Node] = []
        commas: list[int] = []
        at = self.blank(start + 1)
        while self.text[at : at + 1] != close:
            if parts and commas[-1] < 0:
                self.fail(f"a comma or {close!r} is missing", at)
            if kind == "object":
                places.append(at)
                end, key = self.string(at)
                keys.append(key)
                at = self.blank(end)
                if self.text[at : at + 1] != ":":
                    self.fail("a colon is missing", at)
                at = self.blank(at + 1)
            parts.append(self.value(at))
            at = self.blank(parts[-1].end)
            commas.append(at if self.text[at : at + 1] == "," else -1)
            if commas[-1] >= 0:
                at = self.blank(at + 1)
        values = [part.value for part in parts]
        value: Any = dict(zip(keys, values, strict=True)) if kind == "object" else values
        found = tuple(parts)
        return Node(kind, start, at + 1, value, tuple(keys), tuple(places), found, tuple(commas))


def walk(node: Node, pointer: str = "") -> Iterator[tuple[str, Node]]:
    """Yield every value below a node with its JSON pointer."""
    yield pointer, node
    for at, part in enumerate(node.parts):
        name = node.keys[at].replace("~", "~0").replace("/", "~1") if node.kind == "object" else str(at)
        yield from walk(part, f"{pointer}/{name}")
