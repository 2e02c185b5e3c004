"""Where a wiki stands, for whoever comes back to it: each statement names the file behind it.

It does not restore a lost context and does not claim to (`doctrine.md` §7).
"""

from __future__ import annotations

from typing import Any

from llm_wiki.admit import visibility
from llm_wiki.core.fence import fence, notice, one_line
from llm_wiki.model import layout
from llm_wiki.model.kinds import kind_of
from llm_wiki.ops.activity import entries
from llm_wiki.ops.pack import line, row_data
from llm_wiki.ops.reading import Library
from llm_wiki.ops.rows import row_of
from llm_wiki.ops.status import counts

ENTRIES = 5
NEWEST = 3
"""Log entries and articles shown."""

RUNS = (".research-session.json", ".thesis-session.json")


def briefing(library: Library) -> tuple[dict[str, Any], str]:
    """Return the briefing of a topic wiki as data and as text."""
    snapshot, root = library.snapshot, library.root
    counted = {name: number for name, number in counts(snapshot).items() if number}
    interrupted = [name for name in RUNS if name in snapshot.files]
    articles = [
        (page.text("updated") or page.text("created"), rel)
        for rel, page in snapshot.pages.items()
        if rel in library.shown and kind_of(rel) in ("article", "thesis") and rel != layout.COVERAGE_PAGE
    ]
    newest = [row_of(library, rel) for _, rel in sorted(articles, reverse=True)[:NEWEST]]
    logged = [
        {"date": e.date, "operation": one_line(e.operation), "text": one_line(visibility.mask(e.text))}
        for e in entries(root.path, ENTRIES)
    ]
    data = {
        "root": str(root.path),
        "wiki": root.name,
        "counts": counted,
        "interrupted": interrupted,
        "log": logged,
        "newest": [row_data(row) for row in newest],
        "nonce": library.nonce,
    }
    lines = [f"{root.name} booted from {root.path}"]
    lines += [f"Holds (files below the root): {', '.join(f'{n} {name}' for name, n in counted.items())}."]
    lines += [f"An interrupted run left {name}." for name in interrupted]
    lines.append(notice(library.nonce))
    if logged:
        rows = "\n".join(f"{e['date']} {e['operation']} | {e['text']}" for e in logged)
        quoted = fence(rows, path=layout.LOG, labels={"plane": "navigation"}, nonce=library.nonce)
        lines.append(f"Last entries of {layout.LOG}:\n{quoted}")
    if newest:
        rows = "\n".join(map(line, newest))
        quoted = fence(rows, path="newest articles", labels={"plane": "navigation"}, nonce=library.nonce)
        lines.append(f"Newest articles, by their own dates:\n{quoted}")
    return data, "\n".join(lines)
