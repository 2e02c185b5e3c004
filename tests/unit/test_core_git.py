"""Git: the work tree is found without a process; commands run in a clean environment."""

import subprocess

import pytest

from llm_wiki.core import git
from llm_wiki.core.errors import Incomplete


@pytest.fixture
def repository(tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path / "r")], check=True)
    return tmp_path / "r"


def test_the_work_tree_is_found_upwards(repository):
    (repository / "a" / "b").mkdir(parents=True)
    assert git.worktree(repository / "a" / "b") == repository
    assert git.worktree(repository) == repository
    assert git.worktree(repository / "not" / "yet") == repository


def test_outside_of_git_there_is_none(tmp_path):
    assert git.worktree(tmp_path) is None


def test_a_linked_work_tree_is_one(tmp_path):
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / ".git").write_text("gitdir: elsewhere\n")
    assert git.worktree(tmp_path / "linked") == tmp_path / "linked"


def test_a_command_gives_what_it_prints(repository):
    assert git.run(["rev-parse", "--show-toplevel"], repository).strip() == str(repository)


def test_inherited_settings_do_not_reach_git(repository, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    assert git.run(["rev-parse", "--show-toplevel"], repository).strip() == str(repository)


def test_a_failure_is_told_in_the_words_of_git(tmp_path):
    with pytest.raises(Incomplete, match="git rev-parse failed: fatal: not a git repository"):
        git.run(["rev-parse", "--show-toplevel"], tmp_path)


def test_a_machine_without_git_is_told_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Incomplete, match="cannot run git") as caught:
        git.run(["status"], tmp_path)
    assert "install Git" in caught.value.remedy
