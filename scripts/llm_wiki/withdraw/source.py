"""Source retraction: plan, apply, verify (`archive-retract.md` §3).

The tree of the root changes in one transaction: the source gone, every file without it, a tombstone. Then
follow the hub's own files and the stores of this machine. What is left is looked for from the disk.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from llm_wiki.core.errors import BadUsage, Conflict, WikiError
from llm_wiki.core.files import printable
from llm_wiki.core.state import root_state
from llm_wiki.core.stores import Hits, Store
from llm_wiki.core.transaction import open_root
from llm_wiki.model import layout
from llm_wiki.wiki.resolve import Root
from llm_wiki.wiki.snapshot import Snapshot
from llm_wiki.withdraw import source_hub, source_intent
from llm_wiki.withdraw.match_text import MARKER, look_at
from llm_wiki.withdraw.rewriting import masked_text
from llm_wiki.withdraw.scope import Found, scan
from llm_wiki.withdraw.share import in_sessions
from llm_wiki.withdraw.source_intent import Pending
from llm_wiki.withdraw.source_known import Reference, references
from llm_wiki.withdraw.source_pick import is_called, pick, traces_of
from llm_wiki.withdraw.source_plan import Plan, plan_source, stuck
from llm_wiki.withdraw.source_traces import Identity, Traces
from llm_wiki.withdraw.source_urls import held_things

BEYOND: Final = "version history, backups and copies outside this wiki are out of reach"
GONE: Final = (
    "title and addresses are no longer known: looked for are its path, its name, and what tombstones hold"
)
INTERRUPTED: Final = "its retraction was interrupted when the source had gone already"
BEGUN: Final = "its retraction was begun and interrupted: run llm-wiki retract-source apply once more"
OTHER: Final = "the retraction of another source was interrupted: llm-wiki doctor names it"


@dataclass
class Report:
    """What names a source and what was done about it; no text of it is content.

    `mode` is `plan apply verify`. `left` still names the source, `markers` are open ones of the whole root
    (path, line). `stores` are counts by store. `unfinished` tells that a rerun goes on: a store still holds
    something of the source, or was not to be written. `there` tells that the source is.
    """

    mode: str
    root: Path
    source: str
    references: list[Reference] = field(default_factory=list)
    left: list[Reference] = field(default_factory=list)
    markers: list[tuple[str, int]] = field(default_factory=list)
    marked: dict[str, int] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)
    orphaned: list[str] = field(default_factory=list)
    copies: list[str] = field(default_factory=list)
    stores: dict[str, dict[str, int]] = field(default_factory=dict)
    beyond: dict[str, list[str]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    changes: list[tuple[str, str]] = field(default_factory=list)
    tombstone: str = ""
    transaction: str = ""
    plan_id: str = ""
    unfinished: bool = False
    there: bool = False

    @property
    def status(self) -> str:
        """`dry-run`, `verified` or `incomplete`."""
        if self.mode == "plan":
            return "dry-run"
        return "incomplete" if self.left or self.markers or self.errors else "verified"

    @property
    def counts(self) -> dict[str, int]:
        """References by kind."""
        return dict(sorted(Counter(one.kind for one in self.references).items()))


@contextmanager
def held(root: Root) -> Iterator[None]:
    """Hold the hub, then the root, after repairing what was interrupted in them."""
    places = {str(place): place for place in (root.hub, root.path) if place is not None and place.is_dir()}
    with ExitStack() as stack:
        for _, place in sorted(places.items()):
            stack.enter_context(open_root(place))
        still_there(root)
        yield


def still_there(root: Root) -> None:
    """Raise Conflict for a root that was archived or moved since it was found."""
    if not root.path.is_dir():
        raise Conflict(
            f"{printable(root.path)} has gone since it was found; nothing was changed",
            path=root.path,
            remedy="run it again, with the place that it has now",
        )


def plan(root: Root, wanted: str, stores: Sequence[Store]) -> Report:
    """Say what names a source, with path and line; changes nothing."""
    if any(_is_gone(root, one, wanted) for one in source_intent.pending(root.path)):
        raise Conflict(INTERRUPTED, remedy="finish it: llm-wiki retract-source apply, with the same path")
    made = plan_source(root, wanted)
    report = _report("plan", root, made)
    for store in stores:
        hits = store.find(made.source.traces)
        report.stores[store.name] = {"found": hits.found, "removed": 0, "left": 0}
    report.references += source_hub.named_in(root, made.source.traces)
    return report


def apply(root: Root, wanted: str, stores: Sequence[Store], *, plan_id: str = "") -> Report:
    """Remove a source and what refers to it, leave a tombstone, look again.

    Whatever was interrupted behind its transaction is finished first. Raises Conflict for a plan that is
    not the one of `plan_id`, and what planning and a transaction raise: then nothing has changed, or a
    rerun goes on.
    """
    with held(root):
        finished = _finish(root, stores)
        for who, report in finished:
            if is_called(root.path, who, wanted):
                return report
        made = plan_source(root, wanted)
        report = _report("apply", root, made)
        if plan_id and plan_id != report.plan_id:
            raise Conflict(
                "what names the source is not what the plan showed; nothing was changed",
                remedy="run the plan again and read it",
            )
        held_before = {store.name: store.find(made.source.traces) for store in stores}
        begun = source_intent.begin(root.path, made.picked.who, made.tombstone)
        try:
            report.transaction = made.tx.commit() or ""
        except BaseException:
            if (root.path / made.picked.rel).is_file():
                source_intent.end(begun)  # nothing was changed
            raise
        _rest(root, made.source.traces, stores, report, held_before, begun)
    for _, other in finished:
        report.warnings += other.warnings
        report.errors += other.errors
    return report


def _finish(root: Root, stores: Sequence[Store]) -> list[tuple[Identity, Report]]:
    """Finish every retraction that was interrupted behind its transaction; return what of each."""
    source_intent.sweep(root_state(root.path))
    done = []
    for one in source_intent.pending(root.path):
        source_intent.sweep(one.file.parent)
        if (root.path / one.who.path).is_file():
            source_intent.end(one)  # nothing was changed: it is planned anew
            continue
        report = Report("apply", root.path, one.who.path, tombstone=one.tombstone)
        traces = traces_of(Snapshot.load(root.path, root.kind), one.who)
        _rest(root, traces, stores, report, {store.name: store.find(traces) for store in stores}, one)
        how = "goes on" if report.unfinished else "was finished"
        report.warnings.append(f"an interrupted retraction {how}")
        done.append((one.who, report))
    return done


def _is_gone(root: Root, one: Pending, wanted: str) -> bool:
    """Tell whether a source is meant whose retraction was interrupted when it had gone already."""
    return is_called(root.path, one.who, wanted) and not (root.path / one.who.path).is_file()


def _rest(
    root: Root,
    traces: Traces,
    stores: Sequence[Store],
    report: Report,
    before: dict[str, Hits],
    begun: Pending,
) -> None:
    """Take the source out of everything beside the tree, and look again."""
    try:
        report.references += source_hub.remove(root, traces, begun.tombstone)
    except WikiError as error:
        report.errors.append(masked_text(traces, error.message))
    for store in stores:
        try:
            store.remove(traces)
        except WikiError as error:
            report.errors.append(masked_text(traces, error.message))
    refused = bool(report.errors)
    held_still = _look_again(root, traces, stores, report, before)
    report.unfinished = refused or held_still
    if not report.unfinished:
        source_intent.end(begun)
    _mask(report, traces)


def verify(root: Root, wanted: str, stores: Sequence[Store]) -> Report:
    """Look for what still names a source that is there, or that was retracted; changes nothing."""
    snapshot = Snapshot.load(root.path, root.kind)
    pending = source_intent.pending(root.path)
    report = Report("verify", root.path, wanted)
    gone = [one.who for one in pending if _is_gone(root, one, wanted)]
    for one in pending:
        if one.who not in gone:
            mine = is_called(root.path, one.who, wanted)
            report.warnings.append(BEGUN if mine else OTHER)
    if gone:
        who = gone[0]
        report.unfinished = True
        report.errors.append(INTERRUPTED)
    else:
        try:
            who = pick(snapshot, wanted).who
            report.errors.append(f"the source is still there: {who.path}")
            report.there = True
        except BadUsage:
            who = Identity(_below(root.path, wanted))
            report.warnings.append(GONE)
            report.left += held_things(root, snapshot)
    report.source = who.path
    traces = traces_of(snapshot, who)
    _look_again(root, traces, stores, report, {})
    return report


def _below(root: Path, wanted: str) -> str:
    path = Path(wanted)
    if path.is_absolute():
        for base in (root, root.resolve()):
            if path.is_relative_to(base):
                return path.relative_to(base).as_posix()
    return path.as_posix().removeprefix("./")


def _report(mode: str, root: Root, made: Plan) -> Report:
    found = made.found
    report = Report(
        mode,
        root.path,
        made.picked.rel,
        references=sorted(set(made.references)),
        marked=made.marked,
        lost=made.lost,
        orphaned=made.orphaned,
        copies=made.copies,
        beyond={kind: sorted(set(places)) for kind, places in sorted(found.beyond.items())},
        warnings=list(made.notes),
        changes=[(change.action, change.path) for change in made.tx.changes],
        tombstone=made.tombstone if mode == "apply" else "",
    )
    seen = hashlib.sha256(made.picked.data)
    for rel, (old, new) in sorted(made.new.items()):
        seen.update(rel.encode("utf-8", "surrogateescape") + b"\0" + old + b"\0" + new)
    for change in made.tx.changes:
        seen.update(f"{change.action} {change.path}\0".encode("utf-8", "surrogateescape"))
    report.plan_id = seen.hexdigest()[:16]
    return report


def _look_again(
    root: Root, traces: Traces, stores: Sequence[Store], report: Report, before: dict[str, Hits]
) -> bool:
    """Enter what still names the source, in the tree, the hub and every store, and which markers are open.

    Tell whether anything beside the tree holds it.
    """
    hub: list[Reference] = []
    beside = 0
    found = scan([root.path], traces)
    report.left += _remaining(found, traces)
    try:
        hub = source_hub.named_in(root, traces)
    except WikiError as error:
        report.errors.append(masked_text(traces, error.message))
    report.left += hub
    report.left = sorted(set(report.left))
    report.errors += [masked_text(traces, text) for text in (*found.errors, *found.unresolved)]
    for kind, places in found.beyond.items():
        report.beyond[kind] = sorted({*report.beyond.get(kind, ()), *places})
    for store in stores:
        hits = store.prove(traces)
        beside += hits.found
        had = before.get(store.name, hits).found
        report.stores[store.name] = {
            "found": had,
            "removed": max(had - hits.found, 0),
            "left": hits.found,
        }
        report.errors += [f"{store.name}: {path}" for path in hits.paths]
        report.errors += hits.left
    after = Snapshot.load(root.path, root.kind, use_cache=False)
    report.markers = sorted(
        (rel, problem.line)
        for rel, page in after.pages.items()
        for problem in page.problems
        if problem.code == "retracted" and not layout.is_index(rel)
    )
    return bool(hub) or beside > 0


def _remaining(found: Found, traces: Traces) -> Iterator[Reference]:
    """Yield what the tree still holds, with lines; sessions are a store of their own."""
    for place in found.texts:
        if in_sessions(place.rel):
            continue
        yield from references(place.rel, look_at(traces, place.path))
    yield from stuck(found)


def _mask(report: Report, traces: Traces) -> None:
    """Let the report of a retraction say nothing of the source but the path that was asked for."""

    def clean(one: Reference) -> Reference:
        folder, slash, _ = one.path.rpartition("/")
        shown = masked_text(traces, one.path)
        return one._replace(path=folder + slash + shown if shown == MARKER.decode() else shown)

    report.references = [clean(one) for one in report.references]
    report.left = [clean(one) for one in report.left]
    report.copies = [
        text if text.endswith(report.source) else masked_text(traces, text) for text in report.copies
    ]
    report.changes = [(action, masked_text(traces, path)) for action, path in report.changes]
    report.beyond = {
        kind: [masked_text(traces, place) for place in places] for kind, places in report.beyond.items()
    }
