"""What stands under an open RETRACTED-SOURCE marker reaches nobody."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_wiki.core.retracted import MASK, is_pending, mask_retracted
from llm_wiki.core.sentences import sentence_end, sentences

M = "<!--RETRACTED-SOURCE-->"

CASES = {
    "a sentence in a paragraph": (f"One. {M}SECRET is 5. Three.\n", f"One. {MASK} Three.\n"),
    "over a line end": (f"{M}SECRET runs\nSECRET on. Next.\n", f"{MASK}\n Next.\n"),
    "an abbreviation ends nothing": (f"{M}SECRET approx. 7 SECRET. Next.\n", f"{MASK} Next.\n"),
    "an initial ends nothing": (f"{M}By J. SECRET it is. Next.\n", f"{MASK} Next.\n"),
    "a list item with its continuation": (
        f"- {M} SECRET. SECRET\n  SECRET\n- next\n",
        f"- {MASK}\n\n- next\n",
    ),
    "a paragraph inside an item": (f"- {M} SECRET\n\n  SECRET\n\nEnd.\n", f"- {MASK}\n\n\n\nEnd.\n"),
    "a marker before an item": (f"{M}- SECRET\n- next\n", f"- {MASK}\n- next\n"),
    "a marker on the line before an item": (f"{M}\n- SECRET\n  SECRET\n- next\n", f"{MASK}\n\n\n- next\n"),
    "a later sentence of an item": (f"- Ok. {M}SECRET. Third.\n", f"- Ok. {MASK} Third.\n"),
    "a task": (f"- [ ] {M}SECRET\n- b\n", f"- [ ] {MASK}\n- b\n"),
    "a table row, first cell": (f"| {M} SECRET | SECRET |\n| u | v |\n", f"{MASK}\n| u | v |\n"),
    "a table row, later cell": (f"| SECRET | {M} SECRET |\n| u | v |\n", f"{MASK}\n| u | v |\n"),
    "a table row without outer bars": (
        f"a | b\n--|--\nu | v\nSECRET | {M}SECRET\nx | y\n",
        f"a | b\n--|--\nu | v\n{MASK}\nx | y\n",
    ),
    "a bar in a sentence before": (f"P(a|b). {M}SECRET\nSECRET. Next.\n", f"P(a|b). {MASK}\n Next.\n"),
    "before a table row": (f"{M}| SECRET |\n| u |\n", f"{MASK}\n| u |\n"),
    "on the line before a paragraph": (f"{M}\n\nSECRET. Next.\n", f"{MASK}\n\n Next.\n"),
    "alone before the title": (f"{M}\n\n# SECRET\n\nSECRET. SECRET.\n", f"{MASK}\n\n\n\n\n"),
    "alone behind the front matter": (
        f"---\ntitle: T\n---\n\n{M}\n\nSECRET. SECRET.\n\n## SECRET\n",
        f"---\ntitle: T\n---\n\n{MASK}\n\n\n\n\n",
    ),
    "behind a marked field and the front matter": (
        f'---\nsummary: "{M}SECRET"\n---\n{M}\n\nSECRET. SECRET.\n',
        f"---\nsummary: {MASK}\n---\n{MASK}\n\n\n",
    ),
    "on the line before the title": (f"{M}\n# SECRET\nbody\n", f"{MASK}\n\nbody\n"),
    "before a heading": (f"{M}\n## SECRET\nbody\n", f"{MASK}\n\nbody\n"),
    "a field of the front matter": (f"summary: a {M} SECRET. SECRET\nx: y\n", f"summary: {MASK}\nx: y\n"),
    "a quotation": (f"> {M} SECRET\n> SECRET. SECRET\n\nEnd.\n", f"> {MASK}\n\n\nEnd.\n"),
    "a quotation that goes on without its mark": (f"> {M}SECRET\nSECRET.\n\nEnd.\n", f"> {MASK}\n\n\nEnd.\n"),
    "a quotation before a list": (f"> {M}SECRET\n- next\n", f"> {MASK}\n- next\n"),
    "stops in brackets": (f"{M}As [Wine? SECRET. Old] (v. SECRET. S) SECRET. Next.", f"{MASK} Next."),
    "a bracket that never closes": (f"{M}SECRET :( SECRET. Next.", f"{MASK} Next."),
    "two markers in a row": (f"{M}{M}SECRET. Next.", f"{MASK} Next."),
    "the end of the text": (f"x {M}", f"x {MASK}"),
    "an unclosed comment": ("<!--RETRACTED-SOURCE SECRET", MASK),
    "blanks in the marker": ("<!-- RETRACTED-SOURCE -->SECRET. Next.", f"{MASK} Next."),
    "another script": (f"{M}SECRET。次。", f"{MASK}次。"),
}


@pytest.mark.parametrize(("text", "masked"), CASES.values(), ids=CASES.keys())
def test_a_marker_covers(text, masked):
    out, count = mask_retracted(text)
    assert out == masked
    assert count == text.count("RETRACTED-SOURCE")
    assert out.count("\n") == text.count("\n")


def test_a_marker_in_a_code_sample_covers_nothing():
    text = f"A sample `{M}` here.\n\n{M}SECRET.\n"
    out, count = mask_retracted(text)
    assert out == f"A sample `{M}` here.\n\n{MASK}\n"
    assert count == 1
    assert is_pending(text)
    assert not is_pending(f"A sample `{M}` here.")


def test_case_does_not_matter():
    assert mask_retracted("<!-- retracted-source -->Secret.") == (MASK, 1)


@given(
    st.lists(st.sampled_from([M, "Ab c. ", "x", "\n", "- ", "| ", "> ", "# ", "  ", "a: ", "1. "])).map(
        "".join
    )
)
def test_masking_keeps_line_numbers_and_leaves_no_marker(text):
    out, count = mask_retracted(text)
    assert "RETRACTED-SOURCE" not in out
    assert out.count("\n") == text.count("\n")
    assert (MASK in out) is (count > 0)
    assert mask_retracted(out) == (out, 0)


@given(st.text(alphabet="Ab .!?\n"))
def test_sentences_cover_every_letter_once(text):
    found = list(sentences(text))
    assert "".join(text[a:b] for a, b in found).split() == text.split() or "".join(
        "".join(text[a:b] for a, b in found).split()
    ) == "".join(text.split())


def test_a_sentence_ends_before_a_capital_and_not_before_a_digit():
    text = "It was 3.5 vs. 4 Mt. Then it rose."
    assert text[: sentence_end(text)] == "It was 3.5 vs. 4 Mt."


def test_a_long_run_of_marks_is_cut_in_one_walk():
    text = "Ab" + "." * 200_000 + "cd. Ef."
    assert [text[a:b][-3:] for a, b in sentences(text)] == ["cd.", "Ef."]
