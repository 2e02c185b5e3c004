"""What must hold for any input, said without the code that is tested.

The readings here are plain and slow on purpose: YAML through PyYAML's own loader, lines by
counting line ends, changed bytes by what two files share at their ends.
"""

from __future__ import annotations

from typing import Any

import yaml

LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def strings(head: str, otherwise: Any = None) -> Any:
    """Return a header as PyYAML reads it with every scalar a string; {} when it is empty.

    `otherwise` stands in for a header that PyYAML refuses though YAML allows it: an anchor set twice.
    """
    try:
        value = yaml.load(head, LOADER)
    except yaml.composer.ComposerError as error:
        if otherwise is not None and "duplicate anchor" in str(error):
            return otherwise
        raise
    return {} if value in (None, "") else value


def shared(before: bytes, after: bytes) -> tuple[int, int]:
    """Return how many bytes two files share at their start, and then at their end."""
    limit = min(len(before), len(after))
    start = next((at for at in range(limit) if before[at] != after[at]), limit)
    limit -= start
    end = next((at for at in range(limit) if before[-1 - at] != after[-1 - at]), limit)
    return start, end


def inside(before: bytes, after: bytes, ranges: list[tuple[int, int]]) -> bool:
    """Tell whether `after` is `before` with nothing changed outside these ranges of it."""
    gaps, at = [], 0
    for first, last in sorted(ranges):
        if first >= at:
            gaps.append(before[at:first])
        at = max(at, last)
    gaps.append(before[at:])
    if not after.startswith(gaps[0]) or not after.endswith(gaps[-1]):
        return False
    place = len(gaps[0])
    for gap in gaps[1:-1]:
        place = after.find(gap, place)
        if place < 0:
            return False
        place += len(gap)
    return place + len(gaps[-1]) <= len(after)


def only_line_end(data: bytes) -> bytes:
    """Return the one line end a file uses, or b"" when it uses several or none."""
    rest = data.replace(b"\r\n", b"")
    kinds = {b"\r\n"} if b"\r\n" in data else set()
    kinds |= {end for end in (b"\n", b"\r") if end in rest}
    return kinds.pop() if len(kinds) == 1 else b""


def is_subsequence(part: list[str], whole: list[str]) -> bool:
    """Tell whether all of `part` stands in `whole`, in this order."""
    rest = iter(whole)
    return all(item in rest for item in part)


def line_of(flat: bytes, offset: int) -> int:
    """Return the 1-based line of an offset."""
    return 1 + flat[:offset].count(b"\n")


def column_of(flat: bytes, offset: int) -> int:
    """Return the 1-based column of an offset, in characters."""
    return 1 + len(flat[:offset].rpartition(b"\n")[2].decode())
