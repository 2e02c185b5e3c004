"""The whole of `ingest`: load, extract, admit, write in one transaction with index rows and log line."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import NamedTuple

from llm_wiki.admit.cleaning import Removed
from llm_wiki.admit.taking import Taken, take
from llm_wiki.admit.tombstones import Stone, keys_of_urls, refuse_held, stones_of
from llm_wiki.core.errors import Ambiguous, NotAWiki
from llm_wiki.core.transaction import Change
from llm_wiki.ingest.source import Options, candidate, own_keys, read
from llm_wiki.wiki.registry import Registry
from llm_wiki.wiki.resolve import Root


class Ingested(NamedTuple):
    """What became of one source.

    `path` is its raw file: the new one, or with `duplicate` the one that already holds it (then nothing was
    written). `reason` is how a known source was recognised (`body url upstream`, or ""), `supersedes` the
    earlier version it replaces. `similar` are other raw files that share 80 % of the text, with the share.
    `changes` is the plan; `transaction` the id to undo, None when nothing was written. `removed` are the
    secrets that were taken out of the text.
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
    removed: tuple[Removed, ...] = ()


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

    The source is loaded before the root is locked, so a slow server holds nobody up; the address of a
    retracted source is not asked for. Raises Ambiguous for a
    hub (the topic is the user's choice), what `source.read` and `admit.raw.plan` raise, and what
    a transaction raises; after any of them nothing has changed.
    """
    require_topic(root)
    options = (options or Options())._replace(before=_guard(root))
    loaded = read(argument, options, root=root.path, stdin=stdin)
    asked, found = candidate(loaded, options)
    notes = (*(loaded.page.notes if loaded.page else ()), *found.notes)
    taken = take(root, asked, also=own_keys(loaded, found), dry_run=dry_run, today=today)
    return _report(taken, notes)


def _guard(root: Root) -> Callable[[str], None]:
    """Return what refuses the address of a retracted source before anybody is asked for it."""
    stones: list[tuple[Stone, ...]] = []

    def guard(url: str) -> None:
        if not stones:
            stones.append(stones_of(root.path, root.hub))
        refuse_held(keys_of_urls(url), stones[0])

    return guard


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


def _report(taken: Taken, notes: tuple[str, ...]) -> Ingested:
    admission = taken.admission
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
        similar=taken.similar,
        changes=taken.changes,
        transaction=taken.transaction,
        removed=admission.removed,
    )
