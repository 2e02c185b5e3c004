"""Every file that the program writes belongs to a store that every withdrawal walks (`archive-retract.md` §2).

One home is lived in: each verb that writes is run at least once, by hand, by a person, by the hook that a
host runs. Whatever lies there afterwards has a store, or a reason to have none; and a value planted into
each of these files is found and taken out by one retraction.
"""

import json
import os
import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import click
import pytest
import scanner
from pageserver import Answer, serving
from personkit import at_terminal
from sessionkit import Room

from llm_wiki.admit.tombstones import TOMBSTONES, Keys, tombstone_line
from llm_wiki.cli.main import cli, verb_names
from llm_wiki.ops.withdrawing import Where, roots_of, walked
from llm_wiki.withdraw.json_text import KEYS, is_ours

CANARY = "qz7Krv3nTm9wXb4Lhd2s"
NOTE = "# {0}\n\nA text about {0} that is long enough to be taken in, with the word {1} in it.\n"
ARTICLE = (
    "---\ntitle: {0}\ncategory: concept\nsources: []\ncreated: 2026-01-09\nupdated: 2026-01-09\ntags: [a]\n"
    "confidence: low\nsummary: About {0}.\n---\n\n# {0}\n\nSee [nowhere](../concepts/gone.md) and {0}.\n"
)
PAGE = "<html><head><title>A page of tea</title></head><body><article><h1>A page of tea</h1>{}</article></body></html>"

NOT_RUN = {
    "retract": "it is what is tested here",
    "retract-source plan": "a withdrawal: its tests are its own",
    "retract-source apply": "a withdrawal: its tests are its own",
    "retract-source verify": "a withdrawal: its tests are its own",
}
"""Verbs without a step, and why."""

NOBODYS = {
    ".claude/settings.json": "a host's own file: it belongs to the user",
    ".codex/hooks.json": "a host's own file",
    ".copilot/hooks/llm-wiki.json": "commands of ours in a host's folder, the same for everybody",
    ".config/opencode/plugins/llm-wiki.js": "a program of ours in a host's folder, the same for everybody",
    ".pi/agent/extensions/llm-wiki.ts": "a program of ours in a host's folder, the same for everybody",
    ".omp/agent/extensions/llm-wiki.ts": "a program of ours in a host's folder, the same for everybody",
    ".gitignore": "one line in a file of the user's, in the project of a local wiki",
    "page.md": "fetched by the user into a file of the user's",
    "shown": "the example that `demo` makes in a folder of the user's choice",
}
"""Files, or folders, below the home that no store has to cover, and why."""


def _verbs():
    root = click.Context(cli, info_name="llm-wiki")
    for name in verb_names():
        command = cli.get_command(root, name)
        subs = command.commands if isinstance(command, click.Group) else [""]
        yield from (f"{name} {sub}".strip() for sub in subs)


ALL = sorted(_verbs())


class Life:
    """A home in which every verb is run; `ran` are the names of the verbs that were."""

    def __init__(self, base: Path, server) -> None:
        self.room = Room(base, level=None)
        self.home, self.project = self.room.home, self.room.project
        self.here, self.env = (
            self.project,
            self.room.environment(PYTHONPATH=str(Path(__file__).parents[2] / "scripts")),
        )
        self.given = base / "given"
        self.given.mkdir()
        self.server = server
        self.ran: Counter[str] = Counter()

    def do(self, *words, exits=(0,), stdin: bytes = b"", person: bool = False, keys: str = ""):
        """Run a verb and see that it ends as expected; return what came back."""
        words = [str(word) for word in words]
        name = max((name for name in ALL if words[: len(name.split())] == name.split()), key=len)
        done = at_terminal(self, *words, keys=keys) if person else self.room.cli(*words, stdin=stdin)
        assert done.exit in exits, (words, done)
        self.ran[name] += 1
        return done

    def file(self, name: str, word: str) -> Path:
        path = self.given / f"{name}.md"
        path.write_text(NOTE.format(name, word))
        return path

    def candidates(self) -> list[str]:
        return [row["id"] for row in self.room.all_rows("feedback", "candidates.jsonl")]


def live(one: Life) -> None:
    """Run every verb. What is written stays, but for what a verb itself takes back."""
    first_steps(one)
    knowledge(one)
    sessions(one)
    desk(one)
    hosts(one)
    upkeep(one)


def first_steps(one: Life) -> None:
    one.do("init", "tea", "--title", "Tea")
    one.do("init", "old", "--title", "Old things")
    one.do("init", "--local", "--title", "Here")
    one.do("config", "person.name", "Ada Canary")
    one.do("paths")
    one.do("doctor", exits=(0, 1))
    one.do("resolve", "--wiki", "tea")
    one.do("route", "lint the wiki")
    one.do("demo", one.home / "shown")
    one.do("schema", "adopt", "--wiki", "tea")
    one.do("schema", "migrate", "--wiki", "old", "--apply")
    for verb in ("status", "diff", "validate"):
        one.do("schema", verb, "--wiki", "tea", exits=(0, 1))


def knowledge(one: Life) -> None:
    for wiki in (["--wiki", "tea"], ["--wiki", "old"], ["--local"]):
        one.do("ingest", one.file(f"green{len(wiki)}{wiki[-1]}", "leaf"), *wiki)
        one.do("raw", "add", one.file(f"black{wiki[-1]}", "root"), *wiki, "--title", "Black")
    one.do("ingest", one.server.url("/page"), "--wiki", "tea", "--allow-private")
    one.do("fetch", one.server.url("/page"), "--allow-private", "--out", one.home / "page.md")
    article = one.room.hub / "topics/tea/wiki/concepts/leaf.md"
    article.parent.mkdir(parents=True, exist_ok=True)
    article.write_text(ARTICLE.format("Leaf"))
    one.do("log", "append", "lint", "looked around", "--wiki", "tea")
    one.do("log", "tail", "--wiki", "tea")
    one.do("lint", "--fix", "--wiki", "tea", "--fail-on", "never")
    one.do("undo", "--wiki", "tea")
    one.do("lint", "--fix", "--wiki", "tea", "--fail-on", "never")
    one.do("links", "check", "--wiki", "tea", exits=(0, 1))
    one.do("links", "fix", "--wiki", "tea", exits=(0, 1))
    one.do("index", "rebuild", "--wiki", "tea")
    one.do("index", "check", "--wiki", "tea", exits=(0, 1))
    one.do("index", "show", "raw", "--wiki", "tea")


def sessions(one: Life) -> None:
    room = one.room
    one.do("capture", "words", person=True, keys="y\n")
    one.do("session", "disable")
    one.do("session", "enable", person=True, keys="y\n")
    one.do("session", "enable", "--local", person=True, keys="y\n")
    for number in range(4):
        said = room.event(
            "UserPromptSubmit", f"s{number}", prompt="No, never use tabs here, always use spaces."
        )
        room.hook(said)
        room.finished(f"s{number}", tools=12)
    room.hook(b"{ no json", "--harness", "claude")
    room.hook(room.event("SessionStart", "s9", source="startup"))
    one.do("session", "hook", stdin=json.dumps(room.event("Stop", "s8")).encode())
    one.do("session", "capture", "--session-id", "byhand", "--summary", "We looked at leaves.")
    one.do("session", "capture", "--local", "--session-id", "local", "--summary", "We looked at leaves.")
    one.do("session", "reindex")
    one.do("session", "status")
    one.do("session", "list")
    one.do("session", "show", "byhand")
    one.do("session", "rehydrate", exits=(0, 1))
    one.do("session", "promote", "byhand", "--topic", "tea", "--yes")
    one.do("session", "redact", "--apply", exits=(0, 1))
    one.do("session", "prune", "--older-than", "1d", "--yes", exits=(0, 1))
    one.do("session", "forget", "s3", "--yes")
    for text in ("Never use tabs.", "Always run the tests.", "No, wrong: use the old name.", "Do not push."):
        one.do("feedback", "capture", "--text", text, "--session-id", "byhand")
    one.do("feedback", "list")
    one.do("feedback", "stats")
    one.do("feedback", "test", "--file", Path(__file__).parents[1] / "unit/data/feedback/given.jsonl")


def desk(one: Life) -> None:
    first, second, third, fourth, *_ = one.candidates()[-4:]
    one.do("feedback", "show", first)
    one.do("feedback", "edit", first, "--text", "Never ever use tabs.", person=True)
    one.do("feedback", "promote", first, "--topic", "tea", person=True, keys="y\n")
    one.do("feedback", "reject", second, "--reason", "no", person=True, keys="y\n")
    note = b"# LL: a port was taken\n\n## Lesson\n\nThe suite waits for a port.\n"
    lessons = [
        json.loads(
            one.do(
                "review", "propose", "-", "--topic", "tea", "--json", stdin=note.replace(b"port", word)
            ).out
        )["id"]
        for word in (b"port", b"file", b"lock", b"row")
    ]
    one.do("review", "list")
    one.do("review", "desk", exits=(0, 1))
    one.do("review", "show", lessons[0])
    one.do("review", "yes", lessons[0], "--topic", "tea", person=True)
    one.do("review", "no", lessons[1], "--reason", "not worth it", person=True)
    one.do("review", "undo", lessons[1], person=True)
    one.do("review", "edit", lessons[2], "--text", "The suite waits for a lock.", person=True)
    one.do("review", "later", third)
    one.do("review", "yes", fourth, "--topic", "tea", person=True)


def hosts(one: Life) -> None:
    settings = one.home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"env": {"NAME": CANARY}, "model": "x"}, indent=2))
    for host in ("codex", "copilot", "opencode", "pi", "omp"):
        one.do("setup", host)
    one.do("hooks", "install", "claude")
    one.do("hooks", "uninstall", "codex")
    one.do("setup", "codex")
    one.do("hooks", "status")
    one.do("hooks", "print", "claude")


def upkeep(one: Life) -> None:
    one.do("archive", "topic", "old", "--reason", "finished")
    one.do("archive", "restore", "old")
    one.do("archive", "topic", "old", "--reason", "finished")
    one.do("archive", "list")
    one.do("archive", "peek", "black", exits=(0, 1))
    one.do("archive", "repair", exits=(0, 1))
    one.do("redact", one.file("shown", "leaf"))
    stones(one)
    for wiki in (["--wiki", "tea"], ["--wiki", "old", "--include-archived"], ["--local"]):
        one.do("status", *wiki)
        one.do("lint", *wiki, "--fail-on", "never")
        one.do("dedupe", *wiki, exits=(0, 1))
        one.do("raw", "verify", *wiki, exits=(0, 1))
        one.do("search", "text", *wiki, exits=(0, 1))
        one.do("query", "what is tea", *wiki, exits=(0, 1))
        one.do("read", "config.md", *wiki)


def stones(one: Life) -> None:
    keys = Keys(("https://example.org/gone",), (), "")
    name, line = tombstone_line(keys, datetime(2026, 1, 9, tzinfo=UTC))
    path = one.room.hub / "topics/tea" / TOMBSTONES
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{line}\n")
    one.do("tombstone", "list", "--wiki", "tea")
    one.do("tombstone", "check", keys.urls[0], "--wiki", "tea")
    one.do("tombstone", "lift", name, "--wiki", "tea", person=True, keys="y\n")


@pytest.fixture(scope="module")
def lived(tmp_path_factory):
    """A home in which every verb was run. Tests look at copies of it, or change nothing."""
    with serving() as server:
        text = "".join(
            f"<p>Tea is a drink of leaves, number {n}, and there is more to say.</p>" for n in range(20)
        )
        server.pages["/page"] = Answer(PAGE.format(text).encode())
        one = Life(tmp_path_factory.mktemp("life"), server)
        live(one)
    return one


@pytest.fixture
def stores(lived, monkeypatch):
    """Every store of a retraction everywhere, as the person of that home has them."""
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "LLM_WIKI_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(lived.home))
    monkeypatch.chdir(lived.project)
    return walked(roots_of(Where(everywhere=True)), everywhere=True).all()


def files_of(one: Life):
    """Yield every regular file of the home and the project."""
    for top in (one.home, one.project):
        yield from (path for path in sorted(top.rglob("*")) if path.is_file() and not path.is_symlink())


def nobodys(one: Life, path: Path) -> bool:
    return any(path.is_relative_to(top / name) for name in NOBODYS for top in (one.home, one.project))


def test_every_verb_of_the_table_was_run_or_has_a_reason(lived):
    assert sorted({*ALL} - {*lived.ran} - {*NOT_RUN}) == []


def test_every_file_has_exactly_one_store(lived, stores):
    odd = {
        str(path): names
        for path in files_of(lived)
        if not nobodys(lived, path) and len(names := [each.name for each in stores if each.covers(path)]) != 1
    }
    assert odd == {}


def test_every_store_was_written_to_and_no_reason_is_stale(lived, stores):
    held = {each.name for path in files_of(lived) for each in stores if each.covers(path)}
    assert held == {each.name for each in stores}
    there = [name for name in NOBODYS if (lived.home / name).exists() or (lived.project / name).exists()]
    assert sorted({*NOBODYS} - {*there}) == []


SKIPPED = {
    "lock": "a file that is locked, never written",
    ".key": "random bytes, of no text",
}
"""Names of covered files into which nobody can write a text, and why."""


DATA = {"tea", "old", "ls"}
"""Names of fields that are said by somebody: topics, and programs that were run."""


def fields(value):
    """Yield the names of fields at any depth."""
    if isinstance(value, dict):
        yield from value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from fields(each)


def ours(one: Life, stores):
    """Yield the files of JSON that programs of ours read."""
    for path in files_of(one):
        named = [each.name for each in stores if each.covers(path)]
        written = named != ["wiki"] or is_ours(str(path.relative_to(one.home.parent)))
        if path.suffix in (".json", ".jsonl") and named and named != ["caches"] and written:
            yield path


def test_every_field_that_verbs_and_hooks_write_is_known_as_one(lived, stores):
    found = set()
    for path in ours(lived, stores):
        data = path.read_text()
        rows = data.splitlines() if path.suffix == ".jsonl" else [data]
        found |= {name for row in rows if row.strip() for name in fields(json.loads(row))}
    plain = {name for name in found if re.fullmatch(r"[a-z][a-z_0-9]*", name)}
    assert sorted(plain - {each.decode() for each in KEYS} - DATA) == []


def plant(one: Life, stores) -> dict[Path, str]:
    """Put the value into every file of every store; return the store of each file that now holds it."""
    one.do("config", "person.name", f"Ada {CANARY}")
    one.do("ingest", one.file("planted", CANARY), "--wiki", "tea")
    one.room.finished(CANARY)
    for wiki in (["--wiki", "tea"], ["--local"]):
        one.do("lint", *wiki, "--fail-on", "never")
        one.do("search", CANARY, *wiki, exits=(0, 1))
    planted = {}
    for path in list(files_of(one)):
        names = [each.name for each in stores if each.covers(path)]
        if nobodys(one, path) or path.name in SKIPPED or path.parent.name == "locks":
            continue
        if names != ["caches"] and path != one.home / ".config/llm-wiki/config.json":
            add(path)
        planted[path] = names[0]
    return planted


def add(path: Path) -> None:
    """Add the value to a file, in its own form."""
    data = path.read_bytes()
    if path.suffix == ".jsonl":
        data += json.dumps({"ts": "2026-01-09T10:00:00Z", "text": CANARY}).encode() + b"\n"
    elif path.suffix == ".json":
        value = json.loads(data)
        value = [*value, CANARY] if isinstance(value, list) else value | {"planted": CANARY}
        data = json.dumps(value, indent=2).encode() + b"\n"
    else:
        data += f"\n# {CANARY}\n".encode()
    path.write_bytes(data)


def test_one_retraction_takes_a_value_out_of_every_file_of_every_store(lived, stores):
    planted = plant(lived, stores)
    kinds = {(store, path.suffix) for path, store in planted.items()}
    assert {store for store, _ in kinds} == {each.name for each in stores}
    dry = lived.room.cli("retract", "--everywhere", "--stdin", "--json", stdin=CANARY.encode())
    found = {name: counts["found"] for name, counts in dry.json["stores"].items()}
    for name, expected in Counter(planted.values()).items():
        assert found[name] >= expected or name == "caches", (name, dry)
    assert found["caches"] >= 1
    done = lived.room.cli("retract", "--everywhere", "--stdin", "--apply", "--json", stdin=CANARY.encode())
    assert (done.exit, done.json["status"]) == (0, "verified"), done
    assert all(counts["left"] == 0 for counts in done.json["stores"].values())
    held = [
        str(path)
        for top in (lived.home, lived.project)
        for path in top.rglob("*")
        if not nobodys(lived, path)
        and (scanner.holds(os.fsencode(path.name), CANARY, 1)
             or (path.is_file() and scanner.holds(path.read_bytes(), CANARY, 1)))
    ]  # fmt: skip
    assert held == []
    told = {one["kind"]: one["count"] for one in done.json["boundaries"]}
    assert told.get("a host's own file") == 1
    assert CANARY in (lived.home / ".claude/settings.json").read_text()
    again = lived.room.cli("retract", "--everywhere", "--stdin", "--json", stdin=CANARY.encode())
    assert again.json["outcome"] == "no-match"
    for wiki in (["--wiki", "tea"], ["--local"]):
        lived.do("lint", *wiki, "--fail-on", "critical")
    lived.do("session", "list")
    lived.do("setup", "--remove", "claude")
