r"""The escapes of some characters of a value, each with what has to follow it there.

A match in which a character is escaped holds one of them. They are made to be run over all data: a
little more may pass than is an escape, never less.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Final

from llm_wiki.withdraw import match_forms
from llm_wiki.withdraw.match_sieve import AHEAD, Escapes, Stretch

_STOP: Final = rb"[ \t]{0,8}(?:[%\\&=]|\r?\n)"

_FRAMES: Final = {
    b"\\": rb"\\(?:[uUx]\{?0{0,7}+(?:%b)|%b)",
    b"%": b"%%(?:25){0,4}(?:(?:u0{0,4})?(?:%b)|%b)",
    b"&": b"&(?:amp;){0,4}(?:#(?:[xX]0{0,6}(?:%b)|0{0,6}(?:%b))|%b)",
    b"=": b"=(?:%b)",
}
"""Around the escapes that begin with a byte."""

_REMAINING: Final = {
    b"\\": rb"\\(?=[uUxX{0-9]|\\)(?:[uUxX]?\{?0{0,7}(?:%b)|%b)",
    b"%": b"%%(?:25){0,4}(?:(?:[uU]?0{0,4})?(?:%b)|%b)",
    b"&": b"&[ampAMP;]{0,16}(?:#(?:[xX]?0{0,6}(?:%b)|0{0,6}(?:%b))|%b)",
    b"=": b"=(?:%b)",
}
"""The same in a remainder, where letters may be gone."""

_FIRST: Final = re.compile(rb"[0-9](?!\?)|\[[0-9A-Za-z]+\](?!\?)")
_Write = Callable[[str], bytes]


def escapes_of(units: Sequence[str], part: Stretch, left: bytes, *, ignore_case: bool) -> list[Escapes]:
    """Return what meets every escape of the units of a part: for each byte that one begins with.

    `left` are the bytes that a remainder may have.
    """
    whole: dict[tuple[str, bytes], None] = {}
    hints: dict[tuple[str, bytes], None] = {}
    for at in range(part.start, part.end):
        for written in sorted(match_forms.written(units[at], ignore_case=ignore_case)):
            for number, char in enumerate(written, 1):
                behind = [*written[number:], *units[at + 1 :]]
                whole[char, _then(behind[:AHEAD], ignore_case=ignore_case)] = None
                hints[char, b"" if ignore_case else _next(behind, left)] = None
    write = partial(_left, left=left)
    flags = re.IGNORECASE if ignore_case else 0
    return [
        Escapes(
            re.compile(_REMAINING[lead] % _parts(lead, list(hints), write), flags),
            re.compile(frame % _parts(lead, list(whole), match_forms.digits), flags),
        )
        for lead, frame in _FRAMES.items()
    ]


def _parts(lead: bytes, chars: Collection[tuple[str, bytes]], write: _Write) -> tuple[bytes, ...]:
    """Return what stands in the frame of an escape: alternatives, each with what has to follow."""
    return tuple(
        _any(dict.fromkeys(form + then for char, then in chars for form in kind(char, write)))
        for kind in _KINDS[lead]
    )


def _any(forms: Collection[bytes]) -> bytes:
    """Return a pattern for any of some, which first asks for one of the characters they begin with."""
    if not forms:
        return b"(?!)"
    joined, firsts = b"|".join(forms), b""
    for form in forms:
        first = _FIRST.match(form)
        if first is None:
            return joined
        firsts += first[0].strip(b"[]")
    return b"(?=[" + bytes(sorted({*firsts})) + b"])(?:" + joined + b")"


def _codes(char: str, write: _Write) -> Iterator[bytes]:
    """Yield the number of a character in hex, and the first of the two that UTF-16 has for it."""
    yield (b"" if ord(char) > 0xF else b"0?") + write(f"{ord(char):x}" if ord(char) else "")
    if ord(char) > 0xFFFF:
        yield write(char.encode("utf-16-be")[:2].hex())


def _decimals(char: str, _: _Write) -> Iterator[bytes]:
    yield b"%d" % ord(char)


def _names(char: str, write: _Write) -> Iterator[bytes]:
    yield from (write(name.decode()) for name in sorted(match_forms.names_of(char)))


def _backslashed(char: str, write: _Write) -> Iterator[bytes]:
    """Yield octal digits, and for several bytes those of hex: for one they are its number."""
    data = char.encode("utf-8", "surrogatepass")
    yield rb"\\{1,16}".join(b"%03o" % each for each in data)
    if len(data) > 1:
        yield write("x") + (rb"\\{1,16}" + write("x")).join(write(f"{each:02x}") for each in data)
    elif char == "\0":
        yield b"0"


def _percent(char: str, write: _Write) -> Iterator[bytes]:
    yield b"%(?:25){0,4}".join(write(f"{each:02x}") for each in char.encode("utf-8", "surrogatepass"))
    yield from (write(each.hex()) for each in match_forms.narrow(char))


def _quoted(char: str, write: _Write) -> Iterator[bytes]:
    """Yield the first byte of a character: another `=` comes next when there are more."""
    yield write(char.encode("utf-8", "surrogatepass")[:1].hex())
    yield from (write(each.hex()) for each in match_forms.narrow(char))


_KINDS: Final[dict[bytes, tuple[Callable[[str, _Write], Iterator[bytes]], ...]]] = {
    b"\\": (_codes, _backslashed),
    b"%": (_codes, _percent),
    b"&": (_codes, _decimals, _names),
    b"=": (_quoted,),
}


def _left(text: str, left: bytes) -> bytes:
    """Return a pattern for what a remainder has of a part of an escape: all digits, few letters."""
    found = b""
    for char in text:
        cases = {char.lower().encode(), char.upper().encode()}
        if char.isdigit():
            found += char.encode()
        elif any(each in left for each in cases):
            found += b"[" + b"".join(sorted(cases)) + b"]?"
    return found


def _next(units: Sequence[str], left: bytes) -> bytes:
    """Return a look ahead for what a remainder has next after an escape: a unit, or what begins another."""
    for unit in units:
        raw = match_forms.raw_forms(unit)
        here = [byte for form in raw for byte in form if byte in left]
        if here:
            return b"" if len(raw) > 1 else b"[;}]?(?=[%%\\\\&=#%b])" % re.escape(bytes(here[:1]))
    return b""


def _then(units: Sequence[str], *, ignore_case: bool) -> bytes:
    """Return a look ahead for what follows an escape: its end, then these units, raw until one is not."""
    ahead = b""
    for unit in reversed(units):
        raw = match_forms.raw_forms(unit, ignore_case=ignore_case)
        if unit == " ":
            ahead = b"(?:[ +]" + ahead + b"|" + _STOP + b")"
        elif unit in "\n\r\t\f\v\b\0'":
            ahead = b""
        elif len(raw) == 1:
            ahead = b"(?:" + re.escape(next(iter(raw))) + ahead + b"|" + _STOP + b")"
        else:
            firsts = b"".join(sorted({form[:1] for form in raw}))
            ahead = b"(?:[" + re.escape(firsts) + b"]|" + _STOP + b")"
    return b"[;}]?(?=" + ahead + b")" if ahead else b""
