"""What a piece of Markdown holds according to three readers: ours, markdown-it-py, and HTML made of it.

All three answer with the same plain shape, so that a test can compare them.
"""

from __future__ import annotations

from html.parser import HTMLParser
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

from llm_wiki.model.frontmatter import split, unix
from llm_wiki.model.markdown import scan

MARKDOWN_FORMS = ("inline", "reference", "collapsed", "shortcut", "autolink")


class Reading(NamedTuple):
    """`links` are targets in order, an image's with `!` in front; `headings` (level, text).

    `code` counts code blocks and code spans; `notes` are the labels of footnotes used and defined.
    """

    links: list[str]
    headings: list[tuple[int, str]]
    code: int
    notes: list[str]


def commonmark() -> MarkdownIt:
    """Return markdown-it-py as the specification has it, targets as written."""
    parser = MarkdownIt("commonmark")
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.validateLink = lambda _: True  # type: ignore[method-assign]
    return parser


def dialect() -> MarkdownIt:
    """Return markdown-it-py with the extensions of the wiki that it has: all but wikilinks."""
    parser = commonmark().enable(["table", "strikethrough"])
    return parser.use(footnote_plugin, inline=False).use(tasklists_plugin).use(front_matter_plugin)


def by_us(text: str, *, header: bool = False) -> Reading:
    """Read with the wiki's own model; with `header`, front matter is left out first."""
    data = text.encode()
    found = scan(data[split(unix(data)).body :].decode() if header else text)
    links = [
        ("!" if image else "") + ("mailto:" if _is_address(form, target) else "") + target
        for form, image, target, *_ in found.links
        if form in MARKDOWN_FORMS
    ]
    headings = [(level, words) for level, words, _ in found.headings]
    return Reading(links, headings, len(found.code), sorted({label for label, _, _ in found.footnotes}))


def _is_address(form: str, target: str) -> bool:
    return form == "autolink" and "@" in target and ":" not in target


def by_markdown_it(text: str, parser: MarkdownIt) -> Reading:
    """Read with markdown-it-py."""
    found = Reading([], [], 0, [])
    env: dict[str, Any] = {}
    tokens = parser.parse(text, env)
    for token, following in pairwise(tokens):
        if token.type == "heading_open":
            words = _words(following.children or []).strip()
            found.headings.append((int(token.tag[1]), words))
    code = _walk(tokens, found.links)
    notes = env.get("footnotes", {}).get("refs", {})
    return found._replace(code=code, notes=sorted(label.removeprefix(":") for label in notes))


def _walk(tokens: list[Token], links: list[str]) -> int:
    """Gather targets in order and count code."""
    code = 0
    for token in tokens:
        if token.type == "link_open":
            links.append(str(token.attrGet("href")))
        elif token.type == "image":
            links.append(f"!{token.attrGet('src')}")
        code += token.type in ("code_inline", "code_block", "fence")
        code += _walk(token.children or [], links)
    return code


def _words(tokens: list[Token]) -> str:
    text = ""
    for token in tokens:
        if token.type == "image":
            text += _words(token.children or [])
        elif token.type in ("softbreak", "hardbreak"):
            text += " "
        elif token.type in ("text", "text_special", "code_inline"):
            text += token.content
    return text


class _Page(HTMLParser):
    """Gathers the links and images of a page, and the words of its headings."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        name = {"a": "href", "img": "src"}.get(tag, "")
        target = dict(attrs).get(name)
        if target is not None:
            self.links.append(("!" if tag == "img" else "") + unquote(target))


def by_html(page: str) -> list[str]:
    """Return the targets of a page in order, an image's with `!` in front, percent escapes undone."""
    reader = _Page()
    reader.feed(page)
    reader.close()
    return reader.links


def as_in_html(text: str) -> list[str]:
    """Return our targets as `by_html` gives them: raw HTML counts too, what is in an image's text does not."""
    data = text.encode()
    found, behind = [], -1
    for form, image, target, _, start, end, _ in scan(text, data).links:
        if form not in (*MARKDOWN_FORMS, "html") or start < behind:
            continue
        if image and form != "html":
            behind = end
        found.append(
            ("!" if image else "") + ("mailto:" if _is_address(form, target) else "") + unquote(target)
        )
    return found
