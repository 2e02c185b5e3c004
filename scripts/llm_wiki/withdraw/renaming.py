"""New names for files and folders whose names hold the value, and links that lead to them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from llm_wiki.core.errors import WikiError
from llm_wiki.core.stores import Needle, Span
from llm_wiki.core.text import fold, nfc
from llm_wiki.model import document, edit, layout, links
from llm_wiki.model.page import Link
from llm_wiki.withdraw.match_text import MARKER, cut
from llm_wiki.withdraw.rewriting import clean_text

RESERVED = frozenset(
    {
        *layout.TOPIC_FILES,
        *layout.TOPIC_FOLDERS,
        *layout.HUB_FILES,
        *layout.HUB_FOLDERS,
        *layout.RAW_FOLDERS,
        *layout.WIKI_FOLDERS,
        *layout.INVENTORY_FOLDERS,
        *layout.DATASET_FOLDERS,
        *layout.GIT_NAMES,
        layout.MANIFEST,
        layout.WHY,
        "projects",
        "assets",
        ".archive",
        ".wiki",
        ".processed",
        ".unknown",
    }
)
"""Names that the format gives a meaning: never another one, wherever they stand."""

_LONGEST = 255
"""Bytes of a name that any disk takes."""

_MARK = MARKER.decode()
SESSION_NAMES = frozenset(
    {
        *("config.json", "registry.jsonl", "state", "queue", "digests", "feedback", "indexes", "locks"),
        *(
            "candidates.jsonl",
            "status.json",
            "by-cwd.json",
            "by-topic.json",
            "sessions.json",
            "feedback.json",
        ),
        *("lessons", "projects", "hook-errors.log", ".key"),
    }
)
"""Names that have a meaning in a folder of sessions (`sessions.md` §2)."""


class Names:
    """The renames of one root: `moves` in the order they are made, `kept` the names that have to stay."""

    def __init__(self, root: Path, rels: Iterable[str], matcher: Needle) -> None:
        self.root = root
        self.moves: list[tuple[str, str]] = []
        self.kept: list[str] = []
        self._taken: dict[str, set[str]] = {}
        self._final: dict[str, str] = {}
        for rel in sorted(rels, key=lambda each: (-each.count("/"), each)):
            self._one(rel, matcher)

    def final(self, rel: str) -> str:
        """Return where a path is after all moves."""
        known = self._final.get(rel)
        if known is None:
            known = rel
            for old, new in self.moves:
                if known == old or known.startswith(f"{old}/"):
                    known = new + known[len(old) :]
            self._final[rel] = known
        return known

    def _one(self, rel: str, matcher: Needle) -> None:
        raw = os.fsencode(rel)
        above = len(os.fsencode(rel.rpartition("/")[0]))
        spans = [span for span in matcher.spans(raw, words=True) if span.end > above]
        words = RESERVED | SESSION_NAMES if layout.SESSIONS in rel.split("/") else RESERVED
        if any(part in words for span in spans for part in _parts(raw, span)):
            self.kept.append(rel)
            return
        new = os.fsdecode(cut(raw, spans))
        self.moves.append((rel, self._free(new)))

    def _free(self, rel: str) -> str:
        folder, _, name = rel.rpartition("/")
        taken = self._taken.get(folder)
        if taken is None:
            place = self.root / folder
            listed = os.listdir(place) if place.is_dir() else []  # noqa: PTH208
            taken = self._taken[folder] = {fold(each) for each in listed}
        stem, dot, ending = name.partition(".") if not name.startswith(".") else (name, "", "")
        number, tried = 1, _short(stem, f"{dot}{ending}")
        while fold(tried) in taken:
            number += 1
            tried = _short(stem, f"-{number}{dot}{ending}")
        taken.add(fold(tried))
        return f"{folder}/{tried}" if folder else tried


def _short(stem: str, rest: str) -> str:
    """Return a name that a disk takes: the marker may be longer than what it stands for.

    Characters go where they stand longest without a marker, so that no marker is cut.
    """
    if len(os.fsencode(rest)) > _LONGEST // 2:
        stem, rest = stem + rest, ""
    parts = stem.split(_MARK)
    while len(os.fsencode(_MARK.join(parts) + rest)) > _LONGEST and any(parts):
        at = max(range(len(parts)), key=lambda each: len(parts[each]))
        parts[at] = parts[at][:-1]
    return _MARK.join(parts) + rest


def _parts(raw: bytes, span: Span) -> list[str]:
    """Return the whole names that a span of a path touches."""
    start = raw.rfind(b"/", 0, span.start) + 1
    end = raw.find(b"/", span.end)
    return os.fsdecode(raw[start : len(raw) if end < 0 else end]).split("/")


def followed(matcher: Needle, names: Names, rel: str, data: bytes) -> bytes:
    """Return a Markdown file with links that lead to where files are after the renames.

    A wikilink that holds the value becomes its text: no such link could hold the marker.
    """
    page = document.page(rel, data)
    spans = [
        Span(link.start, link.end, "")
        for link in page.links
        if link.form == "wikilink" and matcher.spans(data[link.start : link.end])
    ]
    if spans:
        texts = {link.start: link.text or link.target for link in page.links}
        data = cut(
            data,
            spans,
            lambda _, span: clean_text(matcher, texts[span.start]).encode("utf-8", "surrogateescape"),
        )
        page = document.page(rel, data)
    changes = [(link, target) for link in page.links if (target := _target(names, rel, link))]
    with suppress(WikiError):
        return edit.retarget_all(data, changes)
    for link, target in changes:
        try:
            data = edit.retarget(data, _again(rel, data, link), target)
        except WikiError:
            continue  # the text offers no place of its own: the value in it is replaced like any other
    return data


def _target(names: Names, rel: str, link: Link) -> str:
    """Return what a link has to say after the renames, "" when it may stay."""
    if link.kind != "path" or not names.moves:
        return ""
    key, fragment = links.join(rel, link.target)
    owner, wanted = names.final(rel), names.final(key)
    if wanted == key or links.join(owner, link.target)[0] == nfc(wanted):
        return ""
    return links.relative(owner, wanted) + (f"#{fragment}" if fragment else "")


def _again(rel: str, data: bytes, link: Link) -> Link:
    """Return a link as it is after edits of others: the first of its form and target."""
    page = document.page(rel, data)
    same = [
        one for one in page.links if (one.form, one.target, one.text) == (link.form, link.target, link.text)
    ]
    return same[0] if same else link


def reference(names: Names, rel: str, written: str) -> str:
    """Return a reference in front matter as it has to be after the renames, "" when it may stay."""
    if not names.moves or not links.is_local(written):
        return ""
    here = rel.rpartition("/")[0]
    tops = [here]
    for at, part in enumerate(here.split("/")):
        if part in layout.CONTENT_PLANES:
            tops.append("/".join(here.split("/")[:at]))
    for top in tops:
        key = links.normal(top, written)
        wanted = names.final(key)
        if wanted != key:
            base = names.final(top) if top else ""
            if base and wanted.startswith(f"{base}/") and not written.startswith("."):
                return wanted[len(base) + 1 :]
            return wanted if not top else links.relative(names.final(rel), wanted)
    return ""
