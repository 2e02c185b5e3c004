"""Every verb that writes, from the table: what a tombstone holds comes in by none of them.

A verb of the table is either in `ADMITTING`, with a recipe by which it takes a source into a topic, or in
`OTHERS`, with words that make it write; a new verb is in neither, and the first test says so.
"""

import json
import os
import shlex
import shutil

import click
import pytest
from personkit import at_terminal, named
from program import Program, contents, tree
from tombkit import bury, deaf, keys_of_file, raw_files

from llm_wiki.admit.tombstones import joined
from llm_wiki.cli.main import cli, verb_names
from llm_wiki.ops.verbs import VERBS

CANARY = "The fusee evens out the force of the mainspring."
SECRET = "hunter2-hunter2-hunter2"


def writing_verbs():
    """Return each verb of the table that writes, and each form of one that does, as typed."""
    root = click.Context(cli, info_name="llm-wiki")
    for name in verb_names():
        assert cli.get_command(root, name) is not None
    for entry in VERBS.values():
        if entry.write_class != "R0":
            yield entry.name
        yield from (f"{entry.name} {flag}" for flag, raised in entry.forms if raised != "R0")


class World(Program):
    """A person's hub with three topics, one of them archived, a session, feedback and a proposed lesson."""

    def __init__(self, base):
        super().__init__(base)
        self.env["LLM_WIKI_NOW"] = "2026-01-10T12:00:00Z"
        named(self)
        for slug in ("tea", "coffee", "old"):
            self.ok("init", slug)
        self.ok("archive", "topic", "old")
        self.tea, self.coffee = self.hub / "topics/tea", self.hub / "topics/coffee"
        self.note = self.here / "fusee.md"
        self.note.write_text(f"# Fusee\n\n{CANARY}\n")
        self.ok("capture", "notes", "--yes")
        for event in ("UserPromptSubmit", "PostToolUse", "SessionEnd"):
            said = {"session_id": "s1", "hook_event_name": event, "cwd": str(self.here), "tool_name": "Bash",
                    "prompt": "Use tabs here.", "tool_input": {"command": "ls"}, "tool_use_id": "t1"}  # fmt: skip
            words = ("session", "hook", "--harness", "claude")
            self.ok(*words, stdin=json.dumps(said).encode(), LLM_WIKI_NOW="2025-12-01T12:00:00Z")
        self.ok("feedback", "capture", "--text", "Never use tabs in this repository.")
        proposed = self.ok(
            "review", "propose", "-", "--topic", "tea", "--json", stdin=b"# Words\n\nOf a lesson.\n"
        )
        self.lesson = proposed.json["id"]
        rows = self.ok("review", "list", "--json").json["proposals"]
        self.feedback = next(row["id"] for row in rows if row["source"] == "feedback")
        self.base, self.heard = base, self.env
        self.keep("first")

    def keep(self, name):
        shutil.rmtree(self.base / name, ignore_errors=True)
        shutil.copytree(self.home, self.base / name, symlinks=True)

    def back(self, name):
        """Make everything as it was when it was kept under this name."""
        shutil.rmtree(self.home)
        shutil.copytree(self.base / name, self.home, symlinks=True)

    def sources(self):
        """Return every raw file of the hub, as often as it is there, wherever its topic lies."""
        roots = [*self.hub.glob("topics/*/"), *self.hub.glob("topics/.archive/*/")]
        return sorted((path.name, data) for path, data in raw_files(*roots).items())

    def person(self, *words, keys=""):
        return at_terminal(self, *words, keys=keys).exit

    def last(self, slug="tea"):
        """Return the id of the last transaction of a topic."""
        return self.ok("undo", "--list", "--wiki", slug, "--json").json["transactions"][0]["id"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return World(tmp_path_factory.mktemp("world"))


@pytest.fixture
def world(made):
    """The world as it was made."""
    made.back("first")
    made.env = dict(made.heard)
    return made


def undone_ingest(world):
    world.ok("ingest", world.note, "--wiki", "tea")
    world.ok("undo", "--wiki", "tea")


def quarantined(world):
    (world.tea / "raw/loose.md").write_text(f"# Loose\n\n{CANARY}\n")
    assert world("lint", "--fix", "--wiki", "tea").exit in (0, 1)
    assert not (world.tea / "raw/loose.md").exists()


def decided(world):
    assert world.person("review", "yes", world.feedback, "--topic", "tea") == 0
    assert world.person("undo", "--wiki", "tea") == 0


def nothing(world):
    pass


ADMITTING = {
    # verb: {recipe: (what goes before, the run, exit codes of a refusal)}
    "ingest": {
        "file": (nothing, lambda w: w("ingest", w.note, "--wiki", "tea").exit),
        "stdin": (nothing, lambda w: w("ingest", "-", "--wiki", "tea", stdin=w.note.read_bytes()).exit),
    },
    "raw add": {
        "body": (nothing, lambda w: w("raw", "add", w.note, "--title", "F", "--wiki", "tea").exit),
        "source": (
            nothing,
            lambda w: w("raw", "add", w.note, "--title", "F", "--source", "https://clocks.example/f", "--wiki", "tea").exit,
        ),
        "item": (
            nothing,
            lambda w: w("raw", "add", w.note, "--title", "F", "--wiki", "tea", "--field", "collection=c",
                        "--field", "upstream_id=7", "--field", "revision=r1").exit,
        ),
    },
    "feedback promote": {"": (nothing, lambda w: w.person("feedback", "promote", w.feedback, "--topic", "tea"))},
    "review yes": {
        "feedback": (nothing, lambda w: w.person("review", "yes", w.feedback, "--topic", "tea")),
        "lesson": (nothing, lambda w: w.person("review", "yes", w.lesson)),
    },
    "review desk": {"": (nothing, lambda w: w.person("review", "desk", keys="y\ntea\ny\n" + "q\n" * 8))},
    "session promote": {
        "": (nothing, lambda w: w("session", "promote", "claude:s1", "--topic", "tea", "--yes").exit)
    },
    "undo": {
        "ingest": (undone_ingest, lambda w: w("undo", w.last(), "--wiki", "tea").exit),
        "decision": (decided, lambda w: w.person("undo", w.last(), "--wiki", "tea")),
    },
    "lint --undo": {"": (quarantined, lambda w: w("lint", "--undo", "--wiki", "tea").exit)},
}  # fmt: skip
"""Verbs by which a source comes into a topic, with all the ways to do so."""


def misplaced(world):
    """Write pages into every plane that call themselves sources."""
    text = f"---\ntitle: F\nsource: https://clocks.example/f\ntype: articles\ningested: 2026-01-02\ntags: [a]\nsummary: s\n---\n\n# F\n\n{CANARY}\n"
    for folder in ("", "wiki", "wiki/concepts", "inbox", "output", "inventory/items", "raw_/articles"):
        place = world.tea / folder
        place.mkdir(parents=True, exist_ok=True)
        (place / f"f{len(folder)}.md").write_text(text)


def promoted(world):
    assert world.person("review", "yes", world.feedback, "--topic", "tea") == 0


def with_value(world):
    (world.tea / "config.md").write_text((world.tea / "config.md").read_text() + f"\n{SECRET}\n")


def with_source(world):
    world.ok("ingest", world.note, "--wiki", "tea")


def buried(world):
    from llm_wiki.admit.tombstones import keys_of_urls

    world.stone = bury(world.coffee, keys_of_urls("https://clocks.example/f"))


def with_link(world):
    for name in ("one", "two"):
        other = {"one": "two", "two": "one"}[name]
        (world.tea / f"wiki/concepts/{name}.md").write_text(
            f"---\ntitle: {name}\ncategory: concept\ncreated: 2026-01-01\nupdated: 2026-01-01\ntags: [a]\nsummary: s\n"
            f"volatility: warm\nconfidence: low\ncompiled-from: conversation\n---\n\n# {name}\n\nSee [x]({other}.md).\n"
            + (f"\n## See Also\n\n- [[{other}|{other}]] ([{other}]({other}.md))\n" if name == "one" else "")
        )


def stale_index(world):
    misplaced(world)


def no_guide(world):
    (world.tea / "schema.md").unlink()


def installed(world):
    (world.home / ".claude").mkdir(exist_ok=True)
    world("hooks", "install", "claude")


OTHERS = {
    "archive repair": (nothing, "archive repair"),
    "archive restore": (nothing, "archive restore old"),
    "archive topic": (with_source, "archive topic tea"),
    "capture": (nothing, "capture words --yes"),
    "config": (nothing, "config person.name Bob"),
    "demo": (nothing, "demo {home}/example"),
    "feedback capture": (nothing, f"feedback capture --text 'From now on: {CANARY}'"),
    "feedback edit": (nothing, "person feedback edit {feedback} --text words"),
    "feedback reject": (nothing, "person feedback reject {feedback}"),
    "hooks install": (nothing, "hooks install claude"),
    "hooks uninstall": (installed, "hooks uninstall claude"),
    "index rebuild": (stale_index, "index rebuild --wiki tea"),
    "init": (nothing, "init rum"),
    "links fix": (with_link, "links fix --wiki tea"),
    "lint --fix": (misplaced, "lint --fix --wiki tea"),
    "log append": (nothing, "log append ingest 'words about it' --wiki tea"),
    "retract": (with_value, "retract --stdin --apply --wiki tea"),
    "retract-source apply": (with_source, "retract-source apply 2026-01-10-fusee.md --wiki tea"),
    "review edit": (nothing, "person review edit {feedback} --text words"),
    "review no": (nothing, "person review no {feedback}"),
    "review propose": (nothing, "review propose - --topic tea"),
    "review undo": (promoted, "person review undo {feedback}"),
    "schema adopt": (no_guide, "schema adopt --wiki tea"),
    "schema migrate": (no_guide, "schema migrate --apply --wiki tea"),
    "session capture": (nothing, "session capture --session-id claude:s1 --summary words"),
    "session disable": (nothing, "session disable"),
    "session enable": (nothing, "session enable --tool-events 7"),
    "session forget": (nothing, "session forget claude:s1 --yes"),
    "session hook": (nothing, "session hook --harness claude"),
    "session prune": (nothing, "session prune --older-than 30d --yes"),
    "session redact": (nothing, "session redact --apply"),
    "session reindex": (nothing, "session reindex"),
    "setup": (nothing, "setup claude"),
    "tombstone lift": (buried, "person tombstone lift {stone}"),
}
"""Verbs that write and take in nothing, with words that make them write."""

STDIN = {
    "retract": SECRET.encode(),
    "review propose": f"# Words\n\n{CANARY}\n".encode(),
    "session hook": b'{"session_id": "s2", "hook_event_name": "SessionEnd", "cwd": "/"}',
}
IDLE = {"archive repair", "session redact", "session reindex"}
"""Verbs that find nothing to write where nothing is broken."""

RECIPES = [(verb, how) for verb, ways in ADMITTING.items() for how in ways]


def test_every_verb_that_writes_has_its_entry_and_no_entry_is_left_over():
    assert set(writing_verbs()) == set(ADMITTING) | set(OTHERS)
    assert not set(ADMITTING) & set(OTHERS)


def attempt(world, verb, how):
    """Take in by a recipe without a tombstone, then again from the same start with one in a sibling.

    Return what the control brought, the exit code of the second run, and what that brought.
    """
    before, run = ADMITTING[verb][how]
    before(world)
    world.keep("now")
    known = world.sources()
    assert run(world) == 0, (verb, how)
    brought = [each for each in world.sources() if each not in known]
    new = [path for path in raw_files(world.tea) if (path.name, path.read_bytes()) in brought]
    keys = joined(*map(keys_of_file, new)) if new else None
    world.back("now")
    if keys is None:
        return brought, 0, []
    bury(world.coffee, keys)
    status = run(world)
    return brought, status, [each for each in world.sources() if each not in known]


@pytest.mark.parametrize(("verb", "how"), RECIPES)
def test_what_a_tombstone_holds_comes_in_by_no_verb(world, verb, how):
    brought, status, despite = attempt(world, verb, how)
    assert brought, "the control must take it in"
    assert despite == []
    assert status in ((4, 0) if verb == "review desk" else (4,))


@pytest.mark.parametrize(("verb", "how"), RECIPES)
def test_a_verb_that_asks_no_tombstone_would_be_found(world, tmp_path, verb, how):
    """The sabotage of the test above: with a deaf check each recipe must bring the source back."""
    world.env["PYTHONPATH"] = os.pathsep.join([deaf(tmp_path / "deaf"), world.env["PYTHONPATH"]])
    brought, status, despite = attempt(world, verb, how)
    assert (status, despite) == (0, brought)


@pytest.mark.parametrize("verb", sorted(OTHERS))
def test_no_other_verb_brings_a_file_below_raw(world, verb):
    before, line = OTHERS[verb]
    before(world)
    known, home = world.sources(), {**contents(world.home), **tree(world.hub)}
    filled = line.format(feedback=world.feedback, stone=getattr(world, "stone", ""), home=world.home)
    words = shlex.split(filled)
    if words[0] == "person":
        status = world.person(*words[1:])
    else:
        status = world(*words, stdin=STDIN.get(verb, b"")).exit
    assert status in (0, 1), (verb, status)
    assert [each for each in world.sources() if each not in known] == []
    if verb not in IDLE:
        assert {**contents(world.home), **tree(world.hub)} != home
