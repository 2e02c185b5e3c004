"""The one table of lint rules, in id order (`lint.md` §2).

A line names id, severity, scope, check, title, origin (U upstream checks it, D upstream only
describes it, N ours), upstream's check number, and what differs from a plain rule: `fix=True`
(`lint --fix` repairs it), `strict=` (severity under `--strict`), `whole=True` (no answer about one
file without every page). W100 is no rule: a target that
is no wiki ends the run (`llm_wiki.core.errors.NotAWiki`).
"""
# ruff: noqa: E501 -- one visible line a rule

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from llm_wiki.lint.finding import Finding, Rule, Severity
from llm_wiki.lint.rules import (
    copies,
    coverage,
    fields,
    footnotes,
    freshness,
    hub,
    indexes,
    links,
    placement,
    projects,
    provenance,
    rows,
    specialists,
    structure,
)

if TYPE_CHECKING:
    from llm_wiki.lint.view import View

C: Final[Severity] = "critical"
W: Final[Severity] = "warning"
S: Final[Severity] = "suggestion"
I: Final[Severity] = "info"  # noqa: E741 -- the letter of the catalogue

# fmt: off
RULES: tuple[Rule, ...] = (
    # 1xx root, structure, reading
    Rule("W101", C, "hub", structure.hub_file_missing, "hub lacks `_index.md` or `log.md`", "U", "C1", fix=True),
    Rule("W102", C, "tree", structure.master_index_missing, "topic lacks its master `_index.md`", "U", "C1", fix=True),
    Rule("W103", C, "tree", structure.config_missing, "`config.md` is missing", "U", "C1"),
    Rule("W104", I, "tree", structure.guide_missing, "`schema.md` is missing", "U", "C1", fix=True),
    Rule("W105", C, "tree", structure.folder_missing, "a required folder is missing", "U", "C1", fix=True),
    Rule("W106", C, "tree", structure.index_missing, "a required `_index.md` is missing", "U", "C1 C16 C17", fix=True),
    Rule("W107", W, "tree", structure.inbox_missing, "`inbox/` is missing", "U", fix=True),
    Rule("W108", W, "tree", structure.symlink_leaves, "a symlink leaves the root", "N"),
    Rule("W110", C, "file", structure.not_utf8, "Markdown is not UTF-8", "U"),
    Rule("W111", C, "file", structure.front_missing, "no front matter", "U", "C1"),
    Rule("W112", C, "file", structure.front_unclosed, "front matter is not closed", "U", "C1"),
    Rule("W113", C, "tree", structure.unreadable, "unreadable file or folder", "U"),
    Rule("W114", C, "file", structure.front_invalid, "front matter is not valid YAML", "N"),
    Rule("W115", W, "file", structure.key_twice, "a front matter key is written twice", "N"),
    Rule("W116", I, "file", structure.odd_bytes, "byte order mark, mixed line endings or control bytes", "N"),
    Rule("W117", W, "file", structure.oversize, "file or line too large: links there are not scanned", "N"),
    Rule("W118", C, "file", structure.conflict_markers, "Git conflict markers outside code", "N"),
    # 2xx front matter
    Rule("W201", C, "file", fields.required_missing, "a required field is missing or empty", "U", "C2", fix=True),
    Rule("W202", C, "file", fields.enum_invalid, "a value outside the list its field allows", "U", "C2 C16 C17"),
    Rule("W203", W, "file", fields.mark_invalid, "bad `confidence`, `volatility`, `stage` or output `type`", "U", "C2"),
    Rule("W204", W, "file", fields.tags_invalid, "`tags` is not a non-empty list", "U", "C2"),
    Rule("W205", W, "file", fields.compiled_from_invalid, "bad `compiled-from`", "D", "C2"),
    Rule("W206", W, "tree", fields.date_invalid, "a date field holds no calendar date", "N"),
    Rule("W207", W, "file", fields.alias_used, "an old key or value with a current name", "D", "C13", fix=True),
    Rule("W208", I, "file", fields.key_misspelt, "an unknown key that resembles a known one", "D", "C13"),
    Rule("W209", W, "file", fields.shape_wrong, "a list where a scalar belongs, or the reverse", "N"),
    Rule("W210", W, "file", fields.provenance_invalid, "bad collection provenance value", "D", "C2"),
    # 3xx placement and unexpected entries
    Rule("W301", C, "tree", placement.misplaced, "file lies in another folder than its type demands", "U", "C11 C16", fix=True),
    Rule("W302", C, "tree", placement.destination_taken, "misplaced file whose destination exists", "U", "C11"),
    Rule("W303", W, "file", placement.dataset_renamed, "`dataset_id` differs from the folder", "U", "C17"),
    Rule("W304", W, "tree", placement.root_file, "unexpected file at the root", "U", "C12", fix=True),
    Rule("W305", W, "tree", placement.stray_file, "unexpected file in a managed folder", "U", "C12", fix=True),
    Rule("W306", W, "tree", placement.stray_folder, "unexpected folder", "U", "C12"),
    Rule("W307", W, "tree", placement.names_collide, "two names equal after NFC and casefold", "N"),
    Rule("W308", I, "file", placement.name_unusual, "name outside the convention", "N"),
    Rule("W309", W, "tree", placement.manifest_missing, "data set folder without `MANIFEST.md`", "D", "C17"),
    Rule("W310", W, "tree", copies.sync_conflict, "sync-conflict copy of a file", "N"),
    # 4xx indexes
    Rule("W401", W, "tree", indexes.index_unreadable, "index unreadable or not UTF-8", "U"),
    Rule("W402", W, "tree", indexes.entry_missing, "a contract entry is not linked", "U", "C3", fix=True),
    Rule("W403", W, "tree", indexes.entry_dead, "index links a missing Markdown file", "U", "C3", fix=True),
    Rule("W404", I, "tree", rows.statistic_wrong, "a statistic differs from the count", "D", "C3", fix=True, whole=True),
    Rule("W405", I, "tree", rows.date_missing, "`Last lint` or `Last compiled` is no date", "D", "C3"),
    Rule("W406", I, "tree", rows.line_doubled, "entry, date or statistics line listed twice", "N", fix=True),
    Rule("W407", I, "tree", rows.cell_wrong, "standard cell differs from front matter", "N", fix=True),
    Rule("W408", I, "tree", indexes.master_link_dead, "dead link in the master or hub index", "N", fix=True),
    # 5xx links and provenance
    Rule("W501", W, "tree", links.link_dead, "link to a missing Markdown file in `wiki/` or `inventory/`", "U", "C4"),
    Rule("W502", I, "tree", links.link_dead_elsewhere, "the same in `output/`, with its `sources`, and `datasets/`", "N"),
    Rule("W503", I, "tree", links.name_lost, "wikilink or embed that means no file, or several", "N"),
    Rule("W504", W, "tree", links.asset_missing, "missing image or attachment in `wiki/` or `inventory/`", "N"),
    Rule("W505", I, "tree", links.heading_absent, "heading fragment absent from an existing target", "N"),
    Rule("W506", W, "tree", links.name_respelt, "link or source matches only after case folding or NFC", "N", fix=True),
    Rule("W507", W, "tree", links.leaves_root, "link or source leaves the root", "N"),
    Rule("W508", I, "tree", links.see_also_one_sided, "See Also without a link back", "D", "C4", strict=W),
    Rule("W509", I, "tree", links.halves_differ, "halves of a dual link name different files", "N"),
    Rule("W510", W, "file", footnotes.footnote_halved, "footnote reference without definition, or the reverse", "N"),
    Rule("W511", W, "file", provenance.sources_missing, "article without `sources` that is no conversation", "U", "C18"),
    Rule("W512", W, "file", provenance.sources_not_list, "`sources` is not a list", "U", fix=True),
    Rule("W513", W, "tree", provenance.source_dangling, "source of an article dangling", "U", "C4b"),
    Rule("W514", W, "tree", provenance.source_ambiguous, "source of an article ambiguous", "U", "C4b"),
    Rule("W515", W, "tree", provenance.record_source_dangling, "source of an inventory record dangling", "U", "C4b"),
    Rule("W516", W, "file", provenance.marker_left, "retraction marker left outside code", "U", "C4b"),
    Rule("W517", I, "tree", provenance.source_not_canonical, "source resolves but is not the canonical path", "N", fix=True),
    Rule("W518", W, "tree", provenance.source_not_evidence, "article cites itself or a file outside `raw/`", "N"),
    Rule("W519", W, "tree", provenance.reference_dangling, "reference of a manifest or idea dangling", "N"),
    Rule("W520", W, "tree", provenance.archived_dependency, "active content depends on an archived topic", "D", "C19"),
    # 6xx tags, coverage
    Rule("W601", W, "tree", coverage.tag_aliases, "several tags for one subject", "U", "C5", whole=True),
    Rule("W602", I, "file", coverage.tag_form, "tag with capitals, blanks or `#`", "N"),
    Rule("W603", I, "tree", rows.tags_wrong, "tags differ from the index row", "D", "C5", fix=True),
    Rule("W611", S, "tree", coverage.source_unused, "source cited by no article", "U", "C6", fix=True, whole=True),
    Rule("W612", I, "tree", coverage.source_in_backlog, "source cited only by the coverage page", "N", whole=True),
    Rule("W613", I, "tree", coverage.article_unreached, "article without incoming link", "D", "C6", strict=S, whole=True),
    Rule("W614", I, "tree", coverage.articles_unrelated, "two articles share three tags and no link", "D", "C6", strict=S, whole=True),
    # 7xx freshness
    Rule("W701", I, "file", freshness.volatility_missing, "article without `volatility`", "U", "C15", fix=True),
    Rule("W702", W, "file", freshness.undated, "neither `verified` nor `updated` is a date", "U"),
    Rule("W703", W, "tree", freshness.stale, "freshness below the threshold", "U", "C14"),
    # 8xx projects, candidates
    Rule("W801", W, "tree", projects.reason_missing, "project without a non-empty `WHY.md`", "U", "C8a", strict=C),
    Rule("W802", W, "tree", projects.slug_invalid, "invalid project slug", "U", "C8d"),
    Rule("W803", I, "tree", projects.member_stale, "project member older than a source it rests on", "D", "C8b", strict=S),
    Rule("W804", W, "tree", projects.legacy_form, "project with `_project.md`", "D", "C8c", strict=C),
    Rule("W805", I, "tree", projects.loose_binary, "loose image, table or archive in `output/`", "D", "C9a", strict=C),
    Rule("W806", I, "tree", projects.loose_folder, "folder in `output/` that is no project", "D", "C9b", strict=C),
    Rule("W807", I, "tree", projects.project_candidate, "three loose outputs with one prefix", "D", "C9d", strict=S),
    Rule("W808", I, "tree", projects.looks_like_record, "output that looks like an inventory record", "D", "C16", strict=S),
    Rule("W809", I, "tree", projects.looks_like_dataset, "output that looks like a data set", "D", "C17", strict=S),
    Rule("W810", I, "tree", projects.nested_deep, "project nested deeper than three levels", "N"),
    # 9xx hub
    Rule("W901", C, "hub", hub.registry_broken, "registry unreadable or of the wrong shape", "U"),
    Rule("W902", S, "hub", hub.default_not_portable, "`default` neither token nor topic", "U", fix=True),
    Rule("W903", S, "hub", hub.hub_not_portable, "path of the hub entry is no token", "U", fix=True),
    Rule("W904", S, "hub", hub.topic_not_portable, "topic inside the hub registered by another path", "U", fix=True),
    Rule("W905", I, "hub", hub.external_found, "external absolute path that exists", "U"),
    Rule("W906", W, "hub", hub.external_lost, "external absolute path that does not exist", "U"),
    Rule("W907", W, "hub", hub.topic_absent, "registered topic not initialised", "N"),
    Rule("W908", I, "hub", hub.topic_unregistered, "initialised topic not registered", "D", "C19", fix=True, strict=W),
    Rule("W909", W, "hub", hub.status_contradicts, "status contradicts location", "D", "C19", fix=True),
    Rule("W910", W, "hub", hub.topic_twice, "topic exists active and archived", "D", "C19"),
    Rule("W912", I, "hub", hub.index_disagrees, "hub index disagrees with the registry", "N", fix=True),
    Rule("W913", W, "hub", hub.slug_invalid, "invalid slug, or two entries for one folder", "N"),
    Rule("W920", C, "hub", specialists.library_faulty, "fault in the specialist library", "U"),
)
# fmt: on

BY_ID: dict[str, Rule] = {rule.id: rule for rule in RULES}
"""Rules by id."""

SECOND_LOOK: dict[str, Callable[[View, Finding], Finding]] = {
    "W118": structure.conflict_in_source,
    "W201": fields.fill_known,
    "W701": fields.fill_known,
}
"""Findings of file rules that the whole snapshot can correct (severity, `fixable`), rule by rule."""
