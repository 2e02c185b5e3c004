"""W611: the coverage page names every source that no article rests on (`lint.md` §4.5).

It is rebuilt from scratch each time and only written when its rows change, so it is right again
as soon as a source is cited or gone, and vanishes with its last row.
"""

from __future__ import annotations

from llm_wiki.core.text import as_date, nfc
from llm_wiki.lint.fixes.step import Stand, Step
from llm_wiki.lint.infer import Holds
from llm_wiki.lint.report import Action
from llm_wiki.lint.rules.coverage import uncited
from llm_wiki.model import cells, edit, layout, links
from llm_wiki.model.page import Page

ON_PAGE = (
    *("W201", "W202", "W203", "W204", "W301", "W501", "W503", "W504", "W506"),
    *("W507", "W512", "W513", "W514", "W517", "W701"),
)
"""Rules whose findings on the coverage page vanish because it is written anew."""

RULES = ("W611", *ON_PAGE)

PAGE = layout.COVERAGE_PAGE
TITLE = "Uncompiled Source Coverage"
SUMMARY = "Sources in raw/ that no article cites yet; lint keeps this list and it counts as no citation."
TAGS = ("coverage", "uncompiled-sources", "backlog", "lint-repair")


def stage(stand: Stand) -> Step:
    """Write, rewrite or remove the coverage page."""
    step = Step()
    page = stand.snapshot.pages.get(PAGE)
    faulty = page is not None and PAGE in stand.paths(*ON_PAGE)
    due = any(stand.of("W611")) or (page is not None and "W611" in stand.chosen) or faulty
    if not due or not stand.view.shared(Holds).citations_known:
        return step
    rows = uncited(stand.view)
    if not rows:
        if page is not None:
            step.changes[PAGE] = None
            step.report("W611", "delete", PAGE, f"Removed {PAGE}: every source is cited")
        return step
    if page is not None and not faulty and listed(page) == frozenset(map(nfc, rows)):
        return step
    step.changes[PAGE] = _render(stand, rows, page)
    verb: Action = "create" if page is None else "edit"
    step.report(
        "W611",
        verb,
        PAGE,
        f"Listed {len(rows)} uncited {'source' if len(rows) == 1 else 'sources'} in {PAGE}",
    )
    return step


def listed(page: Page) -> frozenset[str]:
    """Return the keys of the sources a coverage page lists."""
    linked = frozenset(key for key in page.keys if key.startswith("raw/"))
    return linked | frozenset(map(nfc, page.items("sources")))


def _render(stand: Stand, rows: list[str], page: Page | None) -> bytes:
    today = stand.today.isoformat()
    created = page.text("created")[:10] if page is not None and as_date(page.text("created")) else today
    lines = [
        f"# {TITLE}",
        "",
        f"> {SUMMARY}",
        "",
        "| Source | Title | Ingested |",
        "|--------|-------|----------|",
    ]
    for rel in rows:
        source = stand.snapshot.pages[rel]
        name = cells.escape_link_text(rel.rpartition("/")[2])
        link = f"[{name}]({cells.destination(links.relative(PAGE, rel))})"
        values = [cells.escape_cell(source.text("title")), cells.escape_cell(source.text("ingested"))]
        lines.append(cells.row([link, *values]))
    fields = {
        "title": TITLE,
        "category": "reference",
        "summary": SUMMARY,
        "tags": list(TAGS),
        "sources": list(rows),
        "created": created,
        "updated": today,
        "volatility": "warm",
        "confidence": "low",
    }
    return edit.render(fields, "\n".join(["", *lines, ""]))
