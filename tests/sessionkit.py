"""A home whose sessions come from real hooks, and the verbs that look after them, as processes of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hookkit import PACKAGE, Desk
from program import Done


class Room(Desk):
    """A desk with the command line."""

    def cli(
        self,
        *arguments: Any,
        stdin: bytes = b"",
        cwd: Path | None = None,
        module: str = "llm_wiki",
        **env: str,
    ) -> Done:
        done = subprocess.run(
            [sys.executable, "-P", "-m", module, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            cwd=cwd or self.project,
            env=self.environment(PYTHONPATH=str(PACKAGE), **env),
            timeout=120,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def ok(self, *arguments: Any, **more: Any) -> Done:
        done = self.cli(*arguments, **more)
        assert done.exit == 0, (arguments, done)
        return done

    def old(self, *arguments: Any, **more: Any) -> Done:
        """Run `llm-wiki-session`."""
        return self.cli(*arguments, module="llm_wiki.cli.session_program", **more)

    def at_once(self, calls: list[list[Any]], width: int = 20) -> list[Done]:
        """Run several command lines in parallel."""
        with ThreadPoolExecutor(width) as pool:
            return list(pool.map(lambda call: self.cli(*call), calls))

    def finished(self, session: str, cwd: Path | None = None, tools: int = 1, **env: str) -> None:
        """Leave a session with a digest in a folder."""
        where = str(cwd or self.project)
        for number in range(tools):
            self.hook(self.tool(number, session) | {"cwd": where}, cwd=cwd, **env)
        self.hook(self.event("SessionEnd", session) | {"cwd": where}, cwd=cwd, **env)

    def topic(self, slug: str = "tea") -> Path:
        self.ok("init", slug)
        return self.hub / "topics" / slug

    def all_rows(self, *parts: str) -> list[dict[str, Any]]:
        """Return the rows of a file of lines, blank ones passed over."""
        path = self.sessions.joinpath(*parts)
        lines = path.read_bytes().split(b"\n") if path.exists() else []
        return [json.loads(line) for line in lines if line.strip()]

    def write_state(self, session: str, **values: Any) -> None:
        path = self.sessions / "state" / "claude" / f"{session}.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | values, indent=2, sort_keys=True) + "\n")


def digest_of(room: Room, session: str) -> Path:
    return room.hub / room.state(session)["last_digest_path"]
