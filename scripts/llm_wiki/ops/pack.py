"""A context pack as text for a reader and as data for a program."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from llm_wiki.core.fence import fence, notice, one_line
from llm_wiki.core.files import printable
from llm_wiki.core.text import cut
from llm_wiki.ops.query import Pack, Part
from llm_wiki.ops.reading import Budget, Library
from llm_wiki.ops.rows import Hint, Row
from llm_wiki.ops.status import of_hub
from llm_wiki.wiki.resolve import Root

SUMMARY = 320
"""Characters of a summary shown in a row."""

_WORDLESS = frozenset({"plane", "updated", "ingested"})


def text(pack: Pack) -> str:
    """Return the pack as text within its budget; everything from the wiki stands in fences."""
    question = pack.question
    page = _Page(pack.budget)
    page.say(f"Question: {cut(one_line(question.text), 500)}")
    page.say(f"Wiki: {pack.root.name} ({pack.root.kind}), {question.depth}")
    page.say(notice(pack.nonce))
    page.say("Cite paths exactly as written; what no quotation says is not known.\n")
    for part in (pack.main, *pack.secondary):
        _part(page, pack, part, secondary=part is not pack.main)
    for hint in pack.hints:
        page.rows(
            f"Hint, not evidence: pages of the topic {hint.topic} (open them with --wiki {hint.topic}).",
            hint.rows, pack.nonce, f"{hint.topic}: index", "hint",
        )  # fmt: skip
    for hint in pack.archived:
        page.rows(
            f"Archived, preserved and not evidence: pages of the topic {hint.topic}.",
            hint.rows, pack.nonce, f"{hint.topic}: index", "archived",
        )  # fmt: skip
    if question.sentences and pack.extract:
        page.block("Sentences that answer, best first:\n" + _sentences(pack))
    found = gap(pack)
    if found is not None:
        page.say(str(found["statement"]))
    return page.finished()


class _Page:
    """Gathers the text of a pack; what no longer fits is named as left out."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.parts: list[str] = []
        self.room = budget.max_characters - budget.characters - 700  # the closing line

    def say(self, line: str) -> None:
        """Add a line of ours."""
        self.block(line)

    def block(self, block: str) -> bool:
        """Add a block if there is room for it."""
        if len(block) + 1 > self.room:
            return False
        self.room -= len(block) + 1
        self.budget.characters += len(block) + 1
        self.parts.append(block)
        return True

    def quoted(self, block: str) -> None:
        """Add a quotation that the budget has been charged for already."""
        self.parts.append(block)

    def rows(self, head: str, rows: Sequence[Row], nonce: str, name: str, plane: str) -> None:
        """Add index rows under a heading, as many as there is room for."""
        if not rows:
            return
        for count in range(len(rows), 0, -1):
            lines = "\n".join(line(row) for row in rows[:count])
            quoted = fence(lines, path=name, labels={"plane": plane}, nonce=nonce)
            if self.block(f"{head}\n{quoted}"):
                if count < len(rows):
                    self.budget.left_out.append(f"{len(rows) - count} rows of {name}")
                return
        self.budget.left_out.append(f"{len(rows)} rows of {name}")

    def finished(self) -> str:
        """Return the text, closed by what was spent."""
        left = self.budget.left_out
        if len(left) > 8:
            left[8:] = [f"{len(left) - 8} more"]
        last = cut(self.budget.line(), 600)
        self.budget.characters += len(last) + 1
        return "\n".join([*self.parts, last])


def _part(page: _Page, pack: Pack, part: Part, *, secondary: bool) -> None:
    if secondary:
        page.say(f"Secondary wiki {part.name}: cite its paths with the prefix {part.name}:")
    for typed, taken in sorted(part.corrected.items()):
        page.say(f"{typed} occurs nowhere in {part.name}; taken for {taken}.")
    sentences = pack.question.sentences
    if not sentences:
        page.rows("Index rows, best first:", part.rows, pack.nonce, f"{part.name}: index", "navigation")
        for one in part.files:
            page.quoted(f"File ({one_line(printable(one.why))}):\n{one.quoted.text}")
    page.rows(
        "Records and deliverables that match; tracking state, no evidence for a fact:",
        part.records, pack.nonce, f"{part.name}: records", "tracking",
    )  # fmt: skip
    if part.uncovered and part.answered and not sentences:
        page.say(f"Not said in the files opened: {', '.join(map(one_line, part.uncovered))}.")


def _sentences(pack: Pack) -> str:
    lines = [f"{printable(one.path)}:{one.line}: {one.text}" for one in pack.extract]
    lines += [
        f"[{printable(path)}: {said(labels)}]"
        for path, labels in {one.path: one.labels for one in pack.extract}.items()
    ]
    text = "\n".join(map(one_line, lines))
    return fence(text, path=f"{pack.root.name}: sentences", labels={"plane": "extract"}, nonce=pack.nonce)


def gap(pack: Pack) -> dict[str, Any] | None:
    """Return what is missing and how to close the gap; None when something answers."""
    if pack.answered:
        return None
    wanted = " ".join(one_line(word) for word in _words(pack))
    parts = [pack.main, *pack.secondary]
    nearest = [path for part in parts for path in part.nearest]
    if pack.question.sentences:
        nearest += [one.quoted.path for part in parts for one in part.files]
    sources = [path for part in parts for path in part.sources]
    name = pack.root.name
    ingest = f"llm-wiki ingest URL|FILE {where(pack.root)}"
    lines = [f"Gap: {name} holds nothing that answers this; nothing is guessed."]
    if pack.question.sentences and pack.main.files:
        lines = [f"Gap: no sentence in {name} answers this; nothing is guessed."]
    if sources:
        lines.append(
            f"Sources match that no article answers from: {_list(sources)}. Look at them with --raw, "
            "or compile them."
        )
    if pack.root.kind == "hub":
        lines = [f"Gap: no topic was chosen, so no file was opened. Ask again with {where(pack.root)}"]
    else:
        about = f" about: {wanted}" if wanted else ""
        lines.append(f"To close it, ingest a source{about}\n  {ingest}")
    if nearest:
        lines.append(f"Nearest, below the floor: {_list(nearest)}")
    withheld = [path for part in parts for path in part.withheld]
    if withheld:
        lines.append(f"Withheld in part until a retraction is settled: {_list(withheld)}")
    return {
        "statement": "\n".join(lines),
        "about": wanted,
        "ingest": ingest,
        "nearest": nearest,
        "sources": sources,
        "withheld": withheld,
    }


def _words(pack: Pack) -> list[str]:
    from llm_wiki.search.syntax import parse

    return [term.word for term in parse(pack.question.text).terms][:12]


def _list(paths: Iterable[str]) -> str:
    return ", ".join(one_line(printable(path)) for path in list(paths)[:5])


def where(root: Root) -> str:
    """Return the options that name a root from here, whatever hub is configured."""
    if root.path == Path.cwd() / ".wiki":
        return "--local"
    if root.kind == "hub":
        return f"{of_hub(root.path)}--wiki NAME"
    return f"{of_hub(root.hub)}--wiki {root.name}" if root.hub else f"--root {shlex.quote(str(root.path))}"


def said(labels: Mapping[str, str]) -> str:
    """Return labels as words: `confidence medium, freshness 87.2, unattested`."""
    return ", ".join(_words_of(labels))


def _words_of(labels: Mapping[str, str]) -> Iterator[str]:
    for name, value in labels.items():
        if name in _WORDLESS:
            continue
        yield value if name in ("trust", "note") else f"{name} {one_line(value)}"


def line(row: Row) -> str:
    """Return an index row as one line."""
    parts = [f"{printable(row.path)} | {cut(row.title, 200)}"]
    parts += [cut(row.summary, SUMMARY)] if row.summary else []
    parts += [f"tags: {cut(', '.join(row.tags), 200)}"] if row.tags else []
    parts += [f"updated {one_line(row.updated)}"] if row.updated else []
    labels = said(row.labels)
    parts += [labels] if labels else []
    return one_line(" | ".join(parts))


def data(pack: Pack, rendered: str) -> dict[str, Any]:
    """Return the pack as a verb's own JSON keys; `pack` is the text to hand to a reader."""
    question = pack.question
    return {
        "root": str(pack.root.path),
        "wiki": pack.root.name,
        "question": question.text,
        "depth": question.depth,
        "answered": pack.answered,
        "nonce": pack.nonce,
        "main": _part_data(pack.main),
        "secondary": [_part_data(part) for part in pack.secondary],
        "hints": _hints(pack.hints),
        "archived": _hints(pack.archived),
        "extract": [one._asdict() | {"labels": dict(one.labels)} for one in pack.extract],
        "gap": gap(pack),
        "budget": pack.budget.data(),
        "pack": rendered,
    }


def _part_data(part: Part) -> dict[str, Any]:
    return {
        "wiki": part.name,
        "answered": part.answered,
        "rows": [row_data(row) for row in part.rows],
        "records": [row_data(row) for row in part.records],
        "files": [
            {
                "path": one.quoted.path,
                "why": one.why,
                "labels": dict(one.quoted.labels),
                "first_line": one.quoted.lines.first,
                "last_line": one.quoted.lines.last,
                "lines": one.quoted.total,
                "cut": one.quoted.cut,
            }
            for one in part.files
        ],
        "nearest": list(part.nearest),
        "sources": list(part.sources),
        "uncovered": list(part.uncovered),
        "corrected": part.corrected,
    }


def row_data(row: Row) -> dict[str, Any]:
    """Return an index row as data."""
    return row._asdict() | {"tags": list(row.tags)}


def _hints(hints: Sequence[Hint]) -> list[dict[str, Any]]:
    return [{"wiki": hint.topic, "rows": [row_data(row) for row in hint.rows]} for hint in hints]


def listed(library: Library, rows: Sequence[Row]) -> tuple[dict[str, Any], str]:
    """Return a list of articles as data and as text, within the budget of a query."""
    budget = Budget()
    page = _Page(budget)
    page.say(f"{len(rows)} pages of {library.root.name}")
    page.say(notice(library.nonce))
    page.rows("Index rows, by path:", rows, library.nonce, f"{library.root.name}: index", "navigation")
    text = page.finished()
    data = {
        "root": str(library.root.path),
        "wiki": library.root.name,
        "rows": [row_data(row) for row in rows],
        "nonce": library.nonce,
        "budget": budget.data(),
    }
    return data, text
