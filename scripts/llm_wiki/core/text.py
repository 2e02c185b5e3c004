"""Names and dates: what two titles share, and what a new file is called (`wiki-format.md` §9).

Nothing here depends on a language: letters, digits and the marks that belong to letters
are taken from every script Unicode knows.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date

from llm_wiki.core.errors import BadUsage

FILE_SLUG_BYTES = 220
"""Longest slug in UTF-8 bytes, so that date, suffix and `.md` still fit a 255-byte name."""

_DATED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}-")
_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[Tt ].*)?", re.DOTALL)
_RESERVED = {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(10)}
_GAPS = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_UNSEEN = re.compile("[\xad\u202a-\u202e\u2066-\u2069\ufeff]")
_APOSTROPHES = frozenset("'’‘ʼ`´＇")
_LETTERS_TO_ASCII = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "ı": "i", "ħ": "h"}
)


def nfc(text: str) -> str:
    """Return `text` in Unicode's composed form, the form in which names are compared."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def one_line(text: str) -> str:
    """Return a text on one line: control bytes and line ends become blanks, runs of blanks one.

    Joiners stay: Persian and many emoji are spelt with them. Marks that nobody sees and that turn
    the direction of what follows, soft hyphens and byte order marks go.
    """
    if not text.isprintable():
        text = _GAPS.sub(" ", _UNSEEN.sub("", text))
    return " ".join(text.split())


def fold(text: str) -> str:
    """Return the form in which two names of one folder are the same name: NFC and casefold."""
    return text.lower() if text.isascii() else nfc(nfc(text).casefold())


def slugify(text: str) -> str:
    """Return the slug two references are compared by; "" when nothing of `text` is left.

    `wiki-format.md` §9: NFKC, casefold, blanks and `_` become `-`, all but letters, digits
    (of any script, with the marks that belong to letters) and `-` is dropped, runs of `-`
    collapse, ends are trimmed. An empty slug must never match anything.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    kept = _keep(folded, other="")
    return unicodedata.normalize("NFKC", kept)


def file_slug(title: str, limit: int = 60, *, fallback: str = "note") -> str:
    """Return the name of a new file without date and ending: never empty, at most `limit` characters.

    Lower-case letters of any script, digits and hyphens; apostrophes vanish, other marks
    part words. Names that Windows reserves get the fallback appended.
    """
    lowered = unicodedata.normalize("NFKC", title).lower()
    slug = nfc(_keep("".join(c for c in lowered if c not in _APOSTROPHES), other="-"))
    slug = _shorten(slug, limit) or fallback
    return f"{slug}-{fallback}" if slug in _RESERVED else slug


def topic_slug(title: str) -> str:
    """Return the ASCII slug of a topic or project: `a-z0-9-`, at most 40 characters, undated.

    Raises `BadUsage`, asking for a slug, when the title has no letter that ASCII can write.
    """
    plain = unicodedata.normalize("NFKD", title).lower().translate(_LETTERS_TO_ASCII)
    ascii_only = "".join(c for c in plain if c not in _APOSTROPHES and not unicodedata.combining(c))
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")
    while (rest := undated(slug)) and rest != slug:
        slug = rest
    slug = _shorten(slug, 40)
    if not slug:
        raise BadUsage(
            f"no slug can be made from {title!r}",
            remedy="give a slug of a-z, 0-9 and hyphens, at most 40 characters",
        )
    return f"{slug}-topic" if slug in _RESERVED else slug


def undated(slug: str) -> str:
    """Return `slug` without a leading `YYYY-MM-DD-`."""
    return slug[11:] if _DATED.match(slug) else slug


def as_date(text: str) -> date | None:
    """Return the calendar date in the first ten characters of `text`, else None.

    A longer ISO time is cut to its date; anything else behind the date makes it no date.
    """
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    try:
        return date.fromisoformat(match[1])
    except ValueError:
        return None


def is_date(text: str) -> bool:
    """Tell whether `as_date` finds a date."""
    return as_date(text) is not None


def cut(text: str, limit: int) -> str:
    """Return `text` in at most `limit` characters, cut at a word and then ended by `…`."""
    text = text.strip()
    if len(text) <= limit:
        return text
    head = _whole(text, max(limit - 1, 0))
    at_word = head if text[len(head)].isspace() else head.rpartition(" ")[0]
    if len(at_word) * 2 < len(head):
        at_word = head  # a script without blanks, or one very long word
    return at_word.rstrip(" \t\n,;:-–—(") + "…" if limit > 0 else ""


def _keep(text: str, other: str) -> str:
    """Reduce to letters, digits and single inner hyphens; `other` stands for what is dropped."""
    out: list[str] = []
    for char in text:
        if char.isascii():
            if char.isalnum():
                out.append(char)
                continue
            part = "-" if char in "-_" or char.isspace() else other
        else:
            kind = unicodedata.category(char)
            if kind[0] in "LN" or (kind in ("Mn", "Mc") and _belongs(char, out)):
                out.append(char)
                continue
            part = "-" if char.isspace() else ("" if kind[0] in "MC" else other)
        if part and out and out[-1] != "-":
            out.append("-")
    return "".join(out).strip("-")


def _belongs(mark: str, before: list[str]) -> bool:
    """Tell whether a mark carries meaning on the letter before it (a vowel sign, an accent).

    A variation selector or a joiner never does: a name made of it alone would be invisible.
    """
    code = ord(mark)
    if code == 0x34F or 0x180B <= code <= 0x180F or 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF:
        return False
    return bool(before) and unicodedata.category(before[-1])[0] in "LM"


def _whole(text: str, limit: int) -> str:
    """Return the first `limit` characters without parting a letter from its marks."""
    end = min(limit, len(text))
    while 0 < end < len(text) and unicodedata.category(text[end])[0] == "M":
        end -= 1
    return text[:end]


def _shorten(slug: str, limit: int) -> str:
    """Return a slug of at most `limit` characters, cut at a hyphen where that keeps half of it."""
    head = _whole(slug, limit)
    while len(head.encode("utf-8", "surrogatepass")) > FILE_SLUG_BYTES:
        head = _whole(head, len(head) - 1)
    if len(head) < len(slug) and slug[len(head)] != "-":
        at_word = head.rpartition("-")[0]
        head = at_word if len(at_word) * 2 >= len(head) else head
    return head.strip("-")
