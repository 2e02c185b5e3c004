"""What a value must look like to be taken for a secret, and what stands for one without being one."""

from __future__ import annotations

import re
from functools import cache

from llm_wiki.core.redact.shape import words


@cache
def _placeholder() -> re.Pattern[str]:
    """Return the beginnings of what only says that a secret belongs here."""
    return re.compile(
        r"[<\[{(]"  # <token>, [REDACTED], {token}, {{ x }}
        r"|\\?\$"  # $TOKEN, ${TOKEN}, $(pass x)
        r"|%[A-Za-z_(]"  # %TOKEN%, %(token)s
        r"|(?i:your)[-_ ]|(?i:my|the|a|an|some|this)[-_ ][A-Za-z_-]*+$"
        r"|(?i:example|placeholder|change[-_]?me|dummy|redacted|omitted|todo|fixme|insert|replace|enter"
        r"|fake|sample)"
        r"|(?i:none|null|nil|undefined|true|false|yes|no|on|off|n/a|empty|unset|default|optional|required|hidden"
        r"|disabled|enabled|unknown|missing|invalid|valid)$"
    )


@cache
def _reference() -> re.Pattern[str]:
    """Return the beginnings of an expression that fetches the secret from elsewhere."""
    return re.compile(
        r"(?:os\.environ|process\.env|import\.meta|env[.\[(:]|ENV\[|getenv|secrets?[.\[]|vault:|vars\.|self\."
        r"|this\.|args\.|config\.|cfg\.|settings\.|options\.|data\.|request\.|req\.|ctx\.|keyring|op://|arn:|ssm:|file:"
        r"|https?://|!)"
    )


_TYPES = words("""
    str string int integer bool boolean bytes byte char float double number object any text void
    type var let const optional secretstr bytea uuid varchar array list dict map tuple set none null
    self cls value values password passwd pwd pass passphrase secret token apikey auth authorization
    credential credentials cookie dsn otp key keys name names user username login basic bearer
    digest oauth oauth2 public private admin test tests testing field input output data true false
    error message return print async await function lambda def class import from export static final
    new this that these those with without header headers body query url uri path file hash sha256
    hmac rsa aes ed25519 env environ
""")
"""Words that a declaration, a form or a sentence puts where a value could stand."""

_WORDS = words("""
    the a an is are was were be been to of in on at by for from with and or not no if when then than
    as it its your you we our their his her this that these those must should may can will would
    could has have had do does did use used using see only which who what where how please enter
    type choose new old confirm forgot
""")
"""Words of a sentence: a passphrase has none of them, a label nearly always one."""

_PASSWORDS = frozenset({"password", "secret", "secret-key"})
"""Kinds whose values people make up: words without a digit count too."""


def is_word(value: str) -> bool:
    """Say whether a value is a word that a program or a sentence puts in a secret's place."""
    return value.lower() in _TYPES or value.lower() in _WORDS


def stands_for(value: str) -> bool:
    """Say whether a value is a placeholder: `<token>`, `${TOKEN}`, `your-api-key`, `xxxx`, `****`."""
    return not value or _placeholder().match(value) is not None or repeated(value)


def repeated(value: str) -> bool:
    """Say whether a value is made of at most two different characters, or has `xxxx` or `****` in it."""
    low = value.lower()
    kinds = len(set(low))
    return kinds == 1 or (kinds == 2 and len(low) > 7) or any(m in low for m in ("xxxx", "****", "...", "…"))


def token_like(token: str, *, digits: bool) -> bool:
    """Say whether what has a vendor's shape can be a real one: neither a placeholder nor all words."""
    tail = token[-24:]
    if len(set(tail)) < 5 or "xxxxx" in tail.lower() or "your" in token.lower()[:24]:
        return False
    if not digits or any(c.isdigit() for c in token[3:]):
        return True
    body = token[max(token.rfind("_"), token.rfind("-")) + 1 :]
    return len(body) >= 16 and not (body[1:].islower() or body[1:].isupper())


def secret_like(value: str, kind: str, *, quoted: bool, shouted: bool = False, alone: bool = False) -> bool:
    """Say whether the value of a secret's name is one.

    `quoted`: it stood in quotes. `shouted`: its name is that of an environment variable. `alone`: nothing
    else follows on its line.
    """
    if (
        len(value) < (3 if shouted and kind == "password" else 4)
        or stands_for(value)
        or _reference().match(value)
    ):
        return False
    if " " in value or "\t" in value:
        return quoted and _phrase(value, kind)
    bare = value.rstrip(",;/")
    if bare.lower().strip("\"'`.:!?*_") in _TYPES or (not quoted and _expression(bare)) or _public(bare):
        return False
    if value.isdigit():
        return len(value) >= 6 or kind in ("otp", "password")
    letters = bare.replace("_", "").replace("-", "").replace(".", "")
    if letters.isalpha():
        return _word(bare, letters, kind, quoted=quoted, shouted=shouted, alone=alone)
    return len(value) >= 6 or kind == "password"


@cache
def _colour_number_path() -> re.Pattern[str]:
    return re.compile(
        r"#[0-9A-Fa-f]{3,8}|[~^]?[0-9]+(?:\.[0-9]+)+|(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\]{1,2}[A-Za-z_.-][\w.+@-]{0,18})+[/\\]?"
    )


def _public(value: str) -> bool:
    """Say whether a value is a colour, a version or object identifier, or the path of a file."""
    return _colour_number_path().fullmatch(value) is not None


def _word(value: str, letters: str, kind: str, *, quoted: bool, shouted: bool, alone: bool) -> bool:
    """Judge a value of letters only: a made-up password, a random token, or just a word of the program."""
    if not letters.isascii():
        return kind in _PASSWORDS and quoted
    capitals = sum(map(str.isupper, letters))
    mixed = 0.3 <= capitals / len(letters) <= 0.7  # of names in camelCase far fewer
    if value != letters:  # names joined by signs
        return kind == "password" and (quoted or shouted) and "." not in value
    if mixed and len(letters) >= 16:
        return True
    if kind in _PASSWORDS and kind != "secret-key":
        return (quoted or shouted) or (alone and letters.islower() and len(letters) >= 8)
    return (quoted or shouted) and len(letters) >= (12 if quoted else 8) and not is_word(value)


def _phrase(value: str, kind: str) -> bool:
    words = value.split()
    return (
        kind in _PASSWORDS
        and 3 <= len(words) <= 12
        and value[0].islower()
        and all(word.isalnum() and word.isascii() for word in words)
        and not _WORDS.intersection(words)
    )


@cache
def _identifier() -> re.Pattern[str]:
    return re.compile(
        r"[A-Za-z_$][A-Za-z0-9_$]*+(?:(?:\??\.|->|::)[A-Za-z_$][A-Za-z0-9_$]*+)+|[A-Za-z_]\w*_\w*"
    )


def _expression(value: str) -> bool:
    """Say whether an unquoted value is code: a call, an index, a dotted or underscored name."""
    if any(mark in value for mark in "(){}[]<>"):
        return True
    return _identifier().fullmatch(value) is not None
