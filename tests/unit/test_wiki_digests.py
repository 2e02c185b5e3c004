"""Hashes of files that are no pages: always those of the bytes, read again only when they must be."""

import hashlib
import os

import pytest
from lintkit import full, write

from llm_wiki.core.state import root_cache
from llm_wiki.wiki import digests
from llm_wiki.wiki.digests import NAME, Digests
from llm_wiki.wiki.snapshot import Snapshot


def sum_of(data):
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    write(tmp_path, "w/a.bin", b"a" * 3_000_000)
    write(tmp_path, "w/sub/b.bin", b"b")
    return tmp_path / "w"


@pytest.fixture
def settled(monkeypatch):
    monkeypatch.setattr(digests, "stamp_settled", lambda stamp, now: True)


def test_files_are_hashed_and_what_is_none_is_left_out(root):
    (root / "link").symlink_to("a.bin")
    found = Digests(root).of(["a.bin", "sub/b.bin", "gone", "sub", "link", "nul\0"])
    assert found == {"a.bin": sum_of(b"a" * 3_000_000), "sub/b.bin": sum_of(b"b")}


def test_what_is_known_is_not_read_again(root, settled):
    expected = Digests(root, keep=True).of(["a.bin"])
    status = (root / "a.bin").stat()
    again = Digests(root, keep=True)
    again.of([])
    assert again.known["a.bin"][0][0] == status.st_size
    again.known["a.bin"] = (again.known["a.bin"][0], "from memory")
    assert again.of(["a.bin"]) == {"a.bin": "from memory"}
    assert Digests(root, keep=True).of(["a.bin"]) == expected


def test_a_changed_file_is_read_again(root, settled):
    known = Digests(root, keep=True)
    known.of(["sub/b.bin"])
    (root / "sub/b.bin").write_bytes(b"c")
    os.utime(root / "sub/b.bin", (1, 1))
    assert known.of(["sub/b.bin"]) == {"sub/b.bin": sum_of(b"c")}
    assert Digests(root, keep=True).of(["sub/b.bin"]) == {"sub/b.bin": sum_of(b"c")}


def test_a_file_written_a_moment_ago_is_not_trusted(root):
    known = Digests(root, keep=True)
    known.of(["sub/b.bin"])
    assert not known.certain
    assert not (root_cache(root) / NAME).exists()


def test_without_leave_nothing_is_kept(root, settled):
    Digests(root).of(["a.bin"])
    assert not (root_cache(root) / NAME).exists()


@pytest.mark.parametrize("data", [b"", b"x", b"LWSUMS01" + b"\0" * 40])
def test_a_damaged_store_is_none(root, settled, data):
    write(root_cache(root), NAME, data)
    assert Digests(root, keep=True).of(["sub/b.bin"]) == {"sub/b.bin": sum_of(b"b")}


def test_a_snapshot_hashes_what_it_would_be(tmp_path):
    place = full(tmp_path)
    write(place, "output/a.bin", b"a")
    write(place, "output/b.bin", b"b")
    base = Snapshot.load(place, "topic", use_cache=False)
    after = base.overlay({"output/a.bin": b"new"}, {"output/b.bin": "output/c.bin"})
    assert base.digests(["output/a.bin"]) == {"output/a.bin": sum_of(b"a")}
    assert after.digests(["output/a.bin", "output/c.bin", "output/b.bin"]) == {
        "output/a.bin": sum_of(b"new"),
        "output/c.bin": sum_of(b"b"),
    }
