"""Literal retraction: one value out of every store, and the proof (`archive-retract.md` §2)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from llm_wiki.core.errors import BadUsage, Conflict, Refused, WikiError
from llm_wiki.core.stores import Hits, Needle, Span, Store
from llm_wiki.withdraw import json_text, slugs
from llm_wiki.withdraw.history import NEXT, commits
from llm_wiki.withdraw.match import LONGEST, Matcher
from llm_wiki.withdraw.match_text import MARKER
from llm_wiki.withdraw.renaming import RESERVED, SESSION_NAMES
from llm_wiki.withdraw.rewriting import masked_text
from llm_wiki.withdraw.scope import Found, Place
from llm_wiki.withdraw.share import Applied, Scope

ROUNDS: Final = 3
"""Times a scope is looked at and changed while others keep writing to it."""

FEWEST: Final = 4
"""Characters of a value that needs no confirmation."""

MANY: Final = 1000
"""Occurrences above which a value needs one."""


@dataclass(frozen=True)
class Wishes:
    """How a value is to be removed. `shortest` and `yes` answer the gate for short and frequent values."""

    apply: bool = False
    common: bool = True
    ignore_case: bool = False
    shortest: int | None = None
    yes: bool = False
    plan_id: str = ""
    report_git: bool = False


@dataclass
class Report:
    """What was found and done; nothing in it holds the value."""

    wishes: Wishes
    scope: list[str]
    found: Found
    after: Found | None = None
    applied: Applied = field(default_factory=Applied)
    stores: dict[str, dict[str, int]] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    matched: list[str] = field(default_factory=list)
    plan_id: str = ""
    lets_binaries_go: bool = False
    encodings: Counter[str] = field(default_factory=Counter)
    beyond: dict[str, list[str]] = field(default_factory=dict)

    @property
    def status(self) -> str:
        """`dry-run`, `verified`, or `incomplete`."""
        if self.errors or self.left:
            return "incomplete"
        return "verified" if self.wishes.apply else "dry-run"

    @property
    def outcome(self) -> str:
        """`removed`, `no-match`, `found` (a dry run), or `partial`."""
        held = self.found.total + sum(store["found"] for store in self.stores.values())
        if not held and not self.found.unresolved:
            return "no-match"
        if not self.wishes.apply:
            return "found"
        return "partial" if self.errors or self.left else "removed"


def matcher_of(value: bytes, wishes: Wishes) -> Matcher:
    """Return the matcher for a value. Raises BadUsage (cannot be meant), Refused (too short)."""
    if not value:
        raise BadUsage("the value is empty", remedy="type it at the prompt, or give it by --stdin")
    if not value.strip():
        raise BadUsage("the value is nothing but blanks", remedy="give something else of it along with them")
    if len(value) > LONGEST:
        raise BadUsage(
            f"the value is longer than {LONGEST} bytes",
            remedy="give one distinctive part of it, such as one line",
        )
    if value in MARKER or (wishes.ignore_case and value.lower() in MARKER.lower()):
        raise BadUsage("the value is a part of the marker that takes its place")
    if len(value.decode("utf-8", "replace")) < FEWEST and not _confirmed(wishes, value):
        raise Refused(
            f"a value of fewer than {FEWEST} characters may stand anywhere; nothing was changed",
            remedy="look at a dry run with --min-length N --yes, N being its number of characters",
        )
    plain = value.lower() if wishes.ignore_case else value
    names = [name.encode() for name in RESERVED | SESSION_NAMES]
    words = frozenset(name for name in names if plain in (name.lower() if wishes.ignore_case else name))
    matcher = Matcher(value, common=wishes.common, ignore_case=wishes.ignore_case, words=words)
    if matcher.spans(MARKER):
        raise BadUsage("the value is a part of the marker that takes its place")
    return matcher


class Stores(NamedTuple):
    """What a withdrawal walks: stores that share the roots of a scope, and those beside them."""

    scope: Scope
    within: Sequence[Store]
    beside: Sequence[Store]

    def all(self) -> list[Store]:
        """Return every store."""
        return [*self.within, *self.beside]


def retract(stores: Stores, matcher: Matcher, wishes: Wishes, value: bytes) -> Report:
    """Find a value in every store and, if asked to, remove it and prove that it is gone.

    Raises Refused (too many occurrences), Conflict (not what the plan showed), LockBusy, all without the
    value. Everything else that goes wrong is an error of the report, and the rest is still done.
    """
    if wishes.apply:
        return _applied(stores, matcher, wishes, value)
    held = {store.name: store.find(matcher) for store in stores.all()}
    found = stores.scope.look(matcher, "report")
    report = _report(stores.scope, matcher, wishes, found)
    _account(report, stores, matcher, {name: (hits, hits) for name, hits in held.items()}, found)
    if found.hits > MANY:
        report.warnings.append(f"more than {MANY} occurrences: applying it needs --min-length N --yes")
    report.warnings += slugs.notes(stores.scope.paths, value, matcher)
    return report


def _applied(stores: Stores, matcher: Matcher, wishes: Wishes, value: bytes) -> Report:
    scope = stores.scope
    with scope.locks():
        found = scope.look(matcher, "report")
        report = _report(scope, matcher, wishes, found)
        if wishes.plan_id and wishes.plan_id != report.plan_id:
            raise Conflict(
                "what holds the value is not what the dry run showed; nothing was changed",
                remedy="run it without --apply again and read its plan",
            )
        if found.hits > MANY and not _confirmed(wishes, value):
            raise Refused(
                f"{found.hits} occurrences are more than {MANY}; nothing was changed",
                remedy="if all of them shall go, add --min-length N --yes, N being its number of characters",
            )
        before = {store.name: store.find(matcher) for store in stores.all()}
        held = {}
        for _ in range(ROUNDS):
            scope.begin()
            for store in stores.within:
                _remove(report, store, matcher)
            held = {store.name: (before[store.name], store.prove(matcher)) for store in stores.within}
            if not scope.found.texts and not scope.found.names:
                break
    found_any = any(hits.found for hits in before.values())
    for store in stores.beside:
        if found_any:
            _remove(report, store, matcher)
        held[store.name] = (before[store.name], store.prove(matcher))
    report.after, report.applied = scope.found, scope.applied
    report.errors += report.applied.errors
    report.left += report.applied.kept
    _account(report, stores, matcher, held, scope.found)
    if report.status == "incomplete" and json_text.stays(matcher):
        report.warnings.append("where it is a name or a word of the format, programs read it and it stays")
    report.warnings += slugs.notes(scope.paths, value, matcher)
    return report


def _remove(report: Report, store: Store, matcher: Matcher) -> None:
    try:
        store.remove(matcher)
    except WikiError as error:
        report.errors.append(masked_text(matcher, error.message))


def _confirmed(wishes: Wishes, value: bytes) -> bool:
    size = len(value.decode("utf-8", "replace"))
    return wishes.yes and wishes.shortest is not None and size >= wishes.shortest > 0


def _report(scope: Scope, matcher: Needle, wishes: Wishes, found: Found) -> Report:
    report = Report(wishes, [masked_text(matcher, str(root)) for root in scope.paths], found)
    many = len(scope.paths) > 1
    report.matched = sorted({_shown(matcher, place, many=many) for place in found.paths()})
    report.plan_id = _plan_id(found, matcher, wishes, deletes=scope.delete_binaries)
    report.lets_binaries_go = scope.delete_binaries
    return report


def _account(
    report: Report, stores: Stores, matcher: Needle, held: dict[str, tuple[Hits, Hits]], last: Found
) -> None:
    """Enter what stores hold and what is left of it. What the scope saw as a whole stands there once."""
    found, beside = report.found, {store.name for store in stores.beside}
    for name, (before, after) in held.items():
        rest = after.found if report.wishes.apply else 0
        removed = max(before.found - rest, 0) if report.wishes.apply else 0
        report.stores[name] = {"found": before.found, "removed": removed, "left": rest}
        report.encodings = report.encodings + before.encodings
        for kind, places in (after.beyond or before.beyond).items():
            report.beyond[kind] = sorted({*report.beyond.get(kind, ()), *places})
        if name in beside:
            held_still = after.paths if report.wishes.apply else []
            report.left += [f"{name}: {path}" for path in held_still]
            report.left += [f"{name}: {text}" for text in after.left if text not in held_still]
    report.errors += [masked_text(matcher, text) for text in last.errors]
    report.left += [masked_text(matcher, text) for text in last.unresolved]
    report.left += [text for text in _cut_links(found, matcher) if text not in report.left]
    for kind in sorted({*found.beyond, *last.beyond}):
        seen = {*found.beyond.get(kind, ()), *last.beyond.get(kind, ())}
        told = {masked_text(matcher, place) for place in seen}
        report.beyond[kind] = sorted({*report.beyond.get(kind, ()), *told})
    if report.wishes.report_git:
        _history(report, stores.scope.paths, matcher)
    many = len(report.scope) > 1
    stuck = [*last.links]
    if report.wishes.apply or not report.lets_binaries_go:
        stuck += last.binaries
    if report.wishes.apply:
        stuck += [*last.texts, *last.names]
    report.left += [_shown(matcher, place, many=many) for place in sorted(set(stuck))]
    if report.outcome == "no-match":
        then = "so nothing was removed" if report.wishes.apply else "look for a typing error in the value"
        report.warnings.append(f"nothing was found, {then}")


def _cut_links(found: Found, matcher: Needle) -> list[str]:
    """Return the files whose other name keeps the value once they are rewritten."""
    return [masked_text(matcher, text) for text in found.unresolved if text.startswith("hard link")]


def _history(report: Report, roots: Sequence[Path], matcher: Needle) -> None:
    found = [masked_text(matcher, line) for root in roots for line in commits(root, matcher)]
    if found:
        report.beyond["version history"] = list(dict.fromkeys(found))
        report.warnings.append(NEXT)


def _shown(matcher: Needle, place: Place, *, many: bool) -> str:
    return masked_text(matcher, str(place.path) if many else place.rel)


def _plan_id(found: Found, matcher: Needle, wishes: Wishes, *, deletes: bool) -> str:
    """Return a name for what a dry run showed and how it was asked: which files at which state, and where.

    It says where the value stands in what is left without it, so nothing of the value, nor its length.
    """
    seen = hashlib.sha256(f"{wishes.common} {wishes.ignore_case} {deletes}\n".encode())
    for place in found.paths():
        try:
            status = place.path.lstat()
            state = f"{status.st_ino} {status.st_mtime_ns}"
        except OSError:
            state = ""
        shown = _shown(matcher, place, many=True)
        reading = found.texts.get(place) or found.binaries.get(place)
        starts = _starts(reading.spans) if reading else []
        seen.update(f"{shown}\0{state}\0{starts}\n".encode("utf-8", "surrogateescape"))
    return seen.hexdigest()[:16]


def _starts(spans: Sequence[Span]) -> list[int]:
    """Return where occurrences began in a text from which those before were taken out."""
    starts, gone = [], 0
    for span in spans:
        starts.append(span.start - gone)
        gone += span.end - span.start
    return starts


def report_data(report: Report) -> dict[str, Any]:
    """Return the report as the JSON of its page: every key always there."""
    found, last = report.found, report.after
    return {
        "schema_version": 1,
        "status": report.status,
        "outcome": report.outcome,
        "mode": "apply" if report.wishes.apply else "dry-run",
        "plan_id": report.plan_id,
        "scope": report.scope,
        "files_scanned": found.files,
        "text_files_matched": len(found.texts),
        "binary_files_matched": len(found.binaries),
        "path_names_matched": len(found.names),
        "symlink_targets_matched": len(found.links),
        "files_rewritten": report.applied.files,
        "binary_files_deleted": report.applied.deleted,
        "paths_renamed": report.applied.renamed,
        "remaining_matches": None if last is None else last.total,
        "skipped_version_control_paths": found.skipped,
        "matched_paths": report.matched,
        "errors": [*report.errors, *report.left],
        "boundaries": [
            {"kind": kind, "count": len(paths), "paths": paths}
            for kind, paths in sorted(report.beyond.items())
        ],
        "stores": report.stores,
        "encodings": dict(report.encodings),
        "warnings": report.warnings,
    }


__all__ = ["Report", "Stores", "Wishes", "matcher_of", "report_data", "retract"]
