"""The plan of a source's retraction: every file without it, in one transaction (`archive-retract.md` §3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from llm_wiki.admit.rawlock import RAW_LOCK
from llm_wiki.admit.rows import plan_rows
from llm_wiki.admit.tombroots import roots_of
from llm_wiki.admit.tombstones import TOMBSTONES, Keys, stated_keys, tombstone_line
from llm_wiki.core import clock
from llm_wiki.core.errors import WikiError
from llm_wiki.core.files import is_relative, read_bytes, sha256
from llm_wiki.core.transaction import Transaction
from llm_wiki.model import document, edit, layout
from llm_wiki.model.kinds import kind_of
from llm_wiki.model.page import Page
from llm_wiki.wiki.resolve import Root
from llm_wiki.wiki.snapshot import Snapshot
from llm_wiki.wiki.statefiles import LEDGER
from llm_wiki.withdraw.match_text import look
from llm_wiki.withdraw.rewriting import rewritten
from llm_wiki.withdraw.scope import Found, scan
from llm_wiki.withdraw.share import in_sessions
from llm_wiki.withdraw.source_files import kind_of_file, without_source_in_file
from llm_wiki.withdraw.source_known import Edited, Reference, Source, references
from llm_wiki.withdraw.source_page import mark_page, rests_on_others, without_source
from llm_wiki.withdraw.source_pick import RAW, Picked, pick, traces_of
from llm_wiki.withdraw.source_urls import texts_of_inbox

VERB: Final = "retract-source"
LOG_TEXT: Final = "removed a source"
BESIDE: Final = "a page of another topic"
_SYNTHESIS: Final = ("article", "thesis")


@dataclass
class Plan:
    """What a retraction would do, ready to be committed.

    `references` are all places that name the source, `marked` the articles with sentences that cite
    nothing else, `orphaned` those of which no source is left, `lost` all that lose it. `copies` are the
    same source once more.
    """

    picked: Picked
    source: Source
    tx: Transaction
    tombstone: str = ""
    references: list[Reference] = field(default_factory=list)
    marked: dict[str, int] = field(default_factory=dict)
    orphaned: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    copies: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    found: Found = field(default_factory=Found)
    new: dict[str, tuple[bytes, bytes]] = field(default_factory=dict)


def plan_source(root: Root, wanted: str, today: date | None = None) -> Plan:
    """Plan the retraction of one source of a topic or local wiki; changes nothing.

    Raises what `pick` and reading raise.
    """
    snapshot = Snapshot.load(root.path, root.kind)
    picked = pick(snapshot, wanted)
    traces = traces_of(snapshot, picked.who)
    raw = [rel for rel in snapshot.files if rel.startswith(RAW)]
    source = Source(traces, snapshot.files.keys(), raw, str(root.path))
    replaced = snapshot.pages[picked.rel].text("supersedes") if picked.rel in snapshot.pages else ""
    older = source.index.resolve(picked.rel, replaced).path if replaced else ""
    source.older = older if older != picked.rel else ""
    tx = Transaction(root.path, VERB, summary=LOG_TEXT, keep_before=False)
    plan = Plan(picked, source, tx, notes=list(traces.passed_over))
    plan.found = scan([root.path], traces)
    _read_found(plan)
    _files(plan, snapshot)
    _twins(plan)
    _orphans(plan, snapshot)
    _bodies(plan)
    _transaction(plan, snapshot, today or clock.today())
    plan.copies = [*_copies_here(plan, snapshot), *_copies_beside(plan, root)]
    return plan


def _read_found(plan: Plan) -> None:
    """Note what no rewriting reaches: names, links, files that are no text."""
    plan.references += [one for one in stuck(plan.found) if one.path != plan.picked.rel]


def stuck(found: Found) -> Iterator[Reference]:
    """Yield the names, links and files that are no text among what was found, those of sessions left out."""
    for kind, places in (("name", found.names), ("name", found.links), ("binary", found.binaries)):
        for place in places:
            if not in_sessions(place.rel):
                yield Reference(kind, place.rel, 0)


def _files(plan: Plan, snapshot: Snapshot) -> None:
    """Edit every file that names the source, and every page that does so without its path."""
    rels = {place.rel for place in plan.found.texts}
    rels |= {
        rel
        for rel, page in snapshot.pages.items()
        if page.names & plan.source.names or plan.source.in_fields(page)
    }
    state = [rel for rel in (RAW_LOCK, LEDGER) if (snapshot.root / rel).is_file()]
    for rel in sorted({*rels, *state} - {plan.picked.rel}):
        if in_sessions(rel) or not is_relative(rel):
            continue
        data = read_bytes(snapshot.root / rel)
        done = _edited(plan, rel, data)
        plan.references += done.references
        if done.marked:
            plan.marked[rel] = done.marked
        if done.data != data:
            plan.new[rel] = (data, done.data)


def _twins(plan: Plan) -> None:
    """Let copies of its text that lie in the inbox, processed or not, go with it."""
    for rel, data, bodies in texts_of_inbox(plan.tx.root):
        if is_relative(rel) and not {*bodies}.isdisjoint(plan.picked.keys.bodies):
            plan.new.pop(rel, None)
            plan.references = [one for one in plan.references if one.path != rel] + [
                Reference("copy", rel, 0)
            ]
            plan.tx.delete(rel, expect=sha256(data))


def _edited(plan: Plan, rel: str, data: bytes) -> Edited:
    source = plan.source
    if not rel.lower().endswith(".md") or kind_of_file(rel) != "text":
        return without_source_in_file(source, rel, data, plan.picked.keys.bodies)
    done = without_source(source, rel, data)
    is_index = layout.is_index(rel)
    needle = source.traces if is_index else source.plain
    reading = look(needle, done.data)
    if reading is not None and not reading.binary:
        done.references += references(rel, reading, "index" if is_index else "text")
        done.data = rewritten(needle, rel, reading, lambda _: "").data
    return done


def _orphans(plan: Plan, snapshot: Snapshot) -> None:
    """Find articles that lose the source, and those of which none is left: their page gets a marker.

    Where sentences cite their sources those that cited this one are marked; an article that only names
    its sources at its end rests on them as a whole.
    """
    for rel, (_, after) in sorted(plan.new.items()):
        before = snapshot.pages.get(rel)
        if before is None or kind_of(rel) not in _SYNTHESIS:
            continue
        if rel == layout.COVERAGE_PAGE or not _loses(plan, rel):
            continue
        page = document.page(rel, after)
        plan.lost.append(rel)
        if page.items("sources") or page.text("compiled-from") == "conversation":
            continue
        if not before.items("sources") and rests_on_others(plan.source, rel, after):
            continue  # its sources stand in its text alone
        plan.orphaned.append(rel)
        if rel not in plan.marked and page.text("compiled-from") != "mixed":
            plan.new[rel] = (plan.new[rel][0], mark_page(after))
            plan.marked[rel] = 1


def _loses(plan: Plan, rel: str) -> bool:
    """Tell whether an article named the source among its own, in its header or its sections of sources."""
    return any(one.path == rel and one.kind in ("field", "bullet", "index") for one in plan.references)


def _bodies(plan: Plan) -> None:
    """Let the locks of other sources whose text named this one say what their bodies are now."""
    swapped: dict[bytes, bytes] = {}
    for rel, (before, after) in plan.new.items():
        if not rel.startswith(RAW) or not rel.endswith(".md"):
            continue
        old, now = document.body_hash(before), document.body_hash(after)
        if old == now:
            continue
        swapped[old.encode()] = now.encode()
        if document.page(rel, after).text("content_sha256").lower() == old:
            plan.new[rel] = (before, edit.set_field(after, "content_sha256", now))
    for rel in (RAW_LOCK, LEDGER) if swapped else ():
        path = plan.tx.root / rel
        if path.is_symlink() or not path.is_file():
            continue
        before, after = plan.new.get(rel) or (read_bytes(path),) * 2
        for old_hash, new_hash in swapped.items():
            after = after.replace(old_hash, new_hash)
        plan.new[rel] = (before, after)


def _transaction(plan: Plan, snapshot: Snapshot, today: date) -> None:
    tx, rel = plan.tx, plan.picked.rel
    changes: dict[str, bytes | None] = {each: after for each, (_, after) in plan.new.items()}
    changes[rel] = None
    pages = {each: data for each, data in changes.items() if each in snapshot.files}
    written = plan_rows(tx, snapshot, pages, today, missing=False)
    for each, (before, after) in sorted(plan.new.items()):
        if after != before and each not in written:
            tx.write(each, after, expect=sha256(before))
    tx.delete(rel, expect=sha256(plan.picked.data))
    if any(plan.picked.keys):
        plan.tombstone, line = tombstone_line(plan.picked.keys, clock.now())
        tx.append(TOMBSTONES, [line])
    else:
        plan.notes.append("it has neither an address nor a text to be known by, so it gets no tombstone")
    tx.log("retract", LOG_TEXT)


def _copies_here(plan: Plan, snapshot: Snapshot) -> Iterable[str]:
    """Return other raw files that are the same source: its other versions, or its text once more."""
    for rel, page in sorted(snapshot.pages.items()):
        if _is_raw(rel) and rel != plan.picked.rel:
            known = page.text("content_sha256").lower() or document.body_hash(snapshot.read(rel))
            if _same(plan.picked.keys, page, known):
                yield rel


def _copies_beside(plan: Plan, root: Root) -> Iterable[str]:
    """Return raw files of other roots of the hub that are the same source, by what their headers say."""
    for place, name in roots_of(root.path, root.hub):
        if place.resolve() == root.path.resolve():
            continue
        try:
            beside = Snapshot.load(place, "topic")
        except WikiError as error:
            plan.notes.append(f"{name} could not be looked at: {error.message}")
            continue
        for rel, page in sorted(beside.pages.items()):
            if _is_raw(rel) and _same(plan.picked.keys, page, page.text("content_sha256").lower()):
                yield f"{name}: {rel}"
            elif any(_leads_here(plan, root, key) for key in page.keys):
                plan.found.note(BESIDE, f"{name}: {rel}")


def _leads_here(plan: Plan, root: Root, key: str) -> bool:
    """Tell whether a link out of another root leads to the source."""
    return key.startswith("../") and key.endswith(f"/{root.path.name}/{plan.source.key}")


def _is_raw(rel: str) -> bool:
    return rel.startswith(RAW) and not layout.is_index(rel)


def _same(mine: Keys, page: Page, digest: str) -> bool:
    """Tell whether a raw file has an address, the body or the upstream key of the source."""
    theirs = stated_keys(page, digest)
    return any({*one} & {*two} for one, two in zip(mine[:2], theirs[:2], strict=True)) or bool(
        mine.upstream and mine.upstream == theirs.upstream
    )
