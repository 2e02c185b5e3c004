r"""Where a value stands in bytes, however it is encoded there (`archive-retract.md` §2, rows R2, R10).

Three patterns say it all: the value as text, each character raw or escaped; its bits in base64; its
digits in hex. They are only run over data in which a cheap search has found a piece that any match
must hold, so that a file without the value costs little more than reading it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, cached_property
from typing import Final
from unicodedata import normalize

from llm_wiki.core.stores import Span
from llm_wiki.withdraw import match_bits, match_forms, match_sieve
from llm_wiki.withdraw.match_escapes import escapes_of
from llm_wiki.withdraw.match_name import name_of

SHORTEST: Final = 4
"""Bytes from which a value is looked for in its encodings."""

LONGEST: Final = 8192
"""Bytes of the longest value."""

_NAME: Final = 64
_ENDS: Final = re.compile(rb"[\w.-]+$")
_STARTS: Final = re.compile(rb"[\w.-]+")
"""The rest of a name around a match, which no name of the format has more of."""


class Matcher:
    """Finds one value. `common` looks for every encoding, else the exact bytes alone count.

    `words` are the names of the format in which it stands. The value is never shown: neither `repr` nor an
    error of this class holds it.
    """

    def __init__(
        self,
        value: bytes,
        *,
        common: bool = True,
        ignore_case: bool = False,
        words: frozenset[bytes] = frozenset(),
    ) -> None:
        self._value = value
        self._ignore_case = ignore_case
        self._words = words
        self._common = common and len(value) >= SHORTEST
        try:
            self._text: str | None = value.decode("utf-8")
        except UnicodeDecodeError:
            self._text = None

    def __repr__(self) -> str:
        return "Matcher(…)"

    @property
    def reach(self) -> int:
        """Bytes that no match is longer than: how far two windows have to overlap."""
        return min(len(self._value) * 160 + 4096, 1 << 20)

    @property
    def beyond_ascii(self) -> bool:
        """Whether the value's bytes differ between UTF-8 and Latin-1."""
        return not self._value.isascii()

    def spans(self, data: bytes, *, latin: bool = False, words: bool = False) -> list[Span]:
        """Return where the value stands, in order, none overlapping; `latin` for text in Latin-1.

        In a name of the format that is a part of a path it does not count unless `words`.
        """
        found = self._all(data, latin=latin) if self._common else self._exact(data)
        if self._words and not words:
            return [span for span in found if not _in_path(data, span, self._words)]
        return found

    def _all(self, data: bytes, *, latin: bool) -> list[Span]:
        in_text, in_bits = self._sieve.signs(data)
        if not in_text and not in_bits:
            return []
        found = []
        for number in sorted({*in_bits}):
            name, pattern, _ = self._bit_patterns[number]
            found += [Span(*one.span(), name) for one in self._compiled_bits(pattern).finditer(data)]
        if in_text:
            text = self._latin if latin else self._pattern
            found += [Span(*one.span(), name_of(one[0], self._value)) for one in text.finditer(data)]
        return _merged(found)

    def _exact(self, data: bytes) -> list[Span]:
        if not self._ignore_case and self._value not in data:
            return []
        return [Span(*one.span(), name_of(one[0], self._value)) for one in self._pattern.finditer(data)]

    def holds(self, data: bytes) -> bool:
        """Tell whether the value stands in the data in any form, as text of any charset or not."""
        return bool(self.spans(data)) or bool(self.wide(data))

    def wide(self, data: bytes) -> list[Span]:
        """Return where the value stands in two-byte characters inside data that is no text."""
        if not self._common or self._text is None or b"\0" not in data:
            return []
        forms = {normalize(form, self._text) for form in ("NFC", "NFD")} | {self._text}
        found = []
        for form in sorted(forms):
            for codec in ("utf-16-le", "utf-16-be"):
                pattern = self._compiled(re.escape(form.encode(codec, "surrogatepass")))
                found += [Span(*one.span(), "utf-16") for one in pattern.finditer(data)]
        return _merged(found)

    @cached_property
    def _sieve(self) -> match_sieve.Sieve:
        bits = match_sieve.grams([runs for _, _, runs in self._bit_patterns])
        if self._text is None:
            return match_sieve.Sieve(None, [], bits, ignore_case=self._ignore_case)
        units = match_forms.clusters(self._text)
        raws = [match_forms.raw_forms(unit, ignore_case=self._ignore_case) for unit in units]
        part = match_sieve.stretch(raws, ignore_case=self._ignore_case)
        left = part.alphabet + bits.alphabet
        escapes = escapes_of(units, part, left, ignore_case=self._ignore_case) if part.kept else []
        return match_sieve.Sieve(part, escapes, bits, ignore_case=self._ignore_case)

    # -- patterns ----------------------------------------------------------------------

    @cached_property
    def _pattern(self) -> re.Pattern[bytes]:
        return self._build(latin=False)

    @cached_property
    def _latin(self) -> re.Pattern[bytes]:
        return self._build(latin=True)

    def _build(self, *, latin: bool) -> re.Pattern[bytes]:
        if not self._common:
            return self._compiled(re.escape(self._value))
        if self._text is None:
            return self._compiled(match_forms.pattern_of_bytes(self._value))
        return self._compiled(match_forms.pattern_of(self._text, latin=latin, ignore_case=self._ignore_case))

    def _compiled(self, pattern: bytes) -> re.Pattern[bytes]:
        return re.compile(pattern, re.IGNORECASE if self._ignore_case else 0)

    @cached_property
    def _bit_patterns(self) -> list[tuple[str, bytes, list[bytes]]]:
        """(encoding, pattern, the runs of letters or digits that any match holds)."""
        found = []
        for form in self._byte_forms():
            chosen = match_bits.options(form, ignore_case=self._ignore_case)
            found.append(("hex", match_bits.hex_pattern(chosen), match_bits.hex_runs(chosen)))
            patterns = match_bits.base64_patterns(chosen)
            found += [
                ("base64", *each) for each in zip(patterns, match_bits.base64_runs(chosen), strict=True)
            ]
        return found

    @cached_property
    def _compiled_bits(self) -> Callable[[bytes], re.Pattern[bytes]]:
        return cache(re.compile)

    def _byte_forms(self) -> list[bytes]:
        """Return the value as the bytes that may have been put into base64 or hex."""
        forms = [self._value]
        if self._text is not None:
            import json
            from urllib.parse import quote, quote_plus

            texts = [self._text, *(normalize(form, self._text) for form in ("NFC", "NFD"))]
            for text in texts:
                forms += [text.encode(), json.dumps(text)[1:-1].encode()]
                forms += [json.dumps(text, ensure_ascii=False)[1:-1].encode()]
                forms += [quote(text, safe="").encode(), quote_plus(text).encode()]
                forms += [text.encode("utf-16-le")]
            forms += [each for each in (_encoded(self._text, codec) for codec in ("latin-1",)) if each]
        return list(dict.fromkeys(forms))


def _in_path(data: bytes, span: Span, names: frozenset[bytes]) -> bool:
    """Tell whether a span lies in one of some names, which is a part of a path."""
    before = _ENDS.search(data[max(span.start - _NAME, 0) : span.start])
    after = _STARTS.match(data, span.end, span.end + _NAME)
    start = span.start - (len(before[0]) if before else 0)
    name = data[start : after.end() if after else span.end]
    name = name if name in names else name.rstrip(b".")
    return name in names and b"/" in (
        data[start - 1 : start],
        data[start + len(name) : start + len(name) + 1],
    )


def _encoded(text: str, codec: str) -> bytes:
    try:
        return text.encode(codec)
    except UnicodeEncodeError:
        return b""


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order; those that overlap become one, named by the longest."""
    found: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        if found and span.start < found[-1].end:
            found[-1] = found[-1]._replace(end=max(found[-1].end, span.end))
        else:
            found.append(span)
    return found


__all__ = ["LONGEST", "SHORTEST", "Matcher", "Span"]
