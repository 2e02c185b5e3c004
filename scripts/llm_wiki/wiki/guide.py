"""The topic guide `schema.md`: its starter, its state, and what can be said about it by code.

The guide belongs to the human (`doctrine.md` §8, `archive-retract.md` §4): it is created once and
never rewritten. Everything here reads, or returns the bytes of a new one.
"""

from __future__ import annotations

from datetime import date
from typing import Literal, NamedTuple

from llm_wiki.core.errors import BadUsage
from llm_wiki.core.text import fold
from llm_wiki.model import layout
from llm_wiki.model.document import page as parse_page
from llm_wiki.model.indexes import Facts, IndexDoc, markdown_files
from llm_wiki.model.kinds import GUIDE_STATES
from llm_wiki.model.page import Page

PROPOSALS = "schema-proposal-"
"""How the names of guide proposals in `output/` start."""

PROPOSE_FROM = 10
"""Number of articles from which a proposal of the topic's own is due (`doctrine.md` §8)."""

VOCABULARY = "Entity Types"
VOCABULARY_COLUMNS = ("Type", "Meaning")

HEADINGS = (
    "State",
    VOCABULARY,
    "Relationship Verbs",
    "Source Conventions",
    "Compile Guidance",
    "Adoption Notes",
)
"""Headings of the starter, in its order."""

_BODY = """
# {title}

## State

State: {state}. This guide helps to plan articles: what they are about, where they end, which words
they use. `advisory` means that it is followed and deviations are named; `strict` that a deviation
needs a yes before anything is written. It never changes categories, required fields or folders.

## Entity Types

| Type | Meaning |
|------|---------|
| concept | an idea or a mechanism that is explained |
| topic | an area that brings several concepts together |
| reference | a fact sheet, a list or a comparison to look things up in |
| source | a raw file: what somebody said at a date |
| artifact | something made from the wiki: a report, a plan, a project |

## Relationship Verbs

`cites` `supports` `contradicts` `supersedes` `depends-on` `implements` `relates-to`

## Source Conventions

One raw file per source, never edited. An article names its sources in `sources`. This guide
does not exempt raw sources from C6 coverage: each is cited by an article or stands on the list
of uncompiled ones.

## Compile Guidance

One article per entity; a new article only for what several places will link to. A detail of one
article stays in it. Disagreement between sources is written down, not averaged.

## Adoption Notes

Started from the default guide on {date}. Change it as the topic grows; it is read in full before
every compile.
"""


class GuideStatus(NamedTuple):
    """What a topic's guide is at.

    `status`: `present`, `missing`, `missing-with-proposal`. `state`: the value of `schema_state`,
    else of `status`, else `present`; without a guide `proposed` or `missing`. `articles` counts the
    files of the category folders, `proposals` are the paths of guide proposals.
    """

    status: Literal["present", "missing", "missing-with-proposal"]
    state: str
    exists: bool
    articles: int
    proposals: tuple[str, ...]


class GuideDifference(NamedTuple):
    """How the headings of a guide differ from the starter's: those it lacks, those it adds."""

    missing: tuple[str, ...]
    added: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.missing or self.added)


class GuideProblem(NamedTuple):
    """Something in a guide that no reader can use: 1-based line (0: the file as a whole) and text."""

    line: int
    text: str


def starter(title: str, today: date, state: str = GUIDE_STATES[0]) -> bytes:
    """Return a new guide for the wiki with this title. Raises BadUsage for another state."""
    from llm_wiki.model.edit import render

    if state not in GUIDE_STATES:
        raise BadUsage(f"unknown state {state!r}", remedy=f"one of: {', '.join(GUIDE_STATES)}")
    name = f"{' '.join(title.split()) or 'Wiki'} Topic Guide"
    day = today.isoformat()
    fields = {
        "title": name,
        "schema_state": state,
        "created": day,
        "updated": day,
        "summary": "How articles of this topic are planned: entity types, relations, sources, boundaries.",
    }
    return render(fields, _BODY.format(title=name, state=state, date=day))


def state_of(page: Page) -> str:
    """Return the state a guide names, as written; `present` when it names none."""
    return page.text("schema_state") or page.text("status") or "present"


def status(facts: Facts) -> GuideStatus:
    """Return the state of a topic's guide from the files of the topic."""
    exists = layout.SCHEMA in facts.dirs.get("", ())
    found = tuple(rel for rel in markdown_files("output", facts) if rel.startswith(f"output/{PROPOSALS}"))
    folders = (f"wiki/{name}" for name in layout.WIKI_FOLDERS)
    articles = sum(1 for folder in folders for _ in markdown_files(folder, facts))
    page = facts.pages.get(layout.SCHEMA)
    if exists:
        return GuideStatus("present", state_of(page) if page else "present", True, articles, found)
    if found:
        return GuideStatus("missing-with-proposal", "proposed", False, articles, found)
    return GuideStatus("missing", "missing", False, articles, found)


def differences(data: bytes) -> GuideDifference:
    """Compare the `##` headings of a guide with those of the starter, in any case and order."""
    page = parse_page(layout.SCHEMA, data)
    texts = [heading.text for heading in page.headings if heading.level == 2]
    present, known = set(map(fold, texts)), set(map(fold, HEADINGS))
    return GuideDifference(
        tuple(text for text in HEADINGS if fold(text) not in present),
        tuple(text for text in texts if fold(text) not in known),
    )


def problems(data: bytes) -> list[GuideProblem]:
    """Return what no reader of the guide can use: its front matter, its state, its vocabulary table.

    A guide without the section Entity Types is complete in its own way; one with the section needs
    a table there, with a type and a meaning in every row and no type twice.
    """
    page = parse_page(layout.SCHEMA, data)
    found = [
        GuideProblem(problem.line, f"{problem.code}: {problem.detail}".rstrip(": "))
        for problem in page.problems
        if problem.code in ("encoding", "missing", "unclosed", "yaml", "duplicate", "conflict")
    ]
    if page.front == "ok" and state_of(page) not in GUIDE_STATES:
        key = "schema_state" if page.text("schema_state") else "status"
        line = page.lines.get(key, page.lines.get("schema_state", 0))
        words = " or ".join(GUIDE_STATES)
        value = page.text(key)
        told = f"{key} is {value!r}, not {words}" if value else f"no schema_state: {words}"
        found.append(GuideProblem(line, told))
    found += _vocabulary(data)
    return sorted(found)


def _vocabulary(data: bytes) -> list[GuideProblem]:
    doc = IndexDoc(layout.SCHEMA, data)
    heading = next((head for head in doc.headings if fold(head.text) == fold(VOCABULARY)), None)
    if heading is None:
        return []
    end = doc.section_end(heading.line)
    table = next((table for table in doc.tables if heading.line < table.head < end), None)
    if table is None:
        return [GuideProblem(heading.line + 1, f"no table under {VOCABULARY}")]
    headers = list(map(fold, table.headers))
    lacking = [name for name in VOCABULARY_COLUMNS if fold(name) not in headers]
    if lacking:
        return [GuideProblem(table.head + 1, f"the table of {VOCABULARY} has no column {lacking[0]}")]
    if not table.rows:
        return [GuideProblem(table.head + 1, f"the table of {VOCABULARY} has no rows")]
    found: list[GuideProblem] = []
    seen: set[str] = set()
    for row in table.rows:
        texts = [cell.text for cell in row.cells] + [""] * len(headers)
        kind, meaning = (texts[headers.index(fold(name))] for name in VOCABULARY_COLUMNS)
        if not kind or not meaning:
            found.append(GuideProblem(row.line + 1, "a row without type or meaning"))
        elif fold(kind) in seen:
            found.append(GuideProblem(row.line + 1, f"type {kind} stands there twice"))
        seen.add(fold(kind))
    return found
