"""Front matter: read as PyYAML reads it, edited so that nothing else changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml
from fuzz_oracles import LOADER, only_line_end, shared, strings

from llm_wiki.core.errors import BadUsage, Refused
from llm_wiki.model import edit
from llm_wiki.model.frontmatter import load, split, unix

_BREAKS = ("\x85", "\u2028", "\u2029", "\U000f0085", "\U000f2028", "\U000f2029")


def front_matter(data: bytes) -> None:
    """A header reads as PyYAML reads it with every scalar a string, from bytes as from text."""
    meta, lines, problems = load(data)
    broken = any(code == "yaml" for code, _, _ in problems)
    assert not (broken and (meta or lines))
    assert set(lines) == set(meta)
    assert all(line >= 2 for line in lines.values())
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    if not text.startswith(("\ufeff", "\ufffe")):
        assert load(text) == (meta, lines, problems)
    if broken or any(mark in text for mark in _BREAKS):
        return
    assert strings(text, meta) == meta
    assert lines == dict(sorted(lines.items(), key=lambda item: list(meta).index(item[0])))


def set_field(data: bytes) -> None:
    """An edit of a field changes this field alone, keeps every other byte, and done twice is done once."""
    action, key, value, rest = arguments(data)
    wanted: str | list[str] = value
    actions: dict[str, Callable[[bytes], bytes]] = {
        "set": lambda old: edit.set_field(old, key, wanted),
        "rename": lambda old: edit.rename_field(old, key, value),
        "remove": lambda old: edit.remove_field(old, key),
        "item": lambda old: edit.set_item(old, key, 0, value),
    }
    name = action if action in actions else list(actions)[len(action) % len(actions)]
    if name == "set" and "|" in value:
        wanted = value.split("|")
    try:
        after = actions[name](rest)
    except (BadUsage, Refused):
        return
    old, old_lines = _header(rest)
    new, _ = _header(after)
    expected = _edited(name, old, key, wanted)
    assert new == expected
    assert list(new) == list(expected)
    eol = only_line_end(rest)
    assert not eol or only_line_end(after) == eol or not old_lines
    _kept_around(rest, after, key, new=key not in old)
    if name in ("set", "item"):
        assert actions[name](after) == after
    elif name == "rename":
        assert _header(edit.rename_field(after, value, key))[0] == old


def arguments(data: bytes) -> tuple[str, str, str, bytes]:
    """Return the three words of the first line, parted by tabs, and the rest."""
    first, _, rest = data.partition(b"\n")
    parts = [*first.decode(errors="replace").split("\t"), "", "", ""]
    return parts[0], parts[1], parts[2], rest


def _header(data: bytes) -> tuple[dict[str, Any], int]:
    """Return what a file's front matter says as PyYAML reads it, and how many lines it has."""
    front = split(unix(data))
    head = data[front.start : front.end].decode()
    if any(mark in head for mark in _BREAKS):
        return load(head)[0], head.count("\n")
    return strings(head, load(head)[0]), head.count("\n")


def _edited(name: str, old: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    if name == "set":
        return {**old, key: value}
    if name == "item":
        return {**old, key: [value, *old[key][1:]]}
    return {value if one == key else one: what for one, what in old.items() if name == "rename" or one != key}


def _kept_around(before: bytes, after: bytes, key: str, *, new: bool) -> None:
    """Check that all in front of the field's line and all behind its last line stayed."""
    if new:
        assert sum(shared(before, after)) == len(before)
        return
    front = split(unix(before))
    head = before[front.start : front.end].decode()
    if any(mark in head for mark in _BREAKS):
        return
    try:
        span = _span(head, key)
    except yaml.composer.ComposerError:
        return  # an anchor set twice, which PyYAML refuses and YAML allows
    first = front.start + len(head[: span[0]].encode())
    last = front.start + len(head[: span[1]].encode())
    assert after.startswith(before[:first])
    assert after.endswith(before[last:])
    assert first + len(before) - last <= len(after)


def _span(head: str, key: str) -> tuple[int, int]:
    """Return the characters of the lines that hold a field, as PyYAML's composer sees it."""
    node = yaml.compose(head, LOADER)
    for name, value in reversed(node.value if isinstance(node, yaml.MappingNode) else []):
        if name.value == key:
            start = (
                max(head.rfind("\n", 0, name.start_mark.index), head.rfind("\r", 0, name.start_mark.index))
                + 1
            )
            end = len(head[: max(value.end_mark.index, name.end_mark.index + 1)].rstrip())
            colon = head.find(":", name.end_mark.index)
            end = max(end, colon + 1)
            while end < len(head) and head[end] not in "\r\n":
                end += 1
            return start, min(end + (2 if head.startswith("\r\n", end) else 1), len(head))
    raise KeyError(key)


def written(data: bytes) -> None:
    """A new document says what it was given: each line `key`, tab, value or values parted by bars."""
    fields: dict[str, str | list[str]] = {}
    for line in data.decode(errors="replace").split("\n"):
        key, _, value = line.partition("\t")
        fields[key] = value.split("|") if "|" in value else value
    try:
        text = edit.render(fields, "# Body\n")
    except BadUsage:
        return
    front = split(unix(text))
    meta, _, problems = load(text[front.start : front.end])
    assert (meta, problems) == (fields, [])
    assert text[front.body :].strip() == b"# Body"
