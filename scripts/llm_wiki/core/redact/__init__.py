"""The one redactor: secrets are taken out of every text before it reaches a disk or a reader.

Shapes of vendors (`vendors_*.py`), names that hold secrets (`names.py`), notations (`assign.py`,
`structure.py`), key blocks (`blocks.py`) and, in the strict form, what identifies a person (`personal.py`).
Time grows with the text only; nothing is compiled before its words occur (`sessions.md` §6).
"""

from __future__ import annotations

from llm_wiki.core.redact.shape import Found

__all__ = ["LIMIT", "Found", "find", "is_secret_name", "redact", "strip_remote"]

LIMIT = 65536
"""Characters of one string that are looked at and kept; files are read whole."""

_MARGIN = 4096
"""Characters beyond the limit that are looked at too: a secret at the cut must not show its first half."""

_ROUNDS = 6
"""Passes after which a text is taken as it is; a second one finds something rarely, a third nearly never."""

_MARK_LENGTH = 40
"""Characters kept free for the mark of a cut."""


def find(text: str, *, strict: bool = False, homes: bool = False) -> list[Found]:
    """Return the secrets of a text in its order, without overlaps.

    With `strict` mail addresses, IP addresses, user names in home paths and phone numbers count too, with
    `homes` the user names alone.
    """
    from llm_wiki.core.redact.search import search

    return search(text, strict=strict, homes=homes)


def redact(text: str, *, strict: bool = False, homes: bool = False, limit: int = LIMIT) -> str:
    """Return a text with every secret replaced by `[REDACTED:<kind>]`.

    A text longer than `limit` characters is cut and ends in a mark that tells how many are left out; 0 keeps
    the whole text. Doing it again changes nothing.
    """
    if not limit or len(text) <= limit:
        done = _settled(text, strict, homes)
        return done if not limit or len(done) <= limit else _cut(done, limit, 0, strict, homes)
    end = limit
    for found in find(text[: limit + _MARGIN], strict=strict, homes=homes):
        if found.end > limit:
            end = min(found.start, limit)
            break
    return _cut(_settled(text[:end], strict, homes), limit, len(text) - end, strict, homes)


def _settled(text: str, strict: bool, homes: bool) -> str:
    """Redact until nothing is left: what stood around a secret can read as an assignment once it is gone."""
    for _ in range(_ROUNDS):
        found = find(text, strict=strict, homes=homes)
        if not found:
            break
        parts, at = [], 0
        for kind, start, end in found:
            parts += [text[at:start], f"[REDACTED:{kind}]"]
            at = end
        text = "".join((*parts, text[at:]))
    return text


def _cut(text: str, limit: int, lost: int, strict: bool, homes: bool) -> str:
    """Return at most `limit` characters of a redacted text, with the mark; no placeholder is cut in two."""
    end = min(len(text), max(0, limit - _MARK_LENGTH))
    opened = text.rfind("[REDACTED:", max(0, end - 64), end)
    if opened >= 0 and text.find("]", opened) >= end:
        end = opened
    while True:
        kept = _settled(text[:end], strict, homes)
        if len(kept) <= limit - _MARK_LENGTH or not end:
            break
        end = max(0, end - (len(kept) - limit + _MARK_LENGTH) - 64)
    return f"{kept}… [OMITTED len={lost + len(text) - end}]"[: max(limit, 0)]


def is_secret_name(name: str) -> bool:
    """Say whether a value assigned to this name is a secret.

    True when the last segment of the name (`_`, `-`, camelCase) is `password`, `token`, `secret` and the
    like, or the name holds `api key`, `private key`, `access key`, `secret key` or `connection string`.
    """
    from llm_wiki.core.redact.names import is_secret_name as rule

    return rule(name)


def strip_remote(url: str) -> str:
    """Return a Git remote's address without user, password and secret query values."""
    from llm_wiki.core.redact.structure import strip_remote as strip

    return strip(url)
