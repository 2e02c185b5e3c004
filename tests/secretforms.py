"""A value in every way it may be written: name of the form, and bytes that hold it."""

import base64
import html
import json
import quopri
import unicodedata
import urllib.parse

VALUES = {
    "punctuation": 'p@ss/wörd"&x',
    "token": "tokZk3vR9qLm2xW8hT4",
    "words": "correct horse battery 9",
    "script": "пароль密码Ω-77",
    "key": "sk-live_4eC39HqLyjWDarjtT1zdp7dc/Ab+9",
    "percent": "100%=a\\b<c>'d'",
    "short": "Qz7!",
    "astral": "k🔑Y-2026",
}


def forms(value: str) -> dict[str, bytes]:
    raw = value.encode()
    quote = lambda safe="": urllib.parse.quote(value, safe=safe)  # noqa: E731
    lower = "".join(f"%{b:02x}" if not chr(b).isalnum() or b > 127 else chr(b) for b in raw)
    units = value.encode("utf-16-be")
    found = {
        "exact": raw,
        "json-ascii": json.dumps(value)[1:-1].encode(),
        "json-raw": json.dumps(value, ensure_ascii=False)[1:-1].encode(),
        "json-slash": json.dumps(value)[1:-1].replace("/", "\\/").encode(),
        "json-nested": json.dumps(json.dumps({"a": value}))[1:-1].encode(),
        "json-all-u": "".join(
            f"\\u{units[i]:02X}{units[i + 1]:02x}" for i in range(0, len(units), 2)
        ).encode(),
        "percent": quote().encode(),
        "percent-lower": lower.encode(),
        "percent-path": quote("/@:").encode(),
        "percent-all": "".join(f"%{b:02X}" for b in raw).encode(),
        "percent-double": urllib.parse.quote(quote(), safe="").encode(),
        "form": urllib.parse.quote_plus(value).encode(),
        "html": html.escape(value).encode(),
        "html-decimal": "".join(f"&#{ord(c)};" for c in value).encode(),
        "html-hex": "".join(f"&#x{ord(c):X};" for c in value).encode(),
        "html-partial": "".join(
            f"&#{ord(c)};" if n % 3 == 0 else html.escape(c) for n, c in enumerate(value)
        ).encode(),
        "hex": raw.hex().encode(),
        "hex-upper": raw.hex().upper().encode(),
        "hex-escape": "".join(f"\\x{b:02x}" for b in raw).encode(),
        "nfd": unicodedata.normalize("NFD", value).encode(),
        "nfc": unicodedata.normalize("NFC", value).encode(),
        "quoted-printable": quopri.encodestring(raw),
        "quoted-printable-wrapped": quopri.encodestring(b"n" * 71 + raw + b"m" * 40),
        "continued": (value[:2] + "\\\n" + value[2:]).encode(),
        "markdown": "".join(f"\\{c}" if c in "_*[]<>\\-" else c for c in value).encode(),
    }
    for shift in range(3):
        longer = b"#" * shift + raw + b" and what follows"
        found[f"base64-{shift}"] = base64.b64encode(longer)
        found[f"base64-end-{shift}"] = base64.b64encode(b"#" * shift + raw)
        found[f"base64-url-{shift}"] = base64.urlsafe_b64encode(b"\xff" * shift + raw).rstrip(b"=")
        found[f"base64-wrapped-{shift}"] = base64.encodebytes(b"#" * (51 + shift) + raw + b"!" * 60)
    if " " in value:
        found["folded-blank"] = value.replace(" ", "\n  ", 1).encode()
    if len(value) >= 12:
        found["folded"] = (value[:7] + "\n      " + value[7:]).encode()
    return found
