"""Markdown as the wiki reads it: links, headings, footnotes and code with byte ranges.

One pass over the events of pyromark (CommonMark with tables, footnotes and wikilinks) finds
everything; Markdown is never searched with patterns, so links in code and comments do not exist.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from operator import itemgetter
from typing import Any, NamedTuple
from unicodedata import category

import pyromark

from llm_wiki.model.cells import destination, escape_cell, escape_link_text

__all__ = [
    "LinkRow",
    "Scan",
    "anchor",
    "destination",
    "escape_cell",
    "escape_link_text",
    "scan",
]

_OPTIONS = (
    pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_FOOTNOTES | pyromark.Options.ENABLE_WIKILINKS
)
PARSER = pyromark.Markdown(options=_OPTIONS)
"""The one parser, for every reading of Markdown."""

_FORMS = {
    "Inline": "inline",
    "Reference": "reference",
    "Collapsed": "collapsed",
    "Shortcut": "shortcut",
    "Autolink": "autolink",
    "Email": "autolink",
}
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(
    rb"<(a|area|img|audio|video|source)(?=[\s/])((?:[^<>\"']|\"[^\"]*\"|'[^']*')*)>", re.IGNORECASE
)
_ATTRIBUTE = re.compile(
    rb"(?<![^\s\"'/])(href|src)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'=<>`]+))", re.IGNORECASE
)
_MARKS = ("[", "<", "#", "`", "=", "-", "~", "\t", "    ")
"""Text without any of these holds no link, heading, footnote or code."""
_LONE_CR = re.compile(r"\r(?!\n)")
_LABEL = re.compile(r"\^[^\s\[\]]+")
_OPENINGS = (b"[", b"![", b"[[", b"![[")
_START = itemgetter(4)
_NEAR = 1000
_NAMED_LEVELS = 4
"""Images nested deeper than this in each other get no text."""
_DROPPED = re.compile(r"[^\w\- ]+")


LinkRow = tuple[str, bool, str, str, int, int, int]
"""One link as written: form, image, target, text, start, end, label.

`start` and `end` are byte offsets in the scanned body, `label` is the end of the label's content
(in HTML the start of the attribute's value), from which the destination is looked for.
"""

_PENDING: LinkRow = ("", False, "", "", 0, 0, 0)


class Scan(NamedTuple):
    """What one pass over a body finds, with byte offsets in that body.

    `headings` are (level, text, start), `footnotes` (label, start, defines), `code` the (start, end)
    of code blocks and inline code, `html` of blocks of HTML, in which no Markdown is
    read, `tables` of tables.
    """

    links: list[LinkRow]
    headings: list[tuple[int, str, int]]
    footnotes: list[tuple[str, int, bool]]
    code: list[tuple[int, int]]
    html: list[tuple[int, int]]
    tables: list[tuple[int, int]]


def scan(text: str, raw: bytes | None = None) -> Scan:
    """Find links, headings, footnotes and code in Markdown without front matter.

    `raw` is the text in UTF-8, for callers who have it.
    """
    if not any(mark in text for mark in _MARKS):
        return Scan([], [], [], [], [], [])
    raw = text.encode() if raw is None else raw
    text = lines_ended(text)
    found = _Walk(raw).run(PARSER.events_with_range(text))
    if b"]:" in raw:
        _definitions(text, found)
    if b"[[" in raw or b"]:" in raw:
        _put_in_order(found)
    if b"^" in raw and b"[^" in raw:
        _undefined_footnotes(text, raw, found)
    return found


def _put_in_order(found: Scan) -> None:
    """Restore the order, which definitions do not have and wikilinks in each other may upset."""
    found.links.sort(key=_START)
    found.code.sort()
    found.footnotes.sort(key=itemgetter(1))


def lines_ended(text: str) -> str:
    """Return text of the same length in which every line that ends with CR alone ends with LF.

    Markdown knows that line end, the parser only half.
    """
    return _LONE_CR.sub("\n", text) if "\r" in text else text


class _Walk:
    """Sorts the parser's events into a `Scan`.

    `pieces` gathers plain text while links or headings are open; each open one remembers where its
    own text starts, so that nesting costs nothing. `label` is the end of the last thing inside.
    `tears` tells whether there can be wikilinks, whose bar may tear links in two.
    """

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.tears = b"[[" in raw
        self.found = Scan([], [], [], [], [], [])
        self.pieces: list[str] = []
        self.opened: list[tuple[str, Any, int, int, int]] = []
        self.label = 0

    def run(self, events: Iterator[Any]) -> Scan:
        """Read all events. Most are plain text and are dropped by the first test."""
        for event, span in events:
            if "Text" in event or "End" in event or "SoftBreak" in event:
                continue
            if "Start" in event:
                what = event["Start"]
                if what.__class__ is dict:
                    if "Link" in what:
                        self.link(what["Link"], span["start"], events)
                    elif "Heading" in what:
                        self.heading(what["Heading"], span["start"], events)
                    elif "List" not in what:
                        self.open(what, span, events)
                        if self.opened:
                            self.inside(events)
                elif what == "HtmlBlock":
                    self.found.html.append((span["start"], span["end"]))
                    self.html(span["start"], span["end"])
            else:
                self.leaf(event, span)
        return self.found

    def link(self, value: Any, start: int, events: Iterator[Any]) -> None:
        """Take a link outside everything; one with nothing but a text is done on the spot."""
        text = ""
        self.label = start + 1
        event, span = next(events)
        if "Text" in event:
            text, self.label = event["Text"], span["end"]
            event, span = next(events)
        if "End" in event:
            self.found.links.append(self.row("Link", value, text, start, span["end"]))
            return
        self.opened.append(("Link", value, start, 0, len(self.found.links)))
        self.found.links.append(_PENDING)
        self.pieces.append(text)
        self.take(event, span, events)
        self.inside(events)

    def heading(self, value: Any, start: int, events: Iterator[Any]) -> None:
        """Take a heading outside everything; one with nothing but a text is done on the spot."""
        text = ""
        event, span = next(events)
        if "Text" in event:
            text = event["Text"]
            event, span = next(events)
        if "End" in event:
            self.found.headings.append((int(value["level"][1]), text.strip(), start))
            return
        self.opened.append(("Heading", int(value["level"][1]), start, 0, 0))
        self.pieces.append(text)
        self.take(event, span, events)
        self.inside(events)

    def row(self, name: str, value: Any, text: str, start: int, end: int) -> LinkRow:
        """Return a finished link or image; the parser ends `[a][]` before its brackets."""
        form = value["link_type"]
        image = name == "Image"
        if form.__class__ is dict:
            form = "wikilink"
            if not self.raw.startswith(_OPENINGS[2 + image], start):
                start = self.reopened(_OPENINGS[2 + image], start)
        else:
            form = _FORMS.get(form, "shortcut")
            if form == "collapsed" and self.raw.startswith(b"[]", end):
                end += 2
            if self.tears and form != "autolink" and not self.raw.startswith(_OPENINGS[image], start):
                start = self.reopened(_OPENINGS[image], start)
        label = min(end, self.label)
        return form, image, value["dest_url"], text.strip(), start, end, label

    def reopened(self, opening: bytes, start: int) -> int:
        """Return where a link really opens: the parser starts some in others at their alias or later."""
        found = self.raw.rfind(opening, max(0, start - _NEAR), min(start, self.label))
        return start if found < 0 else found

    def inside(self, events: Iterator[Any]) -> None:
        """Read on until nothing is open."""
        while self.opened:
            event, span = next(events)
            self.take(event, span, events)

    def take(self, event: Any, span: Any, events: Iterator[Any]) -> None:
        """Take the next event inside a link, an image or a heading."""
        if "Text" in event:
            self.pieces.append(event["Text"])
            self.label = span["end"]
        elif "End" in event:
            self.close(event["End"], span["end"])
        elif "Start" in event:
            if event["Start"].__class__ is dict:
                self.open(event["Start"], span, events)
        elif "SoftBreak" in event or "HardBreak" in event:
            self.pieces.append(" ")
            self.label = span["end"]
        else:
            self.leaf(event, span)

    def open(self, what: dict[str, Any], span: Any, events: Iterator[Any]) -> None:
        """Take the start of a link, an image, a heading, a table, a footnote or a code block."""
        ((name, value),) = what.items()
        start = span["start"]
        if name in ("Link", "Image"):
            self.label = start + (2 if name == "Image" else 1)
            self.opened.append((name, value, start, len(self.pieces), len(self.found.links)))
            self.found.links.append(_PENDING)
        elif name == "Heading":
            self.opened.append((name, int(value["level"][1]), start, len(self.pieces), 0))
        elif name == "Table":
            self.found.tables.append((start, span["end"]))
        elif name == "FootnoteDefinition":
            self.found.footnotes.append((value, start, True))
        elif name == "CodeBlock":
            self.found.code.append((start, span["end"]))
            for event, _ in events:
                if "End" in event:
                    break

    def close(self, what: Any, end: int) -> None:
        """Take an end while something is open; ends of emphasis only move the label's end."""
        if what in ("Link", "Image"):
            name, value, start, first, place = self.opened.pop()
            text = "".join(self.pieces[first:]) if len(self.opened) < _NAMED_LEVELS else ""
            self.found.links[place] = row = self.row(name, value, text, start, end)
            end = row[5]
        elif what.__class__ is dict and "Heading" in what:
            _, level, start, first, _ = self.opened.pop()
            self.found.headings.append((level, "".join(self.pieces[first:]).strip(), start))
        if not self.opened:
            self.pieces.clear()
        self.label = end

    def leaf(self, event: Any, span: Any) -> None:
        """Take what stands alone: code, raw HTML, a footnote reference."""
        if "Code" in event:
            self.found.code.append((span["start"], span["end"]))
            if self.opened:
                self.pieces.append(event["Code"])
        elif "InlineHtml" in event:
            self.html(span["start"], span["end"])
        elif "FootnoteReference" in event:
            self.found.footnotes.append((event["FootnoteReference"], span["start"], False))
        self.label = span["end"]

    def html(self, start: int, end: int) -> None:
        """Find links in raw HTML outside its comments."""
        block = self.raw[start:end]
        if b"=" not in block:
            return
        if b"<!--" in block:
            block = _COMMENT.sub(lambda comment: b" " * len(comment[0]), block)
        for tag in _TAG.finditer(block):
            wanted = b"href" if tag[1].lower() in (b"a", b"area") else b"src"
            for attribute in _ATTRIBUTE.finditer(tag[2]):
                if attribute[1].lower() == wanted:
                    target = html.unescape(
                        (attribute[2] or attribute[3] or attribute[4] or b"").decode(errors="replace")
                    )
                    place = start + tag.start(2) + attribute.start(attribute.lastindex or 0)
                    ends = start + tag.start(), start + tag.end(), place
                    self.found.links.append(("html", wanted == b"src", target, "", *ends))
                    break


def _definitions(text: str, found: Scan) -> None:
    """Add reference definitions as links of form `definition`, out of order."""
    for name, definition in PARSER.reference_definitions(text).items():
        span = definition["span"]
        found.links.append(("definition", False, definition["dest"], name, span["start"], span["end"], 0))


def _undefined_footnotes(text: str, raw: bytes, found: Scan) -> None:
    """Add references to footnotes nobody defines: the parser hands them out as three pieces of text."""
    before = len(found.footnotes)
    links = {link[4] for link in found.links}
    events: Iterator[Any] = PARSER.events_with_range(text)
    for event, span in events:
        if "Text" in event and _LABEL.fullmatch(event["Text"]):
            start, end = span["start"] - 1, span["end"]
            # at the start of a link it is that link's text: `[^1](x.md)`, `![^1](x.png)`, `[[^1]]`
            bare = links.isdisjoint((start, start - 1))
            if bare and raw[start : start + 1] == b"[" and raw[end : end + 1] == b"]":
                found.footnotes.append((event["Text"][1:], start, False))
    if len(found.footnotes) > before:
        found.footnotes.sort(key=lambda note: note[1])


def anchor(text: str) -> str:
    """Return the slug that a heading's text gets as a link fragment, as GitHub writes it.

    Lower case; letters, digits and marks of every script, `_` and `-` stay, each blank becomes `-`.
    """
    return _DROPPED.sub(_marks, text.strip().lower()).replace(" ", "-")


def _marks(dropped: re.Match[str]) -> str:
    """Keep the vowel signs and accents that patterns do not count as letters."""
    part = dropped[0]
    return "" if part.isascii() else "".join(char for char in part if category(char)[0] == "M")
