"""W510: footnotes with one half."""

import lintkit as kit
import pytest
from lintkit import GREEN, HARVEST, IDEA, MANIFEST, OXIDATION, REPORT, full, one, read, write


def add(root, rel, text):
    write(root, rel, f"{read(root, rel)}\n{text}\n")


CLEAN = {
    "a mark and its text": "Leaf[^1] tea.\n\n[^1]: Picked in May.",
    "a name": "Leaf[^note-b]\n\n[^note-b]: Picked in May.",
    "case does not matter": "Leaf[^Note]\n\n[^nOTE]: Picked in May.",
    "letters of any script": "Лист[^чай]\n\n[^ЧАЙ]: Собран в мае.",
    "two marks for one text": "Leaf[^1] and bud[^1]\n\n[^1]: Picked in May.",
    "a text that refers to another": "Leaf[^1]\n\n[^1]: See[^2].\n\n[^2]: Picked in May.",
    "in a heading and a table": "## Leaf[^1]\n\n| a |\n|---|\n| b[^1] |\n\n[^1]: Picked in May.",
    "in a quote and a list": "> Leaf[^1]\n\n- bud[^2]\n\n[^1]: May.\n\n    Still May.\n[^2]: June.",
    "an empty text": "Leaf[^1]\n\n[^1]:",
    "code": "`x[^1]`\n\n```\ny[^2]\n[^3]: z\n```\n\n    w[^4]",
    "a comment": "<!-- x[^1] -->\n\n<!--\n[^2]: y\n-->",
    "escaped": "x\\[^1]",
    "a footnote in its place": "x^[Picked in May.]",
    "text of a link": "[^1](https://example.org/x) [^2][x] ![^3](https://example.org/y.png)\n\n"
    "[x]: https://example.org/z",
    "classes of letters": r"`re` reads [^a-z], [^A-Z0-9_], [^\s], [^\"], [^/] and [^<>] as any other letter.",
    "no footnote": "[a^b] 2^[x] [^a b]",
}


@pytest.mark.parametrize("text", CLEAN.values(), ids=CLEAN.keys())
def test_whole_footnotes_and_what_only_looks_like_one_are_fine(tmp_path, text):
    root = full(tmp_path)
    add(root, OXIDATION, text)
    assert kit.ids(root) == []


BROKEN = [
    ("Leaf[^1] tea.", "Footnote has no text: [^1]", 0),
    ("Leaf[^1] tea[^1].", "Footnote has no text: [^1]", 0),
    ("[^1]: Picked in May.", "Footnote is never referred to: [^1]", 0),
    ("[^1]: May.\n\n`[^1]`", "Footnote is never referred to: [^1]", 0),
    ("[^1]: May.\n\nx[^a-z]", "Footnote is never referred to: [^1]", 0),
    ("Leaf[^a]\n\n[^a]: May.\n\n**Bud[^b]**", "Footnote has no text: [^b]", 4),
    ("Leaf\n    [^1]: May.", "Footnote has no text: [^1]", 1),
    ("[x[^9]](https://example.org)", "Footnote has no text: [^9]", 0),
]


@pytest.mark.parametrize(("text", "message", "below"), BROKEN)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_half_a_footnote_is_one_warning_at_its_line(tmp_path, text, message, below, end):
    root = full(tmp_path)
    line = read(root, OXIDATION).count("\n") + 2 + below
    add(root, OXIDATION, text)
    write(root, OXIDATION, read(root, OXIDATION).replace("\n", end))
    found = one(root, "W510")
    assert (found.severity, found.message, found.path, found.line) == ("warning", message, OXIDATION, line)
    assert not found.fixable


def test_both_halves_under_two_labels_are_two_findings(tmp_path):
    root = full(tmp_path)
    add(root, OXIDATION, "Leaf[^1]\n\n[^2]: May.")
    assert [found.target for found in kit.findings(root)] == ["1", "2"]


@pytest.mark.parametrize("rel", [IDEA, MANIFEST, REPORT, "output/projects/tea-almanac/WHY.md"])
def test_outside_the_articles_it_is_an_info(tmp_path, rel):
    root = full(tmp_path)
    add(root, rel, "Leaf[^1]")
    assert one(root, "W510").severity == "info"


@pytest.mark.parametrize("rel", [HARVEST, "wiki/concepts/_index.md", "log.md", "schema.md", "inbox/x.md"])
def test_captured_text_indexes_and_logs_are_not_judged(tmp_path, rel):
    root = full(tmp_path)
    if not (root / rel).exists():
        write(root, rel, "x")
    add(root, rel, "Leaf[^1]\n\n[^2]: May.")
    assert kit.ids(root) == []


def test_what_could_not_be_read_whole_proves_nothing(tmp_path):
    root = full(tmp_path)
    add(root, OXIDATION, "Leaf[^1]\n\n" + "x" * 70_000 + "\n\n[^1]: " + "y" * 70_000)
    assert set(kit.ids(root)) == {"W117"}
    write(root, GREEN, read(root, GREEN).encode() + b"\nLeaf[^1] \xe9\n")
    assert "W510" not in kit.ids(root)
