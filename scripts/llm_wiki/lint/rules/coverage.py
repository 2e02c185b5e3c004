"""Rules W601-W614: tags that split one subject, sources nobody used, articles nobody reaches."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from llm_wiki.core.errors import WikiError
from llm_wiki.core.text import fold, nfc
from llm_wiki.lint.finding import Hit
from llm_wiki.lint.rules.copies import copies
from llm_wiki.lint.rules.graph import graph, once, spread
from llm_wiki.lint.rules.text import has_unread_sources
from llm_wiki.model import layout
from llm_wiki.model.page import Page
from llm_wiki.wiki.ledger import disposed
from llm_wiki.wiki.statefiles import LEDGER, read_state

if TYPE_CHECKING:
    from llm_wiki.lint.view import View

ALIAS_GROUPS: tuple[tuple[str, ...], ...] = (
    ("ml", "machine-learning", "machinelearning"),
    ("ai", "artificial-intelligence", "artificialintelligence"),
    ("llm", "llms", "large-language-models"),
)
"""Tags that mean the same everywhere (W601); a topic adds its own as `tag_groups` in `config.md`."""

TWIN_RATIO = 92
"""Similarity in percent from which two tags without digits are taken for spellings of one (W601)."""

OPPOSED: tuple[tuple[str, str], ...] = (
    *(("", prefix) for prefix in ("a", "an", "bi", "co", "de", "il", "im", "in", "ir", "re", "un")),
    ("hyper", "hypo"),
    ("inter", "intra"),
    ("macro", "micro"),
)
"""Beginnings by which two words differ that mean different things, however alike they look (W601)."""

NO_PLURALS = frozenset(
    {"arms", "customs", "glasses", "goods", "logistics", "means", "news", "politics", "windows"}
)
"""Words in -s that mean something else than the word without it (W601)."""

_LARGEST_BLOCK = 200
_SHORTEST_TWIN = 6
"""Shorter tags cannot reach the ratio with an edit."""

SHARED_TAGS = 3
"""Tags in common from which two articles should know of each other (W614)."""

MAX_PAIRS = 20
"""Most unlinked pairs reported in one run (W614)."""

_MOST_TAGS = 8
"""Articles with more tags are compared by their first ones: tags that many say little."""

EXEMPT_TAG = "collection-manifest"
"""Tag of a source that describes a collection and is cited through its children."""

_SHORTEST_PLURAL = 4
_JOINED = {ord(letter): None for letter in " \t\u00a0#_-"}
_PARTING = re.compile(r"[\s#_-]+")
_ODD_TAG = re.compile(r"[\s#]")


# --- tags ----------------------------------------------------------------------------------


@once
def _uses(view: View) -> dict[str, list[str]]:
    """Tag → paths of the pages that carry it, in path order."""
    result: dict[str, list[str]] = defaultdict(list)
    for page in view.kind("article", "thesis", "raw", "inventory", "manifest"):
        value = page.meta.get("tags")
        if value.__class__ is list:
            for tag in value:
                if tag.__class__ is str:
                    result[tag].append(page.rel)
    return result


def tag_aliases(view: View) -> Iterator[Hit]:
    """W601: one subject under two tags is found by half through either.

    Warning for the fixed groups, info for groups of `config.md` and for twins: tags that differ
    by a hyphen, a plural or a slip of the pen.
    """
    uses = _uses(view)
    spoken: set[frozenset[str]] = set()
    for group in ALIAS_GROUPS:
        used = [tag for tag in group if tag in uses]
        if len(used) > 1:
            spoken.add(frozenset(used))
            yield Hit(None, f"Tags mean the same: {_where(uses, used)}", target=used[0])
    fixed = {tag for group in spoken for tag in group}
    for group in view.snapshot.config.tag_groups:
        used = [tag for tag in group if tag in uses]
        if len(used) > 1 and not fixed.issuperset(used):
            spoken.add(frozenset(used))
            text = f"Tags are one group in config.md: {_where(uses, used)}"
            yield Hit(None, text, target=used[0], severity="info")
    for twins in sorted(_twins(uses)):
        if not any(group.issuperset(twins) for group in spoken):
            yield Hit(None, f"Tags look alike: {_where(uses, twins)}", target=twins[0], severity="info")


def _where(uses: dict[str, list[str]], tags: Iterable[str]) -> str:
    """Name each tag with the files that carry it."""
    return "; ".join(f"{tag} ({spread(dict.fromkeys(uses[tag]), 3)})" for tag in tags)


def _twins(uses: dict[str, list[str]]) -> list[tuple[str, ...]]:
    """Group tags that are spellings of one word."""
    groups: dict[str, list[str]] = defaultdict(list)
    for tag in uses:
        groups[_singular(tag)].append(tag)
    result = [tuple(sorted(tags)) for tags in groups.values() if len(tags) > 1]
    stems = [stem for stem in groups if len(stem) >= _SHORTEST_TWIN and stem.isalpha()]
    pairs = [(groups[one][0], groups[two][0]) for one, two in _close(stems)]
    result += [tuple(sorted(pair)) for pair in pairs if not _is_opposed(*pair)]
    return result


def _is_opposed(one: str, two: str) -> bool:
    """Tell whether two tags that look alike are known to differ in meaning, word by word or as a whole."""
    parts, others = _PARTING.split(fold(one)), _PARTING.split(fold(two))
    if len(parts) != len(others):
        parts, others = ["".join(parts)], ["".join(others)]
    for word, other in zip(parts, others, strict=True):
        if word != other and NO_PLURALS.intersection((word, other)):
            return True
        for short, long in OPPOSED:
            if any(
                first.startswith(short) and second == long + first[len(short) :]
                for first, second in ((word, other), (other, word))
            ):
                return True
    return False


def _singular(tag: str) -> str:
    """Return a tag without what its twins differ by: case, blanks, hyphens, a plural ending."""
    word = fold(tag).translate(_JOINED)
    if word[-1:] != "s" or word[-2:] == "ss" or len(word) < _SHORTEST_PLURAL or word in NO_PLURALS:
        return word
    if word[-3:] == "ies":
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("ches", "shes", "sses", "xes")) else word[:-1]


def _close(stems: list[str]) -> list[tuple[str, str]]:
    """Return the pairs of words at or above the ratio.

    Only words that begin or end alike are compared, and not where too many do, so that the cost
    grows with the number of tags and not with its square.
    """
    blocks: dict[str, list[str]] = defaultdict(list)
    for stem in stems:
        half = min(len(stem) // 2, 5)
        blocks["<" + stem[:half]].append(stem)
        blocks[">" + stem[-half:]].append(stem)
    pairs = {
        (one, two) if one < two else (two, one)
        for block in blocks.values()
        if len(block) <= _LARGEST_BLOCK
        for one, two in combinations(block, 2)
        if abs(len(one) - len(two)) <= 2
    }
    if not pairs:
        return []
    from rapidfuzz.fuzz import ratio

    return sorted(pair for pair in pairs if ratio(*pair, score_cutoff=TWIN_RATIO))


def tag_form(page: Page) -> Iterator[Hit]:
    """W602: tags are lower-case and hyphenated, so that each has one spelling."""
    odd = [tag for tag in page.items("tags") if tag.strip() and (tag != tag.lower() or _ODD_TAG.search(tag))]
    if odd:
        message = f"Tags are written lower-case with hyphens: {spread(odd)}"
        yield Hit(page.rel, message, page.lines.get("tags", 0), target=odd[0])


# --- coverage ------------------------------------------------------------------------------


@once
def uncited(view: View) -> list[str]:
    """Return the paths of sources that no article cites and that ought to be, sorted.

    Superseded ones need not be, nor those of which the compile ledger says why none cites them.
    """
    superseded = set()
    for page in view.kind("raw"):
        if "supersedes" in page.meta:
            reference = page.text("supersedes").removesuffix(".md") + ".md"
            superseded.add(view.sources.resolve(page.rel, reference).path or graph(view).hint(reference))
    pages = view.snapshot.pages
    open_ones = [
        rel
        for rel in sorted(view.raw - view.cited - copies(view).keys())
        if rel not in superseded and EXEMPT_TAG not in pages[rel].items("tags")
    ]
    settled = disposed(read_state(view.snapshot.root, LEDGER)) if open_ones else {}
    return [rel for rel in open_ones if not settled or _body_hash(view, rel) not in settled]


def _body_hash(view: View, rel: str) -> str:
    from llm_wiki.model.document import body_hash

    try:
        return body_hash(view.snapshot.read(rel))
    except WikiError:
        return ""


@once
def _backlog(view: View) -> frozenset[str]:
    """Return the keys that the coverage page lists."""
    page = view.snapshot.pages.get(layout.COVERAGE_PAGE)
    if page is None:
        return frozenset()
    return page.keys | frozenset(map(nfc, page.items("sources")))


def _named(view: View) -> list[str]:
    """Return the uncited sources, none while an article cannot be read: it may cite any of them."""
    legible = all(page.front == "ok" and not has_unread_sources(page) for page in graph(view).planes["wiki"])
    unseen = any(rel == "wiki" or rel.startswith("wiki/") for rel in view.closed)
    return uncited(view) if legible and not unseen else []


def source_unused(view: View) -> Iterator[Hit]:
    """W611: a source was admitted and no article rests on it."""
    backlog = _backlog(view)
    for rel in _named(view):
        if nfc(rel) not in backlog:
            yield Hit(rel, "Source is cited by no article", target=rel)


def source_in_backlog(view: View) -> Iterator[Hit]:
    """W612: only the coverage page, which lint writes itself, names the source."""
    backlog = _backlog(view)
    for rel in _named(view):
        if nfc(rel) in backlog:
            yield Hit(rel, "Source is only listed as not compiled yet", target=rel)


# --- reach ---------------------------------------------------------------------------------


def article_unreached(view: View) -> Iterator[Hit]:
    """W613: no other article or output links to the article, so readers of the wiki do not meet it."""
    web = graph(view)
    keys: set[str] = set()
    names: set[str] = set()
    for plane in ("wiki", "inventory", "output", "datasets"):
        for page in web.planes[plane]:
            if page.rel != layout.COVERAGE_PAGE:
                keys |= page.keys - {nfc(page.rel)} if nfc(page.rel) in page.keys else page.keys
                names |= page.names
    for page in view.articles:
        if nfc(page.rel) not in keys and names.isdisjoint(_names_of(page)):
            yield Hit(page.rel, "No other article links here")


def _names_of(page: Page) -> set[str]:
    """Return the folded names a wikilink may call an article by."""
    path = fold(page.rel).removesuffix(".md")
    stem = path.rpartition("/")[2]
    names = {path, path + ".md", stem, stem + ".md", path.partition("/")[2]}
    return names | {fold(alias.strip()) for alias in page.items("aliases")}


def articles_unrelated(view: View) -> Iterator[Hit]:
    """W614: two articles share many tags and neither links to the other; at most 20 pairs."""
    shared: dict[tuple[str, ...], list[Page]] = defaultdict(list)
    known = copies(view)
    for page in view.articles:
        tags = page.items("tags")
        if len(tags) >= SHARED_TAGS and page.rel not in known:
            for triple in combinations(sorted(set(tags))[:_MOST_TAGS], SHARED_TAGS):
                shared[triple].append(page)
    found: set[tuple[str, str]] = set()
    for triple in sorted(triple for triple, pages in shared.items() if len(pages) > 1):
        for one, two in combinations(shared[triple], 2):
            if (one.rel, two.rel) in found or _linked(one, two) or _linked(two, one):
                continue
            found.add((one.rel, two.rel))
            message = f"Articles share tags ({', '.join(triple)}) and no link: {two.rel}"
            yield Hit(one.rel, message, target=two.rel)
            if len(found) == MAX_PAIRS:
                return


def _linked(one: Page, two: Page) -> bool:
    return nfc(two.rel) in one.keys or not one.names.isdisjoint(_names_of(two))
