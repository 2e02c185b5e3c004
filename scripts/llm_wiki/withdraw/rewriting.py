"""A file without the value, still of its kind: valid front matter, valid JSON (`archive-retract.md` R8)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from llm_wiki.core.errors import WikiError
from llm_wiki.core.stores import Needle, Span
from llm_wiki.model import document, edit, layout
from llm_wiki.model.frontmatter import split, unix
from llm_wiki.model.kinds import KINDS, kind_of
from llm_wiki.model.page import Page
from llm_wiki.withdraw import json_text
from llm_wiki.withdraw.match_text import MARKER, Reading, cut, look

_ROUNDS: Final = 3
"""Times a text is cleaned: what is left around a marker may be the value again."""

_NODE: Final = re.compile(rb"[\s,\[{][&*!]$")
"""What the name of an anchor, an alias or a tag follows in YAML."""

Follow = Callable[[str], str]
"""From a reference to a file to what it has to be now, "" for one that leads to none that was renamed."""


class Rewritten(NamedTuple):
    """New bytes of a file, and what in it was left: words of the format that the value is one of."""

    data: bytes
    kept: tuple[str, ...] = ()


def clean(matcher: Needle, data: bytes) -> bytes:
    """Return bytes of any kind without the value."""
    for _ in range(_ROUNDS):
        reading = look(matcher, data)
        if reading is None:
            break
        data = reading.without()
    return data


def clean_own(matcher: Needle, data: bytes) -> bytes:
    """Return a file that programs of ours read without the value: JSON stays JSON with the same fields."""
    return clean_json(matcher, data, ours=True).data if data[:1] in (b"{", b"[") else clean(matcher, data)


def clean_json(matcher: Needle, data: bytes, *, ours: bool) -> Rewritten:
    """Return JSON without the value; `kept` says that some of it had to stay in a file that is `ours`."""
    kept = False
    for _ in range(_ROUNDS):
        reading = look(matcher, data)
        if reading is None:
            break
        text, kept = json_text.without(reading.text, reading.spans, ours=ours)
        if text == reading.text:
            break
        data = reading.encoded(text)
    return Rewritten(data, ("a name of the format",) if kept else ())


def clean_text(matcher: Needle, text: str) -> str:
    """Return a text without the value: a message, a path to be shown."""
    return clean(matcher, text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")


def masked_text(matcher: Needle, text: str) -> str:
    """Return a text to be shown, without the value even where it is a word of the format."""
    raw = text.encode("utf-8", "surrogateescape")
    for _ in range(_ROUNDS):
        spans = matcher.spans(raw, words=True)
        if not spans:
            break
        raw = cut(raw, spans)
    return raw.decode("utf-8", "surrogateescape")


def rewritten(matcher: Needle, rel: str, reading: Reading, follow: Follow) -> Rewritten:
    """Return a text file without the value."""
    lower = rel.lower()
    if json_text.is_json(rel):
        done = clean_json(matcher, reading.encoded(reading.text), ours=json_text.is_ours(rel))
        return done._replace(kept=tuple(f"{rel}: {text}" for text in done.kept))
    if lower.endswith(".md") and reading.charset == "utf-8":
        return _markdown(matcher, rel, reading, follow)
    return Rewritten(reading.without())


def _markdown(matcher: Needle, rel: str, reading: Reading, follow: Follow) -> Rewritten:
    data = reading.text
    front = split(unix(data))
    body = cut(data, [span for span in reading.spans if span.start >= front.body], _in_text)
    head = [span for span in reading.spans if span.start < front.body]
    if not head:
        return Rewritten(body)
    try:
        if front.state == "ok" and document.page(rel, body).front == "ok":
            return _fields(matcher, rel, body, follow)
    except WikiError:
        pass  # a header without a safe place for a field is changed as text
    return Rewritten(cut(body, head, _in_header))


def _in_text(text: bytes, span: Span) -> bytes:
    """Return the marker for Markdown: as the whole text of a link it must not become a wikilink."""
    if text[span.start - 1 : span.start] == b"[" and text[span.end : span.end + 1] == b"]":
        return b"\\" + MARKER[:-1] + b"\\]"
    return MARKER


def _in_header(text: bytes, span: Span) -> bytes:
    """Return the marker for YAML that no parser can read: quoted where it is a whole value.

    The name of an anchor, an alias or a tag takes no brackets.
    """
    if _NODE.search(text, max(span.start - 2, 0), span.start):
        return MARKER[1:-1]
    line = text[text.rfind(b"\n", 0, span.start) + 1 : span.start].rstrip()
    after = text[span.end :].lstrip(b" \t")[:1]
    opens = line[-1:] in b":-[," and line.count(b'"') % 2 == 0 and line.count(b"'") % 2 == 0
    return b'"' + MARKER + b'"' if opens and after in (b"", b"\r", b"\n", b",", b"]", b"#") else MARKER


def _fields(matcher: Needle, rel: str, data: bytes, follow: Follow) -> Rewritten:
    """Take the value out of the values of fields; names of fields and words of the format stay."""
    meta = document.page(rel, data).meta
    kind = KINDS.get(kind_of(inner(rel)) or "")
    legal = kind.enums if kind else {}
    kept = []
    stay = {}
    for key, value in meta.items():
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            new: str | list[str] = [follow(item) or clean_text(matcher, item) for item in value]
        elif isinstance(value, str):
            new = follow(value) or clean_text(matcher, value)
        else:
            continue
        if new == value:
            continue
        if value in legal.get(key, ()):
            stay[key] = value
            kept.append(f"{rel}: a word of the format in field {masked_text(matcher, key)}")
        else:
            data = edit.set_field(data, key, new)
    return _rest_of_head(matcher, rel, data, kept, stay)


def _rest_of_head(matcher: Needle, rel: str, data: bytes, kept: list[str], stay: dict[str, str]) -> Rewritten:
    """Take the value out of what no field holds: comments, nested values; where the header stays readable."""
    before = document.page(rel, data)
    stuck = False
    for span in reversed(_in_head(matcher, data)):
        for marker in (MARKER, b'"' + MARKER + b'"', MARKER[1:-1]):  # the last is fit for any place in YAML
            tried = data[: span.start] + marker + data[span.end :]
            if not _broken(document.page(rel, tried), before, stay):
                data = tried
                break
        else:
            stuck = True
    if stuck:  # an anchor and its alias change together, or not at all
        tried = cut(data, _in_head(matcher, data), _in_header)
        if not _broken(document.page(rel, tried), before, stay):
            data = tried
        elif not kept:
            kept.append(f"{rel}: a name of the header")
    return Rewritten(data, tuple(kept))


def _in_head(matcher: Needle, data: bytes) -> list[Span]:
    body = split(unix(data)).body
    return [span for span in matcher.spans(data) if span.start < body]


def _broken(page: Page, before: Page, stay: dict[str, str]) -> bool:
    """Tell whether an edit changed more than it should: shapes of values, or words that have to stay."""
    if page.front != before.front or set(page.meta) != set(before.meta):
        return True
    if any(page.meta.get(key) != value for key, value in stay.items()):
        return True
    shapes = {key: type(value) for key, value in before.meta.items()}
    return any(type(value) is not shapes[key] for key, value in page.meta.items()) or len(
        page.problems
    ) > len(before.problems)


def inner(rel: str) -> str:
    """Return the path of a file below its topic, of one below a hub."""
    parts = rel.split("/")
    for at, part in enumerate(parts):
        if part in layout.CONTENT_PLANES:
            return "/".join(parts[at:])
    return parts[-1]
