"""The second plugin: hooks and nothing else, off by default, silent without the program."""

import json
import os
import subprocess

import pytest
from program import CHECKOUT

from llm_wiki import __version__
from llm_wiki.hosts.setup.table import HOSTS

PLUGIN = CHECKOUT / "profiles/claude/wiki-sessions"
MANIFEST = json.loads((PLUGIN / ".claude-plugin/plugin.json").read_text())
HOOKS = json.loads((PLUGIN / "hooks/hooks.json").read_text())
PAYLOAD = b'{"hook_event_name": "Stop", "session_id": "s1"}'


def test_it_is_off_by_default_and_says_that_nothing_is_stored_until_enabled():
    entry = json.loads((CHECKOUT / ".claude-plugin/marketplace.json").read_text())["plugins"][1]
    for manifest in (MANIFEST, entry):
        assert manifest["defaultEnabled"] is False
        assert (manifest["name"], manifest["version"]) == ("wiki-sessions", __version__)
        assert "ff until enabled" in manifest["description"]
    assert "ff until enabled" in HOOKS["description"]
    assert (CHECKOUT / entry["source"]).resolve() == PLUGIN


def test_it_brings_hooks_and_no_command():
    assert sorted(path.relative_to(PLUGIN).as_posix() for path in PLUGIN.rglob("*") if path.is_file()) == [
        ".claude-plugin/plugin.json",
        "hooks/hooks.json",
        "hooks/run.sh",
    ]


def test_plugin_and_setup_ask_for_the_same_events():
    events = {event.name: event for event in HOSTS["claude"].events}
    assert list(HOOKS["hooks"]) == list(events)
    for name, groups in HOOKS["hooks"].items():
        (hook,) = groups[0]["hooks"]
        assert hook.get("async", False) is events[name].background
        assert hook["timeout"] == events[name].timeout


def test_the_command_names_no_version_and_no_path_of_a_machine():
    commands = {hook["command"] for groups in HOOKS["hooks"].values() for hook in groups[0]["hooks"]}
    assert commands == {'sh "${CLAUDE_PLUGIN_ROOT}/hooks/run.sh"'}
    assert __version__ not in (PLUGIN / "hooks/run.sh").read_text()


def _run(home, path="/usr/bin:/bin"):
    done = subprocess.run(
        ["sh", str(PLUGIN / "hooks/run.sh")], input=PAYLOAD, capture_output=True, check=False, timeout=60,
        env={"HOME": str(home), "PATH": path},
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def _stub(folder, text):
    folder.mkdir(parents=True)
    program = folder / "llm-wiki-hook"
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)


def test_without_the_program_it_is_silent_and_succeeds(tmp_path):
    assert _run(tmp_path) == (0, b"", b"")


@pytest.mark.parametrize("place", ["bin", ".local/bin"])
def test_the_program_gets_the_event_and_its_answer_goes_to_the_host(tmp_path, place):
    _stub(tmp_path / place, 'echo "$*"; cat')
    assert _run(tmp_path, f"/usr/bin:/bin:{tmp_path}/bin") == (0, b"--harness auto\n" + PAYLOAD, b"")


@pytest.mark.parametrize("fault", ["exit 2", "kill -9 $$", "exec /gone/python"])
def test_a_program_that_fails_is_no_failure_of_the_host(tmp_path, fault):
    _stub(tmp_path / "bin", fault)
    code, out, _ = _run(tmp_path, f"{os.defpath}:{tmp_path}/bin")
    assert (code, out) == (0, b"")
