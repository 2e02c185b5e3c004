"""The name of the encoding in which a value was found, told from the bytes of the match alone."""

from __future__ import annotations

import re
from typing import Final

_SIGNS: Final = (
    ("percent-double", re.compile(rb"%25")),
    ("percent", re.compile(rb"%[0-9A-Fa-f]{2}|%u[0-9A-Fa-f]{4}")),
    ("json-nested", re.compile(rb"\\\\+[u\"\\/]")),
    ("json", re.compile(rb"\\[uU\"/nrtbf]")),
    ("hex-escape", re.compile(rb"\\+x[0-9A-Fa-f]{2}")),
    ("octal-escape", re.compile(rb"\\+[0-7]{3}")),
    ("html", re.compile(rb"&(?:#|[A-Za-z])[0-9A-Za-z]*;?")),
    ("quoted-printable", re.compile(rb"=(?:[0-9A-Fa-f]{2}|\r?\n)")),
    ("folded", re.compile(rb"\n")),
    ("escaped", re.compile(rb"\\")),
)


def name_of(found: bytes, value: bytes) -> str:
    """Return the name of the encoding of one match; a sign that the value itself holds is none."""
    if found == value:
        return "exact"
    for name, sign in _SIGNS:
        if len(sign.findall(found)) > len(sign.findall(value)):
            return name
    if found.lower() == value.lower():
        return "other-case"
    if b"+" in found and b" " in value:
        return "form"
    return "other-charset" if not _is_utf8(found) else "unicode-form"


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
