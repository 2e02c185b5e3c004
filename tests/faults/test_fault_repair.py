"""A transaction that stopped half-way: what the next command, or the same one, makes of it."""

import pytest

from llm_wiki.core import files, journal, steps, undo
from llm_wiki.core.errors import Conflict, Unreadable
from llm_wiki.core.journal import undo_folder
from llm_wiki.core.transaction import ABSENT, Transaction, interrupted, recover


class DiedError(BaseException):
    """Stands for the end of the process: nothing after it runs."""


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


def die(*_):
    raise DiedError


def stop_before_the_log_line(root, monkeypatch):
    """Leave a transaction that died after its last step, before its log line."""
    tx = Transaction(root, "test")
    tx.write("wiki/a.md", b"A\n", expect=sha(root, "wiki/a.md"))
    tx.delete("wiki/b.md", expect=sha(root, "wiki/b.md"))
    tx.log("test", "words")
    with monkeypatch.context() as patch:
        patch.setattr(journal.Journal, "finish", die)
        patch.setattr(journal.Journal, "roll_back", die)
        with pytest.raises(DiedError):
            tx.commit()
    assert interrupted(root) == ["20260110T120000Z-0001.apply"]


def stop_between_steps(root, monkeypatch):
    """Leave a transaction that died before its last step."""
    real = steps.make

    def make(root, step, stamps):
        if step.path == "wiki/last.md":
            raise DiedError
        real(root, step, stamps)

    tx = Transaction(root, "test")
    tx.write("wiki/a.md", b"A\n", expect=sha(root, "wiki/a.md"))
    tx.write("raw/new/x.md", b"x\n", expect=ABSENT)
    tx.delete("wiki/b.md", expect=sha(root, "wiki/b.md"))
    tx.write("wiki/last.md", b"l\n", expect=ABSENT)
    with monkeypatch.context() as patch:
        patch.setattr(steps, "make", make)
        patch.setattr(journal.Journal, "roll_back", die)
        with pytest.raises(DiedError):
            tx.commit()


def test_one_whose_steps_were_all_made_is_finished(root, monkeypatch):
    stop_before_the_log_line(root, monkeypatch)
    assert recover(root) == ["20260110T120000Z-0001"]
    assert (root / "wiki/a.md").read_text() == "A\n"
    assert (root / "log.md").read_text().endswith("test | words\n")
    assert [record.state for record in undo.records(root)] == ["done"]
    assert set(tree(root)) == {"wiki", "wiki/a.md", "raw", "log.md"}


def test_the_log_line_is_written_once_also_when_others_wrote_meanwhile(root, monkeypatch):
    stop_before_the_log_line(root, monkeypatch)
    files.append_entry(root / "log.md", "\n## [2026-01-10] query | other\n")
    recover(root)
    log = (root / "log.md").read_text()
    assert log.count("test | words") == 1
    assert log.count("query | other") == 1


def test_one_that_died_between_is_taken_back(root, monkeypatch):
    before = tree(root)
    stop_between_steps(root, monkeypatch)
    assert tree(root) != before
    assert recover(root) == ["20260110T120000Z-0001"]
    assert tree(root) == before
    assert undo.records(root) == []


def test_what_someone_else_changed_since_stays_and_its_old_bytes_are_kept(root, monkeypatch):
    before = tree(root)
    stop_between_steps(root, monkeypatch)
    (root / "wiki/a.md").write_text("written by an editor\n")
    recover(root)
    assert tree(root) == before | {"wiki/a.md": b"written by an editor\n"}
    (record,) = undo.records(root)
    assert record.state == "undone"
    assert b"a\n" in (undo_folder(root) / record.id / "before").read_bytes()


def test_files_of_others_in_a_folder_it_made_stay(root, monkeypatch):
    before = tree(root)
    stop_between_steps(root, monkeypatch)
    (root / "raw/new/mine.md").write_text("mine\n")
    recover(root)
    assert tree(root) == before | {"raw/new": None, "raw/new/mine.md": b"mine\n"}


def test_a_wiki_that_is_gone_is_not_made_again(root, monkeypatch):
    stop_between_steps(root, monkeypatch)
    root.rename(root.with_name("away"))
    assert recover(root) == ["20260110T120000Z-0001"]
    assert not root.exists()


def test_a_failure_half_way_is_taken_back_at_once(root, monkeypatch):
    before = tree(root)

    def fail(*_):
        raise OSError(28, "No space left on device")

    tx = Transaction(root, "test")
    tx.write("wiki/a.md", b"A\n", expect=sha(root, "wiki/a.md"))
    tx.write("raw/new/x.md", b"x\n", expect=ABSENT)
    tx.log("test", "words")
    with monkeypatch.context() as patch:
        patch.setattr(steps, "complete_entry", fail)
        with pytest.raises(Unreadable, match="no space left on the device; nothing was changed"):
            tx.commit()
    assert tree(root) == before
    assert interrupted(root) == []


def test_an_interrupt_by_the_user_is_taken_back_at_once(root, monkeypatch):
    before = tree(root)

    def interrupt(*_):
        raise KeyboardInterrupt

    tx = Transaction(root, "test")
    tx.write("wiki/a.md", b"A\n", expect=sha(root, "wiki/a.md"))
    tx.log("test", "words")
    with monkeypatch.context() as patch:
        patch.setattr(steps, "complete_entry", interrupt)
        with pytest.raises(KeyboardInterrupt):
            tx.commit()
    assert tree(root) == before
    assert undo.records(root) == []


def test_an_edit_made_while_it_is_being_applied_is_not_lost(root, monkeypatch):
    real = journal.Journal.apply

    def apply(self):
        (root / "wiki/b.md").write_text("typed just now\n")
        real(self)

    tx = Transaction(root, "test")
    tx.write("wiki/a.md", b"A\n", expect=sha(root, "wiki/a.md"))
    tx.write("wiki/b.md", b"B\n", expect=sha(root, "wiki/b.md"))
    with monkeypatch.context() as patch:
        patch.setattr(journal.Journal, "apply", apply)
        with pytest.raises(Conflict, match=r"wiki/b\.md changed meanwhile"):
            tx.commit()
    assert (root / "wiki/a.md").read_text() == "a\n"
    assert (root / "wiki/b.md").read_text() == "typed just now\n"


def test_an_edit_made_between_reading_and_staging_is_not_lost(root, monkeypatch):
    from llm_wiki.core.plan import Plan

    real = Plan.data

    def data(self, node):
        found = real(self, node)
        (root / "wiki/a.md").write_text("typed while it was read\n")
        return found

    tx = Transaction(root, "test")
    tx.write("wiki/a.md", b"A\n", expect=sha(root, "wiki/a.md"))
    with monkeypatch.context() as patch:
        patch.setattr(Plan, "data", data)
        with pytest.raises(Conflict, match=r"wiki/a\.md changed meanwhile"):
            tx.commit()
    assert (root / "wiki/a.md").read_text() == "typed while it was read\n"


def test_lines_that_others_added_to_the_log_survive_a_way_back(root, monkeypatch):
    real = steps.complete_entry

    def crowd(path, start, entry):
        files.append_entry(path, "\n## [2026-01-10] query | before\n")
        real(path, start, entry)
        files.append_entry(path, "\n## [2026-01-10] query | after\n")
        raise OSError(5, "Input/output error")

    tx = Transaction(root, "test")
    tx.write("wiki/a.md", b"A\n", expect=sha(root, "wiki/a.md"))
    tx.log("test", "words")
    with monkeypatch.context() as patch:
        patch.setattr(steps, "complete_entry", crowd)
        with pytest.raises(Unreadable, match="nothing was changed"):
            tx.commit()
    assert (root / "log.md").read_text() == (
        "# Wiki Activity Log\n\n## [2026-01-10] query | before\n\n## [2026-01-10] query | after\n"
    )
