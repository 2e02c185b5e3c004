from __future__ import annotations

import pyromark
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from model_cases import cases

from llm_wiki.model import markdown
from llm_wiki.model.markdown import anchor, destination, escape_link_text, scan
from llm_wiki.model.prose import first_paragraph, plain


def by_markdown_it(text: str) -> list[str]:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.validateLink = lambda _: True  # type: ignore[method-assign]
    found: list[str] = []

    def walk(tokens: list[Token]) -> None:
        for token in tokens:
            if token.type == "link_open":
                found.append(str(token.attrGet("href")))
            elif token.type == "image":
                found.append(f"!{token.attrGet('src')}")
            walk(token.children or [])

    walk(parser.parse(text))
    return found


def by_us(text: str) -> list[str]:
    found = []
    for form, image, target, *_ in scan(text).links:
        if form in ("inline", "reference", "collapsed", "shortcut", "autolink"):
            address = form == "autolink" and "@" in target and ":" not in target
            found.append(("!" if image else "") + ("mailto:" if address else "") + target)
    return found


@pytest.mark.parametrize(
    ("text", "expected"), [pytest.param(*case[1:], id=case[0]) for case in cases("model_oracle.md")]
)
def test_two_parsers_see_the_same_links(text: str, expected: str):
    assert "".join(f"{target}\n" for target in by_us(text)) == expected
    assert by_markdown_it(text) == by_us(text)


PIECES = (
    *("]", "![", "|", "\\", "`", "```\n", "\n", "\n\n", "# ", "- ", "> ", '"', "a.md", "é", "x", " "),
    *(
        "|a|b|\n|-|-|\n",
        "*",
        "_",
        "&amp;",
        "[x](y.md)",
        "[x](<y z.md> 't')",
        "![i](j.png)",
        "<http://a.b>",
        "1. ",
    ),
    *("<b>", "</b>", "[x][a]", "[a][]", "[a]"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@settings(derandomize=True, max_examples=400)
def test_two_parsers_see_the_same_links_in_any_mixture(text: str):
    text += "\n\n[a]: b.md\n"
    assert by_markdown_it(text) == by_us(text)


@pytest.mark.parametrize("table", ["model_links.md", "model_oracle.md", "model_retarget.md"])
def test_strikethrough_and_task_lists_change_no_link(table: str, monkeypatch: pytest.MonkeyPatch):
    texts = [text for _, text, _ in cases(table)]
    plain_links = [scan(text).links for text in texts]
    options = markdown._OPTIONS | pyromark.Options.ENABLE_STRIKETHROUGH | pyromark.Options.ENABLE_TASKLISTS
    monkeypatch.setattr(markdown, "PARSER", pyromark.Markdown(options=options))
    assert [scan(text).links for text in texts] == plain_links


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("See Also", "see-also"),
        ("A  double blank", "a--double-blank"),
        ("What's new? (2026)", "whats-new-2026"),
        ("snake_case & C++", "snake_case--c"),
        ("Größe", "größe"),
        ("日本語 メモ", "日本語-メモ"),
        ("हिन्दी", "हिन्दी"),
        ("a-b – c", "a-b--c"),
        ("🙂", ""),
    ],
)
def test_an_anchor_is_the_slug_that_github_gives(text: str, slug: str):
    assert anchor(text) == slug


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# a  b", "a  b"),
        ("# *a*  b", "a  b"),
        ("# a\t", "a"),
        ("#   `a`   ##", "a"),
        ("*a*\nb\n  ---", "a b"),
        ("> Foo\n> ===", "Foo"),
        ("- Foo\n  ---", "Foo"),
        ("Foo\r---\r", "Foo"),
    ],
)
def test_a_heading_is_its_words_with_the_blanks_between_them(text: str, words: str):
    assert [heading[1] for heading in scan(text).headings] == [words]


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("A *b* **c** ~~d~~ `e`", "A b c ~~d~~ e"),
        ("[[slug|Name]] ([Name](../x/slug.md)) is", "Name is"),
        ("[[slug|Name]] ([Other](x.md)), [[plain]]", "Name (Other), plain"),
        ("see ([Name](x.md)) and [[Name]] too ([Name](x.md))", "see (Name) and Name too (Name)"),
        ("![alt text](i.png) <b>x</b><br>y <!-- no -->z", "alt text x y z"),
        ("x[^1] y\n\n[^1]: note", "x y note"),
        ("x[^undefined] y", "x y"),
        ("# Head\n\n- one\n- two\n\n> three\nfour", "Head one two three four"),
        ("a\\*b &amp; c", "a*b & c"),
        ("", ""),
    ],
)
def test_plain_keeps_words_and_drops_marks(markdown: str, words: str):
    assert plain(markdown) == words


PARAGRAPHS = [
    (
        "running text",
        "# T\n\nshort\n\nThis paragraph is\nlong enough.\n",
        15,
        "This paragraph is long enough.",
    ),
    (
        "a quote without its mark",
        "# T\n\n> Quoted **abstract** here.\n\nBody.\n",
        10,
        "Quoted abstract here.",
    ),
    (
        "none in lists",
        "- a long item of a list\n\n  and its paragraph\n\n1. two\n\nText here now\n",
        10,
        "Text here now",
    ),
    ("none in tables", "|a long cell|b|\n|-|-|\n|a long cell|b|\n\nText at last\n", 10, "Text at last"),
    ("none in code", "    indented code\n\n```\nfenced code\n```\n\nText at last\n", 10, "Text at last"),
    ("none in raw HTML", "<p>an html block</p>\n\nText at last\n", 10, "Text at last"),
    ("none in footnotes", "[^1]: a long note of the page\n\nText at last\n", 10, "Text at last"),
    ("front matter is no text", "---\ntitle: a very long title of a page\n---\n# H\n", 3, ""),
    ("a minimum of nothing still wants words", "<!-- c -->\n\n![](i.png)\n\nx\n", 0, "x"),
    ("nested lists end", "- a\n  - b\n\n    c and more words\n\nText at last\n", 10, "Text at last"),
]


@pytest.mark.parametrize(
    ("text", "minimum", "words"), [pytest.param(*case[1:], id=case[0]) for case in PARAGRAPHS]
)
def test_the_first_paragraph_is_the_first_running_text(text: str, minimum: int, words: str):
    assert first_paragraph(text.encode(), minimum) == words
    assert first_paragraph(text.replace("\n", "\r\n").encode(), minimum) == words


@given(st.text(max_size=30))
def test_the_words_of_anything_are_one_line(text: str):
    assert plain(text) == " ".join(plain(text).split())
    words = first_paragraph(text.encode("utf-8", "replace"), 1)
    assert words == " ".join(words.split())


LINE = st.text(
    alphabet=st.one_of(
        st.sampled_from("[]()<>|\\`*_!#&;^ ab.%\n\té"), st.characters(exclude_categories=["Cs", "Cc"])
    ),
    max_size=12,
)


@given(LINE.filter(str.strip), LINE.filter(lambda target: target.strip() == target and bool(target)))
def test_a_written_link_is_one_link_to_its_target(text: str, target: str):
    written = f"[{escape_link_text(text)}]({destination(target)})"
    links = scan(f"x {written} y\n").links
    assert [(link[0], link[4], link[5]) for link in links] == [("inline", 2, 2 + len(written.encode()))]
    table = scan(f"|a|b|\n|-|-|\n| {written} | `c` |\n").links
    assert [(link[0], link[2]) for link in table] == [("inline", links[0][2])]
