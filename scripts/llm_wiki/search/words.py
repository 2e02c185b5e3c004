"""Words as the index knows them: folded, without accents, scripts without blanks cut into pairs.

Stems are SQLite's own (FTS5's Porter), so that what is asked and what is stored are cut alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_PAIRED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff"
    "\u3100-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts that write no blanks between words, and Korean, whose particles stick to the word."""

_MARKS = "\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff"
"""Vowel signs that belong to a word, with the letters of their scripts."""

_ASCII = re.compile(r"[a-z0-9]+")


@lru_cache(maxsize=1)
def _word() -> re.Pattern[str]:
    """Return the pattern of a word of any script; compiled only where there is other text than ASCII."""
    return re.compile(f"[{_PAIRED}]+|(?:[^\\W_{_PAIRED}]|[{_MARKS}])+")


@lru_cache(maxsize=1)
def _paired() -> re.Pattern[str]:
    return re.compile(f"[{_PAIRED}]")


@lru_cache(maxsize=1)
def _accents() -> re.Pattern[str]:
    return re.compile("[\u0300-\u036f]+")


_UNSEEN = dict.fromkeys([0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF])
"""Characters without a width: a word is the same word with and without them."""

LONGEST = 60
"""Longer words are cut: FTS5 stems none above 64 bytes, and nobody types them."""


def folded(text: str) -> str:
    """Return text in the one form in which words are compared: lower case, no accents, no full width."""
    if text.isascii():
        return text.lower()
    import unicodedata

    text = unicodedata.normalize("NFKD", text.translate(_UNSEEN).casefold())
    return unicodedata.normalize("NFC", _accents().sub("", text).casefold())


def paired(text: str) -> bool:
    """Tell whether a word is of a script whose words are cut into pairs."""
    return not text.isascii() and _paired().match(text) is not None


def words(text: str) -> list[str]:
    """Return the words of a text in order, for storing: `上下文` becomes `上下 下文 文`.

    The last character of a run stands alone too, so that one character finds all its places.
    """
    flat = folded(text)
    if flat.isascii():
        found: list[str] = _ASCII.findall(flat)
    else:
        found = []
        for word in _word().findall(flat):
            if paired(word):
                found += [word[i : i + 2] for i in range(len(word))]
            else:
                found.append(word)
    return [word if len(word) <= LONGEST else word[:LONGEST] for word in found]


def asked(text: str) -> list[str]:
    """Return the words of a query: as `words`, but a run of pairs without its last character."""
    flat = folded(text)
    if flat.isascii():
        return [word[:LONGEST] for word in _ASCII.findall(flat)]
    found: list[str] = []
    for word in _word().findall(flat):
        if paired(word) and len(word) > 1:
            found += [word[i : i + 2] for i in range(len(word) - 1)]
        else:
            found.append(word[:LONGEST])
    return found


_known: dict[str, str] = {}
_REMEMBERED = 20_000


def stems(distinct: Iterable[str]) -> dict[str, str]:
    """Return the stem of each word, as FTS5 cuts it; some are remembered."""
    found = {word: _known.get(word, "") for word in distinct if word}
    new = [word for word, stem in found.items() if not stem]
    if new:
        cut = _cut(new)
        found.update(cut)
        if len(_known) + len(cut) < _REMEMBERED:
            _known.update(cut)
    return found


def _cut(new: list[str]) -> dict[str, str]:
    import sqlite3

    memory = sqlite3.connect(":memory:")
    try:
        memory.execute(f"CREATE VIRTUAL TABLE w USING fts5(word, tokenize='{TOKENIZER}')")
        memory.execute("CREATE VIRTUAL TABLE v USING fts5vocab(w, instance)")
        memory.executemany("INSERT INTO w(rowid, word) VALUES (?, ?)", enumerate(new))
        terms = dict(memory.execute("SELECT doc, term FROM v"))
    finally:
        memory.close()
    return {word: terms.get(number, word) for number, word in enumerate(new)}


TOKENIZER = "porter ascii"
"""What is stored has been cut into words already: every character that is not ASCII belongs to one."""
