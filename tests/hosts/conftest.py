"""A real Claude Code in a home of its own, with the plugin from this checkout and a scripted model."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from model_server import Model
from program import CHECKOUT, SCRIPTS

CLIENT = Path(__file__).parent / "node_modules/.bin/claude"
PLUGIN = "wiki@llm-wiki"


class Said(NamedTuple):
    exit: int
    out: str
    err: str


class Host:
    """One user of Claude Code: home, project folder, the client on PATH beside our program."""

    def __init__(self, base: Path, model: Model) -> None:
        self.home = base / "home"
        self.work = base / "work"
        bin_ = base / "bin"
        for folder in (self.home, self.work, bin_):
            folder.mkdir()
        program = bin_ / "llm-wiki"
        program.write_text(f'#!/bin/sh\nPYTHONPATH={SCRIPTS} exec {sys.executable} -P -m llm_wiki "$@"\n')
        program.chmod(0o755)
        self.model = model
        # nothing of the surroundings but the path: no key, no provider, no agent marker
        self.env = {
            "PATH": os.pathsep.join([str(bin_), str(CLIENT.parent), os.environ["PATH"]]),
            "HOME": str(self.home),
            "TERM": "dumb",
            "SHELL": "/bin/bash",
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": "dummy",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
        }

    def claude(self, *arguments: str) -> Said:
        done = subprocess.run(
            [str(CLIENT), *arguments], env=self.env, cwd=self.work, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        return Said(done.returncode, done.stdout, done.stderr)

    def wiki(self, *arguments: str) -> Said:
        done = subprocess.run(
            ["llm-wiki", *arguments], env=self.env, cwd=self.work, capture_output=True, text=True, check=False
        )
        return Said(done.returncode, done.stdout, done.stderr)

    def install(self) -> None:
        for arguments in (("marketplace", "add", str(CHECKOUT)), ("install", PLUGIN)):
            done = self.claude("plugin", *arguments)
            assert done.exit == 0, done

    def prompt(self, words: str, phrase: str, script) -> Said:
        """Type one prompt into a session of its own; `phrase` tells the conversation from the host's own."""
        self.model.play(phrase, script)
        return self.claude("-p", words)


@pytest.fixture
def model():
    served = Model()
    yield served
    served.close()


@pytest.fixture
def host(tmp_path, model):
    """A user with the example hub at ~/wiki; the plugin is not installed yet."""
    if not CLIENT.exists():
        pytest.fail("the host client is missing: `make test-hosts` installs it")
    user = Host(tmp_path, model)
    shutil.copytree(CHECKOUT / "wikis/example", user.home / "wiki")
    return user


@pytest.fixture
def installed(host):
    host.install()
    return host
