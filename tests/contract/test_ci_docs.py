"""What docs/ci.md and .pre-commit-hooks.yaml tell others to run: it parses, it exists, it does what they say."""

import re
import shlex
import shutil
import subprocess
import sys

import pytest
import yaml
from program import CHECKOUT

PAGE = (CHECKOUT / "docs/ci.md").read_text()
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((CHECKOUT / ".pre-commit-hooks.yaml").read_text())}
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
CONFIG, WORKFLOW = (yaml.safe_load(text) for language, text in BLOCKS if language == "yaml")
SCRIPTS = [text for language, text in BLOCKS if language == "sh"]
STEPS = {step["name"]: step for step in WORKFLOW["jobs"]["lint"]["steps"] if "name" in step}


@pytest.fixture
def repository(wiki):
    """A repository with a clean wiki, and a hub; `llm-wiki` on the PATH is this very program."""
    shutil.copytree(CHECKOUT / "wikis/example", wiki.here / "hub")
    shutil.copytree(CHECKOUT / "wikis/example/topics/agent-memory", wiki.here / "docs/wiki")
    subprocess.run(["git", "init", "-q", wiki.here], check=True)
    shim = wiki.home / "bin/llm-wiki"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -P -m llm_wiki "$@"\n')
    shim.chmod(0o755)
    wiki.env["PATH"] = f"{shim.parent}:{wiki.env['PATH']}"
    wiki.env["LLM_WIKI_TODAY"] = "2026-11-30"
    return wiki.here


def shell(wiki, script):
    """Run a script as a job does: it ends at the first command that fails."""
    return subprocess.run(["bash", "-e", "-c", script], cwd=wiki.here, env=wiki.env, check=False).returncode


def test_the_hooks_in_the_documented_configuration_exist():
    [repository] = CONFIG["repos"]
    assert {hook["id"] for hook in repository["hooks"]} == set(HOOKS)


@pytest.mark.parametrize("hook", sorted(HOOKS))
def test_a_hook_runs_the_linter_of_a_python_package(hook):
    assert HOOKS[hook]["entry"].startswith("llm-wiki lint")
    assert HOOKS[hook]["language"] == "python"
    assert len(HOOKS[hook]["description"]) > 20


def test_the_hook_on_changed_files_is_given_markdown_in_one_process():
    hook = HOOKS["llm-wiki-lint"]
    assert hook["types"] == ["markdown"]
    assert [bool(re.search(hook["files"], name)) for name in ("a.md", "A.MD", "a.markdown")] == [
        True,
        True,
        False,
    ]
    assert hook["require_serial"] is True
    assert hook.get("pass_filenames", True) is True


def changed_files(wiki, *files):
    """Run the hook on changed files as pre-commit does, with the documented arguments."""
    [hook] = [hook for hook in CONFIG["repos"][0]["hooks"] if hook["id"] == "llm-wiki-lint"]
    return shell(wiki, shlex.join([*HOOKS["llm-wiki-lint"]["entry"].split(), *hook["args"], *files]))


def test_the_hook_on_changed_files_looks_at_these_alone(wiki, repository):
    page, other = (
        repository / f"docs/wiki/wiki/concepts/{name}.md" for name in ("memory-tiers", "context-budget")
    )
    page.write_text(page.read_text() + "\n[gone](gone.md)\n")
    (repository / "README.md").write_text("[gone](gone.md)\n")
    assert changed_files(wiki, str(page.relative_to(repository)), "README.md") == 1
    assert changed_files(wiki, str(other.relative_to(repository)), "README.md") == 0
    assert changed_files(wiki, "README.md") == 0


def test_the_hook_on_changed_files_lets_a_topic_be_archived(wiki, repository):
    archive = repository / "hub/topics/.archive"
    archive.mkdir()
    shutil.move(repository / "hub/topics/agent-memory", archive / "agent-memory")
    assert changed_files(wiki, "hub/topics/.archive/agent-memory/wiki/concepts/memory-tiers.md") == 0


def test_the_hook_on_a_whole_wiki_sees_deletions_too():
    hook = HOOKS["llm-wiki-lint-wiki"]
    assert (hook["pass_filenames"], hook["always_run"]) == (False, True)


def test_the_documented_arguments_of_the_whole_wiki_pass_on_a_clean_one(wiki, repository):
    [hook] = [hook for hook in CONFIG["repos"][0]["hooks"] if hook["id"] == "llm-wiki-lint-wiki"]
    command = [*HOOKS["llm-wiki-lint-wiki"]["entry"].split(), *hook["args"]]
    assert shell(wiki, shlex.join(command)) == 0
    (repository / "docs/wiki/stray.txt").write_text("x")
    assert shell(wiki, shlex.join(command)) == 1


def test_the_workflow_checks_and_writes_a_log_to_upload(wiki, repository):
    (repository / "docs/wiki/stray.txt").write_text("x")
    assert shell(wiki, STEPS["Write alerts"]["run"]) == 0
    log = repository / STEPS["Upload alerts"]["with"]["sarif_file"]
    assert '"uri": "docs/wiki/stray.txt"' in log.read_text()
    assert shell(wiki, STEPS["Check"]["run"]) == 1
    (repository / "docs/wiki/stray.txt").unlink()
    assert shell(wiki, STEPS["Check"]["run"]) == 0


def test_a_run_that_fails_ends_the_workflow_before_the_upload(wiki, repository):
    shutil.rmtree(repository / "docs/wiki")
    assert shell(wiki, STEPS["Write alerts"]["run"]) == 2


def test_every_step_is_a_command_or_a_pinned_action():
    for step in WORKFLOW["jobs"]["lint"]["steps"]:
        assert ("run" in step) != ("uses" in step)
        if "uses" in step:
            assert re.fullmatch(r"[\w.-]+/[\w./-]+@v\d+", step["uses"])


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_scripts_pass_on_clean_wikis_and_fail_on_others(wiki, repository, script):
    assert shell(wiki, script) == 0
    for root in ("docs/wiki", "hub/topics/agent-memory"):
        (repository / root / "stray.txt").write_text("x")
    assert shell(wiki, script) == 1


@pytest.mark.parametrize("options", [["-e"], []])
@pytest.mark.parametrize("stray", ["hub/stray.txt", "hub/topics/agent-memory/stray.txt"])
def test_the_script_for_a_hub_fails_wherever_the_fault_is_and_looks_at_all(wiki, repository, stray, options):
    (repository / stray).write_text("x")
    command = ["bash", *options, "-c", SCRIPTS[-1]]
    run = subprocess.run(command, cwd=wiki.here, env=wiki.env, check=False, capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stdout.count("Result:") == 4


def test_readme_and_guide_lead_here():
    assert "docs/ci.md" in (CHECKOUT / "README.md").read_text()
    assert "(ci.md)" in (CHECKOUT / "docs/guide.md").read_text()
