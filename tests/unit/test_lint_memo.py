"""The kept report is used exactly as long as it would come out the same."""

import os
from datetime import date

import lintkit
import pytest

from llm_wiki.core.state import root_cache
from llm_wiki.lint import engine, memo
from llm_wiki.lint.options import Options
from llm_wiki.lint.run import run
from llm_wiki.wiki.resolve import Root


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A clean wiki whose stamps are old enough to be trusted, with a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    place = lintkit.sample(tmp_path / "wiki")
    return Root(place, "topic", None, "tea", "active")


@pytest.fixture
def settled(monkeypatch):
    """Take every stamp for old: what the clock would make true in two seconds."""
    monkeypatch.setattr(memo, "stamp_settled", lambda stamp, now: True)


@pytest.fixture
def judged(monkeypatch):
    """Count how often the rules really run."""
    runs = []
    real = engine.judge

    def judge(*arguments):
        runs.append(1)
        return real(*arguments)

    monkeypatch.setattr(engine, "judge", judge)
    return runs


def _again(root, judged, options=None, today=lintkit.TODAY):
    before = len(judged)
    report = run(root, options, today=today)
    fresh = engine.run(root, options, today=today)
    judged.pop()
    assert report == fresh
    return len(judged) > before


def test_an_unchanged_root_is_judged_once(root, settled, judged):
    assert _again(root, judged)
    assert not _again(root, judged)


def test_findings_come_back_as_they_were(root, settled, judged):
    lintkit.edit(root.path, lintkit.OXIDATION, "category: concept", "category: idea")
    assert _again(root, judged)
    assert not _again(root, judged)
    assert run(root, today=lintkit.TODAY).findings


CHANGES = {
    "a changed byte": lambda p: (p / lintkit.OXIDATION).write_bytes(
        (p / lintkit.OXIDATION).read_bytes() + b"\nx\n"
    ),
    "a new file": lambda p: (p / "stray.txt").write_text("x"),
    "a new folder": lambda p: (p / "wiki/misc").mkdir(),
    "a removed file": lambda p: (p / "schema.md").unlink(),
    "a link": lambda p: (p / "wiki/concepts/l.md").symlink_to("/etc/hostname"),
    "a new line in the compile ledger": lambda p: lintkit.write(p, ".librarian/compile-ledger.jsonl", "{}"),
    "an attestation": lambda p: lintkit.write(p, ".librarian/attestations.jsonl", "{}"),
    "a lock of sources": lambda p: lintkit.write(p, ".librarian/raw-lock.jsonl", "{}"),
    "another size of a picture": lambda p: (p / "inbox/a.png").write_bytes(b"12345"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_of_the_tree_has_it_judged_again(root, settled, judged, change):
    run(root, today=lintkit.TODAY)
    CHANGES[change](root.path)
    assert _again(root, judged)


def test_equal_size_and_time_with_other_bytes_are_noticed(root, settled, judged):
    path = root.path / lintkit.OXIDATION
    run(root, today=lintkit.TODAY)
    status = path.stat()
    path.write_bytes(path.read_bytes().replace(b"category: concept", b"category: concepx"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size
    assert _again(root, judged)


def test_another_day_and_other_options_are_other_reports(root, settled, judged):
    run(root, today=lintkit.TODAY)
    assert _again(root, judged, today=date(2029, 1, 1))
    assert _again(root, judged, Options(only=("W1",)))
    assert _again(root, judged, Options(skip=("W7",)))
    assert _again(root, judged, Options(strict=True))
    assert _again(root, judged, Options(fail_on="info"))


def test_other_code_is_another_report(root, settled, judged, monkeypatch):
    run(root, today=lintkit.TODAY)
    monkeypatch.setattr("llm_wiki.lint.run.code_key", lambda: "other")
    assert _again(root, judged)


def test_a_stamp_within_one_clock_tick_is_not_trusted(root, judged):
    assert _again(root, judged)
    assert _again(root, judged)


@pytest.mark.parametrize("damage", [b"", b"x" * 200, None])
def test_a_damaged_memory_is_forgotten(root, settled, judged, damage):
    run(root, today=lintkit.TODAY)
    path = root_cache(root.path) / memo.NAME
    data = path.read_bytes()
    path.write_bytes(data[:-1] + b"\xff" if damage is None else damage)
    assert _again(root, judged)


def test_no_rule_is_imported_for_an_unchanged_root(root, settled):
    import subprocess
    import sys

    run(root, today=lintkit.TODAY)
    code = (
        "import sys\nfrom pathlib import Path\nfrom datetime import date\nfrom llm_wiki.lint.run import run\n"
        "from llm_wiki.wiki.resolve import Root\n"
        f"report = run(Root(Path({str(root.path)!r}), 'topic', None, 'tea', 'active'), today=date(2026, 1, 10))\n"
        "assert not report.findings\nprint('llm_wiki.lint.rules.table' in sys.modules, 'yaml' in sys.modules)\n"
    )
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"
