"""One error class for each way a verb can end, each with its exit code.

Every error is written for the person at the terminal: what happened, in which file
and line, and what to do about it. Faces turn them into text or JSON; nothing below
the faces prints.
"""

from __future__ import annotations

from os import PathLike


class WikiError(Exception):
    """Base of every expected failure.

    `message` says what happened, `path` and `line` where, `remedy` what to do next.
    `code` is the process exit status.
    """

    code = 2

    def __init__(
        self,
        message: str,
        *,
        path: str | PathLike[str] | None = None,
        line: int | None = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = None if path is None else str(path)
        self.line = line
        self.remedy = remedy


class NothingFound(WikiError):
    """A check found nothing to act on: no match, nothing to undo (exit 1)."""

    code = 1


class BadUsage(WikiError):
    """Arguments contradict each other or name something that cannot exist (exit 2)."""


class NotAWiki(WikiError):
    """The target is missing, is no folder, or is no wiki (W100, exit 2)."""


class BadConfig(WikiError):
    """The configuration file cannot be read as the format says (exit 2)."""


class Unreadable(WikiError):
    """The system refuses to read or write a path (exit 2)."""


class LockBusy(WikiError):
    """Another process holds the root's lock for longer than the wait (exit 2)."""


class Incomplete(WikiError):
    """The work could not be finished; what was done is said (exit 2)."""


class Ambiguous(WikiError):
    """Several answers fit and only the user can choose; `options` lists them (exit 3)."""

    code = 3

    def __init__(self, message: str, options: tuple[str, ...] = (), *, remedy: str | None = None) -> None:
        super().__init__(message, remedy=remedy)
        self.options = options


class Refused(WikiError):
    """Policy or state forbids it: archived, name taken, no confirmation, no person (exit 4)."""

    code = 4


class Conflict(WikiError):
    """A file changed since it was read, or an identifier is reused (exit 5)."""

    code = 5


class ServiceFailed(WikiError):
    """A fetch or another outside service failed; nothing was written (exit 7)."""

    code = 7
