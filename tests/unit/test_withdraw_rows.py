"""Literal retraction as users meet it: each row of the table of what went wrong before, and the pinned cases."""

import base64
import gzip
import io
import json
import os
import sqlite3
import stat
import subprocess
import sys
import tarfile
import unicodedata
import zipfile
from pathlib import Path
from urllib.parse import quote

import pytest
import scanner
from program import Program, tree

SECRET = "tokZk3vR9qLm2xW8hT4"
KEYS = {
    "schema_version status outcome mode plan_id scope files_scanned text_files_matched binary_files_matched",
    "path_names_matched symlink_targets_matched files_rewritten binary_files_deleted paths_renamed",
    "remaining_matches skipped_version_control_paths matched_paths errors boundaries stores encodings warnings",
}


@pytest.fixture
def wiki(tmp_path):
    """A program with a hub and one topic; calling it retracts from the hub."""
    program = Program(tmp_path)
    program.ok("init", "one", "--title", "One")
    return program


def retract(program, value=SECRET, *more, **options):
    value = value if isinstance(value, bytes) else value.encode()
    done = program("retract", "--stdin", "--hub", program.hub, "--json", *more, stdin=value, **options)
    assert value not in (done.out + done.err).encode(), done
    return done


def put(program, rel, text):
    path = program.hub / rel
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def note(body="text", title="A note", more=""):
    return (
        f"---\ntitle: {title}\nsource: https://example.org/a\ntype: notes\ningested: 2026-01-09\ntags: [a]\n"
        f"summary: What it says.\n{more}---\n\n# A note\n\n{body}\n"
    )


def clean(program, value=SECRET):
    for top in (program.hub, program.home):
        for path in top.rglob("*"):
            assert not scanner.holds(os.fsencode(path.relative_to(top)), value), path
            if path.is_file() and ".git/" not in f"{path}":
                assert not scanner.holds(path.read_bytes(), value), path


def test_every_key_is_there_in_a_dry_run_and_after(wiki):
    put(wiki, "topics/one/raw/notes/a.md", note(SECRET))
    dry = retract(wiki)
    assert set(dry.json) == set(" ".join(KEYS).split())
    assert (dry.exit, dry.json["status"], dry.json["outcome"], dry.json["mode"]) == (
        0,
        "dry-run",
        "found",
        "dry-run",
    )
    assert dry.json["remaining_matches"] is None
    done = retract(wiki, SECRET, "--apply")
    assert set(done.json) == set(dry.json)
    assert (done.exit, done.json["status"], done.json["outcome"]) == (0, "verified", "removed")
    assert done.json["remaining_matches"] == 0


def test_a_dry_run_changes_no_byte(wiki):
    put(wiki, "topics/one/raw/notes/a.md", note(SECRET))
    before = tree(wiki.home)
    retract(wiki)
    assert tree(wiki.home) == before


def test_pinned_plain_percent_base64_and_a_name_over_four_places(wiki, tmp_path):
    value = "my secret phrase"
    put(wiki, "log.md", f"# Wiki Activity Log\n\n{value}\n")
    put(wiki, "topics/.archive/old/a.md", f"see {quote(value)}\n")
    put(wiki, ".sessions/notes.txt", base64.b64encode(value.encode()))
    outside = tmp_path / "elsewhere"
    (outside / "wiki").mkdir(parents=True)
    (outside / "_index.md").write_text("# E\n")
    (outside / "config.md").write_text("---\ntitle: E\n---\n")
    (outside / f"about {value}.txt").write_text(value.encode().hex())
    registry = json.loads((wiki.hub / "wikis.json").read_text())
    registry["wikis"]["ext"] = {"path": str(outside), "description": "E"}
    put(wiki, "wikis.json", json.dumps(registry, indent=2) + "\n")
    done = retract(wiki, value, "--everywhere", "--apply")
    assert (done.json["text_files_matched"], done.json["path_names_matched"]) == (4, 1), done
    assert (done.exit, done.json["status"]) == (0, "verified")
    clean(wiki, value)
    assert [path.name for path in outside.glob("about*")] == ["about [RETRACTED].txt"]


def test_pinned_the_value_retract_vanishes_from_the_log_and_verifies(wiki):
    put(wiki, "topics/one/raw/notes/a.md", note("please retract it"))
    done = retract(wiki, "retract", "--apply")
    assert (done.exit, done.json["status"]) == (0, "verified"), done
    assert b"retract" not in (wiki.hub / "log.md").read_bytes()
    assert "] [RETRACTED] | removed a literal value" in (wiki.hub / "log.md").read_text()


def test_pinned_what_lies_in_git_alone_stays_and_is_counted(wiki):
    put(wiki, ".git/config", f"# {SECRET}\n")
    done = retract(wiki, SECRET, "--apply")
    assert (done.exit, done.json["status"], done.json["skipped_version_control_paths"]) == (0, "verified", 1)
    assert SECRET in (wiki.hub / ".git/config").read_text()


class TestR01FinalLineEnd:
    def test_one_line_end_is_left_out_and_said(self, wiki):
        path = put(wiki, "topics/one/raw/notes/a.md", note(f"x {SECRET} y"))
        for end in ("\n", "\r\n"):
            done = wiki("retract", "--stdin", "--hub", wiki.hub, "--json", stdin=(SECRET + end).encode())
            assert done.json["text_files_matched"] == 1
            assert "line end" in done.json["warnings"][0]
        assert SECRET in path.read_text()

    def test_raw_keeps_it(self, wiki):
        put(wiki, "topics/one/raw/notes/a.md", note(f"x {SECRET} y"))
        assert retract(wiki, f"{SECRET}\n", "--raw", "--variants", "exact").json["outcome"] == "no-match"

    def test_no_match_is_verified_and_warned_about(self, wiki):
        done = retract(wiki, SECRET, "--apply")
        assert (done.exit, done.json["status"], done.json["outcome"]) == (0, "verified", "no-match")
        assert "nothing was found" in done.json["warnings"][-1]


def test_r02_encodings_are_counted_and_removed(wiki):
    value = 'p@ss/wörd"&x'
    put(wiki, "topics/one/raw/notes/a.md", note(quote(value, safe="")))
    put(wiki, "topics/one/raw/notes/b.md", note(unicodedata.normalize("NFD", value)))
    put(wiki, "topics/one/raw/data/c.json", json.dumps({"a": json.dumps(value)}))
    done = retract(wiki, value, "--apply")
    assert done.json["encodings"] == {"percent": 1, "unicode-form": 1, "json-nested": 1}
    clean(wiki, value)


class TestR03Links:
    def test_what_lies_inside_the_scope_is_read_once(self, wiki):
        put(wiki, "topics/one/raw/notes/a.md", note(SECRET))
        (wiki.hub / "topics/one/raw/notes/b.md").symlink_to("a.md")
        done = retract(wiki, SECRET, "--apply")
        assert (done.exit, done.json["text_files_matched"]) == (0, 1)

    @pytest.mark.parametrize("folder", [False, True])
    def test_a_match_outside_is_a_boundary_and_incomplete(self, wiki, tmp_path, folder):
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "a.md").write_text(f"{SECRET}\n")
        (wiki.hub / "topics/one/raw/notes/link").symlink_to(outside if folder else outside / "a.md")
        done = retract(wiki, SECRET, "--apply")
        assert (done.exit, done.json["status"]) == (2, "incomplete")
        assert [one["kind"] for one in done.json["boundaries"]] == ["symbolic link"]
        assert SECRET in (outside / "a.md").read_text()

    def test_a_target_that_holds_the_value_is_named_not_changed(self, wiki):
        (wiki.hub / "topics/one/raw/notes/link").symlink_to(f"gone-{SECRET}")
        done = retract(wiki, SECRET, "--apply")
        assert (done.exit, done.json["symlink_targets_matched"]) == (2, 1)


def test_r04_a_pipe_is_a_boundary_and_nobody_waits(wiki):
    os.mkfifo(wiki.hub / "topics/one/raw/notes/pipe")
    put(wiki, "topics/one/raw/notes/a.md", note(SECRET))
    done = retract(wiki, SECRET, "--apply")
    assert (done.exit, done.json["boundaries"][0]["kind"]) == (0, "special file")


def test_r05_a_hard_link_to_elsewhere_is_incomplete(wiki, tmp_path):
    path = put(wiki, "topics/one/raw/notes/a.md", note(SECRET))
    os.link(path, tmp_path / "copy.md")
    done = retract(wiki, SECRET, "--apply")
    assert (done.exit, done.json["status"]) == (2, "incomplete")
    [boundary] = done.json["boundaries"]
    assert boundary == {"kind": "hard link", "count": 1, "paths": ["topics/one/raw/notes/a.md"]}
    assert SECRET not in path.read_text()


@pytest.mark.parametrize("value", ["RETRACTED", "[RETRACTED]", "ACT", ""])
def test_r06_the_marker_and_the_empty_value_are_refused(wiki, value):
    before = tree(wiki.hub)
    done = wiki("retract", "--stdin", "--hub", wiki.hub, "--apply", stdin=value.encode())
    assert done.exit == 2
    assert tree(wiki.hub) == before


class TestR07Gate:
    def test_a_short_value_needs_length_and_yes(self, wiki):
        put(wiki, "topics/one/raw/notes/a.md", note("Qz7"))
        for more in ([], ["--yes"], ["--min-length", "3"], ["--min-length", "4", "--yes"]):
            assert wiki("retract", "--stdin", "--hub", wiki.hub, "--apply", *more, stdin=b"Qz7").exit == 4
        done = wiki.ok(
            "retract", "--stdin", "--hub", wiki.hub, "--apply", "--min-length", "3", "--yes", stdin=b"Qz7"
        )
        assert "verified" in done.out

    def test_a_frequent_value_needs_them_too(self, wiki):
        path = put(wiki, "topics/one/raw/notes/a.md", note(f"{SECRET} " * 1001))
        assert retract(wiki).exit == 0
        assert retract(wiki, SECRET, "--apply").exit == 4
        assert SECRET in path.read_text()
        assert retract(wiki, SECRET, "--apply", "--min-length", "4", "--yes").exit == 0


class TestR08Format:
    def test_the_marker_is_quoted_in_front_matter(self, wiki):
        put(
            wiki,
            "topics/one/raw/notes/2026-01-09-a.md",
            note("x", SECRET, f"authors: [{SECRET}, B]\n# {SECRET}\n"),
        )
        assert retract(wiki, SECRET, "--apply").exit == 0
        text = (wiki.hub / "topics/one/raw/notes/2026-01-09-a.md").read_text()
        assert 'title: "[RETRACTED]"' in text
        assert 'authors: ["[RETRACTED]", B]' in text
        clean(wiki)

    def test_keys_enums_and_managed_folders_are_named_not_replaced(self, wiki):
        path = put(wiki, "topics/one/raw/articles/2026-01-09-a.md", note().replace("notes", "articles"))
        done = retract(wiki, "articles", "--apply")
        assert (done.exit, done.json["status"]) == (2, "incomplete")
        assert "type: articles" in path.read_text()
        assert any("a name of the format" in text for text in done.json["errors"])
        assert any("field type" in text for text in done.json["errors"])

    def test_a_managed_folder_that_stays_is_still_led_to(self, wiki):
        put(wiki, "topics/one/raw/articles/2026-01-09-a.md", note().replace("notes", "articles"))
        page = "---\ntitle: A\nsources:\n  - raw/articles/2026-01-09-a.md\n---\n\n# A\n\nBoth articles: "
        link = "[a](../../raw/articles/2026-01-09-a.md)\n"
        path = put(wiki, "topics/one/wiki/concepts/a.md", page + link)
        retract(wiki, "articles", "--apply")
        assert path.read_text() == page.replace("Both articles", "Both [RETRACTED]") + link

    def test_a_header_that_no_parser_reads_gets_quoted_markers_too(self, wiki):
        path = put(
            wiki, "topics/one/raw/notes/2026-01-09-a.md", note("x", SECRET, f"a: *gone\nb: [{SECRET}, c]\n")
        )
        assert retract(wiki, SECRET, "--apply").exit == 0
        assert 'title: "[RETRACTED]"' in path.read_text()
        assert 'b: ["[RETRACTED]", c]' in path.read_text()

    def test_the_text_of_a_link_does_not_become_a_wikilink(self, wiki):
        put(wiki, "topics/one/raw/notes/2026-01-09-a.md", note())
        link = f"# A\n\n[{SECRET}](../../raw/notes/2026-01-09-a.md) [b][{SECRET}]\n\n[{SECRET}]: https://example.org\n"
        path = put(wiki, "topics/one/wiki/concepts/a.md", link)
        done = retract(wiki, SECRET, "--apply")
        assert not any("Wikilink" in text for text in done.json["warnings"]), done
        assert path.read_text() == link.replace(f"[{SECRET}]", "[\\[RETRACTED\\]]")

    def test_new_findings_are_listed(self, wiki):
        put(wiki, "topics/one/wiki/concepts/a.md", f"# A\n\nSee [b](https://example.org/{SECRET}).\n")
        put(wiki, "topics/one/raw/notes/2026-01-09-b.md", note().replace("2026-01-09\n", f"{SECRET}\n"))
        done = retract(wiki, SECRET, "--apply")
        assert done.exit == 0
        assert not any(SECRET in text for text in done.json["warnings"])


class TestR09Names:
    def test_two_names_that_become_one_are_numbered_and_links_follow(self, wiki):
        put(wiki, f"topics/one/raw/notes/{SECRET}.md", note("first"))
        put(wiki, f"topics/one/raw/notes/{quote('tok')}{SECRET[3:]}.txt", "t\n")
        put(wiki, f"topics/one/raw/notes/%74{SECRET[1:]}.md", note("second"))
        put(
            wiki,
            "topics/one/wiki/concepts/a.md",
            f"---\ntitle: A\nsources:\n  - raw/notes/{SECRET}.md\n---\n\n# A\n\n"
            f"[one](../../raw/notes/{SECRET}.md) [two](../../raw/notes/%2574{SECRET[1:]}.md)\n[[{SECRET}|three]]\n",
        )
        done = retract(wiki, SECRET, "--apply")
        assert (done.exit, done.json["status"]) == (0, "verified"), done
        folder = wiki.hub / "topics/one/raw/notes"
        names = sorted(path.name for path in folder.glob("*RETRACTED*"))
        assert names == ["[RETRACTED]-2.md", "[RETRACTED].md", "[RETRACTED].txt"]
        page = (wiki.hub / "topics/one/wiki/concepts/a.md").read_text()
        second = next(
            name for name in names if name.endswith("md") and "second" in (folder / name).read_text()
        )
        first = next(name for name in names if name.endswith("md") and "first" in (folder / name).read_text())
        assert f"[one](../../raw/notes/{first})" in page
        assert f"[two](../../raw/notes/{second})" in page
        assert f"raw/notes/{first}" in page.split("---")[1]
        assert "\nthree\n" in page
        clean(wiki)

    def test_a_folder_moves_with_what_is_in_it(self, wiki):
        put(wiki, f"topics/one/output/{SECRET}/deep/{SECRET}-x.md", f"# X\n\n{SECRET}\n")
        done = retract(wiki, SECRET, "--apply")
        assert done.exit == 0, done
        assert (
            wiki.hub / "topics/one/output/[RETRACTED]/deep/[RETRACTED]-x.md"
        ).read_text() == "# X\n\n[RETRACTED]\n"


class TestR10Charsets:
    @pytest.mark.parametrize("charset", ["latin-1", "utf-16", "utf-16-be"])
    def test_text_is_rewritten_in_its_own(self, wiki, charset):
        text = f"Grüße an alle, hier steht {SECRET} und mehr.\n" * 3
        path = put(wiki, "topics/one/raw/data/a.txt", text.encode(charset))
        done = retract(wiki, SECRET, "--apply")
        assert (done.exit, done.json["binary_files_matched"]) == (0, 0)
        assert path.read_bytes() == text.replace(SECRET, "[RETRACTED]").encode(charset)

    def test_a_binary_stays_until_asked_to_go(self, wiki):
        path = put(wiki, "topics/one/raw/data/a.bin", b"\0\1\2\3" * 9 + SECRET.encode() + b"\0")
        assert retract(wiki).exit == 2
        assert retract(wiki, SECRET, "--apply").exit == 2
        assert path.exists()
        done = retract(wiki, SECRET, "--apply", "--delete-binary-matches")
        assert (done.exit, done.json["binary_files_deleted"]) == (0, 1)
        assert not path.exists()


def test_r11_a_value_over_folder_and_name_is_seen(wiki):
    put(wiki, "topics/one/output/abc/defgh.md", "# X\n")
    done = retract(wiki, "abc/def", "--apply")
    assert (done.exit, done.json["path_names_matched"]) == (0, 1), done
    assert (wiki.hub / "topics/one/output/[RETRACTED]gh.md").is_file()


@pytest.mark.parametrize("kind", ["zip", "gzip", "tar", "tgz"])
def test_r12_containers_are_looked_into_and_leave_it_incomplete(wiki, tmp_path, kind):
    inner = tmp_path / "inner.txt"
    inner.write_text(f"x {SECRET}\n")
    path = wiki.hub / f"topics/one/raw/data/a.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(inner, "inner.txt")
    elif kind == "gzip":
        path.write_bytes(gzip.compress(inner.read_bytes()))
    else:
        with tarfile.open(path, "w:gz" if kind == "tgz" else "w") as archive:
            archive.add(inner, "inner.txt")
    done = retract(wiki, SECRET, "--apply")
    assert (done.exit, done.json["status"]) == (2, "incomplete")
    assert path.exists()


def test_r12_other_containers_are_boundaries(wiki):
    put(wiki, "topics/one/raw/data/a.pdf", b"%PDF-1.7\n...")
    sqlite3.connect(wiki.hub / "topics/one/raw/data/a.db").execute("create table t (a)").connection.close()
    done = retract(wiki, SECRET)
    assert [one["kind"] for one in done.json["boundaries"]] == ["pdf", "sqlite"]
    assert done.exit == 0


def test_r13_a_missing_root_is_a_boundary(wiki, tmp_path):
    registry = json.loads((wiki.hub / "wikis.json").read_text())
    registry["wikis"]["gone"] = {"path": str(tmp_path / "gone"), "description": "G"}
    put(wiki, "wikis.json", json.dumps(registry, indent=2) + "\n")
    done = retract(wiki, SECRET, "--everywhere", "--apply")
    assert (done.exit, done.json["boundaries"][0]["kind"]) == (0, "missing root")


def test_r15_git_is_reported_on_request(wiki):
    run = lambda *args: subprocess.run(  # noqa: E731
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *args],
        cwd=wiki.hub,
        check=True,
        capture_output=True,
    )
    put(wiki, "topics/one/raw/notes/a.md", note(SECRET))
    run("init", "-q", "-b", "main")
    run("add", ".")
    run("commit", "-qm", "all")
    put(wiki, "topics/one/raw/notes/a.md", note("clean"))
    run("commit", "-qam", "without")
    done = retract(wiki, SECRET, "--report-git", "--apply")
    head = subprocess.run(
        ["git", "rev-parse", "HEAD~1"], cwd=wiki.hub, capture_output=True, text=True, check=True
    )
    [boundary] = [one for one in done.json["boundaries"] if one["kind"] == "version history"]
    assert any(head.stdout.strip()[:12] in text and "main" in text for text in boundary["paths"]), boundary
    assert any("history" in text for text in done.json["warnings"])


def test_r16_a_plan_that_no_longer_holds_is_refused(wiki):
    put(wiki, "topics/one/raw/notes/a.md", note(SECRET))
    plan = retract(wiki).json["plan_id"]
    put(wiki, "topics/one/raw/notes/b.md", note(SECRET))
    assert retract(wiki, SECRET, "--apply", "--plan-id", plan).exit == 5
    assert SECRET in (wiki.hub / "topics/one/raw/notes/a.md").read_text()
    plan = retract(wiki).json["plan_id"]
    assert retract(wiki, SECRET, "--apply", "--plan-id", plan).exit == 0


class TestR17EverywhereOnThisMachine:
    def test_undo_bytes_and_caches_are_cleared_and_the_record_says_withdrawn(self, wiki):
        source = wiki.here / "s.md"
        source.write_text(f"# Title\n\nA text with {SECRET} in it, long enough to be taken.\n")
        wiki.ok("ingest", source, "--wiki", "one", "--title", "T")
        wiki("search", "text taken", "--wiki", "one")
        wiki.ok("lint", "--fix", "--wiki", "one", "--fail-on", "never")
        [raw] = (wiki.hub / "topics/one/raw").rglob("*-t.md")
        raw.write_text(raw.read_text().replace("A text", "The text"))
        done = retract(wiki, SECRET, "--apply")
        assert (done.exit, done.json["status"]) == (0, "verified"), done
        assert done.json["stores"]["caches"]["left"] == 0
        source.unlink()
        clean(wiki)
        again = retract(wiki, SECRET, "--apply")
        assert again.json["outcome"] == "no-match"

    def test_a_withdrawal_cannot_be_undone(self, wiki):
        put(wiki, "topics/one/raw/notes/a.md", note(SECRET))
        retract(wiki, SECRET, "--apply")
        assert wiki("undo", "--hub", wiki.hub).exit != 0 or SECRET not in "".join(
            path.read_text() for path in wiki.hub.rglob("*.md")
        )
        assert "withdrawn" in wiki.ok("undo", "--list", "--hub", wiki.hub).out

    def test_backups_are_treated_like_any_file_and_named(self, wiki):
        put(wiki, "topics/one/raw/notes/a.md~", SECRET)
        put(wiki, "topics/one/.trash/a.md", SECRET)
        done = retract(wiki, SECRET, "--apply")
        assert done.json["files_rewritten"] == 2
        clean(wiki)
        put(wiki, "topics/one/raw/notes/a.md~", SECRET)
        assert retract(wiki).json["boundaries"][0]["kind"] == "copies elsewhere may exist"


def test_the_raw_lock_follows_a_source_that_lost_a_value(wiki):
    source = wiki.here / "s.md"
    source.write_text(f"# Title\n\nA text with {SECRET} in it, long enough to be taken.\n")
    wiki.ok("ingest", source, "--wiki", "one", "--title", "T")
    retract(wiki, SECRET, "--apply")
    assert wiki.ok("raw", "verify", "--wiki", "one", "--json").json["ok"]


def test_no_value_and_two_roots_are_usage_errors(wiki):
    assert wiki("retract", "--hub", wiki.hub).exit == 2
    assert wiki("retract", "--stdin", "--everywhere", "--wiki", "one", stdin=SECRET.encode()).exit == 2
    assert wiki("retract", "--stdin", wiki.home / "nowhere", stdin=SECRET.encode()).exit == 2


def test_an_explicit_folder_need_not_be_a_wiki(wiki, tmp_path):
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.txt").write_text(SECRET)
    done = wiki.ok("retract", tmp_path / "plain", "--stdin", "--apply", stdin=SECRET.encode())
    assert "verified" in done.out
    assert (tmp_path / "plain" / "a.txt").read_text() == "[RETRACTED]"


def typed(wiki, keys, *more):
    """Type keys at the prompt; return the exit code and what the terminal shows."""
    import pty

    child, terminal = pty.fork()
    if child == 0:  # pragma: no cover - the other process
        os.chdir(wiki.here)
        command = [sys.executable, "-P", "-m", "llm_wiki", "retract", "--hub", str(wiki.hub), *more]
        os.execve(sys.executable, command, wiki.env)
    shown = b""
    try:
        while b"not shown" not in shown:
            shown += os.read(terminal, 4096)
        os.write(terminal, keys)
        while True:
            shown += os.read(terminal, 4096)
    except OSError:  # the other side is closed
        pass
    finally:
        os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown


def test_the_value_is_typed_unseen_at_a_terminal(wiki):
    path = put(wiki, "topics/one/raw/notes/a.md", note(SECRET))
    code, shown = typed(wiki, SECRET.encode() + b"\n", "--apply")
    assert code == 0
    assert b"verified" in shown
    assert SECRET.encode() not in shown
    assert SECRET not in path.read_text()


def test_what_is_no_text_at_a_terminal_is_told_without_a_byte_of_it(wiki):
    code, shown = typed(wiki, b"\xff\xfeabcd\n")
    assert (code, b"no text" in shown, b"0xff" in shown, b"internal" in shown) == (2, True, False, False), (
        shown
    )


def test_what_is_beyond_reach_is_named_in_text_too(wiki):
    for number in range(12):
        put(wiki, f"topics/one/raw/data/a{number:02}.pdf", b"%PDF-1.7\n...")
    shown = wiki.ok("retract", "--stdin", "--hub", wiki.hub, stdin=SECRET.encode()).out
    assert "Beyond reach: pdf 12\n  pdf: topics/one/raw/data/a00.pdf\n" in shown
    assert ("a09.pdf" in shown, "a10.pdf" in shown) == (True, False)


def test_everywhere_reaches_other_roots_undo_caches_and_state(wiki):
    state, cache, config = ".local/state/llm-wiki", ".cache/llm-wiki", ".config/llm-wiki"
    places = [
        f"{state}/roots/00aa/undo/20260109T101010Z-0001/before",
        f"{cache}/roots/00aa/rows.1",
        f"{state}/x.json",
    ]
    record = {
        "id": "20260109T101010Z-0001",
        "verb": "lint",
        "keep": True,
        "changes": [["edit", f"{SECRET}.md", ""]],
    }
    manifest = wiki.home / f"{state}/roots/00aa/undo/20260109T101010Z-0001/manifest.json"
    for place in (*places, f"{config}/notes.txt"):
        path = wiki.home / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"a": SECRET}))
    manifest.write_text(json.dumps(record))
    one = retract(wiki, SECRET, "--apply")
    assert one.json["outcome"] == "no-match"  # of one root: its own undo and caches
    done = retract(wiki, SECRET, "--everywhere", "--apply")
    assert (done.exit, done.json["status"]) == (0, "verified"), done
    assert {name: counts["found"] for name, counts in done.json["stores"].items()} == {
        "wiki": 0,
        "sessions": 0,
        "undo": 2,
        "state": 2,
        "caches": 1,
    }
    assert json.loads(manifest.read_text())["keep"] is False
    assert not (wiki.home / places[0]).exists()
    clean(wiki)


def test_a_large_member_of_a_container_is_looked_at_piece_by_piece(tmp_path):
    """The value stands behind 120 MB; the process that finds it never holds them at once."""
    path = tmp_path / "large.zip"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("x.txt", "w", force_zip64=True) as member,
    ):
        for _ in range(120):
            member.write(bytes(1 << 20))
        member.write(SECRET.encode())
    code = (
        "import resource, sys; from pathlib import Path; from llm_wiki.withdraw.match import Matcher;"
        "from llm_wiki.withdraw.containers import holds;"
        "found = holds(Path(sys.argv[1]), 'zip', Matcher(sys.stdin.buffer.read()));"
        "print(found, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    # a process starts with the peak of the one that started it, and this one may be large
    small = "import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', *sys.argv[1:]]))"
    done = subprocess.run(
        [sys.executable, "-c", small, code, str(path)], input=SECRET.encode(),
        capture_output=True, check=True, timeout=120,
    )  # fmt: skip
    found, peak = done.stdout.split()
    assert found == b"True"
    assert int(peak) < 100 * 1024 * (1024 if sys.platform == "darwin" else 1)


class TestNamesThatNoTransactionGives:
    def test_links_pipes_and_sockets_lose_the_value_and_hinder_nothing(self, wiki):
        text = put(wiki, "topics/one/raw/data/a.txt", SECRET)
        folder = put(wiki, f"topics/one/raw/data/{SECRET}/x.txt", "x\n").parent
        for place in (folder.parent, folder):
            os.mkfifo(place / f"{SECRET}.fifo")
            os.mknod(place / f"s{SECRET}", 0o600 | stat.S_IFSOCK)
            (place / f"up{SECRET}").symlink_to("..")
            (place / f"gone{SECRET}").symlink_to("nowhere")
        done = retract(wiki, SECRET, "--apply")
        assert (done.exit, done.json["status"], done.json["paths_renamed"]) == (0, "verified", 9), done
        assert text.read_text() == "[RETRACTED]"
        for place in (folder.parent, folder.parent / "[RETRACTED]"):
            assert stat.S_ISFIFO((place / "[RETRACTED].fifo").lstat().st_mode)
            assert (place / "up[RETRACTED]").readlink() == Path("..")
        clean(wiki)

    @pytest.mark.parametrize("name", ["Qz7!{}.txt", "{}Qz7!.md", "Qz7!{}Qz7!", ".{}Qz7!", "ü{}Qz7!.a.b"])
    def test_a_name_that_would_be_too_long_is_cut(self, wiki, name):
        first = name.format("a" * (255 - len(name.format("").encode())))
        second = first.replace("Qz7!", "%51z7!") if len(first) < 200 else first.replace("a", "b")
        for each in (first, second):
            put(wiki, f"topics/one/raw/data/{each}", "Qz7!\n")
        done = retract(wiki, "Qz7!", "--apply")
        assert (done.exit, done.json["status"], done.json["paths_renamed"]) == (0, "verified", 2), done
        held = [path.name for path in (wiki.hub / "topics/one/raw/data").glob("*RETRACTED*")]
        assert len(held) == 2
        assert all(each.endswith(os.path.splitext(first)[1]) or "!" in first[-4:] for each in held), held  # noqa: PTH122
        assert all(each.count("[RETRACTED]") == name.count("Qz7!") for each in held)
        clean(wiki, "Qz7!")


def zipped(data, name="x"):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return made.getvalue()


def tarred(data):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        entry = tarfile.TarInfo("x")
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return made.getvalue()


WRAPS = {"zip": zipped, "gz": gzip.compress, "tgz": tarred}


@pytest.mark.parametrize("inner", WRAPS)
@pytest.mark.parametrize("outer", WRAPS)
def test_r12_a_container_in_another_is_looked_into(wiki, outer, inner):
    text = f"{'filler ' * 50}{SECRET}{' filler' * 50}".encode()
    put(wiki, "topics/one/raw/data/a.dat", WRAPS[outer](WRAPS[inner](text)))
    done = retract(wiki)
    assert (done.exit, done.json["status"], len(done.json["boundaries"])) == (2, "incomplete", 1), done
    put(wiki, "topics/one/raw/data/a.dat", WRAPS[outer](WRAPS[inner](text.replace(b"Zk3", b"Zk4"))))
    assert retract(wiki).exit == 0


def test_r12_a_container_that_is_broken_inside_does_not_hide_the_next(wiki):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.gz", gzip.compress(b"x" * 999)[:-9])
        archive.writestr("b.zip", zipped(b"y")[:-30])
        archive.writestr("c.txt", SECRET * 9)
    put(wiki, "topics/one/raw/data/a.zip", made.getvalue())
    assert retract(wiki).exit == 2


class TestR15History:
    """What `--report-git` names, each in a repository of its own; the files themselves are clean."""

    @pytest.fixture
    def git(self, wiki):
        def run(*args, name="a"):
            command = ["git", "-c", f"user.name={name}", "-c", "user.email=a@b", *args]
            return subprocess.run(command, cwd=wiki.hub, check=True, capture_output=True, text=True).stdout

        put(wiki, "topics/one/raw/notes/a.md", note("clean"))
        run("init", "-q", "-b", "main")
        run("add", ".")
        run("commit", "-qm", "first")
        return run

    def held(self, wiki, git, rel, text):
        """Stage a file with a text, and let it be as it was on the disk."""
        path = put(wiki, rel, text)
        git("add", ".")
        path.unlink()

    def told(self, wiki):
        done = retract(wiki, SECRET, "--report-git")
        boundaries = [one for one in done.json["boundaries"] if one["kind"] == "version history"]
        return boundaries[0]["paths"] if boundaries else []

    def test_nothing_is_told_where_nothing_is(self, wiki, git):
        git("tag", "-a", "v1", "-m", "about nothing")
        assert self.told(wiki) == []

    def test_a_name_of_a_file(self, wiki, git):
        self.held(wiki, git, f"topics/one/deep/er/{SECRET}.txt", "x\n")
        git("commit", "-qm", "second")
        assert self.told(wiki) == [f"commit {git('rev-parse', 'HEAD')[:12]} in main"]

    def test_a_name_beside_the_hub_s_own(self, wiki, git):
        self.held(wiki, git, f"{SECRET}.txt", "x\n")
        git("commit", "-qm", "second")
        assert self.told(wiki) == [f"commit {git('rev-parse', 'HEAD')[:12]} in main"]

    def test_the_message_of_a_tag(self, wiki, git):
        git("tag", "-a", "v1", "-m", f"about {SECRET}")
        assert self.told(wiki) == ["the message of refs/tags/v1"]

    def test_a_person_and_a_note(self, wiki, git):
        git("commit", "-q", "--allow-empty", "-m", "x", name=SECRET)
        git("notes", "add", "-m", SECRET)
        assert len(self.told(wiki)) == 2

    def test_what_is_only_staged(self, wiki, git):
        self.held(wiki, git, "topics/one/b.txt", SECRET)
        assert [text.partition(":")[0] for text in self.told(wiki)] == ["1 objects in no commit of a ref"]

    def test_what_an_amend_left_behind(self, wiki, git):
        self.held(wiki, git, "topics/one/b.txt", SECRET)
        git("commit", "-qm", f"with {SECRET}")
        git("rm", "-q", "--cached", "topics/one/b.txt")
        git("commit", "-q", "--amend", "--allow-empty", "-m", "without")
        assert [text.partition(":")[0] for text in self.told(wiki)] == ["2 objects in no commit of a ref"]


class TestR08Json:
    @pytest.mark.parametrize(
        ("value", "before", "after"),
        [
            (
                "2026",
                '{"n": 20261, "m": [1.2026, -2026e3, 2026]}',
                '{"n": "{}1", "m": ["1.{}", "-{}e3", "{}"]}',
            ),
            ("true", '{"a": true, "b": [true], "c": "true"}', '{"a": "{}", "b": ["{}"], "c": "{}"}'),
            (SECRET, f'{{"a": "token: {SECRET}, x"}}', '{"a": "token: {}, x"}'),
            (SECRET, f'{{"a": "[{SECRET}] {{{SECRET}}} : {SECRET} ."}}', '{"a": "[{}] {{}} : {} ."}'),
            (SECRET, f'{{"{SECRET}": "{SECRET}", "x": "\\"{SECRET}\\""}}', '{"{}": "{}", "x": "\\"{}\\""}'),
            (f'"{SECRET}"', f'{{"a": "{SECRET}", "b": 1}}', '{"a": "{}", "b": 1}'),
            ("value-a", '{"a": "value\\u002da", "b": "a value-ab"}', '{"a": "{}", "b": "a {}b"}'),
            (SECRET, f'{{"a": {SECRET}, "b": 1', '{"a": "{}", "b": 1'),
        ],
    )
    @pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
    def test_json_stays_json(self, wiki, name, value, before, after):
        path = put(
            wiki, f"topics/one/raw/data/{name}", f"{before}\n{before}\n" if name[-1] == "l" else before
        )
        done = retract(wiki, value, "--apply")
        assert (done.exit, done.json["status"]) == (0, "verified"), done
        for line in path.read_text().splitlines():
            assert line == after.replace("{}", "[RETRACTED]")

    @pytest.mark.parametrize("word", ["path", "wikis", "wiki", "description", "status", "active", "default"])
    def test_the_registry_keeps_its_fields_and_states(self, wiki, word):
        before = json.loads((wiki.hub / "wikis.json").read_text())
        done = wiki("retract", "--stdin", "--hub", wiki.hub, "--json", "--apply", stdin=word.encode())
        assert (done.exit, done.json["status"]) == (2, "incomplete")
        assert any("a name of the format" in text for text in done.json["errors"])
        assert any("a word of the format" in text for text in done.json["warnings"])
        assert not any("W90" in text for text in done.json["warnings"]), done
        assert json.loads((wiki.hub / "wikis.json").read_text()) == before

    def test_a_slug_a_description_and_a_path_of_the_registry_do_not_stay(self, wiki):
        registry = json.loads((wiki.hub / "wikis.json").read_text())
        registry["wikis"]["hunter-path"] = {"path": "/a/hunter-path", "description": "the hunter-path wiki"}
        put(wiki, "wikis.json", json.dumps(registry))
        assert retract(wiki, "hunter-path", "--apply").exit == 0
        entry = json.loads((wiki.hub / "wikis.json").read_text())["wikis"]["[RETRACTED]"]
        assert entry == {"path": "/a/[RETRACTED]", "description": "the [RETRACTED] wiki"}


class TestPlanHoldsForWhatWasAsked:
    @pytest.fixture
    def plan(self, wiki):
        put(
            wiki,
            "topics/one/raw/notes/a.md",
            note(f"{SECRET} {SECRET.upper()} Other-Value-9 {SECRET[::-1]} %74{SECRET[1:]}"),
        )
        put(wiki, "topics/one/raw/data/a.bin", b"\0\1\2" + SECRET.encode())
        return retract(wiki).json["plan_id"]

    @pytest.mark.parametrize(
        ("value", "more"),
        [
            ("Other-Value-9", []),
            (SECRET[::-1], []),
            (SECRET[:-1], ["--variants", "exact"]),
            (SECRET, ["--case-insensitive"]),
            (SECRET, ["--variants", "exact"]),
            (SECRET, ["--delete-binary-matches"]),
        ],
    )
    def test_another_value_or_wish_is_refused(self, wiki, plan, value, more):
        before = tree(wiki.hub)
        assert retract(wiki, value, "--apply", "--plan-id", plan, *more).exit == 5
        assert tree(wiki.hub) == before

    def test_the_same_is_applied(self, wiki, plan):
        assert retract(wiki, SECRET, "--apply", "--plan-id", plan).json["files_rewritten"] == 1


@pytest.mark.parametrize("value", ["    ", "\t\t\t\t\t", "\r\n\r\n\r\n", " \n \n "])
def test_a_value_of_blanks_is_refused(wiki, value):
    before = tree(wiki.hub)
    for more in ([], ["--raw"], ["--raw", "--min-length", "1", "--yes"]):
        done = wiki("retract", "--stdin", "--hub", wiki.hub, "--apply", *more, stdin=value.encode())
        assert (done.exit, "blanks" in done.err) == (2, True), done
    assert tree(wiki.hub) == before


def test_what_only_a_container_holds_is_no_no_match(wiki):
    put(wiki, "topics/one/raw/data/a.zip", zipped(f"{'filler ' * 50}{SECRET}".encode()))
    assert retract(wiki).json["outcome"] == "found"
    done = retract(wiki, SECRET, "--apply")
    assert (done.exit, done.json["outcome"]) == (2, "partial")
    assert not any("nothing was found" in text for text in done.json["warnings"])


class TestNamesMadeOfAValue:
    @pytest.fixture
    def named(self, wiki):
        source = wiki.here / "s.md"
        source.write_text("# About Ada Lovelace\n\nA text about Ada Lovelace, long enough to be taken.\n")
        wiki.ok("ingest", source, "--wiki", "one")
        return wiki

    def test_they_are_counted_in_a_note(self, named):
        for more in ([], ["--apply"], ["--apply"]):
            told = retract(named, "Ada Lovelace", *more)
            assert ["as a slug" in text for text in told.json["warnings"]].count(True) == 1, told
        assert retract(named, "ada-lovelace", "--apply").exit == 0
        assert not any("slug" in text for text in retract(named, "Ada Lovelace").json["warnings"])
        assert [path.name for path in named.hub.rglob("*lovelace*")] == []

    @pytest.mark.parametrize(
        ("value", "more"), [("ada-lovelace", []), ("Ada-Lovelace", ["--case-insensitive"]), ("!About", [])]
    )
    def test_nothing_is_told_of_what_is_found_or_says_little(self, named, value, more):
        assert not any("slug" in text for text in retract(named, value, *more).json["warnings"])


def test_r01_a_dry_run_says_too_that_nothing_was_found(wiki):
    done = wiki.ok("retract", "--stdin", "--hub", wiki.hub, stdin=SECRET.encode())
    assert "note: nothing was found, look for a typing error" in done.out


def test_r08_anchors_aliases_and_tags_stay_what_they_are(wiki):
    head = f"---\ntitle: A\nx: !{SECRET} y\ny: &{SECRET} z\nz: [*{SECRET}, b]\nt: R&{SECRET}\n"
    path = put(wiki, "topics/one/raw/notes/2026-01-09-a.md", f"{head}---\n\n# A\n")
    done = retract(wiki, SECRET, "--apply")
    assert (done.exit, done.json["status"]) == (0, "verified"), done
    assert not any("W114" in text and "new finding" in text for text in done.json["warnings"]), done
    assert "x: !RETRACTED y\ny: &RETRACTED z\nz: [*RETRACTED, b]\nt: R&[RETRACTED]\n" in path.read_text()


@pytest.mark.parametrize("charset", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "text",
    [
        "Это обычный текст, в котором стоит {} и ещё немного слов.\n",
        "これは普通のテキストです。{}がここにあります。\n",
        "טקסט רגיל עם {} באמצע\r\n",
    ],
)
def test_r10_wide_text_without_a_mark_is_text_in_any_script(wiki, charset, text):
    path = put(wiki, "topics/one/raw/data/a.txt", (text.format("Ключ-密-9x") * 3).encode(charset))
    done = retract(wiki, "Ключ-密-9x", "--apply")
    assert (done.exit, done.json["text_files_matched"]) == (0, 1), done
    assert path.read_bytes() == (text.format("[RETRACTED]") * 3).encode(charset)


def test_r10_numbers_in_two_bytes_are_no_text(wiki):
    for number, data in enumerate((bytes(range(256)) * 8, b"\x20\0\x30\x04" * 500 + b"\x01\0" * 90)):
        put(wiki, f"topics/one/raw/data/{number}.bin", data + SECRET.encode() + b"\0" * (len(SECRET) % 2))
    assert retract(wiki).json["binary_files_matched"] == 2


@pytest.mark.parametrize(
    ("value", "more"),
    [("article", []), ("rticles", []), ("Articles", ["--case-insensitive"]), ("concept", [])],
)
def test_r08_a_part_of_a_managed_name_leaves_links_and_sources_alone(wiki, value, more):
    put(wiki, "topics/one/raw/articles/2026-01-09-a.md", note().replace("notes", "articles"))
    head = "---\ntitle: A\nsources:\n  - raw/articles/2026-01-09-a.md\n---\n\n# A\n\n"
    links = "[a](../../raw/articles/2026-01-09-a.md) [b](../concepts/a.md) in raw/articles/. "
    path = put(wiki, "topics/one/wiki/concepts/a.md", f"{head}{links}The {value} /x-{value}/.\n")
    done = retract(wiki, value, "--apply", *more)
    assert done.exit == 2
    assert path.read_text() == f"{head}{links}The [RETRACTED] /x-[RETRACTED]/.\n"
    assert not any("W501" in text or "W517" in text for text in done.json["warnings"]), done
