"""Transactions: planned, checked as a whole, applied as a whole (`design.md` §3)."""

import json
import os
import stat
import threading

import pytest

from llm_wiki.core import files, undo
from llm_wiki.core.errors import BadUsage, Conflict, Unreadable
from llm_wiki.core.journal import undo_folder
from llm_wiki.core.locks import root_lock
from llm_wiki.core.state import root_state
from llm_wiki.core.transaction import ABSENT, Change, Transaction, interrupted, open_root, recover


@pytest.fixture(autouse=True)
def _fixed(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("LLM_WIKI_NOW", "2026-01-10T12:00:00Z")
    monkeypatch.delenv("LLM_WIKI_TODAY", raising=False)


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "w"
    (root / "wiki").mkdir(parents=True)
    (root / "raw").mkdir()
    (root / "log.md").write_text("# Wiki Activity Log\n")
    (root / "wiki" / "a.md").write_text("a\n")
    (root / "wiki" / "b.md").write_text("b\n")
    return root


def sha(root, rel):
    return files.sha256((root / rel).read_bytes())


def tree(root):
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else None for path in root.rglob("*")
    }


class TestThePlan:
    def test_it_lists_the_changes_in_the_order_they_were_asked(self, root):
        tx = Transaction(root, "test")
        tx.mkdir("inventory")
        tx.write("wiki/new.md", b"n\n", expect=ABSENT)
        tx.write("wiki/a.md", b"A\n", expect=sha(root, "wiki/a.md"))
        tx.move("wiki/b.md", "raw/b.md")
        tx.delete("raw/c.md", expect="0" * 64)
        tx.append(".librarian/x.jsonl", ["{}"])
        tx.log("test", "words")
        assert tx.changes == (
            Change("mkdir", "inventory", ""),
            Change("create", "wiki/new.md", ""),
            Change("edit", "wiki/a.md", ""),
            Change("move", "wiki/b.md", "raw/b.md"),
            Change("delete", "raw/c.md", ""),
            Change("append", ".librarian/x.jsonl", ""),
        )

    def test_planning_touches_nothing(self, root, tmp_path):
        before = tree(root)
        tx = Transaction(root, "test")
        tx.write("wiki/new.md", b"n\n", expect=ABSENT)
        assert tx.changes
        assert tree(root) == before
        assert not (tmp_path / "state").exists()

    def test_bytes_that_are_there_already_are_no_change(self, root):
        tx = Transaction(root, "test")
        tx.write("wiki/a.md", b"a\n", expect=sha(root, "wiki/a.md"))
        tx.mkdir("wiki")
        tx.log("test", "nothing")
        assert tx.changes == ()
        assert tx.commit() is None
        assert (root / "log.md").read_text() == "# Wiki Activity Log\n"
        assert undo.records(root) == []

    def test_a_second_write_replaces_the_first(self, root):
        tx = Transaction(root, "test")
        tx.write("wiki/a.md", b"one\n", expect=sha(root, "wiki/a.md"))
        tx.write("wiki/a.md", b"two\n", expect=files.sha256(b"one\n"))
        assert tx.changes == (Change("edit", "wiki/a.md"),)
        tx.commit()
        assert (root / "wiki/a.md").read_text() == "two\n"

    def test_a_second_write_that_did_not_see_the_first_is_a_conflict(self, root):
        tx = Transaction(root, "test")
        tx.write("wiki/a.md", b"one\n", expect=sha(root, "wiki/a.md"))
        with pytest.raises(Conflict):
            tx.write("wiki/a.md", b"two\n", expect=sha(root, "wiki/a.md"))

    def test_a_write_back_to_the_first_bytes_leaves_no_change(self, root):
        tx = Transaction(root, "test")
        tx.write("wiki/a.md", b"one\n", expect=sha(root, "wiki/a.md"))
        tx.write("wiki/a.md", b"a\n", expect=files.sha256(b"one\n"))
        assert tx.changes == ()

    def test_a_file_made_and_removed_leaves_no_change(self, root):
        tx = Transaction(root, "test")
        tx.write("wiki/x.md", b"x\n", expect=ABSENT)
        tx.delete("wiki/x.md", expect=files.sha256(b"x\n"))
        assert tx.changes == ()

    def test_a_file_made_and_moved_is_made_in_its_last_place(self, root):
        tx = Transaction(root, "test")
        tx.write("wiki/x.md", b"x\n", expect=ABSENT)
        tx.move("wiki/x.md", "raw/y.md")
        assert tx.changes == (Change("create", "raw/y.md"),)

    def test_a_write_after_a_move_with_new_bytes_replaces_them(self, root):
        tx = Transaction(root, "test")
        tx.move("wiki/a.md", "raw/a.md", expect=sha(root, "wiki/a.md"), data=b"one\n")
        tx.write("raw/a.md", b"two\n", expect=files.sha256(b"one\n"))
        assert tx.changes == (Change("move", "wiki/a.md", "raw/a.md"),)
        tx.commit()
        assert (root / "raw/a.md").read_text() == "two\n"

    def test_appends_to_one_file_are_one_change(self, root):
        tx = Transaction(root, "test")
        tx.append("x.jsonl", ["1"])
        tx.append("x.jsonl", ["2", "3"])
        tx.append("x.jsonl", [])
        assert tx.changes == (Change("append", "x.jsonl"),)
        tx.commit()
        assert (root / "x.jsonl").read_text() == "1\n2\n3\n"

    def test_lines_appended_to_a_written_file_follow_its_bytes(self, root):
        for order in ("write first", "append first"):
            tx = Transaction(root, "test")
            name = f"{order[:5]}.jsonl"
            if order == "append first":
                tx.append(name, ["2"])
            tx.write(name, b"1", expect=ABSENT)
            if order == "write first":
                tx.append(name, ["2"])
            tx.commit()
            assert (root / name).read_text() == "1\n2\n"

    @pytest.mark.parametrize("line", ["a\nb", "a\r"])
    def test_a_line_holds_no_line_end(self, root, line):
        with pytest.raises(BadUsage):
            Transaction(root, "test").append("x.jsonl", [line])

    @pytest.mark.parametrize("to", ["wiki/a.md", "wiki/a.md/deeper"])
    def test_nothing_moves_onto_or_into_itself(self, root, to):
        with pytest.raises(BadUsage):
            Transaction(root, "test").move("wiki/a.md", to)


class TestWhatIsApplied:
    def test_every_action_is(self, root):
        (root / "old" / "deep").mkdir(parents=True)
        (root / "old" / "deep" / "x.md").write_text("x\n")
        (root / "old" / "image.bin").write_bytes(b"\xff\0")
        tx = Transaction(root, "test", summary="all of it")
        tx.mkdir("inventory/items")
        tx.write("wiki/new/n.md", b"n\n", expect=ABSENT)
        tx.write("wiki/a.md", b"A\n", expect=sha(root, "wiki/a.md"))
        tx.move("wiki/b.md", "raw/sub/b2.md", data=b"B\n")
        tx.move("old", "topics/old")
        tx.write("topics/old/deep/x.md", b"X\n", expect=files.sha256(b"x\n"))
        tx.append("raw/lock.jsonl", ["{}"])
        tx.log("test", "all of it")
        assert tx.commit() == "20260110T120000Z-0001"
        assert tree(root) == {
            "inventory": None,
            "inventory/items": None,
            "log.md": b"# Wiki Activity Log\n\n## [2026-01-10] test | all of it\n",
            "raw": None,
            "raw/lock.jsonl": b"{}\n",
            "raw/sub": None,
            "raw/sub/b2.md": b"B\n",
            "topics": None,
            "topics/old": None,
            "topics/old/deep": None,
            "topics/old/deep/x.md": b"X\n",
            "topics/old/image.bin": b"\xff\0",
            "wiki": None,
            "wiki/a.md": b"A\n",
            "wiki/new": None,
            "wiki/new/n.md": b"n\n",
        }

    @pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
    def test_a_mode_is_kept_by_edits_moves_and_folders(self, root, mode):
        for name in ("a.md", "b.md"):
            (root / "wiki" / name).chmod(mode)
        (root / "raw").chmod(0o710)
        tx = Transaction(root, "test")
        tx.write("wiki/a.md", b"A\n", expect=sha(root, "wiki/a.md"))
        tx.move("wiki/b.md", "wiki/c.md", data=b"C\n")
        tx.move("raw", "sources")
        tx.commit()
        assert stat.S_IMODE((root / "wiki/a.md").stat().st_mode) == mode
        assert stat.S_IMODE((root / "wiki/c.md").stat().st_mode) == mode
        assert stat.S_IMODE((root / "sources").stat().st_mode) == 0o710

    def test_a_root_that_is_not_there_is_made(self, tmp_path):
        root = tmp_path / "new" / "hub"
        tx = Transaction(root, "init")
        tx.write("wikis.json", b"{}\n", expect=ABSENT)
        tx.commit()
        assert tree(root) == {"wikis.json": b"{}\n"}

    def test_nothing_of_the_machine_stays_in_the_wiki(self, root):
        tx = Transaction(root, "test")
        tx.write("wiki/a.md", b"A\n", expect=sha(root, "wiki/a.md"))
        tx.delete("wiki/b.md", expect=sha(root, "wiki/b.md"))
        tx.commit()
        assert set(tree(root)) == {"wiki", "wiki/a.md", "raw", "log.md"}

    def test_a_name_that_is_not_utf8_is_a_name(self, root):
        name = os.fsdecode(b"caf\xe9.md")
        (root / name).write_bytes(b"x\n")
        tx = Transaction(root, "test")
        tx.move(name, f"wiki/{name}", expect=files.sha256(b"x\n"))
        tx.commit()
        assert (root / "wiki" / name).read_bytes() == b"x\n"
        undo.undo(root)
        assert (root / name).read_bytes() == b"x\n"

    def test_a_file_may_take_the_place_of_one_that_leaves(self, root):
        tx = Transaction(root, "test")
        tx.move("wiki/a.md", "wiki/c.md")
        tx.move("wiki/b.md", "wiki/a.md")
        tx.move("wiki/c.md", "wiki/b.md")
        tx.commit()
        assert (root / "wiki/a.md").read_text() == "b\n"
        assert (root / "wiki/b.md").read_text() == "a\n"

    def test_a_name_that_is_too_long_is_told_and_nothing_is_done(self, root):
        tx = Transaction(root, "test")
        tx.write("wiki/a.md", b"A\n", expect=sha(root, "wiki/a.md"))
        tx.write("x" * 300, b"x\n", expect=ABSENT)
        with pytest.raises(Unreadable, match="name too long"):
            tx.commit()
        assert (root / "wiki/a.md").read_text() == "a\n"

    def test_a_deleted_file_may_become_a_folder(self, root):
        tx = Transaction(root, "test")
        tx.delete("wiki/a.md", expect=sha(root, "wiki/a.md"))
        tx.write("wiki/a.md/x.md", b"x\n", expect=ABSENT)
        tx.commit()
        assert (root / "wiki/a.md/x.md").read_text() == "x\n"


class TestTheLog:
    def test_an_entry_is_one_line(self, root):
        tx = Transaction(root, "test")
        tx.write("x.md", b"x\n", expect=ABSENT)
        tx.log("test", "two\nlines | and  blanks")
        tx.commit()
        assert (root / "log.md").read_text().endswith("\n\n## [2026-01-10] test | two lines | and blanks\n")

    def test_without_a_log_nothing_is_written(self, root):
        (root / "log.md").unlink()
        tx = Transaction(root, "test")
        tx.write("x.md", b"x\n", expect=ABSENT)
        tx.log("test", "words")
        tx.commit()
        assert not (root / "log.md").exists()

    def test_a_log_made_by_the_transaction_takes_its_entry_along(self, tmp_path):
        tx = Transaction(tmp_path / "new", "init")
        tx.write("log.md", b"# Wiki Activity Log\n", expect=ABSENT)
        tx.log("init", "new")
        tx.commit()
        assert (tmp_path / "new/log.md").read_text() == "# Wiki Activity Log\n\n## [2026-01-10] init | new\n"

    def test_several_entries_and_several_logs_are_written(self, root):
        (root / "wiki" / "log.md").write_text("# Other\n")
        tx = Transaction(root, "test")
        tx.write("x.md", b"x\n", expect=ABSENT)
        tx.log("test", "one")
        tx.log("test", "inner", log="wiki/log.md")
        tx.log("test", "two")
        tx.commit()
        assert (root / "log.md").read_text().count("## [2026-01-10] test |") == 2
        assert (root / "wiki/log.md").read_text() == "# Other\n\n## [2026-01-10] test | inner\n"

    def test_the_line_ends_of_the_log_are_followed(self, root):
        (root / "log.md").write_bytes(b"# Log\r\n")
        tx = Transaction(root, "test")
        tx.write("x.md", b"x\n", expect=ABSENT)
        tx.log("test", "one")
        tx.commit()
        assert (root / "log.md").read_bytes() == b"# Log\r\n\r\n## [2026-01-10] test | one\r\n"

    def test_a_log_that_is_a_link_is_not_written_through(self, root, tmp_path):
        (root / "log.md").unlink()
        (tmp_path / "outside.md").write_text("")
        (root / "log.md").symlink_to(tmp_path / "outside.md")
        tx = Transaction(root, "test")
        tx.write("x.md", b"x\n", expect=ABSENT)
        tx.log("test", "one")
        with pytest.raises(Conflict, match="symbolic link"):
            tx.commit()
        assert (tmp_path / "outside.md").read_text() == ""
        assert not (root / "x.md").exists()


class TestWhatIsRefused:
    def refuse(self, root, tx, match):
        before = tree(root)
        with pytest.raises(Conflict, match=match) as caught:
            tx.commit()
        assert caught.value.code == 5
        assert tree(root) == before
        assert undo.records(root) == []
        assert interrupted(root) == []
        return caught.value

    @pytest.mark.parametrize("rel", ["../x.md", "/etc/x", "wiki/../../x", "a\\b", "", "wiki//x"])
    def test_a_path_outside_the_root(self, root, rel):
        tx = Transaction(root, "test")
        for act in (
            lambda: tx.write(rel, b"", expect=ABSENT),
            lambda: tx.mkdir(rel),
            lambda: tx.delete(rel, expect=""),
            lambda: tx.move(rel, "x"),
            lambda: tx.move("wiki/a.md", rel),
            lambda: tx.append(rel, ["x"]),
            lambda: tx.log("test", "x", log=rel),
        ):
            with pytest.raises(Conflict, match="stays inside its root"):
                act()

    @pytest.mark.parametrize("rel", ["out/x.md", "out/in/x.md", "in/a.md", "file.md"])
    def test_a_path_through_a_symbolic_link(self, root, tmp_path, rel):
        (tmp_path / "elsewhere").mkdir()
        (root / "out").symlink_to(tmp_path / "elsewhere")
        (root / "in").symlink_to("wiki")
        (root / "file.md").symlink_to("wiki/a.md")
        for act in ("write", "append", "move to", "move from", "mkdir", "delete"):
            tx = Transaction(root, "test")
            tx.write("fine.md", b"x\n", expect=ABSENT)
            if act == "write":
                tx.write(rel, b"x\n", expect=ABSENT)
            elif act == "append":
                tx.append(rel, ["x"])
            elif act == "move to":
                tx.move("wiki/b.md", rel)
            elif act == "move from":
                tx.move(rel, "y.md")
            elif act == "mkdir":
                tx.mkdir(rel)
            else:
                tx.delete(rel, expect=sha(root, "wiki/a.md"))
            self.refuse(root, tx, "symbolic link")
        assert list((tmp_path / "elsewhere").iterdir()) == []

    def test_a_folder_that_became_a_link_after_planning(self, root, tmp_path):
        tx = Transaction(root, "test")
        tx.write("raw/x.md", b"x\n", expect=ABSENT)
        (root / "raw").rmdir()
        (root / "raw").symlink_to(tmp_path)
        self.refuse(root, tx, "symbolic link")

    def test_a_file_changed_since_it_was_read(self, root):
        tx = Transaction(root, "test")
        tx.write("wiki/new.md", b"n\n", expect=ABSENT)
        tx.write("wiki/a.md", b"A\n", expect=sha(root, "wiki/a.md"))
        (root / "wiki/a.md").write_text("changed\n")
        self.refuse(root, tx, r"wiki/a\.md changed since it was read")

    def test_every_changed_path_is_named(self, root):
        tx = Transaction(root, "test")
        tx.write("wiki/a.md", b"A\n", expect="0" * 64)
        tx.delete("wiki/b.md", expect="0" * 64)
        tx.move("gone.md", "x.md")
        tx.write("log.md", b"x\n", expect=ABSENT)
        error = self.refuse(root, tx, "changed since it was read")
        assert error.paths == ("wiki/a.md", "wiki/b.md", "gone.md", "log.md")
        assert "gone.md is no longer there" in error.message
        assert "log.md exists already" in error.message

    @pytest.mark.parametrize("to", ["wiki/b.md", "raw"])
    def test_a_destination_that_is_taken(self, root, to):
        tx = Transaction(root, "test")
        tx.move("wiki/a.md", to)
        self.refuse(root, tx, "exists already")

    def test_a_file_where_a_folder_is_needed(self, root):
        tx = Transaction(root, "test")
        tx.write("wiki/a.md/x.md", b"x\n", expect=ABSENT)
        self.refuse(root, tx, "is a file, not a folder")

    def test_a_folder_where_a_file_is_meant(self, root):
        for act in ("write", "delete", "append", "move"):
            tx = Transaction(root, "test")
            if act == "write":
                tx.write("wiki", b"x\n", expect=ABSENT)
            elif act == "delete":
                tx.delete("wiki", expect="0" * 64)
            elif act == "append":
                tx.append("wiki", ["x"])
            else:
                tx.move("wiki", "x", expect="0" * 64)
            self.refuse(root, tx, "is a folder")

    def test_a_pipe(self, root):
        os.mkfifo(root / "pipe")
        tx = Transaction(root, "test")
        tx.write("pipe", b"x\n", expect=ABSENT)
        self.refuse(root, tx, "not a regular file")

    def test_an_append_only_file_that_grows_meanwhile_is_no_conflict(self, root):
        (root / "x.jsonl").write_text("1\n")
        tx = Transaction(root, "test")
        tx.append("x.jsonl", ["3"])
        files.append_entry(root / "x.jsonl", "2\n")
        tx.commit()
        assert (root / "x.jsonl").read_text() == "1\n2\n3\n"


class TestLocks:
    def commit_in_thread(self, root, **options):
        def commit():
            tx = Transaction(root, "test", **options)
            tx.write("x.md", b"x\n", expect=ABSENT)
            tx.commit()

        thread = threading.Thread(target=commit)
        thread.start()
        return thread

    def test_a_commit_waits_for_the_lock(self, root):
        with root_lock(root):
            thread = self.commit_in_thread(root)
            thread.join(0.2)
            assert not (root / "x.md").exists()
        thread.join()
        assert (root / "x.md").exists()

    def test_a_commit_waits_for_the_other_roots_it_changes(self, root):
        with root_lock(root / "wiki"):
            thread = self.commit_in_thread(root, also_lock=[root / "wiki"])
            thread.join(0.2)
            assert not (root / "x.md").exists()
        thread.join()
        assert (root / "x.md").exists()

    def test_a_commit_inside_an_open_root_needs_no_second_lock(self, root):
        with open_root(root) as repaired:
            assert repaired == []
            tx = Transaction(root, "test")
            tx.write("x.md", b"x\n", expect=ABSENT)
            assert tx.commit()


class TestTheRecord:
    def test_it_is_private_and_outside_the_wiki(self, root):
        tx = Transaction(root, "test")
        tx.write("wiki/a.md", b"A\n", expect=sha(root, "wiki/a.md"))
        name = tx.commit()
        folder = root_state(root) / "undo" / name
        assert undo_folder(root) / name == folder
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert sorted(path.name for path in folder.iterdir()) == ["before", "manifest.json"]
        for path in folder.iterdir():
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert (folder / "before").read_bytes() == b"a\n"
        manifest = json.loads((folder / "manifest.json").read_text())
        assert manifest["verb"] == "test"
        assert manifest["date"] == "2026-01-10"

    def test_ids_sort_by_time_and_are_unique_within_a_second(self, root, monkeypatch):
        made = []
        for number, moment in enumerate(["12:00:00", "12:00:00", "12:00:01", "11:00:00"]):
            monkeypatch.setenv("LLM_WIKI_NOW", f"2026-01-10T{moment}Z")
            tx = Transaction(root, "test")
            tx.write(f"{number}.md", b"x\n", expect=ABSENT)
            made.append(tx.commit())
        assert made == [
            "20260110T120000Z-0001",
            "20260110T120000Z-0002",
            "20260110T120001Z-0003",
            "20260110T110000Z-0004",
        ]
        assert [record.id for record in undo.records(root)] == made[::-1]

    def test_equal_input_and_time_give_equal_records(self, tmp_path, monkeypatch):
        texts = []
        for _ in range(2):
            root = tmp_path / "same"
            root.mkdir()
            monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / f"state{len(texts)}"))
            tx = Transaction(root, "test")
            tx.mkdir("a")
            tx.append("x.jsonl", ["1"])
            name = tx.commit()
            manifest = json.loads((undo_folder(root) / name / "manifest.json").read_text())
            for step in manifest["steps"]:
                step.pop("temp", None)
            texts.append(manifest)
            for path in sorted(root.rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
            root.rmdir()
        assert texts[0] == texts[1]


class TestRecovery:
    def test_a_clean_root_needs_none_and_gets_no_folder(self, root, tmp_path):
        assert recover(root) == []
        assert not (tmp_path / "state").exists()

    def test_half_a_record_is_removed(self, root):
        folder = undo_folder(root) / "20260110T120000Z-0001.intent"
        folder.mkdir(parents=True)
        (folder / "before").write_bytes(b"half")
        assert interrupted(root) == [folder.name]
        assert recover(root) == ["20260110T120000Z-0001"]
        assert not folder.exists()
        assert interrupted(root) == []

    def test_a_torn_manifest_of_an_intent_is_removed(self, root):
        folder = undo_folder(root) / "20260110T120000Z-0001.intent"
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_text('{"steps": [')
        assert recover(root) == ["20260110T120000Z-0001"]
        assert not folder.exists()

    def test_the_next_commit_repairs_first_and_says_so(self, root):
        folder = undo_folder(root) / "20260110T120000Z-0001.intent"
        folder.mkdir(parents=True)
        tx = Transaction(root, "test")
        tx.write("x.md", b"x\n", expect=ABSENT)
        assert tx.commit() == "20260110T120000Z-0001"
        assert tx.recovered == ["20260110T120000Z-0001"]
