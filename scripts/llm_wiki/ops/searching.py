"""Search as a verb: one topic in full, or the names of pages over the active topics of a hub."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from llm_wiki.core.errors import WikiError
from llm_wiki.search.engine import Ask
from llm_wiki.search.results import Hit, Results
from llm_wiki.search.run import run
from llm_wiki.wiki.resolve import Root, resolve

if TYPE_CHECKING:
    from llm_wiki.wiki.parallel import Progress


class Searched(NamedTuple):
    """The results over one root or several; `topics` names the topic of each hit, "" for a single root.

    `skipped` are (slug, reason) of topics that could not be searched.
    """

    results: Results
    topics: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...] = ()


def search(root: Root, ask: Ask, *, progress: Progress | None = None) -> Searched:
    """Search a root. Of a hub every active topic is asked, and each hit says its topic.

    Topics that nobody has chosen give their hits without text (`doctrine.md` §1, principle 6). Archived
    ones are asked only if the scope includes them. Raises Unreadable for a root that cannot be listed.
    """
    if root.kind != "hub":
        results = run(root, ask, progress=progress)
        return Searched(results, ("",) * len(results.hits))
    from llm_wiki.wiki.registry import Registry

    found: list[tuple[bool, float, str, str, Hit]] = []
    every: list[Results] = []
    skipped: list[tuple[str, str]] = []
    for slug, entry in sorted(Registry.load(root.path).entries.items()):
        if slug == "hub" or (entry.status == "archived" and not ask.scope.include_archived):
            continue
        try:
            topic = resolve(wiki=slug, hub=str(root.path), include_archived=ask.scope.include_archived)
            if topic.kind == "hub":
                continue
            here = run(topic, ask)
        except WikiError as error:
            skipped.append((slug, error.message))
            continue
        every.append(here)
        for hit in here.hits:
            bare = hit._replace(snippets=())
            found.append((not hit.answers, -hit.score, slug, hit.path, bare))
    found.sort(key=lambda one: one[:4])
    shown = found[: max(ask.limit, 0)]
    return Searched(
        _together(ask, every, [one[4] for one in shown]), tuple(one[2] for one in shown), tuple(skipped)
    )


def _together(ask: Ask, every: list[Results], hits: list[Hit]) -> Results:
    from llm_wiki.search.engine import nothing

    corrected: dict[str, str] = {}
    for word in {word for results in every for word in results.corrected}:
        kept = [results.corrected[word] for results in every if word in results.corrected]
        if len(kept) == len(every):
            corrected[word] = min(kept)
    return nothing(ask.query)._replace(
        hits=tuple(hits),
        total=sum(results.total for results in every),
        corrected=corrected,
        answered=any(results.answered for results in every),
    )
