"""The front matter of one page without a source that goes: items of lists, and fields with one value."""

from __future__ import annotations

import re
from typing import Final

from llm_wiki.core.errors import WikiError
from llm_wiki.model import document, edit
from llm_wiki.model.frontmatter import split, unix
from llm_wiki.withdraw.archive_links import REFERENCES
from llm_wiki.withdraw.source_known import Edited, Reference, Source

_LISTS: Final = ("sources", "raw_sources", "inventory")
_KEY: Final = re.compile(rb"([\w-]+)[ \t]*:")
_ITEM: Final = re.compile(rb"([ \t]*)-[ \t]+")


def without_fields(source: Source, rel: str, done: Edited) -> None:
    """Drop what of the fields of a page means the source."""
    _fields(source, rel, done)
    _items(source, rel, done)


def _fields(source: Source, rel: str, done: Edited) -> None:
    """Drop items of lists that mean the source, and fields whose one value does."""
    page = document.page(rel, done.data)
    for key, value in page.meta.items():
        line = page.lines.get(key, 0)
        try:
            if isinstance(value, list):
                kept = [
                    item for item in value if not (isinstance(item, str) and source.means(rel, key, item))
                ]
                if len(kept) == len(value):
                    continue
                done.references += [Reference("field", rel, line)] * (len(value) - len(kept))
                done.data = edit.set_field(done.data, key, kept)
            elif isinstance(value, str) and key in REFERENCES and source.means(rel, key, value):
                changed = _without_value(source, done.data, key, value)
                if changed != done.data:
                    done.references.append(Reference("field", rel, line))
                    done.data = changed
        except WikiError:
            continue  # a header without a safe place: what replaces plain text takes the reference


def _without_value(source: Source, data: bytes, key: str, value: str) -> bytes:
    """Return a page without the one value of a field; what it replaced is replaced by what follows it."""
    if key == "supersedes" and source.older:
        return edit.set_field(data, key, source.older)
    if key not in _LISTS:
        return edit.remove_field(data, key)
    # several in one scalar are no reference to any of them
    return data if "," in value else edit.set_field(data, key, [])


def _items(source: Source, rel: str, done: Edited) -> None:
    """Drop items of lists of references that no field holds: of maps, of lists, in a broken header."""
    front = split(unix(done.data))
    lines = done.data[: front.body].splitlines(keepends=True)
    kept: list[bytes] = []
    key, at = "", 0
    while at < len(lines):
        found = _KEY.match(lines[at])
        key = found[1].decode() if found else key
        item = _ITEM.match(lines[at]) if key in _LISTS and not found else None
        end = at + 1
        if item is not None:
            deeper = re.compile(rb"[ \t]{%d}[ \t]|[ \t]*[\r\n]" % len(item[1]))
            while end < len(lines) and deeper.match(lines[end]):
                end += 1
            written = b"".join(lines[at:end])
            value = _ITEM.sub(b"", written, count=1).decode().strip(" \t\r\n\"'[]")
            if source.plain.spans(written) or source.means(rel, key, value):
                done.references.append(Reference("field", rel, at + 1))
                lines[at:end] = []
                continue
        kept += lines[at:end]
        at = end
    if len(b"".join(kept)) < front.body:
        done.data = b"".join(kept) + done.data[front.body :]


__all__ = ["without_fields"]
