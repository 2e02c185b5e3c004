"""A value inside base64 and hex: its bits at whatever place they lie in a longer text.

Base64 turns three bytes into four letters, so the same value has three forms, and its first and last
letter may share bits with neighbours. A letter is therefore a set: every one that is possible when
the neighbour's bits are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from llm_wiki.withdraw.match_sieve import Sign, rare, sign

_ALPHABET: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_ANY: Final = tuple(range(256))
_WRAP: Final = (
    rb"(?:[ \t]{0,8}(?:\r?\n|\\\\{0,15}r?\\{0,16}n|=\r?\n|%0[dD]%0[aA]|%0[aA])[ \t>#*|]{0,64}|[ \t]{1,8})?"
)
_PAD: Final = b"(?:=|%3[dD]){0,2}"
_NEEDLE: Final = 8
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


def base64_signs(value: Options) -> list[Sign]:
    """Return for each of the three patterns what any match of it holds."""
    found = []
    for shift in range(3):
        runs = [""]
        for letter in _letters(value, shift):
            if len(letter) == 1 and next(iter(letter)) not in "+/":
                runs[-1] += next(iter(letter))
            else:
                runs.append("")
        longest = max(runs, key=lambda run: (len(rare(run.encode())), len(run)))
        found.append(sign([longest.encode()], _pieces(runs)))
    return found


def _pieces(runs: Sequence[str]) -> list[bytes]:
    """Return two pieces of the runs, as long as there are two: a line end breaks one of them at most."""
    for size in range(_NEEDLE, 1, -1):
        pieces = [run[at : at + size] for run in runs for at in range(0, len(run) - size + 1, size)]
        if len(pieces) > 1:
            return [piece.encode() for piece in pieces[:2]]
    return []


def hex_pattern(value: Options) -> bytes:
    """Return a pattern for hex digits, upper or lower, with nothing, a blank or a colon between bytes."""
    pairs = [b"(?:" + b"|".join(b"%02x" % each for each in one) + b")" for one in value]
    return b"(?i:" + rb"(?:[ :-]|\r?\n[ \t]{0,64})?".join(pairs) + b")"


def hex_sign(value: bytes) -> Sign:
    """Return what any match holds, its digits being all small or all capital."""
    return sign([value.hex().encode(), value.hex().upper().encode()], ())


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
