"""Inline HTML as runs of Markdown: emphasis, links, images, code, line breaks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urljoin, urlsplit

from llm_wiki.ingest.markdown_code import classes
from llm_wiki.ingest.markdown_text import BREAK, Run, code_span, one_line, visible
from llm_wiki.model.cells import destination

STYLES: dict[str, str] = {
    "b": "strong", "strong": "strong", "em": "em", "i": "em", "cite": "em", "var": "em", "dfn": "em",
    "del": "del", "s": "del", "strike": "del",
}  # fmt: skip
_AROUND = {"q": ("“", "”"), "rt": ("(", ")")}
_CODE = frozenset({"code", "kbd", "samp", "tt"})
_SCHEMES = frozenset({"http", "https", "mailto", "ftp", "tel"})
_SUPERSCRIPT = str.maketrans("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ")
_SUBSCRIPT = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_ORDINAL = frozenset({"st", "nd", "rd", "th", "er", "e", "ère", "o", "a", "º", "ª", "tm", "sm", "®", "™"})
_NOTE = re.compile(r"\[?(?:\d+|[a-z*†‡])\]?")
_BOLD = re.compile(r"font-weight:\s*(?:bold|bolder|[6-9]00)", re.IGNORECASE)
_NOT_BOLD = re.compile(r"font-weight:\s*(?:normal|lighter|[1-4]00)", re.IGNORECASE)
_ITALIC = re.compile(r"font-style:\s*(?:italic|oblique)", re.IGNORECASE)
_PIXEL = re.compile(r"[012](?:px)?")
_DEPTH = 120


class Inline:
    """Turns inline elements into runs. `base` is the address that relative links are relative to.

    In a table `cell` bars are escaped as GitHub's tables need it.
    """

    def __init__(self, base: str, *, cell: bool = False) -> None:
        self.base = base
        self.cell = cell
        self._special: dict[str, Callable[[Any, frozenset[str], bool, int], list[Run]]] = {
            "br": lambda *_: [BREAK],
            "img": lambda element, *_: self.image(element),
            "input": lambda element, *_: self._checkbox(element),
            "a": self._link,
            "sup": self._raised,
            "sub": self._raised,
            **dict.fromkeys(_CODE, self._code),
        }

    def content(
        self, element: Any, style: frozenset[str] = frozenset(), *, linked: bool = False
    ) -> list[Run]:
        """Return the runs of what an element holds: its text and its children with their tails."""
        return self._content(element, style, linked, 0)

    def element(
        self, element: Any, style: frozenset[str] = frozenset(), *, linked: bool = False
    ) -> list[Run]:
        """Return the runs of one inline element without its tail; `linked` says that it is inside a link."""
        return self._element(element, style, linked, 0)

    def _content(self, element: Any, style: frozenset[str], linked: bool, depth: int) -> list[Run]:
        runs = [Run(element.text, style)] if element.text else []
        for child in element:
            runs += self._element(child, style, linked, depth + 1)
            if child.tail:
                runs.append(Run(child.tail, style))
        return runs

    def _element(self, element: Any, style: frozenset[str], linked: bool, depth: int) -> list[Run]:
        tag = element.tag
        if not isinstance(tag, str) or tag in ("wbr", "rp"):
            return []
        if depth > _DEPTH:
            return [Run(" ".join(element.itertext()), style)]
        special = self._special.get(tag)
        if special is not None:
            return special(element, style, linked, depth)
        inner = self._content(element, style | self._style(element), linked, depth)
        around = _AROUND.get(tag)
        return [Run(around[0], style), *inner, Run(around[1], style)] if around and inner else inner

    def _style(self, element: Any) -> frozenset[str]:
        written = str(element.get("style") or "")
        found = STYLES.get(element.tag)
        if found == "strong" and _NOT_BOLD.search(written):
            found = None
        styles = {found} if found else set()
        if _BOLD.search(written):
            styles.add("strong")
        if _ITALIC.search(written):
            styles.add("em")
        return frozenset(styles)

    def _code(self, element: Any, style: frozenset[str], linked: bool, _depth: int) -> list[Run]:
        """Return inline code; code that is one link becomes a link of code."""
        text = code_span(_text(element), cell=self.cell)
        if not text:
            return [Run(" ", style)] if element.text else []
        links = list(element.iter("a"))
        whole = (
            len(links) == 1 and "".join(links[0].itertext()).strip() == "".join(element.itertext()).strip()
        )
        target = self.absolute(links[0].get("href")) if whole and not linked else ""
        return [Run(f"[{text}]({destination(target)})" if target else text, style, raw=True)]

    def _link(self, element: Any, style: frozenset[str], linked: bool, depth: int) -> list[Run]:
        inner = self._content(element, frozenset() if not linked else style, True, depth)
        target = "" if linked else self.absolute(element.get("href"))
        if not target:
            return inner if linked else [run._replace(style=run.style | style) for run in inner]
        label = one_line(inner, cell=self.cell)
        if not label:
            return []
        text = "".join(run.text for run in inner)
        around = [Run(" ", style) if blank else None for blank in (text[:1].isspace(), text[-1:].isspace())]
        link = Run(f"[{label}]({destination(target)})", style, raw=True)
        return [run for run in (around[0], link, around[1]) if run is not None]

    def _raised(self, element: Any, style: frozenset[str], linked: bool, depth: int) -> list[Run]:
        """Return superscript and subscript so that 10⁶ does not become 106."""
        text = "".join(element.itertext()).strip()
        if element.find(".//a") is not None or element.find(".//img") is not None or not text:
            return self._content(element, style, linked, depth)
        if text.casefold() in _ORDINAL:
            return [Run(text, style)]
        table = _SUPERSCRIPT if element.tag == "sup" else _SUBSCRIPT
        if all(ord(char) in table for char in text):
            return [Run(text.translate(table), style)]
        if element.tag == "sup" and _NOTE.fullmatch(text):
            return [Run(text, style)]
        return [
            Run("^(" if element.tag == "sup" else "_(", style),
            *self._content(element, style, linked, depth),
            Run(")", style),
        ]

    def _checkbox(self, element: Any) -> list[Run]:
        if str(element.get("type") or "").casefold() != "checkbox":
            return []
        return [Run("[x]" if element.get("checked") is not None else "[ ]", raw=True), Run(" ")]

    def image(self, element: Any) -> list[Run]:
        """Return an image by its absolute address; tracking pixels give nothing."""
        if _PIXEL.fullmatch(str(element.get("width") or "")) or _PIXEL.fullmatch(
            str(element.get("height") or "")
        ):
            return []
        target = next(
            (
                found
                for key in ("data-src", "data-original", "data-lazy-src", "src")
                if (found := self._picture(element.get(key)))
            ),
            "",
        )
        alt = visible(str(element.get("alt") or "")).strip()
        if not target:
            return [Run(alt)] if alt else []
        if not alt and {"emoji", "icon", "avatar", "logo"} & set(classes(element)):
            return []
        return [Run(f"![{one_line([Run(alt)], cell=self.cell)}]({destination(target)})", raw=True)]

    def _picture(self, source: Any) -> str:
        target = self.absolute(source)
        return target if target.casefold().startswith(("http:", "https:")) else ""

    def absolute(self, href: Any) -> str:
        """Return an address joined to the base, "" for what is none (`javascript:`, `data:`)."""
        text = re.sub(r"[\t\n\r]", "", str(href or "").strip()).replace(" ", "%20")
        if not text:
            return ""
        try:
            target = urljoin(self.base, text)
            scheme = urlsplit(target).scheme.casefold()
        except ValueError:
            return ""
        if scheme in _SCHEMES:
            return target
        # A page read from a file has no address of its own: its relative links stay as they are.
        return "" if scheme or self.base else target


def _text(element: Any) -> str:
    """Return the text of code, line breaks as blanks."""
    from lxml.etree import iterwalk

    out = []
    for event, part in iterwalk(element, events=("start", "end")):
        if event == "start":
            out.append(" " if part.tag == "br" else part.text or "")
        elif part is not element:
            out.append(part.tail or "")
    return "".join(out)
