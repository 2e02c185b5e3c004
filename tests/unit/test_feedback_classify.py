"""What is feedback and of which kind: the targets and rows of `feedback.md` §5, and the tables themselves."""

import json
import random
from pathlib import Path

import pytest

from llm_wiki.hook import classify, languages, match, speech
from llm_wiki.sessions.judging import measure, read_sentences

DATA = Path(__file__).parent / "data" / "feedback"
OTHERS = ("zh", "de", "fr", "es")


def label(text):
    verdict = classify.classify(text)
    return verdict.label if verdict else "none"


def figures(name, *, only=()):
    rows = [row for row in read_sentences(DATA / f"{name}.jsonl") if not only or row.lang in only]
    return measure(rows)


@pytest.mark.parametrize("name", ["given", "own", "locked"])
def test_the_sets_hold_enough_of_each_label_and_language(name):
    rows = read_sentences(DATA / f"{name}.jsonl")
    assert len(rows) >= 120
    assert {row.label for row in rows} == set(classify.LABELS)
    assert {row.lang for row in rows} == set(languages.NAMES)
    assert len({row.text for row in rows}) == len(rows)


def test_no_sentence_of_one_set_stands_in_another():
    texts = [
        row.text for name in ("given", "own", "locked") for row in read_sentences(DATA / f"{name}.jsonl")
    ]
    assert len(set(texts)) > len(texts) - 8


@pytest.mark.parametrize("name", ["given", "own", "locked"])
def test_the_targets_are_met(name):
    found = figures(name)
    assert found["macro"]["f1"] >= 0.85
    assert found["scores"]["none"]["recall"] >= 0.95
    assert found["scores"]["correction"]["precision"] >= 0.90
    assert found["scores"]["preference"]["precision"] >= 0.90
    assert figures(name, only=OTHERS)["macro"]["f1"] >= 0.80


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("No problem, thanks.", "none"),
        ("no no no", "none"),
        ("Here it is:\nERROR worker 3: wrong content type, not what was expected", "none"),
        ("# AGENTS.md\nAlways run tests", "none"),
        ("# AGENTS.md\n\n- Always run tests\n- Never push to main", "none"),
        ("<task-notification>agent 4 is done, the result looks good</task-notification>", "none"),
        ("<system-reminder>Always answer in English.</system-reminder>", "none"),
        ("<command-name>/review</command-name> that is wrong", "none"),
        ("<environment_context>we always use zsh</environment_context>", "none"),
        ("/review that is not what I meant", "none"),
        ("Is this the correct way to open a SQLite connection?", "none"),
        ("We need a function that adds two numbers.", "none"),
        ("We don't use emojis in documentation.", "preference"),
        ("Don't change a thing, this is perfect.", "approval"),
        ("That’s not right", "correction"),
        ("That's not right", "correction"),
        ("don’t use tabs", "preference"),
        ("don't use tabs", "preference"),
        ("No, eso no es lo que quería.", "correction"),
        ("No hay problema, gracias.", "none"),
        ("Kein Problem, danke.", "none"),
        ("Pas de souci, merci.", "none"),
        ("没问题", "none"),
    ],
)
def test_the_rows_of_the_table(text, wanted):
    assert label(text) == wanted


@pytest.mark.parametrize(
    "text",
    ["ok", "okay", "cool", "thanks", "ty", "k", "👍", "👌", "Thank you!", "OK.", "...", "", "  \n ", "🎉🎉"],
)
def test_acknowledgements_are_no_feedback(text):
    assert label(text) == "none"


WRONG = "That is not what I asked for."


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{WRONG}\n```",
        f"~~~text\n{WRONG}\n~~~",
        f"```\n{WRONG}",
        f"> {WRONG}",
        f"`{WRONG}`",
        f'The reply was "{WRONG}"',
        f"Tom said: “{WRONG}”",
        f"Der Kunde schreibt: „{WRONG}“",
        f"Le client dit : «{WRONG}»",
        f"Translate '{WRONG}' into French.",
        f"The customer says {WRONG.lower()}",
        f"2026-01-03 10:00:00 {WRONG}",
        f"[12:00:01] {WRONG}",
        f"ERROR: {WRONG}",
        f"ValueError: {WRONG}",
        f'Traceback (most recent call last):\n  File "a.py", line 1\n    x\nTypeError: {WRONG}',
        f"Here is the log:\n{WRONG}",
        f"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x = 1;\n+{WRONG}",
        "Open https://example.org/that-is/not-what-i/asked-for",
        "See /notes/never/always/wrong.md",
        "What does always() do?",
    ],
)
def test_what_is_pasted_quoted_or_code_is_nobodys_feedback(text):
    assert label(text) == "none"


def test_words_around_a_paste_still_count():
    assert label(f"{WRONG} Here is the log:\nINFO all is fine") == "correction"
    assert label("Here is the log:\nERROR boom\n\nPlease revert your last change.") == "correction"
    assert label("From now on use `uv` in this repo.") == "preference"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Why did you delete the file?", "none"),
        ("Why did you delete the file? Restore it.", "correction"),
        ("No, why did you delete that file?", "correction"),
        ("If the result is wrong, tell me.", "none"),
        ("If it works, ship it next week.", "none"),
        ("This is not correct.", "correction"),
        ("This isn't working.", "correction"),
        ("Nothing is wrong with it.", "approval"),
        ("Write a page about what went wrong at Chernobyl.", "none"),
        ("I don't know whether this is correct.", "none"),
        ("Looks good, but the date is wrong.", "correction"),
        ("Perfect. From now on always do it like this.", "preference"),
        ("Looks good, merge it.", "decision"),
        ("Great, go ahead. You forgot the index, though.", "correction"),
    ],
)
def test_negation_mood_and_mixed_messages(text, wanted):
    assert label(text) == wanted


def test_of_a_long_message_the_first_and_the_last_sentence_count():
    filler = "This report covers a number of things. " * 50
    assert label(f"{WRONG} {filler} Thanks.") == "correction"
    assert label(f"Hello. {filler} From now on keep reports short.") == "preference"
    assert label(f"Hello. {filler} {WRONG} {filler} Thanks.") == "none"


def test_the_clause_is_the_sentence_that_says_it():
    verdict = classify.classify("Thanks for the work.  From now on,\nsquash before merging. Bye!")
    assert verdict is not None
    assert classify.classify("Thanks. From now on squash before you merge. Bye!").clause == (
        "From now on squash before you merge."
    )


@pytest.mark.parametrize(
    ("score", "wanted"),
    [(1, "high"), (0.8, "high"), (0.79, "medium"), (0.5, "medium"), (0.3, "low"), (0.29, "")],
)
def test_scores_have_grades(score, wanted):
    assert classify.grade(score) == wanted


def test_doubt_lowers_the_score():
    plain, doubtful = (classify.classify(text) for text in ("That's wrong.", "Perhaps that's wrong."))
    assert plain.grade == "high"
    assert doubtful is None or doubtful.score < plain.score


@pytest.mark.parametrize(
    ("text", "kind", "lang", "wanted"),
    [
        ("Never push on Fridays.", "preference", "en", "global"),
        ("The tests are wrong.", "correction", "en", "repo"),
        ("That article is wrong.", "correction", "en", "topic"),
        ("That is wrong.", "correction", "en", "session"),
        ("The rule always works.", "approval", "en", "session"),
        ("以后用英文。", "preference", "zh", "global"),
        ("In diesem Projekt nutzen wir Tabs.", "preference", "de", "repo"),
        ("approval of the printer", "decision", "en", "session"),
    ],
)
def test_words_say_how_far_a_candidate_reaches(text, kind, lang, wanted):
    assert classify.scope_of(text, kind, lang) == wanted


@pytest.mark.parametrize("text", ["これは間違っています。", "그건 틀렸어요.", "Это неправильно.", "هذا خطأ"])
def test_languages_without_a_table_give_nothing(text):
    assert label(text) == "none"


@pytest.mark.parametrize(
    "text",
    ["THAT IS NOT WHAT I ASKED FOR", "thats not what i asked for", "That’s not what I asked for!!! 😡"],
)
def test_case_typing_and_signs_do_not_matter(text):
    assert label(text) == "correction"


# -- the tables ----------------------------------------------------------------------------------------


def patterns():
    for name in languages.NAMES:
        table = languages.read(name)
        for group in table["groups"]:
            for text in group["patterns"]:
                yield (
                    name,
                    group["name"],
                    text,
                    {key: frozenset(v.split()) for key, v in table["classes"].items()},
                )


def test_no_trigger_is_longer_than_six_words():
    for name, group, text, _ in patterns():
        words = [part for part in match.Pattern(0, text).parts if part not in ("..", "...", ",", ",?")]
        assert 1 <= len(words) <= 6, (name, group, text)


def test_every_pattern_can_be_read():
    for name, group, text, classes in patterns():
        for part in match.Pattern(0, text).parts:
            assert part not in ("^", "^^", "$", "$$"), (name, group, text)
            found = match.element(part, classes)
            assert found.gap or found.words or found.starts or found.ends or found.any, (name, group, text)


def test_labels_scores_and_classes_of_the_tables_are_known():
    moods = {"void", "ask", "request", "condition", "reported"} | {f"void-{one}" for one in classify.PRIORITY}
    for name in languages.NAMES:
        table = languages.read(name)
        assert {"openers", "closers", "negation", "hedge", "ack"} <= set(table["classes"])
        assert set(table["scopes"]) == {"global", "repo", "topic"}
        for group in table["groups"]:
            assert group["label"] in moods | set(classify.PRIORITY), (name, group["name"])
            assert (group["score"] == 0) is (group["label"] in moods)
            assert 0 <= group["score"] <= 1
            assert len(group["patterns"]) == len(set(group["patterns"]))


def test_a_pattern_is_no_copied_sentence():
    given = {
        " ".join(speech.words(row.text, spaced=True, split_apostrophe=False))
        for row in read_sentences(DATA / "given.jsonl")
        if len(row.text.split()) > 4
    }
    assert given.isdisjoint({text.strip("^$ ") for _, _, text, _ in patterns()})


@pytest.mark.parametrize("seed", range(40))
def test_any_text_is_read_without_an_error_and_masked_in_place(seed):
    pick = random.Random(seed)
    parts = ["a", "'", '"', "`", "```", "\n", " ", "/", "(", ")", ".", "?", "。", "你", "不", "ß", "\u2028", "\ud800",
             "no", "always", "<", "#", "- ", ":", "：", "é", "\0", "👍", "...", "?!", "://", "@", "_", "ne", "l'"]  # fmt: skip
    text = "".join(pick.choices(parts, k=pick.randrange(1, 400)))
    verdict = classify.classify(text)
    assert len(speech.masked(text)) == len(text)
    assert verdict is None or verdict.label in classify.PRIORITY


def test_the_figures_come_as_matrix_and_rates(tmp_path):
    path = tmp_path / "rows.jsonl"
    rows = [("That is wrong.", "correction"), ("Hello", "none"), ("Hello", "approval")]
    path.write_text("".join(json.dumps({"text": text, "label": name}) + "\n" for text, name in rows))
    found = measure(read_sentences(path))
    assert found["labels"] == ["correction", "preference", "approval", "decision", "none"]
    assert found["matrix"][0] == [1, 0, 0, 0, 0]
    assert found["matrix"][2] == [0, 0, 0, 0, 1]
    assert found["scores"]["none"] == {"precision": 0.5, "recall": 1.0, "f1": 0.6667, "count": 1}
    assert found["macro"]["f1"] == pytest.approx((1 + 0.6667) / 5, abs=1e-4)


@pytest.mark.parametrize(
    "text", ["no problem, go ahead", "Go ahead.", "go ahead!", "Go ahead and merge it.", "do the second one"]
)
def test_leave_to_go_on_is_a_decision(text):
    assert classify.classify(text).label == "decision"


@pytest.mark.parametrize(
    "text",
    ["ok", "thanks", "please do the release notes", "Do the migration of the users table.", "Don't go ahead.",
     "did you go ahead?", "If the tests pass, go ahead."],
)  # fmt: skip
def test_a_new_task_a_question_or_a_word_of_thanks_decides_nothing(text):
    assert classify.classify(text) is None
