"""The parsed form of one Markdown file, small enough to cache and plain enough to share.

A `Page` is built from a *row*: nested plain tuples, dicts, strings and numbers that
`marshal` can store. Rich views (`links`, `headings`, …) are made from the row on first
use, so a lint run that only tests set membership never pays for them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

Value = str | list[Any] | dict[str, Any]
"""A front matter value: scalars stay the text that was written, so `no` and `1e5` are strings."""


class Problem(NamedTuple):
    """Something wrong with the text itself, found while reading it.

    `code` is one of: `encoding` (not UTF-8), `missing` (no front matter), `unclosed`,
    `yaml` (invalid YAML), `duplicate` (key written twice), `bom`, `mixed-eol`, `control`
    (NUL or control byte), `oversize` (file or line too large to scan for links),
    `conflict` (Git conflict markers outside code), `retracted` (a RETRACTED-SOURCE
    marker outside code).
    `line` is 1-based; `detail` is the reason or the key, in words.
    """

    code: str
    line: int
    detail: str


class Link(NamedTuple):
    """One reference out of a page.

    `form`: `inline reference collapsed shortcut autolink wikilink html definition`.
    `kind`: `path` (a local file), `url` (has a scheme), `fragment` (same page), `wiki` (a name).
    `key`: for `path` the target relative to the root, percent-decoded, NFC, without query and
    fragment; it starts with `../` when the target lies outside the root. For `wiki` the name
    before `#`, NFC and casefolded. For `url` and `fragment` the empty string.
    `target`: destination as the parser read it. `fragment`: after `#`, percent-decoded.
    `start`, `end`: byte range of the whole construct in the file; `line`, `column`: 1-based,
    column in characters.
    """

    form: str
    kind: str
    image: bool
    key: str
    target: str
    fragment: str
    text: str
    line: int
    column: int
    start: int
    end: int


class Heading(NamedTuple):
    """One heading: level 1-6, its text without markup, its anchor slug, its 1-based line."""

    level: int
    text: str
    slug: str
    line: int


class Footnote(NamedTuple):
    """A footnote label at a 1-based line; `defines` tells a definition from a reference."""

    label: str
    line: int
    defines: bool


UNSURE = frozenset({"encoding", "duplicate", "conflict"})
"""Problems that leave open what a page means: bytes that are no text, a key twice, an unmerged file."""


class Page:
    """One Markdown file as rules and indexes see it. Immutable by convention.

    `rel` is the POSIX path relative to the root, exactly as on disk. `meta` is the front
    matter (empty unless `front == "ok"`), `lines` maps each top-level key to its 1-based line.
    `front` is `ok`, `missing`, `unclosed` or `invalid`. `keys` is the set of `Link.key` of all
    `path` links that are not images, `assets` that of images and embeds by path, `names` that of
    wikilinks and embeds by name. `notes` holds what the per-file check found, as plain tuples.
    `sha256` is the hex digest of the file's bytes, `body_line` the 1-based line where the body
    starts, `title` the text of the first level-one heading or "".
    """

    __slots__ = (
        "_footnotes",
        "_headings",
        "_links",
        "_problems",
        "assets",
        "body_line",
        "front",
        "keys",
        "lines",
        "meta",
        "names",
        "notes",
        "rel",
        "row",
        "sha256",
        "title",
    )

    rel: str
    sha256: str
    front: str
    meta: dict[str, Value]
    lines: dict[str, int]
    body_line: int
    title: str
    keys: frozenset[str]
    assets: frozenset[str]
    names: frozenset[str]
    notes: tuple[tuple[Any, ...], ...]
    row: tuple[Any, ...]

    def __init__(self, rel: str, row: tuple[Any, ...], notes: tuple[tuple[Any, ...], ...] = ()) -> None:
        self.rel = rel
        self.row = row
        self.notes = notes
        (
            self.sha256,
            self.front,
            self.meta,
            self.lines,
            self.body_line,
            self.title,
            self.keys,
            self.assets,
            self.names,
        ) = row[:9]

    @property
    def links(self) -> tuple[Link, ...]:
        """Every link, image, embed and wikilink outside code and comments, in order."""
        try:
            return self._links
        except AttributeError:
            self._links: tuple[Link, ...] = tuple(map(Link._make, self.row[9]))
            return self._links

    @property
    def headings(self) -> tuple[Heading, ...]:
        """Every heading outside code, in order."""
        try:
            return self._headings
        except AttributeError:
            self._headings: tuple[Heading, ...] = tuple(map(Heading._make, self.row[10]))
            return self._headings

    @property
    def footnotes(self) -> tuple[Footnote, ...]:
        """Footnote references and definitions, in order."""
        try:
            return self._footnotes
        except AttributeError:
            self._footnotes: tuple[Footnote, ...] = tuple(map(Footnote._make, self.row[11]))
            return self._footnotes

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the text itself, in line order."""
        try:
            return self._problems
        except AttributeError:
            self._problems: tuple[Problem, ...] = tuple(map(Problem._make, self.row[12]))
            return self._problems

    def text(self, key: str) -> str:
        """Return a scalar field stripped, or "" when it is absent or not a scalar."""
        value = self.meta.get(key)
        return value.strip() if isinstance(value, str) else ""

    def items(self, key: str) -> list[str]:
        """Return a list field as its scalar items; [] when it is absent, empty or no list."""
        value = self.meta.get(key)
        return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []

    def __repr__(self) -> str:
        return f"Page({self.rel!r})"
