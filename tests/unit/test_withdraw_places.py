"""A value in every encoding, kind of file and place: an independent scanner finds none of it afterwards."""

import json
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import scanner
from program import SCRIPTS, Program
from secretforms import VALUES, forms

from llm_wiki.ops.withdrawing import Where, withdraw
from llm_wiki.withdraw.retract import Wishes, report_data

HEAD = "---\ntitle: A note\nsource: https://example.org\ntype: notes\ningested: 2026-01-09\ntags: [a]\nsummary: S.\n"


def body(text):
    return HEAD.encode() + b"---\n\n# A note\n\nIt says: " + text + b" and so on.\n"


def table(text):
    return HEAD.encode() + b"---\n\n# A\n\n| a | b |\n|---|---|\n| " + text.replace(b"\n", b" ") + b" | c |\n"


def code(text):
    return HEAD.encode() + b"---\n\n# A\n\n```\n" + text + b"\n```\n<!-- " + text + b" -->\n"


def header(text):
    quoted = json.dumps(text.decode("utf-8", "replace")).encode()
    return HEAD.encode() + b"canonical_url: " + quoted + b"\nauthors: [" + quoted + b", B]\n---\n\n# A\n"


def rows(text):
    row = {"ts": "2026-01-09T10:00:00Z", "text": text.decode("utf-8", "replace"), "n": 1}
    return (
        json.dumps({"n": 0}).encode()
        + b"\n"
        + json.dumps(row).encode()
        + b"\n"
        + json.dumps(row, ensure_ascii=False).encode()
        + b"\n"
    )


def document(text):
    return json.dumps(
        {"a": [text.decode("utf-8", "replace")], text.decode("utf-8", "replace"): 1}, indent=1
    ).encode()


def plain(text):
    return b"first\r\nkey=" + text + b"\r\nlast"


def yaml(text):
    return b"key: |\n  " + text.replace(b"\n", b"\n  ") + b"\nother: 1\n"


PLACES = {
    "topics/one/raw/notes/{}.md": body,
    "topics/one/wiki/concepts/{}.md": table,
    "topics/one/output/{}.md": code,
    "topics/one/raw/articles/{}.md": header,
    "topics/one/raw/data/{}.jsonl": rows,
    "topics/one/inventory/{}.json": document,
    "topics/one/inbox/{}.txt": plain,
    "topics/one/.obsidian/{}.yaml": yaml,
    ".sessions/queue/{}.jsonl": rows,
}
KINDS = ["punctuation", "token", "words", "script", "key"]


@pytest.fixture
def hub(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "LLM_WIKI_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LLM_WIKI_TODAY", "2026-01-10")
    program = Program(tmp_path)
    program.ok("init", "one", "--title", "One")
    return program.hub


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_left_in_any_place(hub, kind):
    value = VALUES[kind]
    number = 0
    for data in forms(value).values():
        for place, make in PLACES.items():
            path = hub / place.format(f"n{number}")
            if scanner.holds(make(data), value, 4):  # a table, for one, has no place for a line end
                write(path, make(data))
                number += 1
        if b"/" not in data and b"\n" not in data and len(data) < 200:
            write(hub / "topics/one/output" / os.fsdecode(b"a " + data + b" b.md"), b"# A\n")
            number += 1
    assert number >= 200
    asked = Wishes(apply=True, shortest=4, yes=True)
    report = withdraw(Where(hub=str(hub)), value.encode(), asked)
    assert report.status == "verified", report_data(report)["errors"]
    for path in hub.rglob("*"):
        assert not scanner.holds(os.fsencode(path.name), value), path
        if path.is_file():
            assert not scanner.holds(path.read_bytes(), value), path
    for path in (hub / "topics/one/inventory").glob("*.json"):
        json.loads(path.read_bytes())
    for path in (hub / "topics/one/raw/data").glob("*.jsonl"):
        assert len([json.loads(line) for line in path.read_bytes().splitlines()]) == 3
    again = withdraw(Where(hub=str(hub)), value.encode(), asked)
    assert again.outcome == "no-match"


def random_tree(root, value, rng):
    """Write files in which forms of a value stand in random company, in headers and in names too."""
    found = list(forms(value).values())
    some = lambda: rng.choice(found)  # noqa: E731
    parts = [
        lambda: b"text " + some() + b" " + some() + b"\n",
        lambda: some() + some(),
        lambda: b"[" + some() + b"](" + some() + b")\n",
        lambda: b"[[" + some() + b"|" + some() + b"]]\n",
        lambda: b"| " + some() + b" | " + some() + b" |\n",
        lambda: b"```\n" + some() + b"\n```\n",
        lambda: b'"' + some() + b"\"',",
        lambda: b'{"a": "' + some() + b'"}\n',
        lambda: b"> " + some().replace(b"\n", b"\n> ") + b"\n",
        lambda: rng.choice([b"%", b"=", b"\\", b"&", b"\n\n", b"# H\n"]),
    ]
    for number in range(rng.randrange(3, 12)):
        data = b"".join(rng.choice(parts)() for _ in range(rng.randrange(1, 8)))
        if rng.random() < 0.4:
            data = (
                b"---\ntitle: "
                + some()
                + b"\ntags: ["
                + some()
                + b", b]\nsummary: "
                + some()
                + b"\n---\n"
                + data
            )
        if rng.random() < 0.1:
            data = data.decode("utf-8", "replace").encode("utf-16")
        name = f"n{number}" + rng.choice([".md", ".txt", ".json", ".jsonl", ".yaml"])
        lead = some()
        if rng.random() < 0.3 and not {*b"/\n"} & {*lead} and len(lead) < 100:
            name = os.fsdecode(lead) + name
        write(
            root / rng.choice(["raw/notes", "wiki/concepts", "output", ".sessions/queue", "inbox"]) / name,
            data,
        )
    write(root / "_index.md", b"# W\n")
    write(root / "config.md", b"---\ntitle: W\n---\n")
    write(root / "log.md", b"# L\n")


@pytest.mark.parametrize("seed", range(24))
def test_nothing_is_left_of_a_random_tree(hub, tmp_path, seed):
    rng = random.Random(seed)
    value = rng.choice(list(VALUES.values()))
    root = tmp_path / "random"
    random_tree(root, value, rng)
    report = withdraw(Where(path=str(root)), value.encode(), Wishes(apply=True, shortest=1, yes=True))
    assert report.status == "verified", report_data(report)["errors"]
    for path in root.rglob("*"):
        assert not scanner.holds(os.fsencode(path.name), value, 2), path
        assert not (path.is_file() and scanner.holds(path.read_bytes(), value, 2)), path


def test_rows_of_sessions_keep_their_offsets(hub):
    path = hub / ".sessions/queue/2026-01-09.jsonl"
    lines = [{"n": 0}, {"n": 1, "text": "x Qz7!Qz7! y"}, {"n": 2}]
    write(path, b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    before = path.read_bytes()
    report = withdraw(Where(hub=str(hub)), b"Qz7!Qz7!", Wishes(apply=True))
    after = path.read_bytes()
    assert report.status == "verified"
    assert len(after) == len(before)
    assert after.index(b'{"n": 2}') == before.index(b'{"n": 2}')
    assert b"Qz7" not in after


def test_a_session_named_by_the_value_loses_its_name_and_keeps_one_line_in_the_log(hub):
    value = VALUES["token"]
    state = {
        "native_session_id": value,
        "harness": "claude",
        "last_digest_path": f"digests/2026/01/{value}.md",
    }
    write(hub / f".sessions/state/claude/{value}.json", json.dumps(state).encode())
    write(hub / f".sessions/digests/2026/01/{value}.md", f"# {value}\n".encode())
    write(hub / f".sessions/locks/claude-{value}", b"")
    log = (hub / "log.md").read_text()
    report = withdraw(Where(hub=str(hub)), value.encode(), Wishes(apply=True))
    assert report.status == "verified", report_data(report)["errors"]
    assert report.stores["wiki"] == {"found": 0, "removed": 0, "left": 0}
    assert report.stores["sessions"] == {"found": 3, "removed": 3, "left": 0}
    assert (report_data(report)["files_rewritten"], report_data(report)["paths_renamed"]) == (2, 3)
    held = {path.relative_to(hub / ".sessions").as_posix() for path in (hub / ".sessions").rglob("*.*")}
    assert held == {"state/claude/[RETRACTED].json", "digests/2026/01/[RETRACTED].md"}
    assert (hub / "log.md").read_text().removeprefix(log).count("removed a literal value") == 1


@pytest.mark.parametrize("word", ["queue", "state", "candidates.jsonl", "feedback"])
def test_a_name_of_the_format_of_sessions_is_kept_and_said(hub, word):
    write(hub / ".sessions/feedback/candidates.jsonl", b'{"id": "fb-1"}\n')
    write(hub / ".sessions/queue/2026-01-09.jsonl", b'{"n": 1}\n')
    write(hub / ".sessions/state/claude/s1.json", b'{"n": 1}\n')
    report = withdraw(Where(hub=str(hub)), word.encode(), Wishes(apply=True, shortest=4, yes=True))
    assert report.status == "incomplete"
    assert any("a name of the format" in text for text in report_data(report)["errors"])
    for name in ("feedback/candidates.jsonl", "queue/2026-01-09.jsonl", "state/claude/s1.json"):
        assert (hub / ".sessions" / name).is_file(), name


def test_a_folder_of_sessions_alone_is_changed_as_hooks_need_it(hub):
    path = hub / ".sessions/queue/2026-01-09.jsonl"
    write(path, b'{"n": 0, "text": "Qz7!Qz7!Qz7!"}\n{"n": 2}\n')
    size = path.stat().st_size
    report = withdraw(Where(path=str(hub / ".sessions")), b"Qz7!Qz7!Qz7!", Wishes(apply=True))
    assert (report.status, report.stores["sessions"]["removed"]) == ("verified", 1)
    assert path.stat().st_size == size


def test_the_value_is_in_no_argument_and_in_nothing_that_is_written(hub, tmp_path):
    value = VALUES["token"]
    for number in range(300):
        write(hub / f"topics/one/raw/notes/n{number}.md", body(value.encode()))
    write(hub / f"topics/one/raw/notes/{value}.md", body(value.encode()))
    seen = {"arguments": 0, "names": set()}
    environment = os.environ | {"PYTHONPATH": str(SCRIPTS)}
    command = [sys.executable, "-P", "-m", "llm_wiki", "retract", "--stdin", "--hub", str(hub), "--apply"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    ended = threading.Event()

    def watch():
        while not ended.is_set():
            for entry in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    shown = entry.read_bytes() + (entry.parent / "environ").read_bytes()
                except OSError:
                    continue
                if str(hub).encode() in shown:
                    seen["arguments"] += 1
                    assert not scanner.holds(shown.replace(b"\0", b" "), value)
            seen["names"] |= {each for top, _, names in os.walk(tmp_path) for each in names if "tmp" in each}
            time.sleep(0.01)

    watcher = threading.Thread(target=watch)
    watcher.start()
    out, err = process.communicate(value.encode())
    ended.set()
    watcher.join()
    assert process.returncode == 0, err
    assert seen["arguments"] > 0
    assert not any(value in name for name in seen["names"])
    assert not scanner.holds(out + err, value)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert not scanner.holds(path.read_bytes(), value), path


def test_errors_and_reports_never_show_the_value(hub, tmp_path):
    value = VALUES["token"]
    program = [sys.executable, "-P", "-m", "llm_wiki", "--debug", "retract", "--stdin"]
    environment = os.environ | {"PYTHONPATH": str(SCRIPTS)}
    broken = tmp_path / value
    (broken / "raw").mkdir(parents=True)
    (broken / "_index.md").write_text(f"# {value}\n")
    (broken / "config.md").write_text(f"---\ntitle: {value}\n---\n")
    (broken / f"back\\{value}.md").write_text("x\n")
    write(
        hub / "wikis.json",
        json.dumps({"wikis": {value: {"path": 5}}, "local_wikis": [f"/x/{value}"]}).encode(),
    )
    for target in (
        [str(broken)],
        [str(tmp_path / "no" / value)],
        ["--wiki", value],
        ["--hub", str(broken)],
        ["--everywhere"],
        [],
    ):
        if any(value in text for text in target):
            shown_by_user = True
        for more in (["--apply"], ["--json"], ["--apply", "--json", "--plan-id", "x"]):
            done = subprocess.run(
                [*program, *target, *more],
                input=value.encode(),
                capture_output=True,
                env=environment,
                check=False,
            )
            assert not scanner.holds(done.stdout + done.stderr, value), (target, more, done)
    assert shown_by_user
