"""Code blocks of HTML pages: their text with its indentation, their language, without the page's furniture.

Highlighters write one block in a dozen ways; what they share is data here.
"""

from __future__ import annotations

import re
from typing import Any

from llm_wiki.ingest.markdown_text import visible
from llm_wiki.ingest.names import names, pairs

_LANGUAGE_CLASS = re.compile(
    r"(?:language|lang|highlight-source|highlight-text|highlight|brush:?|code|syntax|hljs-lang|sh_lang)"
    r"[-_]([A-Za-z0-9_+#.-]+)"
)
_BRUSH = re.compile(r"brush:\s*([A-Za-z0-9+#.-]+)")
_NEXT_TO = names(
    """
    sourcecode hljs highlight prettyprint chroma code codehilite prism shiki
    """
)
"""Classes beside which a bare language name stands (`class="sourceCode python"`)."""

_LANGUAGES = names(
    """
    ada apl arduino asm awk bash bat batch c clojure cmake cobol coffeescript console cpp crystal csharp
    cs css csv cuda cypher d dart diff dockerfile elixir elm erlang fish fortran fsharp gherkin glsl go
    golang gradle graphql groovy haskell hcl hlsl html http ini java javascript jinja js json json5
    jsonc jsx julia kotlin latex less lisp llvm lua makefile markdown matlab md mermaid nginx nim nix
    nasm objc objectivec ocaml pascal perl php plsql postgresql powershell prolog protobuf ps1 puppet py
    pycon python python3 r racket rb regex ruby rs rust sass sbt scala scheme scss sh shell smalltalk
    solidity sparql sql stylus svelte svg swift systemverilog tcl terraform tex toml ts tsx typescript
    vb vbnet verilog vhdl vim vue wasm xml xquery yaml yml zig zsh
    """
)
_ALIASES = pairs(
    """
    py=python python3=python py3=python ipython3=python ipython=python js=javascript ts=typescript
    rb=ruby rs=rust golang=go yml=yaml cs=csharp c++=cpp c#=csharp sh=sh shell-session=console
    shellsession=console md=markdown objectivec=objc vim-script=vim plpgsql=sql docker=dockerfile
    make=makefile
    """
)
_NO_LANGUAGE = names(
    """
    text txt plain plaintext none default nohighlight no-highlight auto raw output wrapper block box
    container content area toolbar snippet example inner body group title header fence frame view copy
    sample notranslate highlight wrap
    """
)

_FURNITURE = names(
    """
    lineno linenos linenumber line-number line-numbers line-numbers-rows lnt ln gutter hljs-ln-numbers
    blob-num rouge-gutter code-number linenodiv ec-line-number copy copybtn copy-button clipboard-copy
    code-block-title toolbar-item
    """
)
"""Classes of line numbers and copy buttons."""

_LINE_CLASSES = names(
    """
    line code-line token-line view-line cm-line ec-line hljs-ln-line
    """
)
_LINE_TAGS = frozenset({"div", "li", "tr", "p"})
_TABLE_CLASSES = re.compile(
    r"(?:^|[\s_-])(?:highlighttable|rouge-table|codehilitetable|hljs-ln|lntable|diff-table|js-file-line-container)"
    r"|(?:^|\s)(?:highlight|code)(?:\s|$)"
)


def classes(element: Any) -> list[str]:
    """Return the class names of an element in lower case."""
    return str(element.get("class") or "").casefold().split()


def fenced(code: str, language: str = "") -> str:
    """Return a fenced code block that no line of the code can end."""
    longest = max((len(run) for run in re.findall("`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{code}\n{fence}"


def is_code_table(table: Any) -> bool:
    """Say whether a table only lays out line numbers beside code."""
    named = bool(_TABLE_CLASSES.search(str(table.get("class") or "").casefold()))
    cells = {name for cell in table.iter("td") for name in classes(cell)}
    numbered = bool(cells & _FURNITURE)
    return (named and (numbered or table.find(".//pre") is not None)) or (
        numbered and bool(cells & {"code", "blob-code", "rouge-code", "hljs-ln-code"})
    )


def code_of(element: Any) -> tuple[str, str]:
    """Return (code, language) of a `pre`, of a lone multi-line `code`, or of a code table."""
    lines = (
        visible("".join(_pieces(element))).replace("\r\n", "\n").replace("\r", "\n").replace("\u00a0", " ")
    )
    lines = lines.removeprefix("\n") if element.tag == "pre" else lines
    kept = [line.rstrip() for line in lines.split("\n")]
    while kept and not kept[-1]:
        kept.pop()
    while kept and not kept[0]:
        kept.pop(0)
    return "\n".join(kept), language_of(element)


def language_of(element: Any) -> str:
    """Return the language of a code block as its own, its inner or its outer markup names it, or ""."""
    inner = [found for found in element.iter("code", "pre") if found is not element][:2]
    outer: list[Any] = []
    parent = element.getparent()
    while (
        parent is not None
        and len(outer) < 4
        and parent.tag in ("div", "figure", "td", "tr", "tbody", "table", "span")
    ):
        outer.append(parent)
        parent = parent.getparent()
    for found in (*inner, element, *outer):
        language = _named(found)
        if language:
            return language
    return ""


def _named(element: Any) -> str:
    for key in ("data-lang", "data-language", "data-code-language", "data-enlighter-language", "lang-name"):
        value = _clean(str(element.get(key) or ""))
        if value:
            return value
    written = str(element.get("class") or "")
    brush = _BRUSH.search(written)
    if brush:
        return _clean(brush[1])
    found = [name.casefold() for name in written.split()]
    for name in found:
        prefixed = _LANGUAGE_CLASS.fullmatch(name)
        if prefixed and _clean(prefixed[1]):
            return _clean(prefixed[1])
    bare = next((name for name in found if name in _LANGUAGES or name in _ALIASES), "")
    beside = element.tag in ("pre", "code") or bool(_NEXT_TO & set(found))
    return _clean(bare) if bare and beside else ""


def _clean(name: str) -> str:
    name = name.strip().casefold()
    if name.startswith(("source-", "text-")):
        name = name.partition("-")[2].replace("html-basic", "html")
    name = _ALIASES.get(name, name)
    if name in _NO_LANGUAGE or len(name) > 24:
        return ""
    return name if re.fullmatch(r"[a-z0-9+#._-]+", name) else ""


def _pieces(element: Any) -> list[str]:
    """Return the text of a code block in pieces, without furniture; an element that is a line ends one."""
    out: list[str] = []
    _collect(element, out, 0)
    return out


def _collect(element: Any, out: list[str], depth: int) -> None:
    if element.text:
        out.append(element.text)
    for child in element:
        if isinstance(child.tag, str) and not _is_furniture(child):
            _collect_child(child, out, depth)
        if child.tail:
            out.append(child.tail)


def _collect_child(child: Any, out: list[str], depth: int) -> None:
    if child.tag == "br":
        out.append("\n")
        return
    if depth > 100:
        out.append("".join(child.itertext()))
        return
    is_line = child.tag in _LINE_TAGS or bool(_LINE_CLASSES & set(classes(child)))
    if is_line and out and not _ends_line(out):
        out.append("\n")
    mark = len(out)
    _collect(child, out, depth + 1)
    follows = child.tail or (child.getnext() is not None)
    if is_line and follows and not (child.tail or "").startswith("\n") and not _ends_line(out, mark):
        out.append("\n")


def _ends_line(out: list[str], start: int = 0) -> bool:
    """Say whether what was collected since `start` ends a line."""
    for index in range(len(out) - 1, start - 1, -1):
        if out[index]:
            return out[index].endswith("\n")
    return False


def _is_furniture(element: Any) -> bool:
    if element.tag in ("button", "script", "style", "template"):
        return True
    if _FURNITURE & set(classes(element)):
        return True
    if element.get("data-line-number") is not None and not element.text_content().strip():
        return True
    style = str(element.get("style") or "").replace(" ", "").casefold()
    return "user-select:none" in style and not element.text_content().strip().strip("0123456789")
