"""From the bytes of one Markdown file to its row (`page.Page`), its body and its body hash.

`parse` runs once for every file of a wiki, so it decodes once, walks the Markdown once and
computes nothing a row does not hold.
"""

from __future__ import annotations

import codecs
import hashlib
from functools import lru_cache
from typing import Any

from llm_wiki.core.text import fold, nfc
from llm_wiki.model import faults
from llm_wiki.model.frontmatter import load, split, unix
from llm_wiki.model.links import has_scheme, join
from llm_wiki.model.markdown import Scan, anchor, scan
from llm_wiki.model.page import Page

__all__ = ["body", "body_hash", "page", "parse"]

_REMEMBERED = 16_384
"""Link targets whose reading is remembered from file to file."""

_SAME_LENGTH = "llm_wiki.same_length"


def _question_marks(error: UnicodeError) -> tuple[str, int]:
    """Replace each undecodable byte by one character of one byte, so that offsets stay true."""
    assert isinstance(error, UnicodeDecodeError)
    return "?" * (error.end - error.start), error.end


codecs.register_error(_SAME_LENGTH, _question_marks)


class _Lines:
    """Turns rising byte offsets into lines in one pass over the bytes."""

    def __init__(self, flat: bytes, offset: int, line: int) -> None:
        self.flat = flat
        self.offset = offset
        self.line = line

    def at(self, offset: int) -> int:
        """Return the line of an offset not below the last one."""
        self.line += self.flat.count(b"\n", self.offset, offset)
        self.offset = offset
        return self.line


def parse(rel: str, data: bytes) -> tuple[Any, ...]:
    """Return the row of `page.Page` for a file's bytes; never raises on any bytes.

    A file that is not UTF-8 is read with every bad byte as `?`. Its problems are `encoding` and, as
    they are about content, `conflict`, `retracted` and `oversize`; front matter that is not `ok`
    then counts as `invalid`, so that one bad byte is one finding. `definition` links (reference
    definitions) are listed for rewriting; what they point to is in `keys` only when they are used.
    """
    problems: list[tuple[str, int, str]] = []
    digest = hashlib.sha256(data).hexdigest()
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        problems.append(faults.encoding(data, error))
        text = data.decode(errors=_SAME_LENGTH)
        data = text.encode()
    flat = unix(data)
    front = split(flat)
    state = front.state
    meta: dict[str, Any] = {}
    lines: dict[str, int] = {}
    if state == "ok":
        meta, lines, wrong = load(data[front.start : front.end])
        if wrong and not problems:
            problems += wrong
        if wrong and wrong[-1][0] == "yaml":
            state = "invalid"
    elif problems:
        state = "invalid"
    else:
        problems.append((state, 1, ""))
    body_line = 1 + flat.count(b"\n", 0, front.body)
    raw = faults.scannable(data, flat, front.body, problems)
    whole = len(data) <= faults.MAX_LINE
    found = scan(faults.behind(text, data, front.body) if whole else raw.decode(), raw)
    faults.collect(data, flat, front.body, found.code, problems)
    links, keys, assets, names = _links(rel, found, flat, front.body, body_line)
    title, headings = _headings(found, flat, front.body, body_line)
    lines_at = _Lines(flat, front.body, body_line)
    footnotes = tuple(
        (label, lines_at.at(start + front.body), defines) for label, start, defines in found.footnotes
    )
    return (
        digest,
        state,
        meta,
        lines,
        body_line,
        title,
        keys,
        assets,
        names,
        links,
        headings,
        footnotes,
        tuple(sorted(problems, key=lambda problem: problem[1])),
    )


def _links(
    rel: str, found: Scan, flat: bytes, base: int, line: int
) -> tuple[tuple[tuple[Any, ...], ...], frozenset[str], frozenset[str], frozenset[str]]:
    """Return the rows of `page.Link`, and the sets `keys`, `assets` and `names` of the page."""
    rows: list[tuple[Any, ...]] = []
    keys: set[str] = set()
    assets: set[str] = set()
    names: set[str] = set()
    count, find, ascii_only = flat.count, flat.rfind, flat.isascii()
    last, column = base, 1
    folder = rel.rpartition("/")[0] + "/"
    for form, image, dest, text, start, end, _ in found.links:
        if form == "wikilink":
            kind, key, target, fragment = _wikilink(dest)
            if kind == "wiki":
                names.add(key)
            elif not target:
                continue
        else:
            kind, key, target, fragment = _located(folder, form, dest)
            if kind == "path":
                if not key and dest[0] == "?":
                    key = nfc(rel)
                if form != "definition":
                    (assets if image else keys).add(key)
        at = start + base
        if down := count(b"\n", last, at):
            line += down
            last, column = find(b"\n", last, at) + 1, 1
        column += at - last if ascii_only else len(flat[last:at].decode())
        last = at
        rows.append((form, kind, image, key, target, fragment, text, line, column, at, end + base))
    return tuple(rows), frozenset(keys), frozenset(assets), frozenset(names)


@lru_cache(maxsize=_REMEMBERED)
def _located(folder: str, form: str, target: str) -> tuple[str, str, str, str]:
    """Return kind, key, target and fragment of a Markdown or HTML link in a folder (with its slash).

    Remembered, as the pages of a folder link the same pages. A target that is only a query has the
    empty key here.
    """
    if form == "autolink" or has_scheme(target):
        return "url", "", target, ""
    key, fragment = join(folder, target)
    if not target or target[0] == "#":
        return "fragment", "", target, fragment
    return "path", key if target[0] != "?" else "", target, fragment


@lru_cache(maxsize=_REMEMBERED)
def _wikilink(dest: str) -> tuple[str, str, str, str]:
    r"""Return kind, key, target and fragment of a wikilink's destination.

    In a table the bar before the alias is written `\|`, and the backslash arrives here.
    """
    target = dest.removesuffix("\\").strip()
    if has_scheme(target):
        return "url", "", target, ""
    name, _, fragment = target.partition("#")
    key = fold(" ".join(name.split()))
    return ("wiki" if key else "fragment"), key, target, fragment.strip()


_anchor = lru_cache(maxsize=_REMEMBERED)(anchor)


def _headings(found: Scan, flat: bytes, base: int, line: int) -> tuple[str, tuple[tuple[Any, ...], ...]]:
    """Return the title and the rows of `page.Heading`; a slug used before gets `-1`, then `-2`."""
    lines_at = _Lines(flat, base, line)
    title = ""
    rows: list[tuple[Any, ...]] = []
    used: dict[str, int] = {}
    for level, text, start in found.headings:
        slug = plain_slug = _anchor(text)
        while slug in used:
            used[plain_slug] += 1
            slug = f"{plain_slug}-{used[plain_slug]}"
        used[slug] = 0
        rows.append((level, text, slug, lines_at.at(start + base)))
        if level == 1 and not title:
            title = text
    return title, tuple(rows)


def page(rel: str, data: bytes) -> Page:
    """Parse a file's bytes into a `Page`."""
    return Page(rel, parse(rel, data))


def body(data: bytes) -> str:
    """Return the text after the front matter; undecodable bytes become U+FFFD, line ends stay."""
    return data[split(unix(data)).body :].decode(errors="replace")


def body_hash(data: bytes) -> str:
    """Return the hex SHA-256 of the body in normal form (`doctrine.md` §2).

    Normal form: NFC, every line end one LF, blanks at line ends and empty lines at the end
    stripped, one final newline. Moving a file, editing its front matter or changing its line ends
    leaves the hash as it is.
    """
    text = nfc(unix(data[split(unix(data)).body :]).decode(errors="replace"))
    lines = [line.rstrip(" \t") for line in text.split("\n")]
    return hashlib.sha256(("\n".join(lines).rstrip("\n") + "\n").encode()).hexdigest()
