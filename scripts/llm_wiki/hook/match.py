"""Patterns of the classifier: short phrases over words, matched in time that grows with the text only.

A pattern is a few elements with blanks between them. An element is a word, words of which one must stand
there (`a|b`), a word class of the language (`@name`), the start of a word (`crash*`, four letters at
least), its end (`~ed`, never in front) or any word (`+`); `?` behind it makes it optional, alone it is any
word or none. `..` passes over up to two words of a clause, `...` over up to five words and punctuation.
`,` is any punctuation inside a sentence. `^` in front asks for the start of a clause, `^^` for that of the
sentence, `$` and `$$` for their ends; words that only open or close a sentence (well, please) do not count
there. `$` among the words of an element is such an end, too. In languages without blanks an element is
one or more characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

PUNCTUATION: Final = frozenset(",;:-–—()…、，；：·")
_GAPS: Final = {"..": (2, False), "...": (5, True)}
_PREFIX: Final = 4


class Element(NamedTuple):
    """One step of a pattern: words, their starts or ends, any word, an end; or a gap of `gap` words."""

    words: frozenset[str]
    starts: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    any: bool = False
    stop: bool = False
    optional: bool = False
    gap: int = 0
    across: bool = False


class Pattern:
    """One pattern: the group it belongs to, and how much opens and closes with it (0, clause 1, sentence 2).

    Only what it can begin with is parsed at first; the rest when such a word was met.
    """

    __slots__ = ("closes", "group", "opens", "parts", "steps")

    def __init__(self, group: int, text: str) -> None:
        parts = text.split()
        self.group = group
        self.opens = len(parts.pop(0)) if parts[0] in ("^", "^^") else 0
        self.closes = len(parts.pop()) if parts[-1] in ("$", "$$") else 0
        self.parts = parts
        self.steps: tuple[Element, ...] = ()


class Line(NamedTuple):
    """The words of one sentence; per word whether a clause (1) or the sentence (2) opens or ends there."""

    words: Sequence[str]
    opens: Sequence[int]
    closes: Sequence[int]
    spaced: bool


class Hit(NamedTuple):
    """A pattern found: the number of its group, first word, and the word behind its last."""

    group: int
    start: int
    end: int


class Table:
    """The patterns of one language, found by the words they can begin with."""

    def __init__(
        self, groups: Sequence[Sequence[str]], classes: Mapping[str, frozenset[str]], *, spaced: bool
    ) -> None:
        self._spaced = spaced
        self._classes = classes
        self._elements: dict[str, Element] = {}
        self._by_word: dict[str, list[Pattern]] = {}
        self._by_start: dict[str, list[Pattern]] = {}
        self._any: list[Pattern] = []
        for number, texts in enumerate(groups):
            for text in texts:
                self._enter(Pattern(number, text))

    def _element(self, text: str) -> Element:
        found = self._elements.get(text)
        if found is None:
            found = self._elements[text] = element(text, self._classes)
        return found

    def _enter(self, pattern: Pattern) -> None:
        keys: set[str] = set()
        for part in pattern.parts:
            step = self._element(part)
            if step.any:
                self._any.append(pattern)
                return
            keys |= step.words if self._spaced else {word[0] for word in step.words}
            for start in step.starts:
                self._by_start.setdefault(start[:_PREFIX], []).append(pattern)
            if not step.optional:
                break
        for key in keys:
            self._by_word.setdefault(key, []).append(pattern)

    def hits(self, line: Line) -> Iterator[Hit]:
        """Yield every pattern that is found in a sentence, in the order of its first word."""
        for at, word in enumerate(line.words):
            patterns = self._by_word.get(word, ())
            if self._spaced and word[:_PREFIX] in self._by_start:
                patterns = (*patterns, *self._by_start[word[:_PREFIX]])
            opens = line.opens[at]
            for pattern in (*patterns, *self._any) if opens else patterns:
                if opens >= pattern.opens:
                    steps = pattern.steps or self._parsed(pattern)
                    end = _match(steps, pattern.closes, 0, at, line)
                    if end > at:
                        yield Hit(pattern.group, at, end)

    def _parsed(self, pattern: Pattern) -> tuple[Element, ...]:
        pattern.steps = tuple(self._element(part) for part in pattern.parts)
        return pattern.steps


def element(text: str, classes: Mapping[str, frozenset[str]]) -> Element:
    """Return the element that a text stands for."""
    if text in _GAPS:
        gap, across = _GAPS[text]
        return Element(frozenset(), optional=True, gap=gap, across=across)
    words: set[str] = set()
    starts, ends = [], []
    for word in (text.rstrip("?") or "+").split("|"):
        if word == ",":
            words |= PUNCTUATION
        elif word[0] == "@":
            words |= classes[word[1:]]
        elif word[-1] == "*":
            starts.append(word[:-1])
        elif word[0] == "~":
            ends.append(word[1:])
        else:
            words.add(word)
    anything, stop = "+" in words, "$" in words
    words -= {"+", "$"}
    return Element(frozenset(words), tuple(starts), tuple(ends), anything, stop, text[-1] == "?")


def _match(  # noqa: PLR0911 - one return a way to end
    steps: tuple[Element, ...], closes: int, step: int, at: int, line: Line
) -> int:
    """Return the word behind a pattern's last when its steps from `step` on fit at `at`, else -1."""
    if step == len(steps):
        return at if line.closes[at] >= closes else -1
    wanted = steps[step]
    if wanted.gap:
        for _ in range(wanted.gap + 1):
            end = _match(steps, closes, step + 1, at, line)
            if end >= 0:
                return end
            if at >= len(line.words) or (not wanted.across and line.words[at] in PUNCTUATION):
                return -1
            at += 1
        return -1
    for after in _after(wanted, at, line):
        end = _match(steps, closes, step + 1, after, line)
        if end >= 0:
            return end
    if wanted.optional or (wanted.stop and line.closes[at]):
        return _match(steps, closes, step + 1, at, line)
    return -1


def _after(wanted: Element, at: int, line: Line) -> Iterator[int]:
    """Yield the places behind each way in which an element fits at a word."""
    if at >= len(line.words):
        return
    word = line.words[at]
    if wanted.any:
        if word not in PUNCTUATION:
            yield at + 1
    elif line.spaced:
        if (
            word in wanted.words
            or (wanted.starts and word.startswith(wanted.starts))
            or (wanted.ends and word.endswith(wanted.ends) and len(word) > 3)
        ):
            yield at + 1
    else:
        rest = "".join(line.words[at : at + 6])
        for item in wanted.words:
            if rest.startswith(item):
                yield at + len(item)
