"""The only writer of `raw/`: plans the admission of a source, proves that admitted bodies are unchanged."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from llm_wiki.admit.admission import Request, Verdict, admit, raw_pages
from llm_wiki.admit.candidate import Candidate, checked
from llm_wiki.admit.cleaning import Removed, cleaned
from llm_wiki.admit.rawlock import RAW_LOCK, LockEntry, RawLock, load_lock, lock_line, read_lock
from llm_wiki.admit.tombstones import NO_KEYS, Keys, joined, keys_of_candidate
from llm_wiki.core.clock import now
from llm_wiki.core.errors import Refused
from llm_wiki.core.text import file_slug, fold, nfc
from llm_wiki.core.transaction import Transaction
from llm_wiki.model.document import body_hash
from llm_wiki.model.edit import render
from llm_wiki.wiki.snapshot import Snapshot

__all__ = [
    "RAW_LOCK",
    "Admission",
    "Candidate",
    "LockEntry",
    "RawLock",
    "Verification",
    "file_name",
    "keys_of_source",
    "load_lock",
    "lock_line",
    "plan",
    "read_lock",
    "verify",
]


class Admission(NamedTuple):
    """What was planned for one candidate.

    `path` is the raw file: the new one, or with `duplicate` the one that already holds the source. `data` are
    the planned bytes (empty for a duplicate). `reason` says by what a duplicate or an earlier version was
    recognised: `body`, `upstream`, `url` or "". `removed` are the secrets that were taken out of it.
    """

    path: str
    duplicate: bool
    content_sha256: str
    candidate: Candidate
    reason: str = ""
    supersedes: str = ""
    data: bytes = b""
    removed: tuple[Removed, ...] = ()


def plan(
    snapshot: Snapshot,
    candidate: Candidate,
    today: date,
    tx: Transaction,
    *,
    hub: Path | None = None,
    also: Keys = NO_KEYS,
    log: bool = True,
) -> Admission:
    """Plan one admission into a transaction, or name the file that makes it needless.

    Adds the raw file, its line of the raw lock and (with `log`) one line of the log; index rows are the
    caller's. Secrets are taken out first, so that neither body nor name nor hash comes from one. `hub` is the
    one of the tree, `also` what else a tombstone may know the source by. Raises BadUsage for a candidate that
    makes no valid file, Refused when admission forbids it.
    """
    asked = candidate
    candidate, removed = cleaned(candidate)
    candidate = checked(candidate)
    digest = body_hash(_rendered(candidate, today, "", ""))
    keys = joined(_keys(asked, candidate, digest), also)
    verdict = admit(Request(snapshot, candidate, digest, hub, keys))
    if verdict.status == "duplicate":
        return Admission(verdict.existing, True, digest, candidate, verdict.reason)
    planned = _planned(snapshot, candidate, today, tx, verdict, digest, log=log)
    return planned._replace(removed=removed)


def keys_of_source(asked: Candidate, today: date) -> Keys:
    """Return the keys by which tombstones are asked for a candidate; raises BadUsage as `plan` does."""
    candidate = checked(cleaned(asked)[0])
    return _keys(asked, candidate, body_hash(_rendered(candidate, today, "", "")))


def _keys(asked: Candidate, candidate: Candidate, digest: str) -> Keys:
    """Return the keys of a candidate as it asks and as it would be written."""
    return joined(keys_of_candidate(candidate, digest), keys_of_candidate(asked))


def _planned(
    snapshot: Snapshot,
    candidate: Candidate,
    today: date,
    tx: Transaction,
    verdict: Verdict,
    digest: str,
    *,
    log: bool,
) -> Admission:
    folder = f"raw/{candidate.type}"
    name = candidate.name or file_name(snapshot, folder, candidate.title, today)
    path = f"{folder}/{name}"
    if fold(name) in {fold(present) for present in snapshot.dirs.get(folder, ())}:
        raise Refused(f"{path} exists already", path=path)
    data = _rendered(candidate, today, digest, verdict.supersedes)
    if folder not in snapshot.dirs:
        tx.mkdir(folder)
    tx.write(path, data, expect=None)
    tx.append(RAW_LOCK, [lock_line(path, digest, today, now())])
    if log:
        operation, text = candidate.entry
        tx.log(operation, f"{text or candidate.title} → {path}")
    return Admission(path, False, digest, candidate, verdict.reason, verdict.supersedes, data)


def file_name(snapshot: Snapshot, folder: str, title: str, today: date, taken: Sequence[str] = ()) -> str:
    """Return a free name `YYYY-MM-DD-slug.md` in a folder, with `-2`, `-3` … when it is taken.

    Names that differ only in letter case or Unicode form count as taken: some file systems hold one of
    them only. `taken` are further names that the same transaction writes there.
    """
    present = {fold(name) for name in (*snapshot.dirs.get(folder, ()), *taken)}
    stem = f"{today.isoformat()}-{file_slug(title, fallback='source')}"
    name, number = f"{stem}.md", 1
    while fold(name) in present:
        number += 1
        name = f"{stem}-{number}.md"
    return name


def _rendered(candidate: Candidate, today: date, digest: str, supersedes: str) -> bytes:
    fields: dict[str, str | Sequence[str]] = {
        "title": candidate.title,
        "source": candidate.source,
        "type": candidate.type,
        "ingested": today.isoformat(),
        "tags": list(candidate.tags),
        "summary": candidate.summary,
    }
    fields |= {key: value for key, value in candidate.fields.items() if key not in fields}
    if digest:
        fields["content_sha256"] = digest
    if supersedes:
        fields["supersedes"] = supersedes
    body = candidate.body
    return render(fields, body if body.endswith("\n") else body + "\n")


class Verification(NamedTuple):
    """Bodies of `raw/` against the raw lock; every tuple sorted by path.

    `changed`: the body is not the one that was admitted. `missing`: locked, but neither there nor anywhere
    else in `raw/` with the same body. `moved`: (old, new) path of a body that only changed its place.
    `unlisted`: files without an entry, no failure. `unreadable_lines`: 1-based lines of the lock that are
    no record. `checked` counts the bodies that were compared.
    """

    checked: int
    changed: tuple[str, ...]
    missing: tuple[str, ...]
    moved: tuple[tuple[str, str], ...]
    unlisted: tuple[str, ...]
    unreadable_lines: tuple[int, ...]

    @property
    def clean(self) -> bool:
        """Say whether every admitted body is still there, unchanged."""
        return not (self.changed or self.missing or self.unreadable_lines)


def verify(snapshot: Snapshot, lock: RawLock | None = None) -> Verification:
    """Compare each raw body with what the raw lock says it was; by default with the lock of the tree.

    A file without entry is compared with its own `content_sha256`, if it has one. Raises what
    `Snapshot.read` raises, and Unreadable for a lock that the system does not let read.
    """
    lock = load_lock(snapshot.root) if lock is None else lock
    bodies: dict[str, str] = {}
    changed, unlisted, compared = [], [], 0
    for page in raw_pages(snapshot):
        digest = bodies[nfc(page.rel)] = body_hash(snapshot.read(page.rel))
        entry = lock.entries.get(nfc(page.rel))
        if entry is None:
            unlisted.append(page.rel)
        expected = entry.content_sha256 if entry else page.text("content_sha256").lower()
        if expected:
            compared += 1
            if expected != digest:
                changed.append(page.rel)
    places = {digest: rel for rel, digest in sorted(bodies.items(), reverse=True)}
    gone = sorted((key, entry) for key, entry in lock.entries.items() if key not in bodies)
    return Verification(
        checked=compared,
        changed=tuple(changed),
        missing=tuple(entry.path for _, entry in gone if entry.content_sha256 not in places),
        moved=tuple(
            (entry.path, places[entry.content_sha256]) for _, entry in gone if entry.content_sha256 in places
        ),
        unlisted=tuple(unlisted),
        unreadable_lines=lock.unreadable,
    )
