"""Single files: read and written whole, with their mode, inside their root."""

import os
import stat
import threading

import pytest

from llm_wiki.core import files
from llm_wiki.core.errors import BadUsage, Refused, Unreadable

NOT_ROOT = pytest.mark.skipif(os.geteuid() == 0, reason="root ignores permission bits")


def temporaries(folder):
    return [path.name for path in folder.iterdir() if path.name.startswith(files.TEMP_PREFIX)]


class TestReading:
    def test_bytes_come_as_they_are(self, tmp_path):
        (tmp_path / "f").write_bytes(b"\xff\r\n\0")
        assert files.read_bytes(tmp_path / "f") == b"\xff\r\n\0"

    def test_a_missing_file_is_named(self, tmp_path):
        with pytest.raises(Unreadable, match="does not exist") as caught:
            files.read_bytes(tmp_path / "none.md")
        assert caught.value.path == str(tmp_path / "none.md")

    def test_a_folder_is_no_file(self, tmp_path):
        with pytest.raises(Unreadable, match="not a regular file"):
            files.read_bytes(tmp_path)

    def test_a_pipe_is_never_waited_for(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(Unreadable, match="not a regular file"):
            files.read_bytes(tmp_path / "pipe")

    def test_a_refusal_of_permission_says_full_disk_access(self, tmp_path):
        error = files.failure("read", tmp_path / "f", PermissionError(1, "Operation not permitted"))
        assert "Full Disk Access" in error.message
        assert str(tmp_path / "f") in error.message

    @NOT_ROOT
    def test_a_file_without_permission_is_named(self, tmp_path):
        (tmp_path / "f").write_bytes(b"x")
        (tmp_path / "f").chmod(0)
        with pytest.raises(Unreadable, match="Full Disk Access"):
            files.read_bytes(tmp_path / "f")

    def test_a_name_that_is_not_utf8_can_be_shown(self, tmp_path):
        name = os.fsdecode(b"caf\xe9.md")
        with pytest.raises(Unreadable) as caught:
            files.read_bytes(tmp_path / name)
        assert r"caf\xe9.md" in caught.value.message
        caught.value.message.encode("utf-8")


class TestWriting:
    def test_a_new_file_follows_the_umask(self, tmp_path):
        before = os.umask(0o027)
        try:
            files.write_atomic(tmp_path / "f", b"x")
        finally:
            os.umask(before)
        assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o640

    @pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o444])
    def test_an_existing_mode_is_kept(self, tmp_path, mode):
        (tmp_path / "f").write_bytes(b"old")
        (tmp_path / "f").chmod(mode)
        files.write_atomic(tmp_path / "f", b"new")
        assert (tmp_path / "f").read_bytes() == b"new"
        assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == mode

    def test_a_mode_can_be_given(self, tmp_path):
        files.write_atomic(tmp_path / "f", b"x", mode=0o600)
        assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o600

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
    def test_the_owner_is_kept(self, tmp_path):
        (tmp_path / "f").write_bytes(b"old")
        os.chown(tmp_path / "f", 1234, 1234)
        files.write_atomic(tmp_path / "f", b"new")
        assert (tmp_path / "f").stat().st_uid == 1234

    def test_a_symbolic_link_is_not_written_through(self, tmp_path):
        (tmp_path / "target").write_bytes(b"old")
        (tmp_path / "link").symlink_to("target")
        with pytest.raises(Refused):
            files.write_atomic(tmp_path / "link", b"new")
        assert (tmp_path / "target").read_bytes() == b"old"

    def test_a_missing_folder_is_an_error_that_names_the_file(self, tmp_path):
        with pytest.raises(Unreadable, match=r"none/f: does not exist"):
            files.write_atomic(tmp_path / "none" / "f", b"x")

    def test_nothing_is_left_behind(self, tmp_path):
        files.write_atomic(tmp_path / "f", b"x")
        (tmp_path / "d").mkdir()
        with pytest.raises(Refused):
            files.write_atomic(tmp_path / "d", b"x")
        assert temporaries(tmp_path) == []

    def test_parallel_writers_of_one_file_never_tear_it(self, tmp_path):
        path = tmp_path / "f"
        texts = [bytes([65 + n]) * 20_000 for n in range(8)]
        seen = set()

        def write(data):
            for _ in range(10):
                files.write_atomic(path, data)
                seen.add(path.read_bytes())

        threads = [threading.Thread(target=write, args=(data,)) for data in texts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen <= set(texts)
        assert temporaries(tmp_path) == []


class TestAppending:
    def test_an_entry_is_added_at_the_end(self, tmp_path):
        (tmp_path / "log.md").write_text("# Log\n")
        files.append_entry(tmp_path / "log.md", "\n## one\n")
        files.append_entry(tmp_path / "log.md", "\n## two\n")
        assert (tmp_path / "log.md").read_text() == "# Log\n\n## one\n\n## two\n"

    def test_an_entry_never_starts_inside_a_line(self, tmp_path):
        (tmp_path / "log.md").write_text("# Log")
        files.append_entry(tmp_path / "log.md", "\n## one\n")
        assert (tmp_path / "log.md").read_text() == "# Log\n\n## one\n"

    def test_line_endings_of_the_file_are_followed(self, tmp_path):
        (tmp_path / "log.md").write_bytes(b"# Log\r\n")
        files.append_entry(tmp_path / "log.md", "\n## one\n")
        assert (tmp_path / "log.md").read_bytes() == b"# Log\r\n\r\n## one\r\n"

    def test_a_missing_file_is_made(self, tmp_path):
        files.append_entry(tmp_path / "x.jsonl", "{}\n")
        assert (tmp_path / "x.jsonl").read_text() == "{}\n"

    def test_a_symbolic_link_is_not_written_through(self, tmp_path):
        (tmp_path / "target").write_text("")
        (tmp_path / "link").symlink_to("target")
        with pytest.raises(Unreadable, match="symbolic link"):
            files.append_entry(tmp_path / "link", "x\n")
        assert (tmp_path / "target").read_text() == ""

    def test_a_pipe_is_refused(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(Unreadable):
            files.append_entry(tmp_path / "pipe", "x\n")


class TestPaths:
    @pytest.mark.parametrize(
        "rel", ["a.md", "raw/articles/x.md", "ü/日本.md", ".librarian/x", "a b/c", "a:b.md", "C:x"]
    )
    def test_a_plain_path_is_accepted(self, rel):
        assert files.check_relative(rel) == rel

    @pytest.mark.parametrize(
        "rel", ["", "/a", "../a", "a/../b", "a//b", "a/", "./a", "a/.", "a\\b", "a\0b", "C:/x", "c:"]
    )
    def test_any_other_path_is_bad_usage(self, rel):
        with pytest.raises(BadUsage, match="not a path inside the wiki"):
            files.check_relative(rel)

    def test_a_path_inside_need_not_exist(self, tmp_path):
        assert files.inside(tmp_path, "a/b.md") == tmp_path / "a" / "b.md"

    def test_a_root_that_is_a_link_is_no_obstacle(self, tmp_path):
        (tmp_path / "real").mkdir()
        (tmp_path / "root").symlink_to("real")
        assert files.inside(tmp_path / "root", "a.md") == tmp_path / "root" / "a.md"

    @pytest.mark.parametrize("rel", ["link", "link/x.md", "sub/out/x.md"])
    def test_a_path_through_a_link_is_refused(self, tmp_path, rel):
        (tmp_path / "sub").mkdir()
        (tmp_path / "link").symlink_to("sub")
        (tmp_path / "sub" / "out").symlink_to("/")
        with pytest.raises(Refused, match="symbolic link"):
            files.inside(tmp_path, rel)
