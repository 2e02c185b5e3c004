"""The one table of lint rules, in id order (`lint.md` §2).

A line names id, severity, scope, check, title, origin (U upstream checks it, D upstream only
describes it, N ours), upstream's check number, and what differs from a plain rule: `fix=True`
(`lint --fix` repairs it), `strict=` (severity under `--strict`). W100 is no rule: a target that
is no wiki ends the run (`llm_wiki.core.errors.NotAWiki`).
"""
# ruff: noqa: E501 -- one visible line a rule

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from llm_wiki.lint.finding import Finding, Rule, Severity
from llm_wiki.lint.rules import fields, freshness, placement, structure

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
    # 4xx indexes
    # 5xx links and provenance
    # 6xx tags, coverage
    # 7xx freshness
    Rule("W701", I, "file", freshness.volatility_missing, "article without `volatility`", "U", "C15", fix=True),
    Rule("W702", W, "file", freshness.undated, "neither `verified` nor `updated` is a date", "U"),
    Rule("W703", W, "tree", freshness.stale, "freshness below the threshold", "U", "C14"),
    # 8xx projects, candidates
    # 9xx hub
)
# fmt: on

BY_ID: dict[str, Rule] = {rule.id: rule for rule in RULES}
"""Rules by id."""

SECOND_LOOK: dict[str, Callable[[View, Finding], Finding]] = {
    "W118": structure.conflict_in_source,
    "W201": fields.fill_known,
}
"""Findings of file rules that the whole snapshot can correct (severity, `fixable`), rule by rule."""
