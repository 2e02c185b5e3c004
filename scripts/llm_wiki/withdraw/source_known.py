"""How one source is recognised in the pages of its wiki: by link, name, address, or a field's value."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

from llm_wiki.admit.urls import is_web, normalise_url
from llm_wiki.core.text import fold, nfc
from llm_wiki.model import links
from llm_wiki.model.links import SourceIndex
from llm_wiki.model.markdown import LinkRow
from llm_wiki.model.page import Page
from llm_wiki.withdraw.archive_links import REFERENCES
from llm_wiki.withdraw.match_text import Reading
from llm_wiki.withdraw.source_traces import Traces


class Reference(NamedTuple):
    """One place that names the source: `kind`, path below the root, 1-based line or 0."""

    kind: str
    path: str
    line: int


def references(path: str, reading: Reading | None, kind: str = "") -> list[Reference]:
    """Return the places in a file at which it was found; without `kind` each is of its trace's own kind.

    Of a file too large for memory the lines are not known.
    """
    if reading is None:
        return []
    text = reading.text
    return [
        Reference(kind or span.encoding, path, text.count(b"\n", 0, span.start) + 1 if text else 0)
        for span in reading.spans
    ]


@dataclass
class Edited:
    """A page after it: new bytes, the references that were in it, how many claims got a marker."""

    data: bytes
    references: list[Reference] = field(default_factory=list)
    marked: int = 0


class Source:
    """How the source is recognised in a page, among all files of its root and the raw ones of them.

    `plain` finds references alone; `traces` the title too, where that tells a reference.
    """

    def __init__(self, traces: Traces, files: Collection[str], raw: Collection[str], root: str = "") -> None:
        self.traces, self.plain = traces, traces.without_title()
        self.files, self.index = files, SourceIndex(files, raw, root)
        self.rel = traces.who.path
        self.key = nfc(self.rel)
        self.older = ""  # the version that it replaces
        self.raw_names = frozenset(fold(stem_of(each)) for each in raw if each != self.rel)
        who = traces.who
        self.names = {fold(each) for each in (who.path, who.path.removesuffix(".md"), who.stem, who.name)}
        self.names -= self.raw_names

    def means(self, owner: str, key: str, written: str) -> bool:
        """Tell whether a value of a field leads to it; only in fields of references can a slug."""
        if is_web(written):
            return normalise_url(written) in self.traces.urls
        if key in REFERENCES and self.index.resolve(owner, written).path == self.rel:
            return True
        return bool(self.plain.spans(written.encode("utf-8", "surrogateescape")))

    def in_fields(self, page: Page) -> bool:
        """Tell whether a field of a page names it in a way that no search for its traces finds."""
        values = [page.meta.get(key) for key in REFERENCES]
        items = [item for value in values for item in (value if isinstance(value, list) else [value])]
        return any(
            isinstance(one, str) and self.index.resolve(page.rel, one).path == self.rel for one in items
        )

    def is_target(self, folder: str, row: LinkRow) -> bool:
        """Tell whether a link leads to it, or is written as if it did."""
        form, _, target = row[:3]
        if form == "wikilink":
            found = fold(target.partition("#")[0]) in self.names
        elif links.has_scheme(target):
            found = normalise_url(target) in self.traces.urls
        else:
            found = links.join(f"{folder}/x" if folder else "x", target)[0] == self.key
        return found or bool(self.plain.spans(target.encode("utf-8", "surrogateescape")))

    def is_other(self, folder: str, row: LinkRow) -> bool:
        """Tell whether a link leads to another source."""
        form, _, target = row[:3]
        if form == "wikilink":
            return fold(target.partition("#")[0].rpartition("/")[2]) in self.raw_names
        if links.has_scheme(target):
            return is_web(target)
        key = links.join(f"{folder}/x" if folder else "x", target)[0]
        return key.startswith("raw/") and not key.endswith("_index.md")


def stem_of(rel: str) -> str:
    """Return the name of a file without `.md`."""
    return rel.rpartition("/")[2].removesuffix(".md")
