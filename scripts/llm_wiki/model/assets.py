"""`assets-manifest.md`: which files of an asset folder are meant to be there, and their hashes.

The form is one line a file that holds its path and its SHA-256 in hex: a table that has both in a row, in
whatever order and with whatever else, or a plain list as `sha256sum` prints it. A path is meant from the
manifest's folder or from the root; a bare name will do where no other file has it. It may be code, a link,
percent-encoded or escaped for its cell.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote

from llm_wiki.core.text import nfc
from llm_wiki.model.links import normal

_DIGEST = re.compile(r"(?<![0-9A-Za-z])[0-9A-Fa-f]{64}(?![0-9A-Za-z])")
_CELL = re.compile(r"(?<!\\)\|")
_LINK = re.compile(
    r"!?\[(?P<text>.*?)\]\(\s*(?:<(?P<pointed>[^>]*)>|(?P<plain>[^\s)]*(?:\([^\s)]*\)[^\s)]*)*))[^)]*\)"
)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


class Checked(NamedTuple):
    """What is wrong with the files of an asset folder, by path from the root, sorted.

    `unlisted` stand in no manifest, `different` have another hash there, `unread` could not be hashed.
    """

    unlisted: tuple[str, ...]
    different: tuple[str, ...]
    unread: tuple[str, ...]


def listed(folder: str, data: bytes) -> dict[str, frozenset[str]]:
    """Return the digests that a manifest in `folder` gives, by NFC path as far as it is spelt there.

    A path from the manifest's folder is given from the root; a line means every path it may spell.
    """
    found: dict[str, set[str]] = {}
    for line in data.decode("utf-8-sig", "replace").splitlines():
        digests = {digest.lower() for digest in _DIGEST.findall(line)}
        if digests:
            for name in _spelt(_DIGEST.sub(" ", line)):
                for path in (normal(folder, name), normal("", name), name):
                    found.setdefault(nfc(path), set()).update(digests)
    return {path: frozenset(digests) for path, digests in found.items()}


def _spelt(line: str) -> set[str]:
    """Return every path that a line without its digests may spell."""
    names: set[str] = set()
    for cell in _CELL.split(line):
        text = cell.strip().removeprefix("*").strip()  # `sha256sum -b` marks binary files so
        link = _LINK.fullmatch(text)
        parts = [link["text"], link["pointed"] or link["plain"] or ""] if link else [text]
        for part in parts:
            plain = part.strip().strip("`").replace("\\|", "|").strip()
            names |= {plain, unquote(plain), _ESCAPE.sub(r"\1", plain)}
    return {name for name in names if name}


def check(
    files: Iterable[str], manifests: dict[str, dict[str, frozenset[str]]], digests: dict[str, str]
) -> Checked:
    """Compare files with what the manifests of their folder and of those above it say.

    `manifests` maps a folder to what `listed` found there, `digests` a path to the file's own digest.
    """
    paths = sorted(files)
    names = Counter(path.rpartition("/")[2] for path in paths)
    unlisted, different, unread = [], [], []
    for path in paths:
        name = path.rpartition("/")[2]
        given: set[str] = set()
        for folder, entries in manifests.items():
            if path.startswith(f"{folder}/"):
                given |= entries.get(nfc(path), frozenset())
                given |= entries.get(nfc(name), frozenset()) if names[name] == 1 else frozenset()
        if not given:
            unlisted.append(path)
        elif path not in digests:
            unread.append(path)
        elif digests[path] not in given:
            different.append(path)
    return Checked(tuple(unlisted), tuple(different), tuple(unread))
