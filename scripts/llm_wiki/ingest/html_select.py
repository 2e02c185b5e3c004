"""Which part of a page is its content: the smallest element that holds what trafilatura recognised.

Trafilatura finds the text but flattens code, tables and nested lists. So only its answer to *where* is
taken: blocks of the page whose text it returned are marked, and the element around them is rendered from
the page itself.
"""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any

from llm_wiki.ingest.html_tree import text_length

_PROSE = (
    *("p", "li", "pre", "td", "th", "dt", "dd", "blockquote", "figcaption", "summary", "address"),
    *("h1", "h2", "h3", "h4", "h5", "h6"),
)
_BOXES = ("div", "section", "span")
_LEAVES = (*_PROSE, *_BOXES)
_MAINS = ("main", "article")
_PREFIX = 24
_SHORTEST = 8
_ALL = 0.95
_SMALL = 1000
"""Characters below which a selection that leaves out half of the page is not believed."""

_LETTERS = re.compile(r"[^\w]+|_")
_SUBSTANCE = ("pre", "table", "img", "figure", "blockquote")
_INTRODUCTIONS = ("p", "h1", "h2", "h3", "h4", "h5", "h6")
_ELSEWHERE = re.compile(
    r"\b(?:related|recommended|popular|latest|recent|trending|share|follow us|categories|archives|tags|"
    r"read next|more from|more stories|you may also|navigation|menu|sponsored)\b",
    re.IGNORECASE,
)
"""What stands over lists of links that lead away from the page's subject."""


def recognised(root: Any, url: str) -> str:
    """Return the text that trafilatura takes for the content of a parsed page, which stays as it is.

    Any failure of it is an empty answer: it only helps to choose.
    """
    import trafilatura

    copy = deepcopy(root)
    for cell in copy.iter("td", "th"):
        # Spread out by trafilatura, large spans take minutes; which text counts does not depend on them.
        cell.attrib.pop("rowspan", None)
        cell.attrib.pop("colspan", None)
    try:
        found = trafilatura.bare_extraction(copy, url=url or None, include_comments=True, include_tables=True)
    except Exception:  # noqa: BLE001 - a third party's crash on odd markup must not stop an admission
        return ""
    parts = (getattr(found, "text", ""), getattr(found, "comments", ""))
    return "\n".join(part for part in parts if part)


def select(body: Any, text: str) -> Any:
    """Return the element of a cleaned body that holds its content.

    `text` is what trafilatura recognised. Where it recognised little, the page's own `main` or `article`
    decides, and for small pages the whole body.
    """
    marks = _marks(body, text)
    semantic = _semantic(body)
    total = _prose(body)
    chosen = _around(body, marks) if marks.get(body) else None
    if chosen is not None:
        outer = semantic if semantic is not None and chosen in semantic.iterdescendants() else None
        if outer is not None and _prose(chosen) < 0.5 * _prose(outer):
            chosen = outer
        elif _prose(chosen) < min(0.5 * total, _SMALL):
            chosen = None
    if chosen is None:
        chosen = semantic if semantic is not None and _prose(semantic) >= 0.3 * total else body
    _prune(chosen, marks)
    return chosen


def _marks(body: Any, text: str) -> dict[Any, int]:
    """Return, for each element, how many recognised characters it holds."""
    known = {line[:_PREFIX] for line in map(_bare, text.split("\n")) if len(line) >= _SHORTEST}
    marks: dict[Any, int] = {}
    done: set[Any] = set()
    for element in body.iter(*_LEAVES):
        parent = element.getparent()
        if parent in done:
            done.add(element)
            continue
        whole = _bare("".join(element.itertext())[:400])
        if len(whole) >= _SHORTEST and whole[:_PREFIX] in known and _is_leaf(element):
            done.add(element)
            length = text_length(element)
            marks[element] = marks.get(element, 0) + length
            for outer in element.iterancestors():
                marks[outer] = marks.get(outer, 0) + length
                if outer is body:
                    break
    return marks


def _is_leaf(element: Any) -> bool:
    """Say whether an element's text is one piece of prose and not a container that begins with one."""
    if element.tag in _BOXES:
        return next(element.iterdescendants(*_PROSE, "ul", "ol", "table", "div"), None) is None
    return True


def _bare(text: str) -> str:
    return _LETTERS.sub("", text).casefold()


def _around(body: Any, marks: dict[Any, int]) -> Any:
    """Return the smallest element that holds nearly all recognised text."""
    current = body
    while True:
        children = [child for child in current if marks.get(child)]
        if not children:
            break
        best = max(children, key=lambda child: marks[child])
        outside = marks[current] - marks[best]
        if outside > (1 - _ALL) * marks[current] or outside > 200 or _leaves_code(current, best):
            break
        current = best
    while current is not body and current.tag not in ("div", "section", "article", "main", "td", "body"):
        current = current.getparent()
    return current


def _leaves_code(current: Any, best: Any) -> bool:
    """Say whether code would be lost by looking at `best` only, inside what the page calls its main part."""
    inside = current.tag in _MAINS or next(current.iterancestors(*_MAINS), None) is not None
    return inside and any(best not in code.iterancestors() for code in current.iter("pre"))


def _semantic(body: Any) -> Any | None:
    mains = list(body.iter("main")) or body.xpath(".//*[@role='main']")
    if len(mains) == 1:
        inner = list(mains[0].iter("article"))
        return inner[0] if len(inner) == 1 and _prose(inner[0]) > 0.5 * _prose(mains[0]) else mains[0]
    articles = list(body.iter("article"))
    return articles[0] if len(articles) == 1 else None


def _prose(element: Any) -> int:
    """Return the characters of an element outside links."""
    return text_length(element) - sum(text_length(link) for link in element.iter("a"))


def _prune(chosen: Any, marks: dict[Any, int]) -> None:
    """Drop bundles of links that nothing recognised: inside the content, and what frames it."""
    for element in list(chosen.iter("div", "section", "ul", "ol")):
        if marks.get(element) or element is chosen or element.getparent() is None:
            continue
        if _linked(element) > 0.85 and len(list(element.iter("a"))) >= 3 and not _is_introduced(element):
            _detach(element)
    if not marks.get(chosen):
        return
    for children in (list(chosen), list(reversed(chosen))):
        for child in children:
            if marks.get(child) or child.tag not in ("div", "section", "ul", "footer", "aside"):
                break
            if text_length(child) and _linked(child) <= 0.5:
                break
            if not _is_introduced(child):
                _detach(child)


def _linked(element: Any) -> float:
    """Return the share of an element's text that is links; 0 for what holds code, tables or pictures."""
    length = text_length(element)
    if not length or next(element.iter(*_SUBSTANCE), None) is not None:
        return 0.0
    return 1 - _prose(element) / length


def _is_introduced(element: Any) -> bool:
    """Say whether a list of links belongs to the text: a heading or sentence before it announces it."""
    before = element.getprevious()
    if element.tag not in ("ul", "ol") or before is None or before.tag not in _INTRODUCTIONS:
        return False
    return not _ELSEWHERE.search("".join(before.itertext()))


def _detach(element: Any) -> None:
    parent = element.getparent()
    if parent is None:
        return
    tail, before = element.tail, element.getprevious()
    if tail and before is not None:
        before.tail = (before.tail or "") + tail
    elif tail:
        parent.text = (parent.text or "") + tail
    parent.remove(element)
