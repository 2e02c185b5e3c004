"""Retractions of sources at once, and along with whatever else writes or reads: they wait, nothing is lost."""

import shutil
import subprocess
import sys
import time

import pytest
from cellarkit import URL, A, B, article
from killer_source import APPLY, Scene, preload
from program import Program

from llm_wiki.admit.tombstones import TOMBSTONES, read_stones
from llm_wiki.core.state import root_cache

SECRET = "tokZk3vR9qLm2xW8hT4"
MANY = [f"raw/notes/2026-01-10-the-strange-matter-of-cask-{number}.md" for number in range(6)]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A home with the source in every store, made once."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("LLM_WIKI_NOW", "2026-01-10T12:00:00Z")
        scene = Scene(tmp_path_factory.mktemp("home"))
        scene.build()
    preload()
    return scene


@pytest.fixture
def scene(built, monkeypatch):
    built.fresh()
    monkeypatch.setenv("HOME", str(built.home))
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "LLM_WIKI_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LLM_WIKI_TODAY", "2026-01-10")
    monkeypatch.setenv("LLM_WIKI_NOW", "2026-01-10T12:00:00Z")
    return built


def apply(source):
    return ("retract-source", "apply", source, "--wiki", "wine", "--json")


def at_once(scene, *calls):
    """Run verbs in parallel; a call is its words, perhaps with its standard input at the end.

    One that waited in vain for another says so, and is run again.
    """
    calls = [(call[:-1], call[-1]) if isinstance(call[-1], bytes) else (call, b"") for call in calls]
    done = scene.at_once(*calls)
    for number, call in enumerate(calls):
        while "(waited " in done[number].err:
            done[number] = scene.at_once(call)[0]
        for word in ("internal error", "Traceback"):
            assert word not in done[number].err, (call, done[number])
    return done


def stones(root):
    return len(read_stones((root / TOMBSTONES).read_bytes(), root, "wine"))


def lines(*places):
    return [(place / "log.md").read_text().count("] retract | removed a source") for place in places]


def test_of_six_retractions_of_one_source_one_does_it(scene):
    done = at_once(scene, *[APPLY] * 6)
    did = [each.json for each in done if "error" not in each.json]
    told = {each.json["error"]["message"] for each in done if "error" in each.json}
    assert len(did) == 1
    assert did[0]["errors"] == did[0]["left"] == []
    assert told == {f"no source of this wiki: {A}"}
    assert (stones(scene.root), lines(scene.root, scene.hub)) == (1, [1, 1])
    assert scene.left() == []


def test_six_retractions_in_one_topic_all_hold(scene):
    for number in range(6):
        words = ("raw", "add", "--wiki", "wine", "--title", f"The strange matter of cask {number}", "-")
        assert at_once(scene, (*words, b"About cask %d, much is to be said." % number))[0].exit == 0
    cited = "\n".join(f"The cask {rel[-4]} leaks [it](../../{rel}).\n" for rel in MANY)
    page = article(scene.root, "casks", [*MANY, B], cited)
    for each in at_once(scene, *map(apply, MANY)):
        assert (each.exit, each.json["errors"], each.json["left"]) == (2, [], []), each
    assert (stones(scene.root), lines(scene.root, scene.hub)) == (6, [6, 6])
    assert page.read_text().count("<!--RETRACTED-SOURCE-->") == 6
    assert scene.left("the-strange-matter-of-cask", "The strange matter of") == []


def test_along_with_every_other_writer_it_waits_and_nothing_of_theirs_is_lost(scene):
    root = scene.root
    (root / "output/secret.md").write_text(f"# S\n\n{SECRET}\n")
    new = ("raw", "add", "--wiki", "wine", "--title", "Barrels of oak", "-", b"Barrels are of oak. " * 5)
    same = ("raw", "add", "--wiki", "water", "--title", "Again", "--source", URL, "-", b"The same page.")
    erase = ("retract", "--stdin", "--apply", "--json", "--wiki", "wine", SECRET.encode())
    fix = ("lint", "--fix", "--wiki", "wine", "--fail-on", "never")
    index = ("index", "rebuild", "--wiki", "wine")
    look = ("search", "water", "--wiki", "wine")
    calls = [APPLY, new, same, erase, fix, index, look, ("status", "--wiki", "wine")]
    done = at_once(scene, *calls)
    for call, first in zip(calls, done, strict=True):
        # with 5 it says that what it had read had changed, and has done nothing
        each = at_once(scene, call)[0] if first.exit == 5 else first
        assert each.exit in {APPLY: (2,), same: (0, 4), look: (0, 1)}.get(call, (0,)), (call, each)
    assert done[3].json["status"] == "verified"
    assert scene.left(SECRET) == []
    assert len(list((root / "raw/notes").glob("*barrels-of-oak.md"))) == 1
    assert not (root / A).exists()
    assert (stones(root), lines(root, scene.hub)) == (1, [1, 1])
    where = [path for path in scene.left() if "/topics/water/" not in path]
    assert where == [] or done[2].exit == 0, where
    assert scene.run("lint", "--wiki", "wine", "--fail-on", "critical").exit == 0


def test_with_an_archive_at_once_one_of_both_comes_first(scene):
    did, moved = at_once(scene, APPLY, ("archive", "topic", "wine"))
    assert moved.exit == 0, moved
    away = scene.hub / "topics/.archive/wine"
    assert scene.root == away
    if "error" in did.json:
        assert "has gone since it was found" in did.json["error"]["message"]
        assert (away / A).exists()
        assert not (away / TOMBSTONES).exists()
        did = scene.run(*APPLY)
    assert did.json["errors"] == [], did
    assert (stones(away), lines(away, scene.hub)) == (1, [1, 1])
    assert scene.left() == []


SLOW = """
import sys, time
from pathlib import Path
from llm_wiki.lint.memo import Memo
from llm_wiki.search import index
from llm_wiki.wiki.cache import RowCache

gate = Path(sys.argv[1])

def waiting(real):
    def call(*given, **named):
        (gate / "ready").touch()
        while not (gate / "go").exists():
            time.sleep(0.01)
        return real(*given, **named)
    return call

RowCache._write = waiting(RowCache._write)
Memo.keep = waiting(Memo.keep)
index._rebuilt = waiting(index._rebuilt)
from llm_wiki.cli.main import main
main(sys.argv[2:])
"""


def test_a_reader_that_began_before_leaves_nothing_of_it_in_its_caches(scene, tmp_path):
    shutil.rmtree(scene.home / ".cache")
    words = ("search", "both", "--wiki", "wine")
    env = Program(tmp_path).env | {"HOME": str(scene.home)}
    reader = subprocess.Popen(
        [sys.executable, "-P", "-c", SLOW, str(tmp_path), *words], env=env, stderr=subprocess.PIPE
    )
    while not (tmp_path / "ready").exists():
        assert reader.poll() is None, reader.communicate()
        time.sleep(0.01)
    did = scene.run(*APPLY)
    assert did.json["errors"] == [], did
    (tmp_path / "go").touch()
    _, err = reader.communicate(timeout=60)
    assert err == b""
    assert reader.returncode in (0, 1)
    assert scene.left() == []
    subprocess.run([sys.executable, "-P", "-m", "llm_wiki", *words], env=env, check=True)
    assert (root_cache(scene.root) / "search.sqlite").exists()  # who comes later has caches again
