"""What keeps pages together: paths, the registry of a hub, index files."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

from fuzz_oracles import is_subsequence
from indexkit import DAY, Tree, article, document

from llm_wiki.core import text as words
from llm_wiki.core.errors import BadUsage, Refused
from llm_wiki.model import edit, indexes, layout, links
from llm_wiki.wiki.registry import Registry


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
    try:
        found.set_topic("new", "topics/new", "New — wiki")
    except Refused:
        return
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


def rendered(data: bytes) -> None:
    """A new index has no difference from its contract, whatever names, titles and summaries it holds."""
    files = {"wiki/concepts/": b""}
    for line in data.decode(errors="replace").split("\n")[:4]:
        name, title, summary = (*line.split("\t"), "", "", "")[:3]
        name = re.sub(r"[\x00-\x1f/\x7f]", "", name)
        if name.lstrip(".") == name and name and name.casefold() != "_index":
            fields = {"title": title, "summary": summary, "updated": "2026-01-02"}
            files[f"wiki/concepts/{name}.md"] = edit.render(fields, "")
    contract = indexes.contract("wiki/concepts", Tree(files))
    text = indexes.render(contract, DAY)
    assert not indexes.check(text, contract)
    assert indexes.merge(text, contract, "2027-01-01") == text


def names(data: bytes) -> None:
    """A name made of any text is legal, short, and made of itself is itself; cutting stays within its limit."""
    text = data.decode(errors="surrogateescape")
    slug = words.slugify(text)
    assert words.slugify(slug) == slug
    assert words.fold(words.fold(text)) == words.fold(text)
    name = words.file_slug(text)
    assert 0 < len(name) <= 60 + len("-note")
    assert len(name.encode()) <= words.FILE_SLUG_BYTES + len("-note")
    assert words.file_slug(name) == name
    assert not set(name) & set('/\\:*?"<>| .\0\n')
    line = words.one_line(text)
    assert words.one_line(line) == line
    assert "\n" not in line
    words.as_date(text)
    for limit in (0, 1, 7, 40):
        short = words.cut(text, limit)
        assert len(short) <= limit
        assert short == text.strip() or text.strip().startswith(short.removesuffix("…"))
    try:
        topic = words.topic_slug(text)
    except BadUsage:
        return
    assert layout.TOPIC_SLUG.fullmatch(topic)
    assert words.topic_slug(topic) == topic
