"""`llm-wiki paths`."""

from __future__ import annotations

import click

from llm_wiki.cli.mark import Target, json_option, shown, target_options, verb
from llm_wiki.cli.output import Outcome, error_text, say


@click.command()
@target_options(path=False, archived=False)
@json_option
@verb("R0", name="paths")
def command(target: Target) -> Outcome:
    """List every folder llm-wiki uses: its size, who shares it, how to remove it."""
    from llm_wiki.core.errors import WikiError
    from llm_wiki.hosts.setup.report import touched
    from llm_wiki.ops.folders import folders, human
    from llm_wiki.wiki.resolve import find_hub

    hub = find_hub(target.hub)
    try:
        root = target.resolve().path
    except WikiError:
        root = None
    found = folders(hub if hub.is_dir() else None, root)
    lines = []
    for f in found:
        lines.append(f"{f.name}: {shown(f.path)}" + ("" if f.exists else " (not there)"))
        share = "shared with whoever has the folder" if f.shared else "private to this machine"
        lines.append(f"    {f.holds}; {share}; {f.files} files, {human(f.size)}")
        lines.append(f"    to remove: {f.remove}")
    records = []
    try:
        records = touched()
    except WikiError as error:
        say(error_text(error))
    for record in records:
        lines.append(f"hooks in {record['host']}: {shown(record['path'])}")
        kept = ", ".join(map(shown, record["backups"])) or "none"
        lines.append(f"    a file of the host that setup edited or made; backups: {kept}")
        lines.append(f"    to remove: llm-wiki setup --remove {record['host']}")
    data = {
        "host_files": [
            {"host": r["host"], "path": r["path"], "backups": r["backups"],
             "remove": f"llm-wiki setup --remove {r['host']}"}
            for r in records
        ],
        "folders": [
            {"name": f.name, "path": str(f.path), "exists": f.exists, "files": f.files, "bytes": f.size,
             "shared": f.shared, "holds": f.holds, "remove": f.remove}
            for f in found
        ],
    }  # fmt: skip
    return Outcome(data, "\n".join(lines))
