"""Undo: any transaction of the last 30 days, exactly, or a refusal that names why (`wiki-format.md` §8.4)."""

import stat

import pytest

from llm_wiki.core import files, undo
from llm_wiki.core.errors import Conflict, NothingFound
from llm_wiki.core.journal import undo_folder
from llm_wiki.core.transaction import ABSENT, Change, Transaction


@pytest.fixture(autouse=True)
def _fixed(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("LLM_WIKI_NOW", "2026-01-10T12:00:00Z")
    monkeypatch.delenv("LLM_WIKI_TODAY", raising=False)


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "w"
    root.mkdir()
    (root / "log.md").write_text("# Log\n")
    (root / "a.md").write_text("a\n")
    (root / "b.md").write_text("b\n")
    return root


def tree(root):
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else None
        for path in root.rglob("*")
        if path.name != "log.md"
    }


def edit(root, rel, text, verb="test"):
    path = root / rel
    expect = files.sha256(path.read_bytes()) if path.exists() else ABSENT
    tx = Transaction(root, verb)
    tx.write(rel, text.encode(), expect=expect)
    tx.log(verb, f"{rel} {text.strip()}")
    return tx.commit()


def states(root):
    return [(record.verb, record.state) for record in undo.records(root)]


class TestTheWayBack:
    def everything(self, root):
        (root / "old").mkdir()
        (root / "old" / "x.md").write_text("x\n")
        (root / "gone.md").write_text("gone\n")
        (root / "gone.md").chmod(0o640)
        (root / "jsonl").write_text("1\n")
        tx = Transaction(root, "test", summary="all")
        tx.mkdir("made/deep")
        tx.write("new/n.md", b"n\n", expect=ABSENT)
        tx.write("a.md", b"A\n", expect=files.sha256(b"a\n"))
        tx.delete("gone.md", expect=files.sha256(b"gone\n"))
        tx.move("b.md", "new/b.md", data=b"B\n")
        tx.move("old", "new/old")
        tx.append("jsonl", ["2", "3"])
        tx.append("fresh.jsonl", ["1"])
        tx.log("test", "all")
        return tx

    def test_every_action_is_reversed_and_empty_folders_go(self, root):
        tx = self.everything(root)
        before = tree(root)
        name = tx.commit()
        record = undo.undo(root)
        assert tree(root) == before
        assert stat.S_IMODE((root / "gone.md").stat().st_mode) == 0o640
        assert record.id == name
        assert record.state == "undone"
        assert record.changes == tx.changes
        assert record.summary == "all"

    def test_an_undo_of_an_undo_does_it_again(self, root):
        tx = self.everything(root)
        tx.commit()
        after = tree(root)
        undo.undo(root)
        undo.undo(root, undo.records(root)[0].id)
        assert tree(root) == after
        assert states(root) == [("undo", "done"), ("undo", "undone"), ("test", "done")]
        undo.undo(root, undo.records(root)[0].id)
        assert states(root)[:2] == [("undo", "done"), ("undo", "undone")]
        assert states(root)[-1] == ("test", "undone")

    def test_it_has_its_own_log_line_and_the_log_keeps_its_lines(self, root):
        name = edit(root, "a.md", "A\n", verb="lint")
        undo.undo(root)
        assert (root / "log.md").read_text() == (
            "# Log\n\n## [2026-01-10] lint | a.md A\n\n## [2026-01-10] undo | lint " + name + "\n"
        )

    def test_it_is_a_transaction_like_any_other(self, root):
        name = edit(root, "a.md", "A\n")
        undo.undo(root)
        newest = undo.records(root)[0]
        assert newest.verb == "undo"
        assert newest.summary == f"test {name}"
        assert newest.changes == (Change("edit", "a.md"),)

    def test_a_preview_shows_it_and_changes_nothing(self, root):
        edit(root, "new/n.md", "n\n")
        before = tree(root)
        assert undo.preview(root) == (Change("delete", "new/n.md"), Change("delete", "new"))
        assert tree(root) == before
        assert states(root) == [("test", "done")]

    def test_a_folder_that_holds_other_things_stays(self, root):
        edit(root, "new/n.md", "n\n")
        (root / "new" / "mine.md").write_text("mine\n")
        undo.undo(root)
        assert tree(root)["new/mine.md"] == b"mine\n"
        assert "new/n.md" not in tree(root)
        assert undo.records(root)[0].changes == (Change("delete", "new/n.md"),)

    def test_a_log_and_the_folders_made_by_the_transaction_go_with_it(self, tmp_path):
        root = tmp_path / "notes/fresh"
        tx = Transaction(root, "init")
        tx.write("log.md", b"# Log\n", expect=ABSENT)
        tx.write("wiki/x.md", b"x\n", expect=ABSENT)
        tx.log("init", "fresh")
        tx.commit()
        undo.undo(root)
        assert not (tmp_path / "notes").exists()
        undo.undo(root, undo.records(root)[0].id)
        assert (root / "wiki/x.md").read_bytes() == b"x\n"


class TestAppendedLines:
    def append(self, root, *lines):
        tx = Transaction(root, "test")
        tx.append("x.jsonl", lines)
        return tx.commit()

    def test_only_the_own_lines_go(self, root):
        self.append(root, "1")
        name = self.append(root, "2", "2", "3")
        self.append(root, "4", "2")
        files.append_entry(root / "x.jsonl", "5\n")
        undo.undo(root, name)
        assert (root / "x.jsonl").read_text() == "1\n2\n4\n5\n"

    def test_a_file_that_becomes_empty_goes_if_the_transaction_made_it(self, root):
        self.append(root, "1")
        undo.undo(root)
        assert not (root / "x.jsonl").exists()
        undo.undo(root, undo.records(root)[0].id)
        assert (root / "x.jsonl").read_text() == "1\n"

    def test_a_file_that_was_there_empty_stays(self, root):
        (root / "x.jsonl").write_text("")
        self.append(root, "1")
        undo.undo(root)
        assert (root / "x.jsonl").read_text() == ""

    def test_lines_merged_into_another_order_are_found(self, root):
        self.append(root, "1", "2")
        (root / "x.jsonl").write_text("2\nother\n1\n")
        undo.undo(root)
        assert (root / "x.jsonl").read_text() == "other\n"

    def test_lines_with_other_line_ends_are_found(self, root):
        self.append(root, "1", "2")
        (root / "x.jsonl").write_bytes(b"0\r\n1\r\n2\r\n")
        undo.undo(root)
        assert (root / "x.jsonl").read_bytes() == b"0\r\n"

    def test_lines_that_are_gone_leave_nothing_to_undo(self, root):
        self.append(root, "1")
        (root / "x.jsonl").write_text("other\n")
        with pytest.raises(NothingFound, match="nothing of test"):
            undo.undo(root)


class TestWhatIsChosen:
    def test_the_last_that_is_neither_undone_nor_an_undo(self, root):
        edit(root, "a.md", "1\n")
        edit(root, "a.md", "2\n")
        undo.undo(root)
        assert (root / "a.md").read_text() == "1\n"
        undo.undo(root)
        assert (root / "a.md").read_text() == "a\n"
        with pytest.raises(NothingFound, match="nothing to undo") as caught:
            undo.undo(root)
        assert caught.value.code == 1

    def test_the_last_of_a_verb(self, root):
        edit(root, "a.md", "1\n", verb="lint")
        edit(root, "b.md", "2\n", verb="ingest")
        assert undo.undo(root, verb="lint").verb == "lint"
        with pytest.raises(NothingFound, match="no lint transaction"):
            undo.undo(root, verb="lint")
        assert (root / "b.md").read_text() == "2\n"

    def test_one_by_its_id(self, root):
        first = edit(root, "a.md", "1\n")
        edit(root, "b.md", "2\n")
        undo.undo(root, first)
        assert tree(root) == {"a.md": b"a\n", "b.md": b"2\n"}
        with pytest.raises(NothingFound, match="undone already"):
            undo.undo(root, first)

    def test_an_unknown_id_is_not_found(self, root):
        with pytest.raises(NothingFound, match="no transaction nonsense"):
            undo.undo(root, "nonsense")

    def test_a_root_without_history_has_nothing(self, root, tmp_path):
        assert undo.records(root) == []
        with pytest.raises(NothingFound):
            undo.preview(root)
        assert not (tmp_path / "state").exists()

    def test_a_withdrawal_is_listed_and_cannot_come_back(self, root):
        edit(root, "b.md", "B\n")
        tx = Transaction(root, "retract", keep_before=False)
        tx.write("a.md", b"[RETRACTED]\n", expect=files.sha256(b"a\n"))
        name = tx.commit()
        assert states(root) == [("retract", "withdrawn"), ("test", "done")]
        assert not (undo_folder(root) / name / "before").exists()
        for txid in (None, name):
            with pytest.raises(NothingFound, match="withdrawal"):
                undo.undo(root, txid)
        assert (root / "b.md").read_text() == "B\n"

    def test_old_bytes_that_were_withdrawn_are_not_found(self, root):
        name = edit(root, "a.md", "A\n")
        (undo_folder(root) / name / "before").unlink()
        with pytest.raises(NothingFound, match="no longer kept"):
            undo.undo(root)
        assert (root / "a.md").read_text() == "A\n"


class TestConflicts:
    def conflict(self, root, txid, *words):
        before = tree(root)
        log = (root / "log.md").read_text()
        with pytest.raises(Conflict) as caught:
            undo.undo(root, txid)
        assert caught.value.code == 5
        for word in words:
            assert word in caught.value.message
        assert tree(root) == before
        assert (root / "log.md").read_text() == log
        return caught.value.message

    def test_a_file_changed_by_a_later_transaction_names_it(self, root):
        first = edit(root, "a.md", "1\n")
        other = edit(root, "b.md", "2\n")
        second = edit(root, "a.md", "2\n", verb="lint")
        message = self.conflict(root, first, "a.md changed since", f"later transactions: {second} (lint)")
        assert other not in message

    def test_a_later_transaction_that_was_undone_is_no_obstacle(self, root):
        first = edit(root, "a.md", "1\n")
        second = edit(root, "a.md", "2\n")
        undo.undo(root, second)
        undo.undo(root, first)
        assert (root / "a.md").read_text() == "a\n"

    def test_a_file_changed_by_hand_says_so(self, root):
        name = edit(root, "a.md", "1\n")
        (root / "a.md").write_text("by hand\n")
        self.conflict(root, name, "a.md changed since", "not by a transaction of this wiki")
        with pytest.raises(Conflict) as caught:
            undo.undo(root, name)
        assert "undo again, or keep them" in (caught.value.remedy or "")

    def test_a_file_moved_later_names_the_move(self, root):
        name = edit(root, "a.md", "1\n")
        tx = Transaction(root, "lint")
        tx.move("a.md", "sub/a.md")
        later = tx.commit()
        self.conflict(root, name, "a.md is no longer there", later)

    def test_a_file_below_a_folder_moved_later_names_the_move(self, root):
        name = edit(root, "sub/x.md", "1\n")
        tx = Transaction(root, "project")
        tx.move("sub", "other")
        later = tx.commit()
        self.conflict(root, name, "sub/x.md is no longer there", later)

    def test_a_place_that_was_taken_since_is_not_overwritten(self, root):
        tx = Transaction(root, "test")
        tx.delete("a.md", expect=files.sha256(b"a\n"))
        name = tx.commit()
        (root / "a.md").write_text("new\n")
        self.conflict(root, name, "a.md exists already")

    def test_a_moved_file_edited_since_is_not_moved_back(self, root):
        tx = Transaction(root, "test")
        tx.move("a.md", "sub/a.md")
        name = tx.commit()
        (root / "sub/a.md").write_text("edited\n")
        self.conflict(root, name, "sub/a.md changed since")

    def test_a_conflict_in_one_file_changes_no_other(self, root):
        tx = Transaction(root, "test")
        tx.write("a.md", b"1\n", expect=files.sha256(b"a\n"))
        tx.write("b.md", b"1\n", expect=files.sha256(b"b\n"))
        name = tx.commit()
        (root / "b.md").write_text("by hand\n")
        self.conflict(root, name, "b.md")

    def test_a_file_put_back_by_hand_is_no_conflict(self, root):
        tx = Transaction(root, "test")
        tx.write("a.md", b"1\n", expect=files.sha256(b"a\n"))
        tx.write("b.md", b"1\n", expect=files.sha256(b"b\n"))
        tx.commit()
        (root / "b.md").write_text("b\n")
        undo.undo(root)
        assert tree(root) == {"a.md": b"a\n", "b.md": b"b\n"}


class TestThirtyDays:
    def test_older_records_are_pruned_by_the_next_commit(self, root, monkeypatch):
        old = edit(root, "a.md", "1\n")
        monkeypatch.setenv("LLM_WIKI_NOW", "2026-02-09T11:59:59Z")
        edit(root, "b.md", "2\n")
        assert old in [record.id for record in undo.records(root)]
        monkeypatch.setenv("LLM_WIKI_NOW", "2026-02-09T12:00:01Z")
        edit(root, "b.md", "3\n")
        assert old not in [record.id for record in undo.records(root)]
        assert not (undo_folder(root) / old).exists()
        with pytest.raises(NothingFound):
            undo.undo(root, old)

    def test_prune_says_how_many_went(self, root, monkeypatch):
        edit(root, "a.md", "1\n")
        edit(root, "b.md", "2\n")
        assert undo.prune(root) == 0
        monkeypatch.setenv("LLM_WIKI_NOW", "2026-01-12T12:00:00Z")
        assert undo.prune(root, days=1) == 2
        assert undo.records(root) == []

    def test_a_record_that_cannot_be_read_is_skipped(self, root):
        edit(root, "a.md", "1\n")
        name = edit(root, "b.md", "2\n")
        (undo_folder(root) / name / "manifest.json").write_text("{")
        assert [record.changes for record in undo.records(root)] == [(Change("edit", "a.md"),)]


def test_listing_changes_nothing(root):
    edit(root, "a.md", "1\n")
    folder = undo_folder(root)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    undo.records(root)
    undo.preview(root)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


class TestWhoIsAsked:
    def test_what_a_person_decided_says_so_and_so_do_its_undo_and_the_undo_of_that(self, root):
        for person in (True, False):
            tx = Transaction(root, "test", person=person)
            tx.write(f"{person}.md", b"x\n", expect=ABSENT)
            last = tx.commit()
            for _ in range(3):
                assert undo.records(root)[0].person is person
                undo.undo(root, last)
                last = undo.records(root)[0].id

    def test_a_record_from_before_people_were_noted_needs_none(self, root):
        name = edit(root, "a.md", "1\n")
        assert b'"person"' not in (undo_folder(root) / name / "manifest.json").read_bytes()
        assert undo.records(root)[0].person is False

    def test_who_is_asked_sees_the_bytes_that_would_come_back_and_can_forbid_it(self, root):
        tx = Transaction(root, "test")
        tx.delete("a.md", expect=files.sha256(b"a\n"))
        tx.move("b.md", "c.md")
        name = tx.commit()
        before = tree(root)
        seen = []

        def refuse(place, record, reverse):
            seen.append((place, record.id, {(op.kind, op.path, op.to, op.data) for op in reverse.ops}))
            raise Conflict("not now")

        with pytest.raises(Conflict, match="not now"):
            undo.undo(root, allow=refuse)
        assert seen == [(root, name, {("move", "c.md", "b.md", None), ("write", "a.md", "", b"a\n")})]
        assert tree(root) == before
        assert states(root) == [("test", "done")]
        assert undo.undo(root, allow=lambda *_: None).id == name

    def test_what_goes_along_in_another_root_is_asked_too(self, root, tmp_path):
        other = tmp_path / "other"
        other.mkdir()
        side = Transaction(other, "test")
        side.write("x.md", b"x\n", expect=ABSENT)
        main = Transaction(root, "test")
        main.companions.append((str(other), side.commit()))
        main.write("y.md", b"y\n", expect=ABSENT)
        main.commit()

        def only_here(place, _record, _reverse):
            if place == other:
                raise Conflict("not there")

        assert undo.undo(root, allow=only_here).left == ("not there",)
        assert (other / "x.md").exists()
        assert not (root / "y.md").exists()
