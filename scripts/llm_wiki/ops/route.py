"""From a sentence to the intent it expresses: a table looked through in order, no model, no file.

No wiki is read here, so that a wish to withdraw something is recognised before any of its text is
touched (`commands.md` §3).
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from llm_wiki.ops.intents import Intent, table

OPTIONS = 3
"""Most options that a person is asked to choose from."""

LONGEST = 4000
"""Characters of a text that are looked at."""

_URL = re.compile(r"(?:https?|ftp)://[^\s<>\"')\]]+|\bwww\.[^\s<>\"')\]]+\.[^\s<>\"')\]]+", re.IGNORECASE)
_PATH = re.compile(
    r"(?<!\S)[\"'`]?(?:~|\.{1,2})?(?:/[^\s/\"'`]+)+/?[\"'`]?(?!\S)"
    r"|(?<!\S)[^\s\"'`/]+(?:/[^\s\"'`/]+)*\.(pdf|md|txt|html?|docx?|csv|tsv|json|jsonl|parquet|sqlite|db|epub|rtf)\b",
    re.IGNORECASE,
)
_CALLED = re.compile(r"/(?:llm-)?wiki(?![\w:/.-])[:\s]*", re.IGNORECASE)
"""How a host's own entry is called, when a text repeats it: no path."""

_INSIDE = re.compile(r"[\"'`]?(?:\./)?(?:raw|wiki|output|inventory|datasets)/", re.IGNORECASE)
"""How a path below a wiki begins: what it names has been taken in already."""

_NAMED = re.compile(r"/?(?:llm-)?wiki:(?P<name>[a-z][a-z-]*)\b\s*(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_DATA = ("csv", "parquet", "sqlite", "db", "jsonl", "tsv")
_WEB_ARCHIVE = re.compile(r"https?://(?:web\.archive\.org|archive\.(?:org|today|ph))/\S*", re.IGNORECASE)


class Candidate(NamedTuple):
    """One intent that fits: what it serves, the words that spoke for it, and whether they decide."""

    intent: str
    serves: str
    signal: str
    strong: bool


class Routing(NamedTuple):
    """Candidates in order; `decided` tells whether the first one may be followed without asking.

    Undecided, there are at most `OPTIONS` of them: the choices for the person.
    """

    candidates: tuple[Candidate, ...]
    decided: bool


def route(text: str) -> Routing:
    """Return which intents a sentence may express, the one to follow first.

    The first strong signal in the order of the table wins; every later one follows as a candidate, the
    mere form of a question last. Only weak signals, or none, decide nothing: never a guess.
    """
    said = " ".join(text[:LONGEST].split())
    called = _CALLED.match(said)
    said = said if called is None else said[called.end() :]
    named = _NAMED.match(said)
    if named is not None and (known := _by_name(named["name"].lower())) is not None:
        first = Candidate(known.name, known.serves, f"named: {named['name'].lower()}", strong=True)
        return Routing((first,), decided=True)
    plain, question = _plain(said)
    strong, general, weak = [], [], []
    for intent in table().intents if plain else ():
        if _seen(intent.but, plain):
            continue
        signal = _seen(intent.asked, plain)
        if not signal and not question:
            signal = _opening(intent.told, plain) or _seen(intent.stated, plain)
        if signal:
            strong.append(Candidate(intent.name, intent.serves, signal, strong=True))
        elif intent.general and (found := "a question" if question else _opening(intent.general, plain)):
            general.append(Candidate(intent.name, intent.serves, found, strong=True))
        elif hint := _seen(intent.hint, plain):
            weak.append(Candidate(intent.name, intent.serves, hint, strong=False))
    if strong or general:
        return Routing((*strong, *general), decided=True)
    return Routing(tuple([*weak, *_menu(weak)][:OPTIONS]), decided=False)


def _menu(weak: list[Candidate]) -> list[Candidate]:
    known = {one.intent for one in weak}
    offered = [_by_name(name) for name in table().menu if name not in known]
    return [Candidate(one.name, one.serves, "offered", strong=False) for one in offered if one is not None]


@cache
def _by_name(name: str) -> Intent | None:
    return next(
        (one for one in table().intents if one.name == name or one.name.replace(" ", "-") == name), None
    )


def _plain(said: str) -> tuple[str, bool]:
    """Return a text in the form of the table, without courtesies, and whether it is a question."""
    text = _WEB_ARCHIVE.sub(" wayback URL ", said)
    text = _PATH.sub(_path, _URL.sub(" URL ", text))
    text = "".join(
        part if part == "URL" or part.startswith("PATH") else part.lower()
        for part in re.split(r"(\bURL\b|\bPATH(?:\.[a-z]+)?)", text)
    )
    text = " ".join(text.replace("’", "'").split())
    courtesy = _pattern("|".join(table().courtesies))
    while text and (found := courtesy.match(text)) is not None and found.end():
        text = text[found.end() :].lstrip(" ,:-")
    question = _pattern(table().question).match(text) is not None or (
        text.endswith("?") and text.strip("?! ") != "" and not _imperative(text)
    )
    return text, question


def _path(found: re.Match[str]) -> str:
    if _INSIDE.match(found[0]):
        return found[0]
    ending = found[0].strip("\"'`/").rpartition(".")[2].lower()
    return f" PATH.{ending} " if ending in _DATA else " PATH "


def _imperative(text: str) -> bool:
    """Tell whether a text with a question mark still begins like an order (“lint the wiki?”)."""
    return any(_opening(intent.told, text) for intent in table().intents)


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@cache
def _whole(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])")


def _seen(patterns: tuple[str, ...], text: str) -> str:
    """Return the first words of a text that one of the patterns finds, or ""."""
    for pattern in patterns:
        found = _whole(pattern).search(text)
        if found is not None:
            return found[0]
    return ""


def _opening(patterns: tuple[str, ...], text: str) -> str:
    """Return the words with which a text begins, by one of the patterns, or ""."""
    for pattern in patterns:
        found = _whole(pattern).match(text)
        if found is not None:
            return found[0]
    return ""
