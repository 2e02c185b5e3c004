"""Places that hold a secret by their form: headers, addresses, flags, `.netrc`, key URIs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from llm_wiki.core.redact.names import is_secret_name
from llm_wiki.core.redact.shape import Found
from llm_wiki.core.redact.values import is_word, stands_for, token_like


class Place:
    """A form: its kind, what must stand in the text in lower case, its pattern, who judges a match.

    The secret is group `value` of the pattern, or group 1.
    """

    __slots__ = ("judge", "kind", "needles", "pattern")

    def __init__(
        self, kind: str, needles: tuple[bytes, ...], pattern: str, judge: Callable[[re.Match[str]], bool]
    ) -> None:
        self.kind = kind
        self.needles = needles
        self.pattern = pattern
        self.judge = judge


def _real(found: re.Match[str]) -> bool:
    return not stands_for(found[1]) and len(found[1]) >= 3


def _credential(found: re.Match[str]) -> bool:
    """Judge what follows the name of a scheme: `Bearer token` in a sentence is none."""
    value = found[1]
    if stands_for(value) or len(value) < 8:
        return False
    return not value.isalpha() or (":" in found[0] and not is_word(value))


def _mixed(found: re.Match[str]) -> bool:
    value = found[1]
    return token_like(value, digits=True) and not value.islower() and not stands_for(value)


def _userinfo(found: re.Match[str]) -> bool:
    return not stands_for(found[1]) and found[1].lower() not in (
        "password",
        "pass",
        "pwd",
        "pw",
        "token",
        "secret",
    )


def _user_only(found: re.Match[str]) -> bool:
    return len(found[1]) >= 16 and token_like(found[1], digits=True)


def _query(found: re.Match[str]) -> bool:
    name, value = found["name"].lower(), found["value"]
    if stands_for(value) or (value.isalpha() and len(value) < 16):
        return False
    if name in ("key", "code"):
        return len(value) >= 8 and not value.isdigit() and any(c.isdigit() for c in value)
    if name in ("sig", "signature", "secret", "token") or name.startswith("x-amz-"):
        return len(value) >= 4
    return is_secret_name(name) and len(value) >= 4


def _pair(found: re.Match[str]) -> bool:
    user, _, secret = found[1].partition(":")
    if user.isdigit() and secret.isdigit():
        return False
    return (
        bool(secret)
        and not stands_for(secret)
        and not stands_for(user)
        and not secret.startswith(("//", "\\"))
    )


def _cookie(found: re.Match[str]) -> bool:
    return "=" in found[1] and not stands_for(found[1].partition("=")[2])


def _aws(found: re.Match[str]) -> bool:
    """Judge 40 characters: random ones, with `aws` or `secret` near them."""
    value = found[1]
    if len(value) != 40 or value.count("/") > 4:
        return False
    kinds = (sum(map(str.isupper, value)), sum(map(str.islower, value)), sum(map(str.isdigit, value)))
    if min(kinds) < 2 or kinds[0] < 4 or kinds[1] < 4:
        return False
    near = found.string[max(0, found.start() - 120) : found.end() + 40].lower()
    return "aws" in near or "secret" in near


_PART = r"""[^\s"'`<>\\,;]"""
_QUOTE = r"""\\{0,7}["'`]?"""
_NO_QUOTE = r"""[^\s"'`<>\\]"""
_ARGUMENTS = r"[^\n|;&]{0,200}?[ \t]"

PLACES: tuple[Place, ...] = (
    Place(
        "authorization",
        (b"authorization",),
        rf"(?i:authorization){_QUOTE}[ \t]{{0,4}}[:=][ \t]{{0,8}}{_QUOTE}[A-Za-z][A-Za-z0-9-]{{2,20}}"
        rf"[ \t]{{1,4}}({_PART}+)",
        _credential,
    ),
    Place(
        "authorization",
        (b"digest ",),
        r"(?i:digest)[ \t]{1,4}((?=[^\n]{0,200}(?:response|nonce)=)[a-z]{2,12}=[^\n]{1,1000})",
        _real,
    ),
    Place(
        "authorization",
        (b"bearer",),
        r"(?i:bearer)(?:[ \t]{1,4}|%20)([A-Za-z0-9._~+/=-]{12,}+)",
        _credential,
    ),
    Place("authorization", (b"basic",), r"(?i:basic)[ \t]{1,4}([A-Za-z0-9+/]{12,}+={0,2})", _mixed),
    Place(
        "cookie",
        (b"cookie",),
        rf"(?i:cookie){_QUOTE}[ \t]{{0,4}}:[ \t]{{0,4}}{_QUOTE}"
        r"""([A-Za-z0-9!#$%&*+.^_|~-]{1,64}=[^\r\n"'`\\]{1,4096})""",
        _cookie,
    ),
    Place(
        "url-password",
        (b"://",),
        r"""://[^\s/:@"'`<>\\]{0,128}:([^\s/"'`<>\\]{1,256})@(?=[A-Za-z0-9\[%_.$<{-])""",
        _userinfo,
    ),
    Place("url-token", (b"://",), r"""://([^\s/:@"'`<>\\]{16,256})@(?=[A-Za-z0-9\[])""", _user_only),
    Place(
        "url-secret",
        (b"key=", b"code=", b"sig=", b"signature=", b"x-amz-", b"secret=", b"token="),
        r"(?:[?;&]|\\u0026)(?:amp;)?(?P<name>[A-Za-z][A-Za-z0-9_.-]{0,40})="
        r"""(?P<value>[^\s"'`<>\\&)\]#;|,]{3,4096})""",
        _query,
    ),
    Place(
        "otp-secret",
        (b"otpauth",),
        rf"otpauth(?:-migration)?://{_NO_QUOTE}{{0,300}}?[?&](?:secret|data)=([A-Za-z0-9%=+/_-]{{8,}})",
        _real,
    ),
    Place(
        "password",
        (b"login", b"machine", b"default"),
        r"(?:machine[ \t]+\S{1,200}|default|login[ \t]+\S{1,200})\s{1,20}"
        r"(?:account[ \t]+\S{1,100}\s{1,20})?password[ \t]{1,8}(\S{1,256})",
        _real,
    ),
    Place(
        "password",
        (b" -u", b"--user", b"--proxy-user"),
        r"""(?<![A-Za-z0-9-])-(?:[uU]|-user|-proxy-user)[ \t=]{0,2}["']?"""
        r"""([^\s"'`:]{1,64}:[^\s"'`]{1,256})""",
        _pair,
    ),
    Place(
        "password",
        (b"mysql", b"mariadb", b"sshpass", b"7z ", b"mongo"),
        rf"\b(?:mysql[a-z]*|mariadb[a-z-]*|sshpass|7z[a-z]*|mongo[a-z]*)\b{_ARGUMENTS}"
        r"""-p[ \t]?["']?([^\s"'`-][^\s"'`]{2,128})""",
        _real,
    ),
    Place(
        "password",
        (b"docker login", b"podman login", b"helm"),
        rf"\b(?:docker|podman|helm)\b{_ARGUMENTS}" r"""-p[ \t]{1,4}["']?([^\s"'`-][^\s"'`]{2,128})""",
        _real,
    ),
    Place(
        "password",
        (b"redis-cli",),
        rf"redis-cli\b{_ARGUMENTS}(?:-a|--pass)" r"""[ \t]{1,4}["']?([^\s"'`]{3,128})""",
        _real,
    ),
    Place(
        "aws-secret-key",
        (b"aws", b"secret"),
        r"([A-Za-z0-9/+]{40,}+)(?!=)",
        _aws,
    ),
)


@cache
def _letters() -> frozenset[int]:
    return frozenset().union(*(needle for place in PLACES for needle in place.needles))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def places(text: str, low: bytes) -> Iterator[Found]:
    """Yield the secrets that stand where their form says so, in no order; `low` is the text in lower case."""
    present = frozenset(letter for letter in _letters() if letter in low)
    for place in PLACES:
        if any(present.issuperset(needle) and needle in low for needle in place.needles):
            for found in _compiled(place.pattern).finditer(text):
                if place.judge(found):
                    yield Found(place.kind, *found.span(found.lastgroup or 1))


def strip_remote(url: str) -> str:
    """Return the address of a Git remote without user, password and secret query values.

    `git@host:path` keeps its user, which is the same for everybody.
    """
    scheme, mark, rest = url.strip().partition("://")
    if not mark:
        user, at, path = url.strip().partition("@")
        return (
            f"git@{path}"
            if at and ":" in path and user == "git"
            else (path if at and ":" in path else url.strip())
        )
    address, query, parameters = rest.partition("?")
    host, slash, path = address.partition("/")
    host = host.rpartition("@")[2]
    kept = [part for part in parameters.split("&") if part and not _secret_parameter(part)]
    return scheme + mark + host + slash + path + (query + "&".join(kept) if kept else "")


def _secret_parameter(part: str) -> bool:
    name = part.partition("=")[0].partition("#")[0].lower()
    return name in ("key", "code", "sig", "signature") or name.startswith("x-amz-") or is_secret_name(name)
