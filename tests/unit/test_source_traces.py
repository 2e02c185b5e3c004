"""What names a source, in which spellings, and what only looks like it."""

import base64
import json
from urllib.parse import quote

import pytest

from llm_wiki.withdraw.source_traces import Identity, Traces

PATH = "raw/articles/2026-01-02-big-report.md"
TITLE = "The Big Report on Wine"
URL = "https://www.Example.com/a/report?x=1&utm_source=q"
WHO = Identity(PATH, TITLE, (URL,), "Q42-wine-report")


def found(text: str | bytes, who: Identity = WHO, **given) -> list[tuple[str, str]]:
    data = text.encode() if isinstance(text, str) else text
    spans = Traces(who, **given).spans(data)
    return [(span.encoding, data[span.start : span.end].decode("utf-8", "replace")) for span in spans]


NAMED = {
    "its path": (f"see {PATH} there", "path", PATH),
    "seen from an article": (f"(../../{PATH})", "path", f"../../{PATH}"),
    "below another folder": (f"/home/u/wiki/{PATH}", "path", PATH),
    "escaped in JSON": (json.dumps(PATH).replace("/", "\\/"), "path", PATH.replace("/", "\\/")),
    "behind an escaped line end": (r'"x\nraw/articles/2026-01-02-big-report.md"', "path", PATH),
    "percent-encoded": (quote(PATH, safe=""), "path", quote(PATH, safe="")),
    "its file name": ("open 2026-01-02-big-report.md.", "name", "2026-01-02-big-report.md"),
    "as a wikilink": ("[[2026-01-02-big-report|x]]", "name", "2026-01-02-big-report"),
    "its title": (f"“{TITLE}”, p. 3", "title", TITLE),
    "its title in base64": (base64.b64encode(TITLE.encode()).decode(), "title", None),
    "its address as written": ("<https://www.example.com/a/report?x=1>", "url", None),
    "without www, other scheme": (
        "http://example.com/a/report?x=1.",
        "url",
        "http://example.com/a/report?x=1",
    ),
    "in capitals, with port": ("HTTPS://EXAMPLE.COM:443/a/report?x=1", "url", None),
    "with tracking first": ("https://example.com/a/report?utm_x=1&x=1", "url", None),
    "with a fragment": ("https://example.com/a/report?x=1#part", "url", None),
    "in Markdown": ("[a](https://example.com/a/report?x=1)", "url", "https://example.com/a/report?x=1"),
    "without a scheme": ("see example.com/a/report?x=1, p. 2", "url", "example.com/a/report?x=1"),
    "in a query": ("?u=https%3A%2F%2Fexample.com%2Fa%2Freport%3Fx%3D1", "url", None),
    "in escaped JSON": (r'"https:\/\/example.com\/a\/report?x=1"', "url", None),
    "its upstream id": ("item Q42-wine-report.", "upstream", "Q42-wine-report"),
}

NOT_NAMED = [
    "raw/articles/2026-01-02-big-report-2.md",
    "raw/articles/2026-01-02-big-report-of-all.md",
    "x2026-01-02-big-report",
    "The Big Report on Wine-making",
    "AThe Big Report on Wine",
    "https://example.com/a/report?x=12",
    "https://example.com/a/report",
    "https://example.com/a/report/more?x=1",
    "https://example.com/b?next=/a/report",
    "big report",
    "Q42-wine-reports",
]


@pytest.mark.parametrize("name", NAMED)
def test_the_source_is_found(name):
    text, kind, whole = NAMED[name]
    hits = found(text)
    assert [each for each, _ in hits] == [kind]
    assert whole is None or hits[0][1] == whole


@pytest.mark.parametrize("text", NOT_NAMED)
def test_what_is_longer_or_other_is_no_trace(text):
    assert found(text) == []


def test_a_name_that_another_file_has_too_says_nothing():
    traces = Traces(WHO, {"2026-01-02-big-report.md"})
    assert not traces.spans(b"open 2026-01-02-big-report.md")
    assert traces.spans(PATH.encode())
    assert "another file has its name" in traces.passed_over[0]


@pytest.mark.parametrize(
    ("title", "taken", "why"),
    [("Python", (), "too short"), ("A b", (), "too short"), (TITLE, {TITLE.casefold()}, "another page")],
)
def test_a_title_that_may_mean_something_else_is_not_looked_for(title, taken, why):
    traces = Traces(Identity(PATH, title), (), taken)
    assert not traces.spans(f"so {title} it is".encode())
    assert why in " ".join(traces.passed_over)


def test_an_undated_name_of_one_word_is_no_trace_but_its_path_is():
    traces = Traces(Identity("raw/notes/wine.md"))
    assert not traces.spans(b"wine is red")
    assert traces.spans(b"[x](../../raw/notes/wine.md)")


def test_the_front_page_of_a_site_is_found_as_an_address_only():
    who = Identity(PATH, "", ("https://example.com/",))
    assert found("mail to a@example.com or see https://example.com", who) == [("url", "https://example.com")]


def test_a_source_taken_from_a_file_is_found_by_that_path():
    who = Identity(PATH, "", ("/home/ann/papers/big-report.pdf",))
    assert found("from /home/ann/papers/big-report.pdf.", who)[0][0] == "address"


def test_text_in_two_byte_characters_and_latin_1_is_looked_at():
    from llm_wiki.withdraw.match_text import look

    who = Identity("raw/articles/2026-01-02-grüße.md", "Über den großen Bericht")
    assert look(Traces(who), "x raw/articles/2026-01-02-grüße.md".encode("utf-16")) is not None
    assert look(Traces(who), "x Über den großen Bericht y".encode("latin-1")) is not None
    assert look(Traces(WHO), b"\0\1\2" + PATH.encode() + b"\0") is not None
