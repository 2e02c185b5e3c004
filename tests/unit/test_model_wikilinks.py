"""Wikilinks, which no second reader knows: texts are made together with what must be found in them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from llm_wiki.model.document import page

NONE: tuple[str, ...] = ()
ITEMS = {
    "[[tea]]": ("tea",),
    "[[Green tea|the green one]]": ("green tea",),
    "[[tea#Water and heat]]": ("tea",),
    "[[wiki/concepts/Tea.md#a|b]]": ("wiki/concepts/tea.md",),
    "![[leaf.png]]": ("!leaf.png",),
    "![[leaf.png|300]]": ("!leaf.png",),
    "[[Größe]]": ("grösse",),
    "[[茶]]": ("茶",),
    "**[[tea]]**": ("tea",),
    "([[tea]])": ("tea",),
    "[[tea|Tea]] ([Tea](tea.md))": ("tea",),
    "`[[tea]]`": NONE,
    "\\[[tea]]": NONE,
    "[ [tea] ]": NONE,
    "[[]]": NONE,
    "[[tea": NONE,
    "words and more": NONE,
    "<!-- [[tea]] -->": NONE,
    "5 [x] and ] there": NONE,
}


def in_table(text: str) -> str:
    cell = text.replace("|", "\\|")
    return f"| a | b |\n|---|---|\n| {cell} | x |\n"


BLOCKS = {
    "a paragraph": lambda text: f"{text}\n",
    "a heading": lambda text: f"## {text}\n",
    "a list": lambda text: f"- x\n  - {text}\n",
    "a task": lambda text: f"- [ ] {text}\n",
    "a quote": lambda text: f"> {text}\n> more\n",
    "a callout": lambda text: f"> [!note] Title\n> {text}\n",
    "a table": in_table,
    "a footnote": lambda text: f"x[^1]\n\n[^1]: {text}\n",
    "struck through": lambda text: f"~~{text}~~\n",
}
CODE = {
    "a fence": lambda text: f"```\n{text}\n```\n",
    "an indented block": lambda text: f"    {text}\n",
}

items = st.lists(st.sampled_from(sorted(ITEMS)), min_size=1, max_size=3)
blocks = st.lists(st.tuples(st.sampled_from(sorted([*BLOCKS, *CODE])), items), max_size=4)


@given(blocks, st.sampled_from(["\n", "\r\n", "\r"]))
@settings(max_examples=500)
def test_every_wikilink_is_found_and_nothing_else_is_one(parts, eol):
    text, expected = "# Title\n", []
    for name, inside in parts:
        # an unclosed `[[` takes what follows it, and a comment that opens a line takes the line
        ordered = sorted(inside, key="[[tea".__eq__)
        text += "\n" + (BLOCKS.get(name) or CODE[name])(" ".join(["so", *ordered])) + "\nand\n"
        expected += [target for item in ordered for target in ITEMS[item] if name in BLOCKS]
    found = page("wiki/concepts/a.md", text.replace("\n", eol).encode())
    assert [
        ("!" if link.image else "") + link.key for link in found.links if link.form == "wikilink"
    ] == expected
    assert found.names == {target.removeprefix("!") for target in expected}
