"""`llm-wiki config`."""

from __future__ import annotations

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

    `llm-wiki config hub-path ~/notes/wiki` tells where the hub lies; `-` and `_` are alike in keys.
    """
    from llm_wiki.core import config

    if key is not None and value is not None:
        config.set_value(key, value)
    loaded = config.load()
    if key is None:
        known = {name: loaded.get(name) for name in config.KEYS if "*" not in name}
        width = max(map(len, known))
        lines = [
            f"Configuration: {shown(loaded.path)}" + ("" if loaded.path.exists() else " (not written yet)")
        ]
        lines += [f"  {name:<{width}}  {'-' if v is None else v}" for name, v in sorted(known.items())]
        return Outcome({"path": str(loaded.path), "values": loaded.values}, "\n".join(lines))
    found = loaded.get(key)
    text = "" if found is None else str(found)
    return Outcome(
        {"path": str(loaded.path), "key": key, "value": found}, text, 0 if found is not None else 1
    )
