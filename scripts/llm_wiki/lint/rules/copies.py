"""Rule W310: second versions of a file, left beside it by a program that keeps two machines alike.

Such a copy may hold the only text of an hour's work. So it is never put aside, and until someone has
merged it nothing else about it is said: it is no document of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from llm_wiki.core.errors import WikiError
from llm_wiki.lint.finding import Finding, Hit
from llm_wiki.lint.rules.graph import once
from llm_wiki.model import layout

if TYPE_CHECKING:
    from llm_wiki.lint.view import View

_MARKED = re.compile(r"\(.*\bconflicted copy\b.*\)|\.sync-conflict-", re.IGNORECASE)
"""Names that say it: Dropbox and Nextcloud, Syncthing."""

_NUMBERED = re.compile(r"(.+) (?:[2-9]|[1-9][0-9])(\.md)", re.IGNORECASE | re.DOTALL)
"""Names that may mean it: iCloud writes `x 2.md` beside `x.md`, and so do people."""

STILL_SAID = frozenset({"W108", "W113", "W310", "W516"})
"""Rules that hold for a copy as well: it cannot be read, or holds what was withdrawn."""


def sync_conflict(view: View) -> Iterator[Hit]:
    """W310: two machines changed one file; a person must merge the copy and remove it."""
    for rel, original in copies(view).items():
        if view.asked is not None and rel not in view.asked:
            continue
        beside = f" of {original}" if original else ""
        yield Hit(rel, f"Sync-conflict copy{beside}: merge it and remove it", target=original)


@once
def copies(view: View) -> dict[str, str]:
    """Path of each sync-conflict copy → the file beside it, "" where the name alone says it is a copy."""
    found: dict[str, str] = {}
    hub = view.snapshot.kind == "hub"
    for folder in ("",) if hub else view.snapshot.dirs:
        names = view.snapshot.dirs[folder]
        joined = "/".join(names).lower()
        if not ("conflict" in joined or " " in joined) or folder.partition("/")[0] == layout.INBOX:
            continue
        known = frozenset(names)
        for name in names:
            rel = f"{folder}/{name}" if folder else name
            original = _original(view, folder, name, known)
            if original is not None and rel in view.snapshot.files and not _is_ignored(view, name, rel):
                found[rel] = original
    return found


def _original(view: View, folder: str, name: str, names: frozenset[str]) -> str | None:
    """Return the file that a name is a copy of, "" when only the name tells, None for no copy."""
    if _MARKED.search(name):
        return ""
    numbered = _NUMBERED.fullmatch(name)
    first = numbered[1] + numbered[2] if numbered else ""
    if first not in names:
        return None
    prefix = f"{folder}/" if folder else ""
    return prefix + first if _is_one_text(view, prefix + name, prefix + first) else None


def _is_one_text(view: View, one: str, other: str) -> bool:
    """Tell whether 80 % of the shorter body's five-word shingles stand in the other (`lint.md` §2)."""
    from llm_wiki.admit.compare import CONTAINED, containment
    from llm_wiki.model.document import body

    try:
        return containment(body(view.snapshot.read(one)), body(view.snapshot.read(other))) >= CONTAINED
    except (WikiError, KeyError):
        return False


def _is_ignored(view: View, name: str, rel: str) -> bool:
    return layout.is_ignored(name, rel, ignore=view.snapshot.config.ignore)


def without_copies(view: View, findings: list[Finding]) -> list[Finding]:
    """Return findings without those that would judge a copy as if it were a document."""
    known = copies(view)
    if not known:
        return findings
    return [one for one in findings if one.path not in known or one.rule in STILL_SAID]
