"""A source that asks to come in, before anything decided about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from llm_wiki.core.errors import BadUsage
from llm_wiki.core.text import cut, is_date, one_line
from llm_wiki.model.layout import RAW_FOLDERS

SUMMARY_LIMIT = 260
"""Characters of a summary that was made without a model (`lint.md` §4)."""

MANUAL = "MANUAL"
"""Value of `source` for text that came from no address and no file."""


class Candidate(NamedTuple):
    """What would become one raw file.

    `source` is a URL, a path or `MANUAL`; `type` the folder below `raw/`; `body` Markdown or text with LF
    line ends. `fields` are further front matter keys of §5.1 (`fetched`, `authors`, `collection`, …), written
    in their order after the required ones; empty values are left out. `aliases` are other addresses under
    which the same source was asked for: they are compared, never written. `name` is the name of the file
    where it is not made of date and title; `entry` operation and text of the log line.
    """

    title: str
    source: str
    type: str
    body: str
    summary: str = ""
    tags: tuple[str, ...] = ()
    fields: Mapping[str, str | Sequence[str]] = {}
    aliases: tuple[str, ...] = ()
    name: str = ""
    entry: tuple[str, str] = ("ingest", "")


def checked(candidate: Candidate) -> Candidate:
    """Return the candidate as it is written: one line per scalar, tags in their form, nothing empty.

    Without a summary the title stands for it, without tags the type: both are already known, so nothing
    is made up. Raises BadUsage for an unknown type, a missing title or source, or an empty body.
    """
    if candidate.type not in RAW_FOLDERS:
        raise BadUsage(
            f"{candidate.type!r} is no type of source",
            remedy=f"use one of: {', '.join(RAW_FOLDERS)}",
        )
    title, source = one_line(candidate.title), one_line(candidate.source)
    if not title:
        raise BadUsage("the source has no title", remedy="give one with --title")
    if not source:
        raise BadUsage("the source has no address", remedy=f"give a URL, a path or {MANUAL}")
    if not candidate.body.strip():
        raise BadUsage("there is no text to admit", path=None if source == MANUAL else source)
    fetched = candidate.fields.get("fetched")
    if isinstance(fetched, str) and fetched and not is_date(fetched):
        raise BadUsage(f"{fetched!r} is no date", remedy="write dates as YYYY-MM-DD")
    return candidate._replace(
        title=title,
        source=source,
        summary=one_line(candidate.summary) or cut(title, SUMMARY_LIMIT),
        tags=clean_tags(candidate.tags) or (candidate.type,),
        fields={key: value for key, raw in candidate.fields.items() if (value := _value(raw))},
    )


def clean_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Return tags lower-case and hyphenated, in their order, each once; commas separate, `#` goes."""
    found = (part.strip().lstrip("#").strip() for tag in tags for part in tag.split(","))
    return tuple(dict.fromkeys("-".join(one_line(part).lower().split()) for part in found if part))


def _value(raw: str | Sequence[str]) -> str | list[str]:
    if isinstance(raw, str):
        return one_line(raw)
    return [text for item in raw if (text := one_line(item))]
