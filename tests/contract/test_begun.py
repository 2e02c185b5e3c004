"""The homes that tests begin with are those the program makes (`Program.begun`)."""

import re

import pytest
from personkit import NAMED
from program import Program

MOMENT = re.compile(
    rb"\d{8}T\d{6}Z-\d{4}|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+]00:00)|(?<=-tmp-)[0-9a-f]+"
    rb'|(?<="after": ")[0-9a-f]{64}'  # of files, compared themselves, in which a moment stands
)
TEA, COFFEE = ("init", "tea", "--title", "Tea"), ("init", "coffee")


def seen(home, called):
    """List every path with mode and bytes, without what tells the moment and the name of the home."""
    found = []
    for path in home.rglob("*"):
        data = path.read_bytes().replace(str(called).encode(), b"HOME") if path.is_file() else b""
        rel = str(path.relative_to(home)).encode()
        found.append((MOMENT.sub(b"RUN", rel), path.stat().st_mode, MOMENT.sub(b"RUN", data)))
    return sorted(row for row in found if not row[0].startswith(b".cache"))


NOTE = ("raw", "add", "--wiki", "tea", "--type", "notes", "--title", "Leaves", "-", b"Leaves wither.\n")


@pytest.mark.parametrize("calls", [[TEA], [NAMED, TEA, COFFEE, NOTE]], ids=["one", "four"])
def test_a_home_that_was_copied_is_the_home_these_calls_make(tmp_path, calls):
    base = tmp_path / "here"
    made = Program(base)
    for *words, last in calls:
        made.ok(*words, stdin=last) if isinstance(last, bytes) else made.ok(*words, last)
    base.rename(tmp_path / "made")
    copied = Program(base)
    copied.begun(*calls)
    assert seen(tmp_path / "made/home", copied.home) == seen(copied.home, copied.home)


def test_what_was_begun_can_be_undone_by_the_home_it_is_in(wiki):
    wiki.begun(TEA)
    assert "init" in wiki.ok("undo", "--list", "--hub", wiki.hub).out
    wiki.ok("undo", "--hub", wiki.hub)
    assert not (wiki.hub / "topics/tea").exists()
