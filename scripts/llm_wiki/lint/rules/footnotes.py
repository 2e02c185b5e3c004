"""Rule W510: footnotes whose text is missing, and texts nobody points to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from llm_wiki.core.text import fold
from llm_wiki.lint.finding import Hit, Severity
from llm_wiki.lint.rules.facts import DEAD, is_index, plane_of
from llm_wiki.lint.rules.text import faults
from llm_wiki.model.page import Page

_CLASS = re.compile(r"(?:[^\W_]-[^\W_]|\\.|[^\w-]|_)+")
"""A label of ranges, escapes and signs: someone wrote `[^a-z]` or `[^\\s]` and meant letters."""

_HALF_READ = frozenset({"encoding", "oversize"})
"""Problems of a text of which the other half of a footnote may have gone unread."""


def footnote_halved(page: Page) -> Iterator[Hit]:
    """W510: a footnote has a mark and no text, or a text and no mark, so a remark or a proof is lost.

    Captured text (`raw/`) and indexes are not judged. Labels are compared as Markdown does, case aside;
    each is named once.
    """
    plane = plane_of(page.rel)
    if plane not in DEAD or is_index(page.rel) or not _HALF_READ.isdisjoint(faults(page)):
        return
    marks: dict[str, tuple[str, int]] = {}
    texts: dict[str, tuple[str, int]] = {}
    for label, line, defines in page.footnotes:
        (texts if defines else marks).setdefault(fold(label), (label, line))
    severity: Severity | None = None if plane == "wiki" else "info"
    for key, (label, line) in marks.items():
        if key not in texts and not _CLASS.fullmatch(label):
            yield Hit(page.rel, f"Footnote has no text: [^{label}]", line, target=label, severity=severity)
    for key, (label, line) in texts.items():
        if key not in marks:
            text = f"Footnote is never referred to: [^{label}]"
            yield Hit(page.rel, text, line, target=label, severity=severity)
