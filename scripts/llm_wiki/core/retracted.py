"""Sentences whose only source was withdrawn: found by their marker, masked before anybody reads them.

A `RETRACTED-SOURCE` marker stands directly before a sentence, a list item or a table row and covers
it (`archive-retract.md` §3). One that is the first thing of a page, alone before an empty line, covers
the page: an article of which no source is left. Until somebody has rewritten what it covers, a reader
gets `[pending retraction]` in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from llm_wiki.core.sentences import sentence_end

OPEN = "<!--RETRACTED-SOURCE-->"
"""The marker as it is written."""

MASK = "[pending retraction]"
"""What stands in place of text under an open marker."""

_MARKER = re.compile(r"<!--\s*(?i:RETRACTED-SOURCE)\b.*?(?:-->|\Z)|RETRACTED-SOURCE", re.DOTALL)
ITEM = re.compile(
    r"(?P<indent>[ \t]*)(?P<bullet>(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)[ \t]*(?:\[[ xX]\][ \t]+)?)?"
)
BLOCK = re.compile(r"[ \t]*(?:[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])|#{1,6}(?=[ \t])|\||```|~~~|>|<!--)")
_CLOSES = re.compile(r"^---[ \t]*$", re.MULTILINE)
_ALONE = re.compile(r"[ \t]*\n[ \t]*\n")
_DASHES = re.compile(r"[> \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t\r]*")
_FIELD = re.compile(r"[^\s:#-][^:\n]*:(?=\s|$)")


def is_pending(text: str) -> bool:
    """Tell whether a text holds an open marker."""
    return next(_markers(text), None) is not None


def mask_retracted(text: str) -> tuple[str, int]:
    """Return `text` with everything under an open marker masked, and how many markers were open.

    A marker in an inline code sample is none. Line numbers of the rest stay as they are. Where the end
    of a sentence is in doubt, more is masked, never less.
    """
    parts: list[str] = []
    done = count = 0
    for found in _markers(text):
        count += 1
        if _heads_page(text, found.start(), found.end()):
            start, end, keep = found.start(), len(text), ""
        else:
            start, end, keep = _covered(text, found.start(), found.end())
        if end <= done:
            continue
        start = max(start, done)
        parts += [text[done:start], keep, MASK, "\n" * text.count("\n", start, end)]
        done = end
    parts.append(text[done:])
    return "".join(parts), count


def _markers(text: str) -> Iterator[re.Match[str]]:
    """Yield the markers of a text in order, those between two backticks left out."""
    for found in _MARKER.finditer(text):
        if text[found.start() - 1 : found.start()] != "`" or text[found.end() : found.end() + 1] != "`":
            yield found


def _heads_page(text: str, start: int, end: int) -> bool:
    """Tell whether a marker is the first thing of a page, alone: behind front matter or before the title."""
    alone = _ALONE.match(text, end)
    if alone is None:
        return False
    head = _head(text)
    return not text[head:start].strip("\ufeff \t\n") and (head > 0 or text.startswith("# ", alone.end()))


def _head(text: str) -> int:
    """Return where the front matter of a page ends, 0 where it has none."""
    if not text.startswith(("---", "\ufeff---")):
        return 0
    end = _CLOSES.search(text, 4)
    return end.end() if end else 0


def _covered(text: str, start: int, end: int) -> tuple[int, int, str]:
    """Return the range a marker covers, itself included, and what of it stays in front of the mask."""
    head = text.rfind("\n", 0, start) + 1
    before = text[head:start]
    if _is_row(text, head, before) or (before.strip() and _FIELD.match(before)):
        return _line(text, head, end)
    if before.lstrip().startswith(">"):
        return start, quote_end(text, end), ""
    item = ITEM.match(before)
    assert item is not None
    if item["bullet"] and item.end() == len(before):
        return start, item_end(text, end, len(item["indent"].expandtabs(4))), ""
    return _following(text, start, end, before)


def _is_row(text: str, head: int, before: str) -> bool:
    """Tell whether a line is a row of a table: it starts with a bar, or stands below a line of dashes."""
    if "|" not in before or before.lstrip("> \t").startswith("|"):
        return "|" in before
    while head:
        above = text.rfind("\n", 0, head - 1) + 1
        upper = text[above : head - 1]
        if not upper.strip("> \t\r"):
            return False
        if "|" in upper and _DASHES.fullmatch(upper):
            return True
        head = above
    return False


def _following(text: str, start: int, end: int, before: str) -> tuple[int, int, str]:
    """Return what a marker covers that is neither in a row nor at the start of an item."""
    at = end
    while at < len(text) and text[at].isspace():
        at += 1
    if at >= len(text):
        return start, end, ""
    if "\n" in text[end:at]:
        return _next_line(text, start, text.rfind("\n", 0, at) + 1)
    if text[at] == "|" and not before.strip():
        return start, line_end(text, at), ""
    inner = ITEM.match(text, at)
    if not before.strip() and inner is not None and inner["bullet"]:
        return start, item_end(text, inner.end(), len(before.expandtabs(4))), inner["bullet"]
    return start, sentence_end(text, at, paragraph_end(text, at)), ""


def _next_line(text: str, start: int, head: int) -> tuple[int, int, str]:
    """Return what a marker at the end of a line covers: the row, item, heading or sentence after it."""
    item = ITEM.match(text, head)
    assert item is not None
    if item["bullet"]:
        return start, item_end(text, item.end(), len(item["indent"].expandtabs(4))), ""
    if BLOCK.match(text, head):
        if text[item.end() : item.end() + 1] == ">":
            return start, quote_end(text, head), ""
        following = _MARKER.match(text, item.end())
        if following is None:
            return start, line_end(text, head), ""
        return _covered(text, start, following.end())
    return start, sentence_end(text, item.end(), paragraph_end(text, item.end())), ""


def _line(text: str, head: int, end: int) -> tuple[int, int, str]:
    """Return the whole line of a table row or a front matter field; the name of a field stays."""
    name = _FIELD.match(text, head, end)
    if name is not None and _MARKER.search(name[0]):
        name = None  # a name that holds a marker is text under it
    keep = f"{name[0]} " if name and not text[head:end].lstrip().startswith("|") else ""
    return head, line_end(text, end), keep


def line_end(text: str, at: int) -> int:
    """Return where the line around an offset ends."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def paragraph_end(text: str, at: int) -> int:
    """Return where the paragraph around an offset ends: a blank line, or the start of another block."""
    while True:
        at = line_end(text, at)
        if at >= len(text):
            return at
        following = line_end(text, at + 1)
        if not text[at + 1 : following].strip() or BLOCK.match(text, at + 1):
            return at
        at += 1


def quote_end(text: str, at: int) -> int:
    """Return where the rest of a quoted paragraph ends: an empty line, or another block.

    A line without its mark that starts no other block still belongs to it.
    """
    while True:
        at = line_end(text, at)
        if at >= len(text):
            return at
        following = text[at + 1 : line_end(text, at + 1)].strip()
        if not following.strip("> \t") or (not following.startswith(">") and BLOCK.match(text, at + 1)):
            return at
        at += 1


def item_end(text: str, at: int, indent: int) -> int:
    """Return where a list item ends: before the next item or block that is not indented deeper."""
    end = line_end(text, at)
    blank = False
    probe = end
    while probe < len(text):
        head = probe + 1
        probe = line_end(text, head)
        line = text[head:probe].expandtabs(4)
        if not line.strip():
            blank = True
            continue
        depth = len(line) - len(line.lstrip())
        if depth <= indent and (blank or BLOCK.match(text, head)):
            break
        end, blank = probe, False
    return end
