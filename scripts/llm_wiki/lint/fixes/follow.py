"""After a move: what the moved file points to, and what points to it, is rewritten; raw bodies never are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from typing import Any

from llm_wiki.core.text import fold, nfc
from llm_wiki.lint.fixes.links import retargeted
from llm_wiki.lint.fixes.step import Draft, Stand, Step
from llm_wiki.lint.infer import editable
from llm_wiki.lint.rules.graph import graph
from llm_wiki.lint.rules.use import REFERENCES
from llm_wiki.model import edit, layout, links
from llm_wiki.model.page import Link, Page


def follow(stand: Stand, step: Step, rule: str) -> None:
    """Add to a step with moves the rewriting of every link and reference they would break."""
    trail = Trail(stand, step.moves)
    for page in trail.touched():
        if not editable(stand.snapshot, page):
            continue
        draft = Draft(stand, page)
        trail.rewrite_links(draft)
        trail.rewrite_references(draft)
        if draft.changed:
            rel = step.moves.get(page.rel, page.rel)
            step.changes[rel] = draft.data
            if rel == page.rel:
                step.report(rule, "edit", rel)


class Trail:
    """The moves of one step, and the questions that rewriting asks about them."""

    def __init__(self, stand: Stand, moves: dict[str, str]) -> None:
        self.stand = stand
        self.moves = moves
        self.graph = graph(stand.view)
        files = stand.snapshot.files
        self.on_disk = {nfc(rel): rel for rel in files if not rel.isascii()}
        self.by_key = {nfc(old): old for old in moves}

    def touched(self) -> list[Page]:
        """Return the pages that moved, or that may name a file that moved, by path."""
        gone = frozenset(self.by_key)
        folded = frozenset(map(fold, gone))
        stems = frozenset(key.rpartition("/")[2] for key in folded)
        lost = self.lost_names() | self.shared_names
        found = []
        for rel, page in sorted(self.stand.snapshot.pages.items()):
            keys = page.keys | page.assets
            named = not gone.isdisjoint(keys)
            if not named and not keys <= self.graph.known:
                named = not folded.isdisjoint(map(fold, keys))
            by_name = not lost.isdisjoint(page.names) or any("/" in name for name in page.names)
            if rel in self.moves or named or by_name or _mentions(page, stems):
                found.append(page)
        return found

    def lost_names(self) -> frozenset[str]:
        """Return the folded names by which wikilinks mean a moved file that gets another name."""
        lost: set[str] = set()
        for old, new in self.moves.items():
            name = old.rpartition("/")[2]
            if name != new.rpartition("/")[2]:
                page = self.stand.snapshot.pages.get(old)
                lost.update({fold(name), fold(name).removesuffix(".md")})
                lost.update(fold(alias.strip()) for alias in (page.items("aliases") if page else ()))
        return frozenset(lost)

    @cached_property
    def shared_names(self) -> frozenset[str]:
        """The folded names that moved files get: what went by one of them needs its path from now on."""
        every = [(old.rpartition("/")[2], new.rpartition("/")[2], new) for old, new in self.moves.items()]
        fresh = [fold(now) for was, now, new in every if was != now and not layout.is_hidden(new)]
        return frozenset(fresh) | frozenset(name.removesuffix(".md") for name in fresh)

    # --- links -----------------------------------------------------------------------------

    def rewrite_links(self, draft: Draft) -> None:
        """Point the links of a page to where things are now."""
        page = draft.page
        if page.rel.startswith("raw/") and page.rel.rpartition("/")[2] != layout.INDEX:
            return
        pairs = [(link, target) for link in page.links if (target := self.target(page, link))]
        if pairs:
            draft.relink(pairs)

    def target(self, page: Page, link: Link) -> str:
        """Return what a link has to say from now on, "" where it may stay as it is."""
        if link.kind == "wiki":
            return self.wiki_target(link)
        if link.kind != "path":
            return ""
        owner = self.moves.get(page.rel, page.rel)
        old = self.by_key.get(self.real(link))
        if old is None:
            return "" if owner == page.rel else self.carried(owner, link)
        new = self.moves[old]
        if self.is_row(page.rel, old, new):
            return ""
        return retargeted(owner, link, new)

    def carried(self, owner: str, link: Link) -> str:
        """Return the target that still means the same file, seen from a page that moved."""
        key = self.real(link)
        if link.target.startswith("/") or key not in self.graph.known:
            return ""
        if links.join(owner, link.target)[0] == link.key:
            return ""
        return retargeted(owner, link, self.on_disk.get(key, key))

    def real(self, link: Link) -> str:
        """Return the key of what a link means, also where case or Unicode form differ."""
        known = link.key in self.graph.known or link.key.startswith("../")
        return link.key if known else nfc(self.graph.real_name(link.key)) or link.key

    def is_row(self, index: str, old: str, new: str) -> bool:
        """Tell whether a link is an entry of the index of the folder a file leaves: its row goes instead."""
        folder, _, name = index.rpartition("/")
        return name == layout.INDEX and old.rpartition("/")[0] == folder and not new.startswith(f"{folder}/")

    def wiki_target(self, link: Link) -> str:
        """Return the new name of a wikilink that names a moved file by its path, or by a name it loses."""
        name, mark, fragment = link.target.partition("#")
        found = self.graph.named(link.key)
        if len(found) > 1:  # of names that differ in case alone the one that is written is meant
            path = nfc(name.strip()).removesuffix(".md")
            found = tuple(rel for rel in found if nfc(f"/{rel}").removesuffix(".md").endswith(f"/{path}"))
        shared = "/" not in name and fold(name.strip()) in self.shared_names
        if len(found) != 1 or not (shared or found[0] in self.moves):
            return ""
        new = self.moves.get(found[0], found[0])
        if not shared and "/" not in name and found[0].rpartition("/")[2] == new.rpartition("/")[2]:
            return ""
        plane = new.partition("/")[0] + "/"
        if not name.lstrip("/").casefold().startswith(plane):
            new = new.removeprefix(plane)
        if not layout.is_markdown(name.strip()):
            new = new[:-3]
        return ("/" if name.startswith("/") else "") + new + mark + fragment

    # --- front matter ----------------------------------------------------------------------

    def rewrite_references(self, draft: Draft) -> None:
        """Point the references in the front matter of a page to where things are now."""
        for key in REFERENCES:
            value = draft.page.meta.get(key)
            if isinstance(value, str):
                if new := self.reference(draft.page, value):
                    draft.set([key], partial(edit.set_field, key=key, value=new))
            elif isinstance(value, list):
                draft.set_items(key, dict(self.items(draft.page, value)))

    def items(self, page: Page, value: Iterable[Any]) -> Iterator[tuple[int, str]]:
        """Yield place and new text of the items that have to change."""
        for index, item in enumerate(value):
            new = self.reference(page, item) if isinstance(item, str) else ""
            if new:
                yield index, new

    def reference(self, page: Page, written: str) -> str:
        """Return the path a reference has to say from now on, "" where it may stay as it is."""
        written = written.strip()
        found = self.stand.view.sources.resolve(page.rel, written)
        if found.status != "resolved" or found.how in ("slug", "prefix"):
            return ""
        new = self.moves.get(found.path, "")
        if new:
            return new
        return found.path if page.rel in self.moves and not found.exact else ""


def _mentions(page: Page, names: frozenset[str]) -> bool:
    """Tell whether a reference in the front matter may mean a file of one of these names (folded)."""
    for key in REFERENCES:
        value = page.meta.get(key)
        if value is None:
            continue
        for item in [value] if isinstance(value, str) else page.items(key):
            if fold(item.strip()).rpartition("/")[2] in names:
                return True
    return False
