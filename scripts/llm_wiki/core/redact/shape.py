"""What one family of secrets is: its name, where its maker describes it, how to see it quickly and surely."""

from __future__ import annotations

from typing import NamedTuple


class Found(NamedTuple):
    """One secret: its kind and its place in the text, `end` excluded."""

    kind: str
    start: int
    end: int


class Family(NamedTuple):
    """The shape of one vendor's secrets.

    `source` names the vendor's page that describes it. A text without any of `needles` is not looked at
    further; `pattern` then finds the secret: its group 1 if it has one, else the whole match. `back`
    characters before the match belong to it. With `edge` no letter or digit may stand before it, with
    `digits` there must be one in it. `example` and `near` are recipes (`{w36}` are 36 letters and digits)
    of a secret and of what only resembles one; no file holds a whole one.

    Patterns begin with literals and end in their only unbounded repetition: time grows with the text only.
    """

    kind: str
    source: str
    needles: tuple[str, ...]
    pattern: str
    example: str
    near: str = ""
    edge: bool = False
    digits: bool = False
    back: int = 0


ALPHABETS: dict[str, str] = {
    "w": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    "a": "abcdefghijklmnopqrstuvwxyz",
    "l": "abcdefghijklmnopqrstuvwxyz0123456789",
    "u": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "d": "123456789",
    "b": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
    "B": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
}
"""Letters of a recipe: from what each is drawn."""
