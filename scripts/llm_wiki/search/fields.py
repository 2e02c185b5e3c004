"""What of a page is searched: six fields of folded words, and the facts a hit shows."""

from __future__ import annotations

import re
from hashlib import blake2b

from llm_wiki.admit.visibility import ARCHIVED, PENDING, SUPERSEDED, Label, mask, pending
from llm_wiki.core.text import as_date
from llm_wiki.model.frontmatter import unix
from llm_wiki.model.kinds import kind_of
from llm_wiki.model.page import Page
from llm_wiki.search.facts import Facts
from llm_wiki.search.words import folded, words

SEARCHED = frozenset({"synthesis", "evidence", "tracking", "data", "product"})
"""Planes whose pages are searched; guidance and navigation say nothing about the subject."""

_TAILS = frozenset({"see also", "sources"})
_TARGET = re.compile(r"\]\((?:<[^<>\n]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"\n]*\")?\)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def part_of(label: Label) -> int:
    """Return the index that a page of this label belongs to, as a place in `PARTS`."""
    if SUPERSEDED in label.notes:
        return 3
    if ARCHIVED in label.notes:
        return 2
    return 1 if label.plane == "evidence" else 0


def ident(path: str) -> int:
    """Return the number of a page: from its path alone, so that ties fall the same in every index."""
    return int.from_bytes(blake2b(path.encode("utf-8", "surrogateescape"), digest_size=5).digest(), "big")


def facts_of(page: Page, label: Label, *, withheld: bool) -> Facts:
    """Return the facts of a page; `withheld` tells that a sentence of it is masked."""
    notes = (*label.notes, PENDING) if withheld else label.notes
    stamp = page.text("updated") or page.text("ingested") or page.text("generated") or page.text("created")
    day = as_date(stamp)
    return Facts(
        printable(page.rel),
        page.sha256,
        part_of(label),
        kind_of(page.rel) or "other",
        label.plane,
        "\n".join(notes),
        _shown(title_of(page)),
        _shown(page.text("category")),
        _shown(page.text("type") or page.text("kind")),
        "\n".join(_shown(tag) for tag in page.items("tags")),
        day.isoformat() if day else "",
        _shown(page.text("summary")),
        _filters(page),
        page.body_line,
    )


def _filters(page: Page) -> str:
    """Return what filters test, folded, one `name:value` a line, with a line end on both sides."""
    kind = kind_of(page.rel) or "other"
    category = page.text("category")
    types = {kind, page.text("type"), page.text("kind")} - {""}
    names = [f"tag:{tag}" for tag in page.items("tags")]
    names += [f"category:{category}", f"category:{category}s"] if category else []
    names += [f"type:{name}" for name in sorted(types | {name + "s" for name in types})]
    return printable("\n" + "\n".join(" ".join(folded(name).split()) for name in names) + "\n")


def title_of(page: Page) -> str:
    """Return the title of a page: of its front matter, else its heading, else its file name."""
    return page.text("title") or page.title or page.rel.rpartition("/")[2].removesuffix(".md")


def _shown(text: str) -> str:
    return printable(" ".join(mask(text).split()))


def printable(text: str) -> str:
    """Return text that SQLite can store: lone surrogates as the bytes they stand for, quoted."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return text


def texts_of(page: Page, data: bytes | None) -> tuple[tuple[str, ...], bool]:
    """Return the fields of a page as words joined by blanks, and whether a sentence is withheld.

    `data` None means that the bytes could not be had: then front matter alone is searched.
    """
    whole = "" if data is None else unix(data).decode(errors="replace")
    withheld = pending(whole)
    stem = page.rel.rpartition("/")[2].removesuffix(".md")
    aliases = " ".join([*page.items("aliases"), stem.replace("-", " ").replace("_", " ")])
    fields = (
        title_of(page),
        aliases,
        " ".join(page.items("tags")),
        page.text("summary"),
        "\n".join(heading.text for heading in page.headings if heading.level > 1),
        body_of(page, mask(whole) if withheld else whole),
    )
    front = [mask(field) for field in fields[:5]] if withheld else fields[:5]
    return tuple(" ".join(words(field)) for field in (*front, fields[5])), withheld


def body_of(page: Page, whole: str) -> str:
    """Return the body of a file for searching.

    Front matter, link targets, comments, See Also and Sources are left out: they speak of other pages.
    """
    lines = whole.split("\n")
    for first, behind in tails(page):
        lines[first - 1 : behind - 1] = [""] * (min(behind, len(lines) + 1) - first)
    body = "\n".join(lines[page.body_line - 1 :])
    if "<!--" in body:
        body = _COMMENT.sub(" ", body)
    return _TARGET.sub("]", body)


def tails(page: Page) -> list[tuple[int, int]]:
    """Return the line ranges (first, behind the last) of See Also and Sources: names of other pages."""
    found = []
    headings = page.headings
    for place, heading in enumerate(headings):
        if heading.text.strip().casefold() in _TAILS:
            behind = next((h.line for h in headings[place + 1 :] if h.level <= heading.level), 1 << 30)
            found.append((heading.line, behind))
    return found
