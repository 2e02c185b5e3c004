"""Who acts: the only test of whether a person is at the keyboard (`memory.md` §5)."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence

from llm_wiki.core import config
from llm_wiki.core.errors import Refused

AGENT_MARKERS = (
    "AGENT",
    "AI_AGENT",
    "ANTIGRAVITY_AGENT",
    "AUGMENT_AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_PLUGIN_ROOT",
    "CLINE_ACTIVE",
    "CODEX_CI",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "COPILOT_AGENT_SESSION_ID",
    "COPILOT_CLI",
    "CURSOR_AGENT",
    "GEMINI_CLI",
    "LLM_WIKI_HARNESS",
    "OMPCODE",
    "OPENCODE",
    "OPENCODE_SERVER",
    "PI_CODING_AGENT",
    "QWEN_CODE",
    "TRAE_AI_SHELL_ID",
)
"""Variables that hosts of coding agents set for the commands they run. Their presence only ever
takes rights away, so a name too many costs a question and a name too few costs nothing else."""


def agent_marker() -> str | None:
    """Return the name of an environment variable that tells of a coding agent, or None."""
    return next((name for name in AGENT_MARKERS if os.environ.get(name, "").strip()), None)


def person() -> str | None:
    """Return the name of the person who acts, or None when it is not known to be one.

    A person has a name in the configuration (`person.name`), a terminal on stdin and stdout,
    and no agent marker in the environment. Pipes, hooks, servers and `--yes` never are one.
    Raises `BadConfig` when the configuration cannot be read.
    """
    if agent_marker() is not None or not (_terminal(sys.stdin) and _terminal(sys.stdout)):
        return None
    return _name() or None


def require(words: Sequence[str]) -> str:
    """Return the name of the person who acts; `words` are what a person can run who is not here.

    Raises Refused with that line for everybody else.
    """
    who = person()
    if who is not None:
        return who
    if agent_marker() is None and not named():
        raise Refused(
            "deciding needs a person with a name",
            remedy="llm-wiki config person.name 'YOUR NAME', then run it again at a terminal",
        )
    raise Refused("only a person decides, at a terminal", remedy=f"run it yourself: {shlex.join(words)}")


def named() -> bool:
    """Tell whether the configuration knows a name for the person at this machine."""
    return bool(_name())


def _name() -> str:
    name = config.load().get("person.name")
    return name.strip() if isinstance(name, str) else ""


def _terminal(stream: object) -> bool:
    try:
        return bool(stream.isatty())  # type: ignore[attr-defined]
    except (AttributeError, ValueError):  # no stream at all, or a closed one
        return False
