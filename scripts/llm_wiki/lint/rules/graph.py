"""What points to what in one wiki: worked out once a run and shared by the rules about links.

Every judgement starts with set tests on the keys of a page; single links are looked at only
where something is missing. Each link gets at most one verdict, so one defect is one finding
however many rules could describe it. Of a clean page no link is ever unpacked: what set tests
cannot see is noted once, when the file is parsed (`link_facts`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cached_property, wraps
from posixpath import dirname, normpath
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from llm_wiki.core.text import fold, nfc
from llm_wiki.lint.rules.archived import archived_topic
from llm_wiki.lint.rules.facts import DEAD, FACTS, are_halves, is_index, link_facts, plane_of, spelt_path
from llm_wiki.model import layout
from llm_wiki.model.links import normal
from llm_wiki.model.page import Link, Page

if TYPE_CHECKING:
    from llm_wiki.lint.view import View

__all__ = ["Broken", "Graph", "graph", "is_index", "link_facts", "once", "plane_of", "spread"]

Value = TypeVar("Value")

_SPOKEN_FOR = ("W403", "W408", "W501", "W502", "W506", "W507", "W520")
"""Rules whose finding about one half of a dual link covers the other half."""


class Broken(NamedTuple):
    """A link with a defect: the rule it belongs to, where it stands, and what the rule says beyond that.

    `detail` is for dead links the one file of that name (or ""), for W506 the real path, for W503
    the candidates, joined.
    """

    rule: str
    page: Page
    link: Link
    detail: str


# --- the whole wiki ------------------------------------------------------------------------


class Graph:
    """Links and names of one view. Immutable; every property is computed on first use."""

    def __init__(self, view: View) -> None:
        self.snapshot = view.snapshot
        self.pages = view.pages
        self.asked = view.asked

    @property
    def known(self) -> AbstractSet[str]:
        """Keys of every file and folder a link may name, the root itself among them."""
        return self.snapshot.known

    @cached_property
    def unread(self) -> frozenset[str]:
        """Paths the system refused to read."""
        return frozenset(rel for rel, _, _ in self.snapshot.problems)

    @cached_property
    def folded(self) -> dict[str, tuple[str, ...]]:
        """Folded path → real paths; built only when something is missing."""
        return _grouped((fold(rel), rel) for rel in self.snapshot.files)

    @cached_property
    def by_name(self) -> dict[str, str]:
        """Folded file name → the one path that has it, or "" when several have."""
        result: dict[str, str] = {}
        for rel in self.snapshot.files:
            name = fold(rel.rpartition("/")[2])
            result[name] = "" if name in result else rel
        return result

    @cached_property
    def planes(self) -> dict[str, list[Page]]:
        """Plane → its pages that are judged, by path, without index files."""
        result: dict[str, list[Page]] = {plane: [] for plane in layout.CONTENT_PLANES}
        for rel, page in self.pages.items():
            plane = rel.partition("/")[0]
            if plane in result and not rel.endswith("/" + layout.INDEX):
                result[plane].append(page)
        return result

    @cached_property
    def indexes(self) -> dict[str, Page]:
        """Folder → its judged index page, below the content planes; the master index is not among them."""
        return {
            rel[: -len(layout.INDEX) - 1]: page
            for rel, page in self.pages.items()
            if rel.endswith("/" + layout.INDEX) and plane_of(rel) in layout.CONTENT_PLANES
        }

    @cached_property
    def above(self) -> dict[str, Page]:
        """Folder → its index page, of all indexes that may have to list a file that is judged."""
        if self.asked is None:
            return self.indexes
        found = {}
        for rel in self.asked:
            folder = dirname(rel)
            while folder:
                page = self.snapshot.pages.get(f"{folder}/{layout.INDEX}")
                if page is not None and plane_of(folder) in layout.CONTENT_PLANES:
                    found[folder] = page
                folder = dirname(folder)
        return found

    @cached_property
    def linkers(self) -> list[Page]:
        """Pages whose links are checked: all content but captured text, then all indexes, the master last."""
        content = [page for plane, pages in self.planes.items() if plane != "raw" for page in pages]
        master = self.pages.get(layout.INDEX)
        return [*content, *self.indexes.values(), *([master] if master else [])]

    # --- links by path ---------------------------------------------------------------------

    @cached_property
    def broken(self) -> dict[str, list[Broken]]:
        """Rule id → links by path with that defect, in the order of pages and places."""
        result: dict[str, list[Broken]] = {}
        known = self.known
        for page in self.linkers:
            if page.keys <= known and page.assets <= known:
                continue
            for link in page.links:
                if link.kind == "path" and link.key not in known and link.form != "definition":
                    found = self.judge(page, link)
                    if found:
                        result.setdefault(found.rule, []).append(found)
        return result

    def judge(self, page: Page, link: Link) -> Broken | None:
        """Decide which rule a link to something absent belongs to, if any.

        A definition is judged through the links that use it; an index that must exist and does
        not (W105, W106) is not reported again by whoever links it.
        """
        key = link.key
        if archived_topic(self.snapshot, key):
            return Broken("W520", page, link, "")
        if key == ".." or key.startswith("../"):
            return Broken("W507", page, link, "")
        backslash = "\\" in key
        if not backslash and self.out_of_sight(key):
            return None
        real = self.real_name(key)
        if real:
            return Broken("W506", page, link, real)
        if key in self.demanded_indexes:
            return None
        rule = self._rule_for_dead(page.rel, link)
        hint = self._meant(page, link) if backslash else self.hint(key)
        return Broken(rule, page, link, hint) if rule else None

    def _meant(self, page: Page, link: Link) -> str:
        r"""Return the file that `..\topics\tea.md` leads to where `\` parts folders, or ""."""
        meant = normal(dirname(page.rel), link.target.partition("#")[0].replace("\\", "/"))
        return meant if nfc(meant) in self.known else self.hint(meant)

    @staticmethod
    def _rule_for_dead(owner: str, link: Link) -> str:
        """Return the rule for a link to nothing, "" where nobody would miss the target."""
        plane = plane_of(owner)
        name = link.key.rpartition("/")[2]
        if layout.is_markdown(name) and not link.image:
            if is_index(owner):
                return "W408" if owner == layout.INDEX else "W403"
            return DEAD[plane]
        shown = link.image or "." in name[1:]
        return "W504" if shown and plane in ("wiki", "inventory") else ""

    def real_name(self, key: str) -> str:
        """Return the one file that differs from `key` only in case or Unicode form, or ""."""
        found = self.folded.get(fold(key), ())
        return found[0] if len(found) == 1 and nfc(found[0]) != key else ""

    def hint(self, path: str) -> str:
        """Return the one file anywhere in the wiki that has the name of a missing one, or ""."""
        name = path.rpartition("/")[2]
        return "" if name == layout.INDEX else self.by_name.get(fold(name), "")

    def out_of_sight(self, key: str) -> bool:
        """Tell whether a path lies where the snapshot does not look or cannot: closed, behind a link."""
        if layout.is_hidden(key):
            return True
        files, closed, unread = self.snapshot.files, self.snapshot.closed, self.unread
        above = dirname(key)
        while above:
            if above in closed or above in unread or (above in files and files[above].link):
                return True
            above = dirname(above)
        return False

    @cached_property
    def demanded_indexes(self) -> frozenset[str]:
        """Paths of the indexes a wiki must have."""
        folders = [*layout.REQUIRED_FOLDERS, *layout.required_indexes(self.snapshot.dirs)]
        return frozenset(f"{folder}/{layout.INDEX}" for folder in folders)

    # --- links that were noted -------------------------------------------------------------

    @cached_property
    def _noted(self) -> list[tuple[Page, tuple[Any, ...]]]:
        return [(page, note) for page in self.linkers for note in page.notes if note[0] == FACTS]

    @property
    def fragments(self) -> Iterator[tuple[Page, Link]]:
        """Links with a heading fragment."""
        for page, note in self._noted:
            for row in note[1]:
                yield page, Link._make(row)

    @property
    def pairs(self) -> Iterator[tuple[Page, Link, Link]]:
        """Dual links whose halves are spelt differently: the wikilink, then the link by path."""
        for page, note in self._noted:
            for name, path in note[3]:
                yield page, Link._make(name), Link._make(path)

    @cached_property
    def misspelt(self) -> list[Broken]:
        """W506: links whose file exists under the same key but in another Unicode form."""
        result = []
        spelt = [(page, Link._make(row)) for page, note in self._noted for row in note[2]]
        names = self.snapshot.files if spelt else ()
        real = {nfc(rel): rel for rel in names if not rel.isascii()}
        for page, link in spelt:
            path = spelt_path(page.rel, link.target)
            if (
                link.key in self.snapshot.keys
                and path != real.get(link.key, link.key)
                and nfc(path) == link.key
            ):
                result.append(Broken("W506", page, link, real.get(link.key, link.key)))
        return result

    # --- links by name ---------------------------------------------------------------------

    @cached_property
    def stems(self) -> dict[str, tuple[str, ...]]:
        """Folded name, without `.md` → paths that have it; indexes and hidden files are left out.

        Where few pages are judged, only of names that they use.
        """
        result: dict[str, tuple[str, ...]] = {}
        for rel in self.snapshot.files if self.asked is None else self._called():
            stem = fold(rel.rpartition("/")[2]).removesuffix(".md")
            if stem != "_index" and not layout.is_hidden(rel):
                result[stem] = (*result[stem], rel) if stem in result else (rel,)
        return result

    def _called(self) -> list[str]:
        """Return the files whose names the judged pages may mean by a wikilink, sorted."""
        wanted: set[str] = set()
        for name in frozenset().union(*[page.names for page in self.linkers]):
            stem = normpath(name.strip().removesuffix(".md").lstrip("/")).rpartition("/")[2]
            wanted |= {stem, f"{stem}.md"}
        found: list[str] = []
        for folder, names in self.snapshot.dirs.items() if wanted else ():
            joined = "/".join(names)
            folded = joined.lower().split("/") if joined.isascii() else list(map(fold, names))
            if not wanted.isdisjoint(folded):
                here = [name for name, key in zip(names, folded, strict=True) if key in wanted]
                found += [f"{folder}/{name}" if folder else name for name in here]
        return sorted(rel for rel in found if rel in self.snapshot.files)

    @cached_property
    def aliases(self) -> dict[str, tuple[str, ...]]:
        """Folded alias → paths of the pages that carry it."""
        pages = self.snapshot.pages.values()
        carriers = [page for page in pages if "aliases" in page.meta]
        return _grouped(
            (alias, page.rel)
            for page in carriers
            for alias in dict.fromkeys(fold(alias.strip()) for alias in page.items("aliases"))
        )

    def named(self, name: str) -> tuple[str, ...]:
        """Return the files a wikilink name may mean: by path, else by stem, else by alias.

        `name` is folded, without heading. One path means it resolves.
        """
        name = name.strip().removesuffix(".md")
        if "/" not in name:
            return self.stems.get(name) or self.aliases.get(name) or ()
        path = normpath(name.lstrip("/"))
        while path.startswith("../"):
            path = path[3:]
        exact = self.folded.get(f"{path}.md") or self.folded.get(path)
        if exact:
            return exact
        found = self.stems.get(path.rpartition("/")[2], ())
        return tuple(rel for rel in found if fold(f"/{rel}").removesuffix(".md").endswith(f"/{path}"))

    @cached_property
    def lost_names(self) -> list[Broken]:
        """W503: wikilinks and embeds by name that mean no file, or several."""
        every: frozenset[str] = frozenset().union(*[page.names for page in self.linkers])
        lost = {name: found for name in every if name and len(found := self.named(name)) != 1}
        result = []
        for page in self.linkers if lost else ():
            if page.names.isdisjoint(lost):
                continue
            before: Link | None = None
            for link in page.links:
                if before and not ((page.rel, link.start) in self.reported and are_halves(before, link)):
                    result.append(Broken("W503", page, before, ", ".join(lost[before.key])))
                before = link if link.kind == "wiki" and link.key in lost else None
            if before:
                result.append(Broken("W503", page, before, ", ".join(lost[before.key])))
        return result

    @cached_property
    def reported(self) -> frozenset[tuple[str, int]]:
        """Path of the page and place of every link by path that has a finding."""
        found = [one for rule in _SPOKEN_FOR for one in self.broken.get(rule, ())]
        return frozenset((one.page.rel, one.link.start) for one in found)


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    result: dict[str, tuple[str, ...]] = {}
    for name, rel in pairs:
        result[name] = (*result[name], rel) if name in result else (rel,)
    return result


def once(compute: Callable[[View], Value]) -> Callable[[View], Value]:
    """Make a function of a view compute its value once a view."""

    @wraps(compute)
    def cached(view: View) -> Value:
        return view.shared(compute)

    return cached


@once
def graph(view: View) -> Graph:
    """Return the graph of a view."""
    return Graph(view)


def spread(values: Iterable[str], limit: int = 5) -> str:
    """Join paths for a message, at most `limit` of them."""
    items = list(values)
    more = f" and {len(items) - limit} more" if len(items) > limit else ""
    return ", ".join(items[:limit]) + more
