"""Key blocks: PEM, OpenSSH, PGP and PuTTY, whole, cut, on one line or escaped inside a string."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from llm_wiki.core.redact.shape import Found

_MARKS = ("PRIVATE KEY", "PuTTY-User-Key-File")
_LABEL = r" (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?(?: ?-----?)?"


@cache
def _begin() -> re.Pattern[str]:
    return re.compile(r"-----? ?BEGIN" + _LABEL)


@cache
def _end() -> re.Pattern[str]:
    return re.compile(r"-----? ?END" + _LABEL)


@cache
def _row() -> re.Pattern[str]:
    """Return one row of a key: a line end with the prefix of a quotation or diff, then base64 or a header."""
    return re.compile(
        r"""(?:(?:\\{1,7}[nrt]|[\s"'>|+*#,\\])*+)
            (?: [A-Za-z][A-Za-z-]{2,30}:[ ][^\n"\\]{1,200}+
              | =?[A-Za-z0-9+/]{4,}+={0,2}
              | [-]{1,2}(?=[A-Za-z0-9+/=]{16}) )""",
        re.VERBOSE,
    )


@cache
def _material() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9+/]{16}")


def blocks(text: str) -> Iterator[Found]:
    """Yield private key blocks in text order; one without its end goes on as far as it looks like a key."""
    if _MARKS[0] in text:
        yield from _pem(text)
    if _MARKS[1] in text:
        yield from _putty(text)


def _pem(text: str) -> Iterator[Found]:
    begins = list(_begin().finditer(text))
    ends = list(_end().finditer(text))
    at = 0
    for number, begin in enumerate(begins):
        following = begins[number + 1].start() if number + 1 < len(begins) else len(text)
        while at < len(ends) and ends[at].start() < begin.end():
            at += 1
        if at < len(ends) and ends[at].start() < following:
            stop, body = ends[at].end(), (begin.end(), ends[at].start())
        else:
            stop = _run(text, begin.end(), following)
            body = (begin.end(), stop)
        if _material().search(text, *body):
            yield Found("private-key", begin.start(), stop)


def _run(text: str, at: int, limit: int) -> int:
    """Return where the rows of a key that follow `at` end."""
    while at < limit:
        row = _row().match(text, at, limit)
        if row is None:
            break
        after = text[row.end() : row.end() + 1]
        if after and after not in "\r\n\\\"'`,; =" and row.end() < limit:
            break
        at = row.end()
    return at


@cache
def _putty_lines() -> re.Pattern[str]:
    return re.compile(r"Private-Lines: ([0-9]{1,4})(?:\\{1,3}n|\r?\n)")


@cache
def _putty_row() -> re.Pattern[str]:
    return re.compile(r"[ \t>+-]{0,8}[A-Za-z0-9+/=]{1,100}(?:\\{1,3}[nr]|\r?\n|$)")


@cache
def _putty_mac() -> re.Pattern[str]:
    return re.compile(r"Private-(?:MAC|Hash): ([A-Fa-f0-9]{16,128})")


def _putty(text: str) -> Iterator[Found]:
    for head in _putty_lines().finditer(text):
        at = head.end()
        for _ in range(int(head[1])):
            row = _putty_row().match(text, at)
            if row is None:
                break
            at = row.end()
        while at > head.end() and text[at - 1] in "\r\n":
            at -= 1
        if at > head.end():
            yield Found("private-key", head.end(), at)
    for mac in _putty_mac().finditer(text):
        yield Found("private-key", *mac.span(1))
