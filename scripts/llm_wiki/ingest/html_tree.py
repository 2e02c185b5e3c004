"""An HTML page as a tree that holds only what a reader came for.

Parsing forgives everything; cleaning removes what is furniture on every site: scripts, navigation,
cookie banners, share buttons, forms. What it would remove is kept when it is most of the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from llm_wiki.ingest.markdown_code import classes, is_code_table
from llm_wiki.ingest.markdown_table import is_data_table
from llm_wiki.ingest.names import names

DEEPEST = 150
"""Levels of nesting that are walked; what lies deeper becomes plain text."""

_NOT_XML = re.compile("[\x00-\x08\x0b\x0e-\x1f\ufffe\uffff]")

_DROPPED_TAGS = names(
    """
    script style noscript template iframe frame frameset object embed applet svg canvas audio video track map
    link meta base input select textarea option datalist output progress meter button nav dialog portal slot
    """
)

_ROLES = names(
    """
    navigation search banner contentinfo complementary dialog alertdialog menu menubar tablist toolbar
    """
)

_FURNITURE = re.compile(
    r"(?:^|[-_ ])(?:cookies?|consent|gdpr|newsletter|subscribe|subscription|noprint|paywall|signup|"
    r"login-?form|social(?:-?(?:links|share|media|icons))?|"
    r"shar(?:e|ing)(?:-?(?:buttons|links|bar|this))?|addtoany|addthis|"
    r"sharedaddy|breadcrumbs?|pagination|pager|side-?bar|related(?:-?(?:posts|articles|content|links))?|"
    r"recommend(?:ed|ations)|promo(?:tion)?|advert(?:s|isement)?|ads?|adsbygoogle|sponsor(?:ed)?|pop-?up|modal|"
    r"lightbox|skip-?(?:link|to-content|nav)|nav-?bar|site-?nav|main-?nav|site-?(?:header|footer)|page-?footer|"
    r"menu|toc|table-of-contents|tableofcontents|mw-editsection|edit-?(?:link|page|on-github)|prev-?next|"
    r"post-?nav(?:igation)?|feedback|copy-?(?:button|code-button)|clipboard|navbox|catlinks|printfooter|"
    r"mw-cite-backlink|(?:post|entry|article)-?footer|"
    r"author-?bio|tag-?(?:list|cloud)|view-?counter|back-?to-?top)(?:$|[-_ ])",
    re.IGNORECASE,
)
"""Class or id of furniture, as whole words of hyphenated names."""

_LAYOUT = re.compile(
    r"(?:^|[-_ ])(?:has|with|no|without|layout|page|main|content|body|wrapper)(?:[-_]|$)", re.IGNORECASE
)
"""Names of page frames, which often mention the furniture they hold (`content-with-sidebar`)."""

_WHOLE_NAMES = names("header footer masthead colophon topbar top-bar s-topbar logo brand imprint")
"""Names of furniture when they are the whole of a class or id of a `div`."""

_COMMENTS = re.compile(
    r"(?:^|[-_ ])(?:comments?|comment-?list|respond|disqus|disqus_thread|discussion)(?:$|[-_ ])",
    re.IGNORECASE,
)
_UNSEEN = frozenset(
    {"sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screenreader", "hidden-print"}
)
_CALLOUTS = re.compile(
    r"note|tip|warning|caution|info|admonition|callout|aside--|starlight|important|danger|hint|example",
    re.IGNORECASE,
)
_NO_DISPLAY = re.compile(r"display:\s*none|visibility:\s*hidden", re.IGNORECASE)
_MOST = 0.35
"""Share of the page's text above which nothing is furniture."""

_TITLE = re.compile(r"<title\b[^>]*>[^<\n]*", re.IGNORECASE)
_TABLE_PARTS = ("thead", "tbody", "tfoot", "tr", "td", "th", "caption", "colgroup", "col")
_NEVER = names("html body main article p pre code table tbody thead tr td th em strong")
"""Tags that no name makes furniture."""

_TEX = frozenset({"application/x-tex", "tex", "latex"})


def parse(text: str) -> Any:
    """Return the root element of a page. Never fails: broken markup gives the tree a browser would show."""
    import lxml.etree
    import lxml.html

    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    data = _close_title(_NOT_XML.sub("", text)).encode("utf-8", "replace")
    try:
        root = lxml.html.document_fromstring(data, parser=parser)
    except lxml.etree.ParserError:  # nothing but comments or blanks
        root = None
    if root is None or root.find("body") is None:
        root = lxml.html.document_fromstring(b"<html><body></body></html>", parser=parser)
    _flatten(root)
    _unfold_layouts(root)
    return root


def _close_title(text: str) -> str:
    """Close a title that nothing closes: else the whole page would be its title."""
    opened = _TITLE.search(text)
    if opened is None or "</title" in text[opened.end() :].casefold():
        return text
    return f"{text[: opened.end()]}</title>{text[opened.end() :]}"


def _flatten(root: Any) -> None:
    """Replace what lies deeper than can be walked by its text."""
    level = [root]
    for _ in range(DEEPEST):
        level = [child for element in level for child in element]
        if not level:
            return
    for element in level:
        if isinstance(element.tag, str) and len(element):
            text = " ".join(piece.strip() for piece in element.itertext() if piece.strip())
            for child in list(element):
                element.remove(child)
            element.text = text
            element.tag = "div"


def _unfold_layouts(root: Any) -> None:
    """Turn tables that only lay out the page into boxes, so that what finds and writes text sees no table."""
    parts: list[Any] = []
    for table in root.iter("table"):
        if not is_data_table(table) and not is_code_table(table):
            inner = table.iterdescendants(*_TABLE_PARTS)
            parts += [table, *(part for part in inner if next(part.iterancestors("table")) is table)]
    for part in parts:
        part.attrib.pop("role", None)
        part.tag = "p" if part.tag == "caption" else "div"


def text_length(element: Any) -> int:
    """Return the characters of an element's text without its blanks."""
    return sum(len(piece.strip()) for piece in element.itertext())


def is_discussion(root: Any) -> bool:
    """Say whether a page is a thread, whose comments are its content."""
    types = " ".join(str(found) for found in root.xpath("//@itemtype"))
    scripts = " ".join(
        str(found.text or "") for found in root.iter("script") if "ld+json" in str(found.get("type") or "")
    )
    return any(
        name in types or f'"{name}"' in scripts for name in ("DiscussionForumPosting", "QAPage", "Question")
    )


def clean(root: Any) -> Any:
    """Remove furniture from a parsed page in place and return its body."""
    discussion = is_discussion(root)
    body = root.find("body")
    _math(body)
    _headings_of_buttons(body)
    _drop_all(body, [found for found in body.iter(*_DROPPED_TAGS) if not _is_task(found)])
    total = text_length(body)
    for test in (_is_hidden, _is_furniture, _is_frame):
        _drop_where(body, test, total)
    if not discussion:
        _drop_comments(body, total)
    for form in list(body.iter("form")):
        form.tag = "div"
    return body


def _drop(element: Any) -> None:
    """Remove an element but not the text after it."""
    parent = element.getparent()
    if parent is None:
        return
    if element.tail:
        before = element.getprevious()
        if before is not None:
            before.tail = (before.tail or "") + element.tail
        else:
            parent.text = (parent.text or "") + element.tail
    parent.remove(element)


def _drop_all(body: Any, found: list[Any]) -> None:
    for element in found:
        if element is not body:
            _drop(element)


def _drop_where(body: Any, test: Callable[[Any], bool], total: int) -> None:
    """Drop what a test names, except frames of the page and whatever is much of its text."""
    for element in [found for found in body.iter() if isinstance(found.tag, str) and test(found)]:
        if element is body or _inside_code(element) or text_length(element) > total * _MOST:
            continue
        if _holds_content(element) and not _is_hidden(element):
            continue
        _drop(element)


def _holds_content(element: Any) -> bool:
    return element.tag in ("main", "article") or next(element.iter("main", "article", "h1"), None) is not None


def _inside_code(element: Any) -> bool:
    return next(element.iterancestors("pre", "code"), None) is not None


def _is_task(element: Any) -> bool:
    """Say whether an input is the box of a task list."""
    return (
        element.tag == "input"
        and str(element.get("type") or "").casefold() == "checkbox"
        and next(element.iterancestors("li"), None) is not None
    )


def _is_hidden(element: Any) -> bool:
    if _UNSEEN & set(classes(element)):
        return True
    if element.get("aria-hidden") == "true" or _NO_DISPLAY.search(str(element.get("style") or "")):
        return True
    return element.get("hidden") is not None and element.get("role") != "tabpanel"


def _is_furniture(element: Any) -> bool:
    if element.tag in _NEVER:
        return False
    if str(element.get("role") or "").casefold() in _ROLES:
        return True
    found = [*classes(element), str(element.get("id") or "").casefold()]
    if element.tag == "div" and _WHOLE_NAMES.intersection(found):
        return next(element.iterancestors("blockquote", "article"), None) is None
    return any(_FURNITURE.search(name) and not _LAYOUT.search(name) for name in found if name)


def _is_frame(element: Any) -> bool:
    """Name headers, footers and asides that frame the page, and forms; not those that belong to its text."""
    if element.tag == "footer":
        return next(element.iterancestors("blockquote", "figure"), None) is None
    if element.tag == "aside":
        names = f"{element.get('class') or ''} {element.get('role') or ''} {element.get('aria-label') or ''}"
        return not _CALLOUTS.search(names)
    if element.tag == "header":
        return next(element.iterancestors("article", "main", "section"), None) is None
    return bool(element.tag == "form")


def _drop_comments(body: Any, total: int) -> None:
    for element in list(body.iter()):
        if not isinstance(element.tag, str) or element.tag in _NEVER:
            continue
        names = [*classes(element), str(element.get("id") or "").casefold()]
        if any(_COMMENTS.search(name) for name in names if name) and not _inside_code(element):
            length = text_length(element)
            if length < total * 0.6 and total - length > 400:
                _drop(element)


def _headings_of_buttons(body: Any) -> None:
    """Keep headings that are nothing but the button of an accordion."""
    for button in list(body.iter("button")):
        heading = next(button.iterancestors("h1", "h2", "h3", "h4", "h5", "h6"), None)
        if heading is not None and text_length(heading) == text_length(button):
            button.tag = "span"


def _math(body: Any) -> None:
    """Replace formulas by their TeX as code, where the page has it; pictures and glyphs of them go."""
    for script in list(body.iter("script")):
        if str(script.get("type") or "").casefold().startswith("math/tex") and script.text:
            _as_code(script, script.text)
    for formula in list(body.iter("math")):
        source = next(
            (
                note.text
                for note in formula.iter("annotation")
                if str(note.get("encoding") or "").casefold() in _TEX
            ),
            None,
        )
        source = source or formula.get("alttext")
        for note in list(formula.iter("annotation", "annotation-xml")):
            _drop(note)
        _as_code(formula, source or "".join(formula.itertext()))
        for outer in formula.iterancestors("span", "div"):
            if outer.get("style") and {
                "mwe-math-mathml-inline",
                "mwe-math-mathml-display",
                "mwe-math-mathml-a11y",
            } & set(classes(outer)):
                del outer.attrib["style"]
    for element in list(body.iter("span", "div", "img")):
        found = set(classes(element))
        if found & {"katex-html", "mathjax_preview", "mathjax", "mathjax_display"} or any(
            name.startswith("mwe-math-fallback-image") for name in found
        ):
            _drop(element)


def _as_code(element: Any, text: str) -> None:
    for child in list(element):
        element.remove(child)
    for key in list(element.attrib):
        del element.attrib[key]
    element.tag = "code"
    element.text = " ".join(text.split())
