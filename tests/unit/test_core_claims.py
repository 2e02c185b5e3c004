"""Where a marker stands, and that what it stands before is what a reader does not get."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_wiki.core.claims import OPEN, Cite, due
from llm_wiki.core.retracted import mask_retracted
from llm_wiki.model.markdown import scan

OURS, OTHER = "{A}", "{B}"


def marked(text: str) -> str:
    """Put the markers that are due into a text in which `{A}` cites the source that goes, `{B}` another."""
    cites = [Cite(found.start(), found.end(), found[0] == OURS) for found in re.finditer(r"\{[AB]\}", text)]
    tables = [
        (len(text.encode()[:start].decode()), len(text.encode()[:end].decode()))
        for start, end in scan(text).tables
    ]
    for at in reversed(due(text, cites, tables)):
        text = text[:at] + "!" + text[at:]
    return text


CASES = {
    "a sentence alone": ("Wine is red {A}.", "!Wine is red {A}."),
    "the second sentence": ("All is well. Wine is red {A}. Next.", "All is well. !Wine is red {A}. Next."),
    "cited by another too": ("Wine is red {A} {B}.", "Wine is red {A} {B}."),
    "twice in one sentence": ("Wine {A} is red {A}.", "!Wine {A} is red {A}."),
    "each of two sentences": ("One {A}. Two {A}.", "!One {A}. !Two {A}."),
    "one of two": ("One {A}. Two {B}.", "!One {A}. Two {B}."),
    "over two lines": ("One. Wine\nis red {A}. Next.", "One. !Wine\nis red {A}. Next."),
    "behind the full stop": ("Wine is red. {A}\n", "!Wine is red. {A}\n"),
    "in brackets behind the full stop": ("One. Wine is red. ({A})\n", "One. !Wine is red. ({A})\n"),
    "a paragraph of its own": ("Wine is red. Or not.\n\n{A}\n", "!Wine is red. !Or not.\n\n{A}\n"),
    "a paragraph of its own below a heading": ("## Wine\n\n{A}\n", "## Wine\n\n{A}\n"),
    "a paragraph of its own behind a cited one": ("Wine is red {B}.\n\n{A}\n", "Wine is red {B}.\n\n{A}\n"),
    "below a quotation": ("> Wine is red. Dry.\n>\n> — {A}\n", "> !Wine is red. Dry.\n>\n> — {A}\n"),
    "behind a word that leads to it": ("Wine is red. (Source: {A})\n", "!Wine is red. (Source: {A})\n"),
    "a list item": ("- wine is red {A}\n- other\n", "- !wine is red {A}\n- other\n"),
    "the second sentence of an item": ("- One. Two {A}.\n", "- One. !Two {A}.\n"),
    "a numbered item": ("3. wine {A}\n", "3. !wine {A}\n"),
    "a task": ("- [ ] wine {A}\n", "- [ ] !wine {A}\n"),
    "an item that goes on": ("- One\n  two {A}\n", "- !One\n  two {A}\n"),
    "a nested item": ("- One\n  - two {A}\n", "- One\n  - !two {A}\n"),
    "a quotation": ("> One. Wine\n> is red {A}.\n", "> One. !Wine\n> is red {A}.\n"),
    "a quoted item": ("> - wine {A}\n", "> - !wine {A}\n"),
    "a callout": ("> [!note] T\n> Wine {A}.\n", "> [!note] T\n> !Wine {A}.\n"),
    "the title of a callout": ("> [!tip]- Wine {A}\n> Text.\n", "> [!tip]- !Wine {A}\n> Text.\n"),
    "a quotation without its mark": ("> Wine\nis red {A}.\n", "> !Wine\nis red {A}.\n"),
    "behind a stop in brackets": (
        "One. Wine (v. 2. Old. {A}) is red.",
        "One. !Wine (v. 2. Old. {A}) is red.",
    ),
    "a footnote in the line": ("One. Red.^[Li. Ibid. {A}.] Two.", "One. !Red.^[Li. Ibid. {A}.] Two."),
    "a bracket that never closes": ("One :( red. Wine {A}.", "One :( red. !Wine {A}."),
    "a row": ("| a | b |\n|---|---|\n| wine | {A} |\n", "| a | b |\n|---|---|\n| !wine | {A} |\n"),
    "a row without outer bars": ("a | b\n--- | ---\nwine | {A}\n", "a | b\n--- | ---\nwine | !{A}\n"),
    "a row with another": (
        "| a | b |\n|---|---|\n| {B} | {A} |\n",
        "| a | b |\n|---|---|\n| {B} | {A} |\n",
    ),
    "a heading": ("## Wine {A}\n\nText.\n", "## Wine {A}\n\nText.\n"),
    "below a heading": ("## Wine\nText {A}.\n", "## Wine\n!Text {A}.\n"),
    "an underlined heading above": ("Wine\n====\nText {A}.\n", "Wine\n====\n!Text {A}.\n"),
    "an abbreviation": ("Wine, e.g. Riesling, is white {A}.", "!Wine, e.g. Riesling, is white {A}."),
    "a number": ("It is 1.5 times so {A}. Next.", "!It is 1.5 times so {A}. Next."),
    "marked already": (f"{OPEN}Wine is red {{A}}.", f"{OPEN}Wine is red {{A}}."),
    "behind another script": ("ワインは赤い。甘い{A}。", "ワインは赤い。!甘い{A}。"),
    "letters beyond ASCII before": ("Ääö. Größe {A}.", "Ääö. !Größe {A}."),
    "no words at all": ("{A}", "{A}"),
    "behind a code block": ("```\nx\n```\nWine {A}.\n", "```\nx\n```\n!Wine {A}.\n"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_marker_stands_before_the_claim(name):
    before, after = CASES[name]
    assert marked(before) == after


@pytest.mark.parametrize("name", [name for name, (_, after) in CASES.items() if "!" in after])
def test_what_is_marked_is_masked(name):
    """A reader gets none of the words between the marker and the citation."""
    text = re.sub(r"(?<!\[)!", OPEN, CASES[name][1])
    claim = text[text.index(OPEN) + len(OPEN) : text.index(OURS)].strip(" (\n") or OURS
    assert claim not in mask_retracted(text)[0]


def test_a_footnote_behind_the_full_stop_belongs_to_the_sentence_before_it():
    text = "One. Wine is red.[^1] Next one.[^2]"
    first = text.index("[^1]")
    second = text.index("[^2]")
    cites = [Cite(first, first + 4, ours=True), Cite(second, second + 4, ours=False)]
    assert due(text, cites, []) == [5]


WORDS = st.sampled_from(["Wine", "is", "red", "e.g.", "1.5", "Dr.", "größer", "**bold**", "`code`", "a|b"])
SENTENCES = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)


@given(
    st.lists(
        st.tuples(SENTENCES, st.sampled_from([" {A}.", " {B}.", ". {A}", "."]), st.sampled_from([" ", "\n"])),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from(["", "- ", "> ", "1. ", "  - "]),
)
def test_no_citation_of_the_source_stays_in_sight_alone(parts, prefix):
    """Whatever the text: once marked and masked, `{A}` is only left in claims that cite another too."""
    text = prefix + "".join(f"{words}{cite}{gap}" for words, cite, gap in parts)
    if prefix == "> ":
        text = text.replace("\n", "\n> ")
    shown = mask_retracted(marked(text).replace("!", OPEN))[0]
    for sentence in re.split(r"(?<=[.}])\s", shown):
        if OURS in sentence and OTHER not in text:
            assert not re.search(r"\b(Wine|red|größer)\b", sentence), (text, shown)
