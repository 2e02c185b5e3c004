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

FOLLOWING = frozenset({"W106", *indexes.RULES})
"""Rules about what is derived: a repair that makes an index stale brings it up to date itself."""

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
        made = len(self.sentences)
        return f"{made} {'repair' if made == 1 else 'repairs'}: {counts}"


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

    `only` and `skip` limit the repairs as they limit findings; what a repair makes of an index is part
    of it all the same. `found` are the findings of this snapshot under them, where they are known
    already. Raises Incomplete when the repairs do not come to rest: nothing has been written then.
    """
    chosen = select(only, skip) & FIXED
    work = _Work(snapshot, today, frozenset(words(only)))
    work.run(chosen, found)
    if not work.tree.empty:
        work.follow(FOLLOWING - chosen)
        work.stamp()
    return Plan(work.tree, work.fixes)


class _Work:
    """One planning: the working copy, and what has been repaired on it so far."""

    def __init__(self, first: Snapshot, today: date, named: frozenset[str]) -> None:
        self.tree = Tree(first)
        self.today = today
        self.named = named
        self.now = clock.now().isoformat(timespec="seconds").replace("+00:00", "Z")
        self.fixes: list[Fix] = []

    def run(self, chosen: frozenset[str], found: Sequence[Finding] | None) -> None:
        """Let the stages of the chosen rules work until none wants more."""
        stand: Stand | None = None
        for _ in range(ROUNDS):
            before = self.tree.now
            for rules, stage in STAGES:
                if chosen.isdisjoint(rules):
                    continue
                if stand is None:
                    stand = self.stand(chosen, self.judged(chosen) if found is None else found)
                if self.apply(stage(stand)):
                    stand = found = None
            if self.tree.now is before:
                return
        raise Incomplete(
            "the repairs do not come to rest and were not made",
            path=self.tree.first.root,
            remedy="this is a bug; run lint --fix with --only for one rule at a time",
        )

    def follow(self, rules: frozenset[str]) -> None:
        """Bring those indexes up to date that the repairs made stale, though their rules are not chosen."""
        if not rules:
            return
        first = evaluate(self.tree.first, self.today, only=sorted(rules))
        known = {(one.rule, one.path, one.target) for one in first}
        for _ in range(ROUNDS):
            found = [one for one in self.judged(FOLLOWING) if (one.rule, one.path, one.target) not in known]
            stand = self.stand(FOLLOWING, found)
            if not any(self.apply(stage(stand)) for stage in (structure.stage, indexes.stage)):
                return

    def judged(self, rules: frozenset[str]) -> list[Finding]:
        """Return what these rules find in the working copy."""
        return evaluate(self.tree.now, self.today, only=sorted(rules))

    def stand(self, rules: frozenset[str], found: Sequence[Finding]) -> Stand:
        """Return what a stage is given."""
        now = self.tree.now
        return Stand(now, self.today, found, View(now, self.today), rules, self.named, self.now)

    def apply(self, step: Step) -> bool:
        """Carry out a step; tell whether it wanted anything."""
        if step:
            self.tree.apply(step)
            self.fixes += step.fixes
        return bool(step)

    def stamp(self) -> None:
        """Set `Last lint` in the master index, as something changed (`commands.md`, /wiki:lint)."""
        data = indexes.lint_date(self.stand(frozenset(), ()))
        if data is not None:
            step = Step()
            step.changes[layout.INDEX] = data
            step.report("W404", "edit", layout.INDEX)
            self.apply(step)
