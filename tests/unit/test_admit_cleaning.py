"""No evidence is written with a secret in it, whichever way it comes; what went is told."""

import pytest
from program import Program
from redactkit import build

from llm_wiki.admit.candidate import Candidate
from llm_wiki.admit.cleaning import Removed, cleaned, counted, told
from llm_wiki.core.redact.vendors import FAMILIES

RECIPES = {family.kind: family.example for family in FAMILIES}
TOKEN = build(RECIPES["github-token"], "cleaning")[0]
PASSWORD = "hU7" + "27c7kp9"


def _candidate(**more):
    return Candidate(title="Tea", source="MANUAL", type="notes", body="Tea is hot.\n", **more)


@pytest.fixture
def wiki(tmp_path):
    program = Program(tmp_path)
    program.ok("init", "tea", "--title", "Tea")
    return program


def _everything(folder):
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_a_candidate_without_secrets_is_itself():
    candidate = _candidate(tags=("a",), fields={"authors": ["Bo", "Li"], "published": "2026-01-02"})
    assert cleaned(candidate) == (candidate, ())


def test_what_is_taken_out_is_told_by_kind_and_line_never_by_value():
    body = f"one\nuse {TOKEN}\nthree\npassword: {PASSWORD}\nand {TOKEN}\n"
    done, removed = cleaned(_candidate()._replace(body=body, summary=f"use {TOKEN}"))
    assert removed == (Removed("github-token", 2), Removed("password", 4), Removed("github-token", 5))
    assert counted(removed) == {"github-token": 2, "password": 1}
    assert TOKEN not in repr(done)
    assert PASSWORD not in repr(done)
    assert "lines 2, 5" in told(removed)[0]
    assert TOKEN not in "".join(told(removed))


def test_secrets_of_the_address_and_of_further_fields_go_too():
    candidate = _candidate(
        fields={"authors": ["Bo", TOKEN], "canonical_url": f"https://x.example/?token={TOKEN}"}
    )
    done, removed = cleaned(candidate._replace(source=f"https://bo:{PASSWORD}@x.example/a"))
    assert TOKEN not in repr(done)
    assert PASSWORD not in repr(done)
    assert {each.line for each in removed} == {0}
    assert "fields" in told(removed)[0]


@pytest.mark.parametrize("verb", [["ingest"], ["raw", "add", "--title", "Keys"]])
@pytest.mark.parametrize("form", ["file", "stdin"])
def test_every_way_of_adding_evidence_takes_secrets_out(wiki, verb, form):
    text = f"# Keys\n\nThe token {TOKEN} opens it.\n\npassword: {PASSWORD}\n"
    (wiki.here / "keys.md").write_text(text)
    named = "keys.md" if form == "file" else "-"
    done = wiki.ok(*verb, named, "--wiki", "tea", "--json", stdin=text.encode())
    assert done.json["redacted"] == {"github-token": 1, "password": 1}
    assert "github-token" in done.err
    assert "line" in done.err
    raw = (wiki.hub / "topics/tea" / done.json["path"]).read_text()
    assert "The token [REDACTED:github-token] opens it." in raw
    # neither in the wiki, nor in what is kept for undo, nor in what was said
    stored = _everything(wiki.home).replace((wiki.here / "keys.md").read_bytes(), b"")
    for secret in (TOKEN, PASSWORD):
        assert secret.encode() not in stored
        assert secret not in done.out + done.err


def test_a_secret_in_the_title_reaches_neither_file_name_nor_log(wiki):
    done = wiki.ok(
        "raw", "add", "-", "--title", f"Key {TOKEN}", "--wiki", "tea", "--json", stdin=b"Some text.\n"
    )
    assert TOKEN.lower() not in done.json["path"].lower()
    assert TOKEN.encode() not in _everything(wiki.home)


def test_a_source_whose_secrets_went_is_known_when_it_comes_again(wiki):
    text = f"# Keys\n\nThe token {TOKEN} opens it.\n".encode()
    wiki.ok("ingest", "-", "--wiki", "tea", stdin=text)
    again = wiki.ok("ingest", "-", "--wiki", "tea", "--json", stdin=text)
    assert again.json["duplicate"] is True
    assert wiki("raw", "verify", "--wiki", "tea").exit == 0


def test_a_dry_run_tells_what_would_go(wiki):
    done = wiki.ok(
        "ingest", "-", "--wiki", "tea", "--dry-run", "--json", stdin=f"Use {TOKEN} now.\n".encode()
    )
    assert done.json["redacted"] == {"github-token": 1}


def test_text_in_another_encoding_is_refused_by_raw_add_with_its_line(wiki):
    done = wiki("raw", "add", "-", "--title", "T", "--wiki", "tea", "--json", stdin=b"one\ncaf\xe9\n")
    assert (done.exit, done.json["error"]["line"]) == (2, 2)
