"""`llm-wiki config`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from llm_wiki.cli.mark import json_option, shown, verb
from llm_wiki.cli.output import Outcome


@click.command()
@click.argument("key", required=False)
@click.argument("value", required=False)
@json_option
@verb("X", name="config")
def command(key: str | None, value: str | None) -> Outcome:
    """Show the configuration, one KEY of it, or set KEY to VALUE.

    `llm-wiki config hub-path ~/notes/wiki` tells where the hub lies; `-` and `_` are alike in keys. An
    empty VALUE removes the key. Exit 1 when KEY is not set.
    """
    from llm_wiki.core import config
    from llm_wiki.core.errors import BadUsage

    if key is not None and value is not None:
        config.set_value(key, value)
    loaded = config.load()
    if key is None:
        known = {name: loaded.get(name) for name in config.KEYS if "*" not in name}
        known |= {key: v for key, v in _leaves(loaded.values) if key.replace("-", "_") not in known}
        width = max(map(len, known))
        lines = [
            f"Configuration: {shown(loaded.path)}" + ("" if loaded.path.exists() else " (not written yet)")
        ]
        lines += [f"  {name:<{width}}  {_said(value)}" for name, value in sorted(known.items())]
        return Outcome({"path": str(loaded.path), "values": loaded.values}, "\n".join(lines))
    found = loaded.get(key)
    if found is None and config.spec_of(key) is None:
        raise BadUsage(f"no such configuration key: {key}", remedy=f"keys: {', '.join(config.KEYS)}")
    text = "" if found is None else _said(found)
    missing = found is None and value is None
    return Outcome({"path": str(loaded.path), "key": key, "value": found}, text, int(missing))


def _leaves(values: dict[str, Any], above: str = "") -> Iterator[tuple[str, object]]:
    """Yield every value that is set under its dotted key."""
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{above}{key}.")
        else:
            yield above + key, value


def _said(value: object) -> str:
    """Return a value as it is typed to set it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return "-" if value is None else str(value)
