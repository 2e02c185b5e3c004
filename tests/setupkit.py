"""A home whose hosts are set up: its folders, its programs, nothing of this machine's."""

from pathlib import Path

VARIABLES = (
    "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "PI_CODING_AGENT_DIR", "XDG_CONFIG_HOME",
    "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "LLM_WIKI_CONFIG_DIR", "LLM_WIKI_SESSIONS",
)  # fmt: skip
FILES = {
    "claude": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "copilot": ".copilot/hooks/llm-wiki.json",
    "opencode": ".config/opencode/plugins/llm-wiki.js",
    "pi": ".pi/agent/extensions/llm-wiki.ts",
    "omp": ".omp/agent/extensions/llm-wiki.ts",
}
OURS = ".local/state"
"""Where the product itself keeps what it must: no folder of a host."""


def settle(home: Path, monkeypatch) -> Path:
    """Make `home` the home of this process, with no host on PATH."""
    home.mkdir(parents=True, exist_ok=True)
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("XDG_STATE_HOME", str(home / OURS))
    return home


def hosts_files(home: Path) -> dict[str, bytes | str]:
    """Map every path of the home but the product's own to its bytes; folders and links to what they are."""
    found = {}
    for path in sorted(home.rglob("*")):
        rel = path.relative_to(home).as_posix()
        if rel.startswith(".local"):
            continue
        if path.is_symlink():
            found[rel] = f"link to {path.readlink()}"
        else:
            found[rel] = path.read_bytes() if path.is_file() else "folder"
    return found
