"""What kind of feedback a prompt is, if any: rules over words, no model (`feedback.md` §2).

Each sentence is looked at for the patterns of its language; moods (question, request, condition, report,
negation) take hits away, and what is left is graded. When unsure the answer is "none": a false lesson costs
more than a missed one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from llm_wiki.hook import languages, match, speech

LABELS: Final = ("correction", "preference", "approval", "decision", "none")
PRIORITY: Final = ("correction", "preference", "decision", "approval")
"""Which label a message has that holds several."""
GRADES: Final = (("high", 0.8), ("medium", 0.5), ("low", 0.3))
LESSON_CHARS: Final = 200

_SHORT_WORDS: Final = 8
_LOOKED_AT: Final = 10_240
_MORE: Final = 0.05
_MOST: Final = 0.98
_HEDGED: Final = 0.25
_FLIPPED: Final = 0.7
_REACH: Final = 3
_IN_TASKS: Final = 0.75
_OPENS_QUESTIONS: Final = ("refusal", "undo")
_WEAK: Final = 0.62
_SCOPE_ORDER: Final = ("global", "repo", "topic")


class Verdict(NamedTuple):
    """What a message is: a label but `none`, how sure (0 to 1) and why, and the clause that says it.

    `group` names the rules that hit, `rule_id` with their language.
    """

    label: str
    score: float
    group: str
    lang: str
    clause: str

    @property
    def rule_id(self) -> str:
        """Return `language.group`."""
        return f"{self.lang}.{self.group}"

    @property
    def grade(self) -> str:
        """Return the word for the score: high, medium or low."""
        return grade(self.score)


class _Language(NamedTuple):
    name: str
    table: match.Table
    groups: tuple[tuple[str, str, float], ...]
    classes: dict[str, frozenset[str]]
    aliases: dict[str, str]
    scopes: dict[str, list[str]]
    spaced: bool
    split: bool


class _Found(NamedTuple):
    label: str
    score: float
    group: str
    sentence: int


_loaded: dict[str, _Language] = {}


def grade(score: float) -> str:
    """Return the word for a score, "" below the lowest grade."""
    return next((name for name, least in GRADES if score >= least), "")


def classify(text: str) -> Verdict | None:
    """Return what a message says of earlier work or of the way to work; None when that is nothing, or unsure.

    Takes time that grows with the text, of which both ends are looked at when it is long.
    """
    if speech.of_machine(text):
        return None
    if len(text) > 2 * _LOOKED_AT:
        text = f"{text[:_LOOKED_AT]}\n\n{text[-_LOOKED_AT:]}"
    said = speech.sentences(text)
    if not said:
        return None
    fitting = [
        _in_language(text, said, _load(name)) for name in _languages_of(" ".join(item.text for item in said))
    ]
    return max((item for item in fitting if item), key=lambda item: item.score, default=None)


def _in_language(text: str, said: list[speech.Sentence], language: _Language) -> Verdict | None:
    """Return what a message is, read in one language."""
    lines = [_line(item.text, language) for item in said]
    if _only_acknowledges(lines, language):
        return None
    found: list[_Found] = []
    tasks = False
    for number, (item, line) in enumerate(zip(said, lines, strict=True)):
        hits = [(language.groups[hit.group], hit) for hit in language.table.hits(line)]
        moods = [(kind[0], hit) for kind, hit in hits if kind[0] not in PRIORITY]
        asks = item.asks or any(mood == "ask" for mood, _ in moods)
        tasks = tasks or asks or any(mood == "request" and line.opens[hit.start] == 2 for mood, hit in moods)
        found += _sentence(number, hits, moods, line, language, asks=asks)
    if tasks and len(said) > 1:  # what stands around a task mostly describes it
        found = [item for item in found if item.score >= _IN_TASKS]
    best = _settle(found)
    if best is None or not grade(best.score):
        return None
    item = said[best.sentence]
    clause = " ".join(text[item.start : item.end].split())
    return Verdict(best.label, round(best.score, 2), best.group, language.name, clause)


def scope_of(text: str, label: str, lang: str) -> str:
    """Return how far a candidate may reach, by its words: global, repo, topic or session."""
    if label == "approval":
        return "session"
    known = _load("en").scopes
    own = _load(lang).scopes if lang in languages.NAMES else known
    low = text.lower()
    words = " " + " ".join("".join(char if char.isalnum() else " " for char in low).split()) + " "
    for scope in _SCOPE_ORDER:
        for word in (*known[scope], *own[scope]):
            if f" {word} " in words or (not word.isascii() and word in low):
                return scope
    return "session"


def _load(name: str) -> _Language:
    if name not in _loaded:
        table = languages.read(name)
        classes = {title: frozenset(words.split()) for title, words in table["classes"].items()}
        groups = table["groups"]
        spaced = table["spaced"]
        _loaded[name] = _Language(
            name,
            match.Table([group["patterns"] for group in groups], classes, spaced=spaced),
            tuple((group["label"], group["name"], group["score"]) for group in groups),
            classes,
            table["aliases"],
            table["scopes"],
            spaced,
            table["split_apostrophe"],
        )
    return _loaded[name]


def _languages_of(text: str) -> tuple[str, ...]:
    """Return the language most of a message is in, several when it is too short to tell.

    None at all for a script that no table reads.
    """
    low = text.lower()
    letters = sum(char.isalpha() for char in low)
    han = sum("\u4e00" <= char <= "\u9fff" for char in low)
    if any("\u3040" <= char <= "\u30ff" or "\uac00" <= char <= "\ud7af" for char in low):
        return ()
    if han * 4 >= letters > 0:
        return ("zh",)
    counts = dict.fromkeys(languages.ORDER, 0.0)
    marks = languages.markers()
    words = set(speech.words(low, spaced=True, split_apostrophe=False))
    for word in words:
        head, mark, _ = word.partition("'")
        for name, known in marks.words.items():
            if word in known or (mark and f"{head}'" in known):
                counts[name] += 1
    for name, signs in marks.letters.items():
        counts[name] += 1.5 * any(sign in low for sign in signs)
    best = max(counts.values())
    if len(words) > _SHORT_WORDS:
        return (next(name for name in languages.ORDER if counts[name] == best),) if best else ("en",)
    return tuple(name for name in languages.ORDER if counts[name] == best)


def _line(text: str, language: _Language) -> match.Line:
    """Return the words of a sentence with the places where clauses open and close."""
    words = speech.words(text, spaced=language.spaced, split_apostrophe=language.split)
    if language.aliases:
        words = [language.aliases.get(word, word) for word in words]
    openers, closers = language.classes["openers"], language.classes["closers"]
    opens, closes = [0] * len(words), [0] * (len(words) + 1)
    level = 2
    for at, word in enumerate(words):
        opens[at] = level
        if _is_mark(word):
            level = max(level, 1)
        elif word not in openers:
            level = 0
    level = 2
    closes[-1] = level
    for at in range(len(words) - 1, -1, -1):
        if _is_mark(words[at]):
            level = max(level, 1)
        elif words[at] not in closers:
            level = 0
        closes[at] = level
    return match.Line(words, opens, closes, language.spaced)


def _is_mark(word: str) -> bool:
    """Tell whether a word is punctuation or a sign such as an emoji."""
    return word in match.PUNCTUATION or not (word[0].isalnum() or word[0] == speech.MASK)


def _only_acknowledges(lines: list[match.Line], language: _Language) -> bool:
    """Tell whether a whole message only says that it was heard."""
    known = language.classes["ack"]
    if not language.spaced:
        whole = "".join(char for line in lines for char in line.words if char.isalnum())
        return whole in known
    words = [word for line in lines for word in line.words if word[0].isalnum()]
    return all(word in known for word in words)


def _sentence(
    number: int,
    hits: list[tuple[tuple[str, str, float], match.Hit]],
    moods: list[tuple[str, match.Hit]],
    line: match.Line,
    language: _Language,
    *,
    asks: bool,
) -> Iterator[_Found]:
    """Yield what the patterns find in one sentence and no mood takes away."""
    hedged = any(word in language.classes["hedge"] for word in line.words)
    for (label, group, score), hit in hits:
        if label not in PRIORITY or _taken(label, hit, moods, line):
            continue
        if asks and not (label == "correction" and line.opens[hit.start] == 2 and group in _OPENS_QUESTIONS):
            continue
        if _negated(hit, line, language):
            if label == "approval":
                yield _Found("correction", _FLIPPED, f"not-{group}", number)
            continue
        yield _Found(label, score - _HEDGED * hedged, group, number)


def _taken(label: str, hit: match.Hit, moods: list[tuple[str, match.Hit]], line: match.Line) -> bool:
    """Tell whether a mood of the sentence takes a hit away."""
    for mood, area in moods:
        if mood in ("void", f"void-{label}"):
            if hit.start < area.end and area.start < hit.end:
                return True
        elif mood == "reported":
            if hit.start >= area.start:
                return True
        elif mood == "condition" and label == "decision" and line.opens[area.start] == 2 and hit.start:
            return True  # what follows is ordered only then
        elif (
            mood in ("condition", "request")
            and hit.start > area.start
            and not any(word in match.PUNCTUATION for word in line.words[area.start : hit.start + 1])
        ):
            return True
    return False


def _negated(hit: match.Hit, line: match.Line, language: _Language) -> bool:
    """Tell whether a negation stands just before a hit, in its clause and outside of it."""
    negation = language.classes["negation"]
    at = hit.start
    while at > 0 and hit.start - at < _REACH:
        at -= 1
        if line.words[at] in match.PUNCTUATION:
            return False
        if line.words[at] in negation:
            return True
    return False


def _settle(found: list[_Found]) -> _Found | None:
    """Return the one finding a message stands for: the first label that is not weak, by priority."""
    best: dict[str, Any] = {}
    for label in PRIORITY:
        own = [item for item in found if item.label == label]
        if own:
            top = max(own, key=lambda item: item.score)
            others = len({item.group for item in own}) - 1
            best[label] = top._replace(score=min(_MOST, top.score + _MORE * others))
    if not best:
        return None
    strongest = max(item.score for item in best.values())
    for label in PRIORITY:
        item = best.get(label)
        if item is not None and (item.score > _WEAK or strongest - item.score < 0.15):
            return item  # type: ignore[no-any-return]
    return max(best.values(), key=lambda item: item.score)  # type: ignore[no-any-return]
