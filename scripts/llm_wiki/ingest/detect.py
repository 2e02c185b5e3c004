"""What a source is: its format by name, media type and first bytes; its `type` by where it comes from.

Both answers are tables; the first line that fits wins.
"""

from __future__ import annotations

import json
import re
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from llm_wiki.core.errors import BadUsage
from llm_wiki.ingest.names import names, pairs

Format = Literal["html", "markdown", "text", "csv", "tsv", "json", "jsonl", "code"]


class Kind(NamedTuple):
    """A format, and for `code` the language of its fence."""

    format: Format
    language: str = ""


_MEDIA_TYPES: dict[str, Kind] = {
    "text/html": Kind("html"),
    "application/xhtml+xml": Kind("html"),
    "text/markdown": Kind("markdown"),
    "text/x-markdown": Kind("markdown"),
    "text/csv": Kind("csv"),
    "text/tab-separated-values": Kind("tsv"),
    "application/json": Kind("json"),
    "text/json": Kind("json"),
    "application/ld+json": Kind("json"),
    "application/x-ndjson": Kind("jsonl"),
    "application/jsonl": Kind("jsonl"),
    "text/xml": Kind("code", "xml"),
    "application/xml": Kind("code", "xml"),
    "application/atom+xml": Kind("code", "xml"),
    "application/rss+xml": Kind("code", "xml"),
    "application/yaml": Kind("code", "yaml"),
    "application/x-yaml": Kind("code", "yaml"),
    "application/toml": Kind("code", "toml"),
    "application/javascript": Kind("code", "javascript"),
    "text/javascript": Kind("code", "javascript"),
    "text/css": Kind("code", "css"),
}
"""Media type → format. Any other `text/…` is plain text; the rest is not read."""

_SNIFFED = frozenset(
    {"application/octet-stream", "binary/octet-stream", "application/x-unknown", "unknown/unknown"}
)
"""Media types by which a server says that it does not know."""

_ENDINGS: dict[str, Kind] = {
    **dict.fromkeys(("html", "htm", "xhtml"), Kind("html")),
    **dict.fromkeys(("md", "markdown", "mdown", "mkd", "mdx"), Kind("markdown")),
    **dict.fromkeys(names("txt text log rst adoc asciidoc org srt vtt tex"), Kind("text")),
    "csv": Kind("csv"),
    "tsv": Kind("tsv"),
    "json": Kind("json"),
    **dict.fromkeys(("jsonl", "ndjson"), Kind("jsonl")),
    **{
        ending: Kind("code", language)
        for ending, language in pairs(
            """
            py=python js=javascript mjs=javascript ts=typescript tsx=tsx jsx=jsx rs=rust go=go
            c=c h=c cc=cpp cpp=cpp hpp=cpp cs=csharp java=java kt=kotlin swift=swift rb=ruby
            php=php pl=perl lua=lua r=r jl=julia hs=haskell ml=ocaml scala=scala clj=clojure
            ex=elixir erl=erlang sh=bash bash=bash zsh=zsh fish=fish ps1=powershell sql=sql
            yaml=yaml yml=yaml toml=toml ini=ini cfg=ini xml=xml css=css scss=scss diff=diff
            patch=diff nix=nix tf=hcl proto=proto dockerfile=dockerfile makefile=makefile
            """
        ).items()
    },
}
"""File name ending → format."""

_REMEDIES: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (
        re.compile(r"pdf"),
        "a PDF",
        "make text of it first (pdftotext -layout FILE.pdf FILE.txt) and ingest that with --type papers",
    ),
    (
        re.compile(r"msword|officedocument|opendocument|rtf|epub|docx?$|xlsx?$|pptx?$|odt$"),
        "an office document",
        "make Markdown of it first (pandoc FILE -t gfm -o FILE.md) and ingest that",
    ),
    (
        re.compile(r"^image/|png$|jpe?g$|gif$|webp$"),
        "a picture",
        "describe it in a Markdown note and ingest that",
    ),
    (re.compile(r"^(?:audio|video)/|mp[34]$|wav$|ogg$"), "a recording", "ingest its transcript as text"),
    (
        re.compile(r"parquet|sqlite|zip|gzip|tar$|x-7z|octet-stream"),
        "an archive or data in a binary form",
        "keep it outside the wiki and describe it as a dataset, or unpack it and ingest its text files",
    ),
)
"""What a media type or file name looks like, what to call it, what to do instead."""

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"RIFF", "audio/riff"),
    (b"ID3", "audio/mpeg"),
    (b"SQLite format 3", "application/sqlite"),
    (b"PAR1", "application/parquet"),
    (b"\xd0\xcf\x11\xe0", "application/msword"),
    (b"{\\rtf", "application/rtf"),
)

_HTML_START = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*+-->\s*+)*+"
    r"<(?:!doctype\s+html|html|head|body|title|meta|article|main|section|div|table|h1|p|ul|ol|pre)\b",
    re.IGNORECASE | re.DOTALL,
)
_MARKDOWN = re.compile(
    r"^(?:#{1,6} \S|---\s*$|[-*] \S|\d+\. \S|> \S|```|\|.*\|\s*$)"
    r"|\[[^\[\]\n]{1,200}\]\([^()\n]{1,500}\)|\[\[[^\[\]\n]{1,200}\]\]|\*\*\S",
    re.MULTILINE,
)
_TEXT_BYTES = bytes({*range(9, 14), 27, *range(32, 127), *range(128, 256)})
"""Bytes that text may hold: printable ones, blanks, escape, and whatever belongs to other encodings."""

_SNIFF_WINDOW = 64 * 1024


def readable(media_type: str) -> bool:
    """Say whether a page of this media type can become a source, or has to be looked into."""
    return (
        media_type in _MEDIA_TYPES
        or media_type in _SNIFFED
        or media_type.startswith("text/")
        or (media_type.endswith(("+json", "+xml")) and not media_type.startswith("image/"))
    )


def unreadable(what: str, path: str) -> BadUsage:
    """Return the error for a source that is no text, with what to do instead."""
    name, remedy = next(
        ((name, remedy) for pattern, name, remedy in _REMEDIES if pattern.search(what.casefold())),
        (f"no text ({what})", "ingest HTML, Markdown, plain text, CSV or JSON"),
    )
    return BadUsage(f"the source is {name}, which cannot be ingested yet", path=path, remedy=remedy)


def detect(data: bytes, *, name: str = "", media_type: str = "", path: str = "") -> Kind:
    """Return the format of a source from its media type, else its name's ending, else its first bytes.

    `name` is a file name or the path of a URL, "" for standard input; `path` what an error names. The
    bytes decide alone when they show a binary file. Raises BadUsage for what is no text.
    """
    head = data[:_SNIFF_WINDOW]
    ending = name.rpartition("/")[2].casefold()
    ending = ending.rpartition(".")[2] if "." in ending[1:] else ending
    for magic, what in _MAGIC:
        if head.startswith(magic):
            raise unreadable(f"{what} {ending if what.endswith('zip') else ''}".strip(), path or name)
    marked = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    if not marked and (b"\0" in head or len(head.translate(None, _TEXT_BYTES)) * 50 > len(head)):
        raise unreadable(f"binary {ending}", path or name)
    by_type = _MEDIA_TYPES.get(media_type)
    if by_type is not None:
        return by_type
    if media_type.endswith("+json"):
        return Kind("json")
    if media_type.endswith("+xml"):
        return Kind("code", "xml")
    by_ending = _ENDINGS.get(ending)
    if by_ending is not None and (not media_type or media_type == "text/plain" or media_type in _SNIFFED):
        return by_ending
    return Kind("text") if media_type == "text/plain" else _sniff(head, data)


def _sniff(head: bytes, data: bytes) -> Kind:
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    if _HTML_START.match(text):
        return Kind("html")
    if text.lstrip()[:1] in ("{", "[") and _is_json(data):
        return Kind("json")
    return Kind("markdown") if _MARKDOWN.search(text) else Kind("text")


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


_TYPES: tuple[tuple[str, str, str], ...] = (
    ("papers", r"(?:[a-z-]+\.)?arxiv\.org|alphaxiv\.org", r""),
    (
        "papers",
        r"(?:dx\.)?doi\.org|scholar\.google\.[a-z.]+|(?:www\.)?semanticscholar\.org|openreview\.net",
        r"",
    ),
    (
        "papers",
        r"(?:www\.)?(?:bio|med|chem)rxiv\.org|(?:www\.)?ssrn\.com|papers\.ssrn\.com|hal\.science",
        r"",
    ),
    ("papers", r"pubmed\.ncbi\.nlm\.nih\.gov|pmc\.ncbi\.nlm\.nih\.gov|europepmc\.org", r""),
    ("papers", r"www\.ncbi\.nlm\.nih\.gov", r"/(?:pmc|pubmed)/"),
    (
        "papers",
        r"aclanthology\.org|proceedings\.mlr\.press|papers\.n(?:eur)?ips\.cc|proceedings\.neurips\.cc",
        r"",
    ),
    (
        "papers",
        r"dl\.acm\.org|ieeexplore\.ieee\.org|link\.springer\.com|www\.jmlr\.org|eprint\.iacr\.org",
        r"",
    ),
    ("papers", r".*", r".*\.pdf"),
    ("notes", r"(?:gist)\.github\.com", r""),
    (
        "repos",
        r"(?:www\.)?github\.com|raw\.githubusercontent\.com|gitlab\.com|bitbucket\.org|codeberg\.org",
        r"",
    ),
    (
        "repos",
        r"git\.sr\.ht|sr\.ht|gitee\.com|(?:git|gitlab|gitea|forgejo)\.[a-z0-9.-]+|huggingface\.co",
        r"",
    ),
    ("notes", r"(?:www\.|mobile\.)?(?:x|twitter)\.com|bsky\.app|(?:www\.)?threads\.(?:net|com)", r""),
    ("notes", r"(?:mastodon|mstdn|fosstodon|hachyderm)\.[a-z]+", r"/@"),
    ("data", r".*", r".*\.(?:csv|tsv|json|jsonl|ndjson|parquet)"),
)
"""Type, whole host (regular expression), path it starts with ("" for any). First fit wins."""

_BY_FORMAT: dict[str, str] = {"csv": "data", "tsv": "data", "json": "data", "jsonl": "data"}


def detect_type(source: str, kind: Kind, *, web: bool) -> str:
    """Return the folder below `raw/` that a source belongs to.

    Addresses go by the table of hosts; data by its format; text that is no page of the web is a note;
    everything else is an article.
    """
    if web:
        try:
            parts = urlsplit(source)
            host = (parts.hostname or "").casefold()
        except ValueError:
            return "articles"
        for name, hosts, paths in _TYPES:
            if re.fullmatch(hosts, host) and re.match(paths, parts.path, re.IGNORECASE):
                return name
    if kind.format in _BY_FORMAT:
        return _BY_FORMAT[kind.format]
    if web or kind.format == "html":
        return "articles"
    return "notes"
