"""kill -9 of a retraction at every write point: the next run leaves nothing, and says so."""

import json
import os
import subprocess
import sys

import pytest
import telling
from program import Program, tree
from wikikit import open_folder, without_rights, write

from llm_wiki.ops.withdrawing import Where, withdraw
from llm_wiki.withdraw.retract import Wishes

SECRET = b"tokZk3vR9qLm2xW8hT4"


@pytest.fixture(scope="module")
def told():
    """What `killer_retract.py` saw; in memory where that can be, as a killed process is on trial here."""
    with telling.in_memory() as work:
        return telling.told("killer_retract", work, env=telling.DAY)


@pytest.mark.slow
class TestKilledAtEveryWritePoint:
    def test_every_write_point_was_reached(self, told):
        assert len(told) > 100
        assert all(run["killed"] for run in told)

    def test_the_next_run_ends_verified(self, told):
        assert {run["next"].split()[0] for run in told} == {"verified"}
        assert not any(run["open"] for run in told)

    def test_no_file_and_no_name_holds_the_value_after_it(self, told):
        assert [run for run in told if run["left"]] == []


@pytest.fixture
def wiki(tmp_path):
    program = Program(tmp_path)
    program.ok("init", "one", "--title", "One")
    for number in range(40):
        path = program.hub / f"topics/one/output/n{number}.md"
        path.write_bytes(b"# N\n\n" + SECRET + b"\n")
    return program


def test_parallel_runs_wait_for_each_other(wiki):
    command = [
        sys.executable,
        "-P",
        "-m",
        "llm_wiki",
        "retract",
        "--stdin",
        "--hub",
        str(wiki.hub),
        "--apply",
        "--json",
    ]
    runs = [
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=wiki.env
        )
        for _ in range(4)
    ]
    for run in runs:
        run.stdin.write(SECRET)
        run.stdin.close()
        run.stdin = None
    done = [(run.communicate()[0], run.returncode) for run in runs]
    assert [code for _, code in done] == [0] * 4
    reports = [json.loads(out) for out, _ in done]
    assert sorted(report["outcome"] for report in reports) == ["no-match", "no-match", "no-match", "removed"]
    assert sum(report["files_rewritten"] for report in reports) == 40
    assert (wiki.hub / "log.md").read_text().count("] retract |") == 1


@pytest.mark.parametrize("what", ["file", "folder"])
def test_r14_what_may_not_be_written_is_found_before_the_first_change(what, monkeypatch):
    with open_folder() as home:
        monkeypatch.setenv("HOME", str(home))
        for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "LLM_WIKI_CONFIG_DIR"):
            monkeypatch.delenv(name, raising=False)
        roots = []
        for name in ("first", "second"):
            root = home / name
            for rel in ("a/one.txt", "b/two.txt"):
                write(root, rel, SECRET)
            roots.append(root)
        asked = Wishes(apply=True)
        assert withdraw(Where(path=str(roots[0])), SECRET, asked).status == "verified"  # loads what it needs
        held = roots[1] / ("b/two.txt" if what == "file" else "b")
        for path in [home, *home.rglob("*")]:
            if os.geteuid() == 0:
                os.chown(path, 65534, 65534)
        held.chmod(0o444 if what == "file" else 0o555)
        before = tree(roots[1])
        with without_rights():
            report = withdraw(Where(path=str(roots[1])), SECRET, asked)
        assert tree(roots[1]) == before
        assert (report.status, report.applied.files) == ("incomplete", 0)
        assert any("cannot be written" in text for text in report.errors)
        held.chmod(0o755)
