"""The outcome of one lint run, before anything is rendered."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from llm_wiki.core.errors import WikiError
from llm_wiki.lint.finding import SEVERITIES, Finding
from llm_wiki.lint.options import FailOn

Action = Literal["create", "move", "edit", "quarantine", "delete"]


class Change(NamedTuple):
    """One file that a fix created, moved, edited or put aside; `to` is the new path or ""."""

    action: Action
    path: str
    to: str
    rule: str


class Report(NamedTuple):
    """What a run found in one root and what it repaired.

    `kind` is `hub` or `topic` (a local wiki is a topic), or "" where no root was found. `fixes` are
    sentences, `changes` the files behind them, `dry_run` says that neither was carried out. `error` is
    what kept repairs from being written; its code is then the exit status. A `partial` report is about
    as many files alone (None: about the whole wiki), without the rules in `skipped_rules`. `scope` says
    to people what was looked at, where that is neither a topic nor the hub itself.
    """

    root: Path
    kind: str
    findings: Sequence[Finding]
    fail_on: FailOn = "suggestion"
    fixes: Sequence[str] = ()
    changes: Sequence[Change] = ()
    fixed: bool = False
    dry_run: bool = False
    error: WikiError | None = None
    partial: int | None = None
    skipped_rules: Sequence[str] = ()
    scope: str = ""

    @property
    def counts(self) -> dict[str, int]:
        """Findings of each severity; always the four keys."""
        found = [finding.severity for finding in self.findings]
        return {severity: found.count(severity) for severity in SEVERITIES}

    @property
    def failed(self) -> bool:
        """Whether a finding is as severe as `fail_on` or more."""
        if self.fail_on == "never":
            return False
        failing = SEVERITIES[: SEVERITIES.index(self.fail_on) + 1]
        return any(finding.severity in failing for finding in self.findings)

    @property
    def exit_code(self) -> int:
        """0 or 1, or the code of the error."""
        if self.error is not None:
            return self.error.code
        return 1 if self.failed else 0
