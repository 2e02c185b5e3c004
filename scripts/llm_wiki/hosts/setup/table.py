"""The hosts setup knows: their folders, their programs, the events that are registered (`hosts.md` §1)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple


class Event(NamedTuple):
    """One event a host is to report: its name there, how long it may wait in seconds, in the background."""

    name: str
    timeout: int = 5
    background: bool = False


class Host(NamedTuple):
    """One host. `home` is its folder, after the variable that moves it; `programs` its names on PATH.

    `form` says what setup writes: `entries` (members of `hooks` in a shared file), `file` (a file of our own
    with such members), `plugin` or `extension` (code of our own).
    """

    name: str
    title: str
    programs: tuple[str, ...]
    variable: str
    home: str
    file: str
    form: str
    events: tuple[Event, ...]
    afterwards: str


_CLAUDE: Final = (
    Event("SessionStart"),
    Event("UserPromptSubmit"),
    Event("PostToolUse", background=True),
    Event("PostToolUseFailure", background=True),
    Event("PreCompact"),
    Event("PostCompact"),
    Event("Stop"),
    Event("SessionEnd"),
)
_CODEX: Final = (
    Event("SessionStart"),
    Event("UserPromptSubmit"),
    Event("PostToolUse"),
    Event("PreCompact"),
    Event("PostCompact"),
    Event("Stop"),
    Event("SessionEnd", timeout=3),
)
_COPILOT: Final = (
    Event("SessionStart"),
    Event("UserPromptSubmit"),
    Event("PostToolUse"),
    Event("PostToolUseFailure"),
    Event("PreCompact"),
    Event("Stop"),
    Event("SessionEnd", timeout=3),
)

_ALL: Final = (
    Host(
        "claude", "Claude Code", ("claude",), "CLAUDE_CONFIG_DIR", "~/.claude",
        "settings.json", "entries", _CLAUDE, "",
    ),
    Host(
        "codex", "Codex", ("codex",), "CODEX_HOME", "~/.codex",
        "hooks.json", "entries", _CODEX,
        "Codex runs hooks only after you trust them: open Codex, type /hooks and trust the new ones. "
        "Until then `codex exec` skips them without a word.",
    ),
    Host(
        "copilot", "GitHub Copilot CLI", ("copilot",), "COPILOT_HOME", "~/.copilot",
        "hooks/llm-wiki.json", "file", _COPILOT, "",
    ),
    Host(
        "opencode", "OpenCode", ("opencode",), "", "~/.config/opencode",
        "plugins/llm-wiki.js", "plugin", (),
        "OpenCode loads plugins when it starts: start it again.",
    ),
    Host(
        "pi", "pi", ("pi",), "PI_CODING_AGENT_DIR", "~/.pi/agent",
        "extensions/llm-wiki.ts", "extension", (),
        "pi loads extensions when it starts: start it again, or type /reload.",
    ),
    Host(
        "omp", "omp", ("omp",), "PI_CODING_AGENT_DIR", "~/.omp/agent",
        "extensions/llm-wiki.ts", "extension", (),
        "omp loads extensions when it starts: start it again.",
    ),
)  # fmt: skip
HOSTS: Final[Mapping[str, Host]] = {host.name: host for host in _ALL}
"""Every host by its name, in the order of `setup all`."""


def folder(host: Host) -> Path:
    """Return the host's configuration folder, where its variable or the XDG specification puts it."""
    given = os.environ.get(host.variable, "").strip() if host.variable else ""
    if given:
        return Path.cwd() / Path(given).expanduser()
    base = os.environ.get("XDG_CONFIG_HOME", "")
    if host.name == "opencode" and Path(base).is_absolute():
        return Path(base) / "opencode"
    return Path(host.home).expanduser()


def target(host: Host) -> Path:
    """Return the file of a host that setup writes."""
    return folder(host) / host.file


def present(host: Host) -> str:
    """Return how one knows that a host is installed (a program or a folder), "" when nothing says so."""
    for name in host.programs:
        found = shutil.which(name)
        if found:
            return found
    places = [folder(host)]
    if host.name == "opencode":  # used, though never configured
        base = os.environ.get("XDG_DATA_HOME", "")
        data = Path(base) if Path(base).is_absolute() else Path("~/.local/share").expanduser()
        places.append(data / "opencode")
    if host.name == "omp" and os.environ.get(host.variable, "").strip():
        return ""  # the folder may be that of pi
    return next((str(place) for place in places if place.is_dir()), "")
