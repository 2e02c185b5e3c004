"""Files beside the pages, without a source that goes: logs, state, reports, data (§3, step 3).

In a list of JSON the item goes whole, in a file of JSON lines of the wiki's state the line that is about the
source; anywhere else `[RETRACTED]` takes the place of what named it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from llm_wiki.hook.files import row_of
from llm_wiki.model import layout
from llm_wiki.withdraw.match_text import Reading, look
from llm_wiki.withdraw.rewriting import rewritten
from llm_wiki.withdraw.source_known import Edited, Reference, Source, references

_STATE: Final = ".librarian/"
_OPERATIONAL: Final = (
    ".librarian/",
    ".audit/",
    ".session",
    ".research-session",
    ".thesis-session",
    layout.LOG,
)
_TOKEN: Final = re.compile(rb'"(?:[^"\\\n]|\\.)*"|[\[\]{}\n]')
_COMMA: Final = re.compile(rb"[ \t\r\n]*,[ \t\r\n]*")
_WORDS: Final = re.compile(rb"[\s\x80-\xff]")


def kind_of_file(rel: str) -> str:
    """Return what a reference in such a file is called."""
    if rel == layout.LOG:
        return "log"
    return "state" if rel.startswith(_OPERATIONAL) else "text"


def without_source_in_file(source: Source, rel: str, data: bytes, bodies: Collection[str]) -> Edited:
    """Return a file without the source; `bodies` are the hashes its body is known by.

    What verbs and agents keep about the work loses the title too. Of other text it is left: it is for a
    person to say what a sentence means without it.
    """
    done = Edited(data)
    kind = kind_of_file(rel)
    if rel.startswith(_STATE) and rel.endswith(".jsonl"):
        _state_lines(source, rel, done, bodies)
    needle = source.traces if kind in ("log", "state") else source.plain
    reading = look(needle, done.data)
    if reading is None or reading.binary:
        return done
    done.references += references(rel, reading, kind)
    if rel.lower().endswith((".json", ".jsonl")) and reading.charset == "utf-8":
        done.data = _json_items(reading, lines=rel.lower().endswith("l"))
        reading = look(needle, done.data)
    if reading is not None:
        done.data = rewritten(needle, rel, reading, lambda _: "").data
    return done


def _state_lines(source: Source, rel: str, done: Edited, bodies: Collection[str]) -> None:
    """Drop the lines whose record is about the source: by its path, or by the hash of its body."""
    kept = []
    for number, line in enumerate(done.data.split(b"\n"), 1):
        if _is_about(source, line, bodies):
            done.references.append(Reference("state", rel, number))
        else:
            kept.append(line)
    done.data = b"\n".join(kept)


def _is_about(source: Source, line: bytes, bodies: Collection[str]) -> bool:
    record = row_of(line)
    if record is None:
        return False
    digest, path = record.get("content_sha256"), record.get("path")
    if path == source.rel:
        return True
    return isinstance(digest, str) and digest.lower() in bodies and path not in source.files


def _json_items(reading: Reading, *, lines: bool) -> bytes:
    """Return JSON text without the items of lists that name the source and nothing else."""
    text, at = reading.text, 0
    parts = []
    strings = _listed(text, lines=lines)
    for span in reading.spans:
        found = next(((one, two) for one, two in strings if one < span.start and span.end < two), None)
        if found is None:
            continue
        start, end = found
        rest = text[start + 1 : span.start] + text[span.end : end - 1]
        if _WORDS.search(rest):
            continue
        first, last = _with_comma(text, start, end)
        if first >= at:
            parts.append(text[at:first])
            at = last
    return b"".join([*parts, text[at:]])


def _listed(text: bytes, *, lines: bool) -> list[tuple[int, int]]:
    """Return the ranges of the strings that are items of lists, quotes included.

    Of JSON `lines` each stands for itself, so that a broken one spoils no other.
    """
    found = []
    stack: list[bytes] = []
    for token in _TOKEN.finditer(text):
        char = token[0][:1]
        if char == b'"':
            if stack and stack[-1] == b"[":
                found.append(token.span())
        elif char == b"\n":
            if lines:
                stack.clear()
        elif char in b"[{":
            stack.append(char)
        elif stack:
            stack.pop()
    return found


def _with_comma(text: bytes, start: int, end: int) -> tuple[int, int]:
    """Return what to cut so that an item and one comma are gone."""
    following = _COMMA.match(text, end)
    if following:
        return start, following.end()
    before = len(text[:start].rstrip(b" \t\r\n"))
    return (before - 1 if text[before - 1 : before] == b"," else start), end


__all__ = ["kind_of_file", "without_source_in_file"]
