"""`tombstone list|check|lift`, and what a retracted source meets on its way back (`archive-retract.md` §3, N6)."""

import json
import os

import pytest
from pageserver import Answer, serving
from personkit import NAMED, at_terminal
from program import Program, contents, tree
from tombkit import bury, bury_url, keys_of_file, lines_of, raw_files

from llm_wiki.admit.tombstones import TOMBSTONES, Keys
from llm_wiki.model.document import body_hash

URL = "https://clocks.example/fusee"
BODY = "# Fusee\n\nThe fusee evens out the force of the mainspring.\n"
CANARY = "mainspring"


@pytest.fixture
def wiki(tmp_path):
    """A named person's hub with `tea` and `coffee`, a note on the side."""
    program = Program(tmp_path)
    program.begun(NAMED, ("init", "tea"), ("init", "coffee"))
    (program.here / "fusee.md").write_text(BODY)
    return program


def topic(wiki, slug="tea"):
    return wiki.hub / "topics" / slug


def retracted(wiki, slug="tea", **more):
    """Take a source into a topic, and out again, leaving a tombstone; return its id."""
    words = ["--title", "Fusee", "--source", more.get("source", URL)]
    for field in more.get("fields", ()):
        words += ["--field", field]
    done = wiki.ok("raw", "add", wiki.here / "fusee.md", *words, "--wiki", slug, "--json").json
    path = topic(wiki, slug) / done["path"]
    keys = keys_of_file(path)
    wiki.ok("undo", "--wiki", slug)
    return bury(topic(wiki, slug), keys)


def add(wiki, text, *words, target=("--wiki", "coffee")):
    (wiki.here / "other.md").write_text(text)
    return wiki("raw", "add", wiki.here / "other.md", "--title", "Other", *words, *target)


def every_raw(wiki):
    return raw_files(*wiki.hub.glob("topics/*/"), *wiki.hub.glob("topics/.archive/*/"))


def held(done, name):
    """Assert a refusal that names the tombstone and nothing of the source."""
    assert done.exit == 4, done
    assert name in done.err
    assert f"llm-wiki tombstone lift {name}" in done.err
    for word in (CANARY, "Fusee", "clocks"):
        assert word not in done.out + done.err


# --- what is held ----------------------------------------------------------------------------

SPELLINGS = [
    URL,
    "http://clocks.example/fusee",
    "HTTPS://CLOCKS.EXAMPLE/fusee",
    "https://www.clocks.example/fusee",
    "https://clocks.example:443/fusee",
    "http://clocks.example:80/fusee",
    "https://clocks.example/fusee/",
    "https://clocks.example/fusee#escapement",
    "https://clocks.example/fusee?utm_source=a&utm_medium=b&fbclid=9",
    "https://clocks.example/%66%75see",
    "https://clocks.example/./a/../fusee",
    "https://clocks.example/fusee;jsessionid=0A1B",
]


@pytest.mark.parametrize("url", SPELLINGS)
def test_an_address_is_held_however_it_is_spelt(wiki, url):
    name = retracted(wiki)
    for done in (
        wiki("ingest", url, "--wiki", "coffee"),
        wiki("ingest", url, "--wiki", "tea", "--dry-run"),
        add(wiki, "# Else\n\nOther words.\n", "--source", url),
        add(wiki, "# Else\n\nOther words.\n", "--field", f"canonical_url={url}", "--dry-run"),
    ):
        held(done, name)
    assert every_raw(wiki) == {}
    assert name in wiki.ok("tombstone", "check", url).out


def test_an_address_with_a_name_in_it_is_held_too(wiki):
    name = retracted(wiki)
    held(add(wiki, "Other words.\n", "--source", "https://ann:secret@clocks.example/fusee"), name)


@pytest.mark.parametrize(
    "url", ["https://clocks.example/", f"{URL}s", f"{URL}?page=2", "https://clocks.example:8443/fusee"]
)
def test_another_address_comes_in(wiki, url):
    retracted(wiki)
    assert add(wiki, "# Else\n\nOther words.\n", "--source", url).exit == 0
    assert wiki("tombstone", "check", url).exit == 1


def test_a_body_is_held_under_any_address_and_from_a_file(wiki):
    name = retracted(wiki)
    held(add(wiki, BODY, "--source", "https://elsewhere.example/x"), name)
    held(add(wiki, BODY.replace("\n", "\r\n") + "  \n\n"), name)
    held(wiki("ingest", wiki.here / "fusee.md", "--wiki", "coffee"), name)
    held(wiki("ingest", "-", "--wiki", "tea", stdin=b"\n\n" + BODY.encode()), name)
    assert add(wiki, BODY + "\nMore.\n").exit == 0


def test_a_copy_of_the_raw_file_is_held_though_its_text_was_changed(wiki):
    name = retracted(wiki)
    (wiki.here / "copy.md").write_text(f"---\ntitle: Else\nsource: {URL}\n---\n\n# Else\n\nOther words.\n")
    held(wiki("ingest", wiki.here / "copy.md", "--wiki", "coffee"), name)
    held(add(wiki, (wiki.here / "copy.md").read_text()), name)
    digest = body_hash(b"---\n---\n\n" + BODY.encode())
    (wiki.here / "copy.md").write_text(f"---\ntitle: Else\ncontent_sha256: {digest}\n---\n\nOther words.\n")
    held(wiki("ingest", wiki.here / "copy.md", "--wiki", "coffee"), name)


DECLARED = ["<link rel=canonical href='{}'>", "<meta property='og:url' content='{}'>"]


@pytest.mark.parametrize("form", DECLARED)
def test_a_saved_page_is_held_by_the_address_it_declares(wiki, form):
    name = retracted(wiki)
    tag = form.format(f"{URL}?utm_source=q")
    page = f"<html><head><title>P</title>{tag}</head><body><p>Words.</p>"
    (wiki.here / "page.html").write_text(page)
    held(wiki("ingest", wiki.here / "page.html", "--wiki", "coffee"), name)
    (wiki.here / "page.html").write_text(page.replace("fusee", "other"))
    assert wiki("ingest", wiki.here / "page.html", "--wiki", "coffee").exit == 0


def test_an_item_of_a_collection_is_held_where_its_id_is_no_path(wiki):
    fields = ("collection=c", "upstream_id=42", "revision=r1")
    name = retracted(wiki, source="MANUAL", fields=fields)
    words = [word for field in fields for word in ("--field", field)]
    held(add(wiki, "# Else\n\nOther words.\n", *words), name)
    words[-1] = "revision=r2"
    assert add(wiki, "# Else\n\nOther words.\n", *words).exit == 0


def test_an_item_whose_id_is_a_path_is_held_by_its_body_alone(wiki):
    fields = ("collection=c", "upstream_id=docs/fusee.md", "sha=aa", "adapter=git", "upstream_type=git-file")
    retracted(wiki, source="MANUAL", fields=fields)
    words = [word for field in fields for word in ("--field", field)]
    assert add(wiki, "# Else\n\nOther words.\n", *words).exit == 0


def test_a_path_is_not_held(wiki):
    name = retracted(wiki, source=str(wiki.here / "fusee.md"))
    (wiki.here / "fusee.md").write_text("# Else\n\nOther words.\n")
    assert wiki("ingest", wiki.here / "fusee.md", "--wiki", "coffee").exit == 0
    assert wiki.ok("tombstone", "list").out.count(name) == 1


def promoted(wiki, session, slug):
    return wiki("session", "promote", session, "--topic", slug, "--yes")


def test_a_session_is_the_same_source_though_its_digest_goes_on(wiki):
    wiki.ok("capture", "notes", "--yes")
    words = ("session", "capture", "--harness", "manual", "--session-id", "clockwork")
    session = wiki.ok(*words, "--summary", "Fitted a mainspring", "--json").json["id"]
    wiki.ok("session", "promote", session, "--topic", "tea", "--yes")
    note = next(topic(wiki).glob("raw/notes/2026*.md"))
    done = wiki.ok("retract-source", "apply", note, "--json").json
    assert done["status"] == "verified"
    assert promoted(wiki, session, "coffee").exit == 4
    wiki.ok(*words, "--summary", "And wound it up")
    for more in ((), ("--force",)):
        refused = wiki("session", "promote", session, "--topic", "coffee", "--yes", *more)
        assert (refused.exit, done["tombstone"] in refused.err) == (4, True)
    assert raw_files(topic(wiki, "coffee")) == {}
    wiki.ok(*words[:-1], "another", "--summary", "Oiled a wheel")
    assert promoted(wiki, "manual:another", "coffee").exit == 0


def test_the_session_of_a_retracted_note_stays_readable_and_is_forgotten_by_its_own_verb(wiki):
    wiki.ok("capture", "notes", "--yes")
    words = ("session", "capture", "--session-id", "clockwork", "--summary", "Fitted a mainspring")
    session = wiki.ok(*words, "--json").json["id"]
    wiki.ok("session", "promote", session, "--topic", "tea", "--yes")
    note = next(topic(wiki).glob("raw/notes/2026*.md"))
    wiki.ok("retract-source", "apply", note)
    assert CANARY in wiki.ok("session", "show", session).out
    forgotten = wiki.ok("session", "forget", session, "--yes").out
    assert "stay" not in forgotten
    assert not any(CANARY in path.read_text() for path in (wiki.hub / ".sessions").rglob("*.md"))


def test_a_source_that_is_there_twice_may_stay_in_the_sibling_and_comes_in_no_third_time(wiki):
    add(wiki, BODY, "--source", URL)
    before = every_raw(wiki)
    name = bury_url(topic(wiki), URL)
    held(add(wiki, "# Else\n\nOther words.\n", "--source", URL), name)
    assert every_raw(wiki) == before
    assert wiki.ok("raw", "verify", "--wiki", "coffee").exit == 0


# --- before anybody is asked -----------------------------------------------------------------

PAGE = (
    b"<html><head><title>P</title></head><body><p>The fusee evens out the force of the mainspring.</p></body>"
)


def test_a_retracted_address_is_not_asked_for(wiki):
    with serving() as server:
        server.pages["/fusee"] = PAGE
        name = bury_url(topic(wiki), server.url("/fusee"))
        for words in ((), ("--dry-run",)):
            done = wiki(
                "ingest", server.url("/fusee?utm_source=x"), "--wiki", "coffee", "--allow-private", *words
            )
            assert done.exit == 4
            assert name in done.err
        assert server.seen == []
        assert wiki("ingest", server.url("/other"), "--wiki", "coffee", "--allow-private").exit == 7


def test_a_dead_address_that_is_retracted_ends_with_4_and_not_7(wiki):
    name = bury_url(topic(wiki), "http://nowhere.invalid/fusee")
    held(wiki("ingest", "https://nowhere.invalid/fusee/", "--wiki", "coffee"), name)
    assert wiki("ingest", "https://nowhere.invalid/else", "--wiki", "coffee").exit == 7


def test_no_redirect_leads_to_a_retracted_address(wiki):
    with serving() as server:
        server.pages["/fusee"] = PAGE
        server.redirect("/short", server.url("/hop"))
        server.redirect("/hop", server.url("/fusee"))
        for place in ("/fusee", "/hop"):
            server.seen.clear()
            name = bury_url(topic(wiki), server.url(place))
            done = wiki("ingest", server.url("/short"), "--wiki", "coffee", "--allow-private")
            assert done.exit == 4
            assert name in done.err
            assert place not in [seen.target for seen in server.seen]
            (topic(wiki) / TOMBSTONES).unlink()
        assert wiki("ingest", server.url("/short"), "--wiki", "coffee", "--allow-private").exit == 0


def test_a_page_is_held_by_its_text_under_another_address(wiki):
    with serving() as server:
        server.pages |= {
            "/fusee": PAGE,
            "/mirror": PAGE,
            "/plain": Answer(b"Other words.", headers=(("Content-Type", "text/plain"),)),
        }
        path = wiki.ok("ingest", server.url("/fusee"), "--wiki", "tea", "--allow-private", "--json").json[
            "path"
        ]
        keys = keys_of_file(topic(wiki) / path)
        wiki.ok("undo", "--wiki", "tea")
        bury(topic(wiki), Keys(bodies=keys.bodies))
        assert wiki("ingest", server.url("/mirror"), "--wiki", "coffee", "--allow-private").exit == 4
        assert wiki("ingest", server.url("/plain"), "--wiki", "coffee", "--allow-private").exit == 0
    assert len(every_raw(wiki)) == 1


# --- whom it binds ---------------------------------------------------------------------------


def outside(wiki, name, *, entry):
    """Make a `.wiki` in a project; with `entry` it is registered in the hub."""
    project = wiki.home / name
    project.mkdir()
    wiki.ok("init", name, "--local", cwd=project)
    if entry:
        path = wiki.hub / "wikis.json"
        known = json.loads(path.read_text())
        known["wikis"][name] = {"path": str(project / ".wiki"), "description": ""}
        path.write_text(json.dumps(known, indent=2) + "\n")
    return project / ".wiki"


def test_every_topic_of_the_hub_is_bound_by_every_way_to_name_it(wiki):
    name = bury_url(topic(wiki), URL)
    far = outside(wiki, "far", entry=True)
    (wiki.hub / "topics/unlisted").mkdir()
    for file in ("_index.md", "config.md", "log.md"):
        (wiki.hub / "topics/unlisted" / file).write_bytes((topic(wiki) / file).read_bytes())
    for target in (
        ("--wiki", "tea"),
        ("--wiki", "coffee"),
        ("--wiki", "coffee", "--hub", wiki.hub),
        ("--root", topic(wiki, "coffee")),
        ("--root", wiki.hub / "topics/unlisted"),
        ("--wiki", "far"),
        ("--root", far),
        ("--root", far, "--hub", wiki.hub),
    ):
        held(add(wiki, "Other words.\n", "--source", URL, target=target), name)
        assert name in wiki.ok("tombstone", "list", *target).out
    held(wiki("ingest", URL, cwd=far.parent), name)
    held(wiki("ingest", URL, "--local", cwd=far.parent), name)
    assert every_raw(wiki) == {} == raw_files(far)


@pytest.mark.parametrize("where", ["archived", "unlisted", "unlisted archive", "external", "renamed"])
def test_a_tombstone_binds_from_wherever_its_topic_lies(wiki, where):
    if where == "external":
        name = bury_url(outside(wiki, "far", entry=True), URL)
    else:
        name = bury_url(topic(wiki), URL)
        if where in ("archived", "unlisted archive"):
            wiki.ok("archive", "topic", "tea")
        path = wiki.hub / "wikis.json"
        known = json.loads(path.read_text())
        if where.startswith("unlisted"):
            del known["wikis"]["tea"]
        if where == "renamed":
            known["wikis"]["chai"] = known["wikis"].pop("tea")
        path.write_text(json.dumps(known))
    held(add(wiki, "Other words.\n", "--source", URL), name)
    (row,) = wiki.ok("tombstone", "list", "--wiki", "coffee", "--json").json["tombstones"]
    assert row["topic"] == {"external": "far", "renamed": "chai"}.get(where, "tea")


def test_another_hub_is_reached_by_its_option_and_names_itself_in_the_remedy(wiki, tmp_path):
    other = tmp_path / "other hub"
    wiki.ok("init", "rum", "--hub", other)
    wiki.ok("init", "gin", "--hub", other)
    name = bury_url(other / "topics/rum", URL)
    for target in (("--wiki", "gin", "--hub", other), ("--root", other / "topics/gin")):
        done = add(wiki, "Other words.\n", "--source", URL, target=target)
        held(done, name)
        assert f"--root '{other / 'topics/rum'}'" in done.err
    assert add(wiki, "Other words.\n", "--source", URL).exit == 0
    seen = at_terminal(wiki, "tombstone", "lift", name, "--root", other / "topics/rum")
    assert seen.exit == 0
    assert add(wiki, "Other words.\n", "--source", URL, target=target).exit == 0


def test_a_local_wiki_is_bound_by_its_own_alone(wiki):
    bury_url(topic(wiki), URL)
    local = outside(wiki, "near", entry=False)
    assert add(wiki, "Other words.\n", "--source", URL, target=("--root", local)).exit == 0
    own = bury_url(local, "https://clocks.example/escapement")
    held(
        add(wiki, "Third words.\n", "--source", "http://clocks.example/escapement", target=("--root", local)),
        own,
    )
    assert add(wiki, "Third words.\n", "--source", "http://clocks.example/escapement").exit == 0


def test_a_registered_topic_that_is_gone_stops_nothing(wiki):
    path = wiki.hub / "wikis.json"
    known = json.loads(path.read_text())
    known["wikis"]["gone"] = {"path": "/nowhere/at/all"}
    path.write_text(json.dumps(known))
    assert add(wiki, BODY).exit == 0


# --- when nobody can tell --------------------------------------------------------------------


def damaged(wiki, how):
    place = topic(wiki) / TOMBSTONES
    place.parent.mkdir(exist_ok=True)
    if how == "link":
        place.symlink_to(wiki.here / "fusee.md")
    elif how == "linked folder":
        place.parent.rmdir()
        place.parent.symlink_to(wiki.here)
    elif how == "folder":
        place.mkdir()
    elif how == "pipe":
        os.mkfifo(place)
    elif how == "registry":
        (wiki.hub / "wikis.json").write_text('{"wikis": {')


@pytest.mark.parametrize(
    ("how", "exit_code"), [("link", 4), ("linked folder", 4), ("folder", 2), ("pipe", 2), ("registry", 2)]
)
def test_what_cannot_be_read_lets_nothing_in(wiki, how, exit_code):
    damaged(wiki, how)
    before = contents(wiki.hub)
    for done in (
        add(wiki, BODY, target=("--root", topic(wiki, "coffee"))),
        wiki("ingest", "https://nowhere.invalid/x", "--root", topic(wiki, "coffee")),
        wiki("tombstone", "check", URL, "--root", topic(wiki, "coffee")),
        wiki("tombstone", "list", "--root", topic(wiki, "coffee")),
    ):
        assert done.exit == exit_code, done
        assert "Traceback" not in done.err
        assert ("wikis.json" if how == "registry" else ".librarian") in done.err
    assert contents(wiki.hub) == before


# --- the verbs -------------------------------------------------------------------------------


def test_list_shows_id_date_and_topic_and_the_lines_that_are_none(wiki):
    first, second = bury_url(topic(wiki), URL), bury_url(topic(wiki, "coffee"), f"{URL}/2")
    path = topic(wiki) / TOMBSTONES
    path.write_bytes(b"<<<<<<< ours\r\n" + path.read_bytes() + b'=======\r\n{"id":\r\n')
    for target in ((), ("--wiki", "tea"), ("--hub", wiki.hub)):
        done = wiki.ok("tombstone", "list", *target)
        assert f"{first}  2026-01-02  tea" in done.out
        assert f"{second}  2026-01-02  coffee" in done.out
        assert "1, 3, 4" in done.err
    data = wiki.ok("tombstone", "list", "--json").json
    assert data["damaged"] == [{"path": str(path), "lines": [1, 3, 4]}]
    assert {row["id"] for row in data["tombstones"]} == {first, second}
    assert "None." in wiki.ok("tombstone", "list", "--root", outside(wiki, "near", entry=False)).out


def test_check_answers_without_a_byte_on_the_wire_or_on_the_disk(wiki):
    with serving() as server:
        server.pages["/fusee"] = PAGE
        name = bury_url(topic(wiki), server.url("/fusee"))
        before = tree(wiki.hub)
        assert f"{name} of 2026-01-02 in tea" in wiki.ok("tombstone", "check", server.url("/fusee/")).out
        assert wiki("tombstone", "check", server.url("/free")).exit == 1
        assert server.seen == []
        assert tree(wiki.hub) == before


def test_check_of_a_file_knows_it_as_ingest_would(wiki):
    name = retracted(wiki)
    assert name in wiki.ok("tombstone", "check", wiki.here / "fusee.md").out
    (wiki.here / "raw.md").write_text(f"---\ntitle: x\nsource: {URL}\n---\n\nOther words.\n")
    assert name in wiki.ok("tombstone", "check", "raw.md").out
    (wiki.here / "page.html").write_text(f"<link rel=canonical href={URL}><p>Words.</p>")
    assert wiki.ok("tombstone", "check", "page.html", "--json").json["held"]["id"] == name
    (wiki.here / "free.txt").write_text("Other words.\n")
    done = wiki("tombstone", "check", "free.txt", "--json")
    assert (done.exit, done.json["held"], done.json["ok"]) == (1, None, False)


@pytest.mark.parametrize("source", ["nothing-here.md", "ftp://clocks.example/x", "file:///etc/hosts", ""])
def test_check_of_what_is_neither_ends_with_2(wiki, source):
    assert wiki("tombstone", "check", source).exit == 2


def test_lift_needs_a_person_and_says_the_line_to_run(wiki):
    name = bury_url(topic(wiki), URL)
    before = lines_of(topic(wiki))
    for done in (
        wiki("tombstone", "lift", name),
        wiki("tombstone", "lift", name, "--json"),
        wiki("tombstone", "lift", name, stdin=b"y\n"),
        at_terminal(wiki, "tombstone", "lift", name, CLAUDECODE="1"),
    ):
        assert done.exit == 4, done
        assert f"llm-wiki tombstone lift {name}" in (done.err if hasattr(done, "err") else done.screen)
    assert wiki("tombstone", "lift", name, "--yes").exit == 2
    assert lines_of(topic(wiki)) == before


@pytest.mark.parametrize("target", [(), ("--wiki", "coffee"), ("--root", "topics/tea"), ("--hub", "")])
def test_lift_lets_the_source_in_again(wiki, target):
    target = tuple(str(wiki.hub / word) if word in ("topics/tea", "") else word for word in target)
    name = retracted(wiki)
    log = (topic(wiki) / "log.md").read_text()
    seen = at_terminal(wiki, "tombstone", "lift", name[:7], *target)
    assert seen.exit == 0, seen
    assert (topic(wiki) / "log.md").read_text() == log + f"\n## [2026-01-10] tombstone | lifted {name}\n"
    assert json.loads(lines_of(topic(wiki))[-1])["by"] == "Ada"
    assert len(lines_of(topic(wiki))) == 2
    assert "None." in wiki.ok("tombstone", "list").out
    assert f"{name}  2026-01-02  tea  lifted by Ada" in wiki.ok("tombstone", "list", "--all").out
    assert wiki("tombstone", "check", URL).exit == 1
    assert add(wiki, BODY, "--source", URL).exit == 0
    again = at_terminal(wiki, "tombstone", "lift", name)
    assert again.exit == 0
    assert "lifted already, by Ada" in again.screen
    assert len(lines_of(topic(wiki))) == 2


def test_lift_reaches_an_archived_topic_and_one_of_the_hub_from_a_local_wiki(wiki):
    name = bury_url(topic(wiki), URL)
    wiki.ok("archive", "topic", "tea")
    local = outside(wiki, "near", entry=False)
    assert at_terminal(wiki, "tombstone", "lift", name, "--root", local).exit == 0
    assert len(lines_of(wiki.hub / "topics/.archive/tea")) == 2
    assert add(wiki, "Other words.\n", "--source", URL).exit == 0


def test_lift_of_what_is_not_one_ends_with_1_2_or_3(wiki):
    first = bury_url(topic(wiki), URL)
    path = topic(wiki) / TOMBSTONES
    for n, end in enumerate("ab"):
        path.write_text(path.read_text() + lines_of(topic(wiki))[0].replace(first, f"t-ffff{n}{end}") + "\n")
    assert at_terminal(wiki, "tombstone", "lift", "t-0000000000ff").exit == 1
    assert at_terminal(wiki, "tombstone", "lift", "t-").exit == 2
    seen = at_terminal(wiki, "tombstone", "lift", "t-ffff")
    assert seen.exit == 3
    assert "t-ffff0a in tea" in seen.screen
    assert len(lines_of(topic(wiki))) == 3


def test_one_id_in_two_topics_is_lifted_where_it_is_meant(wiki):
    name = bury_url(topic(wiki), URL)
    copy = topic(wiki, "coffee") / TOMBSTONES
    copy.parent.mkdir(exist_ok=True)
    copy.write_bytes((topic(wiki) / TOMBSTONES).read_bytes())
    assert at_terminal(wiki, "tombstone", "lift", name).exit == 3
    assert at_terminal(wiki, "tombstone", "lift", name, "--wiki", "coffee").exit == 0
    assert (len(lines_of(topic(wiki))), len(lines_of(topic(wiki, "coffee")))) == (1, 2)
    held(add(wiki, "Other words.\n", "--source", URL), name)


def test_two_tombstones_of_one_source_are_lifted_one_by_one(wiki):
    first, second = bury_url(topic(wiki), URL), bury_url(topic(wiki, "coffee"), URL)
    assert at_terminal(wiki, "tombstone", "lift", first).exit == 0
    held(add(wiki, "Other words.\n", "--source", URL), second)
    assert at_terminal(wiki, "tombstone", "lift", second).exit == 0
    assert add(wiki, "Other words.\n", "--source", URL).exit == 0


# --- undo ------------------------------------------------------------------------------------


def test_undoing_a_lift_needs_a_person_again_and_so_does_doing_it_again(wiki):
    name = bury_url(topic(wiki), URL)
    assert at_terminal(wiki, "tombstone", "lift", name).exit == 0
    for lines in (1, 2, 1):
        last = wiki.ok("undo", "--list", "--wiki", "tea", "--json").json["transactions"][0]["id"]
        done = wiki("undo", last, "--wiki", "tea")
        assert done.exit == 4
        assert f"llm-wiki undo {last} --root" in done.err
        assert at_terminal(wiki, "undo", last, "--wiki", "tea").exit == 0
        assert len(lines_of(topic(wiki))) == lines
    held(add(wiki, "Other words.\n", "--source", URL), name)


def test_undo_of_what_nobody_decided_needs_nobody(wiki):
    assert add(wiki, BODY).exit == 0
    assert wiki("undo", "--wiki", "coffee").exit == 0


def test_an_undone_ingest_does_not_come_back_after_a_retraction_in_a_sibling(wiki):
    add(wiki, BODY, "--source", URL)
    (path,) = every_raw(wiki)
    keys = keys_of_file(path)
    wiki.ok("undo", "--wiki", "coffee")
    name = bury(topic(wiki), keys)
    last = wiki.ok("undo", "--list", "--wiki", "coffee", "--json").json["transactions"][0]["id"]
    before = contents(wiki.hub)
    held(wiki("undo", last, "--wiki", "coffee"), name)
    assert contents(wiki.hub) == before
    assert at_terminal(wiki, "tombstone", "lift", name).exit == 0
    assert wiki("undo", last, "--wiki", "coffee").exit == 0
    assert list(every_raw(wiki)) == [path]
