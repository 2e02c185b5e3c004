"""The one wording of planned and applied changes, for every verb that shows them."""

from __future__ import annotations

from llm_wiki.core.transaction import Change

_WORDS = {
    "create": "create {path}",
    "edit": "edit {path}",
    "move": "move {path} -> {to}",
    "delete": "delete {path}",
    "mkdir": "make folder {path}",
    "append": "append to {path}",
}


def change_line(change: Change) -> str:
    """Return one change as a line for a person."""
    return _WORDS[change.action].format(path=change.path, to=change.to)


def change_data(change: Change) -> dict[str, str]:
    """Return one change as data: `action path`, and `to` for a move."""
    data = {"action": change.action, "path": change.path}
    return data | {"to": change.to} if change.to else data


def plan_text(changes: tuple[Change, ...], *, done: bool) -> str:
    """Return a whole plan as text, or the sentence that there is nothing to do."""
    if not changes:
        return "Nothing to change."
    head = "Changed:" if done else "Would change:"
    return "\n".join([head, *(f"  {change_line(change)}" for change in changes)])
