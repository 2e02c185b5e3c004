"""The words of Markdown: what is left of a piece of it when it is read aloud."""

from __future__ import annotations

import re
from typing import Any

from llm_wiki.model.markdown import PARSER, lines_ended

_PARAGRAPH = {"Start": "Paragraph"}
_PARAGRAPH_END = {"End": "Paragraph"}
_INLINE = ("Image", "Emphasis", "Strong", "Strikethrough")
_NOTE = re.compile(r"\[\^[^\s\[\]]+\]")


def plain(markdown: str) -> str:
    """Return the words of a piece of Markdown on one line.

    Links and wikilinks become their text (a dual link its text once), images their description;
    emphasis, code marks, raw HTML and footnote references go.
    """
    words = _Words()
    for event in PARSER.events(lines_ended(markdown)):
        words.take(event)
    return words.text()


def first_paragraph(data: bytes, minimum: int = 40) -> str:
    """Return the first paragraph of a file of at least `minimum` characters, as `plain` text, else "".

    Only paragraphs of the running text and of quotes count: none in code, headings, tables, lists,
    footnotes or raw HTML (`lint.md` §4.1).
    """
    from llm_wiki.model.frontmatter import split, unix

    text = data[split(unix(data)).body :].decode(errors="replace")
    depth = 0
    words: _Words | None = None
    for event in PARSER.events(lines_ended(text)):
        if words is not None:
            if event == _PARAGRAPH_END:
                if len(words.text()) >= max(minimum, 1):
                    return words.text()
                words = None
            else:
                words.take(event)
        elif event == _PARAGRAPH and not depth:
            words = _Words()
        else:
            depth += _nesting(event)
    return ""


def _nesting(event: Any) -> int:
    """Return 1 and -1 for the start and end of what holds paragraphs that are no running text."""
    for side, step in (("Start", 1), ("End", -1)):
        if side in event:
            what = event[side]
            return step if "List" in what or "FootnoteDefinition" in what else 0
    return 0


class _Words:
    """Gathers the words of inline events; knows the second half of a dual link and leaves it out."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.links: list[tuple[bool, int]] = []
        self.name = ("", -1)
        self.in_pair = False

    def take(self, event: Any) -> None:
        """Take the next event of a paragraph."""
        pieces = self.pieces
        if "Text" in event:
            text = event["Text"]
            if self.in_pair and text.startswith(")"):
                text = text[1:]
            self.in_pair = False
            pieces.append(text)
        elif "Code" in event:
            pieces.append(event["Code"])
        elif "Start" in event:
            what = event["Start"]
            if "Link" in what and what.__class__ is dict:
                self.links.append((what["Link"]["link_type"].__class__ is dict, len(pieces)))
        elif "End" in event:
            if event["End"] == "Link":
                self._link_ends(*self.links.pop())
            elif event["End"] not in _INLINE:
                pieces.append(" ")
        elif _parts_words(event):
            pieces.append(" ")

    def _link_ends(self, wiki: bool, start: int) -> None:
        text = "".join(self.pieces[start:])
        if wiki:
            self.name = (text, len(self.pieces))
            return
        name, end = self.name
        if end >= 0 and text == name and "".join(self.pieces[end:start]).strip() == "(":
            del self.pieces[end:]
            self.in_pair = True

    def text(self) -> str:
        """Return the words with single blanks between them."""
        return " ".join(_NOTE.sub("", "".join(self.pieces)).split())


def _parts_words(event: Any) -> bool:
    """Tell whether an event that brings no text is a gap between words."""
    if "InlineHtml" in event:
        return bool(event["InlineHtml"].lower().startswith("<br"))
    return "SoftBreak" in event or "HardBreak" in event or "Rule" in event
