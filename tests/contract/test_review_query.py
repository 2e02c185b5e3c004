"""What a first reader of the asking verbs tried, and what has to hold there."""

import json
import shutil
from pathlib import Path

import pytest
from program import CHECKOUT, Program

TOPIC = "agent-memory"
SECRET = "forty-two spots"
PAGE = f"""---
title: Giraffe
category: concept
summary: "<!--RETRACTED-SOURCE--> A giraffe has {SECRET}."
tags: [giraffe, "<!--RETRACTED-SOURCE--> {SECRET}"]
created: 2026-11-29
updated: 2026-12-29
---
# Giraffe

Giraffes eat leaves.
"""


@pytest.fixture
def example(wiki: Program) -> Program:
    """A user with the example hub."""
    shutil.copytree(CHECKOUT / "wikis/example", wiki.hub)
    return wiki


def ask(wiki: Program, *words: str) -> dict:
    return json.loads(wiki("query", "--wiki", TOPIC, "--json", *words).out)


def test_a_misspelt_question_is_answered_by_sentences_too(example):
    found = ask(example, "--extract", "contxt windwo")
    assert found["main"]["corrected"] == {"contxt": "context", "windwo": "window"}
    assert found["exit"] == 0
    assert "context window is a limit" in found["extract"][0]["text"]


def test_a_word_that_was_taken_for_another_is_not_called_missing(example):
    assert ask(example, "contxt windwo")["main"]["uncovered"] == []


@pytest.mark.parametrize("words", ["what is it?", "the", "how are you?", "what and how", "was ist das"])
def test_a_question_that_names_nothing_is_a_gap(example, words):
    found = ask(example, words)
    assert (found["exit"], found["main"]["rows"], found["main"]["files"]) == (1, [], [])


@pytest.mark.parametrize(
    "arguments",
    [
        ("query", "giraffe"),
        ("query", "giraffe", "--json"),
        ("query", "--list"),
        ("query", "--list", "--json"),
        ("query", "--resume", "--json"),
        ("search", "giraffe", "--json"),
        ("read", "wiki/concepts/_index.md"),
        ("index", "show", "wiki/concepts"),
        ("index", "show", "wiki/concepts", "--json"),
    ],
)
def test_a_row_keeps_to_itself_what_stands_under_a_retraction_marker(example, arguments):
    page = example.hub / f"topics/{TOPIC}/wiki/concepts/giraffe.md"
    page.write_text(PAGE)
    assert SECRET not in example(*arguments, "--wiki", TOPIC).out
    page.write_text(PAGE.replace("<!--RETRACTED-SOURCE--> ", ""))
    assert SECRET in example(*arguments, "--wiki", TOPIC).out  # the control: nothing else hides it


@pytest.mark.parametrize("status", ["Archived", "ARCHIVED", " archived"])
def test_a_topic_put_away_in_other_letters_stays_away(example, status):
    registry = Path(example.hub, "wikis.json")
    data = json.loads(registry.read_text())
    data["wikis"][TOPIC]["status"] = status
    registry.write_text(json.dumps(data))
    assert example("query", "--wiki", TOPIC, "context budget").exit == 4
    assert "context-budget" not in example("search", "context budget").out


@pytest.mark.parametrize(
    "arguments",
    [
        ("--list", "--with", "x"),
        ("--resume", "--with", "x"),
        ("--list", "--extract"),
        ("--list", "--deep"),
        ("context", "--with", "hub"),
    ],
)
def test_a_flag_that_could_do_nothing_is_refused(example, arguments):
    assert example("query", "--wiki", TOPIC, *arguments).exit == 2


def test_a_text_that_begins_like_a_flag_is_taken_behind_two_hyphens(example):
    assert "route" not in example("route", "--json", "--", "--fix the wiki").err
    found = ask(example, "--", "--what is a context budget?")
    assert found["main"]["files"][0]["path"] == "wiki/concepts/context-budget.md"
