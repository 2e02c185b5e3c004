"""One Markdown page without a source that goes: its fields, links, footnotes and bullets (§3, step 3).

What only named the source goes whole: an item of a list, a bullet of a section of sources. Any other link
becomes its text. The sentence is not edited, but where it cited nothing else a marker is put before it.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import accumulate
from typing import Final

from llm_wiki.core.claims import OPEN, Cite, due
from llm_wiki.core.errors import WikiError
from llm_wiki.core.retracted import ITEM, item_end, line_end
from llm_wiki.core.sentences import sentence_end
from llm_wiki.model import document, edit, layout, markdown
from llm_wiki.model.frontmatter import split, unix
from llm_wiki.model.markdown import LinkRow, Scan
from llm_wiki.withdraw.match_text import MARKER, cut
from llm_wiki.withdraw.source_fields import without_fields
from llm_wiki.withdraw.source_known import Edited, Reference, Source

NAVIGATION: Final = frozenset(
    {"sources", "source", "see also", "references", "further reading", "related", "bibliography"}
)
"""Sections whose bullets name other pages and claim nothing."""

_PLANES: Final = ("wiki/", "output/", "inventory/", "datasets/")
_URL: Final = re.compile(rb"https?://[^\s<>\"'`|)\]]+", re.IGNORECASE)
_RAW: Final = re.compile(rb"\braw/[\w./%-]+\.md\b")
_FOOT: Final = re.compile(rb"\[\^([^\]\s]+)\]")
_COMMENT: Final = re.compile(rb"<!--(?!RETRACTED-SOURCE-->).*?(?:-->|\Z)", re.DOTALL)
_SUMMARY: Final = re.compile(rb"^summary:[ \t]*[\"']?(?=\S)(?!<!--)", re.MULTILINE)
_UNMARKED: Final = "x" * len(OPEN)
_NUMBER: Final = re.compile(r"^(?:[\dIVX]+[.)]\s*)+|\s*\([^()]*\)$")
_AND: Final = re.compile(r"\s*(?:,|/|&|\band\b)\s*")


def without_source(source: Source, rel: str, data: bytes) -> Edited:
    """Return a page without the source."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return _of_other_bytes(source, rel, data)
    done = Edited(data)
    without_fields(source, rel, done)
    start = split(unix(done.data)).body
    head, body = done.data[:start], done.data[start:]
    first = unix(data).count(b"\n", 0, split(unix(data)).body) + 1
    done.data = head + _Body(source, rel, body, first, done).run()
    return done


def _of_other_bytes(source: Source, rel: str, data: bytes) -> Edited:
    """Return a page that is no UTF-8 without the source, byte for byte; in two-byte text nothing is found."""
    done = without_source(source, rel, data.decode("latin-1").encode())
    done.data = done.data.decode().encode("latin-1")
    return done


def rests_on_others(source: Source, rel: str, data: bytes) -> bool:
    """Tell whether a page names any other source: in its header, by a link, or by an address."""
    if any(one != source.rel.encode() for one in _RAW.findall(data)):
        return True
    body = data[split(unix(data)).body :]
    folder = rel.rpartition("/")[0]
    rows = markdown.scan(body.decode("utf-8", "replace")).links
    return _URL.search(body) is not None or any(
        source.is_other(folder, row) and not source.is_target(folder, row) for row in rows
    )


def mark_page(data: bytes) -> bytes:
    """Return an article of which no source is left: a marker over the page, and one before its summary."""
    page = document.page("", data)
    summary = page.text("summary")
    with suppress(WikiError):
        if summary and OPEN not in summary:
            data = edit.set_field(data, "summary", OPEN + summary)
    if page.front == "invalid":
        start = split(unix(data)).body
        data = _SUMMARY.sub(rb"\g<0>" + OPEN.encode(), data[:start], count=1) + data[start:]
    start = split(unix(data)).body
    eol = b"\r\n" if b"\r\n" in data[:4096] else b"\n"
    body = data[start:].lstrip(b"\r\n")
    gap = data[start : len(data) - len(body)] or eol
    return data[:start] + gap + OPEN.encode() + eol + eol + body


class _Body:
    """The text of one page being changed: `cuts` are (start, end, new), in bytes of the body."""

    def __init__(self, source: Source, rel: str, body: bytes, line: int, done: Edited) -> None:
        self.source, self.rel, self.body, self.line, self.done = source, rel, body, line, done
        self.folder = rel.rpartition("/")[0]
        self.text = body.decode()
        self.offsets = _Offsets(self.text)
        self.is_index = layout.is_index(rel)
        # behind a marker that starts a line no Markdown would be read
        self.found: Scan = markdown.scan(self.text.replace(OPEN, _UNMARKED))
        self.blocks = [(start, end) for start, end in self.found.code if b"\n" in body[start:end]]
        self.blocks += [one.span() for one in _COMMENT.finditer(body)]
        self.cuts: list[tuple[int, int, bytes]] = []
        self.dropped: list[tuple[int, int]] = []
        self.cites: list[tuple[int, int, bool]] = []

    def run(self) -> bytes:
        """Return the new text."""
        ours = [row for row in self.found.links if self.source.is_target(self.folder, row)]
        self._footnotes(ours)
        for row in ours:
            self._link(row)
        self._mentions()
        if self.rel.startswith(_PLANES) and self.cites:
            self._markers()
        return self._spliced()

    def _note(self, kind: str, at: int) -> None:
        self.done.references.append(Reference(kind, self.rel, self.line + self.body.count(b"\n", 0, at)))

    # -- links -------------------------------------------------------------------------

    def _link(self, row: LinkRow) -> None:
        form, image, _, text, start, end, label = row
        if self._gone(start):
            return
        if self._is_row_of_it(row):
            self._note("index", start)
            self._cut_line(start)
            return
        if form == "definition":
            self._note("definition", start)
            self._cut_line(start)
            return
        bullet = self._bullet(start)
        if bullet and not self._cites_others(*bullet, but=row):
            self._note("bullet", start)
            self.dropped.append(bullet)
            self.cuts.append((*bullet, b""))
            return
        listed = self._navigates(start)
        self._note("bullet" if listed else "link", start)
        line = self._line_around(start)
        if listed and not bullet and self._only_names(*line) and not self._cites_others(*line, but=row):
            self._cut_line(start)
            return
        self.cuts.append((start, end, self._label(form, image, text, start, end, label)))
        self.cites.append((start, end, True))

    def _is_row_of_it(self, row: LinkRow) -> bool:
        """Tell whether a link stands in a row that only lists the source: of an index, or of sources."""
        at = row[4]
        if not any(one <= at < two for one, two in self.found.tables):
            return False
        if self.is_index or self.rel == layout.COVERAGE_PAGE:
            return True
        start, end = self._line_around(at)
        return self._navigates(at) and not self._cites_others(start, end, but=row)

    def _label(self, form: str, image: bool, text: str, start: int, end: int, label: int) -> bytes:
        """Return the text of a link, without what it says of the source."""
        if form == "html":
            tag = self.body[start:end]
            return b"" if image else (tag[:2] + b">" if tag[1:2].lower() == b"a" else b"")
        if form == "autolink":
            return MARKER
        text = text.replace(_UNMARKED, OPEN)
        shown = text.encode() if form == "wikilink" or image else self.body[start + 1 : label]
        shown = cut(shown, self.source.traces.spans(shown)) if shown.strip() else MARKER
        words = shown.decode("utf-8", "replace").rstrip()
        # a full stop in it must not end the sentence that it stands in
        return b"[" + shown + b"]" if sentence_end(words + " X") < len(words) else shown

    def _bullet(self, at: int) -> tuple[int, int] | None:
        """Return the list item around a link, if it only names pages: by its section, or by its words."""
        chars = self.offsets.char(at)
        head = self.text.rfind("\n", 0, chars) + 1
        item = ITEM.match(self.text, head)
        if item is None or not item["bullet"] or item.end() > chars:
            return None
        end = item_end(self.text, item.end(), len(item["indent"].expandtabs(4)))
        end = min(end + 1, len(self.text))
        start_byte, end_byte = self.offsets.byte(head), self.offsets.byte(end)
        if self._navigates(at) or self._only_names(start_byte, end_byte):
            return start_byte, end_byte
        return None

    def _navigates(self, at: int) -> bool:
        """Tell whether an offset lies in a section of sources or references, at any depth."""
        stack: list[tuple[int, str]] = []
        for level, text, start in self.found.headings:
            if start > at:
                break
            stack = [one for one in stack if one[0] < level] + [(level, text)]
        return any(_names_sources(text) for _, text in stack)

    def _only_names(self, start: int, end: int) -> bool:
        rows = [row for row in self.found.links if start <= row[4] < end]
        rest = cut_out(self.body, start, end, [(row[4], row[5]) for row in rows])
        return re.search(rb"[^\W\d_]{2}|[\x80-\xff]", rest) is None

    def _cites_others(self, start: int, end: int, *, but: LinkRow | None = None) -> bool:
        return any(
            start <= row[4] < end and row is not but and not self.source.is_target(self.folder, row)
            and self.source.is_other(self.folder, row)
            for row in self.found.links
        )  # fmt: skip

    def _line_around(self, at: int) -> tuple[int, int]:
        end = self.body.find(b"\n", at)
        return self.body.rfind(b"\n", 0, at) + 1, len(self.body) if end < 0 else end + 1

    def _cut_line(self, at: int) -> None:
        start, end = self._line_around(at)
        self.dropped.append((start, end))
        self.cuts.append((start, end, b""))

    # -- footnotes ---------------------------------------------------------------------

    def _footnotes(self, ours: Sequence[LinkRow]) -> None:
        """Take out footnotes that cite nothing else, definition and references; note what others cite."""
        gone = set()
        for label, start, defines in self.found.footnotes:
            if not defines:
                continue
            end = self._definition_end(start)
            mine = any(start <= row[4] < end for row in ours) or self._says_ours(start, end)
            if mine and not any(
                start <= row[4] < end and row not in ours and self.source.is_other(self.folder, row)
                for row in self.found.links
            ):
                gone.add(label.casefold())
                self._note("footnote", start)
                self.dropped.append((start, end))
                self.cuts.append((start, end, b""))
        for label, start, defines in self.found.footnotes:
            if defines:
                continue
            found = _FOOT.match(self.body, start)
            end = found.end() if found else start + len(label.encode()) + 3
            if label.casefold() in gone:
                self._note("footnote", start)
                self.cuts.append((start, end, b""))
            self.cites.append((start, end, label.casefold() in gone))

    def _definition_end(self, start: int) -> int:
        end = line_end(self.text, self.offsets.char(start))
        while end + 1 < len(self.text):
            following = self.text[end + 1 : line_end(self.text, end + 1)]
            if following.strip() and not following.startswith(("    ", "\t")):
                break
            after = self.text[line_end(self.text, end + 1) + 1 :][:4]
            if not following.strip() and after != "    ":
                break
            end = line_end(self.text, end + 1)
        return self.offsets.byte(min(end + 1, len(self.text)))

    def _says_ours(self, start: int, end: int) -> bool:
        return bool(self.source.traces.spans(self.body[start:end]))

    # -- what is named without a link ----------------------------------------------------

    def _mentions(self) -> None:
        """Replace what is left of paths and addresses in the text; drop bullets that name the source."""
        for span in self.source.traces.spans(self.body):
            if self._gone(span.start) or self._inside_cut(span.start, span.end):
                continue
            bullet = self._bullet(span.start)
            if bullet and self._navigates(span.start) and not self._cites_others(*bullet):
                self._note("bullet", span.start)
                self.dropped.append(bullet)
                self.cuts.append((*bullet, b""))
            elif span.encoding != "title":
                self._note("text", span.start)
                self.cuts.append((span.start, span.end, MARKER))
                if not any(start <= span.start < end for start, end in self.blocks):
                    self.cites.append((span.start, span.end, True))

    def _inside_cut(self, start: int, end: int) -> bool:
        return any(one < end and start < two for one, two, _ in self.cuts)

    def _gone(self, at: int) -> bool:
        return any(start <= at < end for start, end in self.dropped)

    # -- markers -----------------------------------------------------------------------

    def _markers(self) -> None:
        """Add a marker before each claim that cites nothing else."""
        places = [(start, end) for start, end, _ in self.cites]
        for row in self.found.links:
            ours = self.source.is_target(self.folder, row)
            if not ours and self.source.is_other(self.folder, row):
                places.append((row[4], row[5]))
                self.cites.append((row[4], row[5], False))
        places.sort()
        for pattern in (_URL, _RAW):
            for one in pattern.finditer(self.body):
                before = bisect_right(places, (one.start(), len(self.body)))
                if not before or one.start() >= places[before - 1][1]:
                    self.cites.append((*one.span(), False))
        offsets = self.offsets
        cites = [
            Cite(offsets.char(start), offsets.char(end), ours)
            for start, end, ours in self.cites
            if not self._gone(start)
        ]
        tables = [(offsets.char(start), offsets.char(end)) for start, end in self.found.tables]
        for at in due(self.text, cites, tables):
            self.cuts.append((offsets.byte(at), offsets.byte(at), OPEN.encode()))
            self.done.marked += 1

    def _spliced(self) -> bytes:
        parts, at = [], 0
        for start, end, new in sorted(self.cuts, key=lambda one: (one[0], one[1] > one[0], -one[1])):
            if start < at:
                continue
            parts += [self.body[at:start], new]
            at = end
        return b"".join([*parts, self.body[at:]])


def _names_sources(heading: str) -> bool:
    """Tell whether a heading is one of sources or references, numbered or counted or joined to another."""
    plain = _NUMBER.sub("", heading.strip(" :*_")).strip(" :*_").casefold()
    return any(part in NAVIGATION for part in (plain, *_AND.split(plain)))


class _Offsets:
    """Turns offsets in bytes into such in characters, and back."""

    def __init__(self, text: str) -> None:
        self.plain = text.isascii()
        sizes = () if self.plain else (len(char.encode()) for char in text)
        self.starts = array("Q", accumulate(sizes, initial=0))

    def char(self, at: int) -> int:
        """Return the character at a byte."""
        return at if self.plain else bisect_left(self.starts, at)

    def byte(self, at: int) -> int:
        """Return the byte at a character."""
        return at if self.plain else self.starts[at]


def cut_out(data: bytes, start: int, end: int, ranges: Iterable[tuple[int, int]]) -> bytes:
    """Return a part of some bytes without ranges of it."""

    def pieces() -> Iterator[bytes]:
        at = start
        for first, last in sorted(ranges):
            yield data[at : max(at, first)]
            at = max(at, last)
        yield data[at:end]

    return b"".join(pieces())


__all__ = ["mark_page", "rests_on_others", "without_source"]
