"""What a question is answered from, and what single sentences answer it."""

from datetime import date

import lintkit
import pytest
import sourcekit
from hypothesis import given
from hypothesis import strategies as st

from llm_wiki.admit.visibility import Scope
from llm_wiki.core.errors import NothingFound, Refused, Unreadable, WikiError
from llm_wiki.core.fence import new_nonce
from llm_wiki.ops import pack as packs
from llm_wiki.ops.extract import Document, extract
from llm_wiki.ops.query import Question, gather
from llm_wiki.ops.reading import MAX_CHARACTERS, Budget, Library, Lines, read, with_range
from llm_wiki.search.syntax import parse

TODAY = date(2026, 1, 10)
NONCE = new_nonce("test")


@pytest.fixture
def root(tmp_path, monkeypatch):
    sourcekit.isolate(tmp_path, monkeypatch)
    return sourcekit.topic(tmp_path)


def library(root, **scope):
    return Library(sourcekit.snapshot(root), root, Scope(raw=True, **scope), TODAY, NONCE)


# --- sentences -----------------------------------------------------------------------------

PAGE = """---
title: Withering
summary: Withering takes sixteen hours.
---

# Withering

Leaves lose water on racks. Withering takes
sixteen hours in cool air.

- Warm air dries the rim first.

| Grade | Hours |
|-------|-------|
| Green | three |

## Rolling

It breaks the cells.

```text
Withering takes ninety hours in code.
```

## See Also

- Withering takes forever elsewhere.
"""
DOCUMENT = Document("wiki/concepts/withering.md", "Withering", PAGE, 5, {})


def sentences(question, *documents):
    return [(one.line, one.text) for one in extract(documents or [DOCUMENT], parse(question).terms)]


@pytest.mark.parametrize(
    ("question", "line", "text"),
    [
        ("How many hours does withering take?", 8, "Withering takes sixteen hours in cool air."),
        ("Does warm air dry the rim?", 11, "Warm air dries the rim first."),
        ("How many hours for grade green?", 15, "Grade: Green | Hours: three"),
        ("What does rolling break, which cells?", 19, "It breaks the cells."),
    ],
)
def test_the_sentence_that_answers_comes_first_with_its_line(question, line, text):
    assert sentences(question)[0] == (line, text)


@pytest.mark.parametrize(
    "question",
    [
        "What does withering cost?",
        "Who invented withering and when?",
        "ninety hours of code",
        "forever elsewhere",
    ],
)
def test_a_question_that_no_sentence_answers_gets_none(question):
    assert [text for _, text in sentences(question) if "takes" in text] == []


def test_a_page_is_introduced_by_its_summary():
    page = DOCUMENT._replace(summary=(3, "Leaves give off water. It takes a night."))
    assert sentences("What is withering?", page)[0] == (3, "Leaves give off water.")
    assert sentences("What is withering worth, in coins?", page) == []


def test_a_masked_sentence_is_never_an_answer():
    page = PAGE.replace("sixteen hours in cool air", "[pending retraction]")
    found = sentences("How many hours does withering take?", DOCUMENT._replace(text=page))
    assert [text for _, text in found if "pending" in text or "takes" in text] == []


@pytest.mark.parametrize("said", ["Withering takes a night.", "Withering needs cool air."])
def test_a_masked_sentence_hides_neither_neighbour(said):
    lines = "Leaves lose water on racks. Withering takes\nsixteen hours in cool air."
    page = PAGE.replace(lines, "Withering takes a night. [pending retraction] Withering needs cool air.")
    assert (8, said) in sentences(f"Is it so: {said}", DOCUMENT._replace(text=page))


@given(st.text(max_size=300), st.text(max_size=60))
def test_any_text_and_any_question_give_sentences_of_the_text(text, question):
    for one in extract([Document("a.md", "A", text, 1, {})], parse(question).terms):
        assert set(one.text) <= set(text) | set(" |:")


# --- reading -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "path", "lines"),
    [
        ("config.md", "config.md", Lines()),
        ("config.md:3", "config.md", Lines(3, 3)),
        ("config.md:3-9", "config.md", Lines(3, 9)),
        ("config.md:3-", "config.md", Lines(3)),
        ("config.md:0-2", "config.md", Lines(1, 2)),
        ("config.md:x", "config.md:x", Lines()),
    ],
)
def test_a_range_is_split_from_its_path(root, written, path, lines):
    assert with_range(written, library(root)) == (path, lines)


def test_a_file_whose_name_ends_like_a_range_is_read_whole(root):
    lintkit.write(root.path, "raw/notes/at 12:30", "Noon.\n")
    assert with_range("raw/notes/at 12:30", library(root)) == ("raw/notes/at 12:30", Lines())


def test_every_path_is_checked_before_any_is_read(root):
    budget = Budget()
    with pytest.raises(Refused):
        read(library(root), [lintkit.OXIDATION, "../x"], budget)
    assert budget.files == 0


@given(st.text(max_size=30))
def test_no_name_leads_out_of_the_root(tmp_path_factory, name):
    folder = tmp_path_factory.getbasetemp() / "names"
    if not folder.exists():
        (folder / "wiki").mkdir(parents=True)
        (folder / "_index.md").write_text("# X\n")
    from llm_wiki.wiki.resolve import Root
    from llm_wiki.wiki.snapshot import Snapshot

    root = Root(folder, "topic", None, "x", "active")
    shelf = Library(Snapshot.load(folder, "topic", use_cache=False), root, Scope(raw=True), TODAY, NONCE)
    for written in (name, f"../{name}", f"/{name}", f"wiki/../../{name}"):
        try:
            found = shelf.find(written)
        except WikiError as error:
            assert isinstance(error, NothingFound | Refused | Unreadable)  # noqa: PT017 - each is right
        else:
            assert found in shelf.snapshot.files


def test_bytes_that_are_no_text_are_not_shown(root):
    lintkit.write(root.path, "raw/data/picture.bin", b"\x89PNG\0\0")
    with pytest.raises(Unreadable, match="no text"):
        read(library(root), ["raw/data/picture.bin"], Budget())


def test_a_budget_cuts_at_a_line_and_is_reported_as_hit(root):
    lintkit.write(root.path, "raw/notes/2026-01-05-long.md", "line of text\n" * 400)
    budget = Budget(characters=2000)
    (one,) = read(library(root), ["raw/notes/2026-01-05-long.md"], budget)
    assert one.cut
    assert len(one.text) <= 2000
    assert budget.hit
    assert "left out or cut" in budget.line()
    assert f'lines="1-{one.lines.last} of 400"' in one.text


def test_a_line_longer_than_the_budget_is_cut_inside(root):
    lintkit.write(root.path, "raw/notes/2026-01-05-wide.md", "wide " * 20_000)
    budget = Budget(characters=5000)
    (one,) = read(library(root), ["raw/notes/2026-01-05-wide.md"], budget)
    assert "… [line cut]" in one.text
    assert 3000 < len(one.text) <= 5000
    assert budget.hit


def test_more_files_than_the_budget_allows_are_named(root):
    budget = Budget(files=1)
    found = read(library(root), [lintkit.OXIDATION, lintkit.GREEN], budget)
    assert [one.path for one in found] == [lintkit.OXIDATION]
    assert budget.left_out == [lintkit.GREEN]


def test_a_conversation_without_its_note_is_not_rebuildable(root):
    lintkit.field(root.path, lintkit.OXIDATION, "compiled-from", "conversation")
    lintkit.field(root.path, lintkit.OXIDATION, "sources", "[]")
    assert "not rebuildable" in library(root).labels(lintkit.OXIDATION)["note"]


def test_an_old_article_is_labelled_stale(root):
    shelf = Library(sourcekit.snapshot(root), root, Scope(), date(2036, 1, 1), NONCE)
    assert "stale" in shelf.labels(lintkit.OXIDATION)["note"]


# --- packs ---------------------------------------------------------------------------------


def article(root, name):
    lintkit.article(root.path, f"wiki/concepts/{name}.md", name.title(), sources=[lintkit.STUDY], see=[])


def test_a_question_that_joins_two_subjects_opens_a_page_for_each(root):
    for name in ("gongfu", "samovar"):
        article(root, name)
    found = gather(root, Question("How do gongfu and samovar differ?"), TODAY, NONCE)
    assert found.answered
    assert {one.quoted.path for one in found.main.files} == {
        "wiki/concepts/gongfu.md",
        "wiki/concepts/samovar.md",
    }


def test_one_known_side_of_two_is_no_answer(root):
    article(root, "gongfu")
    assert not gather(
        root, Question("How do gongfu and zeppelins differ, in speed and altitude?"), TODAY, NONCE
    ).answered


@given(st.text(max_size=80))
def test_any_question_gives_a_pack_within_its_budget(tmp_path_factory, question):
    base = tmp_path_factory.getbasetemp() / "any"
    place = lintkit.sample(base) if not base.exists() else next(base.rglob("config.md")).parent
    from llm_wiki.wiki.resolve import Root

    root = Root(place, "topic", None, "tea", "active")
    found = gather(root, Question(question, "deep", raw=True), TODAY, NONCE)
    text = packs.text(found)
    assert len(text) <= MAX_CHARACTERS
    assert found.budget.files <= 12
    assert (packs.gap(found) is None) is found.answered
    packs.data(found, text)
