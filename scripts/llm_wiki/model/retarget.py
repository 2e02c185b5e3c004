r"""New destinations for links, whatever their form; every other byte of the file stays.

The parser says where a link lies and where its label ends; the destination is the one token that
follows. The result is scanned again: each link must lead to its new target and no other may change.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from llm_wiki.core.errors import BadUsage, Conflict, Refused
from llm_wiki.model import faults
from llm_wiki.model.cells import destination
from llm_wiki.model.frontmatter import split, unix
from llm_wiki.model.markdown import scan
from llm_wiki.model.page import Link

_BLANKS = re.compile(rb"[ \t]*(?:(?:\r\n|\n|\r)[ \t>]*)?")
_ANGLED = re.compile(rb"<(?:[^<>\\\r\n]|\\.)*>")
_BARE = re.compile(rb"(?:[^\s\\()]|\\.)+", re.DOTALL)
_DEFINED = re.compile(rb"\[((?:[^\[\]\\]|\\.)+)\]:", re.DOTALL)
_BARE_VALUE = re.compile(rb"[^\s\"'=<>`]+")
_UNSAFE_VALUE = re.compile(r"[\s\"'=<>`]|^$")
_REFERENCES = ("reference", "collapsed", "shortcut")


def retarget(data: bytes, link: Link, target: str) -> bytes:
    """Return the file with the destination of one link replaced; see `retarget_all`."""
    return retarget_all(data, [(link, target)])


def retarget_all(data: bytes, changes: Iterable[tuple[Link, str]]) -> bytes:
    """Return the file with the destinations of some of its links replaced.

    Each target is given as a reader would write it, not escaped: a relative path with its fragment
    for a Markdown link or an attribute, a name with its heading for a wikilink. What leads through a
    reference definition is changed there, once for all its users. Raises `Conflict` when a link is
    not where its page saw it, `BadUsage` when two changes contradict each other, `Refused` when the
    text offers no place that changes this link alone.
    """
    changes = list(changes)
    if not changes:
        return data
    body = _Body(data)
    edits: dict[tuple[int, int], bytes] = {}
    for link, target in changes:
        start, end, written = body.edit(link, target)
        if edits.setdefault((start, end), written) != written:
            raise BadUsage(f"two targets for one link: {target!r}", line=link.line)
    result = bytearray(data)
    for (start, end), written in sorted(edits.items(), reverse=True):
        result[body.base + start : body.base + end] = written
    body.check(bytes(result), changes)
    return bytes(result)


_STEPS = re.compile(r"[./]*(?:\.archive/)?")
"""A beginning of a path that only goes up, down into the archive, or nowhere."""


class Found(NamedTuple):
    """A `markdown.LinkRow` with names."""

    form: str
    image: bool
    target: str
    text: str
    start: int
    end: int
    label: int


class _Body:
    """The scanned body of one file; offsets are relative to its start."""

    def __init__(self, data: bytes) -> None:
        flat = unix(data)
        self.base = split(flat).body
        self.raw = faults.scannable(data, flat, self.base, [])
        try:
            found = scan(self.raw.decode(), self.raw)
        except UnicodeDecodeError:
            raise Refused("a file that is not UTF-8 cannot be rewritten") from None
        self.links = [Found._make(row) for row in found.links]
        self.blocks = (
            [level for level, _, _ in found.headings],
            len(found.code),
            [(label, defines) for label, _, defines in found.footnotes],
        )
        self._places = {(link.form, link.image, link.start, link.end): link for link in self.links}
        self._definitions = {_label(link.text): link for link in self.links if link.form == "definition"}

    def edit(self, link: Link, target: str) -> tuple[int, int, bytes]:
        """Return the range of a link's destination and the bytes to put there."""
        found = self._known(link)
        place = None
        if "\n" in target or "\r" in target:
            raise Refused(f"a target cannot hold a line end: {target!r}", line=link.line)
        if found.form == "wikilink" and (target.endswith("\\") or not target.strip()):
            raise Refused(f"a wikilink cannot hold this name: {target!r}", line=link.line)
        if found.form == "wikilink":
            place, written = self._name(found), target
        elif found.form == "html":
            return self._attribute(found, target)
        elif found.form == "autolink":
            place, written = (found.start + 1, found.end - 1), target
        else:
            written = destination(target) or "<>"
            definition = self._definition(found) if found.form in _REFERENCES else found
            if definition is not None:
                place = self._destination(definition)
        if place is None:
            raise Refused(f"the destination {link.target!r} has no single place in the text", line=link.line)
        start, end = place
        if found.form not in ("wikilink", "autolink") and (spliced := self._spliced(place, found, target)):
            return start, end, spliced
        if self.raw[start : start + 1] == b"<" and not written.startswith("<") and found.form != "autolink":
            written = f"<{written}>"
        return start, end, written.encode("utf-8", "surrogateescape")

    def check(self, result: bytes, changes: Sequence[tuple[Link, str]]) -> None:
        """Make sure that the changed text holds the same links with just the new targets."""
        changed = _Body(result)
        before, after = self.links, changed.links
        moved = {link.start - self.base: target for link, target in changes}
        same = changed.blocks == self.blocks and len(after) == len(before)
        same = same and all(
            (new.form, new.image, new.text) == (old.form, old.image, old.text)
            or old.form in ("wikilink", "autolink")
            for new, old in zip(after, before, strict=True)
        )
        if not same:
            raise Refused("a destination cannot be rewritten without changing the text around it")
        for new, old in zip(after, before, strict=True):
            wanted = moved.get(old.start)
            if wanted is None:
                if new.target != old.target and old.form not in (*_REFERENCES, "definition"):
                    raise Refused("a destination cannot be rewritten without changing another link")
            elif _plain(new.target) != _plain(wanted):
                raise Refused(f"the target {wanted!r} cannot be written in this place")

    def _known(self, link: Link) -> Found:
        found = self._places.get((link.form, link.image, link.start - self.base, link.end - self.base))
        if found is None:
            raise Conflict(f"the link to {link.target!r} is not where it was read", line=link.line)
        return found

    def _definition(self, found: Found) -> Found | None:
        """Return the definition a reference link uses."""
        raw = self.raw
        if found.form == "reference":
            label = raw[found.label : found.end].partition(b"[")[2][:-1]
        else:
            label = raw[found.start + (2 if found.image else 1) : found.label]
        return self._definitions.get(_label(label.decode()))

    def _destination(self, found: Found) -> tuple[int, int] | None:
        """Return the range of an inline link's or a definition's destination, brackets included."""
        raw = self.raw
        if found.form == "definition":
            lead = _DEFINED.match(raw, found.start, found.end)
            at = lead.end() if lead else -1
        else:
            at = raw.find(b"](", found.label, found.end)
            at = at + 2 if at >= 0 else -1
        if at < 0:
            return None
        blanks = _BLANKS.match(raw, at)
        at = blanks.end() if blanks else at
        angled = _ANGLED.match(raw, at, found.end)
        if angled:
            return angled.span()
        return at, self._bare_end(at, found.end)

    def _bare_end(self, at: int, limit: int) -> int:
        """Return the end of a destination without brackets: a blank or an unpaired `)`."""
        depth = 0
        while at < limit:
            part = _BARE.match(self.raw, at, limit)
            if part:
                at = part.end()
            elif self.raw[at : at + 1] == b"(":
                depth, at = depth + 1, at + 1
            elif self.raw[at : at + 1] == b")" and depth:
                depth, at = depth - 1, at + 1
            else:
                break
        return at

    def _spliced(self, place: tuple[int, int], found: Found, target: str) -> bytes:
        """Return the destination as it is written, another beginning apart; b"" where that cannot be.

        Escapes and encodings in the rest of the path then stay as somebody chose them.
        """
        old, same = found.target, 0
        while same < min(len(old), len(target)) and old[-1 - same] == target[-1 - same]:
            same += 1
        before, after = old[: len(old) - same], target[: len(target) - same]
        raw = self.raw[slice(*place)]
        lead = b"<" if raw.startswith(b"<") else b""
        head = lead + before.encode("utf-8", "surrogateescape")
        if not same or _STEPS.fullmatch(before) is None or _STEPS.fullmatch(after) is None:
            return b""
        return lead + after.encode() + raw[len(head) :] if raw.startswith(head) else b""

    def _name(self, found: Found) -> tuple[int, int]:
        """Return the range of a wikilink's name, heading included."""
        start = found.start + (3 if found.image else 2)
        end = found.end - 2
        bar = self.raw.find(b"|", start, end)
        if bar >= 0:
            end = bar - 1 if self.raw[bar - 1 : bar] == b"\\" else bar
        return start, end

    def _attribute(self, found: Found, target: str) -> tuple[int, int, bytes]:
        """Return the range of an attribute's value and the value in its quotes."""
        start = found.label
        quote = self.raw[start - 1 : start]
        if quote in (b'"', b"'"):
            return start, self.raw.find(quote, start), html.escape(target).encode("utf-8", "surrogateescape")
        value = _BARE_VALUE.match(self.raw, start)
        written = html.escape(target)
        written = f'"{written}"' if _UNSAFE_VALUE.search(target) else written
        return start, value.end() if value else start, written.encode("utf-8", "surrogateescape")


def _label(text: str) -> str:
    """Return a reference label as Markdown compares it."""
    return " ".join(text.split()).casefold()


def _plain(target: str) -> str:
    """Return a target as compared before and after: what `destination` may encode, decoded."""
    from urllib.parse import unquote

    return unquote(target, errors="surrogateescape").removesuffix("\\").strip()
