"""Which names hold a secret: the rule for assignments, flags, headers and fields."""

from __future__ import annotations

import re
from functools import cache

from llm_wiki.core.redact.shape import words

KIND_OF: dict[str, str] = {
    "password": "password",
    "passwd": "password",
    "pwd": "password",
    "pass": "password",
    "passphrase": "password",
    "secret": "secret",
    "token": "token",
    "apikey": "api-key",
    "auth": "authorization",
    "authorization": "authorization",
    "credential": "credential",
    "credentials": "credential",
    "cookie": "cookie",
    "dsn": "dsn",
    "otp": "otp",
}
"""Last segment of a name → kind of its value."""

_ENDINGS = ("password", "passwd", "passphrase", "apikey", "secret", "token")
"""Words that may also end a segment that is written as one word: `authtoken`, `PGPASSWORD`."""

_PAIRS: dict[str, str] = {
    "api": "api-key",
    "private": "private-key",
    "access": "access-key",
    "secret": "secret-key",
    "account": "access-key",
    "shared": "access-key",
    "preshared": "secret-key",
    "signing": "secret-key",
    "encryption": "secret-key",
    "master": "secret-key",
}
"""First half of `… key` → kind."""

_ABOUT = words("""
    path file filename dir name type size length len count policy format prefix suffix header algorithm
    usage enabled required rotation expiry expires ttl age url uri link page docs help label title hint
    field column param id ids env var variable version error errors exception class func function
    not and or is missing invalid
""")
"""What ends a name that holds a pair but speaks about the key only."""


@cache
def _segment() -> re.Pattern[str]:
    return re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def segments(name: str) -> list[str]:
    """Return the words of a name in lower case: split at signs and at camelCase."""
    return [part.lower() for part in _segment().findall(name)]


def is_secret_name(name: str) -> bool:
    """Say whether a value under this name is a secret.

    The last segment decides (`db_password`, `authToken`, `X-Api-Key`); a pair such as `private key` or
    `connection string` decides wherever it stands in the name. `max_tokens`, `token_count` and
    `password_policy` hold none.
    """
    return bool(kind_of_name(name))


def kind_of_name(name: str) -> str:
    """Return the kind of the value under a name, "" when it is no secret."""
    parts = segments(name)
    while len(parts) > 1 and parts[-1].isdigit():
        parts.pop()
    if not parts:
        return ""
    last = parts[-1]
    if last in KIND_OF:
        return KIND_OF[last]
    for ending in _ENDINGS:
        if last.endswith(ending):
            return KIND_OF[ending]
    return _paired(parts)


def _paired(parts: list[str]) -> str:
    if parts[-1] in _ABOUT:
        return ""
    for first, second in zip(parts, [*parts[1:], ""], strict=True):
        if second == "key" and first in _PAIRS:
            return _PAIRS[first]
        if first.endswith("key") and first[:-3] in _PAIRS:
            return _PAIRS[first[:-3]]
        if (first, second) == ("connection", "string") or first == "connectionstring":
            return "connection-string"
    return ""
