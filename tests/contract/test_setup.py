"""`setup` and `hooks` as a user meets them: what they say, what they leave, how they end."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from program import Program
from setupkit import FILES, hosts_files

NEXT = "llm-wiki capture notes"


@pytest.fixture
def user(tmp_path):
    return Program(tmp_path)


def _files(user):
    return hosts_files(user.home)


def test_setup_without_a_host_names_them_and_writes_nothing(user):
    before = _files(user)
    done = user("setup")
    assert done.exit == 2
    assert "claude, codex, copilot, opencode, pi, omp or all" in done.err
    assert _files(user) == before


def test_all_without_any_host_says_so_and_writes_nothing(user):
    before = _files(user)
    done = user.ok("setup", "all")
    assert done.out.count("not installed here, skipped") == len(FILES)
    assert _files(user) == before


@pytest.mark.parametrize("host", FILES)
def test_a_host_is_set_up_shown_and_taken_out_again(user, host):
    before = _files(user)
    planned = user.ok("setup", host, "--dry-run", "--json").json
    assert _files(user) == before
    done = user.ok("setup", host, "--no-mcp", "--hooks-only")
    assert FILES[host] in done.out
    assert "capture is off until enabled" in done.out
    assert NEXT in done.out
    assert "hooks only" in done.out
    assert ("type /hooks" in done.out) == (host == "codex")
    again = user.ok("setup", host, "--json").json
    assert [step["action"] for step in again["hosts"][0]["steps"]] == ["keep"] * len(
        planned["hosts"][0]["steps"]
    )
    shown = {one["host"]: one for one in user.ok("setup", "--status", "--json").json["hosts"]}
    assert [name for name, one in shown.items() if one["state"] == "complete"] == [host]
    assert user.ok("setup", "--status", "--json").json["level"] == "off"
    user.ok("setup", "--remove", host)
    assert _files(user) == before
    assert user("setup", "--remove", host).exit == 1


def test_setup_switches_no_capture_on(user):
    user.ok("setup", "claude", "codex", "copilot", "opencode", "pi", "omp")
    assert not user.hub.exists()
    assert "off until enabled" in user.ok("setup", "--status").out


def test_hooks_is_the_same_under_other_names(user):
    before = _files(user)
    user.ok("hooks", "install", "claude", "--dry-run")
    assert _files(user) == before
    user.ok("hooks", "install", "claude")
    one = _files(user)
    assert "Claude Code: set up" in user.ok("hooks", "status").out
    printed = user.ok("hooks", "print", "claude").out
    assert json.loads(printed) == json.loads((user.home / FILES["claude"]).read_text())
    user.ok("hooks", "uninstall", "claude")
    assert _files(user) == before
    user.ok("setup", "claude", "--hooks-only")
    assert _files(user) == one


@pytest.mark.parametrize("host", FILES)
def test_what_is_printed_is_what_setup_writes(user, host):
    printed = user.ok("hooks", "print", host).out
    assert not (user.home / FILES[host]).exists()
    user.ok("setup", host)
    assert (user.home / FILES[host]).read_text() == printed


def test_a_broken_settings_file_ends_with_2_and_its_line_and_stays(user):
    path = user.home / FILES["claude"]
    path.parent.mkdir()
    path.write_text('{\n  "a": 1,\n}}\n')
    done = user("setup", "claude", "--json")
    assert done.exit == 2
    assert (done.json["error"]["path"], done.json["error"]["line"]) == (str(path), 3)
    assert done.json["error"]["remedy"]
    assert path.read_text() == '{\n  "a": 1,\n}}\n'
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    both = user("setup", "claude", "codex")
    assert both.exit == 2
    assert (user.home / FILES["codex"]).exists()


def test_a_file_of_somebody_else_ends_with_4_and_stays(user):
    path = user.home / FILES["copilot"]
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    assert user("setup", "copilot").exit == 4
    assert path.read_text() == "{}"


def test_removal_that_leaves_something_ends_with_2_and_names_it(user):
    user.ok("setup", "claude")
    path = user.home / FILES["claude"]
    path.write_text(path.read_text().replace('"timeout": 5', '"timeout": 6', 1))
    done = user("setup", "--remove")
    assert done.exit == 2
    assert "/hooks/SessionStart/0" in done.out
    assert list(json.loads(path.read_text())["hooks"]) == ["SessionStart"]


@pytest.mark.parametrize(
    "arguments", [["--status", "claude"], ["--status", "--remove"], ["cursor"], ["--remove", "cursor"]]
)
def test_arguments_that_make_no_sense_end_with_2(user, arguments):
    assert user("setup", *arguments).exit == 2


def test_doctor_and_paths_know_of_hooks(user):
    assert "none is set up" in user.ok("doctor").out
    (user.home / ".claude").mkdir()
    (user.home / FILES["claude"]).write_text("{}")
    user.ok("setup", "claude")
    assert "hooks of Claude Code" in user.ok("doctor").out
    listed = user.ok("paths", "--json").json["host_files"]
    assert [entry["host"] for entry in listed] == ["claude"]
    assert all(Path(name).is_file() for name in listed[0]["backups"])
    assert "setup --remove claude" in user.ok("paths").out
    path = user.home / FILES["claude"]
    path.write_text(path.read_text().replace("/llm-wiki-hook ", "/gone/llm-wiki-hook "))
    assert user("doctor").exit == 1


SHELLS = [name for name in ("sh", "bash", "dash", "zsh", "fish") if shutil.which(name)]


def _entry(user, host):
    """Return the command line a host runs, as it stands in its file."""
    hooks = json.loads((user.home / FILES[host]).read_text())["hooks"]["SessionStart"][0]
    return hooks["bash"] if host == "copilot" else hooks["hooks"][0]["command"]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("host", ["claude", "codex", "copilot"])
def test_the_command_reaches_the_hook_under_every_shell_once_capture_is_on(user, host, shell):
    user.ok("setup", host)
    payload = {
        "hook_event_name": "SessionStart",
        "session_id": "s1",
        "cwd": str(user.here),
        "source": "startup",
    }

    def told():
        return subprocess.run(
            [shell, "-c", _entry(user, host)], input=json.dumps(payload).encode(), capture_output=True,
            env=user.env, cwd=user.here, check=False, timeout=60,
        )  # fmt: skip

    done = told()
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not user.hub.exists()
    (user.hub / ".sessions").mkdir(parents=True)
    (user.hub / ".sessions/config.json").write_text('{"enabled": true}')
    assert told().returncode == 0
    assert (user.hub / f".sessions/state/{host}/s1.json").is_file()


def test_the_command_is_silent_once_the_program_is_gone(user, tmp_path):
    user.ok("setup", "claude")
    line = _entry(user, "claude")
    words = line.split()
    program = next(word for word in words if word.endswith("llm-wiki-hook"))
    done = subprocess.run(
        ["sh", "-c", line.replace(program, str(tmp_path / "gone"))], input=b"{}", capture_output=True,
        env=user.env, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
