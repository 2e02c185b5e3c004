"""The parse cache: always right, never needed, small when little changes."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import llm_wiki
from llm_wiki.core.errors import Conflict
from llm_wiki.core.state import cache_dir, root_cache
from llm_wiki.wiki import cache
from llm_wiki.wiki.snapshot import Snapshot

SECOND = 1_000_000_000


@pytest.fixture(autouse=True)
def home(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    return folder


@pytest.fixture
def later(monkeypatch):
    """Let the clock be ten seconds ahead, so that files just written count as old."""
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + 10 * SECOND)


def write(root: Path, rel: str, text: str) -> None:
    (root / rel).parent.mkdir(parents=True, exist_ok=True)
    (root / rel).write_text(text)


def make(root: Path, count: int = 30) -> Path:
    for number in range(count):
        write(
            root, f"wiki/concepts/a{number:03d}.md", f"---\ntitle: T{number}\n---\n# A\n\n[b](b.md) [[c|C]]\n"
        )
    return root


class Check:
    """A check of single pages that counts what it was given."""

    def __init__(self):
        self.seen = []

    def __call__(self, page):
        self.seen.append(page.rel)
        yield (page.rel, page.title, len(page.links))


def load(root, check=None, key="k", **options):
    if check is None:
        return Snapshot.load(root, "topic", **options)
    return Snapshot.load(root, "topic", per_file=check, per_file_key=key, **options)


def facts(snapshot):
    return [
        (rel, *(page.row[n] for n in range(len(page.row))), page.notes)
        for rel, page in snapshot.pages.items()
    ]


def stored(root) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in root_cache(root).iterdir()}


def base_of(root) -> Path:
    return root_cache(root) / "rows.base"


# --- use -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("later")
def test_a_second_run_parses_and_checks_nothing(tmp_path):
    first, second = Check(), Check()
    cold = facts(load(make(tmp_path), first))
    warm = facts(load(tmp_path, second))
    assert (len(first.seen), second.seen) == (30, [])
    assert cold == warm == facts(load(tmp_path, Check(), use_cache=False))


@pytest.mark.usefixtures("later")
def test_a_run_without_changes_writes_nothing(tmp_path):
    load(make(tmp_path), Check())
    before = base_of(tmp_path).stat()
    load(tmp_path, Check())
    after = base_of(tmp_path).stat()
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)


@pytest.mark.usefixtures("later")
def test_only_what_changed_is_parsed(tmp_path):
    load(make(tmp_path), Check())
    write(tmp_path, "wiki/concepts/a003.md", "# new\n")
    write(tmp_path, "wiki/concepts/new.md", "# new\n")
    (tmp_path / "wiki/concepts/a004.md").unlink()
    check = Check()
    snapshot = load(tmp_path, check)
    assert check.seen == ["wiki/concepts/a003.md", "wiki/concepts/new.md"]
    assert facts(snapshot) == facts(load(tmp_path, Check(), use_cache=False))


@pytest.mark.usefixtures("later")
def test_the_same_bytes_with_another_time_are_not_checked_again(tmp_path):
    load(make(tmp_path), Check())
    os.utime(tmp_path / "wiki/concepts/a003.md", ns=(1, 1))
    check = Check()
    assert facts(load(tmp_path, check)) == facts(load(tmp_path, Check(), use_cache=False))
    assert check.seen == []


@pytest.mark.usefixtures("later")
def test_a_moved_file_is_parsed_at_its_new_place(tmp_path):
    load(make(tmp_path), Check())
    (tmp_path / "wiki/concepts/a001.md").rename(tmp_path / "wiki/a001.md")
    assert facts(load(tmp_path, Check())) == facts(load(tmp_path, Check(), use_cache=False))


def test_no_cache_is_left_when_none_is_wanted(tmp_path):
    load(make(tmp_path), use_cache=False)
    assert not root_cache(tmp_path).exists()


def test_the_folder_is_for_this_user_alone(tmp_path):
    load(make(tmp_path))
    assert root_cache(tmp_path).stat().st_mode & 0o777 == 0o700
    assert base_of(tmp_path).stat().st_mode & 0o777 == 0o600


# --- truth -----------------------------------------------------------------------------------


def test_two_changes_of_equal_size_within_one_tick_are_both_seen(tmp_path):
    write(tmp_path, "wiki/a.md", "# 0000\n")
    for number in range(300):
        (tmp_path / "wiki/a.md").write_bytes(f"# {number:04d}\n".encode())
        assert load(tmp_path).pages["wiki/a.md"].title == f"{number:04d}"


@pytest.mark.usefixtures("later")
def test_a_change_that_restores_size_and_time_is_seen(tmp_path):
    write(tmp_path, "wiki/a.md", "# old\n")
    load(tmp_path)
    before = (tmp_path / "wiki/a.md").stat()
    write(tmp_path, "wiki/a.md", "# new\n")
    os.utime(tmp_path / "wiki/a.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert load(tmp_path).pages["wiki/a.md"].title == "new"


@pytest.mark.usefixtures("later")
def test_a_file_replaced_by_one_of_equal_size_and_time_is_seen(tmp_path):
    write(tmp_path, "wiki/a.md", "# old\n")
    write(tmp_path, "other.txt", "# new\n")
    os.utime(tmp_path / "wiki/a.md", ns=(5, 5))
    os.utime(tmp_path / "other.txt", ns=(5, 5))
    load(tmp_path)
    (tmp_path / "other.txt").rename(tmp_path / "wiki/a.md")
    assert load(tmp_path).pages["wiki/a.md"].title == "new"


NOW = 1_700_000_000 * SECOND + 123


@pytest.mark.parametrize(
    ("mtime", "ctime", "is_settled", "why"),
    [
        (NOW - 10 * SECOND, NOW - 10 * SECOND, True, "written long before it was read"),
        (NOW - 3 * SECOND, NOW - 10 * SECOND, True, "older than any tick"),
        (NOW - 2 * SECOND, NOW - 10 * SECOND, False, "may be written again within the tick"),
        (NOW - 10 * SECOND, NOW - SECOND, False, "its time was set after it was written"),
        (NOW, NOW, False, "just written"),
        (NOW + 10**18, NOW - 10 * SECOND, True, "a time that only a program can have set"),
        (NOW + 60 * SECOND, NOW + 60 * SECOND, False, "the file system's clock is ahead"),
        (1, NOW - 10 * SECOND, True, "an old time, set by a program"),
        (
            NOW - NOW % SECOND - 60 * SECOND,
            NOW - NOW % SECOND - 60 * SECOND,
            False,
            "a clock of whole seconds",
        ),
        (NOW - NOW % SECOND - 7200 * SECOND, NOW - NOW % SECOND - 7200 * SECOND, True, "the same, long ago"),
    ],
)
def test_a_stamp_counts_only_if_it_was_old_when_the_bytes_were_read(mtime, ctime, is_settled, why):
    assert cache.settled(((5, mtime, ctime, 1), NOW, ("",), b"", None)) is is_settled, why


def test_a_young_entry_is_read_again_but_not_checked_again(tmp_path):
    first, second = Check(), Check()
    load(make(tmp_path), first)
    load(tmp_path, second)
    assert (len(first.seen), second.seen) == (30, [])


def test_an_entry_becomes_old_by_being_read_later(tmp_path, monkeypatch):
    load(make(tmp_path))
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + 10 * SECOND)
    load(tmp_path)
    cached = cache.RowCache(tmp_path, "").load()
    assert all(cache.settled(entry) for entry in cached.values())


# --- checks ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("later")
def test_another_check_sees_every_page_and_nothing_is_parsed(tmp_path):
    load(make(tmp_path), Check(), "one")
    check = Check()
    snapshot = load(tmp_path, check, "two")
    assert len(check.seen) == 30
    again = Check()
    assert facts(load(tmp_path, again, "two")) == facts(snapshot)
    assert again.seen == []


@pytest.mark.usefixtures("later")
def test_without_a_check_there_are_no_notes_and_none_are_lost(tmp_path):
    load(make(tmp_path), Check())
    write(tmp_path, "wiki/concepts/a003.md", "# new\n")
    assert all(page.notes == () for page in load(tmp_path).pages.values())
    check = Check()
    assert facts(load(tmp_path, check)) == facts(load(tmp_path, Check(), use_cache=False))
    assert check.seen == ["wiki/concepts/a003.md"]


# --- damage ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("place", [0, 7, 8, 23, 24, 55, 56, 63, 64, 500])
def test_a_flipped_byte_makes_it_no_cache(tmp_path, place):
    expected = facts(load(make(tmp_path), Check()))
    data = bytearray(base_of(tmp_path).read_bytes())
    data[place] ^= 0x40
    base_of(tmp_path).write_bytes(data)
    check = Check()
    assert facts(load(tmp_path, check)) == expected
    assert len(check.seen) == 30
    again = Check()
    load(tmp_path, again)
    assert again.seen == []


@pytest.mark.usefixtures("later")
def test_a_damaged_tail_is_parsed_again_when_it_is_asked_for(tmp_path):
    expected = facts(load(make(tmp_path), Check()))
    data = bytearray(base_of(tmp_path).read_bytes())
    data[-1] ^= 0x40
    base_of(tmp_path).write_bytes(data)
    check = Check()
    assert facts(load(tmp_path, check)) == expected
    assert check.seen == []


@pytest.mark.usefixtures("later")
def test_a_cache_cut_short_in_its_tails_is_no_error(tmp_path):
    expected = facts(load(make(tmp_path), Check()))
    os.truncate(base_of(tmp_path), base_of(tmp_path).stat().st_size - 200)
    assert facts(load(tmp_path, Check())) == expected
    write(tmp_path, "wiki/concepts/new.md", "# new\n")
    assert len(load(tmp_path, Check(), "other").pages) == 31
    assert facts(load(tmp_path, Check())) == facts(load(tmp_path, Check(), use_cache=False))


@pytest.mark.usefixtures("later")
def test_a_lost_tail_of_a_file_changed_since_is_a_conflict(tmp_path):
    load(make(tmp_path), Check())
    data = bytearray(base_of(tmp_path).read_bytes())
    data[-1] ^= 0x40
    base_of(tmp_path).write_bytes(data)
    snapshot = load(tmp_path, Check())
    for name in ("a000", "a029"):
        write(tmp_path, f"wiki/concepts/{name}.md", "# changed\n")
    assert [link.key for link in snapshot.pages["wiki/concepts/a000.md"].links] == ["wiki/concepts/b.md", "c"]
    with pytest.raises(Conflict, match="has changed"):
        _ = snapshot.pages["wiki/concepts/a029.md"].links


@pytest.mark.usefixtures("later")
def test_a_snapshot_keeps_its_tails_when_the_cache_goes(tmp_path):
    expected = facts(load(make(tmp_path), Check()))
    first, second = load(tmp_path, Check()), load(tmp_path, Check())
    load(tmp_path, Check(), "other")
    assert facts(first) == expected
    cache.drop(tmp_path)
    shutil.rmtree(tmp_path / "wiki")
    assert facts(second) == expected


@pytest.mark.usefixtures("later")
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs a list of open files")
def test_no_file_stays_open_when_a_snapshot_is_gone(tmp_path):
    load(make(tmp_path), Check())
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        load(tmp_path, Check())
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("content", [b"", b"x", b"LWROWS01", b"\x00" * 1000, b"[]"])
def test_a_foreign_file_in_its_place_is_ignored(tmp_path, content):
    expected = facts(load(make(tmp_path), Check()))
    base_of(tmp_path).write_bytes(content)
    assert facts(load(tmp_path, Check())) == expected


def test_a_folder_in_its_place_is_ignored(tmp_path):
    base_of(make(tmp_path)).mkdir(parents=True)
    assert len(load(tmp_path).pages) == 30


def test_a_file_in_place_of_the_cache_folder_is_no_error(tmp_path):
    cache_dir().parent.mkdir(parents=True)
    cache_dir().write_text("")
    assert len(load(make(tmp_path)).pages) == 30


@pytest.mark.usefixtures("later")
def test_a_cache_of_another_version_is_ignored(tmp_path, monkeypatch):
    load(make(tmp_path), Check())
    monkeypatch.setattr(llm_wiki, "__version__", "99.0.0")
    check = Check()
    load(tmp_path, check)
    assert len(check.seen) == 30


@pytest.mark.usefixtures("later")
def test_a_deleted_cache_is_made_again(tmp_path):
    expected = facts(load(make(tmp_path), Check()))
    cache.drop(tmp_path)
    assert stored(tmp_path) == {}
    assert facts(load(tmp_path, Check())) == expected
    assert list(stored(tmp_path)) == ["rows.base"]


# --- size ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("later")
def test_one_change_among_many_is_one_small_file(tmp_path):
    load(make(tmp_path, 100), Check())
    before = stored(tmp_path)
    write(tmp_path, "wiki/concepts/a050.md", "# new\n")
    load(tmp_path, Check())
    after = stored(tmp_path)
    (name,) = after.keys() - before.keys()
    assert name.startswith("rows.delta-")
    assert after[name] * 20 < after["rows.base"] == before["rows.base"]
    assert facts(load(tmp_path, Check())) == facts(load(tmp_path, Check(), use_cache=False))


@pytest.mark.usefixtures("later")
def test_small_files_do_not_pile_up(tmp_path):
    load(make(tmp_path, 100), Check())
    names = []
    for number in range(60):
        write(tmp_path, "wiki/concepts/a050.md", f"# number {number}\n")
        assert load(tmp_path, Check()).pages["wiki/concepts/a050.md"].title == f"number {number}"
        names.append(len(stored(tmp_path)))
    assert max(names) <= cache.MAX_DELTAS + 1
    assert min(names) == 1


@pytest.mark.usefixtures("later")
def test_files_of_an_earlier_base_do_not_count_and_go(tmp_path):
    load(make(tmp_path, 100), Check())
    write(tmp_path, "wiki/concepts/a050.md", "# one\n")
    load(tmp_path, Check())
    (delta,) = root_cache(tmp_path).glob("rows.delta-*")
    left = delta.read_bytes()
    cache.drop(tmp_path)
    load(tmp_path, Check())
    delta.write_bytes(left)
    write(tmp_path, "wiki/concepts/a050.md", "# two\n")
    assert load(tmp_path, Check()).pages["wiki/concepts/a050.md"].title == "two"
    for number in range(cache.MAX_DELTAS):
        write(tmp_path, "wiki/concepts/a050.md", f"# {number}\n")
        load(tmp_path, Check())
    assert not delta.exists()


@pytest.mark.usefixtures("later")
def test_what_is_gone_from_the_wiki_goes_from_the_cache_when_it_is_written_anew(tmp_path):
    load(make(tmp_path, 40), Check())
    for number in range(20):
        (tmp_path / f"wiki/concepts/a{number:03d}.md").unlink()
    load(tmp_path, Check(), "other")
    assert len(cache.RowCache(tmp_path, "other").load()) == 20


def test_processes_that_share_it_do_not_disturb_each_other(tmp_path):
    make(tmp_path, 60)
    code = (
        "import sys; from pathlib import Path; from llm_wiki.wiki.snapshot import Snapshot\n"
        "for n in range(15):\n"
        "    Path(sys.argv[1], 'wiki/concepts', sys.argv[2] + '.md').write_text(f'# {n:03d}\\n')\n"
        "    s = Snapshot.load(Path(sys.argv[1]), 'topic')\n"
        "    assert s.pages[f'wiki/concepts/{sys.argv[2]}.md'].title == f'{n:03d}'\n"
    )
    scripts = str(Path(llm_wiki.__file__).parent.parent)
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", code, tmp_path, name], env={**os.environ, "PYTHONPATH": scripts}
        )
        for name in ("p", "q")
    ]
    assert [run.wait() for run in runs] == [0, 0]
    assert facts(load(tmp_path)) == facts(load(tmp_path, use_cache=False))
