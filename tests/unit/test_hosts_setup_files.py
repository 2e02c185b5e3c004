"""Setup of hosts: edits nobody has to fear, because they can be counted and taken back."""

import json
import os
import stat
from contextlib import suppress
from itertools import pairwise

import pytest
from setupkit import FILES, hosts_files, settle

from llm_wiki.core.errors import BadConfig, BadUsage, NothingFound, Refused, WikiError
from llm_wiki.hosts.setup import apply, health, manifest, program, report, run, wanted
from llm_wiki.hosts.setup.table import HOSTS, present, target

SHARED = ("claude", "codex")
OWN = ("copilot", "opencode", "pi", "omp")


@pytest.fixture
def home(tmp_path, monkeypatch):
    return settle(tmp_path / "home", monkeypatch)


def _file(home, host):
    path = home / FILES[host]
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _install(*names, **more):
    return run.install(names, **more)[1]


def _steps(done):
    return [(step.action, step.pointer) for one in done for step in one.steps]


MINE = '{"hooks": [{"type": "command", "command": "beep"}]}'
BEFORE = {
    "empty": b"",
    "blanks": b"\n  \n",
    "an empty object": b"{}",
    "an empty object, tall": b"{\n}\n",
    "settings without hooks": b'{\n  "model": "x",\n  "permissions": {"allow": ["Bash(ls)"]}\n}\n',
    "no newline at the end": b'{\n  "model": "x"\n}',
    "CRLF and tabs": b'{\r\n\t"model": "x",\r\n\t"hooks": {}\r\n}\r\n',
    "comments": b'// settings\n{\n  "model": "x", // mine\n  /* hooks */\n  "hooks": {\n    // none yet\n  },\n}\n',
    "hooks of the user": (
        '{\n  "hooks": {\n    "Stop": [\n      ' + MINE + '\n    ],\n    "PreToolUse": []\n  },\n  "z": 1\n}\n'
    ).encode(),
    "hooks in odd order, on one line": ('{"b":1,"hooks":{"Stop":[' + MINE + ']},"a":2}').encode(),
    "nested and matched hooks": json.dumps(
        {"hooks": {"PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "x"}]}]}},
        indent=4,
    ).encode(),
    "byte order mark": b'\xef\xbb\xbf{\n  "model": "x"\n}\n',
    "letters of every script": '{\n  "name": "Zoë 名",\n  "e": "\\u00e9"\n}\n'.encode(),
}  # fmt: skip


@pytest.mark.parametrize("host", SHARED)
@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_every_event_is_put_in_a_second_run_changes_no_byte_and_removal_gives_the_bytes_back(
    home, host, before
):
    path = _file(home, host)
    path.write_bytes(before)
    at_first = hosts_files(home)
    done = _install(host)
    after = path.read_bytes()
    hooks = json.loads(_plain(after))["hooks"]
    for event in HOSTS[host].events:
        assert wanted.entry(HOSTS[host], event, program.locate()) in hooks[event.name]
    assert done[0].backup.read_bytes() == before
    second = hosts_files(home), manifest.place().read_bytes()
    assert {action for action, _ in _steps(_install(host))} == {"keep"}
    assert (hosts_files(home), manifest.place().read_bytes()) == second
    run.remove([host])
    assert hosts_files(home) == at_first
    assert not manifest.place().exists()


def _plain(data):
    """Return JSON with comments as plain JSON, by means of the reader that is tested elsewhere."""
    from llm_wiki.hosts.setup.jsonc import parse

    return json.dumps(parse(data.decode("utf-8-sig")).value)


@pytest.mark.parametrize("host", FILES)
def test_where_there_was_no_file_nothing_is_left_after_removal(home, host):
    assert hosts_files(home) == {}
    done = _install(host)
    assert done[0].backup is None
    assert (home / FILES[host]).is_file()
    assert {action for action, _ in _steps(_install(host))} == {"keep"}
    run.remove([host])
    assert hosts_files(home) == {}


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_a_dry_run_names_what_would_be_done_and_writes_nothing(home, before):
    path = _file(home, "claude")
    path.write_bytes(before)
    at_first = hosts_files(home)
    planned = _steps(_install("claude", dry_run=True))
    assert hosts_files(home) == at_first
    assert not manifest.place().exists()
    assert _steps(_install("claude")) == planned


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_a_change_of_the_user_survives_removal_and_only_ours_goes(home, before):
    path = _file(home, "claude")
    path.write_bytes(before)
    _install("claude")
    text = path.read_bytes().decode("utf-8-sig").replace('"hooks"', '"added": [1, 2],\n  "hooks"', 1)
    path.write_text(text)
    done = run.remove(["claude"])
    assert not any(step.action == "left" for one in done for step in one.steps)
    assert "llm-wiki-hook" not in path.read_text()
    value = json.loads(_plain(path.read_bytes()))
    assert value.pop("added") == [1, 2]
    if before.strip():
        once = json.loads(_plain(before))
        assert value == once
    else:
        assert value == {}
    assert done[0].kept
    assert not manifest.place().exists()


def test_an_entry_the_user_changed_is_listed_and_stays_the_others_go(home):
    path = _file(home, "claude")
    path.write_text('{\n  "a": 1\n}\n')
    _install("claude")
    value = json.loads(path.read_text())
    value["hooks"]["Stop"][0]["hooks"][0]["timeout"] = 77
    path.write_text(json.dumps(value))
    done = run.remove([])
    assert [step.pointer for step in done[0].steps if step.action == "left"] == ["/hooks/Stop/0"]
    assert list(json.loads(path.read_text())["hooks"]) == ["Stop"]
    assert [step.action for step in run.remove([])[0].steps] == ["left"]
    path.write_text('{"a": 1}')
    assert [step.action for step in run.remove([])[0].steps] == ["keep"]
    with pytest.raises(NothingFound):
        run.remove([])


@pytest.mark.parametrize("host", OWN)
def test_a_file_of_ours_that_was_changed_is_neither_renewed_nor_deleted(home, host):
    path = _file(home, host)
    _install(host)
    changed = path.read_bytes() + b"\n// mine"
    path.write_bytes(changed)
    for done in (_install(host), run.remove([host])):
        assert [step.action for step in done[0].steps] == ["left"]
        assert path.read_bytes() == changed


@pytest.mark.parametrize("host", OWN)
def test_a_file_of_that_name_which_is_not_ours_is_left_alone(home, host):
    path = _file(home, host)
    path.write_text("not ours")
    assert [step.action for step in _install(host)[0].steps] == ["left"]
    assert path.read_text() == "not ours"


@pytest.mark.parametrize("host", OWN)
def test_a_file_of_an_older_version_is_renewed_and_still_goes_without_a_trace(home, host):
    path = _file(home, host)
    _install(host)
    older = path.read_bytes().replace(b"llm-wiki", b"llm-wiki-older")
    path.write_bytes(older)
    records = manifest.load()
    from llm_wiki.core.files import sha256

    records[host]["after"] = sha256(older)
    manifest.save(records)
    assert [step.action for step in _install(host)[0].steps] == ["rewrite"]
    assert [step.action for step in _install(host)[0].steps] == ["keep"]
    run.remove([host])
    assert path.parent.exists()
    assert list(path.parent.iterdir()) == []


def test_another_program_renews_the_entries_in_their_place(home, monkeypatch):
    path = _file(home, "claude")
    path.write_text('{\n  "hooks": {\n    "Stop": [\n      1\n    ]\n  }\n}\n')
    before = path.read_bytes()
    _install("claude")
    shape = list(json.loads(path.read_text())["hooks"].items())
    other = home / "bin/llm-wiki-hook"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(other.with_name("python")))
    assert report.reports()[0].state == "outdated"
    assert {action for action, _ in _steps(_install("claude"))} == {"replace"}
    renewed = list(json.loads(path.read_text())["hooks"].items())
    assert [(name, len(items)) for name, items in shape] == [(name, len(items)) for name, items in renewed]
    assert str(other) in path.read_text()
    assert report.reports()[0].state == "complete"
    run.remove(["claude"])
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_an_entry_of_ours_somebody_else_put_there_is_not_doubled(home):
    path = _file(home, "claude")
    other = {"hooks": [{"type": "command", "command": "/opt/llm-wiki-hook --harness auto"}]}
    path.write_text(json.dumps({"hooks": {"Stop": [other]}}))
    done = _install("claude")
    assert [step.pointer for step in done[0].steps if step.action == "left"] == ["/hooks/Stop/0"]
    assert json.loads(path.read_text())["hooks"]["Stop"] == [other]


BROKEN = [
    (b'{\n  "a": 1,\n  "b" 2\n}\n', 3),
    (b'{\n  "hooks": []\n}\n', 2),
    (b'{\n\n  "hooks": {\n    "Stop": {}\n  }\n}\n', 4),
    (b"[]\n", 1),
    (b'{\n  "a": "\xff"\n}\n', 2),
    (b'{\n  "hooks": null\n}\n', 2),
]


@pytest.mark.parametrize("host", SHARED)
@pytest.mark.parametrize(("before", "line"), BROKEN)
def test_a_broken_file_is_named_with_its_line_and_nothing_is_written(home, host, before, line):
    path = _file(home, host)
    path.write_bytes(before)
    at_first = hosts_files(home)
    with pytest.raises(BadConfig) as caught:
        run.install([host])
    assert (caught.value.path, caught.value.line) == (str(path), line)
    assert hosts_files(home) == at_first
    done = _install("claude", "codex", "pi")
    assert [bool(one.error) for one in done] == [name == host for name in ("claude", "codex", "pi")]
    assert path.read_bytes() == before


def test_a_file_broken_after_setup_is_left_and_stays_recorded(home):
    path = _file(home, "claude")
    _install("claude")
    path.write_text("{ broken")
    assert [step.action for step in run.remove([])[0].steps] == ["left"]
    assert path.read_text() == "{ broken"
    assert "claude" in manifest.load()


def test_a_linked_settings_file_stays_a_link_and_what_it_names_is_edited(home):
    real = home / "dotfiles/claude.json"
    real.parent.mkdir()
    real.write_text('{\n  "a": 1\n}\n')
    real.chmod(0o640)
    path = _file(home, "claude")
    path.symlink_to("../dotfiles/claude.json")
    at_first = hosts_files(home)
    done = _install("claude")
    assert path.is_symlink()
    assert "llm-wiki-hook" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert done[0].backup.parent == path.parent
    assert list(real.parent.iterdir()) == [real]
    run.remove([])
    assert hosts_files(home) == at_first


def test_a_private_file_and_its_backup_keep_their_mode(home):
    path = _file(home, "codex")
    path.write_text("{}\n")
    path.chmod(0o600)
    backup = _install("codex")[0].backup
    assert [stat.S_IMODE(file.stat().st_mode) for file in (path, backup)] == [0o600, 0o600]
    assert stat.S_IMODE(manifest.place().stat().st_mode) == 0o600


def test_the_record_names_file_pointer_and_both_hashes(home):
    from llm_wiki.core.files import sha256

    path = _file(home, "claude")
    path.write_text("{}\n")
    _install("claude")
    record = json.loads(manifest.place().read_text())["files"][0]
    assert (record["path"], record["before"]) == (str(path), sha256(b"{}\n"))
    assert record["after"] == sha256(path.read_bytes())
    value = json.loads(path.read_text())
    for edit in record["edits"]:
        _, _, event, at = edit["pointer"].split("/")
        assert value["hooks"][event][int(at)] == edit["value"]


def test_a_lost_record_is_made_again_from_what_stands_in_the_file(home):
    path = _file(home, "claude")
    path.write_text('{\n  "a": 1\n}\n')
    _install("claude")
    after = path.read_bytes()
    manifest.place().unlink()
    assert {action for action, _ in _steps(_install("claude"))} == {"keep"}
    assert path.read_bytes() == after
    run.remove(["claude"])
    value = json.loads(path.read_text())
    assert value["a"] == 1
    assert not any(value["hooks"].values())


class Stopped(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("point", ["manifest.save", "_back_up", "put"])
@pytest.mark.parametrize("before", [None, b'{\n  "a": 1\n}\n'])
def test_setup_stopped_at_any_write_is_finished_or_taken_out_without_a_trace(
    home, monkeypatch, before, point
):
    path = _file(home, "claude") if before else home / FILES["claude"]
    if before:
        path.write_bytes(before)
    at_first = hosts_files(home)
    for finish in (True, False):
        for after_it in (True, False):
            with monkeypatch.context() as patch:
                _stop(patch, point, after_it=after_it)
                with suppress(Stopped):
                    _install("claude")
            if finish:
                assert _install("claude")[0].error is None
                assert "llm-wiki-hook" in path.read_text()
            try:
                run.remove(["claude"])
            except NothingFound:
                assert not manifest.place().exists()
            assert hosts_files(home) == at_first


def _stop(patch, point, *, after_it):
    module, name = (manifest, "save") if point == "manifest.save" else (apply, point)
    real = getattr(module, name)

    def stopped(*given):
        if after_it:
            real(*given)
        raise Stopped

    patch.setattr(module, name, stopped)


def test_a_damaged_record_is_an_error_with_a_way_out(home):
    _install("claude")
    manifest.place().write_text("{}")
    with pytest.raises(BadConfig, match="damaged"):
        run.remove([])


def test_all_skips_what_is_not_installed_and_a_name_does_not(home):
    assert [one.skipped for one in _install("all")] == ["not installed here"] * len(HOSTS)
    assert hosts_files(home) == {}
    (home / ".codex").mkdir()
    bin_ = home / "bin"
    bin_.mkdir()
    (bin_ / "claude").write_text("#!/bin/sh\n")
    (bin_ / "claude").chmod(0o755)
    os.environ["PATH"] += f":{bin_}"
    assert [one.host.name for one in _install("all") if one.steps] == ["claude", "codex"]
    assert [one.host.name for one in _install("omp", "all") if one.changed] == ["omp"]


def test_opencode_is_found_by_its_data_too(home, monkeypatch):
    opencode = HOSTS["opencode"]
    assert present(opencode) == ""
    (home / ".local/share/opencode").mkdir(parents=True)
    assert present(opencode) == str(home / ".local/share/opencode")
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    assert present(opencode) == ""
    (home / "data/opencode").mkdir(parents=True)
    assert present(opencode) == str(home / "data/opencode")


@pytest.mark.parametrize(
    ("variable", "host", "file"),
    [
        ("CLAUDE_CONFIG_DIR", "claude", "settings.json"),
        ("CODEX_HOME", "codex", "hooks.json"),
        ("COPILOT_HOME", "copilot", "hooks/llm-wiki.json"),
        ("XDG_CONFIG_HOME", "opencode", "opencode/plugins/llm-wiki.js"),
        ("PI_CODING_AGENT_DIR", "pi", "extensions/llm-wiki.ts"),
        ("PI_CODING_AGENT_DIR", "omp", "extensions/llm-wiki.ts"),
    ],
)
def test_variables_that_move_a_host_are_heeded(home, monkeypatch, variable, host, file):
    monkeypatch.setenv(variable, str(home / "elsewhere"))
    _install(host)
    assert [path for path in hosts_files(home) if path.endswith(file)] == [f"elsewhere/{file}"]
    monkeypatch.setenv(variable, str(home / "third"))
    with pytest.raises(Refused, match="elsewhere"):
        run.install([host])
    run.remove([host])
    assert hosts_files(home) == {}


def test_pi_and_omp_can_share_a_folder_and_one_file(home, monkeypatch):
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(home / "agent"))
    done = _install("pi", "omp")
    assert [step.action for one in done for step in one.steps] == ["create", "keep"]


def test_unknown_hosts_are_named_with_those_that_exist(home):
    with pytest.raises(BadUsage) as caught:
        run.install(["cursor"])
    assert "opencode" in caught.value.remedy


def test_without_a_program_nothing_is_written(home, monkeypatch):
    monkeypatch.setattr("sys.executable", str(home / "python"))
    monkeypatch.setattr(program, "_PACKAGE", home / "a/b")
    with pytest.raises(WikiError, match="llm-wiki-hook is not installed"):
        run.install(["claude"])
    assert hosts_files(home) == {}


def test_two_backups_of_one_second_have_two_names(home, monkeypatch):
    monkeypatch.setenv("LLM_WIKI_NOW", "2026-11-30T10:00:00Z")
    path = _file(home, "claude")
    names = []
    for text in ("{}", '{"a": 1}'):
        path.write_text(text)
        names.append(_install("claude")[0].backup.name)
        path.write_text(text)
    assert names == [
        "settings.json.llm-wiki-backup-20261130T100000Z",
        "settings.json.llm-wiki-backup-20261130T100000Z-2",
    ]


def test_hosts_are_asked_for_no_event_that_could_block_a_tool(home):
    for host in HOSTS.values():
        names = {event.name for event in host.events}
        assert not names & {"PreToolUse", "PermissionRequest"}
        if host.name == "codex":
            assert len(names) == 7
            assert {event.timeout for event in host.events} == {5, 3}
        assert not any(one == two for one, two in pairwise(sorted(names)))


TOLD_BY_CODEX = {
    "PostToolUse": "0750b4ab79bebb3b3f0d0aa3b45d6bf2354ea6def7673dec0eba77dd4f08572f",
    "PreCompact": "07429a9360cf0a0b393430ea717391c44db235a93781c51d5c54b7a401594dcd",
    "PostCompact": "35b0e8e82265c7b88ebb06d95193313cd015276f74cddf9bd4f05f37037e7ce5",
    "SessionStart": "1d01bb11068e5e30f966476f19866ecbce9a51a388d9c9daace17f764514178d",
    "SessionEnd": "df92fcd810c01a70e9447337aa79fad93e4f3e21aeb5351823c7cbd746677ce3",
    "UserPromptSubmit": "c0bba60a8150474a9d629b986720aa189a03848448b2088f30a8ffe172909da4",
    "Stop": "4d7d31166d73cc196b9e834789d75e84f629e87fe80462af0e2ce4e6d67f239d",
}
"""What Codex CLI 0.171.0 answered to `hooks/list` for our entries with the program below."""
ELSEWHERE = program.Program("/opt/Zoë's tools/llm-wiki-hook", "")


def test_the_command_is_the_one_users_of_codex_have_trusted_already():
    codex = HOSTS["codex"]
    told = {
        event.name: report.trust_hash(event.name, wanted.entry(codex, event, ELSEWHERE))
        for event in codex.events
    }
    assert told == {name: f"sha256:{value}" for name, value in TOLD_BY_CODEX.items()}


def test_the_status_of_codex_counts_the_hooks_that_are_trusted_as_they_stand(home):
    path = _file(home, "codex")
    path.write_text('{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "x"}]}]}}')
    _install("codex")
    hooks = json.loads(path.read_text())["hooks"]

    def trust(event, at, value):
        name = {"SessionStart": "session_start", "Stop": "stop", "PreCompact": "pre_compact"}[event]
        return f'[hooks.state."{path}:{name}:{at}:0"]\ntrusted_hash = "{value}"\n'

    right = {
        event: report.trust_hash(event, hooks[event][-1]) for event in ("SessionStart", "Stop", "PreCompact")
    }
    text = trust("SessionStart", 1, right["SessionStart"]) + trust("Stop", 0, right["Stop"])
    (path.parent / "config.toml").write_text(text + trust("PreCompact", 0, right["Stop"]))
    codex = report.reports()[1]
    assert (codex.state, codex.trusted, len(codex.events)) == ("complete", 2, 7)
    assert any("2 hooks" in note or "2 of 7" in note for note in codex.notes)
    (path.parent / "config.toml").write_text(text + "[features]\nhooks = false\n")
    assert any("switched off" in note for note in report.reports()[1].notes)
    (path.parent / "config.toml").write_text("not toml [")
    assert report.reports()[1].trusted == 0
    for text in ("hooks = 1", "[hooks]\nstate = 3", "features = 1", "plugins = [1]", 'hooks.state."a" = 1'):
        (path.parent / "config.toml").write_text(text)
        assert report.reports()[1].trusted == 0


def test_a_second_delivery_is_named(home):
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text('{"enabledPlugins": {"wiki-sessions@llm-wiki": true}}')
    _install("claude", "codex")
    (home / ".codex/config.toml").write_text('[plugins."wiki-sessions@llm-wiki"]\nenabled = true\n')
    assert [one.twice for one in report.reports()][:2] == ["plugin wiki-sessions@llm-wiki"] * 2
    run.remove(["claude"])
    claude = report.reports()[0]
    assert (claude.state, claude.twice, claude.other) == ("none", "", "plugin wiki-sessions@llm-wiki")
    checks = {check.name: check for check in health.checks()}
    assert checks["hooks of Claude Code"].text == "through plugin wiki-sessions@llm-wiki"
    assert "twice" in checks["hooks of Codex"].text


def test_hooks_that_are_switched_off_are_told(home):
    path = _file(home, "claude")
    path.write_text('{"disableAllHooks": true}')
    _install("claude")
    assert any("disableAllHooks" in note for note in report.reports()[0].notes)


def test_a_program_in_a_cache_is_taken_only_where_there_is_no_other(home, monkeypatch):
    cached = home / ".cache/uv/archive/x/bin/llm-wiki-hook"
    for path in (cached, home / "bin/llm-wiki-hook"):
        path.parent.mkdir(parents=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(cached.with_name("python")))
    assert program.locate() == program.Program(str(cached), "cache")
    monkeypatch.setenv("PATH", f":{cached.parent}:{home}/bin")
    assert program.locate() == program.Program(f"{home}/bin/llm-wiki-hook", "PATH")


def test_a_program_that_is_gone_is_told(home):
    _install("claude", "pi")
    for host in ("claude", "pi"):
        path = home / FILES[host]
        path.write_text(path.read_text().replace(program.locate().path, "/gone/llm-wiki-hook"))
    told = {one.host: one for one in report.reports()}
    assert any("/gone/llm-wiki-hook is gone" in note for note in told["claude"].notes)
    assert any("/gone/llm-wiki-hook is gone" in note for note in told["pi"].notes)


def test_targets_are_those_the_table_promises(home):
    assert {name: target(host) for name, host in HOSTS.items()} == {k: home / v for k, v in FILES.items()}
