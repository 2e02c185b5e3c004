"""Assignments: a secret's name, a sign, a value, in the notations of shells, data files, programs and prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from llm_wiki.core.redact.names import kind_of_name
from llm_wiki.core.redact.shape import Found
from llm_wiki.core.redact.values import secret_like, stands_for

KEYWORDS = (
    b"pass",
    b"pwd",
    b"secret",
    b"token",
    b"auth",
    b"credential",
    b"cookie",
    b"dsn",
    b"otp",
    b"key",
    b"string",
)
"""A part of every name that `names.kind_of_name` knows, in lower case."""

_NAME = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.")
_NAME_LIMIT = 64
_VALUE_LIMIT = 4096

_QUOTE = r"""\\{0,7}["'`]"""
_SIGN = rf"""
    (?P<close>(?:{_QUOTE})?\]?)
    (?:
        [*_]{{0,2}}[ \t]{{0,20}}(?P<sign>=>|:=|===?|=|:(?![:/]))[*_]{{0,2}}[ \t]{{0,20}}
        (?:(?:\\[nrt]|\s){{1,40}}+(?={_QUOTE}))?
      | [ \t]{{0,8}}(?P<comma>,)[ \t]{{0,8}}(?={_QUOTE})
      | (?P<call>\()(?={_QUOTE})
      | (?P<tag>>)(?=[^<>\s]{{1,256}}</)
      | [ \t]{{0,20}}(?P<cell>\|)[ \t]{{0,40}}
      | [ \t](?P<verb>is|was)[ \t]{{1,4}}(?:now[ \t])?
      | (?P<blank>[ \t]{{1,8}})
      | ,?(?:\\[nrt]|\s){{1,60}}+(?:{_QUOTE})?value(?:{_QUOTE})?(?P<value>[ \t]{{0,4}}[=:][ \t]{{0,4}})
    )
    (?:[bBrRfFuU@]{{1,2}}(?={_QUOTE}))?
    (?P<open>{_QUOTE})?
"""


@cache
def _tail() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9_.-]{0,40}+" + _SIGN, re.VERBOSE)


@cache
def _plain() -> re.Pattern[str]:
    """Return what ends an unquoted value inside other text, at a line's own assignment, and in a cell."""
    return re.compile(r"""(?:[^\s"'`<>|,;&\\)\]}]|\\(?![nrtu"'\\])[^\s"'`])+""")


@cache
def _whole() -> re.Pattern[str]:
    return re.compile(r"""(?:[^\s"'`\\]|\\\r?\n[ \t]*|\\(?![nrtu"'\\])\S)+""")


@cache
def _block() -> re.Pattern[str]:
    return re.compile(r"[|>][+-]?[0-9]?[+-]?[ \t]*\r?\n")


def assignments(text: str) -> Iterator[Found]:
    """Yield the values that are assigned to names of secrets, in no order."""
    low = text.encode("ascii", "replace").lower()
    past = 0
    for start in sorted(_hits(low)):
        if start < past:
            continue
        sign = _tail().match(text, start)
        if sign is None:
            continue
        begin, end = _bounds(low, start, sign.start("close"))
        name = text[begin:end]
        kind = kind_of_name(name)
        if not kind:
            continue
        past = end
        found = _value(text, begin, name, kind, sign)
        if found:
            past = found.end
            yield found


def _hits(low: bytes) -> set[int]:
    hits = set()
    for word in KEYWORDS:
        at = low.find(word)
        while at >= 0:
            hits.add(at)
            at = low.find(word, at + len(word))
    return hits


def _bounds(low: bytes, start: int, end: int) -> tuple[int, int]:
    """Return where the name around `start` begins and ends; the letter of an escape is no part of it."""
    begin, floor = start, max(0, start - _NAME_LIMIT)
    while begin > floor and low[begin - 1] in _NAME:
        begin -= 1
    if begin < start and begin > 0 and low[begin - 1 : begin] == b"\\" and low[begin : begin + 1] in b"nrt":
        begin += 1
    while begin < start and low[begin : begin + 1] in b"-.":
        begin += 1
    while end > start and low[end - 1 : end] in b"-.":
        end -= 1
    return begin, end


def _value(text: str, begin: int, name: str, kind: str, sign: re.Match[str]) -> Found | None:
    at = sign.end()
    opened, closed = sign["open"], sign["close"]
    if opened:
        end = _closing(text, at, opened)
        value = text[at:end]
        if not _fits(sign, name, begin, text, quoted=True) or (
            not secret_like(value, kind, quoted=True, shouted=_shouted(name))
        ):
            return None
        return Found(kind, at, end)
    if not _fits(sign, name, begin, text, quoted=False) or sign["comma"] or sign["call"]:
        return None
    block = _block().match(text, at)
    if block and sign["sign"] == ":":
        return _indented(text, begin, block.end(), kind)
    own_line = not closed and _heads_line(text, begin) and sign["sign"] in ("=", ":")
    found = (_whole() if own_line else _plain()).match(text, at, at + _VALUE_LIMIT)
    if found is None:
        return None
    end = found.end()
    value = found[0] if own_line else found[0].rstrip(".:!?*")
    end = at + len(value)
    alone = _ends_line(text, end) and own_line
    shouted = _shouted(name) and bool(sign["sign"] or sign["value"])
    if sign["tag"]:
        shouted = True
    if sign["verb"] or sign["cell"] or sign["blank"]:
        if value.isalpha() or not any(c.isdigit() for c in value) or len(value) < 6:
            return None
    if not secret_like(value, kind, quoted=False, shouted=shouted, alone=alone or bool(sign["value"])):
        return None
    return Found(kind, at, end)


def _fits(sign: re.Match[str], name: str, begin: int, text: str, *, quoted: bool) -> bool:
    """Say whether the sign can assign: a comma only between quotes, a blank only after a flag."""
    if sign["comma"]:
        return bool(sign["close"])
    if sign["call"]:
        return not sign["close"] and (name[:3].lower() in ("set", "wit") or name.islower())
    if sign["blank"]:
        return text[begin - 1 : begin] == "-" and not sign["close"]
    if sign["verb"]:
        return not sign["close"]
    return True


def _shouted(name: str) -> bool:
    return name.isupper()


def _heads_line(text: str, begin: int) -> bool:
    """Say whether nothing but indentation, a diff's sign, a list's dash or `export` stands before a name."""
    start = max(text.rfind("\n", max(0, begin - 64), begin), max(0, begin - 64) - 1) + 1
    before = text[start:begin].strip().lower()
    return before in (
        "",
        "+",
        "-",
        "export",
        "+export",
        "+ export",
        "set",
        "env",
        "$env:",
        ">",
        "*",
        "- -",
        "$",
    )


def _ends_line(text: str, end: int) -> bool:
    rest = text[end : end + 4].lstrip(" \t")
    return not rest or rest[0] in "\r\n#" or rest.startswith(("\\n", '"', "\\r"))


def _closing(text: str, at: int, opened: str) -> int:
    """Return where the quote that opened a value closes: the same quote, escaped as deep; else the line's end."""
    quote, depth = opened[-1], len(opened) - 1
    limit = text.find("\n", at, at + _VALUE_LIMIT)
    limit = min(len(text), at + _VALUE_LIMIT) if limit < 0 else limit
    end = text.find(quote, at, limit)
    while end >= 0:
        slashes = end
        while slashes > at and text[slashes - 1] == "\\":
            slashes -= 1
        if end - slashes <= depth:
            return slashes
        end = text.find(quote, end + 1, limit)
    return limit


def _indented(text: str, begin: int, at: int, kind: str) -> Found | None:
    """Return the lines of a YAML block scalar: all that are indented deeper than its name."""
    line = text.rfind("\n", 0, begin) + 1
    indent = len(text[line:begin]) - len(text[line:begin].lstrip(" -+"))
    end, first = at, -1
    while end < len(text):
        stop = text.find("\n", end)
        stop = len(text) if stop < 0 else stop
        row = text[end:stop]
        body = row.lstrip(" +-") if row[:1] in "+- " else row
        if row.strip() and len(row) - len(body) <= indent:
            break
        if first < 0 and row.strip():
            first = end + len(row) - len(row.lstrip())
        end = stop + 1
    value = text[first : min(end, len(text))].rstrip() if first >= 0 else ""
    if not value or stands_for(value):
        return None
    return Found(kind, first, first + len(value))
