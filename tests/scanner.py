"""Looks for a value with every decoder it knows: slow, simple, and nothing of the product in it."""

import base64
import binascii
import html
import json
import quopri
import re
import unicodedata
import urllib.parse


def holds(data: bytes, value: str, depth: int = 3) -> bool:
    """Tell whether a value stands in some bytes, also after up to `depth` decodings one after another."""
    seen = set()
    layer = {data}
    for _ in range(depth + 1):
        new = set()
        for each in layer:
            if each in seen:
                continue
            seen.add(each)
            if _plain(each, value):
                return True
            new |= set(_decoded(each))
        layer = new
    return False


def _plain(data: bytes, value: str) -> bool:
    wanted = unicodedata.normalize("NFC", value)
    for codec in ("utf-8", "latin-1", "utf-16-le", "utf-16-be"):
        for start in (0, 1) if codec.startswith("utf-16") else (0,):
            text = unicodedata.normalize("NFC", data[start:].decode(codec, "replace"))
            if wanted in text or wanted in _unfolded(text) or wanted in _joined(text):
                return True
    return False


def _unfolded(text: str) -> str:
    return re.sub(r"[ \t]*\\?\r?\n[ \t]*", " ", text)


def _joined(text: str) -> str:
    return re.sub(r"\\?\r?\n[ \t]*", "", text)


def _decoded(data: bytes):
    text = data.decode("utf-8", "surrogateescape")
    back = lambda each: each.encode("utf-8", "surrogateescape")  # noqa: E731
    yield urllib.parse.unquote_to_bytes(data)
    yield urllib.parse.unquote_to_bytes(data.replace(b"+", b" "))
    yield back(html.unescape(text))
    yield quopri.decodestring(data)
    yield back(_json(text))
    yield back(re.sub(r"\\(.)", r"\1", text))
    yield re.sub(rb"\\x([0-9A-Fa-f]{2})", lambda found: bytes([int(found[1], 16)]), data)
    for run in re.findall(rb"(?:[0-9A-Fa-f]{2}){4,}", data):
        yield binascii.unhexlify(run)
    for run in re.findall(rb"[A-Za-z0-9+/_\-\s]{5,}", data):
        plain = re.sub(rb"\s", b"", run).translate(bytes.maketrans(b"-_", b"+/"))
        for start in range(4):
            part = plain[start:]
            part = part[: len(part) - (1 if len(part) % 4 == 1 else 0)]
            yield base64.b64decode(part + b"=" * (-len(part) % 4))


def _json(text: str) -> str:
    def char(found):
        try:
            return json.loads(f'"{found[0]}"')
        except ValueError:
            return found[0]

    text = re.sub(
        r"(?:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{4})|\\u[0-9a-fA-F]{4}|\\[\"\\/bfnrt]", char, text
    )
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
