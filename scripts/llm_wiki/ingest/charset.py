"""From bytes to text: which encoding a page is in, and what to do when it lies about it.

Order of trust as browsers have it: byte order mark, HTTP header, the page's own declaration, UTF-8 if the
bytes are valid UTF-8, then a guess. Labels mean what the WHATWG Encoding Standard says (§4.2), so
`iso-8859-1` is windows-1252 and `gb2312` is GB18030; labels outside the table are never looked up.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from llm_wiki.core.errors import BadUsage

_LABELS: dict[str, str] = {
    "utf-8": "utf-8 utf8 unicode-1-1-utf-8 x-unicode20utf8",
    "utf-16-le": "utf-16 utf-16le ucs-2 unicode csunicode iso-10646-ucs-2",
    "utf-16-be": "utf-16be unicodefffe",
    "cp1252": "windows-1252 cp1252 x-cp1252 iso-8859-1 iso8859-1 iso88591 latin1 latin-1 l1 ascii us-ascii",
    "cp1250": "windows-1250 cp1250 x-cp1250",
    "cp1251": "windows-1251 cp1251 x-cp1251",
    "cp1253": "windows-1253 cp1253 x-cp1253",
    "cp1254": "windows-1254 cp1254 x-cp1254 iso-8859-9 iso8859-9 latin5 l5",
    "cp1255": "windows-1255 cp1255 x-cp1255",
    "cp1256": "windows-1256 cp1256 x-cp1256",
    "cp1257": "windows-1257 cp1257 x-cp1257",
    "cp1258": "windows-1258 cp1258 x-cp1258",
    "cp874": "windows-874 tis-620 iso-8859-11 dos-874",
    "iso8859-2": "iso-8859-2 iso8859-2 latin2 l2",
    "iso8859-3": "iso-8859-3 iso8859-3 latin3 l3",
    "iso8859-4": "iso-8859-4 iso8859-4 latin4 l4",
    "iso8859-5": "iso-8859-5 iso8859-5 cyrillic",
    "iso8859-6": "iso-8859-6 iso8859-6 arabic",
    "iso8859-7": "iso-8859-7 iso8859-7 greek",
    "iso8859-8": "iso-8859-8 iso-8859-8-i iso8859-8 hebrew",
    "iso8859-10": "iso-8859-10 iso8859-10 latin6 l6",
    "iso8859-13": "iso-8859-13 iso8859-13",
    "iso8859-14": "iso-8859-14 iso8859-14",
    "iso8859-15": "iso-8859-15 iso8859-15 latin-9 l9",
    "iso8859-16": "iso-8859-16",
    "koi8-r": "koi8-r koi8 koi cskoi8r",
    "koi8-u": "koi8-u koi8-ru",
    "mac-roman": "macintosh mac x-mac-roman",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "cp866": "ibm866 cp866 866",
    "gb18030": "gb18030 gbk gb2312 gb_2312-80 gb_2312 x-gbk chinese",
    "big5hkscs": "big5 big5-hkscs cn-big5 x-x-big5",
    "euc_jp": "euc-jp x-euc-jp",
    "iso2022_jp": "iso-2022-jp csiso2022jp",
    "cp932": "shift_jis shift-jis sjis x-sjis ms_kanji windows-31j ms932 cp932",
    "cp949": "euc-kr euckr ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 korean windows-949 cp949",
}

CODECS: dict[str, str] = {label: codec for codec, labels in _LABELS.items() for label in labels.split()}
"""Label in lower case → Python codec."""

_NAMES = {codec: labels.split()[0] for codec, labels in _LABELS.items()}

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))

_HEADER = re.compile(r"""charset\s*=\s*["']?([^\s"';,]+)""", re.IGNORECASE)
_META = re.compile(rb"""<meta[^>]{0,400}?charset\s*=\s*["']?\s*([A-Za-z0-9_:.-]{2,40})""", re.IGNORECASE)
_XML = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9_:.-]{2,40})""")

_META_WINDOW = 4096
"""Bytes of a page in which its own declaration is looked for; browsers read 1024, pages have grown."""

_GUESS_WINDOW = 200_000


class Decoded(NamedTuple):
    """Text with LF line ends and without BOM, the name of its encoding, and what to tell about it."""

    text: str
    charset: str
    notes: tuple[str, ...] = ()


def header_charset(content_type: str) -> str:
    """Return the charset parameter of a Content-Type header in lower case, "" when there is none."""
    found = _HEADER.search(content_type)
    return found[1].casefold() if found else ""


def decode_html(data: bytes, declared: str = "") -> Decoded:
    """Return the text of an HTML page; bytes that fit no encoding become U+FFFD and are told.

    `declared` is what the HTTP header said.
    """
    marked, codec = _bom(data)
    if codec:
        return _lossy(marked, codec, ())
    notes: list[str] = []
    for origin, label in (("the server", declared), ("the page", _own_declaration(data))):
        if not label:
            continue
        codec = CODECS.get(label.casefold(), "")
        if not codec:
            notes.append(f"{origin} names an unknown encoding, {label!r}")
            continue
        if origin == "the page" and codec.startswith("utf-16"):
            codec = "utf-8"  # a declaration that could be read byte by byte cannot be in UTF-16
        if _fits(data, codec):
            return _lossy(data, codec, tuple(notes))
        notes.append(f"{origin} says the text is {label}, but its bytes are not")
    return _undeclared(data, notes)


def decode_text(data: bytes, declared: str = "", path: str | None = None) -> Decoded:
    """Return Markdown or plain text exactly.

    Without a BOM or a declared charset the bytes must be UTF-8: a wrong guess would change what the
    source says. Raises BadUsage with the line of the first wrong byte.
    """
    marked, codec = _bom(data)
    if not codec:
        codec = CODECS.get(declared.casefold(), "") if declared else "utf-8"
        if not codec:
            raise BadUsage(f"unknown encoding: {declared!r}", path=path)
    try:
        return Decoded(_lines(marked.decode(codec)), _NAMES[codec])
    except UnicodeDecodeError as error:
        start = error.start
        where = marked.count(b"\n", 0, start) + 1 if not codec.startswith("utf-16") else None
        raise BadUsage(
            f"the text is not valid {_NAMES[codec].upper()}: byte 0x{marked[start]:02X} at offset {start}",
            path=path,
            line=where,
            remedy="convert it first: iconv -f ITS-ENCODING -t UTF-8 FILE > NEW",
        ) from None


def _bom(data: bytes) -> tuple[bytes, str]:
    for mark, codec in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :], codec
    return data, ""


def _own_declaration(data: bytes) -> str:
    head = data[:_META_WINDOW]
    found = _META.search(head) or _XML.search(head)
    return found[1].decode("ascii") if found else ""


def _undeclared(data: bytes, notes: list[str]) -> Decoded:
    if _fits(data, "utf-8"):
        return _lossy(data, "utf-8", tuple(notes))
    codec = _guess(data)
    notes.append(f"the encoding was guessed: {_NAMES[codec]}")
    return _lossy(data, codec, tuple(notes))


def _fits(data: bytes, codec: str) -> bool:
    """Say whether bytes are text of an encoding, but for a few: pages are stitched together and cut."""
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        text = data.decode(codec, "replace")
        beyond_ascii = sum(not char.isascii() for char in text)
        return text.count("\ufffd") * 20 < beyond_ascii
    return True


def _guess(data: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(data[:_GUESS_WINDOW]).best()
    label = best.encoding.replace("_", "-") if best else "windows-1252"
    return CODECS.get(label, CODECS.get(best.encoding, "cp1252") if best else "cp1252")


def _lossy(data: bytes, codec: str, notes: tuple[str, ...]) -> Decoded:
    text = data.decode(codec, "replace")
    lost = text.count("\ufffd") - (data.count(b"\xef\xbf\xbd") if codec == "utf-8" else 0)
    if lost > 0:
        notes += (f"{lost} characters could not be read and are shown as \ufffd",)
    return Decoded(_lines(text), _NAMES[codec], notes)


def _lines(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
