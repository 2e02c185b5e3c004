"""One source into one root: the write every way of adding evidence goes through."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from datetime import date
from typing import NamedTuple

from llm_wiki.admit.admission import raw_pages, source_key
from llm_wiki.admit.candidate import Candidate
from llm_wiki.admit.compare import similar
from llm_wiki.admit.raw import Admission, plan
from llm_wiki.admit.rows import plan_rows
from llm_wiki.admit.tombstones import NO_KEYS, Keys
from llm_wiki.core import clock
from llm_wiki.core.redact import redact
from llm_wiki.core.transaction import Change, Transaction, open_root
from llm_wiki.model.document import body
from llm_wiki.wiki.resolve import Root
from llm_wiki.wiki.snapshot import Snapshot


class Taken(NamedTuple):
    """What became of a candidate: the admission, sources with nearly its text, the plan, its id.

    `changes` is empty for a duplicate; `transaction` is None when nothing was written.
    """

    admission: Admission
    similar: tuple[tuple[str, float], ...]
    changes: tuple[Change, ...]
    transaction: str | None


def take(
    root: Root,
    candidate: Candidate,
    *,
    also: Keys = NO_KEYS,
    person: bool = False,
    dry_run: bool = False,
    today: date | None = None,
    load: Callable[[Root], Snapshot] | None = None,
) -> Taken:
    """Admit a candidate, with index rows and log line, in one transaction.

    `load` reads the tree, by default without the linter's notes; `also` is what else a tombstone may know
    the source by, `person` says that a person decided it. Raises what `admit.raw.plan` and a transaction
    raise; after any of them nothing has changed.
    """
    with nullcontext() if dry_run else open_root(root.path):
        snapshot = load(root) if load else Snapshot.load(root.path, root.kind)
        tx = Transaction(root.path, "ingest", summary=redact(candidate.title), person=person)
        day = today or clock.today()
        admission = plan(snapshot, candidate, day, tx, hub=root.hub, also=also)
        if admission.duplicate:
            return Taken(admission, (), (), None)
        near = _similar(snapshot, admission)
        plan_rows(tx, snapshot, {admission.path: admission.data}, day)
        done = None if dry_run else tx.commit()
    return Taken(admission, near, tx.changes, done)


def _similar(snapshot: Snapshot, admission: Admission) -> tuple[tuple[str, float], ...]:
    """Return other sources with nearly the same text; earlier versions of this one are no news."""
    key = source_key(admission.candidate.source)
    others = (
        (page.rel, body(snapshot.read(page.rel)))
        for page in raw_pages(snapshot)
        if not key or source_key(page.text("source")) != key
    )
    return tuple(similar(admission.candidate.body, others))
