"""The sieve before the matcher never holds back data in which a pattern would find the value.

Values, the way each character of them is written, line folds and surroundings are drawn; the same matcher
without a sieve says what is there.
"""

import base64
import json
import random
from unicodedata import normalize

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from secretforms import VALUES, forms

from llm_wiki.withdraw.match import Matcher
from llm_wiki.withdraw.match_forms import names_of

CHARS = (
    "abcdefghijklmnopqrstuvwxyz" * 2
    + "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" * 2
    + "  \n\t\r\0\b\"'\\/&<>=%+?#|()[]{}*`,;:@!$~^_-."
    + "äöüßéÅłŁſıİﬁKжйЙЖпΩ密码한🔑éḍ"
)
FOLDS = [
    "\n",
    "\r\n",
    "=\n",
    "=\r\n",
    "\\\n  ",
    "\\n",
    "\\r\\n ",
    "\\\\n\t",
    " \n > ",
    "\n    ",
    "\n## ",
    " \\\n",
]
WRAPS = ["\n", "\r\n  ", "=\n", "\\n", "\\r\\n", "%0A", "%0D%0a", " ", "\n> ", "  \n| "]
NEAR = [
    "",
    " ",
    "x",
    "=",
    "=3D",
    "%",
    "%20",
    "\\",
    "\\u00",
    "&amp;",
    "&#",
    ";",
    "9",
    "Z",
    "\n",
    "é",
    "\xff",
    "A" * 9,
]


class Open:
    """A sieve that lets everything pass."""

    def __init__(self, patterns):
        self.all = True, list(range(patterns))

    def signs(self, _data):
        return self.all


def pair(value, ignore_case=False):
    """Return the matcher of a value, and the same without a sieve."""
    one, other = (Matcher(value, ignore_case=ignore_case) for _ in range(2))
    vars(other)["_sieve"] = Open(len(other._bit_patterns))
    return one, other


def written(rng, char):
    """Return a character as bytes, in one of the ways there are."""
    data, code = char.encode(), ord(char)
    units = char.encode("utf-16-be")
    pairs = [units[at : at + 2].hex() for at in range(0, len(units), 2)]
    double = "25" * rng.choice([0, 0, 0, 1, 2])
    lead = "\\" * rng.choice([1, 1, 2, 4])
    ways = [
        data.decode(),
        "".join(f"%{double}{each:02x}" for each in data),
        "".join(f"%{double}{each:02X}" for each in data),
        "".join(f"%u{each}" for each in pairs),
        "".join(f"{lead}u{each}" for each in pairs),
        f"{lead}u{{{code:x}}}",
        f"{lead}U{code:08X}",
        "".join(f"{lead}x{each:02x}" for each in data),
        "".join(f"{lead}{each:03o}" for each in data),
        f"&#{code};",
        f"&{'amp;' * rng.randrange(3)}#x{code:X};",
        "".join(f"={each:02X}" for each in data),
        normalize("NFD", char),
        json.dumps(char)[1:-1],
        char.swapcase(),
    ]
    ways += [f"&{name.decode()}" for name in names_of(char)[:2]]
    ways += [f"\\{char}"] if not char.isalnum() else []
    ways += ["+"] if char == " " else []
    return rng.choice(ways).encode("utf-8", "surrogatepass")


def as_text(rng, value):
    """Return a value with some of its characters escaped, and some folds."""
    often, folded = rng.choice([0.0, 0.1, 0.5, 1.0]), rng.choice([0.0, 0.0, 0.05, 0.3, 1.0])
    charset = rng.choice(["utf-8", "utf-8", "utf-8", "latin-1", "cp1252"])
    parts = []
    for number, char in enumerate(normalize(rng.choice(["NFC", "NFC", "NFD"]), value)):
        if number and rng.random() < folded:
            parts.append(rng.choice(FOLDS).encode())
        plain = char.encode(charset, "ignore") or char.encode()
        parts.append(written(rng, char) if rng.random() < often else plain)
    return b"".join(parts)


def as_bits(rng, value):
    """Return a value in base64 or hex, wrapped or not."""
    raw = value.encode()
    data = rng.choice([raw, json.dumps(value)[1:-1].encode(), value.encode("utf-16-le")])
    if rng.random() < 0.3:
        digits = [f"{each:02x}" if rng.random() < 0.5 else f"{each:02X}" for each in data]
        return rng.choice(["", " ", ":", "\n"]).join(digits).encode()
    text = base64.b64encode(bytes(rng.randrange(3)) + data + b"!" * rng.randrange(3)).decode()
    text = rng.choice([text, text, text.replace("+", "-").replace("/", "_"), text.replace("/", "\\/")])
    text = rng.choice([text, text, text.replace("=", "%3D").replace("+", "%2B").replace("/", "%2F")])
    wrap, width = rng.choice(WRAPS), rng.choice([1, 3, 4, 7, 76, 76])
    return wrap.join(text[at : at + width] for at in range(0, len(text), width)).encode()


def placed(rng, value):
    """Return data that holds a value or what looks like it: at its start, in the middle, at its end."""
    form = rng.choice([as_text, as_text, as_bits])(rng, value)
    if rng.random() < 0.2:
        at = rng.randrange(len(form) + 1)
        form = form[:at] + rng.choice(NEAR).encode("latin-1") + form[at:]
    before, after = ("".join(rng.choices(NEAR, k=rng.randrange(4))).encode("latin-1") for _ in range(2))
    return before + form + after


DRAWN = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow],
    "phases": [Phase.explicit, Phase.reuse, Phase.generate],
}


@settings(max_examples=150, **DRAWN)
@given(st.text(st.sampled_from(CHARS), min_size=4, max_size=24), st.booleans(), st.integers(0, 2**32))
def test_a_sieve_never_holds_back_what_a_pattern_finds(value, ignore_case, seed):
    rng = random.Random(seed)
    sieved, full = pair(value.encode(), ignore_case)
    for _ in range(12):
        data = placed(rng, value.swapcase() if ignore_case and rng.random() < 0.5 else value)
        for latin in (False, True):
            assert sieved.spans(data, latin=latin) == full.spans(data, latin=latin), (value, data)


@settings(max_examples=60, **DRAWN)
@given(st.binary(min_size=4, max_size=16), st.integers(0, 2**32))
def test_nor_for_a_value_that_is_no_text(value, seed):
    rng = random.Random(seed)
    sieved, full = pair(value)
    for way in (
        value,
        value.hex().encode(),
        b"".join(b"%%%02x" % each for each in value),
        base64.b64encode(value),
    ):
        data = rng.choice(NEAR).encode("latin-1") + way + rng.choice(NEAR).encode("latin-1")
        assert sieved.spans(data) == full.spans(data), (value, data)


@pytest.mark.parametrize("kind", VALUES)
def test_most_of_what_is_drawn_is_the_value_indeed(kind):
    """Else the comparison would be one of nothing with nothing."""
    rng = random.Random(4)
    sieved, full = pair(VALUES[kind].encode())
    drawn = [placed(rng, VALUES[kind]) for _ in range(200)]
    found = [sieved.spans(data) for data in drawn]
    assert found == [full.spans(data) for data in drawn]
    assert sum(map(bool, found)) > 60


@pytest.mark.parametrize("kind", VALUES)
def test_a_sieve_holds_back_most_of_what_only_looks_like_the_value(kind):
    matcher, _ = pair(VALUES[kind].encode())
    rng = random.Random(5)
    others = [form for other in VALUES if other != kind for form in forms(VALUES[other]).values()]
    passed = 0
    for _ in range(100):
        data = b" ".join(rng.sample(others, 6))
        passed += matcher._sieve.signs(data)[0]
    assert passed < 70 or kind == "short"
