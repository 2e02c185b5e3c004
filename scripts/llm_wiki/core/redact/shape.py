"""What one family of secrets is: its name, where its maker describes it, how to see it quickly and surely."""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False  # as in typing, whose import costs a hook more than all of its redaction
if TYPE_CHECKING:
    from typing import NamedTuple

    class Found(NamedTuple):
        """One secret: its kind and its place in the text, `end` excluded."""

        kind: str
        start: int
        end: int

else:
    Found = namedtuple("Found", ("kind", "start", "end"))  # noqa: PYI024
    Found.__doc__ = "One secret: its kind and its place in the text, `end` excluded."


class Family:
    """The shape of one vendor's secrets.

    `source` names the vendor's page that describes it. A text without any of `needles` is not looked at
    further; `pattern` then finds the secret: its group 1 if it has one, else the whole match. `back`
    characters before the match belong to it. With `edge` no letter or digit may stand before it, with
    `digits` it must be more than lower-case words. `stretch` names letters (`ALPHABETS`) that belong to it as
    far as they stand before it. `example` and `near` are recipes (`{w36}` are 36 letters
    and digits) of a secret and of what only resembles one; no file holds a whole one.

    Patterns begin with literals and end in their only unbounded repetition: time grows with the text only.
    """

    __slots__ = (
        "back",
        "digits",
        "edge",
        "example",
        "kind",
        "near",
        "needles",
        "pattern",
        "source",
        "stretch",
    )

    def __init__(
        self,
        kind: str,
        source: str,
        needles: tuple[str, ...],
        pattern: str,
        example: str,
        near: str,
        *,
        edge: bool = False,
        digits: bool = False,
        back: int = 0,
        stretch: str = "",
    ) -> None:
        self.kind = kind
        self.source = source
        self.needles = needles
        self.pattern = pattern
        self.example = example
        self.near = near
        self.edge = edge
        self.digits = digits
        self.back = back
        self.stretch = stretch


ALPHABETS: dict[str, str] = {
    "w": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    "a": "abcdefghijklmnopqrstuvwxyz",
    "l": "abcdefghijklmnopqrstuvwxyz0123456789",
    "u": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "d": "0123456789",
    "b": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
    "B": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
}
"""Letters of a recipe: from what each is drawn."""


def words(text: str) -> frozenset[str]:
    """Return the blank-separated words of a text as a set."""
    return frozenset(text.split())
