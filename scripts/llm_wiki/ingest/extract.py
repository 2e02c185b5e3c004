"""From the bytes of a source to Markdown, title, author, date, summary (`commands.md` §2, `fetch`)."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from llm_wiki.core.errors import BadUsage
from llm_wiki.core.text import as_date, cut
from llm_wiki.ingest.charset import decode_html, decode_text
from llm_wiki.ingest.detect import Kind
from llm_wiki.model.document import page
from llm_wiki.model.frontmatter import split
from llm_wiki.model.prose import first_paragraph, plain

SUMMARY_LIMIT = 260
"""Characters of a summary taken from the source (`lint.md` §4)."""

_DESCRIPTION_LEAST = 40
_HEADING = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)
_FENCED = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
_NOTE_MARKS = re.compile(r"\[(?:\d+|[a-z])\](?=[\s.,;:]|\[|$)")
_TITLE_LIMIT = 120
_DATE_KEYS = ("date", "published", "created", "updated")
_KNOWN_KEYS = frozenset({"title", "tags", "type", "summary", "description", "author", "authors", *_DATE_KEYS})


class Extracted(NamedTuple):
    """What a source says, ready to be admitted; empty where the source does not say it.

    `body` is Markdown with LF line ends (text and data as they were). `date` is the day of publication.
    `type` is one that the source's own front matter names. `format` is a `content_format` of
    `wiki-format.md` §5.1. `notes` say what was lost or guessed on the way. `addresses` are
    those it gives for itself.
    """

    title: str
    body: str
    authors: tuple[str, ...] = ()
    date: str = ""
    summary: str = ""
    tags: tuple[str, ...] = ()
    type: str = ""
    format: str = "markdown"
    charset: str = ""
    notes: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()


def extract(data: bytes, kind: Kind, *, url: str = "", name: str = "", charset: str = "") -> Extracted:
    """Read a source of a known kind.

    `url` is the final address of a page, against which its links become absolute; `name` the path of a
    file, shown in errors and used as a title of last resort; `charset` what a header or the user said.
    Raises BadUsage for text that is not in its encoding and for sources without any text.
    """
    found = _html(data, url, charset) if kind.format == "html" else _plain(data, kind, url, name, charset)
    if not found.body.strip():
        raise BadUsage(
            "the source holds no text",
            path=url or name or None,
            remedy="a page that only scripts fill must be saved from a browser first"
            if kind.format == "html"
            else None,
        )
    title = found.title or _from_address(url) or _stem(name) or _first_line(found.body)
    return found._replace(
        title=cut(" ".join(title.split()), _TITLE_LIMIT),
        summary=found.summary or _summary(found.body, kind),
        date=day.isoformat() if (day := as_date(found.date)) else "",
    )


def _html(data: bytes, url: str, charset: str) -> Extracted:
    from llm_wiki.ingest import html_meta
    from llm_wiki.ingest.html_select import recognised, select
    from llm_wiki.ingest.html_tree import clean, parse
    from llm_wiki.ingest.markdown_out import to_markdown

    decoded = decode_html(data, charset)
    root = parse(decoded.text)
    text = recognised(root, url)
    declared, authors = html_meta.head_title(root), html_meta.authors(root)
    description, date = html_meta.description(root), html_meta.published(root, url)
    base = _base(root, url)
    named = html_meta.addresses(root, base)
    body = clean(root)
    text = to_markdown(select(body, text), base) or to_markdown(body, base)
    headings = [(len(mark), plain(words)) for mark, words in _HEADING.findall(_FENCED.sub("", text))]
    tops = [words for level, words in headings if level == 1]
    leading = [words for level, words in headings if level <= 2]
    title = tops[0] if len(tops) == 1 else html_meta.without_site(declared, leading)
    title = title or (tops[0] if tops else "")
    if text and title and not tops:
        text = _headed(text, title)
    return Extracted(
        title=title,
        body=f"{text}\n" if text else "",
        authors=authors,
        date=date,
        summary=cut(description, SUMMARY_LIMIT) if len(description) >= _DESCRIPTION_LEAST else "",
        charset=decoded.charset,
        notes=decoded.notes,
        addresses=named,
    )


def _base(root: object, url: str) -> str:
    """Return the address that relative links belong to: the page's own base, if it names a web address."""
    from urllib.parse import urljoin

    import lxml.html

    assert isinstance(root, lxml.html.HtmlElement)
    found = root.find(".//base[@href]")
    if found is None:
        return url
    try:
        joined = urljoin(url, str(found.get("href")).strip())
    except ValueError:
        return url
    return joined if joined.startswith(("http://", "https://")) else url


def _headed(text: str, title: str) -> str:
    """Put a page's title over its text, in place of a first line that only repeats it."""
    from llm_wiki.ingest.markdown_text import Run, one_line

    first, _, rest = text.partition("\n\n")
    body = rest if plain(first) == title and rest else text
    return f"# {one_line([Run(title)])}\n\n{body}"


def _plain(data: bytes, kind: Kind, url: str, name: str, charset: str) -> Extracted:
    decoded = decode_text(data, charset, url or name or None)
    if kind.format == "markdown":
        return _markdown(decoded.text, decoded.charset)
    if kind.format == "text":
        return Extracted("", decoded.text, format="text", charset=decoded.charset)
    from llm_wiki.ingest.markdown_code import fenced

    language = kind.language or kind.format
    body = fenced(decoded.text.removesuffix("\n"), language) + "\n" if decoded.text.strip() else ""
    known = kind.format if kind.format != "code" else "text"
    return Extracted("", body, format=known, charset=decoded.charset)


def _markdown(text: str, charset: str) -> Extracted:
    """Take title, tags and date from a document's front matter, and its body as it is.

    Front matter that cannot be read stays part of the body: nothing of a source is lost.
    """
    data = text.encode("utf-8", "surrogatepass")
    parsed = page("source.md", data)
    if parsed.front != "ok":
        return Extracted(parsed.title, text, charset=charset)
    tags = parsed.items("tags") or parsed.text("tags").split(",")
    dropped = sorted(key for key, value in parsed.meta.items() if key not in _KNOWN_KEYS and value)
    notes = (f"front matter of the source that was left out: {', '.join(dropped)}",) if dropped else ()
    return Extracted(
        title=parsed.text("title") or parsed.title,
        body=data[split(data).body :].decode("utf-8", "surrogatepass").removeprefix("\n"),
        authors=tuple(
            parsed.items("authors") or [name for key in ("authors", "author") if (name := parsed.text(key))]
        ),
        date=next((value for key in _DATE_KEYS if (value := parsed.text(key))), ""),
        summary=cut(parsed.text("summary") or parsed.text("description"), SUMMARY_LIMIT),
        tags=tuple(tag.strip() for tag in tags if tag.strip()),
        type=parsed.text("type"),
        charset=charset,
        notes=notes,
    )


def _summary(body: str, kind: Kind) -> str:
    """Return the first paragraph of a text, shortened; data and code have none."""
    if kind.format not in ("html", "markdown", "text"):
        return ""
    data = body.encode("utf-8", "surrogatepass")
    text = first_paragraph(data, _DESCRIPTION_LEAST) or first_paragraph(data, 1)
    return cut(_NOTE_MARKS.sub("", text) if kind.format == "html" else text, SUMMARY_LIMIT)


def _from_address(url: str) -> str:
    """Return a title made of an address: its last part, else its host."""
    if not url:
        return ""
    parts = urlsplit(url)
    last = unquote(parts.path.rstrip("/").rpartition("/")[2])
    words = re.sub(r"[-_+]+", " ", last.rpartition(".")[0] or last).strip()
    return words or (parts.hostname or "")


def _stem(name: str) -> str:
    last = name.rpartition("/")[2]
    return last.rpartition(".")[0] or last


def _first_line(body: str) -> str:
    """Return the first line that says something, without Markdown's marks."""
    for line in body.split("\n"):
        text = line.strip().lstrip("#>*-` ").strip()
        if text:
            return cut(text, 80)
    return ""
