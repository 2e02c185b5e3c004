"""The stages of `lint --fix` and their order (`lint.md` §3, §4): planned until nothing is left to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import date

from llm_wiki.core import clock
from llm_wiki.core.errors import Incomplete
from llm_wiki.lint.engine import evaluate
from llm_wiki.lint.finding import Finding
from llm_wiki.lint.fixes import (
    coverage,
    frontmatter,
    hub,
    indexes,
    links,
    placement,
    projects,
    quarantine,
    seealso,
    sources,
    structure,
)
from llm_wiki.lint.fixes.step import Fix, Stand, Step
from llm_wiki.lint.fixes.tree import Tree
from llm_wiki.lint.options import select, words
from llm_wiki.lint.report import Action, Change
from llm_wiki.lint.view import View
from llm_wiki.model import layout
from llm_wiki.wiki.snapshot import Snapshot

STAGES: tuple[tuple[tuple[str, ...], Callable[[Stand], Step]], ...] = (
    (hub.RULES, hub.stage),
    (frontmatter.RULES, frontmatter.stage),
    (placement.RULES, placement.stage),
    (quarantine.RULES, quarantine.stage),
    (sources.RULES, sources.stage),
    (links.RULES, links.stage),
    (projects.RULES, projects.stage),
    (seealso.RULES, seealso.stage),
    (coverage.RULES, coverage.stage),
    (structure.RULES, structure.stage),
    (indexes.RULES, indexes.stage),
)
"""Rules and stage, in the order of `lint.md` §3; each works on what the stages before it left."""

FIXED = frozenset(rule for rules, _ in STAGES for rule in rules)
"""Every rule that some fix answers to."""

ROUNDS = 8
"""Most times the stages run over; a wiki that wants more shows two fixes that undo each other."""


class Plan:
    """What a run would change in one wiki, and how it is told."""

    def __init__(self, tree: Tree, fixes: Sequence[Fix]) -> None:
        self.tree = tree
        self.fixes = tuple(fixes)

    @property
    def empty(self) -> bool:
        """Tell whether there is nothing to do."""
        return self.tree.empty

    @property
    def sentences(self) -> list[str]:
        """What was repaired, one line each, in the order of the work."""
        return [fix.text for fix in self.fixes if fix.text]

    @property
    def changes(self) -> list[Change]:
        """The files behind the sentences, each action on a path once a rule."""
        every = (Change(fix.action, fix.path, fix.to, fix.rule) for fix in self.fixes)
        return list(dict.fromkeys(every))

    @property
    def summary(self) -> str:
        """The counts of the log line: repairs, and what was done to how many files."""
        done = Counter(action for action, _, _ in {change[:3] for change in self.changes})
        counts = ", ".join(f"{done[action]} {word}" for action, word in _DONE.items() if done[action])
        return f"{len(self.sentences)} repairs: {counts}"


_DONE: dict[Action, str] = {
    "create": "created",
    "edit": "edited",
    "move": "moved",
    "quarantine": "quarantined",
    "delete": "removed",
}


def plan(
    snapshot: Snapshot,
    today: date,
    *,
    only: Iterable[str] = (),
    skip: Iterable[str] = (),
    found: Sequence[Finding] | None = None,
) -> Plan:
    """Plan every repair of a snapshot, round after round until no stage wants more.

    `only` and `skip` limit the repairs as they limit findings; `found` are the findings of this
    snapshot under them, where they are known already. Raises Incomplete when the repairs do not
    come to rest: nothing has been written then.
    """
    chosen = select(only, skip) & FIXED
    named = frozenset(words(only))
    tree = Tree(snapshot)
    fixes: list[Fix] = []
    now = clock.now().isoformat(timespec="seconds").replace("+00:00", "Z")
    stand: Stand | None = None
    for _ in range(ROUNDS):
        before = tree.now
        for rules, stage in STAGES:
            if chosen.isdisjoint(rules):
                continue
            if stand is None:
                known = evaluate(tree.now, today, only=sorted(chosen)) if found is None else found
                stand = Stand(tree.now, today, known, View(tree.now, today), chosen, named, now)
            step = stage(stand)
            if step:
                tree.apply(step)
                fixes += step.fixes
                stand = found = None
        if tree.now is before:
            if not tree.empty and stand is not None:
                _stamp(stand, tree, fixes)
            return Plan(tree, fixes)
    raise Incomplete(
        "the repairs do not come to rest and were not made",
        path=snapshot.root,
        remedy="this is a bug; run lint --fix with --only for one rule at a time",
    )


def _stamp(stand: Stand, tree: Tree, fixes: list[Fix]) -> None:
    """Set `Last lint` in the master index, as something changed (`commands.md`, /wiki:lint)."""
    data = indexes.lint_date(stand)
    if data is not None:
        step = Step()
        step.changes[layout.INDEX] = data
        step.report("W404", "edit", layout.INDEX)
        tree.apply(step)
        fixes += step.fixes
