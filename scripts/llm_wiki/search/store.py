"""The tables of a search index, and bringing them in line with a snapshot.

Everything here follows from the pages alone; a path gives a page its number, so that an index
that grew change by change answers like one made at once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from llm_wiki.admit.visibility import Label
from llm_wiki.model.page import Page
from llm_wiki.search.facts import FIELDS, PARTS, Facts
from llm_wiki.search.fields import facts_of, ident, texts_of
from llm_wiki.search.words import TOKENIZER, stems

Read = Callable[[str], bytes | None]
"""Gives the bytes of a page, None when they cannot be had any more."""

_COLUMNS = ", ".join(Facts._fields)
_TEXTS = ", ".join(FIELDS)
_NAMES = ", ".join(FIELDS[:-1])
_MARKS = ", ".join("?" * (len(Facts._fields) + 1))
_SLOTS = ", ".join("?" * (len(FIELDS) + 1))
_NAME_SLOTS = ", ".join("?" * len(FIELDS))

_OPTIONS = f"content='texts', content_rowid='id', tokenize='{TOKENIZER}'"

_SCHEMA = f"""
CREATE TABLE meta(name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
CREATE TABLE pages(id INTEGER PRIMARY KEY, {_COLUMNS});
CREATE TABLE texts(id INTEGER PRIMARY KEY, {_TEXTS});
CREATE TABLE words(word TEXT PRIMARY KEY, stem TEXT) WITHOUT ROWID;
CREATE INDEX by_stem ON words(stem);
CREATE VIRTUAL TABLE grams USING fts5(word, tokenize='trigram', detail='none');
""" + "".join(
    f"CREATE VIRTUAL TABLE {table} USING fts5({columns}, {_OPTIONS});\n"
    for part in PARTS
    for table, columns in ((part, _TEXTS), (f"{part}_names", _NAMES))
)


class Wanted(NamedTuple):
    """What an index should hold: the pages by path as stored, with their labels."""

    pages: Mapping[str, tuple[Page, Label]]
    key: bytes


def create(db: sqlite3.Connection) -> None:
    """Make the empty tables."""
    db.executescript(_SCHEMA)


def fill(db: sqlite3.Connection, wanted: Wanted, read: Read) -> int:
    """Bring the tables in line with `wanted`; return how many pages changed. The caller commits."""
    known = {
        path: (number, sha, notes.split("\n") if notes else [])
        for number, path, sha, notes in db.execute("SELECT id, path, sha, notes FROM pages")
    }
    changed = []
    for path, (page, label) in wanted.pages.items():
        old = known.pop(path, None)
        if old is None or old[1] != page.sha256 or [n for n in old[2] if n in _LABELS] != list(label.notes):
            changed.append((None if old is None else old[0], page, label))
    for number, *_ in known.values():
        _remove(db, number)
    fresh: set[str] = set()
    whole = True
    for number, page, label in changed:
        if number is not None:
            _remove(db, number)
        data = read(page.rel)
        whole = whole and data is not None
        _add(db, page, label, data, fresh)
    _learn(db, fresh)
    counts = dict(db.execute("SELECT part, count(*) FROM pages GROUP BY part"))
    db.executemany(
        "INSERT OR REPLACE INTO meta VALUES (?, ?)",
        [(part, counts.get(n, 0)) for n, part in enumerate(PARTS)],
    )
    key = wanted.key if whole else b""
    db.execute("INSERT OR REPLACE INTO meta VALUES ('key', ?)", (key,))
    return len(changed) + len(known)


_LABELS = frozenset(PARTS)


def _remove(db: sqlite3.Connection, number: int) -> None:
    row = db.execute(
        f"SELECT p.part, {', '.join(f't.{name}' for name in FIELDS)} "
        "FROM pages AS p JOIN texts AS t ON t.id = p.id WHERE p.id = ?",
        (number,),
    ).fetchone()
    table = PARTS[row[0]]
    db.execute(
        f"INSERT INTO {table}({table}, rowid, {_TEXTS}) VALUES ('delete', {_SLOTS})", (number, *row[1:])
    )
    db.execute(
        f"INSERT INTO {table}_names({table}_names, rowid, {_NAMES}) VALUES ('delete', {_NAME_SLOTS})",
        (number, *row[1:-1]),
    )
    db.execute("DELETE FROM texts WHERE id = ?", (number,))
    db.execute("DELETE FROM pages WHERE id = ?", (number,))


def _add(db: sqlite3.Connection, page: Page, label: Label, data: bytes | None, fresh: set[str]) -> None:
    texts, withheld = texts_of(page, data)
    facts = facts_of(page, label, withheld=withheld)
    if data is None:
        facts = facts._replace(sha="")
    number = ident(page.rel)
    while db.execute("SELECT 1 FROM pages WHERE id = ?", (number,)).fetchone():
        number += 1
    db.execute(f"INSERT INTO pages(id, {_COLUMNS}) VALUES ({_MARKS})", (number, *facts))
    db.execute(f"INSERT INTO texts(id, {_TEXTS}) VALUES ({_SLOTS})", (number, *texts))
    table = PARTS[facts.part]
    db.execute(f"INSERT INTO {table}(rowid, {_TEXTS}) VALUES ({_SLOTS})", (number, *texts))
    db.execute(f"INSERT INTO {table}_names(rowid, {_NAMES}) VALUES ({_NAME_SLOTS})", (number, *texts[:-1]))
    for text in texts:
        fresh.update(text.split(" "))


def _learn(db: sqlite3.Connection, fresh: Iterable[str]) -> None:
    """Remember new words with their stems; a word is kept when its last page goes, and does no harm."""
    known = db.execute("SELECT 1 FROM words LIMIT 1").fetchone() is not None
    new = [
        word
        for word in fresh
        if len(word) > 1
        and (word[0].isascii() or len(word) > 2)
        and not (known and db.execute("SELECT 1 FROM words WHERE word = ?", (word,)).fetchone())
    ]
    cut = sorted(stems(new).items())
    db.executemany("INSERT INTO words VALUES (?, ?)", cut)
    db.executemany("INSERT INTO grams(word) VALUES (?)", ((f"^{word}$",) for word, _ in cut))
