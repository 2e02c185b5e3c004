"""A new wiki: planned by the wiki room, committed here, Git asked where the user wants it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from llm_wiki.core import clock, git, undo
from llm_wiki.core.errors import BadUsage
from llm_wiki.core.transaction import Transaction, open_root
from llm_wiki.wiki.hub import new_local, new_topic
from llm_wiki.wiki.resolve import find_hub


class Made(NamedTuple):
    """A new wiki on disk; `transactions` holds the id by which `llm-wiki undo` takes it back."""

    root: Path
    kind: str
    name: str
    title: str
    hub: Path | None
    new_hub: bool
    transactions: tuple[str, ...]


def initialise(
    name: str,
    *,
    title: str = "",
    local: bool = False,
    hub: str | None = None,
    git_repository: bool = False,
    obsidian: bool = False,
) -> Made:
    """Make a topic wiki (and the hub when there is none) or a local wiki in the current folder.

    Raises what `wiki.hub.new_topic` and `new_local` raise, and `BadUsage` for options that do not
    go together; then nothing has been made.
    """
    if local and hub is not None:
        raise BadUsage("--local and --hub name two places", remedy="a local wiki belongs to no hub")
    if local and git_repository:
        raise BadUsage("--git is for a hub", remedy="a local wiki lies in its project's repository already")
    day = clock.today()
    guard = Path.cwd() / ".wiki" if local else find_hub(hub)
    with open_root(guard):
        if local:
            planned = new_local(Path.cwd(), name, day, title=title, obsidian=obsidian)
        else:
            planned = new_topic(
                guard, name, day, title=title, git_repository=git_repository, obsidian=obsidian
            )
        if planned.repository is not None:
            planned.repository.mkdir(parents=True, exist_ok=True)
            git.run(["init", "--quiet"], planned.repository)
        done = _commit(*planned.transactions)
    return Made(planned.path, planned.kind, planned.name, planned.title, planned.hub, planned.new_hub, done)


def _commit(main: Transaction, *around: Transaction) -> tuple[str, ...]:
    """Make the wiki and what belongs to it outside, or nothing of both; return the id to undo all of it."""
    for side in around:
        txid = side.commit()
        if txid is not None:
            main.companions.append((str(side.root), txid))
    try:
        txid = main.commit()
    except BaseException:
        for place, side_id in main.companions:
            undo.undo(Path(place), side_id)
        raise
    return () if txid is None else (txid,)
