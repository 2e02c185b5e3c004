"""The whole of `ingest`: load, extract, admit, write in one transaction with index rows and log line."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from datetime import date
from typing import NamedTuple

from llm_wiki.admit.admission import raw_pages, source_key
from llm_wiki.admit.compare import similar
from llm_wiki.admit.raw import Admission, plan
from llm_wiki.admit.rows import plan_rows
from llm_wiki.core import clock
from llm_wiki.core.errors import Ambiguous, NotAWiki
from llm_wiki.core.transaction import Change, Transaction, open_root
from llm_wiki.ingest.source import Options, candidate, read
from llm_wiki.model.document import body
from llm_wiki.wiki.registry import Registry
from llm_wiki.wiki.resolve import Root
from llm_wiki.wiki.snapshot import Snapshot


class Ingested(NamedTuple):
    """What became of one source.

    `path` is its raw file: the new one, or with `duplicate` the one that already holds it (then nothing was
    written). `reason` is how a known source was recognised (`body url upstream`, or ""), `supersedes` the
    earlier version it replaces. `similar` are other raw files that share 80 % of the text, with the share.
    `changes` is the plan; `transaction` the id to undo, None when nothing was written.
    """

    path: str
    duplicate: bool
    reason: str
    supersedes: str
    title: str
    type: str
    source: str
    tags: tuple[str, ...]
    summary: str
    content_sha256: str
    notes: tuple[str, ...]
    similar: tuple[tuple[str, float], ...]
    changes: tuple[Change, ...]
    transaction: str | None


def ingest(
    root: Root,
    argument: str,
    options: Options | None = None,
    *,
    dry_run: bool = False,
    stdin: Callable[[], bytes] | None = None,
    today: date | None = None,
) -> Ingested:
    """Admit one URL, file or standard input (`-`) into a topic or local wiki.

    The source is loaded before the root is locked, so a slow server holds nobody up. Raises Ambiguous for a
    hub (the topic is the user's choice), what `source.read` and `admit.raw.plan` raise, and what
    a transaction raises; after any of them nothing has changed.
    """
    options = options or Options()
    require_topic(root)
    loaded = read(argument, options, root=root.path, stdin=stdin)
    asked, found = candidate(loaded, options)
    notes = (*(loaded.page.notes if loaded.page else ()), *found.notes)
    with nullcontext() if dry_run else open_root(root.path):
        snapshot = Snapshot.load(root.path, root.kind)
        tx = Transaction(root.path, "ingest", summary=asked.title)
        day = today or clock.today()
        admission = plan(snapshot, asked, day, tx)
        near = () if admission.duplicate else _similar(snapshot, admission)
        if not admission.duplicate:
            plan_rows(tx, snapshot, {admission.path: admission.data}, day)
        done = None if dry_run or admission.duplicate else tx.commit()
    return _report(admission, notes, near, tx.changes, done)


def require_topic(root: Root) -> None:
    """Raise Ambiguous for a hub, which has no sources of its own: the topic is the user's choice."""
    if root.kind == "hub":
        registry = Registry.load(root.path)
        registry.require_usable()
        topics = tuple(slug for slug, entry in sorted(registry.entries.items()) if entry.status == "active")
        raise Ambiguous(
            "a source belongs to a topic, not to the hub",
            options=topics,
            remedy="name one with --wiki" if topics else "create one first: llm-wiki init NAME",
        )
    if root.kind not in ("topic", "local"):
        raise NotAWiki(
            f"{root.path} is no wiki", path=root.path, remedy="create one with: llm-wiki init NAME"
        )


def _similar(snapshot: Snapshot, admission: Admission) -> tuple[tuple[str, float], ...]:
    """Return other sources with nearly the same text; earlier versions of this one are no news."""
    key = source_key(admission.candidate.source)
    others = (
        (page.rel, body(snapshot.read(page.rel)))
        for page in raw_pages(snapshot)
        if not key or source_key(page.text("source")) != key
    )
    return tuple(similar(admission.candidate.body, others))


def _report(
    admission: Admission,
    notes: tuple[str, ...],
    near: tuple[tuple[str, float], ...],
    changes: tuple[Change, ...],
    done: str | None,
) -> Ingested:
    asked = admission.candidate
    return Ingested(
        path=admission.path,
        duplicate=admission.duplicate,
        reason=admission.reason,
        supersedes=admission.supersedes,
        title=asked.title,
        type=asked.type,
        source=asked.source,
        tags=asked.tags,
        summary=asked.summary,
        content_sha256=admission.content_sha256,
        notes=notes,
        similar=near,
        changes=changes,
        transaction=done,
    )
