"""A source whose text the caller has: admitted as it is, with index rows and log line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from llm_wiki.admit.candidate import Candidate
from llm_wiki.admit.cleaning import Removed
from llm_wiki.admit.taking import take
from llm_wiki.core.errors import BadUsage
from llm_wiki.core.files import read_bytes
from llm_wiki.core.transaction import Change
from llm_wiki.ingest.charset import decode_text
from llm_wiki.ingest.run import require_topic
from llm_wiki.model.prose import first_paragraph
from llm_wiki.ops.trees import load
from llm_wiki.wiki.resolve import Root

_KEY = re.compile(r"[a-z][a-z0-9_-]*", re.ASCII)
_OWN = frozenset({"title", "source", "type", "ingested", "tags", "summary", "content_sha256", "supersedes"})
"""Front matter that admission itself writes; it cannot be given as a field."""


class Added(NamedTuple):
    """What became of the source; with `duplicate` its `path` is the file that already holds it."""

    path: str
    duplicate: bool
    reason: str
    content_sha256: str
    changes: tuple[Change, ...]
    transaction: str | None
    removed: tuple[Removed, ...] = ()


def add_raw(
    root: Root,
    *,
    title: str,
    kind: str,
    source: str,
    path: Path | None,
    data: bytes | None,
    tags: tuple[str, ...] = (),
    summary: str = "",
    fields: tuple[str, ...] = (),
    dry_run: bool = False,
) -> Added:
    """Admit one text into a topic or local wiki.

    The body is `data`, or the bytes of `path`. `fields` are `KEY=VALUE` texts. Raises `BadUsage`
    for a text that is not UTF-8 or a malformed field, `Ambiguous` for a hub, and what
    `admit.raw.plan` and the transaction raise.
    """
    require_topic(root)
    raw = data if data is not None else read_bytes(path or Path("-"))
    body = decode_text(raw, path=None if data is not None else str(path)).text
    candidate = Candidate(
        title=title,
        source=source,
        type=kind,
        body=body,
        summary=summary or first_paragraph(body.encode(), 1) or title,
        tags=tags or (kind,),
        fields=dict(map(_pair, fields)),
    )
    taken = take(root, candidate, dry_run=dry_run, load=load)
    admission = taken.admission
    return Added(
        admission.path,
        admission.duplicate,
        admission.reason,
        admission.content_sha256,
        taken.changes,
        taken.transaction,
        admission.removed,
    )


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    key = key.strip()
    if not equals or not _KEY.fullmatch(key):
        raise BadUsage(f"--field wants KEY=VALUE with a key of a-z, 0-9, - and _, not {text!r}")
    if key in _OWN:
        raise BadUsage(
            f"{key} is written here", remedy="--title, --type, --source, --tags and --summary set theirs"
        )
    return key, value.strip()
