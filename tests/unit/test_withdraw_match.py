"""The matcher finds a value in every form, where it stands and nowhere else."""

import random
import re
import sys

import pytest
import scanner
from secretforms import VALUES, forms

from llm_wiki.withdraw.match import Matcher
from llm_wiki.withdraw.match_text import look, look_at, windows

CASES = [(kind, name) for kind, value in VALUES.items() for name in forms(value)]
MATCHERS = {kind: Matcher(value.encode()) for kind, value in VALUES.items()}


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_every_form_is_found_and_removed_without_a_trace(kind, name):
    data = b"before \xe2\x80\x94 it: " + forms(VALUES[kind])[name] + b"\nand after it\n"
    reading = look(MATCHERS[kind], data)
    assert reading is not None
    after = reading.without()
    assert after.startswith("before — it: ".encode())
    assert after.endswith(b"after it\n")
    assert not scanner.holds(after, VALUES[kind])
    assert look(MATCHERS[kind], after) is None


@pytest.mark.parametrize("kind", VALUES)
def test_text_without_the_value_is_left_alone(kind):
    value = VALUES[kind]
    near = [value[:-1], value[1:], value[:2] + "_" + value[2:], value[::-1]]
    for other in near:
        for name, form in forms(other).items():
            data = b"before: " + form + b" :after"
            if not scanner.holds(data, value):
                assert look(MATCHERS[kind], data) is None, name


@pytest.mark.parametrize("charset", ["utf-16-le", "utf-16-be", "utf-16", "utf-32"])
@pytest.mark.parametrize("kind", ["punctuation", "token", "script"])
def test_wide_text_is_rewritten_in_its_charset(charset, kind):
    text = f"Ein langer Text mit einem Wert:\r\n{VALUES[kind]}\r\nund mehr davon.\r\n"
    reading = look(MATCHERS[kind], text.encode(charset))
    assert not reading.binary
    assert reading.without() == text.replace(VALUES[kind], "[RETRACTED]").encode(charset)


def test_latin_1_is_rewritten_byte_for_byte():
    text = 'Größe und p@ss/wörd"&x für alle\n'
    reading = look(MATCHERS["punctuation"], text.encode("latin-1"))
    assert reading.charset == "latin-1"
    assert reading.without() == "Größe und [RETRACTED] für alle\n".encode("latin-1")


def test_what_is_no_text_is_told_apart():
    for data in (
        b"\x00\x01\x02" + VALUES["token"].encode() + b"\x00",
        b"\x01\xff" + VALUES["token"].encode(),
    ):
        assert look(MATCHERS["token"], data).binary


def test_wide_characters_inside_other_bytes_are_found():
    data = b"\x00\x01\x02\x03" * 9 + b"\x07" + VALUES["token"].encode("utf-16-be") + b"\x90\x91\x00"
    assert [span.encoding for span in look(MATCHERS["token"], data).spans] == ["utf-16"]


def test_the_encoding_of_each_match_is_named():
    named = {
        name: look(MATCHERS["punctuation"], data).spans[0].encoding
        for name, data in forms(VALUES["punctuation"]).items()
        if name in ("exact", "json-nested", "percent", "percent-double", "html", "hex", "nfd", "folded")
    }
    assert named == {
        "exact": "exact",
        "json-nested": "json-nested",
        "percent": "percent",
        "percent-double": "percent-double",
        "html": "html",
        "hex": "hex",
        "nfd": "unicode-form",
        "folded": "folded",
    }


def test_exact_means_the_bytes_alone():
    matcher = Matcher(VALUES["words"].encode(), common=False)
    assert len(matcher.spans(b"a " + VALUES["words"].encode() + b" b")) == 1
    assert matcher.spans(forms(VALUES["words"])["percent"]) == []


@pytest.mark.parametrize("name", ["exact", "percent", "base64-1", "hex", "html-decimal"])
def test_another_case_is_found_on_request(name):
    swapped = forms(VALUES["token"].swapcase())[name]
    assert look(MATCHERS["token"], swapped) is None
    assert look(Matcher(VALUES["token"].encode(), ignore_case=True), swapped) is not None


def test_a_value_that_is_no_text_is_found_raw_and_encoded():
    value = b"\xff\x00\xfe\x80key\xc3"
    matcher = Matcher(value)
    assert matcher.spans(b"a" + value + b"b")
    for name in (value.hex().encode(), b"".join(b"%%%02x" % b for b in value)):
        assert matcher.spans(b"a " + name + b" b")


def test_a_value_with_line_ends_is_found_indented_and_escaped():
    value = "-----BEGIN KEY-----\nMIIBVgIBADANBgkqhkiG9w0\nBAQEFAASCAUAwggE8AgEAA\n-----END KEY-----"
    matcher = Matcher(value.encode())
    for text in (value.replace("\n", "\n    "), value.replace("\n", "\\n"), value.replace("\n", "\r\n")):
        assert len(matcher.spans(f"key: {text} end".encode())) == 1


def test_a_window_never_cuts_a_match(tmp_path, monkeypatch):
    from llm_wiki.withdraw import match_text

    monkeypatch.setattr(match_text, "WHOLE", 1000)
    monkeypatch.setattr(match_text, "_WINDOW", 8192)
    matcher = MATCHERS["token"]
    rng = random.Random(5)
    places = sorted(rng.sample(range(40), 12))
    data = b""
    for number in range(40):
        filler = bytes(rng.choices(b"abcdef \n", k=rng.randrange(500, 3000)))
        data += filler + (forms(VALUES["token"])["base64-1"] if number in places else b"")
    path = tmp_path / "large.txt"
    path.write_bytes(data)
    found = look_at(matcher, path)
    assert len(found.spans) == len(places)
    assert [span.start for span in found.spans] == [span.start for span in matcher.spans(data)]
    assert max(len(piece) for _, piece in windows(path, matcher.reach)) <= 8192 + matcher.reach


def test_random_mixtures_of_escapes_are_found():
    rng = random.Random(3)
    for kind, value in VALUES.items():
        for _ in range(40):
            written = b""
            for char in value:
                pick = rng.randrange(5)
                raw = char.encode()
                written += (
                    raw
                    if pick < 2
                    else b"".join(b"%%%02X" % b for b in raw)
                    if pick == 2
                    else f"&#{ord(char)};".encode()
                    if pick == 3
                    else b"".join(b"=%02X" % b for b in raw)
                )
            assert MATCHERS[kind].spans(b"x " + written + b" y"), (kind, written)


def test_neither_the_matcher_nor_its_errors_show_the_value():
    assert "token" not in repr(Matcher(b"token-value"))
    assert re.search("[Zk]3v", repr(MATCHERS["token"])) is None


def test_a_long_value_is_found():
    rng = random.Random(8)
    value = bytes(rng.choices(b"ABCDEFGHIJKLMNOPabcdefghijkl0123456789+/\n", k=3000))
    assert sys.getrecursionlimit() >= 1000
    assert len(Matcher(value).spans(b"a " + value + b" b")) == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [("i\u0307stanbul9", "İstanbul9"), ("İstanbul9", "i\u0307STANBUL9"), ("ŻÓŁW-9", "z\u0307o\u0301łw-9")],
)
def test_case_is_ignored_whatever_form_a_mark_has(value, text):
    assert Matcher(value.encode(), ignore_case=True).spans(f"in {text} it is".encode())
    assert not Matcher(value.encode()).spans(f"in {text} it is".encode())
