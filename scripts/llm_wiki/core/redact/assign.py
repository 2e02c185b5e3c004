"""Assignments: a secret's name, a sign, a value, as shells, data files, programs and prose write them."""

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
        [*_]{{0,2}}[ \t]{{0,20}}(?P<sign>=>|:=|===?|=|:(?![:/])|%3[AaDd])[*_]{{0,2}}[ \t]{{0,20}}
        (?:(?:\\[nrt]|\s){{1,40}}+(?={_QUOTE}))?
      | ,?(?:\\[nrt]|\s){{0,60}}+(?:{_QUOTE})?value(?:{_QUOTE})?(?P<value>[ \t]{{0,4}}[=:][ \t]{{0,4}})
      | [ \t]{{0,8}}(?P<comma>,)[ \t]{{0,8}}(?={_QUOTE})
      | (?P<call>\()(?={_QUOTE})
      | (?P<tag>>)(?=[^<>\s]{{1,256}}</)
      | [ \t]{{0,20}}(?P<cell>\|)[ \t]{{0,40}}
      | [ \t](?P<verb>is|was)[ \t]{{1,4}}(?:now[ \t])?
      | (?P<blank>[ \t]{{1,8}})
    )
    (?:[bBrRfFuU@]{{1,2}}(?={_QUOTE}))?
    (?P<open>{_QUOTE})?
"""


@cache
def _sign() -> re.Pattern[str]:
    return re.compile(_SIGN, re.VERBOSE)


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
        begin, end = _bounds(low, start)
        past = end
        if not _signed(low, begin, end) or low[begin - 3 : begin] == b"://":
            continue
        name = text[begin:end]
        kind = kind_of_name(name)
        sign = _sign().match(text, end) if kind else None
        if sign is None:
            continue
        found = _value(text, begin, name, kind, sign)
        if found:
            past = found.end
            yield found


def _hits(low: bytes) -> set[int]:
    hits = set()
    present = frozenset(letter for letter in frozenset(b"".join(KEYWORDS)) if letter in low)
    for word in KEYWORDS:
        at = low.find(word) if present.issuperset(word) else -1
        while at >= 0:
            hits.add(at)
            at = low.find(word, at + len(word))
    return hits


def _signed(low: bytes, begin: int, end: int) -> bool:
    """Say whether anything behind a name can assign to it; most names of running text end here."""
    after = low[end : end + 1]
    if after in b" \t\r\n":
        rest = low[end : end + 24].lstrip(b" \t")
        if rest[:1] in b"=:|*_" or rest.startswith((b"is ", b"was ")) or low[begin - 1 : begin] == b"-":
            return True
        return b"value" in low[end : end + 90]
    return after in b"\"'`=:|>(],*_\\%"


def _bounds(low: bytes, start: int) -> tuple[int, int]:
    """Return where the name around `start` begins and ends; the letter of an escape is no part of it."""
    begin, floor = start, max(0, start - _NAME_LIMIT)
    end, ceiling = start, min(len(low), start + _NAME_LIMIT)
    while end < ceiling and low[end] in _NAME:
        end += 1
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
    """Return the secret behind a name and its sign, None when there is none."""
    if not _fits(sign, name, begin, text):
        return None
    at = sign.end()
    if sign["open"]:
        end = _closing(text, at, sign["open"])
        believed = _believed(text[at:end], kind, name, passed=bool(sign["comma"] or sign["call"]))
        return Found(kind, at, end) if believed else None
    block = _block().match(text, at) if sign["sign"] == ":" else None
    if block:
        return _indented(text, begin, block.end(), kind)
    return _bare(text, begin, name, kind, sign)


def _bare(text: str, begin: int, name: str, kind: str, sign: re.Match[str]) -> Found | None:
    """Return an unquoted secret: to the end of its line where the assignment has one of its own."""
    at = sign.end()
    own_line = not sign["close"] and _heads_line(text, begin) and sign["sign"] in ("=", ":")
    found = (_whole() if own_line else _plain()).match(text, at, at + _VALUE_LIMIT)
    if found is None or sign["comma"] or sign["call"]:
        return None
    value = found[0] if own_line or sign["sign"] == "=" else found[0].rstrip(".:*")
    end = at + len(value)
    if own_line and kind == "password" and text[end : end + 1] == " ":
        rest = text[at : at + _VALUE_LIMIT].partition("\n")[0].rstrip()
        if secret_like(rest, kind, quoted=True):
            return Found(kind, at, at + len(rest))
    loose = sign["verb"] or sign["cell"] or sign["blank"]
    if loose and (len(value) < 6 or not any(c.isdigit() for c in value)):
        return None
    alone = bool(sign["value"]) or (own_line and _ends_line(text, end))
    flag = text[max(0, begin - 2) : begin] == "--" or name[:2] in ("X-", "x-")
    shouted = bool(sign["tag"]) or ((name.isupper() or flag) and bool(sign["sign"] or sign["value"]))
    whole = "".join(part.strip() for part in value.split("\\\n"))
    if not secret_like(whole, kind, quoted=False, shouted=shouted, alone=alone):
        return None
    return Found(kind, at, end)


def _believed(value: str, kind: str, name: str, *, passed: bool) -> bool:
    """Say whether a quoted value is a secret; one that only follows a name in a list must be no word."""
    if passed and (value.replace("_", "").isalpha() or " " in value or "/" in value):
        return False
    return secret_like(value, kind, quoted=True, shouted=name.isupper())


def _fits(sign: re.Match[str], name: str, begin: int, text: str) -> bool:
    """Say whether the sign can assign: a comma only between quotes, a blank only after a flag."""
    if sign["comma"]:
        return bool(sign["close"])
    if sign["call"]:
        return not sign["close"] and name.rpartition(".")[2][:3].lower() in ("set", "wit", "use", "add")
    if sign["blank"]:
        return text[begin - 1 : begin] == "-" and not sign["close"]
    if sign["verb"]:
        return not sign["close"]
    return True


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
    """Return where the quote that opened a value closes: the same, escaped as deep; else the line's end."""
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
