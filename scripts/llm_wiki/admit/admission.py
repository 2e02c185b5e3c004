"""The one `admit()` in front of every write of evidence.

Each check looks at the candidate and the tree and either has no opinion, names what already holds the
same thing, or refuses (`Refused`, exit 4). The order is the table; the first answer ends it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

from llm_wiki.admit.candidate import MANUAL, Candidate
from llm_wiki.admit.compare import is_web, normalise_url, upstream_key
from llm_wiki.admit.tombstones import Keys, refuse_held, stones_of
from llm_wiki.core.errors import Unreadable
from llm_wiki.core.text import nfc
from llm_wiki.model import layout
from llm_wiki.model.document import body_hash
from llm_wiki.model.page import Page
from llm_wiki.wiki.snapshot import Snapshot


class Verdict(NamedTuple):
    """What admission decided.

    `duplicate`: `existing` already holds it, for the `reason` `body` or `upstream`; nothing is to be
    written. `new`: to be written; `supersedes` names the newest earlier version of the same source, or is "".
    """

    status: Literal["new", "duplicate"]
    existing: str = ""
    reason: str = ""
    supersedes: str = ""


class Request(NamedTuple):
    """What a check may look at: the tree as read, the candidate, and its body hash (`doctrine.md` §2).

    `hub` is the one the tree belongs to, `keys` everything by which the source may have been retracted.
    """

    snapshot: Snapshot
    candidate: Candidate
    content_sha256: str
    hub: Path | None
    keys: Keys


Check = Callable[[Request], Verdict | None]


def admit(request: Request) -> Verdict:
    """Run the checks in their order; raises Refused when one forbids the source."""
    for check in CHECKS:
        verdict = check(request)
        if verdict is not None:
            return verdict
    return Verdict("new")


def raw_pages(snapshot: Snapshot) -> list[Page]:
    """Return the pages of all sources, sorted by path: `*.md` below `raw/` except indexes.

    Raises Unreadable when part of `raw/` is: of sources that are not seen nothing can be said.
    """
    for rel, code, text in snapshot.problems:
        if code == "unreadable" and (rel == "raw" or rel.startswith("raw/")):
            raise Unreadable(
                f"cannot read {rel}: {text}",
                path=snapshot.root / rel,
                remedy="make it readable and run again",
            )
    return [
        page
        for rel, page in sorted(snapshot.pages.items())
        if rel.startswith("raw/") and not layout.is_index(rel)
    ]


def source_key(source: str) -> str:
    """Return what two sources share when they are the same address or the same path, "" for none."""
    if not source or source == MANUAL:
        return ""
    return normalise_url(source) if is_web(source) else nfc(source)


def known_body(snapshot: Snapshot, page: Page) -> str:
    """Return the body hash of a raw file: as admitted, else as computed from its bytes."""
    return page.text("content_sha256").lower() or body_hash(snapshot.read(page.rel))


def _retracted(request: Request) -> None:
    """Refuse what a tombstone of the hub holds."""
    refuse_held(request.keys, stones_of(request.snapshot.root, request.hub))


def _duplicates(request: Request) -> Verdict | None:
    """Know the same body or item of a collection as here already, the same address alone as a new version."""
    snapshot, candidate, digest = request[:3]
    pages = raw_pages(snapshot)
    for page in pages:
        if known_body(snapshot, page) == digest:
            return Verdict("duplicate", page.rel, "body")
    upstream = upstream_key(lambda key: _text(candidate, key))
    keys = {key for source in (candidate.source, *candidate.aliases) if (key := source_key(source))}
    same = []
    for page in pages:
        if upstream and upstream_key(page.text) == upstream:
            return Verdict("duplicate", page.rel, "upstream")
        if source_key(page.text("source")) in keys:
            same.append(page)
    if not same:
        return None
    replaced = {nfc(page.text("supersedes")) for page in same}
    newest = max(
        [page for page in same if nfc(page.rel) not in replaced] or same,
        key=lambda page: (page.text("ingested"), page.rel),
    )
    return Verdict("new", reason="url", supersedes=newest.rel)


def _text(candidate: Candidate, key: str) -> str:
    value = candidate.fields.get(key, "")
    return value if isinstance(value, str) else ""


CHECKS: tuple[Check, ...] = (_retracted, _duplicates)
"""In order. What forbids a source stands before what merely knows it."""
