r"""A cheap look at data before patterns are run over it: what cannot hold the value passes no further.

One pass takes most bytes out of the data; what is left is a tenth of it, and line folds, wraps of base64
and separators of hex are gone with the rest. In that remainder two kinds of signs are looked for:

- of the value as text: the kept bytes of a stretch of it, in a row. A match without them has a character
  of that stretch escaped, so that the escapes of these few characters are the other sign;
- of its bits: the kept letters and digits of its base64 and hex, which have no other form.

A sieve may let data pass in vain. It never holds back data in which a pattern would find the value: any
byte that a form of a character leaves behind without being escaped is either the character's only form
or not kept at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import inf, log2
from typing import Final, NamedTuple

_SAME: Final = bytes(range(256))
_LOWER: Final = _SAME.lower()
_LEADS: Final = b"%\\&=#"
_DIGITS: Final = b"0123456789"
_CAPITALS: Final = b"GHIJKLMNOPQRSTUVWXYZ"
_FOLDS: Final = b" \t\r\n\v\f>#*/|%\\&=nrNR"
"""What line ends inside a match may be made of, escaped ones included."""

_LETTERS_OF_BITS: Final = (b"", b"jqxzkvw")
"""Small letters that are kept for base64 too, as few as will do; never those of hex, nor of `\\r\\n`."""

_SHARES: Final = {
    **dict.fromkeys(range(256), 4.0),
    **dict.fromkeys(range(128, 256), 2.0),
    **dict.fromkeys(b".,", 90.0),
    **dict.fromkeys(b"-:`_()[]\"'", 30.0),
    **dict.fromkeys(_DIGITS, 100.0),
    **dict.fromkeys(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", 15.0),
    **{byte: 680.0 - 26 * rank for rank, byte in enumerate(b"etaoinsrhldcumwfgypbvkjxqz")},
}
"""How many of 10,000 bytes of notes a byte makes up, about."""

_QUIET: Final = bytes(byte for byte in range(0x30, 0x7F) if byte not in b"<=>\\")
"""Characters whose escapes are seldom seen."""

_BLANK: Final = {b" ", b"+"}
AHEAD: Final = 2
"""Characters that have to follow an escape, unless they are escaped or folded themselves."""

_BYTES: Final = 4096 / 10_000
_DENSE, _PASSED, _LOUD, _LAST, _EACH = 0.008, 60.0, 6.0, 10.0, 0.1
"""What counts against a choice: each byte of 10,000 that is kept; a file that passes in vain; a character
that is often escaped, or that has nothing behind it; each other character."""

_SAYS: Final = 0.9
"""Of the bits that letters would say were they drawn one by one, how much they say in words."""

_STARTS: Final = 32
_UNITS: Final = 24
_SURE: Final = 16.0
"""Bits that a piece of base64 or hex has to say."""

_LEAST: Final = 3
_CHOICES: Final = 64


class Escapes(NamedTuple):
    """The escapes of a stretch that begin with one byte: a look at the remainder, and the pattern."""

    hint: re.Pattern[bytes]
    pattern: re.Pattern[bytes]


class Stretch(NamedTuple):
    """A part of the value: its units from `start` to `end`, and the kept bytes that they leave in a row.

    `full` is the same with all bytes of it kept that may be.
    """

    start: int
    end: int
    kept: bytes
    alphabet: bytes
    full: bytes
    full_alphabet: bytes


def stretch(given: Sequence[set[bytes]], *, ignore_case: bool) -> Stretch:
    """Return the part of a value to look for, and the bytes to keep for it, at the least cost.

    Of each unit are given its raw forms. No byte of one that has several may be kept.
    """
    never = {*_FOLDS, *(byte for forms in given if len(forms) > 1 for form in forms for byte in form)}
    base = {each for each in (_DIGITS if ignore_case else _DIGITS + _CAPITALS) if each not in never}
    raws = [b"" if len(forms) > 1 else next(iter(forms)) for forms in given]
    quiet = {at for at, raw in enumerate(raws) if (raw and raw in _QUIET) or given[at] == _BLANK}
    best, chosen = inf, (0, len(raws), base)
    for start in range(min(len(raws), _STARTS)):
        for end in range(start + 1, min(start + _UNITS, len(raws)) + 1):
            loud = not quiet.issuperset(range(start, end))
            more = _LOUD * loud + _LAST * (end > len(raws) - AHEAD) + _EACH * (end - start)
            cost, kept = _cheapest(b"".join(raws[start:end]), base, never)
            if cost + more < best:
                best, chosen = cost + more, (start, end, kept)
    start, end, kept = chosen
    text = b"".join(raws[start:end])
    full = kept | ({*text} - never)
    found = [(text.translate(None, _without(each)), bytes(sorted(each))) for each in (kept, full)]
    return Stretch(start, end, *found[0], *found[1])


def _cheapest(text: bytes, base: set[int], never: set[int]) -> tuple[float, set[int]]:
    """Return which bytes of a text are best kept, and the cost of a file then.

    Each byte kept costs in every file; too few of them let many a file pass in vain.
    """
    kept, total = base, sum(_SHARES[byte] for byte in base)
    inside = [byte for byte in text if byte in base]
    count, says = len(inside), sum(log2(_SHARES[byte]) for byte in inside)
    best = (_PASSED + _DENSE * total, base)
    for byte in [0, *sorted({*text} - base - never, key=lambda each: (_SHARES[each], each))]:
        if byte:
            kept, total = kept | {byte}, total + _SHARES[byte]
            count, says = count + text.count(byte), says + text.count(byte) * log2(_SHARES[byte])
        chance = min(1.0, _BYTES * total * 2 ** (_SAYS * (says - count * log2(total))))
        best = min(best, (_PASSED * chance + _DENSE * total, kept), key=lambda one: one[0])
    return best


class Grams(NamedTuple):
    """What to look for of the bits: pieces, each with the numbers of the patterns that hold it."""

    pieces: tuple[tuple[bytes, tuple[int, ...]], ...]
    alphabet: bytes


def grams(runs: Sequence[Sequence[bytes]]) -> Grams:
    """Choose few pieces so that each pattern holds one; of a pattern are given its unbroken runs."""
    alphabets = [_DIGITS + _CAPITALS + letters for letters in _LETTERS_OF_BITS]
    offers = [[_choices(each, alphabet) for each in runs] for alphabet in alphabets]
    best = max(range(len(offers)), key=lambda at: sum(max(map(len, each)) >= _LEAST for each in offers[at]))
    alphabet, choices = alphabets[best], offers[best]
    open_, chosen = set(range(len(runs))), []
    while open_:
        counts: dict[bytes, list[int]] = {}
        for number in sorted(open_):
            for piece in choices[number]:
                counts.setdefault(piece, []).append(number)
        piece = max(counts, key=lambda each: (len(counts[each]), len(each), each))
        chosen.append((piece, tuple(counts[piece])))
        open_ -= set(counts[piece])
    return Grams(tuple(chosen), alphabet)


def _choices(runs: Iterable[bytes], alphabet: bytes) -> set[bytes]:
    """Return the pieces any of which stands for a pattern; b"", which is everywhere, when there is none."""
    gone, total = _without(alphabet), sum(_SHARES[byte] for byte in alphabet)
    found: dict[bytes, None] = {}
    longest = b""
    for run in runs:
        left = run.translate(None, gone)
        longest = max(longest, left, key=len)
        for start in range(len(left)):
            says, end = 0.0, start
            while says < _SURE and end < len(left):
                says += log2(total / _SHARES[left[end]])
                end += 1
            if says >= _SURE:
                found[left[start:end]] = None
        if len(found) >= _CHOICES:
            break
    return {*found} or {longest}


class Sieve:
    """The signs of one value. Without `part` nothing can be said of the text, and it always passes."""

    def __init__(
        self, part: Stretch | None, escapes: Sequence[Escapes], bits: Grams, *, ignore_case: bool
    ) -> None:
        self._blind = not part or not part.kept
        self._needle = part.kept if part else b""
        self._escapes = tuple((each.hint.search, each.pattern.search) for each in escapes)
        self._pieces = bits.pieces
        self._any_piece = re.compile(b"|".join(re.escape(piece) for piece, _ in bits.pieces)).search
        self._table = _LOWER if ignore_case else _SAME
        alphabet = part.alphabet if part else b""
        cases = alphabet + alphabet.upper() if ignore_case else alphabet
        self._gone = _without(cases + bits.alphabet + _LEADS)
        self._no_text = _without(cases)
        self._no_bits = _without(bits.alphabet)
        full = part.full_alphabet if part else b""
        self._full = part.full if part else b""
        self._no_full = _without(full + full.upper() if ignore_case else full)
        self._same = not ignore_case and {*alphabet} == {*bits.alphabet}

    def signs(self, data: bytes) -> tuple[bool, list[int]]:
        """Tell whether data may hold the value as text, and which patterns of bits it may hold a match of."""
        rest = data.translate(None, self._gone)
        left = rest.translate(None, self._no_bits)
        bits: list[int] = []
        if self._any_piece(left):
            for piece, numbers in self._pieces:
                if piece in left:
                    bits += numbers
        if b"%0" in rest and _ESCAPED_WRAP.search(data):
            bits = [number for _, numbers in self._pieces for number in numbers]
        text = left if self._same else rest.translate(self._table, self._no_text)
        raw = self._needle in text and self._full in data.translate(self._table, self._no_full)
        return raw or self._blind or self._escaped(data, rest), bits

    def _escaped(self, data: bytes, rest: bytes) -> bool:
        for hint, pattern in self._escapes:  # noqa: SIM110 - a generator would cost more than the look
            if hint(rest) and pattern(data):
                return True
        return False


_ESCAPED_WRAP: Final = re.compile(b"%0[aAdD]")
"""A line end of base64 that leaves digits behind."""


def _without(kept: Iterable[int]) -> bytes:
    return bytes(sorted({*range(256)} - {*kept}))
