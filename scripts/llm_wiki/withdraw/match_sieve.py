r"""A cheap look at data before patterns are run over it: what cannot hold the value passes no further.

Most bytes of a text are small letters and blanks. Without them it is a tenth as long, and line folds,
wraps of base64, quote marks and separators of hex are gone with them. What any match must hold, its
digits and capitals in a row, is looked for in that remainder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

_RARE: Final = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LEADS: Final = b"%\\&=#"
_SAME: Final = bytes(range(256))
_COMMON: Final = bytes(each for each in range(256) if each not in _RARE + _LEADS)
_ENOUGH: Final = 3

_ESCAPED: Final = {
    b"%": re.compile(rb"%(?:25)*[03-7]"),
    b"\\": re.compile(rb"\\(?:U?0{0,7}[3-7]|0[67]|1)"),
    b"&": re.compile(rb"&#X?[0-9]"),
    b"=": re.compile(rb"=[3-7]"),
}
"""What is left of an escape in the remainder, by the byte it begins with."""


class Remainder(NamedTuple):
    """What is left of data: with the bytes that begin an escape, and without."""

    marked: bytes
    plain: bytes


class Sign(NamedTuple):
    """What any match holds: `rare` in the remainder or, where that says too little, a piece in the data.

    With neither, nothing can be said and the patterns have to be run.
    """

    rare: tuple[bytes, ...] = ()
    pieces: tuple[bytes, ...] = ()

    def shows(self, data: bytes, rest: Remainder) -> bool:
        """Tell whether the data may hold a match."""
        if self.rare:
            plain = rest.plain
            for each in self.rare:  # noqa: SIM110 - a generator would cost more than what it looks for
                if each in plain:
                    return True
            return False
        return not self.pieces or any(each in data for each in self.pieces)


def remainder(data: bytes) -> Remainder:
    """Return what is left of data without its common bytes."""
    marked = data.translate(_SAME, _COMMON)
    return Remainder(marked, marked.translate(_SAME, _LEADS))


def rare(text: bytes) -> bytes:
    """Return what is left of a piece of a match, escapes in it not expected."""
    return text.translate(_SAME, _COMMON + _LEADS)


def sign(texts: Iterable[bytes], pieces: Sequence[bytes]) -> Sign:
    """Return the sign of what holds one of the texts unbroken but for blanks, or else one of the pieces."""
    left = tuple(rare(text) for text in texts)
    if left and all(len(each) >= _ENOUGH for each in left):
        return Sign(rare=left)
    return Sign(pieces=tuple(pieces))


def escaped(data: bytes, rest: Remainder, escapes: Mapping[bytes, re.Pattern[bytes]], *, plain: bool) -> bool:
    """Tell whether one of the escapes stands in the data; they are keyed by their first byte.

    `plain` when all are of ASCII letters and digits: their escapes leave a digit behind.
    """
    marked = rest.marked
    for lead, pattern in escapes.items():
        if lead in marked and (not plain or _ESCAPED[lead].search(marked)) and pattern.search(data):
            return True
    return False
