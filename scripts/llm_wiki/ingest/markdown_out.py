"""A subtree of an HTML page as Markdown: headings, lists, tables, code, quotes; never raw HTML."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from llm_wiki.ingest.markdown_code import classes, code_of, fenced, is_code_table
from llm_wiki.ingest.markdown_inline import Inline
from llm_wiki.ingest.markdown_table import grid, is_data_table, table_text
from llm_wiki.ingest.markdown_text import Run, one_line, paragraphs
from llm_wiki.ingest.names import names
from llm_wiki.model.cells import destination

BLOCK_TAGS = names(
    """
    address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption
    figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html li legend main menu nav ol p pre section
    summary table tbody td tfoot th thead tr ul caption
    """
)

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SIGNS = frozenset({"", "#", "¶", "§", "🔗", "\u200b", "\uf0c1"})
_PERMALINKS = frozenset({"link", "permalink", "anchor", "copy link"})
_PERMALINK_CLASSES = frozenset(
    {"headerlink", "anchor", "hash-link", "header-anchor", "anchorjs-link", "heading-anchor"}
)
_MOST_START = 999_999_999


class Block(NamedTuple):
    """One block of a document and its kind: `text list-ul list-ol code other`."""

    text: str
    kind: str = "other"


def to_markdown(element: Any, base: str = "") -> str:
    """Return what an element holds as Markdown, without a final newline.

    `base` is the address that relative links become absolute against; without it they stay relative.
    """
    return _joined(_Renderer(element, base).blocks(element))


def _joined(blocks: list[Block]) -> str:
    return "\n\n".join(block.text for block in blocks if block.text)


class _Renderer:
    """Walks blocks. `_mixed` are inline elements that hold blocks and so are walked like blocks."""

    def __init__(self, root: Any, base: str) -> None:
        self.inline = Inline(base)
        self.cells = Inline(base, cell=True)
        self._mixed = _inline_with_blocks(root)
        self._table: dict[str, Callable[[Any], list[Block]]] = {
            **dict.fromkeys(_HEADINGS, self._heading),
            "pre": self._pre,
            "code": self._pre,
            "hr": lambda _: [Block("***")],
            "blockquote": self._quote,
            "dl": self._definitions,
            "table": self._any_table,
            "summary": self._summary,
            "a": self._card,
        }

    def blocks(self, element: Any) -> list[Block]:
        """Return the blocks of what an element holds; inline content between blocks makes paragraphs."""
        out: list[Block] = []
        runs: list[Run] = [Run(element.text)] if element.text else []
        for child in element:
            if self._is_block(child):
                out += [Block(text, "text") for text in paragraphs(runs)]
                runs = []
                out += self._block(child, out[-1].kind if out else "")
            else:
                runs += self.inline.element(child)
            if child.tail:
                runs.append(Run(child.tail))
        return out + [Block(text, "text") for text in paragraphs(runs)]

    def _is_block(self, element: Any) -> bool:
        tag = element.tag
        if tag in BLOCK_TAGS or element in self._mixed:
            return True
        return tag == "code" and _alone(element) and _has_lines(element)

    def _block(self, element: Any, before: str) -> list[Block]:
        if element.tag in ("ul", "ol", "menu", "dir"):
            return self._list(element, before)
        return self._table.get(element.tag, self.blocks)(element)

    def _heading(self, element: Any) -> list[Block]:
        text = one_line(self._titled(element, frozenset()))
        if text.endswith("#") and (len(text.rstrip("#")) == 0 or text.rstrip("#").endswith(" ")):
            text = text[: len(text.rstrip("#"))] + "\\" + text[len(text.rstrip("#")) :]
        return [Block(f"{'#' * _HEADINGS[element.tag]} {text}", "heading")] if text else []

    def _titled(self, element: Any, style: frozenset[str]) -> list[Run]:
        """Return the runs of a heading or term without the link that only points at it."""
        runs = [Run(element.text, style)] if element.text else []
        for child in element:
            if _is_permalink(child, element):
                pass
            elif child.tag == "a" and str(child.get("href") or "").startswith("#"):
                runs += self.inline.content(child, style)
            else:
                runs += self.inline.element(child, style)
            if child.tail:
                runs.append(Run(child.tail, style))
        return runs

    def _pre(self, element: Any) -> list[Block]:
        if (
            element.tag == "pre"
            and next(element.iter("table"), None) is not None
            and not is_code_table(next(element.iter("table")))
        ):
            return self.blocks(element)
        code, language = code_of(element)
        return [Block(fenced(code, language), "code")] if code else []

    def _quote(self, element: Any) -> list[Block]:
        text = _joined(self.blocks(element))
        return [Block("\n".join(f"> {line}".rstrip() for line in text.split("\n")))] if text else []

    def _summary(self, element: Any) -> list[Block]:
        text = one_line(self.inline.content(element, frozenset({"strong"})))
        return [Block(text, "text")] if text else []

    def _card(self, element: Any) -> list[Block]:
        """Return the blocks inside a link; the first of them carries it, because Markdown links no blocks."""
        blocks = self.blocks(element)
        target = self.inline.absolute(element.get("href"))
        for index, block in enumerate(blocks):
            mark, text = _parted(block)
            if not target or block.kind not in ("heading", "text") or "](" in text:
                continue
            blocks[index] = Block(f"{mark}[{text}]({destination(target)})", block.kind)
            break
        return blocks

    def _list(self, element: Any, before: str) -> list[Block]:
        """Return a list; right after one of its kind it takes the other marker, so that both stay apart."""
        ordered = element.tag == "ol"
        kind = "list-ol" if ordered else "list-ul"
        other = before == kind
        number = _start(element)
        items = [stray] if (stray := self._stray(element.text)) else []
        for child in element:
            found = self._list(child, "") if child.tag in ("ul", "ol") else self.blocks(child)
            if child.tag in ("ul", "ol") and items:
                items[-1] += found
            elif found:
                items.append(found)
            items += [stray] if (stray := self._stray(child.tail)) else []
        lines = []
        for item in items:
            marker = f"{number}{')' if other else '.'}" if ordered else ("*" if other else "-")
            lines.append(_item(marker, item))
            number = min(number + 1, _MOST_START)
        if not lines:
            return []
        tight = all(_is_tight(item) for item in items)
        flipped = kind + "-other" if other else kind
        return [Block(("\n" if tight else "\n\n").join(lines), flipped)]

    @staticmethod
    def _stray(text: str | None) -> list[Block]:
        """Return text that lies in a list but in no item."""
        return [Block(line, "text") for line in paragraphs([Run(text or "")])]

    def _definitions(self, element: Any) -> list[Block]:
        """Return a definition list as a list of bold terms with their definitions."""
        items: list[list[Block]] = []
        fresh = False
        for child in _definition_parts(element):
            if child.tag == "dt":
                term = one_line(self._titled(child, frozenset({"strong"})))
                if not term:
                    continue
                if fresh and items:
                    items[-1][0] = Block(f"{items[-1][0].text}, {term}", "text")
                else:
                    items.append([Block(term, "text")])
                fresh = True
            else:
                if not items:
                    items.append([])
                items[-1] += self.blocks(child)
                fresh = False
        lines = [_item("-", _with_definition(item)) for item in items if item]
        tight = all(len(item) <= 2 and _is_tight(_with_definition(item)) for item in items)
        return [Block(("\n" if tight else "\n\n").join(lines), "list-ul")] if lines else []

    def _any_table(self, element: Any) -> list[Block]:
        if is_code_table(element):
            return self._code_table(element)
        if not is_data_table(element):
            return self.blocks(element)
        caption = element.find("caption")
        out = self.blocks(caption) if caption is not None else []
        text = table_text(grid(element, self._cell))
        return [*out, Block(text, "table")] if text else out

    def _code_table(self, element: Any) -> list[Block]:
        blocks = [found for found in element.iter("pre") if not _numbers_only(found)]
        if len(blocks) == 1:
            code, language = code_of(blocks[0])
        else:
            code, language = code_of(element)
        return [Block(fenced(code, language), "code")] if code else []

    def _cell(self, element: Any) -> str:
        """Return a cell on one line: its blocks one after the other, list items parted by semicolons."""
        return one_line(self._cell_runs(element), cell=True)

    def _cell_runs(self, element: Any) -> list[Run]:
        runs = [Run(element.text)] if element.text else []
        for child in element:
            if child.tag in BLOCK_TAGS or child in self._mixed:
                inner = self._cell_runs(child)
                if child.tag == "li" and runs and any(run.text.strip() for run in runs):
                    runs.append(Run("; "))
                runs += [Run(" "), *inner, Run(" ")] if child.tag != "li" else inner
            else:
                runs += self.cells.element(child)
            if child.tail:
                runs.append(Run(child.tail))
        return runs


def _inline_with_blocks(root: Any) -> set[Any]:
    """Return the elements that are inline by name but hold blocks, found in one pass from the leaves."""
    found: set[Any] = set()
    for element in root.iter(*BLOCK_TAGS):
        parent = element.getparent()
        while parent is not None and parent is not root and parent not in found:
            if parent.tag in BLOCK_TAGS:
                break
            found.add(parent)
            parent = parent.getparent()
    return found


def _alone(element: Any) -> bool:
    """Say whether an element is all its parent holds, so that it may stand as a block."""
    parent = element.getparent()
    if parent is None or len(parent) != 1:
        return False
    return not (parent.text or "").strip() and not (element.tail or "").strip()


def _parted(block: Block) -> tuple[str, str]:
    """Return the mark of a heading ("" for other blocks) and the text after it."""
    if block.kind != "heading":
        return "", block.text
    mark, _, text = block.text.partition(" ")
    return f"{mark} ", text


def _has_lines(element: Any) -> bool:
    text = "".join(element.itertext()).strip()
    return "\n" in text or next(element.iter("br"), None) is not None


def _is_permalink(element: Any, heading: Any) -> bool:
    """Say whether a link only points at its heading: a sign, or a word beside the heading's own text."""
    if element.tag != "a" or next(element.iter("img"), None) is not None:
        return False
    text = "".join(element.itertext()).strip().casefold()
    if text in _SIGNS:
        return True
    whole = "".join(heading.itertext()).strip().casefold()
    named = text in _PERMALINKS or bool(_PERMALINK_CLASSES & set(classes(element)))
    return named and "#" in str(element.get("href") or "") and len(whole) > len(text) and len(text) <= 12


def _start(element: Any) -> int:
    written = str(element.get("start") or "").strip()
    return (
        min(int(written), _MOST_START) if written.isascii() and written.isdigit() and len(written) < 12 else 1
    )


def _item(marker: str, blocks: list[Block]) -> str:
    """Return a list item: its blocks indented by the width of the marker; a list follows its text at once."""
    parts: list[str] = []
    for index, block in enumerate(blocks):
        if index:
            close = block.kind.startswith("list") and blocks[index - 1].kind == "text"
            parts.append("\n" if close else "\n\n")
        parts.append(block.text)
    width = len(marker) + 1
    lines = "".join(parts).split("\n")
    rest = [" " * width + line if line else "" for line in lines[1:]]
    return "\n".join([f"{marker} {lines[0]}", *rest])


def _is_tight(blocks: list[Block]) -> bool:
    """Say whether an item is one text with lists below, or a list alone."""
    texts = [block for block in blocks if not block.kind.startswith("list")]
    lists = [block for block in blocks if block.kind.startswith("list")]
    return (
        len(texts) <= 1
        and all(block.kind == "text" for block in texts)
        and all("\n\n" not in b.text for b in lists)
    )


def _definition_parts(element: Any) -> list[Any]:
    """Return the parts of a definition list in order, also those that a `div` groups."""
    out = []
    for child in element:
        if child.tag in ("dt", "dd"):
            out.append(child)
        elif child.tag == "div" and child.find("dt") is not None:
            out += list(child)
        else:
            out.append(child)
    return out


def _with_definition(item: list[Block]) -> list[Block]:
    """Put a one-paragraph definition on the line of its term."""
    if len(item) >= 2 and item[1].kind == "text" and "\n" not in item[1].text:
        return [Block(f"{item[0].text}: {item[1].text}", "text"), *item[2:]]
    return item


def _numbers_only(element: Any) -> bool:
    return "".join(element.itertext()).replace("\n", "").replace(" ", "").isdigit()
