"""What a source is, and where it belongs."""

import pytest

from llm_wiki.core.errors import BadUsage
from llm_wiki.ingest.charset import CODECS, decode_text, header_charset
from llm_wiki.ingest.detect import Kind, detect, detect_type, readable

FORMATS = [
    (b"# Title\n\ntext", "a.md", "", "markdown"),
    (b"# Title\n\ntext", "a.MARKDOWN", "", "markdown"),
    (b"# Title\n\ntext", "a.txt", "", "text"),
    (b"# Title\n\ntext", "", "", "markdown"),
    (b"a [link](x) here", "", "", "markdown"),
    (b"plain words only", "", "", "text"),
    (b"2 * 3 = 6 and #5", "", "", "text"),
    (b"<!DOCTYPE html><p>x", "", "", "html"),
    (b"\xef\xbb\xbf <!-- c --> <HTML lang=en>", "", "", "html"),
    (b"<div class=x>y</div>", "page", "", "html"),
    (b"<p>x</p>", "a.html", "", "html"),
    (b"a < b and b <c> d", "", "", "text"),
    (b"x", "a.html", "text/plain", "html"),
    (b"x", "README.md", "text/plain", "markdown"),
    (b"x", "a.html", "text/markdown", "markdown"),
    (b"<p>x", "x", "application/xhtml+xml", "html"),
    (b"a,b\n1,2", "a.csv", "", "csv"),
    (b"a\tb", "a.tsv", "application/octet-stream", "tsv"),
    (b"{}", "a", "application/json", "json"),
    (b"{}", "a", "application/vnd.api+json", "json"),
    (b'{"a": 1}', "", "", "json"),
    (b"{a: 1", "", "", "text"),
    (b"[1] note", "", "", "text"),
    (b"{}\n{}", "a.jsonl", "", "jsonl"),
    (b"import os", "a.py", "", "code"),
    (b"<rss/>", "feed", "application/rss+xml", "code"),
    (b"all:", "Makefile", "", "code"),
    ("ä".encode("utf-16"), "a.txt", "", "text"),
    (b"", "", "", "text"),
]


@pytest.mark.parametrize(("data", "name", "media_type", "expected"), FORMATS)
def test_the_format_of_a_source(data: bytes, name: str, media_type: str, expected: str) -> None:
    assert detect(data, name=name, media_type=media_type).format == expected


@pytest.mark.parametrize("data", [b"<!--a-->" * 8000, b"[" * 65_000, b"[a](" * 16_000, b"|" * 65_000])
def test_a_source_made_to_confuse_is_told_apart_at_once(data: bytes) -> None:
    assert detect(data).format in ("text", "markdown")


def test_code_keeps_its_language() -> None:
    assert detect(b"fn main() {}", name="src/main.rs") == Kind("code", "rust")


BINARY = [
    (b"%PDF-1.7 x", "a.pdf", "pdftotext"),
    (b"%PDF-1.7 x", "a.txt", "pdftotext"),
    (b"PK\x03\x04 x", "a.docx", "pandoc"),
    (b"PK\x03\x04 x", "a.zip", "dataset"),
    (b"PK\x03\x04 x", "book.epub", "pandoc"),
    (b"\x89PNG\r\n", "a.md", "describe"),
    (b"\xff\xd8\xff\xe0", "", "describe"),
    (b"RIFF....WAVE", "a.wav", "transcript"),
    (b"SQLite format 3\x00", "a.db", "dataset"),
    (b"PAR1", "a.parquet", "dataset"),
    (b"a\x00b", "", "Markdown"),
    (bytes(range(1, 32)) * 9, "a.bin", "Markdown"),
]


@pytest.mark.parametrize(("data", "name", "remedy"), BINARY)
def test_what_is_no_text_is_refused_with_a_way_out(data: bytes, name: str, remedy: str) -> None:
    with pytest.raises(BadUsage) as caught:
        detect(data, name=name, path=name or "-")
    assert remedy in str(caught.value.remedy)
    assert caught.value.path == (name or "-")


TYPES = [
    ("https://arxiv.org/abs/2511.01234", "papers"),
    ("https://export.arxiv.org/abs/1", "papers"),
    ("https://doi.org/10.1000/x", "papers"),
    ("https://scholar.google.de/scholar?q=x", "papers"),
    ("https://www.biorxiv.org/content/1", "papers"),
    ("https://pubmed.ncbi.nlm.nih.gov/1/", "papers"),
    ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC1/", "papers"),
    ("https://www.ncbi.nlm.nih.gov/books/", "articles"),
    ("https://uni.example/paper.pdf", "papers"),
    ("https://github.com/acme/widget", "repos"),
    ("https://GitHub.com/acme/widget/blob/main/README.md", "repos"),
    ("https://gitlab.com/a/b", "repos"),
    ("https://gitlab.gnome.org/a/b", "repos"),
    ("https://codeberg.org/a/b", "repos"),
    ("https://git.sr.ht/~a/b", "repos"),
    ("https://acme.github.io/post", "articles"),
    ("https://gist.github.com/a/1", "notes"),
    ("https://x.com/a/status/1", "notes"),
    ("https://twitter.com/a/status/1", "notes"),
    ("https://bsky.app/profile/a/post/1", "notes"),
    ("https://mastodon.social/@a/1", "notes"),
    ("https://data.example/prices.csv", "data"),
    ("https://blog.example/post", "articles"),
    ("https://notx.com/a", "articles"),
    ("https://example.org/x.com/", "articles"),
]


@pytest.mark.parametrize(("url", "expected"), TYPES)
def test_an_address_belongs_to_a_folder(url: str, expected: str) -> None:
    assert detect_type(url, Kind("html"), web=True) == expected


@pytest.mark.parametrize(
    ("kind", "web", "expected"),
    [
        (Kind("html"), False, "articles"),
        (Kind("markdown"), False, "notes"),
        (Kind("text"), False, "notes"),
        (Kind("code", "python"), False, "notes"),
        (Kind("csv"), False, "data"),
        (Kind("json"), False, "data"),
        (Kind("json"), True, "data"),
        (Kind("markdown"), True, "articles"),
    ],
)
def test_without_a_known_host_the_format_decides(kind: Kind, web: bool, expected: str) -> None:
    assert detect_type("https://e.example/x" if web else "x", kind, web=web) == expected


@pytest.mark.parametrize(
    ("media_type", "expected"),
    [
        ("text/html", True),
        ("text/anything", True),
        ("application/octet-stream", True),
        ("application/feed+json", True),
        ("image/svg+xml", False),
        ("application/pdf", False),
    ],
)
def test_what_may_be_read_from_the_network(media_type: str, expected: bool) -> None:
    assert readable(media_type) is expected


# --- encodings -------------------------------------------------------------------------------


def test_every_label_leads_to_a_codec_for_text() -> None:
    for codec in set(CODECS.values()):
        assert "a".encode(codec).decode(codec) == "a"


@pytest.mark.parametrize("label", ["utf-7", "rot13", "base64", "idna", "unicode_escape", "punycode"])
def test_codecs_that_are_no_encoding_of_pages_have_no_label(label: str) -> None:
    assert label not in CODECS


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbfa\r\nb\rc\n", "a\nb\nc\n"),
        ("a\r\nä".encode("utf-16"), "a\nä"),
        ("ä".encode("utf-16-be").join((b"\xfe\xff", b"")), "ä"),
    ],
)
def test_marks_and_line_ends_go_and_nothing_else(data: bytes, text: str) -> None:
    assert decode_text(data).text == text


def test_text_in_another_encoding_is_refused_with_its_line() -> None:
    with pytest.raises(BadUsage) as caught:
        decode_text("eins\nzwei\nfünf\n".encode("latin-1"), path="a.txt")
    assert (caught.value.path, caught.value.line) == ("a.txt", 3)
    assert "0xFC" in caught.value.message
    assert "iconv" in str(caught.value.remedy)


def test_text_in_a_named_encoding_is_read() -> None:
    assert decode_text("fünf".encode("latin-1"), "latin1").text == "fünf"


def test_an_unknown_encoding_is_a_usage_error() -> None:
    with pytest.raises(BadUsage, match="unknown encoding"):
        decode_text(b"x", "klingon")


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("text/html; charset=UTF-8", "utf-8"),
        ("text/html;charset='x'", "x"),
        ('text/html; charset = "a b"', "a"),
        ("text/html", ""),
        ("", ""),
    ],
)
def test_the_charset_of_a_header(header: str, expected: str) -> None:
    assert header_charset(header) == expected
