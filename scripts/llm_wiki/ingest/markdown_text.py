"""Text as Markdown: escaped so that it stays text, with emphasis only where Markdown can express it.

A paragraph is a list of `Run`s. Everything that depends on what stands beside a run (blanks, flanking of
emphasis marks, the beginning of a line) is decided here, once the whole paragraph is known.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

MARKS: dict[str, str] = {"strong": "**", "em": "*", "del": "~~"}
"""Style → its delimiter."""

_ENTITY = re.compile(r"&(?=#?[0-9A-Za-z]{1,32};)|&$")
_BACKSLASH = re.compile(r"\\(?=[!-/:-@\[-`{-~]| *$)")
_UNDERSCORES = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
"""All but those inside words, which never open or close emphasis."""
_BLANKS = re.compile(r"[ \t\n\r\f\v\u2028\u2029]+")
_INVISIBLE = re.compile("[\u00ad\ufeff\u2060\x00-\x08\x0e-\x1f\x7f-\x9f]")
_LINE_STARTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?=[#>|])"), "\\\\"),
    (re.compile(r"(?=[-+](?: |$))"), "\\\\"),
    (re.compile(r"(?=:(?: |$))"), "\\\\"),
    (re.compile(r"(?=[-=:|+][-=:|+ ]*$)"), "\\\\"),
    (re.compile(r"(\d{1,9})(?=[.)](?: |$))"), r"\1\\"),
)
"""What at the beginning of a line would be a heading, quote, list, rule or table, and its escaped form."""


class Run(NamedTuple):
    """A piece of a paragraph: `raw` tells finished Markdown (a link, a code span) from plain text."""

    text: str
    style: frozenset[str] = frozenset()
    raw: bool = False


BREAK = Run("\\\n", raw=True)
"""A line break inside a paragraph."""


def visible(text: str) -> str:
    """Return text without soft hyphens, joiners and control characters, line ends kept."""
    return _INVISIBLE.sub("", text)


def paragraphs(runs: Iterable[Run]) -> list[str]:
    """Return the paragraphs that runs make: two line breaks in a row part them."""
    found: list[list[Run]] = [[]]
    pending: list[Run] = []
    for run in runs:
        if run == BREAK:
            pending.append(run)
        elif run.raw or run.text.strip():
            if len(pending) > 1:
                found.append([])
            elif pending:
                found[-1].append(BREAK)
            pending = []
            found[-1].append(run)
        elif not pending:
            found[-1].append(run)
    return [text for part in found if (text := render(part))]


def one_line(runs: Iterable[Run], *, cell: bool = False) -> str:
    """Return runs as Markdown without line breaks, for headings, labels and (`cell`) table cells."""
    return render([Run(" ") if run == BREAK else run for run in runs], cell=cell, starts=False)


def render(runs: Sequence[Run], *, cell: bool = False, starts: bool = True) -> str:
    """Return one paragraph. `starts` says that its lines begin lines of the document.

    In a `cell` bars are escaped; raw runs must have come from a renderer that knows it is in a cell.
    """
    tidy = _collapsed(runs, cell)
    tildes = sum(run.text.count("~") for run in tidy if not run.raw) > 1 or any(
        "del" in run.style for run in tidy
    )
    escaped = [
        run
        if run.raw
        else run._replace(
            text=_escape(run.text, tidy[index + 1] if index + 1 < len(tidy) else None, tildes, cell)
        )
        for index, run in enumerate(tidy)
    ]
    text = _nest(escaped, "", "")
    if any(run.style for run in escaped):
        bare = "".join(run.text for run in escaped)
        text = text if _shown(text) == _shown(bare) else bare
    if not starts:
        return text.strip()
    return "\n".join(_line_start(line) for line in text.strip().split("\n"))


def _shown(markdown: str) -> str:
    """Return the text that a reader of Markdown sees, without blanks.

    Where emphasis marks stand between punctuation and other marks, only a parser knows how they pair up.
    """
    import pyromark

    found: list[str] = []
    for event in pyromark.events(markdown, options=pyromark.Options.ENABLE_STRIKETHROUGH):
        if isinstance(event, dict):
            found += [str(value) for key, value in event.items() if key in ("Text", "Code")]
    return "".join("".join(found).split())


def code_span(text: str, *, cell: bool = False) -> str:
    """Return text as inline code, whatever backticks it holds; "" when there is none.

    Raises nothing; line ends become blanks as Markdown reads them.
    """
    text = _BLANKS.sub(" ", visible(text).replace("\u00a0", " ")).strip()
    if not text:
        return ""
    longest = max((len(ticks) for ticks in re.findall("`+", text)), default=0)
    fence = "`" * (1 if longest == 0 else longest + 1)
    if text.startswith("`") or text.endswith("`"):
        text = f" {text} "
    return fence + (text.replace("|", "\\|") if cell else text) + fence


def _collapsed(runs: Sequence[Run], cell: bool) -> list[Run]:
    """Join runs of one style, collapse blanks within and across runs, drop them at ends and breaks."""
    out: list[Run] = []
    blank = True
    for run in runs:
        if run.raw:
            if run == BREAK:
                _trim(out)
            touching = _is_code(run) and bool(out) and _is_code(out[-1])
            out.append(_one_code(out.pop(), run, cell) if touching else run)
            blank = run == BREAK
            continue
        text = _BLANKS.sub(" ", visible(run.text))
        if blank:
            text = text.lstrip(" ")
        if not text:
            continue
        blank = text.endswith(" ")
        if out and not out[-1].raw and out[-1].style == run.style:
            out[-1] = out[-1]._replace(text=out[-1].text + text)
        else:
            out.append(Run(text, run.style))
    _trim(out)
    return out


def _is_code(run: Run) -> bool:
    return run.raw and run.text.startswith("`")


def _one_code(one: Run, other: Run, cell: bool) -> Run:
    """Join two code spans that touch: their backticks would run together."""
    parts = []
    for run in (one, other):
        ticks = len(run.text) - len(run.text.lstrip("`"))
        text = run.text[ticks:-ticks]
        text = text[1:-1] if text.startswith(" ") and text.endswith(" ") and text.strip() else text
        parts.append(text.replace("\\|", "|") if cell else text)
    return Run(code_span("".join(parts), cell=cell), one.style & other.style, raw=True)


def _trim(out: list[Run]) -> None:
    while out and not out[-1].raw:
        text = out[-1].text.rstrip(" ")
        if text:
            out[-1] = out[-1]._replace(text=text)
            return
        out.pop()


def _escape(text: str, following: Run | None, tildes: bool, cell: bool) -> str:
    text = _BACKSLASH.sub(r"\\\\", text) if following is not None or "\\" in text else text
    text = re.sub(r"[*`\[\]]", r"\\\g<0>", text)
    text = _UNDERSCORES.sub(lambda match: "\\_" * len(match[0]), text)
    text = re.sub(r"<(?=[A-Za-z/!?]|$)", r"\\<", text)
    text = _ENTITY.sub(r"\\&", text)
    if tildes:
        text = text.replace("~", "\\~")
    if cell:
        text = text.replace("|", "\\|")
    if text.endswith("!") and following is not None and following.raw and following.text.startswith("["):
        text = text[:-1] + "\\!"
    return text


def _line_start(line: str) -> str:
    for pattern, replacement in _LINE_STARTS:
        if pattern.match(line):
            return pattern.sub(replacement, line, count=1)
    return line


def _nest(runs: Sequence[Run], before: str, after: str) -> str:
    """Wrap runs in their styles, at each place the style that reaches farthest outermost.

    `before` is the character that stands before the result, `after` the one behind it, followed by the marks
    that may come between.
    """
    out: list[str] = []
    last, start = before, 0
    while start < len(runs):
        style, end = _widest(runs, start)
        upcoming = _first(runs[end]) if end < len(runs) else after
        if style:
            inner = [run._replace(style=run.style - {style}) for run in runs[start:end]]
            text = _wrapped(inner, MARKS[style], last, upcoming)
        else:
            text = runs[start].text
        out.append(text)
        last = text[-1:] or last
        start = end
    return "".join(out)


def _first(run: Run) -> str:
    """Return the first character of a run and the emphasis marks it may get in front of it."""
    return run.text[:1] if run.text.startswith(" ") else run.text[:1] + "".join(MARKS[s] for s in run.style)


def _widest(runs: Sequence[Run], start: int) -> tuple[str, int]:
    best, reach = "", start + 1
    for style in MARKS:
        if style in runs[start].style:
            end = start + 1
            while end < len(runs) and style in runs[end].style:
                end += 1
            if not best or end > reach:
                best, reach = style, end
    return best, reach


def _wrapped(inner: Sequence[Run], mark: str, before: str, after: str) -> str:
    """Return runs between emphasis marks, or bare where Markdown would not read the marks as emphasis."""
    text = _nest(inner, "", "")
    core = text.strip(" ")
    if not core:
        return text
    lead, trail = text[: len(text) - len(text.lstrip(" "))], text[len(text.rstrip(" ")) :]
    outer, beyond = (" " if lead else before), (" " if trail else after)
    head, tail = core.lstrip("*~")[:1], core.rstrip("*~")[-1:]
    opens = bool(head) and not head.isspace() and (not _punctuation(head) or _open(outer))
    closes = bool(tail) and not tail.isspace() and (not _punctuation(tail) or _open(beyond[:1]))
    if mark[0] in outer + beyond or not opens or not closes:
        return _nest(inner, before, after)
    return f"{lead}{mark}{core}{mark}{trail}"


def _open(char: str) -> bool:
    return not char or char.isspace() or _punctuation(char)


def _punctuation(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"
