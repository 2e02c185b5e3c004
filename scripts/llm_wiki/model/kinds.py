"""What each kind of document may hold: fields, enums, list fields as data (`wiki-format.md` §5).

Every number and word of the front matter contract is written here once; rules, fixes and
writers read these tables. Nothing here looks at a file.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from llm_wiki.model import layout

Shape = Literal["text", "list", "date", "integer", "enum", "map"]
"""What a value looks like: `integer` also takes an empty or null value, `enum` is one word of a list."""

CATEGORY_FOLDERS: dict[str, str] = {
    "concept": "wiki/concepts",
    "topic": "wiki/topics",
    "reference": "wiki/references",
}
TYPE_FOLDERS: dict[str, str] = {name: f"raw/{name}" for name in layout.RAW_FOLDERS}
THESIS_FOLDER = "wiki/theses"
KIND_FOLDERS: dict[str, str] = {
    "item": "inventory/items",
    "idea": "inventory/ideas",
    "ingest-candidate": "inventory/candidates",
    "question": "inventory/candidates",
    "task": "inventory/candidates",
    "artifact": "inventory/candidates",
    "watch": "inventory/candidates",
    "entity": "inventory/entities",
    "corpus": "inventory/corpora",
}
FOLDER_OF: dict[str, dict[str, str]] = {
    "type": {**TYPE_FOLDERS, "thesis": THESIS_FOLDER},
    "category": CATEGORY_FOLDERS,
    "kind": KIND_FOLDERS,
}
"""Field → value → folder that value demands."""

CATEGORY_OF: dict[str, str] = {folder: value for value, folder in CATEGORY_FOLDERS.items()}
"""Folder of articles → the category its articles carry."""

CONFIDENCE = ("high", "medium", "low")
VOLATILITY = ("hot", "warm", "cold")
COMPILED_FROM = ("sources", "conversation", "mixed")
RECORD_STATUS = ("proposed", "active", "blocked", "ingested", "superseded", "archived")
PRIORITY = ("p0", "p1", "p2", "p3", "p4")
DATASET_STATUS = ("proposed", "active", "external", "archived", "unavailable")
STORAGE = ("local", "remote", "external", "hybrid")
SCHEMA_STATUS = ("unknown", "inferred", "declared", "validated")
ADAPTERS = (
    "git",
    "mediawiki-dump",
    "mediawiki-api",
    "csv-messages",
    "wayback-cdx",
    "checkpoint",
    "folder",
)
UPSTREAM_TYPES = ("git-file", "mediawiki-page", "message-row", "wayback-snapshot", "note")
CONTENT_FORMATS = (
    "markdown",
    "mediawiki",
    "wikitext",
    "text",
    "csv",
    "tsv",
    "json",
    "jsonl",
    "html",
)
VIEWS = ("summary", "actions", "items", "ideas", "records", "sources")
OUTPUT_TYPES = (
    "summary",
    "report",
    "study-guide",
    "slides",
    "timeline",
    "glossary",
    "comparison",
    "collection",
    "plan",
    "assess",
    "playbook",
)
GUIDE_STATES = ("advisory", "strict")
LINK_FORMS = ("dual", "wikilink", "markdown")
THESIS_STATUS = ("investigating", "completed")
VERDICTS = (
    "pending",
    "supported",
    "partially supported",
    "insufficient evidence",
    "contradicted",
    "mixed",
)


class Field(NamedTuple):
    """One front matter key of one kind of document.

    `values` are the legal words of an enum, in the order of the format. `required` means present
    and not empty. `enforced` is false where the format only names the usual words (a thesis'
    `status`, an output's `type`): another word is no defect of the file.
    """

    name: str
    shape: Shape = "text"
    required: bool = False
    values: tuple[str, ...] = ()
    enforced: bool = True


def _fields(shape: Shape, names: str, *, required: bool = False) -> list[Field]:
    return [Field(name, shape, required=required) for name in names.split()]


def _enum(name: str, values: tuple[str, ...], *, required: bool = False, enforced: bool = True) -> Field:
    return Field(name, "enum", required=required, values=values, enforced=enforced)


class Kind:
    """The front matter contract of one kind of document.

    `name` as `kind_of` returns it, `section` its place in `wiki-format.md`, `front_matter` whether
    the file must open with front matter. `fields` maps each known key, in the order of the format.
    """

    __slots__ = ("enums", "fields", "front_matter", "lists", "name", "required", "section")

    def __init__(self, name: str, section: str, fields: list[Field], *, front_matter: bool = True) -> None:
        self.name = name
        self.section = section
        self.front_matter = front_matter
        self.fields: dict[str, Field] = {field.name: field for field in fields}
        self.required: tuple[str, ...] = tuple(field.name for field in fields if field.required)
        self.enums: dict[str, tuple[str, ...]] = {
            field.name: field.values for field in fields if field.shape == "enum" and field.enforced
        }
        self.lists: frozenset[str] = self.of_shape("list")

    @property
    def known(self) -> frozenset[str]:
        """Every key the format names for this kind."""
        return frozenset(self.fields)

    @property
    def dates(self) -> frozenset[str]:
        """Keys whose value is a calendar date."""
        return self.of_shape("date")

    def of_shape(self, shape: Shape) -> frozenset[str]:
        """Return the keys whose value has this shape."""
        return frozenset(name for name, field in self.fields.items() if field.shape == shape)

    def __repr__(self) -> str:
        return f"Kind({self.name!r})"


_RAW = [
    *_fields("text", "title source", required=True),
    _enum("type", layout.RAW_FOLDERS, required=True),
    *_fields("date", "ingested", required=True),
    *_fields("list", "tags", required=True),
    *_fields("text", "summary", required=True),
    *_fields("text", "collection"),
    _enum("adapter", ADAPTERS),
    *_fields("text", "upstream_id"),
    _enum("upstream_type", UPSTREAM_TYPES),
    *_fields("text", "revision sha canonical_url"),
    _enum("content_format", CONTENT_FORMATS),
    *_fields("text", "license"),
    *_fields("list", "authors categories outlinks"),
    *_fields("date", "fetched"),
    *_fields("text", "content_sha256 supersedes"),
    *_fields("integer", "credibility"),
    _enum("confidence", CONFIDENCE),
    *_fields("text", "extraction_status lesson_kind"),
    *_fields("integer", "lesson_count"),
]
_ARTICLE = [
    *_fields("text", "title", required=True),
    _enum("category", tuple(CATEGORY_FOLDERS), required=True),
    *_fields("list", "sources"),
    *_fields("date", "created updated", required=True),
    *_fields("list", "tags", required=True),
    *_fields("text", "summary", required=True),
    *_fields("list", "aliases"),
    _enum("compiled-from", COMPILED_FROM),
    _enum("confidence", CONFIDENCE),
    _enum("volatility", VOLATILITY),
    *_fields("date", "verified"),
    *_fields("text", "verified-by"),
]
_THESIS = [
    *_fields("text", "title", required=True),
    _enum("type", ("thesis",), required=True),
    *_fields("date", "created updated", required=True),
    *_fields("list", "tags", required=True),
    *_fields("text", "summary", required=True),
    *_fields("list", "sources"),
    _enum("status", THESIS_STATUS, enforced=False),
    _enum("verdict", VERDICTS, enforced=False),
    _enum("confidence", (*CONFIDENCE, "pending")),
    _enum("compiled-from", COMPILED_FROM),
    _enum("volatility", VOLATILITY),
    *_fields("text", "core_claim falsification"),
    *_fields("list", "key_variables aliases"),
    *_fields("date", "verified"),
    *_fields("text", "verified-by category"),
]
_RECORD = [
    *_fields("text", "title", required=True),
    _enum("kind", tuple(KIND_FOLDERS), required=True),
    _enum("status", RECORD_STATUS, required=True),
    _enum("priority", PRIORITY, required=True),
    *_fields("date", "created updated", required=True),
    *_fields("list", "tags", required=True),
    *_fields("text", "summary", required=True),
    *_fields("date", "last_checked"),
    *_fields("text", "next_action owner origin confidence"),
    *_fields("list", "sources"),
    *_fields("text", "category quantity unit state default_choice needed_for"),
    *_fields("list", "alternatives aliases related_wikis"),
    *_fields("date", "approved_at promoted"),
    *_fields("text", "project brief_sha256"),
]
_VIEW = [
    *_fields("text", "title", required=True),
    Field("view", "enum", required=True, values=VIEWS, enforced=False),
    *_fields("date", "updated", required=True),
    *_fields("text", "summary", required=True),
    *_fields("map", "filters"),
    *_fields("list", "tags"),
]
_MANIFEST = [
    *_fields("text", "title dataset_id", required=True),
    _enum("status", DATASET_STATUS, required=True),
    _enum("storage", STORAGE, required=True),
    *_fields("list", "locations formats", required=True),
    _enum("schema_status", SCHEMA_STATUS, required=True),
    *_fields("date", "created updated", required=True),
    *_fields("list", "tags", required=True),
    *_fields("text", "summary", required=True),
    *_fields("integer", "size_bytes record_count"),
    *_fields("text", "origin"),
    *_fields("list", "inventory raw_sources"),
    *_fields("text", "license access checksum owner refresh_cadence"),
]
_OUTPUT = [
    *_fields("text", "title"),
    _enum("type", OUTPUT_TYPES, enforced=False),
    *_fields("list", "sources"),
    *_fields("date", "generated created updated"),
    *_fields("text", "project summary"),
    *_fields("list", "tags"),
    *_fields("text", "query collect_kind scale limit media_policy deliverable"),
    *_fields("text", "media_assets media_downloaded media_failed"),
]
_CONFIG = [
    *_fields("text", "title description"),
    *_fields("date", "created"),
    *_fields("integer", "freshness_threshold"),
    *_fields("list", "ignore tag_groups"),
    _enum("links", LINK_FORMS),
]
_SCHEMA = [
    *_fields("text", "title"),
    _enum("schema_state", GUIDE_STATES),
    _enum("status", GUIDE_STATES, enforced=False),
    *_fields("date", "created updated"),
    *_fields("text", "summary"),
]

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("raw", "5.1", _RAW),
        Kind("article", "5.2", _ARTICLE),
        Kind("thesis", "5.3", _THESIS),
        Kind("inventory", "5.4", _RECORD),
        Kind("view", "5.5", _VIEW),
        Kind("manifest", "5.6", _MANIFEST),
        Kind("dataset-note", "5.6", []),
        Kind("output", "5.7", _OUTPUT, front_matter=False),
        Kind("project", "5.8", [], front_matter=False),
        Kind("config", "5.9", _CONFIG, front_matter=False),
        Kind("schema", "5.10", _SCHEMA, front_matter=False),
        Kind("index", "6", [], front_matter=False),
        Kind("log", "7", [], front_matter=False),
        Kind("other", "3", [], front_matter=False),
    )
}
"""Every kind of document by name; `front_matter` is true where a file without it is a defect (§4)."""

_ROOT_FILES = {"config.md": "config", "schema.md": "schema", "log.md": "log"}


def kind_of(rel: str) -> str | None:
    """Return the kind a Markdown file has by its place alone, or None when it is no `*.md`.

    The place decides, not the front matter: a thesis is what lies in `wiki/theses/`. Files in
    `inbox/`, in hidden folders and loose ones at the root are `other`.
    """
    if not layout.is_markdown(rel):
        return None
    parts = rel.split("/")
    name = parts[-1]
    if any(part.startswith(".") for part in parts):
        return "other"
    if name == layout.INDEX:
        return "index"
    if len(parts) == 1:
        return _ROOT_FILES.get(name, "other")
    if parts[0] in layout.CHECKED_PLANES and name == "config.md":
        return "config"
    return _kind_in_plane(parts)


def _kind_in_plane(parts: list[str]) -> str:
    plane = parts[0]
    if plane == "raw":
        return "raw"
    if plane == "wiki":
        return "thesis" if parts[1] == "theses" and len(parts) > 2 else "article"
    if plane == "inventory":
        return "view" if parts[1] == "views" and len(parts) > 2 else "inventory"
    if plane == "datasets":
        return "manifest" if len(parts) == 3 and parts[2] == layout.MANIFEST else "dataset-note"
    if plane == "output":
        is_why = len(parts) == 4 and parts[1] == "projects" and parts[3] == layout.WHY
        return "project" if is_why else "output"
    return "other"


def canonical(values: tuple[str, ...], value: str) -> str:
    """Return the enum word that differs from `value` at most in case and outer blanks, or ""."""
    folded = value.strip().casefold()
    return next((word for word in values if word.casefold() == folded), "")
