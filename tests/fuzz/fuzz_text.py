"""Markdown: what is found lies where it is said to lie; a link led elsewhere leads there alone."""

from __future__ import annotations

import marshal
from typing import Any

from fuzz_fields import arguments
from fuzz_oracles import column_of, inside, line_of

from llm_wiki.core import fence as fences
from llm_wiki.core.errors import BadUsage, Conflict, Refused
from llm_wiki.core.sentences import sentences
from llm_wiki.model import edit
from llm_wiki.model.document import body_hash, page, parse
from llm_wiki.model.frontmatter import BOM, split, unix
from llm_wiki.model.markdown import anchor, scan
from llm_wiki.model.page import Page
from llm_wiki.model.prose import first_paragraph, plain

REL = "wiki/concepts/a.md"


def whole_page(data: bytes) -> None:
    """Any bytes parse; every place named is where it says, every link's range holds a link."""
    row = parse(REL, data)
    assert marshal.loads(marshal.dumps(row)) == row
    found = Page(REL, row)
    flat = unix(data)
    base = split(flat).body
    body_hash(data)
    first_paragraph(data)
    if any(problem.code == "encoding" for problem in found.problems):
        return
    last = base
    for link in found.links:
        assert last <= link.start < link.end <= len(data)
        last = link.start
        assert link.line == line_of(flat, link.start)
        assert link.column == column_of(
            flat.removeprefix(BOM), link.start - (len(flat) - len(flat.removeprefix(BOM)))
        )
        _is_written_as(link.form, link.image, data[link.start : link.end])
    slugs = [heading.slug for heading in found.headings]
    assert len(set(slugs)) == len(slugs)
    for thing in (*found.headings, *found.footnotes, *found.problems):
        assert 1 <= thing.line <= line_of(flat, len(flat))


def _is_written_as(form: str, image: bool, text: bytes) -> None:
    opening = {"wikilink": b"[[", "autolink": b"<", "html": b"<"}.get(form, b"[")
    closing = {"wikilink": b"]]", "autolink": b">", "html": b">", "inline": b")"}.get(form, b"]")
    if image and form != "html":
        opening = b"!" + opening
    assert text.startswith(opening), (form, text)
    assert form == "definition" or text.endswith(closing), (form, text)


def markdown(data: bytes) -> None:
    """A scan's ranges lie in the text, in order, and hold what they say; words and slugs never fail."""
    text = data.decode(errors="replace")
    raw = text.encode()
    found = scan(text)
    assert found == scan(text, raw)
    last = 0
    for form, image, _, _, start, end, label in found.links:
        assert last <= start < end <= len(raw)
        assert form in ("definition", "autolink") or start < label <= end
        last = start
        _is_written_as(form, image, raw[start:end])
    assert found.code == sorted(found.code)
    for start, end in found.code:
        assert 0 <= start < end <= len(raw)
    for things, place in ((found.headings, 2), (found.footnotes, 1)):
        starts = [thing[place] for thing in things]
        assert starts == sorted(starts)
    for _, words, start in found.headings:
        assert 0 <= start < len(raw)
        assert anchor(anchor(words)) == anchor(words)
    for label, start, _ in found.footnotes:
        assert raw.startswith(b"[^", start)
        assert label
    assert "\n" not in plain(text)


def retarget(data: bytes) -> None:
    """A link led elsewhere leads there when read again; no other link and no byte around it changes."""
    _, number, target, rest = arguments(data)
    before = page(REL, rest)
    if not before.links:
        return
    link = before.links[int(number) % len(before.links) if number.isdecimal() else 0]
    try:
        after = edit.retarget(rest, link, target)
    except (BadUsage, Refused, Conflict):
        return
    new = page(REL, after)
    through = [one for one in before.links if one.form == "definition"] if _refers(link) else []
    assert inside(rest, after, [(one.start, one.end) for one in (link, *through)])
    assert len(new.links) == len(before.links)
    for one, other in zip(before.links, new.links, strict=True):
        assert (one.form, one.image) == (other.form, other.image)
        if one is not link and not (_refers(link) and _refers(one)):
            assert one.target == other.target
    if link.form not in ("wikilink", "autolink"):
        assert [head[:3] for head in new.headings] == [head[:3] for head in before.headings]
    assert new.meta == before.meta
    again = next(two for one, two in zip(before.links, new.links, strict=True) if one is link)
    assert edit.retarget(after, again, target) == after


def _refers(link: Any) -> bool:
    return link.form in ("reference", "collapsed", "shortcut", "definition")


def quoting(data: bytes) -> None:
    """A fence has one begin and one end, every line between them is marked, cleaning is done after once."""
    text = data.decode(errors="surrogateescape")
    clean = fences.clean(text)
    assert fences.clean(clean.text).hidden == 0
    assert fences.clean(clean.text).text == clean.text
    nonce = fences.new_nonce("fuzz")
    first, *middle, last, end = fences.fence(
        text, path=text[:40], labels={"trust": text[-20:]}, nonce=nonce
    ).split("\n")
    assert end == ""
    assert first.startswith(f"<<<{fences.MARK} {nonce} ")
    assert first.endswith(">>>")
    assert first.count("<") == 3
    assert last.startswith(f"<<<END {fences.MARK} {nonce} ")
    assert last.endswith(">>>")
    assert last.count(">") == 3
    assert middle
    assert all(line.startswith("|") and nonce not in line for line in middle)
    assert not any(fences.MARK in line and "<" in line for line in middle)


def sentence(data: bytes) -> None:
    """Sentences come in order, do not overlap, are not blank, and leave out nothing but blanks."""
    text = data.decode(errors="replace")
    at = 0
    for start, end in sentences(text):
        assert at <= start < end <= len(text)
        assert not text[at:start].strip()
        assert text[start:end].strip()
        at = end
    assert not text[at:].strip()
