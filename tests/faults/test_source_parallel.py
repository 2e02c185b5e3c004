"""Retractions of sources at once, and along with whatever else writes or reads: they wait, nothing is lost."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from cellarkit import CANARY, NAME, TITLE, URL, A, B, article, cellar, holders, quoted
from program import Done, Program

from llm_wiki.admit.tombstones import TOMBSTONES, read_stones

TRACES = (NAME, TITLE, "example.com/a/report", CANARY)
SECRET = "tokZk3vR9qLm2xW8hT4"
MANY = [f"raw/notes/2026-01-10-the-strange-matter-of-cask-{number}.md" for number in range(6)]


@pytest.fixture
def wiki(tmp_path):
    return Program(tmp_path)


@pytest.fixture
def root(wiki):
    root = cellar(wiki)
    article(root, "a", [A, B], f"Both agree [1](../../{A}), [2](../../{B}).\n")
    quoted(wiki)
    return root


def start(wiki, *words, stdin=b"") -> Done:
    """Run a verb; one that waited in vain for another says so, and is run again."""
    for _ in range(5):
        done = subprocess.run(
            [sys.executable, "-P", "-m", "llm_wiki", *map(str, words)],
            input=stdin, capture_output=True, cwd=wiki.here, env=wiki.env, timeout=120, check=False,
        )  # fmt: skip
        done = Done(done.returncode, done.stdout.decode(), done.stderr.decode())
        if "(waited " not in done.err:
            break
    assert "internal error" not in done.err, (words, done)
    assert "Traceback" not in done.err, (words, done)
    return done


def at_once(wiki, *calls) -> list[Done]:
    """Run several verbs in parallel; a call is its words, perhaps with its standard input at the end."""
    with ThreadPoolExecutor(len(calls)) as pool:
        waiting = [
            pool.submit(start, wiki, *call[:-1], stdin=call[-1])
            if isinstance(call[-1], bytes)
            else pool.submit(start, wiki, *call)
            for call in calls
        ]
        return [each.result() for each in waiting]


def apply(source: str) -> tuple[str, ...]:
    return ("retract-source", "apply", source, "--wiki", "wine", "--json")


def stones(root) -> int:
    return len(read_stones((root / TOMBSTONES).read_bytes(), root, "wine"))


def lines(*places) -> list[int]:
    return [(place / "log.md").read_text().count("] retract | removed a source") for place in places]


def test_of_six_retractions_of_one_source_one_does_it(wiki, root):
    done = at_once(wiki, *[apply(A)] * 6)
    did = [each.json for each in done if "error" not in each.json]
    told = {each.json["error"]["message"] for each in done if "error" in each.json}
    assert len(did) == 1
    assert did[0]["errors"] == did[0]["left"] == []
    assert told == {f"no source of this wiki: {A}"}
    assert (stones(root), lines(root, wiki.hub)) == (1, [1, 1])
    assert holders(wiki.home, *TRACES) == []


def test_six_retractions_in_one_topic_all_hold(wiki, root):
    for number in range(6):
        wiki.ok(
            *("raw", "add", "--wiki", "wine", "--title", f"The strange matter of cask {number}", "-"),
            stdin=b"About cask %d, of which there is much to say." % number,
        )
    cited = "\n".join(f"The cask {rel[-4]} leaks [it]({'../../' + rel}).\n" for rel in MANY)
    page = article(root, "casks", [*MANY, B], cited)
    done = at_once(wiki, *map(apply, MANY))
    for each in done:
        assert (each.exit, each.json["errors"], each.json["left"]) == (2, [], []), each
    assert (stones(root), lines(root, wiki.hub)) == (6, [6, 6])
    text = page.read_text()
    assert text.count("<!--RETRACTED-SOURCE-->") == 6
    assert "of-cask-" not in text
    assert (
        holders(wiki.home, *(f"the-strange-matter-of-cask-{n}" for n in range(6)), "strange matter of") == []
    )
    assert [path.name for path in (root / "raw/notes").glob("2*")] == []


def test_along_with_every_other_writer_it_waits_and_nothing_of_theirs_is_lost(wiki, root):
    (root / "output/secret.md").write_text(f"# S\n\n{SECRET}\n")
    new = ("raw", "add", "--wiki", "wine", "--title", "Barrels of oak", "-", b"Barrels are of oak. " * 5)
    again = ("raw", "add", "--wiki", "water", "--title", "Again", "--source", URL, "-", b"The same page.")
    erase = ("retract", "--stdin", "--apply", "--json", "--wiki", "wine", SECRET.encode())
    fix = ("lint", "--fix", "--wiki", "wine", "--fail-on", "never")
    index = ("index", "rebuild", "--wiki", "wine")
    look = ("search", "water", "--wiki", "wine")
    did, added, same, erased, fixed, built, *read = at_once(
        wiki, apply(A), new, again, erase, fix, index, look, ("status", "--wiki", "wine"), look
    )
    for each in (did, added, same, erased, fixed, built, *read):
        assert each.exit in (0, 1, 2, 4, 5), each
    for call, each in ((new, added), (fix, fixed), (index, built), (apply(A), did)):
        if each.exit == 5:  # what it had read had changed: it says so, and has done nothing
            assert at_once(wiki, call)[0].exit in (0, 2)
    assert same.exit in (0, 4), same
    assert (erased.exit, erased.json["status"]) == (0, "verified"), erased
    assert holders(wiki.home, SECRET) == []
    assert len(list((root / "raw/notes").glob("*barrels-of-oak.md"))) == 1
    assert not (root / A).exists()
    assert (stones(root), lines(root, wiki.hub)) == (1, [1, 1])
    verify = wiki("retract-source", "verify", A, "--wiki", "wine", "--json").json
    assert verify["errors"] == [] == verify["left"], verify
    where = [path for path in holders(wiki.home, *TRACES) if "/topics/water/" not in path]
    assert where == [] or same.exit == 0, where
    assert wiki("lint", "--wiki", "wine", "--fail-on", "critical").exit == 0


def test_with_an_archive_at_once_one_of_both_comes_first(wiki, root):
    did, moved = at_once(wiki, apply(A), ("archive", "topic", "wine"))
    assert moved.exit == 0, moved
    assert did.exit in (0, 2, 5), did
    away = wiki.hub / "topics/.archive/wine"
    assert not root.exists()
    if "error" in did.json:
        assert "has gone since it was found" in did.json["error"]["message"]
        assert (away / A).exists()
        assert not (away / TOMBSTONES).exists()
        did = wiki(*apply(A))
    assert json.loads(did.out)["errors"] == [], did
    assert (stones(away), lines(away, wiki.hub)) == (1, [1, 1])
    assert holders(wiki.home, *TRACES) == []
