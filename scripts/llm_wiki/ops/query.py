"""What a question is answered from: index rows, then the fewest exact files, within one budget.

The depths are those of `commands.md` §3: *quick* opens no file, *standard* the fewest articles that
hold what is asked, *deep* also what they link and cite, and the names of pages in sibling topics.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Literal, NamedTuple

from llm_wiki.admit.visibility import PENDING, Scope
from llm_wiki.core.fence import one_line
from llm_wiki.core.text import fold
from llm_wiki.model import layout
from llm_wiki.model.kinds import kind_of
from llm_wiki.ops.extract import Document, Sentence, extract, extract_sides
from llm_wiki.ops.reading import Budget, Library, Quoted, title_of
from llm_wiki.ops.rows import Hint, Row, row_of, siblings
from llm_wiki.ops.trees import Progress, load
from llm_wiki.search.engine import Hit, Results, search
from llm_wiki.search.stop import STOP
from llm_wiki.search.syntax import Query, Term, parse
from llm_wiki.search.words import stems, words
from llm_wiki.wiki.resolve import Root

Depth = Literal["quick", "standard", "deep"]

LOOKED_AT = 200
"""Hits that are looked at before filters."""

ROWS: dict[Depth, int] = {"quick": 12, "standard": 8, "deep": 12}
"""Index rows shown."""

ARTICLES: dict[Depth, int] = {"quick": 0, "standard": 4, "deep": 6}
"""Articles and sources opened because they match; deep fills the rest of the budget with what they link."""

SOURCES = 3
"""Raw files opened at deep because they match, besides those that opened articles cite."""

CLOSE = 0.9
"""A page whose score is this share of the best one is opened although it adds no word."""

NEAR = 0.5
"""A page below this share of the best score is not opened at all."""

APART = 3
"""Files of the budget kept for each secondary wiki before linked pages take the rest."""

SIDES = 4
"""Most sides of a question that are looked for one by one."""

_JOINS = re.compile(
    r"(?<!\w)(?:and|or|versus|vs\.?|against|compared (?:to|with)|than|und|oder|gegen|als)(?!\w)|[,;]",
    re.IGNORECASE,
)

_TAIL = re.compile(r"^## (?:See Also|Sources)[ \t]*$", re.IGNORECASE | re.MULTILINE)

_RELATES = re.compile(
    r"(?<!\w)(?:differ(?:s|ed|ent|ences?)?|compar(?:e[sd]?|isons?|ed)|between|better|worse|same|similar|alike|"
    r"unterschiede?|vergleich(?:e|t|en)?|zwischen|besser)(?!\w)",
    re.IGNORECASE,
)
"""Words that say how two sides relate and are on the page of neither."""

RECORDS = 5
"""Rows of records shown at most."""


class Question(NamedTuple):
    """What is asked, how deep to look, and what to leave out.

    `tags` and `category` (a folder of `wiki/`) narrow the articles. `secondary` are wikis cited apart.
    """

    text: str
    depth: Depth = "standard"
    raw: bool = False
    tags: tuple[str, ...] = ()
    category: str = ""
    include_archived: bool = False
    secondary: tuple[Root, ...] = ()
    sentences: bool = False


class Opened(NamedTuple):
    """One file that was opened, and why: `match`, `linked from PATH`, `cited by PATH`."""

    quoted: Quoted
    why: str


class Part(NamedTuple):
    """What one wiki gives: rows of pages that answer, rows of records that do not, files, open words.

    `nearest` are paths of pages below the floor, `sources` raw files that match although no article
    does and they were not asked for, `uncovered` words of the question that no opened page holds,
    `withheld` the pages looked at of which a part is masked until a retraction is settled.
    """

    name: str
    answered: bool
    rows: tuple[Row, ...]
    records: tuple[Row, ...]
    files: tuple[Opened, ...]
    nearest: tuple[str, ...]
    sources: tuple[str, ...]
    uncovered: tuple[str, ...]
    corrected: dict[str, str]
    withheld: tuple[str, ...] = ()


NO_PART = Part("", False, (), (), (), (), (), (), {})


class Pack(NamedTuple):
    """Everything one question is answered from."""

    question: Question
    root: Root
    nonce: str
    main: Part
    secondary: tuple[Part, ...]
    hints: tuple[Hint, ...]
    archived: tuple[Hint, ...]
    extract: tuple[Sentence, ...]
    budget: Budget

    @property
    def answered(self) -> bool:
        """Whether something that may be an answer clears the floor; for sentences, whether one does."""
        if self.question.sentences:
            return bool(self.extract)
        return self.main.answered or any(part.answered for part in self.secondary)


def gather(root: Root, question: Question, today: date, nonce: str, progress: Progress | None = None) -> Pack:
    """Collect what a wiki knows about a question. Reads only; writes nothing but caches.

    A hub holds no articles: of it, the index hits of its topics are collected.
    """
    budget = Budget(reserve=RESERVE)
    parts = [NO_PART._replace(name=root.name)]
    if root.kind != "hub":
        kept = min(APART * len(question.secondary), budget.max_files // 2)
        parts = [_Asking(root, question, today, nonce, budget, progress, kept=kept).part()]
    parts += [
        _Asking(other, question, today, nonce, budget, progress, prefix=f"{other.name}:").part()
        for other in question.secondary
    ]
    beside = question.depth == "deep" or root.kind == "hub"
    hints, archived = (
        ((), ())
        if not beside
        else siblings(
            root,
            question.text,
            include_archived=question.include_archived,
            besides=[other.name for other in question.secondary],
        )
    )
    found: tuple[Sentence, ...] = ()
    if question.sentences:
        documents = [_document(one.quoted) for part in parts for one in part.files]
        taken = {typed: word for part in parts for typed, word in part.corrected.items()}
        sides = [_meant(parse(side).terms, taken) for side in sides_of(question.text)]
        found = tuple(
            extract_sides(documents, sides) or extract(documents, _meant(parse(question.text).terms, taken))
        )
    return Pack(question, root, nonce, parts[0], tuple(parts[1:]), hints, archived, found, budget)


RESERVE = 12_000
"""Characters of the budget kept for rows, hints and our own sentences; the rest is for files."""


def sides_of(text: str) -> list[str]:
    """Return the sides of a question that joins several (“How do A and B differ?”), else []."""
    sides = [side for side in _JOINS.split(_RELATES.sub(" ", text)) if parse(side).terms]
    return sides if 1 < len(sides) <= SIDES else []


def _meant(terms: Sequence[Term], corrected: Mapping[str, str]) -> tuple[Term, ...]:
    """Return the terms of a question with misspelt words replaced by those they were taken for."""
    stem = stems(corrected.values())
    return tuple(
        term._replace(word=corrected[term.word], stem=stem[corrected[term.word]])
        if term.word in corrected
        else term
        for term in terms
    )


def _asks(query: Query) -> bool:
    """Tell whether a question names anything: “What is it?” does not, whatever pages hold its words."""
    return bool(query.phrases) or any(term.word not in STOP or term.weight > 1 for term in query.terms)


def _document(one: Quoted) -> Document:
    """Return a quoted file for extraction: its front matter gives names and summary, no sentences."""
    from llm_wiki.model.document import page as parsed

    page = parsed(one.path.rpartition(":")[2], one.plain.encode("utf-8", "surrogateescape"))
    slug = page.rel.rpartition("/")[2].removesuffix(".md").replace("-", " ")
    names = " ".join((title_of(page), *page.items("aliases"), slug))
    summary = " ".join(page.text("summary").split())
    line = one.lines.first - 1
    return Document(
        one.path, names, "\n" * line + one.plain, line + page.body_line, one.labels,
        (line + page.lines.get("summary", 1), summary),
    )  # fmt: skip


class _Asking:
    """One question to one wiki."""

    def __init__(
        self,
        root: Root,
        question: Question,
        today: date,
        nonce: str,
        budget: Budget,
        progress: Progress | None,
        prefix: str = "",
        kept: int = 0,
    ) -> None:
        """Take the question; `kept` files of the budget are left to wikis that are asked later."""
        self.root = root
        self.question = question
        self.budget = budget
        self.prefix = prefix
        self.kept = kept
        self.snapshot = load(root, progress=progress)
        raw = question.raw or question.depth == "deep"
        self.scope = Scope(include_archived=question.include_archived, raw=raw)
        self.library = Library(self.snapshot, root, self.scope, today, nonce)

    def part(self) -> Part:
        """Ask, choose, open."""
        results = self._search(self.question.text)
        hits = [hit for hit in results.hits if self._wanted(hit)]
        good = [hit for hit in hits if hit.answers and hit.fits]
        asks = _asks(results.query)
        if not asks:
            good = [hit for hit in good if words(hit.title) == words(self.question.text)]
        terms = _meant(results.query.terms, results.corrected)
        sides = self._sides() if asks else []
        direct = self._direct(good) or (sides if len(sides) > 1 else [])
        chosen = self._choose(direct, sides, terms)
        files = self._open(chosen, good)
        covered = self._held([hit.path for hit in chosen], terms)
        return Part(
            self.root.name,
            bool(direct),
            tuple(self.row(hit.path) for hit in direct[: ROWS[self.question.depth]]),
            tuple(self.row(hit.path) for hit in hits if not hit.answers and hit.fits)[:RECORDS],
            tuple(files),
            () if direct else tuple(self.prefix + hit.path for hit in hits[:3]),
            () if direct else self._sources(),
            tuple(term.word for term in terms if chosen and term.stem not in covered),
            {one_line(k): one_line(v) for k, v in results.corrected.items()},
            tuple(self.prefix + hit.path for hit in (chosen or hits[:3]) if PENDING in hit.labels),
        )

    def _search(self, text: str) -> Results:
        return search(self.snapshot, self.root, text, limit=LOOKED_AT, scope=self.scope)

    def _direct(self, good: list[Hit]) -> list[Hit]:
        """Return the hits that answer: sources only beside articles where they were asked for."""
        if self.question.raw:
            return good
        return [hit for hit in good if hit.kind != "raw"] or good

    def _sides(self) -> list[Hit]:
        """Return the best page for each side of a question that joins several; none unless each has one.

        “How do A and B differ?” is answered by a page about A and one about B, though neither holds
        most of the question.
        """
        found: list[Hit] = []
        for text in sides_of(self.question.text):
            good = [h for h in self._search(text).hits if h.answers and h.fits and self._wanted(h)]
            best = self._direct(good)[:1]
            if not best:
                return []
            found += best
        return list({hit.path: hit for hit in found}.values())

    def _wanted(self, hit: Hit) -> bool:
        """Tell whether a hit passes the filters of the question."""
        category = self.question.category
        if hit.path == layout.COVERAGE_PAGE or hit.path not in self.library.shown:
            return False
        if category and not hit.path.startswith(f"wiki/{category}/"):
            return False
        tags = {fold(tag) for tag in hit.tags}
        return all(fold(tag) in tags for tag in self.question.tags)

    def _choose(self, hits: Sequence[Hit], sides: Sequence[Hit], terms: Sequence[Term]) -> list[Hit]:
        """Return the fewest pages that hold what is asked: the best, and those that add a word."""
        chosen: list[Hit] = []
        covered: frozenset[str] = frozenset()
        most = ARTICLES[self.question.depth]
        close = [hit for hit in hits if hit.score >= NEAR * hits[0].score]
        for hit in {hit.path: hit for hit in (*close, *sides)}.values() if most else ():
            held = self._held([hit.path], terms)
            alike = hit in close and hit.score >= CLOSE * hits[0].score
            if not chosen or held - covered or alike:
                chosen.append(hit)
                covered |= held
            if len(chosen) == most:
                break
        return chosen

    def _held(self, paths: Iterable[str], terms: Sequence[Term]) -> frozenset[str]:
        """Return the terms of the question that these pages hold, by stem; links at the end do not count."""
        said = {word for rel in paths for word in words(_TAIL.split(self.library.plain(rel), maxsplit=1)[0])}
        return frozenset(stems(said).values()) & {term.stem for term in terms} if said else frozenset()

    def _open(self, chosen: Sequence[Hit], good: Sequence[Hit]) -> list[Opened]:
        """Open the chosen pages, at deep also matching sources and what the pages link and cite."""
        wanted = {hit.path: "match" for hit in chosen}
        if self.question.depth == "deep":
            for hit in [hit for hit in good if hit.kind == "raw"][:SOURCES]:
                wanted.setdefault(hit.path, "match")
            ranked = {hit.path: number for number, hit in enumerate(good)}
            for rel, why in self._linked([hit.path for hit in chosen], ranked):
                wanted.setdefault(rel, why)
        found = []
        for rel, why in wanted.items():
            if why != "match" and self.budget.max_files - self.budget.files <= self.kept:
                self.budget.left_out.append(self.prefix + rel)
                continue
            quoted = self.library.quote(rel, self.budget, numbers=True, name=self.prefix + rel)
            if quoted is not None:
                found.append(Opened(quoted, why))
        return found

    def _linked(self, paths: Sequence[str], ranked: dict[str, int]) -> list[tuple[str, str]]:
        """Return what pages link and cite: pages that match the question first, then by place."""
        shown = self.library.shown
        names = {fold(rel.rpartition("/")[2].removesuffix(".md")): rel for rel in shown}
        found: dict[str, str] = {}
        for rel in paths:
            page = self.snapshot.pages[rel]
            for source in self.library.trust.sources(page):
                found.setdefault(source, f"cited by {rel}")
            linked = [names.get(link.key, "") if link.kind == "wiki" else link.key for link in page.links]
            for key in linked:
                found.setdefault(key, f"linked from {rel}")
        usual = {"article", "thesis", "raw"}
        kept = [rel for rel in found if rel in shown and rel not in paths and kind_of(rel) in usual]
        kept.sort(key=lambda rel: ranked.get(rel, len(ranked)))
        return [(rel, found[rel]) for rel in kept]

    def _sources(self) -> tuple[str, ...]:
        """Return raw files that fit the question where the scope leaves them out: what to compile."""
        if self.scope.raw or self.question.tags or self.question.category:
            return ()
        scope = self.scope._replace(raw=True)
        found = search(self.snapshot, self.root, self.question.text, limit=3, scope=scope, kinds={"raw"})
        return tuple(self.prefix + hit.path for hit in found.hits if hit.fits)

    def row(self, rel: str) -> Row:
        """Return the index row of a visible page."""
        return row_of(self.library, rel, self.prefix)


def listing(library: Library, question: Question) -> list[Row]:
    """Return the rows of all articles, with `raw` of sources too, that pass the filters; by path."""
    kinds = {"article", "thesis"} | ({"raw"} if question.raw else set())
    rows = []
    for rel, page in library.snapshot.pages.items():
        if rel not in library.shown or kind_of(rel) not in kinds or rel == layout.COVERAGE_PAGE:
            continue
        if question.category and not rel.startswith(f"wiki/{question.category}/"):
            continue
        tags = {fold(tag) for tag in page.items("tags")}
        if all(fold(tag) in tags for tag in question.tags):
            rows.append(row_of(library, rel))
    return rows
