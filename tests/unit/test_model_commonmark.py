"""Links, headings and code of our reading against markdown-it-py and the specification's own HTML."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from markdownkit import Reading, as_in_html, by_html, by_markdown_it, by_us, commonmark, dialect
from model_cases import cases

from llm_wiki.model.markdown import anchor

EXAMPLES = json.loads((Path(__file__).parent / "data" / "commonmark-0.31.2.json").read_text(encoding="utf-8"))
SPEC = commonmark()
DIALECT = dialect()

KNOWN = {559: "`[[…]]` is a wikilink before it can be brackets around a reference"}
"""Example → why we read other links than the specification."""

Change = Callable[[str], str]


def _lines(first: str, rest: str) -> Change:
    """Return a change that puts something in front of the first line and of each other one."""
    return lambda text: "".join(
        f"{rest if number else first}{line}\n"
        for number, line in enumerate(text.removesuffix("\n").split("\n"))
    )


VARIANTS: dict[str, Change] = {
    "as it stands": lambda text: text,
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "CR": lambda text: text.replace("\n", "\r"),
    "without its last line end": lambda text: text.removesuffix("\n"),
    "behind front matter": lambda text: f'---\ntitle: "[x](y.md)"\n---\n{text}',
    "in a quote": _lines("> ", "> "),
    "in a list": _lines("- ", "  "),
    "as a task": lambda text: f"- [x] {text}",
    "in a footnote": lambda text: "x[^n]\n\n[^n]: y\n\n" + _lines("    ", "    ")(text),
    "its first line in a table": lambda text: f"| a | b |\n|---|---|\n| {text.partition(chr(10))[0]} | x |\n",
    "twice": lambda text: text + text,
    "its lines backwards": lambda text: "\n".join(text.split("\n")[::-1]),
}


def test_the_specification_is_there_as_a_whole():
    assert [example["example"] for example in EXAMPLES] == list(range(1, 653))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example['example']}")
def test_an_example_reads_as_the_specification_says(example: dict[str, str]):
    text, known = example["markdown"], example["example"] in KNOWN
    assert (as_in_html(text) == by_html(example["html"])) is not known
    assert (by_us(text) == by_markdown_it(text, SPEC)) is not known


@pytest.mark.parametrize("name", VARIANTS)
def test_two_readers_agree_on_every_example(name: str):
    change = VARIANTS[name]
    different = {
        example["example"]
        for example in EXAMPLES
        if by_us(change(example["markdown"]), header=True)
        != by_markdown_it(change(example["markdown"]), DIALECT)
    }
    assert different == (set() if name == "its first line in a table" else set(KNOWN))


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [pytest.param(*case, id=case[0].split("\n")[0]) for case in cases("markdown_extensions.md")],
)
def test_extensions_read_as_the_table_says_and_as_markdown_it_reads_them(
    title: str, text: str, expected: str
):
    ours = by_us(text, header=True)
    assert "".join(f"{line}\n" for line in _shown(ours)) == expected
    known = title.partition("\n")[2].removeprefix("differs: ")
    assert (ours == by_markdown_it(text, DIALECT)) is not bool(known)


def _shown(reading: Reading) -> list[str]:
    """Return a reading in lines: links, then headings, code and footnotes as far as there are any."""
    lines = list(reading.links)
    lines += [f"{'#' * level} {words}" for level, words in reading.headings]
    lines += [f"code {reading.code}"] if reading.code else []
    return lines + [f"[^{label}]" for label in reading.notes]


def test_marks_of_a_strikethrough_stay_in_a_heading_and_go_from_its_anchor():
    text = "# ~~Old~~ new [x](y.md)\n"
    ours, theirs = by_us(text), by_markdown_it(text, DIALECT)
    assert ours.links == theirs.links
    assert (ours.headings, theirs.headings) == ([(1, "~~Old~~ new x")], [(1, "Old new x")])
    assert anchor(ours.headings[0][1]) == anchor(theirs.headings[0][1]) == "old-new-x"
