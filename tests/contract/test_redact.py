"""The verb `redact`: the text without its secrets, or where they stand."""

import pytest
from redactkit import build

from llm_wiki.core.redact.vendors import FAMILIES

TOKEN = build(next(f.example for f in FAMILIES if f.kind == "gitlab-token"), "verb")[0]


def test_it_prints_the_text_without_secrets_and_changes_no_file(wiki):
    path = wiki.here / "a.txt"
    path.write_bytes(f"one\r\nuse {TOKEN}\r\nin /home/bob/x\r\n".encode())
    before = path.read_bytes()
    done = wiki.ok("redact", "a.txt")
    assert done.out == "one\r\nuse [REDACTED:gitlab-token]\r\nin /home/[REDACTED:user]/x\r\n"
    assert path.read_bytes() == before


def test_it_reads_standard_input_and_prints_one_object(wiki):
    done = wiki.ok("redact", "--stdin", "--json", stdin=f"a {TOKEN}\n".encode())
    assert done.json["files"] == [
        {
            "path": "-",
            "text": "a [REDACTED:gitlab-token]\n",
            "findings": [{"line": 1, "column": 3, "kind": "gitlab-token"}],
        }
    ]


def test_check_names_places_and_kinds_but_no_value(wiki):
    (wiki.here / "a.md").write_text(f"é {TOKEN}\n\n  é {TOKEN}\n")
    (wiki.here / "b.md").write_text("nothing here\n")
    done = wiki("redact", "--check", "a.md", "b.md")
    assert (done.exit, done.out) == (1, "a.md:1:3 gitlab-token\na.md:3:5 gitlab-token\n")
    assert wiki("redact", "--check", "b.md").exit == 0
    shown = wiki("redact", "--check", "a.md", "--json")
    assert shown.json["found"] == 2
    assert TOKEN not in shown.out


def test_what_it_printed_has_nothing_left_to_find(wiki):
    first = wiki.ok("redact", "--stdin", "--strict", stdin=f"password={TOKEN} bo@example.org\n".encode())
    assert wiki("redact", "--stdin", "--check", "--strict", stdin=first.out.encode()).exit == 0


def test_strict_takes_out_persons_too(wiki):
    text = b"mail bo@example.org from 10.1.2.3\n"
    assert wiki.ok("redact", "-", stdin=text).out == text.decode()
    assert wiki.ok("redact", "-", "--strict", stdin=text).out == "mail [REDACTED:email] from [REDACTED:ip]\n"


def test_another_encoding_is_named_or_refused_with_its_line(wiki):
    (wiki.here / "l.txt").write_bytes(b"one\ncaf\xe9 password: hU727c7kp9\n")
    refused = wiki("redact", "l.txt", "--json")
    assert (refused.exit, refused.json["error"]["line"]) == (2, 2)
    assert (
        wiki.ok("redact", "l.txt", "--charset", "latin1").out == "one\ncafé password: [REDACTED:password]\n"
    )


@pytest.mark.parametrize("arguments", [[], ["missing.txt"], ["."], ["b.bin"], ["-", "--stdin", "-"]])
def test_what_is_no_text_or_not_named_ends_with_2_and_no_trace(wiki, arguments):
    (wiki.here / "b.bin").write_bytes(b"\0\1\2\3" * 100)
    done = wiki("redact", *arguments)
    assert done.exit == 2
    assert "Traceback" not in done.err


def test_a_file_over_64_mb_is_refused(wiki):
    with (wiki.here / "big.txt").open("wb") as file:
        file.truncate(64 * 1024 * 1024 + 1)
    done = wiki("redact", "big.txt")
    assert done.exit == 2
    assert "64 MB" in done.err
