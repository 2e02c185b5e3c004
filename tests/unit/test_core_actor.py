"""Who is a person: a name, a terminal on both ends, no agent (`memory.md` §5)."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import llm_wiki
from llm_wiki.core import actor

ASK = "from llm_wiki.core.actor import person; import os; os.write(2, repr(person()).encode())"


@pytest.fixture
def environment(tmp_path):
    """A configured name and no trace of an agent."""
    (tmp_path / "config.json").write_text('{"person": {"name": " Ada "}}')
    clean = {name: value for name, value in os.environ.items() if name not in actor.AGENT_MARKERS}
    package = str(Path(llm_wiki.__file__).parents[1])
    return clean | {"LLM_WIKI_CONFIG_DIR": str(tmp_path), "PYTHONPATH": package}


def ask(environment, *, stdin=True, stdout=True):
    """Ask a child whose stdin and stdout are a terminal, or not; it answers on stderr."""
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-c", ASK],
            env=environment,
            stdin=theirs if stdin else subprocess.DEVNULL,
            stdout=theirs if stdout else subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
            text=True,
        )
    finally:
        os.close(theirs)
        os.close(ours)
    return done.stderr.strip()


def test_a_named_user_at_a_terminal_is_a_person(environment):
    assert ask(environment) == "'Ada'"


def test_a_pipe_on_either_end_is_no_person(environment):
    assert ask(environment, stdin=False) == "None"
    assert ask(environment, stdout=False) == "None"


def test_without_a_name_there_is_no_person(environment, tmp_path):
    for text in ("{}", '{"person": {}}', '{"person": {"name": "  "}}'):
        (tmp_path / "config.json").write_text(text)
        assert ask(environment) == "None"


@pytest.mark.parametrize(
    "marker", ["CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "AI_AGENT", "LLM_WIKI_HARNESS"]
)
def test_an_agent_is_no_person(environment, marker):
    assert ask(environment | {marker: "1"}) == "None"


def test_every_marker_is_found_and_named(monkeypatch):
    for name in actor.AGENT_MARKERS:
        monkeypatch.delenv(name, raising=False)
    assert actor.agent_marker() is None
    for name in actor.AGENT_MARKERS:
        monkeypatch.setenv(name, "1")
        assert actor.agent_marker() == name
        monkeypatch.setenv(name, "")
        assert actor.agent_marker() is None


def test_a_broken_configuration_is_told(environment, tmp_path):
    (tmp_path / "config.json").write_text("[")
    assert "BadConfig" in ask(environment)
