"""`.librarian/attestations.jsonl`: which bodies a person has confirmed (`doctrine.md` §2).

Order-free lines that Git may merge by union: of several for one article the newest `at` holds, ties
go to the later line in code points. Without the file nothing is attested.
"""

from __future__ import annotations

import json
from pathlib import Path

from llm_wiki.core.files import inside, read_bytes
from llm_wiki.core.text import nfc

ATTESTATIONS = ".librarian/attestations.jsonl"
"""Its place below the root."""


def load(root: Path) -> dict[str, str]:
    """Return the body hash that was attested last, by NFC path of the article.

    A line that is no record says nothing. Raises Unreadable, and Refused for a symbolic link.
    """
    path = inside(root, ATTESTATIONS)
    return read(read_bytes(path)) if path.exists() else {}


def read(data: bytes) -> dict[str, str]:
    """Read the bytes of such a file, as `load` describes."""
    newest: dict[str, tuple[str, str, str]] = {}
    for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        text = line.decode("utf-8", "replace").strip()
        if not text:
            continue
        try:
            record = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if not isinstance(record, dict):
            continue
        path, digest, at = record.get("path"), record.get("content_sha256"), record.get("at")
        if not isinstance(path, str) or not isinstance(digest, str):
            continue
        ranked = (at if isinstance(at, str) else "", text, digest.lower())
        key = nfc(path)
        newest[key] = max(newest.get(key, ranked), ranked)
    return {key: ranked[2] for key, ranked in newest.items()}
