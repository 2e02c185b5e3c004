"""A value inside base64 and hex: its bits at whatever place they lie in a longer text.

Base64 turns three bytes into four letters, so the same value has three forms, and its first and last
letter may share bits with neighbours. A letter is therefore a set: every one that is possible when
the neighbour's bits are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

_ALPHABET: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_ANY: Final = tuple(range(256))
_WRAP: Final = (
    rb"(?:[ \t]{0,8}(?:\r?\n|\\\\{0,15}r?\\{0,16}n|=\r?\n|%0[dD]%0[aA]|%0[aA])[ \t>#*|]{0,64}|[ \t]{1,8})?"
)
_PAD: Final = b"(?:=|%3[dD]){0,2}"
Options = Sequence[Sequence[int]]
"""For each byte of a value, what it may be."""


def options(value: bytes, *, ignore_case: bool = False) -> Options:
    """Return what each byte may be: itself, with `ignore_case` an ASCII letter of either case."""
    if not ignore_case:
        return [(each,) for each in value]
    return [tuple({*bytes([each]).lower(), *bytes([each]).upper()}) for each in value]


def base64_patterns(value: Options) -> list[bytes]:
    """Return one pattern for each of the three places a value may have in what was encoded."""
    found = []
    for shift in range(3):
        letters = [_class(each) for each in _letters(value, shift)]
        found.append(_WRAP.join(letters) + _PAD)
    return found


def base64_runs(value: Options) -> list[list[bytes]]:
    """Return for each of the three patterns the letters that any match of it holds, in unbroken runs."""
    return [_runs(_letters(value, shift)) for shift in range(3)]


def hex_pattern(value: Options) -> bytes:
    """Return a pattern for hex digits, upper or lower, with nothing, a blank or a colon between bytes."""
    pairs = [b"(?:" + b"|".join(b"%02x" % each for each in one) + b")" for one in value]
    return b"(?i:" + rb"(?:[ :-]|\r?\n[ \t]{0,64})?".join(pairs) + b")"


def hex_runs(value: Options) -> list[bytes]:
    """Return the digits that any match holds, in unbroken runs; small letters, which may be capitals too."""
    return _runs({f"{each:02x}"[at] for each in one} for one in value for at in range(2))


def _runs(letters: Iterable[set[str]]) -> list[bytes]:
    runs = [""]
    for each in letters:
        if len(each) == 1 and each.isdisjoint("+/"):
            runs[-1] += next(iter(each))
        else:
            runs.append("")
    return [run.encode() for run in runs if run]


def _letters(value: Options, shift: int) -> Iterator[set[str]]:
    """Yield what each letter may be that holds a bit of the value, `shift` bytes after a group's start."""
    padded = [*[_ANY] * shift, *value, _ANY, _ANY]
    first, last = 8 * shift // 6, -(-8 * (shift + len(value)) // 6)
    for number in range(first, last):
        at, bit = divmod(number * 6, 8)
        yield {
            _ALPHABET[((left << 8 | right) >> (10 - bit)) & 63]
            for left in padded[at]
            for right in (padded[at + 1] if bit > 2 else (0,))
        }


def _class(letters: set[str]) -> bytes:
    plain = "".join(sorted(letters - {"+", "/"}))
    more = []
    if "+" in letters:
        plain += "+-"
        more += [rb"%2[bB]", rb"\\\\{0,15}u002[bB]"]
    if "/" in letters:
        plain += "/_"
        more += [rb"%2[fF]", rb"\\\\{0,15}/"]
    if len(plain) == 1 and not more:
        return re.escape(plain.encode())
    return b"(?:" + b"|".join([b"[" + re.escape(plain).encode() + b"]", *more]) + b")"
