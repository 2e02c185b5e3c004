"""Renders the packages of all hosts from `claude-plugin*/`, `references/` and `profiles/hosts.yaml`.

`python -m llm_wiki.hosts.packages` writes them below `profiles/`; with `--check` it compares bytes
and changes nothing. The front matter of a command is its contract: `class, loads, verbs, gates`;
the host's tool lists follow from it and from the table of verbs. `files: ask` beside them leaves the
host's file tools out of what it may use unasked, for a command beside which a file must stay unread.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from llm_wiki import __version__
from llm_wiki.core.errors import WikiError
from llm_wiki.hosts.template import fill
from llm_wiki.model.document import body, page
from llm_wiki.ops.verbs import CLASSES

CHECKOUT = Path(__file__).resolve().parent.parent.parent.parent
CONTRACT = ("description", "argument-hint", "class", "loads", "verbs", "gates")
SESSIONS = "claude-plugin-sessions"
"""Source of the second plugin: who only wants the commands pays for no hook."""
WRITING = frozenset({"W1", "W2"})
"""Classes whose host tools include write and edit (`commands.md` §1)."""


def render(checkout: Path = CHECKOUT) -> dict[str, bytes]:
    """Return every package file by its path below `profiles/`, and the marketplace beside it.

    Raises `WikiError` for an unknown token, an unclosed block or an incomplete contract.
    """
    hosts: dict[str, Any] = yaml.safe_load((checkout / "profiles/hosts.yaml").read_text(encoding="utf-8"))
    files: dict[str, bytes] = {}
    for host, spelling in hosts.items():
        package = f"profiles/{spelling['package']}"
        for rel, data in _plugin(checkout, host, spelling).items():
            files[f"{package}/{rel}"] = data
        for rel, data in _sessions(checkout).items():
            files[f"profiles/{spelling['sessions']}/{rel}"] = data
    files[".claude-plugin/marketplace.json"] = _marketplace(checkout, hosts)
    return files


def _plugin(checkout: Path, host: str, spelling: Mapping[str, Any]) -> dict[str, bytes]:
    source = checkout / "claude-plugin"
    files = {".claude-plugin/plugin.json": _json(_manifest(checkout))}
    for path in sorted((source / "commands").glob("*.md")):
        files[f"commands/{path.name}"] = _command(path, host, spelling)
    for path in sorted([*(source / "agents").glob("*.md"), *(source / "skills").rglob("*.md")]):
        rel = path.relative_to(source).as_posix()
        files[rel] = fill(path.read_text(encoding="utf-8"), host, spelling, name=rel).encode()
    for path in sorted((checkout / "references").glob("*.md")):
        rel = f"references/{path.name}"
        files[rel] = fill(path.read_text(encoding="utf-8"), host, spelling, name=rel).encode()
    return files


def _sessions(checkout: Path) -> dict[str, bytes]:
    """Return the files of the plugin that holds the hooks and nothing else."""
    hooks = checkout / SESSIONS / "hooks"
    files = {f"hooks/{path.name}": path.read_bytes() for path in sorted(hooks.iterdir())}
    return {".claude-plugin/plugin.json": _json(_manifest(checkout, SESSIONS)), **files}


def _manifest(checkout: Path, source: str = "claude-plugin") -> dict[str, Any]:
    text = (checkout / source / "plugin.json").read_text(encoding="utf-8")
    manifest: dict[str, Any] = json.loads(text)
    return {"name": manifest["name"], "version": __version__, **manifest}


def _marketplace(checkout: Path, hosts: Mapping[str, Any]) -> bytes:
    plugins = []
    for source, package in (("claude-plugin", "package"), (SESSIONS, "sessions")):
        manifest = _manifest(checkout, source)
        entry = {
            "name": manifest["name"],
            "source": f"./profiles/{hosts['claude'][package]}",
            "description": manifest["description"],
            "version": __version__,
        }
        if "defaultEnabled" in manifest:
            entry["defaultEnabled"] = manifest["defaultEnabled"]
        plugins.append(entry)
    owner = {"name": manifest["author"]["name"]}
    words = "Topic wikis in plain Markdown, kept true by code."
    return _json({"name": "llm-wiki", "description": words, "owner": owner, "plugins": plugins})


def _command(path: Path, host: str, spelling: Mapping[str, Any]) -> bytes:
    rel = f"commands/{path.name}"
    data = path.read_bytes()
    contract = page(rel, data)
    missing = [key for key in CONTRACT if key not in contract.meta]
    if missing:
        raise WikiError(f"the contract lacks {', '.join(missing)}", path=rel, line=1)
    if contract.text("class") not in CLASSES:
        raise WikiError(f"unknown class {contract.text('class')!r}", path=rel, line=contract.lines["class"])
    tools = spelling["tools"]
    asks = contract.text("files") == "ask"
    allowed = [] if asks else [*tools["read"]]
    allowed += [tools["shell"].format(verb=verb) for verb in contract.items("verbs")]
    removed = [*tools["write"]] if contract.text("class") not in WRITING else []
    lines = ["---", f"description: {contract.text('description')}"]
    lines.append(f"argument-hint: {json.dumps(contract.text('argument-hint'))}")
    lines.append(f"allowed-tools: {', '.join(allowed)}")
    if removed:
        lines.append(f"disallowed-tools: {', '.join(removed)}")
    if contract.text("class") == "R0":
        # only a context of its own is offered fewer tools; elsewhere the host merely denies their use
        lines += ["context: fork", f"agent: {spelling['reader']}"]
    lines.append(f"class: {contract.text('class')}")
    lines += [f"{key}: [{', '.join(contract.items(key))}]" for key in ("loads", "verbs", "gates")]
    lines += ["files: ask"] if asks else []
    lines.append("---")
    return ("\n".join(lines) + "\n" + fill(body(data), host, spelling, name=rel)).encode()


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def stale(checkout: Path = CHECKOUT) -> list[str]:
    """Return the package files that are missing, differ or should not be there."""
    wanted = render(checkout)
    wrong = [
        rel
        for rel, data in wanted.items()
        if not (checkout / rel).is_file() or (checkout / rel).read_bytes() != data
    ]
    folders = {"/".join(rel.split("/")[:3]) for rel in wanted if rel.startswith("profiles/")}
    for folder in sorted(folders):
        for path in sorted((checkout / folder).rglob("*")):
            rel = path.relative_to(checkout).as_posix()
            if path.is_file() and rel not in wanted:
                wrong.append(rel)
    return wrong


def write(checkout: Path = CHECKOUT) -> list[str]:
    """Bring the packages in line with their source; return the files that changed."""
    wanted = render(checkout)
    changed = stale(checkout)
    for rel in changed:
        path = checkout / rel
        if rel not in wanted:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(wanted[rel])
    return changed


def main() -> int:
    """Write or check the packages; return the exit status."""
    if "--check" not in sys.argv[1:]:
        write()
        return 0
    wrong = stale()
    if wrong:
        sys.stderr.write(f"stale: {', '.join(wrong)}; run `make packages`\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
