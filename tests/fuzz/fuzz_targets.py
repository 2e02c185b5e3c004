"""The fuzz targets: each takes any bytes and raises when a promise is broken.

An input is readable text: where a target needs more than one document, the first line holds its
arguments, parted by tabs. Nothing here needs a fuzzer, so the corpus is replayed as a plain test.
"""

from __future__ import annotations

import json
import marshal
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from fuzz_oracles import LOADER, column_of, inside, is_subsequence, line_of, only_line_end, shared, strings
from indexkit import DAY, Tree, article, document

from llm_wiki.core import fence as fences
from llm_wiki.core.errors import BadUsage, Conflict, Refused
from llm_wiki.core.sentences import sentences
from llm_wiki.model import edit, indexes, links
from llm_wiki.model.document import body_hash, page, parse
from llm_wiki.model.frontmatter import BOM, load, split, unix
from llm_wiki.model.markdown import anchor, scan
from llm_wiki.model.page import Page
from llm_wiki.model.prose import first_paragraph, plain
from llm_wiki.wiki.registry import Registry

REL = "wiki/concepts/a.md"
_BREAKS = ("\x85", "\u2028", "\u2029", "\U000f0085", "\U000f2028", "\U000f2029")


def front_matter(data: bytes) -> None:
    """A header reads as PyYAML reads it with every scalar a string, from bytes as from text."""
    meta, lines, problems = load(data)
    broken = any(code == "yaml" for code, _, _ in problems)
    assert not (broken and (meta or lines))
    assert set(lines) == set(meta)
    assert all(line >= 2 for line in lines.values())
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    if not text.startswith(("\ufeff", "\ufffe")):
        assert load(text) == (meta, lines, problems)
    if broken or any(mark in text for mark in _BREAKS):
        return
    assert strings(text, meta) == meta
    assert lines == dict(sorted(lines.items(), key=lambda item: list(meta).index(item[0])))


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
    for start, end in found.code:
        assert 0 <= start < end <= len(raw)
    for _, words, start in found.headings:
        assert 0 <= start < len(raw)
        assert anchor(anchor(words)) == anchor(words)
    for label, start, _ in found.footnotes:
        assert raw.startswith(b"[^", start)
        assert label
    assert "\n" not in plain(text)


def set_field(data: bytes) -> None:
    """An edit of a field changes this field alone, keeps every other byte, and done twice is done once."""
    action, key, value, rest = _arguments(data)
    wanted: str | list[str] = value
    actions: dict[str, Callable[[bytes], bytes]] = {
        "set": lambda old: edit.set_field(old, key, wanted),
        "rename": lambda old: edit.rename_field(old, key, value),
        "remove": lambda old: edit.remove_field(old, key),
        "item": lambda old: edit.set_item(old, key, 0, value),
    }
    name = action if action in actions else list(actions)[len(action) % len(actions)]
    if name == "set" and "|" in value:
        wanted = value.split("|")
    try:
        after = actions[name](rest)
    except (BadUsage, Refused):
        return
    old, old_lines = _header(rest)
    new, _ = _header(after)
    expected = _edited(name, old, key, wanted)
    assert new == expected
    assert list(new) == list(expected)
    eol = only_line_end(rest)
    assert not eol or only_line_end(after) == eol or not old_lines
    _kept_around(rest, after, key, new=key not in old)
    if name in ("set", "item"):
        assert actions[name](after) == after
    elif name == "rename":
        assert _header(edit.rename_field(after, value, key))[0] == old


def _arguments(data: bytes) -> tuple[str, str, str, bytes]:
    first, _, rest = data.partition(b"\n")
    parts = [*first.decode(errors="replace").split("\t"), "", "", ""]
    return parts[0], parts[1], parts[2], rest


def _header(data: bytes) -> tuple[dict[str, Any], int]:
    """Return what a file's front matter says as PyYAML reads it, and how many lines it has."""
    front = split(unix(data))
    head = data[front.start : front.end].decode()
    if any(mark in head for mark in _BREAKS):
        return load(head)[0], head.count("\n")
    return strings(head, load(head)[0]), head.count("\n")


def _edited(name: str, old: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    if name == "set":
        return {**old, key: value}
    if name == "item":
        return {**old, key: [value, *old[key][1:]]}
    return {value if one == key else one: what for one, what in old.items() if name == "rename" or one != key}


def _kept_around(before: bytes, after: bytes, key: str, *, new: bool) -> None:
    """Check that all in front of the field's line and all behind its last line stayed."""
    if new:
        assert sum(shared(before, after)) == len(before)
        return
    front = split(unix(before))
    head = before[front.start : front.end].decode()
    if any(mark in head for mark in _BREAKS):
        return
    try:
        span = _span(head, key)
    except yaml.composer.ComposerError:
        return  # an anchor set twice, which PyYAML refuses and YAML allows
    first = front.start + len(head[: span[0]].encode())
    last = front.start + len(head[: span[1]].encode())
    assert after.startswith(before[:first])
    assert after.endswith(before[last:])
    assert first + len(before) - last <= len(after)


def _span(head: str, key: str) -> tuple[int, int]:
    """Return the characters of the lines that hold a field, as PyYAML's composer sees it."""
    node = yaml.compose(head, LOADER)
    for name, value in reversed(node.value if isinstance(node, yaml.MappingNode) else []):
        if name.value == key:
            start = (
                max(head.rfind("\n", 0, name.start_mark.index), head.rfind("\r", 0, name.start_mark.index))
                + 1
            )
            end = len(head[: max(value.end_mark.index, name.end_mark.index + 1)].rstrip())
            colon = head.find(":", name.end_mark.index)
            end = max(end, colon + 1)
            while end < len(head) and head[end] not in "\r\n":
                end += 1
            return start, min(end + (2 if head.startswith("\r\n", end) else 1), len(head))
    raise KeyError(key)


def retarget(data: bytes) -> None:
    """A link led elsewhere leads there when read again; no other link and no byte around it changes."""
    _, number, target, rest = _arguments(data)
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


def paths(data: bytes) -> None:
    """A relative target leads back to its file; any reference resolves to one of five answers."""
    parts = data.decode(errors="surrogateescape").split("\n")
    owner, to, reference = (*parts, "", "", "")[:3]
    tidy = "/".join(part for part in to.split("/") if part not in ("", ".", ".."))
    here = "/".join(part for part in owner.split("/") if part not in ("", ".", ".."))
    if tidy and here:
        assert links.join(here, links.relative(here, tidy)) == (unicodedata.normalize("NFC", tidy), "")
    key, _ = links.join(here, reference)
    assert "//" not in key
    assert "/../" not in f"/{key.lstrip('./')}/"
    found = _SOURCES.resolve(owner, reference)
    assert found.status in ("resolved", "dangling", "ambiguous", "url", "outside")
    assert (found.path in _RAW) == (found.status == "resolved")
    assert not found.exact or found.path == reference.strip()


_RAW = (
    "raw/articles/2026-01-02-tea-brewing-times.md",
    "raw/articles/2026-01-03-tea-brewing-water.md",
    "raw/notes/2026-01-02-茶.md",
    "raw/papers/Größe.md",
    "wiki/concepts/a.md",
)
_SOURCES = links.SourceIndex(_RAW, _RAW[:4], "/home/me/tea")


def registry(data: bytes) -> None:
    """Any bytes are read; what is written back holds the same keys in the same order, whatever they are."""
    found = Registry(Path("/hub"), data)
    for entry in found.entries.values():
        entry.location(found.hub)
        entry.inside(found.hub)
    assert found.usable or found.problems
    assert found.local_wikis is not None
    if not found.usable:
        return
    written = found.to_bytes()
    assert _json(written) == _json(data)
    again = Registry(Path("/hub"), written)
    assert again.to_bytes() == written
    assert (again.entries, again.problems) == (found.entries, found.problems)
    before = _json(data)
    found.set_topic("new", "topics/new", "New — wiki")
    after = _json(found.to_bytes())
    assert _without(after, "new") == _without(before, "new")


def _json(data: bytes) -> Any:
    """Return JSON with objects as lists of pairs, so that order counts, and numbers as written."""
    return json.loads(
        data.removeprefix(b"\xef\xbb\xbf"),
        object_pairs_hook=lambda pairs: ("object", *pairs),
        parse_constant=lambda name: ("constant", name),
    )


def _without(value: Any, slug: str) -> list[Any]:
    """Return the pairs of a registry without one topic."""
    rest: list[Any] = []
    for key, part in value[1:]:
        if key != "wikis":
            rest.append((key, part))
        elif part[1:]:
            rest.append((key, *[pair for pair in part[1:] if pair[0] != slug]))
    return [pair for pair in rest if len(pair) > 1]


def index(data: bytes) -> None:
    """Merging an index never fails, is done after once, and keeps every line that is nobody's but a person's."""
    contract = _CONTRACTS[data[0] % len(_CONTRACTS)] if data else _CONTRACTS[0]
    old = data[1:]
    merged = indexes.merge(old, contract, DAY)
    assert indexes.merge(merged, contract, DAY) == merged
    left = indexes.check(merged, contract)
    assert not (left.missing or left.gone or left.doubled or left.statistics or left.cells) or not _readable(
        old
    )
    assert not any(dead.fixable for dead in left.dead)
    if not _readable(old):
        assert merged == old
    elif old.removeprefix(b"\xef\xbb\xbf").strip():
        assert is_subsequence(_curated(old), _LINE_END.split(merged.decode()))


_LINE_END = re.compile(r"\r\n|\n|\r")


def _readable(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _curated(data: bytes) -> list[str]:
    """Return the lines that no merge may touch: words without link, cell, number or mark of a heading."""
    return [
        line
        for line in _LINE_END.split(data.decode())
        if line.strip() and all(char.isalpha() or char in " ,;" for char in line) and len(line) > 12
    ]


_TREE = Tree(
    {
        "wiki/concepts/a.md": article("A", "About a."),
        "wiki/concepts/B b.md": article("B [x] | `y", "About | b."),
        "wiki/concepts/_index.md": b"",
        "raw/articles/_index.md": b"",
        "raw/articles/r.md": b"",
        "raw/papers/": b"",
        "output/o.md": document(title="O", type="report", generated="2026-01-01"),
        "output/projects/p/WHY.md": b"# P\n\nGoal.\n",
        "inventory/items/i.md": document(title="I", kind="item", status="active"),
        "datasets/s/MANIFEST.md": document(title="S", size_bytes="3"),
        "config.md": document(title="Tea"),
    }
)
_FOLDERS = ("", "wiki/concepts", "raw", "output", "inventory", "datasets")
_CONTRACTS = [
    *(indexes.contract(folder, _TREE) for folder in _FOLDERS),
    indexes.hub(
        [
            indexes.HubTopic("tea", "topics/tea", "Tea", "Leaves"),
            indexes.HubTopic("old", "topics/.archive/old", archived=True),
        ]
    ),
]


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


TARGETS: dict[str, Callable[[bytes], None]] = {
    "front_matter": front_matter,
    "whole_page": whole_page,
    "markdown": markdown,
    "set_field": set_field,
    "retarget": retarget,
    "paths": paths,
    "registry": registry,
    "index": index,
    "quoting": quoting,
    "sentence": sentence,
}
"""Name → target; each has a folder of this name in the corpus."""
