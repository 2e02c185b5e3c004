"""Drives `llm-wiki-hook` as a host does: a process an event, JSON on stdin, its own home."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

PACKAGE = Path(__file__).parents[1] / "scripts"
CODE = "import sys; sys.path.insert(0, sys.argv.pop(1)); from llm_wiki.hook.main import main; main()"


class Said(NamedTuple):
    """What came back: exit code, stdout, stderr."""

    code: int
    out: str
    err: str


class Desk:
    """One home with a hub, and a project whose sessions are captured."""

    def __init__(self, base: Path, *, level: str | None = "notes", **config: Any) -> None:
        self.home = base / "home"
        self.hub = self.home / "wiki"
        self.project = base / "project"
        self.project.mkdir(parents=True)
        self.home.mkdir()
        self.sessions = self.hub / ".sessions"
        if level is not None:
            self.configure({"enabled": level != "off", "words": level == "words"} | config)

    def configure(self, value: Any) -> None:
        """Write the switch as it is given: an object as JSON, text and bytes as they are."""
        self.sessions.mkdir(parents=True, exist_ok=True)
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        (self.sessions / "config.json").write_bytes(data)

    def environment(self, **more: str) -> dict[str, str]:
        """Return the environment of a host: no variable of this process but PATH."""
        return {"HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"} | more

    def hook(self, payload: Any, *args: str, cwd: Path | None = None, **more: str) -> Said:
        """Send one event; `payload` is an object, or bytes as they are."""
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        with TemporaryFile() as given:  # a pipe would make it wait for this process, which is busy too
            given.write(data)
            given.seek(0)
            done = subprocess.run(
                [sys.executable, "-c", CODE, str(PACKAGE), *args],
                stdin=given,
                capture_output=True,
                cwd=cwd or self.project,
                env=self.environment(**more),
                timeout=60,
                check=False,
            )
        return Said(done.returncode, done.stdout.decode(), done.stderr.decode())

    def many(self, payloads: list[Any], *args: str, width: int = 20) -> list[Said]:
        """Send events in parallel."""
        with ThreadPoolExecutor(width) as pool:
            return list(pool.map(lambda payload: self.hook(payload, *args), payloads))

    def event(self, name: str, session: str = "s1", **more: Any) -> dict[str, Any]:
        """Return a payload as Claude Code sends it."""
        return {
            "session_id": session,
            "hook_event_name": name,
            "cwd": str(self.project),
            "transcript_path": f"{self.home}/.claude/projects/-p/{session}.jsonl",
        } | more

    def tool(self, number: int, session: str = "s1", command: str = "ls", **more: Any) -> dict[str, Any]:
        """Return the payload of one finished tool call."""
        given = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": f"toolu_{number}"}
        return self.event("PostToolUse", session, **(given | more))

    def rows(self, *parts: str) -> list[dict[str, Any]]:
        """Return the rows of a JSONL file below `.sessions/`; every line must be whole."""
        path = self.sessions.joinpath(*parts)
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def queue(self) -> list[dict[str, Any]]:
        """Return every queue row, day after day."""
        days = sorted((self.sessions / "queue").glob("*.jsonl"))
        return [json.loads(line) for day in days for line in day.read_text().splitlines()]

    def state(self, session: str = "s1", harness: str = "claude") -> dict[str, Any]:
        """Return a session's state."""
        return json.loads((self.sessions / "state" / harness / f"{session}.json").read_text())

    def states(self) -> list[Path]:
        """Return the state files."""
        return sorted((self.sessions / "state").glob("*/*.json"))

    def written(self) -> bytes:
        """Return every byte below the home, names included, to look for what must not be there."""
        parts = [str(path).encode() for path in self.home.rglob("*")]
        return b"\n".join(parts + [path.read_bytes() for path in self.home.rglob("*") if path.is_file()])

    def log(self) -> str:
        """Return the error log, "" without one."""
        path = self.sessions / "hook-errors.log"
        return path.read_text() if path.exists() else ""
