"""The exit codes that scripts rely on (contract of each verb)."""

import http.server
import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from program import SCRIPTS, tree

PAGE = b"""<html><head><title>Steeping times</title></head><body><article><h1>Steeping times</h1>
<p>Green tea wants water of seventy degrees and two minutes, black tea boiling water and four. These are
the times we have used in our kitchen for many years and for many guests, and nobody has complained.</p>
<p>White tea forgives a longer time, since there is little in it that turns bitter. Start with three
minutes and taste; the second infusion of the same leaves may take a minute more than the first.</p>
</article></body></html>"""


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.partition("?")[0]
        if path.startswith("/away"):
            self.send_response(302)
            self.send_header("Location", "/tea")
            self.end_headers()
            return
        self.send_response(200 if path == "/tea" else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(PAGE if path == "/tea" else b"gone")

    def log_message(self, *args):
        pass


@pytest.fixture
def site():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_private_address_is_refused_with_4_and_nothing_is_written(wiki, topic, site):
    before = tree(topic)
    done = wiki("ingest", f"{site}/tea", "--wiki", "tea")
    assert done.exit == 4
    assert "--allow-private" in done.err
    assert tree(topic) == before


def test_one_page_with_and_without_tracking_is_one_source(wiki, topic, site):
    first = wiki.ok("ingest", f"{site}/tea?utm_source=x", "--wiki", "tea", "--allow-private", "--json").json
    again = wiki.ok("ingest", f"{site}/tea", "--wiki", "tea", "--allow-private", "--json").json
    via = wiki.ok("ingest", f"{site}/away", "--wiki", "tea", "--allow-private", "--json").json
    assert again["duplicate"] is True
    assert again["path"] == via["path"] == first["path"]
    assert len(list((topic / "raw/articles").glob("2026-*.md"))) == 1


def test_a_failed_fetch_ends_with_7_and_nothing_is_written(wiki, topic, site):
    before = tree(topic)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for url in (f"{site}/missing", f"http://127.0.0.1:{port}/"):
        done = wiki("ingest", url, "--wiki", "tea", "--allow-private", "--json")
        assert done.exit == 7
        assert done.json["error"]["message"]
    assert tree(topic) == before


def test_fetch_prints_markdown_and_writes_nothing_but_the_file_asked_for(wiki, topic, site):
    before = tree(topic)
    page = wiki.ok("fetch", f"{site}/tea", "--allow-private", "--json").json
    assert page["title"] == "Steeping times"
    assert "seventy degrees" in page["markdown"]
    wiki.ok("fetch", f"{site}/tea", "--allow-private", "--out", wiki.here / "tea.md")
    assert "seventy degrees" in (wiki.here / "tea.md").read_text()
    assert wiki("fetch", f"{site}/tea", "--allow-private", "--out", topic / "raw/x.md").exit == 4
    assert tree(topic) == before


def test_a_hub_as_target_of_ingest_is_ambiguous_and_lists_the_topics(wiki, topic):
    done = wiki("ingest", "-", "--json", stdin=b"# Note\n\nText.\n")
    assert done.exit == 3
    assert done.json["error"]["options"] == ["tea"]


def test_standard_input_becomes_a_source(wiki, topic):
    note = "# Notiz über Grüntee\n\nSiebzig Grad, zwei Minuten.\n".encode()
    done = wiki.ok("ingest", "-", "--wiki", "tea", "--json", stdin=note).json
    assert "grüntee" in done["path"]
    assert "Siebzig Grad" in (topic / done["path"]).read_text()


def test_an_archived_topic_is_refused_with_4_unless_asked_for(wiki, topic):
    registry = wiki.hub / "wikis.json"
    data = json.loads(registry.read_text())
    data["wikis"]["tea"] |= {"status": "archived", "path": "topics/.archive/tea"}
    registry.write_text(json.dumps(data, indent=2))
    (wiki.hub / "topics/.archive").mkdir()
    topic.rename(wiki.hub / "topics/.archive/tea")
    done = wiki("lint", "--wiki", "tea")
    assert done.exit == 4
    assert "wiki is archived" in done.err
    assert wiki("init", "tea").exit == 4
    wiki.ok("lint", "--wiki", "tea", "--include-archived")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["lint", "--wiki", "no-such"], 2),
        (["lint", "--wiki", "../tea"], 2),
        (["lint", ".", "--local"], 2),
        (["lint", "--only", "W9999"], 2),
        (["lint", "--dry-run"], 2),
        (["init"], 2),
        (["init", "日本語"], 2),
        (["undo", "no-such-id", "--wiki", "tea"], 1),
        (["log", "append", "danced", "text", "--wiki", "tea"], 2),
        (["log", "tail", "--operation", "archive", "--wiki", "tea"], 1),
        (["config", "no-such-key", "x"], 2),
        (["config", "person.name"], 1),
        (["raw", "add", "missing.md", "--title", "x", "--wiki", "tea"], 2),
        (["ingest", "missing.md", "--wiki", "tea"], 2),
        (["index", "show", "no-such", "--wiki", "tea"], 2),
        (["schema", "status"], 2),
    ],
)
def test_a_mistake_has_its_code_and_a_line_of_advice(wiki, topic, arguments, code):
    done = wiki(*arguments)
    assert done.exit == code, done
    assert "Traceback" not in done.err
    assert done.err.startswith("llm-wiki: ") or code == 1


def test_a_broken_configuration_is_named_with_its_file(wiki):
    folder = wiki.home / ".config/llm-wiki"
    folder.mkdir(parents=True)
    for text in ("[]", "{", '{"hub_path": 5}', '{"hub_path": "relative"}'):
        (folder / "config.json").write_text(text)
        done = wiki("lint")
        assert done.exit == 2
        assert "config.json" in done.err
    (folder / "config.json").write_bytes(b"\xef\xbb\xbf{}")
    assert "No wiki yet" in wiki.ok().out


def test_config_sets_and_shows_the_hub(wiki):
    place = wiki.here / "com~apple~CloudDocs/wiki"
    wiki.ok("config", "hub-path", place)
    assert wiki.ok("config", "hub_path").out.strip() == str(place)
    wiki.ok("init", "tea")
    assert (place / "topics/tea/_index.md").is_file()


def test_a_held_lock_ends_with_2_after_the_wait(wiki, topic):
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom llm_wiki.core.locks import root_lock\n"
        f"with root_lock(Path({str(topic)!r})):\n    print('held', flush=True)\n    time.sleep(60)\n"
    )
    holder = subprocess.Popen([sys.executable, "-c", code], env=wiki.env, stdout=subprocess.PIPE)
    try:
        assert holder.stdout.readline() == b"held\n"
        started = time.monotonic()
        done = wiki("lint", "--fix", "--wiki", "tea", "--json")
        assert done.exit == 2
        assert time.monotonic() - started >= 9
        assert done.json["status"] == "fail"
        assert wiki.ok("lint", "--wiki", "tea").exit == 0
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()


def test_undo_of_a_file_changed_since_ends_with_5_and_does_nothing(wiki, topic):
    wiki.ok("ingest", "-", "--wiki", "tea", stdin=b"# Note\n\nText.\n")
    index = topic / "raw/notes/_index.md"
    index.write_text(index.read_text() + "\nmine\n")
    before = tree(topic)
    done = wiki("undo", "--wiki", "tea", "--json")
    assert done.exit == 5
    assert "raw/notes/_index.md" in done.out
    assert tree(topic) == before


def test_the_launcher_of_a_plain_checkout_runs_from_anywhere(wiki):
    launcher = SCRIPTS / "llm-wiki"
    env = {k: v for k, v in wiki.env.items() if k != "PYTHONPATH"}
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    (wiki.here / "yaml.py").write_text("raise SystemExit('a file of the user was imported')\n")
    done = subprocess.run(
        [launcher, "--version"], cwd=wiki.here, env=env, capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 0, done
    assert done.stdout.startswith(b"llm-wiki, version")
