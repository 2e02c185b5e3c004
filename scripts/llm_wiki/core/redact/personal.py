"""What identifies a person or a machine: looked for in the strict form only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from llm_wiki.core.redact.shape import Found


@cache
def _email() -> re.Pattern[str]:
    return re.compile(
        r"@(?<=[A-Za-z0-9._%+-]@)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}"
    )


@cache
def _ipv4() -> re.Pattern[str]:
    octet = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
    return re.compile(rf"(?<![0-9A-Za-z_.])(?:{octet}\.){{3}}{octet}(?![0-9A-Za-z_]|\.[0-9])")


@cache
def _ipv6() -> re.Pattern[str]:
    last = r"(?:[0-9A-Fa-f]{1,4}|(?:[0-9]{1,3}\.){3}[0-9]{1,3})?"
    return re.compile(rf"(?<![0-9A-Za-z:._])(?:[0-9A-Fa-f]{{0,4}}:){{2,7}}{last}(?![0-9A-Za-z:_])")


@cache
def _home() -> re.Pattern[str]:
    return re.compile(
        r"(?:/home/|/Users/|/export/home/|/var/home/"
        r"|[A-Za-z]:(?:\\{1,4}|/)(?:Users|Documents and Settings)(?:\\{1,4}|/))"
        r"""([^\s/\\:"'`<>|\[\]{}$*,;()]{1,64})"""
    )


@cache
def _phone() -> re.Pattern[str]:
    return re.compile(
        r"(?<![0-9A-Za-z_.+-])(?:"
        r"(?:\+|00)[1-9][0-9]{0,2}[ ./-]?(?:\(0?[0-9]{0,4}\)[ ./-]?)?(?:[0-9]{1,5}[ ./-]?){2,6}[0-9]{2,}"
        r"|\([0-9]{3}\)[ .-]?[0-9]{3}[ .-][0-9]{4}"
        r"|[2-9][0-9]{2}[.-][2-9][0-9]{2}[.-][0-9]{4}"
        r"|0[1-9][0-9]{1,4}[ /-][0-9]{3,4}[ -]?[0-9]{3,5}"
        r")(?![0-9A-Za-z_.-]?[0-9])"
    )


_LOCAL = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-"
_SHARED = frozenset({"shared", "public", "default", "all", "..."})
_OWN_MACHINE = ("127.", "0.0.0.0")  # noqa: S104 - compared, not bound


def personal(text: str) -> Iterator[Found]:
    """Yield mail addresses, IP addresses, user names in home paths and phone numbers, in no order.

    Addresses of the machine itself (`127.0.0.1`, `::1`) say nothing about anybody and are left.
    """
    if "@" in text:
        yield from _emails(text)
    if "." in text:
        for found in _ipv4().finditer(text):
            if not found[0].startswith(_OWN_MACHINE):
                yield Found("ip", *found.span())
    if ":" in text:
        yield from _ipv6s(text)
    yield from users(text)
    for found in _phone().finditer(text):
        if 7 <= sum(c.isdigit() for c in found[0]) <= 15:
            yield Found("phone", *found.span())


def users(text: str) -> Iterator[Found]:
    """Yield the user names in home paths."""
    for found in _home().finditer(text):
        if found[1].lower().rstrip(".") not in _SHARED:
            yield Found("user", *found.span(1))


def _emails(text: str) -> Iterator[Found]:
    past = 0
    for found in _email().finditer(text):
        start, floor = found.start(), max(past, found.start() - 64)
        while start > floor and text[start - 1] in _LOCAL:
            start -= 1
        if start > 0 and text[start - 1] == "\\" and text[start] in "nrt" and start + 1 < found.start():
            start += 1
        past = found.end()
        yield Found("email", start, past)


def _ipv6s(text: str) -> Iterator[Found]:
    for found in _ipv6().finditer(text):
        address = found[0]
        if len(address) < 5 or address in ("::1", "::") or not any(c.isdigit() for c in address):
            continue
        from ipaddress import AddressValueError, IPv6Address

        try:
            IPv6Address(address)
        except AddressValueError:
            continue
        yield Found("ip", *found.span())
