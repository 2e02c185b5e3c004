"""A full disk, a size limit, a folder that may not be written: nothing is half-written."""

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import llm_wiki
from llm_wiki.core import files, undo
from llm_wiki.core.errors import Unreadable
from llm_wiki.core.transaction import Transaction, interrupted

AS_ROOT = os.geteuid() == 0
PAGE = 4096


def tree(root):
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else None for path in root.rglob("*")
    }


def build(root):
    (root / "wiki").mkdir(parents=True)
    (root / "raw").mkdir()
    (root / "log.md").write_bytes(b"# Log\n" + b"x" * (PAGE - 8) + b"\n")
    (root / "wiki" / "a.md").write_bytes(b"a\n" * PAGE)
    (root / "wiki" / "b.md").write_bytes(b"b\n" * PAGE)
    (root / "raw" / "lock.jsonl").write_bytes(b"{}\n" * 1365)


def change(root):
    tx = Transaction(root, "test")
    tx.write("wiki/a.md", b"A\n" * PAGE * 2, expect=files.sha256((root / "wiki/a.md").read_bytes()))
    tx.move("wiki/b.md", "wiki/new/b.md", data=b"B\n" * PAGE * 2)
    tx.write("wiki/c.md", b"c\n" * PAGE, expect=None)
    tx.append("raw/lock.jsonl", ['{"line": "%s"}' % ("y" * PAGE)])
    tx.log("test", "z" * PAGE)
    return tx


@pytest.fixture
def small_disk(tmp_path):
    """A file system of one megabyte of its own."""
    if not AS_ROOT or not shutil.which("mount"):
        pytest.skip("mounting a small disk needs root")
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "llm-wiki-test", str(place)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this system does not let root mount a tmpfs")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def fill(disk, *, pages):
    """Fill a disk up to `pages` free pages."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as stream, contextlib.suppress(OSError):
        while True:
            stream.write(b"\0" * PAGE)
    os.truncate(filler, max(filler.stat().st_size - pages * PAGE, 0))
    return filler


def attempt(tx):
    """Return why a commit failed, "" when it did not."""
    try:
        tx.commit()
    except Unreadable as error:
        return error.message
    return ""


@pytest.mark.parametrize("state_on_it", [True, False], ids=["state-on-it", "state-elsewhere"])
def test_a_full_disk_leaves_everything_as_it_was(small_disk, tmp_path, monkeypatch, state_on_it):
    monkeypatch.setenv("XDG_STATE_HOME", str((small_disk if state_on_it else tmp_path) / "state"))
    root = small_disk / "w"
    build(root)
    before = tree(root)
    tx = change(root)
    stopped_at = set()
    for pages in range(40):
        filler = fill(small_disk, pages=pages)
        reason = attempt(tx)
        filler.unlink()
        if not reason:
            break
        assert "no space left" in reason
        assert tree(root) == before
        assert undo.records(root) == []
        assert interrupted(root) == []
        stopped_at.add(reason.split(":")[0].removeprefix("cannot write "))
    assert (root / "wiki/a.md").read_bytes() == b"A\n" * PAGE * 2
    if state_on_it:
        assert any(path.endswith("/undo") for path in stopped_at)
    else:
        assert stopped_at == {"wiki/a.md", "wiki/new/b.md", "wiki/c.md", "raw/lock.jsonl", "log.md"}
    undo.undo(root)
    log = before.pop("log.md")
    left = tree(root)
    assert left.pop("log.md").startswith(log)
    assert left == before


LIMITED = """
import resource, sys
from pathlib import Path
from llm_wiki.core.errors import Unreadable
sys.path.insert(0, sys.argv[1])
from test_fault_disk import change
tx = change(Path(sys.argv[2]))
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)
try:
    tx.commit()
except Unreadable as error:
    print(error.message)
    sys.exit(2)
"""


@pytest.mark.parametrize("size", [100, PAGE, 4 * PAGE - 1])
def test_a_file_size_limit_leaves_everything_as_it_was(tmp_path, size):
    root = tmp_path / "w"
    build(root)
    before = tree(root)
    done = limited(tmp_path, root, size)
    assert done.returncode == 2, done.stderr
    assert "file too large" in done.stdout
    assert tree(root) == before
    assert limited(tmp_path, root, 1 << 20).returncode == 0
    assert tree(root) != before


@pytest.mark.parametrize("path", ["log.md", "raw/lock.jsonl"])
def test_a_file_that_cannot_grow_at_the_end_takes_the_rest_back(tmp_path, path):
    root = tmp_path / "w"
    build(root)
    with (root / path).open("ab") as stream:
        stream.write(b"w" * (16 * PAGE) + b"\n")
    before = tree(root)
    size = (root / path).stat().st_size
    for limit in (size, size + 1, size + PAGE // 2):
        done = limited(tmp_path, root, limit)
        assert done.returncode == 2, done.stderr
        assert "file too large" in done.stdout
        assert path in done.stdout
        assert tree(root) == before


def limited(tmp_path, root, size):
    environment = os.environ | {
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "PYTHONPATH": os.pathsep.join([str(Path(llm_wiki.__file__).parents[1]), *sys.path]),
    }
    command = [sys.executable, "-c", LIMITED, str(Path(__file__).parent), str(root), str(size)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def own_state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@contextlib.contextmanager
def forbidden(*paths):
    """Make paths unwritable, also for root, by the immutable flag where permission bits do not bind."""
    if not AS_ROOT:
        modes = {path: path.stat().st_mode for path in paths}
        for path in paths:
            path.chmod(modes[path] & ~0o222)
        yield
        for path in paths:
            path.chmod(modes[path])
        return
    if not shutil.which("chattr"):
        pytest.skip("root ignores permission bits and there is no chattr")
    done = subprocess.run(["chattr", "+i", *map(str, paths)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("root ignores permission bits and this file system has no immutable flag")
    try:
        yield
    finally:
        subprocess.run(["chattr", "-i", *map(str, paths)], check=True)


@pytest.mark.usefixtures("own_state")
class TestWhatMayNotBeWritten:
    def test_a_read_only_folder_changes_nothing_and_every_path_is_named(self, tmp_path):
        root = tmp_path / "w"
        build(root)
        before = tree(root)
        tx = change(root)
        with forbidden(root / "wiki"), pytest.raises(Unreadable) as caught:
            tx.commit()
        assert tree(root) == before
        for path in ("wiki/a.md", "wiki/b.md", "wiki/new/b.md", "wiki/c.md"):
            assert f"\n  {path}" in caught.value.message
        assert "raw/lock.jsonl" not in caught.value.message
        assert undo.records(root) == []

    def test_a_read_only_file_is_named_alone(self, tmp_path):
        root = tmp_path / "w"
        build(root)
        before = tree(root)
        tx = change(root)
        with forbidden(root / "raw/lock.jsonl"), pytest.raises(Unreadable) as caught:
            tx.commit()
        assert tree(root) == before
        assert caught.value.path == "raw/lock.jsonl"
        assert caught.value.message.count("\n") == 1

    def test_a_log_that_may_not_be_written_stops_the_change(self, tmp_path):
        root = tmp_path / "w"
        build(root)
        before = tree(root)
        tx = change(root)
        with forbidden(root / "log.md"), pytest.raises(Unreadable, match=r"log\.md"):
            tx.commit()
        assert tree(root) == before

    def test_a_moved_file_that_the_system_holds_is_named_before_anything_changes(self, tmp_path):
        root = tmp_path / "w"
        build(root)
        tx = Transaction(root, "test")
        tx.write("wiki/c.md", b"c\n", expect=None)
        tx.move("wiki/b.md", "raw/b.md")
        before = tree(root)
        with forbidden(root / "wiki/b.md", root / "raw"), pytest.raises(Unreadable) as caught:
            tx.commit()
        assert tree(root) == before
        assert caught.value.path == "wiki/b.md"

    def test_a_read_only_mount_is_named_file_by_file(self, tmp_path):
        root = tmp_path / "w"
        build(root)
        tx = change(root)
        before = tree(root)
        if not AS_ROOT:
            pytest.skip("a read-only mount needs root")
        mount = ["mount", "--bind", str(root), str(root)]
        if subprocess.run(mount, capture_output=True, check=False).returncode:
            pytest.skip("this system does not let root mount")
        try:
            subprocess.run(["mount", "-o", "remount,ro,bind", str(root)], check=True)
            with pytest.raises(Unreadable) as caught:
                tx.commit()
        finally:
            subprocess.run(["umount", str(root)], check=True)
        assert tree(root) == before
        for path in ("log.md", "raw/lock.jsonl", "wiki/a.md", "wiki/b.md", "wiki/c.md", "wiki/new/b.md"):
            assert f"\n  {path}" in caught.value.message

    def test_a_state_folder_that_may_not_be_written_is_named(self, tmp_path):
        root = tmp_path / "w"
        build(root)
        before = tree(root)
        tx = change(root)
        (tmp_path / "state").mkdir()
        with forbidden(tmp_path / "state"), pytest.raises(Unreadable, match="state"):
            tx.commit()
        assert tree(root) == before
