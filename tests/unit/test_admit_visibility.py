"""What a read may see: planes, archive, supersession, and sentences whose source was retracted."""

from pathlib import Path

import pytest

from llm_wiki.admit.visibility import MASKED, Scope, allowed, labels, mask, pending, visible
from llm_wiki.wiki.resolve import resolve
from llm_wiki.wiki.snapshot import Snapshot

RAW = "---\ntitle: {0}\nsource: MANUAL\ntype: notes\ningested: 2026-01-01\ntags: [x]\nsummary: s\n{1}---\n\n# {0}\n"


@pytest.fixture
def root(tmp_path: Path):
    files = {
        "_index.md": "# T\n",
        "config.md": "---\ntitle: T\n---\n",
        "wiki/concepts/a.md": "# A\n",
        "wiki/theses/t.md": "# T\n",
        "raw/notes/old.md": RAW.format("Old", ""),
        "raw/notes/new.md": RAW.format("New", "supersedes: raw/notes/old.md\n"),
        "inventory/items/i.md": "---\nstatus: active\n---\n# I\n",
        "inventory/items/gone.md": "---\nstatus: archived\n---\n# G\n",
        "datasets/d/MANIFEST.md": "---\nstatus: active\n---\n# D\n",
        "output/o.md": "# O\n",
    }
    for rel, text in files.items():
        path = tmp_path / "topic" / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return resolve(tmp_path / "topic")


def seen(root, **scope):
    return visible(Snapshot.load(root.path, root.kind, use_cache=False), root, Scope(**scope))


def test_articles_are_visible_and_need_no_label(root):
    label = seen(root)["wiki/concepts/a.md"]
    assert label.plane == "synthesis"
    assert label.answers
    assert label.words == ()


def test_sources_are_hidden_unless_asked_for(root):
    assert not [rel for rel in seen(root) if rel.startswith("raw/")]
    label = seen(root, raw=True)["raw/notes/new.md"]
    assert label.words == ("evidence",)
    assert label.answers


def test_a_superseded_source_is_hidden_even_among_sources(root):
    assert "raw/notes/old.md" not in seen(root, raw=True)


def test_a_superseded_source_that_is_asked_for_says_so(root):
    shown = seen(root, superseded=True)
    assert shown["raw/notes/old.md"].words == ("evidence", "superseded")
    assert "raw/notes/new.md" not in shown


def test_an_archived_record_is_silent_and_labelled_when_asked_for(root):
    assert "inventory/items/gone.md" not in seen(root)
    assert seen(root, include_archived=True)["inventory/items/gone.md"].words == ("tracking", "archived")


@pytest.mark.parametrize(
    "rel", ["inventory/items/i.md", "datasets/d/MANIFEST.md", "output/o.md", "config.md"]
)
def test_only_articles_and_sources_may_answer(root, rel):
    assert not seen(root)[rel].answers


def test_an_archived_topic_shows_nothing_unless_asked_for(root):
    archived = root._replace(status="archived")
    assert seen(archived) == {}
    assert seen(archived, include_archived=True)["wiki/concepts/a.md"].words == ("archived",)


def test_every_page_has_a_label_and_a_scope_only_takes_away(root):
    snapshot = Snapshot.load(root.path, root.kind, use_cache=False)
    every = labels(snapshot, root)
    assert set(every) == set(snapshot.pages)
    wide = Scope(include_archived=True, raw=True, superseded=True)
    assert all(allowed(label, wide) for label in every.values())


M = "<!--RETRACTED-SOURCE-->"
MASKS = {
    "a sentence": (f"Kept. {M}Secret one is 5. Also kept.", f"Kept. {MASKED} Also kept."),
    "a sentence with a blank before it": (f"Kept. {M} Secret. Also.", f"Kept. {MASKED} Also."),
    "the last sentence": (f"Kept. {M}Secret", f"Kept. {MASKED}"),
    "a sentence over two lines": (f"A. {M}Secret\nmore. B.", f"A. {MASKED}\n B."),
    "an abbreviation does not end it": (f"{M}Use e.g. Secret things. Kept.", f"{MASKED} Kept."),
    "a number with a dot": (f"{M}It is 3.5 Secret. Kept.", f"{MASKED} Kept."),
    "a list item": (f"- a\n- {M}Secret. Really secret.\n- b", f"- a\n- {MASKED}\n- b"),
    "a list item before its bullet": (f"- a\n{M}- Secret\n- b", f"- a\n{MASKED}\n- b"),
    "a list item with its continuation": (f"- {M}Secret\n  Secret\n- b", f"- {MASKED}\n\n- b"),
    "a numbered item": (f"1. {M}Secret\n2. b", f"1. {MASKED}\n2. b"),
    "a table row": (
        f"| a | b |\n|---|---|\n{M}| Secret | 1 |\n| c | d |",
        f"| a | b |\n|---|---|\n{MASKED}\n| c | d |",
    ),
    "a table row with the marker in a cell": (f"| {M}Secret | 1 |\n| c | d |", f"| {MASKED}\n| c | d |"),
    "a paragraph ends a sentence": (f"{M}Secret\n\nKept.", f"{MASKED}\n\nKept."),
    "a marker on its own line": (f"{M}\nSecret. Kept.", f"{MASKED}\n Kept."),
    "a heading": (f"{M}\n## Secret\n\nKept.", f"{MASKED}\n\n\nKept."),
    "a marker with blanks": ("<!-- RETRACTED-SOURCE -->Secret. Kept.", f"{MASKED} Kept."),
    "Chinese": (f"{M}秘密。公开。", f"{MASKED}公开。"),
    "two markers": (f"{M}Secret. {M}Secret. Kept.", f"{MASKED} {MASKED} Kept."),
}


@pytest.mark.parametrize("name", MASKS)
def test_what_a_marker_covers_is_withheld(name):
    text, expected = MASKS[name]
    masked = mask(text)
    assert "ecret" not in masked
    assert "秘密" not in masked
    assert MASKED in masked
    kept = [word for word in ("Kept", "Also", "公开", "| b |", "- b", "| c | d |") if word in expected]
    assert all(word in masked for word in kept)


@pytest.mark.parametrize("name", MASKS)
def test_masking_keeps_line_numbers_and_is_done_once(name):
    text, _ = MASKS[name]
    assert mask(text).count("\n") == text.count("\n")
    assert mask(mask(text)) == mask(text)
    assert pending(text)
    assert not pending(mask(text))


def test_text_without_a_marker_stays_as_it_is():
    assert mask("Plain text. <!-- other -->") == "Plain text. <!-- other -->"
    assert not pending("Plain text. <!-- other -->")
