"""Edits that change what they must and no other byte: fields, list items, link destinations.

Order, comments, unknown keys, quoting of other values, line ends, BOM and final newline survive
(`wiki-format.md` §4 *Writing*). Each edit reads its own result back before it hands it out; where
the text offers no safe place, it raises `Refused` and nothing is lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from llm_wiki.core.errors import BadUsage, Refused
from llm_wiki.model.fields import Field, Node, locate
from llm_wiki.model.frontmatter import Front, load, split, unix
from llm_wiki.model.retarget import retarget, retarget_all
from llm_wiki.model.scalars import field_lines, field_scalar, flow_list, is_word, scalar

__all__ = [
    "remove_field",
    "rename_field",
    "render",
    "retarget",
    "retarget_all",
    "scalar",
    "set_field",
    "set_item",
]

_Patch = tuple[int, int, str]
"""Start and end in the header's characters, and what replaces them."""


def set_field(data: bytes, key: str, value: str | Sequence[str], *, after: str | None = None) -> bytes:
    """Return the file with one field set.

    An existing key is filled or replaced in place; of a list only the items that differ change, and
    comments between items stay. A new key goes behind the key `after`, else to the end; a file
    without front matter gets one. Raises `Refused` when the front matter is unclosed, no valid YAML,
    not UTF-8 or in a form without single lines.
    """
    value = value if isinstance(value, str) else list(value)
    if split(unix(data)).state == "missing":
        return _with_front_matter(data, key, value)
    header = _Header(data)
    field = header.field(key)
    if field is not None and header.meta[key] == value:
        return data
    if field is None:
        patches = [header.insertion(field_lines(key, value, header.eol, header.indent), after)]
    elif isinstance(value, str):
        patches = header.replaced(field, f" {field_scalar(key, value)}")
    else:
        patches = header.relisted(field, value)
    return header.apply(patches, {**header.meta, key: value})


def set_item(data: bytes, key: str, index: int, value: str) -> bytes:
    """Return the file with the item `index` (from 0) of a list field replaced, quoted as needed.

    Raises `BadUsage` when there is no such list or item, `Refused` as `set_field` does.
    """
    return set_items(data, key, {index: value})


def set_items(data: bytes, key: str, values: Mapping[int, str]) -> bytes:
    """Return the file with several items of a list field replaced, by place from 0; see `set_item`."""
    header = _Header(data)
    field, old = header.field(key), header.meta.get(key)
    if field is None or not isinstance(old, list) or field.value.kind != "list":
        raise BadUsage(f"front matter has no list {key!r}")
    items = list(old)
    for index, value in values.items():
        if not 0 <= index < len(items):
            raise BadUsage(f"list {key!r} has {len(items)} items, no item {index}")
        items[index] = value
    patches = [header.item(field.value, index, value) for index, value in values.items()]
    return header.apply(patches, {**header.meta, key: items})


def rename_field(data: bytes, old: str, new: str) -> bytes:
    """Return the file with a key renamed where it stands.

    Raises `BadUsage` when `old` is absent or `new` present, `Refused` as `set_field` does.
    """
    header = _Header(data)
    field = header.field(old)
    if field is None:
        raise BadUsage(f"front matter has no field {old!r}")
    if new in header.meta:
        raise BadUsage(f"front matter already has a field {new!r}")
    meta = {new if key == old else key: value for key, value in header.meta.items()}
    return header.apply([(field.start, field.end, scalar(new))], meta)


def remove_field(data: bytes, key: str) -> bytes:
    """Return the file without a field: its lines go, comments around it stay.

    Raises `BadUsage` when it is absent, `Refused` as `set_field` does.
    """
    header = _Header(data)
    field = header.field(key)
    if field is None:
        raise BadUsage(f"front matter has no field {key!r}")
    patch = (header.line_start(field.start), header.line_end(header.last(field)), "")
    return header.apply([patch], {name: value for name, value in header.meta.items() if name != key})


def render(fields: Mapping[str, str | Sequence[str]], body: str) -> bytes:
    """Return a new document: front matter in the given order, a blank line, the body as it is.

    No blank line is added to a body that is empty or starts with one.
    """
    import frontmatter

    from llm_wiki.model.handler import WikiHandler

    post = frontmatter.Post(body, handler=WikiHandler())
    post.metadata = dict(fields)
    try:
        return frontmatter.dumps(post).encode()
    except UnicodeEncodeError:
        raise BadUsage("a document holds bytes that are not UTF-8") from None


def _with_front_matter(data: bytes, key: str, value: str | list[str]) -> bytes:
    """Put front matter with one field before a file that has none."""
    front = split(unix(data))
    eol = _line_end(data)
    head = f"---{eol}{field_lines(key, value, eol)}---{eol}"
    return data[: front.start] + head.encode() + data[front.start :]


def _line_end(data: bytes) -> str:
    """Return how the first line of a file ends; LF when it has only one line."""
    at = unix(data).find(b"\n")
    if at < 0 or data[at : at + 1] == b"\r":
        return "\n" if at < 0 else "\r"
    return "\r\n" if data[at - 1 : at] == b"\r" else "\n"


class _Header:
    """The front matter of one file with the places of its fields."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.front: Front = split(unix(data))
        if self.front.state != "ok":
            raise Refused("front matter is not closed", line=1)
        try:
            self.text = data[self.front.start : self.front.end].decode()
        except UnicodeDecodeError:
            raise Refused("front matter is not UTF-8") from None
        self.meta, _, problems = load(self.text)
        for code, line, detail in problems:
            if code == "yaml":
                raise Refused(f"front matter is not valid YAML: {detail}", line=line)
        fields = locate(self.text)
        if fields is None:
            raise Refused("front matter is not written as one line for each key")
        self.fields = fields
        self.eol = _line_end(data)
        first = fields[0].start if fields else 0
        self.indent = self.text[self.line_start(first) : first]

    def field(self, key: str) -> Field | None:
        """Return the field of a key; of a key written twice the last, whose value counts."""
        return next((field for field in reversed(self.fields) if field.key == key), None)

    def line_start(self, at: int) -> int:
        """Return the offset of the first character of the line around `at`."""
        return max(self.text.rfind("\n", 0, at), self.text.rfind("\r", 0, at)) + 1

    def line_end(self, at: int) -> int:
        """Return the offset behind the line end of the line around `at`."""
        while at < len(self.text) and self.text[at] not in "\r\n":
            at += 1
        return at + 2 if self.text.startswith("\r\n", at) else min(at + 1, len(self.text))

    def last(self, field: Field) -> int:
        """Return the end of a field's value, or of its key when it has none."""
        return max(field.colon, field.value.end)

    def insertion(self, lines: str, after: str | None) -> _Patch:
        """Place whole lines behind a field, or before the closing delimiter."""
        field = self.field(after) if after is not None else None
        at = len(self.text) if field is None else self.line_end(self.last(field))
        return at, at, lines

    def replaced(self, field: Field, written: str) -> list[_Patch]:
        """Put `written` (with its leading blank) in place of a field's value, on the line of the key."""
        value = field.value
        if value.start == value.end:
            end = field.colon + len(self.text[field.colon :]) - len(self.text[field.colon :].lstrip(" \t"))
            closed = end == len(self.text) or self.text[end] in "\r\n"
            return [(field.colon, end if closed else field.colon, written)]
        between = self.text[field.colon : value.start]
        single = value.kind in ("scalar", "alias") or value.flow
        if single and (not between.strip(" \t") or "#" in between):
            return [(value.start, value.end, written[1:])]
        if "#" in between:
            gone = (self.line_start(value.start), self.line_end(value.end), "")
            return [(field.colon, field.colon, written), gone]
        return [(field.colon, value.end, written)]

    def item(self, node: Node, index: int, value: str) -> _Patch:
        """Put one list item in place of another."""
        item = node.items[index]
        written = scalar(value, flow=node.flow)
        if item.start == item.end and self.text[item.start - 1 : item.start] not in (" ", "\t"):
            written = f" {written}"
        return item.start, item.end, written

    def relisted(self, field: Field, values: list[str]) -> list[_Patch]:
        """Make a field's value the given list, keeping what it has in common with the present one."""
        node, old = field.value, self.meta[field.key]
        if node.kind == "list" and values and all(isinstance(item, str) for item in old):
            if not node.flow:
                return self._block_edits(node, old, values)
            if len(old) == len(values):
                pairs = enumerate(zip(old, values, strict=True))
                return [self.item(node, place, new) for place, (was, new) in pairs if was != new]
        flow = not values or all(is_word(item) for item in values) or (node.kind == "list" and node.flow)
        if flow:
            return self.replaced(field, f" {flow_list(values)}")
        lines = "".join(f"{self.indent}  - {scalar(item)}{self.eol}" for item in values)
        end = self.line_end(self.last(field))
        if node.kind == "scalar" and not node.literal and node.start != node.end:
            comment = self.text[node.end : end].rstrip()
            return [(field.colon, end, (f" {comment.lstrip()}" if comment else "") + self.eol + lines)]
        if node.start == node.end:
            return [(end, end, lines)]
        return [(field.colon, end, self.eol + lines)]

    def _block_edits(self, node: Node, old: Sequence[str], new: Sequence[str]) -> list[_Patch]:
        """Turn a block list into another one item by item."""
        dashes = self._dashes(node)
        lead = self.text[self.line_start(dashes[0]) : dashes[0]]
        patches: list[_Patch] = []
        for step, first, stop, low, high in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if step == "equal":
                continue
            shared = min(stop - first, high - low)
            patches += [self.item(node, first + place, new[low + place]) for place in range(shared)]
            for place in range(first + shared, stop):
                end = self.line_end(max(node.items[place].end, dashes[place] + 1))
                patches.append((self.line_start(dashes[place]), end, ""))
            added = "".join(f"{lead}- {scalar(item)}{self.eol}" for item in new[low + shared : high])
            if added:
                before = first + shared - 1
                at = self.line_start(dashes[0]) if before < 0 else self.line_end(node.items[before].end)
                patches.append((at, at, added))
        return patches

    def _dashes(self, node: Node) -> list[int]:
        """Return the offset of each item's dash in a block list."""
        found, before = [], node.start
        for item in node.items:
            dash = self.text.rfind("-", before, item.start)
            if dash < 0:
                raise Refused("a list is written in a form that cannot be edited in place")
            found.append(dash)
            before = item.end
        return found

    def apply(self, patches: Sequence[_Patch], expected: Mapping[str, Any]) -> bytes:
        """Return the file with the patches made, once the result reads as expected."""
        pieces: list[str] = []
        at = 0
        for start, end, written in sorted(patches):
            pieces += (self.text[at:start], written)
            at = end
        text = "".join(pieces) + self.text[at:]
        meta, _, problems = load(text)
        if meta != expected or any(code == "yaml" for code, _, _ in problems):
            raise Refused("front matter cannot be edited in place without touching other fields")
        return self.data[: self.front.start] + text.encode() + self.data[self.front.end :]
