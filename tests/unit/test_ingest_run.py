"""The whole of ingest: one source in, one file, its rows, one log line; a second time nothing."""

import os
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import lintkit
import pytest
from pageserver import Answer, Server, serving
from sourcekit import isolate, snapshot, topic, tree

from llm_wiki.admit.raw import verify
from llm_wiki.core.errors import Ambiguous, BadUsage, NotAWiki, ServiceFailed, Unreadable, WikiError
from llm_wiki.core.undo import records, undo
from llm_wiki.ingest.fetch import Limits
from llm_wiki.ingest.run import Ingested, ingest
from llm_wiki.ingest.source import Options
from llm_wiki.lint import engine
from llm_wiki.model.document import body, page
from llm_wiki.model.page import Page
from llm_wiki.wiki.resolve import Root
from llm_wiki.wiki.snapshot import Snapshot

TODAY = date(2026, 1, 10)
PRIVATE = Options(allow_private=True)
BLOG = (Path(__file__).parent / "data" / "pages" / "blog.html").read_bytes()
NOTE = b"""---
title: A note
tags: [Tea Cups, "#brew"]
date: 2025-12-24
mood: good
---

# Heading

Body  text\twith *marks*.\x20\x20
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Root:
    isolate(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    return topic(tmp_path)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as found:
        found.pages["/post"] = BLOG
        for query in ("utm_source=a&utm_medium=b", "utm_campaign=z&fbclid=9"):
            found.pages[f"/post?{query}"] = BLOG
        yield found


def written(root: Root, done: Ingested) -> Page:
    return page(done.path, (root.path / done.path).read_bytes())


def text(root: Root, done: Ingested) -> str:
    return body((root.path / done.path).read_bytes()).removeprefix("\n")


def note(tmp_path: Path, data: bytes, name: str = "note.md") -> str:
    (tmp_path / name).write_bytes(data)
    return str(tmp_path / name)


# --- addresses -------------------------------------------------------------------------------


def test_a_page_comes_in_with_what_it_says_of_itself(root: Root, server: Server) -> None:
    done = ingest(root, server.url("/post"), PRIVATE)
    assert done.path == "raw/articles/2026-01-10-how-we-cut-build-times.md"
    meta = written(root, done).meta
    assert meta == {
        "title": "How we cut build times",
        "source": server.url("/post"),
        "type": "articles",
        "ingested": "2026-01-10",
        "tags": ["articles"],
        "summary": (
            "We cut our build times by 70 percent with a content-addressed cache. Here is how it works."
        ),
        "authors": ["Jane Doe"],
        "published": "2025-11-03",
        "fetched": "2026-01-10",
        "content_sha256": done.content_sha256,
    }
    assert "    for path in sorted(inputs):\n" in text(root, done)


def test_one_page_with_and_without_tracking_is_one_file(root: Root, server: Server) -> None:
    first = ingest(root, server.url("/post?utm_source=a&utm_medium=b"), PRIVATE)
    before = tree(root.path)
    for address in ("/post", "/post?utm_campaign=z&fbclid=9", "/post#results"):
        again = ingest(root, server.url(address), PRIVATE)
        assert (again.duplicate, again.path, again.transaction) == (True, first.path, None)
    assert tree(root.path) == before
    assert written(root, first).text("source") == server.url("/post")


def test_the_same_text_under_another_address_is_named_and_not_written(root: Root, server: Server) -> None:
    first = ingest(root, server.url("/post"), PRIVATE)
    server.pages["/mirror"] = BLOG
    again = ingest(root, server.url("/mirror", "localhost"), PRIVATE)
    # Relative links became absolute against the address, so this mirror says the same on one host only.
    assert again.duplicate is False
    same = ingest(root, server.url("/mirror"), PRIVATE)
    assert (same.duplicate, same.path, same.reason) == (True, first.path, "body")


def test_a_changed_page_is_a_new_file_beside_the_old(root: Root, server: Server) -> None:
    first = ingest(root, server.url("/post"), PRIVATE)
    old = (root.path / first.path).read_bytes()
    server.pages["/post"] = BLOG.replace(b"42 minutes", b"43 minutes")
    newer = ingest(root, server.url("/post"), PRIVATE)
    assert newer.supersedes == first.path
    assert newer.path == "raw/articles/2026-01-10-how-we-cut-build-times-2.md"
    assert (root.path / first.path).read_bytes() == old
    assert newer.similar == ()


def test_a_near_copy_elsewhere_is_admitted_and_told(root: Root, server: Server) -> None:
    first = ingest(root, server.url("/post"), PRIVATE)
    server.pages["/copy"] = BLOG.replace(b"and most of that is tests", b"and nearly all of it is tests")
    copy = ingest(root, server.url("/copy"), PRIVATE)
    assert copy.duplicate is False
    assert [path for path, share in copy.similar if share >= 0.8] == [first.path]


def test_a_redirect_is_recorded_by_its_end_and_found_again_by_its_start(root: Root, server: Server) -> None:
    server.redirect("/short", "/post")
    done = ingest(root, server.url("/short"), PRIVATE)
    assert done.source == server.url("/post")
    assert done.notes == (f"redirected to {server.url('/post')}",)
    assert ingest(root, server.url("/post"), PRIVATE).duplicate


@pytest.mark.parametrize(
    ("answer", "options", "error"),
    [
        (Answer(b"gone", 404), PRIVATE, ServiceFailed),
        (Answer(b"x" * 3000), PRIVATE._replace(limits=Limits(bytes=1000)), ServiceFailed),
        (Answer(b"%PDF-1.7"), PRIVATE, BadUsage),
        (Answer(b"\x00\x01", headers=(("Content-Type", "application/octet-stream"),)), PRIVATE, BadUsage),
        (Answer(b"<script>only()</script>"), PRIVATE, BadUsage),
        (Answer(b"<p>fine</p>"), Options(), WikiError),
    ],
)
def test_a_source_that_fails_changes_nothing(
    root: Root, server: Server, answer: Answer, options: Options, error: type[WikiError]
) -> None:
    server.pages["/x"] = answer
    before = tree(root.path)
    with pytest.raises(error):
        ingest(root, server.url("/x"), options)
    assert tree(root.path) == before
    assert records(root.path) == []


def test_markdown_and_data_from_an_address_keep_their_text(root: Root, server: Server) -> None:
    server.pages["/README.md"] = Answer(
        b"# Widget\n\nDraws *boxes*.\n", headers=(("Content-Type", "text/plain"),)
    )
    server.pages["/p.csv"] = Answer(b"a,b\n1,2\n", headers=(("Content-Type", "text/csv; charset=utf-8"),))
    readme, data = (ingest(root, server.url(path), PRIVATE) for path in ("/README.md", "/p.csv"))
    assert (readme.title, text(root, readme)) == ("Widget", "# Widget\n\nDraws *boxes*.\n")
    assert (data.type, data.title, text(root, data)) == ("data", "p", "```csv\na,b\n1,2\n```\n")
    assert written(root, data).text("content_format") == "csv"


# --- files -----------------------------------------------------------------------------------


def test_a_markdown_file_keeps_its_body_and_gives_its_header(root: Root, tmp_path: Path) -> None:
    done = ingest(root, note(tmp_path, NOTE))
    assert (done.title, done.type, done.tags) == ("A note", "notes", ("tea-cups", "brew"))
    assert text(root, done) == "# Heading\n\nBody  text\twith *marks*.  \n"
    assert written(root, done).text("published") == "2025-12-24"
    assert any("mood" in said for said in done.notes)


def test_line_ends_and_marks_of_a_file_make_no_other_source(root: Root, tmp_path: Path) -> None:
    first = ingest(root, note(tmp_path, NOTE))
    windows = note(tmp_path, b"\xef\xbb\xbf" + NOTE.replace(b"\n", b"\r\n"), "other.md")
    again = ingest(root, windows)
    assert (again.duplicate, again.path) == (True, first.path)


def test_front_matter_that_is_broken_stays_in_the_body(root: Root, tmp_path: Path) -> None:
    done = ingest(root, note(tmp_path, b"---\ntitle: [x\n---\n\nText of the note.\n"))
    assert text(root, done) == "---\ntitle: [x\n---\n\nText of the note.\n"
    assert done.title == "note"


def test_plain_text_is_kept_as_it_is(root: Root, tmp_path: Path) -> None:
    said = "*not* a [link] <tag>\n    indented\n\n\nend"
    done = ingest(root, note(tmp_path, said.encode(), "log.txt"))
    assert text(root, done) == said + "\n"
    assert written(root, done).text("content_format") == "text"


def test_a_html_file_is_read_like_a_page(root: Root, tmp_path: Path) -> None:
    done = ingest(root, note(tmp_path, BLOG, "saved.html"))
    assert (done.title, done.type) == ("How we cut build times", "articles")
    assert "```python\ndef key" in text(root, done)


def test_paths_are_recorded_without_the_machine_where_they_can(root: Root, tmp_path: Path) -> None:
    inbox = root.path / "inbox" / "a.md"
    inbox.write_text("inside the wiki")
    home = Path(os.environ["HOME"]) / "Documents" / "b.md"
    home.parent.mkdir()
    home.write_text("inside the home folder")
    assert ingest(root, str(inbox)).source == "inbox/a.md"
    assert ingest(root, str(home)).source == "~/Documents/b.md"
    assert ingest(root, note(tmp_path, b"anywhere")).source == str(
        Path(os.path.realpath(tmp_path)) / "note.md"
    )


def test_a_changed_file_is_a_new_version(root: Root, tmp_path: Path) -> None:
    first = ingest(root, note(tmp_path, b"one"))
    assert ingest(root, note(tmp_path, b"two")).supersedes == first.path


def test_what_the_user_says_wins_over_what_the_source_says(root: Root, tmp_path: Path) -> None:
    options = Options(title="Mine", type="papers", tags=("X y",), summary="Short.", date="2020-02-29")
    done = ingest(root, note(tmp_path, NOTE), options)
    meta = written(root, done).meta
    assert done.path == "raw/papers/2026-01-10-mine.md"
    assert (meta["title"], meta["tags"], meta["summary"], meta["published"]) == (
        "Mine",
        ["x-y"],
        "Short.",
        "2020-02-29",
    )


def test_a_type_in_the_front_matter_is_honoured_when_it_is_one(root: Root, tmp_path: Path) -> None:
    assert ingest(root, note(tmp_path, b"---\ntype: papers\n---\nA")).type == "papers"
    assert ingest(root, note(tmp_path, b"---\ntype: blog\n---\nB")).type == "notes"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (Options(type="article"), "unknown type"),
        (Options(date="yesterday"), "no date"),
        (Options(date="2026-02-30"), "no date"),
        (Options(charset="klingon"), "unknown encoding"),
    ],
)
def test_options_that_can_not_be_are_usage_errors(
    root: Root, tmp_path: Path, options: Options, words: str
) -> None:
    with pytest.raises(BadUsage, match=words):
        ingest(root, note(tmp_path, b"x"), options)


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        ("missing.md", "neither a file nor an address"),
        ("example.org/page", "neither"),
        (".", "folder"),
        ("file:///etc/hosts", "file:"),
        ("ftp://example.org/x", "http"),
        ("", "no source is named"),
        ("a\x00b", "neither"),
        ("x" * 5000, "cannot read"),
    ],
)
def test_what_is_no_source_is_said_with_a_remedy(root: Root, argument: str, words: str) -> None:
    with pytest.raises((BadUsage, Unreadable), match=words):
        ingest(root, argument)


def test_a_forgotten_scheme_is_suggested(root: Root) -> None:
    with pytest.raises(BadUsage) as caught:
        ingest(root, "www.example.org/page")
    assert "https://www.example.org/page" in str(caught.value.remedy)


def test_a_file_in_another_encoding_is_refused_and_readable_when_named(root: Root, tmp_path: Path) -> None:
    path = note(tmp_path, "Größe\n".encode("latin-1"), "a.txt")
    with pytest.raises(BadUsage, match="UTF-8"):
        ingest(root, path)
    assert "Größe" in text(root, ingest(root, path, Options(charset="latin-1")))


def test_a_pipe_or_device_is_never_waited_for(root: Root, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Unreadable, match="not a regular file"):
        ingest(root, str(tmp_path / "pipe"))


def test_a_file_that_is_too_large_is_not_read(root: Root, tmp_path: Path) -> None:
    with pytest.raises(BadUsage, match="larger than"):
        ingest(root, note(tmp_path, b"x" * 2000), Options(limits=Limits(bytes=1000)))


def test_a_name_that_is_no_utf_8_still_gives_a_file(root: Root, tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt"))
    path.write_bytes(b"text of the cafe")
    done = ingest(root, str(path))
    assert written(root, done).front == "ok"


# --- standard input --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "title", "body_text"),
    [
        (b"# From a pipe\n\nWith text.\n", "From a pipe", "# From a pipe\n\nWith text.\n"),
        (
            b"first words of a note\nsecond line\n",
            "first words of a note",
            "first words of a note\nsecond line\n",
        ),
        (b"<!doctype html><title>Page</title><p>Said.</p>", "Page", "# Page\n\nSaid.\n"),
    ],
)
def test_standard_input_is_markdown_text_or_html(root: Root, data: bytes, title: str, body_text: str) -> None:
    done = ingest(root, "-", stdin=lambda: data)
    assert (done.title, done.source, text(root, done)) == (title, "MANUAL", body_text)


@pytest.mark.parametrize("data", [b"", b" \n\t\n", b"\x00\x01", b"\xff\xff text"])
def test_standard_input_without_text_is_refused(root: Root, data: bytes) -> None:
    with pytest.raises(BadUsage):
        ingest(root, "-", stdin=lambda: data)


# --- the wiki --------------------------------------------------------------------------------


def test_the_wiki_is_clean_but_for_the_article_still_to_write(root: Root, server: Server) -> None:
    ingest(root, server.url("/post"), PRIVATE)
    ingest(root, "-", stdin="日本語の題\n\n本文はここにあります。".encode)
    ingest(root, "-", Options(type="data"), stdin=lambda: b'{"a": [1, 2]}')
    found = Snapshot.load(root.path, root.kind, per_file=engine.check_file, per_file_key="test")
    assert {finding.rule for finding in engine.evaluate(found, TODAY)} == {"W611"}
    assert verify(found).clean


def test_a_dry_run_shows_the_plan_that_then_happens(root: Root, tmp_path: Path) -> None:
    before = tree(root.path)
    path = note(tmp_path, NOTE)
    planned = ingest(root, path, dry_run=True)
    assert tree(root.path) == before
    assert planned.transaction is None
    assert ingest(root, path).changes == planned.changes


def test_undo_takes_a_source_back_and_it_can_come_again(root: Root, tmp_path: Path) -> None:
    path = note(tmp_path, NOTE)
    done = ingest(root, path)
    undo(root.path, done.transaction)
    assert not (root.path / done.path).exists()
    assert ingest(root, path).path == done.path


def test_sources_that_come_at_once_all_come_in(root: Root) -> None:
    failures: list[BaseException] = []

    def one(number: int) -> None:
        try:
            ingest(root, "-", Options(title="Same title"), stdin=f"text number {number}".encode)
        except BaseException as error:  # noqa: BLE001 - a thread's error must reach the test
            failures.append(error)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(snapshot(root).in_folder("raw/notes")) == 7
    assert lintkit.read(root.path, "raw/notes/_index.md").count("[Same title]") == 6
    assert verify(snapshot(root)).clean


def test_a_hub_asks_for_the_topic(root: Root, tmp_path: Path) -> None:
    hub = tmp_path / "hub"
    lintkit.write(
        hub,
        "wikis.json",
        '{"wikis": {"tea": {"path": "topics/tea"}, "old": {"path": "topics/.archive/old"}}}',
    )
    (hub / "topics").mkdir()
    with pytest.raises(Ambiguous) as caught:
        ingest(Root(hub, "hub", None, "hub", "active"), "-", stdin=lambda: b"x")
    assert caught.value.options == ("tea",)


def test_a_folder_that_is_no_wiki_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotAWiki):
        ingest(Root(tmp_path, "none", None, "x", "active"), "-", stdin=lambda: b"x")
