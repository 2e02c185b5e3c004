"""Whether `lint --fix` would really remove a finding: what `fixable` says is asked here once more (B39).

Rules say whether a repair exists, here is whether it comes about in this wiki: the file may not be edited,
its front matter have a form that cannot be changed in place, another document want the same place.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from llm_wiki.core.text import fold, nfc
from llm_wiki.lint.finding import Finding
from llm_wiki.lint.infer import Holds, editable, is_partly_read, writable
from llm_wiki.model import layout
from llm_wiki.model.links import join
from llm_wiki.model.page import Page
from llm_wiki.wiki.names import Unbounded

if TYPE_CHECKING:
    from llm_wiki.lint.view import View


def honest(view: View, finding: Finding, named: Collection[str] = ()) -> Finding:
    """Return the finding with `fixable` taken back where the file in question may not be touched.

    `named` are the words after `--only`: some repairs are made only if their rule is named there.
    Raises Unbounded where few files are judged and others have a say in that.
    """
    if view.asked is not None and finding.fixable and (finding.rule in _FOLLOWED or _is_backlog(finding)):
        raise Unbounded
    if finding.rule in _ASKED:
        return finding._replace(fixable=finding.rule in named and _ASKED[finding.rule](view, finding))
    if finding.rule in _LEADING and not finding.fixable:
        return finding._replace(fixable=_leads_then(view, finding))
    return finding if not finding.fixable or _is_possible(view, finding) else finding._replace(fixable=False)


def _can_link_back(view: View, finding: Finding) -> bool:
    from llm_wiki.lint.fixes.seealso import linking

    other = view.by_key.get(finding.target)
    return other is not None and linking(view, other.rel, [finding.path or ""]) is not None


def _can_migrate(view: View, finding: Finding) -> bool:
    from llm_wiki.lint.fixes.projects import migrated
    from llm_wiki.lint.rules.graph import graph

    if view.asked is not None:
        raise Unbounded
    holds, named = view.shared(Holds), graph(view).named
    if nfc(finding.path or "") in holds.named:
        return False
    if any(stem in holds.called and len(named(stem)) == 1 for stem in ("_project", "why")):
        return False  # such a link would lead nowhere, or to two files
    return migrated(view.snapshot, finding.path or "") is not None


_ASKED = {"W508": _can_link_back, "W804": _can_migrate}
"""Rules whose repair has to be asked for by their id, and whether it can be made."""


def _is_backlog(finding: Finding) -> bool:
    return finding.path == layout.COVERAGE_PAGE or finding.rule == "W611"


_FOLLOWED = frozenset({"W301", "W304", "W305"})
"""Rules whose fix moves a file, which every page that names it must allow."""

_LEADING = frozenset({"W501", "W502", "W504", "W507"})
"""Rules about links that may lead somewhere once misplaced documents are where they belong."""


def _leads_then(view: View, finding: Finding) -> bool:
    """Tell whether a dead link is right as it is written as soon as misplaced documents have moved."""
    from llm_wiki.lint.rules.graph import graph

    page = view.snapshot.pages.get(finding.path or "")
    if page is None or finding.line < page.body_line or "W301" not in view.chosen:
        return False
    moves = view.shared(_moves)
    owner = moves.get(page.rel, page.rel)
    key = join(owner, finding.target)[0]
    if view.asked is not None and fold(key.rpartition("/")[2]) in graph(view).by_name:
        raise Unbounded  # a file of that name may be about to move there
    arrives = any(nfc(to) == key for to in moves.values())
    stays = key in view.snapshot.known and all(nfc(rel) != key for rel in moves)
    return arrives or (owner != page.rel and stays)


def _moves(view: View) -> dict[str, str]:
    """Return where the misplaced pages go that will be moved, by the path they have."""
    from llm_wiki.lint.rules.placement import misplaced

    arriving = view.shared(_arriving)
    wanted = {hit.path or "": hit.target for hit in misplaced(view) if hit.fixable} if arriving else {}
    return {rel: wanted[rel] for rel in arriving.values()}


_PUT_ASIDE = frozenset({"W304", "W305"})
"""Rules whose fix moves a file whatever it holds."""


def _is_registrable(view: View, finding: Finding) -> bool:
    """Tell whether the registry can be written, and the repair gives no slug or folder two entries."""
    registry = view.snapshot.registry
    if registry is None or not registry.usable or not writable(view.snapshot, layout.REGISTRY):
        return False
    if finding.rule == "W908":
        free = finding.target not in registry.data.get("wikis", {})
        return free and layout.TOPIC_SLUG.fullmatch(finding.target) is not None
    if finding.rule == "W909":
        from llm_wiki.lint.rules.hub import places

        name = finding.target.rpartition("/")[2]
        return len({place.inside for place in places(view) if place.name == name}) == 1
    return True


_IN_FRONT = frozenset({"W201", "W202", "W203", "W204", "W207", "W512", "W517", "W701"})
"""Rules whose fix edits front matter."""


def _is_possible(view: View, finding: Finding) -> bool:
    rule = finding.rule
    rel = (finding.target if rule == "W402" else finding.path) or ""
    if rel == layout.REGISTRY or rule == "W908":
        return _is_registrable(view, finding)
    if _is_backlog(finding):
        return view.shared(Holds).citations_known
    if rule in _PUT_ASIDE:
        return _is_dispensable(view, rel)
    if rule == "W105":
        return rel not in view.snapshot.files or _leaves(view, rel)
    page = view.snapshot.pages.get(rel)
    if page is None:
        return rule != "W301"
    return editable(view.snapshot, page) and _is_done(view, page, finding)


def _is_dispensable(view: View, rel: str) -> bool:
    """Tell whether an unexpected file can go to quarantine, and it is known that nobody wants it here."""
    snapshot = view.snapshot
    place = f"{layout.QUARANTINE}/{rel.rpartition('/')[2]}"
    config = snapshot.pages.get(layout.CONFIG)  # without it nobody knows what is to be ignored
    known = config is not None and config.front in ("ok", "missing") and view.shared(Holds).links_known
    return known and writable(snapshot, rel) and writable(snapshot, place)


def _leaves(view: View, rel: str) -> bool:
    """Tell whether a file that stands where a folder belongs is put aside, so that its place gets free."""
    if view.asked is not None:
        raise Unbounded
    rule = "W305" if "/" in rel else "W304"
    return rule in view.chosen and rel in view.shared(_strays) and _is_dispensable(view, rel)


def _strays(view: View) -> frozenset[str]:
    from llm_wiki.lint.rules.placement import root_file, stray_file

    return frozenset(hit.path or "" for rule in (root_file, stray_file) for hit in rule(view) if hit.fixable)


def _is_reachable(view: View, to: str) -> bool:
    """Tell whether a path may be written, at least once a file in the place of its folder is put aside."""
    folder = to.rpartition("/")[0]
    if folder in view.snapshot.files and writable(view.snapshot, folder):
        return _leaves(view, folder)
    return writable(view.snapshot, to)


def _is_done(view: View, page: Page, finding: Finding) -> bool:
    """Tell whether the repair of a page that may be edited comes about."""
    rule = finding.rule
    if rule in _IN_FRONT:
        return view.shared(Fronts).can_be_set(page, finding)
    if rule == "W301":
        return view.shared(_arriving).get(fold(finding.target)) == page.rel
    if rule == "W408" and view.snapshot.kind == "hub":
        return (finding.line, finding.target) in view.shared(_dead_at_hub)
    return rule != "W402" or finding.path not in view.shared(Merges).unlisted(page)


class Merges:
    """What a merge cannot add to an index, such as rows where all of it is one block of HTML."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.known: dict[str, frozenset[str]] = {}

    def unlisted(self, page: Page) -> frozenset[str]:
        """Return the entries that an index lacks even after its merge; Unbounded if few files are known."""
        if page.rel not in self.known:
            self.known[page.rel] = self._unlisted(page)
        return self.known[page.rel]

    def _unlisted(self, page: Page) -> frozenset[str]:
        from llm_wiki.model import indexes

        data = self.view.snapshot.read(page.rel)
        if not _SWALLOWS.search(data):
            return frozenset()
        if self.view.asked is not None:
            raise Unbounded
        contract = indexes.contract(page.rel.rpartition("/")[0], self.view.snapshot)
        if contract is None:
            return frozenset()
        parts: frozenset[indexes.Part] = frozenset({"missing"})
        merged = indexes.merge(data, contract, self.view.today.isoformat(), parts=parts)
        return frozenset(entry.rel for entry in indexes.check(merged, contract).missing)


_SWALLOWS = re.compile(rb"<|```|~~~|^(?: {4}|\t)", re.MULTILINE)
"""What may make text of the lines that a merge adds."""


def _arriving(view: View) -> dict[str, str]:
    """Return the misplaced page that goes to each free place: of several that want it the first by path."""
    from llm_wiki.lint.rules.copies import copies
    from llm_wiki.lint.rules.placement import misplaced

    found: dict[str, str] = {}
    for rel, to in sorted((hit.path or "", hit.target) for hit in misplaced(view) if hit.fixable):
        page = view.snapshot.pages.get(rel)
        movable = page is not None and rel not in copies(view) and editable(view.snapshot, page)
        if movable and _is_movable(view, page, to):
            found.setdefault(fold(to), rel)
    taken = frozenset(map(fold, view.snapshot.files)) if found else frozenset()
    return {place: rel for place, rel in found.items() if place not in taken}


def _dead_at_hub(view: View) -> frozenset[tuple[int, str]]:
    """Return line and target of the links that a merge takes out of the index of a hub."""
    from llm_wiki.model import indexes
    from llm_wiki.wiki.hub import hub_topics

    snapshot = view.snapshot
    page = snapshot.pages.get(layout.INDEX)
    if page is None or not editable(snapshot, page):
        return frozenset()
    found = indexes.check(snapshot.read(page.rel), indexes.hub(hub_topics(snapshot), snapshot.keys))
    return frozenset((one.line, one.target) for one in found.dead if one.fixable)


def _is_movable(view: View, page: Page | None, to: str) -> bool:
    """Tell whether a page can move and everything that names it can follow."""
    if page is None or is_partly_read(page) or not _is_reachable(view, to):
        return False
    return nfc(page.rel) not in view.shared(Holds).named


_ODD = re.compile(
    rb"^[ \t]*[?\"'#]|^ +[^ -]|: *[&*!|>{\[\"']|- *[&*!|>{\[]|\t|^[^:\r\n]*:[ \t]*#|[^\r\n]\r[^\n]",
    re.MULTILINE,
)
"""What front matter may hold that cannot be edited line by line; `{a: b, c: d}` is read and never edited."""


class Fronts:
    """Whether front matter can be edited in place; where that is not plain, the repair is tried."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.plain: dict[str, bool] = {}
        self.tried: dict[tuple[str, str, str], bool] = {}

    def can_be_set(self, page: Page, finding: Finding) -> bool:
        """Tell whether the repair of a finding can be made; of a list of sources all are one repair."""
        if page.rel not in self.plain:
            self.plain[page.rel] = not _ODD.search(self._text(page))
        if len(set(page.lines.values())) != len(page.lines):
            return False
        if self.plain[page.rel]:
            return True
        key = (page.rel, finding.rule, finding.target if finding.rule == "W201" else "")
        if key not in self.tried:
            self.tried[key] = self._try(finding)
        return self.tried[key]

    def _text(self, page: Page) -> bytes:
        from llm_wiki.model.frontmatter import split, unix

        data = self.view.snapshot.read(page.rel)
        front = split(unix(data))
        return data[front.start : front.end]

    def _try(self, finding: Finding) -> bool:
        from llm_wiki.lint.fixes import frontmatter, sources
        from llm_wiki.lint.fixes.step import Stand

        view, rules = self.view, frozenset({finding.rule})
        stage = sources.stage if finding.rule in sources.RULES else frontmatter.stage
        return bool(stage(Stand(view.snapshot, view.today, (finding,), view, rules, frozenset(), "")))
