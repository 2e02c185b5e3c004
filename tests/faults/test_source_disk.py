"""Retracting a source on a full disk and where something may not be written: nothing changed, or it is said."""

import pytest
from cellarkit import TITLE, A
from killer_source import Scene
from program import contents
from test_fault_disk import fill, forbidden, small_disk  # noqa: F401 - a fixture

from llm_wiki.core.errors import Unreadable, WikiError
from llm_wiki.ops.withdrawing_source import report_data, run
from llm_wiki.wiki.resolve import resolve
from llm_wiki.withdraw import source_hub


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A home with the source in every store, made once."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("LLM_WIKI_NOW", "2026-01-10T12:00:00Z")
        scene = Scene(tmp_path_factory.mktemp("home"))
        scene.build()
        scene.left()  # what it sees here it need not look at again
    return scene


@pytest.fixture
def mine(monkeypatch):
    """Let a scene be the home of this process."""

    def begin(scene):
        scene.fresh()
        monkeypatch.setenv("HOME", str(scene.home))
        for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "LLM_WIKI_CONFIG_DIR"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("LLM_WIKI_TODAY", "2026-01-10")
        return scene

    return begin


def apply():
    return run("apply", A, resolve(wiki="wine", include_archived=True))


def own(scene):
    """Return every file of the hub and of the state folder but locks: what may not have changed."""
    return contents(scene.hub) | {
        f"state/{rel}": digest for rel, digest in contents(scene.home / ".local/state", "lock").items()
    }


def finish(scene):
    """See that a rerun has no error, leaves nothing, and that all is done once."""
    done = apply()
    assert (done.errors, done.left, done.unfinished) == ([], [], False)
    assert scene.left() == []
    end = scene.state()
    assert (end["raw"], end["intents"], end["stones"], end["logs"]) == (False, 0, 1, [1, 1])


TREE = {
    "article": "wiki/topics/wine/wiki/concepts",
    "librarian": "wiki/topics/wine/.librarian",
    "log": "wiki/topics/wine/log.md",
    "state": ".local/state/llm-wiki/roots/*",
}


@pytest.mark.parametrize("what", TREE)
def test_what_the_tree_needs_may_not_be_written_and_nothing_changes(built, mine, what):
    scene = mine(built)
    before = own(scene)
    with forbidden(*scene.home.glob(TREE[what])), pytest.raises(Unreadable):
        apply()
    assert own(scene) == before
    finish(scene)


BESIDE = {
    "hub": ["wiki/README.md", "wiki"],
    "sessions": ["wiki/.sessions/queue", "wiki/.sessions/queue/*", "wiki/.sessions/digests/*/*"],
    "undo": [".local/state/llm-wiki/roots/*/undo/*"],
    "caches": [".cache/llm-wiki/roots/*"],
}


@pytest.mark.parametrize("what", BESIDE)
def test_what_lies_beside_the_tree_is_named_and_a_rerun_completes_it(built, mine, what):
    scene = mine(built)
    with forbidden(*(path for pattern in BESIDE[what] for path in scene.home.glob(pattern))):
        done = apply()
    assert (done.status, done.unfinished) == ("incomplete", True)
    assert not (scene.root / A).exists()
    said = "\n".join([*done.errors, *(f"{one.path}" for one in done.left)])
    assert "cannot " in said, said
    assert (what in said) or (what == "hub" and "README.md" in said), said
    data = report_data(done, resolve(wiki="wine"), with_recompile=False)
    assert any(f"llm-wiki retract-source apply --wiki wine {A}" in step for step in data["next"]), data
    assert TITLE not in str(data)
    assert "example.com" not in str(data)
    again = run("verify", A, resolve(wiki="wine"))
    assert again.status == "incomplete"
    assert any("interrupted" in text for text in again.errors)
    finish(scene)


@pytest.fixture
def tight(small_disk, tmp_path, mine, monkeypatch):  # noqa: F811
    """A home on a small disk."""
    monkeypatch.setenv("LLM_WIKI_NOW", "2026-01-10T12:00:00Z")
    scene = Scene(small_disk)
    scene.master = tmp_path / "master"
    scene.build()
    return mine(scene)


def test_a_full_disk_changes_nothing(tight):
    before, stopped_at = own(tight), set()
    for pages in range(0, 60, 3):
        filler = fill(tight.work, pages=pages)
        done, refused = attempt()
        filler.unlink()
        if done is not None:
            break
        assert "no space left" in refused, refused
        assert own(tight) == before, pages
        stopped_at.add(refused.partition(": no space")[0].rpartition("/")[2])
    assert {"retracting.json", "undo"} < stopped_at
    assert done.errors == []
    assert tight.left() == []


def test_a_disk_that_is_full_once_the_tree_is_done_leaves_what_is_named(tight, monkeypatch):
    real = source_hub.remove

    def remove(*given):
        fill(tight.work, pages=0)
        return real(*given)

    monkeypatch.setattr(source_hub, "remove", remove)
    done = apply()
    assert (done.status, done.unfinished) == ("incomplete", True)
    assert not (tight.root / A).exists()
    assert sum("no space left" in text for text in done.errors) >= 3, done.errors
    assert {name for name, counts in done.stores.items() if counts["left"]} >= {"sessions", "undo"}
    monkeypatch.setattr(source_hub, "remove", real)
    (tight.work / "filler").unlink()
    finish(tight)


def attempt():
    """Return the report of a retraction, or why it did not come about."""
    try:
        return apply(), ""
    except WikiError as error:
        return None, error.message
