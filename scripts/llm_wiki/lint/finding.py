"""What a rule reports, and what the engine makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

Severity = Literal["critical", "warning", "suggestion", "info"]

SEVERITIES: tuple[Severity, ...] = ("critical", "warning", "suggestion", "info")
"""Most severe first; also the order of a report."""


class Hit(NamedTuple):
    """One place where a rule found its defect.

    `path` is relative to the root with `/`, or None when the root as a whole is meant.
    `line` and `column` are 1-based, 0 when a place in the file makes no sense. `target` is
    what the place points to (a link target, a missing entry). `severity` overrides the
    rule's own, `fixable` overrides whether a fix exists for this very place.
    """

    path: str | None
    message: str
    line: int = 0
    column: int = 0
    target: str = ""
    severity: Severity | None = None
    fixable: bool | None = None


class Finding(NamedTuple):
    """One reported defect, in the form that every output renders."""

    severity: Severity
    path: str | None
    line: int
    column: int
    rule: str
    message: str
    target: str
    fixable: bool


Scope = Literal["file", "tree", "hub"]


class Rule(NamedTuple):
    """One line of the rule table.

    `check` is a generator of hits. Scope `file` takes one `Page` and may look at nothing else
    (its hits are cached with the page, so it may not ask for the date either); scope `tree` takes
    a `lint.view.View` of a topic or local wiki, scope `hub` a `View` of a hub.
    `origin` is U, D or N and `upstream` the upstream check number (`lint.md` §2). `fix` says whether
    `lint --fix` repairs it. `opt_in` rules run only when named by `--only`. `strict` is the severity
    under `--strict`, when it differs. `whole` rules need every page for a finding about one file, so
    that a run over a few files leaves them out; a repair may depend on every page all the same.
    """

    id: str
    severity: Severity
    scope: Scope
    check: Callable[[Any], Iterator[Hit]]
    title: str
    origin: str
    upstream: str = ""
    fix: bool = False
    opt_in: bool = False
    strict: Severity | None = None
    whole: bool = False
