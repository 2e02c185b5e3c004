"""Which pages a file rule needs to see at all.

This is speed and nothing else: a rule gives no hit on a page that is not offered to it, and a test
holds the table to that. Rules without a line see every page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

from llm_wiki.lint.finding import Hit
from llm_wiki.lint.rules.table import RULES
from llm_wiki.model.kinds import KINDS

Check = Callable[[Any], Iterator[Hit]]


class When(NamedTuple):
    """What a page must be for a rule.

    One of these kinds (None: any), with front matter that could be read or not (None: either), with
    something wrong in its text, and with footnotes.
    """

    kinds: frozenset[str] | None = None
    front_ok: bool | None = None
    faulty: bool = False
    noted: bool = False


_ALL = frozenset(name for name, kind in KINDS.items() if kind.fields and kind.front_matter)
_ARTICLES = frozenset({"article", "thesis"})
_IN_TEXT = When(faulty=True)
_NO_FRONT = When(front_ok=False)
_FIELDS = When(_ALL, front_ok=True)

WHEN: dict[str, When] = {
    "W110": _IN_TEXT,
    "W111": _NO_FRONT,
    "W112": _NO_FRONT,
    "W114": _NO_FRONT,
    "W115": _IN_TEXT,
    "W116": _IN_TEXT,
    "W117": _IN_TEXT,
    "W118": _IN_TEXT,
    "W201": _FIELDS,
    "W202": _FIELDS,
    "W203": When(_ALL | {"output"}, front_ok=True),
    "W204": _FIELDS,
    "W205": When(_ARTICLES, front_ok=True),
    "W207": _FIELDS,
    "W208": _FIELDS,
    "W209": _FIELDS,
    "W210": When(frozenset({"raw"}), front_ok=True),
    "W303": When(frozenset({"manifest"}), front_ok=True),
    "W308": When((_ALL - {"manifest"}) | {"output"}),
    "W510": When(noted=True),
    "W511": When(_ARTICLES, front_ok=True),
    "W512": When(_ARTICLES | {"inventory"}, front_ok=True),
    "W516": _IN_TEXT,
    "W602": _FIELDS,
    "W701": When(_ARTICLES, front_ok=True),
    "W702": When(_ARTICLES, front_ok=True),
}
"""Rule id → the pages it needs, by the kind that their place gives them (`model.kinds.kind_of`)."""


@cache
def rules_for(kind: str, *, front_ok: bool, faulty: bool, noted: bool) -> tuple[tuple[str, Check], ...]:
    """Return id and check of the file rules for pages of this kind and state, in id order."""
    return tuple(
        (rule.id, rule.check)
        for rule in RULES
        if rule.scope == "file"
        and _wants(WHEN.get(rule.id, When()), kind, front_ok=front_ok, faulty=faulty, noted=noted)
    )


def _wants(when: When, kind: str, *, front_ok: bool, faulty: bool, noted: bool) -> bool:
    if when.kinds is not None and kind not in when.kinds:
        return False
    if when.front_ok is not None and when.front_ok != front_ok:
        return False
    return (faulty or not when.faulty) and (noted or not when.noted)
