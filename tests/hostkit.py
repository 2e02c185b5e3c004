"""A user of a host client: a home, a project folder, our program on PATH, and what it has written there."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from model_server import Model, shell, text
from program import CHECKOUT, SCRIPTS

CLIENT = CHECKOUT / "tests/hosts/node_modules/.bin/claude"
PLUGIN = "wiki@llm-wiki"
CONTEXT = "as llm-wiki counted them"
"""Words of the line that opens what a session is told of earlier ones."""


class Said(NamedTuple):
    exit: int
    out: str
    err: str


class User:
    """One user; nothing of the surroundings is in `env` but the path: no key, no provider, no agent marker."""

    def __init__(self, base: Path, model: Model, client: Path, **env: str) -> None:
        self.home = base / "home"
        self.work = base / "work"
        bin_ = base / "bin"
        for folder in (self.home, self.work, bin_):
            folder.mkdir(parents=True)
        for name, module in (("llm-wiki", "llm_wiki"), ("llm-wiki-hook", "llm_wiki.hook.main")):
            program = bin_ / name
            program.write_text(f'#!/bin/sh\nPYTHONPATH={SCRIPTS} exec {sys.executable} -P -m {module} "$@"\n')
            program.chmod(0o755)
        self.model = model
        self.env = {
            "PATH": os.pathsep.join([str(bin_), str(client.parent), os.environ["PATH"]]),
            "HOME": str(self.home),
            "TERM": "dumb",
            "SHELL": "/bin/bash",
            **env,
        }

    def run(self, *command: str, cwd: Path | None = None, timeout: float = 120) -> Said:
        done = subprocess.run(
            command, env=self.env, cwd=cwd or self.work, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False, timeout=timeout,
        )  # fmt: skip
        return Said(done.returncode, done.stdout, done.stderr)

    def wiki(self, *arguments: str, cwd: Path | None = None) -> Said:
        return self.run("llm-wiki", *arguments, cwd=cwd)

    def ok(self, *arguments: str) -> Said:
        done = self.wiki(*arguments)
        assert done.exit == 0, (arguments, done)
        return done

    # ---- what was captured ----

    @property
    def sessions(self) -> Path:
        return self.home / "wiki/.sessions"

    def rows(self) -> list[dict]:
        """The rows of the queue in the order in which they were written."""
        days = sorted((self.sessions / "queue").glob("*.jsonl"))
        return [json.loads(line) for day in days for line in day.read_text().splitlines()]

    def states(self) -> dict[str, dict]:
        """The states by the session's own id."""
        found = [json.loads(path.read_text()) for path in (self.sessions / "state").rglob("*.json")]
        return {state["native_session_id"]: state for state in found}

    def await_rows(self, count: int) -> None:
        """Wait until so many rows are written: hooks in the background end with the client, done or not."""
        end = time.monotonic() + 60
        while len(self.rows()) < count and time.monotonic() < end:
            time.sleep(0.05)

    def written(self) -> bytes:
        """Names and bytes of all that the program may have written: the hub and its own folders."""
        places = [self.home / "wiki", self.home / ".config/llm-wiki", self.home / ".local/state",
                  self.home / ".cache/llm-wiki", self.home / ".local/share/llm-wiki"]  # fmt: skip
        found = [path for place in places if place.exists() for path in sorted(place.rglob("*"))]
        return b"\n".join(
            [os.fsencode(path) for path in found] + [path.read_bytes() for path in found if path.is_file()]
        )

    def sent(self) -> str:
        """Everything the host has sent to the model since the script began, as one text."""
        return json.dumps(self.model.all, ensure_ascii=False)


class Host(User):
    """One user of Claude Code."""

    def __init__(self, base: Path, model: Model) -> None:
        if not CLIENT.exists():
            pytest.fail("the host client is missing: `make test-hosts` installs it")
        super().__init__(
            base, model, CLIENT,
            ANTHROPIC_BASE_URL=model.url,
            ANTHROPIC_API_KEY="dummy",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
            DISABLE_AUTOUPDATER="1",
            DISABLE_TELEMETRY="1",
            DISABLE_ERROR_REPORTING="1",
        )  # fmt: skip

    def claude(self, *arguments: str) -> Said:
        return self.run(str(CLIENT), *arguments)

    def install(self, *plugins: str) -> None:
        steps = [("marketplace", "add", str(CHECKOUT)), *(("install", name) for name in plugins or (PLUGIN,))]
        for arguments in steps:
            done = self.claude("plugin", *arguments)
            assert done.exit == 0, done

    def prompt(self, words: str, phrase: str, script, *options: str) -> Said:
        """Type one prompt; `phrase` tells the conversation from the host's own."""
        self.model.play(phrase, script)
        done = self.claude("-p", *options, words)
        if self.model.failed is not None:
            raise AssertionError(done) from self.model.failed
        return done


def work(user, token="", start=0):
    """Call a tool that succeeds and one that fails; answer once both are counted, after `start` earlier rows.

    A client that ends while hooks run in the background kills them, and may then skip its last event.
    """

    def script(turn, _results):
        if turn < 2:
            return [shell(f"echo good {token}"), shell(f"cat missing-{token}")][turn]
        user.await_rows(start + 4)
        return text(f"Done. {token}")

    return script


def lived(user: User, model: Model, stages) -> SimpleNamespace:
    """Live the stages of a user's sessions once, for many tests to look at; the model ends with them."""
    try:
        return SimpleNamespace(user=user, **stages(user))
    finally:
        model.close()
