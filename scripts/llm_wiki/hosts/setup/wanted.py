"""What a host's files shall hold: entries of `hooks`, or whole files of our own."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

from llm_wiki.hosts.setup.jsonedit import fresh
from llm_wiki.hosts.setup.program import Program, command, locate
from llm_wiki.hosts.setup.table import Event, Host, target

FILES: Final = Path(__file__).parent / "files"
_HOOK: Final = '"{{hook}}"'
_VERSION_SECONDS: Final = 10
_VERSION: Final = re.compile(r"(\d+)\.\d+\.\d+")


def entry(host: Host, event: Event, program: Program) -> dict[str, Any]:
    """Return one item of `hooks.EVENT` as the host reads it."""
    line = command(program.path, host.name)
    if host.form == "file":
        return {"type": "command", "bash": line, "timeoutSec": event.timeout}
    hook: dict[str, Any] = {"type": "command", "command": line, "timeout": event.timeout}
    if event.background:
        hook["async"] = True
    return {"hooks": [hook]}


def entries(host: Host, program: Program) -> dict[str, list[dict[str, Any]]]:
    """Return the object `hooks` as a file of our own has it."""
    return {event.name: [entry(host, event, program)] for event in host.events}


def whole(host: Host, program: Program) -> bytes:
    """Return the bytes of a file that is all ours."""
    if host.form == "file":
        return fresh({"version": 1, "hooks": entries(host, program)}).encode()
    name = "pi.js" if host.form == "extension" else f"opencode{generation()}.js"
    text = "".join((FILES / part).read_text(encoding="utf-8") for part in ("send.js", name))
    return text.replace(_HOOK, json.dumps(program.path, ensure_ascii=True)).encode()


def generation() -> int:
    """Return which form of plugin the installed OpenCode loads: 2 from version 2 on, else 1."""
    program = shutil.which("opencode")
    if not program:
        return 1
    try:
        done = subprocess.run(  # noqa: S603 - the host's own program, asked for its version
            [program, "--version"], capture_output=True, timeout=_VERSION_SECONDS, check=False, text=True
        )
    except (OSError, subprocess.SubprocessError, ValueError):
        return 1
    match = _VERSION.search(done.stdout)
    return 2 if match and int(match[1]) >= 2 else 1


def printed(host: Host) -> tuple[Path, str]:
    """Return the file setup would write and what it would put there. Raises WikiError without a program."""
    program = locate()
    if host.form == "entries":
        return target(host), fresh({"hooks": entries(host, program)})
    return target(host), whole(host, program).decode()
