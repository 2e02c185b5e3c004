"""Topic wikis: their configuration, and the skeleton of a new one."""

from __future__ import annotations

import re
from typing import NamedTuple

from llm_wiki.model.page import Page

DEFAULT_THRESHOLD = 70
"""Composite freshness below which an article is stale (`doctrine.md` §3)."""

LINK_FORMS = ("dual", "wikilink", "markdown")
"""What verbs write for a cross-reference (`wiki-format.md` §10); the first is the default."""


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
