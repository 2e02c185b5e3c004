"""The writer lock: one writer, who may enter again; others wait and learn who it is."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import llm_wiki
from llm_wiki.core.errors import LockBusy
from llm_wiki.core.locks import root_lock
from llm_wiki.core.state import root_state

HOLDER = """
import sys
from pathlib import Path
from llm_wiki.core.locks import root_lock
with root_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture(autouse=True)
def _own_state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the lock."""
    environment = os.environ | {"PYTHONPATH": str(Path(llm_wiki.__file__).parents[1])}
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def busy(root):
    """Tell whether another thread would find the lock taken."""
    found = []

    def attempt():
        try:
            with root_lock(root, timeout=0):
                found.append(False)
        except LockBusy:
            found.append(True)

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    return found[0]


def test_the_lock_file_is_private_and_outside_the_root(tmp_path):
    root = tmp_path / "w"
    root.mkdir()
    with root_lock(root):
        lock = root_state(root) / "lock"
        assert stat.S_IMODE(lock.stat().st_mode) == 0o600
        assert stat.S_IMODE(lock.parent.stat().st_mode) == 0o700
        assert lock.read_text() == f"{os.getpid()}\n"
        assert list(root.iterdir()) == []


def test_the_holder_may_enter_again(tmp_path):
    with root_lock(tmp_path):
        with root_lock(tmp_path, timeout=0):
            assert busy(tmp_path)
        assert busy(tmp_path)
    assert not busy(tmp_path)


def test_an_error_inside_frees_the_lock(tmp_path):
    with pytest.raises(ZeroDivisionError), root_lock(tmp_path):
        1 / 0  # noqa: B018
    assert not busy(tmp_path)


def test_another_thread_has_to_wait(tmp_path):
    with root_lock(tmp_path):
        assert busy(tmp_path)


def test_two_roots_do_not_hinder_each_other(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with root_lock(tmp_path / "a"):
        assert not busy(tmp_path / "b")


def test_a_root_by_another_name_is_the_same_root(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to("a")
    with root_lock(tmp_path / "a"):
        assert busy(tmp_path / "link")


def test_a_busy_lock_names_the_process_that_holds_it(tmp_path, holder):
    with pytest.raises(LockBusy, match=f"process {holder.pid} ") as caught, root_lock(tmp_path, timeout=0.05):
        pytest.fail("the lock was free")
    assert caught.value.code == 2
    assert caught.value.remedy


def test_a_killed_process_leaves_no_lock(tmp_path, holder):
    holder.kill()
    holder.wait()
    with root_lock(tmp_path, timeout=5):
        pass


def test_a_lock_that_becomes_free_is_taken(tmp_path, holder):
    timer = threading.Timer(0.1, holder.stdin.close)
    timer.start()
    with root_lock(tmp_path):
        pass
    timer.join()


def test_a_forked_child_does_not_take_itself_for_the_holder(tmp_path):
    program = """
import os, sys
from pathlib import Path
from llm_wiki.core.errors import LockBusy
from llm_wiki.core.locks import root_lock
root = Path(sys.argv[1])
with root_lock(root):
    child = os.fork()
    if child == 0:
        try:
            with root_lock(root, timeout=0):
                os._exit(1)
        except LockBusy:
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
    environment = os.environ | {"PYTHONPATH": str(Path(llm_wiki.__file__).parents[1])}
    command = [sys.executable, "-c", program, str(tmp_path)]
    subprocess.run(command, env=environment, check=True)
