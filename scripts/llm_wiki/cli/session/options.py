"""Which `.sessions/` folder a verb works on."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from llm_wiki.core.errors import BadUsage

F = TypeVar("F", bound=Callable[..., Any])


class Place:
    """The folder the user means, as typed; found when it is asked for."""

    def __init__(self, hub: str | None, *, local: bool) -> None:
        self.hub = hub
        self.local = local

    def folder(self) -> Any:
        """Return the `sessions.folder.Folder`; errors as `sessions.folder.find` raises them."""
        from llm_wiki.sessions.folder import find

        return find(self.hub, local=self.local)

    def words(self) -> str:
        """Return the options that name this folder, with a blank in front, for lines to run."""
        import shlex

        if self.local:
            return " --local"
        return f" --hub {shlex.quote(self.hub)}" if self.hub is not None else ""


def place_options(function: F) -> F:
    """Add `--hub` and `--local`; the callback receives them as one `place`.

    Options given before the verb count as if given after it.
    """

    @functools.wraps(function)
    def gather(**kwargs: Any) -> Any:
        parent = click.get_current_context().parent
        outer = parent.params if parent else {}
        hub, before = kwargs.pop("hub", None), outer.get("hub")
        if hub is not None and before is not None and hub != before:
            raise BadUsage(f"--hub is given twice: {before!r} and {hub!r}", remedy="give one of them")
        local = bool(kwargs.pop("local", False) or outer.get("local"))
        return function(place=Place(before if hub is None else hub, local=local), **kwargs)

    wrapped: F = click.option("--local", is_flag=True, help="Use .wiki/.sessions here.")(gather)  # type: ignore[assignment]
    return click.option("--hub", metavar="PATH", help="Use the hub in this folder.")(wrapped)


def summary_text(given: str) -> str:
    """Return a summary as given, `-` being standard input."""
    if given != "-":
        return given
    from llm_wiki.core.redact import LIMIT
    from llm_wiki.ingest.source import standard_input

    return standard_input()[: 4 * LIMIT].decode("utf-8", "replace").strip()
