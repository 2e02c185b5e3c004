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


def escapes_of(units: Iterable[tuple[str, str]]) -> dict[bytes, re.Pattern[bytes]]:
    """Return patterns that meet every escape of these characters, by the byte each begins with.

    With each comes the character that follows it in the value, "" for none: after an escape that one has
    to come, raw or with the beginning of an escape.
    """
    pairs = sorted(set(units))
    if all(unit.isascii() and unit.isalnum() for unit, _ in pairs):
        return _plain_escapes(pairs)
    firsts: dict[bytes, list[bytes]] = {}
    for unit in sorted({unit for unit, _ in pairs}):
        for form in _code_forms(ord(unit)):
            lead = rb"\\" if form.startswith(rb"\\") else form[:1]
            if lead in _LEADS:
                firsts.setdefault(lead[:1], []).append(form)
    return {lead: re.compile(_alternatives(forms)) for lead, forms in firsts.items()}


def _plain_escapes(pairs: Iterable[tuple[str, str]]) -> dict[bytes, re.Pattern[bytes]]:
    """Return the same for letters and digits of ASCII, quicker to run: a little more may pass."""
    hexes, octals, decimals = [], [], []
    for unit, after in pairs:
        then = _then(after)
        hexes.append(_digits(f"{ord(unit):02x}") + then)
        octals.append(b"%03o" % ord(unit) + then)
        decimals.append(b"%d" % ord(unit) + then)
    pair, octal, decimal = b"|".join(hexes), b"|".join(octals), b"|".join(decimals)
    return {
        b"\\": re.compile(rb"\\(?:[uUx]\{?0{0,6}(?:" + pair + b")|" + octal + b")"),
        b"%": re.compile(b"%(?:25){0,4}(?:u00)?(?:" + pair + b")"),
        b"&": re.compile(b"&(?:amp;){0,4}#(?:[xX]0{0,6}(?:" + pair + b")|0{0,6}(?:" + decimal + b"))"),
        b"=": re.compile(b"=(?:" + pair + b")"),
    }


def _then(after: str) -> bytes:
    """Return a look ahead for what may follow an escape: a character, another escape, a line end."""
    if not after.isascii() or not after:
        return b""
    wanted = {after.lower(), after.upper()}
    return b"(?=[" + re.escape("".join(sorted(wanted))).encode() + rb"%\\&=;}+<\s]|\Z)"


_LEADS = (rb"\\", b"%", b"&", b"=")


@cache
def _cluster(unit: str, *, latin: bool, ignore_case: bool) -> bytes:
    written = {unit, normalize("NFD", unit), normalize("NFC", unit)}
    if ignore_case:
        for each in list(written):
            written |= {each.lower(), each.upper(), each.title(), each.casefold()}
    forms: list[bytes] = []
    for each in sorted(written):
        parts = [_alternatives(_code_forms(ord(char), latin=latin)) for char in each]
        forms.append(b"".join(parts))
    return forms[0] if len(forms) == 1 else _alternatives(forms)


def _code_forms(code: int, *, latin: bool = False) -> list[bytes]:
    """Return patterns for the ways to write one code point."""
    char = chr(code)
    data = char.encode("utf-8", "surrogatepass")
    raw = [re.escape(data)]
    if latin:
        raw += [re.escape(each) for each in _latin(char)]
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


def _latin(char: str) -> set[bytes]:
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
    yield b"".join(rb"\\\\{0,15}u" + _digits(pair) for pair in pairs)
    yield b"".join(b"%(?:25){0,4}u" + _digits(pair) for pair in pairs)
    yield rb"\\\\{0,15}u\{0{0,6}" + _digits(f"{code:x}") + rb"\}"
    yield rb"\\\\{0,15}U" + _digits(f"{code:08x}")


def _html(char: str) -> Iterator[bytes]:
    code = ord(char)
    names = b"".join(b"|" + name for name in sorted(_names().get(char, ())))
    yield (
        rb"&(?:amp;){0,4}(?:#0{0,6}%d(?:;|(?![0-9]))|#[xX]0{0,6}" % code
        + _digits(f"{code:x}")
        + b"(?:;|(?![0-9a-fA-F]))"
        + names
        + b")"
    )


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
    pairs = [_digits(f"{each:02x}") for each in data]
    forms.append(b"".join(b"%(?:25){0,4}" + pair for pair in pairs))
    forms.append(b"".join(rb"\\\\{0,15}x" + pair for pair in pairs))
    forms.append(b"".join(rb"\\\\{0,15}%03o" % each for each in data))
    forms.append((b"(?:=" + _NEW_LINE + b")?").join(b"=" + pair for pair in pairs))
    return forms


def _narrow(char: str) -> Iterator[bytes]:
    """Yield escapes of a character that has one byte in Latin-1."""
    for data in _latin(char):
        pair = _digits(data.hex())
        yield b"%(?:25){0,4}" + pair
        yield b"=" + pair
    if 0x7F < ord(char) <= 0xFF:
        yield rb"\\\\{0,15}x" + _digits(f"{ord(char):02x}")


def _digits(text: str) -> bytes:
    """Return a pattern for hex digits of either case."""
    return b"".join(
        b"[%s%s]" % (digit.lower().encode(), digit.upper().encode()) if digit.isalpha() else digit.encode()
        for digit in text
    )


def _alternatives(forms: Iterable[bytes]) -> bytes:
    return b"(?:" + b"|".join(dict.fromkeys(forms)) + b")"
