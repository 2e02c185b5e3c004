"""What a demanding new user tries on the installed program, each as one truth."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from program import Done, contents, tree


@pytest.mark.parametrize("option", [["--wiki", ""], ["--hub", ""], ["--root", ""]])
@pytest.mark.parametrize("verb", [["undo"], ["log", "append", "lint", "x"]])
def test_an_empty_option_never_means_another_wiki(wiki, topic, verb, option):
    before = tree(wiki.hub)
    done = wiki(*verb, *option)
    assert done.exit == 2, done
    assert tree(wiki.hub) == before


def test_an_empty_path_is_not_the_wiki_here(wiki, topic):
    assert wiki("status", "").exit == 2


def test_verbs_with_another_argument_take_the_path_of_a_wiki_as_root(wiki, topic):
    wiki.ok("ingest", "-", "--root", topic, "--title", "A", stdin=b"Some text of a source.\n")
    wiki.ok("log", "append", "lint", "looked", "--root", topic)
    assert "A" in wiki.ok("index", "show", "raw/notes", "--root", topic).out
    assert "ingest" in wiki.ok("undo", "--root", topic).out
    assert wiki("undo", "--root", topic, "--wiki", "tea").exit == 2


def test_an_option_before_and_after_a_subcommand_must_agree(wiki, topic):
    wiki.ok("init", "coffee")
    assert wiki("schema", "--wiki", "tea", "status", "--wiki", "coffee").exit == 2
    wiki.ok("schema", "--wiki", "tea", "status", "--wiki", "tea")
    assert wiki("schema", "--root", wiki.hub, "status", topic).exit == 2


# --- what is no wiki, and what lies inside one ---------------------------------------------------


def test_a_home_folder_that_holds_the_hub_is_no_topic(wiki, topic):
    assert wiki("status", wiki.home).exit == 2
    assert "is not a wiki" in wiki("lint", wiki.home).err


def test_a_fetched_page_may_be_written_beside_the_hub(wiki, topic):
    from llm_wiki.ops.fetching import write_aside

    write_aside(wiki.home / "page.md", "# Page\n")
    assert (wiki.home / "page.md").read_text() == "# Page\n"


def test_the_content_folder_of_a_topic_is_no_half_hub(wiki, topic):
    done = wiki("status", topic / "wiki")
    assert (done.exit, "inside a wiki" in done.err) == (2, True), done


@pytest.mark.parametrize(
    "place", ["wiki/topics/tea/wiki", "wiki/topics/tea/raw/new", "wiki/topics", "wiki/x"]
)
def test_no_hub_is_made_inside_a_wiki(wiki, topic, place):
    before = tree(wiki.hub)
    done = wiki("init", "x", "--hub", wiki.home / place)
    assert (done.exit, "inside the wiki" in done.err) == (4, True), done
    assert tree(wiki.hub) == before


def test_no_local_wiki_is_made_inside_a_wiki(wiki, topic):
    assert wiki("init", "--local", cwd=topic).exit == 4
    assert wiki("init", "--local", cwd=wiki.hub).exit == 4
    assert not (topic / ".wiki").exists()


# --- configuration -------------------------------------------------------------------------------


def write_config(wiki, text: str):
    path = wiki.home / ".config/llm-wiki/config.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_the_remedy_of_a_wrong_hub_path_works(wiki):
    write_config(wiki, '{"hub_path": 5, "mine": "\\ud800"}')
    assert "llm-wiki config hub_path VALUE" in wiki("status").err
    wiki.ok("config", "hub-path", wiki.home / "notes")
    assert wiki.ok("config", "hub_path").out.strip() == str(wiki.home / "notes")
    assert wiki.ok("config", "--json").json["values"].keys() == {"hub_path", "mine"}


def test_removing_a_key_succeeds_and_an_unknown_one_is_a_usage_error(wiki):
    wiki.ok("config", "person.name", "Ada")
    wiki.ok("config", "person.name", "")
    assert wiki("config", "person.name").exit == 1
    assert wiki("config", "nosuch").exit == 2


def test_a_proxy_can_be_configured_and_must_be_an_address(wiki):
    wiki.ok("config", "network.proxy", "http://127.0.0.1:1")
    assert wiki("fetch", "http://example.invalid/", "--allow-private").exit == 7
    for wrong in ("x", "ftp://x", "http://[::1", "http:// x"):
        assert wiki("config", "network.proxy", wrong).exit == 2, wrong
    assert wiki.ok("config", "network.engine", "on").out == "on\n"


def test_a_hub_path_that_is_not_utf8_survives_the_configuration(wiki):
    hub = wiki.home / "h\udcff"
    wiki.ok("config", "hub-path", hub)
    wiki.ok("init", "tea")
    assert (hub / "topics/tea/_index.md").is_file()


@pytest.mark.parametrize("text", ["[" * 100_000, '{"x": ' + "9" * 5000 + "}"])
def test_an_unusable_configuration_is_not_called_an_encoding_problem(wiki, text):
    write_config(wiki, text)
    done = wiki("status")
    assert done.exit == 2
    assert "UTF-8" not in done.err


# --- the registry --------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["[]", "<<<<<<< HEAD\n{}", '{"wikis": []}', "\xff", ""])
def test_a_registry_that_cannot_be_used_empties_no_index_and_hides_no_topic(wiki, topic, text):
    (wiki.hub / "wikis.json").write_bytes(text.encode("latin-1"))
    before = tree(wiki.hub)
    for verb in (["status"], ["index", "check"], ["index", "show"], ["index", "rebuild"], ["init", "x"]):
        done = wiki(*verb)
        assert (done.exit, "wikis.json" in done.err) == (2, True), (verb, done)
    assert wiki("ingest", "-", stdin=b"text").exit == 2
    assert "wikis.json" in wiki("doctor").out
    assert wiki("doctor").exit == 1
    assert tree(wiki.hub) == before
    wiki.ok("status", "--wiki", "tea")


@pytest.mark.parametrize("path", ["a\\u0000b", "topics/\\ud800"])
def test_a_path_no_system_can_have_is_a_problem_of_its_entry_alone(wiki, topic, path):
    (wiki.hub / "wikis.json").write_text(
        '{"wikis": {"tea": {"path": "topics/tea"}, "odd": {"path": "' + path + '"}}}'
    )
    assert "tea" in wiki.ok("status").out
    wiki.ok("index", "show")
    lint = wiki("lint")
    assert lint.exit == 1
    assert "[W901]" in lint.out
    assert "rule failed" not in lint.out


def test_an_entry_that_is_no_object_is_not_overwritten(wiki, topic):
    (wiki.hub / "wikis.json").write_text('{"wikis": {"neu": 5}}')
    assert wiki("init", "neu").exit == 4


def test_topics_without_registry_entry_are_told_apart_from_no_topics(wiki, topic):
    (wiki.hub / "wikis.json").write_text("{}")
    assert "lint --fix" in wiki.ok("status").out


def test_a_hub_counts_as_initialised(wiki, topic):
    assert wiki.ok("resolve", "--json").json["initialized"] is True


# --- what the system refuses ---------------------------------------------------------------------


@pytest.fixture
def denied(wiki):
    """Runs the program so that file modes count, also for root; skips where that cannot be had."""
    command = [sys.executable, "-P", "-m", "llm_wiki"]
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root ignores permission bits")
        drop = "-dac_override,-dac_read_search"
        command = ["setpriv", f"--bounding-set={drop}", f"--inh-caps={drop}", *command]

    def run(*arguments):
        done = subprocess.run(
            [*command, *map(str, arguments)],
            input=b"A text.\n",
            capture_output=True,
            cwd=wiki.here,
            env=wiki.env,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@contextmanager
def closed(path):
    path.chmod(0)
    try:
        yield
    finally:
        path.chmod(0o755)


def test_a_configuration_folder_that_cannot_be_entered_is_no_missing_configuration(wiki, denied):
    path = write_config(wiki, '{"hub_path": "/nowhere/else"}')
    with closed(path.parent):
        for verb in (["status"], ["config"], []):
            done = denied(*verb)
            assert (done.exit, "Full Disk Access" in done.err) == (2, True), (verb, done)


def test_doctor_and_paths_work_on_folders_they_may_not_enter(wiki, topic, denied):
    state = wiki.home / ".local"
    with closed(state):
        done = denied("doctor")
        assert (done.exit, "FAULT state" in done.out) == (1, True), done
        assert denied("paths").exit == 0
        done = denied("log", "append", "lint", "x", "--wiki", "tea")
        assert (done.exit, "Full Disk Access" in done.err) == (2, True), done


def test_nothing_is_claimed_about_sources_that_cannot_be_read(wiki, topic, denied):
    wiki.ok("ingest", "-", "--wiki", "tea", "--title", "A", stdin=b"Some text of a source.\n")
    before = tree(topic)
    verbs = [
        "raw verify",
        "dedupe",
        "index check",
        "links check",
        "ingest - --title B",
        "raw add - --title B",
    ]
    with closed(topic / "raw/notes"):
        for verb in verbs:
            done = denied(*verb.split(), "--wiki", "tea")
            assert done.exit == (1 if verb == "links check" else 2), (verb, done)
            assert "raw/notes" in done.out + done.err, (verb, done)
        assert "cannot be read: raw/notes" in denied("status", "--wiki", "tea").out
    assert tree(topic) == before


def test_paths_counts_what_vanishes_while_it_looks(wiki):
    wiki.ok("paths", "--hub", "/proc/self")


# --- a wiki comes and goes cleanly ---------------------------------------------------------------


def last_undo(wiki, *target) -> str:
    return wiki.ok("undo", "--list", *target, "--json").json["transactions"][0]["id"]


def test_undoing_the_first_init_leaves_nothing_and_a_new_user(wiki):
    wiki.ok("init", "tea", "--hub", wiki.home / "notes/deep/hub")
    wiki.ok("undo", "--hub", wiki.home / "notes/deep/hub")
    assert not (wiki.home / "notes").exists()
    wiki.ok("init", "tea")
    wiki.ok("undo")
    assert not wiki.hub.exists()
    assert "No wiki yet" in wiki.ok().out


def test_the_undo_of_an_init_can_be_undone_though_the_hub_is_gone(wiki, topic):
    made = contents(wiki.hub, "log.md")
    wiki.ok("undo")
    wiki.ok("undo", last_undo(wiki, "--hub", wiki.hub))
    assert contents(wiki.hub, "log.md") == made
    wiki.ok("undo")
    assert not wiki.hub.exists()


def test_a_topic_that_was_used_and_cleared_can_be_uninitialised(wiki, topic):
    wiki.ok("ingest", "-", "--wiki", "tea", "--title", "A", stdin=b"Some text of a source.\n")
    refused = wiki("undo")
    assert refused.exit == 5
    assert "(ingest in topics/tea)" in refused.err
    wiki.ok("undo", "--wiki", "tea")
    wiki.ok("log", "append", "lint", "a line of mine", "--wiki", "tea")
    wiki.ok("undo")
    assert not wiki.hub.exists()


def test_a_log_that_a_repair_made_keeps_what_came_after(wiki, topic):
    (wiki.hub / "log.md").unlink()
    wiki.ok("lint", "--fix")
    wiki.ok("init", "coffee")
    before = tree(wiki.hub)
    assert wiki("lint", "--undo").exit == 5
    assert tree(wiki.hub) == before


def test_a_topic_without_changes_names_the_hub_that_made_it(wiki, topic):
    done = wiki("undo", "--wiki", "tea")
    assert (done.exit, "undo --list" in done.err) == (1, True), done


@pytest.mark.parametrize("ignored", [b"x", b"x\n", b"a\r\nb\r\n"])
def test_undoing_a_local_wiki_takes_its_ignored_line_and_no_other(wiki, ignored):
    path = wiki.here / ".gitignore"
    path.write_bytes(ignored)
    (wiki.here / "log.md").write_text("mine\n")
    wiki.ok("init", "--local")
    made = path.read_bytes()
    path.write_bytes(made + b"later\n")
    wiki.ok("undo", "--local")
    assert not (wiki.here / ".wiki").exists()
    assert path.read_bytes().endswith(b"later\n")
    assert b".wiki" not in path.read_bytes()
    wiki.ok("undo", last_undo(wiki, "--local"), "--local")
    assert b".wiki/" in path.read_bytes()
    assert (wiki.here / "log.md").read_text() == "mine\n"


def test_undoing_a_hub_inside_a_repository_takes_its_merge_rules(wiki):
    subprocess.run(["git", "init", "-q"], cwd=wiki.here, check=True)
    hub = wiki.here / "notes"
    wiki.ok("init", "tea", "--hub", hub)
    attributes = wiki.here / ".gitattributes"
    attributes.write_text(attributes.read_text() + "*.png binary\n")
    wiki.ok("undo", "--hub", hub)
    assert attributes.read_text() == "*.png binary\n"
    assert not hub.exists()


def test_an_init_that_fails_leaves_nothing_around_it(wiki):
    settings = wiki.here / ".wiki/.obsidian/app.json"
    settings.parent.mkdir(parents=True)
    settings.write_text("[")
    before = contents(wiki.here)
    assert wiki("init", "--local", "--obsidian").exit == 4
    assert contents(wiki.here) == before


@pytest.mark.parametrize("local", [True, False])
def test_a_vault_keeps_the_settings_it_has(wiki, topic, local):
    root = wiki.here / ".wiki" if local else wiki.hub / "topics/mine"
    settings = root / ".obsidian/app.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"theme": "dark", "userIgnoreFilters": ["a/"]}')
    wiki.ok("init", *(["--local"] if local else ["mine"]), "--obsidian")
    data = json.loads(settings.read_text())
    assert (data["theme"], data["userIgnoreFilters"][0], len(data["userIgnoreFilters"])) == ("dark", "a/", 2)
    wiki.ok("undo", *(["--local"] if local else []))
    assert settings.read_text() == '{"theme": "dark", "userIgnoreFilters": ["a/"]}'


def test_a_folder_that_is_no_topic_is_not_called_one(wiki, topic):
    (wiki.hub / "topics/x").mkdir()
    assert "is no topic" in wiki("init", "x").err


# --- names and texts -----------------------------------------------------------------------------


def test_a_name_with_bytes_of_no_text_makes_a_wiki_with_a_clean_title(wiki):
    wiki.ok("init", "t\x1bo \udcff")
    assert wiki.ok("status", "--wiki", "t-o").out.startswith("t o  (topic)")
    wiki.ok("lint", "--wiki", "t-o", "--fail-on", "info")


def test_a_log_line_is_valid_text(wiki, topic):
    wiki.ok("log", "append", "lint", "a\x1b[31m \udcff b", "--wiki", "tea")
    assert (topic / "log.md").read_text(encoding="utf-8").endswith("lint | a [31m b\n")


# --- what is printed can be followed -------------------------------------------------------------


def test_the_way_back_that_ingest_prints_is_the_right_one(wiki, topic):
    done = wiki.ok("ingest", "-", "--wiki", "tea", "--title", "A", stdin=b"Some text of a source.\n")
    line = next(row for row in done.out.splitlines() if "takes it back" in row)
    command = shlex.split(line.split("`")[1])
    wiki.ok(*command[1:])
    assert not list((topic / "raw/notes").glob("*-a.md"))


def test_the_next_step_of_a_topic_without_hub_can_be_run(wiki, topic, tmp_path):
    alone = tmp_path / "a lone topic"
    shutil.copytree(topic, alone)
    line = wiki.ok("status", alone).out.splitlines()[-1].strip().replace("URL|FILE", "-")
    wiki.ok(*shlex.split(line.partition("    ")[0])[1:], "--title", "A", stdin=b"Some text of a source.\n")
    assert list((alone / "raw/notes").glob("*-a.md"))
    (topic / "schema.md").unlink()
    shown = wiki.ok("schema", "status", "--wiki", "tea").out.splitlines()[-1]
    wiki.ok(*shlex.split(shown.removeprefix("Next: llm-wiki ").partition("    ")[0]))
    assert (topic / "schema.md").is_file()


@pytest.mark.parametrize(
    "field", ["bad key=1", "a: b=2", "title=x", "content_sha256=0", "=x", "x", "Größe=1"]
)
def test_a_field_must_be_a_key_that_is_free(wiki, topic, field):
    before = tree(topic)
    done = wiki("raw", "add", "-", "--title", "A", "--wiki", "tea", "--field", field, stdin=b"text\n")
    assert done.exit == 2, done
    assert tree(topic) == before


# --- the index of a hub --------------------------------------------------------------------------


def test_a_topic_that_the_hub_table_names_without_link_is_listed_for_rule_and_verb_alike(wiki, topic):
    index = wiki.hub / "_index.md"
    index.write_text(index.read_text().replace("[tea](topics/tea/_index.md)", "tea"))
    wiki.ok("index", "check")
    assert "W912" not in wiki.ok("lint").out
    wiki.ok("init", "coffee")
    index.write_text("".join(line for line in index.read_text().splitlines(True) if "coffee" not in line))
    assert "does not list the topic coffee" in wiki.ok("lint").out
    wiki.ok("lint", "--fix")
    assert "[W912]" not in wiki.ok("lint").out


# --- streams -------------------------------------------------------------------------------------


def shell(wiki, line: str) -> Done:
    program = f"{shlex.quote(sys.executable)} -P -m llm_wiki"
    done = subprocess.run(
        ["sh", "-c", line.replace("llm-wiki", program)],
        capture_output=True,
        cwd=wiki.here,
        env=wiki.env,
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("llm-wiki status >&-", 0),
        ("llm-wiki status 2>&-", 0),
        ("llm-wiki status nowhere 2>&-", 2),
        ("llm-wiki ingest - --wiki tea <&-", 2),
        ("llm-wiki raw add - --title A --wiki tea <&-", 2),
        ("llm-wiki status --json > /dev/full", 2),
        ("llm-wiki lint nowhere --json > /dev/full", 2),
        ("llm-wiki status > /dev/full 2> /dev/full", 2),
        ("llm-wiki ingest '' --wiki tea", 2),
    ],
)
def test_a_closed_or_full_stream_is_no_internal_error(wiki, topic, line, status):
    if "/dev/full" in line and not Path("/dev/full").exists():
        pytest.skip("no device that is always full")
    done = shell(wiki, line)
    assert done.exit == status, done
    assert "Traceback" not in done.err
    assert "internal error" not in done.err


@pytest.mark.parametrize("group", ["index", "links", "log", "raw", "schema"])
def test_a_group_without_verb_shows_its_help_and_no_error(wiki, group):
    done = wiki(group)
    assert (done.exit, done.out) == (2, "")
    assert done.err.startswith(f"Usage: llm-wiki {group}")


def test_a_reader_that_has_seen_enough_ends_the_program_quietly(wiki):
    done = shell(wiki, "{ llm-wiki demo d; echo $? >&2; } | head -1 > /dev/null")
    assert done.err == "141\n"


def test_a_demo_is_not_made_inside_a_wiki(wiki, topic):
    before = tree(wiki.hub)
    for place in (topic / "output/demo", wiki.hub / "demo"):
        assert wiki("demo", place).exit == 4
    assert tree(wiki.hub) == before


# --- questions a hub cannot answer ---------------------------------------------------------------


@pytest.mark.parametrize("verb", ["raw verify", "dedupe", "raw add - --title A", "ingest -"])
def test_a_hub_has_no_sources_of_its_own_and_names_its_topics(wiki, topic, verb):
    done = wiki(*verb.split(), "--json", stdin=b"A text.\n")
    assert (done.exit, done.json["error"]["options"]) == (3, ["tea"]), done


def test_every_setting_is_listed(wiki):
    wiki.ok("config", "guard.limit", "5")
    out = wiki.ok("config").out
    assert "guard.limit" in out
    assert out.count("hub_path") == 1
