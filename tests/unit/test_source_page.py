"""A page without a source: what goes whole, what becomes text, where a marker is put, what stays."""

import pytest

from llm_wiki.core.claims import OPEN
from llm_wiki.withdraw.source_files import without_source_in_file
from llm_wiki.withdraw.source_known import Source
from llm_wiki.withdraw.source_page import mark_page, without_source
from llm_wiki.withdraw.source_traces import Identity, Traces

A = "raw/articles/2026-01-02-big-report.md"
B = "raw/papers/2026-01-03-other-paper.md"
UP = f"../../{A}"
OTHER = f"../../{B}"
URL = "https://example.com/a/report?x=1"
FILES = {A, B, "wiki/concepts/x.md"}


def source() -> Source:
    who = Identity(A, "The Big Report on Wine", (f"{URL}&utm_source=q",))
    return Source(Traces(who), FILES, [A, B])


def without(text: str, rel: str = "wiki/concepts/x.md"):
    return without_source(source(), rel, text.encode())


BODY = {
    "a link becomes its text, the claim is marked": (
        f"Wine is red ([r]({UP})).\n",
        f"{OPEN}Wine is red (r).\n",
    ),
    "a link beside another": (
        f"Wine is red [r]({UP}), [o]({OTHER}).\n",
        f"Wine is red r, [o]({OTHER}).\n",
    ),
    "a link whose text is the title": (
        f"By [The Big Report on Wine]({UP}).\n",
        f"{OPEN}By [RETRACTED].\n",
    ),
    "markup in the text of a link": (f"So [**r** `c`]({UP}).\n", f"{OPEN}So **r** `c`.\n"),
    "an anchor and a title": (f'So [r](<{UP}#p> "T").\n', f"{OPEN}So r.\n"),
    "a link that says it all": (f"[Wine is always red]({UP})\n", f"{OPEN}Wine is always red\n"),
    "a link that names it": (f"Wine is red.\n\n[the report]({UP})\n", f"{OPEN}Wine is red.\n\nthe report\n"),
    "an image": (f"See ![chart]({UP}).\n", f"{OPEN}See chart.\n"),
    "a wikilink": ("So [[2026-01-02-big-report|r]].\n", f"{OPEN}So r.\n"),
    "a wikilink by path": (f"So [[{A}]].\n", f"{OPEN}So [RETRACTED].\n"),
    "its address": (f"So [r]({URL}&utm_medium=z).\n", f"{OPEN}So r.\n"),
    "a bare address": (f"So {URL} says.\n", f"{OPEN}So [RETRACTED] says.\n"),
    "an autolink": (f"So <{URL}>.\n", f"{OPEN}So [RETRACTED].\n"),
    "a path in code": (f"So `{A}` says.\n", f"{OPEN}So `[RETRACTED]` says.\n"),
    "HTML": (f'So <a href="{UP}">r</a>.\n', f"{OPEN}So <a>r</a>.\n"),
    "by reference": (f"So [r][1].\n\n[1]: {UP}\n", f"{OPEN}So r.\n\n"),
    "a footnote": (
        f"Red.[^1] White.[^2]\n\n[^1]: [r]({UP}), p. 3\n[^2]: [o]({OTHER})\n",
        f"{OPEN}Red. White.[^2]\n\n[^2]: [o]({OTHER})\n",
    ),
    "a footnote by title alone": (
        "Red.[^1]\n\n[^1]: The Big Report on Wine, 2026.\n",
        f"{OPEN}Red.\n\n",
    ),
    "a footnote of two lines": (
        f"Red.[^1]\n\n[^1]: [r]({UP})\n    more\n\nEnd.\n",
        f"{OPEN}Red.\n\n\nEnd.\n",
    ),
    "a footnote that cites another too": (
        f"Red.[^1]\n\n[^1]: [r]({UP}); [o]({OTHER})\n",
        f"Red.[^1]\n\n[^1]: r; [o]({OTHER})\n",
    ),
    "a bullet of Sources": (
        f"Text.\n\n## Sources\n\n- [The Big Report on Wine]({UP}) — 2026\n  more\n- [o]({OTHER})\n",
        f"Text.\n\n## Sources\n\n- [o]({OTHER})\n",
    ),
    "a bullet below a heading of Sources": (
        f"## Sources\n\n### Main\n\n- see [r]({UP})\n\n## End\n",
        "## Sources\n\n### Main\n\n\n## End\n",
    ),
    "a bullet of Sources without a link": (
        "## Sources\n\n- The Big Report on Wine (2026)\n- x\n",
        "## Sources\n\n- x\n",
    ),
    "a bullet of Sources with two": (
        f"## Sources\n\n- [r]({UP}) and [o]({OTHER})\n",
        f"## Sources\n\n- r and [o]({OTHER})\n",
    ),
    "a bullet that is only a link": (f"- [r]({UP})\n- x\n", "- x\n"),
    "a bullet that claims": (f"- red [r]({UP})\n", f"- {OPEN}red r\n"),
    "a row": (
        f"| a | b |\n|---|---|\n| red | [r]({UP}) |\n",
        f"| a | b |\n|---|---|\n| {OPEN}red | r |\n",
    ),
    "a label with a full stop": (
        f"[Is wine red? A review]({UP}) says 42. End.\n",
        f"{OPEN}[Is wine red? A review] says 42. End.\n",
    ),
    "a footnote in another case": (f"Red.[^A]\n\n[^a]: [r]({UP})\n", f"{OPEN}Red.\n\n"),
    "a comment": (f"<!--\nsee {A}\n-->\nText.\n", "<!--\nsee [RETRACTED]\n-->\nText.\n"),
    "behind a marker": (
        f"{OPEN}White. Red [r]({UP}). Blue [x]({UP}), [o]({OTHER}).\n",
        f"{OPEN}White. {OPEN}Red r. Blue x, [o]({OTHER}).\n",
    ),
    "a bullet below a numbered heading": (f"## 5. Sources (2)\n\n- see [r]({UP})\n", "## 5. Sources (2)\n\n"),
    "a bullet below a longer heading": (
        f"## Sources & Further Reading\n\n- see [r]({UP})\n",
        "## Sources & Further Reading\n\n",
    ),
    "lines of Sources": (f"## Sources\n\n[r]({UP})\n[o]({OTHER})\n", f"## Sources\n\n[o]({OTHER})\n"),
    "a line of Sources": (f"## Sources\n\n[r]({UP}), [o]({OTHER})\n", f"## Sources\n\nr, [o]({OTHER})\n"),
    "a row of Sources": (
        f"## Sources\n\n| a | b |\n|---|---|\n| [r]({UP}) | 1 |\n| [o]({OTHER}) | 2 |\n",
        f"## Sources\n\n| a | b |\n|---|---|\n| [o]({OTHER}) | 2 |\n",
    ),
    "a heading": (f"## Red [r]({UP})\n\nText.\n", "## Red r\n\nText.\n"),
    "a path in a code block": (f"Text.\n\n```\n{A}\n```\n", "Text.\n\n```\n[RETRACTED]\n```\n"),
    "the title in a sentence stays for a person": (
        "The Big Report on Wine is long.\n",
        "The Big Report on Wine is long.\n",
    ),
    "CRLF": (f"One.\r\nRed [r]({UP}).\r\n", f"One.\r\n{OPEN}Red r.\r\n"),
    "letters beyond ASCII": (f"Größe zählt. Süß [r]({UP}) ß.\n", f"Größe zählt. {OPEN}Süß r ß.\n"),
    "nothing of it": (f"Red [o]({OTHER}).\n", f"Red [o]({OTHER}).\n"),
}


@pytest.mark.parametrize("name", BODY)
def test_the_text(name):
    before, after = BODY[name]
    head = "---\ntitle: X\n---\n\n"
    done = without(head + before)
    assert done.data.decode() == head + after
    assert done.marked == after.count(OPEN) - before.count(OPEN)
    assert bool(done.references) is (before != after)


@pytest.mark.parametrize("name", BODY)
def test_a_second_time_changes_nothing(name):
    once = without("---\ntitle: X\n---\n\n" + BODY[name][0]).data
    again = without_source(source(), "wiki/concepts/x.md", once)
    assert again.data == once
    assert not again.references


def test_a_page_that_is_no_utf8_is_marked_too_and_keeps_its_bytes():
    page = f"---\ntitle: Caf\xe9\nsources:\n  - {A}\n---\n\nS\xfc\xdf. Red \xe9 [r]({UP}).\n".encode(
        "latin-1"
    )
    done = without_source(source(), "wiki/concepts/x.md", page)
    after = f"---\ntitle: Caf\xe9\nsources: []\n---\n\nS\xfc\xdf. {OPEN}Red \xe9 r.\n"
    assert done.data in (after.encode("latin-1"), after.replace("sources: []", "sources:").encode("latin-1"))


@pytest.mark.parametrize("word", ["here", "hier für"])
def test_a_long_page_costs_no_more_than_its_length(word):
    """Were each citation compared with each other, or each offset counted anew, this would take minutes."""
    body = "\n\n".join(f"Number {number} is {word} [o]({OTHER})." for number in range(20_000))
    done = without(f"---\ntitle: X\n---\n\n{body}\n\nRed [r]({UP}).\n")
    assert done.data.decode().endswith(f"[o]({OTHER}).\n\n{OPEN}Red r.\n")


FIELDS = {
    "a block list": (f"sources:\n  - {A}\n  - {B}  # keep\n", f"sources:\n  - {B}  # keep\n"),
    "a flow list": (f"sources: [{A}, {B}]\n", f"sources: [{B}]\n"),
    "the last item": (f"sources:\n  - {A}\n", "sources: []\n"),
    "by slug": (f"sources:\n  - big-report\n  - {B}\n", f"sources:\n  - {B}\n"),
    "by a link": (f'related:\n  - "[[2026-01-02-big-report]]"\n  - {B}\n', f"related:\n  - {B}\n"),
    "by address": (
        f"outlinks:\n  - {URL}\n  - https://example.org/\n",
        "outlinks:\n  - https://example.org/\n",
    ),
    "one value for all": (f"sources: {A}\n", "sources: []\n"),
    "one slug for all": ("raw_sources: big-report\n", "raw_sources: []\n"),
    "several in one value": (f"sources: {A}, {B}\n", f"sources: {A}, {B}\n"),
    "an origin": (f"origin: {A}\n", ""),
    "a link that YAML takes for a list": (
        f"sources:\n  - [[2026-01-02-big-report]]\n  - {B}\n",
        f"sources:\n  - {B}\n",
    ),
    "a map": (
        f"sources:\n  - path: {A}\n    title: x\n\n  - path: {B}\n",
        f"sources:\n  - path: {B}\n",
    ),
    "a header that is no YAML": (
        f"x: a: b\nsources:\n- {A}\n- {B}\ntags:\n- big-report\n",
        f"x: a: b\nsources:\n- {B}\ntags:\n- big-report\n",
    ),
    "a tag that reads like its slug": ("tags: [big-report]\n", "tags: [big-report]\n"),
}


@pytest.mark.parametrize("name", FIELDS)
def test_the_fields(name):
    before, after = FIELDS[name]
    done = without(f"---\ntitle: X\n{before}updated: 2026-01-01\n---\n\nText.\n")
    assert done.data.decode() == f"---\ntitle: X\n{after}updated: 2026-01-01\n---\n\nText.\n"


def test_what_another_version_replaces_is_no_longer_said():
    done = without(f"---\ntitle: N\nsupersedes: {A}\n---\n\nText.\n", "raw/articles/2026-02-02-new.md")
    assert done.data == b"---\ntitle: N\n---\n\nText.\n"


def test_what_replaced_it_replaces_what_it_replaced():
    mine = source()
    mine.older = B
    done = without_source(mine, "raw/articles/n.md", f"---\ntitle: N\nsupersedes: {A}\n---\n\nT.\n".encode())
    assert done.data.decode() == f"---\ntitle: N\nsupersedes: {B}\n---\n\nT.\n"


@pytest.mark.parametrize(
    "target", ["../articles/2026-01-02-big-report.md", UP, f"file:///home/u/w/{A}", f"/{A}"]
)
def test_a_raw_body_loses_the_link_but_gets_no_marker(target):
    """However the link is written, and even where it leads astray."""
    done = without(f"---\ntitle: M\n---\n\nItem [r]({target}).\n", "raw/repos/2026-01-01-m.md")
    assert done.data == b"---\ntitle: M\n---\n\nItem r.\n"


@pytest.mark.parametrize("rel", ["wiki/concepts/_index.md", "wiki/references/uncompiled-source-coverage.md"])
def test_a_row_of_an_index_goes_whole(rel):
    done = without(f"| File |\n|---|\n| [r]({UP}) |\n| [o]({OTHER}) |\n", rel)
    assert done.data.decode() == f"| File |\n|---|\n| [o]({OTHER}) |\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"---\ntitle: X\nsummary: Red.\n---\n\n# X\n\nRed.\n", b"\n---\n\n{M}\n\n# X\n\nRed.\n"),
        (b"---\r\ntitle: X\r\n---\r\n# X\r\n", b"\r\n---\r\n\r\n{M}\r\n\r\n# X\r\n"),
    ],
)
def test_a_page_of_which_no_source_is_left_is_masked_whole(before, after):
    from llm_wiki.core.retracted import mask_retracted

    marked = mark_page(before)
    assert marked.endswith(after.replace(b"{M}", OPEN.encode()))
    assert "Red" not in mask_retracted(marked.decode().replace("\r\n", "\n"))[0]


OTHERS = {
    "an item of a list": (".librarian/scan.json", f'{{"a": ["{A}", "b"]}}', '{"a": ["b"]}'),
    "the last item": (".librarian/scan.json", f'{{"a": ["b",\n "/h/w/{A}"\n]}}', '{"a": ["b"\n]}'),
    "the only item": (".audit/a.json", f'["{A}"]', "[]"),
    "a value": (".audit/a.json", f'{{"d": "{A}"}}', '{"d": "[RETRACTED]"}'),
    "a name": (".audit/a.json", f'{{"{A}": 1}}', '{"[RETRACTED]": 1}'),
    "a sentence in a list": (".audit/a.json", f'["see {A} now"]', '["see [RETRACTED] now"]'),
    "a list in a row": (
        ".session-events.jsonl",
        f'{{"a":["{A}"]}}\n{{bad\n["{A}","c"]\n',
        '{"a":[]}\n{bad\n["c"]\n',
    ),
    "a line of state": (
        ".librarian/raw-lock.jsonl",
        f'{{"path":"{A}","content_sha256":"11"}}\n{{"path":"c","content_sha256":"22"}}\n',
        '{"path":"c","content_sha256":"22"}\n',
    ),
    "a line of state by its body": (
        ".librarian/compile-ledger.jsonl",
        '{"content_sha256":"AB","articles":["wiki/concepts/x.md"]}\n{"content_sha256":"22"}\n',
        '{"content_sha256":"22"}\n',
    ),
    "a line about another file with that body": (
        ".librarian/raw-lock.jsonl",
        f'{{"path":"{B}","content_sha256":"ab"}}\n',
        f'{{"path":"{B}","content_sha256":"ab"}}\n',
    ),
    "the log": (
        "log.md",
        f"## [2026-01-02] ingest | The Big Report on Wine → {A}\n",
        "## [2026-01-02] ingest | [RETRACTED] → [RETRACTED]\n",
    ),
    "a table of data": ("datasets/d/x.csv", f"a,{URL},b\n", "a,[RETRACTED],b\n"),
    "the title in data stays": ("datasets/d/x.csv", "The Big Report on Wine\n", "The Big Report on Wine\n"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_another_file(name):
    rel, before, after = OTHERS[name]
    done = without_source_in_file(source(), rel, before.encode(), {"ab"})
    assert done.data.decode() == after
    assert bool(done.references) is (before != after)


def test_a_large_list_costs_no_more_than_its_length():
    rows = ", ".join(f'"raw/articles/{number}.md"' for number in range(20_000))
    done = without_source_in_file(source(), ".audit/a.json", f'["{A}", {rows}, "{A}"]'.encode(), ())
    assert done.data.decode() == f"[{rows}]"
