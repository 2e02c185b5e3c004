"""W304, W305: what the format does not know goes to `inbox/.unknown/`, its place of origin written down."""

from __future__ import annotations

import json

from llm_wiki.core.errors import Unreadable
from llm_wiki.core.text import fold
from llm_wiki.lint.fixes.step import Stand, Step
from llm_wiki.lint.infer import writable
from llm_wiki.model import layout

RULES = ("W304", "W305")

MANIFEST = f"{layout.QUARANTINE}/.manifest.jsonl"
"""One line a file: its name in quarantine, the path it had, the time."""


def stage(stand: Stand) -> Step:
    """Move unexpected files away in path order; a name that is taken gets `-2`, `-3` …."""
    step = Step()
    if stand.snapshot.kind == "hub" or not writable(stand.snapshot, MANIFEST):
        return step
    taken = {fold(name) for name in stand.snapshot.dirs.get(layout.QUARANTINE, ())}
    for rel in stand.paths(*RULES):
        entry = stand.snapshot.files.get(rel)
        if entry is None or not writable(stand.snapshot, rel) or not _is_readable(stand, rel):
            continue
        name = free_name(rel.rpartition("/")[2], taken)
        taken.add(fold(name))
        to = f"{layout.QUARANTINE}/{name}"
        step.moves[rel] = to
        rule = "W305" if "/" in rel else "W304"
        step.report(rule, "quarantine", rel, f"Quarantined {rel} to {to}", to)
        record = {"at": stand.now, "from": rel, "name": name}
        line = json.dumps(record, ensure_ascii=True, sort_keys=True)
        step.appends.setdefault(MANIFEST, []).append(line)
    return step


def _is_readable(stand: Stand, rel: str) -> bool:
    """Tell whether a file can be read; one that cannot be hashed cannot be moved for sure."""
    try:
        stand.snapshot.read(rel)
    except Unreadable:
        return False
    return True


def free_name(name: str, taken: set[str]) -> str:
    """Return `name`, or with the first number from 2 that makes it free; `taken` holds folded names."""
    stem, dot, ending = name.rpartition(".")
    if not stem:
        stem, dot, ending = name, "", ""
    found, number = name, 1
    while fold(found) in taken:
        number += 1
        found = f"{stem}-{number}{dot}{ending}"
    return found
