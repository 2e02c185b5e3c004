"""What a person said in a prompt: no code, quotes, logs, links and machine text (`feedback.md` §2).

Nothing is cut out: what does not count is masked by a sign of its own, so that a sentence found here is a
stretch of the text as it was given. Plain string work wherever it does: each prompt of a host waits for it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

MASK: Final = "\u25a1"
"""The sign that stands for each character that is nobody's speech."""
LONG_CHARS: Final = 1_200
"""Above this length only the first and the last sentence of a message count."""
SENTENCE_CHARS: Final = 600
"""Of a longer sentence only the beginning counts."""

_FOLDED: Final = str.maketrans("’‘ʼ´＇“”„‟«»「」『』＂", "'''''" + '"' * 11)
_OPENINGS: Final = (
    ">", "|", "+", "@@", "--- ", "diff --git", "index ", "$ ", "% ", "Traceback (", 'File "', "E   ",
    "{", "}", '["', "[{", "],", "npm ERR", "npm err", "npm WARN", "make: ", "make[",
    "Exit code", "exit code", "exit status",
)  # fmt: skip
"""How lines of logs, diffs, tables, quotes and data begin."""
_LEVELS: Final = (
    " ERROR ERR WARN WARNING INFO DEBUG FATAL TRACE CRITICAL NOTICE FAIL FAILED PASS PASSED FEHLER WARNUNG"
    " ERREUR AVERTISSEMENT ADVERTENCIA AVISO "
)
_LEVEL_WORDS: Final = " error fatal warning panic note fehler warnung erreur aviso 错误 警告 "
_PASTED: Final = (
    " log logs output trace traceback stacktrace error errors file text mail email message dump said says"
    " wrote writes quote snippet diff pasted protokoll ausgabe fehler datei schreibt journal sortie erreur"
    " fichier registro salida archivo "
)
_PASTED_PARTS: Final = ("日志", "输出", "报错", "文件", "如下")


class Sentence(NamedTuple):
    """One sentence: where it stands in the message, its text with the mask, and whether it asks."""

    start: int
    end: int
    text: str
    asks: bool


def of_machine(text: str) -> bool:
    """Tell whether a message is none of a person: a command, machine tags, a decision for the desk."""
    text = text.lstrip()
    head, after = text[:1], text[1:2]
    if head == "<":
        return (after.isalpha() or after in "!/") and ">" in text[:200]
    if head == "/":
        name = text[1:].split(None, 1)[:1]
        return bool(name) and "/" not in name[0]
    if head == "!":
        return bool(after) and not after.isspace()
    if head == "[":
        return text.startswith(("[Image", "[Request interrupted", "[Pasted"))
    words = text[:80].split()
    return len(words) > 1 and words[0].lower() in ("ok", "no", "forget") and _is_id(words[1])


def _is_id(word: str) -> bool:
    """Tell whether a word is the id of a candidate or of a record."""
    kind, mark, rest = word.replace("_", "-").partition("-")
    return bool(mark) and kind.isalpha() and len(kind) <= 4 and rest.isalnum() and len(rest) >= 6


def masked(text: str) -> str:
    """Return a message with everything masked that its writer did not say there; as long as the message."""
    lines = text.translate(_FOLDED).split("\n")
    fence = ""
    pasted = 0  # 1: the line before announced something; 2: it announced material, lists included
    for number, body in enumerate(lines):
        flat = body.strip()
        shown = False
        if fence:
            fence = "" if flat.startswith(fence) and not flat.strip(fence[0]) else fence
        elif flat.startswith(("```", "~~~")):
            fence = flat[: len(flat) - len(flat.lstrip(flat[0]))]
        elif len(lines) > 1 and flat.startswith("#") and flat.lstrip("#")[:1] == " ":
            fence = "#" * 9  # a document: all that follows belongs to it
        elif not flat:
            pasted = 0
        elif (pasted and not (pasted == 1 and _is_bullet(flat))) or _is_log(flat):
            pass
        elif len(lines) == 1 or not body[:4].isspace():
            shown = True
            if flat.endswith((":", "：")):
                pasted = 2 if _announces(flat) else 1
        lines[number] = _inline(body) if shown else MASK * len(body)
    return "\n".join(lines)


def _is_bullet(line: str) -> bool:
    return line[:2] in ("- ", "* ", "• ") or (line[:1].isdigit() and line[1:3].strip() in (".", ")"))


def _announces(line: str) -> bool:
    """Tell whether a line that ends with a colon names what follows as a log, a file, a quote."""
    words = line.lower().replace("'", " ").rstrip(":：").split()
    return any(f" {word} " in _PASTED for word in words) or any(part in line for part in _PASTED_PARTS)


def _is_log(line: str) -> bool:
    """Tell whether a line is one of a log, a traceback, a diff, a table or a block quote."""
    if line.startswith(_OPENINGS):
        return True
    word = line.split(None, 1)[0]
    bare = word.strip("[]:!()")
    if f" {bare} " in _LEVELS or (word.endswith(":") and f" {bare.lower()} " in _LEVEL_WORDS):
        return True
    if bare[:2].isdigit() and (bare[4:5] == "-" or bare[2:3] == ":") and len(bare) >= 8:
        return True  # a time stamp
    if word[0] == "-" and len(word) > 1 and any(sign in line for sign in "=({;"):
        return True  # a line taken away
    named = bare.endswith(("Error", "Exception", "Warning")) and bare[0].isupper()
    frame = word == "at" and ("(" in line or ".java:" in line or ".js:" in line)
    place = word.split(":")
    return frame or (named and len(bare) > 7) or (len(place) > 2 and place[1].isdigit())


def _inline(line: str) -> str:
    """Mask code, quoted text, links, paths and calls within a line."""
    for sign in '`"':
        if sign in line:
            parts = line.split(sign)
            for at in range(1, len(parts) - 1, 2):
                parts[at] = MASK * len(parts[at])
            line = sign.join(parts)
    if "'" in line:
        line = _single_quotes(line)
    if "/" in line or "(" in line or "@" in line:
        line = re.sub(r"[!-~]+", lambda found: _token(found[0]), line)
    return line


def _single_quotes(line: str) -> str:
    """Mask what stands between single quotes that are no apostrophes."""
    opened = -1
    out = list(line)
    for at, char in enumerate(line):
        if char != "'":
            continue
        before = line[at - 1 : at].isalnum() if at else False
        after = line[at + 1 : at + 2].isalnum()
        if opened < 0 and not before and after:
            opened = at
        elif opened >= 0 and not after and at > opened + 1:
            out[opened + 1 : at] = MASK * (at - opened - 1)
            opened = -1
    return "".join(out)


def _token(token: str) -> str:
    """Mask a link, a path, an address or a call."""
    kept = token.rstrip(".,;:!?)")
    tail = token[len(kept) :]
    if "://" in kept or kept.count("/") > 1 or (len(kept) > 1 and kept.startswith(("/", "~/", "./", "../"))):
        return MASK * len(kept) + tail
    if 0 < kept.find("@") < len(kept) - 1:
        return MASK * len(kept) + tail
    name = token.partition("(")[0]
    if name != token and name[-1:].isalnum():
        end = token.rfind(")") + 1 or len(token)
        return MASK * end + token[end:]
    return token


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of a message that may count: all, of a long message the first and the last."""
    hidden = masked(text)
    found = []
    at = 0
    for mark in re.finditer(r"[.!?…]+(?=[\s\"')\]]|$)|[。！？]+|\n", hidden):
        found.append((at, mark.end(), mark[0]))
        at = mark.end()
    found.append((at, len(hidden), ""))
    spoken = [item for item in found if _speaks(hidden[item[0] : item[0] + SENTENCE_CHARS])]
    if len(text) > LONG_CHARS and len(spoken) > 2:
        spoken = [spoken[0], spoken[-1]]
    return [
        Sentence(start, end, hidden[start : min(end, start + SENTENCE_CHARS)], "?" in mark or "？" in mark)
        for start, end, mark in spoken
    ]


def _speaks(text: str) -> bool:
    """Tell whether a stretch holds a letter or a digit beside the mask."""
    return bool(text.strip().strip(MASK)) and any(char.isalnum() for char in text)


_WORD: Final = r"\u25a1+|[^\W_]+(?:['._-]+\w+)*'?|_\w*|[,;:–—()-]|[^\w\s]"
_DROPPED: Final = frozenset(".!?\"'*_~")


def words(text: str, *, spaced: bool, split_apostrophe: bool) -> list[str]:
    """Return the words of a sentence in their folded form; of a language without blanks its characters."""
    folded = unicodedata.normalize("NFKC", text).lower()
    if not spaced:
        return [char for char in folded if not char.isspace() and char not in _DROPPED]
    found = [MASK if word[0] == MASK else word for word in re.findall(_WORD, folded)]
    found = [word for word in found if word not in _DROPPED]
    return list(_split(found)) if split_apostrophe else [word.rstrip("'") or word for word in found]


def _split(found: list[str]) -> Iterator[str]:
    for word in found:
        head, mark, tail = word.partition("'")
        if mark and head:
            yield head + "'"
            if tail:
                yield tail
        else:
            yield word
