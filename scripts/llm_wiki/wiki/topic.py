"""Topic wikis: their configuration, and the skeleton of a new one."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from llm_wiki.core.errors import BadUsage, Refused
from llm_wiki.core.files import sha256
from llm_wiki.model import layout
from llm_wiki.model.kinds import LINK_FORMS
from llm_wiki.model.page import Page

if TYPE_CHECKING:
    from llm_wiki.core.transaction import Transaction

DEFAULT_THRESHOLD = 70
"""Composite freshness below which an article is stale (`doctrine.md` §3)."""

RAW_INDEXES = r"/^raw\/(.*\/)?_index\.md$/"
"""Obsidian's pattern for the files it leaves out of search; between slashes it is a regular expression."""

OBSIDIAN = ".obsidian"
VAULT_SETTINGS = f"{OBSIDIAN}/app.json"

_FILTERS = "userIgnoreFilters"


class TopicConfig(NamedTuple):
    """What `config.md` says (`wiki-format.md` §5.9); defaults where it says nothing usable.

    `ignore` are names or patterns never reported nor moved, `tag_groups` sets of tags that mean
    the same. `problems` are (line, text) for values that were not used.
    """

    title: str = ""
    description: str = ""
    created: str = ""
    freshness_threshold: int = DEFAULT_THRESHOLD
    ignore: tuple[str, ...] = ()
    links: str = "dual"
    tag_groups: tuple[tuple[str, ...], ...] = ()
    problems: tuple[tuple[int, str], ...] = ()

    @classmethod
    def of(cls, page: Page | None) -> TopicConfig:
        """Read the configuration from its parsed page; None gives the defaults."""
        if page is None:
            return cls()
        problems: list[tuple[int, str]] = []
        return cls(
            page.text("title"),
            page.text("description"),
            page.text("created"),
            _threshold(page, problems),
            _patterns(page, problems),
            _links(page, problems),
            _groups(page),
            tuple(sorted(problems)),
        )


def _threshold(page: Page, problems: list[tuple[int, str]]) -> int:
    if "freshness_threshold" not in page.meta:
        return DEFAULT_THRESHOLD
    text = page.text("freshness_threshold")
    if re.fullmatch(r"[0-9]{1,3}", text, re.ASCII) and int(text) <= 100:
        return int(text)
    line = page.lines.get("freshness_threshold", 0)
    problems.append((line, f"freshness_threshold is not a whole number from 0 to 100: {text or 'no scalar'}"))
    return DEFAULT_THRESHOLD


def _patterns(page: Page, problems: list[tuple[int, str]]) -> tuple[str, ...]:
    value = page.meta.get("ignore", [])
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, dict) or any(not isinstance(item, str) for item in value):
        problems.append((page.lines.get("ignore", 0), "ignore is not a list of names"))
    return tuple(item.strip() for item in page.items("ignore") if item.strip())


def _links(page: Page, problems: list[tuple[int, str]]) -> str:
    if "links" not in page.meta:
        return LINK_FORMS[0]
    text = page.text("links").lower()
    if text not in LINK_FORMS:
        problems.append((page.lines.get("links", 0), f"links is not one of {', '.join(LINK_FORMS)}"))
        return LINK_FORMS[0]
    return text


def _groups(page: Page) -> tuple[tuple[str, ...], ...]:
    """Read `tag_groups`: each item a list of tags, or one text with `/` or `,` between them."""
    value = page.meta.get("tag_groups")
    groups = []
    for item in value if isinstance(value, list) else ():
        tags = item if isinstance(item, list) else re.split(r"[/,]", item) if isinstance(item, str) else ()
        group = tuple(tag.strip() for tag in tags if isinstance(tag, str) and tag.strip())
        if len(group) > 1:
            groups.append(group)
    return tuple(groups)


def plan_topic(
    tx: Transaction,
    folder: str,
    title: str,
    today: date,
    *,
    description: str = "",
    obsidian: bool = False,
    settings: bytes | None = None,
) -> None:
    """Add the skeleton of a topic wiki (`wiki-format.md` §3) to a transaction.

    `folder` is relative to the transaction's root, "" the root itself; nothing of the skeleton may
    be there yet. `inventory/` and `datasets/` are left to their first writer. With `obsidian` the
    vault gets its settings; `settings` are those it has. Raises BadUsage for an empty title, Refused
    for settings that cannot be read.
    """
    title = " ".join(title.split())
    if not title:
        raise BadUsage("a wiki needs a title", remedy="llm-wiki init NAME")
    prefix = f"{folder}/" if folder else ""
    for rel in (*layout.REQUIRED_FOLDERS, layout.PROCESSED, OBSIDIAN):
        tx.mkdir(prefix + rel)
    for rel, data in skeleton(title, today, description=description).items():
        tx.write(prefix + rel, data, expect=None)
    if obsidian:
        expect = None if settings is None else sha256(settings)
        tx.write(prefix + VAULT_SETTINGS, vault_settings(settings), expect=expect)
    tx.log("init", f"created {title}", log=prefix + layout.LOG)


def skeleton(title: str, today: date, *, description: str = "") -> dict[str, bytes]:
    """Return the files of an empty topic wiki by path: configuration, guide, log and indexes."""
    from llm_wiki.model import indexes
    from llm_wiki.wiki.guide import starter
    from llm_wiki.wiki.log import STARTER
    from llm_wiki.wiki.snapshot import Snapshot

    day = today.isoformat()
    files = {
        layout.CONFIG: config_file(title, day, description),
        layout.SCHEMA: starter(title, today),
        layout.LOG: STARTER.encode(),
    }
    folders = ("", *layout.REQUIRED_FOLDERS)
    names = [f"{folder}/{layout.INDEX}".lstrip("/") for folder in folders]
    plan = Snapshot.empty().overlay({**files, **dict.fromkeys(names, b"")}, dirs=layout.REQUIRED_FOLDERS)
    for folder, name in zip(folders, names, strict=True):
        contract = indexes.contract(folder, plan)
        assert contract is not None
        files[name] = indexes.render(contract, day)
    return files


def config_file(title: str, day: str, description: str = "") -> bytes:
    """Return a new `config.md`; the title stands on one line, in double quotes where it holds none."""
    from llm_wiki.model.scalars import scalar

    quoted = scalar(title) if '"' in title or "\\" in title else f'"{title}"'
    summary = " ".join(description.split())
    return (
        f"---\ntitle: {quoted}\ndescription: {scalar(summary)}\ncreated: {day}\n"
        f"freshness_threshold: {DEFAULT_THRESHOLD}\n---\n\n# {title}\n\n"
        f"## Scope\n\n{summary or 'What belongs here, and what does not.'}\n\n"
        "## Conventions\n\nHow titles, tags and links are written here.\n"
    ).encode("utf-8", "replace")


def vault_settings(existing: bytes | None) -> bytes:
    """Return Obsidian's `app.json` with the indexes of `raw/` excluded from search.

    Other settings stay as they are. Raises Refused when the file is not a JSON object.
    """
    try:
        settings = json.loads((existing or b"{}").decode("utf-8-sig"))
    except (ValueError, RecursionError):
        settings = None
    filters = settings.setdefault(_FILTERS, []) if isinstance(settings, dict) else None
    if not isinstance(filters, list):
        raise Refused(
            f"{VAULT_SETTINGS} does not hold the settings Obsidian writes",
            path=VAULT_SETTINGS,
            remedy="correct or remove it, then run again",
        )
    if RAW_INDEXES in filters:
        return existing or b""
    filters.append(RAW_INDEXES)
    return (json.dumps(settings, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")
