"""The redactor: every shape in every place, nothing else, the same twice, in time that grows with the text."""

import random
import re
import string
import sysconfig
import time
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redactkit import CONTEXTS, build, leaks, places, wraps

from llm_wiki.core.redact import LIMIT, find, is_secret_name, redact, strip_remote
from llm_wiki.core.redact.vendors import FAMILIES

CHECKOUT = Path(__file__).parents[2]
BY_KIND = {family.kind: family for family in FAMILIES}
PLACEHOLDER = re.compile(r"\[REDACTED:[a-z0-9-]+\]")


def _made_up(seed):
    rng = random.Random(seed)
    letters = string.ascii_letters + string.digits
    return {
        "{p}": "hU7" + "".join(rng.choice(string.ascii_lowercase + string.digits) for _ in range(7)),
        "{t}": "q4Z" + "".join(rng.choice(letters) for _ in range(29)),
        "{s}": "Ym9i" + "".join(rng.choice(letters) for _ in range(19)) + "0=",
    }


def _cases():
    text = (Path(__file__).parent / "data/redact_assignments.md").read_text(encoding="utf-8")
    for block in text.split("\n## ")[1:]:
        title, _, rest = block.partition("\n")
        lines = rest.strip("\n").split("\n")
        if title.startswith("YAML block"):
            yield title, "\n".join(lines[:4]), "\n".join(lines[4:])
        elif title == "continuation":
            yield title, "\n".join(lines[:2]), lines[2]
        else:
            yield title, "\n".join(lines[: len(lines) // 2]), "\n".join(lines[len(lines) // 2 :])


def test_there_are_at_least_eighty_families_each_with_a_source():
    assert len(BY_KIND) >= 80
    assert all(family.source and family.needles and family.example for family in FAMILIES)
    assert all(
        any(needle.lower() in family.example.lower() for needle in family.needles) or family.back
        for family in FAMILIES
    )


@pytest.mark.parametrize("kind", sorted(BY_KIND))
def test_a_family_is_found_in_every_place(kind):
    family, missed = BY_KIND[kind], []
    for name, place in CONTEXTS.items():
        for seed in range(2):
            secret, parts = build(family.example, seed)
            if places(name, secret) and leaks(parts, unquote(redact(place(secret)))):
                missed.append((name, seed))
    assert missed == []


@pytest.mark.parametrize("kind", sorted(BY_KIND))
def test_what_only_resembles_a_family_stays(kind):
    for seed in range(3):
        near, _ = build(BY_KIND[kind].near, seed)
        text = f"see {near} there"
        assert redact(text) == text


def test_recall_over_all_families_and_places_is_at_least_98_percent():
    hits = total = 0
    for family in FAMILIES:
        for name, place in CONTEXTS.items():
            secret, parts = build(family.example, "recall")
            if places(name, secret):
                total += 1
                hits += not leaks(parts, unquote(redact(place(secret))))
    assert hits >= 0.98 * total


def test_a_token_that_is_broken_over_lines_is_found_as_a_whole():
    hits = total = 0
    for family in FAMILIES:
        secret, parts = build(family.example, "wrapped")
        for _, text in wraps(secret):
            total += 1
            hits += not leaks(parts, redact(text))
    assert hits >= 0.98 * total


@pytest.mark.parametrize(
    ("title", "text", "expected"), [pytest.param(*case, id=case[0]) for case in _cases()]
)
def test_the_value_of_a_secret_name_goes_and_the_rest_stays(title, text, expected):
    for mark, value in _made_up(title).items():
        text = text.replace(mark, value)
    assert PLACEHOLDER.sub("[x]", redact(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "<task-notification>looks good</task-notification>",
        "max_tokens: 4096, token_count=5, password_policy: strong",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "com.example.secret.token.Thing and org.apache.auth.Login",
        "token: <token>",
        "API_KEY=${TOKEN}",
        "API_KEY=$TOKEN",
        'curl -H "Authorization: Bearer $TOKEN"',
        "api_key: your-api-key",
        "secret=xxxxxxxx",
        "pass=********",
        'password = os.environ["TOKEN"]',
        "const token = process.env.API_TOKEN;",
        "password = getpass()",
        "password: str",
        "def login(user: str, password: str, token: str | None = None) -> Token:",
        "self.token = token",
        "token = self.next_token()",
        "if token == None: return",
        "the token is checked, the password is required, the secret is out",
        "Pass: the test passes. Key: a column of the table.",
        '{"token": "string", "auth": "basic", "password": "Enter your password"}',
        "--token TOKEN     the token to use",
        "usage: tool [--password PASSWORD]",
        "secrets: inherit",
        "author: bob, authority: alice, passage: 12, compass: north",
        "https://user@example.com/ and git@github.com:a/b.git",
        "http://localhost:8080/@scope/name",
        "| Token | Description |",
        "private_key_path: /etc/ssl/private.pem",
        "the line -----BEGIN PRIVATE KEY----- begins a key and -----END PRIVATE KEY----- ends it",
        "docker run -u 1000:1000 image",
        "sk-learn-compatible-estimators and risk-adjusted-returns-of-portfolios",
        "[REDACTED] token=[REDACTED] [OMITTED len=5 sha256=0123456789ab] password: [REDACTED:password]",
    ],
)
def test_what_is_no_secret_stays(text):
    assert redact(text) == text


NAMES = {
    True: "password DB_PASSWORD PGPASSWORD db-passwd pwd pass userPass passphrase client_secret authToken "
    "X-Auth-Token apikey api_key X-Api-Key API_KEY_PROD privateKey aws_secret_access_key authorization "
    "basic_auth credentials cookie SENTRY_DSN otp connectionString password2 npm_config__authToken",
    False: "task-notification max_tokens token_count password_policy key name author compass bypass keyboard "
    "tokenizer secretary private_key_path api_key_name monkey tokens",
}


@pytest.mark.parametrize(
    ("name", "is_one"), [(name, flag) for flag, names in NAMES.items() for name in names.split()]
)
def test_the_last_segment_or_a_pair_of_a_name_decides(name, is_one):
    assert is_secret_name(name) is is_one


def _rows(width=64, rows=12):
    rng = random.Random(7)
    letters = string.ascii_letters + string.digits + "+/"
    return ["".join(rng.choice(letters) for _ in range(width)) for _ in range(rows)]


DASHES = "-" * 5


@pytest.mark.parametrize(
    "label", ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
)
@pytest.mark.parametrize("join", ["\n", "\r\n", "\\n", "\\\\n", " ", "\n    ", "\n> ", "\n+"])
@pytest.mark.parametrize("ended", [True, False])
def test_a_private_key_goes_whole_or_cut_on_lines_or_on_one(label, join, ended):
    rows = _rows()
    key = join.join(
        [f"{DASHES}BEGIN {label}{DASHES}", *rows, *([f"{DASHES}END {label}{DASHES}"] if ended else [])]
    )
    for text in (f"key: {key}\n\nand so on", f'{{"key": "{key}"}}'):
        done = redact(text)
        assert not leaks(rows, done)
        assert "[REDACTED:private-key]" in done
    assert redact(f"a\n{key}\n\nand so on").endswith("and so on")


def test_a_putty_key_keeps_its_public_part_only():
    rows, mac = _rows(), "".join(f"{n:02x}" for n in range(32))
    text = (
        f"PuTTY-User-Key-File-3: ssh-ed25519\nPublic-Lines: 1\nAAAAC3\nPrivate-Lines: {len(rows)}\n"
        + "\n".join(rows)
    )
    done = redact(f"{text}\nPrivate-MAC: {mac}\n")
    assert not leaks([*rows, mac], done)
    assert "Public-Lines: 1\nAAAAC3" in done


STRICT = {
    "write to bob.b+x@mail.example.org.": "write to [REDACTED:email].",
    "from 10.1.2.3 and 203.0.113.9:80": "from [REDACTED:ip] and [REDACTED:ip]:80",
    "at 2001:db8::8a2e:370:7334 or fe80::1": "at [REDACTED:ip] or [REDACTED:ip]",
    "in /home/bob/x and /Users/bob.b/y": "in /home/[REDACTED:user]/x and /Users/[REDACTED:user]/y",
    r"in C:\Users\bob\x and C:\\Users\\bob\\y": r"in C:\Users\[REDACTED:user]\x and C:\\Users\\[REDACTED:user]\\y",
    "call +49 170 1234567 or (555) 234-5678 or 555-234-5678": "call [REDACTED:phone] or [REDACTED:phone] or [REDACTED:phone]",
}


@pytest.mark.parametrize("text", STRICT)
def test_persons_and_machines_go_in_the_strict_form_only(text):
    assert redact(text) == text
    assert redact(text, strict=True) == STRICT[text]


@pytest.mark.parametrize(
    "text",
    [
        "at 12:34:56 on 2026-01-10",
        "version 1.2.3",
        "127.0.0.1 and ::1",
        "std::vector<int>",
        "a @ b",
        "10 000 000",
        "3.14159265358979",
    ],
)
def test_times_versions_and_the_machine_itself_stay_in_the_strict_form(text):
    assert redact(text, strict=True) == text


def test_a_remote_loses_user_password_and_secret_parameters():
    token = build(BY_KIND["github-token"].example, 1)[0]
    assert strip_remote(f"https://bob:{token}@github.com/a/b") == "https://github.com/a/b"
    assert strip_remote(f"https://{token}@github.com/a/b.git") == "https://github.com/a/b.git"
    assert (
        strip_remote(f"https://git.example.com/a?private_token={token}&x=1")
        == "https://git.example.com/a?x=1"
    )
    assert strip_remote("git@github.com:a/b.git") == "git@github.com:a/b.git"
    assert strip_remote("/srv/git/a.git") == "/srv/git/a.git"


@pytest.mark.parametrize("kind", sorted(BY_KIND))
def test_redacting_again_changes_nothing(kind):
    secret, _ = build(BY_KIND[kind].example, 3)
    for place in CONTEXTS.values():
        once = redact(place(secret), strict=True)
        assert redact(once, strict=True) == once


PIECES = ["password", "token", "api_key", "=", ": ", '"', "\\", "\n", "://", "@", "bob", "x1y2z3w4", "?key=", "eyJ", ".", "{", "}",
          "[REDACTED:token]", "[REDACTED", "]", "-----BEGIN ", "PRIVATE KEY-----", " ", "%3D", "Bearer ", "-u ", "|", "é", "\ud800", "\0"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=40), st.booleans())
def test_any_text_is_redacted_once_and_for_all(pieces, strict):
    once = redact("".join(pieces), strict=strict)
    assert redact(once, strict=strict) == once
    places = find("".join(pieces), strict=strict)
    assert all(a.end <= b.start for a, b in pairwise(places))
    assert all(found.start < found.end for found in places)


def test_a_long_string_is_cut_with_a_mark_and_no_secret_shows_its_first_half():
    token, parts = build(BY_KIND["github-token"].example, 1)
    for before in range(LIMIT - 60, LIMIT + 10, 7):
        done = redact("x " * (before // 2) + token + " y" * 5000)
        assert len(done) <= LIMIT
        assert re.search(r"… \[OMITTED len=[0-9]+\]$", done)
        assert parts[0][:12] not in done
        assert redact(done) == done
    assert redact("a b " * LIMIT, limit=0) == "a b " * LIMIT


def test_a_text_that_grows_beyond_the_limit_is_cut_between_placeholders():
    text = "password=hU7aa1\n" * (LIMIT // 16)
    done = redact(text)
    assert len(done) <= LIMIT
    assert redact(done) == done
    assert done.count("[REDACTED:") == len(PLACEHOLDER.findall(done))


HARD = {
    "letters": "A", "base64": "Ab3/", "begin": "-----BEGIN", "keys": "-----BEGIN PRIVATE KEY-----", "assignments": "a=",
    "addresses": "://", "userinfo": "://a:b", "jwt": "eyJ", "jwt parts": "eyJaaaaaaaaa.", "blanks": " ", "quotes": '"', "names": "token=",
    "open quotes": 'password="', "queries": "?key=", "backslashes": "\\", "escapes": "%3D", "escaped breaks": "aB1\\n", "rows": "aB1\n",
    "cookies": "cookie: a=", "cells": "token |", "flags": "mysql -u ", "prefixes": "ghp_", "blocks": "token: |\n ", "mails": "a@",
    "groups": "1:", "homes": "/home/", "phones": "+1 2 ",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(HARD))
def test_time_grows_with_the_text_only(name):
    def cost(size):
        text = (HARD[name] * (size // len(HARD[name]) + 1))[:size]
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            find(text, strict=True)
            best = min(best, time.process_time() - start)
        return best

    small, large = cost(100_000), cost(400_000)
    # four times the text; quadratic work would be sixteen times
    assert large <= 8 * small + 0.02


def _corpus():
    yield from sorted(CHECKOUT.glob("wikis/**/*.md"))
    yield from sorted(CHECKOUT.glob("references/**/*.md"))
    yield from sorted((CHECKOUT / "docs").glob("*.md"))
    yield from sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    for room in ("asyncio", "http", "email", "json", "logging", "urllib", "xml", "importlib", "unittest"):
        yield from sorted((Path(sysconfig.get_paths()["stdlib"]) / room).glob("*.py"))


def test_prose_and_programs_have_at_most_one_finding_in_ten_thousand_words():
    words = found = 0
    for path in _corpus():
        text = path.read_text(encoding="utf-8", errors="replace")
        words += len(text.split())
        found += len(find(text))
    assert words > 300_000
    assert found * 10_000 <= words


@pytest.mark.parametrize("before", ["s-", "fix_", "my-branch-", "a__", "x.", "/", ":"])
def test_a_token_joined_to_a_name_is_found(before):
    token = "AK" + "IA" + "".join(random.Random(1).choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", k=16))
    assert redact(before + token) == f"{before}[REDACTED:aws-access-key]"
