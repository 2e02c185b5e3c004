"""`.librarian/compile-ledger.jsonl`: what became of each source (`doctrine.md` §2).

A line names a source by the hash of its body (`content_sha256`) and says either which `articles` it went
into or, with a `reason`, why none cites it (`disposition`); `at` is its time. `path` is for people: a
source that moves keeps what was said of it, one whose text is another is another source.
"""

from __future__ import annotations

from typing import Any, Final

from llm_wiki.wiki.statefiles import newest

DISPOSITIONS: Final = ("used", "mention", "duplicate", "out-of-scope", "superseded")
"""Why a source that no article cites needs no article."""


def disposed(data: bytes) -> dict[str, str]:
    """Return the disposition that holds for each body hash, of the bytes of a ledger.

    A newer line without one, which names articles, ends it; a word that is none is none.
    """
    found = {}
    for digest, record in newest(data, _digest).items():
        word = record.get("disposition")
        if isinstance(word, str) and word in DISPOSITIONS:
            found[digest] = word
    return found


def _digest(record: dict[str, Any]) -> str:
    digest = record.get("content_sha256")
    return digest.lower() if isinstance(digest, str) else ""
