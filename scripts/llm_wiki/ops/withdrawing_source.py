"""Which root and which stores the retraction of a source is about."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from llm_wiki.admit.tombroots import roots_of
from llm_wiki.core.errors import Ambiguous, BadUsage, WikiError
from llm_wiki.core.state import root_key
from llm_wiki.core.stores import Store
from llm_wiki.model import document, layout
from llm_wiki.ops.status import named
from llm_wiki.ops.withdrawing import elsewhere, stores
from llm_wiki.sessions.retracting import Sessions
from llm_wiki.wiki.recognise import require_recognised
from llm_wiki.wiki.resolve import Root, classify, resolve
from llm_wiki.wiki.snapshot import Snapshot
from llm_wiki.withdraw import source, source_intent
from llm_wiki.withdraw.share import Scope
from llm_wiki.withdraw.source import Report
from llm_wiki.withdraw.source_intent import Pending
from llm_wiki.withdraw.source_known import stem_of
from llm_wiki.withdraw.source_pick import is_called, pick
from llm_wiki.withdraw.source_rows import SourceShare


def target_of(wanted: str, found: Root) -> Root:
    """Return the root a source belongs to, of the one that options and place name.

    Of a hub it is the one topic that has the source. Raises Ambiguous with the list for several, BadUsage
    for none.
    """
    if found.kind != "hub":
        return found
    hits: list[tuple[Root, str]] = []
    for place, name in roots_of(found.path, found.path):
        if classify(place) != "topic":
            continue
        root = Root(place, "topic", found.path, name, "active")
        try:
            hits.append((root, pick(Snapshot.load(place, "topic"), wanted).rel))
        except Ambiguous as error:
            hits += [(root, rel) for rel in error.options]
        except BadUsage:
            hits += [(root, one.who.path) for one in interrupted(root, wanted)]
    if len(hits) > 1:
        raise Ambiguous(
            f"{len(hits)} sources are called so",
            options=tuple(f"--wiki {root.name} {rel}" for root, rel in hits),
            remedy="name the topic with --wiki, and the source by its path",
        )
    if not hits:
        raise BadUsage(f"no topic of this hub has such a source: {wanted}", path=wanted)
    return hits[0][0]


def interrupted(root: Root, wanted: str) -> list[Pending]:
    """Return the interrupted retractions of the source that is meant, which may have gone already."""
    return [one for one in source_intent.pending(root.path) if is_called(root.path, one.who, wanted)]


def root_around(wanted: str, hub: str | None) -> Root | None:
    """Return the root a path on disk lies in, None for what is no such path.

    There may be no file any more, when its retraction was interrupted.
    """
    path = Path(os.path.abspath(wanted))  # noqa: PTH100 - links are not followed
    if "/" not in wanted:
        return None
    for parent in path.parents:
        if (parent / "raw").is_dir() and path.is_relative_to(parent / "raw"):
            with suppress(WikiError):
                root = resolve(str(parent), hub=hub, include_archived=True)
                known = path.is_file() or interrupted(root, str(path))
                return root if root.kind in ("topic", "local") and known else None
    return None


def stores_of(root: Root) -> list[Store]:
    """Return the stores beside the tree of a root: sessions, undo and caches, those of its hub too."""
    places = [place for place in (root.hub, root.path) if place is not None]
    before = [Path(one.root) for one in source_intent.pending(root.path)]
    folders = [place / layout.SESSIONS for place in places if (place / layout.SESSIONS).is_dir()]
    keys = frozenset(map(root_key, [*places, *before, *elsewhere(places)]))
    sessions: list[Store] = (
        [Sessions(SourceShare(Scope(folders), Sessions.name, live=True))] if folders else []
    )
    return [*sessions, *stores(keys, {source_intent.INTENT})]


def run(mode: str, wanted: str, root: Root, *, plan_id: str = "") -> Report:
    """Plan, apply or verify the retraction of one source."""
    root = target_of(wanted, root)
    walked = stores_of(root)
    if mode == "plan":
        return source.plan(root, wanted, walked)
    if mode == "verify":
        return source.verify(root, wanted, walked)
    source.still_there(root)
    require_recognised(root)
    return source.apply(root, wanted, walked, plan_id=plan_id)


def recompile(report: Report) -> list[dict[str, Any]]:
    """Return, for each article with open markers, their lines and the sources that remain to write from.

    Of a plan those are the articles that would get one, with the lines that cite the source; none: the whole.
    """
    found: dict[str, list[int]] = {rel: [] for rel in report.marked} if report.mode == "plan" else {}
    for rel, number in report.markers:
        found.setdefault(rel, []).append(number)
    for one in report.references:
        if one.kind == "link" and one.path in found and report.mode == "plan":
            found[one.path].append(one.line)
    rows: list[dict[str, Any]] = []
    for rel, lines in sorted(found.items()):
        page = document.page(rel, (report.root / rel).read_bytes())
        gone = stem_of(report.source) if report.mode == "plan" else ""
        remaining = [one for one in page.items("sources") if stem_of(one) != gone]
        rows.append({"article": rel, "lines": sorted({*lines}), "sources": remaining})
    return rows


def line(step: str, root: Root, rel: str) -> str:
    """Return the command line of a step for a source, as it can be run from here."""
    where = named(root._replace(status="active"), "--root ")
    return f"llm-wiki retract-source {step} {where} {shlex.quote(rel)}"


def next_steps(report: Report, root: Root) -> list[str]:
    """Return what a person or their agent does next, most urgent first."""
    again_line, look = (line(step, root, report.source) for step in ("apply", "verify"))
    steps = []
    if report.markers:
        places = ", ".join(f"{rel}:{line}" for rel, line in report.markers[:10])
        more = f" and {len(report.markers) - 10} more" if len(report.markers) > 10 else ""
        steps.append(
            f"rewrite or delete what follows each marker, from the sources that remain, and take the marker "
            f"out: {places}{more}"
        )
    if report.mode == "plan" and report.marked:
        pages = ", ".join(sorted(report.marked))
        steps.append(f"what rests on nothing else gets a marker and is masked until rewritten: {pages}")
    if report.orphaned:
        alone = ", ".join(report.orphaned)
        steps.append(f"no source is left of: {alone}; find another source, or delete the article")
    again = [rel for rel in report.lost if rel not in report.orphaned and rel not in report.marked]
    if again:
        steps.append(f"read again what rests on its sources without citing them: {', '.join(again)}")
    if report.unfinished:
        steps.append(f"put right what stopped it, then run it again: {again_line}")
    if report.there:
        steps.append(f"take it out: {again_line}")
    elif report.left:
        steps.append("edit what still names it, or take the words out everywhere with: llm-wiki retract")
    for copy in report.copies:
        name, rel = (root.name, copy) if copy.startswith("raw/") else copy.split(": ", 1)
        there = line("apply", root._replace(name=name), rel)
        steps.append(f"the same source is there once more: {there}")
    if report.mode == "apply" and report.status == "incomplete":
        steps.append(f"then look again: {look}")
    return steps


def report_data(report: Report, root: Root, *, with_recompile: bool) -> dict[str, Any]:
    """Return the report as JSON: every key always there, no content of the source."""

    def place(one: Any) -> dict[str, Any]:
        return {"kind": one.kind, "path": one.path, "line": one.line or None}

    return {
        "status": report.status,
        "mode": report.mode,
        "root": str(report.root),
        "source": report.source,
        "plan_id": report.plan_id,
        "references": [place(one) for one in report.references],
        "counts": report.counts,
        "marked": [{"path": rel, "markers": count} for rel, count in sorted(report.marked.items())],
        "open_markers": [{"path": rel, "line": line} for rel, line in report.markers],
        "left": [place(one) for one in report.left],
        "lost_a_source": report.lost,
        "without_sources": report.orphaned,
        "copies": report.copies,
        "stores": report.stores,
        "boundaries": [
            {"kind": kind, "count": len(paths), "paths": paths}
            for kind, paths in sorted(report.beyond.items())
        ],
        "changes": [{"action": action, "path": path} for action, path in report.changes],
        "tombstone": report.tombstone or None,
        "transaction": report.transaction or None,
        "errors": report.errors,
        "warnings": report.warnings,
        "beyond": source.BEYOND,
        "next": next_steps(report, root),
        "recompile": recompile(report) if with_recompile else None,
    }


__all__: Sequence[str] = [
    "line",
    "next_steps",
    "recompile",
    "report_data",
    "root_around",
    "run",
    "stores_of",
    "target_of",
]
