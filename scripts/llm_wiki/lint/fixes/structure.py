"""W101 W102 W104 W105 W106 W107: what every wiki has is made where it is missing, from what is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llm_wiki.lint.fixes.derive import hub_contract, rendered
from llm_wiki.lint.fixes.step import Stand, Step
from llm_wiki.lint.infer import writable
from llm_wiki.model import indexes, layout
from llm_wiki.wiki import log

if TYPE_CHECKING:
    from llm_wiki.wiki.snapshot import Snapshot

RULES = ("W101", "W102", "W104", "W105", "W106", "W107")


def stage(stand: Stand) -> Step:
    """Make folders, starters and missing indexes; never `inventory/`, `datasets/` or anything below them."""
    step = Step()
    for finding in stand.of("W101"):
        _hub_file(stand, step, finding.path or "")
    after = _folders(stand, step)
    for rel in stand.paths("W104"):
        if _free(stand, rel):
            from llm_wiki.wiki import guide

            step.changes[rel] = guide.starter(stand.snapshot.config.title, stand.today)
            step.report("W104", "create", rel, f"Created the starter topic guide {rel}")
    for rel in stand.paths("W107"):
        if _free(stand, rel):
            step.dirs += [rel, layout.PROCESSED]
            step.report("W107", "create", rel, f"Created folder {rel}/")
    for rel in (*stand.paths("W106"), *stand.paths("W102")):
        contract = indexes.contract(rel.rpartition("/")[0], after)
        if contract is not None and _free(stand, rel):
            step.changes[rel] = rendered(stand, contract)
            step.report("W106" if "/" in rel else "W102", "create", rel, f"Created {rel}")
    return step


def _folders(stand: Stand, step: Step) -> Snapshot:
    """Make required folders and what is required below them, with indexes; return what is there then."""
    wanted = stand.paths("W105")
    made = [
        folder
        for folder in layout.REQUIRED_FOLDERS
        if any(folder == rel or folder.startswith(f"{rel}/") for rel in wanted) and _free(stand, folder)
    ]
    if not made:
        return stand.snapshot
    after = stand.snapshot.overlay({}, dirs=made)
    for folder in made:
        contract = indexes.contract(folder, after)
        assert contract is not None
        step.dirs.append(folder)
        step.changes[contract.index] = rendered(stand, contract)
        step.report("W105", "create", folder, f"Created folder {folder}/ with its index")
        step.report("W105", "create", contract.index)
    return after


def _hub_file(stand: Stand, step: Step, rel: str) -> None:
    if not _free(stand, rel):
        return
    if rel == layout.LOG:
        step.changes[rel] = log.STARTER.encode()
    else:
        step.changes[rel] = rendered(stand, hub_contract(stand.snapshot))
    step.report("W101", "create", rel, f"Created {rel}")


def _free(stand: Stand, rel: str) -> bool:
    """Tell whether nothing is there and something may be made there."""
    snapshot = stand.snapshot
    return rel not in snapshot.files and rel not in snapshot.dirs and writable(snapshot, rel)
