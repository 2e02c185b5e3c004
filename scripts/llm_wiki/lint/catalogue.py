"""The pages of the lint rules: why a finding matters, an example that gives it, what to do.

Pages are data: `pages/*.md`, one file a hundred, one section `## W305` a rule. A section holds, in
this order: `<!-- fix: partly -->` (or `asked`) where the table of rules does not say it all; why
the defect matters; a paragraph that opens with `**Repair.**`; one that opens with `**Related.**` and
lists ids; at least one `### Example`. Severity, scope, title and origin come from the table alone.

An example changes a small clean wiki and is executed by the tests. Its comment names the wiki it
starts from and what else it gives: `<!-- on: hub; with: W908; stale -->`. Starts are `tea` (a topic,
the default), `hub`, `member` (the smaller topic of that hub) and `empty` (a folder that is no wiki);
`stale` leaves the indexes of a topic as they were, otherwise they follow the files. The text before
the first block says what happened. Blocks, by the first word after the fence:

    add PATH             write the file
    edit PATH            lines `-` become lines `+`, lines with a blank stay; `...` parts places; lines `+`
                         alone go to the end
    remove PATH          take a file or folder away
    folder PATH          make an empty folder
    move PATH -> TO      give a file or folder another path
    copy PATH -> TO      write a file a second time
    link PATH -> TARGET  make a symbolic link
    bytes PATH           append bytes, written in hexadecimal
    repeat PATH COUNT    append the text that often, as one line
    mode PATH MODE       take permissions away (octal)
    find                 the findings, as the report prints them
    fixed                what `lint --fix` says it did
    diff PATH            the lines it changed in a file that was there before, but dates of indexes
    made PATH            a file that it wrote anew

`/home/ann` is the folder above the wiki; a path that
begins with `../` lies there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

from llm_wiki.core.errors import BadUsage
from llm_wiki.lint.finding import Severity
from llm_wiki.lint.options import words

Repair = Literal["yes", "partly", "asked", "no"]
"""What `lint --fix` does: every finding, some, those of a rule named by `--only`, none."""

RESULTS: Final = ("find", "fixed", "diff", "made")
"""Blocks that say what comes of an example; all others change its wiki."""

FOLDER: Final = Path(__file__).parent / "pages"
"""Where the pages lie, with the text that opens the document they make."""

SECTION: Final = re.compile(r"^## (W\d{3})$", re.MULTILINE)
EXAMPLE: Final = re.compile(r"^### Example$", re.MULTILINE)
"""Headings at which a file of pages parts into rules, and a page into its examples."""

_SCOPES: dict[str, str] = {"tree": "topic", "file": "file", "hub": "hub"}
_FENCE = re.compile(r"^(`{3,})([a-z]+)(?: (.+?))?\n(.*?)^\1$\n?", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"^<!-- (.+?) -->\n?", re.MULTILINE)
_LEAD = re.compile(r"^\*\*(Repair|Related)\.\*\* ", re.MULTILINE)
_ID = re.compile(r"W\d{3}")


class Block(NamedTuple):
    """One fenced block: what it is, the path it is about, what follows the path, and its text."""

    word: str
    path: str
    argument: str
    text: str


class Example(NamedTuple):
    """One damaged wiki: where it starts, what happened in words and as blocks, other ids it gives."""

    start: str
    follow: bool
    company: tuple[str, ...]
    note: str
    blocks: tuple[Block, ...]

    def results(self, word: str) -> list[Block]:
        """Return the blocks of one kind."""
        return [block for block in self.blocks if block.word == word]


class Facts(NamedTuple):
    """What the table of rules says: scope is `topic`, `file` (one document of it), `hub` or both."""

    id: str
    title: str
    severity: Severity
    strict: Severity
    scope: str
    origin: str
    upstream: str
    fix: bool


class Text(NamedTuple):
    """What a page says beyond the table; `repairs` is "" where the table says it all."""

    id: str
    repairs: str
    why: str
    repair: str
    related: tuple[str, ...]
    examples: tuple[Example, ...]


class RulePage(NamedTuple):
    """One rule as it is explained."""

    facts: Facts
    text: Text

    @property
    def repairs(self) -> Repair:
        """What `lint --fix` does about findings of this rule."""
        if self.text.repairs:
            return self.text.repairs  # type: ignore[return-value]
        return "yes" if self.facts.fix else "no"


NO_WIKI: Final = Facts(
    "W100", "target missing, no folder, no wiki, or half a hub", "critical", "critical", "any", "N", "", False
)
"""What ends a run is no rule of the table, and is explained all the same."""


@cache
def facts() -> dict[str, Facts]:
    """Return what the table says, by id in its order."""
    from llm_wiki.lint.engine import EVERYWHERE
    from llm_wiki.lint.rules.table import RULES

    found = {NO_WIKI.id: NO_WIKI}
    for rule in RULES:
        scope = _SCOPES[rule.scope] + (" or hub" if rule.id in EVERYWHERE else "")
        strict = rule.strict or rule.severity
        values = (rule.title, rule.severity, strict, scope, rule.origin, rule.upstream, rule.fix)
        found[rule.id] = Facts(rule.id, *values)
    return found


def texts(hundred: str = "?") -> dict[str, Text]:
    """Read the pages of one hundred, or of all, by id in order."""
    found = {}
    for path in sorted(FOLDER.glob(f"{hundred}xx.md")):
        parts = SECTION.split(path.read_text(encoding="utf-8"))
        for rule_id, section in zip(parts[1::2], parts[2::2], strict=True):
            found[rule_id] = _text(rule_id, section)
    return found


def pages(ids: Iterable[str] | None = None) -> list[RulePage]:
    """Return the pages of these rules, or of all in the order of the table."""
    known = facts()
    wanted = list(known if ids is None else ids)
    read: dict[str, Text] = {}
    for hundred in sorted({rule_id[1] for rule_id in wanted}):
        read |= texts(hundred)
    return [RulePage(known[rule_id], read[rule_id]) for rule_id in wanted]


def asked(given: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the ids that were named whole, and those that only a beginning names, each once.

    Case does not matter, commas part words. Raises BadUsage for a word that begins no id.
    """
    whole: dict[str, None] = {}
    begun: dict[str, None] = {}
    known = facts()
    for word in words(given):
        if word in known:
            whole[word] = None
            continue
        hits = [rule_id for rule_id in known if rule_id.startswith(word)]
        if not hits:
            raise BadUsage(f"no lint rule is called {word}", remedy=_nearest(word, known))
        begun.update(dict.fromkeys(hits))
    if not whole and not begun:
        raise BadUsage("--explain needs the id of a rule", remedy="llm-wiki lint --explain W501")
    return list(whole), [rule_id for rule_id in begun if rule_id not in whole]


def _nearest(word: str, ids: Iterable[str]) -> str:
    """Name up to three ids that resemble a word."""
    from difflib import get_close_matches

    found = get_close_matches(word, list(ids), 3, 0.5)
    if not found:
        return "`llm-wiki lint --explain W` lists all rules"
    listed = f"{', '.join(found[:-1])} or {found[-1]}" if len(found) > 1 else found[0]
    return f"did you mean {listed}? `llm-wiki lint --explain W` lists all rules"


# --- reading -------------------------------------------------------------------------------


def _text(rule_id: str, section: str) -> Text:
    head, *examples = EXAMPLE.split(section)
    settings = _settings(head)
    parts = _LEAD.split(_COMMENT.sub("", head))
    said = dict(zip(parts[1::2], map(str.strip, parts[2::2]), strict=True))
    related = tuple(_ID.findall(said.get("Related", "")))
    why, repair = parts[0].strip(), said.get("Repair", "")
    return Text(rule_id, settings.get("fix", ""), why, repair, related, tuple(map(_example, examples)))


def _settings(text: str) -> dict[str, str]:
    found = _COMMENT.search(text)
    pairs = (part.partition(":") for part in found[1].split(";")) if found else ()
    return {name.strip(): value.strip() for name, _, value in pairs}


def _example(text: str) -> Example:
    settings = _settings(text)
    blocks = tuple(_blocks(text))
    note = _COMMENT.sub("", _FENCE.sub("", text)).strip()
    company = tuple(_ID.findall(settings.get("with", "")))
    return Example(settings.get("on", "tea"), "stale" not in settings, company, note, blocks)


def _blocks(text: str) -> Iterator[Block]:
    for _, word, rest, body in _FENCE.findall(text):
        path, arrow, argument = rest.partition(" -> ")
        if not arrow and word in ("repeat", "mode"):
            path, _, argument = rest.rpartition(" ")
        yield Block(word, path, argument, body)
