"""The one table of verbs: name, write class, and how each is entered.

Faces fill it by marking their commands; the command reference, the class tests of the
prompts and the list of write paths are checked against it. Nothing keeps a second list.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

WriteClass = Literal["R0", "R1", "W1", "W2", "X"]

CLASSES: dict[WriteClass, str] = {
    "R0": "reads only",
    "R1": "writes reports, run state and log lines",
    "W1": "adds knowledge or tracking files",
    "W2": "changes, moves or deletes existing knowledge",
    "X": "writes outside the wiki",
}
"""Write classes in growing reach (`commands.md` §1)."""

EVERYDAY: tuple[str, ...] = (
    "init", "ingest", "query", "search", "lint", "review",
    "undo", "status", "doctor", "setup", "demo", "paths",
)  # fmt: skip
"""The verbs that `--help` shows first, in this order, as far as they exist."""


class Verb(NamedTuple):
    """One entry: the full name as typed (`index check`), its write class, its first help line.

    `enveloped` tells verbs whose JSON has the envelope `schema_version ok exit` from those whose
    keys are fixed by an older contract. `forms` maps a flag that raises the class to that class
    (`lint --fix` is W2).
    """

    name: str
    write_class: WriteClass
    summary: str
    enveloped: bool
    forms: tuple[tuple[str, WriteClass], ...]


VERBS: dict[str, Verb] = {}


def register(entry: Verb) -> None:
    """Add a verb to the table; two verbs of one name are a programming error."""
    known = VERBS.get(entry.name)
    if known is not None and known != entry:
        message = f"the verb {entry.name!r} is marked twice"
        raise AssertionError(message)
    VERBS[entry.name] = entry
