r"""How one character may be written: raw, or escaped as JSON, URLs, HTML, mail and programs do it.

A pattern is made of one group a character, so that a value is found however its characters are mixed:
partly percent-encoded, `\u` here and raw there, escaped twice, broken over lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from unicodedata import combining, normalize

FOLDED_FROM = 12
"""Characters from which a value is also looked for when it is broken over lines at any place."""

_NEW_LINE = rb"(?:\r?\n|(?:\\\\{0,15}r)?\\\\{0,15}n)"
_SOFT = rb"=" + _NEW_LINE + rb"|\\\\{0,15}\r?\n[ \t]{0,64}|\\\\{0,15}n[ \t]{0,64}"
_HARD = rb"|[ \t]{0,8}" + _NEW_LINE + rb"[ \t>#*/|]{0,64}"
_LINE_END = (
    rb"\r?\n[ \t>#*/|]{0,64}|(?:\\\\{0,15}r)?\\\\{0,15}n[ \t]{0,64}"
    rb"|(?:%(?:25){0,4}0[dD])?%(?:25){0,4}0[aA]|=0[dD]=0[aA]|<br */?>|[ ]"
)
_BLANK_FOLD = rb"[ \t]{0,8}(?:\\{0,16}\r?\n|\\\\{0,15}n)[ \t>#*/|]{0,64}"


def clusters(text: str) -> list[str]:
    """Return a text in NFC as characters with the marks that combine with them; line ends are one."""
    found: list[str] = []
    for char in normalize("NFC", text.replace("\r\n", "\n")):
        if found and combining(char):
            found[-1] += char
        else:
            found.append(char)
    return found


def stable(cluster: str) -> bool:
    """Tell whether a character has just one form in Unicode."""
    return len(cluster) == 1 and normalize("NFD", cluster) == cluster


def pattern_of(text: str, *, latin: bool = False, ignore_case: bool = False) -> bytes:
    """Return a pattern for every way to write a text; with `latin` its raw bytes are Latin-1."""
    units = clusters(text)
    between = _SOFT + (_HARD if len(units) >= FOLDED_FROM else b"")
    groups = [_cluster(unit, latin=latin, ignore_case=ignore_case) for unit in units]
    return (b"(?:" + between + b")?").join(groups)


def pattern_of_bytes(value: bytes) -> bytes:
    """Return a pattern for a value that is no text: each byte raw or escaped."""
    return (b"(?:" + _SOFT + b")?").join(_alternatives(_bytes_forms(bytes([each]))) for each in value)


def written(unit: str, *, ignore_case: bool = False) -> set[str]:
    """Return a character in every way Unicode writes it, with `ignore_case` in either case."""
    found = {unit, normalize("NFD", unit), normalize("NFC", unit)}
    if ignore_case:
        for each in list(found):
            found |= {each.lower(), each.upper(), each.title(), each.casefold()}
        found |= {normalize(form, each) for each in found for form in ("NFC", "NFD")}
    return found


def raw_forms(unit: str, *, ignore_case: bool = False) -> set[bytes]:
    """Return the bytes that a character leaves where no part of it is escaped, in any charset of text.

    Backslashes apart, and in small letters with `ignore_case`.
    """
    ways = written(unit, ignore_case=ignore_case)
    found = {each.encode("utf-8", "surrogatepass") for each in ways}
    found |= {each for char in "".join(ways) for each in narrow(char)}
    found |= {b" ": {b"+"}, b"\n": {b" <br/>"}, b"'": {b'"'}}.get(
        unit.encode("utf-8", "surrogatepass"), set()
    )
    found |= {_LETTERS[unit]} if unit in _LETTERS else set()
    return {each.lower() for each in found} if ignore_case else found


@cache
def _cluster(unit: str, *, latin: bool, ignore_case: bool) -> bytes:
    forms: list[bytes] = []
    for each in sorted(written(unit, ignore_case=ignore_case)):
        parts = [_alternatives(_code_forms(ord(char), latin=latin)) for char in each]
        forms.append(b"".join(parts))
    return forms[0] if len(forms) == 1 else _alternatives(forms)


def _code_forms(code: int, *, latin: bool = False) -> list[bytes]:
    """Return patterns for the ways to write one code point."""
    char = chr(code)
    data = char.encode("utf-8", "surrogatepass")
    raw = [re.escape(data)]
    if latin:
        raw += [re.escape(each) for each in narrow(char)]
    if char == "\n":
        raw = [_LINE_END]
    elif char == "'":
        raw += [rb"''", rb"'\\''", rb"'\"'\"'"]
    elif char == " ":
        raw += [rb"\+", _BLANK_FOLD]
    if code < 0x80 and not char.isalnum() and not char.isspace():
        raw.append(rb"\\\\{0,15}" + re.escape(data))
    if char in _LETTERS:
        raw.append(rb"\\\\{0,15}" + _LETTERS[char])
    return [*raw, *_json(code), *_html(char), *_bytes_forms(data, raw=False), *_narrow(char)]


_LETTERS = {"\n": b"n", "\r": b"r", "\t": b"t", "\b": b"b", "\f": b"f", "\0": b"0"}


def narrow(char: str) -> set[bytes]:
    """Return a character beyond ASCII as the one byte it may be in Latin-1."""
    found = set()
    for codec in ("latin-1", "cp1252"):
        try:
            found.add(char.encode(codec))
        except UnicodeEncodeError:
            continue
    return found if ord(char) > 0x7F else set()


def _json(code: int) -> Iterator[bytes]:
    units = chr(code).encode("utf-16-be", "surrogatepass")
    pairs = [units[at : at + 2].hex() for at in range(0, len(units), 2)]
    yield b"".join(rb"\\\\{0,15}u" + digits(pair) for pair in pairs)
    yield b"".join(b"%(?:25){0,4}u" + digits(pair) for pair in pairs)
    yield rb"\\\\{0,15}u\{0{0,6}" + digits(f"{code:x}") + rb"\}"
    yield rb"\\\\{0,15}U" + digits(f"{code:08x}")


def _html(char: str) -> Iterator[bytes]:
    code = ord(char)
    names = b"".join(b"|" + name for name in sorted(names_of(char)))
    yield (
        rb"&(?:amp;){0,4}(?:#0{0,6}%d(?:;|(?![0-9]))|#[xX]0{0,6}" % code
        + digits(f"{code:x}")
        + b"(?:;|(?![0-9a-fA-F]))"
        + names
        + b")"
    )


def names_of(char: str) -> list[bytes]:
    """Return the names that HTML has for a character, as they are written behind `&`."""
    return _names().get(char, [])


@cache
def _names() -> dict[str, list[bytes]]:
    from html.entities import html5

    found: dict[str, list[bytes]] = {}
    for name, char in html5.items():
        if len(char) == 1 and name.endswith(";"):
            found.setdefault(char, []).append(name.encode())
    return found


def _bytes_forms(data: bytes, *, raw: bool = True) -> list[bytes]:
    r"""Return patterns for bytes: raw, percent, `\x`, octal, quoted-printable."""
    forms = [re.escape(data)] if raw else []
    pairs = [digits(f"{each:02x}") for each in data]
    forms.append(b"".join(b"%(?:25){0,4}" + pair for pair in pairs))
    forms.append(b"".join(rb"\\\\{0,15}x" + pair for pair in pairs))
    forms.append(b"".join(rb"\\\\{0,15}%03o" % each for each in data))
    forms.append((b"(?:=" + _NEW_LINE + b")?").join(b"=" + pair for pair in pairs))
    return forms


def _narrow(char: str) -> Iterator[bytes]:
    """Yield escapes of a character that has one byte in Latin-1."""
    for data in narrow(char):
        pair = digits(data.hex())
        yield b"%(?:25){0,4}" + pair
        yield b"=" + pair
    if 0x7F < ord(char) <= 0xFF:
        yield rb"\\\\{0,15}x" + digits(f"{ord(char):02x}")


def digits(text: str) -> bytes:
    """Return a pattern for hex digits of either case."""
    return b"".join(
        b"[%s%s]" % (digit.lower().encode(), digit.upper().encode()) if digit.isalpha() else digit.encode()
        for digit in text
    )


def _alternatives(forms: Iterable[bytes]) -> bytes:
    return b"(?:" + b"|".join(dict.fromkeys(forms)) + b")"
