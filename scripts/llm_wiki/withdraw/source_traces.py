"""What a source leaves behind in text: its path, name, title, addresses and upstream id.

Each is looked for in every encoding (`match.Matcher`), as a whole: not as a part of a longer path, word
or address. What would also mean something else, a title of one word or a name that two files have, is
not looked for, and that is said.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from llm_wiki.admit.urls import is_web, normalise_url
from llm_wiki.core.text import undated
from llm_wiki.withdraw.match import Matcher, Span

_BEFORE: Final = re.compile(rb"(?:\\[ntrbfu/]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|&#?\w{1,8};|[^\w-]|\A)\Z")
_ADDRESS: Final = re.compile(rb"https?:(?:\\?/){2}[^\s<>\"'`|\x00-\x1f]+", re.IGNORECASE)
_SHORTER: Final = b")]}>.,;:!?*_'\\(["
_TRIES: Final = 24
_BITS: Final = ("base64", "hex")
LONG_TITLE: Final = 12
"""Characters of the shortest title that is looked for."""

SHORTEST: Final = 8
"""Characters of the shortest address that is no URL, and of the shortest upstream id."""

_DOTS: Final = re.compile(rb"(?:\.{1,2}/)+\Z")


class Trace(NamedTuple):
    """One text to look for: `kind` is `path name title url address upstream`."""

    kind: str
    text: str


@dataclass(frozen=True)
class Identity:
    """What tells a source: its path below the root, title, `source` and other addresses, upstream id."""

    path: str
    title: str = ""
    addresses: tuple[str, ...] = ()
    upstream: str = ""

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.path.rpartition("/")[2]

    @property
    def stem(self) -> str:
        """The name without its ending."""
        return self.name.rpartition(".")[0] or self.name

    @property
    def urls(self) -> frozenset[str]:
        """The normalised forms of its web addresses."""
        return frozenset(normalise_url(one) for one in self.addresses if is_web(one))


class Traces:
    """Finds an identity in bytes, in the way a `Matcher` finds a value.

    `others` are the names of other files: a name that one of them has too says nothing. `titles` are the
    titles of other pages, folded.
    """

    beyond_ascii = True

    def __init__(
        self, who: Identity, others: Collection[str] = (), titles: Collection[str] = (), *, title: bool = True
    ) -> None:
        self.who = who
        self.urls = who.urls
        self.passed_over: list[str] = []
        self._others, self._titles = others, titles
        self._traces = [each for each in self._chosen() if title or each.kind != "title"]

    def __repr__(self) -> str:
        return "Traces(…)"

    def without_title(self) -> Traces:
        """Return the same without the title: what is left are references to the source."""
        return Traces(self.who, self._others, self._titles, title=False)

    def _chosen(self) -> Iterable[Trace]:
        who = self.who
        yield Trace("path", who.path)
        if who.name in self._others:
            self.passed_over.append("another file has its name, so that only whole paths are looked for")
        else:
            yield Trace("name", who.name)
            if undated(who.stem) != who.stem or (len(who.stem) >= LONG_TITLE and "-" in who.stem):
                yield Trace("name", who.stem)
        if who.title and self._may_look_for_title():
            yield Trace("title", who.title)
        for url in sorted(self.urls):
            parts = urlsplit(url)
            if parts.path.strip("/") or parts.query:
                yield Trace("url", url.partition("://")[2])
        for address in who.addresses:
            if not is_web(address) and "/" in address.strip("/") and len(address) >= SHORTEST:
                yield Trace("address", address)
        if len(who.upstream) >= SHORTEST:
            yield Trace("upstream", who.upstream)

    def _may_look_for_title(self) -> bool:
        if " ".join(self.who.title.casefold().split()) in self._titles:
            self.passed_over.append("its title is that of another page too, so it is not looked for")
            return False
        if not _distinctive(self.who.title):
            self.passed_over.append("its title is too short to be looked for in text")
            return False
        return True

    @cached_property
    def _matchers(self) -> list[tuple[Trace, Matcher]]:
        return [(each, Matcher(each.text.encode("utf-8", "surrogateescape"))) for each in self._traces]

    @property
    def reach(self) -> int:
        """Bytes that no match is longer than."""
        return max(matcher.reach for _, matcher in self._matchers)

    def spans(self, data: bytes, *, latin: bool = False, words: bool = False) -> list[Span]:
        """Return where the source is named, in order, none overlapping; the kind stands as the encoding."""
        del words
        found = [
            Span(span.start, span.end, trace.kind)
            for trace, matcher in self._matchers
            for span in matcher.spans(data, latin=latin, words=True)
            if span.encoding in _BITS or self._whole(data, span, trace)
        ]
        found += self._addresses(data)
        return _united(data, found)

    def holds(self, data: bytes) -> bool:
        """Tell whether the source is named in the data."""
        return bool(self.spans(data)) or bool(self.wide(data))

    def wide(self, data: bytes) -> list[Span]:
        """Return where it is named in two-byte characters inside data that is no text."""
        if b"\0" not in data:
            return []
        found = [span for _, matcher in self._matchers for span in matcher.wide(data)]
        return _united(data, found)

    def _whole(self, data: bytes, span: Span, trace: Trace) -> bool:
        """Tell whether a match is the thing itself and no part of something longer."""
        after = data[span.end : span.end + 1]
        if trace.kind == "url":
            return self._ends(data, span.end)
        if trace.kind == "path" and data[span.start - 1 : span.start] == b"/":
            pass  # a longer path leads to the same file, seen from elsewhere
        elif not _BEFORE.search(data, max(0, span.start - 10), span.start):
            return False
        return not re.match(rb"[\w-]", after)

    def _ends(self, data: bytes, at: int) -> bool:
        """Tell whether an address ends here but for what makes no other page of it."""
        found = re.match(rb"[^\s<>\"'`|\\\x00-\x1f]*", data[at : at + 2048])
        rest = found[0] if found else b""
        if not rest or rest[:1] in _SHORTER_SET or rest[:1] in b"#&" or not rest[:1].isascii():
            return True
        if rest[:1] in b"?/":
            tails = [rest, *(rest[:end] for end in _cuts(rest))]
            ways = [each for each in self.urls if each]
            return any(
                normalise_url(url + tail.decode("utf-8", "replace")) == url for url in ways for tail in tails
            )
        return rest[:1] == b"%"

    def _addresses(self, data: bytes) -> Iterable[Span]:
        """Yield other spellings of the addresses: case, port, tracking, the order of parameters."""
        if not self.urls or (b"://" not in data and b":\\/\\/" not in data):
            return
        for found in _ADDRESS.finditer(data):
            whole = found[0]
            for end in (len(whole), *_cuts(whole)):
                text = whole[:end].replace(b"\\/", b"/").decode("utf-8", "replace")
                if normalise_url(text) in self.urls:
                    yield Span(found.start(), found.start() + end, "url")
                    break


_SHORTER_SET: Final = frozenset(_SHORTER[i : i + 1] for i in range(len(_SHORTER)))


def _cuts(whole: bytes) -> Sequence[int]:
    """Return the ends an address may really have: before brackets and marks, the longest first."""
    return [at for at in range(len(whole) - 1, 8, -1) if whole[at : at + 1] in _SHORTER_SET][:_TRIES]


def _distinctive(title: str) -> bool:
    """Tell whether a title can hardly mean anything else: two words, or some in a script without blanks."""
    if len(title.split()) >= 2:
        return len(title) >= LONG_TITLE
    return not title.isascii() and len(title) >= 6


def _united(data: bytes, spans: Iterable[Span]) -> list[Span]:
    """Return spans in order, those that overlap as one, with the dots that lead to a path."""
    found: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        if found and span.start < found[-1].end:
            found[-1] = found[-1]._replace(end=max(found[-1].end, span.end))
        else:
            dots = (
                _DOTS.search(data, max(0, span.start - 60), span.start) if span.encoding == "path" else None
            )
            found.append(span._replace(start=dots.start()) if dots else span)
    return found
